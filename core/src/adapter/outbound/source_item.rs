//! [`SourceItem`]: one output item on its way out: what was passed on of it, so that a done event can supply what is missing.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::event::Event;
use crate::json::{join, LoneSurrogates, ValueRef};

/// What an item is to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemShape {
    /// `message`
    Message,
    /// `reasoning`
    Reasoning,
    /// `function_call`
    Function,
    /// `custom_tool_call`, for targets that show it as a call.
    Custom,
    /// `mcp_call`, for targets that show it as a call.
    Mcp,
    /// `function_call_output`
    Output,
    /// Any other type.
    Other,
}

impl ItemShape {
    /// The shape of an item type; `hosted` says whether custom and MCP calls are calls to the target.
    pub(crate) fn of(item_type: &str, hosted: bool) -> Self {
        match item_type {
            "message" => Self::Message,
            "reasoning" => Self::Reasoning,
            "function_call" => Self::Function,
            "custom_tool_call" if hosted => Self::Custom,
            "mcp_call" if hosted => Self::Mcp,
            "function_call_output" => Self::Output,
            _ => Self::Other,
        }
    }

    pub(crate) fn is_call(self) -> bool {
        matches!(self, Self::Function | Self::Custom | Self::Mcp)
    }

    /// The prefix of an id that has to be made up.
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

/// What a part's text is.
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
    /// A part that is not text: media, or a type that nobody lists.
    Foreign,
}

impl TextChannel {
    /// The channel of a part of an item's `content`.
    pub(super) fn of(part: ValueRef<'_>, shape: ItemShape) -> Self {
        let kind = part.get("type").and_then(|kind| kind.as_str());
        match kind.as_deref() {
            // Servers put reasoning into parts of other names; inside a reasoning item it is reasoning.
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

    /// The key of the part at an index.
    pub(super) fn key(self, index: u64) -> (bool, u64) {
        (self == Self::Summary, index)
    }
}

/// Text that grows, with half of a surrogate pair withheld until its other half comes.
#[derive(Debug, Default)]
pub(crate) struct ForwardedText {
    pub(crate) text: String,
    high: Option<u16>,
}

impl ForwardedText {
    /// Joins a delta with what is withheld and appends it. Gives back how much was appended.
    pub(super) fn push(&mut self, delta: &str, halves: LoneSurrogates) -> usize {
        let before = self.text.len();
        let mut rest = delta;
        if let Some(high) = self.high.take().filter(|_| !delta.is_empty()) {
            match halves.leading_low.and_then(|low| join(high, low)) {
                Some(whole) => {
                    self.text.push(whole);
                    rest = rest.strip_prefix('\u{FFFD}').unwrap_or(rest);
                }
                None => self.text.push('\u{FFFD}'),
            }
        }
        if halves.trailing_high.is_some() {
            self.high = halves.trailing_high;
            rest = rest.strip_suffix('\u{FFFD}').unwrap_or(rest);
        }
        self.text.push_str(rest);
        self.text.len() - before
    }

    /// Says whether a delta can be passed on as it came.
    #[inline]
    pub(super) fn can_append_unchanged(&self, halves: LoneSurrogates) -> bool {
        self.high.is_none() && !halves.lone
    }

    /// What a whole text adds to the text so far; `None` if it does not begin with it.
    pub(super) fn missing_suffix<'t>(&mut self, whole: &'t str) -> Option<&'t str> {
        let tail = whole.strip_prefix(self.text.as_str())?;
        if !tail.is_empty() {
            self.high = None;
        }
        Some(tail)
    }

    /// Ends the text: half of a pair that is still alone becomes U+FFFD. Says whether it did.
    pub(super) fn take_lone_surrogate(&mut self) -> bool {
        let lone = self.high.take().is_some();
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
    /// A done event disagreed, and a finding says so.
    pub(super) mismatch_reported: bool,
    /// How many annotations it has.
    pub(crate) annotations: u64,
    /// The target's own: something is open for the part.
    pub(crate) started_in_target: bool,
    /// The target's own number.
    pub(crate) target_number: u64,
    /// The target's own: byte positions in the text, for finding code points.
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

/// What is known of an item besides its parts.
#[derive(Debug)]
pub(crate) struct ItemHead {
    pub(crate) shape: ItemShape,
    /// The item's type as sent; empty where an event without `output_item.added` opened it.
    pub(crate) item_type: String,
    /// The first id, kept whatever later events say.
    pub(crate) id: String,
    pub(crate) output_index: u64,
    /// Counts items in order of arrival.
    pub(crate) serial: u32,
    pub(crate) call_id: String,
    pub(crate) name: String,
    /// Arguments or input of a call.
    pub(crate) arguments: ForwardedText,
    /// The id came from the stream.
    pub(super) id_from_source: bool,
    /// An event without `output_item.added` opened it.
    pub(super) implied: bool,
    /// The target knows the item.
    pub(super) announced: bool,
    pub(super) mismatch_reported: bool,
    pub(super) id_changed: bool,
    /// The target's own number.
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

    /// The wire indexes that the parts of a finished list have: the known ones if they are as many, else the positions.
    pub(super) fn part_indexes(&self, summary: bool, length: usize) -> Vec<u64> {
        let known: Vec<u64> = self.parts.keys().filter(|key| key.0 == summary).map(|key| key.1).collect();
        if known.len() == length {
            known
        } else {
            (0..length as u64).collect()
        }
    }

    /// Forgets the texts of a finished item.
    pub(super) fn clear_texts(&mut self) {
        self.parts = BTreeMap::new();
        self.head.arguments = ForwardedText::default();
    }
}

/// The index inside its item that an event names; 0 where it names none.
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
