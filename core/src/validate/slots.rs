//! What the stream layer remembers of items and parts: states and digests, never texts.
//!
//! Everything is found by its wire index in constant time where indexes are dense, and in logarithmic time where they are
//! not; an index of a billion costs as much memory as an index of one. One item takes about 500 bytes, one part about 190.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::cuts::Ending;
use super::digest::{text_hash, Digest, Running};
use super::said::Said;
use super::state;
use crate::json::Halves;

/// Elements by wire index, in the order they came.
#[derive(Clone, Debug)]
pub(crate) struct ByIndex<T> {
    rows: Vec<(u64, T)>,
    /// Where rows stand whose position is not their index.
    stray: BTreeMap<u64, usize>,
}

impl<T> Default for ByIndex<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), stray: BTreeMap::new() }
    }
}

impl<T> ByIndex<T> {
    /// Position of an index among the rows.
    #[inline]
    pub(crate) fn position(&self, index: u64) -> Option<usize> {
        let at = index as usize;
        match self.rows.get(at) {
            Some((own, _)) if *own == index => Some(at),
            _ => self.stray.get(&index).copied(),
        }
    }

    /// The element at an index, to change.
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

    /// Adds an element at an index that is free; gives its position.
    pub(crate) fn insert(&mut self, index: u64, row: T) -> usize {
        let at = self.rows.len();
        if at as u64 != index {
            self.stray.insert(index, at);
        }
        self.rows.push((index, row));
        at
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// All elements with their indexes, in the order they came.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.rows.iter().map(|(index, row)| (*index, row))
    }

    /// All elements with their indexes, in the order of indexes.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = (u64, &T)> {
        let mut order: Vec<_> = self.iter().collect();
        // Dense streams are in order already, which a stable sort finds out in one pass.
        order.sort_by_key(|(index, _)| *index);
        order.into_iter()
    }
}

/// An id to compare with: the text, or for a very long one only its digest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Name {
    text: String,
    hash: u64,
}

/// Ids longer than this are not kept: a hostile stream must not make us keep its bytes twice.
const LONGEST_NAME: usize = 256;

impl Name {
    /// Remembers a name.
    pub(crate) fn of(text: &str) -> Self {
        let kept = if text.len() <= LONGEST_NAME { text } else { "" };
        Self { text: kept.into(), hash: text_hash(text) }
    }

    /// Says whether there is none, or an empty one.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty() && (self.hash == 0 || self.hash == text_hash(""))
    }

    /// Says whether this is the name.
    #[inline]
    pub(crate) fn is(&self, text: &str) -> bool {
        if text.len() <= LONGEST_NAME {
            self.text == text
        } else {
            self.text.is_empty() && self.hash == text_hash(text)
        }
    }

    /// The text; empty if it was too long to keep.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// A number for maps.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }
}

/// One item of the output.
#[derive(Clone, Debug, Default)]
pub(crate) struct Item {
    pub(crate) state: state::Item,
    pub(crate) id: Name,
    pub(crate) call_id: Name,
    /// The wire type; empty while no event told it.
    pub(crate) kind: Name,
    pub(crate) class: Class,
    /// The name of the tool that it calls.
    pub(crate) tool: Name,
    /// Whether it came whole: added with a status that says so.
    pub(crate) whole: bool,
    pub(crate) incomplete: bool,
    /// How its done event says that it ended.
    pub(crate) ending: Ending,
    pub(crate) content: ByIndex<Part>,
    pub(crate) summary: ByIndex<Part>,
    pub(crate) commands: ByIndex<Part>,
    pub(crate) input: Input,
    /// The members of the done item: hash of the key, digest of the value.
    pub(crate) members: Vec<(u64, Digest)>,
    /// The text of the done item.
    pub(crate) written: Option<Digest>,
}

/// What sort of item it is, as far as life cycles differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Class {
    /// Not told yet.
    #[default]
    Untold,
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
    /// Known, neither content nor call: outputs, approvals, lists, compactions.
    Other,
    /// `slug:name`, or unknown: nothing is expected of it.
    Foreign,
}

impl Class {
    /// The class of an item type.
    pub(crate) fn of(kind: &str) -> Self {
        match kind {
            "message" => Self::Message,
            "reasoning" => Self::Reasoning,
            "function_call" => Self::FunctionCall,
            "custom_tool_call" => Self::CustomToolCall,
            "mcp_call" => Self::McpCall,
            "code_interpreter_call" => Self::CodeInterpreterCall,
            "apply_patch_call" => Self::ApplyPatchCall,
            "shell_call" => Self::ShellCall,
            "file_search_call"
            | "web_search_call"
            | "image_generation_call"
            | "computer_call"
            | "local_shell_call"
            | "tool_search_call" => Self::HostedCall,
            "function_call_output"
            | "computer_call_output"
            | "compaction"
            | "local_shell_call_output"
            | "shell_call_output"
            | "apply_patch_call_output"
            | "mcp_list_tools"
            | "mcp_approval_request"
            | "mcp_approval_response"
            | "custom_tool_call_output" => Self::Other,
            _ => Self::Foreign,
        }
    }

    /// Says whether items of this class call a tool.
    pub(crate) fn is_call(self) -> bool {
        !matches!(self, Self::Untold | Self::Message | Self::Reasoning | Self::Other | Self::Foreign)
    }

    /// Says whether the client runs the call, so that it ends the turn.
    pub(crate) fn is_client_call(self) -> bool {
        matches!(self, Self::FunctionCall | Self::CustomToolCall)
    }

    /// Says whether items of this class have content parts; what is not known may have some.
    pub(crate) fn has_parts(self) -> bool {
        matches!(self, Self::Untold | Self::Message | Self::Reasoning | Self::Foreign)
    }
}

/// A text that grows by deltas, as digests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Growing {
    /// The first text and all deltas.
    text: Running,
    /// The deltas alone, where there was a first text.
    deltas: Option<Running>,
    /// What a done event said the text is; from then on that counts.
    said: Option<Said>,
    /// Whether the beginning was not seen, so that there is nothing to compare with.
    pub(crate) joined: bool,
    /// How many events could not be read when it began: one that came since may have been a delta of it.
    unread: u64,
}

/// How a whole text agrees with what was gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// It is the same, or nothing is known to compare with.
    Same,
    /// It equals the deltas alone, which repeat the first text; with that they have so many bytes.
    Doubled(u64),
    /// There were no deltas at all.
    Unheard,
    /// It is another text than that of so many bytes.
    Differs(u64),
}

impl Growing {
    /// A text that begins now, after so many events that could not be read.
    pub(crate) fn since(unread: u64) -> Self {
        Self { unread, ..Self::default() }
    }

    /// Takes the text that is there before any delta.
    pub(crate) fn begin(&mut self, first: &str) {
        if !first.is_empty() {
            self.text.push(first);
            self.deltas = Some(Running::default());
        }
    }

    /// Adds a delta.
    #[inline]
    pub(crate) fn push(&mut self, delta: &[u8], halves: Halves) {
        self.text.push_delta(delta, halves);
        if let Some(deltas) = &mut self.deltas {
            deltas.push_delta(delta, halves);
        }
    }

    /// Adds deltas that end in no half of a character, one behind the other.
    pub(crate) fn push_many(&mut self, deltas: &[u8]) {
        self.text.push_many(deltas);
        if let Some(text) = &mut self.deltas {
            text.push_many(deltas);
        }
    }

    /// What the last done event said.
    pub(crate) fn said(&self) -> Option<Said> {
        self.said
    }

    /// Compares with a whole text of a wider source, which counts from now on. `unread`: events that could not be read.
    pub(crate) fn say(&mut self, said: Said, unread: u64) -> Agreement {
        let whole = said.text;
        let seen = !self.joined && self.unread == unread;
        let known = self.said.map(|said| said.text).or_else(|| seen.then(|| self.text.digest()));
        self.said = Some(said);
        match known {
            Some(known) if known != whole && known.length == 0 => Agreement::Unheard,
            Some(known) if known != whole => match self.deltas.take() {
                Some(deltas) if deltas.digest() == whole => Agreement::Doubled(known.length),
                _ => Agreement::Differs(known.length),
            },
            _ => Agreement::Same,
        }
    }
}

/// One part of content or summary, or one shell command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    pub(crate) state: state::Part,
    pub(crate) kind: PartKind,
    pub(crate) text: Growing,
    /// Digests of the annotations sent.
    pub(crate) annotations: Vec<Digest>,
    /// The whole part as its done event had it: its text, and its meaning. Where the text is the same, so is the meaning.
    pub(crate) whole: Option<(Digest, Digest)>,
}

/// The type of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PartKind {
    /// Not told yet.
    #[default]
    Untold,
    OutputText,
    Refusal,
    ReasoningText,
    SummaryText,
    Other,
}

impl PartKind {
    /// The kind of a part type.
    pub(crate) fn of(kind: &str) -> Self {
        match kind {
            "output_text" => Self::OutputText,
            "refusal" => Self::Refusal,
            "reasoning_text" => Self::ReasoningText,
            "summary_text" => Self::SummaryText,
            "" => Self::Untold,
            _ => Self::Other,
        }
    }

    /// Which member of the part holds its text.
    pub(crate) fn field(self) -> &'static str {
        match self {
            Self::Refusal => "refusal",
            _ => "text",
        }
    }

    /// The wire name, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Untold => "a part of no type",
            Self::OutputText => "output_text",
            Self::Refusal => "refusal",
            Self::ReasoningText => "reasoning_text",
            Self::SummaryText => "summary_text",
            Self::Other => "a part of another type",
        }
    }
}

/// A tool's input: arguments, custom input, code or a diff.
#[derive(Clone, Debug, Default)]
pub(crate) struct Input {
    pub(crate) state: state::Input,
    pub(crate) text: Growing,
    /// Whether any event was about it.
    pub(crate) touched: bool,
    /// What its done event said, and whether that is JSON.
    pub(crate) json: Option<(Said, bool)>,
}
