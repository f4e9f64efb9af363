//! [`Error`]: what ends reading or refuses a call, as one table of codes.
//!
//! Data from the network never makes an error in the default mode; it makes a [`Finding`](crate::Finding). What is
//! left are limits, misuse by our own caller, a rule broken in strict mode, and a saved state that is damaged.

use alloc::borrow::Cow;
use alloc::string::ToString;
use core::fmt;

use crate::json::{JsonError, JsonErrorKind};

/// Whose fault an [`Error`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// Bytes or JSON that cannot be read (a damaged save, a body that is not JSON where one was asked for).
    Malformed,
    /// A rule of the specification broken by the stream, in strict mode.
    Violation,
    /// A bound of [`Limits`](crate::Limits) was passed.
    Limit,
    /// A call that our caller may not make now.
    Misuse,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $class:ident, $text:literal, $sentence:literal;)*) => {
        /// The exact cause of an [`Error`]. Numbers are never reused; every binding derives its codes from this table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[repr(u16)]
        pub enum Code { $($(#[$doc])* $name = $number,)* }

        impl Code {
            /// Every code, in order of number.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The dotted name, such as `limit.line`.
            pub fn name(self) -> &'static str { match self { $(Code::$name => $text,)* } }

            /// One sentence that says what happened.
            pub fn sentence(self) -> &'static str { match self { $(Code::$name => $sentence,)* } }

            /// Whose fault it is.
            pub fn class(self) -> Class { match self { $(Code::$name => Class::$class,)* } }
        }
    };
}

codes! {
    /// A line grew past `Limits::line_bytes`.
    LineLimit = 1, Limit, "limit.line", "a line is longer than the limit";
    /// A frame grew past `Limits::frame_bytes`.
    FrameLimit = 2, Limit, "limit.frame", "a frame is larger than the limit";
    /// More bytes were fed and not polled than `Limits::buffered_bytes`.
    BufferLimit = 3, Limit, "limit.buffered", "more bytes are waiting than the limit allows";
    /// More output items than `Limits::items`.
    ItemLimit = 4, Limit, "limit.items", "the response has more items than the limit";
    /// More parts in one item than `Limits::parts`.
    PartLimit = 5, Limit, "limit.parts", "an item has more parts than the limit";
    /// More accumulated bytes than `Limits::response_bytes`.
    ResponseLimit = 6, Limit, "limit.response", "the accumulated response is larger than the limit";
    /// A call after `finish`, or twice where once is allowed.
    AfterFinish = 20, Misuse, "misuse.after_finish", "the stream was already finished";
    /// An argument that cannot be used.
    BadArgument = 21, Misuse, "misuse.argument", "an argument cannot be used here";
    /// A writer intent that the stream's state does not allow.
    BadIntent = 22, Misuse, "misuse.intent", "the stream's state does not allow this";
    /// A name (profile, edition, dialect, option, rule) that is not known.
    UnknownName = 23, Misuse, "misuse.unknown_name", "the name is not known";
    /// A rule was broken and the reader is strict.
    Strict = 40, Violation, "strict.violation", "the stream breaks a rule";
    /// A saved state cannot be restored.
    DamagedSave = 60, Malformed, "save.damaged", "the saved state is damaged or of another version";
    /// Text that should be JSON is not.
    NotJson = 61, Malformed, "json.syntax", "the text is not JSON";
    /// JSON nested past `Limits::depth`.
    TooDeep = 62, Malformed, "json.depth", "the JSON is nested deeper than the limit";
}

/// Why reading ended or a call was refused: a [`Code`], where, and a detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: Code,
    offset: u64,
    sequence_number: Option<u64>,
    detail: Cow<'static, str>,
}

impl Error {
    /// Makes an error at a byte offset from the stream's start (0 where there is none).
    pub fn new(code: Code, offset: u64, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { code, offset, sequence_number: None, detail: detail.into() }
    }

    /// Adds the sequence number of the event concerned.
    #[must_use]
    pub fn with_sequence_number(mut self, number: Option<u64>) -> Self {
        self.sequence_number = number;
        self
    }

    /// The exact cause.
    pub fn code(&self) -> Code {
        self.code
    }

    /// Whose fault it is.
    pub fn class(&self) -> Class {
        self.code.class()
    }

    /// Byte offset from the start of the stream, 0 where there is none.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Sequence number of the event concerned, where known.
    pub fn sequence_number(&self) -> Option<u64> {
        self.sequence_number
    }

    /// What exactly, beyond the code's sentence; may be empty.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.sentence())?;
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        if self.offset > 0 {
            write!(f, " (byte {})", self.offset)?;
        }
        Ok(())
    }
}

impl core::error::Error for Error {}

impl From<JsonError> for Error {
    /// The position in the text becomes the offset.
    fn from(error: JsonError) -> Self {
        let code = if error.kind() == JsonErrorKind::Depth { Code::TooDeep } else { Code::NotJson };
        Self::new(code, error.at() as u64, error.to_string())
    }
}
