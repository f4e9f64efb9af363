//! [`Parser`]: JSON text → [`Event`], by the cheapest of three tiers.
//!
//! A *block template* compares a whole block with the previous one of the same item, the *flat* scanner reads the top-level fields of a
//! payload, the *tape* is built of everything else. Each tier proves the payload's syntax itself or leaves it to the next; all three give
//! the same event. A payload that is not a JSON object is an event too: it has its raw text, [`Kind::Unknown`] and a [`Fault`]. Time is linear
//! in the payload; buffers are allocated at first need and reused, so a delta allocates nothing after warm-up.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::block_template::{BlockHead, BlockTemplate, ExpectedSequence};
use super::fields::{flat, general, Fields, Mark};
use super::payload::{Event, Lazy};
use super::span::RawText;
use crate::contract::Kind;
use crate::json::{scan, JsonError, JsonErrorKind, Tape, ValueKind, ValueRef, MAX_DEPTH};
use crate::sync::Shared;

/// Why a payload is not an event of the specification's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// It is not JSON.
    NotJson(JsonError),
    /// It is JSON, but not an object.
    NotObject,
    /// It is nested deeper than the limit; its syntax is not checked beyond that.
    TooDeep,
}

/// The position of a payload in its stream, and the name of its frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin<'a> {
    /// The frame's `event:` line; `None` for messages without SSE and frames without the line.
    pub frame_name: Option<&'a str>,
    /// Byte offset of the payload, from the start of the stream.
    pub offset: u64,
    /// Position of the event in the stream.
    pub index: u64,
}

/// The tiers that a parser uses besides the tape. All combinations give the same events: tests compare them, and benches measure them.
/// Not part of the public API; `__bindings` exports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParserTiers {
    /// Compare a block with a template of the previous blocks of its item.
    pub block_template: bool,
    /// Scan the top level of a payload without a tape.
    pub flat_scanner: bool,
}

impl Default for ParserTiers {
    fn default() -> Self {
        Self { block_template: true, flat_scanner: true }
    }
}

/// Turns payloads into events.
///
/// ```
/// use deltafold::event::{Kind, Origin, Parser};
/// let mut parser = Parser::new(128);
/// let event = parser.parse(r#"{"type":"response.output_text.delta","sequence_number":4,"delta":"Hi"}"#, Origin::default());
/// assert_eq!((event.kind(), event.sequence_number(), event.delta()), (Kind::OutputTextDelta, Some(4), "Hi"));
/// ```
pub struct Parser {
    depth: usize,
    /// True if tapes are outlines; see [`Tape::parse_outline`].
    outline: bool,
    tiers: ParserTiers,
    fields: Fields,
    fault: Option<Fault>,
    scratch: String,
    lazy: Lazy,
    stack: Vec<scan::OpenContainer>,
    marks: Vec<Mark>,
    templates: Templates,
    /// The `response` of the last event, if it was a snapshot at the start of a stream; otherwise empty.
    response: String,
}

/// The block templates of the items that grow.
#[derive(Default)]
struct Templates {
    list: Vec<BlockTemplate>,
    /// The template that matched last, or was learned last.
    current: usize,
    /// True if it matched the last event.
    matched: bool,
    /// True if the last event was a delta that a template could be learned from. A template pays from the third delta on, so the first
    /// delta of a run is not learned.
    in_run: bool,
    expected: ExpectedSequence,
    /// How many templates were learned: gives each a number of its own.
    learned: u64,
    /// How many deltas could have been learned since a template matched.
    unused: u32,
}

impl fmt::Debug for Parser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Payloads can contain secrets: only the settings are shown.
        f.debug_struct("Parser").field("depth", &self.depth).field("tiers", &self.tiers).finish_non_exhaustive()
    }
}

/// A block that matches a template.
pub(crate) struct BlockMatch {
    /// Start and end of its payload.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// True if the same template matched the previous event.
    pub(crate) continues_previous: bool,
}

/// The maximum number of templates. If more items grow at the same time, the oldest templates are replaced.
const MAX_TEMPLATES: usize = 24;

impl Parser {
    /// Makes a parser for payloads nested at most `depth` deep.
    pub fn new(depth: usize) -> Self {
        Self::with_tiers(depth, ParserTiers::default())
    }

    /// Makes a parser that uses only these tiers and the tape.
    pub(crate) fn with_tiers(depth: usize, tiers: ParserTiers) -> Self {
        Self {
            depth: depth.min(MAX_DEPTH),
            outline: false,
            tiers,
            fields: Fields::default(),
            fault: None,
            scratch: String::new(),
            lazy: Lazy { depth: depth.min(MAX_DEPTH), ..Lazy::default() },
            stack: Vec::new(),
            marks: Vec::new(),
            templates: Templates::default(),
            response: String::new(),
        }
    }

    /// Builds outlines instead of whole tapes, for a reader without a validator.
    pub(crate) fn with_outlines(self, outline: bool) -> Self {
        Self { outline, ..self }
    }

    /// Reads one payload. The event borrows from it and from the parser.
    #[inline]
    pub fn parse<'a>(&'a mut self, payload: &'a str, origin: Origin<'a>) -> Event<'a> {
        self.read_payload(payload, origin.frame_name, None);
        self.event(payload, origin)
    }

    /// Reads the payload of a frame. With the head of its block, a template may be learned for the next blocks. Call
    /// [`event`](Self::event) next.
    pub(crate) fn read_payload(&mut self, payload: &str, name: Option<&str>, head: Option<BlockHead<'_>>) {
        self.lazy.reset();
        self.templates.matched = false;
        self.fault = self.by_scan(payload, name, head);
    }

    /// The event of the payload that was read last.
    #[inline]
    pub(crate) fn event<'a>(&'a self, payload: &'a str, origin: Origin<'a>) -> Event<'a> {
        Event {
            raw: RawText::Text(payload),
            scratch: &self.scratch,
            fields: &self.fields,
            lazy: &self.lazy,
            matches_template: false,
            continues_previous: false,
            fault: self.fault.as_ref(),
            origin,
        }
    }

    /// Compares the bytes of a stream, which begin with a block, with the templates. The payload of a match is valid UTF-8, and two line
    /// feeds follow it. Call [`accept_match`](Self::accept_match) and [`matched_event`](Self::matched_event) next, unless the block is not
    /// to be used.
    // In wasm the compiler decides, because code size matters there.
    #[cfg_attr(target_arch = "wasm32", inline)]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(crate) fn match_block(&mut self, bytes: &[u8]) -> Option<BlockMatch> {
        let Templates { list, current, matched, expected, .. } = &mut self.templates;
        let template = list.get_mut(*current)?;
        let Some(end) = template.read(bytes, expected, &mut self.scratch) else { return self.match_other(bytes) };
        let continues_previous = core::mem::replace(matched, true);
        Some(BlockMatch { start: template.head_length(), end, continues_previous })
    }

    /// Compares a block with the templates of the other items.
    #[inline(never)]
    fn match_other(&mut self, bytes: &[u8]) -> Option<BlockMatch> {
        let Templates { list, current, matched, expected, .. } = &mut self.templates;
        for (at, template) in list.iter_mut().enumerate() {
            if at == *current || !template.may_match(bytes, expected) {
                continue;
            }
            if let Some(end) = template.read(bytes, expected, &mut self.scratch) {
                (*current, *matched) = (at, true);
                return Some(BlockMatch { start: template.head_length(), end, continues_previous: false });
            }
        }
        None
    }

    /// Makes the block that matched last the current event.
    #[inline]
    pub(crate) fn accept_match(&mut self) {
        self.lazy.reset();
        self.response.clear();
        self.templates.unused = 0;
    }

    /// The event of the block that matched last. `origin` needs no frame name: the template has it.
    // In wasm the compiler decides, because code size matters there.
    #[cfg_attr(target_arch = "wasm32", inline)]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(crate) fn matched_event<'a>(
        &'a self,
        payload: &'a [u8],
        mut origin: Origin<'a>,
        continues_previous: bool,
    ) -> Event<'a> {
        let template = self.templates.list.get(self.templates.current);
        origin.frame_name = template.and_then(BlockTemplate::frame_name);
        Event {
            raw: RawText::Bytes(payload),
            scratch: &self.scratch,
            fields: template.map_or(&self.fields, BlockTemplate::fields),
            lazy: &self.lazy,
            matches_template: true,
            continues_previous,
            fault: None,
            origin,
        }
    }

    fn by_scan(&mut self, payload: &str, name: Option<&str>, head: Option<BlockHead<'_>>) -> Option<Fault> {
        self.restart();
        let in_run = core::mem::take(&mut self.templates.in_run);
        let kind = likely_kind(payload, name);
        if let Some(Kind::Created | Kind::Queued | Kind::InProgress) = kind {
            return self.by_snapshot(payload);
        }
        self.response.clear();
        // A flat payload needs no tape.
        let flat_kind = match kind {
            Some(kind) => kind.is_delta() || (kind.is_done() && self.outline),
            None => payload.len() < 1024,
        };
        if self.tiers.flat_scanner && flat_kind {
            let Self { fields, scratch, stack, marks, .. } = self;
            if flat(payload, self.depth, "", fields, scratch, stack, marks).is_some() {
                if let Some(head) = head.filter(|_| self.tiers.block_template && self.fields.kind.is_delta()) {
                    self.templates.in_run = true;
                    if in_run {
                        self.templates.learn(head, payload, &self.fields, &self.marks);
                    }
                }
                return None;
            }
            self.restart();
        }
        self.by_tape(payload)
    }

    /// Reads a snapshot at the start of a stream, which often repeats the response of the event before it.
    fn by_snapshot(&mut self, payload: &str) -> Option<Fault> {
        if self.tiers.block_template && !self.response.is_empty() {
            let Self { fields, scratch, stack, marks, response, .. } = self;
            let read = flat(payload, self.depth, response, fields, scratch, stack, marks);
            if read.is_some() && self.fields.repeated_response.is_present() {
                return None;
            }
            self.restart();
        }
        let fault = self.by_tape(payload);
        self.response.clear();
        let tape = &self.lazy.tape;
        let response =
            if self.tiers.block_template && !tape.is_empty() { tape.root(payload).get("response") } else { None };
        // The name of the frame may be wrong: only a snapshot is taken by the accumulator, which then skips its repetitions.
        let is_snapshot = matches!(self.fields.kind, Kind::Created | Kind::Queued | Kind::InProgress);
        if let Some(response) = response.filter(|response| {
            is_snapshot && response.raw().len() <= MAX_REPEATED && response.get("output").is_none_or(is_item_list)
        }) {
            self.response.push_str(response.raw());
        }
        fault
    }

    /// Forgets the last event, which the caller drops: the next one must not refer to it.
    pub(crate) fn forget_last(&mut self) {
        self.response.clear();
    }

    fn by_tape(&mut self, payload: &str) -> Option<Fault> {
        let tape = &mut self.lazy.tape;
        self.lazy.has_tape = true;
        let result = general(payload, self.depth, self.outline, &mut self.fields, &mut self.scratch, tape);
        let object = !tape.is_empty();
        match result {
            Ok(()) => None,
            Err(error) => {
                self.restart();
                Some(match error.kind() {
                    JsonErrorKind::Depth => Fault::TooDeep,
                    _ if object => Fault::NotObject,
                    _ => Fault::NotJson(error),
                })
            }
        }
    }

    fn restart(&mut self) {
        self.fields.reset();
        self.scratch.clear();
    }
}

/// Returns `true` if the accumulator takes an `output` without a finding. Another one is reported for each event that has it.
fn is_item_list(output: ValueRef<'_>) -> bool {
    match output.kind() {
        ValueKind::Null => true,
        ValueKind::Array => output.elements().all(|item| item.kind() == ValueKind::Object),
        _ => false,
    }
}

impl Templates {
    /// Learns the template of an item, in the place of its old one or of the oldest.
    fn learn(&mut self, head: BlockHead<'_>, payload: &str, fields: &Fields, marks: &[Mark]) {
        // Templates that do not match are not worth learning. Each item needs one, so several fail before the first match.
        self.unused = self.unused.saturating_add(1);
        if self.unused as usize > 2 * MAX_TEMPLATES && self.unused % 16 != 0 {
            return;
        }
        self.learned += 1;
        if let Some(number) = fields.sequence_number() {
            self.expected.set(number.saturating_add(1));
        }
        let old = self.list.iter().position(|template| template.is_for(payload, fields));
        self.current = old.unwrap_or_else(|| {
            if self.list.len() < MAX_TEMPLATES {
                self.list.push(BlockTemplate::default());
                self.list.len() - 1
            } else {
                self.learned as usize % MAX_TEMPLATES
            }
        });
        if let Some(template) = self.list.get_mut(self.current) {
            // A delta that cannot be learned leaves a template that matches nothing.
            let _ = template.learn(self.learned, head, payload, fields, marks);
        }
    }
}

/// The maximum length of a response that is kept for comparing it with the next one.
const MAX_REPEATED: usize = 1 << 16;

/// The kind that a payload is likely to be of. Without a name, `type` is usually the first member; `None` if it is not.
#[inline]
fn likely_kind(payload: &str, name: Option<&str>) -> Option<Kind> {
    let wire_type = || payload.strip_prefix("{\"type\":\"")?.split_once('"').map(|(wire_type, _)| wire_type);
    name.or_else(wire_type).map(Kind::from_wire)
}

/// The maximum capacity that a tape keeps between events.
const KEPT_BYTES: usize = 1 << 18;

impl Lazy {
    #[inline]
    fn reset(&mut self) {
        if self.has_tape {
            self.has_tape = false;
            // Besides the buffers, it has the tapes of deferred values that were read.
            self.tape.clear();
            // A huge event must not keep its memory for the rest of a long stream.
            if self.tape.capacity() > KEPT_BYTES {
                self.tape = Tape::default();
            }
        }
        if self.late.get().is_some() || self.whole.get().is_some() {
            self.recycle();
        }
    }

    fn recycle(&mut self) {
        self.whole.take();
        if let Some(mut tape) = self.late.take().filter(|tape| tape.capacity() <= KEPT_BYTES) {
            tape.clear();
            self.spare = Shared::new(tape);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    const TIERS: [ParserTiers; 2] = [
        ParserTiers { block_template: false, flat_scanner: false },
        ParserTiers { block_template: true, flat_scanner: true },
    ];

    /// Everything that a caller can see of an event, nested values included.
    fn visible_fields(event: &Event<'_>) -> String {
        assert_eq!(event.raw_bytes(), event.raw().as_bytes());
        assert_eq!(event.delta_bytes(), event.delta().as_bytes());
        format!(
            "{:?} {} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {}",
            event.kind(),
            event.wire_type(),
            event.address(),
            event.sequence_number(),
            event.delta(),
            event.delta_surrogates(),
            event.done_text(),
            event.logprobs(),
            event.summary_index(),
            event.fault(),
            event.bad_fields().collect::<Vec<_>>(),
            event.repeated_fields().collect::<Vec<_>>(),
            event.raw(),
            event.to_value(),
        )
    }

    fn assert_same_at_every_level(payloads: &[String]) {
        let mut parsers = TIERS.map(|tiers| Parser::with_tiers(8, tiers));
        for payload in payloads {
            for name in [None, Some("response.output_text.delta")] {
                let origin = Origin { frame_name: name, ..Origin::default() };
                let [tape, flat] = &mut parsers;
                assert_eq!(
                    visible_fields(&tape.parse(payload, origin)),
                    visible_fields(&flat.parse(payload, origin)),
                    "{payload}"
                );
            }
        }
    }

    #[test]
    fn all_tiers_read_the_same_from_deltas_and_broken_variants() {
        let delta = |number: &str, id: &str, index: &str, text: &str, rest: &str| {
            format!(
                r#"{{"type":"response.output_text.delta","sequence_number":{number},"item_id":"{id}","output_index":{index},"content_index":0,"delta":"{text}"{rest}}}"#
            )
        };
        let mut payloads = Vec::new();
        for number in ["1", "2", "10", "01", "-1", "1.0", "1e3", "\"7\"", "null", "99999999999999999999", "{}"] {
            for id in ["a", "b", "\\u0061", "é"] {
                for text in ["", "x", "é", "\\n", "\\ud83d", "\\ude00", "\\ud83d\\ude00", "\\x", "\u{1}", "\\"] {
                    for rest in [
                        "",
                        r#","logprobs":[]"#,
                        r#","logprobs":[{"a":[1]}],"obfuscation":"xY""#,
                        r#","delta":"again""#,
                        ",",
                    ] {
                        payloads.push(delta(number, id, "0", text, rest));
                    }
                }
            }
        }
        payloads.push(delta("3", "a", "4294967295", "x", ""));
        payloads.push(" {\"type\" : \"response.output_text.delta\" , \"delta\" : \"x\" } ".to_string());
        payloads.extend(
            ["", "[]", "{}", "null", "{\"type\":5}", "{\"type\":\"a:b\"}", "{\"delta\":{\"stdout\":\"x\"}}"]
                .map(String::from),
        );
        payloads.push(format!("{{\"type\":\"response.output_text.delta\",\"x\":{}1{}}}", "[".repeat(7), "]".repeat(7)));
        payloads.push(format!("{{\"type\":\"response.output_text.delta\",\"x\":{}1{}}}", "[".repeat(8), "]".repeat(8)));
        assert_same_at_every_level(&payloads);
    }

    #[test]
    fn every_changed_byte_is_read_the_same_at_every_level() {
        let base = r#"{"type":"response.function_call_arguments.delta","sequence_number":12,"item_id":"fc_1","output_index":1,"delta":"{\"a\"","obfuscation":"zz"}"#;
        let mut payloads = Vec::new();
        for at in 0..base.len() {
            for byte in [b'0', b'"', b'\\', b',', b'}', b' ', b'x'] {
                let mut other = base.as_bytes().to_vec();
                other[at] = byte;
                payloads.extend(String::from_utf8(other));
            }
        }
        assert_same_at_every_level(&payloads);
    }
}
