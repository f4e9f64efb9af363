//! [`ItemDefinition`]: the writer's table of item types.
//!
//! A definition lists the fields in the order of the wire with their initial values, the streamed input, the progress events and
//! the possible final statuses.

use crate::contract::{is_valid_extension_type, Edition, Editions, Kind};
use crate::named::display_name;
pub use crate::status::ItemStatus;

/// The definition of an item type.
#[derive(Debug)]
pub(crate) struct ItemDefinition {
    pub(crate) name: &'static str,
    /// Prefix of generated ids.
    pub(crate) prefix: &'static str,
    /// Fields after `type` and `id`, in order.
    pub(crate) fields: &'static [(&'static str, InitialValue)],
    pub(crate) parts: ItemParts,
    pub(crate) input: Option<InputField>,
    /// Progress states and their events, in their only valid order.
    pub(crate) states: &'static [(ToolState, Kind)],
    pub(crate) ends: EndStatuses,
    pub(crate) editions: Editions,
}

/// The initial value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InitialValue {
    Status,
    /// This string.
    Literal(&'static str),
    /// None: the caller must set it.
    Required,
    /// Set by the caller, or derived from the response's id.
    CallId,
    Text,
    Null,
    List,
    /// `content` of a message.
    Content,
    /// `summary` of a reasoning item; `content` follows it unless it is empty.
    Summary,
    /// The streamed input.
    Input,
    /// `action` of a shell call: an object with streamed commands.
    Commands,
    /// `output` of a shell call output: one streamed entry per command.
    Outputs,
}

/// The parts of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemParts {
    None,
    Message,
    Reasoning,
    Commands,
    Outputs,
}

/// A streamed string that is not in a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputField {
    /// The field of the item and of the done event.
    pub(crate) key: &'static str,
    /// The object that contains it, if it is not a field of the item itself.
    pub(crate) inside: Option<&'static str>,
    pub(crate) delta: Kind,
    pub(crate) done: Kind,
    /// True if it is JSON, so that an empty input is written as `{}`.
    pub(crate) json: bool,
}

/// A progress state of a hosted tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ToolState {
    /// The tool has started; written automatically when the item is added.
    InProgress,
    /// A search is running.
    Searching,
    /// Code is running.
    Interpreting,
    /// An image is being generated.
    Generating,
    /// The conversation is being compacted (OpenAI only).
    Compacting,
    /// The tool has finished; written automatically when the item is closed.
    Completed,
    /// The tool has failed; written automatically when the item is closed as failed.
    Failed,
}

/// The final statuses of a type besides `completed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndStatuses {
    /// `incomplete`.
    Incomplete,
    /// `incomplete` and `failed`.
    IncompleteOrFailed,
    /// `failed`; the type has no `in_progress`, so its items are written complete.
    FailedWithoutProgress,
    /// `incomplete` and `failed`; the type has no `in_progress`.
    AnyWithoutProgress,
    /// None: the contract's `ApplyPatchCallStatus` has only `in_progress` and `completed`. A patch that was cut off is written as
    /// `in_progress`, because a client would apply half a patch that is `completed`.
    CompletedOnly,
}

impl ToolState {
    /// The name in events and in the item's status.
    pub fn name(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Searching => "searching",
            Self::Interpreting => "interpreting",
            Self::Generating => "generating",
            Self::Compacting => "compacting",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }

    /// The state with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        use ToolState::{Compacting, Completed, Failed, Generating, InProgress, Interpreting, Searching};
        [InProgress, Searching, Interpreting, Generating, Compacting, Completed, Failed]
            .into_iter()
            .find(|state| state.name() == name)
    }
}

impl ItemDefinition {
    /// The definition of an item type; extension types share one.
    pub(crate) fn of(item_type: &str) -> Option<&'static Self> {
        let definition = ITEM_DEFINITIONS.iter().find(|definition| definition.name == item_type);
        definition.or_else(|| is_valid_extension_type(item_type).then_some(&EXTENSION))
    }

    /// The status on the wire, if the type has it.
    pub(crate) fn status_word(&self, status: ItemStatus) -> Option<&'static str> {
        match (status, self.ends) {
            (ItemStatus::InProgress, _) => None,
            (ItemStatus::Incomplete, EndStatuses::CompletedOnly) => Some("in_progress"),
            (ItemStatus::Incomplete, EndStatuses::FailedWithoutProgress) => None,
            (ItemStatus::Failed, EndStatuses::Incomplete | EndStatuses::CompletedOnly) => None,
            _ => Some(status.name()),
        }
    }

    /// Returns `true` if the type has no `in_progress`.
    pub(crate) fn has_no_in_progress(&self) -> bool {
        matches!(self.ends, EndStatuses::AnyWithoutProgress | EndStatuses::FailedWithoutProgress)
    }

    /// Returns `true` if the type has no streamed contents and no progress, so that its intent writes a complete item.
    pub(crate) fn is_static(&self) -> bool {
        let still = self.input.is_none() && self.parts == ItemParts::None && !self.name.is_empty();
        // The only state of a compaction is OpenAI's. Calls stay open while their client runs them.
        still && (self.name == "compaction" || (self.states.is_empty() && !self.name.ends_with("_call")))
    }

    /// The progress event of a state, if the edition has it.
    pub(crate) fn state(&self, state: ToolState, edition: Edition) -> Option<Kind> {
        let found = self.states.iter().find(|(known, _)| *known == state).map(|(_, kind)| *kind)?;
        found.editions().contains(edition).then_some(found)
    }
}

const ALL: Editions = Editions::of(&Edition::ALL);
const HOSTED: Editions = Editions::of(&[Edition::Split, Edition::Split2026_01, Edition::OpenAi]);
const COMPACTION: Editions =
    Editions::of(&[Edition::V2026_04_24, Edition::Split, Edition::Split2026_01, Edition::OpenAi]);

const fn hosted_item(
    name: &'static str,
    prefix: &'static str,
    fields: &'static [(&'static str, InitialValue)],
) -> ItemDefinition {
    ItemDefinition {
        name,
        prefix,
        fields,
        parts: ItemParts::None,
        input: None,
        states: &[],
        ends: EndStatuses::Incomplete,
        editions: HOSTED,
    }
}

const fn input(key: &'static str, delta: Kind, done: Kind, json: bool) -> Option<InputField> {
    Some(InputField { key, inside: None, delta, done, json })
}

const EXTENSION: ItemDefinition = ItemDefinition {
    ends: EndStatuses::IncompleteOrFailed,
    editions: ALL,
    ..hosted_item("", "ext", &[("status", InitialValue::Status)])
};

pub(crate) const ITEM_DEFINITIONS: &[ItemDefinition] = {
    use InitialValue::{CallId, Commands, Content, List, Literal, Null, Outputs, Required, Status, Summary, Text};
    use ToolState::{Compacting, Completed, Failed, Generating, InProgress, Interpreting, Searching};
    &[
        ItemDefinition {
            parts: ItemParts::Message,
            editions: ALL,
            ..hosted_item("message", "msg", &[("status", Status), ("role", Literal("assistant")), ("content", Content)])
        },
        ItemDefinition {
            input: input("arguments", Kind::FunctionCallArgumentsDelta, Kind::FunctionCallArgumentsDone, true),
            editions: ALL,
            ..hosted_item(
                "function_call",
                "fc",
                &[("call_id", CallId), ("name", Required), ("arguments", InitialValue::Input), ("status", Status)],
            )
        },
        ItemDefinition {
            editions: ALL,
            ..hosted_item("function_call_output", "fco", &[("call_id", Required), ("output", Text), ("status", Status)])
        },
        ItemDefinition {
            parts: ItemParts::Reasoning,
            editions: ALL,
            ..hosted_item("reasoning", "rs", &[("status", Status), ("summary", Summary)])
        },
        ItemDefinition {
            states: &[(Compacting, Kind::CompactionCompacting)],
            editions: COMPACTION,
            ..hosted_item("compaction", "cmp", &[("status", Status), ("encrypted_content", Text)])
        },
        ItemDefinition {
            input: input("input", Kind::CustomToolCallInputDelta, Kind::CustomToolCallInputDone, false),
            ..hosted_item(
                "custom_tool_call",
                "ctc",
                &[("call_id", CallId), ("name", Required), ("input", InitialValue::Input), ("status", Status)],
            )
        },
        hosted_item("custom_tool_call_output", "ctco", &[("call_id", Required), ("output", Text), ("status", Status)]),
        ItemDefinition {
            states: &[
                (InProgress, Kind::WebSearchCallInProgress),
                (Searching, Kind::WebSearchCallSearching),
                (Completed, Kind::WebSearchCallCompleted),
            ],
            ends: EndStatuses::IncompleteOrFailed,
            ..hosted_item("web_search_call", "ws", &[("status", Status)])
        },
        ItemDefinition {
            states: &[
                (InProgress, Kind::FileSearchCallInProgress),
                (Searching, Kind::FileSearchCallSearching),
                (Completed, Kind::FileSearchCallCompleted),
            ],
            ends: EndStatuses::IncompleteOrFailed,
            ..hosted_item("file_search_call", "fs", &[("status", Status), ("queries", List), ("results", Null)])
        },
        ItemDefinition {
            input: input("code", Kind::CodeInterpreterCallCodeDelta, Kind::CodeInterpreterCallCodeDone, false),
            states: &[
                (InProgress, Kind::CodeInterpreterCallInProgress),
                (Interpreting, Kind::CodeInterpreterCallInterpreting),
                (Completed, Kind::CodeInterpreterCallCompleted),
            ],
            ends: EndStatuses::IncompleteOrFailed,
            ..hosted_item(
                "code_interpreter_call",
                "ci",
                &[("status", Status), ("container_id", Required), ("code", InitialValue::Input), ("outputs", Null)],
            )
        },
        ItemDefinition {
            states: &[
                (InProgress, Kind::ImageGenerationCallInProgress),
                (Generating, Kind::ImageGenerationCallGenerating),
                (Completed, Kind::ImageGenerationCallCompleted),
            ],
            ends: EndStatuses::IncompleteOrFailed,
            ..hosted_item("image_generation_call", "ig", &[("status", Status)])
        },
        ItemDefinition {
            states: &[
                (InProgress, Kind::McpListToolsInProgress),
                (Completed, Kind::McpListToolsCompleted),
                (Failed, Kind::McpListToolsFailed),
            ],
            ends: EndStatuses::IncompleteOrFailed,
            ..hosted_item("mcp_list_tools", "mcpl", &[("status", Status), ("server_label", Required), ("tools", List)])
        },
        ItemDefinition {
            input: input("arguments", Kind::McpCallArgumentsDelta, Kind::McpCallArgumentsDone, true),
            states: &[
                (InProgress, Kind::McpCallInProgress),
                (Completed, Kind::McpCallCompleted),
                (Failed, Kind::McpCallFailed),
            ],
            ends: EndStatuses::IncompleteOrFailed,
            ..hosted_item(
                "mcp_call",
                "mcp",
                &[
                    ("status", Status),
                    ("approval_request_id", Null),
                    ("server_label", Required),
                    ("name", Required),
                    ("arguments", InitialValue::Input),
                    ("output", Null),
                    ("error", Null),
                ],
            )
        },
        hosted_item(
            "mcp_approval_request",
            "mcpr",
            &[("status", Status), ("server_label", Required), ("name", Required), ("arguments", Literal("{}"))],
        ),
        hosted_item(
            "mcp_approval_response",
            "mcpa",
            &[("status", Status), ("approval_request_id", Required), ("approve", Required), ("reason", Null)],
        ),
        ItemDefinition {
            parts: ItemParts::Commands,
            ..hosted_item("shell_call", "sh", &[("call_id", CallId), ("action", Commands), ("status", Status)])
        },
        ItemDefinition {
            parts: ItemParts::Outputs,
            ..hosted_item(
                "shell_call_output",
                "sho",
                &[("call_id", Required), ("output", Outputs), ("max_output_length", Null), ("status", Status)],
            )
        },
        ItemDefinition {
            input: Some(InputField {
                key: "diff",
                inside: Some("operation"),
                delta: Kind::ApplyPatchCallOperationDiffDelta,
                done: Kind::ApplyPatchCallOperationDiffDone,
                json: false,
            }),
            ends: EndStatuses::CompletedOnly,
            ..hosted_item(
                "apply_patch_call",
                "apc",
                &[("call_id", CallId), ("status", Status), ("operation", Required)],
            )
        },
        ItemDefinition {
            ends: EndStatuses::FailedWithoutProgress,
            ..hosted_item(
                "apply_patch_call_output",
                "apco",
                &[("call_id", Required), ("status", Status), ("output", Null)],
            )
        },
        hosted_item("computer_call", "cu", &[("call_id", CallId), ("pending_safety_checks", List), ("status", Status)]),
        ItemDefinition {
            ends: EndStatuses::AnyWithoutProgress,
            ..hosted_item(
                "computer_call_output",
                "cuo",
                &[("call_id", Required), ("output", Required), ("status", Status), ("current_url", Null)],
            )
        },
        hosted_item("local_shell_call", "lsh", &[("call_id", CallId), ("action", Required), ("status", Status)]),
        hosted_item("local_shell_call_output", "lsho", &[("call_id", Required), ("output", Text), ("status", Status)]),
    ]
};

display_name!(ToolState);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_prefixes_are_unique() {
        for (at, definition) in ITEM_DEFINITIONS.iter().enumerate() {
            assert!(
                ITEM_DEFINITIONS[..at].iter().all(|other| other.prefix != definition.prefix),
                "{}",
                definition.name
            );
        }
    }
}
