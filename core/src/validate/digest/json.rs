//! Digests of JSON values by meaning: from the parsed tape or, for log probabilities, directly from the JSON text.

use alloc::borrow::Cow;
use alloc::string::String;

use super::super::logprob_entry::{digits_end, Entry};
use super::super::text_digest::TextDigest;
use super::{bytes_hash, mix, text_hash, ValueOptions};
use crate::json::{decode, scan, ValueKind, ValueRef};

/// The member of a log probability that is a list of bytes.
const BYTES: &str = "bytes";
const BYTES_HASH: u64 = 9;

/// Initial hash of an array.
pub(super) const ARRAY: u64 = 7;

// Recursion depth is bounded by the depth limit of the parser.
pub(super) fn value_hash(view: ValueRef<'_>, options: ValueOptions<'_>) -> u64 {
    match view.kind() {
        ValueKind::Null => 1,
        ValueKind::True => 2,
        ValueKind::False => 3,
        ValueKind::String => {
            TextDigest::of_string(view, options.known_text).map_or(0, |digests| mix(4, digests.text.hash))
        }
        ValueKind::Number => number_hash(view.raw()),
        // Log probabilities can be most of a stream, so the parser leaves them as text.
        ValueKind::Array if view.is_deferred() => JsonText::new(view.raw(), options.ignored).value(),
        ValueKind::Array => view.elements().fold(ARRAY, |hash, element| mix(hash, value_hash(element, options))),
        // A sum, so that the order of keys does not count.
        ValueKind::Object => view.entries().fold(8, |hash: u64, (key, value)| {
            let key = key.as_str().unwrap_or_default();
            if (options.ignored)(&key) {
                return hash;
            }
            if let (BYTES, ValueKind::Array) = (&*key, value.kind()) {
                if let Some(bytes) = integers_hash(value.raw()) {
                    return hash.wrapping_add(bytes);
                }
            }
            hash.wrapping_add(mix(text_hash(&key), value_hash(value, options)))
        }),
    }
}

/// The hash of a token's bytes: of their digits, without spaces. `None` if the array holds anything but plain digits.
fn integers_hash(raw: &str) -> Option<u64> {
    let inside = raw.strip_prefix('[')?.strip_suffix(']')?;
    if digits_end(inside.as_bytes(), 0) == inside.len() {
        return Some(mix(BYTES_HASH, text_hash(inside)));
    }
    let close: String = inside.chars().filter(|char| !matches!(char, ' ' | '\n' | '\r' | '\t')).collect();
    (digits_end(close.as_bytes(), 0) == close.len()).then(|| mix(BYTES_HASH, text_hash(&close)))
}

/// Computes the hash of [`value_hash`] directly from validated JSON text, in one pass.
struct JsonText<'a> {
    text: &'a str,
    at: usize,
    ignored: &'a dyn Fn(&str) -> bool,
    /// The hashes of the common keys; `None` if one of them is ignored.
    usual: Option<[u64; 2]>,
}

impl<'a> JsonText<'a> {
    fn new(text: &'a str, ignored: &'a dyn Fn(&str) -> bool) -> Self {
        let keys = ["token", "logprob"];
        let all = !keys.iter().any(|key| ignored(key)) && !ignored(BYTES);
        Self { text, at: 0, ignored, usual: all.then(|| keys.map(text_hash)) }
    }

    /// Reads the common beginning of an entry, if present; returns the contribution of its members to the hash.
    #[inline]
    fn entry(&mut self) -> Option<u64> {
        let [token, logprob] = self.usual?;
        let text = self.text.as_bytes();
        let entry = Entry::at(text, self.at)?;
        let number = text.get(entry.number)?;
        let (length, value) = number_at(number);
        let number = value.filter(|_| length == number.len())?;
        let members = mix(token, mix(4, bytes_hash(text.get(entry.token)?)))
            .wrapping_add(mix(logprob, value_hash_of(number)))
            .wrapping_add(mix(BYTES_HASH, bytes_hash(text.get(entry.bytes)?)));
        self.at = entry.end;
        Some(members)
    }

    // Recursion depth is bounded as above: the text was parsed before.
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
                let mut hash = self.entry().unwrap_or_default().wrapping_add(8);
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
                let bytes = self.text.as_bytes().get(start..).unwrap_or_default();
                let (length, value) = number_at(bytes);
                // At least one byte, so that the loop ends for any text.
                self.at += length.max(1);
                let raw = || self.text.get(start..self.at).unwrap_or_default();
                value.map_or_else(|| long_number_hash(raw()), value_hash_of)
            }
        }
    }

    /// The contribution of one member to the hash of its object.
    fn member(&mut self) -> u64 {
        let key = self.string();
        self.next();
        // Skip the colon.
        self.at += 1;
        if (self.ignored)(&key) {
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

    /// Moves to the first or next element or member of a container. Returns `false` at its end.
    fn enter(&mut self, close: u8) -> bool {
        self.next();
        // At the opening bracket, or after an element: at a comma or at the end.
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
        // The text was validated, so the string ends.
        let (end, escaped) = scan::string(self.text.as_bytes(), start).unwrap_or((self.text.len(), false));
        self.at = end + 1;
        let literal = self.text.get(start..end).unwrap_or_default();
        if escaped {
            decode(literal)
        } else {
            Cow::Borrowed(literal)
        }
    }

    #[inline]
    fn next(&mut self) -> usize {
        if self.peek() <= b' ' {
            self.at = scan::skip_space(self.text.as_bytes(), self.at);
        }
        self.at
    }

    #[inline]
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }
}

/// The hash of a number by value: `1`, `1.0` and `1e0` have the same hash.
fn number_hash(raw: &str) -> u64 {
    number_at(raw.as_bytes()).1.map_or_else(|| long_number_hash(raw), value_hash_of)
}

fn long_number_hash(raw: &str) -> u64 {
    match raw.parse::<f64>() {
        Ok(value) if value.abs() < 9_007_199_254_740_992.0 => value_hash_of(value),
        // A number beyond the precision of a double is hashed as text.
        _ => mix(6, text_hash(raw)),
    }
}

#[inline]
fn value_hash_of(number: f64) -> u64 {
    mix(5, (number + 0.0).to_bits())
}

/// The length of the number at the start of `bytes` and, for a short decimal, its value. Digits and power of ten are exact
/// doubles, so only their quotient is rounded. The value is `None` for longer numbers and for those with an exponent.
#[inline]
fn number_at(bytes: &[u8]) -> (usize, Option<f64>) {
    const TENS: [f64; 17] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16];
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let (mut value, mut point, mut unusual, mut at) = (0u64, None, false, sign);
    while let Some(byte) = bytes.get(at) {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        } else if *byte == b'.' {
            point = Some(at + 1);
        } else if matches!(byte, b'e' | b'E' | b'+' | b'-') {
            unusual = true;
        } else {
            break;
        }
        at += 1;
    }
    // At most 16 digits, so `value` has not wrapped; the filter below keeps values under 2^53.
    let ten = TENS.get(at - point.unwrap_or(at)).filter(|_| !unusual && at > sign && at - sign <= 16);
    (at, ten.filter(|_| value < 1 << 53).map(|ten| if sign > 0 { -(value as f64 / ten) } else { value as f64 / ten }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    #[test]
    fn short_numbers_equal_those_of_the_standard_library() {
        let (mut state, mut short) = (0x9E37_79B9_7F4A_7C15_u64, 0);
        for round in 0..20_000u64 {
            state = state.wrapping_mul(0xD6E8_FEB8_6659_FD93).rotate_left(29) ^ round;
            let digits = (state >> (state % 60)).to_string();
            let point = state as usize / 7 % (digits.len() + 1);
            for number in [
                format!("{}.{}", if point == 0 { "0" } else { &digits[..point] }, &digits[point..]),
                format!("-0.{:0>1$}", digits, point + 1),
                format!("-{digits}"),
                digits.clone(),
            ] {
                let number = number.trim_end_matches('.');
                let (length, value) = number_at(format!("{number},1").as_bytes());
                assert_eq!(length, number.len());
                if let Some(value) = value {
                    assert_eq!(value.to_bits(), number.parse::<f64>().unwrap().to_bits(), "{number}");
                    short += 1;
                }
            }
        }
        assert!(short > 20_000, "{short}");
        assert_eq!(number_at(b"1e5]"), (3, None));
        assert_eq!(number_at(b"\0"), (0, None));
        assert_eq!(number_at(b""), (0, None));
        assert_eq!(number_hash("-0"), number_hash("0.0"));
        assert_eq!(number_hash("0.5"), number_hash("5e-1"));
        assert_ne!(number_hash("0.5"), number_hash("-0.5"));
    }
}
