//! [`ConvertedBytes`]: a stream of byte chunks in another dialect.

use alloc::boxed::Box;
use core::fmt;
use core::pin::Pin;
use core::task::{ready, Context, Poll};

use bytes::Bytes;
use futures_core::{FusedStream, Stream};

use crate::adapter::Converter;
use crate::drive::ReadError;
use crate::error::Error;

/// A stream of byte chunks, converted to another dialect: the response body of a gateway.
///
/// Each item has the output of one or more chunks of the source; no item is empty. If the source fails in the middle, the target stream
/// still ends with its terminal event: [`Converter::finish`] writes that event, the stream returns those bytes, and then the source's
/// error. The report of the [`converter`](Self::converter) lists the data that the target cannot express.
///
/// `Unpin` whatever the source is: the source is boxed once.
pub struct ConvertedBytes<S, E> {
    source: Pin<Box<S>>,
    converter: Converter,
    state: ConversionState<E>,
}

enum ConversionState<E> {
    /// More chunks may come.
    Open,
    /// The target stream has ended; this error is still to be returned.
    Failed(ReadError<E>),
    Finished,
}

impl<S, E> ConvertedBytes<S, E> {
    /// Converts a source.
    pub fn new(source: S, converter: Converter) -> Self {
        Self { source: Box::pin(source), converter, state: ConversionState::Open }
    }

    /// Returns the converter, with its findings.
    pub fn converter(&self) -> &Converter {
        &self.converter
    }

    /// Returns the converter.
    pub fn into_converter(self) -> Converter {
        self.converter
    }

    /// Ends the target stream; `failure` is returned after its last bytes.
    fn end(&mut self, failure: Option<ReadError<E>>) {
        let finished: Result<(), Error> = self.converter.finish();
        let failure = failure.or(finished.err().map(ReadError::Reader));
        self.state = failure.map_or(ConversionState::Finished, ConversionState::Failed);
    }
}

// The source is pinned in its box, so no other field needs pinning.
impl<S, E> Unpin for ConvertedBytes<S, E> {}

impl<S, B, E> Stream for ConvertedBytes<S, E>
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
{
    type Item = Result<Bytes, ReadError<E>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            let ready_bytes = this.converter.take();
            if !ready_bytes.is_empty() {
                return Poll::Ready(Some(Ok(ready_bytes.into())));
            }
            match core::mem::replace(&mut this.state, ConversionState::Finished) {
                ConversionState::Finished => return Poll::Ready(None),
                ConversionState::Failed(failure) => return Poll::Ready(Some(Err(failure))),
                ConversionState::Open => this.state = ConversionState::Open,
            }
            match ready!(this.source.as_mut().poll_next(context)) {
                None => this.end(None),
                Some(Ok(chunk)) => {
                    if let Err(error) = this.converter.feed(chunk.as_ref()) {
                        this.end(Some(error.into()));
                    }
                }
                Some(Err(error)) => this.end(Some(ReadError::Source(error))),
            }
        }
    }
}

impl<S, B, E> FusedStream for ConvertedBytes<S, E>
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
{
    fn is_terminated(&self) -> bool {
        // Bytes that are ready are taken before the state changes to finished.
        matches!(self.state, ConversionState::Finished)
    }
}

impl<S, E> fmt::Debug for ConvertedBytes<S, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConvertedBytes").field("converter", &self.converter).finish_non_exhaustive()
    }
}
