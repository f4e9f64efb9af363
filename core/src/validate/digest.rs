//! Digests: 16 bytes that identify a text or a JSON value, so that later events can be compared with it.
//!
//! The stream layer compares done events with their deltas. A copy of every text would double the reader's memory; a 64-bit hash
//! and a length do not. The digest of a text does not depend on how it is split into deltas and costs about 0.5 ns per byte. The
//! hash is not cryptographic: a server that constructs a collision only defeats the validation of its own stream.

mod json;

use super::text_digest::TextDigest;
use crate::json::{LoneSurrogates, SurrogateCarry, ValueRef};

use json::{value_hash, ARRAY};

/// Length and hash of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Digest {
    pub(crate) length: u64,
    hash: u64,
}

impl Digest {
    /// The digest of a whole text.
    pub(crate) fn of(text: &str) -> Self {
        let mut running = DigestBuilder::default();
        running.push(text);
        running.digest()
    }

    /// A digest of raw JSON text, comparable only with other results of this function. For long text four times as fast as
    /// [`of`](Self::of), which must be able to continue at every delta boundary.
    pub(crate) fn of_raw(text: &str) -> Self {
        if text.len() < LONG {
            return Self::of(text);
        }
        // Four independent lanes, so that no multiplication waits for another one.
        let mut lanes = [1u64, 2, 3, 4];
        let mut blocks = text.as_bytes().chunks_exact(64);
        for block in blocks.by_ref() {
            for (lane, pair) in lanes.iter_mut().zip(block.chunks_exact(16)) {
                let (low, high) = pair.split_at(8);
                // UTF-8 text contains no byte 0xFF, so no factor is zero.
                *lane = fold_product(word_at(low) ^ 0xFF37_79B9_7F4A_7C15, word_at(high) ^ *lane);
            }
        }
        let mut rest = DigestBuilder { hash: lanes.into_iter().fold(0, mix), ..DigestBuilder::default() };
        rest.push_bytes(blocks.remainder());
        Self { length: text.len() as u64, hash: rest.digest().hash }
    }

    /// The digest of a JSON value by meaning: key order and spacing do not count, and `1` equals `1.0`.
    pub(crate) fn of_value(view: ValueRef<'_>) -> Self {
        Self::of_value_with(view, ValueOptions { ignored: &|_| false, known_text: None })
    }

    /// The digest of an array whose elements have these digests.
    pub(crate) fn of_elements(elements: impl IntoIterator<Item = Self>) -> Self {
        Self { length: 0, hash: elements.into_iter().fold(ARRAY, |hash, element| mix(hash, element.hash)) }
    }

    /// The digest of a JSON value by meaning, with options.
    pub(crate) fn of_value_with(view: ValueRef<'_>, options: ValueOptions<'_>) -> Self {
        Self { length: 0, hash: value_hash(view, options) }
    }
}

/// Options for the digest of a value.
#[derive(Clone, Copy)]
pub(crate) struct ValueOptions<'a> {
    /// Returns `true` for member names that are left out, at any depth.
    pub(crate) ignored: &'a dyn Fn(&str) -> bool,
    /// A text that is probably part of the value; its digest is reused.
    pub(crate) known_text: Option<TextDigest>,
}

/// Computes the digest of a text from its pieces.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DigestBuilder {
    hash: u64,
    length: u64,
    /// Bytes that do not fill a word yet, lowest first.
    pending: u64,
    filled: u32,
    /// High surrogate at the end of the last delta; the low surrogate may follow in the next delta.
    carry: SurrogateCarry,
}

impl DigestBuilder {
    /// Appends a text.
    #[inline]
    pub(crate) fn push(&mut self, text: &str) {
        if text.len() >= LONG {
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
            self.push_word(word_at(word), 8);
        }
        let rest = words.remainder();
        if !rest.is_empty() {
            self.push_word(partial_word(rest), rest.len() as u32);
        }
    }

    /// Appends a delta, which may begin or end inside a surrogate pair.
    #[inline]
    pub(crate) fn push_delta(&mut self, delta: &[u8], halves: LoneSurrogates) {
        if !self.carry.is_waiting() && !halves.lone {
            self.push_bytes(delta);
        } else {
            self.push_surrogates(delta, halves);
        }
    }

    /// The digest of the text so far.
    pub(crate) fn digest(&self) -> Digest {
        let mut this = *self;
        if this.carry.take_lone_surrogate() {
            this.push(REPLACEMENT);
        }
        Digest { length: this.length, hash: mix(mix(this.hash, this.pending), this.length) }
    }

    /// Appends up to eight bytes, lowest first; the bytes beyond `count` are zero.
    #[inline]
    fn push_word(&mut self, word: u64, count: u32) {
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

    /// [`push_bytes`](Self::push_bytes) for long text. The number of pending bytes does not change for whole words, and is usually zero.
    #[inline(never)]
    fn push_long(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        let (mut hash, mut pending, shift) = (self.hash, self.pending, 8 * self.filled);
        if shift == 0 {
            hash = words.by_ref().map(word_at).fold(hash, mix);
        } else {
            for word in words.by_ref().map(word_at) {
                hash = mix(hash, pending | (word << shift));
                pending = word >> (64 - shift);
            }
        }
        (self.hash, self.pending) = (hash, pending);
        self.length += (bytes.len() & !7) as u64;
        self.push_bytes(words.remainder());
    }

    #[cold]
    fn push_surrogates(&mut self, delta: &[u8], halves: LoneSurrogates) {
        let (first, rest) = self.carry.join(delta, halves);
        if let Some(first) = first {
            self.push(first.encode_utf8(&mut [0; 4]));
        }
        self.push_bytes(delta.get(rest).unwrap_or_default());
    }
}

/// Texts from this length on use a separate loop.
const LONG: usize = 64;

/// Eight bytes as a little-endian word.
#[inline]
fn word_at(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// One to seven bytes as a word. Two overlapping reads are faster than a loop.
#[inline]
fn partial_word(bytes: &[u8]) -> u64 {
    let count = bytes.len();
    if let (Some(low), Some(high)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let high = u64::from(u32::from_le_bytes(*high)) << (8 * (count - 4));
        return u64::from(u32::from_le_bytes(*low)) | high;
    }
    let byte = |at: usize| bytes.get(at).map_or(0, |byte| u64::from(*byte) << (8 * at));
    byte(0) | byte(count / 2) | byte(count.saturating_sub(1))
}

/// Replacement character for a lone surrogate in decoded text.
const REPLACEMENT: &str = "\u{FFFD}";

/// Multiplies two words and folds the 128-bit product into 64 bits.
#[inline]
fn fold_product(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Mixes a word into a hash with one 128-bit multiplication.
#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word ^ 0x9E37_79B9_7F4A_7C15) * u128::from(0xD6E8_FEB8_6659_FD93_u64);
    (product as u64) ^ ((product >> 64) as u64) ^ hash.rotate_left(23)
}

/// The hash of a text.
pub(crate) fn text_hash(text: &str) -> u64 {
    Digest::of(text).hash
}

/// The hash of a short byte string; equals [`text_hash`] of the same text.
#[inline]
fn bytes_hash(text: &[u8]) -> u64 {
    let mut running = DigestBuilder::default();
    running.push_bytes(text);
    running.digest().hash
}

#[cfg(test)]
mod tests;
