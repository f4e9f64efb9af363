//! Records of the stream layer for items and parts: states and digests, never texts.
//!
//! A record is found by its wire index in constant time if indexes are dense and in logarithmic time otherwise; the size of an
//! index does not matter for memory. An item takes about 500 bytes, a part about 190.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::digest::{text_hash, Digest, DigestBuilder};
use super::incomplete_items::ItemEnding;
use super::state;
use super::text_digest::TextDigest;
use crate::contract::text_route::TextPart;
use crate::contract::ItemKind;
use crate::json::LoneSurrogates;

/// Elements with wire indexes, in order of arrival.
#[derive(Clone, Debug)]
pub(crate) struct ByIndex<T> {
    rows: Vec<(u64, T)>,
    /// Positions of the rows whose position differs from their index.
    out_of_place: BTreeMap<u64, usize>,
}

impl<T> Default for ByIndex<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), out_of_place: BTreeMap::new() }
    }
}

impl<T> ByIndex<T> {
    /// The position of an index.
    #[inline]
    pub(crate) fn position(&self, index: u64) -> Option<usize> {
        let at = index as usize;
        match self.rows.get(at) {
            Some((own, _)) if *own == index => Some(at),
            _ => self.out_of_place.get(&index).copied(),
        }
    }

    /// The element at an index.
    #[inline]
    pub(crate) fn get_mut(&mut self, index: u64) -> Option<&mut T> {
        let at = self.position(index)?;
        self.rows.get_mut(at).map(|(_, row)| row)
    }

    /// The element at a position.
    #[inline]
    pub(crate) fn at_mut(&mut self, position: usize) -> Option<&mut T> {
        self.rows.get_mut(position).map(|(_, row)| row)
    }

    /// Inserts an element at an unused index; returns its position.
    pub(crate) fn insert(&mut self, index: u64, row: T) -> usize {
        let at = self.rows.len();
        if at as u64 != index {
            self.out_of_place.insert(index, at);
        }
        self.rows.push((index, row));
        at
    }

    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// All elements with their indexes, in order of arrival.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.rows.iter().map(|(index, row)| (*index, row))
    }

    /// All elements with their indexes, in ascending order of the index.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = (u64, &T)> {
        let mut order: Vec<_> = self.iter().collect();
        // The indexes of most streams are sorted; a stable sort detects that in one pass.
        order.sort_by_key(|(index, _)| *index);
        order.into_iter()
    }
}

/// A stored name for comparison: the text, or only its hash if the text is long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Name {
    text: String,
    hash: u64,
}

/// Longer names are stored as a hash only, to bound the memory that a hostile stream can occupy.
const MAX_NAME: usize = 256;

impl Name {
    /// Stores a name.
    pub(crate) fn of(text: &str) -> Self {
        let kept = if text.len() <= MAX_NAME { text } else { "" };
        Self { text: kept.into(), hash: text_hash(text) }
    }

    /// Returns `true` if no name or an empty one is stored.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty() && (self.hash == 0 || self.hash == text_hash(""))
    }

    /// Returns `true` if the stored name equals `text`.
    #[inline]
    pub(crate) fn is(&self, text: &str) -> bool {
        if text.len() <= MAX_NAME {
            self.text == text
        } else {
            self.text.is_empty() && self.hash == text_hash(text)
        }
    }

    /// The text; empty if it was too long to store.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The hash, as a key for maps.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }
}

/// Record of one output item.
#[derive(Clone, Debug, Default)]
pub(crate) struct ItemRecord {
    pub(crate) state: state::ItemState,
    pub(crate) id: Name,
    pub(crate) call_id: Name,
    /// The wire type; empty until an event states it.
    pub(crate) kind: Name,
    pub(crate) class: ItemClass,
    /// The name of the called tool.
    pub(crate) tool: Name,
    /// True if the item was added with status `completed`.
    pub(crate) whole: bool,
    pub(crate) incomplete: bool,
    /// How the item ended, according to its done event.
    pub(crate) ending: ItemEnding,
    pub(crate) content: ByIndex<PartRecord>,
    pub(crate) summary: ByIndex<PartRecord>,
    pub(crate) commands: ByIndex<PartRecord>,
    pub(crate) input: InputRecord,
    /// The members of the done item: hash of the key, digest of the value.
    pub(crate) members: Vec<(u64, Digest)>,
    /// The raw digest of the done item.
    pub(crate) raw_digest: Option<Digest>,
}

/// Classes of items with different life cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ItemClass {
    /// The type is not known yet.
    #[default]
    Unknown,
    Message,
    Reasoning,
    FunctionCall,
    CustomToolCall,
    McpCall,
    CodeInterpreterCall,
    ApplyPatchCall,
    ShellCall,
    /// A call of a hosted tool without streamed input.
    HostedCall,
    /// A known type that is neither content nor a call: outputs, approvals, lists, compactions.
    Other,
    /// `slug:name` or an unknown type: no expectations.
    Foreign,
}

impl ItemClass {
    /// The class of an item type.
    pub(crate) fn of(item_type: &str) -> Self {
        match ItemKind::from_wire(item_type) {
            // A type of servers that no edition lists.
            ItemKind::Unknown if item_type == "tool_search_call" => Self::HostedCall,
            kind => Self::of_kind(kind),
        }
    }

    /// The class of an item of this kind.
    pub(crate) fn of_kind(kind: ItemKind) -> Self {
        match kind {
            ItemKind::Message => Self::Message,
            ItemKind::Reasoning => Self::Reasoning,
            ItemKind::FunctionCall => Self::FunctionCall,
            ItemKind::CustomToolCall => Self::CustomToolCall,
            ItemKind::McpCall => Self::McpCall,
            ItemKind::CodeInterpreterCall => Self::CodeInterpreterCall,
            ItemKind::ApplyPatchCall => Self::ApplyPatchCall,
            ItemKind::ShellCall => Self::ShellCall,
            ItemKind::FileSearchCall
            | ItemKind::WebSearchCall
            | ItemKind::ImageGenerationCall
            | ItemKind::ComputerCall
            | ItemKind::LocalShellCall => Self::HostedCall,
            ItemKind::FunctionCallOutput
            | ItemKind::ComputerCallOutput
            | ItemKind::Compaction
            | ItemKind::LocalShellCallOutput
            | ItemKind::ShellCallOutput
            | ItemKind::ApplyPatchCallOutput
            | ItemKind::McpListTools
            | ItemKind::McpApprovalRequest
            | ItemKind::McpApprovalResponse
            | ItemKind::CustomToolCallOutput => Self::Other,
            ItemKind::Extension | ItemKind::Unknown => Self::Foreign,
        }
    }

    /// Returns `true` for calls of tools.
    pub(crate) fn is_call(self) -> bool {
        !matches!(self, Self::Unknown | Self::Message | Self::Reasoning | Self::Other | Self::Foreign)
    }

    /// Returns `true` for calls that the client runs, which end the turn.
    pub(crate) fn is_client_call(self) -> bool {
        matches!(self, Self::FunctionCall | Self::CustomToolCall)
    }

    /// Returns `true` if items of this class have content parts, or may have them.
    pub(crate) fn has_parts(self) -> bool {
        matches!(self, Self::Unknown | Self::Message | Self::Reasoning | Self::Foreign)
    }
}

/// Digests of a text that is streamed by deltas.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamedText {
    /// The initial text and all deltas.
    text: DigestBuilder,
    /// The deltas alone, if there is an initial text.
    deltas: Option<DigestBuilder>,
    /// The whole text of the latest done event; later comparisons use it.
    done_text: Option<TextDigest>,
    /// True if the beginning of the text is unknown, so that comparisons are skipped.
    pub(crate) joined: bool,
    /// Number of unreadable events at the start of the text: a later one may have been a delta of it.
    unread: u64,
}

/// Result of comparing a whole text with the streamed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextComparison {
    /// Equal, or nothing is known to compare with.
    Same,
    /// Equal to the deltas alone: they repeat the initial text. The number is the expected length in bytes.
    Repeated(u64),
    /// No text was streamed.
    NoDeltas,
    /// Different. The number is the expected length in bytes.
    Differs(u64),
}

impl StreamedText {
    /// A text that starts now, after this number of unreadable events.
    pub(crate) fn since(unread: u64) -> Self {
        Self { unread, ..Self::default() }
    }

    /// Sets the text that precedes all deltas.
    pub(crate) fn begin(&mut self, first: &str) {
        if !first.is_empty() {
            self.text.push(first);
            self.deltas = Some(DigestBuilder::default());
        }
    }

    /// Appends a delta.
    #[inline]
    pub(crate) fn push(&mut self, delta: &[u8], halves: LoneSurrogates) {
        self.text.push_delta(delta, halves);
        if let Some(deltas) = &mut self.deltas {
            deltas.push_delta(delta, halves);
        }
    }

    /// The whole text of the latest done event.
    pub(crate) fn last_whole(&self) -> Option<TextDigest> {
        self.done_text
    }

    /// Compares with the whole text of a done event, part or item, and keeps it for later comparisons. `unread` is the number of
    /// unreadable events so far.
    pub(crate) fn compare_whole(&mut self, done_text: TextDigest, unread: u64) -> TextComparison {
        let whole = done_text.text;
        let seen = !self.joined && self.unread == unread;
        let known = self.done_text.map(|known| known.text).or_else(|| seen.then(|| self.text.digest()));
        self.done_text = Some(done_text);
        match known {
            Some(known) if known != whole && known.length == 0 => TextComparison::NoDeltas,
            Some(known) if known != whole => match self.deltas.take() {
                Some(deltas) if deltas.digest() == whole => TextComparison::Repeated(known.length),
                _ => TextComparison::Differs(known.length),
            },
            _ => TextComparison::Same,
        }
    }
}

/// Record of one content part, summary part or shell command.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartRecord {
    pub(crate) state: state::PartState,
    pub(crate) kind: PartType,
    pub(crate) text: StreamedText,
    /// Digests of the streamed annotations.
    pub(crate) annotations: Vec<Digest>,
    /// The part of its done event: its raw digest and its digest by meaning. Equal raw digests imply equal meaning.
    pub(crate) whole: Option<(Digest, Digest)>,
}

/// The type of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PartType {
    /// The type is not known yet.
    #[default]
    Unknown,
    OutputText,
    Refusal,
    ReasoningText,
    SummaryText,
    Other,
}

impl From<TextPart> for PartType {
    fn from(part: TextPart) -> Self {
        match part {
            TextPart::OutputText => Self::OutputText,
            TextPart::Refusal => Self::Refusal,
            TextPart::ReasoningText => Self::ReasoningText,
            TextPart::SummaryText => Self::SummaryText,
        }
    }
}

impl PartType {
    /// The value for a part's `type`.
    pub(crate) fn of(kind: &str) -> Self {
        match TextPart::from_wire(kind) {
            Some(part) => part.into(),
            None if kind.is_empty() => Self::Unknown,
            None => Self::Other,
        }
    }

    /// The same type for parts with a text.
    fn text_part(self) -> Option<TextPart> {
        match self {
            Self::OutputText => Some(TextPart::OutputText),
            Self::Refusal => Some(TextPart::Refusal),
            Self::ReasoningText => Some(TextPart::ReasoningText),
            Self::SummaryText => Some(TextPart::SummaryText),
            Self::Unknown | Self::Other => None,
        }
    }

    /// The member of the part that has its text.
    pub(crate) fn field(self) -> &'static str {
        self.text_part().map_or("text", TextPart::field)
    }

    /// The wire name, or a description, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self.text_part() {
            Some(part) => part.name(),
            None if self == Self::Unknown => "a part without a type",
            None => "a part of another type",
        }
    }
}

/// Record of a tool's input: arguments, custom input, code or a diff.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputRecord {
    pub(crate) state: state::InputState,
    pub(crate) text: StreamedText,
    /// True once an event of the input was received.
    pub(crate) has_events: bool,
    /// The text of the done event, and whether it is JSON.
    pub(crate) json: Option<(TextDigest, bool)>,
}
