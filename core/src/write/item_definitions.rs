//! [`ItemDefinition`]: the writer's table of item types.
//!
//! A definition lists the fields in the order of the wire with their initial values, the streamed input and the possible final
//! statuses. Names, editions, progress events and the events of an input are those of the contract's tables.

use crate::contract::kinds::progress_item;
use crate::contract::text_route::{done_event, text_route, TextTarget};
use crate::contract::{Edition, ItemKind, Kind};
use crate::named::{display_name, parse_name};
pub use crate::status::ItemStatus;

/// The definition of an item type.
#[derive(Debug)]
pub(crate) struct ItemDefinition {
    pub(crate) kind: ItemKind,
    /// Prefix of generated ids.
    pub(crate) prefix: &'static str,
    /// Fields after `type` and `id`, in order.
    pub(crate) fields: &'static [(&'static str, InitialValue)],
    pub(crate) parts: ItemParts,
    pub(crate) input: Option<InputField>,
    pub(crate) ends: EndStatuses,
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
    /// True if it is JSON, so that an empty input is written as `{}`.
    pub(crate) json: bool,
}

/// A progress state of a hosted tool. A later state never precedes an earlier one in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
        Self::ALL.iter().copied().find(|state| state.name() == name)
    }

    /// Every state, in the order in which a tool goes through them.
    pub const ALL: &'static [Self] = &[
        Self::InProgress,
        Self::Searching,
        Self::Interpreting,
        Self::Generating,
        Self::Compacting,
        Self::Completed,
        Self::Failed,
    ];
}

impl InputField {
    /// The input that this delta event extends. Evaluated at compile time.
    const fn of(delta: Kind, json: bool) -> Option<Self> {
        match text_route(delta) {
            Some(route) => match route.target {
                TextTarget::Field(key) => Some(Self { key, inside: None, delta, json }),
                TextTarget::Diff => Some(Self { key: "diff", inside: Some("operation"), delta, json }),
                _ => panic!("an input is a string of its item"),
            },
            None => panic!("the delta has no route"),
        }
    }

    /// The event with the whole input.
    pub(crate) fn done(self) -> Kind {
        done_event(self.delta).unwrap_or(self.delta)
    }
}

/// The prefix of the ids of items of a type; `item` for a type that is not known.
#[cfg(feature = "validate")]
pub(crate) fn id_prefix(item_type: &str) -> &'static str {
    ItemDefinition::of(item_type).map_or("item", |definition| definition.prefix)
}

impl ItemDefinition {
    /// The definition of an item type; extension types share one.
    pub(crate) fn of(item_type: &str) -> Option<&'static Self> {
        let kind = ItemKind::from_wire(item_type);
        ITEM_DEFINITIONS.iter().find(|definition| definition.kind == kind)
    }

    /// Returns `true` for the definition that all extension types share.
    pub(crate) fn is_extension(&self) -> bool {
        self.kind == ItemKind::Extension
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
        let still = self.input.is_none() && self.parts == ItemParts::None && !self.is_extension();
        let has_progress = Kind::ALL.iter().any(|kind| progress_item(*kind) == Some(self.kind));
        // The only state of a compaction is OpenAI's. Calls stay open while their client runs them.
        still && (self.kind == ItemKind::Compaction || !(has_progress || self.kind.name().ends_with("_call")))
    }

    /// The progress event of a state, if the edition has it.
    pub(crate) fn state(&self, state: ToolState, edition: Edition) -> Option<Kind> {
        let reports = |kind: &Kind| progress_item(*kind) == Some(self.kind) && kind.status() == Some(state.name());
        let found = Kind::ALL.iter().copied().find(reports)?;
        found.editions().contains(edition).then_some(found)
    }
}

const fn item(kind: ItemKind, prefix: &'static str, fields: &'static [(&'static str, InitialValue)]) -> ItemDefinition {
    ItemDefinition { kind, prefix, fields, parts: ItemParts::None, input: None, ends: EndStatuses::Incomplete }
}

pub(crate) const ITEM_DEFINITIONS: &[ItemDefinition] = {
    use InitialValue::{CallId, Commands, Content, List, Literal, Null, Outputs, Required, Status, Summary, Text};
    &[
        ItemDefinition {
            parts: ItemParts::Message,
            ..item(
                ItemKind::Message,
                "msg",
                &[("status", Status), ("role", Literal("assistant")), ("content", Content)],
            )
        },
        ItemDefinition {
            input: InputField::of(Kind::FunctionCallArgumentsDelta, true),
            ..item(
                ItemKind::FunctionCall,
                "fc",
                &[("call_id", CallId), ("name", Required), ("arguments", InitialValue::Input), ("status", Status)],
            )
        },
        item(ItemKind::FunctionCallOutput, "fco", &[("call_id", Required), ("output", Text), ("status", Status)]),
        ItemDefinition {
            parts: ItemParts::Reasoning,
            ..item(ItemKind::Reasoning, "rs", &[("status", Status), ("summary", Summary)])
        },
        item(ItemKind::Compaction, "cmp", &[("status", Status), ("encrypted_content", Text)]),
        ItemDefinition {
            input: InputField::of(Kind::CustomToolCallInputDelta, false),
            ..item(
                ItemKind::CustomToolCall,
                "ctc",
                &[("call_id", CallId), ("name", Required), ("input", InitialValue::Input), ("status", Status)],
            )
        },
        item(ItemKind::CustomToolCallOutput, "ctco", &[("call_id", Required), ("output", Text), ("status", Status)]),
        ItemDefinition {
            ends: EndStatuses::IncompleteOrFailed,
            ..item(ItemKind::WebSearchCall, "ws", &[("status", Status)])
        },
        ItemDefinition {
            ends: EndStatuses::IncompleteOrFailed,
            ..item(ItemKind::FileSearchCall, "fs", &[("status", Status), ("queries", List), ("results", Null)])
        },
        ItemDefinition {
            input: InputField::of(Kind::CodeInterpreterCallCodeDelta, false),
            ends: EndStatuses::IncompleteOrFailed,
            ..item(
                ItemKind::CodeInterpreterCall,
                "ci",
                &[("status", Status), ("container_id", Required), ("code", InitialValue::Input), ("outputs", Null)],
            )
        },
        ItemDefinition {
            ends: EndStatuses::IncompleteOrFailed,
            ..item(ItemKind::ImageGenerationCall, "ig", &[("status", Status)])
        },
        ItemDefinition {
            ends: EndStatuses::IncompleteOrFailed,
            ..item(ItemKind::McpListTools, "mcpl", &[("status", Status), ("server_label", Required), ("tools", List)])
        },
        ItemDefinition {
            input: InputField::of(Kind::McpCallArgumentsDelta, true),
            ends: EndStatuses::IncompleteOrFailed,
            ..item(
                ItemKind::McpCall,
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
        item(
            ItemKind::McpApprovalRequest,
            "mcpr",
            &[("status", Status), ("server_label", Required), ("name", Required), ("arguments", Literal("{}"))],
        ),
        item(
            ItemKind::McpApprovalResponse,
            "mcpa",
            &[("status", Status), ("approval_request_id", Required), ("approve", Required), ("reason", Null)],
        ),
        ItemDefinition {
            parts: ItemParts::Commands,
            ..item(ItemKind::ShellCall, "sh", &[("call_id", CallId), ("action", Commands), ("status", Status)])
        },
        ItemDefinition {
            parts: ItemParts::Outputs,
            ..item(
                ItemKind::ShellCallOutput,
                "sho",
                &[("call_id", Required), ("output", Outputs), ("max_output_length", Null), ("status", Status)],
            )
        },
        ItemDefinition {
            input: InputField::of(Kind::ApplyPatchCallOperationDiffDelta, false),
            ends: EndStatuses::CompletedOnly,
            ..item(ItemKind::ApplyPatchCall, "apc", &[("call_id", CallId), ("status", Status), ("operation", Required)])
        },
        ItemDefinition {
            ends: EndStatuses::FailedWithoutProgress,
            ..item(
                ItemKind::ApplyPatchCallOutput,
                "apco",
                &[("call_id", Required), ("status", Status), ("output", Null)],
            )
        },
        item(ItemKind::ComputerCall, "cu", &[("call_id", CallId), ("pending_safety_checks", List), ("status", Status)]),
        ItemDefinition {
            ends: EndStatuses::AnyWithoutProgress,
            ..item(
                ItemKind::ComputerCallOutput,
                "cuo",
                &[("call_id", Required), ("output", Required), ("status", Status), ("current_url", Null)],
            )
        },
        item(ItemKind::LocalShellCall, "lsh", &[("call_id", CallId), ("action", Required), ("status", Status)]),
        item(ItemKind::LocalShellCallOutput, "lsho", &[("call_id", Required), ("output", Text), ("status", Status)]),
        ItemDefinition {
            ends: EndStatuses::IncompleteOrFailed,
            ..item(ItemKind::Extension, "ext", &[("status", Status)])
        },
    ]
};

display_name!(ToolState);

parse_name! {
    ToolState, "tool state";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_prefixes_are_unique() {
        for (at, definition) in ITEM_DEFINITIONS.iter().enumerate() {
            assert!(
                ITEM_DEFINITIONS[..at].iter().all(|other| other.prefix != definition.prefix),
                "{}",
                definition.kind
            );
        }
    }

    #[test]
    fn every_item_type_has_one_definition_and_every_progress_state_a_name() {
        for kind in ItemKind::ALL.iter().chain(&[ItemKind::Extension]) {
            assert_eq!(ITEM_DEFINITIONS.iter().filter(|definition| definition.kind == *kind).count(), 1, "{kind}");
        }
        for state in Kind::ALL.iter().filter_map(|kind| kind.status()) {
            assert!(ToolState::from_name(state).is_some(), "{state}");
        }
    }

    #[test]
    fn every_input_has_a_done_event() {
        for input in ITEM_DEFINITIONS.iter().filter_map(|definition| definition.input) {
            assert_eq!(input.done().name(), input.delta.name().replace(".delta", ".done"));
        }
    }
}
