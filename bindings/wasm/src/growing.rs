//! [`SentValue`]: the part of a growing JSON value that JavaScript already has, so that a query returns only what is new.
//!
//! A value of growing JSON changes only at its end: the last leaf gets longer or is replaced, open containers get more children, and
//! finished values never change. So the state is the number of children of each container on the way to the last leaf, and that leaf.

use alloc::string::String;
use alloc::vec::Vec;

use deltafold::json::{write_string, Value};

/// Values of this many growing texts are remembered per reader; with one more, all are forgotten. JavaScript does the same (`MAX_GROWN` in
/// `npm/src/grown.ts`).
const MAX_GROWN: usize = 64;

/// What JavaScript has of the growing texts of a reader, by the mark of their parsers.
#[derive(Debug, Default)]
pub(crate) struct GrowingTexts {
    known: Vec<(u64, SentValue)>,
    newest_mark: u64,
}

impl GrowingTexts {
    /// Returns the mark and what is new, as `[mark, …]` followed by the members of `SentValue::update`; empty without a value.
    pub(crate) fn update(&mut self, value: Option<&Value>, mark: &mut u64) -> String {
        let Some(value) = value else { return String::new() };
        let at = self.known.iter().position(|(other, _)| other == mark).unwrap_or_else(|| {
            if self.known.len() == MAX_GROWN {
                self.known.clear();
            }
            self.newest_mark += 1;
            *mark = self.newest_mark;
            self.known.push((*mark, SentValue::default()));
            self.known.len() - 1
        });
        let mut out = String::from("[");
        Value::from(*mark).write_into(&mut out);
        out.push(',');
        if let Some((_, known)) = self.known.get_mut(at) {
            known.update(value, &mut out);
        }
        out.push(']');
        out
    }
}

/// What JavaScript has of one growing value.
#[derive(Debug, Default)]
pub(crate) struct SentValue {
    begun: bool,
    /// The number of children of each container on the way to the last leaf, outermost first.
    counts: Vec<usize>,
    /// The last value, unless it is an empty container.
    leaf: Option<Leaf>,
}

#[derive(Debug)]
enum Leaf {
    /// A string with this number of bytes.
    Text(usize),
    /// The JSON text of another value.
    Other(String),
}

impl SentValue {
    /// Appends what is new, without brackets, and remembers it. The whole value if nothing was known: `0,value,way`. Otherwise `1`, the new
    /// children of each known container, the change of the leaf, and the way: `1,[[child,…],[[key,child],…],…],2,"appended text",way`, or
    /// `3,value` for another leaf, or `0,null` for the same one. The way is that to the last leaf, from the outermost container that is new
    /// or has a new last child: the key or position of the last child of each container, null in an empty one. JavaScript cannot find
    /// it, because its objects have their own order of keys.
    pub(crate) fn update(&mut self, value: &Value, out: &mut String) {
        if !self.begun {
            self.begun = true;
            out.push_str("0,");
            value.write_into(out);
            self.descend(value, out);
            return;
        }
        out.push_str("1,[");
        let mut at = value;
        // The outermost container that got children: the way to the last leaf leads through its last child now.
        let mut grown = None;
        for (level, count) in self.counts.iter_mut().enumerate() {
            if level > 0 {
                out.push(',');
            }
            let size = size(at);
            write_children(at, *count..size, out);
            if size > *count && grown.is_none() {
                grown = Some((level, at));
            }
            let last = count.checked_sub(1).map(|last| child(at, last).1);
            *count = size;
            match last {
                Some(last) => at = last,
                None => break,
            }
        }
        out.push_str("],");
        let replaced = match (&mut self.leaf, at) {
            (Some(Leaf::Text(length)), Value::String(text)) if text.get(*length..).is_some() => {
                match text.get(*length..).unwrap_or_default() {
                    "" => out.push_str("0,null"),
                    end => {
                        out.push_str("2,");
                        write_string(end, out);
                    }
                }
                *length = text.len();
                None
            }
            (Some(Leaf::Other(known)), now) if *known == text_of(now) => {
                out.push_str("0,null");
                None
            }
            (None, _) => {
                out.push_str("0,null");
                None
            }
            // A number got more digits, or another value takes the place of the `null` of an unfinished one.
            (Some(_), now) => {
                out.push_str("3,");
                now.write_into(out);
                Some(now)
            }
        };
        match (grown, replaced) {
            (Some((level, container)), _) => {
                self.counts.truncate(level);
                self.leaf = None;
                self.descend(container, out);
            }
            (None, Some(now)) => {
                self.leaf = None;
                self.descend(now, out);
            }
            (None, None) => out.push_str(",[]"),
        }
    }

    /// Remembers a value and the way to its last leaf, and appends the way.
    fn descend(&mut self, value: &Value, out: &mut String) {
        let mut at = value;
        out.push_str(",[");
        let mut first = true;
        while let Value::Array(_) | Value::Object(_) = at {
            if !core::mem::take(&mut first) {
                out.push(',');
            }
            let size = size(at);
            self.counts.push(size);
            let Some(last) = size.checked_sub(1) else {
                out.push_str("null]");
                return;
            };
            let (key, child) = child(at, last);
            match key {
                Some(key) => write_string(key, out),
                None => Value::from(last as u64).write_into(out),
            }
            at = child;
        }
        out.push(']');
        self.leaf = Some(match at {
            Value::String(text) => Leaf::Text(text.len()),
            other => Leaf::Other(text_of(other)),
        });
    }
}

fn text_of(value: &Value) -> String {
    let mut text = String::new();
    value.write_into(&mut text);
    text
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    }
}

/// A child of a container that has it.
fn child(value: &Value, position: usize) -> (Option<&str>, &Value) {
    const NONE: (Option<&str>, &Value) = (None, &Value::Null);
    match value {
        Value::Array(items) => items.get(position).map_or(NONE, |item| (None, item)),
        Value::Object(members) => members.entry(position).map_or(NONE, |(key, value)| (Some(key), value)),
        _ => NONE,
    }
}

fn write_children(container: &Value, positions: core::ops::Range<usize>, out: &mut String) {
    out.push('[');
    let first = positions.start;
    for position in positions {
        if position > first {
            out.push(',');
        }
        match child(container, position) {
            (Some(key), value) => {
                out.push('[');
                write_string(key, out);
                out.push(',');
                value.write_into(out);
                out.push(']');
            }
            (None, value) => value.write_into(out),
        }
    }
    out.push(']');
}
