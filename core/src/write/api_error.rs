//! [`ApiError`]: an error as Open Responses tells it, in a body, in a stream or on a WebSocket.

use alloc::string::String;
use alloc::vec::Vec;

use super::emit::push_u64;
use crate::json::write_string;

/// The five classes of errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorType {
    /// Something broke on the server's side.
    #[default]
    ServerError,
    /// The request cannot be served as it is.
    InvalidRequest,
    /// What the request names does not exist.
    NotFound,
    /// The model produced something unusable.
    ModelError,
    /// The caller's rate is too high.
    TooManyRequests,
}

impl ErrorType {
    /// Every type.
    pub const ALL: [Self; 5] =
        [Self::ServerError, Self::InvalidRequest, Self::NotFound, Self::ModelError, Self::TooManyRequests];

    /// The word on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::ServerError => "server_error",
            Self::InvalidRequest => "invalid_request",
            Self::NotFound => "not_found",
            Self::ModelError => "model_error",
            Self::TooManyRequests => "too_many_requests",
        }
    }

    /// The type of a word; `invalid_request_error`, which OpenAI writes, is read as well.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = if name == "invalid_request_error" { "invalid_request" } else { name };
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The HTTP status of an answer that is this error (ERR-03).
    pub fn http_status(self) -> u16 {
        match self {
            Self::ServerError | Self::ModelError => 500,
            Self::InvalidRequest => 400,
            Self::NotFound => 404,
            Self::TooManyRequests => 429,
        }
    }

    /// The type for an HTTP status that an upstream gave.
    pub fn from_http_status(status: u64) -> Self {
        match status {
            429 => Self::TooManyRequests,
            404 => Self::NotFound,
            408 => Self::ServerError,
            400..=499 => Self::InvalidRequest,
            _ => Self::ServerError,
        }
    }
}

/// An error: class, exact cause, text, and the parameter concerned.
///
/// ```
/// use deltafold::write::{ApiError, ErrorType};
/// let error = ApiError::new(ErrorType::NotFound, "previous_response_not_found", "There is no response resp_0.");
/// assert_eq!(error.kind.http_status(), 404);
/// assert!(error.to_body().starts_with(r#"{"error":{"type":"not_found","code":"previous_response_not_found","#));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiError {
    /// The class.
    pub kind: ErrorType,
    /// The exact cause.
    pub code: Option<String>,
    /// Text for people.
    pub message: String,
    /// The request parameter concerned.
    pub param: Option<String>,
    /// Headers worth telling inside a stream, such as rate limits; only the `error` event carries them.
    pub headers: Vec<(String, String)>,
}

impl ApiError {
    /// An error with a code and no parameter.
    pub fn new(kind: ErrorType, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind, code: Some(code.into()), message: message.into(), ..Self::default() }
    }

    /// Names the parameter concerned.
    #[must_use]
    pub fn with_param(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    /// The JSON body of an HTTP answer: `{"error":{…}}`. Its status is `kind.http_status()`.
    pub fn to_body(&self) -> String {
        let mut out = String::from("{\"error\":");
        self.write(&mut out);
        out.push('}');
        out
    }

    /// The message of a WebSocket: `{"type":"error","status":…,"error":{…}}`, where `code` is never null.
    pub fn to_websocket(&self) -> String {
        let mut out = String::from("{\"type\":\"error\",\"status\":");
        push_u64(&mut out, u64::from(self.kind.http_status()));
        out.push_str(",\"error\":");
        let code = Some(self.code_or_type().into());
        Self { code, headers: Vec::new(), ..self.clone() }.write(&mut out);
        out.push('}');
        out
    }

    /// The code, or the type's word where there is none: a failed response needs one.
    pub fn code_or_type(&self) -> &str {
        self.code.as_deref().unwrap_or(self.kind.name())
    }

    /// Appends `{type, code, message, param}`.
    pub(crate) fn write(&self, out: &mut String) {
        out.push_str("{\"type\":\"");
        out.push_str(self.kind.name());
        out.push_str("\",\"code\":");
        write_optional(self.code.as_deref(), out);
        out.push_str(",\"message\":");
        write_string(&self.message, out);
        out.push_str(",\"param\":");
        write_optional(self.param.as_deref(), out);
        for (at, (name, value)) in self.headers.iter().enumerate() {
            out.push_str(if at == 0 { ",\"headers\":{" } else { "," });
            write_string(name, out);
            out.push(':');
            write_string(value, out);
        }
        out.push_str(if self.headers.is_empty() { "}" } else { "}}" });
    }
}

fn write_optional(text: Option<&str>, out: &mut String) {
    match text {
        Some(text) => write_string(text, out),
        None => out.push_str("null"),
    }
}
