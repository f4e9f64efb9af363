//! The state machine: one byte class at a time, resumable between any two characters.

use alloc::string::String;

use super::leaf::Leaf;
use super::{PartialJson, Unfinished};
use crate::json::scan;
use crate::json::tape::{JsonError, JsonErrorKind, ValueKind};
use crate::json::text::join;
use crate::json::value::{Object, Value};
use crate::json::MAX_DEPTH;

/// What is expected next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum State {
    /// A value.
    #[default]
    Value,
    /// A value or the end of the array.
    FirstElement,
    /// A key or the end of the object.
    FirstKey,
    /// A key.
    Key,
    /// The colon after a key.
    Colon,
    /// What follows a value: a comma, an end, or nothing.
    After,
    /// The inside of a string or key.
    Text,
    /// What follows a backslash.
    Escape,
    /// The digits of `\uXXXX`.
    Unicode { unit: u16, count: u8 },
    /// More of a number.
    Number(Digits),
    /// More of a literal, of which this many bytes are read.
    Literal(usize),
    /// Nothing: the text is not JSON.
    Failed(JsonError),
}

/// The state inside a number, by what was read last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Digits {
    Minus,
    Zero,
    Whole,
    Dot,
    Fraction,
    Exponent,
    Sign,
    Power,
}

impl PartialJson {
    pub(super) fn read(&mut self, piece: &str) -> Result<(), JsonError> {
        if let State::Failed(error) = self.state {
            return Err(error);
        }
        if self.append_to_shown_string(piece) {
            return Ok(());
        }
        self.tree.take_out();
        self.take_shown_text();
        self.step(self.tree.depth());
        let result = self.run(piece);
        self.show_leaf();
        self.step(self.tree.depth());
        self.tree.put_back();
        match result {
            Ok(()) => self.position += piece.len(),
            Err(error) => {
                self.position = error.position();
                self.state = State::Failed(error);
            }
        }
        result
    }

    /// Ends a number at the end of the text: only that shows that it has no more digits.
    pub(super) fn end_number(&mut self) {
        if let State::Number(digits) = self.state {
            if digits.may_end() && self.tree.depth() == 0 {
                self.end_leaf();
            }
        }
    }

    /// The common case: more plain text for a visible string.
    fn append_to_shown_string(&mut self, piece: &str) -> bool {
        let (State::Text, Some(leaf), None) = (self.state, &mut self.leaf, self.high) else { return false };
        if self.options.strings != Unfinished::Include || find_special(piece.as_bytes(), 0) != piece.len() {
            return false;
        }
        let Some(Value::String(text)) = self.tree.walk_to_last() else { return false };
        text.push_str(piece);
        leaf.shown += piece.len();
        self.changes.append(piece);
        self.position += piece.len();
        self.step(piece.len() + self.tree.depth());
        true
    }

    fn run(&mut self, piece: &str) -> Result<(), JsonError> {
        let bytes = piece.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let from = at;
            let here = self.position + at;
            at += 1;
            match self.state {
                State::Text => at = self.text(piece, from)?,
                State::Escape => self.escape(byte)?,
                State::Unicode { unit, count } => self.unicode(unit, count, byte)?,
                State::Number(digits) => at = self.number(digits, piece, from)?,
                State::Literal(read) => self.literal(read, byte)?,
                // White space outside of strings, numbers and literals is skipped.
                _ if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') => {}
                State::Value => self.begin_value(byte, here)?,
                State::FirstElement if byte == b']' => self.close(),
                State::FirstElement => self.begin_value(byte, here)?,
                State::FirstKey if byte == b'}' => self.close(),
                State::FirstKey | State::Key if byte == b'"' => {
                    self.key.clear();
                    self.state = State::Text;
                }
                State::Colon if byte == b':' => self.state = State::Value,
                State::After => self.after(byte, here)?,
                _ => return Err(JsonError::new(JsonErrorKind::Unexpected, here)),
            }
            self.step(at.saturating_sub(from).max(1));
        }
        Ok(())
    }

    fn begin_value(&mut self, byte: u8, here: usize) -> Result<(), JsonError> {
        self.token = here;
        match byte {
            b'"' => self.begin_leaf(ValueKind::String, State::Text),
            b'-' => self.begin_number(byte, Digits::Minus),
            b'0' => self.begin_number(byte, Digits::Zero),
            b'1'..=b'9' => self.begin_number(byte, Digits::Whole),
            b't' => self.begin_leaf(ValueKind::True, State::Literal(1)),
            b'f' => self.begin_leaf(ValueKind::False, State::Literal(1)),
            b'n' => self.begin_leaf(ValueKind::Null, State::Literal(1)),
            b'{' | b'[' => {
                if self.tree.depth() >= self.options.depth.min(MAX_DEPTH) {
                    return Err(JsonError::new(JsonErrorKind::Depth, here));
                }
                let at = self.tree.place(&mut self.key, Value::Null);
                let (container, tag, state) = if byte == b'{' {
                    (Value::Object(Object::new()), ValueKind::Object, State::FirstKey)
                } else {
                    (Value::Array(Default::default()), ValueKind::Array, State::FirstElement)
                };
                self.changes.start(at, tag);
                self.changes.open();
                self.tree.open(container);
                self.state = state;
            }
            _ => return Err(JsonError::new(JsonErrorKind::Unexpected, here)),
        }
        Ok(())
    }

    fn after(&mut self, byte: u8, here: usize) -> Result<(), JsonError> {
        match (byte, self.tree.in_object()) {
            (_, None) => return Err(JsonError::new(JsonErrorKind::Trailing, here)),
            (b',', Some(object)) => self.state = if object { State::Key } else { State::Value },
            (b'}', Some(true)) | (b']', Some(false)) => self.close(),
            _ => return Err(JsonError::new(JsonErrorKind::Unexpected, here)),
        }
        Ok(())
    }

    fn close(&mut self) {
        self.tree.close();
        self.changes.close();
        self.state = State::After;
    }

    /// Reads a run of plain text and the byte that ends it.
    fn text(&mut self, piece: &str, from: usize) -> Result<usize, JsonError> {
        let bytes = piece.as_bytes();
        let end = find_special(bytes, from);
        if end > from {
            self.close_lone_surrogate();
            self.buffer().push_str(&piece[from..end]);
        }
        match bytes.get(end) {
            None => return Ok(end),
            Some(b'\\') => {
                self.token = self.position + end;
                self.state = State::Escape;
            }
            Some(b'"') => {
                self.close_lone_surrogate();
                match self.leaf {
                    Some(_) => self.end_leaf(),
                    None => self.state = State::Colon,
                }
            }
            Some(_) => return Err(JsonError::new(JsonErrorKind::Control, self.position + end)),
        }
        Ok(end + 1)
    }

    fn escape(&mut self, byte: u8) -> Result<(), JsonError> {
        let char = match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.state = State::Unicode { unit: 0, count: 0 };
                return Ok(());
            }
            _ => return Err(JsonError::new(JsonErrorKind::Escape, self.token)),
        };
        self.close_lone_surrogate();
        self.buffer().push(char);
        self.state = State::Text;
        Ok(())
    }

    fn unicode(&mut self, unit: u16, count: u8, byte: u8) -> Result<(), JsonError> {
        let Some(digit) = char::from(byte).to_digit(16) else {
            return Err(JsonError::new(JsonErrorKind::Escape, self.token));
        };
        // A hexadecimal digit fits four bits.
        let unit = unit << 4 | digit as u16;
        if count < 3 {
            self.state = State::Unicode { unit, count: count + 1 };
            return Ok(());
        }
        self.state = State::Text;
        if let Some(char) = self.high.and_then(|high| join(high, unit)) {
            self.high = None;
            self.buffer().push(char);
            return Ok(());
        }
        self.close_lone_surrogate();
        if (0xD800..0xDC00).contains(&unit) {
            // Its low half may be in the next piece, so it is not visible yet.
            self.high = Some(unit);
        } else {
            self.buffer().push(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Ok(())
    }

    /// Replaces a high surrogate whose low half does not follow.
    fn close_lone_surrogate(&mut self) {
        if self.high.take().is_some() {
            self.buffer().push(char::REPLACEMENT_CHARACTER);
        }
    }

    fn buffer(&mut self) -> &mut String {
        match self.leaf {
            Some(_) => &mut self.text,
            None => &mut self.key,
        }
    }

    fn begin_number(&mut self, byte: u8, digits: Digits) {
        self.begin_leaf(ValueKind::Number, State::Number(digits));
        self.text.push(char::from(byte));
    }

    fn number(&mut self, mut digits: Digits, piece: &str, from: usize) -> Result<usize, JsonError> {
        let mut at = from;
        while let Some(next) = piece.as_bytes().get(at).and_then(|&byte| digits.next(byte)) {
            digits = next;
            at += 1;
        }
        self.text.push_str(&piece[from..at]);
        self.state = State::Number(digits);
        if at < piece.len() {
            let zeros = digits == Digits::Zero && piece.as_bytes()[at].is_ascii_digit();
            if zeros || !digits.may_end() {
                return Err(JsonError::new(JsonErrorKind::Number, self.token));
            }
            self.end_leaf();
        }
        Ok(at)
    }

    fn literal(&mut self, read: usize, byte: u8) -> Result<(), JsonError> {
        let word = match self.leaf {
            Some(Leaf { tag: ValueKind::True, .. }) => "true",
            Some(Leaf { tag: ValueKind::False, .. }) => "false",
            _ => "null",
        };
        if word.as_bytes().get(read) != Some(&byte) {
            return Err(JsonError::new(JsonErrorKind::Unexpected, self.token));
        }
        if read + 1 < word.len() {
            self.state = State::Literal(read + 1);
        } else {
            self.end_leaf();
        }
        Ok(())
    }
}

impl Digits {
    /// The state after one more byte; `None` if the byte does not belong to the number.
    fn next(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Minus, b'0') => Some(Self::Zero),
            (Self::Minus | Self::Whole, b'0'..=b'9') => Some(Self::Whole),
            (Self::Zero | Self::Whole, b'.') => Some(Self::Dot),
            (Self::Dot | Self::Fraction, b'0'..=b'9') => Some(Self::Fraction),
            (Self::Zero | Self::Whole | Self::Fraction, b'e' | b'E') => Some(Self::Exponent),
            (Self::Exponent, b'+' | b'-') => Some(Self::Sign),
            (Self::Exponent | Self::Sign | Self::Power, b'0'..=b'9') => Some(Self::Power),
            _ => None,
        }
    }

    /// Returns `true` if the number may end here.
    fn may_end(self) -> bool {
        matches!(self, Self::Zero | Self::Whole | Self::Fraction | Self::Power)
    }
}

/// The end of the run of plain string text from `at`: the position of a quote, backslash or control character, or the end.
fn find_special(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..at + 8) {
        // The slice has eight bytes, so the conversion cannot fail.
        let marks = scan::string_special_bytes(u64::from_le_bytes(chunk.try_into().unwrap_or_default()));
        if marks != 0 {
            return at + (marks.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1F)) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::super::PartialOptions;
    use super::*;
    use alloc::format;

    /// Pushes the text in pieces of `size` bytes, reading value and changes after each, and returns the steps taken.
    fn steps(text: &str, size: usize, policy: Unfinished) -> usize {
        let options = PartialOptions {
            strings: policy,
            numbers: policy,
            literals: policy,
            record_changes: true,
            ..Default::default()
        };
        let mut partial = PartialJson::new(options);
        for at in (0..text.len()).step_by(size) {
            partial.push(&text[at..text.len().min(at + size)]).unwrap();
            assert_eq!(partial.value().is_some(), policy != Unfinished::Omit || text.starts_with(['[', '{']));
            partial.clear_changes();
        }
        partial.steps
    }

    #[test]
    fn steps_are_bounded_by_the_bytes_and_the_open_containers_of_each_piece() {
        type Shape = (&'static str, usize, fn(usize) -> String);
        let shapes: [Shape; 7] = [
            ("one string", 1, |n| format!("{{\"a\":\"{}", "x".repeat(n))),
            ("one string of escapes", 1, |n| format!("[\"{}", "\\ud83d\\ude00".repeat(n / 12))),
            ("one number", 1, |n| format!("[1{}", "0".repeat(n))),
            ("one key", 1, |n| format!("{{\"{}", "k".repeat(n))),
            ("many elements", 1, |n| format!("[1{}", ",true".repeat(n / 5))),
            ("a string far inside", 100, |n| format!("{}\"{}", "[".repeat(100), "x".repeat(n))),
            ("numbers far inside", 127, |n| format!("{}1{}", "[".repeat(127), ",1".repeat(n / 2))),
        ];
        for (name, depth, shape) in shapes {
            for (size, length) in [(1, 4_000), (7, 20_000), (4096, 200_000)] {
                for policy in [Unfinished::Include, Unfinished::Omit, Unfinished::Mark] {
                    let text = shape(length);
                    let bound = 4 * text.len() + 2 * depth * text.len().div_ceil(size);
                    let steps = steps(&text, size, policy);
                    assert!(steps <= bound, "{name} in pieces of {size}: {steps} steps, expected at most {bound}");
                }
            }
        }
    }
}
