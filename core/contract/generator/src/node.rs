//! [`Node`]: a description of one JSON value, and [`Pool`], where equal descriptions become one.

use std::collections::HashMap;

/// Stands for "there is none" in the tables.
pub const NONE: u16 = u16::MAX;

/// What a value must be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Anything.
    Any,
    /// Only null.
    Null,
    /// A boolean.
    Bool,
    /// A number without fraction.
    Int(Limits),
    /// A number.
    Num(Limits),
    /// A string.
    Str(Limits),
    /// One of these strings.
    Enum(Vec<String>),
    /// An array; the node of its elements.
    Array(u16, Limits),
    /// An object used as a map; the node of its values.
    Map(u16, Limits),
    /// An object with declared fields; those required come first.
    Object(Vec<Field>),
    /// One of several, told apart by type and by the string in a field.
    Union(Box<Union>),
    /// One of several that can only be tried.
    AnyOf(Vec<u16>),
    /// The schema of this row.
    Ref(u16),
    /// Both of two.
    AllOf(u16, u16),
}

/// A declared field of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The key.
    pub name: String,
    /// What the value must be.
    pub node: u16,
    /// Whether the field must be there.
    pub required: bool,
    /// Whether it must not be there.
    pub forbidden: bool,
}

/// Bounds of a number, a length or a count, and a pattern by its number in [`PATTERNS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limits {
    /// The least.
    pub min: Option<u32>,
    /// The most.
    pub max: Option<u32>,
    /// The pattern, counted from 1; 0 is none.
    pub pattern: u16,
}

/// Patterns that the validator knows, in the order of its own list. Another one in the facts is an error.
pub const PATTERNS: [&str; 2] = ["^[a-zA-Z0-9_-]+$", "vs_*"];

/// Where to go with a value of several allowed forms. [`NONE`] means that this form is not allowed.
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
    /// The field that tells objects apart.
    pub field: Option<String>,
    /// What the field says, and the node that goes with it.
    pub cases: Vec<(String, u16)>,
    /// The node for objects without the field.
    pub absent: u16,
    /// The node for objects whose field says something else.
    pub other: u16,
}

/// A shape, and whether null is allowed too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// What it must be.
    pub shape: Shape,
    /// Whether it may be null instead.
    pub nullable: bool,
}

/// All nodes, each once.
#[derive(Default)]
pub struct Pool {
    /// In order of number.
    pub nodes: Vec<Node>,
    numbers: HashMap<Node, u16>,
}

impl Pool {
    /// The number of a node, which is added if it is new.
    pub fn add(&mut self, shape: Shape, nullable: bool) -> u16 {
        // What takes null anyway needs no mark.
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

    /// The same node, with null allowed.
    pub fn nullable(&mut self, number: u16) -> u16 {
        let shape = self.nodes[usize::from(number)].shape.clone();
        self.add(shape, true)
    }

    /// The node of a number.
    pub fn get(&self, number: u16) -> &Node {
        &self.nodes[usize::from(number)]
    }
}
