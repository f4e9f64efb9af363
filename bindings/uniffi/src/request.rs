//! Requests: history, enforcement of tool choices, tool loops, retry advice. All functions take and return JSON text.

use deltafold::json::{Object, Value};
use deltafold::request;
use deltafold::{Error, Limits};

use crate::error::DeltafoldError;
use crate::lock::Lock;

/// Runs the named operation: `history`, `enforce`, `tool_loop`, `tool_results`, `advice`, `create_message` or `api_error`.
#[uniffi::export]
pub fn request_named(what: &str, json: &str) -> Result<String, DeltafoldError> {
    Ok(deltafold::__bindings::request_named(what, json)?)
}

/// Builds the request that continues after responses: `{"request", "findings"}`. A policy is a name (`stateless`,
/// `stateful`, …) or JSON text that begins with `{`; `steps` is a list of `{"response"}` or `{"item"}`.
#[uniffi::export(default(policy = None))]
pub fn history(request: &str, steps: &str, policy: Option<String>) -> Result<String, DeltafoldError> {
    let policy = policy.map(|policy| policy_value(&policy)).transpose()?;
    call("history", &[("policy", policy), ("request", Some(parse(request)?)), ("steps", Some(parse(steps)?))])
}

/// Decides which calls of a response the request allows: `{"calls"}`; a rejected call has an `answer`.
#[uniffi::export]
pub fn enforce(request: &str, response: &str) -> Result<String, DeltafoldError> {
    call("enforce", &[("request", Some(parse(request)?)), ("response", Some(parse(response)?))])
}

/// Makes the input items of the next request from the results of tools: `{"items"}`. `results` is a JSON object of results by
/// `call_id`; outputs that the response has itself come with them.
#[uniffi::export(default(results = None))]
pub fn tool_results(response: &str, results: Option<String>) -> Result<String, DeltafoldError> {
    let results = results.map(|results| parse(&results)).transpose()?;
    call("tool_results", &[("response", Some(parse(response)?)), ("results", results)])
}

/// Recommends whether and when to retry after an error.
#[uniffi::export(default(status = None))]
pub fn advice(error: &str, status: Option<i32>) -> Result<String, DeltafoldError> {
    call("advice", &[("error", Some(parse(error)?)), ("status", status.map(|status| Value::from(i64::from(status))))])
}

/// Builds the WebSocket message for a request: `{"message", "left_out"}`.
#[uniffi::export]
pub fn create_message(request: &str) -> Result<String, DeltafoldError> {
    call("create_message", &[("request", Some(parse(request)?))])
}

/// An error for a client, as JSON text: the HTTP `status` and the JSON `body`, and the `message` for a WebSocket. `kind` is
/// `server_error`, `invalid_request`, `not_found`, `model_error` or `too_many_requests`.
#[uniffi::export(default(code = None, param = None))]
pub fn api_error(
    kind: &str,
    message: &str,
    code: Option<String>,
    param: Option<String>,
) -> Result<String, DeltafoldError> {
    let optional = |text: Option<String>| text.map(Value::from);
    let members = [("code", optional(code)), ("param", optional(param))];
    call("api_error", &[&[("type", Some(kind.into())), ("message", Some(message.into()))], &members[..]].concat())
}

/// The state of a conversation with tools: request, response, results, next request.
#[derive(Debug, uniffi::Object)]
pub struct ToolLoop(Lock<request::ToolLoop>);

#[uniffi::export]
impl ToolLoop {
    /// Creates a loop with the first request, as JSON text.
    #[uniffi::constructor(default(policy = None, max_turns = None, max_calls = None))]
    pub fn new(
        request: &str,
        policy: Option<String>,
        max_turns: Option<i64>,
        max_calls: Option<i64>,
    ) -> Result<Self, DeltafoldError> {
        let mut options = Object::new();
        options.push("request", parse(request)?);
        options.push("policy", policy.map(|policy| policy_value(&policy)).transpose()?);
        options.push("max_turns", max_turns);
        options.push("max_calls", max_calls);
        Self::from_json(&Value::Object(options).to_string())
    }

    /// Creates a loop from options as JSON text: `request` (required), `policy`, `max_turns`, `max_calls`.
    #[uniffi::constructor]
    pub fn from_json(options: &str) -> Result<Self, DeltafoldError> {
        Ok(Self(Lock::new(request::ToolLoop::from_json(options)?)))
    }

    /// Adds the response to the request, as JSON text, and returns the state: `ready`, `waiting`, `finished` or `stopped`.
    pub fn apply(&self, response: &str) -> Result<String, DeltafoldError> {
        self.0.attempt(|core| core.apply_json(response).map(|state| state.name().to_owned()))
    }

    /// Adds the result of a pending call, as JSON text, and returns the state.
    pub fn result(&self, call_id: &str, result: &str) -> Result<String, DeltafoldError> {
        self.0.attempt(|core| core.result_json(call_id, result).map(|state| state.name().to_owned()))
    }

    /// Stops the loop; no further request follows.
    pub fn stop(&self) -> Result<(), DeltafoldError> {
        self.0.with(request::ToolLoop::stop)
    }

    /// The state: `ready`, `waiting`, `finished` or `stopped`.
    pub fn state(&self) -> Result<String, DeltafoldError> {
        self.0.with(|core| core.state().name().to_owned())
    }

    /// The next request to send, as JSON text, when the state is `ready`.
    pub fn request(&self) -> Result<String, DeltafoldError> {
        self.0.with(|core| core.request().to_json())
    }

    /// The calls without a result, as a JSON array in order.
    pub fn pending(&self) -> Result<String, DeltafoldError> {
        let list = |core: &mut request::ToolLoop| Value::Array(core.pending().map(|call| call.to_value()).collect());
        self.0.with(|core| list(core).to_string())
    }

    /// The whole state as JSON text: `state`, `reason`, `turns`, `pending`, `rejected`, `findings`.
    pub fn to_json(&self) -> Result<String, DeltafoldError> {
        self.0.with(|core| core.to_json())
    }

    /// Frees the contents of the object; every later call fails with `misuse.after_finish`.
    pub fn release(&self) {
        self.0.release();
    }
}

fn parse(json: &str) -> Result<Value, Error> {
    Ok(Value::parse(json, Limits::default().depth)?)
}

fn policy_value(policy: &str) -> Result<Value, Error> {
    match policy.starts_with('{') {
        true => parse(policy),
        false => Ok(Value::from(policy)),
    }
}

fn call(what: &str, keys: &[(&str, Option<Value>)]) -> Result<String, DeltafoldError> {
    let mut object = Object::new();
    for (key, value) in keys {
        if let Some(value) = value {
            object.push(*key, value.clone());
        }
    }
    request_named(what, &Value::Object(object).to_string())
}
