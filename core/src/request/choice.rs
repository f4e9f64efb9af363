//! [`Choice`]: a parsed `tool_choice`.

use alloc::vec::Vec;

use crate::json::Value;

/// The tools that a request lets the model call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Choice<'a> {
    /// Any tool or none.
    Auto,
    /// None.
    None,
    /// At least one tool.
    Required,
    /// This tool.
    Tool(ToolName<'a>),
    /// Only these tools, and the word of `mode`: `auto` if it is missing.
    Allowed {
        /// The tools of the list.
        tools: Vec<ToolName<'a>>,
        /// `none`, `auto` or `required`.
        mode: &'a str,
    },
}

/// A tool as a choice identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolName<'a> {
    /// Its type, such as `function`.
    pub kind: &'a str,
    /// Its name; for MCP the tool of the server. Hosted tools have none.
    pub name: Option<&'a str>,
    /// The server of an MCP tool.
    pub server: Option<&'a str>,
}

impl<'a> Choice<'a> {
    /// Reads a choice. An invalid one is `auto`, as if it were absent: the validator reports it.
    pub fn of(value: Option<&'a Value>) -> Self {
        match value {
            Some(Value::String(word)) if word == "none" => Self::None,
            Some(Value::String(word)) if word == "required" => Self::Required,
            Some(object) if object.str_at("type") == Some("allowed_tools") => {
                let tools = object.get("tools").and_then(Value::as_array).unwrap_or_default();
                let tools = tools.iter().filter_map(ToolName::of).collect();
                Self::Allowed { tools, mode: object.str_at("mode").unwrap_or("auto") }
            }
            Some(object) => ToolName::of(object).map_or(Self::Auto, Self::Tool),
            None => Self::Auto,
        }
    }
}

impl<'a> ToolName<'a> {
    pub(super) fn of(value: &'a Value) -> Option<Self> {
        Some(Self { kind: value.str_at("type")?, name: value.str_at("name"), server: value.str_at("server_label") })
    }
}
