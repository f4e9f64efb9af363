//! [`Request`]: a valid request, or the error that rejects it.

use deltafold::json::{Object, Value};
use deltafold::validate::{validate_request, validate_websocket_create};
use deltafold::write::{ApiError, ErrorType, ReasoningNames};
use deltafold::{Error, Finding, Severity};

use crate::Options;

/// The models of the server.
pub(crate) const MODELS: [&str; 3] = ["scripted", "scripted-mini", CARELESS];

/// A model that calls tools regardless of the request, to test the reaction of a client.
pub(crate) const CARELESS: &str = "scripted-careless";

/// A valid request for a response.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) body: Object,
}

impl Request {
    /// Checks the body of `POST /v1/responses`.
    pub(crate) fn from_http(body: &[u8], options: &Options) -> Result<Self, ApiError> {
        let body = accept_short_messages(parse(body)?, options.reasoning_names);
        check(validate_request(&body.to_string(), options.edition))?;
        Self::new(body)
    }

    /// Checks a `response.create` message of a WebSocket.
    pub(crate) fn from_websocket(message: &str, options: &Options) -> Result<Self, ApiError> {
        let body = accept_short_messages(parse(message.as_bytes())?, options.reasoning_names);
        check(validate_websocket_create(&body.to_string(), options.edition))?;
        let mut request = Self::new(body)?;
        // Fields that only a WebSocket message has are not echoed.
        request.body.remove("type");
        request.body.insert("stream", true);
        Ok(request)
    }

    fn new(body: Value) -> Result<Self, ApiError> {
        let Value::Object(body) = body else {
            return Err(invalid("invalid_json", "Expected the body to be a JSON object."));
        };
        let request = Self { body };
        let model = request.text("model").unwrap_or(MODELS[0]);
        if !MODELS.contains(&model) {
            let message = format!("The model `{model}` does not exist. Known models: {}.", MODELS.join(", "));
            return Err(ApiError::new(ErrorType::NotFound, "model_not_found", message).with_param("model"));
        }
        if request.flag("background") {
            let message = "This server does not support `background: true`.";
            return Err(invalid("unsupported_value", message).with_param("background"));
        }
        Ok(request)
    }

    pub(crate) fn model(&self) -> &str {
        self.text("model").unwrap_or(MODELS[0])
    }

    /// Returns `true` if the model follows the request's limits on calls.
    pub(crate) fn is_careful(&self) -> bool {
        self.model() != CARELESS
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.body.get(key).and_then(Value::as_str)
    }

    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        self.body.get(key).and_then(Value::as_u64)
    }

    pub(crate) fn flag(&self, key: &str) -> bool {
        self.body.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(crate) fn list(&self, key: &str) -> &[Value] {
        self.body.get(key).and_then(Value::as_array).unwrap_or_default()
    }

    /// Returns `true` if the response is stored for later turns, which is the default.
    pub(crate) fn store(&self) -> bool {
        self.body.get("store").and_then(Value::as_bool).unwrap_or(true)
    }

    pub(crate) fn includes(&self, what: &str) -> bool {
        self.list("include").iter().any(|value| value.as_str() == Some(what))
    }
}

pub(crate) fn invalid(code: &str, message: impl Into<String>) -> ApiError {
    ApiError::new(ErrorType::InvalidRequest, code, message)
}

pub(crate) fn parse(body: &[u8]) -> Result<Value, ApiError> {
    let text = std::str::from_utf8(body).map_err(|_| invalid("invalid_json", "The body is not UTF-8."))?;
    Value::parse(text, 128).map_err(|error| invalid("invalid_json", format!("The body is not JSON: {error}.")))
}

/// Converts the first finding to an error that names the parameter.
pub(crate) fn check(checked: Result<Vec<Finding>, Error>) -> Result<(), ApiError> {
    let findings = checked.map_err(|error| invalid("invalid_json", error.to_string()))?;
    match findings.iter().find(|finding| finding.severity == Severity::Error) {
        None => Ok(()),
        Some(finding) => {
            let error = invalid("invalid_value", format!("{} ({}).", finding.message, finding.rule.id()));
            Err(match finding.path.is_empty() {
                true => error,
                false => error.with_param(parameter(&finding.path)),
            })
        }
    }
}

/// Converts a JSON pointer to the usual notation of parameters: `/input/0/role` becomes `input[0].role`.
fn parameter(pointer: &str) -> String {
    let mut name = String::new();
    for step in pointer.split('/').skip(1) {
        if step.bytes().all(|byte| byte.is_ascii_digit()) {
            name.push_str(&format!("[{step}]"));
        } else {
            name.push_str(if name.is_empty() { "" } else { "." });
            name.push_str(step);
        }
    }
    name
}

/// OpenAI's clients leave out `type` on messages; Open Responses requires it (ITEM-20).
fn accept_short_messages(mut body: Value, reasoning_names: ReasoningNames) -> Value {
    if reasoning_names != ReasoningNames::OpenAi {
        return body;
    }
    let input = body.as_object_mut().and_then(|body| body.get_mut("input")).and_then(Value::as_array_mut);
    for item in input.into_iter().flatten().filter_map(Value::as_object_mut) {
        if item.contains_key("role") && !item.contains_key("type") {
            item.insert("type", "message");
        }
    }
    body
}
