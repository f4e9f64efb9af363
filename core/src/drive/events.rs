//! [`EventReader`]: the events of a blocking source.

use alloc::vec::Vec;
use core::fmt;
use std::io::{self, Read};

use super::ReadError;
use crate::accumulate::Response;
use crate::error::Error;
use crate::event::OwnedEvent;
use crate::finding::Finding;
use crate::outcome::Outcome;
use crate::reader::Reader;

/// The number of bytes that are read from the source at a time.
const CHUNK_BYTES: usize = 16 * 1024;

/// Iterates over the events of a blocking source: a file, a socket, the body of a blocking HTTP client.
///
/// After the last event, [`outcome`](Self::outcome) returns how the stream ended. An error of the source is returned once, after the events
/// before it; then [`resume`](Self::resume) continues with a new source, or the next call ends the iteration. A limit or, in strict
/// mode, a broken rule ends the iteration. The response so far stays readable. `ErrorKind::Interrupted` is retried.
///
/// ```
/// use deltafold::{EventReader, Kind};
///
/// let stream: &[u8] = b"data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hi\"}\n\n";
/// let mut events = EventReader::new(stream);
/// for event in &mut events {
///     let event = event?;
///     if event.as_event().kind() == Kind::OutputTextDelta {
///         print!("{}", event.as_event().delta());
///     }
/// }
/// assert_eq!(events.response().output_text(), "Hi");
/// assert_eq!(events.outcome().map(|outcome| outcome.name()), Some("truncated"));
/// # Ok::<(), deltafold::ReadError<std::io::Error>>(())
/// ```
pub struct EventReader<R> {
    source: R,
    reader: Reader,
    chunk: Vec<u8>,
    input: SourceState,
}

/// The state of a driver's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SourceState {
    /// More bytes may come.
    Open,
    /// The source has ended; events may be left.
    Ended,
    /// The source failed; it may be replaced, or the stream ends here.
    Broken,
    /// The last event or an error was returned.
    Finished,
}

impl<R: Read> EventReader<R> {
    /// Reads from a source with a tolerant reader and default limits.
    pub fn new(source: R) -> Self {
        Self::with_reader(source, Reader::new())
    }

    /// Reads from a source with a reader that the caller configured.
    pub fn with_reader(source: R, reader: Reader) -> Self {
        Self { source, reader, chunk: Vec::new(), input: SourceState::Open }
    }

    /// Reads one chunk and feeds it.
    fn fill(&mut self) -> Result<(), ReadError<io::Error>> {
        self.chunk.resize(CHUNK_BYTES, 0);
        let length = loop {
            match self.source.read(&mut self.chunk) {
                Ok(length) => break length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(ReadError::Source(error)),
            }
        };
        if length == 0 {
            self.reader.end();
            self.input = SourceState::Ended;
            return Ok(());
        }
        Ok(self.reader.feed(&self.chunk[..length.min(CHUNK_BYTES)])?)
    }
}

/// The state after an error: a failed source may be replaced, an error of the reader is final and fixes the outcome.
pub(super) fn after<E>(error: &ReadError<E>, reader: &mut Reader) -> SourceState {
    if matches!(error, ReadError::Source(_)) {
        return SourceState::Broken;
    }
    // The caller returns this error, so the same one from `finish` adds nothing.
    let _ = reader.finish();
    SourceState::Finished
}

impl<R> EventReader<R> {
    /// Continues with a new source after the old one failed or ended early, as [`Reader::reconnect`] does: the incomplete event of the old
    /// connection is discarded, and events with a sequence number that was already read are skipped.
    ///
    /// ```
    /// use deltafold::EventReader;
    ///
    /// let event = |number: u32, delta: &str| format!(
    ///     "data: {{\"type\":\"response.output_text.delta\",\"sequence_number\":{number},\"output_index\":0,\"delta\":\"{delta}\"}}\n\n"
    /// );
    /// let broken = std::io::Read::chain(std::io::Cursor::new(event(0, "Hel") + "data: {\"ty"), Broken);
    /// let mut events = EventReader::new(Box::new(broken) as Box<dyn std::io::Read>);
    /// while let Some(Ok(_)) = events.next() {}
    /// events.resume(Box::new(std::io::Cursor::new(event(0, "Hel") + &event(1, "lo"))))?;
    /// while let Some(Ok(_)) = events.next() {}
    /// assert_eq!(events.response().output_text(), "Hello");
    /// # struct Broken;
    /// # impl std::io::Read for Broken {
    /// #     fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> { Err(std::io::ErrorKind::ConnectionReset.into()) }
    /// # }
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Reader::reconnect`]: the iteration has returned `None`, or a limit or a broken rule ended reading.
    pub fn resume(&mut self, source: R) -> Result<(), Error> {
        self.reader.reconnect()?;
        self.source = source;
        self.input = SourceState::Open;
        Ok(())
    }

    /// Returns the response so far.
    pub fn response(&self) -> Response<'_> {
        self.reader.response()
    }

    /// Returns the findings so far.
    pub fn findings(&self) -> &[Finding] {
        self.reader.findings()
    }

    /// Returns how the stream ended; `None` before the iteration has ended, unless the terminal event was read.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.reader.outcome()
    }

    /// Returns the reader.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Returns the reader, for example to note the response's headers before the first event.
    pub fn reader_mut(&mut self) -> &mut Reader {
        &mut self.reader
    }

    /// Returns the source and the reader.
    pub fn into_parts(self) -> (R, Reader) {
        (self.source, self.reader)
    }
}

impl<R: Read> Iterator for EventReader<R> {
    type Item = Result<OwnedEvent, ReadError<io::Error>>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.input != SourceState::Finished {
            match self.reader.poll_event() {
                Ok(Some(event)) => return Some(Ok(event.to_owned())),
                Ok(None) if self.input == SourceState::Open => {
                    if let Err(error) = self.fill() {
                        self.input = after(&error, &mut self.reader);
                        return Some(Err(error));
                    }
                }
                // An error of `poll_event` is returned again by `finish`.
                Ok(None) | Err(_) => {
                    self.input = SourceState::Finished;
                    return self.reader.finish().err().map(|error| Err(error.into()));
                }
            }
        }
        None
    }
}

impl<R: Read> core::iter::FusedIterator for EventReader<R> {}

impl<R> fmt::Debug for EventReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventReader").field("reader", &self.reader).field("input", &self.input).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::VecDeque;
    use alloc::string::ToString;

    use super::*;
    use crate::limits::Limits;

    const DELTA: &str =
        "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"x\"}\n\n";

    /// Returns prepared results, then the end.
    struct Script(VecDeque<io::Result<&'static [u8]>>);

    impl Read for Script {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let Some(step) = self.0.pop_front() else { return Ok(0) };
            let bytes = step?;
            out[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        }
    }

    #[test]
    fn an_interrupted_read_is_retried() {
        let steps = [Ok(DELTA.as_bytes()), Err(io::ErrorKind::Interrupted.into()), Ok(DELTA.as_bytes())];
        let mut events = EventReader::new(Script(steps.into_iter().collect()));
        assert_eq!(events.by_ref().filter(Result::is_ok).count(), 2);
        assert_eq!(events.response().output_text(), "xx");
    }

    #[test]
    fn a_failing_source_ends_the_iteration_after_the_events_before_it() {
        let steps = [Ok(DELTA.as_bytes()), Err(io::ErrorKind::ConnectionReset.into()), Ok(DELTA.as_bytes())];
        let mut events = EventReader::new(Script(steps.into_iter().collect()));
        assert!(events.next().is_some_and(|event| event.is_ok()));
        assert!(
            matches!(events.next(), Some(Err(ReadError::Source(error))) if error.kind() == io::ErrorKind::ConnectionReset)
        );
        assert!(events.next().is_none() && events.next().is_none());
        assert_eq!(events.outcome().map(Outcome::name), Some("truncated"));
        assert_eq!(events.response().output_text(), "x");
    }

    #[test]
    fn a_limit_is_the_error_of_the_reader() {
        let limits = Limits { line_bytes: 8, ..Limits::default() };
        let mut events = EventReader::with_reader(DELTA.as_bytes(), Reader::builder().limits(limits).build());
        let error = events.next().expect("an error").expect_err("the line is too long");
        // The text is that of the reader's error, so a report of the chain must not repeat it.
        assert!(std::error::Error::source(&error).is_none());
        assert!(matches!(&error, ReadError::Reader(cause) if cause.to_string() == error.to_string()));
        assert!(events.next().is_none());
    }
}
