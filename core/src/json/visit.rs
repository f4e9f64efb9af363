//! [`visit`]: one pass over JSON text that checks all of it and passes each value to a [`Visitor`], without a tape.

use super::scan::{number, skip_space, string, unexpected};
use super::tape::{JsonError, JsonErrorKind};
use super::text;
use super::MAX_DEPTH;
use core::fmt;

/// Takes the values of a document in reading order. Every method returns `false` to stop.
pub trait Visitor {
    /// `null`
    fn null(&mut self) -> bool;
    /// `true` or `false`
    fn boolean(&mut self, value: bool) -> bool;
    /// A number, as it was written.
    fn number(&mut self, text: &str) -> bool;
    /// A string, decoded.
    fn string(&mut self, text: &str) -> bool;
    /// A key of the innermost object, decoded; its value follows.
    fn key(&mut self, text: &str) -> bool;
    /// An array or, with `true`, an object begins.
    fn begin(&mut self, is_object: bool) -> bool;
    /// The innermost array or object ends.
    fn end(&mut self, is_object: bool) -> bool;
}

/// The reason why [`visit`] ended before the end of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisitError {
    /// The text is not a JSON document.
    Json(JsonError),
    /// The visitor stopped.
    Stopped,
}

impl fmt::Display for VisitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => error.fmt(f),
            Self::Stopped => f.write_str("the visitor stopped"),
        }
    }
}

impl core::error::Error for VisitError {}

impl From<JsonError> for VisitError {
    fn from(error: JsonError) -> Self {
        Self::Json(error)
    }
}

/// Checks a whole document, nested at most `depth` deep, and passes its values to the visitor. The values before an error are
/// passed, too. Accepts the documents that [`Tape::parse`](super::Tape::parse) accepts.
///
/// # Errors
///
/// [`VisitError`]
pub fn visit(text: &str, depth: usize, visitor: &mut impl Visitor) -> Result<(), VisitError> {
    let bytes = text.as_bytes();
    let depth = depth.min(MAX_DEPTH + 32);
    if u32::try_from(bytes.len()).is_err() {
        return Err(JsonError::new(JsonErrorKind::Length, 0).into());
    }
    let mut open = OpenContainers::default();
    let mut at = 0;
    loop {
        at = skip_space(bytes, at);
        let go_on = match bytes.get(at) {
            Some(b'"') => {
                let (end, escaped) = string(bytes, at + 1)?;
                let literal = &text[at + 1..end];
                at = end + 1;
                if escaped {
                    visitor.string(&text::decode(literal))
                } else {
                    visitor.string(literal)
                }
            }
            Some(b'-' | b'0'..=b'9') => {
                let end = number(bytes, at)?;
                let digits = &text[at..end];
                at = end;
                visitor.number(digits)
            }
            Some(&first @ (b'{' | b'[')) => {
                let is_object = first == b'{';
                if open.depth >= depth {
                    return Err(JsonError::new(JsonErrorKind::Depth, at).into());
                }
                open.push(is_object);
                let begun = visitor.begin(is_object);
                at = skip_space(bytes, at + 1);
                let is_empty = bytes.get(at) == Some(if is_object { &b'}' } else { &b']' });
                if begun && !is_empty {
                    if is_object {
                        at = key(text, at, visitor)?;
                    }
                    continue;
                }
                begun
            }
            Some(b't') => {
                at = word(bytes, at, b"true")?;
                visitor.boolean(true)
            }
            Some(b'f') => {
                at = word(bytes, at, b"false")?;
                visitor.boolean(false)
            }
            Some(b'n') => {
                at = word(bytes, at, b"null")?;
                visitor.null()
            }
            _ => return Err(unexpected(bytes, at).into()),
        };
        if !go_on {
            return Err(VisitError::Stopped);
        }
        // A value has ended, or an empty container is next to close: close containers, or continue with the next member.
        loop {
            at = skip_space(bytes, at);
            let Some(is_object) = open.last() else {
                return if at < bytes.len() { Err(JsonError::new(JsonErrorKind::Trailing, at).into()) } else { Ok(()) };
            };
            match bytes.get(at) {
                Some(b',') => {
                    at += 1;
                    if is_object {
                        at = key(text, skip_space(bytes, at), visitor)?;
                    }
                    break;
                }
                Some(b'}') if is_object => at += 1,
                Some(b']') if !is_object => at += 1,
                _ => return Err(unexpected(bytes, at).into()),
            }
            open.pop();
            if !visitor.end(is_object) {
                return Err(VisitError::Stopped);
            }
        }
    }
}

/// Reads `"key" :` at `at` and returns the position after the colon.
#[inline]
fn key(text: &str, at: usize, visitor: &mut impl Visitor) -> Result<usize, VisitError> {
    let bytes = text.as_bytes();
    if bytes.get(at) != Some(&b'"') {
        return Err(unexpected(bytes, at).into());
    }
    let (end, escaped) = string(bytes, at + 1)?;
    let literal = &text[at + 1..end];
    let go_on = if escaped { visitor.key(&text::decode(literal)) } else { visitor.key(literal) };
    if !go_on {
        return Err(VisitError::Stopped);
    }
    let colon = skip_space(bytes, end + 1);
    match bytes.get(colon) {
        Some(b':') => Ok(colon + 1),
        _ => Err(unexpected(bytes, colon).into()),
    }
}

#[inline]
fn word(bytes: &[u8], at: usize, word: &[u8]) -> Result<usize, VisitError> {
    match bytes.get(at..at + word.len()) {
        Some(found) if found == word => Ok(at + word.len()),
        _ => Err(unexpected(bytes, at).into()),
    }
}

/// Which of the open containers are objects, one bit each; the innermost one also in a separate field.
#[derive(Default)]
struct OpenContainers {
    objects: [u64; (MAX_DEPTH + 64) / 64],
    depth: usize,
}

impl OpenContainers {
    #[inline]
    fn push(&mut self, is_object: bool) {
        let bit = 1 << (self.depth % 64);
        if let Some(word) = self.objects.get_mut(self.depth / 64) {
            *word = if is_object { *word | bit } else { *word & !bit };
        }
        self.depth += 1;
    }

    #[inline]
    fn pop(&mut self) {
        self.depth -= 1;
    }

    #[inline]
    fn last(&self) -> Option<bool> {
        let last = self.depth.checked_sub(1)?;
        Some(self.objects.get(last / 64)? >> (last % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Object, Tape, Value};
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;
    use alloc::{format, vec};

    /// Builds the value, and stops at a string "stop".
    #[derive(Default)]
    struct Builder {
        open: Vec<(Value, String)>,
        key: String,
        root: Option<Value>,
    }

    impl Builder {
        fn place(&mut self, value: Value) -> bool {
            match self.open.last_mut() {
                None => self.root = Some(value),
                Some((Value::Array(items), _)) => items.push(value),
                Some((Value::Object(object), _)) => object.push(core::mem::take(&mut self.key), value),
                Some(_) => unreachable!("only containers are open"),
            }
            true
        }
    }

    impl Visitor for Builder {
        fn null(&mut self) -> bool {
            self.place(Value::Null)
        }
        fn boolean(&mut self, value: bool) -> bool {
            self.place(value.into())
        }
        fn number(&mut self, text: &str) -> bool {
            self.place(Value::parse(text, 1).expect("a number"))
        }
        fn string(&mut self, text: &str) -> bool {
            text != "stop" && self.place(text.into())
        }
        fn key(&mut self, text: &str) -> bool {
            self.key = text.into();
            true
        }
        fn begin(&mut self, is_object: bool) -> bool {
            let value = if is_object { Value::Object(Object::new()) } else { Value::Array(Vec::new()) };
            self.open.push((value, core::mem::take(&mut self.key)));
            true
        }
        fn end(&mut self, is_object: bool) -> bool {
            let (value, key) = self.open.pop().expect("an open container");
            assert_eq!(is_object, value.as_object().is_some());
            self.key = key;
            self.place(value)
        }
    }

    /// Compares with the tape: the same values, or the same error.
    fn agrees(text: &str, depth: usize) {
        let mut builder = Builder::default();
        let visited = visit(text, depth, &mut builder);
        let parsed = Value::parse(text, depth);
        match parsed {
            Ok(value) => assert_eq!((visited, builder.root), (Ok(()), Some(value)), "{text}"),
            Err(error) => assert_eq!(visited, Err(VisitError::Json(error)), "{text}"),
        }
        assert_eq!(
            Tape::default().parse(text, depth).err(),
            visited.err().map(|error| match error {
                VisitError::Json(error) => error,
                VisitError::Stopped => unreachable!("nothing stops"),
            })
        );
    }

    #[test]
    fn every_prefix_and_every_changed_byte_agrees_with_the_tape() {
        let text = r#" {"a":[1,-2.5e3,{"b":null,"é\n":[]},{}],"long key of many bytes":"x\u00e9\ud83d\ude00 ü","c":[[],[true,false]],"a":"again"} "#;
        agrees(text, 128);
        for (at, _) in text.char_indices() {
            agrees(&text[..at], 128);
            for other in ["}", "]", ",", ":", "\"", "0", "x", " ", "\\"] {
                let mut changed = format!("{}{other}", &text[..at]);
                changed.extend(text[at..].chars().skip(1));
                agrees(&changed, 128);
            }
        }
    }

    #[test]
    fn the_depth_limit_is_that_of_the_tape() {
        for (count, depth) in [(3, 3), (4, 3), (1, 0), (512, 512), (544, 1000), (545, 1000), (600, 1000)] {
            agrees(&format!("{}{}", "[".repeat(count), "]".repeat(count)), depth);
            agrees(&format!("{}1{}", r#"{"a":["#.repeat(count / 2), "]}".repeat(count / 2)), depth);
        }
    }

    #[test]
    fn a_visitor_can_stop() {
        let mut builder = Builder::default();
        assert_eq!(visit(r#"[1,"stop",2]"#, 8, &mut builder), Err(VisitError::Stopped));
        assert_eq!(builder.open, vec![(Value::from(vec![Value::parse("1", 1).expect("a number")]), String::new())]);
    }
}
