//! [`Template`]: the last delta event's literal bytes, remembered, so that the next one is compared and not parsed.
//!
//! A stream repeats itself: two delta events of one part differ in the sequence number, the delta and the padding. A
//! template keeps the bytes between those *slots*. The next payload matches if its bytes are the same, segment by segment,
//! and each slot holds a well-formed value of its kind; then it is valid JSON for the same reason that the learned one
//! was, and only the slots are read. One byte that differs means no match.
//!
//! There are two cuts of the same payload. The *tight* one has few slots, and item and indexes are literal: it matches as
//! long as one part grows. The *loose* one has a slot for each of them too, for events of parallel items; when the same item
//! comes twice in a row by the loose one, the tight one is cut anew.
//!
//! A template may also know the *head* that stands before its payloads in an event stream, such as `event: …`, a line end and
//! `data: `. Then a whole block is compared where it lies, and no line of it is searched for: by the loose cut, or, while one
//! part grows, by what [`Steady`] foretells.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use memchr::memchr2;

use super::fields::{plain_number, FieldSlot, Fields, Mark};
use super::span::{Source, TextSpan};
use super::steady::{read_number, Next, Steady, SPOTS};
use crate::contract::Kind;
use crate::json::{decode_into, scan, LoneSurrogates};

/// What a template remembers. Its size is bounded by the largest payload that it may learn.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    tight: Cut,
    loose: Cut,
    /// What is foretold for the item that grew last, for the others that grow, and which of those may be next.
    growing: Box<Steady>,
    // Boxed, since they change places with the one that grows.
    #[allow(clippy::vec_box)]
    others: Vec<Box<Steady>>,
    turn: usize,
    /// Where each of the others was last seen in the list, by the [`spot`](Steady::spot) of its key.
    spots: Vec<u8>,
    /// Tells what is foretold from what was foretold before, also by other templates.
    serial: u64,
    /// What read the last event.
    by: By,
    /// The item of the event last read by the loose cut, where no block is foretold.
    last_item: Vec<u8>,
    misses: u32,
    /// How often in a row neither the tight cut nor what was foretold did match.
    tight_misses: u32,
    /// What stands before the payload in a block; empty as long as no block with one data line was seen.
    head: String,
    /// The name in the head.
    name: Option<String>,
}

/// What reads an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Tight,
    Loose,
    Steady,
    /// By what was foretold for another item than the last one.
    Turned,
}

/// A payload cut at its slots.
#[derive(Clone, Debug, Default)]
struct Cut {
    /// All literal bytes, one segment after another.
    literals: Vec<u8>,
    /// For each slot: what it is, and where the segment before it ends in `literals`.
    slots: Vec<(FieldSlot, u32)>,
    /// Literal strings that the fields point to, by their place in `literals` and the slots before them.
    wire_type: Literal,
    item_id: Literal,
    /// Whether the literals have no line end, as all that stands in one data line.
    one_line: bool,
    /// The delta last read, if it has escapes that are still to be decoded.
    escaped: Option<(usize, usize)>,
    /// The fields of the event last read by this cut. What is literal stays; slots are set at each match.
    fields: Fields,
}

/// A string inside a segment.
#[derive(Clone, Copy, Debug, Default)]
struct Literal {
    slots_before: u32,
    start: u32,
    end: u32,
}

/// For how many items at a time the next block is foretold.
const ITEMS: usize = 24;

/// Payloads past this are not worth comparing: what makes them long is seldom the same twice.
const LONGEST: usize = 4096;

impl Template {
    /// Learns from a payload that the flat scanner has read, if it is of the kind that repeats.
    pub(crate) fn learn(number: u32, payload: &str, fields: &Fields, marks: &[Mark]) -> Option<Self> {
        // An id with escapes lies decoded in the scratch buffer, which the next event overwrites.
        let id_in_payload = fields.item_id == TextSpan::default() || fields.item_id.payload_span().is_some();
        let plain = fields.bad == 0 && fields.repeated == 0 && fields.whole == TextSpan::default() && id_in_payload;
        // SSE drops one space after `data:`. The head may come from another block than the payload, so a payload that begins with
        // white space would let the template take that space for its own.
        let begins_at_brace = payload.starts_with('{');
        if !plain || !begins_at_brace || !fields.kind.is_delta() || payload.len() > LONGEST {
            return None;
        }
        let mut tight = Cut::default();
        let mut loose = Cut::default();
        tight.make(payload.as_bytes(), fields, marks.iter().copied().filter(is_tight))?;
        loose.make(payload.as_bytes(), fields, marks.iter().copied())?;
        Some(Self {
            tight,
            loose,
            growing: Box::default(),
            others: Vec::new(),
            turn: 0,
            spots: Vec::new(),
            serial: u64::from(number) << 32,
            by: By::Tight,
            last_item: Vec::new(),
            misses: 0,
            tight_misses: 0,
            head: String::new(),
            name: None,
        })
    }

    /// Remembers the head of the block that the last payload came in: `event: name`, a line end, `data: `, or only the last.
    pub(crate) fn set_head(&mut self, name: Option<&str>, data: &str) {
        let known = self.head.ends_with(data) && self.frame_name() == name;
        if known && self.head.len() == name.map_or(0, |name| EVENT.len() + name.len() + 1) + data.len() {
            return;
        }
        self.head.clear();
        self.name = name.map(String::from);
        if let Some(name) = name {
            self.head.extend([EVENT, name, "\n"]);
        }
        self.head.push_str(data);
        *self.growing = Steady::default();
        self.others.clear();
    }

    /// The name in the head.
    #[inline]
    pub(crate) fn frame_name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Says whether the last event was foretold for the same item as the one before it, or for another one.
    #[inline]
    pub(crate) fn is_steady(&self) -> Option<bool> {
        match self.by {
            By::Steady => Some(true),
            By::Turned => Some(false),
            By::Tight | By::Loose => None,
        }
    }

    /// The kind of the events that this template matches.
    pub(crate) fn kind(&self) -> Kind {
        self.loose.fields.kind
    }

    /// The fields of the event last read.
    #[inline]
    pub(crate) fn fields(&self) -> &Fields {
        match self.by {
            By::Tight => &self.tight.fields,
            By::Loose => &self.loose.fields,
            By::Steady | By::Turned => self.growing.fields(),
        }
    }

    /// The fields of the block that was foretold for the item that grew last.
    #[inline]
    pub(crate) fn grown(&self) -> &Fields {
        self.growing.fields()
    }

    /// Counts a payload of this kind that did not match; says whether learning again is worth it.
    pub(crate) fn missed(&mut self) -> bool {
        self.misses += 1;
        self.misses <= 8 || self.misses % 64 == 0
    }

    /// Reads a payload that is like the learned one outside its slots. `false`: nothing was read.
    #[inline]
    pub(crate) fn read(
        &mut self,
        payload: &str,
        depth: usize,
        scratch: &mut String,
        stack: &mut Vec<scan::OpenContainer>,
        marks: &mut Vec<Mark>,
    ) -> bool {
        let bytes = payload.as_bytes();
        self.by = By::Tight;
        if self.tight.read::<false>(bytes, depth, stack, None) != Some(bytes.len()) {
            marks.clear();
            self.by = By::Loose;
            if self.loose.read::<false>(bytes, depth, stack, Some(marks)) != Some(bytes.len()) {
                return false;
            }
        }
        self.settle(payload, scratch, marks);
        true
    }

    /// Looks whether `bytes` begin with the block that was foretold for the item that grew last; see
    /// [`read_block`](Self::read_block).
    #[inline]
    pub(crate) fn read_steady(
        &mut self,
        bytes: &[u8],
        next: &mut Next,
        scratch: &mut String,
    ) -> Option<(usize, usize)> {
        let end = self.growing.read(bytes, next, scratch)?;
        self.by = By::Steady;
        self.tight_misses = 0;
        Some((self.growing.head(), end))
    }

    /// Looks whether `bytes` begin with a block that is like the learned one, but for the item that grew last, and gives
    /// where its payload lies. The payload is valid UTF-8 then, and the block ends two line feeds behind it;
    /// [`settle`](Self::settle) comes next.
    pub(crate) fn read_block(
        &mut self,
        bytes: &[u8],
        depth: usize,
        next: &mut Next,
        scratch: &mut String,
        stack: &mut Vec<scan::OpenContainer>,
        marks: &mut Vec<Mark>,
    ) -> Option<(usize, usize)> {
        if let Some(at) = self.find_other(bytes, next) {
            if let Some(end) = self.others[at].read(bytes, next, scratch) {
                self.turn_to(at);
                self.by = By::Turned;
                self.tight_misses = 0;
                return Some((self.growing.head(), end));
            }
        }
        if self.head.is_empty() || !self.loose.one_line {
            return None;
        }
        let payload = bytes.strip_prefix(self.head.as_bytes())?;
        self.by = By::Loose;
        marks.clear();
        let length = self.loose.read::<true>(payload, depth, stack, Some(marks))?;
        let ended = payload.get(length..length + 2) == Some(b"\n\n");
        ended.then_some((self.head.len(), self.head.len() + length))
    }

    /// Finds the one of the others that a block is likely to be of.
    #[inline]
    fn find_other(&self, bytes: &[u8], next: &Next) -> Option<usize> {
        let is_of = |steady: &Steady| steady.is_of(bytes, next);
        let seen = self.growing.spot_of(bytes, next).and_then(|spot| self.spots.get(spot)).map(|at| usize::from(*at));
        if let Some(at) = seen.filter(|at| self.others.get(*at).is_some_and(|steady| is_of(steady))) {
            return Some(at);
        }
        let from = self.turn.min(self.others.len());
        let in_turn = |range: Range<usize>| {
            let mut others = self.others.get(range.clone())?.iter();
            Some(range.start + others.position(|steady| is_of(steady))?)
        };
        in_turn(from..self.others.len()).or_else(|| in_turn(0..from))
    }

    /// Ends the reading of a payload that matched: decodes the delta, and cuts anew for the next one.
    #[inline]
    pub(crate) fn settle(&mut self, payload: &str, scratch: &mut String, marks: &[Mark]) {
        match self.by {
            By::Steady | By::Turned => {}
            By::Tight => {
                self.tight_misses = 0;
                self.tight.decode(payload, scratch);
            }
            By::Loose => {
                self.loose.decode(payload, scratch);
                self.misses = 0;
                self.tighten(payload, marks);
            }
        }
    }

    /// Gets ready for more events of the same item.
    fn tighten(&mut self, payload: &str, marks: &[Mark]) {
        self.tight_misses = self.tight_misses.saturating_add(1);
        // Where it did not help, it will seldom do.
        let often = self.tight_misses <= 2 * ITEMS as u32 || self.tight_misses % 16 == 0;
        let item = self.loose.fields.item_id.bytes(Source::of(payload, ""));
        if !often || item.len() > LONGEST {
            return;
        }
        if !self.head.is_empty() {
            self.foretell(payload, item, marks);
        } else if self.last_item == item {
            // A payload that was just read can be cut; if not, the loose cut still works.
            let tight = marks.iter().copied().filter(is_tight);
            let _ = self.tight.make(payload.as_bytes(), &self.loose.fields, tight);
        } else {
            self.last_item.clear();
            self.last_item.extend_from_slice(item);
        }
    }

    /// Foretells the next block of an item, in the place of what was foretold for it, or for the item that came longest ago.
    fn foretell(&mut self, payload: &str, item: &[u8], marks: &[Mark]) {
        let is_known = |steady: &Steady| steady.item() == Some(item);
        if !is_known(&self.growing) && self.growing.item().is_some() {
            let at = self.others.iter().position(|steady| is_known(steady)).unwrap_or_else(|| {
                if self.others.len() + 1 < ITEMS {
                    self.others.push(Box::default());
                    self.others.len() - 1
                } else {
                    self.turn % self.others.len()
                }
            });
            self.turn_to(at);
        }
        self.serial += 1;
        self.growing.foretell(self.serial, self.head.as_bytes(), payload, &self.loose.fields, marks);
    }

    /// Makes one of the others the item that grows. Where several take turns, that behind it is likely to be next.
    fn turn_to(&mut self, at: usize) {
        self.spots.resize(SPOTS, 0);
        if let Some(seen) = self.growing.spot().and_then(|spot| self.spots.get_mut(spot)) {
            // There are fewer items than a byte can count.
            *seen = at as u8;
        }
        core::mem::swap(&mut self.growing, &mut self.others[at]);
        self.turn = at + 1;
    }
}

/// How the name line of a usual head begins.
const EVENT: &str = "event: ";

/// Says whether the tight cut has a slot for it: what changes while one part grows.
fn is_tight(mark: &Mark) -> bool {
    match mark.slot {
        FieldSlot::SequenceNumber | FieldSlot::Delta | FieldSlot::Skip => true,
        // An empty list usually stays empty.
        FieldSlot::Logprobs | FieldSlot::Nested => mark.end - mark.start > 2,
        FieldSlot::ItemId | FieldSlot::Index(_) => false,
    }
}

impl Cut {
    /// Cuts a payload at some marks. `None`, and useless, if they do not fit it.
    fn make(&mut self, payload: &[u8], fields: &Fields, marks: impl Iterator<Item = Mark> + Clone) -> Option<()> {
        self.literals.clear();
        self.slots.clear();
        let mut from = 0;
        for mark in marks.clone() {
            self.literals.extend_from_slice(payload.get(from..mark.start as usize)?);
            self.slots.push((mark.slot, self.literals.len() as u32));
            from = mark.end as usize;
        }
        self.literals.extend_from_slice(payload.get(from..)?);
        let place = |text: TextSpan| {
            let (start, end) = text.payload_span()?;
            let before = marks.clone().filter(|mark| mark.end as usize <= start);
            let (slots_before, cut) = before.fold((0, 0), |(n, cut), mark| (n + 1, cut + (mark.end - mark.start)));
            Some(Literal { slots_before, start: start as u32 - cut, end: end as u32 - cut })
        };
        self.wire_type = place(fields.wire_type)?;
        self.item_id = place(fields.item_id).unwrap_or_default();
        self.fields.clone_from(fields);
        // An empty list that is literal would move with what stands before it.
        self.fields.logprobs = TextSpan::default();
        self.one_line = memchr2(b'\n', b'\r', &self.literals).is_none();
        Some(())
    }

    /// Reads what begins `payload` and is like the learned one outside its slots; gives where it ends.
    ///
    /// With `BLOCK` the bytes come straight from an event stream: nobody has checked yet that they are UTF-8, and a line
    /// end means that the payload is over.
    #[inline]
    fn read<const BLOCK: bool>(
        &mut self,
        payload: &[u8],
        depth: usize,
        stack: &mut Vec<scan::OpenContainer>,
        mut marks: Option<&mut Vec<Mark>>,
    ) -> Option<usize> {
        let fields = &mut self.fields;
        self.escaped = None;
        let mut at = 0usize;
        let mut from = 0usize;
        let mut shifts = (0u32, 0u32);
        let mut id_is_literal = self.item_id.end > 0;
        for (number, &(slot, to)) in self.slots.iter().enumerate() {
            let literal = self.literals.get(from..to as usize)?;
            if payload.get(at..at + literal.len()) != Some(literal) {
                return None;
            }
            at += literal.len();
            from = to as usize;
            let start = at;
            match slot {
                FieldSlot::SequenceNumber | FieldSlot::Index(_) => {
                    // The same bounds as everywhere: plain digits, no leading zero, at most 18.
                    let value;
                    (at, value) = read_number(payload, at)?;
                    debug_assert_eq!(plain_number(&payload[start..at]), Some(value));
                    match slot {
                        FieldSlot::Index(index) => fields.set_index(index, value),
                        _ => fields.set_sequence_number(value),
                    }
                }
                FieldSlot::Delta => {
                    let escaped;
                    (at, escaped) = string::<BLOCK>(payload, at)?;
                    fields.halves = LoneSurrogates::default();
                    fields.delta = TextSpan::in_payload(start, at);
                    self.escaped = escaped.then_some((start, at));
                }
                FieldSlot::ItemId | FieldSlot::Skip => {
                    let escaped;
                    (at, escaped) = string::<BLOCK>(payload, at)?;
                    if slot == FieldSlot::ItemId {
                        if escaped {
                            return None;
                        }
                        id_is_literal = false;
                        fields.item_id = TextSpan::in_payload(start, at);
                    }
                }
                FieldSlot::Nested | FieldSlot::Logprobs => {
                    if !matches!(payload.get(at), Some(b'[' | b'{')) {
                        return None;
                    }
                    let nested = scan::value::<false>(payload, at, depth.saturating_sub(1), &mut Vec::new(), stack);
                    let Ok(end) = nested else { return None };
                    at = end;
                    if BLOCK && !is_line(payload.get(start..at)?) {
                        return None;
                    }
                    if slot == FieldSlot::Logprobs {
                        if payload[start] != b'[' {
                            return None;
                        }
                        fields.logprobs = TextSpan::in_payload(start, end);
                    }
                }
            }
            // How far what follows has moved against the literals: by the slots so far.
            if number + 1 == self.wire_type.slots_before as usize {
                shifts.0 = (at - from) as u32;
            }
            if number + 1 == self.item_id.slots_before as usize {
                shifts.1 = (at - from) as u32;
            }
            if let Some(marks) = &mut marks {
                marks.push(Mark { slot, start: start as u32, end: at as u32 });
            }
        }
        let rest = self.literals.get(from..)?;
        if payload.get(at..at + rest.len()) != Some(rest) {
            return None;
        }
        fields.wire_type = self.wire_type.moved(shifts.0);
        if id_is_literal {
            fields.item_id = self.item_id.moved(shifts.1);
        }
        at += rest.len();
        Some(at)
    }

    /// Decodes the escapes of the delta last read.
    #[inline]
    fn decode(&mut self, payload: &str, scratch: &mut String) {
        let Some((start, end)) = self.escaped else { return };
        scratch.clear();
        self.fields.halves = decode_into(payload.get(start..end).unwrap_or_default(), scratch);
        self.fields.delta = TextSpan::in_scratch(0, scratch.len());
    }
}

/// Finds the end of a string, and says whether it has escapes.
#[inline]
fn string<const BLOCK: bool>(payload: &[u8], at: usize) -> Option<(usize, bool)> {
    if BLOCK {
        scan::unchecked_string(payload, at).map(|seen| (seen.end, seen.escaped))
    } else {
        scan::string(payload, at).ok()
    }
}

/// Says whether a nested value that was read may stand in a data line.
fn is_line(bytes: &[u8]) -> bool {
    memchr2(b'\n', b'\r', bytes).is_none() && simdutf8::basic::from_utf8(bytes).is_ok()
}

impl Literal {
    #[inline]
    fn moved(self, shift: u32) -> TextSpan {
        TextSpan::in_payload((self.start + shift) as usize, (self.end + shift) as usize)
    }
}
