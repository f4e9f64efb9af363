//! Requests by name: one entry point for bindings, JSON in and JSON out.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::body::CreateResponse;
use super::enforce::{enforce, CallVerdict};
use super::error_report::advice_json;
use super::history::history_json;
use super::result::{tool_results, ToolResult};
use super::socket::create_message;
use super::tool_loop::ToolLoop;
use crate::error::{Code, Error};
use crate::json::{Object, Value};
use crate::options::{invalid_option, parse, OptionReader};
use crate::write::{ApiError, ErrorType};

/// The names that [`request_named`] accepts.
pub const REQUEST_OPERATIONS: &[&str] =
    &["history", "enforce", "tool_loop", "tool_results", "advice", "create_message", "api_error"];

/// Runs the named operation on JSON text, and returns JSON text.
///
/// | name | takes | returns |
/// | --- | --- | --- |
/// | `history` | `{"policy", "request", "steps": [{"response"} or {"item"}, …]}` | `{"request", "findings"}` |
/// | `enforce` | `{"request", "response"}` | `{"calls": [verdict, …]}`, each that is rejected with its `answer` |
/// | `tool_loop` | `{"request", "policy", "max_turns", "max_calls", "steps": [{"response"}, {"result": [call_id, result]} or {"stop": true}, …]}` | `{"state", "reason", "turns", "pending", "rejected", "findings", "request"}` |
/// | `tool_results` | `{"response", "results": {call_id: result, …}}` | `{"items"}`, see [`tool_results`] |
/// | `advice` | `{"error", "status", "headers", "now"}` | the report and the advice |
/// | `create_message` | `{"request"}` | `{"message", "left_out"}` |
/// | `api_error` | `{"type", "message", "code", "param"}` | `{"status", "body", "message"}`: the HTTP answer, and the WebSocket message |
///
/// The state of a tool loop follows from its inputs, so a binding may store the steps instead of the loop.
///
/// ```
/// use deltafold::__bindings::request_named;
/// let next = request_named("create_message", r#"{"request":{"model":"m-1","stream":true}}"#)?;
/// assert_eq!(next, r#"{"message":{"type":"response.create","model":"m-1"},"left_out":["stream"]}"#);
/// # Ok::<(), deltafold::Error>(())
/// ```
///
/// # Errors
///
/// [`Code::UnknownName`] for an unknown name or key, [`Code::NotJson`] or [`Code::TooDeep`] for a text that cannot be parsed,
/// [`Code::BadArgument`] for an invalid value, [`Code::BadIntent`] for a step that the state of the loop does not allow.
pub fn request_named(what: &str, json: &str) -> Result<String, Error> {
    match what {
        "history" => history_json(json),
        "enforce" => enforce_calls(json),
        "tool_loop" => run_tool_loop(json),
        "tool_results" => results(json),
        "advice" => advice_json(json),
        "create_message" => message(json),
        "api_error" => api_error(json),
        _ => Err(Error::new(Code::UnknownName, 0, format!("known operations: {}", REQUEST_OPERATIONS.join(", ")))),
    }
}

fn enforce_calls(json: &str) -> Result<String, Error> {
    let call = parse(json)?;
    let reader = OptionReader::new(&call)?;
    reader.check_names(&["request", "response"])?;
    let response = reader.value("response").ok_or_else(|| invalid_option("response", "a response"))?;
    let verdicts = enforce(&request(&reader)?, response);
    let mut out = Object::new();
    out.push("calls", verdicts.iter().map(CallVerdict::to_value).collect::<Vec<_>>());
    Ok(Value::Object(out).to_string())
}

fn run_tool_loop(json: &str) -> Result<String, Error> {
    let mut call = parse(json)?;
    let steps = call.as_object_mut().and_then(|options| options.remove("steps"));
    let mut tools = ToolLoop::from_json(&call.to_string())?;
    let steps =
        steps.as_ref().map(|steps| steps.as_array().ok_or_else(|| invalid_option("steps", "a list"))).transpose()?;
    for step in steps.unwrap_or_default() {
        match (step.get("response"), step.get("result").and_then(Value::as_array), step.get("stop")) {
            (Some(response), None, None) => {
                tools.apply(response)?;
            }
            (None, Some([Value::String(call_id), result]), None) => {
                tools.result_json(call_id, &result.to_string())?;
            }
            (None, None, Some(Value::Bool(true))) => tools.stop(),
            _ => {
                let wanted = "objects with one of response, result (a call_id and a result) and stop: true";
                return Err(invalid_option("steps", wanted));
            }
        }
    }
    let mut out = tools.to_value();
    if let Some(object) = out.as_object_mut() {
        object.push("request", tools.request());
    }
    Ok(out.to_string())
}

fn results(json: &str) -> Result<String, Error> {
    let call = parse(json)?;
    let reader = OptionReader::new(&call)?;
    reader.check_names(&["response", "results"])?;
    let response = reader.value("response").ok_or_else(|| invalid_option("response", "a response"))?;
    let mut results = Vec::new();
    if let Some(given) = reader.object("results")? {
        for (call_id, result) in given.iter() {
            results.push((call_id, ToolResult::from_value(result)?));
        }
    }
    let items = tool_results(response, &results)?;
    let mut out = Object::new();
    out.push("items", items.into_iter().map(Value::from).collect::<Vec<_>>());
    Ok(Value::Object(out).to_string())
}

fn message(json: &str) -> Result<String, Error> {
    let call = parse(json)?;
    let reader = OptionReader::new(&call)?;
    reader.check_names(&["request"])?;
    let (message, left_out) = create_message(&request(&reader)?);
    let mut out = Object::new();
    out.push("message", parse(&message)?);
    out.push("left_out", left_out.into_iter().map(Value::from).collect::<Vec<_>>());
    Ok(Value::Object(out).to_string())
}

fn api_error(json: &str) -> Result<String, Error> {
    let call = parse(json)?;
    let reader = OptionReader::new(&call)?;
    reader.check_names(&["type", "message", "code", "param"])?;
    let names = || ErrorType::ALL.map(ErrorType::name).join(", ");
    let kind = reader.text("type")?.and_then(ErrorType::from_name);
    let kind = kind.ok_or_else(|| invalid_option("type", &names()))?;
    let message = reader.text("message")?.ok_or_else(|| invalid_option("message", "a text"))?;
    let error = ApiError {
        kind,
        code: reader.text("code")?.map(ToString::to_string),
        message: message.to_string(),
        param: reader.text("param")?.map(ToString::to_string),
        headers: Vec::new(),
    };
    let mut out = Object::new();
    out.push("status", u64::from(kind.http_status()));
    out.push("body", parse(&error.to_body())?);
    out.push("message", parse(&error.to_websocket())?);
    Ok(Value::Object(out).to_string())
}

fn request(reader: &OptionReader<'_>) -> Result<CreateResponse, Error> {
    CreateResponse::from_value(reader.value("request").cloned().unwrap_or_else(|| Value::Object(Object::new())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_is_known_and_unusable_arguments_are_refused() {
        for name in REQUEST_OPERATIONS {
            assert_ne!(request_named(name, "{}").err().map(|error| error.code()), Some(Code::UnknownName), "{name}");
            assert_eq!(request_named(name, "{").unwrap_err().code(), Code::NotJson, "{name}");
            assert_eq!(request_named(name, r#"{"what":1}"#).unwrap_err().code(), Code::UnknownName, "{name}");
        }
        assert_eq!(request_named("histories", "{}").unwrap_err().code(), Code::UnknownName);
        for (what, json) in [
            ("tool_loop", r#"{"steps":7}"#),
            ("tool_loop", r#"{"steps":[{"result":["c1"]}]}"#),
            ("tool_loop", r#"{"steps":[{"stop":false}]}"#),
            ("tool_loop", r#"{"steps":[{"stop":true,"response":{}}]}"#),
            ("enforce", r#"{"request":[]}"#),
            ("tool_results", r#"{"results":{}}"#),
            ("tool_results", r#"{"response":{},"results":[]}"#),
            ("tool_results", r#"{"response":{},"results":{"c1":7}}"#),
            ("history", r#"{"steps":[{}]}"#),
            ("api_error", r#"{"type":"teapot","message":"m"}"#),
            ("api_error", r#"{"type":"not_found"}"#),
        ] {
            assert_eq!(request_named(what, json).unwrap_err().code(), Code::BadArgument, "{what} {json}");
        }
        let made = request_named("api_error", r#"{"type":"too_many_requests","message":"m","code":"c"}"#).unwrap();
        let error = r#"{"type":"too_many_requests","code":"c","message":"m","param":null}"#;
        assert_eq!(
            made,
            format!(
                r#"{{"status":429,"body":{{"error":{error}}},"message":{{"type":"error","status":429,"error":{error}}}}}"#
            )
        );
        let error = request_named("tool_loop", r#"{"steps":[{"result":["c1","x"]}]}"#).unwrap_err();
        assert_eq!(error.code(), Code::BadIntent, "{error}");
        let stopped = request_named("tool_loop", r#"{"steps":[{"stop":true}]}"#).unwrap();
        assert!(stopped.starts_with(r#"{"state":"stopped","reason":"caller","#), "{stopped}");
    }
}
