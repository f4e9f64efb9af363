//! [`PartialArguments`]: an object that is built from pieces, each with its path.
//!
//! Members are found by an index, so many small pieces cost no more than one large object.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::adapter::inbound::{text, SurrogateCarry, TextPiece};
use crate::json::{Object, Value, ValueKind, ValueRef};
use crate::limits::Limits;

/// The arguments of a call so far.
#[derive(Default)]
pub(super) struct PartialArguments {
    root: Option<ArgumentNode>,
    /// The path of the string that the next piece continues.
    open: Option<String>,
    carry: SurrogateCarry,
}

enum ArgumentNode {
    Leaf(Value),
    List(Vec<Self>),
    Map { members: Vec<(String, Self)>, index: BTreeMap<String, usize> },
}

enum PathStep<'p> {
    Key(&'p str),
    Index(usize),
}

impl PartialArguments {
    /// Replaces the object by whole arguments.
    pub(super) fn replace(&mut self, value: Value) {
        self.root = Some(ArgumentNode::Leaf(value));
    }

    /// Takes a piece; returns `true` if its path was usable.
    pub(super) fn take(&mut self, piece: ValueRef<'_>, limits: &Limits) -> bool {
        let Some(path) = text(piece.get("jsonPath")) else { return false };
        let goes_on = piece.get("willContinue").and_then(|flag| flag.as_bool()).unwrap_or(false);
        let continued = self.open.as_deref() == Some(path.as_ref());
        if !continued {
            self.carry = SurrogateCarry::default();
        }
        let string = piece.get("stringValue").and_then(TextPiece::from_json);
        let value = match &string {
            Some(piece) => Value::String(piece.join(&mut self.carry).into_owned()),
            None => match plain_value(piece) {
                Some(value) => value,
                // A string that only begins or ends has no text on the wire.
                None if continued || goes_on => Value::String(String::new()),
                None => return false,
            },
        };
        let Some(place) = self.place(&path, limits) else { return false };
        match (place, value) {
            (ArgumentNode::Leaf(Value::String(known)), Value::String(more)) if continued => known.push_str(&more),
            (place, value) => *place = ArgumentNode::Leaf(value),
        }
        self.open = goes_on.then(|| path.into_owned());
        true
    }

    /// The object so far.
    pub(super) fn into_value(self) -> Value {
        self.root.map_or(Value::Object(Object::new()), ArgumentNode::into_value)
    }

    /// The value at a path, created if it is missing. `None` if the path is malformed, too deep or leads into a
    /// value of another type.
    fn place(&mut self, path: &str, limits: &Limits) -> Option<&mut ArgumentNode> {
        // The whole path is checked before a value is created, so that an invalid path changes nothing.
        let mut rest = path.strip_prefix('$')?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (next, after) = step(rest)?;
            rest = after;
            steps.push(next);
            let too_far = matches!(steps.last(), Some(PathStep::Index(at)) if *at >= limits.parts);
            if too_far || steps.len() >= limits.depth {
                return None;
            }
        }
        let mut place = self.root.get_or_insert_with(ArgumentNode::map);
        for (at, step) in steps.iter().enumerate() {
            let next = match steps.get(at + 1) {
                Some(PathStep::Index(_)) => || ArgumentNode::List(Vec::new()),
                _ => ArgumentNode::map,
            };
            place = place.enter(step, next)?;
        }
        Some(place)
    }
}

impl ArgumentNode {
    fn map() -> Self {
        Self::Map { members: Vec::new(), index: BTreeMap::new() }
    }

    /// Goes one step down. A missing value is created; skipped elements of a list are null.
    fn enter(&mut self, step: &PathStep<'_>, next: impl Fn() -> Self) -> Option<&mut Self> {
        match (self, step) {
            (Self::Map { members, index }, PathStep::Key(key)) => {
                let at = match index.get(*key) {
                    Some(at) => *at,
                    None => {
                        index.insert((*key).into(), members.len());
                        members.push(((*key).into(), next()));
                        members.len() - 1
                    }
                };
                members.get_mut(at).map(|(_, node)| node)
            }
            (Self::List(elements), PathStep::Index(at)) => {
                let at = *at;
                while elements.len() < at {
                    elements.push(Self::Leaf(Value::Null));
                }
                if elements.len() == at {
                    elements.push(next());
                }
                let element = elements.get_mut(at)?;
                // An element that was only skipped counts as new.
                if matches!(element, Self::Leaf(Value::Null)) {
                    *element = next();
                }
                Some(element)
            }
            _ => None,
        }
    }

    // Recursion is bounded by the depth limit of paths.
    fn into_value(self) -> Value {
        match self {
            Self::Leaf(value) => value,
            Self::List(elements) => Value::Array(elements.into_iter().map(Self::into_value).collect()),
            Self::Map { members, .. } => {
                Value::Object(members.into_iter().map(|(key, node)| (key, node.into_value())).collect())
            }
        }
    }
}

/// Reads `.name`, `[n]`, `['name']` or `["name"]` from the start of a path.
fn step(path: &str) -> Option<(PathStep<'_>, &str)> {
    if let Some(rest) = path.strip_prefix('.') {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        return (!name.is_empty()).then_some((PathStep::Key(name), rest));
    }
    let rest = path.strip_prefix('[')?;
    for quote in ['\'', '"'] {
        if let Some(rest) = rest.strip_prefix(quote) {
            let (name, rest) = rest.split_once(quote)?;
            return Some((PathStep::Key(name), rest.strip_prefix(']')?));
        }
    }
    let (index, rest) = rest.split_once(']')?;
    Some((PathStep::Index(index.parse().ok()?), rest))
}

fn plain_value(piece: ValueRef<'_>) -> Option<Value> {
    let number = piece.get("numberValue").filter(|number| number.kind() == ValueKind::Number);
    if let Some(value) = number.or_else(|| piece.get("boolValue")) {
        return Some(value.to_value());
    }
    piece.get("nullValue").map(|_| Value::Null)
}
