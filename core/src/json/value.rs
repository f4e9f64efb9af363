//! [`Value`]: a lossless JSON value: numbers as text, keys in order, repeated keys kept.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Index;
use core::str::FromStr;

use super::key_index::KeyIndex;
use super::tape::{Tape, ValueRef};
use super::text::{unescaped, write_string};
use super::JsonError;

/// Any JSON value, owned.
///
/// Equality is by meaning: key order is ignored, the last of repeated keys counts, `1` equals `1.0`.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it was written.
    Number(Number),
    /// A string, escapes decoded. A lone surrogate escape is U+FFFD here.
    String(String),
    /// `[…]`
    Array(Vec<Self>),
    /// `{…}`
    Object(Object),
}

/// A JSON number as it was written: no digit is lost.
#[derive(Clone, Debug)]
pub struct Number(Box<str>);

/// The members of a JSON object, in order, repeated keys included. A key is found in O(log² n).
#[derive(Clone, Default)]
pub struct Object {
    members: Members,
}

/// The members; a large object also has an index of its keys.
#[derive(Clone)]
enum Members {
    Few(Vec<(Key, Value)>),
    Many(Box<IndexedMembers>),
}

/// The members of a large object. The index has every position.
#[derive(Clone)]
struct IndexedMembers {
    entries: Vec<(Key, Value)>,
    index: KeyIndex,
}

/// An object with more members has an index. Comparing a few keys is faster than searching an index.
const FEW_MEMBERS: usize = 32;

/// A key: a common name, which needs no memory, or its own text.
type Key = alloc::borrow::Cow<'static, str>;

impl Value {
    /// Parses JSON text nested at most `depth` deep.
    ///
    /// ```
    /// use deltafold::json::Value;
    /// let value = Value::parse(r#"{"a":[1,2.50]}"#, 128).unwrap();
    /// assert_eq!(value.pointer("/a/1").unwrap().to_string(), "2.50");
    /// ```
    pub fn parse(text: &str, depth: usize) -> Result<Self, JsonError> {
        let mut tape = Tape::default();
        tape.parse(text, depth)?;
        Ok(tape.root(text).to_value())
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number as an integer, if it is one and in range.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(number) => number.as_i64(),
            _ => None,
        }
    }

    /// The number as an integer, if it is one, in range and not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Number(number) => number.as_u64(),
            _ => None,
        }
    }

    /// The nearest double.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The elements of an array, mutable.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Self>> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The members of an object, mutable.
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns `true` if this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// A member of an object; `None` for other values.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key)
    }

    /// The text of a member that is a string.
    pub fn str_at(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    /// The value at a JSON pointer (`/output/0/id`); the empty pointer is the value itself.
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        let mut value = self;
        for step in pointer.split('/').skip(1) {
            value = match value {
                Self::Object(object) if step.contains('~') => object.get(&unescaped(step))?,
                Self::Object(object) => object.get(step)?,
                Self::Array(items) => items.get(step.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Returns `true` if at most `depth` arrays and objects are inside each other.
    pub(crate) fn nests_within(&self, depth: usize) -> bool {
        match self {
            Self::Array(items) => depth > 0 && items.iter().all(|item| item.nests_within(depth - 1)),
            Self::Object(object) => depth > 0 && object.iter().all(|(_, value)| value.nests_within(depth - 1)),
            _ => true,
        }
    }

    /// Appends the value as compact JSON text.
    pub fn write_into(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(true) => out.push_str("true"),
            Self::Bool(false) => out.push_str("false"),
            Self::Number(number) => out.push_str(number.as_str()),
            Self::String(text) => write_string(text, out),
            Self::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.write_into(out);
                }
                out.push(']');
            }
            Self::Object(object) => object.write_into(out),
        }
    }

    /// The value as JSON text with two spaces per level.
    pub fn to_pretty(&self) -> String {
        let mut out = String::new();
        self.write_pretty(0, &mut out);
        out
    }

    fn write_pretty(&self, level: usize, out: &mut String) {
        let line = |level: usize, out: &mut String| {
            out.push('\n');
            out.extend(core::iter::repeat_n("  ", level));
        };
        match self {
            Self::Array(items) if !items.is_empty() => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    line(level + 1, out);
                    item.write_pretty(level + 1, out);
                }
                line(level, out);
                out.push(']');
            }
            Self::Object(object) if !object.is_empty() => {
                out.push('{');
                for (at, (key, value)) in object.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    line(level + 1, out);
                    write_string(key, out);
                    out.push_str(": ");
                    value.write_pretty(level + 1, out);
                }
                line(level, out);
                out.push('}');
            }
            other => other.write_into(out),
        }
    }
}

impl Object {
    /// An empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty object with room for `count` members.
    pub fn with_capacity(count: usize) -> Self {
        // A large object gets its index once it is large.
        Self { members: Members::Few(Vec::with_capacity(count)) }
    }

    /// The value of a key; the last one of repeated keys.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entry(self.position(key)?).map(|(_, value)| value)
    }

    /// The value of a key, mutable.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.entry_mut(self.position(key)?).map(|(_, value)| value)
    }

    /// Position of a key among the members; the last one of repeated keys.
    pub fn position(&self, key: &str) -> Option<usize> {
        match &self.members {
            Members::Few(entries) => entries.iter().rposition(|(name, _)| name == key),
            Members::Many(many) => many.position(key),
        }
    }

    /// The member at a position.
    pub fn entry(&self, at: usize) -> Option<(&str, &Value)> {
        self.entries().get(at).map(|(key, value)| (&**key, value))
    }

    /// The member at a position, mutable.
    #[inline]
    pub fn entry_mut(&mut self, at: usize) -> Option<(&str, &mut Value)> {
        self.entries_mut().get_mut(at).map(|(key, value)| (&**key, value))
    }

    /// Returns `true` if the object has the key.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Sets a key: in place if it exists, otherwise after all others. Returns the old value.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        let (key, value) = (key.into(), value.into());
        match self.get_mut(&key) {
            Some(place) => Some(core::mem::replace(place, value)),
            None => {
                self.push_member(key.into(), value);
                None
            }
        }
    }

    /// Adds a member after all others without searching for the key.
    pub fn push(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        self.push_member(Key::from(key.into()), value.into());
    }

    /// The same for a key that may be a common name, which takes no memory.
    pub(crate) fn push_named(&mut self, key: &str, value: impl Into<Value>) {
        self.push_member(key_of(key), value.into());
    }

    fn push_member(&mut self, key: Key, value: Value) {
        match &mut self.members {
            Members::Few(entries) if entries.len() < FEW_MEMBERS => entries.push((key, value)),
            Members::Few(entries) => {
                let mut entries = core::mem::take(entries);
                entries.push((key, value));
                self.members = Members::of(entries);
            }
            Members::Many(many) => many.push(key, value),
        }
    }

    /// Removes a key with all its repetitions; returns the last value.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.position(key)?;
        let mut entries = core::mem::take(self).into_entries();
        let (_, value) = entries.remove(at);
        entries.retain(|(name, _)| name != key);
        self.members = Members::of(entries);
        Some(value)
    }

    #[inline]
    fn entries(&self) -> &[(Key, Value)] {
        match &self.members {
            Members::Few(entries) => entries,
            Members::Many(many) => &many.entries,
        }
    }

    /// The members. A caller must not change a key, because the index refers to it.
    #[inline]
    fn entries_mut(&mut self) -> &mut [(Key, Value)] {
        match &mut self.members {
            Members::Few(entries) => entries,
            Members::Many(many) => &mut many.entries,
        }
    }

    fn into_entries(self) -> Vec<(Key, Value)> {
        match self.members {
            Members::Few(entries) => entries,
            Members::Many(many) => many.entries,
        }
    }

    /// Number of members, repetitions included.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Returns `true` if there are no members.
    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    /// The members in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Value)> + ExactSizeIterator {
        self.entries().iter().map(|(key, value)| (&**key, value))
    }

    /// The members in order; of a repeated key only the last one.
    fn distinct(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.iter().enumerate().filter(|(at, (key, _))| self.position(key) == Some(*at)).map(|(_, member)| member)
    }

    /// The members in order, with mutable values.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&str, &mut Value)> {
        self.entries_mut().iter_mut().map(|(key, value)| (&**key, value))
    }

    /// Appends the object as compact JSON text.
    pub fn write_into(&self, out: &mut String) {
        out.push('{');
        for (at, (key, value)) in self.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            write_string(key, out);
            out.push(':');
            value.write_into(out);
        }
        out.push('}');
    }
}

impl Default for Members {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Members {
    fn of(entries: Vec<(Key, Value)>) -> Self {
        if entries.len() <= FEW_MEMBERS {
            return Self::Few(entries);
        }
        let mut many = IndexedMembers { entries, index: KeyIndex::default() };
        (0..many.entries.len()).for_each(|at| many.add_to_index(at));
        Self::Many(Box::new(many))
    }
}

impl IndexedMembers {
    fn push(&mut self, key: Key, value: Value) {
        self.entries.push((key, value));
        self.add_to_index(self.entries.len() - 1);
    }

    fn add_to_index(&mut self, at: usize) {
        let entries = &self.entries;
        // An object with 2³² members would take more memory than there is.
        self.index.push(at as u32, |at| &entries[at as usize].0);
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.index.position(key, |at| &self.entries[at as usize].0).map(|at| at as usize)
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Makes a key: a common name without memory of its own, or a copy.
fn key_of(key: &str) -> Key {
    let names: &[&'static str] = match key.len() {
        2 => &["id"],
        4 => &["type", "text", "role", "name"],
        3 => &["url"],
        5 => &["token", "bytes", "title", "phase", "model", "usage", "error"],
        6 => &["status", "object", "output", "action"],
        7 => &["content", "call_id", "logprob", "summary"],
        8 => &["logprobs"],
        9 => &["arguments", "end_index"],
        10 => &["created_at"],
        11 => &["annotations", "start_index"],
        12 => &["top_logprobs"],
        17 => &["encrypted_content"],
        _ => &[],
    };
    let usual = names.iter().copied().find(|name| *name == key);
    usual.map_or_else(|| Key::from(String::from(key)), Key::from)
}

impl Number {
    /// Takes the text of a well-formed JSON number.
    pub(crate) fn from_text(text: &str) -> Self {
        Self(text.into())
    }

    /// The number as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value, if it is an integer in range (`1.0` and `1e2` are integers).
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse::<i64>().ok().or_else(|| Decimal::of(&self.0).as_i64())
    }

    /// The value, if it is an integer in range and not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match self.0.parse::<u64>() {
            Ok(value) => Some(value),
            Err(_) => self.as_i64().and_then(|value| u64::try_from(value).ok()),
        }
    }

    /// The nearest double; infinite if it is out of range.
    pub fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok()
    }
}

/// Numbers are equal in any notation: `1.0`, `1` and `10e-1` are equal.
impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || Decimal::of(&self.0) == Decimal::of(&other.0)
    }
}

/// A number in its one shortest form, without zeros at either end of the digits. It is exact, unlike a double, and does not
/// need the tables for reading a double.
#[derive(PartialEq)]
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    /// The power of ten by which the digits are multiplied.
    exponent: i64,
}

impl Decimal {
    fn of(text: &str) -> Self {
        let mut this = Self { negative: text.starts_with('-'), digits: Vec::new(), exponent: 0 };
        let (mut fraction, mut power) = (false, None);
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'.' => fraction = true,
                b'e' | b'E' => power = text.get(at + 1..),
                b'0'..=b'9' if power.is_none() => {
                    this.exponent -= i64::from(fraction);
                    // A leading zero is not a digit of the value.
                    if byte != b'0' || !this.digits.is_empty() {
                        this.digits.push(byte - b'0');
                    }
                }
                _ => {}
            }
        }
        // Exponents beyond 64 bits are reduced to the largest one.
        let huge = |power: &str| if power.starts_with('-') { i64::MIN } else { i64::MAX };
        let power = power.map_or(0, |power| power.parse().unwrap_or_else(|_| huge(power)));
        this.exponent = this.exponent.saturating_add(power);
        while this.digits.last() == Some(&0) {
            this.digits.pop();
            this.exponent = this.exponent.saturating_add(1);
        }
        if this.digits.is_empty() {
            this = Self { negative: false, digits: Vec::new(), exponent: 0 };
        }
        this
    }

    fn as_i64(&self) -> Option<i64> {
        // A number with more zeros is out of range, whatever its other digits are.
        let zeros = usize::try_from(self.exponent).ok().filter(|zeros| *zeros < 19)?;
        let digits = self.digits.iter().copied().chain(core::iter::repeat_n(0, zeros));
        let sign = if self.negative { -1 } else { 1 };
        let mut value = 0_i64;
        for digit in digits {
            value = value.checked_mul(10)?.checked_add(sign * i64::from(digit))?;
        }
        Some(value)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => a == b,
            _ => false,
        }
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        let in_order = self.len() == other.len() && self.iter().zip(other.iter()).all(|(a, b)| a.0 == b.0);
        if in_order {
            return self.iter().zip(other.iter()).all(|(a, b)| a.1 == b.1);
        }
        // Each value is compared once: twice would be exponential in the depth.
        self.distinct().count() == other.distinct().count()
            && self.distinct().all(|(key, value)| other.get(key).is_some_and(|found| found == value))
    }
}

/// The result of indexing an absent member or element.
static NULL: Value = Value::Null;

impl Index<&str> for Value {
    type Output = Self;

    /// A member of an object; `null` if it is absent or the value is not an object.
    ///
    /// ```
    /// use deltafold::json::Value;
    /// let value = Value::parse(r#"{"a":[1,2]}"#, 8)?;
    /// assert_eq!(value["a"][1].as_u64(), Some(2));
    /// assert!(value["b"][0]["c"].is_null());
    /// # Ok::<(), deltafold::json::JsonError>(())
    /// ```
    fn index(&self, key: &str) -> &Self {
        self.get(key).unwrap_or(&NULL)
    }
}

impl Index<usize> for Value {
    type Output = Self;

    /// An element of an array; `null` if it is absent or the value is not an array.
    fn index(&self, at: usize) -> &Self {
        self.as_array().and_then(|items| items.get(at)).unwrap_or(&NULL)
    }
}

impl FromStr for Value {
    type Err = JsonError;

    /// Parses JSON text with the default limit of [`Limits::depth`](crate::Limits::depth).
    fn from_str(text: &str) -> Result<Self, JsonError> {
        Self::parse(text, crate::Limits::default().depth)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write_into(&mut out);
        f.write_str(&out)
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write_into(&mut out);
        f.write_str(&out)
    }
}

impl From<ValueRef<'_>> for Value {
    fn from(view: ValueRef<'_>) -> Self {
        view.to_value()
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl From<Vec<Self>> for Value {
    fn from(items: Vec<Self>) -> Self {
        Self::Array(items)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

macro_rules! from_integer {
    ($($kind:ty)*) => {$(
        impl From<$kind> for Value {
            fn from(value: $kind) -> Self {
                Self::Number(Number(value.to_string().into()))
            }
        }
    )*};
}

from_integer!(i32 i64 u32 u64 usize);

impl From<f64> for Value {
    /// A double that JSON cannot hold (NaN, infinity) becomes `null`.
    fn from(value: f64) -> Self {
        if value.is_finite() {
            Self::Number(Number(value.to_string().into()))
        } else {
            Self::Null
        }
    }
}

impl FromIterator<(String, Value)> for Object {
    fn from_iter<T: IntoIterator<Item = (String, Value)>>(iter: T) -> Self {
        let entries = iter.into_iter().map(|(key, value)| (key.into(), value)).collect();
        Self { members: Members::of(entries) }
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = (&'a str, &'a Value);
    type IntoIter = alloc::vec::IntoIter<(&'a str, &'a Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter().collect::<Vec<_>>().into_iter()
    }
}

impl IntoIterator for Object {
    type Item = (String, Value);
    type IntoIter = alloc::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        let entries = self.into_entries().into_iter();
        entries.map(|(key, value)| (key.into(), value)).collect::<Vec<_>>().into_iter()
    }
}
