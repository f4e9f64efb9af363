//! The rule that compares the deltas of a text with its done event.

use crate::contract::text_route::{TextPart, TextTarget};
use crate::validate::Rule;

/// The rule that is broken if a done event differs from the deltas of this text.
pub(crate) fn disagreement_rule(target: TextTarget) -> Rule {
    match target {
        TextTarget::Content(TextPart::OutputText | TextPart::ReasoningText | TextPart::SummaryText) => Rule::Text01,
        TextTarget::Content(TextPart::Refusal) => Rule::Ref02,
        TextTarget::Summary => Rule::Rsn07,
        TextTarget::Field(_) | TextTarget::Diff | TextTarget::Command => Rule::Arg02,
    }
}
