//! [`TextDigest`]: the digests of a whole text, with and without its escapes.
//!
//! The done event of a text, its part, its item and the terminal snapshot repeat the same text, and servers escape it the same
//! way each time. If the escaped form equals a known one, its decoded digest is reused and the escapes are not decoded again.

use super::digest::Digest;
use crate::json::{decode, is_document, ValueRef};

/// The digests of a JSON string: of the literal between its quotes, and of the decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextDigest {
    written: Digest,
    pub(crate) text: Digest,
}

impl TextDigest {
    /// The digests of a text without escapes.
    pub(crate) fn of_text(text: &str) -> Self {
        let digest = Digest::of(text);
        Self { written: digest, text: digest }
    }

    /// The digests of a string literal. If `known` has the same literal, it is returned without decoding.
    pub(crate) fn of_literal(literal: &str, escaped: bool, known: Option<Self>) -> Self {
        let whole = Self::of_text(literal);
        match known {
            _ if !escaped => whole,
            Some(known) if known.written == whole.written => known,
            _ => Self { text: Digest::of(&decode(literal)), ..whole },
        }
    }

    /// The digests of a string value; `None` for other values.
    pub(crate) fn of_string(view: ValueRef<'_>, known: Option<Self>) -> Option<Self> {
        Some(Self::of_literal(view.literal()?, view.plain_bytes().is_none(), known))
    }

    /// Returns `true` if both strings have the same literal.
    pub(crate) fn has_same_literal(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

/// Returns `true` if a string literal decodes to a JSON document.
pub(crate) fn is_json_literal(literal: &str, depth: usize) -> bool {
    is_document(decode(literal).as_bytes(), depth)
}

/// Computes the digests of a literal and whether it decodes to a JSON document; decodes it once for both.
pub(crate) fn digest_and_check_json(literal: &str, depth: usize) -> (TextDigest, bool) {
    let text = decode(literal);
    let whole = TextDigest { written: Digest::of(literal), text: Digest::of(&text) };
    (whole, is_document(text.as_bytes(), depth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;
    use alloc::format;
    use alloc::string::String;

    #[test]
    fn a_literal_has_the_digest_of_its_decoded_text() {
        let pieces =
            [r#"\""#, r"\\", r"\/", r"\n", r"\t", r"\r", r"\b", r"\f", "é", "0123456", "x", r"\u00e9", r"\ud83d"];
        for first in pieces {
            for second in pieces {
                for fill in 0..20 {
                    let filling = "abcdefghijklmnopqrst".get(..fill).unwrap();
                    for literal in [format!("{first}{filling}{second}"), format!("{filling}{first}{second}{filling}")] {
                        let text = decode(&literal);
                        let whole = TextDigest::of_literal(&literal, true, None);
                        assert_eq!((whole.text, whole.written), (Digest::of(&text), Digest::of(&literal)));
                        assert_eq!(TextDigest::of_literal(&literal, true, Some(whole)), whole);
                        assert_eq!(digest_and_check_json(&literal, 8).0, whole);
                    }
                }
            }
        }
    }

    #[test]
    fn a_known_digest_is_not_used_for_another_literal() {
        let (one, other) = (r"a\nb", r"a\tb");
        let known = TextDigest::of_literal(one, true, None);
        assert_eq!(TextDigest::of_literal(other, true, Some(known)).text, Digest::of("a\tb"));
        assert_eq!(TextDigest::of_literal("a", false, Some(known)), TextDigest::of_text("a"));
    }

    #[test]
    fn json_is_what_the_parser_accepts() {
        let deep: String = ["[".repeat(9), "]".repeat(9)].concat();
        for literal in
            [r#"{\"a\":[1,\"\\u00e9\"]}"#, "{}", "", " 1 ", "1 2", r#"{\"a\":}"#, r#"\u007b}"#, "[1,]", &deep]
        {
            let text = decode(literal);
            for depth in [1, 8, 9, 1000] {
                let wanted = Tape::default().parse(&text, depth).is_ok();
                assert_eq!(
                    (is_json_literal(literal, depth), digest_and_check_json(literal, depth).1),
                    (wanted, wanted),
                    "{literal} {depth}"
                );
            }
        }
    }
}
