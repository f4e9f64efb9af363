//! [`enforce`]: checks the calls of an answer against its request.
//!
//! A server must follow the request (TOOL-01 to TOOL-09); a client that runs tools on a user's machine must not
//! rely on that.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::arguments::check_arguments;
use super::body::CreateResponse;
use super::choice::{Choice, ToolName};
use super::parts::InputItem;
use super::result::ToolResult;
use crate::contract::ItemKind;
use crate::json::{Object, Value};
use crate::named::{display_name, parse_name};

/// A call of an answer, and whether it may be run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallVerdict {
    /// Its position in the output.
    pub index: usize,
    /// The item, unchanged.
    pub item: Value,
    /// The reason why it must not be run; `None` if it may be run.
    pub rejection: Option<Rejection>,
    /// Details of the rejection, such as the error in the arguments; never payload text.
    pub detail: String,
}

macro_rules! rejections {
    ($($variant:ident, $name:literal, $doc:literal;)*) => {
        /// The reason why a call must not be run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rejection { $(#[doc = $doc] $variant,)* }

        impl Rejection {
            /// Every reason.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in a report.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// One sentence for the model.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $doc,)* }
            }
        }
    };
}

rejections! {
    NoTools, "no_tools", "The request allowed no tool calls.";
    NotChosen, "not_chosen", "The request asked for a call of another tool.";
    NotAllowed, "not_allowed", "The request does not allow this tool.";
    UnknownTool, "unknown_tool", "The request has no tool of this name.";
    Parallel, "parallel", "The request allowed one call at a time; this one was not run.";
    TooMany, "too_many", "The request allowed fewer calls; this one was not run.";
    BadArguments, "bad_arguments", "The arguments do not match the tool's parameters.";
    Unfinished, "unfinished", "The call was truncated before it was complete.";
}

impl CallVerdict {
    /// The id in the answer to the call: `call_id`, or the `id` of an approval request.
    pub fn id(&self) -> &str {
        self.item.str_at(self.kind().call_id_key()).unwrap_or_default()
    }

    /// The item's type. The name as it was sent is [`wire_type`](Self::wire_type).
    pub fn kind(&self) -> ItemKind {
        ItemKind::from_wire(self.wire_type())
    }

    /// The item's `type` as it was sent.
    pub fn wire_type(&self) -> &str {
        self.item.str_at("type").unwrap_or_default()
    }

    /// The name of the tool; empty for tools without one.
    pub fn name(&self) -> &str {
        self.item.str_at("name").unwrap_or_default()
    }

    /// Returns `true` if a client answers calls of this type; the server runs and answers hosted tools.
    pub fn is_for_client(&self) -> bool {
        self.kind().is_answered_by_client()
    }

    /// The item that tells the model that the call was not run, and the reason. `None` if it may be run, or if no client can
    /// answer it.
    pub fn answer(&self) -> Option<InputItem> {
        let rejection = self.rejection?;
        let message = match self.detail.as_str() {
            "" => rejection.sentence().to_string(),
            detail => format!("{} {detail}", rejection.sentence()),
        };
        ToolResult::Error(message).answer(&self.item).ok()
    }

    /// The verdict in the form of every binding: `{"index", "type", "call_id", "name", "allowed", "reason", "detail", "answer", "item"}`.
    pub fn to_value(&self) -> Value {
        let mut object = Object::with_capacity(9);
        object.push("index", self.index as u64);
        object.push("type", self.wire_type());
        object.push("call_id", self.id());
        object.push("name", self.name());
        object.push("allowed", self.rejection.is_none());
        object.push("reason", self.rejection.map_or(Value::Null, |rejection| Value::from(rejection.name())));
        object.push("detail", self.detail.as_str());
        object.push("answer", self.answer().map_or(Value::Null, Value::from));
        object.push("item", self.item.clone());
        Value::Object(object)
    }
}

/// Checks every call in the output of a response against the request that it answers.
///
/// ```
/// use deltafold::json::Value;
/// use deltafold::request::{enforce, CreateResponse, Rejection};
/// let request = CreateResponse::from_json(r#"{"tools":[{"type":"function","name":"look"},{"type":"function","name":"delete"}],
///     "tool_choice":{"type":"allowed_tools","tools":[{"type":"function","name":"look"}]}}"#)?;
/// let response = Value::parse(r#"{"output":[
///     {"type":"function_call","call_id":"c1","name":"look","arguments":"{}","status":"completed"},
///     {"type":"function_call","call_id":"c2","name":"delete","arguments":"{}","status":"completed"}]}"#, 64).unwrap();
/// let calls = enforce(&request, &response);
/// assert_eq!(calls[0].rejection, None);
/// assert_eq!(calls[1].rejection, Some(Rejection::NotAllowed));
/// assert_eq!(calls[1].answer().unwrap().get("call_id").unwrap().as_str(), Some("c2"));
/// # Ok::<(), deltafold::Error>(())
/// ```
pub fn enforce(request: &CreateResponse, response: &Value) -> Vec<CallVerdict> {
    let output = response.get("output").and_then(Value::as_array).unwrap_or_default();
    let mut budget = ToolBudget::of(request, response);
    let calls = output.iter().enumerate().filter(|(_, item)| item.str_at("type").is_some_and(is_call));
    let judge = |(index, item): (usize, &Value)| {
        let (rejection, detail) = match budget.check_call(item) {
            Ok(()) => (None, String::new()),
            Err((rejection, detail)) => (Some(rejection), detail),
        };
        CallVerdict { index, item: item.clone(), rejection, detail }
    };
    calls.map(judge).collect()
}

/// The calls that a request allows, and their remaining numbers.
struct ToolBudget<'a> {
    choice: Choice<'a>,
    tools: &'a [Value],
    /// Remaining calls in this response.
    parallel: usize,
    /// Remaining calls in the whole conversation.
    left: usize,
    /// True if the answer ended early: then none of its calls is run (INC-04).
    ended_early: bool,
}

impl<'a> ToolBudget<'a> {
    fn of(request: &'a CreateResponse, response: &Value) -> Self {
        let most = request.max_tool_calls().and_then(|most| usize::try_from(most).ok());
        let status = response.str_at("status").unwrap_or("completed");
        Self {
            choice: request.tool_choice(),
            tools: request.tools(),
            parallel: if request.parallel_tool_calls() == Some(false) { 1 } else { usize::MAX },
            left: most.unwrap_or(usize::MAX),
            ended_early: !matches!(status, "completed" | "in_progress" | "queued"),
        }
    }

    fn check_call(&mut self, call: &Value) -> Result<(), (Rejection, String)> {
        let because = |rejection| Err((rejection, String::new()));
        if self.ended_early || !matches!(call.str_at("status"), None | Some("completed")) {
            return because(Rejection::Unfinished);
        }
        match &self.choice {
            Choice::None => return because(Rejection::NoTools),
            Choice::Tool(tool) if !calls(call, *tool) => return because(Rejection::NotChosen),
            Choice::Allowed { mode: "none", .. } => return because(Rejection::NoTools),
            Choice::Allowed { tools, .. } if !tools.iter().any(|tool| calls(call, *tool)) => {
                return because(Rejection::NotAllowed);
            }
            _ => {}
        }
        let tool = self.tools.iter().find(|tool| ToolName::of(tool).is_some_and(|tool| calls(call, tool)));
        let Some(tool) = tool else { return because(Rejection::UnknownTool) };
        let kind = ItemKind::from_wire(call.str_at("type").unwrap_or_default());
        if kind == ItemKind::FunctionCall {
            let arguments = call.str_at("arguments").unwrap_or_default();
            check_arguments(tool, arguments).map_err(|detail| (Rejection::BadArguments, detail))?;
        }
        if self.left == 0 {
            return because(Rejection::TooMany);
        }
        if kind.is_answered_by_client() {
            if self.parallel == 0 {
                return because(Rejection::Parallel);
            }
            self.parallel -= 1;
        }
        self.left -= 1;
        Ok(())
    }
}

/// Returns `true` if an item is a call of this tool.
fn calls(call: &Value, tool: ToolName<'_>) -> bool {
    let kind = call.str_at("type").unwrap_or_default();
    let name = call.str_at("name");
    match ItemKind::from_wire(kind) {
        ItemKind::FunctionCall => tool.kind == "function" && tool.name == name,
        ItemKind::CustomToolCall => tool.kind == "custom" && tool.name == name,
        ItemKind::McpCall | ItemKind::McpApprovalRequest => {
            let server = tool.server.is_some() && tool.server == call.str_at("server_label");
            tool.kind == "mcp" && server && tool.name.is_none_or(|tool| Some(tool) == name)
        }
        ItemKind::ComputerCall => tool.kind.starts_with("computer"),
        // `web_search_call` comes from `web_search`, `web_search_preview` and their dated forms.
        _ => kind.strip_suffix("_call").is_some_and(|base| tool.kind.starts_with(base)),
    }
}

fn is_call(kind: &str) -> bool {
    // A call of an extension type is answered by its server. Unknown types count by their name.
    !kind.contains(':') && (kind.ends_with("_call") || kind == ItemKind::McpApprovalRequest.name())
}

display_name!(Rejection);

parse_name! {
    Rejection, "rejection";
}
