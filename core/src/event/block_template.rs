//! [`BlockTemplate`]: predicts the next SSE block of a growing item and compares it byte for byte.
//!
//! While an item grows, its delta blocks differ only in sequence number, delta and padding. A template keeps all other bytes of such a
//! block, with a gap for each of these. The next block matches if the bytes between the gaps are equal and each gap holds a valid string;
//! then the block is valid for the same reason as the learned one, and only the gaps are read. One different byte means no match, and the
//! block is read line by line.
//!
//! This is the only place that spans the SSE layer and the event layer: the compared text starts with the block's
//! [head](BlockHead) and ends with its blank line. The tests in `tests/rust/event/block_templates.rs` compare it with reading line by line.

use alloc::string::String;
use alloc::vec::Vec;

use super::fields::{FieldSlot, Fields, Gaps, Mark, MAX_GAPS};
use super::span::{Source, TextSpan};
use crate::json::simd::{find_non_plain, LANES};
use crate::json::{decode_into, scan, LoneSurrogates};

/// The bytes of a block before its payload, if the block has one data line and at most an event name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockHead<'a> {
    /// The value of the `event:` line, if there is one.
    pub(crate) name: Option<&'a str>,
    /// The start of the data line: `data:`, with or without a space.
    pub(crate) data: &'static str,
}

/// The next block of an item, with gaps for what changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockTemplate {
    /// The block with the expected sequence number, without the other gaps. Eight zero bytes follow, so that a number can always be
    /// written as one word.
    text: Vec<u8>,
    head_length: usize,
    number: Option<NumberPlace>,
    key: Option<ItemKey>,
    /// The value of the block's `event:` line.
    name: Option<TextSpan>,
    /// The fields of the last block that matched. Literal fields are set when the template is learned.
    fields: Fields,
}

/// The place of the sequence number in the text.
#[derive(Clone, Copy, Debug)]
struct NumberPlace {
    start: usize,
    length: usize,
    /// The number of gaps before it.
    gaps_before: usize,
    /// Its distance from the last of these gaps, or from the start of the text.
    distance: usize,
}

/// The last bytes of the item id, and their place in a block: tells items apart without comparing whole blocks.
#[derive(Clone, Copy, Debug)]
struct ItemKey {
    bytes: [u8; 8],
    start: usize,
    /// True if the sequence number is before the id, so that its length moves the id.
    after_number: bool,
}

impl ItemKey {
    /// Returns `true` if a block has these bytes in the same place.
    #[inline]
    fn is_in(&self, block: &[u8], expected: &ExpectedSequence) -> bool {
        let start = self.start + if self.after_number { expected.length } else { 0 };
        block.get(start..).and_then(<[u8]>::first_chunk) == Some(&self.bytes)
    }
}

/// The maximum length of a block that is learned. Each growing item keeps one.
const MAX_BYTES: usize = 1024;

/// Room for the name, the type and the id.
const KNOWN_BYTES: usize = 160;

/// Room for a block's head, the blank line and the zeros after it. A longer head makes the text grow again.
const MAX_HEAD_BYTES: usize = 96;

impl BlockTemplate {
    /// Learns from a delta that the flat scanner has read. `marks` are its values that may change; `id` is different for each template that
    /// a parser learns. Returns `None` if the next block cannot be predicted from this one; the template then matches nothing.
    pub(crate) fn learn(
        &mut self,
        id: u64,
        head: BlockHead<'_>,
        payload: &str,
        fields: &Fields,
        marks: &[Mark],
    ) -> Option<()> {
        self.text.clear();
        self.fields.gaps = Gaps::default();
        (self.number, self.key) = (None, None);
        let bytes = payload.as_bytes();
        // SSE removes one space after `data:`, so a payload that begins with white space could lose that space. A line end
        // would end the payload.
        if !payload.starts_with('{') || bytes.len() > MAX_BYTES || memchr::memchr2(b'\n', b'\r', bytes).is_some() {
            return None;
        }
        // Lists that are not empty are different in each block.
        let is_fixed =
            |mark: &Mark| !matches!(mark.slot, FieldSlot::Nested | FieldSlot::Logprobs) || mark.end - mark.start <= 2;
        let is_gap = |mark: &&Mark| matches!(mark.slot, FieldSlot::Delta | FieldSlot::Padding);
        if !marks.iter().all(is_fixed) || marks.iter().filter(is_gap).count() >= MAX_GAPS {
            return None;
        }
        self.copy_fields(head.name, payload, fields)?;
        self.text.reserve(bytes.len() + MAX_HEAD_BYTES);
        if let Some(name) = head.name {
            self.text.extend_from_slice(b"event: ");
            self.text.extend_from_slice(name.as_bytes());
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(head.data.as_bytes());
        self.head_length = self.text.len();
        let mut gaps = Gaps { head: self.head_length as u32, ..Gaps::default() };
        // The ends of the last gap in the payload and in the text.
        let (mut payload_end, mut text_end) = (0, 0);
        for mark in marks {
            let (start, end) = (mark.start as usize, mark.end as usize);
            if mark.slot == FieldSlot::SequenceNumber {
                let at = self.text.len() + start - payload_end;
                let distance = at - text_end;
                self.number = Some(NumberPlace { start: at, length: end - start, gaps_before: gaps.count, distance });
            } else if is_gap(&mark) {
                self.text.extend_from_slice(bytes.get(payload_end..start)?);
                *gaps.literal_mut(gaps.count)? = (self.text.len() - text_end) as u32;
                gaps.strings.get_mut(gaps.count)?.is_delta = mark.slot == FieldSlot::Delta;
                gaps.count += 1;
                (payload_end, text_end) = (end, self.text.len());
            }
        }
        self.text.extend_from_slice(bytes.get(payload_end..)?);
        self.text.extend_from_slice(b"\n\n");
        *gaps.literal_mut(gaps.count)? = (self.text.len() - text_end) as u32;
        self.text.extend_from_slice(&[0; 8]);
        self.key = self.find_key(fields.item_id, marks.iter().filter(is_gap));
        gaps.template = id;
        // Without a gap every block would be equal.
        if gaps.count == 0 {
            return None;
        }
        self.fields.gaps = gaps;
        self.note_number();
        Some(())
    }

    /// Copies the fields that are the same in each block.
    fn copy_fields(&mut self, name: Option<&str>, payload: &str, fields: &Fields) -> Option<()> {
        let regular = fields.bad == 0 && fields.repeated == 0 && !fields.whole.is_present();
        // An id with escapes is in the scratch buffer, which the next event overwrites.
        if !regular || (fields.item_id.is_present() && fields.item_id.payload_span().is_none()) {
            return None;
        }
        let mut known = core::mem::take(&mut self.fields.known);
        known.clear();
        known.reserve(KNOWN_BYTES);
        self.fields.clone_from(fields);
        // An empty list moves with the literal before it.
        self.fields.logprobs = TextSpan::default();
        let mut keep = |text: &str| {
            let start = known.len();
            known.push_str(text);
            TextSpan::in_known(start, known.len())
        };
        self.name = name.map(&mut keep);
        for text in [&mut self.fields.wire_type, &mut self.fields.item_id] {
            if text.is_present() {
                *text = keep(text.get(Source::of(payload, ""))?);
            }
        }
        self.fields.known = known;
        Some(())
    }

    /// Returns the end of the item id, if its place in the next block is known.
    fn find_key<'m>(&self, id: TextSpan, mut gaps: impl Iterator<Item = &'m Mark>) -> Option<ItemKey> {
        let (start, end) = id.payload_span()?;
        if gaps.any(|gap| gap.end as usize <= start) {
            return None;
        }
        let start = (self.head_length + end).checked_sub(8)?;
        let bytes = *self.text.get(start..)?.first_chunk()?;
        let number = self.number.filter(|number| number.start < start);
        let start = start - number.map_or(0, |number| number.length);
        Some(ItemKey { bytes, start, after_number: number.is_some() })
    }

    /// Returns `false` if a block certainly belongs to another item.
    #[inline]
    pub(crate) fn may_match(&self, block: &[u8], expected: &ExpectedSequence) -> bool {
        self.key.as_ref().is_none_or(|key| key.is_in(block, expected))
    }

    /// Returns `true` if a delta belongs to the item that this template was learned from, and is of the same kind.
    pub(crate) fn is_for(&self, payload: &str, fields: &Fields) -> bool {
        let known = Source { known: &self.fields.known, ..Source::of("", "") };
        self.fields.kind == fields.kind
            && self.fields.item_id.bytes(known) == fields.item_id.bytes(Source::of(payload, ""))
            && self.fields.has_same_indexes(fields)
    }

    /// The length of the block's bytes before its payload.
    #[inline]
    pub(crate) fn head_length(&self) -> usize {
        self.head_length
    }

    /// The value of the block's `event:` line.
    #[inline]
    pub(crate) fn frame_name(&self) -> Option<&str> {
        let known = Source { known: &self.fields.known, ..Source::of("", "") };
        self.name?.get(known)
    }

    /// The fields of the last block that matched.
    #[inline]
    pub(crate) fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Compares the bytes of a stream with the template. Returns the end of the payload, which begins after the
    /// [head](Self::head_length), is valid UTF-8 and has a blank line after it. A delta with escapes is decoded into `scratch`.
    // Not inlined, so that its variables stay in registers.
    #[inline(never)]
    pub(crate) fn read(
        &mut self,
        block: &[u8],
        expected: &mut ExpectedSequence,
        scratch: &mut String,
    ) -> Option<usize> {
        if self.fields.gaps.count == 0 {
            return None;
        }
        if let Some(number) = self.number {
            if number.length != expected.length || !expected.write(&mut self.text, number.start) {
                self.set_number(expected);
            }
        }
        let Fields { gaps, delta, halves, .. } = &mut self.fields;
        let (literal, mut text) = self.text.split_at_checked(gaps.first as usize)?;
        if block.get(..literal.len()) != Some(literal) {
            return self.read_with_found_number(block, 0, 0, expected, scratch);
        }
        let mut at = literal.len();
        let last_chunk = block.len().checked_sub(LANES)?;
        for (position, gap) in gaps.strings.get_mut(..gaps.count)?.iter_mut().enumerate() {
            let (literal, rest) = text.split_at_checked(gap.literal_after as usize)?;
            // Most strings are plain and short: one chunk shows their end.
            let from = at.min(last_chunk);
            let found = find_non_plain(block.get(from..)?.first_chunk()?, at - from);
            let mut end = from + found;
            // The literal begins with the quote that ends the string.
            if found < LANES && block.get(end) == Some(&b'"') {
                if gap.is_delta {
                    *delta = TextSpan::in_payload(at - self.head_length, end - self.head_length);
                    *halves = LoneSurrogates::default();
                }
            } else if gap.is_delta {
                end = read_delta(block, at, self.head_length, scratch, (delta, halves))?;
            } else {
                end = scan::unchecked_string(block, at)?.end;
            }
            gap.end = end as u32;
            at = end + literal.len();
            if !block.get(end..at).is_some_and(|found| equals(literal, found)) {
                return self.read_with_found_number(block, end, position + 1, expected, scratch);
            }
            text = rest;
        }
        if self.number.is_some() {
            // The template has a number, but no number is expected.
            if expected.length == 0 {
                return None;
            }
            self.fields.set_sequence_number(expected.value);
            expected.increment();
        }
        // The text ends with two line feeds.
        at.checked_sub(2)
    }

    /// Reads again with the number that the block has, if the comparison failed in the literal at `start`, after this number of gaps, and that
    /// literal has the sequence number. Reads again at most once: the second time, the expected number is the one in the block.
    #[inline(never)]
    fn read_with_found_number(
        &mut self,
        block: &[u8],
        start: usize,
        gaps_before: usize,
        expected: &mut ExpectedSequence,
        scratch: &mut String,
    ) -> Option<usize> {
        let number = self.number.filter(|number| number.gaps_before == gaps_before)?;
        // Usually the block belongs to another item and has the expected number.
        if expected.is_at(block, start + number.distance) {
            return None;
        }
        let (_, value) = read_number(block, start + number.distance)?;
        if value == expected.value {
            return None;
        }
        expected.set(value);
        // A number that is too long is never expected.
        if value == expected.value {
            self.read(block, expected, scratch)
        } else {
            None
        }
    }

    /// Replaces the number in the text by the expected one, which has another length.
    #[cold]
    fn set_number(&mut self, expected: &ExpectedSequence) {
        let Some(number) = &mut self.number else { return };
        let digits = expected.word.to_le_bytes();
        let digits = digits.get(..expected.length).unwrap_or_default();
        let after = self.text.split_off(number.start + number.length);
        self.text.truncate(number.start);
        self.text.extend_from_slice(digits);
        self.text.extend_from_slice(&after);
        let (gaps_before, old) = (number.gaps_before, core::mem::replace(&mut number.length, digits.len()));
        if let Some(length) = self.fields.gaps.literal_mut(gaps_before) {
            *length = *length - old as u32 + digits.len() as u32;
        }
        self.note_number();
    }

    fn note_number(&mut self) {
        let number = self.number.map(|number| (number.gaps_before, number.distance as u32, number.length as u32));
        self.fields.gaps.number = number;
    }
}

/// Reads a delta that is not one short plain string and returns its end.
#[inline(never)]
fn read_delta(
    block: &[u8],
    start: usize,
    head_length: usize,
    scratch: &mut String,
    (delta, halves): (&mut TextSpan, &mut LoneSurrogates),
) -> Option<usize> {
    *halves = LoneSurrogates::default();
    if let Some((end, length)) = scan::decode_short_string(block, start, scratch) {
        *delta = TextSpan::in_scratch(0, length);
        return Some(end);
    }
    let found = scan::unchecked_string(block, start)?;
    if !found.escaped {
        *delta = TextSpan::in_payload(start - head_length, found.end - head_length);
        return Some(found.end);
    }
    // `unchecked_string` has checked the bytes, but a `str` needs a second check.
    let literal = core::str::from_utf8(block.get(start..found.end)?).ok()?;
    scratch.clear();
    *halves = decode_into(literal, scratch);
    *delta = TextSpan::in_scratch(0, scratch.len());
    Some(found.end)
}

/// Compares two byte strings of the same length, without a call for the usual lengths of a literal after a gap.
#[inline(always)]
fn equals(own: &[u8], found: &[u8]) -> bool {
    match own.len() {
        // Two chunks, which may overlap.
        LANES..=32 => {
            own.first_chunk::<LANES>() == found.first_chunk() && own.last_chunk::<LANES>() == found.last_chunk()
        }
        // A quote, a brace and two line feeds.
        4 => own.first_chunk::<4>() == found.first_chunk(),
        _ => own == found,
    }
}

/// The expected sequence number as digits: comparing digits costs less than reading a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpectedSequence {
    value: u64,
    /// The digits, the first one in the lowest byte, and a mask over them.
    word: u64,
    mask: u64,
    length: usize,
    /// What the next number adds to the word, and how many times before the last digit overflows.
    step: u64,
    times: u64,
}

impl Default for ExpectedSequence {
    fn default() -> Self {
        Self { value: u64::MAX, word: 0, mask: 0, length: 0, step: 0, times: 0 }
    }
}

impl ExpectedSequence {
    /// Writes the digits over as many others. Returns `false` if eight bytes do not fit.
    #[inline]
    fn write(&self, text: &mut [u8], at: usize) -> bool {
        let Some(place) = text.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<8>) else { return false };
        let others = u64::from_le_bytes(*place) & !self.mask;
        *place = (others | (self.word & self.mask)).to_le_bytes();
        true
    }

    /// Returns `true` if the digits are at a place and no digit follows. Near the end of the bytes it may return `false` wrongly.
    #[inline]
    fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        let Some(found) = bytes.get(at..).and_then(<[u8]>::first_chunk) else { return false };
        let ends = bytes.get(at + self.length).is_some_and(|byte| !byte.is_ascii_digit());
        ends && (u64::from_le_bytes(*found) ^ self.word) & self.mask == 0
    }

    /// Expects the next number.
    #[inline]
    fn increment(&mut self) {
        if self.times > 0 {
            self.value += 1;
            self.word += self.step;
            self.times -= 1;
        } else {
            self.set(self.value + 1);
        }
    }

    /// Expects a number; none if it has more than eight digits.
    #[inline(never)]
    pub(crate) fn set(&mut self, number: u64) {
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

/// Reads a number of 1 to 18 digits without a leading zero, and returns its end and value.
#[inline(never)]
fn read_number(bytes: &[u8], start: usize) -> Option<(usize, u64)> {
    let mut at = start;
    let mut value = 0u64;
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    let length = at - start;
    let valid = (1..=18).contains(&length) && (length == 1 || bytes.get(start) != Some(&b'0'));
    valid.then_some((at, value))
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use crate::event::parse::ParserTiers;
    use crate::Reader;

    /// Returns all results of some blocks, each in its own chunk; they must be the same without templates.
    fn same_with_and_without(blocks: &[Vec<u8>]) -> Vec<String> {
        let read = |template: bool| {
            let mut reader =
                Reader::builder().parser_tiers(ParserTiers { block_template: template, flat_scanner: true }).build();
            let mut seen = Vec::new();
            for block in blocks {
                reader.feed(block).unwrap();
                while let Some(event) = reader.poll_event().unwrap() {
                    seen.push(format!(
                        "{:?} {:?} {:?} {:?} {:?} {} {} {:?}",
                        event.sequence_number(),
                        event.item_id(),
                        event.delta(),
                        event.delta_surrogates(),
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
    fn any_number_matches_where_another_was_expected() {
        let numbers =
            "1 2 3 4 8 9 10 11 12 98 99 100 101 5 6 7 0 0 1 2 01 3 4 1.5 5 -6 7 8  9 ! 10 99999998 99999999 100000000 \
                       100000001  ! 7 8 9 18446744073709551614 18446744073709551615 1 2 \"3\" 4 5";
        let blocks: Vec<_> =
            numbers.split(' ').map(|number| block(number, 0, "x", ",\"obfuscation\":\"abc\"")).collect();
        let seen = same_with_and_without(&blocks);
        assert!(seen[10].starts_with("Some(99)") && seen.iter().any(|line| line.contains("NotJson")), "{seen:?}");
        // The number after the delta, and no number.
        for tail in [",\"sequence_number\":", ",\"x\":\"\",\"sequence_number\":"] {
            let after_delta = |number: &str| {
                let start = "data: {\"type\":\"response.refusal.delta\",\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0";
                format!("{start},\"delta\":\"a\\nb\"{tail}{number}}}\n\n").into_bytes()
            };
            let mut blocks: Vec<_> = numbers.split(' ').map(after_delta).collect();
            blocks.extend((0..4).map(|_| b"data: {\"type\":\"response.refusal.delta\",\"delta\":\"c\"}\n\n".to_vec()));
            same_with_and_without(&blocks);
        }
    }

    #[test]
    fn digits_elsewhere_are_not_taken_for_the_number() {
        // Found by fuzzing: two alternating numbers, each where the other was expected, gave an endless loop.
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
    fn interleaved_items_are_read_as_if_alone() {
        let rest = ["", ",\"obfuscation\":\"\"", ",\"obfuscation\":\"0123456789abcdef\"", ",\"obfuscation\":\"\\\"é\""];
        let texts =
            ["a", "", "\\\"", "é漢😀", "\\ud83d", "\\ude00", "a text of more bytes than one go takes", "\\u00e9\\n\\x"];
        // More items than there are templates, in runs and alternating.
        let blocks: Vec<_> = (0..900usize)
            .map(|at| block(&at.to_string(), (at / 5 * 7) % 31, texts[at % 8], rest[at / 3 % 4]))
            .collect();
        same_with_and_without(&blocks);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_found_in_every_gap() {
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
