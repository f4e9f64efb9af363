//! [`TextPiece`]: text from a JSON string that may begin or end inside a character.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::json::{decode_into, join, ValueRef};

/// The string of a message. A provider that splits between tokens may leave half of a surrogate pair at either end.
#[derive(Clone, Debug)]
pub(crate) struct TextPiece<'a> {
    /// The decoded text; a half is U+FFFD here.
    text: Cow<'a, str>,
    leading_low: Option<u16>,
    trailing_high: Option<u16>,
}

/// A high surrogate that waits for its other half.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SurrogateCarry(Option<u16>);

impl<'a> TextPiece<'a> {
    /// The text of a string; `None` for other values.
    pub(crate) fn from_json(view: ValueRef<'a>) -> Option<Self> {
        let literal = view.literal()?;
        if memchr::memchr(b'\\', literal.as_bytes()).is_none() {
            return Some(Self::from_text(literal));
        }
        let mut text = String::with_capacity(literal.len());
        let halves = decode_into(literal, &mut text);
        Some(Self { text: Cow::Owned(text), leading_low: halves.leading_low, trailing_high: halves.trailing_high })
    }

    /// Text without halves.
    pub(crate) fn from_text(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), leading_low: None, trailing_high: None }
    }

    /// The text; a half at either end is U+FFFD.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The text without a half at its end.
    pub(crate) fn without_trailing_surrogate(&self) -> &str {
        match self.trailing_high {
            Some(_) => self.text.strip_suffix('\u{FFFD}').unwrap_or(&self.text),
            None => &self.text,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

impl SurrogateCarry {
    /// Joins the next piece to the waiting half: returns the text that can be written now, and keeps a half at its end.
    pub(crate) fn join<'p>(&mut self, piece: &'p TextPiece<'_>) -> Cow<'p, str> {
        if piece.is_empty() {
            return Cow::Borrowed("");
        }
        let text = piece.without_trailing_surrogate();
        let waiting = core::mem::replace(&mut self.0, piece.trailing_high);
        let Some(high) = waiting else { return Cow::Borrowed(text) };
        let joined = piece.leading_low.and_then(|low| join(high, low));
        let mut whole = String::with_capacity(text.len() + 4);
        whole.push(joined.unwrap_or('\u{FFFD}'));
        whole.push_str(if joined.is_some() { text.strip_prefix('\u{FFFD}').unwrap_or(text) } else { text });
        Cow::Owned(whole)
    }

    /// Stops waiting; returns `true` if there was a half.
    pub(crate) fn take_lone_surrogate(&mut self) -> bool {
        self.0.take().is_some()
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
            out.push_str(&carry.join(&TextPiece::from_json(tape.root(&text)).unwrap()));
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
