//! Fast path for log probabilities: reads the common form of an entry directly from JSON text.
//!
//! Up to 21 entries per token make log probabilities most of the bytes of such a stream, and every entry is validated and hashed.
//! Servers write entries without spaces and begin them with the same three members, in any order.

use core::ops::Range;

/// Positions inside an entry: token without quotes, number, byte list without brackets, and the end of these three members.
#[derive(Default)]
pub(super) struct Entry {
    pub(super) token: Range<usize>,
    pub(super) number: Range<usize>,
    pub(super) bytes: Range<usize>,
    pub(super) end: usize,
}

impl Entry {
    /// Reads the common beginning of an entry in well-formed JSON text. Returns `None` for any other form.
    #[inline]
    pub(super) fn at(text: &[u8], at: usize) -> Option<Self> {
        if text.get(at) != Some(&b'{') {
            return None;
        }
        let mut entry = Self { end: at, ..Self::default() };
        for _ in 0..3 {
            let at = entry.end + 1;
            // At least the closing brace follows.
            entry.end = match text.get(at..)?.first_chunk::<8>()? {
                b"\"token\":" if entry.token.end == 0 => {
                    entry.token = string_at(text, at + 8)?;
                    entry.token.end + 1
                }
                b"\"bytes\":" if entry.bytes.end == 0 => {
                    let start = at + 9;
                    entry.bytes = start..digits_end(text, start);
                    if text.get(at + 8) != Some(&b'[') || text.get(entry.bytes.end) != Some(&b']') {
                        return None;
                    }
                    entry.bytes.end + 1
                }
                b"\"logprob" if entry.number.end == 0 && text.get(at + 8..at + 10) == Some(b"\":") => {
                    entry.number = number_at(text, at + 10)?;
                    entry.number.end
                }
                _ => return None,
            };
            if !matches!(text.get(entry.end), Some(b',' | b'}')) {
                return None;
            }
        }
        Some(entry)
    }
}

/// The inside of a string without escapes at a position.
#[inline]
fn string_at(text: &[u8], at: usize) -> Option<Range<usize>> {
    if text.get(at) != Some(&b'"') {
        return None;
    }
    let mut end = at + 1;
    loop {
        match text.get(end)? {
            b'"' => return Some(at + 1..end),
            b'\\' => return None,
            _ => end += 1,
        }
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;
const LOW: u64 = 0x7F * ONES;

/// The number at a position, up to a comma or a brace; eight bytes per step.
#[inline]
fn number_at(text: &[u8], at: usize) -> Option<Range<usize>> {
    // Any other value may contain commas.
    if !matches!(text.get(at)?, b'-' | b'0'..=b'9') {
        return None;
    }
    let mut end = at;
    while let Some(word) = text.get(end..)?.first_chunk() {
        let word = u64::from_le_bytes(*word);
        let (comma, brace) = (word ^ (0x2C * ONES), word ^ (0x7D * ONES));
        // The lowest mark is exact; a borrow can set a higher one.
        let marks = ((comma.wrapping_sub(ONES) & !comma) | (brace.wrapping_sub(ONES) & !brace)) & !LOW;
        end += (marks.trailing_zeros() / 8) as usize;
        if marks != 0 {
            break;
        }
    }
    end += text.get(end..)?.iter().position(|byte| matches!(byte, b',' | b'}'))?;
    // A number ends with a digit; otherwise a space follows it.
    text.get(end - 1).filter(|last| last.is_ascii_digit()).map(|_| at..end)
}

/// The end of a run of digits and commas at a position; eight bytes per step.
#[inline]
pub(super) fn digits_end(text: &[u8], mut at: usize) -> usize {
    while let Some(word) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*word);
        // The high bit of every byte that is neither a digit nor a comma.
        let digit = word ^ (0x30 * ONES);
        let comma = word ^ (0x2C * ONES);
        let others = (((digit & LOW) + 0x76 * ONES) | digit) & (((comma & LOW) + LOW) | comma) & !LOW;
        if others != 0 {
            return at + (others.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while text.get(at).is_some_and(|byte| byte.is_ascii_digit() || *byte == b',') {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    #[test]
    fn only_the_common_form_is_read() {
        let members = [r#""token":" é""#, r#""logprob":-1.25e-3"#, r#""bytes":[32,195,169]"#];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let usual = format!("{{{}}}", order.map(|at| members[at]).join(","));
            for rest in ["}", "},{}", r#","x":"a, longer one, with commas"}"#] {
                let text = format!("[{}{rest}", usual.trim_end_matches('}'));
                let entry = Entry::at(text.as_bytes(), 1).unwrap();
                assert_eq!(&text[entry.end..], rest);
                let found = (&text[entry.token], &text[entry.number], &text[entry.bytes]);
                assert_eq!(found, (" é", "-1.25e-3", "32,195,169"));
            }
            for (from, to) in [
                (" é", r"\n"),
                ("-1.25e-3", "null"),
                ("-1.25e-3", r#""1""#),
                ("e-3", "e-3 "),
                (":[32", ": [32"),
                (":[32", ":[ 32"),
                (",195", ", 195"),
                ("195", "1.5"),
                ("token", "Token"),
                ("bytes", "token"),
                ("token", "bytes"),
                ("logprob\":", "logprobs\":"),
                ("[32,195,169]", "null"),
                ("{", "{ "),
            ] {
                assert!(Entry::at(usual.replacen(from, to, 1).as_bytes(), 0).is_none(), "{to}");
            }
            for cut in 0..usual.len() - 1 {
                assert!(Entry::at(&usual.as_bytes()[..cut], 0).is_none(), "{cut}");
            }
        }
    }

    #[test]
    fn a_run_of_digits_ends_at_the_first_other_byte() {
        for length in 0..40 {
            let run: String = "0,9123456781,9".chars().cycle().take(length).collect();
            for other in ["", "]", "/", ":", "-", "+", ".", " ", "é", "\0", "\u{7f}", "\u{ac}", "\u{b0}"] {
                let text = format!("{run}{other}0123456789");
                let end = if other.is_empty() { text.len() } else { length };
                assert_eq!(digits_end(text.as_bytes(), 0), end, "{text}");
                assert_eq!(digits_end(text.as_bytes(), length.min(3)), end, "{text}");
            }
        }
    }

    #[test]
    fn a_number_ends_at_a_comma_or_a_brace() {
        for length in 1..40 {
            let number: String = "-1.5e+3456789".chars().cycle().take(length).collect();
            for rest in [",", "}", ",1,2,3,4,5,6", "}}}}}}}}}}"] {
                let text = format!("{number}{rest}");
                let wanted = number.ends_with(|last: char| last.is_ascii_digit()).then_some(0..length);
                assert_eq!(number_at(text.as_bytes(), 0), wanted, "{text}");
            }
            assert_eq!(number_at(number.as_bytes(), 0), None);
        }
    }
}
