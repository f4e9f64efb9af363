//! [`dfold_status`]: the return value of a call. Failures are the negated codes of the core, and two statuses of this crate.

use core::ffi::{c_char, CStr};

use deltafold::Code;

use crate::bytes::dfold_bytes;

/// The return value of a call: 0 for success, 1 for "nothing more now", negative for a failure. Numbers are never reused.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum dfold_status {
    /// The call succeeded.
    DFOLD_OK = 0,
    /// No further output until more input arrives. Not a failure.
    DFOLD_NO_MORE = 1,
    /// A line is longer than the limit.
    DFOLD_LIMIT_LINE = -1,
    /// A frame is larger than the limit.
    DFOLD_LIMIT_FRAME = -2,
    /// More bytes are buffered than the limit allows.
    DFOLD_LIMIT_BUFFERED = -3,
    /// The response has more items than the limit.
    DFOLD_LIMIT_ITEMS = -4,
    /// An item has more parts than the limit.
    DFOLD_LIMIT_PARTS = -5,
    /// The accumulated response is larger than the limit.
    DFOLD_LIMIT_RESPONSE = -6,
    /// The stream is already finished.
    DFOLD_MISUSE_AFTER_FINISH = -20,
    /// An argument is invalid.
    DFOLD_MISUSE_ARGUMENT = -21,
    /// The stream's state does not allow this.
    DFOLD_MISUSE_INTENT = -22,
    /// The name is unknown.
    DFOLD_MISUSE_UNKNOWN_NAME = -23,
    /// The stream breaks a rule, and the reader is strict.
    DFOLD_STRICT_VIOLATION = -40,
    /// The saved state is damaged or of another version.
    DFOLD_SAVE_DAMAGED = -60,
    /// The text is not JSON.
    DFOLD_JSON_SYNTAX = -61,
    /// The JSON is nested deeper than the limit.
    DFOLD_JSON_DEPTH = -62,
    /// A required pointer is NULL, or a length is larger than the address space.
    DFOLD_MISUSE = -1000,
    /// A bug of the library; the handle can only be freed.
    DFOLD_INTERNAL = -1001,
}

/// Each code of the core with its status and its sentence as a NUL-terminated string.
const CORE_STATUSES: &[(dfold_status, Code, &CStr)] = &[
    (dfold_status::DFOLD_LIMIT_LINE, Code::LineLimit, c"a line is longer than the limit"),
    (dfold_status::DFOLD_LIMIT_FRAME, Code::FrameLimit, c"a frame is larger than the limit"),
    (dfold_status::DFOLD_LIMIT_BUFFERED, Code::BufferLimit, c"more bytes are pending than the limit allows"),
    (dfold_status::DFOLD_LIMIT_ITEMS, Code::ItemLimit, c"the response has more items than the limit"),
    (dfold_status::DFOLD_LIMIT_PARTS, Code::PartLimit, c"an item has more parts than the limit"),
    (dfold_status::DFOLD_LIMIT_RESPONSE, Code::ResponseLimit, c"the accumulated response is larger than the limit"),
    (dfold_status::DFOLD_MISUSE_AFTER_FINISH, Code::AfterFinish, c"the stream is already finished"),
    (dfold_status::DFOLD_MISUSE_ARGUMENT, Code::BadArgument, c"an argument is invalid"),
    (dfold_status::DFOLD_MISUSE_INTENT, Code::BadIntent, c"the stream's state does not allow this"),
    (dfold_status::DFOLD_MISUSE_UNKNOWN_NAME, Code::UnknownName, c"the name is not known"),
    (dfold_status::DFOLD_STRICT_VIOLATION, Code::Strict, c"the stream breaks a rule"),
    (dfold_status::DFOLD_SAVE_DAMAGED, Code::DamagedSave, c"the saved state is damaged or of another version"),
    (dfold_status::DFOLD_JSON_SYNTAX, Code::NotJson, c"the text is not JSON"),
    (dfold_status::DFOLD_JSON_DEPTH, Code::TooDeep, c"the JSON is nested deeper than the limit"),
];

/// The statuses that are not codes of the core.
const BOUNDARY_STATUSES: &[(dfold_status, &CStr)] = &[
    (dfold_status::DFOLD_OK, c"the call succeeded"),
    (dfold_status::DFOLD_NO_MORE, c"no more output until more input arrives"),
    (dfold_status::DFOLD_MISUSE, c"a pointer is NULL or a length is impossible"),
    (dfold_status::DFOLD_INTERNAL, c"an internal error of the library"),
];

impl From<Code> for dfold_status {
    fn from(code: Code) -> Self {
        // The test below guarantees a row for each code; a missing row would be a bug of this crate.
        CORE_STATUSES.iter().find(|row| row.1 == code).map_or(Self::DFOLD_INTERNAL, |row| row.0)
    }
}

/// Returns a sentence that describes a status, ending in NUL; never NULL, for any number.
///
/// - Ownership: the library owns the text; do not free it.
/// - NULL: never returned.
/// - Threads: safe from any thread.
/// - Views: the text is constant and lives as long as the library.
#[no_mangle]
pub extern "C" fn dfold_status_str(status: i32) -> *const c_char {
    let mut rows = CORE_STATUSES
        .iter()
        .map(|(status, _, sentence)| (status, sentence))
        .chain(BOUNDARY_STATUSES.iter().map(|row| (&row.0, &row.1)));
    rows.find(|row| *row.0 as i32 == status).map_or(c"not a status of this library", |row| row.1).as_ptr()
}

/// Returns the dotted name of a failure, such as `limit.line`; empty for other statuses.
///
/// - Ownership: the library owns the text; do not free it.
/// - NULL: the view's `data` is never NULL.
/// - Threads: safe from any thread.
/// - Views: the text is constant and lives as long as the library.
#[no_mangle]
pub extern "C" fn dfold_status_name(status: i32) -> dfold_bytes {
    let row = CORE_STATUSES.iter().find(|row| row.0 as i32 == status);
    row.map_or(dfold_bytes::EMPTY, |row| row.1.name().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_the_core_is_a_status_with_its_number_and_sentence() {
        assert_eq!(CORE_STATUSES.len(), Code::ALL.len());
        for code in Code::ALL {
            let row =
                CORE_STATUSES.iter().find(|row| row.1 == *code).unwrap_or_else(|| panic!("{code:?} has no status"));
            assert_eq!(row.0 as i32, -i32::from(*code as u16), "{code:?}");
            assert_eq!(row.2.to_str(), Ok(code.sentence()), "{code:?}");
            assert_eq!(dfold_status::from(*code), row.0);
            let name = format!("DFOLD_{}", code.name().replace('.', "_").to_uppercase());
            assert_eq!(format!("{:?}", row.0), name);
        }
    }

    #[test]
    fn no_two_statuses_share_a_number() {
        let mut numbers: Vec<i32> = CORE_STATUSES
            .iter()
            .map(|row| row.0 as i32)
            .chain(BOUNDARY_STATUSES.iter().map(|row| row.0 as i32))
            .collect();
        numbers.sort_unstable();
        let all = numbers.len();
        numbers.dedup();
        assert_eq!(numbers.len(), all);
    }
}
