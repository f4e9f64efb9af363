//! The item that an event implies, and the rule that compares its deltas with the done event.

use crate::contract::text_route::{text_route, TextPart, TextTarget};
use crate::contract::{ItemKind, Kind};
use crate::validate::Rule;

/// The rule that is broken if a done event differs from the deltas of this text.
pub(crate) fn disagreement_rule(target: TextTarget) -> Rule {
    match target {
        TextTarget::Content(TextPart::OutputText | TextPart::ReasoningText) => Rule::Text01,
        TextTarget::Content(TextPart::Refusal) => Rule::Ref02,
        TextTarget::Summary => Rule::Rsn07,
        TextTarget::Field(_) | TextTarget::Diff | TextTarget::Command => Rule::Arg02,
    }
}

/// The item type that a text, tool-state or progress event implies.
pub(crate) fn implied_type(kind: Kind) -> Option<ItemKind> {
    use Kind::*;
    Some(match kind {
        McpCallInProgress | McpCallCompleted | McpCallFailed => ItemKind::McpCall,
        McpListToolsInProgress | McpListToolsCompleted | McpListToolsFailed => ItemKind::McpListTools,
        FileSearchCallInProgress | FileSearchCallSearching | FileSearchCallCompleted => ItemKind::FileSearchCall,
        WebSearchCallInProgress | WebSearchCallSearching | WebSearchCallCompleted => ItemKind::WebSearchCall,
        CodeInterpreterCallInProgress | CodeInterpreterCallInterpreting | CodeInterpreterCallCompleted => {
            ItemKind::CodeInterpreterCall
        }
        ImageGenerationCallInProgress
        | ImageGenerationCallGenerating
        | ImageGenerationCallPartialImage
        | ImageGenerationCallCompleted => ItemKind::ImageGenerationCall,
        CompactionCompacting => ItemKind::Compaction,
        _ => return text_route(kind).map(|route| route.item),
    })
}
