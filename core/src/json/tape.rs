//! [`Tape`]: one pass over JSON text that checks all of it and records the position of each value.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::key_index::KeyIndex;
use super::scan;
use super::text;
use super::value::{Number, Object, Value};
use super::MAX_DEPTH;
use crate::sync::OnceCell;

/// A checked JSON document: the position of every value in the text, in reading order.
///
/// The buffers are reused from one `parse` to the next. The tape does not hold the text: pass the same text to
/// [`root`](Tape::root) that was passed to [`parse`](Tape::parse).
///
/// Lists of log probabilities are checked, but their elements are parsed on first access: they can be most of a document, and callers
/// rarely read them. A reader without a validator defers all deeply nested values in the same way.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    nodes: Nodes,
    stack: Vec<scan::OpenContainer>,
}

/// The nodes of a document.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    pub(super) list: Vec<Node>,
    /// Containers at this nesting depth are deferred.
    pub(super) max_depth: usize,
    /// The deferred containers by node, each with its own tape after the first access.
    deferred: Vec<(u32, OnceCell<Box<Tape>>)>,
}

impl Default for Nodes {
    fn default() -> Self {
        Self { list: Vec::new(), max_depth: usize::MAX, deferred: Vec::new() }
    }
}

impl Nodes {
    /// Records that the next node is that of a deferred container.
    pub(super) fn record_deferred(&mut self) {
        self.deferred.push((self.list.len() as u32, OnceCell::new()));
    }
}

/// The position of one value. String positions exclude the quotes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Index of the node after this value and its children.
    pub(crate) next: u32,
    pub(crate) tag: ValueKind,
    /// A string has escapes; an array or object is deferred.
    pub(crate) escaped: bool,
}

impl Node {
    #[inline]
    fn is_deferred(&self) -> bool {
        self.escaped && self.tag != ValueKind::String
    }
}

/// The type of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl ValueKind {
    /// The JSON word for the type: `null`, `boolean`, `number`, `string`, `array`, `object`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::True | Self::False => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    /// As [`name`](Self::name), but a literal is its own name: `true`, `false`.
    pub fn exact_name(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            other => other.name(),
        }
    }
}

/// The error in JSON text, and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonError {
    kind: JsonErrorKind,
    at: usize,
}

/// The kind of a JSON error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The text ends too early.
    End,
    /// A byte that is not allowed here.
    Unexpected,
    /// A backslash that starts no valid escape.
    Escape,
    /// A control character inside a string.
    Control,
    /// A malformed number.
    Number,
    /// Nested deeper than the limit.
    Depth,
    /// More text after the value.
    Trailing,
    /// The text is longer than 4 GiB.
    Length,
}

impl JsonError {
    pub(crate) fn new(kind: JsonErrorKind, at: usize) -> Self {
        Self { kind, at }
    }

    /// The kind of the error.
    pub fn kind(&self) -> JsonErrorKind {
        self.kind
    }

    /// Byte position in the text.
    pub fn position(&self) -> usize {
        self.at
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            JsonErrorKind::End => "the text ends inside a value",
            JsonErrorKind::Unexpected => "an unexpected character",
            JsonErrorKind::Escape => "an unknown escape",
            JsonErrorKind::Control => "a control character inside a string",
            JsonErrorKind::Number => "a malformed number",
            JsonErrorKind::Depth => "nested deeper than the limit",
            JsonErrorKind::Trailing => "more text after the value",
            JsonErrorKind::Length => "longer than 4 GiB",
        };
        write!(f, "{what} at position {}", self.at)
    }
}

impl core::error::Error for JsonError {}

/// The bytes of text per node of a typical document, and the maximum number of nodes that are allocated in advance.
const BYTES_PER_NODE: usize = 12;
const MAX_RESERVED_NODES: usize = 1024;

/// The depth of the values that an outline defers: the content of an item in a response, the parameters of a tool.
const OUTLINE_DEPTH: usize = 4;

/// The depth of a typical document.
const RESERVED_DEPTH: usize = 16;

impl Tape {
    /// Checks a whole document, nested at most `depth` deep, and remembers its values. On an error the tape is empty.
    pub fn parse(&mut self, text: &str, depth: usize) -> Result<(), JsonError> {
        self.nodes.max_depth = usize::MAX;
        self.parse_to_depth(text, depth)
    }

    /// As [`parse`](Self::parse), for callers that rarely read deeply nested values: those are parsed on first access.
    pub(crate) fn parse_outline(&mut self, text: &str, depth: usize) -> Result<(), JsonError> {
        self.nodes.max_depth = OUTLINE_DEPTH;
        self.parse_to_depth(text, depth)
    }

    fn parse_to_depth(&mut self, text: &str, depth: usize) -> Result<(), JsonError> {
        self.clear();
        // A saved state nests values of the maximum depth a few levels further.
        let result = self.parse_inner(text.as_bytes(), depth.min(MAX_DEPTH + 32));
        if result.is_err() {
            self.clear();
        }
        result
    }

    fn parse_inner(&mut self, bytes: &[u8], depth: usize) -> Result<(), JsonError> {
        if u32::try_from(bytes.len()).is_err() {
            return Err(JsonError::new(JsonErrorKind::Length, 0));
        }
        // A new tape allocates at once: growing step by step costs as much as parsing a short payload.
        self.nodes.list.reserve((bytes.len() / BYTES_PER_NODE).min(MAX_RESERVED_NODES));
        self.stack.reserve(RESERVED_DEPTH);
        let end = scan::value::<true>(bytes, 0, depth, &mut self.nodes, &mut self.stack)?;
        let end = scan::skip_space(bytes, end);
        if end < bytes.len() {
            return Err(JsonError::new(JsonErrorKind::Trailing, end));
        }
        Ok(())
    }

    /// Returns the tape of a deferred container; parses it at the first call.
    fn parse_deferred(&self, at: usize, text: &str) -> Option<&Self> {
        let found = self.nodes.deferred.binary_search_by_key(&(at as u32), |(node, _)| *node).ok()?;
        let (_, tape) = self.nodes.deferred.get(found)?;
        Some(tape.get_or_init(|| {
            let mut tape = Self::default();
            let start = self.nodes.list[at].start as usize;
            // The text was checked before, its depth included.
            let checked = scan::value::<true>(text.as_bytes(), start, usize::MAX, &mut tape.nodes, &mut tape.stack);
            debug_assert!(checked.is_ok(), "only what was checked is deferred");
            Box::new(tape)
        }))
    }

    /// Removes the document and keeps the buffers.
    pub fn clear(&mut self) {
        self.nodes.list.clear();
        self.nodes.deferred.clear();
    }

    /// The memory of the buffers, in bytes.
    pub(crate) fn capacity(&self) -> usize {
        self.nodes.list.capacity() * size_of::<Node>()
    }

    /// Returns `true` if there is no document.
    pub fn is_empty(&self) -> bool {
        self.nodes.list.is_empty()
    }

    /// Returns the value of the document. `text` must be the text that was parsed.
    ///
    /// # Panics
    /// If no document was parsed.
    pub fn root<'a>(&'a self, text: &'a str) -> ValueRef<'a> {
        assert!(!self.is_empty(), "root of an empty tape");
        ValueRef { text, tape: self, at: 0 }
    }
}

/// Returns `true` if the bytes are one whole document, nested at most `depth` deep: the check of [`Tape::parse`], without building a
/// tape.
pub(crate) fn is_document(text: &[u8], depth: usize) -> bool {
    let end = scan::skip(text, 0, depth.min(MAX_DEPTH + 32), &mut Vec::new());
    u32::try_from(text.len()).is_ok() && end.is_ok_and(|end| scan::skip_space(text, end) == text.len())
}

/// One value on a [`Tape`]. Cheap to copy; converts nothing until it is read.
#[derive(Clone, Copy)]
pub struct ValueRef<'a> {
    text: &'a str,
    tape: &'a Tape,
    at: usize,
}

impl<'a> ValueRef<'a> {
    #[inline]
    fn node(&self) -> &'a Node {
        &self.tape.nodes.list[self.at]
    }

    #[inline]
    fn at_node(&self, at: usize) -> Self {
        Self { at, ..*self }
    }

    /// The type of the value.
    #[inline]
    pub fn kind(&self) -> ValueKind {
        self.node().tag
    }

    /// The exact text of the value, quotes included.
    pub fn raw(&self) -> &'a str {
        let (start, end) = self.span();
        &self.text[start..end]
    }

    /// The position of the value in the text, quotes included.
    pub fn span(&self) -> (usize, usize) {
        let node = self.node();
        let quote = usize::from(node.tag == ValueKind::String);
        (node.start as usize - quote, node.end as usize + quote)
    }

    /// The text of a string, decoded if it has escapes.
    #[inline]
    pub fn as_str(&self) -> Option<Cow<'a, str>> {
        let node = self.node();
        if node.tag != ValueKind::String {
            return None;
        }
        let literal = &self.text[node.start as usize..node.end as usize];
        Some(if node.escaped { text::decode(literal) } else { Cow::Borrowed(literal) })
    }

    /// Appends a string as a JSON literal: as it was written, or without its escapes if it has some, so that half of a surrogate pair is
    /// U+FFFD. Nothing for other values.
    #[cfg_attr(not(feature = "__inbound"), allow(dead_code))]
    pub(crate) fn write_string(&self, out: &mut String) {
        match self.as_str() {
            Some(Cow::Borrowed(literal)) => {
                out.push('"');
                out.push_str(literal);
                out.push('"');
            }
            Some(Cow::Owned(decoded)) => text::write_string(&decoded, out),
            None => {}
        }
    }

    /// The inside of a string as it was written, with its escapes.
    pub fn literal(&self) -> Option<&'a str> {
        let node = self.node();
        (node.tag == ValueKind::String).then(|| &self.text[node.start as usize..node.end as usize])
    }

    /// The bytes of a number, or of a string without escapes; for comparisons without a conversion.
    #[inline]
    pub(crate) fn plain_bytes(&self) -> Option<&'a [u8]> {
        let node = self.node();
        let bytes = self.text.as_bytes().get(node.start as usize..node.end as usize)?;
        (!node.escaped && matches!(node.tag, ValueKind::String | ValueKind::Number)).then_some(bytes)
    }

    /// Returns `true` if the value is a string with exactly this text.
    #[inline]
    pub fn is_str(&self, text: &str) -> bool {
        let node = self.node();
        node.tag == ValueKind::String && self.is_key(node, text)
    }

    /// The value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self.kind() {
            ValueKind::True => Some(true),
            ValueKind::False => Some(false),
            _ => None,
        }
    }

    /// The number as it was written.
    pub fn as_number(&self) -> Option<Number> {
        (self.kind() == ValueKind::Number).then(|| Number::from_text(self.raw()))
    }

    /// The number as an integer; `None` if it is not an integer, negative or out of range.
    pub fn as_u64(&self) -> Option<u64> {
        match self.kind() {
            ValueKind::Number => self.raw().parse().ok().or_else(|| self.as_number()?.as_u64()),
            _ => None,
        }
    }

    /// The number as an integer; `None` if it is not an integer or out of range.
    pub fn as_i64(&self) -> Option<i64> {
        match self.kind() {
            ValueKind::Number => self.raw().parse().ok().or_else(|| self.as_number()?.as_i64()),
            _ => None,
        }
    }

    /// Returns `true` for a deferred list, such as one of log probabilities: reading its text is cheaper than parsing its elements.
    pub(crate) fn is_deferred(&self) -> bool {
        self.node().tag == ValueKind::Array && self.node().escaped
    }

    /// The same value with its elements parsed.
    #[inline]
    fn with_contents(&self) -> Self {
        let tape = if self.node().is_deferred() { self.tape.parse_deferred(self.at, self.text) } else { None };
        tape.map_or(*self, |tape| ValueRef { text: self.text, tape, at: 0 })
    }

    /// Returns `true` if this is `null`.
    pub fn is_null(&self) -> bool {
        self.kind() == ValueKind::Null
    }

    /// The elements of an array; nothing for other values.
    pub fn elements(&self) -> impl Iterator<Item = ValueRef<'a>> + use<'a> {
        let this = self.with_contents();
        let node = this.node();
        let end = if node.tag == ValueKind::Array { node.next as usize } else { this.at + 1 };
        let mut at = this.at + 1;
        core::iter::from_fn(move || {
            let view = (at < end).then(|| this.at_node(at))?;
            at = view.node().next as usize;
            Some(view)
        })
    }

    /// The members of an object, repeated keys included; nothing for other values.
    pub fn entries(&self) -> impl Iterator<Item = (ValueRef<'a>, ValueRef<'a>)> + use<'a> {
        let this = self.with_contents();
        let node = this.node();
        let end = if node.tag == ValueKind::Object { node.next as usize } else { this.at + 1 };
        let mut at = this.at + 1;
        core::iter::from_fn(move || {
            let (key, value) = (at < end).then(|| (this.at_node(at), this.at_node(at + 1)))?;
            at = value.node().next as usize;
            Some((key, value))
        })
    }

    /// A member of an object; the last one of repeated keys.
    pub fn get(&self, key: &str) -> Option<Self> {
        let this = self.with_contents();
        let node = this.node();
        let end = if node.tag == ValueKind::Object { node.next as usize } else { 0 };
        let (mut at, mut found) = (this.at + 1, None);
        while let Some([name, value, ..]) = this.tape.nodes.list.get(at..end) {
            if this.is_key(name, key) {
                found = Some(this.at_node(at + 1));
            }
            at = value.next as usize;
        }
        found
    }

    /// Members of an object by their keys, found in one pass; the last one of repeated keys.
    #[inline]
    pub(crate) fn members<const N: usize>(&self, keys: [&str; N]) -> [Option<Self>; N] {
        let this = self.with_contents();
        let node = this.node();
        let end = if node.tag == ValueKind::Object { node.next as usize } else { 0 };
        let (mut at, mut found) = (this.at + 1, [None; N]);
        while let Some([name, value, ..]) = this.tape.nodes.list.get(at..end) {
            for (key, found) in keys.iter().zip(&mut found) {
                if this.is_key(name, key) {
                    *found = Some(this.at_node(at + 1));
                }
            }
            at = value.next as usize;
        }
        found
    }

    /// The value at a JSON pointer (`/output/0/id`); the empty pointer is the value itself.
    pub fn pointer(&self, pointer: &str) -> Option<Self> {
        let mut view = *self;
        for step in pointer.split('/').skip(1) {
            view = match view.kind() {
                ValueKind::Object if step.contains('~') => view.get(&text::unescaped(step))?,
                ValueKind::Object => view.get(step)?,
                ValueKind::Array => view.elements().nth(step.parse().ok()?)?,
                _ => return None,
            };
        }
        Some(view)
    }

    // Inlined, because most keys differ in length, which is compared without a call.
    #[inline(always)]
    fn is_key(&self, node: &Node, key: &str) -> bool {
        let may_equal = (node.end - node.start) as usize == key.len() || node.escaped;
        may_equal && self.key_equals(node, key)
    }

    #[inline(never)]
    fn key_equals(&self, node: &Node, key: &str) -> bool {
        let (start, end) = (node.start as usize, node.end as usize);
        if node.escaped {
            text::literal_eq(&self.text[start..end], key)
        } else {
            self.text.as_bytes().get(start..end) == Some(key.as_bytes())
        }
    }

    /// The value as the event scanner sees it: kind, whether it has escapes, start and end without quotes.
    #[inline]
    pub(crate) fn token(&self) -> (ValueKind, bool, usize, usize) {
        let node = self.node();
        let escaped = node.escaped && node.tag == ValueKind::String;
        (node.tag, escaped, node.start as usize, node.end as usize)
    }

    /// Returns `true` if both are the same JSON value: numbers by value, strings decoded, members in any order, the last of repeated keys.
    ///
    /// Builds no values. Members in the same order are compared in pairs; otherwise they are sorted, so time is O(n log n).
    pub(crate) fn is_equal(&self, other: ValueRef<'_>) -> bool {
        // Recursion is bounded by the depth limit of `parse`.
        match (self.kind(), other.kind()) {
            (ValueKind::Number, ValueKind::Number) => {
                self.raw() == other.raw() || self.as_number() == other.as_number()
            }
            (ValueKind::String, ValueKind::String) => {
                self.literal() == other.literal() || self.as_str() == other.as_str()
            }
            (ValueKind::Array, ValueKind::Array) => {
                let (mut ours, mut theirs) = (self.elements(), other.elements());
                loop {
                    match (ours.next(), theirs.next()) {
                        (None, None) => return true,
                        (Some(a), Some(b)) if a.is_equal(b) => {}
                        _ => return false,
                    }
                }
            }
            (ValueKind::Object, ValueKind::Object) => self.has_equal_members(other),
            (a, b) => a == b,
        }
    }

    #[inline(never)]
    fn has_equal_members(&self, other: ValueRef<'_>) -> bool {
        let in_order = {
            let (mut ours, mut theirs) = (self.entries(), other.entries());
            loop {
                match (ours.next(), theirs.next()) {
                    (None, None) => break true,
                    (Some((a, _)), Some((b, _))) if a.is_equal(b) => {}
                    _ => break false,
                }
            }
        };
        if in_order {
            return self.entries().zip(other.entries()).all(|((_, a), (_, b))| a.is_equal(b));
        }
        let (ours, theirs) = (MemberIndex::of(*self), MemberIndex::of(other));
        ours.iter().count() == theirs.iter().count()
            && ours.iter().all(|(key, a)| theirs.get(key).is_some_and(|b| a.is_equal(b)))
    }

    /// Returns the value, owned.
    pub fn to_value(&self) -> Value {
        // Recursion is bounded by the depth limit of `parse`.
        match self.kind() {
            ValueKind::Null => Value::Null,
            ValueKind::True => Value::Bool(true),
            ValueKind::False => Value::Bool(false),
            ValueKind::Number => Value::Number(Number::from_text(self.raw())),
            ValueKind::String => Value::String(self.string()),
            ValueKind::Array => self.to_array(),
            ValueKind::Object => self.to_object(),
        }
    }

    // Two small functions, so that a stack frame of the recursion is small: a thread may have a small stack.
    #[inline(never)]
    fn to_array(self) -> Value {
        let this = self.with_contents();
        let mut elements = Vec::with_capacity(this.elements().count());
        let (mut at, end) = (this.at + 1, this.node().next as usize);
        while at < end {
            elements.push(this.at_node(at).to_value());
            at = this.tape.nodes.list[at].next as usize;
        }
        Value::Array(elements)
    }

    #[inline(never)]
    fn to_object(self) -> Value {
        let this = self.with_contents();
        let mut object = Object::with_capacity(this.entries().count());
        let (mut at, end) = (this.at + 1, this.node().next as usize);
        while at < end {
            let value = this.at_node(at + 1).to_value();
            this.push_to(&mut object, at, value);
            at = this.tape.nodes.list[at + 1].next as usize;
        }
        Value::Object(object)
    }

    #[inline(never)]
    fn push_to(&self, object: &mut Object, key: usize, value: Value) {
        object.push_named(&self.at_node(key).as_str().unwrap_or_default(), value);
    }

    fn string(&self) -> String {
        self.as_str().unwrap_or_default().into_owned()
    }
}

impl fmt::Debug for ValueRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.raw())
    }
}

/// The members of an object, so that each is found by its key in O(log² n). Repeated keys have the last member.
pub(crate) struct MemberIndex<'a> {
    members: Vec<(Cow<'a, str>, ValueRef<'a>)>,
    index: KeyIndex,
}

impl<'a> MemberIndex<'a> {
    /// Indexes the members of an object; none for other values.
    pub(crate) fn of(object: ValueRef<'a>) -> Self {
        let members: Vec<_> = object.entries().map(|(key, value)| (key.as_str().unwrap_or_default(), value)).collect();
        let mut index = KeyIndex::default();
        // A payload has at most 4 GiB, so positions fit.
        (0..members.len()).for_each(|at| index.push(at as u32, |at| &members[at as usize].0));
        Self { members, index }
    }

    /// A member by its key.
    pub(crate) fn get(&self, key: &str) -> Option<ValueRef<'a>> {
        self.members.get(self.position(key)?).map(|(_, value)| *value)
    }

    /// The members; of a repeated key only the last one.
    fn iter(&self) -> impl Iterator<Item = (&str, ValueRef<'a>)> {
        let members = self.members.iter().enumerate();
        members.filter(|(at, (key, _))| self.position(key) == Some(*at)).map(|(_, (key, value))| (&**key, *value))
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.index.position(key, |at| &self.members[at as usize].0).map(|at| at as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    fn parse(text: &str) -> Result<Value, JsonError> {
        Value::parse(text, 4)
    }

    #[test]
    fn a_document_survives_with_every_digit_key_and_repetition() {
        let text = r#" { "b" : [ 1e400 , -0 , {} , [] ] , "a\u0062" : "x\ny" , "b" : null } "#;
        let value = parse(text).unwrap();
        assert_eq!(format!("{value}"), r#"{"b":[1e400,-0,{},[]],"ab":"x\ny","b":null}"#);
        assert!(value.get("b").unwrap().is_null(), "the last of repeated keys counts");
    }

    #[test]
    fn views_are_equal_in_any_order_of_members_at_any_depth() {
        let is_equal = |one: &str, other: &str| {
            let (mut left, mut right) = (Tape::default(), Tape::default());
            left.parse(one, 128).unwrap();
            right.parse(other, 128).unwrap();
            left.root(one).is_equal(right.root(other))
        };
        assert!(is_equal(r#"{"a":7,"b":2,"a":1}"#, r#"{"b":2,"\u0061":1}"#), "the last of repeated keys counts");
        for other in [r#"{"b":2}"#, r#"{"b":2,"a":1,"c":3}"#, r#"{"b":2,"a":7}"#, r#"{"b":2,"c":1}"#] {
            assert!(!is_equal(r#"{"a":7,"b":2,"a":1}"#, other), "{other}");
        }
        let nested = |open: &str, close: &str| format!("{}1{}", open.repeat(100), close.repeat(100));
        assert!(is_equal(&nested(r#"{"a":0,"b":"#, "}"), &nested(r#"{"b":"#, r#","a":0}"#)));
    }

    #[test]
    fn a_list_of_log_probabilities_is_read_like_any_other() {
        let list = r#"[ {"token":"a\n","bytes":[97,10],"logprobs":[[1],[]]} , 2 ]"#;
        let text = format!(r#"{{"x":[{{"logprobs": {list} ,"logprobs":[],"y":1}}],"logprobs":{list}}}"#);
        // An equal number in another notation.
        let other = text.replace("logprobs", "logPROBS");
        let mut tape = Tape::default();
        for _ in 0..2 {
            tape.parse(&text, 7).unwrap();
            assert!(tape.nodes.list.len() < 16, "{}", tape.nodes.list.len());
            let root = tape.root(&text);
            let known = Value::parse(&other, 7).unwrap();
            assert_eq!(format!("{}", root.to_value()), format!("{known}").replace("logPROBS", "logprobs"));
            let view = root.get("logprobs").unwrap();
            assert_eq!((view.raw(), view.elements().count()), (list, 2));
            assert_eq!(root.pointer("/logprobs/0/logprobs/0/0").unwrap().as_u64(), Some(1));
            assert_eq!(root.pointer("/x/0/y").unwrap().as_u64(), Some(1));
        }
        for depth in 0..8 {
            for end in 0..=text.len() {
                assert_eq!(tape.parse(&text[..end], depth), Tape::default().parse(&other[..end], depth));
            }
        }
    }

    #[test]
    fn an_outline_has_fewer_nodes_and_the_same_values() {
        let deep = r#"{"response":{"output":[{"id":"a","content":[{"text":"x\n","a":[[],{}]}],"e":[],"o":{}}],"n":[1]},"t":0}"#;
        let (mut outline, mut whole) = (Tape::default(), Tape::default());
        for text in [deep, "[[[[[[[1]]]]]]]", r#"[[[[{"a":{"a":1,"a":2}}]]]]"#, "{}", "[[[[ ]]]]"] {
            // The second time, the buffers are reused.
            for _ in 0..2 {
                outline.parse_outline(text, 9).unwrap();
                whole.parse(text, 9).unwrap();
                assert!(outline.nodes.list.len() <= whole.nodes.list.len());
                let (a, b) = (outline.root(text), whole.root(text));
                assert!(a.is_equal(b) && b.is_equal(a));
                assert_eq!(format!("{}", a.to_value()), format!("{}", b.to_value()));
            }
            // Miri is slow; some depths take the same branches.
            for depth in (0..10).step_by(if cfg!(miri) { 4 } else { 1 }) {
                for end in 0..=text.len() {
                    assert_eq!(outline.parse_outline(&text[..end], depth), whole.parse(&text[..end], depth));
                }
            }
        }
        outline.parse_outline(deep, 9).unwrap();
        let item = outline.root(deep).pointer("/response/output/0").unwrap();
        assert_eq!(item.get("content").unwrap().raw(), r#"[{"text":"x\n","a":[[],{}]}]"#);
        assert_eq!(item.pointer("/content/0/text").unwrap().as_str().as_deref(), Some("x\n"));
        let [id, content] = item.members(["id", "content"]);
        assert!(id.unwrap().is_str("a") && content.unwrap().elements().count() == 1);
        assert_eq!(outline.nodes.deferred.len(), 1, "empty containers are not deferred");
    }

    #[test]
    fn depth_is_accepted_up_to_the_limit_and_refused_beyond_it() {
        assert!(parse("[[[[]]]]").is_ok());
        assert_eq!(parse("[[[[[]]]]]").unwrap_err().kind(), JsonErrorKind::Depth);
        let deep = "[".repeat(100_000);
        assert_eq!(parse(&deep).unwrap_err().position(), 4);
    }

    #[test]
    fn every_truncated_document_is_an_error() {
        let text = r#"{"a":[1.5e3,"\u00e9",true,null],"b":{"c":-1}}"#;
        for end in 0..text.len() {
            assert!(parse(&text[..end]).is_err(), "{}", &text[..end]);
        }
        assert!(parse(&format!("{text} x")).is_err());
    }

    #[test]
    fn malformed_text_is_refused_where_it_goes_wrong() {
        for (text, kind, at) in [
            ("01", JsonErrorKind::Number, 0),
            ("1.", JsonErrorKind::Number, 0),
            ("\"\\x\"", JsonErrorKind::Escape, 1),
            ("\"a\u{1}\"", JsonErrorKind::Control, 2),
            ("[1 2]", JsonErrorKind::Unexpected, 3),
            ("{\"a\":1,}", JsonErrorKind::Unexpected, 7),
            ("[1,]", JsonErrorKind::Unexpected, 3),
            ("{}x", JsonErrorKind::Trailing, 2),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!((error.kind(), error.position()), (kind, at), "{text}");
        }
    }
}
