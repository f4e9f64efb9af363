//! [`SourceItem`]: one output item of the source, with the data that was forwarded, so that a done event can supply the rest.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::contract::text_route::TextPart;
use crate::contract::ItemKind;
use crate::event::Event;
use crate::json::{LoneSurrogates, SurrogateCarry, ValueRef};

/// The form of an item for a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemShape {
    /// `message`
    Message,
    /// `reasoning`
    Reasoning,
    /// `function_call`
    Function,
    /// `custom_tool_call`, for targets that represent it as a call.
    Custom,
    /// `mcp_call`, for targets that represent it as a call.
    Mcp,
    /// `function_call_output`
    Output,
    /// Any other type.
    Other,
}

/// The items that a target shows as calls, besides function calls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ShownCalls {
    /// `custom_tool_call`
    pub(crate) custom: bool,
    /// `mcp_call`
    pub(crate) mcp: bool,
}

impl ItemShape {
    /// The shape of an item for a target.
    pub(crate) fn of(kind: ItemKind, shown: ShownCalls) -> Self {
        match kind {
            ItemKind::Message => Self::Message,
            ItemKind::Reasoning => Self::Reasoning,
            ItemKind::FunctionCall => Self::Function,
            ItemKind::CustomToolCall if shown.custom => Self::Custom,
            ItemKind::McpCall if shown.mcp => Self::Mcp,
            ItemKind::FunctionCallOutput => Self::Output,
            _ => Self::Other,
        }
    }

    pub(crate) fn is_call(self) -> bool {
        matches!(self, Self::Function | Self::Custom | Self::Mcp)
    }

    /// The prefix of a generated id.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Self::Message => "msg",
            Self::Reasoning => "rs",
            Self::Function => "fc",
            Self::Custom => "ctc",
            Self::Mcp => "mcp",
            Self::Output => "fco",
            Self::Other => "ext",
        }
    }
}

/// The channel of a part's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextChannel {
    /// Text of a message.
    Text,
    /// A refusal.
    Refusal,
    /// Raw reasoning.
    RawReasoning,
    /// A part of a reasoning summary.
    Summary,
    /// A part that is not text: media, or an unknown type.
    Foreign,
}

impl TextChannel {
    /// The channel of a part of an item's `content`.
    pub(super) fn of(part: ValueRef<'_>, shape: ItemShape) -> Self {
        let kind = part.get("type").and_then(|kind| kind.as_str());
        match kind.as_deref() {
            // Some servers use other part types for reasoning; inside a reasoning item every text is reasoning.
            Some("reasoning_text" | "output_text" | "text" | "input_text" | "summary_text" | "refusal")
                if shape == ItemShape::Reasoning =>
            {
                Self::RawReasoning
            }
            Some("output_text" | "text" | "input_text") => Self::Text,
            Some("refusal") => Self::Refusal,
            _ => Self::Foreign,
        }
    }

    /// The channel of a part's text.
    pub(super) fn of_text(part: TextPart) -> Self {
        match part {
            TextPart::OutputText => Self::Text,
            TextPart::Refusal => Self::Refusal,
            TextPart::ReasoningText => Self::RawReasoning,
            TextPart::SummaryText => Self::Summary,
        }
    }

    /// The key of the part at an index.
    pub(super) fn key(self, index: u64) -> (bool, u64) {
        (self == Self::Summary, index)
    }
}

/// Growing text; a half of a surrogate pair is withheld until its other half arrives.
#[derive(Debug, Default)]
pub(crate) struct ForwardedText {
    pub(crate) text: String,
    carry: SurrogateCarry,
}

impl ForwardedText {
    /// Joins a delta with the withheld half and appends it. Returns the length that was appended.
    pub(super) fn push(&mut self, delta: &str, halves: LoneSurrogates) -> usize {
        let before = self.text.len();
        let (first, rest) = self.carry.join(delta.as_bytes(), halves);
        self.text.extend(first);
        self.text.push_str(delta.get(rest).unwrap_or_default());
        self.text.len() - before
    }

    /// Returns `true` if a delta can be forwarded unchanged.
    #[inline]
    pub(super) fn can_append_unchanged(&self, halves: LoneSurrogates) -> bool {
        !self.carry.is_waiting() && !halves.lone
    }

    /// The part of a whole text after the text so far; `None` if it does not begin with the text so far.
    pub(super) fn missing_suffix<'t>(&mut self, whole: &'t str) -> Option<&'t str> {
        let tail = whole.strip_prefix(self.text.as_str())?;
        if !tail.is_empty() {
            self.carry = SurrogateCarry::default();
        }
        Some(tail)
    }

    /// Ends the text: an unpaired half becomes U+FFFD. Returns `true` if there was one.
    pub(super) fn take_lone_surrogate(&mut self) -> bool {
        let lone = self.carry.take_lone_surrogate();
        if lone {
            self.text.push('\u{FFFD}');
        }
        lone
    }
}

/// One part of an item.
#[derive(Debug)]
pub(crate) struct SourcePart {
    pub(crate) channel: TextChannel,
    /// `content_index` or `summary_index`.
    pub(crate) index: u64,
    pub(crate) forwarded: ForwardedText,
    /// Its text is finished; no delta is expected.
    pub(super) done: bool,
    /// The part is finished.
    pub(super) closed: bool,
    /// A done event differed, and a finding reports it.
    pub(super) mismatch_reported: bool,
    /// The number of its annotations.
    pub(crate) annotations: u64,
    /// For the target: true if something is open for the part.
    pub(crate) started_in_target: bool,
    /// For the target: a number.
    pub(crate) target_number: u64,
    /// For the target: byte positions in the text, for finding code points.
    pub(crate) code_point_offsets: Vec<usize>,
}

impl SourcePart {
    pub(super) fn new(channel: TextChannel, index: u64) -> Self {
        Self {
            channel,
            index,
            forwarded: ForwardedText::default(),
            done: false,
            closed: false,
            mismatch_reported: false,
            annotations: 0,
            started_in_target: false,
            target_number: 0,
            code_point_offsets: Vec::new(),
        }
    }

    /// The text so far.
    pub(crate) fn text(&self) -> &str {
        &self.forwarded.text
    }
}

/// The facts about an item besides its parts.
#[derive(Debug)]
pub(crate) struct ItemHead {
    pub(crate) shape: ItemShape,
    /// The item's type as sent; empty if it was opened without `output_item.added`.
    pub(crate) item_type: String,
    /// The first id; later ids do not replace it.
    pub(crate) id: String,
    pub(crate) output_index: u64,
    /// The number of the item in order of arrival.
    pub(crate) serial: u32,
    pub(crate) call_id: String,
    pub(crate) name: String,
    /// Arguments or input of a call.
    pub(crate) arguments: ForwardedText,
    /// True if the id is from the stream.
    pub(super) id_from_source: bool,
    /// True if the item was opened without `output_item.added`.
    pub(super) implied: bool,
    /// True if the target has received the item.
    pub(super) announced: bool,
    pub(super) mismatch_reported: bool,
    pub(super) id_changed: bool,
    /// For the target: a number.
    pub(crate) target_number: u64,
}

/// One item.
#[derive(Debug)]
pub(crate) struct SourceItem {
    pub(crate) head: ItemHead,
    /// Parts of `content` (`false`) and `summary` (`true`), by wire index.
    pub(crate) parts: BTreeMap<(bool, u64), SourcePart>,
    pub(crate) done: bool,
}

impl SourceItem {
    pub(super) fn new(shape: ItemShape, output_index: u64, serial: u32) -> Self {
        let head = ItemHead {
            shape,
            item_type: String::new(),
            id: String::new(),
            output_index,
            serial,
            call_id: String::new(),
            name: String::new(),
            arguments: ForwardedText::default(),
            id_from_source: false,
            implied: false,
            announced: false,
            mismatch_reported: false,
            id_changed: false,
            target_number: 0,
        };
        Self { head, parts: BTreeMap::new(), done: false }
    }

    /// The wire indexes of the parts of a finished list: the known ones if their number is equal, otherwise the positions.
    pub(super) fn part_indexes(&self, summary: bool, length: usize) -> Vec<u64> {
        let known: Vec<u64> = self.parts.keys().filter(|key| key.0 == summary).map(|key| key.1).collect();
        if known.len() == length {
            known
        } else {
            (0..length as u64).collect()
        }
    }

    /// Drops the texts of a finished item.
    pub(super) fn clear_texts(&mut self) {
        self.parts = BTreeMap::new();
        self.head.arguments = ForwardedText::default();
    }
}

/// The index inside its item that an event has; 0 if it has none.
pub(super) fn part_index(event: &Event<'_>, channel: TextChannel) -> u64 {
    let index = match channel {
        TextChannel::Summary => event.summary_index().or(event.content_index()),
        _ => event.content_index(),
    };
    index.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn halves(low: Option<u16>, high: Option<u16>) -> LoneSurrogates {
        LoneSurrogates { leading_low: low, trailing_high: high, lone: true }
    }

    #[test]
    fn surrogate_halves_join_across_two_deltas_and_a_lone_one_is_replaced() {
        let mut growing = ForwardedText::default();
        assert_eq!(growing.push("a\u{FFFD}", halves(None, Some(0xD83D))), 1);
        assert_eq!(growing.push("\u{FFFD}b", halves(Some(0xDE00), None)), 5);
        assert_eq!(growing.text, "a😀b");
        growing.push("\u{FFFD}", halves(None, Some(0xD83D)));
        assert_eq!(growing.push("c", LoneSurrogates::default()), 4);
        assert_eq!(growing.text, "a😀b\u{FFFD}c");
        growing.push("\u{FFFD}", halves(None, Some(0xD83D)));
        assert!(growing.take_lone_surrogate() && !growing.take_lone_surrogate());
        assert_eq!(growing.text, "a😀b\u{FFFD}c\u{FFFD}");
    }

    #[test]
    fn a_tail_replaces_a_withheld_surrogate_half() {
        let mut growing = ForwardedText::default();
        growing.push("a\u{FFFD}", halves(None, Some(0xD83D)));
        assert_eq!(growing.missing_suffix("a😀"), Some("😀"));
        assert_eq!(growing.missing_suffix("b"), None);
        assert!(!growing.take_lone_surrogate());
    }
}
