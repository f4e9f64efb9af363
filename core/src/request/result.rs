//! [`ToolResult`]: the result of a tool, and the item that passes it to the model.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::parts::{InputItem, InputPart};
use crate::contract::ItemKind;
use crate::error::{Code, Error};
use crate::json::{Object, Value};

/// The result of a tool.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ToolResult {
    /// Text, sent unchanged.
    Text(String),
    /// Any value, sent as JSON text. If the item has an object or a list itself (a screenshot, the output of commands), the value is
    /// sent as that.
    Json(Value),
    /// Parts: texts, images, files.
    Parts(Vec<InputPart>),
    /// The tool failed, or was not run; the model gets the reason.
    Error(String),
    /// The answer to a request to approve a call of an MCP tool.
    Approval {
        /// True if the call may run.
        approve: bool,
        /// The reason.
        reason: Option<String>,
    },
}

impl ToolResult {
    /// Reads a result from its JSON form: `{"text": …}`, `{"json": …}`, `{"parts": […]}`, `{"error": …}` or
    /// `{"approve": true, "reason": …}`. A string is a text.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`] for anything else.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let expected = || {
            let message = "expected a result: a text, or an object with text, json, parts, error or approve";
            Error::new(Code::BadArgument, 0, message)
        };
        if let Value::String(text) = value {
            return Ok(Self::Text(text.clone()));
        }
        let text = |key: &str| value.str_at(key).map(ToString::to_string);
        if let Some(text) = text("text") {
            Ok(Self::Text(text))
        } else if let Some(message) = text("error") {
            Ok(Self::Error(message))
        } else if let Some(approve) = value.get("approve").and_then(Value::as_bool) {
            Ok(Self::Approval { approve, reason: text("reason") })
        } else if let Some(json) = value.get("json") {
            Ok(Self::Json(json.clone()))
        } else if let Some(parts) = value.get("parts").and_then(Value::as_array) {
            Ok(Self::Parts(parts.iter().map(|part| InputPart::from_value(part.clone())).collect::<Result<_, _>>()?))
        } else {
            Err(expected())
        }
    }

    /// The item that answers a call, by the call's type.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`] if the item is not a call that a client answers, has no id, or does not accept a result of
    /// this form.
    pub fn answer(&self, call: &Value) -> Result<InputItem, Error> {
        let kind = ItemKind::from_wire(call.str_at("type").unwrap_or_default());
        if kind == ItemKind::McpApprovalRequest {
            return self.approval(call);
        }
        let call_id = call.str_at("call_id").filter(|id| !id.is_empty());
        let call_id = call_id.ok_or_else(|| invalid("expected a call with a call_id"))?;
        Ok(match (kind, self) {
            (ItemKind::FunctionCall, _) => InputItem::function_call_output(call_id, self.output()),
            (ItemKind::CustomToolCall, _) => InputItem::custom_tool_call_output(call_id, self.output()),
            (ItemKind::LocalShellCall, Self::Parts(_)) => {
                return Err(invalid("expected text as the result of a local shell call"))
            }
            (ItemKind::LocalShellCall, _) => InputItem::local_shell_call_output(call_id, self.text()),
            (ItemKind::ApplyPatchCall, Self::Parts(_)) => {
                return Err(invalid("expected text or an error as the result of a patch"))
            }
            (ItemKind::ApplyPatchCall, Self::Error(message)) => {
                InputItem::apply_patch_call_output(call_id, "failed").with("output", message.as_str())
            }
            (ItemKind::ApplyPatchCall, _) => {
                InputItem::apply_patch_call_output(call_id, "completed").with("output", self.text())
            }
            (ItemKind::ShellCall, Self::Json(list @ Value::Array(_))) => {
                InputItem::shell_call_output(call_id, list.clone())
            }
            (ItemKind::ShellCall, Self::Parts(_)) => {
                return Err(invalid("expected text or a list as the result of a shell call"))
            }
            (ItemKind::ShellCall, _) => InputItem::shell_call_output(call_id, self.command_output()),
            (ItemKind::ComputerCall, Self::Json(shot @ Value::Object(_))) => {
                InputItem::computer_call_output(call_id, shot.clone())
            }
            (ItemKind::ComputerCall, _) => {
                return Err(invalid("expected a screenshot object as the result of a computer call"))
            }
            _ => return Err(invalid("expected an item that a client answers")),
        })
    }

    fn approval(&self, request: &Value) -> Result<InputItem, Error> {
        let id = request.str_at("id").filter(|id| !id.is_empty());
        let id = id.ok_or_else(|| invalid("expected an approval request with an id"))?;
        let (approve, reason) = match self {
            Self::Approval { approve, reason } => (*approve, reason.clone()),
            // A call that was not run was not approved.
            Self::Error(message) => (false, Some(message.clone())),
            _ => return Err(invalid("expected an approval as the result of an approval request")),
        };
        let answer = InputItem::mcp_approval_response(id, approve);
        Ok(match reason {
            Some(reason) => answer.with("reason", reason),
            None => answer,
        })
    }

    /// `output` of a function or custom tool.
    fn output(&self) -> Value {
        match self {
            Self::Parts(parts) => parts.iter().map(|part| Value::from(part.clone())).collect::<Vec<_>>().into(),
            _ => Value::from(self.text()),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Json(value) => value.to_string(),
            Self::Parts(_) => String::new(),
            Self::Error(message) => error_text(message),
            Self::Approval { approve, .. } => format!("{{\"approve\":{approve}}}"),
        }
    }

    /// The output of commands, if only one text is known.
    fn command_output(&self) -> Value {
        let (stdout, stderr, code) = match self {
            Self::Error(message) => (String::new(), message.clone(), 1),
            _ => (self.text(), String::new(), 0),
        };
        let mut outcome = Object::new();
        outcome.push("type", "exit");
        outcome.push("exit_code", code);
        let mut entry = Object::new();
        entry.push("stdout", stdout);
        entry.push("stderr", stderr);
        entry.push("outcome", outcome);
        Value::Array(alloc::vec![Value::Object(entry)])
    }
}

/// The results of tools as input items of the next request: the outputs that a response has itself, and the answers to its calls
/// from `results`, pairs of `call_id` (of an approval request, its `id`) and result, in the order of the output.
///
/// ```
/// use deltafold::json::Value;
/// use deltafold::request::{tool_results, ToolResult};
/// let response = Value::parse(r#"{"output":[
///     {"type":"function_call","call_id":"c1","name":"ls","arguments":"{}"},
///     {"type":"function_call_output","call_id":"c1","output":"a.txt"},
///     {"type":"function_call","call_id":"c2","name":"add","arguments":"{}"}]}"#, 64).unwrap();
/// let items = tool_results(&response, &[("c2", ToolResult::Text("4".into()))])?;
/// let outputs: Vec<_> = items.iter().map(|item| item.get("output").unwrap().as_str().unwrap()).collect();
/// assert_eq!(outputs, ["a.txt", "4"]);
/// # Ok::<(), deltafold::Error>(())
/// ```
///
/// # Errors
///
/// [`Code::BadArgument`] if the response has no call for a result, or the call takes no such result; see
/// [`ToolResult::answer`].
pub fn tool_results(response: &Value, results: &[(&str, ToolResult)]) -> Result<Vec<InputItem>, Error> {
    let mut items = Vec::new();
    let mut used = 0;
    for item in response.get("output").and_then(Value::as_array).unwrap_or_default() {
        let name = item.str_at("type").unwrap_or_default();
        let kind = ItemKind::from_wire(name);
        let Some(id) = item.str_at(kind.call_id_key()).filter(|id| !id.is_empty()) else { continue };
        if name.ends_with("_output") {
            items.push(InputItem::from_value(item.clone())?);
        } else if let Some((_, result)) =
            results.iter().find(|(of, _)| *of == id).filter(|_| kind.is_answered_by_client())
        {
            items.push(result.answer(item)?);
            used += 1;
        }
    }
    if used < results.len() {
        return Err(invalid("expected results for calls of the response, found a result for another call"));
    }
    Ok(items)
}

/// An error as the text of an output. Models recognize an object as a failure more reliably than a sentence.
fn error_text(message: &str) -> String {
    let mut object = Object::new();
    object.push("error", message);
    Value::Object(object).to_string()
}

fn invalid(message: &'static str) -> Error {
    Error::new(Code::BadArgument, 0, message)
}
