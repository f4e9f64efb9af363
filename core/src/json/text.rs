//! JSON strings: decoding escapes, including halves of surrogate pairs, and encoding.

use alloc::borrow::Cow;
use alloc::string::String;
use core::ops::Range;

use super::scan::{find_special, HIGH, ONES, SIMPLE_ESCAPES};
use super::simd::{push_plain, LANES};

/// The unpaired surrogate halves at the ends of a decoded string.
///
/// A provider may split an emoji between two deltas: one ends in `\ud83d` and the next begins with `\ude00`. Each
/// half alone is U+FFFD in the decoded text; a caller that joins the texts can restore the pair from these fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoneSurrogates {
    /// A low surrogate at the start.
    pub leading_low: Option<u16>,
    /// A high surrogate at the end.
    pub trailing_high: Option<u16>,
    /// At least one lone surrogate anywhere, the ends included.
    pub lone: bool,
}

/// Decodes the inside of a JSON string literal (without its quotes). The literal must be well formed.
pub fn decode(literal: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', literal.as_bytes()).is_none() {
        return Cow::Borrowed(literal);
    }
    let mut out = String::with_capacity(literal.len());
    decode_into(literal, &mut out);
    Cow::Owned(out)
}

/// Returns `true` if a JSON string literal (without its quotes) equals this text, without decoding it. The literal must be well formed.
pub(crate) fn literal_eq(literal: &str, text: &str) -> bool {
    let (mut literal, mut text) = (literal.as_bytes(), text.as_bytes());
    while !literal.is_empty() {
        // Literals with many escapes have short runs between them: compare a word at a time.
        let mut long = 0;
        while let (Some(word), Some(other), true) = (literal.first_chunk(), text.first_chunk(), long < 3) {
            let (word, other) = (u64::from_le_bytes(*word), u64::from_le_bytes(*other));
            let slash = word ^ (ONES * b'\\' as u64);
            let marks = slash.wrapping_sub(ONES) & !slash & HIGH;
            // All bytes before the first mark.
            let run = ((marks & marks.wrapping_neg()) >> 7).wrapping_sub(1);
            if (word ^ other) & run != 0 {
                return false;
            }
            let plain = (marks.trailing_zeros() / 8) as usize;
            (literal, text) = (&literal[plain..], &text[plain..]);
            long += 1;
            let meant = literal.get(1).map_or(0, |byte| SIMPLE_ESCAPES[usize::from(*byte)]);
            if marks != 0 {
                if meant == 0 {
                    break;
                }
                let ([_, _, rest @ ..], [first, after @ ..]) = (literal, text) else { return false };
                if *first != meant {
                    return false;
                }
                (literal, text, long) = (rest, after, 0);
            }
        }
        let plain = memchr::memchr(b'\\', literal).unwrap_or(literal.len());
        let (run, rest) = literal.split_at(plain);
        let Some(after) = text.strip_prefix(run) else { return false };
        (literal, text) = (rest, after);
        if !literal.is_empty() {
            let Some(rests) = match_escape(literal, text) else { return false };
            (literal, text) = rests;
        }
    }
    text.is_empty()
}

/// Skips the escape at the start of a literal (or two that form a pair), and its character at the start of the text. `None` if the text
/// starts with another character.
#[inline(never)]
fn match_escape<'l, 't>(literal: &'l [u8], text: &'t [u8]) -> Option<(&'l [u8], &'t [u8])> {
    let (length, meant) = match literal.get(1)? {
        b'u' => {
            let (unit, low) = (hex4(literal, 2), hex4(literal, 8));
            match join(unit, low).filter(|_| literal.get(6..8) == Some(b"\\u")) {
                Some(joined) => (12, joined),
                // Half of a pair is not a character.
                None => (6, char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)),
            }
        }
        byte => (2, char::from(SIMPLE_ESCAPES[usize::from(*byte)])),
    };
    let text = text.strip_prefix(meant.encode_utf8(&mut [0; 4]).as_bytes())?;
    Some((literal.get(length..)?, text))
}

/// Appends the decoded inside of a JSON string literal; returns lone surrogate halves. The literal must be well formed.
pub fn decode_into(literal: &str, out: &mut String) -> LoneSurrogates {
    let mut halves = LoneSurrogates::default();
    let bytes = literal.as_bytes();
    // A short literal is decoded before a vector search would start.
    let mut at = if bytes.len() >= 4 * LANES { decode_simple_escapes(literal, out) } else { 0 };
    while at < bytes.len() {
        let Some(step) = find_escape(&bytes[at..]) else {
            out.push_str(&literal[at..]);
            break;
        };
        out.push_str(&literal[at..at + step]);
        at += step;
        let escape = bytes.get(at + 1).copied().unwrap_or(b'\\');
        if escape != b'u' {
            // As text, because it is known to be one byte.
            out.push_str(match escape {
                b'"' => "\"",
                b'\\' => "\\",
                b'n' => "\n",
                b't' => "\t",
                b'r' => "\r",
                b'b' => "\u{8}",
                b'f' => "\u{c}",
                _ => "/",
            });
            at += 2;
            continue;
        }
        let unit = hex4(bytes, at + 2);
        let start = at;
        at += 6;
        match unit {
            0xD800..=0xDBFF => {
                let low = if bytes.get(at) == Some(&b'\\') && bytes.get(at + 1) == Some(&b'u') {
                    hex4(bytes, at + 2)
                } else {
                    0
                };
                if let Some(joined) = join(unit, low) {
                    out.push(joined);
                    at += 6;
                } else {
                    halves.lone = true;
                    if at >= bytes.len() {
                        halves.trailing_high = Some(unit);
                    }
                    out.push('\u{FFFD}');
                }
            }
            0xDC00..=0xDFFF => {
                halves.lone = true;
                if start == 0 {
                    halves.leading_low = Some(unit);
                }
                out.push('\u{FFFD}');
            }
            _ => out.push(char::from_u32(u32::from(unit)).unwrap_or('\u{FFFD}')),
        }
    }
    halves
}

/// Decodes the text before the first escape that does not stand for one byte, and returns the number of literal bytes read; fewer, if
/// the end is near. For text with many escapes.
#[inline(never)]
fn decode_simple_escapes(literal: &str, out: &mut String) -> usize {
    let bytes = literal.as_bytes();
    let (mut at, mut long) = (0, 0);
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let plain = push_plain(out, chunk).unwrap_or(0);
        long += 1;
        if plain == LANES && long < 3 {
            // A constant step, so that the next load does not wait for the search.
            at += LANES;
            continue;
        }
        at += plain;
        if plain == LANES || bytes.get(at) != Some(&b'\\') {
            // A long run, a run that is not ASCII, or no room.
            let rest = literal.get(at..).unwrap_or_default();
            let run = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
            out.push_str(rest.get(..run).unwrap_or_default());
            at += run;
        }
        let meant = bytes.get(at + 1).map_or(0, |escape| SIMPLE_ESCAPES[usize::from(*escape)]);
        if meant == 0 {
            break;
        }
        out.push(char::from(meant));
        (at, long) = (at + 2, 0);
    }
    at
}

/// Finds the first backslash. A loop is faster than a vector search for a few bytes.
#[inline]
fn find_escape(bytes: &[u8]) -> Option<usize> {
    let (near, far) = bytes.split_at(bytes.len().min(24));
    match near.iter().position(|&byte| byte == b'\\') {
        None if !far.is_empty() => memchr::memchr(b'\\', far).map(|at| at + near.len()),
        found => found,
    }
}

/// Joins the two halves of a surrogate pair.
pub fn join(high: u16, low: u16) -> Option<char> {
    if !(0xD800..0xDC00).contains(&high) || !(0xDC00..0xE000).contains(&low) {
        return None;
    }
    char::from_u32(0x10000 + ((u32::from(high) - 0xD800) << 10) + (u32::from(low) - 0xDC00))
}

fn hex4(bytes: &[u8], at: usize) -> u16 {
    let digits = bytes.get(at..at + 4).unwrap_or_default();
    digits.iter().fold(0, |sum, digit| {
        sum << 4
            | u16::from(match digit {
                b'0'..=b'9' => digit - b'0',
                b'a'..=b'f' => digit - b'a' + 10,
                b'A'..=b'F' => digit - b'A' + 10,
                _ => 0,
            })
    })
}

/// A high surrogate at the end of a text that grows by pieces. It waits for its low half, so that no half is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SurrogateCarry(Option<u16>);

impl SurrogateCarry {
    /// Joins a decoded piece to the waiting half. Returns the character to write before the piece, and the range of the piece to write; a
    /// high half at its end waits from now on. An empty piece changes nothing.
    pub(crate) fn join(&mut self, piece: &[u8], halves: LoneSurrogates) -> (Option<char>, Range<usize>) {
        if piece.is_empty() {
            return (None, 0..0);
        }
        let (mut start, mut end) = (0, piece.len());
        let first = self.0.take().map(|high| match halves.leading_low.and_then(|low| join(high, low)) {
            Some(joined) => {
                // The low half is a replacement character in the piece.
                start = REPLACEMENT_BYTES;
                joined
            }
            None => char::REPLACEMENT_CHARACTER,
        });
        if halves.trailing_high.is_some() {
            self.0 = halves.trailing_high;
            end -= REPLACEMENT_BYTES;
        }
        (first, start..end)
    }

    /// Returns `true` if a half is waiting.
    #[inline]
    pub(crate) fn is_waiting(self) -> bool {
        self.0.is_some()
    }

    /// Stops waiting; returns `true` if a half was waiting, which then becomes U+FFFD.
    pub(crate) fn take_lone_surrogate(&mut self) -> bool {
        self.0.take().is_some()
    }
}

/// The length of U+FFFD in UTF-8.
const REPLACEMENT_BYTES: usize = char::REPLACEMENT_CHARACTER.len_utf8();

/// Appends a string as a JSON literal, quotes included. Non-ASCII text is not escaped.
pub fn write_string(text: &str, out: &mut String) {
    out.reserve(text.len() + 2);
    out.push('"');
    let mut from = 0;
    loop {
        let at = find_special(text.as_bytes(), from);
        out.push_str(&text[from..at]);
        let Some(byte) = text.as_bytes().get(at) else { break };
        write_escape(*byte, out);
        from = at + 1;
    }
    out.push('"');
}

/// Appends the escape of a quote, a backslash or a control character.
fn write_escape(byte: u8, out: &mut String) {
    let short = match byte {
        b'"' => "\\\"",
        b'\\' => "\\\\",
        b'\n' => "\\n",
        b'\r' => "\\r",
        b'\t' => "\\t",
        0x08 => "\\b",
        0x0C => "\\f",
        _ => {
            out.push_str("\\u00");
            out.push(char::from(b'0' + (byte >> 4)));
            out.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
            return;
        }
    };
    out.push_str(short);
}

/// Decodes a step of a JSON pointer: `~1` is a slash and `~0` a tilde.
pub(crate) fn unescaped(step: &str) -> String {
    let mut pieces = step.split('~');
    let mut key = String::from(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (char, rest) = match piece.as_bytes().first() {
            Some(b'1') => ('/', &piece[1..]),
            Some(b'0') => ('~', &piece[1..]),
            _ => ('~', piece),
        };
        key.push(char);
        key.push_str(rest);
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_unit_decodes_to_itself_or_is_a_lone_surrogate() {
        // Miri runs a sample, which includes the values around the surrogate ranges.
        for unit in (0..=0xFFFFu32).step_by(if cfg!(miri) { 0x2FF } else { 1 }) {
            let mut out = String::new();
            let halves = decode_into(&alloc::format!("\\u{unit:04x}"), &mut out);
            match char::from_u32(unit) {
                Some(char) => assert_eq!((out.as_str(), halves.lone), (char.encode_utf8(&mut [0; 4]) as &str, false)),
                None => assert_eq!((out.as_str(), halves.lone), ("\u{FFFD}", true)),
            }
        }
    }

    #[test]
    fn lone_surrogates_at_both_ends_are_reported() {
        let mut out = String::new();
        let halves = decode_into("\\ude00 x \\ud83d", &mut out);
        assert_eq!(halves, LoneSurrogates { leading_low: Some(0xDE00), trailing_high: Some(0xD83D), lone: true });
        assert_eq!(join(0xD83D, 0xDE00), Some('😀'));
    }

    #[test]
    fn a_literal_equals_the_text_that_it_decodes_to() {
        for literal in [
            "",
            "a",
            "\\n",
            "x\\\"y\\\\",
            "\\ud83d\\ude00!",
            "\\ud83d",
            "\\ude00\\ud83d\\n",
            "\\ud83d\\u0041",
            "é\\u00e9",
        ] {
            let text = decode(literal);
            assert!(literal_eq(literal, &text), "{literal}");
            assert!(
                !literal_eq(literal, &alloc::format!("{text}x")) && !literal_eq(literal, &alloc::format!("x{text}")),
                "{literal}"
            );
            for end in text.char_indices().map(|(at, _)| at) {
                assert!(!literal_eq(literal, &text[..end]), "{literal}");
            }
        }
    }

    #[test]
    fn writing_then_decoding_is_the_identity() {
        let text: String = (0..0x300u32).filter_map(char::from_u32).chain("😀\u{FFFF}".chars()).collect();
        let mut literal = String::new();
        write_string(&text, &mut literal);
        assert_eq!(decode(&literal[1..literal.len() - 1]), text);
    }
}
