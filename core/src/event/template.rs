//! [`Template`]: the last delta event's literal bytes, remembered, so that the next one is compared and not parsed.
//!
//! A stream repeats itself: two delta events of one part differ in the sequence number, the delta and the padding. A
//! template keeps the bytes between those *slots*. The next payload matches if its bytes are the same, segment by segment,
//! and each slot holds a well-formed value of its kind; then it is valid JSON for the same reason that the learned one
//! was, and only the slots are read. One byte that differs means no match, and the payload is scanned as usual.

use alloc::string::String;
use alloc::vec::Vec;

use super::fields::{plain_number, Fields, Mark, Slot, Text};
use crate::contract::Kind;
use crate::json::{decode_into, scan, Halves};

/// What a template remembers. Its size is bounded by the largest payload that it may learn.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    /// All literal bytes, one segment after another.
    literals: Vec<u8>,
    /// For each slot: what it is, and where the segment before it ends in `literals`.
    slots: Vec<(Slot, u32)>,
    /// The learned event's fields; slots are overwritten at each match.
    fields: Fields,
    /// Where `type` stands: the segment, and its place inside `literals`.
    wire_segment: usize,
    wire: (u32, u32),
    misses: u32,
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
        let mut this = Self {
            literals: Vec::with_capacity(payload.len()),
            slots: Vec::with_capacity(marks.len()),
            fields: fields.clone(),
            wire_segment: 0,
            wire: (0, 0),
            misses: 0,
        };
        let (wire_at, wire_end) = fields.wire_type.payload_span()?;
        let mut from = 0;
        for mark in marks {
            this.literals.extend_from_slice(payload.as_bytes().get(from..mark.start as usize)?);
            this.slots.push((mark.slot, this.literals.len() as u32));
            from = mark.end as usize;
        }
        this.literals.extend_from_slice(payload.as_bytes().get(from..)?);
        // `type` is a literal: find its segment once.
        let before = marks.iter().filter(|mark| (mark.end as usize) <= wire_at);
        let (count, cut) = before.fold((0, 0), |(n, cut), mark| (n + 1, cut + (mark.end - mark.start)));
        this.wire_segment = count;
        this.wire = (wire_at as u32 - cut, wire_end as u32 - cut);
        Some(this)
    }

    /// The kind of the events that this template matches.
    pub(crate) fn kind(&self) -> Kind {
        self.fields.kind
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
        fields: &mut Fields,
        scratch: &mut String,
        stack: &mut Vec<scan::Open>,
    ) -> bool {
        let (text, payload) = (payload, payload.as_bytes());
        let mut at = 0usize;
        let mut from = 0usize;
        let mut wire_start = self.wire.0;
        for (number, &(slot, to)) in self.slots.iter().enumerate() {
            let literal = &self.literals[from..to as usize];
            if payload.get(at..at + literal.len()) != Some(literal) {
                return false;
            }
            at += literal.len();
            from = to as usize;
            let start = at;
            match slot {
                Slot::SequenceNumber | Slot::Index(_) => {
                    while payload.get(at).is_some_and(u8::is_ascii_digit) {
                        at += 1;
                    }
                    let digits = &payload[start..at];
                    let Some(value) = plain_number(digits) else { return false };
                    if digits[0] == b'0' && digits.len() > 1 {
                        return false;
                    }
                    match slot {
                        Slot::Index(index) => self.fields.set_index(index, value),
                        _ => self.fields.set_sequence_number(value),
                    }
                }
                Slot::ItemId | Slot::Skip | Slot::Delta => {
                    let Ok((end, escaped)) = scan::string(payload, at) else { return false };
                    at = end;
                    match slot {
                        Slot::ItemId if escaped => return false,
                        Slot::ItemId => self.fields.item_id = Text::in_payload(start, end),
                        Slot::Delta if escaped => {
                            scratch.clear();
                            self.fields.halves = decode_into(&text[start..end], scratch);
                            self.fields.delta = Text::in_scratch(scratch.len());
                        }
                        Slot::Delta => {
                            self.fields.halves = Halves::default();
                            self.fields.delta = Text::in_payload(start, end);
                        }
                        _ => {}
                    }
                }
                Slot::Nested | Slot::Logprobs => {
                    if !matches!(payload.get(at), Some(b'[' | b'{')) {
                        return false;
                    }
                    let Ok(end) = scan::value::<false>(payload, at, depth - 1, &mut Vec::new(), stack) else {
                        return false;
                    };
                    at = end;
                    if slot == Slot::Logprobs {
                        if payload[start] != b'[' {
                            return false;
                        }
                        self.fields.logprobs = Text::in_payload(start, end);
                    }
                }
            }
            if number < self.wire_segment {
                wire_start += (at - start) as u32;
            }
        }
        if payload.get(at..) != Some(&self.literals[from..]) {
            return false;
        }
        let length = self.wire.1 - self.wire.0;
        self.fields.wire_type = Text::in_payload(wire_start as usize, (wire_start + length) as usize);
        self.misses = 0;
        fields.clone_from(&self.fields);
        true
    }
}
