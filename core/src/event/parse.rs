//! [`Parser`]: JSON text → [`Event`], by the cheapest of three levels that can judge it.
//!
//! A *template* compares with the last event of its kind, the *flat* scanner reads top-level fields, the *general* path
//! builds a tape of the whole payload. Each level proves the payload's syntax itself or leaves it to the next; all three give
//! the same event. A payload that is no JSON object is an event too: it has its raw text, [`Kind::Unknown`] and a
//! [`Fault`]. Time is linear in the payload; buffers are reused, so a delta allocates nothing after warm-up.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::fields::{flat, general, Fields, Mark};
use super::payload::{Event, Lazy};
use super::span::RawText;
use super::steady::Next;
use super::template::Template;
use crate::contract::Kind;
use crate::json::{scan, JsonError, JsonErrorKind, Tape, MAX_DEPTH};
use crate::sync::{OnceCell, Shared};

/// Why a payload is no event of the specification's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// It is not JSON.
    NotJson(JsonError),
    /// It is JSON, but no object.
    NotObject,
    /// It is nested deeper than the limit; its syntax is not checked behind that.
    TooDeep,
}

/// What comes with a payload from its frame or message.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin<'a> {
    /// The frame's `event:` line; `None` for messages without SSE and frames without the line.
    pub frame_name: Option<&'a str>,
    /// Byte offset of the payload, from the start of the stream.
    pub offset: u64,
    /// Position of the event in the stream.
    pub index: u64,
}

/// Which levels a parser may use. The general one is always there.
///
/// All choices give the same events; this is for proving it, and for measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// Compare with what came before: the last event of the same kind, the items that a terminal event repeats.
    pub template: bool,
    /// Scan the top level without a tape.
    pub flat: bool,
}

impl Default for Levels {
    fn default() -> Self {
        Self { template: true, flat: true }
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
    levels: Levels,
    fields: Fields,
    fault: Option<Fault>,
    scratch: String,
    lazy: Lazy,
    stack: Vec<scan::OpenContainer>,
    marks: Vec<Mark>,
    templates: Vec<Template>,
    /// How many templates there were.
    learned: u32,
    /// Whether the last event was foretold by the last template.
    steady: bool,
    next: Next,
}

impl fmt::Debug for Parser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Payloads can hold secrets: only how it works is shown.
        f.debug_struct("Parser").field("depth", &self.depth).field("levels", &self.levels).finish_non_exhaustive()
    }
}

/// A block that was foretold for the item that grew last.
pub(crate) struct DeltaMatch<'a> {
    /// Where its payload lies.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether the event before it was of the same item.
    pub(crate) continues_previous: bool,
    pub(crate) fields: &'a Fields,
    /// Where escapes are decoded.
    pub(crate) scratch: &'a str,
}

/// One template a kind; a stream that mixes more kinds of deltas than this falls back to scanning.
const TEMPLATES: usize = 8;

impl Parser {
    /// Makes a parser for payloads nested at most `depth` deep.
    pub fn new(depth: usize) -> Self {
        Self::with_levels(depth, Levels::default())
    }

    /// Makes a parser that uses only some levels.
    pub fn with_levels(depth: usize, levels: Levels) -> Self {
        Self {
            depth: depth.min(MAX_DEPTH),
            levels,
            fields: Fields::default(),
            fault: None,
            scratch: String::new(),
            lazy: Lazy { depth: depth.min(MAX_DEPTH), ..Lazy::default() },
            stack: Vec::new(),
            marks: Vec::new(),
            templates: Vec::new(),
            learned: 0,
            steady: false,
            next: Next::default(),
        }
    }

    /// Reads one payload. The event borrows from it and from the parser.
    #[inline]
    pub fn parse<'a>(&'a mut self, payload: &'a str, origin: Origin<'a>) -> Event<'a> {
        self.lazy.reset();
        self.steady = false;
        let hit = self.levels.template && self.by_template(payload, origin.frame_name);
        self.fault = if hit { None } else { self.by_scan(payload, origin.frame_name) };
        let fields = match self.templates.last() {
            Some(template) if hit => template.fields(),
            _ => &self.fields,
        };
        Event {
            raw: RawText::Text(payload),
            scratch: &self.scratch,
            fields,
            lazy: &self.lazy,
            same_shape: hit,
            continues_previous: false,
            fault: self.fault.as_ref(),
            origin,
        }
    }

    /// Looks whether `bytes` begin with a whole block of an event stream that was foretold for the item that grew last. The payload
    /// is UTF-8, two line feeds stand behind it, and [`parse_block`](Self::parse_block) reads it.
    // In wasm the compiler may choose: there the bytes count.
    #[cfg_attr(target_arch = "wasm32", inline)]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(crate) fn match_next_delta(&mut self, bytes: &[u8]) -> Option<DeltaMatch<'_>> {
        let Self { templates, next, scratch, steady, .. } = self;
        let template = templates.last_mut()?;
        let (start, end) = template.read_steady(bytes, next, scratch)?;
        Some(DeltaMatch { start, end, continues_previous: *steady, fields: template.grown(), scratch })
    }

    /// Looks whether `bytes` begin with a whole block that is like an earlier one of another item, and gives where its payload lies.
    #[inline(never)]
    pub(crate) fn find_other_block(&mut self, bytes: &[u8]) -> Option<(usize, usize)> {
        let Self { templates, depth, next, scratch, stack, marks, .. } = self;
        let mut newest_first = templates.iter_mut().enumerate().rev();
        let (at, found) = newest_first
            .find_map(|(at, template)| Some((at, template.read_block(bytes, *depth, next, scratch, stack, marks)?)))?;
        if at + 1 < templates.len() {
            templates[at..].rotate_left(1);
            self.steady = false;
        }
        Some(found)
    }

    /// The fields of the block that was found last, and where its escapes are decoded, if it is of the item that the event
    /// before it was of.
    #[cfg(feature = "validate")]
    #[inline]
    pub(crate) fn grown(&self) -> Option<(&Fields, &str)> {
        let template = self.templates.last().filter(|_| self.steady)?;
        (template.is_steady() == Some(true)).then(|| (template.grown(), self.scratch.as_str()))
    }

    /// Reads the payload of the block that was found last, and [goes on](DeltaMatch::continues_previous). `origin` needs no name.
    // In wasm the compiler may choose: there the bytes count.
    #[cfg_attr(target_arch = "wasm32", inline)]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(crate) fn parse_matched_delta<'a>(&'a mut self, payload: &'a [u8], mut origin: Origin<'a>) -> Event<'a> {
        self.lazy.reset();
        let template = self.templates.last();
        origin.frame_name = template.and_then(Template::frame_name);
        Event {
            raw: RawText::Bytes(payload),
            scratch: &self.scratch,
            fields: template.map_or(&self.fields, Template::grown),
            lazy: &self.lazy,
            same_shape: true,
            continues_previous: true,
            fault: None,
            origin,
        }
    }

    /// Reads the payload of the block that was found last. `origin` needs no name: the block's is known.
    #[inline(never)]
    pub(crate) fn parse_block<'a>(&'a mut self, payload: &'a [u8], mut origin: Origin<'a>) -> Event<'a> {
        self.lazy.reset();
        let mut raw = RawText::Bytes(payload);
        let steady = self.templates.last().and_then(Template::is_steady);
        let continues_previous = core::mem::replace(&mut self.steady, steady.is_some()) && steady == Some(true);
        if steady.is_none() {
            raw = RawText::Text(raw.text());
            if let Some(template) = self.templates.last_mut() {
                template.settle(raw.text(), &mut self.scratch, &self.marks);
            }
        }
        let template = self.templates.last();
        origin.frame_name = template.and_then(Template::frame_name);
        Event {
            raw,
            scratch: &self.scratch,
            fields: template.map_or(&self.fields, Template::fields),
            lazy: &self.lazy,
            same_shape: true,
            continues_previous,
            fault: None,
            origin,
        }
    }

    /// Says how the block of the payload last read began, if it was a usual one: its name, and how its data line began.
    /// Only blocks of one data line may be told.
    #[inline]
    pub(crate) fn note_block(&mut self, kind: Kind, name: Option<&str>, data: &str) {
        if let Some(template) = self.templates.last_mut().filter(|template| template.kind() == kind) {
            template.set_head(name, data);
        }
    }

    /// Reads a payload by a template. The one that did stands last then.
    #[inline]
    fn by_template(&mut self, payload: &str, name: Option<&str>) -> bool {
        let Self { templates, depth, scratch, stack, marks, .. } = self;
        let Some((last, older)) = templates.split_last_mut() else { return false };
        if last.read(payload, *depth, scratch, stack, marks) {
            return true;
        }
        // Only with a name is it clear which of the others to try.
        let Some(kind) = name.map(Kind::from_wire) else { return false };
        let Some(at) = older.iter().position(|template| template.kind() == kind) else { return false };
        let hit = older[at].read(payload, *depth, scratch, stack, marks);
        if hit {
            templates[at..].rotate_left(1);
        }
        hit
    }

    fn by_scan(&mut self, payload: &str, name: Option<&str>) -> Option<Fault> {
        self.restart();
        let kind = likely_kind(payload, name);
        // Of a flat payload a tape would be thrown away.
        let flat_kind = kind.map_or(payload.len() < 1024, |kind| kind.is_delta() || kind.is_done());
        if self.levels.flat && flat_kind {
            let Self { fields, scratch, stack, marks, .. } = self;
            if flat(payload, self.depth, fields, scratch, stack, marks).is_some() {
                if self.levels.template && self.fields.kind.is_delta() {
                    self.learn(payload);
                }
                return None;
            }
            self.restart();
        }
        let mut tape = self.lazy.take();
        let result = general(payload, self.depth, &mut self.fields, &mut self.scratch, &mut tape);
        let object = !tape.is_empty();
        self.lazy.put(tape);
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
        self.fields = Fields::default();
        self.scratch.clear();
    }

    fn learn(&mut self, payload: &str) {
        let kind = self.fields.kind;
        let old = self.templates.iter().position(|template| template.kind() == kind);
        if let Some(at) = old {
            if !self.templates[at].missed() {
                return;
            }
        }
        let Some(template) = Template::learn(self.learned, payload, &self.fields, &self.marks) else { return };
        self.learned = self.learned.wrapping_add(1);
        match old {
            Some(at) => {
                self.templates.remove(at);
            }
            None if self.templates.len() >= TEMPLATES => {
                self.templates.remove(0);
            }
            None => {}
        }
        self.templates.push(template);
    }
}

/// The kind that a payload is likely to be of. Without a name, `type` is usually the first member; `None` if it is not.
#[inline]
fn likely_kind(payload: &str, name: Option<&str>) -> Option<Kind> {
    let wire_type = || payload.strip_prefix("{\"type\":\"")?.split_once('"').map(|(wire_type, _)| wire_type);
    name.or_else(wire_type).map(Kind::from_wire)
}

/// What a tape may keep between events.
const KEPT_BYTES: usize = 1 << 18;

impl Lazy {
    #[inline]
    fn reset(&mut self) {
        if self.tape.get().is_some() || self.whole.get().is_some() {
            self.recycle();
        }
    }

    fn recycle(&mut self) {
        self.whole.take();
        // One huge event must not hold its memory for the rest of a long stream.
        if let Some(mut tape) = self.tape.take().filter(|tape| tape.capacity() <= KEPT_BYTES) {
            // What it holds beside its buffers: the tapes of lists that somebody looked into.
            tape.clear();
            self.spare = Shared::new(tape);
        }
    }

    fn take(&mut self) -> Tape {
        core::mem::take(self.spare.get_mut())
    }

    fn put(&mut self, tape: Tape) {
        self.tape = OnceCell::from(tape);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    const LEVELS: [Levels; 3] = [
        Levels { template: false, flat: false },
        Levels { template: false, flat: true },
        Levels { template: true, flat: true },
    ];

    /// What a caller can see of an event, nested values included.
    fn seen(event: &Event<'_>) -> String {
        assert_eq!(event.raw_bytes(), event.raw().as_bytes());
        assert_eq!(event.delta_bytes(), event.delta().as_bytes());
        format!(
            "{:?} {} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {}",
            event.kind(),
            event.wire_type(),
            event.address(),
            event.sequence_number(),
            event.delta(),
            event.halves(),
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

    fn same_at_every_level(payloads: &[String]) {
        let mut parsers = LEVELS.map(|levels| Parser::with_levels(8, levels));
        for payload in payloads {
            for name in [None, Some("response.output_text.delta")] {
                let origin = Origin { frame_name: name, ..Origin::default() };
                let [a, b, c] = &mut parsers;
                let general = seen(&a.parse(payload, origin));
                assert_eq!(general, seen(&b.parse(payload, origin)), "{payload}");
                assert_eq!(general, seen(&c.parse(payload, origin)), "{payload}");
            }
        }
    }

    #[test]
    fn all_levels_read_the_same_from_deltas_and_their_broken_neighbours() {
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
        same_at_every_level(&payloads);
    }

    #[test]
    fn every_changed_byte_is_read_the_same_at_every_level() {
        let base = r#"{"type":"response.function_call_arguments.delta","sequence_number":12,"item_id":"fc_1","output_index":1,"delta":"{\"a\"","obfuscation":"zz"}"#;
        let mut payloads = Vec::new();
        for at in 0..base.len() {
            for byte in [b'0', b'"', b'\\', b',', b'}', b' ', b'x'] {
                let mut other = base.as_bytes().to_vec();
                other[at] = byte;
                // The base before each mutation keeps the template warm.
                payloads.push(base.to_string());
                payloads.extend(String::from_utf8(other));
            }
        }
        same_at_every_level(&payloads);
    }

    #[test]
    fn a_repeated_shape_is_read_by_its_template() {
        let mut parser = Parser::new(8);
        let payload = |number: u32| {
            format!(r#"{{"type":"response.refusal.delta","sequence_number":{number},"delta":"d{number}"}}"#)
        };
        assert!(!parser.parse(&payload(9), Origin::default()).has_same_shape());
        let next = payload(10);
        let event = parser.parse(&next, Origin::default());
        assert!(event.has_same_shape());
        assert_eq!((event.delta(), event.wire_type()), ("d10", "response.refusal.delta"));
    }
}
