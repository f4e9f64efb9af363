//! [`Compiled`]: a JSON Schema as a table of nodes.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::json::{Object, Tag, Value};

/// A schema. Node 0 is the schema itself.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub(super) nodes: Vec<Node>,
}

/// What one (sub)schema demands. `None`, or an empty list, demands nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) types: Types,
    /// Values of `enum` and `const`; a value must be in each list.
    pub(super) values: Vec<Vec<Value>>,
    pub(super) minimum: Option<Bound>,
    pub(super) maximum: Option<Bound>,
    /// Least and most characters.
    pub(super) length: Range,
    /// Least and most elements.
    pub(super) count: Range,
    /// Declared members and their nodes, sorted by name.
    pub(super) members: Vec<(String, usize)>,
    pub(super) required: Vec<String>,
    /// The node of members that are not declared.
    pub(super) others: Option<usize>,
    pub(super) elements: Option<usize>,
}

/// A bound, as written and as a number.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) text: String,
    pub(super) value: f64,
}

/// Least and most, both included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) least: u64,
    pub(super) most: u64,
}

impl Default for Range {
    fn default() -> Self {
        Self { least: 0, most: u64::MAX }
    }
}

/// The JSON types that a value may have, one bit each, in the order of [`NAMES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Types(pub(super) u8);

pub(super) const NAMES: [(&str, &str); 7] = [
    ("null", "null"),
    ("boolean", "a boolean"),
    ("object", "an object"),
    ("array", "an array"),
    ("number", "a number"),
    ("string", "a string"),
    ("integer", "a whole number"),
];

impl Default for Types {
    fn default() -> Self {
        Self(0x7f)
    }
}

impl Types {
    pub(super) const NONE: Self = Self(0);
    const NUMBER: u8 = 16;

    pub(super) fn allows(self, tag: Tag) -> bool {
        let bits = match tag {
            Tag::Null => 1,
            Tag::True | Tag::False => 2,
            Tag::Object => 4,
            Tag::Array => 8,
            // Any number, or whole ones.
            Tag::Number => 80,
            Tag::String => 32,
        };
        self.0 & bits != 0
    }

    /// Whether a number, if one is allowed, must be whole.
    pub(super) fn only_whole(self) -> bool {
        self.0 & Self::NUMBER == 0
    }

    /// The words for each type.
    pub(super) fn words(self) -> impl Iterator<Item = &'static str> {
        NAMES.iter().enumerate().filter(move |(at, _)| self.0 & (1 << at) != 0).map(|(_, (_, words))| *words)
    }
}

/// What says something to people and nothing to a checker.
const SAID: &[&str] = &[
    "$schema",
    "$id",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

impl Compiled {
    /// Compiles a schema. The problem, if there is one, names its place.
    pub(super) fn new(schema: &Value) -> Result<Self, String> {
        let mut nodes = Vec::new();
        // Nodes are filled in the order in which they were found, so that no schema, however deep, costs stack.
        let mut waiting = alloc::vec![(schema, String::new())];
        let mut at = 0;
        while at < waiting.len() {
            let (schema, path) = waiting[at].clone();
            nodes.push(node(schema, &path, &mut waiting)?);
            at += 1;
        }
        Ok(Self { nodes })
    }
}

/// Makes a node. Schemas inside it are put in line; their numbers are their places there.
fn node<'a>(schema: &'a Value, path: &str, waiting: &mut Vec<(&'a Value, String)>) -> Result<Node, String> {
    let mut next = |schema: &'a Value, path: String| {
        waiting.push((schema, path));
        waiting.len() - 1
    };
    let object = match schema {
        Value::Bool(true) => return Ok(Node::default()),
        Value::Bool(false) => return Ok(Node { types: Types::NONE, ..Node::default() }),
        Value::Object(object) => object,
        _ => return Err(wrong("", path, "a schema: an object, true or false")),
    };
    let mut node = Node::default();
    for (key, value) in object.iter() {
        match key {
            "type" => node.types = types(value).ok_or_else(|| wrong(key, path, "a type or a list of types"))?,
            "enum" => match value.as_array() {
                Some(values) if !values.is_empty() => node.values.push(values.to_vec()),
                _ => return Err(wrong(key, path, "a list of values")),
            },
            "const" => node.values.push(alloc::vec![value.clone()]),
            "minimum" => node.minimum = Some(bound(key, value, path)?),
            "maximum" => node.maximum = Some(bound(key, value, path)?),
            "minLength" => node.length.least = count(key, value, path)?,
            "maxLength" => node.length.most = count(key, value, path)?,
            "minItems" => node.count.least = count(key, value, path)?,
            "maxItems" => node.count.most = count(key, value, path)?,
            "properties" => {
                let members = value.as_object().ok_or_else(|| wrong(key, path, "an object of schemas"))?;
                for (name, schema) in members.iter() {
                    node.members.push((name.to_string(), next(schema, format!("{path}/{key}/{name}"))));
                }
                // Of a name that stands twice the last schema counts, as for any other key of JSON.
                node.members.reverse();
                node.members.sort_by(|(one, _), (other, _)| one.cmp(other));
                node.members.dedup_by(|(one, _), (other, _)| one == other);
            }
            "required" => node.required = names(value).ok_or_else(|| wrong(key, path, "a list of names"))?,
            "additionalProperties" => node.others = Some(next(value, format!("{path}/{key}"))),
            "items" if !matches!(value, Value::Array(_)) => {
                node.elements = Some(next(value, format!("{path}/{key}")));
            }
            "items" => return Err(wrong(key, path, "one schema for all elements")),
            key if SAID.contains(&key) => {}
            _ => return Err(format!("has the keyword `{key}` at {}, which is not supported", place(path))),
        }
    }
    Ok(node)
}

fn types(value: &Value) -> Option<Types> {
    let bit = |name: &str| NAMES.iter().position(|(known, _)| *known == name).map(|at| 1u8 << at);
    match value {
        Value::String(name) => bit(name).map(Types),
        Value::Array(names) if !names.is_empty() => {
            names.iter().try_fold(0, |bits, name| Some(bits | bit(name.as_str()?)?)).map(Types)
        }
        _ => None,
    }
}

fn names(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|name| name.as_str().map(ToString::to_string)).collect()
}

fn bound(key: &str, value: &Value, path: &str) -> Result<Bound, String> {
    let text = value.to_string();
    match value.as_f64() {
        Some(value) => Ok(Bound { text, value }),
        None => Err(wrong(key, path, "a number")),
    }
}

fn count(key: &str, value: &Value, path: &str) -> Result<u64, String> {
    // A count may be written with a fraction of zero.
    let whole = value.as_f64().filter(|number| *number >= 0.0 && number % 1.0 == 0.0);
    value.as_u64().or(whole.map(|number| number as u64)).ok_or_else(|| wrong(key, path, "a whole number from 0"))
}

fn wrong(key: &str, path: &str, expected: &str) -> String {
    let path = if key.is_empty() { path.to_string() } else { format!("{path}/{key}") };
    format!("is wrong at {}: expected {expected}", place(&path))
}

fn place(path: &str) -> &str {
    if path.is_empty() {
        "the top"
    } else {
        path
    }
}

/// Whether a member is declared, and its node.
pub(super) fn member(node: &Node, name: &str) -> Option<usize> {
    let at = node.members.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
    node.members.get(at).map(|(_, node)| *node)
}

/// Whether two objects have the same members; the last of a name counts.
pub(super) fn distinct(object: &Object) -> usize {
    let mut names: Vec<&str> = object.iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    names.len()
}
