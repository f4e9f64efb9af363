//! JSON that is still growing: function-call arguments, JSON tool input, structured output text.
//!
//! A model's arguments arrive as deltas that are split anywhere: inside a key, a number, an escape, between the halves of a
//! surrogate pair. [`PartialJson`] takes each piece once and always has the value so far, so that a program can show a
//! form while it is being filled. Nothing is parsed twice.
//!
//! - *Takes*: text in pieces.
//! - *Gives*: the value so far after each piece, and the changes since the last one.
//! - *Promises*: the value so far is a prefix of the final value, and does not depend on the split.
//! - *Costs*: see below.
//!
//! # The value so far
//!
//! Open containers are shown as if they were closed here. A key is shown once its value is. A string,
//! number or literal that is still open is shown according to its [`Unfinished`] policy. The value so far is therefore a
//! *prefix* of the value of the whole text, whatever JSON follows:
//!
//! - no value is a prefix of any value;
//! - a string is a prefix of a string that starts with it;
//! - a number is a prefix of a number whose written form starts with its own written form;
//! - an array is a prefix of an array that is at least as long, if all its elements except the last are equal and
//!   its last is a prefix of the element at that position;
//! - an object is a prefix of an object in the same way, member by member in the order of writing, with the same keys;
//! - `null` that stands for an unfinished value ([`Unfinished::Mark`]) is a prefix of any value;
//! - other values are a prefix only of the same value.
//!
//! Half of a surrogate pair is withheld until the next character arrives, so visible text is never
//! taken back. The value depends on the text so far, never on the split.
//!
//! # Cost
//!
//! A piece costs O(its length + the number of open containers), which the depth limit bounds; a piece that lies inside
//! a shown string is one append. Reading the value costs nothing. Memory is that of the value, the open token, and the
//! change log since it was last cleared. The parser does not recurse, and the depth limit bounds the recursion of comparing,
//! writing and dropping the value.

mod changes;
pub(crate) mod growth;
mod leaf;
mod parser;
mod tree;

use alloc::string::String;
use core::fmt;

pub use self::changes::{Change, ChangeKind};
use crate::error::Error;
use crate::options::{parse, setters, OptionReader};

use self::changes::ChangeLog;
use self::leaf::Leaf;
use self::parser::State;
use self::tree::Tree;
use super::tape::{JsonError, JsonErrorKind, ValueKind};
use super::value::Value;

/// A push parser for one JSON value that arrives in pieces.
///
/// - inputs: [`push`](Self::push), [`finish`](Self::finish), [`reset`](Self::reset),
///   [`clear_changes`](Self::clear_changes)
/// - getters: [`value`](Self::value), [`unfinished`](Self::unfinished), [`changes`](Self::changes),
///   [`is_complete`](Self::is_complete), [`error`](Self::error), [`position`](Self::position)
///
/// ```
/// use deltafold::json::PartialJson;
///
/// let mut arguments = PartialJson::default();
/// arguments.push(r#"{"city":"Par"#).unwrap();
/// assert_eq!(arguments.value().unwrap().to_string(), r#"{"city":"Par"}"#);
/// arguments.push(r#"is","days":1"#).unwrap();
/// assert_eq!(arguments.value().unwrap().to_string(), r#"{"city":"Paris"}"#);
/// arguments.push("4}").unwrap();
/// assert!(arguments.is_complete());
/// assert_eq!(arguments.value().unwrap().to_string(), r#"{"city":"Paris","days":14}"#);
/// ```
#[derive(Clone, Default)]
pub struct PartialJson {
    options: PartialOptions,
    state: State,
    tree: Tree,
    /// The string, number or literal that is still open. `None` inside a key.
    leaf: Option<Leaf>,
    /// The key that is being read, or whose value has not been placed yet.
    key: String,
    /// The text of the open leaf. Between pushes the text of a shown string is in the tree instead.
    text: String,
    /// A high surrogate that waits for its low half.
    high: Option<u16>,
    /// The start of the open number, literal or escape.
    token: usize,
    position: usize,
    changes: ChangeLog,
    #[cfg(test)]
    steps: usize,
}

/// How a [`PartialJson`] shows unfinished values, its depth limit, and whether it records changes.
///
/// ```
/// use deltafold::json::{partial_json, PartialOptions, Unfinished};
///
/// let eager = PartialOptions::default().numbers(Unfinished::Include).literals(Unfinished::Include);
/// assert_eq!(partial_json("[12.", eager).unwrap().to_string(), "[12]");
/// assert_eq!(partial_json("[tr", eager).unwrap().to_string(), "[true]");
/// assert_eq!(partial_json("[12.", PartialOptions::default()).unwrap().to_string(), "[]");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartialOptions {
    /// Strings without their closing quote. Default [`Include`](Unfinished::Include).
    pub strings: Unfinished,
    /// Numbers that may continue. Default [`Omit`](Unfinished::Omit): a program that computes with `1` of `12` gets a wrong result.
    pub numbers: Unfinished,
    /// Incomplete `true`, `false` and `null`. Default [`Omit`](Unfinished::Omit).
    pub literals: Unfinished,
    /// Maximum number of open containers. Default 128, as [`Limits::depth`](crate::Limits::depth); a larger number than
    /// [`MAX_DEPTH`](super::MAX_DEPTH) is reduced to that.
    pub depth: usize,
    /// Records every change for [`PartialJson::changes`] until [`PartialJson::clear_changes`]. Default `false`: the record
    /// grows with the text.
    pub record_changes: bool,
}

setters!(PartialOptions {
    strings: Unfinished,
    numbers: Unfinished,
    literals: Unfinished,
    depth: usize,
    record_changes: bool
});

/// How a string, number or literal appears before it is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unfinished {
    /// Its certain part: the text so far of a string; the digits so far of a number, without a dot, exponent or sign
    /// that needs another digit (beyond 64 bytes the visible part grows only when the length doubles, so that a hostile number
    /// takes linear time); the whole literal, which its first letter determines.
    Include,
    /// It is omitted: a member or element appears when it is finished.
    Omit,
    /// `null`, from the first byte on; [`PartialJson::unfinished`] distinguishes it from a real `null`.
    Mark,
}

crate::named::option_names!(Unfinished, "policy for unfinished values": Include "include", Omit "omit", Mark "mark");

/// Parses JSON text that may end anywhere and returns the value so far; `None` if there is no value yet.
///
/// Text after invalid JSON is ignored. For text that keeps growing use [`PartialJson`].
pub fn partial_json(text: &str, options: PartialOptions) -> Option<Value> {
    let mut partial = PartialJson::new(options);
    // The result is the value before the error.
    let _ = partial.push(text);
    partial.into_value()
}

impl PartialJson {
    /// Makes a parser without text.
    pub fn new(options: PartialOptions) -> Self {
        Self { changes: ChangeLog::new(options.record_changes), options, ..Self::default() }
    }

    /// Takes the next piece of text.
    ///
    /// Text that is not JSON is an error with its position in the whole text. The value so far stays readable, and
    /// every later call returns the same error until [`reset`](Self::reset).
    pub fn push(&mut self, piece: &str) -> Result<(), JsonError> {
        self.read(piece)
    }

    /// Ends the text, which finishes a number at its end.
    ///
    /// Text that ends inside the value, or without one, is an error of kind [`JsonErrorKind::End`].
    pub fn finish(&mut self) -> Result<(), JsonError> {
        self.end_number();
        match self.state {
            State::Failed(error) => Err(error),
            _ if self.is_complete() => Ok(()),
            _ => {
                let error = JsonError::new(JsonErrorKind::End, self.position);
                self.state = State::Failed(error);
                Err(error)
            }
        }
    }

    /// Resets to the empty text; options and buffers stay.
    pub fn reset(&mut self) {
        self.state = State::default();
        self.tree.reset();
        self.leaf = None;
        self.key.clear();
        self.text.clear();
        self.high = None;
        self.token = 0;
        self.position = 0;
        self.changes.reset();
    }

    /// Removes the recorded changes.
    pub fn clear_changes(&mut self) {
        let open = self.leaf.as_ref().is_some_and(|leaf| leaf.placed);
        self.changes.clear(open);
    }

    /// The value so far; `None` if there is no value yet.
    pub fn value(&self) -> Option<&Value> {
        self.tree.root()
    }

    /// Returns the value and drops the parser.
    pub fn into_value(self) -> Option<Value> {
        self.tree.into_root()
    }

    /// The changes of the value since [`clear_changes`](Self::clear_changes), in order, if
    /// [`PartialOptions::record_changes`] is on.
    ///
    /// ```
    /// use deltafold::json::{ChangeKind, PartialJson, PartialOptions};
    ///
    /// let mut partial = PartialJson::new(PartialOptions::default().record_changes(true));
    /// partial.push(r#"{"to":["Ada","Gr"#).unwrap();
    /// partial.clear_changes();
    /// partial.push("ace").unwrap();
    /// let change = partial.changes().next().unwrap();
    /// assert_eq!((change.pointer().as_str(), change.kind), ("/to/1", ChangeKind::Appended("ace")));
    /// ```
    pub fn changes(&self) -> impl Iterator<Item = Change<'_>> {
        self.changes.iter(self.tree.root())
    }

    /// The innermost value that has begun and is not finished, as JSON pointer and type; its containers are unfinished,
    /// too. `None` before a value begins and when it is complete.
    pub fn unfinished(&self) -> Option<(String, ValueKind)> {
        let mut pointer = String::new();
        let inner = self.tree.write_open(&mut pointer);
        match (&self.leaf, inner) {
            (Some(leaf), None) => Some((pointer, leaf.tag)),
            (Some(leaf), Some(container)) => {
                tree::write_last(container, (!leaf.placed).then_some(self.key.as_str()), &mut pointer);
                Some((pointer, leaf.tag))
            }
            (None, Some(Value::Object(_))) => Some((pointer, ValueKind::Object)),
            (None, Some(_)) => Some((pointer, ValueKind::Array)),
            (None, None) => None,
        }
    }

    /// Returns `true` if the value is complete. A number alone is complete once white space follows or after
    /// [`finish`](Self::finish).
    pub fn is_complete(&self) -> bool {
        self.state == State::After && self.tree.depth() == 0
    }

    /// The error, if the text is not JSON.
    pub fn error(&self) -> Option<JsonError> {
        match self.state {
            State::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// Bytes of text taken so far; the piece with an error counts up to the error.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Counts work, for the test that proves it linear.
    #[inline]
    fn step(&mut self, _count: usize) {
        #[cfg(test)]
        {
            self.steps += _count;
        }
    }
}

impl fmt::Debug for PartialJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Texts can contain secrets: only the progress is shown.
        f.debug_struct("PartialJson")
            .field("position", &self.position)
            .field("complete", &self.is_complete())
            .finish_non_exhaustive()
    }
}

impl Default for PartialOptions {
    fn default() -> Self {
        Self {
            strings: Unfinished::Include,
            numbers: Unfinished::Omit,
            literals: Unfinished::Omit,
            depth: 128,
            record_changes: false,
        }
    }
}

impl PartialOptions {
    /// Reads options from JSON text: `strings`, `numbers`, `literals` (each `include`, `omit` or `mark`), `depth` and
    /// `record_changes` (`true` or `false`). An absent option has its default.
    ///
    /// ```
    /// use deltafold::json::{PartialOptions, Unfinished};
    /// let options = PartialOptions::from_json(r#"{"numbers":"include"}"#)?;
    /// assert_eq!((options.numbers, options.literals), (Unfinished::Include, Unfinished::Omit));
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Code::UnknownName`](crate::Code::UnknownName) for another name, [`Code::BadArgument`](crate::Code::BadArgument) for a
    /// value of the wrong type.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        Self::from_value(&parse(json)?)
    }

    /// Reads options from a value; see [`from_json`](Self::from_json).
    ///
    /// # Errors
    ///
    /// As for [`from_json`](Self::from_json).
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let reader = OptionReader::new(value)?;
        reader.check_names(&["strings", "numbers", "literals", "depth", "record_changes"])?;
        let policy = |name, default| match reader.value(name) {
            None => Ok(default),
            Some(_) => Ok::<_, Error>(Unfinished::ALL[reader.choice(name, Unfinished::NAMES)?]),
        };
        let default = Self::default();
        let depth = reader.count("depth")?.map(|depth| usize::try_from(depth).unwrap_or(usize::MAX));
        Ok(Self {
            strings: policy("strings", default.strings)?,
            numbers: policy("numbers", default.numbers)?,
            literals: policy("literals", default.literals)?,
            depth: depth.unwrap_or(default.depth),
            record_changes: reader.flag("record_changes")?.unwrap_or(false),
        })
    }
}
