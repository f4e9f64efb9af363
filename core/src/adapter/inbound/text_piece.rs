//! [`TextPiece`]: text from a JSON string that may begin or end inside a character.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use crate::json::{decode_into, LoneSurrogates, SurrogateCarry, ValueRef};

/// The string of a message. A provider that splits between tokens may leave half of a surrogate pair at either end.
#[derive(Clone, Debug)]
pub(crate) struct TextPiece<'a> {
    /// The decoded text; a half is U+FFFD here.
    text: Cow<'a, str>,
    halves: LoneSurrogates,
}

impl<'a> TextPiece<'a> {
    /// The text of a string; `None` for other values.
    pub(crate) fn from_json(view: ValueRef<'a>) -> Option<Self> {
        let literal = view.literal()?;
        if memchr::memchr(b'\\', literal.as_bytes()).is_none() {
            return Some(Self::from_text(literal));
        }
        let mut text = String::with_capacity(literal.len());
        let halves = decode_into(literal, &mut text);
        Some(Self { text: Cow::Owned(text), halves })
    }

    /// Text without halves.
    pub(crate) fn from_text(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), halves: LoneSurrogates::default() }
    }

    /// The text; a half at either end is U+FFFD.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The text without a half at its end.
    pub(crate) fn without_trailing_surrogate(&self) -> &str {
        match self.halves.trailing_high {
            Some(_) => self.text.strip_suffix('\u{FFFD}').unwrap_or(&self.text),
            None => &self.text,
        }
    }

    /// Joins the piece to a waiting half: returns the text that can be written now. A half at its end waits in `carry`.
    pub(crate) fn join(&self, carry: &mut SurrogateCarry) -> Cow<'_, str> {
        let (first, rest) = carry.join(self.text.as_bytes(), self.halves);
        let text = self.text.get(rest).unwrap_or_default();
        match first {
            Some(first) => Cow::Owned(format!("{first}{text}")),
            None => Cow::Borrowed(text),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    fn write(pieces: &[&str]) -> (String, bool) {
        let (mut carry, mut out) = (SurrogateCarry::default(), String::new());
        for literal in pieces {
            let text = alloc::format!("\"{literal}\"");
            let mut tape = Tape::default();
            tape.parse(&text, 1).unwrap();
            out.push_str(&TextPiece::from_json(tape.root(&text)).unwrap().join(&mut carry));
        }
        (out, carry.take_lone_surrogate())
    }

    #[test]
    fn surrogate_halves_join_across_pieces_or_are_replaced() {
        assert_eq!(write(&["ok \\ud83d", "\\ude80 done"]), ("ok 🚀 done".into(), false));
        assert_eq!(write(&["a\\ud83d", "", "\\ude80"]), ("a🚀".into(), false));
        assert_eq!(write(&["\\ud83d", "x"]), ("\u{FFFD}x".into(), false));
        assert_eq!(write(&["\\ude80x"]), ("\u{FFFD}x".into(), false));
        assert_eq!(write(&["a\\ud83d"]), ("a".into(), true));
        assert_eq!(write(&["\\ud83d", "\\ud83d", "\\ude80\\ud83d", "\\ude80"]), ("\u{FFFD}🚀🚀".into(), false));
        assert_eq!(write(&["\\ud83d", "\\ude80\\ude80"]), ("🚀\u{FFFD}".into(), false));
    }
}
