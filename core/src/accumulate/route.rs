//! The route of each event into its item, as one table.

use crate::contract::Kind;
use crate::validate::Rule;

/// The string inside an item that an event extends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// `content[c].<field>`, in a part of this type.
    Content(&'static str, &'static str),
    /// `summary[s].text`
    Summary,
    /// `<field>`, a string of the item itself.
    Field(&'static str),
    /// `operation.diff`
    Diff,
    /// `action.commands[k]`, each a string
    Command,
}

/// The route of an event: the item type that it implies, the string that it extends, and the rule that compares its deltas with the done event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    pub(crate) item_type: &'static str,
    pub(crate) target: Target,
    pub(crate) agree: Rule,
}

/// The route of a delta or done event that carries text for an item; `None` for every other kind.
#[inline]
pub(crate) fn text_route(kind: Kind) -> Option<Route> {
    use Kind::*;
    let (item_type, target, agree) = match kind {
        OutputTextDelta | OutputTextDone => ("message", Target::Content("output_text", "text"), Rule::Text01),
        RefusalDelta | RefusalDone => ("message", Target::Content("refusal", "refusal"), Rule::Ref02),
        ReasoningDelta | ReasoningDone | ReasoningTextDelta | ReasoningTextDone => {
            ("reasoning", Target::Content("reasoning_text", "text"), Rule::Text01)
        }
        ReasoningSummaryTextDelta | ReasoningSummaryTextDone => ("reasoning", Target::Summary, Rule::Rsn07),
        FunctionCallArgumentsDelta | FunctionCallArgumentsDone => {
            ("function_call", Target::Field("arguments"), Rule::Arg02)
        }
        CustomToolCallInputDelta | CustomToolCallInputDone => ("custom_tool_call", Target::Field("input"), Rule::Arg02),
        McpCallArgumentsDelta | McpCallArgumentsDone => ("mcp_call", Target::Field("arguments"), Rule::Arg02),
        CodeInterpreterCallCodeDelta | CodeInterpreterCallCodeDone => {
            ("code_interpreter_call", Target::Field("code"), Rule::Arg02)
        }
        ApplyPatchCallOperationDiffDelta | ApplyPatchCallOperationDiffDone => {
            ("apply_patch_call", Target::Diff, Rule::Arg02)
        }
        ShellCallCommandAdded | ShellCallCommandDelta | ShellCallCommandDone => {
            ("shell_call", Target::Command, Rule::Arg02)
        }
        _ => return None,
    };
    Some(Route { item_type, target, agree })
}

/// The item type that a tool-state or progress event implies.
pub(crate) fn implied_type(kind: Kind) -> Option<&'static str> {
    use Kind::*;
    Some(match kind {
        McpCallInProgress | McpCallCompleted | McpCallFailed => "mcp_call",
        McpListToolsInProgress | McpListToolsCompleted | McpListToolsFailed => "mcp_list_tools",
        FileSearchCallInProgress | FileSearchCallSearching | FileSearchCallCompleted => "file_search_call",
        WebSearchCallInProgress | WebSearchCallSearching | WebSearchCallCompleted => "web_search_call",
        CodeInterpreterCallInProgress | CodeInterpreterCallInterpreting | CodeInterpreterCallCompleted => {
            "code_interpreter_call"
        }
        ImageGenerationCallInProgress
        | ImageGenerationCallGenerating
        | ImageGenerationCallPartialImage
        | ImageGenerationCallCompleted => "image_generation_call",
        CompactionCompacting => "compaction",
        _ => return text_route(kind).map(|route| route.item_type),
    })
}
