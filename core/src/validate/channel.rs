//! [`Channel`]: which text of which item an event is about, and which rules judge it there.

use super::rule::Rule;
use super::slots::{Agreement, Class, PartKind};
use super::state::ResponseMove;
use crate::contract::{Group, Kind};
use crate::event::Event;

/// A place where text grows by deltas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    /// A content part, of this kind.
    Content(PartKind),
    /// A part of a reasoning summary.
    Summary,
    /// The input of a tool call, of this class.
    Input(Class),
    /// A command of a shell call.
    Command,
}

/// What an event does, as far as the stream layer cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Response,
    ItemAdded,
    ItemDone,
    PartAdded(Channel),
    PartDone(Channel),
    Delta(Channel),
    Said(Channel),
    Annotation,
    /// About an item of this class, without text.
    Touch(Class),
    Error,
    /// Says nothing of the response.
    Aside,
}

impl Step {
    /// What an event of this kind does.
    #[inline]
    pub(crate) fn of(kind: Kind) -> Self {
        const CONTENT: Channel = Channel::Content(PartKind::Untold);
        match kind {
            Kind::OutputTextDelta => Self::Delta(Channel::Content(PartKind::OutputText)),
            Kind::FunctionCallArgumentsDelta => Self::Delta(Channel::Input(Class::FunctionCall)),
            Kind::ReasoningSummaryTextDelta => Self::Delta(Channel::Summary),
            Kind::ReasoningDelta | Kind::ReasoningTextDelta => Self::Delta(Channel::Content(PartKind::ReasoningText)),
            Kind::RefusalDelta => Self::Delta(Channel::Content(PartKind::Refusal)),
            Kind::CustomToolCallInputDelta => Self::Delta(Channel::Input(Class::CustomToolCall)),
            Kind::McpCallArgumentsDelta => Self::Delta(Channel::Input(Class::McpCall)),
            Kind::CodeInterpreterCallCodeDelta => Self::Delta(Channel::Input(Class::CodeInterpreterCall)),
            Kind::ApplyPatchCallOperationDiffDelta => Self::Delta(Channel::Input(Class::ApplyPatchCall)),
            Kind::ShellCallCommandDelta => Self::Delta(Channel::Command),
            Kind::OutputTextDone => Self::Said(Channel::Content(PartKind::OutputText)),
            Kind::FunctionCallArgumentsDone => Self::Said(Channel::Input(Class::FunctionCall)),
            Kind::ReasoningSummaryTextDone => Self::Said(Channel::Summary),
            Kind::ReasoningDone | Kind::ReasoningTextDone => Self::Said(Channel::Content(PartKind::ReasoningText)),
            Kind::RefusalDone => Self::Said(Channel::Content(PartKind::Refusal)),
            Kind::CustomToolCallInputDone => Self::Said(Channel::Input(Class::CustomToolCall)),
            Kind::McpCallArgumentsDone => Self::Said(Channel::Input(Class::McpCall)),
            Kind::CodeInterpreterCallCodeDone => Self::Said(Channel::Input(Class::CodeInterpreterCall)),
            Kind::ApplyPatchCallOperationDiffDone => Self::Said(Channel::Input(Class::ApplyPatchCall)),
            Kind::ShellCallCommandDone => Self::Said(Channel::Command),
            Kind::OutputItemAdded => Self::ItemAdded,
            Kind::OutputItemDone => Self::ItemDone,
            Kind::ContentPartAdded => Self::PartAdded(CONTENT),
            Kind::ContentPartDone => Self::PartDone(CONTENT),
            Kind::ReasoningSummaryPartAdded => Self::PartAdded(Channel::Summary),
            Kind::ReasoningSummaryPartDone => Self::PartDone(Channel::Summary),
            Kind::ShellCallCommandAdded => Self::PartAdded(Channel::Command),
            Kind::OutputTextAnnotationAdded => Self::Annotation,
            Kind::Error => Self::Error,
            Kind::McpCallInProgress | Kind::McpCallCompleted | Kind::McpCallFailed => Self::Touch(Class::McpCall),
            Kind::CodeInterpreterCallInProgress
            | Kind::CodeInterpreterCallInterpreting
            | Kind::CodeInterpreterCallCompleted => Self::Touch(Class::CodeInterpreterCall),
            // Audio belongs to no item.
            Kind::AudioDelta | Kind::AudioDone | Kind::AudioTranscriptDelta | Kind::AudioTranscriptDone => {
                Self::Touch(Class::Untold)
            }
            Kind::ShellCallOutputContentDelta
            | Kind::ShellCallOutputContentDone
            | Kind::McpListToolsInProgress
            | Kind::McpListToolsCompleted
            | Kind::McpListToolsFailed
            | Kind::CompactionCompacting => Self::Touch(Class::Other),
            _ => match kind.group() {
                Group::ResponseState => Self::Response,
                Group::ToolState | Group::Delta => Self::Touch(Class::HostedCall),
                _ => Self::Aside,
            },
        }
    }

    /// How the event moves the response; `queued` is the status of a created response.
    pub(crate) fn response_move(self, kind: Kind, queued: bool) -> ResponseMove {
        match kind {
            Kind::Created if queued => ResponseMove::CreatedQueued,
            Kind::Created => ResponseMove::Created,
            Kind::Queued => ResponseMove::Queued,
            Kind::InProgress => ResponseMove::InProgress,
            Kind::Completed => ResponseMove::Completed,
            Kind::Incomplete => ResponseMove::Incomplete,
            Kind::Failed => ResponseMove::Failed,
            _ => match self {
                Self::Error => ResponseMove::Error,
                Self::Aside => ResponseMove::Aside,
                _ => ResponseMove::Output,
            },
        }
    }
}

impl Channel {
    /// The index of the text inside its item.
    #[inline]
    pub(crate) fn element(self, event: &Event<'_>) -> Option<u64> {
        match self {
            Self::Content(_) => event.content_index(),
            Self::Summary => event.summary_index(),
            Self::Input(_) => None,
            Self::Command => event.command_index(),
        }
    }

    /// The class of item that this text belongs to; content may belong to two.
    pub(crate) fn class(self) -> Class {
        match self {
            Self::Content(PartKind::ReasoningText) | Self::Summary => Class::Reasoning,
            Self::Content(_) => Class::Message,
            Self::Input(class) => class,
            Self::Command => Class::ShellCall,
        }
    }

    /// Says whether an item of this class can hold the text.
    pub(crate) fn fits(self, class: Class) -> bool {
        match self {
            Self::Content(_) => class.has_parts(),
            _ => class == self.class() || matches!(class, Class::Untold | Class::Foreign),
        }
    }

    /// The rule that is broken if the text is in an item that cannot hold it.
    pub(crate) fn misplaced(self) -> Rule {
        match self {
            Self::Content(_) => Rule::Part01,
            Self::Summary => Rule::Rsn06,
            Self::Input(class) => input_order(class),
            Self::Command => Rule::Arg07,
        }
    }

    /// The rule that speaks of this channel where the tables name the one of content parts or function calls.
    pub(crate) fn rule(self, rule: Rule) -> Rule {
        match self {
            Self::Content(_) => rule,
            Self::Summary => Rule::Rsn06,
            Self::Input(class) => input_order(class),
            Self::Command => Rule::Arg07,
        }
    }

    /// The rule that is broken if a done event and the deltas do not agree.
    pub(crate) fn disagreement(self, agreement: Agreement) -> Rule {
        let differs = matches!(agreement, Agreement::Differs(_));
        match self {
            Self::Content(PartKind::Refusal) => Rule::Ref02,
            Self::Content(PartKind::ReasoningText) | Self::Summary => Rule::Rsn07,
            Self::Content(_) if matches!(agreement, Agreement::Doubled(_)) => Rule::Part09,
            Self::Content(_) => Rule::Text01,
            Self::Input(_) | Self::Command if differs => Rule::Arg02,
            Self::Input(_) | Self::Command => Rule::Arg04,
        }
    }
}

fn input_order(class: Class) -> Rule {
    match class {
        Class::FunctionCall => Rule::Arg01,
        _ => Rule::Arg07,
    }
}
