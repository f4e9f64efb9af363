//! Fast path for lists of log probabilities.
//!
//! With 20 alternatives per token, log probabilities are most of the bytes of a stream. A list in the common form (no spaces,
//! every entry with exactly the declared members) is valid in every edition and is recognized directly in the JSON text. Every
//! other form is checked by [`SchemaWalk`](super::SchemaWalk).

use crate::validate::logprob_entry::{digits_end, Entry};

/// Returns `true` if well-formed JSON text is a list of log probabilities in the common form; `false` otherwise, even if the
/// list is valid.
pub(super) fn is_plain(text: &str) -> bool {
    let mut cursor = LogprobScanner { bytes: text.as_bytes(), at: 0 };
    cursor.list(true) && cursor.at == text.len()
}

struct LogprobScanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The members of an entry, one bit each.
const TOKEN: u8 = 1;
const LOGPROB: u8 = 2;
const BYTES: u8 = 4;
const TOP: u8 = 8;
/// All members, with and without alternatives.
const OUTER: u8 = 15;
const INNER: u8 = 7;

impl LogprobScanner<'_> {
    /// Reads a list of entries; `outer` entries have alternatives.
    fn list(&mut self, outer: bool) -> bool {
        if !self.consume_byte(b'[') {
            return false;
        }
        if self.consume_byte(b']') {
            return true;
        }
        while self.entry(outer) {
            if !self.consume_byte(b',') {
                return self.consume_byte(b']');
            }
        }
        false
    }

    fn entry(&mut self, outer: bool) -> bool {
        let mut seen = 0;
        if let Some(entry) = Entry::at(self.bytes, self.at) {
            self.at = entry.end;
            seen = TOKEN | LOGPROB | BYTES;
        } else if !self.consume_byte(b'{') || !self.member(outer, &mut seen) {
            return false;
        }
        while self.consume_byte(b',') {
            if !self.member(outer, &mut seen) {
                return false;
            }
        }
        self.consume_byte(b'}') && seen == if outer { OUTER } else { INNER }
    }

    fn member(&mut self, outer: bool, seen: &mut u8) -> bool {
        let (member, fits) = match self.rest() {
            [b'"', b't', b'o', b'k', b'e', b'n', b'"', b':', ..] => (TOKEN, self.skip(8) && self.string()),
            [b'"', b'l', b'o', b'g', b'p', b'r', b'o', b'b', b'"', b':', ..] => {
                (LOGPROB, self.skip(10) && self.number())
            }
            [b'"', b'b', b'y', b't', b'e', b's', b'"', b':', ..] => (BYTES, self.skip(8) && self.integers()),
            rest if outer && rest.starts_with(b"\"top_logprobs\":") => (TOP, self.skip(15) && self.list(false)),
            _ => return false,
        };
        *seen |= member;
        fits
    }

    fn string(&mut self) -> bool {
        if !self.consume_byte(b'"') {
            return false;
        }
        while let Some(byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'"' => return true,
                b'\\' => self.at += 1,
                _ => {}
            }
        }
        false
    }

    fn number(&mut self) -> bool {
        // For a value that is not a number, `,` or `}` does not follow, so the caller rejects the entry.
        let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
        while self.bytes.get(self.at).is_some_and(is_part) {
            self.at += 1;
        }
        true
    }

    fn integers(&mut self) -> bool {
        if !self.consume_byte(b'[') {
            return false;
        }
        self.at = digits_end(self.bytes, self.at);
        self.consume_byte(b']')
    }

    #[inline]
    fn consume_byte(&mut self, byte: u8) -> bool {
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    #[inline]
    fn skip(&mut self, count: usize) -> bool {
        self.at += count;
        true
    }

    #[inline]
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    const TOP: &str = r#"{"token":"\"","logprob":-1.5e-3,"bytes":[34]}"#;

    #[test]
    fn complete_entries_are_plain_in_any_order_of_members() {
        for list in [
            "[]".into(),
            alloc::format!(r#"[{{"token":"a","logprob":-0,"bytes":[97,1],"top_logprobs":[{TOP},{TOP}]}}]"#),
            alloc::format!(
                r#"[{{"top_logprobs":[],"bytes":[],"logprob":1,"token":""}},{{"bytes":[1],"token":"\\","top_logprobs":[{TOP}],"logprob":2}}]"#
            ),
        ] {
            assert!(is_plain(&list), "{list}");
        }
    }

    #[test]
    fn entries_with_missing_or_other_members_are_not_plain() {
        let whole = alloc::format!(r#"[{{"token":"a","logprob":-1,"bytes":[97],"top_logprobs":[{TOP}]}}]"#);
        assert!(is_plain(&whole));
        for (from, to) in [
            (r#""bytes":[97],"#, ""),
            (r#""token":"a","#, ""),
            (r#""logprob":-1"#, r#""logprob":null"#),
            (r#""logprob":-1"#, r#""logprob":"x""#),
            (r#""bytes":[97]"#, r#""bytes":[9.5]"#),
            (r#""bytes":[97]"#, r#""bytes":null"#),
            (r#""token":"a""#, r#""token":1"#),
            (r#""token":"a""#, r#""token": "a""#),
            (r#","bytes":[34]"#, ""),
            (r#"[97],"#, r#"[97],"more":1,"#),
            (r#","top_logprobs""#, r#","top""#),
            (r#"}]}]"#, r#"},1]}]"#),
            // A key of the same length as `top_logprobs`.
            (r#""top_logprobs":["#, r#""top_logprobz":["#),
            (r#""bytes":[34]"#, r#""bytes":[34],"top_logprobs":[]"#),
        ] {
            assert!(whole.contains(from) && !is_plain(&whole.replacen(from, to, 1)), "{from} {to}");
        }
        for cut in 0..whole.len() {
            assert!(!is_plain(&whole[..cut]), "{cut}");
        }
    }
}
