//! [`Fields`]: the routing fields of a payload, found in one pass by one of two scanners.
//!
//! The *flat* scanner walks the top level of an object and checks nested values without keeping them. The *general* one
//! builds a [`Tape`] of everything. Both pass each member to [`Fields::set`], so they cannot interpret a member differently;
//! a property test compares them. The flat scanner leaves every unusual payload (an escaped key, a payload that
//! is not an object, any syntax error) to the general one.

use alloc::string::String;
use alloc::vec::Vec;

use super::span::{Source, TextSpan};
use crate::contract::Kind;
use crate::json::{scan, text, JsonError, JsonErrorKind, LoneSurrogates, Tape, ValueKind};

/// The index fields that route an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    Output,
    Content,
    Summary,
    Annotation,
    Command,
    PartialImage,
}

const NONE: u64 = u64::MAX;

/// The scalar fields of a payload that routing, accumulating and validating need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) kind: Kind,
    pub(crate) wire_type: TextSpan,
    pub(crate) item_id: TextSpan,
    pub(crate) delta: TextSpan,
    /// The whole string of a done event, in the field of its kind, as it was written, and whether it has escapes. It can be
    /// long, and is often only compared.
    pub(crate) whole: TextSpan,
    pub(crate) whole_escaped: bool,
    /// The field that `whole` is from.
    whole_field: Field,
    /// The `logprobs` array as it was written, brackets included.
    pub(crate) logprobs: TextSpan,
    sequence_number: u64,
    indexes: [u64; 6],
    /// Known fields with a value of the wrong type or out of range, a bit per [`Field`].
    pub(crate) bad: u32,
    /// Known fields that occur more than once.
    pub(crate) repeated: u32,
    seen: u32,
    /// Lone surrogate halves in `delta`.
    pub(crate) halves: LoneSurrogates,
    /// The `response` of a snapshot that repeats the text of the event before it; see [`flat`].
    pub(crate) repeated_response: TextSpan,
    /// Strings of the block template: literal fields of an event that matched it.
    pub(crate) known: String,
    pub(crate) gaps: Gaps,
}

/// The places where a payload may differ from the template that it matched. Each match sets only the ends of the strings; the starts
/// are computed on demand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gaps {
    /// The number of the template; 0 if the payload matched none.
    pub(crate) template: u64,
    /// Length of the block's bytes before the payload.
    pub(crate) head: u32,
    /// Length of the literal before the first string.
    pub(crate) first: u32,
    /// The strings that differ; the first `count` are used.
    pub(crate) strings: [Gap; MAX_GAPS],
    pub(crate) count: usize,
    /// The sequence number: how many strings are before it, its distance from the last of them, and its length.
    pub(crate) number: Option<(usize, u32, u32)>,
}

/// A string that may differ from block to block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gap {
    /// Its end in the block.
    pub(crate) end: u32,
    /// Length of the literal after it, up to the next string.
    pub(crate) literal_after: u32,
    /// True for the delta; false for padding.
    pub(crate) is_delta: bool,
}

/// The maximum number of gaps of a payload, the sequence number included.
pub(crate) const MAX_GAPS: usize = 4;

impl Gaps {
    /// The length of the literal after this number of strings.
    pub(crate) fn literal_mut(&mut self, strings_before: usize) -> Option<&mut u32> {
        match strings_before.checked_sub(1) {
            None => Some(&mut self.first),
            Some(string) => Some(&mut self.strings.get_mut(string)?.literal_after),
        }
    }

    /// Start and end of each gap in the payload, in their order.
    #[inline]
    pub(crate) fn spans(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (mut at, mut literal, mut last_end, mut number) = (0, self.first, 0, self.number);
        core::iter::from_fn(move || {
            let (start, end) = match number {
                Some((strings_before, distance, length)) if strings_before == at => {
                    number = None;
                    (last_end + distance, last_end + distance + length)
                }
                _ if at < self.count => {
                    let gap = self.strings.get(at)?;
                    let start = last_end + literal;
                    (last_end, literal) = (gap.end, gap.literal_after);
                    at += 1;
                    (start, last_end)
                }
                _ => return None,
            };
            Some((start - self.head, end - self.head))
        })
    }
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            kind: Kind::Unknown,
            wire_type: TextSpan::default(),
            item_id: TextSpan::default(),
            delta: TextSpan::default(),
            whole: TextSpan::default(),
            whole_escaped: false,
            whole_field: Field::Text,
            logprobs: TextSpan::default(),
            sequence_number: NONE,
            indexes: [NONE; 6],
            bad: 0,
            repeated: 0,
            seen: 0,
            halves: LoneSurrogates::default(),
            repeated_response: TextSpan::default(),
            known: String::new(),
            gaps: Gaps::default(),
        }
    }
}

/// The fields of a payload's top level that [`Fields`] keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Field {
    Type,
    SequenceNumber,
    ItemId,
    OutputIndex,
    ContentIndex,
    SummaryIndex,
    AnnotationIndex,
    CommandIndex,
    PartialImageIndex,
    Delta,
    Text,
    Refusal,
    Arguments,
    Input,
    Code,
    Diff,
    Command,
    Obfuscation,
    Logprobs,
}

/// The keys as a list, for their names, and as a `match`, for fast lookup.
macro_rules! keys {
    ($($key:literal $field:ident,)*) => {
        impl Field {
            const KEYS: &[(&[u8], Self)] = &[$(($key, Self::$field)),*];

            #[inline]
            fn from_key(key: &[u8]) -> Option<Self> {
                Some(match key {
                    $($key => Self::$field,)*
                    _ => return None,
                })
            }
        }
    };
}
keys! {
    b"type" Type,
    b"sequence_number" SequenceNumber,
    b"item_id" ItemId,
    b"output_index" OutputIndex,
    b"content_index" ContentIndex,
    b"summary_index" SummaryIndex,
    b"annotation_index" AnnotationIndex,
    b"command_index" CommandIndex,
    b"partial_image_index" PartialImageIndex,
    b"delta" Delta,
    b"text" Text,
    b"refusal" Refusal,
    b"arguments" Arguments,
    b"input" Input,
    b"code" Code,
    b"diff" Diff,
    b"command" Command,
    b"obfuscation" Obfuscation,
    b"logprobs" Logprobs,
}

impl Field {
    /// The bit of this field in a mask.
    pub(crate) fn bit(self) -> u32 {
        1 << self as u8
    }

    /// The fields whose bits are in `mask`, by wire name.
    pub(crate) fn names(mask: u32) -> impl Iterator<Item = &'static str> {
        let named = Self::KEYS.iter().filter(move |(_, field)| mask & field.bit() != 0);
        named.filter_map(|(name, _)| core::str::from_utf8(name).ok())
    }

    /// The wire name.
    fn name(self) -> &'static str {
        Self::names(self.bit()).next().unwrap_or_default()
    }

    /// The field with the whole string of a done event.
    #[inline]
    fn whole_of(kind: Kind) -> Option<Self> {
        Some(match kind {
            Kind::OutputTextDone | Kind::ReasoningDone | Kind::ReasoningTextDone | Kind::ReasoningSummaryTextDone => {
                Self::Text
            }
            Kind::RefusalDone => Self::Refusal,
            Kind::FunctionCallArgumentsDone | Kind::McpCallArgumentsDone => Self::Arguments,
            Kind::CustomToolCallInputDone => Self::Input,
            Kind::CodeInterpreterCallCodeDone => Self::Code,
            Kind::ApplyPatchCallOperationDiffDone => Self::Diff,
            Kind::ShellCallCommandAdded | Kind::ShellCallCommandDone => Self::Command,
            _ => return None,
        })
    }

    /// The fields that have the whole string of a done event of some kind.
    const WHOLE: u32 = (1 << Self::Text as u32)
        | (1 << Self::Refusal as u32)
        | (1 << Self::Arguments as u32)
        | (1 << Self::Input as u32)
        | (1 << Self::Code as u32)
        | (1 << Self::Diff as u32)
        | (1 << Self::Command as u32);
}

/// A member's value as both scanners return it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) tag: ValueKind,
    pub(crate) escaped: bool,
    /// For strings without the quotes.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The place of a value that may differ from event to event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) slot: FieldSlot,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// The meaning of a value that may differ from event to event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldSlot {
    SequenceNumber,
    ItemId,
    Index(Index),
    Delta,
    /// The `logprobs` array.
    Logprobs,
    /// A string that no field keeps: the padding.
    Padding,
    /// An array or object that no field keeps.
    Nested,
}

impl Fields {
    /// Makes the fields those of a payload without members. Each is set in place: an assignment of the default assembles all of them in
    /// other memory, in pieces that cannot be loaded until they have been written.
    pub(crate) fn reset(&mut self) {
        // Without `..`, so that none is forgotten.
        let Self {
            kind,
            wire_type,
            item_id,
            delta,
            whole,
            whole_escaped,
            whole_field,
            logprobs,
            sequence_number,
            indexes,
            bad,
            repeated,
            seen,
            halves,
            repeated_response,
            known,
            gaps,
        } = self;
        *kind = Kind::Unknown;
        for span in [wire_type, item_id, delta, whole, logprobs, repeated_response] {
            *span = TextSpan::default();
        }
        (*whole_escaped, *whole_field) = (false, Field::Text);
        (*sequence_number, *indexes) = (NONE, [NONE; 6]);
        (*bad, *repeated, *seen) = (0, 0, 0);
        *halves = LoneSurrogates::default();
        known.clear();
        // The others have no meaning without a template.
        gaps.template = 0;
    }

    /// Returns `true` if a delta has only text: no log probabilities and no lone surrogates.
    #[inline]
    pub(crate) fn is_plain_text(&self) -> bool {
        self.logprobs.len() <= 2 && !self.halves.lone
    }

    /// Returns `true` if all indexes are equal.
    pub(crate) fn has_same_indexes(&self, other: &Self) -> bool {
        self.indexes == other.indexes
    }

    /// Returns `true` if the event names this item id or none.
    #[inline]
    pub(crate) fn fits_item(&self, id: &str, source: Source<'_>) -> bool {
        self.item_id.is(id, source) || !self.item_id.is_present()
    }

    #[inline]
    pub(crate) fn sequence_number(&self) -> Option<u64> {
        (self.sequence_number != NONE).then_some(self.sequence_number)
    }

    #[inline]
    pub(crate) fn index(&self, index: Index) -> Option<u64> {
        let value = self.indexes[index as usize];
        (value != NONE).then_some(value)
    }

    #[inline]
    pub(crate) fn set_sequence_number(&mut self, number: u64) {
        self.sequence_number = number;
    }

    /// Takes one member of the payload. The last one of repeated keys is used.
    #[inline]
    fn set(&mut self, field: Field, token: Token, payload: &str, scratch: &mut String) -> Option<FieldSlot> {
        let bit = field.bit();
        self.repeated |= self.seen & bit;
        self.seen |= bit;
        self.bad &= !bit;
        let index = match field {
            Field::Type => {
                self.wire_type = self.string(field, token, payload, scratch).0;
                return None;
            }
            Field::ItemId => {
                self.item_id = self.string(field, token, payload, scratch).0;
                return (token.tag == ValueKind::String && !token.escaped).then_some(FieldSlot::ItemId);
            }
            Field::Delta => {
                (self.delta, self.halves) = self.string(field, token, payload, scratch);
                return (token.tag == ValueKind::String).then_some(FieldSlot::Delta);
            }
            Field::Text
            | Field::Refusal
            | Field::Arguments
            | Field::Input
            | Field::Code
            | Field::Diff
            | Field::Command => {
                self.whole_field = field;
                self.whole = self.string(field, Token { escaped: false, ..token }, payload, scratch).0;
                self.whole_escaped = token.tag == ValueKind::String && token.escaped;
                return None;
            }
            Field::Logprobs => {
                let array = token.tag == ValueKind::Array;
                self.logprobs = if array { TextSpan::in_payload(token.start, token.end) } else { TextSpan::default() };
                return array.then_some(FieldSlot::Logprobs);
            }
            Field::Obfuscation => return (token.tag == ValueKind::String).then_some(FieldSlot::Padding),
            Field::SequenceNumber => {
                self.sequence_number = self.number(field, token, payload);
                return (self.sequence_number != NONE).then_some(FieldSlot::SequenceNumber);
            }
            Field::OutputIndex => Index::Output,
            Field::ContentIndex => Index::Content,
            Field::SummaryIndex => Index::Summary,
            Field::AnnotationIndex => Index::Annotation,
            Field::CommandIndex => Index::Command,
            Field::PartialImageIndex => Index::PartialImage,
        };
        let value = self.number(field, token, payload);
        self.indexes[index as usize] = value;
        (value != NONE).then_some(FieldSlot::Index(index))
    }

    #[inline]
    fn string(
        &mut self,
        field: Field,
        token: Token,
        payload: &str,
        scratch: &mut String,
    ) -> (TextSpan, LoneSurrogates) {
        if token.tag != ValueKind::String {
            // `delta` is an object in one event family, and the names of whole strings have other meanings elsewhere.
            let free = field == Field::Delta || field.bit() & Field::WHOLE != 0 || token.tag == ValueKind::Null;
            self.bad |= if free { 0 } else { field.bit() };
            return (TextSpan::default(), LoneSurrogates::default());
        }
        if !token.escaped {
            return (TextSpan::in_payload(token.start, token.end), LoneSurrogates::default());
        }
        let start = scratch.len();
        let halves = text::decode_into(&payload[token.start..token.end], scratch);
        (TextSpan::in_scratch(start, scratch.len()), halves)
    }

    #[inline]
    fn number(&mut self, field: Field, token: Token, payload: &str) -> u64 {
        if token.tag == ValueKind::Null {
            return NONE;
        }
        match plain_number(&payload.as_bytes()[token.start..token.end]) {
            Some(value) if token.tag == ValueKind::Number => value,
            _ => {
                self.bad |= field.bit();
                NONE
            }
        }
    }
}

/// Reads a number of plain digits, up to 18 of them.
#[inline]
pub(crate) fn plain_number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0u64;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u64::from(digit - b'0');
    }
    Some(value)
}

/// The number of marks of a usual delta.
const USUAL_MARKS: usize = 8;

/// Scans the top level of a payload. `None`: left to [`general`].
///
/// `response` is the text of the last response that was checked, or empty: a `response` with the same text is valid too, so it is
/// compared and not scanned. The snapshots at the start of a stream are most of a short stream, and repeat each other.
#[inline]
pub(crate) fn flat(
    payload: &str,
    depth: usize,
    response: &str,
    fields: &mut Fields,
    scratch: &mut String,
    stack: &mut Vec<scan::OpenContainer>,
    marks: &mut Vec<Mark>,
) -> Option<()> {
    let bytes = payload.as_bytes();
    marks.clear();
    marks.reserve(USUAL_MARKS);
    let mut at = scan::skip_space(bytes, 0);
    if bytes.get(at) != Some(&b'{') || bytes.len() > u32::MAX as usize || depth == 0 {
        return None;
    }
    at = scan::skip_space(bytes, at + 1);
    if bytes.get(at) == Some(&b'}') {
        return None;
    }
    loop {
        if bytes.get(at) != Some(&b'"') {
            return None;
        }
        let key_start = at + 1;
        let (key_end, key_escaped) = scan::string(bytes, key_start).ok()?;
        if key_escaped {
            return None;
        }
        let field = Field::from_key(&bytes[key_start..key_end]);
        at = scan::skip_space(bytes, key_end + 1);
        if bytes.get(at) != Some(&b':') {
            return None;
        }
        at = scan::skip_space(bytes, at + 1);
        if !response.is_empty() && bytes[key_start..key_end] == *b"response" {
            let end = at + response.len();
            let repeats = bytes.get(at..end) == Some(response.as_bytes());
            // The last one of repeated keys is used.
            fields.repeated_response = if repeats { TextSpan::in_payload(at, end) } else { TextSpan::default() };
            if repeats {
                at = scan::skip_space(bytes, end);
                match bytes.get(at) {
                    Some(b',') => at = scan::skip_space(bytes, at + 1),
                    Some(b'}') => break,
                    _ => return None,
                }
                continue;
            }
        }
        let (token, end) = token(bytes, at, depth - 1, stack)?;
        let slot = match field {
            Some(field) => fields.set(field, token, payload, scratch),
            None => matches!(token.tag, ValueKind::Array | ValueKind::Object).then_some(FieldSlot::Nested),
        };
        if let Some(slot) = slot {
            marks.push(Mark { slot, start: token.start as u32, end: token.end as u32 });
        }
        at = scan::skip_space(bytes, end);
        match bytes.get(at) {
            Some(b',') => at = scan::skip_space(bytes, at + 1),
            Some(b'}') => break,
            _ => return None,
        }
    }
    if scan::skip_space(bytes, at + 1) != bytes.len() {
        return None;
    }
    set_kind(fields, payload, scratch);
    Some(())
}

#[inline]
fn token(bytes: &[u8], at: usize, depth: usize, stack: &mut Vec<scan::OpenContainer>) -> Option<(Token, usize)> {
    let literal = |tag, word: &[u8]| {
        let end = at + word.len();
        (bytes.get(at..end) == Some(word)).then_some((Token { tag, escaped: false, start: at, end }, end))
    };
    match bytes.get(at)? {
        b'"' => {
            let (end, escaped) = scan::string(bytes, at + 1).ok()?;
            Some((Token { tag: ValueKind::String, escaped, start: at + 1, end }, end + 1))
        }
        b'-' | b'0'..=b'9' => {
            let end = scan::number(bytes, at).ok()?;
            Some((Token { tag: ValueKind::Number, escaped: false, start: at, end }, end))
        }
        b'n' => literal(ValueKind::Null, b"null"),
        b't' => literal(ValueKind::True, b"true"),
        b'f' => literal(ValueKind::False, b"false"),
        first => {
            let tag = if *first == b'[' { ValueKind::Array } else { ValueKind::Object };
            let end = scan::skip(bytes, at, depth, stack).ok()?;
            Some((Token { tag, escaped: false, start: at, end }, end))
        }
    }
}

/// Reads the same fields from a tape: of the whole payload, or of its [outline](Tape::parse_outline). The error tells why the payload is
/// not a JSON object.
pub(crate) fn general(
    payload: &str,
    depth: usize,
    outline: bool,
    fields: &mut Fields,
    scratch: &mut String,
    tape: &mut Tape,
) -> Result<(), JsonError> {
    if outline {
        tape.parse_outline(payload, depth)?;
    } else {
        tape.parse(payload, depth)?;
    }
    let root = tape.root(payload);
    if root.kind() != ValueKind::Object {
        return Err(JsonError::new(JsonErrorKind::Unexpected, 0));
    }
    for (key, value) in root.entries() {
        let field = match key.plain_bytes() {
            Some(name) => Field::from_key(name),
            None => Field::from_key(key.as_str().unwrap_or_default().as_bytes()),
        };
        let Some(field) = field else { continue };
        let (tag, escaped, start, end) = value.token();
        let token = Token { tag, escaped, start, end };
        fields.set(field, token, payload, scratch);
    }
    set_kind(fields, payload, scratch);
    Ok(())
}

#[inline]
fn set_kind(fields: &mut Fields, payload: &str, scratch: &str) {
    fields.kind = fields.wire_type.get(Source::of(payload, scratch)).map_or(Kind::Unknown, Kind::from_wire);
    if let Some(field) = Field::whole_of(fields.kind).filter(|field| fields.seen & Field::WHOLE & !field.bit() != 0) {
        select_whole(fields, field, payload);
    }
}

/// Takes the whole string from the field of the event's kind, if the event has another one that is such a field of other kinds.
#[cold]
fn select_whole(fields: &mut Fields, field: Field, payload: &str) {
    if fields.seen & field.bit() != 0 && fields.whole_field == field {
        return;
    }
    (fields.whole, fields.whole_escaped) = (TextSpan::default(), false);
    if fields.seen & field.bit() == 0 {
        return;
    }
    // Only one such field was kept while scanning. This is too rare to keep them all. The depth was checked by the scan.
    let mut tape = Tape::default();
    if tape.parse(payload, usize::MAX).is_err() {
        return;
    }
    let value = tape.root(payload).get(field.name()).filter(|value| value.kind() == ValueKind::String);
    if let Some((_, escaped, start, end)) = value.map(|value| value.token()) {
        (fields.whole, fields.whole_escaped) = (TextSpan::in_payload(start, end), escaped);
    }
}
