//! [`Node`]: a description of one JSON value; [`Pool`] shares equal descriptions.

use std::collections::HashMap;

/// Means "none" in the tables.
pub const NONE: u16 = u16::MAX;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Any value.
    Any,
    /// Null only.
    Null,
    /// A boolean.
    Bool,
    /// An integer.
    Int(Limits),
    /// A number.
    Num(Limits),
    /// A string.
    Str(Limits),
    /// One of several strings.
    Enum(Vec<String>),
    /// An array; the node of its elements.
    Array(u16, Limits),
    /// An object used as a map; the node of its values.
    Map(u16, Limits),
    /// An object with declared fields; required fields come first.
    Object(Vec<Field>),
    /// One of several variants, distinguished by type and by the string in a field.
    Union(Box<Union>),
    /// One of several variants that cannot be distinguished: each is tried.
    AnyOf(Vec<u16>),
    /// The schema of this row.
    Ref(u16),
    /// Two shapes; the value must match both.
    AllOf(u16, u16),
}

/// A declared field of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The key.
    pub name: String,
    /// The node of the value.
    pub node: u16,
    /// `true` if the field is required.
    pub required: bool,
    /// `true` if the field is forbidden.
    pub forbidden: bool,
}

/// Bounds of a number, a length or a count, and a pattern by its number in [`PATTERNS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limits {
    /// The minimum.
    pub min: Option<u32>,
    /// The maximum.
    pub max: Option<u32>,
    /// The number of the pattern, from 1; 0 means none.
    pub pattern: u16,
}

/// The patterns that the validator knows, in the order of its own list. Any other pattern in the facts is an error.
pub const PATTERNS: [&str; 2] = ["^[a-zA-Z0-9_-]+$", "vs_*"];

/// The node for each allowed form of a value. [`NONE`] means that the form is not allowed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Union {
    /// The node for strings.
    pub string: u16,
    /// The node for numbers.
    pub number: u16,
    /// The node for booleans.
    pub boolean: u16,
    /// The node for arrays.
    pub array: u16,
    /// The field that distinguishes objects.
    pub field: Option<String>,
    /// The strings of the field, and the node for each.
    pub cases: Vec<(String, u16)>,
    /// The node for objects without the field.
    pub absent: u16,
    /// The node for objects with another string in the field.
    pub other: u16,
}

/// A shape, and whether null is allowed too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The shape.
    pub shape: Shape,
    /// `true` if null is allowed too.
    pub nullable: bool,
}

/// All nodes; equal nodes exist once.
#[derive(Default)]
pub struct Pool {
    /// In order of number.
    pub nodes: Vec<Node>,
    numbers: HashMap<Node, u16>,
}

impl Pool {
    /// Returns the number of a node, which is added if it is new.
    pub fn add(&mut self, shape: Shape, nullable: bool) -> u16 {
        // A shape that accepts null needs no mark.
        let nullable = nullable && !matches!(shape, Shape::Any | Shape::Null);
        let node = Node { shape, nullable };
        if let Some(number) = self.numbers.get(&node) {
            return *number;
        }
        let number = u16::try_from(self.nodes.len()).expect("fewer than 65,535 nodes");
        self.nodes.push(node.clone());
        self.numbers.insert(node, number);
        number
    }

    /// Returns the same node, with null allowed.
    pub fn nullable(&mut self, number: u16) -> u16 {
        let shape = self.nodes[usize::from(number)].shape.clone();
        self.add(shape, true)
    }

    /// Returns the node of a number.
    pub fn get(&self, number: u16) -> &Node {
        &self.nodes[usize::from(number)]
    }
}
