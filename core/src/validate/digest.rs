//! Digests: what a text or a value was, in 16 bytes, so that later sources can be compared with it.
//!
//! The stream layer has to know whether a done event says what its deltas said. Keeping a second copy of every text would
//! double the memory of a reader; a digest of 64 bits and the length does not. It does not depend on how a text was cut into
//! deltas, and costs about half a nanosecond for each byte. It is no protection against somebody who builds two texts with
//! one digest on purpose: such a server fools only its own check.

use alloc::borrow::Cow;
use alloc::string::String;

use super::said::Said;
use crate::json::{decode, join, scan, Halves, Tag, View};

/// What a text was: its length and a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Digest {
    pub(crate) length: u64,
    hash: u64,
}

impl Digest {
    /// The digest of a whole text.
    pub(crate) fn of(text: &str) -> Self {
        let mut running = Running::default();
        running.push(text);
        running.digest()
    }

    /// The digest of a whole text, given as bytes.
    pub(crate) fn of_bytes(text: &[u8]) -> Self {
        let mut running = Running::default();
        running.push_bytes(text);
        running.digest()
    }

    /// The digest of a whole value, by meaning: key order and spacing do not count, `1` equals `1.0`.
    pub(crate) fn of_value(view: View<'_>) -> Self {
        Self::of_value_without(view, Eye { left_out: &|_| false, said: None })
    }

    /// The digest of an array with elements of these digests.
    pub(crate) fn of_elements(elements: impl IntoIterator<Item = Self>) -> Self {
        Self { length: 0, hash: elements.into_iter().fold(ARRAY, |hash, element| mix(hash, element.hash)) }
    }

    /// The same, as somebody looks at it.
    pub(crate) fn of_value_without(view: View<'_>, eye: Eye<'_>) -> Self {
        Self { length: 0, hash: value_hash(view, eye) }
    }
}

/// How somebody looks at a value.
#[derive(Clone, Copy)]
pub(crate) struct Eye<'a> {
    /// The names of members that do not count, at any depth.
    pub(crate) left_out: &'a dyn Fn(&str) -> bool,
    /// A text that is likely to stand in it.
    pub(crate) said: Option<Said>,
}

/// The digest of a text that is still growing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Running {
    hash: u64,
    length: u64,
    /// Bytes that do not fill a word yet, lowest first.
    pending: u64,
    filled: u32,
    /// First half of a surrogate pair at the end of the last delta; the second may come with the next.
    high: Option<u16>,
}

impl Running {
    /// Adds a text.
    #[inline]
    pub(crate) fn push(&mut self, text: &str) {
        self.push_bytes(text.as_bytes());
    }

    #[inline]
    fn push_bytes(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let mut words = bytes.chunks_exact(8);
        for word in words.by_ref() {
            self.take(whole(word), 8);
        }
        let rest = words.remainder();
        if !rest.is_empty() {
            self.take(part(rest), rest.len() as u32);
        }
    }

    /// Adds a delta, as bytes, that may begin or end in the middle of a surrogate pair.
    #[inline]
    pub(crate) fn push_delta(&mut self, delta: &[u8], halves: Halves) {
        if self.high.is_none() && !halves.lone {
            self.push_bytes(delta);
        } else {
            self.push_halves(delta, halves);
        }
    }

    /// What the text was so far.
    pub(crate) fn digest(&self) -> Digest {
        let mut this = *self;
        if this.high.take().is_some() {
            this.push(LONE);
        }
        Digest { length: this.length, hash: mix(mix(this.hash, this.pending), this.length) }
    }

    /// Takes up to eight bytes, lowest first; those beyond `count` are zero.
    #[inline]
    fn take(&mut self, word: u64, count: u32) {
        let filled = self.filled;
        self.pending |= word << (8 * filled);
        if filled + count < 8 {
            self.filled = filled + count;
            return;
        }
        self.hash = mix(self.hash, self.pending);
        self.pending = if filled == 0 { 0 } else { word >> (64 - 8 * filled) };
        self.filled = filled + count - 8;
    }

    #[cold]
    fn push_halves(&mut self, delta: &[u8], halves: Halves) {
        let mut rest = delta;
        if let Some(high) = self.high {
            // An empty delta between two halves does not part them.
            if delta.is_empty() {
                return;
            }
            self.high = None;
            match halves.leading_low.and_then(|low| join(high, low)) {
                Some(joined) => {
                    self.push(joined.encode_utf8(&mut [0; 4]));
                    rest = rest.strip_prefix(LONE.as_bytes()).unwrap_or(rest);
                }
                None => self.push(LONE),
            }
        }
        if halves.trailing_high.is_some() {
            self.high = halves.trailing_high;
            rest = rest.strip_suffix(LONE.as_bytes()).unwrap_or(rest);
        }
        self.push_bytes(rest);
    }
}

/// Eight bytes as a word.
#[inline]
fn whole(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// One to seven bytes as a word: two reads that overlap are cheaper than a loop.
#[inline]
fn part(bytes: &[u8]) -> u64 {
    let count = bytes.len();
    if let (Some(low), Some(high)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let high = u64::from(u32::from_le_bytes(*high)) << (8 * (count - 4));
        return u64::from(u32::from_le_bytes(*low)) | high;
    }
    let byte = |at: usize| bytes.get(at).map_or(0, |byte| u64::from(*byte) << (8 * at));
    byte(0) | byte(count / 2) | byte(count.saturating_sub(1))
}

/// What half of a surrogate pair is in decoded text.
const LONE: &str = "\u{FFFD}";

/// Folds a word into a hash: one wide multiplication, both halves used.
#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word ^ 0x9E37_79B9_7F4A_7C15) * u128::from(0xD6E8_FEB8_6659_FD93_u64);
    (product as u64) ^ ((product >> 64) as u64) ^ hash.rotate_left(23)
}

/// The hash of a string's text.
pub(crate) fn text_hash(text: &str) -> u64 {
    Digest::of(text).hash
}

/// The member of a log probability that is a list of bytes.
const BYTES: &str = "bytes";
const BYTES_HASH: u64 = 9;

/// Where the hash of an array begins.
const ARRAY: u64 = 7;

// Recursion is bounded by the depth limit that the tape was built with.
fn value_hash(view: View<'_>, eye: Eye<'_>) -> u64 {
    match view.tag() {
        Tag::Null => 1,
        Tag::True => 2,
        Tag::False => 3,
        Tag::String => Said::of_string(view, eye.said).map_or(0, |said| mix(4, said.text.hash)),
        Tag::Number => number_hash(view.raw()),
        // Log probabilities can be most of a stream.
        Tag::Array if view.is_folded() => Written { text: view.raw(), at: 0, left_out: eye.left_out }.value(),
        Tag::Array => view.elements().fold(ARRAY, |hash, element| mix(hash, value_hash(element, eye))),
        // A sum, so that the order of keys does not count.
        Tag::Object => view.entries().fold(8, |hash: u64, (key, value)| {
            let key = key.as_str().unwrap_or_default();
            if (eye.left_out)(&key) {
                return hash;
            }
            if let (BYTES, Tag::Array) = (&*key, value.tag()) {
                if let Some(bytes) = integers_hash(value.raw()) {
                    return hash.wrapping_add(bytes);
                }
            }
            hash.wrapping_add(mix(text_hash(&key), value_hash(value, eye)))
        }),
    }
}

/// The bytes of a token, many thousand times in a row: their digits are the hash, however they are spaced. `None` for what is
/// no list of plain digits.
fn integers_hash(raw: &str) -> Option<u64> {
    let inside = raw.strip_prefix('[')?.strip_suffix(']')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    if digits(inside) {
        return Some(mix(BYTES_HASH, text_hash(inside)));
    }
    let close: String = inside.chars().filter(|char| !matches!(char, ' ' | '\n' | '\r' | '\t')).collect();
    digits(&close).then(|| mix(BYTES_HASH, text_hash(&close)))
}

/// A checked value where it is written: gives the hash of [`value_hash`] in one pass over the text, without a tape.
struct Written<'a> {
    text: &'a str,
    at: usize,
    left_out: &'a dyn Fn(&str) -> bool,
}

impl<'a> Written<'a> {
    // Recursion is bounded as above: the value stands in a tape.
    fn value(&mut self) -> u64 {
        let start = self.next();
        match self.peek() {
            b'"' => mix(4, text_hash(&self.string())),
            b'[' => {
                let mut hash = ARRAY;
                while self.enter(b']') {
                    hash = mix(hash, self.value());
                }
                hash
            }
            b'{' => {
                let mut hash = 8u64;
                while self.enter(b'}') {
                    hash = hash.wrapping_add(self.member());
                }
                hash
            }
            word @ (b'n' | b't') => {
                self.at += 4;
                if word == b'n' {
                    1
                } else {
                    2
                }
            }
            b'f' => {
                self.at += 5;
                3
            }
            _ => {
                // A step at least, so that it ends whatever stands there.
                self.at += 1;
                while matches!(self.peek(), b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E') {
                    self.at += 1;
                }
                number_hash(self.text.get(start..self.at).unwrap_or_default())
            }
        }
    }

    /// What a member adds to the hash of its object.
    fn member(&mut self) -> u64 {
        let key = self.string();
        self.next();
        // The colon.
        self.at += 1;
        if (self.left_out)(&key) {
            self.value();
            return 0;
        }
        let start = self.next();
        if key == BYTES && self.peek() == b'[' {
            let rest = self.text.get(start..).unwrap_or_default();
            let end = memchr::memchr(b']', rest.as_bytes()).map_or(0, |end| end + 1);
            if let Some(hash) = rest.get(..end).and_then(integers_hash) {
                self.at += end;
                return hash;
            }
        }
        mix(text_hash(&key), self.value())
    }

    /// Goes to the next element or member of a container, from its bracket or from behind the last one. `false` at its end.
    fn enter(&mut self, close: u8) -> bool {
        self.next();
        // The opening bracket stands here, or what follows an element: a comma or the end.
        if self.peek() != close {
            self.at += 1;
        }
        self.next();
        if self.peek() != close {
            return self.at < self.text.len();
        }
        self.at += 1;
        false
    }

    fn string(&mut self) -> Cow<'a, str> {
        let start = self.at + 1;
        // It was checked, so it ends.
        let (end, escaped) = scan::string(self.text.as_bytes(), start).unwrap_or((self.text.len(), false));
        self.at = end + 1;
        let literal = self.text.get(start..end).unwrap_or_default();
        if escaped {
            decode(literal)
        } else {
            Cow::Borrowed(literal)
        }
    }

    fn next(&mut self) -> usize {
        self.at = scan::space(self.text.as_bytes(), self.at);
        self.at
    }

    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }
}

/// Numbers are equal by value: `1`, `1.0` and `1e0` have one hash.
fn number_hash(raw: &str) -> u64 {
    let digits = raw.strip_prefix('-').unwrap_or(raw).as_bytes();
    // Up to 15 digits a whole number is a double exactly, so the short way and the long one agree.
    if digits.len() <= 15 && digits.iter().all(u8::is_ascii_digit) {
        let value = digits.iter().fold(0, |value: i64, digit| 10 * value + i64::from(digit - b'0'));
        return mix(5, (if digits.len() < raw.len() { -value } else { value } as f64).to_bits());
    }
    match raw.parse::<f64>() {
        // A number that is too long for a double is its text.
        Ok(value) if value.abs() < 9_007_199_254_740_992.0 => mix(5, (value + 0.0).to_bits()),
        _ => mix(6, text_hash(raw)),
    }
}

#[cfg(test)]
mod tests;
