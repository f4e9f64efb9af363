//! The first layer on its own: bytes to SSE frames.

use std::sync::{Mutex, PoisonError};

use deltafold::sse::{FrameDecoder, Signal};
use pyo3::prelude::*;

use crate::reader::DETACH_BYTES;
use crate::{convert, error, options};

/// One dispatched frame of an event stream.
#[pyclass(frozen, eq, hash, module = "deltafold")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Frame {
    /// The event name; "" if the frame names none.
    #[pyo3(get)]
    event: String,
    /// The payload: all data lines, joined with a line feed.
    #[pyo3(get)]
    data: String,
    /// The last event id in force; "" if there is none.
    #[pyo3(get)]
    id: String,
    /// The reconnection time in force, in milliseconds, or None.
    #[pyo3(get)]
    retry: Option<u64>,
    /// Offset of the frame's first byte from the start of the stream.
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

/// Decodes an event stream into frames, from chunks that may be cut anywhere.
#[pyclass(frozen, module = "deltafold")]
pub(crate) struct SseDecoder(Mutex<FrameDecoder>);

#[pymethods]
impl SseDecoder {
    #[new]
    #[pyo3(signature = (*, limits = None))]
    fn new(py: Python<'_>, limits: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Ok(Self(Mutex::new(FrameDecoder::new(&options::limits(py, limits)?))))
    }

    /// Takes a chunk and returns the frames that it completes.
    ///
    /// Raises LimitExceeded past a limit, and again on every call until reset. Frames that the chunk completes before
    /// that are returned first; the next call raises.
    fn feed(&self, py: Python<'_>, chunk: &Bound<'_, PyAny>) -> PyResult<Vec<Frame>> {
        let chunk = convert::bytes(chunk)?;
        let chunk = chunk.as_ref();
        let frames = if chunk.len() < DETACH_BYTES { self.frames(chunk) } else { py.detach(|| self.frames(chunk)) };
        frames.map_err(|error| error::raise(py, &error))
    }

    /// Makes the decoder as new: nothing pending, no last event id, offset 0.
    fn reset(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).reset();
    }
}

impl SseDecoder {
    fn frames(&self, chunk: &[u8]) -> Result<Vec<Frame>, deltafold::Error> {
        // The lock is only poisoned by a panic of ours, which PyO3 has turned into an exception; the decoder goes on.
        let mut decoder = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut frames = Vec::new();
        let mut at = 0;
        loop {
            match decoder.next(chunk, &mut at) {
                Ok(Some(Signal::Frame(frame))) => frames.push(Frame::from(frame)),
                Ok(Some(_)) => {}
                // Frames before the error are not lost: they come first, and the next call raises.
                Err(error) if frames.is_empty() => return Err(error),
                Ok(None) | Err(_) => return Ok(frames),
            }
        }
    }
}
