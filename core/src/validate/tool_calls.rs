//! [`Expectations`]: what a request, or its repetition in the response, requires of the output, mainly of tool calls.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::object::Report;
use super::records::ItemClass;
use super::response_members::ResponseMembers;
use super::rule::Rule;
use crate::json::{ValueKind, ValueRef};

/// The known fields of the request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expectations {
    choice: RequiredToolChoice,
    parallel: Option<bool>,
    max_calls: Option<u64>,
    /// True if the request itself is known; the response's repetition of it is then ignored.
    pub(crate) asked: bool,
    /// Number of tools in the request.
    pub(crate) tools: Option<usize>,
    /// True if the request switched padding off.
    pub(crate) no_padding: bool,
    /// True if the request asked for encrypted reasoning.
    pub(crate) encrypted: bool,
    /// `previous_response_id` of the request; empty for none.
    pub(crate) previous: String,
}

/// The value of `tool_choice`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum RequiredToolChoice {
    #[default]
    Auto,
    None,
    Required,
    /// The function of this name.
    Function(String),
    /// Only these tools, by type and name; `required`: at least one call.
    Allowed {
        required: bool,
        tools: Vec<(String, String)>,
    },
    /// A hosted tool of this type.
    Hosted(String),
}

/// A tool call of an output.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) class: ItemClass,
    /// The item's type.
    pub(crate) kind: String,
    /// The name of the function or tool.
    pub(crate) name: String,
    pub(crate) path: String,
}

impl Call {
    /// The calls of an output, and whether it contains items of unknown type, which may be calls too.
    pub(crate) fn all(output: ValueRef<'_>, path: &str) -> (Vec<Self>, bool) {
        let mut calls = Vec::new();
        let mut foreign = false;
        for (index, item) in output.elements().enumerate() {
            let members = item.members(["type", "name"]);
            let [kind, name] = members.map(|member| member.and_then(|value| value.as_str()).unwrap_or_default());
            let class = ItemClass::of(&kind);
            foreign |= class == ItemClass::Foreign;
            if class.is_call() {
                let (kind, name) = (kind.into_owned(), name.into_owned());
                calls.push(Self { class, kind, name, path: format!("{path}/{index}") });
            }
        }
        (calls, foreign)
    }
}

impl Expectations {
    /// Takes the expectations from the request.
    pub(crate) fn note_request(&mut self, request: ValueRef<'_>) {
        self.asked = true;
        let [choice, parallel, most] = request.members(["tool_choice", "parallel_tool_calls", "max_tool_calls"]);
        self.learn(choice, parallel, most);
        self.tools =
            request.get("tools").filter(|tools| tools.kind() == ValueKind::Array).map(|tools| tools.elements().count());
        let padding = request.pointer("/stream_options/include_obfuscation").and_then(|flag| flag.as_bool());
        self.no_padding = padding == Some(false);
        let wanted = |value: ValueRef<'_>| value.is_str("reasoning.encrypted_content");
        self.encrypted = request.get("include").is_some_and(|include| include.elements().any(wanted));
        self.previous = request.get("previous_response_id").and_then(|id| id.as_str()).unwrap_or_default().into_owned();
    }

    /// Takes the expectations from a snapshot, unless the request is known.
    pub(super) fn note_response(&mut self, response: &ResponseMembers<'_>) {
        if !self.asked {
            self.learn(response.tool_choice, response.parallel_tool_calls, response.max_tool_calls);
        }
    }

    fn learn(&mut self, choice: Option<ValueRef<'_>>, parallel: Option<ValueRef<'_>>, most: Option<ValueRef<'_>>) {
        if let Some(choice) = choice {
            self.choice = RequiredToolChoice::of(choice);
        }
        self.parallel = parallel.and_then(|flag| flag.as_bool());
        self.max_calls = most.and_then(|count| count.as_u64());
    }

    /// Checks the calls of an output. `completed`: nothing was cut off, so that a required call must be present.
    pub(crate) fn check(&self, calls: &[Call], completed: bool, path: &str, report: &mut Report<'_>) {
        let mut wrong = |rule: Rule, path: &str, message: &str| report(rule, path.into(), message.into());
        let none = calls.is_empty() && completed;
        match &self.choice {
            RequiredToolChoice::Auto => {}
            RequiredToolChoice::None => {
                for call in calls {
                    wrong(Rule::Tool02, &call.path, "expected no tool call, found one");
                }
            }
            RequiredToolChoice::Required if none => {
                wrong(Rule::Tool01, path, "expected at least one tool call, found none")
            }
            RequiredToolChoice::Required => {}
            RequiredToolChoice::Function(name) => {
                for call in calls.iter().filter(|call| !call.class.is_client_call() || call.name != *name) {
                    wrong(Rule::Tool04, &call.path, "expected a call of the chosen function, found another call");
                }
                if none {
                    wrong(Rule::Tool04, path, "expected a call of the chosen function, found none");
                }
            }
            RequiredToolChoice::Allowed { required, tools } => {
                for call in calls.iter().filter(|call| !tools.iter().any(|tool| call.is_of(tool))) {
                    wrong(Rule::Tool05, &call.path, "expected a call of an allowed tool, found another call");
                }
                if none && *required {
                    wrong(Rule::Tool01, path, "expected at least one tool call, found none");
                }
            }
            RequiredToolChoice::Hosted(_) if none => {
                wrong(Rule::Tool04, path, "expected a call of the chosen tool, found none");
            }
            RequiredToolChoice::Hosted(_) => {}
        }
        let mut clients = calls.iter().filter(|call| call.class.is_client_call());
        if let (Some(false), Some(call)) = (self.parallel, clients.nth(1)) {
            wrong(Rule::Tool09, &call.path, "expected one call, because parallel calls are off, found another one");
        }
        let limit = self.max_calls.and_then(|limit| usize::try_from(limit).ok());
        if let Some((limit, call)) = limit.and_then(|limit| Some((limit, calls.get(limit)?))) {
            wrong(Rule::Tool09, &call.path, &format!("expected at most {limit} calls, found {}", calls.len()));
        }
    }
}

impl RequiredToolChoice {
    fn of(view: ValueRef<'_>) -> Self {
        if let Some(word) = view.as_str() {
            return match &*word {
                "none" => Self::None,
                "required" => Self::Required,
                _ => Self::Auto,
            };
        }
        let text = |view: ValueRef<'_>, key: &str| {
            view.get(key).and_then(|value| value.as_str()).unwrap_or_default().into_owned()
        };
        let (kind, name) = (text(view, "type"), text(view, "name"));
        match kind.as_str() {
            "function" | "custom" => Self::Function(name),
            "allowed_tools" => {
                let tools = view.get("tools").into_iter().flat_map(|tools| tools.elements());
                Self::Allowed {
                    required: text(view, "mode") == "required",
                    tools: tools.map(|tool| (text(tool, "type"), text(tool, "name"))).collect(),
                }
            }
            "" => Self::Auto,
            _ => Self::Hosted(kind),
        }
    }
}

impl Call {
    /// Returns `true` if this is a call of the tool with this type and name.
    fn is_of(&self, (kind, name): &(String, String)) -> bool {
        match self.class {
            ItemClass::FunctionCall => kind == "function" && self.name == *name,
            ItemClass::CustomToolCall => kind == "custom" && self.name == *name,
            // `web_search_call` is a call of `web_search`, `web_search_preview` or a dated form of them.
            _ => self.kind.strip_suffix("_call").is_some_and(|base| kind.starts_with(base)),
        }
    }
}
