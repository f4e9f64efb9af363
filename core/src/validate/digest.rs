//! Digests: what a text or a value was, in 16 bytes, so that later sources can be compared with it.
//!
//! The stream layer has to know whether a done event says what its deltas said. Keeping a second copy of every text would
//! double the memory of a reader; a digest of 64 bits and the length does not. It does not depend on how a text was cut into
//! deltas, and costs about half a nanosecond for each byte. It is no protection against somebody who builds two texts with
//! one digest on purpose: such a server fools only its own check.

mod value;

use super::said::Said;
use crate::json::{join, Halves, View};
use crate::SPEED;

use value::{value_hash, ARRAY};

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

    /// A digest of a value as it is written, to be compared with others of its sort. What is long is read at four times the speed of
    /// [`of`](Self::of), which has to go on wherever a delta ends.
    pub(crate) fn of_raw(text: &str) -> Self {
        if !SPEED || text.len() < LONG {
            return Self::of(text);
        }
        // Four lanes, so that none waits for another one's product.
        let mut lanes = [1u64, 2, 3, 4];
        let mut blocks = text.as_bytes().chunks_exact(64);
        for block in blocks.by_ref() {
            for (lane, pair) in lanes.iter_mut().zip(block.chunks_exact(16)) {
                let (low, high) = pair.split_at(8);
                // No byte of a text is 0xFF, so that no factor is zero for what stands in the text.
                *lane = fold(whole(low) ^ 0xFF37_79B9_7F4A_7C15, whole(high) ^ *lane);
            }
        }
        let mut rest = Running { hash: lanes.into_iter().fold(0, mix), ..Running::default() };
        rest.push_bytes(blocks.remainder());
        Self { length: text.len() as u64, hash: rest.digest().hash }
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
        if SPEED && text.len() >= LONG {
            self.push_long(text.as_bytes());
        } else {
            self.push_bytes(text.as_bytes());
        }
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

    /// Adds deltas without halves, one behind the other.
    pub(crate) fn push_many(&mut self, deltas: &[u8]) {
        if self.high.is_some() {
            self.push_delta(deltas, Halves::default());
        } else {
            self.push_long(deltas);
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

    /// As [`push_bytes`](Self::push_bytes). How many bytes are pending stays the same with each whole word, and most often is none.
    #[inline(never)]
    fn push_long(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        let (mut hash, mut pending, shift) = (self.hash, self.pending, 8 * self.filled);
        if shift == 0 {
            hash = words.by_ref().map(whole).fold(hash, mix);
        } else {
            for word in words.by_ref().map(whole) {
                hash = mix(hash, pending | (word << shift));
                pending = word >> (64 - shift);
            }
        }
        (self.hash, self.pending) = (hash, pending);
        self.length += (bytes.len() & !7) as u64;
        self.push_bytes(words.remainder());
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

/// From here on words are taken in a loop of their own.
const LONG: usize = 64;

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

/// One wide multiplication, both halves used.
#[inline]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    (product as u64) ^ ((product >> 64) as u64)
}

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

/// The same of bytes, which are few.
#[inline]
fn bytes_hash(text: &[u8]) -> u64 {
    let mut running = Running::default();
    running.push_bytes(text);
    running.digest().hash
}

#[cfg(test)]
mod tests;
