//! The SSE layer on its own: bytes to frames.

use std::sync::{Mutex, PoisonError};

use deltafold::sse::{FrameDecoder, Signal};
use pyo3::prelude::*;

use crate::reader::DETACH_BYTES;
use crate::{convert, error, options};

/// One dispatched frame of an event stream.
#[pyclass(frozen, eq, hash, module = "deltafold")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Frame {
    /// The event name; "" if the frame has none.
    #[pyo3(get)]
    event: String,
    /// The payload: all data lines, joined with a line feed.
    #[pyo3(get)]
    data: String,
    /// The current last event id; "" if there is none.
    #[pyo3(get)]
    id: String,
    /// The current reconnection time in milliseconds, or None.
    #[pyo3(get)]
    retry: Option<u64>,
    /// Byte offset of the frame from the start of the stream.
    #[pyo3(get)]
    offset: u64,
}

impl From<deltafold::sse::Frame<'_>> for Frame {
    fn from(frame: deltafold::sse::Frame<'_>) -> Self {
        Self {
            event: frame.event.to_owned(),
            data: frame.data.to_owned(),
            id: frame.id.to_owned(),
            retry: frame.retry,
            offset: frame.offset,
        }
    }
}

#[pymethods]
impl Frame {
    fn __repr__(&self) -> String {
        format!("Frame(event={:?}, {} bytes of data, offset={})", self.event, self.data.len(), self.offset)
    }
}

/// Decodes an event stream, split anywhere, into frames.
#[pyclass(frozen, module = "deltafold")]
pub(crate) struct SseDecoder(Mutex<FrameDecoder>);

#[pymethods]
impl SseDecoder {
    #[new]
    #[pyo3(signature = (*, limits = None))]
    fn new(py: Python<'_>, limits: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Ok(Self(Mutex::new(FrameDecoder::new(&options::limits(py, limits)?))))
    }

    /// Feeds a chunk and returns the frames that it completes.
    ///
    /// Raises LimitExceeded past a limit, on this and every later call until reset. If the chunk completes frames before
    /// the limit, this call returns them and the next call raises.
    fn feed(&self, py: Python<'_>, chunk: &Bound<'_, PyAny>) -> PyResult<Vec<Frame>> {
        let chunk = convert::bytes(chunk)?;
        let chunk = chunk.as_ref();
        let frames = if chunk.len() < DETACH_BYTES { self.frames(chunk) } else { py.detach(|| self.frames(chunk)) };
        frames.map_err(|error| error::raise(py, &error))
    }

    /// Resets the decoder to its initial state: nothing pending, no last event id, offset 0.
    fn reset(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).reset();
    }
}

impl SseDecoder {
    fn frames(&self, chunk: &[u8]) -> Result<Vec<Frame>, deltafold::Error> {
        // Only a panic of this module poisons the lock; PyO3 raised it as an exception, and the decoder stays usable.
        let mut decoder = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut frames = Vec::new();
        let mut position = 0;
        loop {
            match decoder.next(chunk, &mut position) {
                Ok(Some(Signal::Frame(frame))) => frames.push(Frame::from(frame)),
                Ok(Some(_)) => {}
                // Frames before the error are returned first; the next call raises the error.
                Err(error) if frames.is_empty() => return Err(error),
                Ok(None) | Err(_) => return Ok(frames),
            }
        }
    }
}
