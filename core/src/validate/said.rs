//! [`Said`]: a whole text, as it was written and as it is meant.
//!
//! A text that was streamed is said again by its own done event, by its part, its item and the last snapshot, and servers write
//! it the same each time. So the escapes are decoded once: where the literal is known, its meaning is.

use super::digest::Digest;
use crate::json::{decode, is_document, View};

/// The digests of a string: of what stands between its quotes, and of what that means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    written: Digest,
    pub(crate) text: Digest,
}

impl Said {
    /// The digests of a text without escapes.
    pub(crate) fn of_text(text: &str) -> Self {
        let digest = Digest::of(text);
        Self { written: digest, text: digest }
    }

    /// The digests of the inside of a string; `known` may be what was said before.
    pub(crate) fn of_literal(literal: &str, escaped: bool, known: Option<Self>) -> Self {
        let said = Self::of_text(literal);
        match known {
            _ if !escaped => said,
            Some(known) if known.written == said.written => known,
            _ => Self { text: Digest::of(&decode(literal)), ..said },
        }
    }

    /// The same for a string of a tape; `None` for other values.
    pub(crate) fn of_string(view: View<'_>, known: Option<Self>) -> Option<Self> {
        Some(Self::of_literal(view.literal()?, view.plain_bytes().is_none(), known))
    }

    /// Says whether the string was written like another one.
    pub(crate) fn is_written_like(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

/// Says whether the inside of a string means a JSON document.
pub(crate) fn means_json(literal: &str, depth: usize) -> bool {
    is_document(decode(literal).as_bytes(), depth)
}

/// The same for a text, and what its digests are: of the two one can be had for half the price of the other.
pub(crate) fn judge(literal: &str, depth: usize) -> (Said, bool) {
    let text = decode(literal);
    let said = Said { written: Digest::of(literal), text: Digest::of(&text) };
    (said, is_document(text.as_bytes(), depth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;
    use alloc::format;
    use alloc::string::String;

    #[test]
    fn a_literal_means_what_its_text_says() {
        let pieces =
            [r#"\""#, r"\\", r"\/", r"\n", r"\t", r"\r", r"\b", r"\f", "é", "0123456", "x", r"\u00e9", r"\ud83d"];
        for first in pieces {
            for second in pieces {
                for fill in 0..20 {
                    let filling = "abcdefghijklmnopqrst".get(..fill).unwrap();
                    for literal in [format!("{first}{filling}{second}"), format!("{filling}{first}{second}{filling}")] {
                        let text = decode(&literal);
                        let said = Said::of_literal(&literal, true, None);
                        assert_eq!((said.text, said.written), (Digest::of(&text), Digest::of(&literal)));
                        assert_eq!(Said::of_literal(&literal, true, Some(said)), said);
                        assert_eq!(judge(&literal, 8).0, said);
                    }
                }
            }
        }
    }

    #[test]
    fn what_another_text_was_said_to_mean_does_not_count() {
        let (one, other) = (r"a\nb", r"a\tb");
        let known = Said::of_literal(one, true, None);
        assert_eq!(Said::of_literal(other, true, Some(known)).text, Digest::of("a\tb"));
        assert_eq!(Said::of_literal("a", false, Some(known)), Said::of_text("a"));
    }

    #[test]
    fn json_is_what_a_tape_takes() {
        let deep: String = ["[".repeat(9), "]".repeat(9)].concat();
        for literal in
            [r#"{\"a\":[1,\"\\u00e9\"]}"#, "{}", "", " 1 ", "1 2", r#"{\"a\":}"#, r#"\u007b}"#, "[1,]", &deep]
        {
            let text = decode(literal);
            for depth in [1, 8, 9, 1000] {
                let wanted = Tape::default().parse(&text, depth).is_ok();
                assert_eq!(
                    (means_json(literal, depth), judge(literal, depth).1),
                    (wanted, wanted),
                    "{literal} {depth}"
                );
            }
        }
    }
}
