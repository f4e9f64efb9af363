//! [`ErrorReport`]: an error in any of the forms that servers send, and advice on retrying.
//!
//! Advice is data: nothing here waits, counts attempts or sends. The caller supplies the clock.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};

use crate::error::{Code, Error};
use crate::json::{Object, Value};
use crate::limits::Limits;
use crate::named::display_name;
use crate::options::{invalid_option, parse, OptionReader};
use crate::retry_after;

/// An error that a server reported.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ErrorReport {
    /// The form in which the error was sent.
    pub form: ErrorForm,
    /// The class of the error, such as `server_error`; empty if the form has none.
    pub kind: String,
    /// The exact cause; empty if there is none. A number is kept as text.
    pub code: String,
    /// Text for people; empty if there is none.
    pub message: String,
    /// The parameter of the request that caused the error.
    pub param: Option<String>,
    /// The HTTP status, from the response or from the message itself.
    pub status: Option<u16>,
    /// The content that a tool of an MCP server returned instead of a message.
    pub content: Option<Value>,
    /// Headers by lower-case name: those of the HTTP response and those inside the error.
    headers: Object,
}

/// The forms of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorForm {
    /// `error` of a failed response: code and message (`Error`).
    Response,
    /// The body of an HTTP response, or an `error` event (`ErrorPayload`).
    Payload,
    /// A WebSocket message, which contains the status.
    Socket,
    /// An HTTP response without an error object: an empty body, HTML or plain text.
    Body,
    /// An MCP server could not be reached (`HTTPError`).
    Http,
    /// An MCP server answered with a protocol error (`MCPProtocolError`).
    McpProtocol,
    /// A tool of an MCP server failed (`MCPToolExecutionError`).
    McpTool,
}

/// Whether to retry, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ErrorAdvice {
    /// What to do.
    pub action: RetryAction,
    /// How many seconds to wait first, if the server asked for it.
    pub after: Option<f64>,
    /// The reason, in a few words.
    pub why: &'static str,
}

/// What to do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RetryAction {
    /// Send the same request again after a pause; lengthen the pause with each attempt.
    Retry,
    /// Send the same request again on a new connection.
    Reconnect,
    /// Send the whole context as input, without `previous_response_id`.
    ResendContext,
    /// Shorten the input.
    Shorten,
    /// Sending the same request again cannot succeed.
    GiveUp,
}

impl RetryAction {
    /// `retry`, `reconnect`, `resend_context`, `shorten` or `give_up`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Reconnect => "reconnect",
            Self::ResendContext => "resend_context",
            Self::Shorten => "shorten",
            Self::GiveUp => "give_up",
        }
    }
}

/// Advice by code, the most exact cause.
const CODES: &[(&str, RetryAction, &str)] = &[
    ("previous_response_not_found", RetryAction::ResendContext, "the server no longer has the previous response"),
    ("websocket_connection_limit_reached", RetryAction::Reconnect, "the connection reached its maximum age"),
    ("context_length_exceeded", RetryAction::Shorten, "the input is longer than the model accepts"),
    ("string_above_max_length", RetryAction::Shorten, "a text is longer than the server accepts"),
    ("insufficient_quota", RetryAction::GiveUp, "the quota or the budget is used up"),
    ("billing_hard_limit_reached", RetryAction::GiveUp, "the quota or the budget is used up"),
    ("invalid_api_key", RetryAction::GiveUp, "the API key is not accepted"),
    ("rate_limit_exceeded", RetryAction::Retry, "the rate limit is reached"),
    ("server_error", RetryAction::Retry, "the server had an internal error"),
    ("server_is_overloaded", RetryAction::Retry, "the server is overloaded"),
    ("vector_store_timeout", RetryAction::Retry, "a search timed out"),
    ("failed_to_download_image", RetryAction::Retry, "the server could not download an image"),
    ("stream_truncated", RetryAction::Retry, "the stream ended early"),
    ("invalid_prompt", RetryAction::GiveUp, "the input was refused"),
    ("data_residency_mismatch", RetryAction::GiveUp, "the data must not be stored in this region"),
    ("bio_policy", RetryAction::GiveUp, "a policy refused the input"),
    ("misalignment_policy_violation", RetryAction::GiveUp, "a policy refused the input"),
    ("image_content_policy_violation", RetryAction::GiveUp, "a policy refused an image"),
];

/// Advice by error class.
const KINDS: &[(&str, RetryAction, &str)] = &[
    ("too_many_requests", RetryAction::Retry, "the rate limit is reached"),
    ("rate_limit_error", RetryAction::Retry, "the rate limit is reached"),
    ("overloaded_error", RetryAction::Retry, "the server is overloaded"),
    ("server_error", RetryAction::Retry, "the server had an internal error"),
    ("model_error", RetryAction::Retry, "the model produced unusable output; another attempt may succeed"),
    ("invalid_request", RetryAction::GiveUp, "the request is invalid"),
    ("invalid_request_error", RetryAction::GiveUp, "the request is invalid"),
    ("not_found", RetryAction::GiveUp, "an object that the request names does not exist"),
    ("authentication_error", RetryAction::GiveUp, "the API key is not accepted"),
    ("mcp_tool_execution_error", RetryAction::GiveUp, "the tool failed, and the model has received the error"),
    ("mcp_protocol_error", RetryAction::GiveUp, "the tool's server broke the protocol"),
];

impl ErrorReport {
    /// Reads an error: an HTTP body, an `error` event, a WebSocket message, a failed response, its `error` object, or the error of
    /// an MCP call. `status` is that of the HTTP response, if there was one. For a body that need not be JSON, use
    /// [`from_response`](Self::from_response).
    ///
    /// ```
    /// use deltafold::request::{RetryAction, ErrorReport};
    /// let report = ErrorReport::from_json(
    ///     r#"{"error":{"type":"too_many_requests","code":null,"message":"Slow down.","param":null}}"#, Some(429))?
    ///     .with_header("Retry-After", "20");
    /// let advice = report.advice();
    /// assert_eq!((advice.action, advice.after), (RetryAction::Retry, Some(20.0)));
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`], or [`Code::BadArgument`] if the text contains no error.
    pub fn from_json(json: &str, status: Option<u16>) -> Result<Self, Error> {
        Self::from_value(&Value::parse(json, Limits::default().depth)?, status)
    }

    /// Reads any HTTP response with an error status: a JSON error in one of the known forms, or else an HTML page, plain text or
    /// an empty body, for which the status alone decides.
    ///
    /// ```
    /// use deltafold::request::{RetryAction, ErrorReport};
    /// let report = ErrorReport::from_response(503, b"<html><head><title>Service Unavailable</title>...");
    /// assert_eq!((report.message.as_str(), report.advice().action), ("Service Unavailable", RetryAction::Retry));
    /// assert_eq!(ErrorReport::from_response(401, b"").advice().action, RetryAction::GiveUp);
    /// ```
    pub fn from_response(status: u16, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        match Value::parse(&text, Limits::default().depth) {
            Ok(value) => Self::from_body(&value, status),
            Err(_) => Self::from_text(&text, status),
        }
    }

    /// Reads an HTTP response with an error status from its body: JSON, or a string that holds a body of any other kind.
    fn from_body(body: &Value, status: u16) -> Self {
        match body {
            Value::String(text) => Self::from_text(text, status),
            body => Self::from_value(body, Some(status)).unwrap_or_else(|_| Self::from_text("", status)),
        }
    }

    fn from_text(body: &str, status: u16) -> Self {
        Self {
            form: ErrorForm::Body,
            kind: String::new(),
            code: String::new(),
            message: message_of(body),
            param: None,
            status: Some(status),
            content: None,
            headers: Object::new(),
        }
    }

    /// Reads an error from a value; see [`from_json`](Self::from_json).
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`] if the value contains no error.
    pub fn from_value(value: &Value, status: Option<u16>) -> Result<Self, Error> {
        let response = value.get("response").unwrap_or(value);
        let inner = response.get("error").filter(|error| !error.is_null());
        // OpenAI's types have the fields of an error event flat.
        let fields = inner.unwrap_or(value);
        let own_status = value.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
        let form = match fields.str_at("type") {
            Some("http_error") => ErrorForm::Http,
            Some("mcp_protocol_error") => ErrorForm::McpProtocol,
            Some("mcp_tool_execution_error") => ErrorForm::McpTool,
            _ if inner.is_some() && response.get("output").is_some() => ErrorForm::Response,
            _ if inner.is_some() && own_status.is_some() => ErrorForm::Socket,
            None if inner.is_none() => ErrorForm::Response,
            _ => ErrorForm::Payload,
        };
        let text = |key: &str| fields.str_at(key).unwrap_or_default().to_owned();
        let code = match fields.get("code") {
            Some(Value::String(code)) => code.clone(),
            Some(Value::Number(_)) => fields.get("code").map(ToString::to_string).unwrap_or_default(),
            _ => String::new(),
        };
        let kind = match fields.str_at("type") {
            // `error` is the type of the event, not a class of errors.
            Some("error") | None => String::new(),
            Some(kind) => kind.to_owned(),
        };
        let report = Self {
            form,
            status: match form {
                ErrorForm::Http => code.parse().ok(),
                _ => status.or(own_status),
            },
            kind,
            code,
            message: text("message"),
            param: fields.str_at("param").map(ToString::to_string),
            content: fields.get("content").cloned(),
            headers: Object::new(),
        };
        if report.code.is_empty() && report.message.is_empty() && report.content.is_none() && report.kind.is_empty() {
            return Err(Error::new(Code::BadArgument, 0, "expected an error, found none"));
        }
        let own = fields.get("headers").and_then(Value::as_object);
        let own = own.into_iter().flat_map(Object::iter).filter_map(|(name, value)| Some((name, value.as_str()?)));
        Ok(own.fold(report, |report, (name, value)| report.with_header(name, value)))
    }

    /// Adds headers of the HTTP response, such as `http::HeaderMap::iter()`.
    #[must_use]
    pub fn with_headers<N: AsRef<str>, V: AsRef<[u8]>>(self, headers: impl IntoIterator<Item = (N, V)>) -> Self {
        let add = |report: Self, (name, value): (N, V)| {
            report.with_header(name.as_ref(), &String::from_utf8_lossy(value.as_ref()))
        };
        headers.into_iter().fold(self, add)
    }

    /// Adds a header of the HTTP response.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_ascii_lowercase(), value);
        self
    }

    /// A header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(Value::as_str)
    }

    /// The advice: by the server's `x-should-retry` header, then by code, class and status, in this order.
    ///
    /// A date in `retry-after` is compared with the `date` header of the response; with a clock, use
    /// [`advice_at`](Self::advice_at).
    pub fn advice(&self) -> ErrorAdvice {
        self.advise(None)
    }

    /// The advice at a time in seconds since 1970, which a date in `retry-after` is compared with.
    pub fn advice_at(&self, now: u64) -> ErrorAdvice {
        self.advise(i64::try_from(now).ok())
    }

    fn advise(&self, now: Option<i64>) -> ErrorAdvice {
        let (action, why) = self.action();
        let waits = matches!(action, RetryAction::Retry | RetryAction::Reconnect);
        let after = waits.then(|| retry_after::seconds(|name| self.header(name), now)).flatten();
        ErrorAdvice { action, after, why }
    }

    /// The report and the advice as bindings show them: `{"form", "type", "code", "message", "param", "status", "action",
    /// "after", "why"}`.
    pub fn to_value(&self) -> Value {
        self.with_advice(self.advice())
    }

    fn with_advice(&self, advice: ErrorAdvice) -> Value {
        let text = |text: &str| if text.is_empty() { Value::Null } else { Value::from(text) };
        let mut object = Object::with_capacity(9);
        object.push("form", self.form.name());
        object.push("type", text(&self.kind));
        object.push("code", text(&self.code));
        object.push("message", text(&self.message));
        object.push("param", self.param.as_deref().map_or(Value::Null, Value::from));
        object.push("status", self.status.map_or(Value::Null, |status| Value::from(u64::from(status))));
        object.push("action", advice.action.name());
        object.push("after", advice.after.map_or(Value::Null, Value::from));
        object.push("why", advice.why);
        Value::Object(object)
    }

    fn action(&self) -> (RetryAction, &'static str) {
        let by_code = CODES.iter().find(|(code, ..)| *code == self.code).map(|(_, action, why)| (*action, *why));
        match (self.header("x-should-retry"), by_code) {
            // The header only says whether to retry; a code that asks for another action first takes precedence.
            (Some("true"), None | Some((RetryAction::Retry | RetryAction::GiveUp, _))) => {
                return (RetryAction::Retry, "the x-should-retry header of the response");
            }
            (Some("false"), None | Some((RetryAction::Retry, _))) => {
                return (RetryAction::GiveUp, "the x-should-retry header of the response")
            }
            _ => {}
        }
        if let Some(found) = by_code {
            return found;
        }
        if self.code.contains("image") {
            return (RetryAction::GiveUp, "an image is not usable");
        }
        if let Some((_, action, why)) = KINDS.iter().find(|(kind, ..)| *kind == self.kind) {
            return (*action, *why);
        }
        match self.status {
            Some(408 | 409 | 425 | 429) => (RetryAction::Retry, "the status is temporary"),
            Some(413) => (RetryAction::Shorten, "the request body is larger than the server accepts"),
            Some(400..=499) => (RetryAction::GiveUp, "the status is a client error"),
            Some(500..) => (RetryAction::Retry, "the status is a server error"),
            _ => (RetryAction::GiveUp, "the cause is unknown"),
        }
    }
}

impl ErrorForm {
    /// `response`, `payload`, `socket`, `body`, `http`, `mcp_protocol` or `mcp_tool`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Response => "response",
            Self::Payload => "payload",
            Self::Socket => "socket",
            Self::Body => "body",
            Self::Http => "http",
            Self::McpProtocol => "mcp_protocol",
            Self::McpTool => "mcp_tool",
        }
    }
}

/// The text of a body that is not an error object: the title of an HTML page, or the first line of plain text.
fn message_of(body: &str) -> String {
    let find = |text: &str, word: &str| {
        text.as_bytes().windows(word.len()).position(|at| at.eq_ignore_ascii_case(word.as_bytes()))
    };
    let body = body.trim();
    let text = if body.starts_with('<') {
        let title = find(body, "<title>").map(|at| &body[at + "<title>".len()..]);
        title.and_then(|title| title.get(..find(title, "</title>")?)).unwrap_or_default()
    } else {
        body.lines().next().unwrap_or_default()
    };
    text.trim().chars().take(MAX_MESSAGE_CHARS).collect()
}

/// Characters of a body that become the message.
const MAX_MESSAGE_CHARS: usize = 200;

/// An error and the advice about it in one call, for bindings. Takes `{"error", "status", "headers", "now"}` and returns
/// [`ErrorReport::to_value`] as text.
///
/// `error` is the error in any form. With a `status` it may also be a string with any other response body, or absent. `now` is the
/// time in seconds since 1970, for a date in `retry-after`.
///
/// # Errors
///
/// [`Code::NotJson`], [`Code::UnknownName`], [`Code::BadArgument`].
pub(super) fn advice_json(json: &str) -> Result<String, Error> {
    let call = parse(json)?;
    let reader = OptionReader::new(&call)?;
    reader.check_names(&["error", "status", "headers", "now"])?;
    let status = reader
        .count("status")?
        .map(u16::try_from)
        .transpose()
        .map_err(|_| invalid_option("status", "an HTTP status"))?;
    let mut report = match (reader.value("error"), status) {
        (Some(error), Some(status)) => ErrorReport::from_body(error, status),
        (None, Some(status)) => ErrorReport::from_text("", status),
        (Some(error), None) => ErrorReport::from_value(error, None)?,
        (None, None) => return Err(invalid_option("error", "the error that was received, or status to be given")),
    };
    for (name, value) in reader.object("headers")?.into_iter().flat_map(Object::iter) {
        report = report.with_header(name, value.as_str().unwrap_or_default());
    }
    let advice = match reader.count("now")? {
        Some(now) => report.advice_at(now),
        None => report.advice(),
    };
    Ok(report.with_advice(advice).to_string())
}

display_name!(RetryAction, ErrorForm);
