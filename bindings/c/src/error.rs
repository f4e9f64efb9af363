//! [`dfold_error`]: the last failure of a handle, in full.

use deltafold::Error;

use crate::bytes::dfold_bytes;
use crate::status::dfold_status;

/// Why a call failed: more than its status.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_error {
    /// The status that the call returned.
    pub status: dfold_status,
    /// Whether `sequence_number` is there.
    pub has_sequence_number: bool,
    /// Sequence number of the event concerned.
    pub sequence_number: u64,
    /// Byte offset from the start of the stream, 0 where there is none.
    pub offset: u64,
    /// The dotted name, such as `limit.line`.
    pub name: dfold_bytes,
    /// One line for people: what happened, the detail, and where.
    pub message: dfold_bytes,
}

/// The last failure of a handle, kept until the next one.
#[derive(Default)]
pub(crate) struct Failures {
    last: Option<Error>,
    message: String,
}

impl Failures {
    /// Keeps a failure and gives its status.
    #[cold]
    pub(crate) fn keep(&mut self, error: impl Into<Error>) -> dfold_status {
        let error = error.into();
        let status = error.code().into();
        self.last = Some(error);
        status
    }

    /// Keeps what failed and passes on what did not.
    pub(crate) fn check<T>(&mut self, result: Result<T, Error>) -> Result<T, dfold_status> {
        result.map_err(|error| self.keep(error))
    }

    /// The last failure; nothing more if there was none.
    pub(crate) fn show(&mut self) -> Result<dfold_error, dfold_status> {
        let error = self.last.as_ref().ok_or(dfold_status::DFOLD_NO_MORE)?;
        self.message = error.to_string();
        Ok(dfold_error {
            status: error.code().into(),
            has_sequence_number: error.sequence_number().is_some(),
            sequence_number: error.sequence_number().unwrap_or(0),
            offset: error.offset(),
            name: error.code().name().into(),
            message: self.message.as_str().into(),
        })
    }
}
