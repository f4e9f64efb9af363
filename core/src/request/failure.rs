//! [`ErrorReport`]: an error in whatever form it comes, and whether it is worth trying again.
//!
//! Advice is data. Nothing here waits, counts attempts or sends; there is no clock.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};

use crate::error::{Code, Error};
use crate::json::{Object, Value};
use crate::limits::Limits;
use crate::options::{parse, wrong, OptionReader};

/// An error that a server told.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorReport {
    /// In which form it came.
    pub form: ErrorForm,
    /// Its class, such as `server_error`; empty if the form has none.
    pub kind: String,
    /// The exact cause; empty if there is none. A number is written out.
    pub code: String,
    /// Text for people; empty if there is none.
    pub message: String,
    /// The parameter of the request that is concerned.
    pub param: Option<String>,
    /// The HTTP status, of the answer or of the message itself.
    pub status: Option<u16>,
    /// What a tool of an MCP server said instead of a message.
    pub content: Option<Value>,
    /// Headers, names in lower case: those of the answer and those that the error brings.
    headers: Object,
}

/// The forms that the contract has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorForm {
    /// `error` of a failed response: code and message (`Error`).
    Response,
    /// The body of an HTTP answer, or an `error` event (`ErrorPayload`).
    Payload,
    /// The message of a WebSocket, which has the status in it.
    Socket,
    /// An MCP server could not be reached (`HTTPError`).
    Http,
    /// An MCP server answered with a protocol error (`MCPProtocolError`).
    McpProtocol,
    /// A tool of an MCP server failed (`MCPToolExecutionError`).
    McpTool,
}

/// Whether it is worth trying again, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorAdvice {
    /// What to do.
    pub action: Action,
    /// How long to wait first, in seconds, if the server said so.
    pub after: Option<f64>,
    /// Why, in a few words.
    pub why: &'static str,
}

/// What to do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Send the same request again after a while, longer each time.
    Retry,
    /// The same, on a new connection.
    Reconnect,
    /// Start the chain anew: no `previous_response_id`, the whole context in the input.
    ResendContext,
    /// Send less: the input is too long.
    Shorten,
    /// Nothing will come of sending it again as it is.
    GiveUp,
}

impl Action {
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

/// By code: the exact cause says most.
const CODES: &[(&str, Action, &str)] = &[
    ("previous_response_not_found", Action::ResendContext, "the server does not have the response to continue from"),
    ("websocket_connection_limit_reached", Action::Reconnect, "the connection has reached its age"),
    ("context_length_exceeded", Action::Shorten, "the input is longer than the model takes"),
    ("string_above_max_length", Action::Shorten, "a text is longer than the server takes"),
    ("insufficient_quota", Action::GiveUp, "there is nothing left to spend"),
    ("billing_hard_limit_reached", Action::GiveUp, "there is nothing left to spend"),
    ("invalid_api_key", Action::GiveUp, "the key is not known"),
    ("rate_limit_exceeded", Action::Retry, "the rate is too high"),
    ("server_error", Action::Retry, "something broke on the server's side"),
    ("server_is_overloaded", Action::Retry, "the server has too much to do"),
    ("vector_store_timeout", Action::Retry, "a search took too long"),
    ("failed_to_download_image", Action::Retry, "the server could not fetch an image"),
    ("stream_truncated", Action::Retry, "the stream broke off"),
    ("invalid_prompt", Action::GiveUp, "the input was refused"),
    ("data_residency_mismatch", Action::GiveUp, "the data may not be there"),
    ("bio_policy", Action::GiveUp, "a policy refused the input"),
    ("misalignment_policy_violation", Action::GiveUp, "a policy refused the input"),
    ("image_content_policy_violation", Action::GiveUp, "a policy refused an image"),
];

/// By class.
const KINDS: &[(&str, Action, &str)] = &[
    ("too_many_requests", Action::Retry, "the rate is too high"),
    ("rate_limit_error", Action::Retry, "the rate is too high"),
    ("overloaded_error", Action::Retry, "the server has too much to do"),
    ("server_error", Action::Retry, "something broke on the server's side"),
    ("model_error", Action::Retry, "the model produced something unusable; it may do better"),
    ("invalid_request", Action::GiveUp, "the request cannot be served as it is"),
    ("invalid_request_error", Action::GiveUp, "the request cannot be served as it is"),
    ("not_found", Action::GiveUp, "what the request names does not exist"),
    ("authentication_error", Action::GiveUp, "the key is not known"),
    ("mcp_tool_execution_error", Action::GiveUp, "the tool itself failed; the model has been told"),
    ("mcp_protocol_error", Action::GiveUp, "the tool's server does not speak the protocol"),
];

impl ErrorReport {
    /// Reads an error: an HTTP body, an `error` event, a message of a WebSocket, a failed response, `error` of one, or what an
    /// MCP call holds. `status` is that of the HTTP answer, if there was one.
    ///
    /// ```
    /// use deltafold::request::{Action, ErrorReport};
    /// let report = ErrorReport::from_json(
    ///     r#"{"error":{"type":"too_many_requests","code":null,"message":"Slow down.","param":null}}"#, Some(429))?
    ///     .with_header("Retry-After", "20");
    /// let advice = report.advice();
    /// assert_eq!((advice.action, advice.after), (Action::Retry, Some(20.0)));
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`], or [`Code::BadArgument`] if there is no error in it.
    pub fn from_json(json: &str, status: Option<u16>) -> Result<Self, Error> {
        Self::from_value(&Value::parse(json, Limits::default().depth)?, status)
    }

    /// Reads an error from a value; see [`from_json`](Self::from_json).
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`] if there is no error in it.
    pub fn from_value(value: &Value, status: Option<u16>) -> Result<Self, Error> {
        let response = value.get("response").unwrap_or(value);
        let inner = response.get("error").filter(|error| !error.is_null());
        // OpenAI's types show the fields of an error event flat.
        let fields = inner.unwrap_or(value);
        let said = value.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
        let form = match fields.str_at("type") {
            Some("http_error") => ErrorForm::Http,
            Some("mcp_protocol_error") => ErrorForm::McpProtocol,
            Some("mcp_tool_execution_error") => ErrorForm::McpTool,
            _ if inner.is_some() && response.get("output").is_some() => ErrorForm::Response,
            _ if inner.is_some() && said.is_some() => ErrorForm::Socket,
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
            // The type of an event is no class of errors.
            Some("error") | None => String::new(),
            Some(kind) => kind.to_owned(),
        };
        let report = Self {
            form,
            status: match form {
                ErrorForm::Http => code.parse().ok(),
                _ => status.or(said),
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

    /// Adds a header of the answer.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_ascii_lowercase(), value);
        self
    }

    /// A header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(Value::as_str)
    }

    /// What to do about it: by `x-should-retry` of the server, then by code, class and status, in this order.
    pub fn advice(&self) -> ErrorAdvice {
        let (action, why) = self.action();
        let after = matches!(action, Action::Retry | Action::Reconnect).then(|| self.wait()).flatten();
        ErrorAdvice { action, after, why }
    }

    /// The report and the advice as bindings show them: `{"form", "type", "code", "message", "param", "status", "action",
    /// "after", "why"}`.
    pub fn to_value(&self) -> Value {
        let advice = self.advice();
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

    fn action(&self) -> (Action, &'static str) {
        let by_code = CODES.iter().find(|(code, ..)| *code == self.code).map(|(_, action, why)| (*action, *why));
        match (self.header("x-should-retry"), by_code) {
            // A server that says to try again does not know that something else is needed first.
            (Some("true"), None | Some((Action::Retry | Action::GiveUp, _))) => {
                return (Action::Retry, "the server says so");
            }
            (Some("false"), None | Some((Action::Retry, _))) => return (Action::GiveUp, "the server says so"),
            _ => {}
        }
        if let Some(found) = by_code {
            return found;
        }
        if self.code.contains("image") {
            return (Action::GiveUp, "an image cannot be used");
        }
        if let Some((_, action, why)) = KINDS.iter().find(|(kind, ..)| *kind == self.kind) {
            return (*action, *why);
        }
        match self.status {
            Some(408 | 409 | 425 | 429) => (Action::Retry, "the status says that it may pass"),
            Some(413) => (Action::Shorten, "the body is larger than the server takes"),
            Some(400..=499) => (Action::GiveUp, "the status says that the request is at fault"),
            Some(500..) => (Action::Retry, "the status says that the server is at fault"),
            _ => (Action::GiveUp, "nothing is known of this error"),
        }
    }

    /// Seconds to wait, as the server said; a date is not read, since there is no clock.
    fn wait(&self) -> Option<f64> {
        let number = |name: &str| self.header(name)?.trim().parse::<f64>().ok();
        let seconds = number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number("retry-after"))?;
        (seconds.is_finite() && seconds >= 0.0).then_some(seconds)
    }
}

impl ErrorForm {
    /// `response`, `payload`, `socket`, `http`, `mcp_protocol` or `mcp_tool`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Response => "response",
            Self::Payload => "payload",
            Self::Socket => "socket",
            Self::Http => "http",
            Self::McpProtocol => "mcp_protocol",
            Self::McpTool => "mcp_tool",
        }
    }
}

/// An error and the advice about it in one call, for a binding: `{"error": …, "status": n, "headers": {…}}`, where `error` is
/// what came, in any form. Gives [`ErrorReport::to_value`] as text.
///
/// # Errors
///
/// [`Code::NotJson`], [`Code::UnknownName`], [`Code::BadArgument`].
pub fn advice_json(json: &str) -> Result<String, Error> {
    let call = parse(json)?;
    let reader = OptionReader::new(&call)?;
    reader.check_names(&["error", "status", "headers"])?;
    let status =
        reader.count("status")?.map(u16::try_from).transpose().map_err(|_| wrong("status", "an HTTP status"))?;
    let error = reader.value("error").ok_or_else(|| wrong("error", "what came"))?;
    let mut report = ErrorReport::from_value(error, status)?;
    for (name, value) in reader.object("headers")?.into_iter().flat_map(Object::iter) {
        report = report.with_header(name, value.as_str().unwrap_or_default());
    }
    Ok(report.to_value().to_string())
}
