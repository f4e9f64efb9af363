//! [`SchemaId`]: the schemas of the contract, and how the tables are read.
//!
//! A node describes one JSON value. Equal descriptions are one node, whatever the schema and the edition; a reference
//! names a schema and is looked up in the edition that is asked for. Reading a node costs one load and a match.

use alloc::vec::Vec;
use core::fmt;

use super::tables::{self, CASES, FIELDS, KINDS, LIMITS, LISTS, NAMED, NODES, ROWS, SLOTS, STRINGS, UNIONS};
use super::{Edition, Editions, Kind};
use crate::json::{Tag, View};

/// "There is none" in the tables.
const NONE: u16 = u16::MAX;

/// One schema of the contract, by its name. What it demands differs between editions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaId(u16);

/// One declared field of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldFact {
    /// The key.
    pub name: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// Whether its value may be null.
    pub nullable: bool,
    /// Whether it must not be there at all.
    pub forbidden: bool,
}

impl SchemaId {
    pub(super) const fn new(row: u16) -> Self {
        Self(row)
    }

    /// Every schema of Open Responses, by name.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..NAMED as u16).map(Self)
    }

    /// The schema of a name, such as `ResponseResource`.
    pub fn from_name(name: &str) -> Option<Self> {
        let (mut low, mut high) = (0, NAMED as u16);
        while low < high {
            let middle = (low + high) / 2;
            match Self(middle).name().cmp(name) {
                core::cmp::Ordering::Equal => return Some(Self(middle)),
                core::cmp::Ordering::Less => low = middle + 1,
                core::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The schema of a kind of event; `None` where neither Open Responses nor OpenAI describes one.
    pub fn of_kind(kind: Kind) -> Option<Self> {
        match KINDS[kind as usize] {
            NONE => None,
            row => Some(Self(row)),
        }
    }

    /// The name in the contract. Types that only OpenAI has begin with `openai:`.
    pub fn name(self) -> &'static str {
        slice(tables::NAMES, &tables::NAMES_STARTS, self.0)
    }

    /// The editions that have it.
    pub fn editions(self) -> Editions {
        let has = |edition: &Edition| self.node(*edition).is_some();
        let mut editions = Editions::NONE;
        for edition in Edition::ALL.iter().filter(|edition| has(edition)) {
            editions = editions.with(*edition);
        }
        editions
    }

    /// Its declared fields in an edition, those required first; empty unless it is an object.
    pub fn fields(self, edition: Edition) -> Vec<FieldFact> {
        match self.node(edition).map(Node::shape) {
            Some(Shape::Object(fields)) => fields.facts().collect(),
            Some(Shape::Both(first, second)) => {
                let of = |node: Node| match node.shape() {
                    Shape::Object(fields) => fields.facts().collect(),
                    Shape::Ref(schema) => schema.fields(edition),
                    _ => Vec::new(),
                };
                [of(first), of(second)].concat()
            }
            _ => Vec::new(),
        }
    }

    /// What tells the variants of a union apart: for each of them the fields and strings that name it. Empty unless it is
    /// a union of objects.
    pub fn variants(self, edition: Edition) -> Vec<Vec<(&'static str, &'static str)>> {
        let mut found = Vec::new();
        if let Some(Shape::Union(union)) = self.node(edition).map(Node::shape) {
            union.variants(&mut Vec::new(), &mut found);
        }
        found
    }

    /// What the schema demands in an edition.
    #[inline]
    pub(crate) fn node(self, edition: Edition) -> Option<Node> {
        match ROWS[usize::from(self.0)][edition as usize] {
            NONE => None,
            node => Some(Node(node)),
        }
    }
}

impl fmt::Debug for SchemaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A description of one JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node(u16);

/// What a node demands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Any,
    Null,
    Bool,
    Int(Limit),
    Num(Limit),
    Str(Limit),
    Enum(Strings),
    Array(Node, Limit),
    Map(Node, Limit),
    Object(Fields),
    Union(Union),
    Try(&'static [u16]),
    Ref(SchemaId),
    Both(Node, Node),
}

impl Node {
    /// Whether a scalar without bounds is right: what most values are. `false` says nothing.
    #[inline]
    pub(crate) fn is_plainly(self, view: View<'_>) -> bool {
        let [tag, first, second] = NODES[usize::from(self.0)];
        match (tag & 0xFF, view.tag()) {
            (4 | 5, Tag::Number | Tag::String) | (3, Tag::Number) if first != NONE => false,
            (5, Tag::String) | (4, Tag::Number) | (2, Tag::True | Tag::False) | (0, _) => true,
            (3, Tag::Number) => view.plain_bytes().is_some_and(|digits| digits.iter().all(u8::is_ascii_digit)),
            (6, Tag::String) => {
                view.plain_bytes().is_some_and(|text| Strings(run(&LISTS, first, second)).contains(text))
            }
            (_, Tag::Null) => tag & 0x100 != 0,
            _ => false,
        }
    }

    /// Whether null is allowed beside the shape.
    #[inline]
    pub(crate) fn nullable(self) -> bool {
        NODES[usize::from(self.0)][0] & 0x100 != 0
    }

    #[inline]
    pub(crate) fn shape(self) -> Shape {
        let [tag, first, second] = NODES[usize::from(self.0)];
        match tag & 0xFF {
            0 => Shape::Any,
            1 => Shape::Null,
            2 => Shape::Bool,
            3 => Shape::Int(Limit(first)),
            4 => Shape::Num(Limit(first)),
            5 => Shape::Str(Limit(first)),
            6 => Shape::Enum(Strings(run(&LISTS, first, second))),
            7 => Shape::Array(Self(first), Limit(second)),
            8 => Shape::Map(Self(first), Limit(second)),
            9 => Shape::Object(Fields { run: run(&FIELDS, first, second >> 8), required: second as u8 }),
            10 => Shape::Union(Union(&UNIONS[usize::from(first)])),
            11 => Shape::Try(run(&LISTS, first, second)),
            12 => Shape::Ref(SchemaId(first)),
            _ => Shape::Both(Self(first), Self(second)),
        }
    }

    /// A node out of the list of a [`Shape::Try`].
    pub(crate) fn listed(number: u16) -> Self {
        Self(number)
    }
}

/// Bounds, if there are any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit(u16);

impl Limit {
    /// Least, most and pattern; `None` where nothing is bounded.
    #[inline]
    pub(crate) fn get(self) -> Option<(u32, u32, u8)> {
        (self.0 != NONE).then(|| LIMITS[usize::from(self.0)])
    }
}

/// Declared strings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strings(&'static [u16]);

impl Strings {
    /// Whether a string is one of them.
    #[inline]
    pub(crate) fn contains(self, text: &[u8]) -> bool {
        match self.0 {
            [only] => bytes_of(*only) == text,
            several => number_of(text).is_some_and(|number| several.contains(&number)),
        }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|number| string(*number))
    }
}

/// The declared fields of an object, those required first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    run: &'static [[u16; 2]],
    required: u8,
}

impl Fields {
    pub(crate) fn len(self) -> usize {
        self.run.len()
    }

    /// A bit for each field that must be there.
    #[inline]
    pub(crate) fn required(self) -> u64 {
        match self.required {
            64.. => u64::MAX,
            count => (1 << count) - 1,
        }
    }

    /// Position of the field of this key. The field at `hint` is compared first: objects mostly have their members in the
    /// order of the contract, and then nothing is searched.
    #[inline]
    pub(crate) fn position(self, key: &[u8], hint: usize) -> Option<usize> {
        match self.run.get(hint) {
            Some(field) if bytes_of(field[0]) == key => Some(hint),
            _ => {
                let number = number_of(key)?;
                self.run.iter().position(|field| field[0] == number)
            }
        }
    }

    #[inline]
    pub(crate) fn name(self, at: usize) -> &'static str {
        string(self.run[at][0])
    }

    /// The node of the field at a position, and whether the field is forbidden.
    #[inline]
    pub(crate) fn node(self, at: usize) -> (Node, bool) {
        let word = self.run[at][1];
        (Node(word & 0x7FFF), word & 0x8000 != 0)
    }

    fn facts(self) -> impl Iterator<Item = FieldFact> {
        (0..self.len()).map(move |at| {
            let (node, forbidden) = self.node(at);
            let nullable = node.nullable() || matches!(node.shape(), Shape::Any | Shape::Null);
            FieldFact { name: self.name(at), required: at < usize::from(self.required), nullable, forbidden }
        })
    }
}

/// Where to go with a value of several allowed forms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Union(&'static [u16; 9]);

impl Union {
    fn at(self, place: usize) -> Option<Node> {
        (self.0[place] != NONE).then(|| Node(self.0[place]))
    }

    pub(crate) fn string(self) -> Option<Node> {
        self.at(0)
    }

    pub(crate) fn number(self) -> Option<Node> {
        self.at(1)
    }

    pub(crate) fn boolean(self) -> Option<Node> {
        self.at(2)
    }

    pub(crate) fn array(self) -> Option<Node> {
        self.at(3)
    }

    /// The field that tells objects apart.
    pub(crate) fn field(self) -> Option<&'static str> {
        (self.0[4] != NONE).then(|| string(self.0[4]))
    }

    /// The node for objects without the field.
    pub(crate) fn absent(self) -> Option<Node> {
        self.at(7)
    }

    /// The node for objects whose field holds an undeclared string, or for all objects if there is no field.
    pub(crate) fn other(self) -> Option<Node> {
        self.at(8)
    }

    /// Whether objects are allowed at all.
    pub(crate) fn has_objects(self) -> bool {
        self.0[6] > 0 || self.0[8] != NONE
    }

    /// The node for a string in the field. `number` is what [`number`] gave for it.
    pub(crate) fn case(self, number: u16) -> Option<Node> {
        self.cases().iter().find(|case| case[0] == number).map(|case| Node(case[1]))
    }

    /// The strings that the field may hold.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        self.cases().iter().map(|case| string(case[0]))
    }

    fn cases(self) -> &'static [[u16; 2]] {
        run(&CASES, self.0[5], self.0[6])
    }

    fn variants(
        self,
        path: &mut Vec<(&'static str, &'static str)>,
        found: &mut Vec<Vec<(&'static str, &'static str)>>,
    ) {
        let Some(field) = self.field() else { return };
        for [value, node] in self.cases() {
            path.push((field, string(*value)));
            match Node(*node).shape() {
                // Told apart by a second field.
                Shape::Union(union) => union.variants(path, found),
                _ => found.push(path.clone()),
            }
            path.pop();
        }
    }
}

/// The number of a declared string or key; `None` if the contract has no such string.
pub(crate) fn number(text: &str) -> Option<u16> {
    number_of(text.as_bytes())
}

/// The same for the bytes of a string.
pub(crate) fn number_of(text: &[u8]) -> Option<u16> {
    let mut slot = hash(text);
    loop {
        let number = SLOTS[slot % SLOTS.len()];
        if number == NONE {
            return None;
        }
        if bytes_of(number) == text {
            return Some(number);
        }
        slot += 1;
    }
}

/// The bytes of a declared string: comparing them needs no look at character borders.
#[inline]
fn bytes_of(number: u16) -> &'static [u8] {
    let at = usize::from(number);
    let (start, end) = (tables::STRINGS_STARTS[at], tables::STRINGS_STARTS[at + 1]);
    &STRINGS.as_bytes()[usize::from(start)..usize::from(end)]
}

/// The declared string of a number.
#[inline]
pub(crate) fn string(number: u16) -> &'static str {
    slice(STRINGS, &tables::STRINGS_STARTS, number)
}

#[inline]
fn slice(text: &'static str, starts: &[u16], at: u16) -> &'static str {
    let at = usize::from(at);
    &text[usize::from(starts[at])..usize::from(starts[at + 1])]
}

#[inline]
fn run<T>(all: &'static [T], start: u16, count: u16) -> &'static [T] {
    &all[usize::from(start)..usize::from(start) + usize::from(count)]
}

/// The generator fills the slots by the same function.
#[inline]
fn hash(bytes: &[u8]) -> usize {
    let (head, tail) = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
        _ => match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
            (Some(head), Some(tail)) => (u64::from(u32::from_le_bytes(*head)), u64::from(u32::from_le_bytes(*tail))),
            _ => (bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)), 0),
        },
    };
    let mixed = (head ^ tail.rotate_left(23) ^ (bytes.len() as u64) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 48) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    #[test]
    fn every_string_is_found_and_no_other() {
        for at in 0..tables::STRINGS_STARTS.len() as u16 - 1 {
            assert_eq!(number(string(at)), Some(at), "{}", string(at));
        }
        for text in ["", "typ", "typee", "response.created ", "é", "sequence-number"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn the_search_for_a_string_is_short() {
        // The longest chain of filled slots bounds what an unknown key costs.
        let filled = SLOTS.iter().map(|slot| if *slot == NONE { ' ' } else { 'x' }).collect::<String>();
        assert!(filled.split(' ').map(str::len).max() < Some(16));
    }

    #[test]
    fn every_node_can_be_read_and_refers_to_schemas_of_its_edition() {
        for edition in Edition::ALL {
            for row in 0..ROWS.len() as u16 {
                if let Some(node) = SchemaId(row).node(edition) {
                    walk(node, edition, 0);
                }
            }
        }
    }

    /// Follows a node without entering references; the values of a JSON document decide how often those are entered.
    fn walk(node: Node, edition: Edition, depth: usize) {
        assert!(depth < 16, "a node leads back to itself without a reference");
        match node.shape() {
            Shape::Ref(schema) => assert!(schema.node(edition).is_some(), "{edition} has no {schema:?}"),
            Shape::Array(inner, _) | Shape::Map(inner, _) => walk(inner, edition, depth + 1),
            Shape::Object(fields) => (0..fields.len()).for_each(|at| walk(fields.node(at).0, edition, depth + 1)),
            Shape::Try(nodes) => nodes.iter().for_each(|node| walk(Node(*node), edition, depth + 1)),
            Shape::Both(first, second) => [first, second].into_iter().for_each(|node| walk(node, edition, depth + 1)),
            Shape::Union(union) => {
                let forms =
                    [union.string(), union.number(), union.boolean(), union.array(), union.absent(), union.other()];
                let cases = union.cases().iter().map(|case| Node(case[1]));
                forms.into_iter().flatten().chain(cases).for_each(|node| walk(node, edition, depth + 1));
            }
            _ => {}
        }
    }

    #[test]
    fn what_can_only_be_tried_holds_nothing_else_that_can_only_be_tried() {
        // Or a value nested in itself could double the work at each level.
        for edition in Edition::ALL {
            for number in 0..NODES.len() as u16 {
                let Shape::Try(variants) = Node(number).shape() else { continue };
                let mut seen = Vec::new();
                // Only nodes of this edition are followed; a reference that it does not have belongs to another.
                variants.iter().for_each(|variant| reach(Node(*variant), edition, &mut seen));
                let inner = seen.iter().filter(|node| matches!(node.shape(), Shape::Try(_))).count();
                assert_eq!(inner, 0, "{edition}: node {number}");
            }
        }
    }

    fn reach(node: Node, edition: Edition, seen: &mut Vec<Node>) {
        if seen.contains(&node) {
            return;
        }
        seen.push(node);
        let mut go = |node: Node| reach(node, edition, seen);
        match node.shape() {
            Shape::Ref(schema) => schema.node(edition).into_iter().for_each(go),
            Shape::Array(inner, _) | Shape::Map(inner, _) => go(inner),
            Shape::Object(fields) => (0..fields.len()).for_each(|at| go(fields.node(at).0)),
            Shape::Try(nodes) => nodes.iter().for_each(|node| go(Node(*node))),
            Shape::Both(first, second) => [first, second].into_iter().for_each(go),
            Shape::Union(union) => {
                let forms =
                    [union.string(), union.number(), union.boolean(), union.array(), union.absent(), union.other()];
                let cases = union.cases().iter().map(|case| Node(case[1]));
                forms.into_iter().flatten().chain(cases).for_each(go);
            }
            _ => {}
        }
    }

    #[test]
    fn names_are_in_order_and_found() {
        let mut last = "";
        for schema in SchemaId::all() {
            assert!(last < schema.name());
            last = schema.name();
            assert_eq!(SchemaId::from_name(last), Some(schema));
        }
        assert_eq!(SchemaId::from_name("Nothing"), None);
    }
}
