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

use alloc::string::String;
use alloc::vec::Vec;

use super::fields::{plain_number, Fields, Mark, Slot, Text};
use crate::contract::Kind;
use crate::json::{decode_into, scan, Halves};

/// What a template remembers. Its size is bounded by the largest payload that it may learn.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    tight: Cut,
    loose: Cut,
    /// Which cut read the last event.
    by_tight: bool,
    /// The item of the event last read by the loose cut.
    last_item: Vec<u8>,
    misses: u32,
}

/// A payload cut at its slots.
#[derive(Clone, Debug, Default)]
struct Cut {
    /// All literal bytes, one segment after another.
    literals: Vec<u8>,
    /// For each slot: what it is, and where the segment before it ends in `literals`.
    slots: Vec<(Slot, u32)>,
    /// Literal strings that the fields point to, by their place in `literals` and the slots before them.
    wire_type: Literal,
    item_id: Literal,
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

/// Payloads past this are not worth comparing: what makes them long is seldom the same twice.
const LONGEST: usize = 4096;

impl Template {
    /// Learns from a payload that the flat scanner has read, if it is of the kind that repeats.
    pub(crate) fn learn(payload: &str, fields: &Fields, marks: &[Mark]) -> Option<Self> {
        // An id with escapes lies decoded in the scratch buffer, which the next event overwrites.
        let id_in_payload = fields.item_id == Text::default() || fields.item_id.payload_span().is_some();
        let plain = fields.bad == 0 && fields.repeated == 0 && fields.whole == Text::default() && id_in_payload;
        if !plain || !fields.kind.is_delta() || payload.len() > LONGEST {
            return None;
        }
        let mut tight = Cut::default();
        let mut loose = Cut::default();
        tight.make(payload, fields, marks.iter().copied().filter(is_tight))?;
        loose.make(payload, fields, marks.iter().copied())?;
        Some(Self { tight, loose, by_tight: true, last_item: Vec::new(), misses: 0 })
    }

    /// The kind of the events that this template matches.
    pub(crate) fn kind(&self) -> Kind {
        self.loose.fields.kind
    }

    /// The fields of the event last read.
    #[inline]
    pub(crate) fn fields(&self) -> &Fields {
        if self.by_tight {
            &self.tight.fields
        } else {
            &self.loose.fields
        }
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
        stack: &mut Vec<scan::Open>,
        marks: &mut Vec<Mark>,
    ) -> bool {
        self.by_tight = self.tight.read(payload, depth, scratch, stack, None);
        if self.by_tight {
            return true;
        }
        marks.clear();
        if !self.loose.read(payload, depth, scratch, stack, Some(marks)) {
            return false;
        }
        self.misses = 0;
        let item = self.loose.fields.item_id.get(payload, "").unwrap_or("").as_bytes();
        if self.last_item == item {
            let tight = marks.iter().copied().filter(is_tight);
            // A payload that was just read can be cut; if not, the loose cut still works.
            let _ = self.tight.make(payload, &self.loose.fields, tight);
        } else {
            self.last_item.clear();
            self.last_item.extend_from_slice(item);
        }
        true
    }
}

/// Says whether the tight cut has a slot for it: what changes while one part grows.
fn is_tight(mark: &Mark) -> bool {
    match mark.slot {
        Slot::SequenceNumber | Slot::Delta | Slot::Skip => true,
        // An empty list usually stays empty.
        Slot::Logprobs | Slot::Nested => mark.end - mark.start > 2,
        Slot::ItemId | Slot::Index(_) => false,
    }
}

impl Cut {
    /// Cuts a payload at some marks. `None`, and useless, if they do not fit it.
    fn make(&mut self, payload: &str, fields: &Fields, marks: impl Iterator<Item = Mark> + Clone) -> Option<()> {
        self.literals.clear();
        self.slots.clear();
        let mut from = 0;
        for mark in marks.clone() {
            self.literals.extend_from_slice(payload.as_bytes().get(from..mark.start as usize)?);
            self.slots.push((mark.slot, self.literals.len() as u32));
            from = mark.end as usize;
        }
        self.literals.extend_from_slice(payload.as_bytes().get(from..)?);
        let place = |text: Text| {
            let (start, end) = text.payload_span()?;
            let before = marks.clone().filter(|mark| mark.end as usize <= start);
            let (slots_before, cut) = before.fold((0, 0), |(n, cut), mark| (n + 1, cut + (mark.end - mark.start)));
            Some(Literal { slots_before, start: start as u32 - cut, end: end as u32 - cut })
        };
        self.wire_type = place(fields.wire_type)?;
        self.item_id = place(fields.item_id).unwrap_or_default();
        self.fields.clone_from(fields);
        // An empty list that is literal would move with what stands before it.
        self.fields.logprobs = Text::default();
        Some(())
    }

    #[inline]
    fn read(
        &mut self,
        text: &str,
        depth: usize,
        scratch: &mut String,
        stack: &mut Vec<scan::Open>,
        mut marks: Option<&mut Vec<Mark>>,
    ) -> bool {
        let payload = text.as_bytes();
        let fields = &mut self.fields;
        let mut at = 0usize;
        let mut from = 0usize;
        let mut shifts = (0u32, 0u32);
        let mut id_is_literal = self.item_id.end > 0;
        for (number, &(slot, to)) in self.slots.iter().enumerate() {
            let Some(literal) = self.literals.get(from..to as usize) else { return false };
            if payload.get(at..at + literal.len()) != Some(literal) {
                return false;
            }
            at += literal.len();
            from = to as usize;
            let start = at;
            match slot {
                Slot::SequenceNumber | Slot::Index(_) => {
                    let mut value = 0u64;
                    while let Some(digit) =
                        payload.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10)
                    {
                        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
                        at += 1;
                    }
                    // The same bounds as everywhere: plain digits, no leading zero, at most 18.
                    let length = at - start;
                    if length == 0 || length > 18 || (length > 1 && payload[start] == b'0') {
                        return false;
                    }
                    debug_assert_eq!(plain_number(&payload[start..at]), Some(value));
                    match slot {
                        Slot::Index(index) => fields.set_index(index, value),
                        _ => fields.set_sequence_number(value),
                    }
                }
                Slot::Delta => {
                    let Ok((end, escaped)) = scan::string(payload, at) else { return false };
                    at = end;
                    if escaped {
                        scratch.clear();
                        fields.halves = decode_into(&text[start..end], scratch);
                        fields.delta = Text::in_scratch(scratch.len());
                    } else {
                        fields.halves = Halves::default();
                        fields.delta = Text::in_payload(start, end);
                    }
                }
                Slot::ItemId | Slot::Skip => {
                    let Ok((end, escaped)) = scan::string(payload, at) else { return false };
                    at = end;
                    if slot == Slot::ItemId {
                        if escaped {
                            return false;
                        }
                        id_is_literal = false;
                        fields.item_id = Text::in_payload(start, end);
                    }
                }
                Slot::Nested | Slot::Logprobs => {
                    if !matches!(payload.get(at), Some(b'[' | b'{')) {
                        return false;
                    }
                    let nested = scan::value::<false>(payload, at, depth.saturating_sub(1), &mut Vec::new(), stack);
                    let Ok(end) = nested else { return false };
                    at = end;
                    if slot == Slot::Logprobs {
                        if payload[start] != b'[' {
                            return false;
                        }
                        fields.logprobs = Text::in_payload(start, end);
                    }
                }
            }
            let length = (at - start) as u32;
            if (number as u32) < self.wire_type.slots_before {
                shifts.0 += length;
            }
            if (number as u32) < self.item_id.slots_before {
                shifts.1 += length;
            }
            if let Some(marks) = &mut marks {
                marks.push(Mark { slot, start: start as u32, end: at as u32 });
            }
        }
        if payload.get(at..) != self.literals.get(from..) {
            return false;
        }
        fields.wire_type = self.wire_type.moved(shifts.0);
        if id_is_literal {
            fields.item_id = self.item_id.moved(shifts.1);
        }
        true
    }
}

impl Literal {
    #[inline]
    fn moved(self, shift: u32) -> Text {
        Text::in_payload((self.start + shift) as usize, (self.end + shift) as usize)
    }
}
