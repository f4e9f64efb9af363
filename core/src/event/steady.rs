//! [`Steady`]: the next block of a part that grows, foretold.
//!
//! While one part grows, two blocks of an event stream differ in little: the sequence number, the delta and the padding. So
//! the next block can be written down before it comes, with gaps where those will stand. What comes is compared with it, gap
//! by gap, blank line included; one byte that differs means that it is read in another way.

use alloc::string::String;
use alloc::vec::Vec;

use super::fields::{FieldSlot, Fields, Gaps, Mark, GAPS};
use super::span::{Source, TextSpan};
use crate::json::simd::{find_non_plain, LANES};
use crate::json::{decode_into, scan, LoneSurrogates};

/// A block as it will be, but for its gaps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steady {
    /// Head, payload with the number that is likely to come, and blank line, without what stands in the gaps.
    text: Vec<u8>,
    head: usize,
    number: Option<Number>,
    /// Bytes of the text that tell this item from others, and where they stand: see [`is_of`](Self::is_of).
    key: Option<Key>,
    /// What is the same in each block is known: type and id of the item among it, and the gaps. No gaps: nothing is foretold.
    fields: Fields,
}

/// Where the number stands in the text: how long it is there, behind how many gaps, and how far behind the last of them.
#[derive(Clone, Copy, Debug)]
struct Number {
    at: usize,
    length: usize,
    gaps: usize,
    within: usize,
}

#[derive(Clone, Copy, Debug)]
struct Key {
    bytes: [u8; 8],
    at: usize,
    behind_number: bool,
}

impl Key {
    /// What stands where the key of this item would.
    #[inline]
    fn found<'b>(&self, bytes: &'b [u8], next: &Next) -> Option<&'b [u8; 8]> {
        let at = self.at + if self.behind_number { next.length } else { 0 };
        bytes.get(at..)?.first_chunk()
    }
}

/// How many spots a list has. Ten times as many as there are items, so that two seldom have the same.
pub(crate) const SPOTS: usize = 256;

/// The spot of a key: the highest bits of a product, which all of its bits have a part in.
#[inline]
fn spot(key: &[u8; 8]) -> usize {
    (u64::from_le_bytes(*key).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize
}

/// Blocks past this are not foretold: there is one for each item that grows.
const LONGEST: usize = 1024;

impl Steady {
    /// Foretells the blocks that are like one that was just read, head and payload given. The marks are all that may differ
    /// from block to block, and `serial` is another number each time.
    pub(crate) fn foretell(&mut self, serial: u64, head: &[u8], payload: &str, fields: &Fields, marks: &[Mark]) {
        self.text.clear();
        self.key = None;
        if self.write(head, payload, fields, marks).is_none() {
            self.fields.gaps = Gaps::default();
        }
        self.fields.gaps.by = serial;
    }

    fn write(&mut self, head: &[u8], payload: &str, fields: &Fields, marks: &[Mark]) -> Option<()> {
        let bytes = payload.as_bytes();
        // A line end would end the payload.
        if head.len() + bytes.len() > LONGEST || memchr::memchr2(b'\n', b'\r', bytes).is_some() {
            return None;
        }
        // A list that is not empty is another one each time.
        let fits =
            |mark: &Mark| !matches!(mark.slot, FieldSlot::Nested | FieldSlot::Logprobs) || mark.end - mark.start <= 2;
        let is_gap = |mark: &&Mark| matches!(mark.slot, FieldSlot::Delta | FieldSlot::Skip);
        if !marks.iter().all(fits) || marks.iter().filter(is_gap).count() >= GAPS {
            return None;
        }
        self.know(payload, fields)?;
        self.text.extend_from_slice(head);
        self.head = head.len();
        self.number = None;
        self.fields.gaps = Gaps { head: head.len() as u32, ..Gaps::default() };
        let (mut from, mut start) = (0, 0);
        for mark in marks {
            let (mark_start, mark_end) = (mark.start as usize, mark.end as usize);
            let count = self.fields.gaps.count;
            if mark.slot == FieldSlot::SequenceNumber {
                let at = self.text.len() + mark_start - from;
                let (length, within) = (mark_end - mark_start, at - start);
                self.number = Some(Number { at, length, gaps: count, within });
            } else if is_gap(&mark) {
                self.text.extend_from_slice(bytes.get(from..mark_start)?);
                *self.literal_mut(count)? = (self.text.len() - start) as u32;
                self.fields.gaps.strings.get_mut(count)?.is_delta = mark.slot == FieldSlot::Delta;
                self.fields.gaps.count += 1;
                (from, start) = (mark_end, self.text.len());
            }
        }
        self.text.extend_from_slice(bytes.get(from..)?);
        self.text.extend_from_slice(b"\n\n");
        *self.literal_mut(self.fields.gaps.count)? = (self.text.len() - start) as u32;
        self.note_number();
        // So that eight bytes stand wherever a number does.
        self.text.extend_from_slice(&[0; 8]);
        self.key = self.make_key(fields.item_id, marks.iter().filter(is_gap));
        Some(())
    }

    /// Takes what is the same in each block.
    fn know(&mut self, payload: &str, fields: &Fields) -> Option<()> {
        let mut known = core::mem::take(&mut self.fields.known);
        known.clear();
        self.fields.clone_from(fields);
        // An empty list that is literal would move with what stands before it.
        self.fields.logprobs = TextSpan::default();
        for text in [&mut self.fields.wire_type, &mut self.fields.item_id] {
            if text.is_there() {
                let start = known.len();
                known.push_str(text.get(Source::of(payload, ""))?);
                *text = TextSpan::in_known(start, known.len());
            }
        }
        self.fields.known = known;
        Some(())
    }

    /// The end of the item's id, if it is known where that will stand.
    fn make_key<'m>(&self, id: TextSpan, mut gaps: impl Iterator<Item = &'m Mark>) -> Option<Key> {
        let (start, end) = id.payload_span()?;
        if gaps.any(|gap| gap.end as usize <= start) {
            return None;
        }
        let at = (self.head + end).checked_sub(8)?;
        let bytes = *self.text.get(at..)?.first_chunk()?;
        let number = self.number.filter(|number| number.at < at);
        Some(Key { bytes, at: at - number.map_or(0, |number| number.length), behind_number: number.is_some() })
    }

    /// Says whether what comes may be of this item. A quick look, for choosing among many.
    #[inline]
    pub(crate) fn is_of(&self, bytes: &[u8], next: &Next) -> bool {
        self.key.as_ref().is_some_and(|key| key.found(bytes, next) == Some(&key.bytes))
    }

    /// Where a list has the item that what comes may be of, if its blocks are like those of this one. A guess.
    #[inline]
    pub(crate) fn spot_of(&self, bytes: &[u8], next: &Next) -> Option<usize> {
        self.key.as_ref()?.found(bytes, next).map(spot)
    }

    /// Where a list has this item.
    #[inline]
    pub(crate) fn spot(&self) -> Option<usize> {
        self.key.as_ref().map(|key| spot(&key.bytes))
    }

    /// The id of the item, if a block is foretold for one.
    pub(crate) fn item(&self) -> Option<&[u8]> {
        let id = self.fields.item_id;
        let known = Source { known: &self.fields.known, ..Source::of("", "") };
        (id.is_there() && self.fields.gaps.count > 0).then(|| id.bytes(known))
    }

    /// How much of the text stands behind so many gaps, up to the next one.
    fn literal_mut(&mut self, gaps: usize) -> Option<&mut u32> {
        let noted = &mut self.fields.gaps;
        match gaps.checked_sub(1) {
            None => Some(&mut noted.first),
            Some(gap) => Some(&mut noted.strings.get_mut(gap)?.behind),
        }
    }

    /// Compares what comes with what was foretold, and gives where the payload ends, which begins behind the head. It is valid UTF-8
    /// then, and a blank line stands behind it. A delta with escapes is decoded into the scratch buffer.
    // Apart, so that what it has at hand stays in registers.
    #[inline(never)]
    pub(crate) fn read(&mut self, bytes: &[u8], next: &mut Next, scratch: &mut String) -> Option<usize> {
        if self.fields.gaps.count == 0 {
            return None;
        }
        if let Some(number) = self.number {
            if number.length != next.length || !next.write(&mut self.text, number.at) {
                self.set_number(next);
            }
        }
        let Gaps { first, count, .. } = self.fields.gaps;
        // The longest comparison comes first: it is a call, and nothing is at hand yet that would have to be put aside.
        let (own, mut text) = self.text.split_at_checked(first as usize)?;
        if bytes.get(..own.len()) != Some(own) {
            return self.read_again(bytes, 0, 0, next, scratch);
        }
        let mut at = own.len();
        let last = bytes.len().checked_sub(LANES)?;
        let Fields { gaps, delta, halves, .. } = &mut self.fields;
        let mut strings = gaps.strings.get_mut(..count)?.iter_mut();
        while let Some(gap) = strings.next() {
            let (own, behind) = text.split_at_checked(gap.behind as usize)?;
            let from = at.min(last);
            let found = find_non_plain(bytes.get(from..)?.first_chunk()?, at - from);
            let end = from + found;
            // What is foretold begins with the quote that ends a string.
            let plain = found < LANES && bytes.get(end..end + own.len()).is_some_and(|found| same(own, found));
            if !plain {
                let position = count - strings.len() - 1;
                return self.read_any(bytes, at, position, next, scratch);
            }
            gap.end = end as u32;
            if gap.is_delta {
                *delta = TextSpan::in_payload(at - self.head, end - self.head);
                *halves = LoneSurrogates::default();
            }
            (at, text) = (end + own.len(), behind);
        }
        self.end(at, next)
    }

    /// Reads on from the start of a gap, where not all strings are short and plain.
    #[inline(never)]
    fn read_any(
        &mut self,
        bytes: &[u8],
        mut at: usize,
        position: usize,
        next: &mut Next,
        scratch: &mut String,
    ) -> Option<usize> {
        let Fields { gaps, delta, halves, .. } = &mut self.fields;
        let before = gaps.strings.get(..position)?.iter().fold(gaps.first, |sum, gap| sum + gap.behind);
        let mut text = self.text.get(before as usize..)?;
        for (gap, position) in gaps.strings.get_mut(position..gaps.count)?.iter_mut().zip(position..) {
            let start = at;
            if gap.is_delta {
                at = read_delta(bytes, start, self.head, scratch, (delta, halves))?;
            } else {
                at = scan::unchecked_string(bytes, start)?.end;
            }
            gap.end = at as u32;
            let (own, behind) = text.split_at_checked(gap.behind as usize)?;
            if !bytes.get(at..at + own.len()).is_some_and(|found| same(own, found)) {
                return self.read_again(bytes, at, position + 1, next, scratch);
            }
            at += own.len();
            text = behind;
        }
        self.end(at, next)
    }

    /// Ends the reading of a block that is as foretold up to a place, its end.
    // In wasm the compiler may choose: there the bytes count.
    #[cfg_attr(target_arch = "wasm32", inline)]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn end(&mut self, at: usize, next: &mut Next) -> Option<usize> {
        if self.number.is_some() {
            // No number was expected, and none stands there.
            if next.length == 0 {
                return None;
            }
            self.fields.set_sequence_number(next.value);
            next.count_up();
        }
        // The text ends in two line feeds.
        at.checked_sub(2)
    }

    /// Reads once more, if what comes differs behind so many gaps, where a number was foretold, and another number stands there. What
    /// stands around it is the same then, or the number is not another one, so it is once.
    #[inline(never)]
    fn read_again(
        &mut self,
        bytes: &[u8],
        at: usize,
        gaps: usize,
        next: &mut Next,
        scratch: &mut String,
    ) -> Option<usize> {
        let number = self.number.filter(|number| number.gaps == gaps)?;
        // Most often it is another item, and the number is right.
        if next.is_at(bytes, at + number.within) {
            return None;
        }
        let (_, value) = read_number(bytes, at + number.within)?;
        if value == next.value {
            return None;
        }
        next.expect(value);
        // Not if it is too long to be expected.
        if value == next.value {
            self.read(bytes, next, scratch)
        } else {
            None
        }
    }

    /// Writes the number that is likely to come into the text, where it may be longer or shorter than the one before.
    #[cold]
    fn set_number(&mut self, next: &Next) {
        let Some(number) = &mut self.number else { return };
        let digits = next.word.to_le_bytes();
        let digits = digits.get(..next.length).unwrap_or_default();
        self.text.splice(number.at..number.at + number.length, digits.iter().copied());
        let (gaps, before) = (number.gaps, core::mem::replace(&mut number.length, digits.len()));
        if let Some(length) = self.literal_mut(gaps) {
            *length = *length - before as u32 + digits.len() as u32;
        }
        self.note_number();
    }

    fn note_number(&mut self) {
        let number = self.number.map(|number| (number.gaps, number.within as u32, number.length as u32));
        self.fields.gaps.number = number;
    }

    /// What stands before the payload in a block.
    #[inline]
    pub(crate) fn head(&self) -> usize {
        self.head
    }

    /// The fields of the event last read.
    #[inline]
    pub(crate) fn fields(&self) -> &Fields {
        &self.fields
    }
}

/// Reads a delta, most often one with escapes, and gives where it ends.
#[inline(always)]
fn read_delta(
    bytes: &[u8],
    start: usize,
    head: usize,
    scratch: &mut String,
    (delta, halves): (&mut TextSpan, &mut LoneSurrogates),
) -> Option<usize> {
    *halves = LoneSurrogates::default();
    if let Some((end, length)) = scan::decode_short_string(bytes, start, scratch) {
        *delta = TextSpan::in_scratch(0, length);
        return Some(end);
    }
    let seen = scan::unchecked_string(bytes, start)?;
    if !seen.escaped {
        *delta = TextSpan::in_payload(start - head, seen.end - head);
        return Some(seen.end);
    }
    // It was checked there, but a checked text cannot be handed on without a second look.
    let literal = core::str::from_utf8(bytes.get(start..seen.end)?).ok()?;
    scratch.clear();
    *halves = decode_into(literal, scratch);
    *delta = TextSpan::in_scratch(0, scratch.len());
    Some(seen.end)
}

/// Compares two texts of the same length. What stands behind a gap is seldom longer than two pieces that are compared without a call;
/// they may overlap.
#[inline(always)]
fn same(own: &[u8], found: &[u8]) -> bool {
    match own.len() {
        LANES..=32 => same_ends::<LANES>(own, found),
        // The end of a block is often a quote, a brace and two line feeds.
        4 => own.first_chunk::<4>() == found.first_chunk::<4>(),
        _ => own == found,
    }
}

/// Says whether two texts begin and end with the same bytes. What is shorter does not.
#[inline(always)]
fn same_ends<const N: usize>(own: &[u8], found: &[u8]) -> bool {
    let first = (own.first_chunk::<N>(), found.first_chunk::<N>());
    let last = (own.last_chunk::<N>(), found.last_chunk::<N>());
    matches!(first, (Some(own), Some(found)) if own == found)
        && matches!(last, (Some(own), Some(found)) if own == found)
}

/// The sequence number that is likely to come, as digits: comparing costs less than reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Next {
    value: u64,
    /// The digits, the first one lowest, and a mask over them.
    word: u64,
    mask: u64,
    length: usize,
    /// What counting up adds to the word, and how often it may.
    step: u64,
    times: u64,
}

impl Default for Next {
    fn default() -> Self {
        Self { value: u64::MAX, word: 0, mask: 0, length: 0, step: 0, times: 0 }
    }
}

impl Next {
    /// Writes the digits over as many others. `false` if it cannot.
    #[inline]
    fn write(&self, text: &mut [u8], at: usize) -> bool {
        let Some(place) = text.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<8>) else { return false };
        let others = u64::from_le_bytes(*place) & !self.mask;
        *place = (others | (self.word & self.mask)).to_le_bytes();
        true
    }

    /// Says whether the digits stand at a place, and no digit behind them. `false` says nothing near the end.
    #[inline]
    fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        let Some(found) = bytes.get(at..).and_then(<[u8]>::first_chunk) else { return false };
        let behind = bytes.get(at + self.length).is_some_and(|byte| !byte.is_ascii_digit());
        behind && (u64::from_le_bytes(*found) ^ self.word) & self.mask == 0
    }

    /// Expects the number behind this one.
    #[inline]
    fn count_up(&mut self) {
        if self.times > 0 {
            self.value += 1;
            self.word += self.step;
            self.times -= 1;
        } else {
            self.expect(self.value + 1);
        }
    }

    #[inline(never)]
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
        let (mask, step) = (u64::MAX >> (64 - 8 * length), 1 << (8 * (length - 1)));
        *self = Self { value: number, word, mask, length, step, times: 9 - number % 10 };
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

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use crate::event::Levels;
    use crate::Reader;

    /// What comes of blocks, each in a chunk of its own, and whether that is the same where nothing is foretold.
    fn same_with_and_without(blocks: &[Vec<u8>]) -> Vec<String> {
        let read = |template: bool| {
            let mut reader = Reader::builder().levels(Levels { template, flat: true }).build();
            let mut seen = Vec::new();
            for block in blocks {
                reader.feed(block).unwrap();
                while let Some(event) = reader.poll_event().unwrap() {
                    seen.push(format!(
                        "{:?} {:?} {:?} {:?} {:?} {} {} {:?}",
                        event.sequence_number(),
                        event.item_id(),
                        event.delta(),
                        event.halves(),
                        event.fault(),
                        event.wire_type(),
                        event.raw(),
                        event.raw_fields(),
                    ));
                }
            }
            reader.finish().unwrap();
            seen.push(reader.response().to_value().to_string());
            seen.extend(reader.findings().iter().map(|finding| format!("{finding:?}")));
            seen
        };
        let seen = read(true);
        assert_eq!(seen, read(false));
        seen
    }

    fn block(number: &str, item: usize, delta: &str, rest: &str) -> Vec<u8> {
        format!(
            "event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"sequence_number\":{number},\
             \"item_id\":\"msg_{item:08}\",\"output_index\":{item},\"content_index\":0,\"delta\":\"{delta}\"{rest}}}\n\n"
        )
        .into_bytes()
    }

    #[test]
    fn any_number_may_come_where_another_is_expected() {
        let numbers =
            "1 2 3 4 8 9 10 11 12 98 99 100 101 5 6 7 0 0 1 2 01 3 4 1.5 5 -6 7 8  9 ! 10 99999998 99999999 100000000 \
                       100000001  ! 7 8 9 18446744073709551614 18446744073709551615 1 2 \"3\" 4 5";
        let blocks: Vec<_> =
            numbers.split(' ').map(|number| block(number, 0, "x", ",\"obfuscation\":\"abc\"")).collect();
        let seen = same_with_and_without(&blocks);
        assert!(seen[10].starts_with("Some(99)") && seen.iter().any(|line| line.contains("NotJson")), "{seen:?}");
        // The number behind the delta, and none at all.
        for tail in [",\"sequence_number\":", ",\"x\":\"\",\"sequence_number\":"] {
            let behind = |number: &str| {
                let start = "data: {\"type\":\"response.refusal.delta\",\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0";
                format!("{start},\"delta\":\"a\\nb\"{tail}{number}}}\n\n").into_bytes()
            };
            let mut blocks: Vec<_> = numbers.split(' ').map(behind).collect();
            blocks.extend((0..4).map(|_| b"data: {\"type\":\"response.refusal.delta\",\"delta\":\"c\"}\n\n".to_vec()));
            same_with_and_without(&blocks);
        }
    }

    #[test]
    fn digits_elsewhere_are_not_taken_for_the_number() {
        // Found by fuzzing: two numbers in turn, each where the other was expected, without end.
        for tail in ["", ",\"sequence_number\":7", ",\"x\":\"y\",\"sequence_number\":7"] {
            let mut blocks: Vec<_> = (0..4).map(|at| block(&at.to_string(), 0, "x", tail)).collect();
            for pad in ["1 ", " 1", "7", "1\n", "12,"] {
                for key in [",\"pad\":\"", "\"", ""] {
                    let rest = format!("{tail}{key}{}\"", pad.repeat(150));
                    blocks.push(block(&blocks.len().to_string(), 0, "x", &rest));
                    blocks.push(block(&blocks.len().to_string(), 0, &pad.repeat(150), tail));
                    blocks.push(block(&blocks.len().to_string(), 0, "x", tail));
                }
            }
            same_with_and_without(&blocks);
        }
    }

    #[test]
    fn items_that_take_turns_are_read_as_if_alone() {
        let rest = ["", ",\"obfuscation\":\"\"", ",\"obfuscation\":\"0123456789abcdef\"", ",\"obfuscation\":\"\\\"é\""];
        let texts =
            ["a", "", "\\\"", "é漢😀", "\\ud83d", "\\ude00", "a text of more bytes than one go takes", "\\u00e9\\n\\x"];
        // More items than are foretold, in runs and in jumps.
        let blocks: Vec<_> = (0..900usize)
            .map(|at| block(&at.to_string(), (at / 5 * 7) % 31, texts[at % 8], rest[at / 3 % 4]))
            .collect();
        same_with_and_without(&blocks);
    }

    #[test]
    fn bytes_that_are_no_text_are_found_in_every_gap() {
        let mut blocks: Vec<_> =
            (0..4).map(|at| block(&at.to_string(), 0, "abc", ",\"obfuscation\":\"xyz\"")).collect();
        for at in 0..blocks[0].len() {
            for byte in [0xFF, 0xC3, b'\n', b'\r', b'"', b'\\', 0] {
                let mut other = blocks[0].clone();
                other[at] = byte;
                blocks.push(block(&blocks.len().to_string(), 0, "def", ",\"obfuscation\":\"xyz\""));
                blocks.push(other);
            }
        }
        same_with_and_without(&blocks);
    }
}
