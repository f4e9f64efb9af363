//! [`Outcome`]: how a stream ended.

use alloc::string::{String, ToString};
use core::fmt;

use crate::json::{Object, Value, MAX_DEPTH};

/// How a stream ended, as returned by `Reader::finish`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// `response.completed` arrived.
    Completed,
    /// `response.incomplete` arrived, for this reason (empty if the stream gives none).
    Incomplete {
        /// `incomplete_details.reason`.
        reason: String,
    },
    /// `response.failed` or an `error` event arrived.
    Failed {
        /// The error that the stream reports.
        error: Failure,
    },
    /// The response was cancelled: status `cancelled`, or incomplete with the reason `cancelled`.
    Cancelled,
    /// Input ended without a terminal event. The partial response stays readable.
    Truncated {
        /// The last sequence number that was read; resume after it.
        last_sequence_number: Option<u64>,
    },
}

/// An error that a stream reports. Its form on the wire may be nested, flat or mixed; this type is the same for all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// Class of the error, such as `server_error`; empty if the stream has none (`response.error` has no type).
    pub kind: String,
    /// Exact cause; empty if the stream has none.
    pub code: String,
    /// The message, for people.
    pub message: String,
    /// The request parameter that caused the error, if any.
    pub param: Option<String>,
}

impl Failure {
    /// The error of a JSON object with the member `error`; `None` for any other text.
    pub(crate) fn from_error_body(json: &str) -> Option<Self> {
        let body = Value::parse(json, MAX_DEPTH).ok()?;
        let error = body.get("error").filter(|error| error.as_object().is_some())?;
        let text = |key: &str| error.str_at(key).unwrap_or("").to_string();
        Some(Self {
            kind: text("type"),
            code: text("code"),
            message: text("message"),
            param: error.str_at("param").map(ToString::to_string),
        })
    }
}

impl Outcome {
    /// Returns `true` if the response is complete.
    pub fn is_success(&self) -> bool {
        *self == Self::Completed
    }

    /// Returns the lower-case name: `completed`, `incomplete`, `failed`, `cancelled` or `truncated`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Incomplete { .. } => "incomplete",
            Self::Failed { .. } => "failed",
            Self::Cancelled => "cancelled",
            Self::Truncated { .. } => "truncated",
        }
    }

    /// Returns the outcome in the form that every binding uses: an object with the name in `outcome`, and with `reason`, `error` or
    /// `last_sequence_number` if there is one.
    ///
    /// ```
    /// let outcome = deltafold::Outcome::Truncated { last_sequence_number: Some(7) };
    /// assert_eq!(outcome.to_value().to_string(), r#"{"outcome":"truncated","last_sequence_number":7}"#);
    /// ```
    pub fn to_value(&self) -> Value {
        let mut object = Object::with_capacity(2);
        object.push("outcome", self.name());
        match self {
            Self::Incomplete { reason } => object.push("reason", reason.as_str()),
            Self::Failed { error } => object.push("error", error.to_value()),
            Self::Truncated { last_sequence_number } => object.push("last_sequence_number", *last_sequence_number),
            Self::Completed | Self::Cancelled => {}
        }
        object.into()
    }
}

impl fmt::Display for Outcome {
    /// Writes the name, followed by a colon and the reason or the error's message if there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::Incomplete { reason } if !reason.is_empty() => write!(f, ": {reason}"),
            Self::Failed { error } if !error.to_string().is_empty() => write!(f, ": {error}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Failure {
    /// Returns the message; without a message, the code or the class.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = [&self.message, &self.code, &self.kind];
        f.write_str(texts.into_iter().find(|text| !text.is_empty()).map_or("", String::as_str))
    }
}

impl core::error::Error for Failure {}

impl Failure {
    /// The bytes of its texts.
    pub(crate) fn text_bytes(&self) -> usize {
        self.kind.len() + self.code.len() + self.message.len() + self.param.as_deref().map_or(0, str::len)
    }

    /// Returns the error as `{"type", "code", "message", "param"}`; `param` may be `null`.
    pub fn to_value(&self) -> Value {
        let mut object = Object::with_capacity(4);
        object.push("type", self.kind.as_str());
        object.push("code", self.code.as_str());
        object.push("message", self.message.as_str());
        object.push("param", self.param.as_deref());
        object.into()
    }
}
