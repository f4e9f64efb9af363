//! [`dfold_error`]: the last failure of a handle, in full.

use core::ffi::c_char;

use deltafold::Error;

use crate::bytes::dfold_bytes;
use crate::ffi;
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

/// Room for the message of a dfold_problem, NUL included.
pub const DFOLD_PROBLEM_BYTES: usize = 256;

/// Why a call without a handle failed, such as one that was to make it. Owned by the caller, and no view.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_problem {
    /// The status that the call returned.
    pub status: dfold_status,
    /// Byte offset in the text that cannot be read, 0 where there is none.
    pub offset: u64,
    /// One line for people, UTF-8, ending in NUL; cut where it is too long.
    pub message: [c_char; DFOLD_PROBLEM_BYTES],
}

impl dfold_problem {
    /// The problem of an error.
    pub(crate) fn new(error: &Error) -> Self {
        let mut message = [0; DFOLD_PROBLEM_BYTES];
        let text = error.to_string();
        let end = (0..DFOLD_PROBLEM_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0).min(text.len());
        for (place, byte) in message.iter_mut().zip(text.as_bytes()[..end].iter()) {
            *place = *byte as c_char;
        }
        Self { status: error.code().into(), offset: error.offset(), message }
    }
}

/// Passes on what did not fail; tells the caller, if it wants to know, why the rest did.
///
/// # Safety
/// `out` is NULL or points to memory for a problem that nobody else uses now.
pub(crate) unsafe fn tell<T>(result: Result<T, Error>, out: *mut dfold_problem) -> Result<T, dfold_status> {
    result.map_err(|error| {
        if !out.is_null() {
            // SAFETY: not NULL, and the caller promises the rest. It cannot fail then.
            let _ = unsafe { ffi::write(out, dfold_problem::new(&error)) };
        }
        error.code().into()
    })
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

#[cfg(test)]
mod tests {
    use deltafold::Code;

    use super::*;

    #[test]
    fn a_long_message_is_cut_between_characters_and_ends_in_nul() {
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
