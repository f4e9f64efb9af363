//! [`Error`]: why reading ended or a call was refused; one table defines all codes.
//!
//! In the default mode, data from the network never causes an error; it causes a [`Finding`](crate::Finding). Errors
//! are exceeded limits, misuse by the caller, a broken rule in strict mode, and a damaged saved state.

use alloc::borrow::Cow;
use alloc::string::ToString;
use core::fmt;

use crate::json::{JsonError, JsonErrorKind};
use crate::named::{display_name, parse_name};

/// The party that caused an [`Error`], or the kind of its cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// Bytes or JSON that cannot be parsed (a damaged saved state, or a body that is not JSON where JSON is required).
    Malformed,
    /// The stream broke a rule of the specification, in strict mode.
    Violation,
    /// A bound of [`Limits`](crate::Limits) was exceeded.
    Limit,
    /// A call that the current state or the arguments do not allow.
    Misuse,
}

impl Class {
    /// Every class.
    pub const ALL: &'static [Self] = &[Self::Malformed, Self::Violation, Self::Limit, Self::Misuse];

    /// The name in every binding: `malformed`, `violation`, `limit` or `misuse`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Violation => "violation",
            Self::Limit => "limit",
            Self::Misuse => "misuse",
        }
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $class:ident, $text:literal, $sentence:literal;)*) => {
        /// The exact cause of an [`Error`]. Numbers are never reused; the codes of every binding are generated from this table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[repr(u16)]
        pub enum Code { $($(#[$doc])* $name = $number,)* }

        impl Code {
            /// Every code, in the order of the numbers.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// Returns the dotted name, such as `limit.line`.
            pub fn name(self) -> &'static str { match self { $(Code::$name => $text,)* } }

            /// Returns a sentence that describes the error.
            pub fn sentence(self) -> &'static str { match self { $(Code::$name => $sentence,)* } }

            /// Returns the class of the error.
            pub fn class(self) -> Class { match self { $(Code::$name => Class::$class,)* } }
        }
    };
}

codes! {
    /// A line is longer than `Limits::line_bytes`.
    LineLimit = 1, Limit, "limit.line", "a line is longer than the limit";
    /// A frame is larger than `Limits::frame_bytes`.
    FrameLimit = 2, Limit, "limit.frame", "a frame is larger than the limit";
    /// More than `Limits::buffered_bytes` bytes were fed and not yet polled.
    BufferLimit = 3, Limit, "limit.buffered", "more bytes are pending than the limit allows";
    /// The response has more output items than `Limits::items`.
    ItemLimit = 4, Limit, "limit.items", "the response has more items than the limit";
    /// An item has more parts than `Limits::parts`.
    PartLimit = 5, Limit, "limit.parts", "an item has more parts than the limit";
    /// The response has more accumulated bytes than `Limits::response_bytes`.
    ResponseLimit = 6, Limit, "limit.response", "the accumulated response is larger than the limit";
    /// A call after `finish`, or a second call where only one is allowed.
    AfterFinish = 20, Misuse, "misuse.after_finish", "the stream is already finished";
    /// An argument has an invalid value.
    BadArgument = 21, Misuse, "misuse.argument", "an argument is invalid";
    /// A writer intent that the stream's state does not allow.
    BadIntent = 22, Misuse, "misuse.intent", "the stream's state does not allow this";
    /// An unknown name of a profile, edition, dialect, option or rule.
    UnknownName = 23, Misuse, "misuse.unknown_name", "the name is not known";
    /// A rule was broken and the reader is strict.
    Strict = 40, Violation, "strict.violation", "the stream breaks a rule";
    /// A saved state cannot be restored.
    DamagedSave = 60, Malformed, "save.damaged", "the saved state is damaged or of another version";
    /// Text that should be JSON is not.
    NotJson = 61, Malformed, "json.syntax", "the text is not JSON";
    /// The JSON is nested deeper than `Limits::depth`.
    TooDeep = 62, Malformed, "json.depth", "the JSON is nested deeper than the limit";
}

/// Why reading ended or a call was refused: a [`Code`], the place in the stream, and a detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: Code,
    offset: u64,
    sequence_number: Option<u64>,
    detail: Cow<'static, str>,
}

impl Error {
    /// Creates an error at a byte offset from the start of the stream (0 if there is none).
    pub fn new(code: Code, offset: u64, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { code, offset, sequence_number: None, detail: detail.into() }
    }

    /// Sets the sequence number of the event that caused the error.
    #[must_use]
    pub fn with_sequence_number(mut self, number: Option<u64>) -> Self {
        self.sequence_number = number;
        self
    }

    /// Returns the code of the error.
    pub fn code(&self) -> Code {
        self.code
    }

    /// Returns the class of the error.
    pub fn class(&self) -> Class {
        self.code.class()
    }

    /// Returns the byte offset from the start of the stream, 0 if there is none.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the sequence number of the event that caused the error, if known.
    pub fn sequence_number(&self) -> Option<u64> {
        self.sequence_number
    }

    /// Returns details beyond the code's sentence; may be empty.
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
    /// Uses the position in the text as the offset.
    fn from(error: JsonError) -> Self {
        let code = if error.kind() == JsonErrorKind::Depth { Code::TooDeep } else { Code::NotJson };
        Self::new(code, error.position() as u64, error.to_string())
    }
}

display_name!(Class, Code);

parse_name! {
    Class, "error class";
    Code, "error code";
}
