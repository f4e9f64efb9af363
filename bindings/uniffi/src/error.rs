//! Errors: a class to catch, and inside it the code by name and number, the message and the place.

use deltafold::{Class, Error};

use crate::int;

/// Why reading ended or a call was refused. The class says whose fault it is.
#[derive(Clone, Debug, uniffi::Error)]
pub enum DeltafoldError {
    /// A limit was passed.
    Limit {
        /// The exact cause, such as `limit.line`.
        code: String,
        /// The same as a number that is never reused.
        number: i32,
        /// What happened, in words.
        detail: String,
        /// Byte offset from the start of the stream, 0 where there is none.
        offset: i64,
        /// Sequence number of the event concerned, where known.
        sequence_number: Option<i64>,
    },
    /// The stream breaks a rule, and the reader is strict.
    Violation {
        /// The exact cause.
        code: String,
        /// The same as a number that is never reused.
        number: i32,
        /// What happened, in words.
        detail: String,
        /// Byte offset from the start of the stream, 0 where there is none.
        offset: i64,
        /// Sequence number of the event concerned, where known.
        sequence_number: Option<i64>,
    },
    /// A call that may not be made now, or an argument that cannot be used.
    Misuse {
        /// The exact cause.
        code: String,
        /// The same as a number that is never reused.
        number: i32,
        /// What happened, in words.
        detail: String,
        /// Byte offset from the start of the stream, 0 where there is none.
        offset: i64,
        /// Sequence number of the event concerned, where known.
        sequence_number: Option<i64>,
    },
    /// Bytes or JSON that cannot be read.
    Malformed {
        /// The exact cause.
        code: String,
        /// The same as a number that is never reused.
        number: i32,
        /// What happened, in words.
        detail: String,
        /// Byte offset from the start of the stream, 0 where there is none.
        offset: i64,
        /// Sequence number of the event concerned, where known.
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
