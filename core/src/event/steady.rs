//! [`Steady`]: the next block of a part that grows, foretold.
//!
//! While one part grows, two blocks of an event stream differ in little: the sequence number, the delta and the padding. So
//! the next block can be written down before it comes, with gaps where those will stand. What comes is compared with it, gap
//! by gap, blank line included; one byte that differs means that it is read in another way.

use alloc::string::String;
use alloc::vec::Vec;

use super::fields::{Fields, Mark, Slot, Text, GAPS};
use crate::json::{decode_into, scan, Halves};

/// A block as it will be, but for its gaps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steady {
    /// Head, payload and blank line, without what stands in the gaps. Empty: nothing is foretold.
    text: Vec<u8>,
    gaps: Vec<Gap>,
    head: usize,
    /// Where the type and the item's id stand.
    wire_type: Moving,
    item_id: Moving,
    /// Bytes of the text that tell this item from others, and where they stand: see [`is_of`](Self::is_of).
    key: Option<Key>,
    fields: Fields,
}

/// A place in the text where something will stand that is not foretold.
#[derive(Clone, Copy, Debug)]
struct Gap {
    at: usize,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Number,
    Delta,
    /// A string that nobody reads.
    Skip,
}

impl What {
    /// What stands in the gap for a slot; `None` for slots that are foretold.
    fn of(slot: Slot) -> Option<Self> {
        match slot {
            Slot::SequenceNumber => Some(Self::Number),
            Slot::Delta => Some(Self::Delta),
            Slot::Skip => Some(Self::Skip),
            Slot::ItemId | Slot::Index(_) | Slot::Logprobs | Slot::Nested => None,
        }
    }
}

/// A string of the text that moves with what the gaps before it hold.
#[derive(Clone, Copy, Debug, Default)]
struct Moving {
    gaps_before: usize,
    /// Where it stands in the payload without what the gaps hold. Nowhere, if it is absent.
    span: Option<(u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Key {
    bytes: [u8; 8],
    at: usize,
    behind_number: bool,
}

/// Blocks past this are not foretold: there is one for each item that grows.
const LONGEST: usize = 1024;

impl Steady {
    /// Foretells the blocks that are like one that was just read, head and payload given. The marks are all that may differ
    /// from block to block.
    /// `serial` is another number each time.
    pub(crate) fn foretell(&mut self, serial: u64, head: &[u8], payload: &[u8], fields: &Fields, marks: &[Mark]) {
        self.text.clear();
        if self.write(head, payload, fields, marks).is_none() {
            self.text.clear();
        }
        self.fields.gaps.by = serial;
    }

    fn write(&mut self, head: &[u8], payload: &[u8], fields: &Fields, marks: &[Mark]) -> Option<()> {
        // A line end would end the payload.
        if head.len() + payload.len() > LONGEST || memchr::memchr2(b'\n', b'\r', payload).is_some() {
            return None;
        }
        self.text.extend_from_slice(head);
        self.head = head.len();
        self.gaps.clear();
        // A list that is not empty is another one each time.
        let fits = |mark: &Mark| !matches!(mark.slot, Slot::Nested | Slot::Logprobs) || mark.end - mark.start <= 2;
        let gaps = || marks.iter().filter(|mark| What::of(mark.slot).is_some());
        if !marks.iter().all(fits) || gaps().count() > GAPS {
            return None;
        }
        let mut from = 0;
        for mark in gaps() {
            self.text.extend_from_slice(payload.get(from..mark.start as usize)?);
            self.gaps.push(Gap { at: self.text.len(), what: What::of(mark.slot)? });
            from = mark.end as usize;
        }
        self.wire_type = Moving::of(fields.wire_type, gaps());
        self.item_id = Moving::of(fields.item_id, gaps());
        self.text.extend_from_slice(payload.get(from..)?);
        self.text.extend_from_slice(b"\n\n");
        self.fields.clone_from(fields);
        // An empty list that is literal would move with what stands before it.
        self.fields.logprobs = Text::default();
        self.key = self.make_key();
        Some(())
    }

    /// The end of the item's id, if it is known where that will stand.
    fn make_key(&self) -> Option<Key> {
        let behind_number = match self.gaps.get(..self.item_id.gaps_before)? {
            [] => false,
            [Gap { what: What::Number, .. }] => true,
            _ => return None,
        };
        let at = (self.head + self.item_id.span?.1 as usize).checked_sub(8)?;
        Some(Key { bytes: *self.text.get(at..)?.first_chunk()?, at, behind_number })
    }

    /// Says whether what comes may be of this item. A quick look, for choosing among many.
    #[inline]
    pub(crate) fn is_of(&self, bytes: &[u8], next: &Next) -> bool {
        let Some(key) = self.key.filter(|_| !self.text.is_empty()) else { return false };
        let at = key.at + if key.behind_number { next.length } else { 0 };
        bytes.get(at..at + 8) == Some(&key.bytes)
    }

    /// The id of the item, as the text has it.
    pub(crate) fn item(&self) -> Option<&[u8]> {
        let (start, end) = self.item_id.span?;
        self.text.get(self.head + start as usize..self.head + end as usize)
    }

    /// Compares what comes with what was foretold, and gives where the payload lies. It is valid UTF-8 then, and a blank
    /// line stands behind it. A delta with escapes is decoded into the scratch buffer.
    #[inline]
    pub(crate) fn read(&mut self, bytes: &[u8], next: &mut Next, scratch: &mut String) -> Option<(usize, usize)> {
        if self.text.is_empty() {
            return None;
        }
        let mut at = 0;
        let mut from = 0;
        let mut number = None;
        // How far what follows has moved against the text, by the gaps so far.
        let mut shifts = [0u32; GAPS + 1];
        let mut gaps = 0;
        for gap in &self.gaps {
            let literal = self.text.get(from..gap.at)?;
            if bytes.get(at..at + literal.len())? != literal {
                return None;
            }
            at += literal.len();
            from = gap.at;
            let start = at;
            if gap.what == What::Number {
                let (end, value) = next.read(bytes, at)?;
                at = end;
                number = Some(value);
            } else {
                at = scan::plain_end(bytes, at)?;
                let plain = bytes.get(at) == Some(&b'"');
                if gap.what == What::Skip {
                    if !plain {
                        at = scan::unchecked_string(bytes, start)?.end;
                    }
                } else if plain {
                    self.fields.delta = Text::in_payload(start - self.head, at - self.head);
                    self.fields.halves = Halves::default();
                } else {
                    at = read_rare(bytes, start, self.head, &mut self.fields, scratch)?;
                }
            }
            *self.fields.gaps.spans.get_mut(gaps)? = ((start - self.head) as u32, (at - self.head) as u32);
            gaps += 1;
            *shifts.get_mut(gaps)? = (at - from) as u32;
        }
        let literal = self.text.get(from..)?;
        if bytes.get(at..at + literal.len())? != literal {
            return None;
        }
        at += literal.len();
        self.fields.gaps.count = gaps;
        self.fields.wire_type = self.wire_type.by(&shifts);
        self.fields.item_id = self.item_id.by(&shifts);
        if let Some(number) = number {
            self.fields.set_sequence_number(number);
            next.count_up(number);
        }
        // The text ends in two line feeds.
        Some((self.head, at - 2))
    }

    /// The fields of the event last read.
    #[inline]
    pub(crate) fn fields(&self) -> &Fields {
        &self.fields
    }
}

/// Reads a delta with escapes, or with text that is not ASCII.
#[inline(never)]
fn read_rare(bytes: &[u8], start: usize, head: usize, fields: &mut Fields, scratch: &mut String) -> Option<usize> {
    fields.halves = Halves::default();
    if let Some((end, length)) = scan::short_string(bytes, start, scratch) {
        fields.delta = Text::in_scratch(length);
        return Some(end);
    }
    let seen = scan::unchecked_string(bytes, start)?;
    if seen.escaped {
        // It was checked there, but a checked text cannot be handed on without a second look.
        let literal = core::str::from_utf8(bytes.get(start..seen.end)?).ok()?;
        scratch.clear();
        fields.halves = decode_into(literal, scratch);
        fields.delta = Text::in_scratch(scratch.len());
    } else {
        fields.delta = Text::in_payload(start - head, seen.end - head);
    }
    Some(seen.end)
}

impl Moving {
    /// Where a text will stand, given all gaps of its payload.
    fn of<'m>(text: Text, gaps: impl Iterator<Item = &'m Mark>) -> Self {
        let Some((start, end)) = text.payload_span() else { return Self::default() };
        let (mut cut, mut gaps_before) = (0, 0);
        for gap in gaps.filter(|gap| gap.end as usize <= start) {
            cut += gap.end - gap.start;
            gaps_before += 1;
        }
        Self { gaps_before, span: Some((start as u32 - cut, end as u32 - cut)) }
    }

    #[inline]
    fn by(&self, shifts: &[u32; GAPS + 1]) -> Text {
        let Some((start, end)) = self.span else { return Text::default() };
        let shift = shifts.get(self.gaps_before).copied().unwrap_or_default();
        Text::in_payload((start + shift) as usize, (end + shift) as usize)
    }
}

/// The sequence number that is likely to come, as digits: comparing costs less than reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Next {
    value: u64,
    /// The digits, the first one lowest, and a mask over them.
    word: u64,
    mask: u64,
    length: usize,
}

impl Default for Next {
    fn default() -> Self {
        // No digit has this byte.
        Self { value: u64::MAX, word: u64::MAX, mask: u64::MAX, length: 0 }
    }
}

impl Next {
    /// Reads the number at a position, and gives where it ends. What follows is the caller's to check.
    #[inline]
    fn read(&self, bytes: &[u8], at: usize) -> Option<(usize, u64)> {
        let word = u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
        if (word ^ self.word) & self.mask == 0 {
            return Some((at + self.length, self.value));
        }
        read_number(bytes, at)
    }

    /// Expects the number behind this one.
    #[inline]
    fn count_up(&mut self, number: u64) {
        let last = 8 * self.length.saturating_sub(1) % 64;
        if number == self.value && (self.word >> last) & 0xFF != u64::from(b'9') {
            self.value += 1;
            self.word += 1 << last;
        } else {
            self.expect(number + 1);
        }
    }

    fn expect(&mut self, number: u64) {
        *self = Self::default();
        let (mut rest, mut word, mut length) = (number, 0u64, 0);
        loop {
            if length == 8 {
                return;
            }
            word = (word << 8) | (u64::from(b'0') + rest % 10);
            length += 1;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        *self = Self { value: number, word, mask: u64::MAX >> (64 - 8 * length), length };
    }
}

/// Reads a number of plain digits: no leading zero, at most 18.
#[inline(never)]
pub(crate) fn read_number(bytes: &[u8], start: usize) -> Option<(usize, u64)> {
    let mut at = start;
    let mut value = 0u64;
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    let length = at - start;
    let good = (1..=18).contains(&length) && (length == 1 || bytes.get(start) != Some(&b'0'));
    good.then_some((at, value))
}
