//! [`Channel`]: the text that an event extends or completes, and the rules that apply to it there.

use super::records::{ItemClass, PartType, TextComparison};
use super::rule::Rule;
use super::state::ResponseTransition;
use crate::contract::kinds::progress_item;
use crate::contract::text_route::{text_route, TextRoute, TextStep, TextTarget};
use crate::contract::{Group, Kind};
use crate::event::Event;

/// A text that is streamed by deltas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    /// The text of a content part of this type.
    Content(PartType),
    /// A part of a reasoning summary.
    Summary,
    /// The input of a tool call of this class.
    Input(ItemClass),
    /// A command of a shell call.
    Command,
}

/// The role of an event in the stream layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventRole {
    Response,
    ItemAdded,
    ItemDone,
    PartAdded(Channel),
    PartDone(Channel),
    Delta(Channel),
    TextDone(Channel),
    Annotation,
    /// Progress of an item of this class, without text.
    Progress(ItemClass),
    Error,
    /// Does not concern the response.
    Unrelated,
}

impl EventRole {
    /// The role of an event of this kind.
    #[inline]
    pub(crate) fn of(kind: Kind) -> Self {
        const CONTENT: Channel = Channel::Content(PartType::Unknown);
        if let Some(route) = text_route(kind) {
            let channel = Channel::of(route);
            return match route.step {
                TextStep::Added => Self::PartAdded(channel),
                TextStep::Delta => Self::Delta(channel),
                TextStep::Done => Self::TextDone(channel),
            };
        }
        match kind {
            Kind::OutputItemAdded => Self::ItemAdded,
            Kind::OutputItemDone => Self::ItemDone,
            Kind::ContentPartAdded => Self::PartAdded(CONTENT),
            Kind::ContentPartDone => Self::PartDone(CONTENT),
            Kind::ReasoningSummaryPartAdded => Self::PartAdded(Channel::Summary),
            Kind::ReasoningSummaryPartDone => Self::PartDone(Channel::Summary),
            Kind::OutputTextAnnotationAdded => Self::Annotation,
            Kind::Error => Self::Error,
            // Audio events name no item.
            Kind::AudioDelta | Kind::AudioDone | Kind::AudioTranscriptDelta | Kind::AudioTranscriptDone => {
                Self::Progress(ItemClass::Unknown)
            }
            Kind::ShellCallOutputContentDelta | Kind::ShellCallOutputContentDone => Self::Progress(ItemClass::Other),
            Kind::ImageGenerationCallPartialImage => Self::Progress(ItemClass::HostedCall),
            _ => match progress_item(kind) {
                Some(item) => Self::Progress(ItemClass::of_kind(item)),
                None if kind.group() == Group::ResponseState => Self::Response,
                None => Self::Unrelated,
            },
        }
    }

    /// The effect on the response; `queued`: the status of the created response is `queued`.
    pub(crate) fn response_transition(self, kind: Kind, queued: bool) -> ResponseTransition {
        match kind {
            Kind::Created if queued => ResponseTransition::CreatedQueued,
            Kind::Created => ResponseTransition::Created,
            Kind::Queued => ResponseTransition::Queued,
            Kind::InProgress => ResponseTransition::InProgress,
            Kind::Completed => ResponseTransition::Completed,
            Kind::Incomplete => ResponseTransition::Incomplete,
            Kind::Failed => ResponseTransition::Failed,
            _ => match self {
                Self::Error => ResponseTransition::Error,
                Self::Unrelated => ResponseTransition::Unrelated,
                _ => ResponseTransition::Output,
            },
        }
    }
}

impl Channel {
    /// The channel of a text.
    fn of(route: TextRoute) -> Self {
        match route.target {
            TextTarget::Content(part) => Self::Content(part.into()),
            TextTarget::Summary => Self::Summary,
            TextTarget::Field(_) | TextTarget::Diff => Self::Input(ItemClass::of_kind(route.item)),
            TextTarget::Command => Self::Command,
        }
    }

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

    /// The class of item that has this text; content may be in two classes.
    pub(crate) fn class(self) -> ItemClass {
        match self {
            Self::Content(PartType::ReasoningText) | Self::Summary => ItemClass::Reasoning,
            Self::Content(_) => ItemClass::Message,
            Self::Input(class) => class,
            Self::Command => ItemClass::ShellCall,
        }
    }

    /// Returns `true` if an item of this class can have the text.
    pub(crate) fn fits(self, class: ItemClass) -> bool {
        match self {
            Self::Content(_) => class.has_parts(),
            _ => class == self.class() || matches!(class, ItemClass::Unknown | ItemClass::Foreign),
        }
    }

    /// The rule that is broken if the text is in an item that cannot have it.
    pub(crate) fn misplaced(self) -> Rule {
        match self {
            Self::Content(_) => Rule::Part01,
            Self::Summary => Rule::Rsn06,
            Self::Input(class) => input_order(class),
            Self::Command => Rule::Arg07,
        }
    }

    /// The rule for this channel in place of the one in the state tables, which name content parts and function calls.
    pub(crate) fn rule(self, rule: Rule) -> Rule {
        match self {
            Self::Content(_) => rule,
            Self::Summary => Rule::Rsn06,
            Self::Input(class) => input_order(class),
            Self::Command => Rule::Arg07,
        }
    }

    /// The rule that is broken if a done event differs from the deltas.
    pub(crate) fn disagreement(self, agreement: TextComparison) -> Rule {
        let differs = matches!(agreement, TextComparison::Differs(_));
        match self {
            Self::Content(PartType::Refusal) => Rule::Ref02,
            Self::Content(PartType::ReasoningText) | Self::Summary => Rule::Rsn07,
            Self::Content(_) if matches!(agreement, TextComparison::Repeated(_)) => Rule::Part09,
            Self::Content(_) => Rule::Text01,
            Self::Input(_) | Self::Command if differs => Rule::Arg02,
            Self::Input(_) | Self::Command => Rule::Arg04,
        }
    }
}

fn input_order(class: ItemClass) -> Rule {
    match class {
        ItemClass::FunctionCall => Rule::Arg01,
        _ => Rule::Arg07,
    }
}
