//! [`dfold_error`]: the last failure of a handle, with its details.

use core::ffi::c_char;

use deltafold::Error;

use crate::bytes::dfold_bytes;
use crate::ffi;
use crate::status::dfold_status;

/// The details of a failed call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_error {
    /// The status that the call returned.
    pub status: dfold_status,
    /// True if `sequence_number` is set.
    pub has_sequence_number: bool,
    /// Sequence number of the event that caused the failure.
    pub sequence_number: u64,
    /// Byte offset from the start of the stream; 0 if unknown.
    pub offset: u64,
    /// The dotted name, such as `limit.line`.
    pub name: dfold_bytes,
    /// One line of text: the error, its detail and its position.
    pub message: dfold_bytes,
}

/// Size of the message buffer of a dfold_problem, including the NUL.
pub const DFOLD_PROBLEM_BYTES: usize = 256;

/// The details of a failed call that has no handle, such as a constructor. The caller owns it; it contains no views.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_problem {
    /// The status that the call returned.
    pub status: dfold_status,
    /// Byte offset in the invalid text; 0 if unknown.
    pub offset: u64,
    /// One line of text in UTF-8, ending in NUL; truncated if it is too long.
    pub message: [c_char; DFOLD_PROBLEM_BYTES],
}

impl dfold_problem {
    /// Converts an error of the core.
    pub(crate) fn new(error: &Error) -> Self {
        let mut message = [0; DFOLD_PROBLEM_BYTES];
        let text = error.to_string();
        let end = (0..DFOLD_PROBLEM_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0).min(text.len());
        for (slot, byte) in message.iter_mut().zip(text.as_bytes()[..end].iter()) {
            *slot = *byte as c_char;
        }
        Self { status: error.code().into(), offset: error.offset(), message }
    }
}

/// Returns the value of a result, or writes the details of its error to `out` and returns the status.
///
/// # Safety
/// `out` is NULL or points to writable memory for a problem that is not used elsewhere during the call.
pub(crate) unsafe fn report_problem<T>(result: Result<T, Error>, out: *mut dfold_problem) -> Result<T, dfold_status> {
    result.map_err(|error| {
        if !out.is_null() {
            // SAFETY: not NULL; the caller guarantees the rest.
            let _ = unsafe { ffi::write(out, dfold_problem::new(&error)) };
        }
        error.code().into()
    })
}

/// The last failure of a handle.
#[derive(Default)]
pub(crate) struct LastError {
    last: Option<Error>,
    message: String,
}

impl LastError {
    /// Records a failure and returns its status.
    #[cold]
    pub(crate) fn set(&mut self, error: impl Into<Error>) -> dfold_status {
        let error = error.into();
        let status = error.code().into();
        self.last = Some(error);
        status
    }

    /// Returns the value of a result, or records its error and returns the status.
    pub(crate) fn check<T>(&mut self, result: Result<T, Error>) -> Result<T, dfold_status> {
        result.map_err(|error| self.set(error))
    }

    /// Returns the last failure, or DFOLD_NO_MORE if there was none.
    pub(crate) fn get(&mut self) -> Result<dfold_error, dfold_status> {
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

#[cfg(test)]
mod tests {
    use deltafold::Code;

    use super::*;

    #[test]
    fn a_long_message_is_truncated_between_characters_and_ends_in_nul() {
        for lead in 0..4 {
            let detail = format!("{}{}", "x".repeat(lead), "é€😀".repeat(100));
            let problem = dfold_problem::new(&Error::new(Code::NotJson, 7, detail));
            let bytes: Vec<u8> = problem.message.iter().map(|byte| *byte as u8).collect();
            let end = bytes.iter().position(|byte| *byte == 0).unwrap();
            assert!(end > DFOLD_PROBLEM_BYTES - 5, "{end}");
            assert!(core::str::from_utf8(&bytes[..end]).unwrap().starts_with("the text is not JSON: "));
            assert_eq!((problem.status, problem.offset), (dfold_status::DFOLD_JSON_SYNTAX, 7));
        }
    }
}
