//! [`text_route`]: the string of an item that a text event extends or completes. Reading, validating, writing and converting use this
//! table.

use super::{ItemKind, Kind};

/// The type of a part that has a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextPart {
    OutputText,
    Refusal,
    ReasoningText,
    /// The only type of part in a summary.
    SummaryText,
}

/// The place of a text inside its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextTarget {
    /// `content[c].<field>`, in a part of this type.
    Content(TextPart),
    /// `summary[s].text`
    Summary,
    /// `<field>`, a string of the item itself.
    Field(&'static str),
    /// `operation.diff`
    Diff,
    /// `action.commands[k]`, each a string.
    Command,
}

/// The effect of a text event on its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextStep {
    /// The text begins, perhaps with content.
    Added,
    /// The event extends the text.
    Delta,
    /// The event has the whole text.
    Done,
}

/// The route of a text event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextRoute {
    /// The type of an item with this text.
    pub(crate) item: ItemKind,
    pub(crate) target: TextTarget,
    pub(crate) step: TextStep,
}

impl TextPart {
    /// The part with this `type`.
    pub(crate) fn from_wire(name: &str) -> Option<Self> {
        [Self::OutputText, Self::Refusal, Self::ReasoningText, Self::SummaryText]
            .into_iter()
            .find(|part| part.name() == name)
    }

    /// The type of an item with such parts.
    pub(crate) fn item(self) -> ItemKind {
        match self {
            Self::OutputText | Self::Refusal => ItemKind::Message,
            Self::ReasoningText | Self::SummaryText => ItemKind::Reasoning,
        }
    }

    /// The part's `type`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OutputText => "output_text",
            Self::Refusal => "refusal",
            Self::ReasoningText => "reasoning_text",
            Self::SummaryText => "summary_text",
        }
    }

    /// The member of the part that has its text.
    pub(crate) fn field(self) -> &'static str {
        match self {
            Self::Refusal => "refusal",
            Self::OutputText | Self::ReasoningText | Self::SummaryText => "text",
        }
    }
}

/// The route of an event that begins, extends or completes a text of an item; `None` for every other kind.
#[inline]
pub(crate) const fn text_route(kind: Kind) -> Option<TextRoute> {
    use Kind::*;
    use TextStep::{Added, Delta, Done};
    use TextTarget::{Command, Content, Diff, Field, Summary};
    let (item, target, step) = match kind {
        OutputTextDelta => (ItemKind::Message, Content(TextPart::OutputText), Delta),
        OutputTextDone => (ItemKind::Message, Content(TextPart::OutputText), Done),
        RefusalDelta => (ItemKind::Message, Content(TextPart::Refusal), Delta),
        RefusalDone => (ItemKind::Message, Content(TextPart::Refusal), Done),
        // Raw reasoning has two names: that of Open Responses and that of OpenAI.
        ReasoningDelta | ReasoningTextDelta => (ItemKind::Reasoning, Content(TextPart::ReasoningText), Delta),
        ReasoningDone | ReasoningTextDone => (ItemKind::Reasoning, Content(TextPart::ReasoningText), Done),
        ReasoningSummaryTextDelta => (ItemKind::Reasoning, Summary, Delta),
        ReasoningSummaryTextDone => (ItemKind::Reasoning, Summary, Done),
        FunctionCallArgumentsDelta => (ItemKind::FunctionCall, Field("arguments"), Delta),
        FunctionCallArgumentsDone => (ItemKind::FunctionCall, Field("arguments"), Done),
        CustomToolCallInputDelta => (ItemKind::CustomToolCall, Field("input"), Delta),
        CustomToolCallInputDone => (ItemKind::CustomToolCall, Field("input"), Done),
        McpCallArgumentsDelta => (ItemKind::McpCall, Field("arguments"), Delta),
        McpCallArgumentsDone => (ItemKind::McpCall, Field("arguments"), Done),
        CodeInterpreterCallCodeDelta => (ItemKind::CodeInterpreterCall, Field("code"), Delta),
        CodeInterpreterCallCodeDone => (ItemKind::CodeInterpreterCall, Field("code"), Done),
        ApplyPatchCallOperationDiffDelta => (ItemKind::ApplyPatchCall, Diff, Delta),
        ApplyPatchCallOperationDiffDone => (ItemKind::ApplyPatchCall, Diff, Done),
        ShellCallCommandAdded => (ItemKind::ShellCall, Command, Added),
        ShellCallCommandDelta => (ItemKind::ShellCall, Command, Delta),
        ShellCallCommandDone => (ItemKind::ShellCall, Command, Done),
        _ => return None,
    };
    Some(TextRoute { item, target, step })
}

/// The done event of the text that a delta extends.
pub(crate) fn done_event(delta: Kind) -> Option<Kind> {
    let route = text_route(delta)?;
    let done = TextRoute { step: TextStep::Done, ..route };
    Kind::ALL.iter().copied().find(|kind| text_route(*kind) == Some(done))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Group;

    #[test]
    fn the_step_of_a_text_event_is_its_group() {
        for kind in Kind::ALL {
            let Some(route) = text_route(*kind) else { continue };
            let group = match route.step {
                TextStep::Added => Group::ElementAdded,
                TextStep::Delta => Group::Delta,
                TextStep::Done => Group::Done,
            };
            assert_eq!(kind.group(), group, "{kind}");
            assert!(kind.name().contains(if route.step == TextStep::Added { "added" } else { group.name() }), "{kind}");
        }
    }

    #[test]
    fn every_delta_about_an_item_has_a_route_and_a_done_event_with_the_same_target() {
        // Audio is not part of the output, and images and shell output are not texts.
        let without = [
            Kind::AudioDelta,
            Kind::AudioTranscriptDelta,
            Kind::ImageGenerationCallPartialImage,
            Kind::ShellCallOutputContentDelta,
        ];
        for kind in Kind::ALL.iter().filter(|kind| kind.is_delta() && !without.contains(kind)) {
            let delta = text_route(*kind).unwrap_or_else(|| panic!("{kind}"));
            let same = |done: &&Kind| {
                text_route(**done).is_some_and(|route| {
                    (route.item, route.target, route.step) == (delta.item, delta.target, TextStep::Done)
                })
            };
            assert!(Kind::ALL.iter().any(|done| same(&done)), "{kind}");
        }
    }
}
