//! A string, number or literal from its first byte to its last, and the part of it that the tree shows.

use core::mem;

use super::parser::State;
use super::{PartialJson, Unfinished};
use crate::json::tape::ValueKind;
use crate::json::value::{Number, Value};

/// A string, number or literal that is still open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub(super) tag: ValueKind,
    /// True if it is in the tree.
    pub(super) placed: bool,
    /// The length of the text that is in the tree and in the change log.
    pub(super) shown: usize,
}

impl PartialJson {
    /// Begins a string, number or literal, and adds it to the tree if it is visible.
    pub(super) fn begin_leaf(&mut self, tag: ValueKind, state: State) {
        self.state = state;
        self.text.clear();
        self.leaf = Some(Leaf { tag, placed: false, shown: 0 });
        match self.policy(tag) {
            Unfinished::Omit => {}
            Unfinished::Mark => self.place_leaf(tag, Value::Null),
            Unfinished::Include => match tag {
                ValueKind::True | ValueKind::False => self.place_leaf(tag, Value::Bool(tag == ValueKind::True)),
                ValueKind::Null => self.place_leaf(tag, Value::Null),
                // A string is added at the end of the piece; a number with its first digit.
                _ => {}
            },
        }
    }

    fn place_leaf(&mut self, tag: ValueKind, value: Value) {
        let at = self.tree.place(&mut self.key, value);
        self.changes.start(at, tag);
        if let Some(leaf) = &mut self.leaf {
            leaf.placed = true;
        }
    }

    /// Ends the open leaf: its final value is in the tree.
    pub(super) fn end_leaf(&mut self) {
        self.state = State::After;
        let Some(leaf) = self.leaf else { return };
        if !leaf.placed {
            self.place_leaf(leaf.tag, Value::Null);
        }
        self.leaf = None;
        self.changes.append(self.text.get(leaf.shown..).unwrap_or_default());
        self.changes.finish();
        let value = match leaf.tag {
            ValueKind::String => Value::String(mem::take(&mut self.text)),
            ValueKind::Number => Value::Number(Number::from_text(&self.text)),
            ValueKind::True | ValueKind::False => Value::Bool(leaf.tag == ValueKind::True),
            _ => Value::Null,
        };
        self.step(self.text.len());
        if let Some(place) = self.tree.last_placed() {
            *place = value;
        }
    }

    /// Updates the tree with the certain part of the open leaf.
    pub(super) fn show_leaf(&mut self) {
        let Some(mut leaf) = self.leaf else { return };
        if self.policy(leaf.tag) != Unfinished::Include {
            return;
        }
        let shown = match leaf.tag {
            ValueKind::String => self.text.len(),
            ValueKind::Number => certain_prefix(&self.text).len(),
            _ => return,
        };
        if leaf.tag == ValueKind::Number && shown <= leaf.shown {
            return;
        }
        if !leaf.placed {
            self.place_leaf(leaf.tag, Value::Null);
            leaf.placed = true;
        }
        self.changes.append(self.text.get(leaf.shown..shown).unwrap_or_default());
        leaf.shown = shown;
        self.leaf = Some(leaf);
        let value = if leaf.tag == ValueKind::String {
            Value::String(mem::take(&mut self.text))
        } else {
            self.step(shown);
            Value::Number(Number::from_text(certain_prefix(&self.text)))
        };
        if let Some(place) = self.tree.last_placed() {
            *place = value;
        }
    }

    /// Moves the text of a visible string out of the tree during a push.
    pub(super) fn take_shown_text(&mut self) {
        let Some(Leaf { tag: ValueKind::String, placed: true, .. }) = self.leaf else { return };
        // A marked string is null in the tree.
        if let Some(Value::String(text)) = self.tree.last_placed() {
            self.text = mem::take(text);
        }
    }

    fn policy(&self, tag: ValueKind) -> Unfinished {
        match tag {
            ValueKind::String => self.options.strings,
            ValueKind::Number => self.options.numbers,
            _ => self.options.literals,
        }
    }
}

/// The certain part of an unfinished number. Rebuilding it takes time in proportion to its length, so a long one grows by doubling;
/// this depends on the length of the text alone, so that the result does not depend on the split.
fn certain_prefix(text: &str) -> &str {
    let length = if text.len() <= 64 { text.len() } else { 1 << text.len().ilog2() };
    text[..length].trim_end_matches(|char: char| !char.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan;
    use alloc::format;

    #[test]
    fn the_certain_prefix_of_a_number_is_a_number_at_any_length() {
        for text in ["-", "-0", "-0.", "1.5", "1.5e", "1.5E-", "1.5e-3"] {
            let sure = certain_prefix(text);
            assert!(sure.is_empty() || scan::number(sure.as_bytes(), 0) == Ok(sure.len()), "{text}");
        }
        let long = format!("{}.{}e", "1".repeat(127), "2".repeat(200));
        assert_eq!(certain_prefix(&long[..128]), &long[..127]);
        assert_eq!(certain_prefix(&long[..129]), &long[..127]);
        assert_eq!(certain_prefix(&long).len(), 256);
    }
}
