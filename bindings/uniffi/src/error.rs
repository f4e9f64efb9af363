//! Errors: a class to catch, with code, number, message and position.

use deltafold::{Class, Error};

use crate::int;

/// A failed call. The class states whether a limit, the stream, the caller or the input caused it.
#[derive(Clone, Debug, uniffi::Error)]
pub enum DeltafoldError {
    /// A limit was exceeded.
    Limit {
        /// The code, such as `limit.line`.
        code: String,
        /// The number of the code, which is never reused.
        number: i32,
        /// The message.
        detail: String,
        /// Byte offset from the start of the stream; 0 if unknown.
        offset: i64,
        /// Sequence number of the event that caused the error, if known.
        sequence_number: Option<i64>,
    },
    /// The stream breaks a rule, and the reader is strict.
    Violation {
        /// The code.
        code: String,
        /// The number of the code, which is never reused.
        number: i32,
        /// The message.
        detail: String,
        /// Byte offset from the start of the stream; 0 if unknown.
        offset: i64,
        /// Sequence number of the event that caused the error, if known.
        sequence_number: Option<i64>,
    },
    /// A call with an invalid argument or in an invalid state.
    Misuse {
        /// The code.
        code: String,
        /// The number of the code, which is never reused.
        number: i32,
        /// The message.
        detail: String,
        /// Byte offset from the start of the stream; 0 if unknown.
        offset: i64,
        /// Sequence number of the event that caused the error, if known.
        sequence_number: Option<i64>,
    },
    /// Invalid JSON or a damaged saved state.
    Malformed {
        /// The code.
        code: String,
        /// The number of the code, which is never reused.
        number: i32,
        /// The message.
        detail: String,
        /// Byte offset from the start of the stream; 0 if unknown.
        offset: i64,
        /// Sequence number of the event that caused the error, if known.
        sequence_number: Option<i64>,
    },
}

impl From<Error> for DeltafoldError {
    fn from(error: Error) -> Self {
        let code = error.code().name().to_owned();
        let number = i32::from(error.code() as u16);
        let detail = error.to_string();
        let offset = int(error.offset());
        let sequence_number = error.sequence_number().map(int);
        match error.class() {
            Class::Limit => Self::Limit { code, number, detail, offset, sequence_number },
            Class::Violation => Self::Violation { code, number, detail, offset, sequence_number },
            Class::Misuse => Self::Misuse { code, number, detail, offset, sequence_number },
            _ => Self::Malformed { code, number, detail, offset, sequence_number },
        }
    }
}

impl std::fmt::Display for DeltafoldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Self::Limit { code, detail, .. }
        | Self::Violation { code, detail, .. }
        | Self::Misuse { code, detail, .. }
        | Self::Malformed { code, detail, .. }) = self;
        write!(f, "{code}: {detail}")
    }
}

impl std::error::Error for DeltafoldError {}
