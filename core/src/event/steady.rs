//! [`Steady`]: the next block of a part that grows, foretold.
//!
//! While one part grows, two blocks of an event stream differ in little: the sequence number is one more, the delta and the
//! padding are others. So the next block can be written down before it comes, with gaps where strings will stand. What comes
//! is compared with it, gap by gap, blank line included; one byte that differs means that it is read in another way.

use alloc::string::String;
use alloc::vec::Vec;

use super::fields::{Fields, Mark, Slot, Text};
use crate::json::{decode_into, scan, Halves};

/// A block as it will be, but for its strings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steady {
    /// Head, payload and blank line, without what stands in the gaps. Empty: nothing is foretold.
    text: Vec<u8>,
    gaps: Vec<Gap>,
    head: usize,
    /// Where the digits of the sequence number stand in the text; and the number.
    number: Option<(usize, usize)>,
    next: u64,
    /// Where the type and the item's id stand, if gaps are before them.
    wire_type: Option<Moving>,
    item_id: Option<Moving>,
    /// The delta last read, if it has escapes that are still to be decoded.
    escaped: Option<(usize, usize)>,
    fields: Fields,
}

/// A place in the text where a string will stand.
#[derive(Clone, Copy, Debug)]
struct Gap {
    at: usize,
    delta: bool,
}

/// A string of the text that moves with what the gaps before it hold.
#[derive(Clone, Copy, Debug)]
struct Moving {
    gaps_before: usize,
    /// Where it stands in the payload without what the gaps hold.
    start: usize,
    end: usize,
}

impl Steady {
    /// Foretells the block behind one that was just read, head and payload given. The marks are all that may differ from
    /// block to block.
    pub(crate) fn foretell(&mut self, head: &[u8], payload: &[u8], fields: &Fields, marks: &[Mark]) {
        self.text.clear();
        if self.write(head, payload, fields, marks).is_none() {
            self.text.clear();
        }
    }

    fn write(&mut self, head: &[u8], payload: &[u8], fields: &Fields, marks: &[Mark]) -> Option<()> {
        // A list that is not empty is another one each time, and a line end would end the payload.
        let fits = |mark: &Mark| !matches!(mark.slot, Slot::Nested | Slot::Logprobs) || mark.end - mark.start <= 2;
        if !marks.iter().all(fits) || memchr::memchr2(b'\n', b'\r', payload).is_some() {
            return None;
        }
        let gaps = || marks.iter().filter(|mark| matches!(mark.slot, Slot::Delta | Slot::Skip));
        // How much the gaps before a place in the payload take out of it, and how many they are.
        let before = |at: usize| {
            let gaps = gaps().filter(move |mark| mark.end as usize <= at);
            gaps.fold((0, 0), |(cut, count), mark| (cut + (mark.end - mark.start) as usize, count + 1))
        };
        self.text.extend_from_slice(head);
        self.head = head.len();
        self.gaps.clear();
        let mut from = 0;
        for mark in gaps() {
            self.text.extend_from_slice(payload.get(from..mark.start as usize)?);
            self.gaps.push(Gap { at: self.text.len(), delta: mark.slot == Slot::Delta });
            from = mark.end as usize;
        }
        self.text.extend_from_slice(payload.get(from..)?);
        self.text.extend_from_slice(b"\n\n");
        let moving = |text: Text| {
            let (start, end) = text.payload_span()?;
            let (cut, gaps_before) = before(start);
            (gaps_before > 0).then_some(Moving { gaps_before, start: start - cut, end: end - cut })
        };
        self.wire_type = moving(fields.wire_type);
        self.item_id = moving(fields.item_id);
        self.fields.clone_from(fields);
        // An empty list that is literal would move with what stands before it.
        self.fields.logprobs = Text::default();
        self.number = None;
        if let Some(mark) = marks.iter().find(|mark| mark.slot == Slot::SequenceNumber) {
            let (start, end) = (mark.start as usize, mark.end as usize);
            let shift = head.len().checked_sub(before(start).0)?;
            self.number = Some((start + shift, end + shift));
            self.next = fields.sequence_number()?;
            self.count_up();
        }
        Some(())
    }

    /// Makes the sequence number that of the block behind the next. One more digit would move everything behind it: then
    /// nothing is foretold any more.
    #[inline]
    fn count_up(&mut self) {
        let Some((start, end)) = self.number else { return };
        self.next += 1;
        for digit in self.text.get_mut(start..end).unwrap_or_default().iter_mut().rev() {
            if *digit != b'9' {
                *digit += 1;
                return;
            }
            *digit = b'0';
        }
        self.text.clear();
    }

    /// Compares what comes with what was foretold, and gives where the payload lies. It is valid UTF-8 then, and a blank
    /// line stands behind it.
    #[inline]
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Option<(usize, usize)> {
        if self.text.is_empty() {
            return None;
        }
        let mut rest = bytes;
        let mut text = self.text.as_slice();
        let mut escaped = None;
        for (number, gap) in self.gaps.iter().enumerate() {
            let (literal, behind) = text.split_at_checked(gap.at - (self.text.len() - text.len()))?;
            rest = rest.strip_prefix(literal)?;
            text = behind;
            let seen = scan::unchecked_string(rest, 0)?;
            if gap.delta {
                let start = bytes.len() - rest.len() - self.head;
                let end = start + seen.end;
                self.fields.delta = Text::in_payload(start, end);
                self.fields.halves = Halves::default();
                escaped = seen.escaped.then_some((start, end));
            }
            rest = rest.get(seen.end..)?;
            // What the gaps so far hold.
            let shift = || (bytes.len() - rest.len()) - gap.at;
            if let Some(moving) = self.wire_type.filter(|moving| moving.gaps_before == number + 1) {
                self.fields.wire_type = moving.by(shift());
            }
            if let Some(moving) = self.item_id.filter(|moving| moving.gaps_before == number + 1) {
                self.fields.item_id = moving.by(shift());
            }
        }
        rest = rest.strip_prefix(text)?;
        self.escaped = escaped;
        if self.number.is_some() {
            self.fields.set_sequence_number(self.next);
            self.count_up();
        }
        // The text ends in two line feeds.
        Some((self.head, bytes.len() - rest.len() - 2))
    }

    /// Decodes the delta last read, and gives the fields of its event.
    #[inline]
    pub(crate) fn settle(&mut self, payload: &str, scratch: &mut String) {
        let Some((start, end)) = self.escaped else { return };
        scratch.clear();
        self.fields.halves = decode_into(payload.get(start..end).unwrap_or_default(), scratch);
        self.fields.delta = Text::in_scratch(scratch.len());
    }

    /// The fields of the event last read.
    #[inline]
    pub(crate) fn fields(&self) -> &Fields {
        &self.fields
    }
}

impl Moving {
    #[inline]
    fn by(self, shift: usize) -> Text {
        Text::in_payload(self.start + shift, self.end + shift)
    }
}
