//! [`CompiledSchema`]: a JSON Schema, compiled to a table of nodes.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::json::{Object, Value, ValueKind};

/// A compiled schema. Node 0 is the schema itself, the other nodes are its subschemas.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CompiledSchema {
    pub(super) nodes: Vec<SchemaRules>,
}

/// The constraints of one schema or subschema. `None` or an empty list is no constraint.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SchemaRules {
    pub(super) types: Types,
    /// Values of `enum` and `const`; a value must be in each list.
    pub(super) values: Vec<Vec<Value>>,
    /// The bounds of a number, as written.
    pub(super) minimum: Option<String>,
    pub(super) maximum: Option<String>,
    /// Number of characters of a string.
    pub(super) length: Range,
    /// Number of elements of an array.
    pub(super) count: Range,
    /// Declared members and their nodes, sorted by name.
    pub(super) members: Vec<(String, usize)>,
    pub(super) required: Vec<String>,
    /// The node of undeclared members.
    pub(super) others: Option<usize>,
    pub(super) elements: Option<usize>,
}

/// Lower and upper bound of a count, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) least: u64,
    pub(super) most: u64,
}

impl Default for Range {
    fn default() -> Self {
        Self { least: 0, most: u64::MAX }
    }
}

impl Range {
    /// Returns `true` if every count is inside, so that counting can be skipped.
    pub(super) fn is_unbounded(self) -> bool {
        self.least == 0 && self.most == u64::MAX
    }
}

impl SchemaRules {
    /// Returns `true` for the schema `false`, which no value satisfies.
    pub(super) fn allows_nothing(&self) -> bool {
        self.types == Types::NONE
    }
}

/// The JSON types that a value may have, one bit each, in the order of [`TYPE_NAMES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types(u8);

/// The name of each type in a schema and in messages.
const TYPE_NAMES: [(&str, &str); 7] = [
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

    pub(super) fn allows(self, tag: ValueKind) -> bool {
        let bits = match tag {
            ValueKind::Null => 1,
            ValueKind::True | ValueKind::False => 2,
            ValueKind::Object => 4,
            ValueKind::Array => 8,
            // Any number, or whole ones.
            ValueKind::Number => 80,
            ValueKind::String => 32,
        };
        self.0 & bits != 0
    }

    /// Returns `true` if numbers must be whole.
    pub(super) fn only_whole(self) -> bool {
        self.0 & Self::NUMBER == 0
    }

    /// Appends the names of the types, for messages.
    pub(crate) fn write(self, out: &mut String) {
        let names = TYPE_NAMES.iter().enumerate().filter(|(at, _)| self.0 & (1 << at) != 0);
        for (count, (_, (_, name))) in names.enumerate() {
            out.push_str(if count > 0 { " or " } else { "" });
            out.push_str(name);
        }
        if self == Self::NONE {
            out.push_str("no value");
        }
    }
}

/// Keywords without effect on validation.
const ANNOTATIONS: &[&str] = &[
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

impl CompiledSchema {
    /// Compiles a schema. The error message names the position in the schema.
    pub(super) fn new(schema: &Value) -> Result<Self, String> {
        let mut nodes = Vec::new();
        // A queue instead of recursion, so that a deep schema needs no stack.
        let mut queue = alloc::vec![(schema, String::new())];
        let mut at = 0;
        while at < queue.len() {
            let (schema, path) = queue[at].clone();
            nodes.push(node(schema, &path, &mut queue)?);
            at += 1;
        }
        Ok(Self { nodes })
    }
}

/// Compiles one node. Its subschemas are appended to the queue; their positions there are their node numbers.
fn node<'a>(schema: &'a Value, path: &str, queue: &mut Vec<(&'a Value, String)>) -> Result<SchemaRules, String> {
    let mut next = |schema: &'a Value, path: String| {
        queue.push((schema, path));
        queue.len() - 1
    };
    let object = match schema {
        Value::Bool(true) => return Ok(SchemaRules::default()),
        Value::Bool(false) => return Ok(SchemaRules { types: Types::NONE, ..SchemaRules::default() }),
        Value::Object(object) => object,
        _ => return Err(invalid_keyword("", path, "a schema: an object, true or false")),
    };
    let mut node = SchemaRules::default();
    for (key, value) in object.iter() {
        match key {
            "type" => {
                node.types = types(value).ok_or_else(|| invalid_keyword(key, path, "a type or a list of types"))?
            }
            "enum" => match value.as_array() {
                Some(values) if !values.is_empty() => node.values.push(values.to_vec()),
                _ => return Err(invalid_keyword(key, path, "a list of values")),
            },
            "const" => node.values.push(alloc::vec![value.clone()]),
            "minimum" => node.minimum = Some(count_bound(key, value, path)?),
            "maximum" => node.maximum = Some(count_bound(key, value, path)?),
            "minLength" => node.length.least = count(key, value, path)?,
            "maxLength" => node.length.most = count(key, value, path)?,
            "minItems" => node.count.least = count(key, value, path)?,
            "maxItems" => node.count.most = count(key, value, path)?,
            "properties" => {
                let members = value.as_object().ok_or_else(|| invalid_keyword(key, path, "an object of schemas"))?;
                for (name, schema) in members.iter() {
                    node.members.push((name.to_string(), next(schema, format!("{path}/{key}/{name}"))));
                }
                // The last of several equal names counts, as for every JSON object.
                node.members.reverse();
                node.members.sort_by(|(one, _), (other, _)| one.cmp(other));
                node.members.dedup_by(|(one, _), (other, _)| one == other);
            }
            "required" => node.required = names(value).ok_or_else(|| invalid_keyword(key, path, "a list of names"))?,
            "additionalProperties" => node.others = Some(next(value, format!("{path}/{key}"))),
            "items" if !matches!(value, Value::Array(_)) => {
                node.elements = Some(next(value, format!("{path}/{key}")));
            }
            "items" => return Err(invalid_keyword(key, path, "one schema for all elements")),
            key if ANNOTATIONS.contains(&key) => {}
            _ => return Err(format!("has the unsupported keyword `{key}` at {}", place(path))),
        }
    }
    Ok(node)
}

fn types(value: &Value) -> Option<Types> {
    let bit = |name: &str| TYPE_NAMES.iter().position(|(known, _)| *known == name).map(|at| 1u8 << at);
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

fn count_bound(key: &str, value: &Value, path: &str) -> Result<String, String> {
    value.as_f64().map(|_| value.to_string()).ok_or_else(|| invalid_keyword(key, path, "a number"))
}

fn count(key: &str, value: &Value, path: &str) -> Result<u64, String> {
    // JSON Schema allows a count with a zero fraction, such as `2.0`.
    let whole = value.as_f64().filter(|number| *number >= 0.0 && number % 1.0 == 0.0);
    value
        .as_u64()
        .or(whole.map(|number| number as u64))
        .ok_or_else(|| invalid_keyword(key, path, "a whole number from 0"))
}

fn invalid_keyword(key: &str, path: &str, expected: &str) -> String {
    let path = if key.is_empty() { path.to_string() } else { format!("{path}/{key}") };
    format!("is invalid at {}: expected {expected}", place(&path))
}

fn place(path: &str) -> &str {
    if path.is_empty() {
        "the top level"
    } else {
        path
    }
}

/// The declared name and the node of a member.
pub(super) fn member_node<'s>(rules: &'s SchemaRules, name: &str) -> Option<(&'s str, usize)> {
    let at = rules.members.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
    rules.members.get(at).map(|(name, node)| (name.as_str(), *node))
}

/// The number of different keys of an object.
pub(super) fn distinct_keys(object: &Object) -> usize {
    let mut names: Vec<&str> = object.iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    names.len()
}
