//! [`ApiError`]: an error of Open Responses in an HTTP body, in a stream or on a WebSocket.

use alloc::string::String;
use alloc::vec::Vec;

use super::emitter::push_u64;
use crate::json::write_string;
use crate::named::{display_name, parse_name};

/// The five error types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorType {
    /// The server failed.
    #[default]
    ServerError,
    /// The request is invalid.
    InvalidRequest,
    /// An object that the request refers to does not exist.
    NotFound,
    /// The model produced unusable output.
    ModelError,
    /// The caller sends too many requests.
    TooManyRequests,
}

impl ErrorType {
    /// Every type.
    pub const ALL: [Self; 5] =
        [Self::ServerError, Self::InvalidRequest, Self::NotFound, Self::ModelError, Self::TooManyRequests];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::ServerError => "server_error",
            Self::InvalidRequest => "invalid_request",
            Self::NotFound => "not_found",
            Self::ModelError => "model_error",
            Self::TooManyRequests => "too_many_requests",
        }
    }

    /// The type with this name; also accepts OpenAI's `invalid_request_error`.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = if name == "invalid_request_error" { "invalid_request" } else { name };
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The HTTP status of a response with this error (ERR-03).
    pub fn http_status(self) -> u16 {
        match self {
            Self::ServerError | Self::ModelError => 500,
            Self::InvalidRequest => 400,
            Self::NotFound => 404,
            Self::TooManyRequests => 429,
        }
    }

    /// The type for the HTTP status of an upstream.
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

/// An error with its type, code, message and the affected parameter.
///
/// ```
/// use deltafold::write::{ApiError, ErrorType};
/// let error = ApiError::new(ErrorType::NotFound, "previous_response_not_found", "There is no response resp_0.");
/// assert_eq!(error.kind.http_status(), 404);
/// assert!(error.to_body().starts_with(r#"{"error":{"type":"not_found","code":"previous_response_not_found","#));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiError {
    /// The type.
    pub kind: ErrorType,
    /// The exact cause, for programs.
    pub code: Option<String>,
    /// The message, for people.
    pub message: String,
    /// The affected request parameter.
    pub param: Option<String>,
    /// HTTP headers to repeat in the `error` event, such as rate limits.
    pub headers: Vec<(String, String)>,
}

impl ApiError {
    /// Creates an error with a code and no parameter.
    pub fn new(kind: ErrorType, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind, code: Some(code.into()), message: message.into(), ..Self::default() }
    }

    /// Creates an error without a code: the server failed.
    pub fn server_error(message: impl Into<String>) -> Self {
        Self { kind: ErrorType::ServerError, message: message.into(), ..Self::default() }
    }

    /// Creates an error without a code: the request is invalid.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self { kind: ErrorType::InvalidRequest, message: message.into(), ..Self::default() }
    }

    /// Creates an error without a code: an object that the request refers to does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self { kind: ErrorType::NotFound, message: message.into(), ..Self::default() }
    }

    /// Creates an error without a code: the model produced unusable output.
    pub fn model_error(message: impl Into<String>) -> Self {
        Self { kind: ErrorType::ModelError, message: message.into(), ..Self::default() }
    }

    /// Creates an error without a code: the caller sends too many requests.
    pub fn too_many_requests(message: impl Into<String>) -> Self {
        Self { kind: ErrorType::TooManyRequests, message: message.into(), ..Self::default() }
    }

    /// Sets the code.
    ///
    /// ```
    /// use deltafold::write::ApiError;
    /// let error = ApiError::too_many_requests("Slow down.").with_code("rate_limit_exceeded");
    /// assert_eq!((error.kind.http_status(), error.code_or_type()), (429, "rate_limit_exceeded"));
    /// assert_eq!(ApiError::model_error("No answer.").code_or_type(), "model_error");
    /// ```
    #[must_use]
    pub fn with_code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// Sets the affected parameter.
    #[must_use]
    pub fn with_param(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    /// The JSON body of an HTTP response: `{"error":{…}}`. Its status is `kind.http_status()`.
    pub fn to_body(&self) -> String {
        let mut out = String::from("{\"error\":");
        self.write(&mut out);
        out.push('}');
        out
    }

    /// The WebSocket message: `{"type":"error","status":…,"error":{…}}`, where `code` is never null.
    pub fn to_websocket(&self) -> String {
        let mut out = String::from("{\"type\":\"error\",\"status\":");
        push_u64(&mut out, u64::from(self.kind.http_status()));
        out.push_str(",\"error\":");
        let code = Some(self.code_or_type().into());
        Self { code, headers: Vec::new(), ..self.clone() }.write(&mut out);
        out.push('}');
        out
    }

    /// The code, or the type's name if there is none, because a failed response requires a code.
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

display_name!(ErrorType);

parse_name! {
    ErrorType, "error type";
}
