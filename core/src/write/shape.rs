//! [`Shape`]: what the writer knows of each item type, as one table.
//!
//! A shape lists the fields in the order they are written, what each holds before anything is known, the string that
//! grows, the progress events and the words an item may end with.

use crate::contract::{Edition, Editions, Kind};

/// An item type.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    /// Start of the ids that are made for it.
    pub(crate) prefix: &'static str,
    /// Fields behind `type` and `id`, in order.
    pub(crate) fields: &'static [(&'static str, Zero)],
    pub(crate) holds: Holds,
    pub(crate) input: Option<Input>,
    /// Progress events, in the only order in which they may come.
    pub(crate) states: &'static [(ToolState, Kind)],
    pub(crate) ends: Ends,
    pub(crate) editions: Editions,
}

/// What a field holds before anything is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zero {
    Status,
    /// This text.
    Word(&'static str),
    /// Nothing fits: the caller gives it.
    Given,
    /// Given, or derived from the response's id.
    CallId,
    Text,
    Null,
    List,
    /// `content` of a message.
    Content,
    /// `summary` of a reasoning item; its `content` follows once there is any.
    Summary,
    /// The string that grows.
    Input,
    /// `action` of a shell call: an object whose commands grow.
    Commands,
    /// `output` of a shell call output: one entry per command, each grows.
    Outputs,
}

/// Which parts an item holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    Nothing,
    Message,
    Reasoning,
    Commands,
    Outputs,
}

/// A string of an item that grows by deltas without a part around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input {
    /// Its field, and the field's name in the done event.
    pub(crate) key: &'static str,
    /// The object around it, if it is not a field of the item.
    pub(crate) inside: Option<&'static str>,
    pub(crate) delta: Kind,
    pub(crate) done: Kind,
    /// Whether it is JSON: then nothing at all is written as `{}`.
    pub(crate) json: bool,
}

/// A step of a hosted tool's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ToolState {
    /// Work has begun; written by itself when the item is added.
    InProgress,
    /// A search runs.
    Searching,
    /// Code runs.
    Interpreting,
    /// An image is made.
    Generating,
    /// The conversation is compacted (OpenAI only).
    Compacting,
    /// The tool has finished; written by itself when the item is closed.
    Completed,
    /// The tool has failed; written by itself when the item is closed as failed.
    Failed,
}

/// The status of an item that is closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ItemStatus {
    /// The item is whole.
    #[default]
    Completed,
    /// The item was cut. The response ends incomplete, and no item follows.
    Incomplete,
    /// The tool failed. Only some hosted tools and extension items know this word.
    Failed,
}

/// Which statuses a type knows besides `completed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// `incomplete`.
    Cut,
    /// `incomplete` and `failed`.
    CutOrFailed,
    /// `failed`; there is no `in_progress` either, the item appears whole.
    Failed,
    /// `incomplete` and `failed`, and there is no `in_progress`.
    Whole,
    /// Nothing else: the contract's `ApplyPatchCallStatus` has only `in_progress` and `completed`. A patch that was cut stays
    /// `in_progress` in its done event, because the only terminal word would have half a patch applied.
    Nothing,
}

impl ToolState {
    /// The word in the event's name and in the item's status.
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

    /// The state of a word.
    pub fn from_name(name: &str) -> Option<Self> {
        use ToolState::{Compacting, Completed, Failed, Generating, InProgress, Interpreting, Searching};
        [InProgress, Searching, Interpreting, Generating, Compacting, Completed, Failed]
            .into_iter()
            .find(|state| state.name() == name)
    }
}

impl ItemStatus {
    /// `completed`, `incomplete` or `failed`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Incomplete => "incomplete",
            Self::Failed => "failed",
        }
    }

    /// The status of a word.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Completed, Self::Incomplete, Self::Failed].into_iter().find(|status| status.name() == name)
    }
}

impl Shape {
    /// The shape of an item type; extension types share one.
    pub(crate) fn of(item_type: &str) -> Option<&'static Self> {
        let shape = SHAPES.iter().find(|shape| shape.name == item_type);
        shape.or_else(|| is_extension(item_type).then_some(&EXTENSION))
    }

    /// The word for a status, if the type knows it.
    pub(crate) fn word(&self, status: ItemStatus) -> Option<&'static str> {
        match (status, self.ends) {
            (ItemStatus::Incomplete, Ends::Nothing) => Some("in_progress"),
            (ItemStatus::Incomplete, Ends::Failed) => None,
            (ItemStatus::Failed, Ends::Cut | Ends::Nothing) => None,
            _ => Some(status.name()),
        }
    }

    /// Whether the type has no status for work that goes on.
    pub(crate) fn appears_whole(&self) -> bool {
        matches!(self.ends, Ends::Whole | Ends::Failed)
    }

    /// Whether nothing in the item grows or progresses: by name it is written whole.
    pub(crate) fn is_still(&self) -> bool {
        let still = self.input.is_none() && self.holds == Holds::Nothing && !self.name.is_empty();
        // A compaction's only step belongs to OpenAI; calls are open while their client runs them.
        still && (self.name == "compaction" || (self.states.is_empty() && !self.name.ends_with("_call")))
    }

    /// The progress event of a state, if the edition has it.
    pub(crate) fn state(&self, state: ToolState, edition: Edition) -> Option<Kind> {
        let found = self.states.iter().find(|(known, _)| *known == state).map(|(_, kind)| *kind)?;
        found.editions().contains(edition).then_some(found)
    }
}

/// Whether a type is `slug:name`, in characters that need no escaping anywhere.
pub(crate) fn is_extension(name: &str) -> bool {
    let safe = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
    };
    name.split_once(':').is_some_and(|(slug, rest)| safe(slug) && safe(rest))
}

const ALL: Editions = Editions::of(&Edition::ALL);
const HOSTED: Editions = Editions::of(&[Edition::Split, Edition::Split2026_01, Edition::OpenAi]);
const COMPACTION: Editions =
    Editions::of(&[Edition::V2026_04_24, Edition::Split, Edition::Split2026_01, Edition::OpenAi]);

const fn shape(name: &'static str, prefix: &'static str, fields: &'static [(&'static str, Zero)]) -> Shape {
    Shape { name, prefix, fields, holds: Holds::Nothing, input: None, states: &[], ends: Ends::Cut, editions: HOSTED }
}

const fn input(key: &'static str, delta: Kind, done: Kind, json: bool) -> Option<Input> {
    Some(Input { key, inside: None, delta, done, json })
}

const EXTENSION: Shape =
    Shape { ends: Ends::CutOrFailed, editions: ALL, ..shape("", "ext", &[("status", Zero::Status)]) };

const SHAPES: &[Shape] = {
    use ToolState::{Compacting, Completed, Failed, Generating, InProgress, Interpreting, Searching};
    use Zero::{CallId, Commands, Content, Given, List, Null, Outputs, Status, Summary, Text, Word};
    &[
        Shape {
            holds: Holds::Message,
            editions: ALL,
            ..shape("message", "msg", &[("status", Status), ("role", Word("assistant")), ("content", Content)])
        },
        Shape {
            input: input("arguments", Kind::FunctionCallArgumentsDelta, Kind::FunctionCallArgumentsDone, true),
            editions: ALL,
            ..shape(
                "function_call",
                "fc",
                &[("call_id", CallId), ("name", Given), ("arguments", Zero::Input), ("status", Status)],
            )
        },
        Shape {
            editions: ALL,
            ..shape("function_call_output", "fco", &[("call_id", Given), ("output", Text), ("status", Status)])
        },
        Shape {
            holds: Holds::Reasoning,
            editions: ALL,
            ..shape("reasoning", "rs", &[("status", Status), ("summary", Summary)])
        },
        Shape {
            states: &[(Compacting, Kind::CompactionCompacting)],
            editions: COMPACTION,
            ..shape("compaction", "cmp", &[("status", Status), ("encrypted_content", Text)])
        },
        Shape {
            input: input("input", Kind::CustomToolCallInputDelta, Kind::CustomToolCallInputDone, false),
            ..shape(
                "custom_tool_call",
                "ctc",
                &[("call_id", CallId), ("name", Given), ("input", Zero::Input), ("status", Status)],
            )
        },
        shape("custom_tool_call_output", "ctco", &[("call_id", Given), ("output", Text), ("status", Status)]),
        Shape {
            states: &[
                (InProgress, Kind::WebSearchCallInProgress),
                (Searching, Kind::WebSearchCallSearching),
                (Completed, Kind::WebSearchCallCompleted),
            ],
            ends: Ends::CutOrFailed,
            ..shape("web_search_call", "ws", &[("status", Status)])
        },
        Shape {
            states: &[
                (InProgress, Kind::FileSearchCallInProgress),
                (Searching, Kind::FileSearchCallSearching),
                (Completed, Kind::FileSearchCallCompleted),
            ],
            ends: Ends::CutOrFailed,
            ..shape("file_search_call", "fs", &[("status", Status), ("queries", List), ("results", Null)])
        },
        Shape {
            input: input("code", Kind::CodeInterpreterCallCodeDelta, Kind::CodeInterpreterCallCodeDone, false),
            states: &[
                (InProgress, Kind::CodeInterpreterCallInProgress),
                (Interpreting, Kind::CodeInterpreterCallInterpreting),
                (Completed, Kind::CodeInterpreterCallCompleted),
            ],
            ends: Ends::CutOrFailed,
            ..shape(
                "code_interpreter_call",
                "ci",
                &[("status", Status), ("container_id", Given), ("code", Zero::Input), ("outputs", Null)],
            )
        },
        Shape {
            states: &[
                (InProgress, Kind::ImageGenerationCallInProgress),
                (Generating, Kind::ImageGenerationCallGenerating),
                (Completed, Kind::ImageGenerationCallCompleted),
            ],
            ends: Ends::CutOrFailed,
            ..shape("image_generation_call", "ig", &[("status", Status)])
        },
        Shape {
            states: &[
                (InProgress, Kind::McpListToolsInProgress),
                (Completed, Kind::McpListToolsCompleted),
                (Failed, Kind::McpListToolsFailed),
            ],
            ends: Ends::CutOrFailed,
            ..shape("mcp_list_tools", "mcpl", &[("status", Status), ("server_label", Given), ("tools", List)])
        },
        Shape {
            input: input("arguments", Kind::McpCallArgumentsDelta, Kind::McpCallArgumentsDone, true),
            states: &[
                (InProgress, Kind::McpCallInProgress),
                (Completed, Kind::McpCallCompleted),
                (Failed, Kind::McpCallFailed),
            ],
            ends: Ends::CutOrFailed,
            ..shape(
                "mcp_call",
                "mcp",
                &[
                    ("status", Status),
                    ("approval_request_id", Null),
                    ("server_label", Given),
                    ("name", Given),
                    ("arguments", Zero::Input),
                    ("output", Null),
                    ("error", Null),
                ],
            )
        },
        shape(
            "mcp_approval_request",
            "mcpr",
            &[("status", Status), ("server_label", Given), ("name", Given), ("arguments", Word("{}"))],
        ),
        shape(
            "mcp_approval_response",
            "mcpa",
            &[("status", Status), ("approval_request_id", Given), ("approve", Given), ("reason", Null)],
        ),
        Shape {
            holds: Holds::Commands,
            ..shape("shell_call", "sh", &[("call_id", CallId), ("action", Commands), ("status", Status)])
        },
        Shape {
            holds: Holds::Outputs,
            ..shape(
                "shell_call_output",
                "sho",
                &[("call_id", Given), ("output", Outputs), ("max_output_length", Null), ("status", Status)],
            )
        },
        Shape {
            input: Some(Input {
                key: "diff",
                inside: Some("operation"),
                delta: Kind::ApplyPatchCallOperationDiffDelta,
                done: Kind::ApplyPatchCallOperationDiffDone,
                json: false,
            }),
            ends: Ends::Nothing,
            ..shape("apply_patch_call", "apc", &[("call_id", CallId), ("status", Status), ("operation", Given)])
        },
        Shape {
            ends: Ends::Failed,
            ..shape("apply_patch_call_output", "apco", &[("call_id", Given), ("status", Status), ("output", Null)])
        },
        shape("computer_call", "cu", &[("call_id", CallId), ("pending_safety_checks", List), ("status", Status)]),
        Shape {
            ends: Ends::Whole,
            ..shape(
                "computer_call_output",
                "cuo",
                &[("call_id", Given), ("output", Given), ("status", Status), ("current_url", Null)],
            )
        },
        shape("local_shell_call", "lsh", &[("call_id", CallId), ("action", Given), ("status", Status)]),
        shape("local_shell_call_output", "lsho", &[("call_id", Given), ("output", Text), ("status", Status)]),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_two_types_never_start_alike() {
        for (at, shape) in SHAPES.iter().enumerate() {
            assert!(SHAPES[..at].iter().all(|other| other.prefix != shape.prefix), "{}", shape.name);
        }
    }

    #[test]
    fn an_extension_type_needs_slug_and_name_in_plain_characters() {
        assert!(is_extension("acme:x") && is_extension("a-b:c_d.e"));
        for name in ["message", ":x", "acme:", "acme:x y", "acme:\n", "a:b:c", "acme:\"", "ä:b"] {
            assert!(!is_extension(name), "{name}");
        }
    }
}
