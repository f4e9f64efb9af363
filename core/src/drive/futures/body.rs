//! [`WriterBody`]: the bytes of a [`Writer`] as the body of an HTTP response.

use alloc::sync::Arc;
use core::convert::Infallible;
use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::sync::{Mutex, MutexGuard, PoisonError};

use alloc::vec::Vec;

use bytes::Bytes;
use futures_core::Stream;

use crate::error::Error;
use crate::write::{ApiError, ErrorType, Writer};

/// Splits a writer in two: the sender, with which the program writes, and the body, a `Stream` of the bytes for `axum`, `hyper` or
/// any other server.
///
/// The body ends when the response has ended and its bytes were taken. If the sender is dropped earlier, the response fails with
/// the code `stream_interrupted`, so that no client waits forever.
///
/// ```
/// use deltafold::futures::writer_body;
/// use deltafold::{Writer, WriterOptions};
/// use futures_util::StreamExt;
///
/// # futures_executor::block_on(async {
/// let (mut sender, mut body) = writer_body(Writer::new(WriterOptions::new("resp_1", "m-1", 0)));
/// sender.write(|writer| writer.start())?;
/// sender.write(|writer| writer.complete(None))?;
/// drop(sender);
///
/// let mut bytes = Vec::new();
/// while let Some(Ok(chunk)) = body.next().await {
///     bytes.extend_from_slice(&chunk);
/// }
/// assert!(bytes.ends_with(b"data: [DONE]\n\n"));
/// # Ok::<(), deltafold::Error>(())
/// # }).unwrap();
/// ```
pub fn writer_body(writer: Writer) -> (WriterSender, WriterBody) {
    let shared = Arc::new(Mutex::new(BodyState { writer, closed: false, abandoned: false, body: None, sender: None }));
    (WriterSender { shared: Arc::clone(&shared) }, WriterBody { shared })
}

/// The state that sender and body share.
struct BodyState {
    writer: Writer,
    /// The sender was dropped.
    closed: bool,
    /// The body was dropped: the client has disconnected.
    abandoned: bool,
    body: Option<Waker>,
    sender: Option<Waker>,
}

fn lock(shared: &Mutex<BodyState>) -> MutexGuard<'_, BodyState> {
    // A panic inside `write` leaves the writer in a valid state.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The writing half of [`writer_body`].
pub struct WriterSender {
    shared: Arc<Mutex<BodyState>>,
}

impl WriterSender {
    /// Calls the writer, then wakes the body. Returns the result of the call.
    ///
    /// The bytes wait in memory until the body takes them; await [`drained`](Self::drained) to write no faster than the client reads.
    pub fn write<T>(&mut self, call: impl FnOnce(&mut Writer) -> T) -> T {
        let mut shared = lock(&self.shared);
        let result = call(&mut shared.writer);
        let waker = shared.body.take();
        drop(shared);
        if let Some(waker) = waker {
            waker.wake();
        }
        result
    }

    /// Waits until the body has taken every byte. Returns `false` when the body was dropped: the client has disconnected.
    pub fn drained(&mut self) -> Drained<'_> {
        Drained { sender: self }
    }

    /// Returns `true` if the body was dropped: the client has disconnected.
    pub fn is_abandoned(&self) -> bool {
        lock(&self.shared).abandoned
    }
}

impl Drop for WriterSender {
    fn drop(&mut self) {
        let mut shared = lock(&self.shared);
        shared.closed = true;
        if !shared.writer.is_ended() {
            let error = ApiError::new(
                ErrorType::ServerError,
                "stream_interrupted",
                "The response ended before it was complete.",
            );
            // Only a writer that has ended refuses this, and that case is excluded above.
            let _: Result<(), Error> = shared.writer.fail(&error);
        }
        let waker = shared.body.take();
        drop(shared);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The reading half of [`writer_body`]: a `Stream` of `Bytes` that never fails.
pub struct WriterBody {
    shared: Arc<Mutex<BodyState>>,
}

impl Stream for WriterBody {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut shared = lock(&self.shared);
        let bytes: Vec<u8> = shared.writer.take();
        if !bytes.is_empty() {
            let waker = shared.sender.take();
            drop(shared);
            if let Some(waker) = waker {
                waker.wake();
            }
            return Poll::Ready(Some(Ok(bytes.into())));
        }
        if shared.closed || shared.writer.is_ended() {
            return Poll::Ready(None);
        }
        shared.body = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for WriterBody {
    fn drop(&mut self) {
        let mut shared = lock(&self.shared);
        shared.abandoned = true;
        let waker = shared.sender.take();
        drop(shared);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The future of [`WriterSender::drained`].
#[must_use = "futures do nothing unless they are polled"]
pub struct Drained<'a> {
    sender: &'a mut WriterSender,
}

impl Future for Drained<'_> {
    type Output = bool;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<bool> {
        let mut shared = lock(&self.sender.shared);
        if shared.abandoned || shared.writer.is_drained() {
            return Poll::Ready(!shared.abandoned);
        }
        shared.sender = Some(context.waker().clone());
        Poll::Pending
    }
}

impl fmt::Debug for WriterSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriterSender").finish_non_exhaustive()
    }
}

impl fmt::Debug for WriterBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriterBody").finish_non_exhaustive()
    }
}

impl fmt::Debug for Drained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drained").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use core::pin::pin;

    use futures_executor::block_on;
    use futures_util::{FutureExt, StreamExt};

    use super::*;
    use crate::reader::Reader;
    use crate::write::WriterOptions;

    fn pair() -> (WriterSender, WriterBody) {
        writer_body(Writer::new(WriterOptions::new("resp_1", "m-1", 0)))
    }

    fn outcome_of(body: WriterBody) -> &'static str {
        let chunks = block_on(body.collect::<Vec<_>>());
        let mut reader = Reader::new();
        for Ok(chunk) in chunks {
            reader.feed(&chunk).expect("within limits");
        }
        while reader.poll_event().expect("tolerant").is_some() {}
        let _ = reader.finish();
        reader.outcome().expect("finished").name()
    }

    #[test]
    fn a_response_that_completes_ends_the_body() {
        let (mut sender, body) = pair();
        sender.write(Writer::start).expect("the first intent");
        sender.write(|writer| writer.complete(None)).expect("a started response");
        assert_eq!(outcome_of(body), "completed");
    }

    #[test]
    fn a_sender_that_is_dropped_fails_the_response() {
        let (mut sender, body) = pair();
        sender.write(Writer::start).expect("the first intent");
        drop(sender);
        assert_eq!(outcome_of(body), "failed");
    }

    #[test]
    fn drained_waits_until_the_body_has_taken_the_bytes() {
        let (mut sender, mut body) = pair();
        sender.write(Writer::start).expect("the first intent");
        assert_eq!(sender.drained().now_or_never(), None);
        assert!(block_on(body.next()).is_some());
        assert_eq!(sender.drained().now_or_never(), Some(true));
        drop(body);
        assert!(sender.is_abandoned());
        assert_eq!(sender.drained().now_or_never(), Some(false));
    }

    #[test]
    fn a_waiting_body_is_woken_by_a_write() {
        let (mut sender, mut body) = pair();
        let next = pin!(body.next());
        let (woken, _) = block_on(futures_util::future::join(next, async { sender.write(Writer::start) }));
        assert!(woken.is_some());
    }
}
