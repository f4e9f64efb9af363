//! [`Expected`]: what a request, or its echo in the response, lets one expect of the output: tool calls above all.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::object::Tell;
use super::rule::Rule;
use super::slots::Class;
use crate::json::{Tag, View};

/// What is known of the request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expected {
    choice: Choice,
    parallel: Option<bool>,
    max_calls: Option<u64>,
    /// Whether the request itself was handed in: then its echo teaches nothing new.
    pub(crate) asked: bool,
    /// How many tools the request has.
    pub(crate) tools: Option<usize>,
    /// Whether padding was switched off.
    pub(crate) no_padding: bool,
    /// Whether encrypted reasoning was asked for.
    pub(crate) encrypted: bool,
    /// `previous_response_id` of the request; empty for none.
    pub(crate) previous: String,
}

/// What `tool_choice` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Choice {
    #[default]
    Auto,
    None,
    Required,
    /// This function.
    Function(String),
    /// Only these tools, by type and name; a call is required or not.
    Allowed {
        required: bool,
        tools: Vec<(String, String)>,
    },
    /// A tool without a name, by its type.
    Hosted(String),
}

/// One tool call of an output.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) class: Class,
    /// The item's type.
    pub(crate) kind: String,
    /// The function's or tool's name.
    pub(crate) name: String,
    pub(crate) path: String,
}

impl Call {
    /// The calls of an output; the flag says whether an item of unknown type is among it, which may be one too.
    pub(crate) fn all(output: View<'_>, path: &str) -> (Vec<Self>, bool) {
        let mut calls = Vec::new();
        let mut foreign = false;
        for (index, item) in output.elements().enumerate() {
            let text = |key: &str| item.get(key).and_then(|value| value.as_str()).unwrap_or_default();
            let kind = text("type");
            let class = Class::of(&kind);
            foreign |= class == Class::Foreign;
            if class.is_call() {
                let (kind, name) = (kind.into_owned(), text("name").into_owned());
                calls.push(Self { class, kind, name, path: format!("{path}/{index}") });
            }
        }
        (calls, foreign)
    }
}

impl Expected {
    /// Learns from the request.
    pub(crate) fn note_request(&mut self, request: View<'_>) {
        self.asked = true;
        self.learn(request);
        self.tools =
            request.get("tools").filter(|tools| tools.tag() == Tag::Array).map(|tools| tools.elements().count());
        let padding = request.pointer("/stream_options/include_obfuscation").and_then(|flag| flag.as_bool());
        self.no_padding = padding == Some(false);
        let wanted = |value: View<'_>| value.is_str("reasoning.encrypted_content");
        self.encrypted = request.get("include").is_some_and(|include| include.elements().any(wanted));
        self.previous = request.get("previous_response_id").and_then(|id| id.as_str()).unwrap_or_default().into_owned();
    }

    /// Learns from the echo in a snapshot, unless the request is known.
    pub(crate) fn note_response(&mut self, response: View<'_>) {
        if !self.asked {
            self.learn(response);
        }
    }

    fn learn(&mut self, object: View<'_>) {
        let [choice, parallel, most] = object.members(["tool_choice", "parallel_tool_calls", "max_tool_calls"]);
        if let Some(choice) = choice {
            self.choice = Choice::of(choice);
        }
        self.parallel = parallel.and_then(|flag| flag.as_bool());
        self.max_calls = most.and_then(|count| count.as_u64());
    }

    /// Checks the calls of an output. `completed`: nothing was cut off, so what is required must be there.
    pub(crate) fn check(&self, calls: &[Call], completed: bool, path: &str, tell: &mut Tell<'_>) {
        let mut wrong = |rule: Rule, path: &str, message: &str| tell(rule, path.into(), message.into());
        let none = calls.is_empty() && completed;
        match &self.choice {
            Choice::Auto => {}
            Choice::None => {
                for call in calls {
                    wrong(Rule::Tool02, &call.path, "expected no tool call, found one");
                }
            }
            Choice::Required if none => wrong(Rule::Tool01, path, "expected at least one tool call, found none"),
            Choice::Required => {}
            Choice::Function(name) => {
                for call in calls.iter().filter(|call| !call.class.is_client_call() || call.name != *name) {
                    wrong(Rule::Tool04, &call.path, "expected a call of the chosen function, found another call");
                }
                if none {
                    wrong(Rule::Tool04, path, "expected a call of the chosen function, found none");
                }
            }
            Choice::Allowed { required, tools } => {
                for call in calls.iter().filter(|call| !tools.iter().any(|tool| call.is_of(tool))) {
                    wrong(Rule::Tool05, &call.path, "expected a call of an allowed tool, found another call");
                }
                if none && *required {
                    wrong(Rule::Tool01, path, "expected at least one tool call, found none");
                }
            }
            Choice::Hosted(_) if none => {
                wrong(Rule::Tool04, path, "expected a call of the chosen tool, found none");
            }
            Choice::Hosted(_) => {}
        }
        let mut clients = calls.iter().filter(|call| call.class.is_client_call());
        if let (Some(false), Some(call)) = (self.parallel, clients.nth(1)) {
            wrong(Rule::Tool09, &call.path, "expected one call, since parallel calls are off, found another one");
        }
        let limit = self.max_calls.and_then(|limit| usize::try_from(limit).ok());
        if let Some((limit, call)) = limit.and_then(|limit| Some((limit, calls.get(limit)?))) {
            wrong(Rule::Tool09, &call.path, &format!("expected at most {limit} calls, found {}", calls.len()));
        }
    }
}

impl Choice {
    fn of(view: View<'_>) -> Self {
        if let Some(word) = view.as_str() {
            return match &*word {
                "none" => Self::None,
                "required" => Self::Required,
                _ => Self::Auto,
            };
        }
        let text =
            |view: View<'_>, key: &str| view.get(key).and_then(|value| value.as_str()).unwrap_or_default().into_owned();
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
    /// Says whether this is a call of a tool, given by type and name.
    fn is_of(&self, (kind, name): &(String, String)) -> bool {
        match self.class {
            Class::FunctionCall => kind == "function" && self.name == *name,
            Class::CustomToolCall => kind == "custom" && self.name == *name,
            // `web_search_call` comes from `web_search`, `web_search_preview` and their dated forms.
            _ => self.kind.strip_suffix("_call").is_some_and(|base| kind.starts_with(base)),
        }
    }
}
