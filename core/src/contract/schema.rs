//! [`SchemaId`]: the schemas of the contract, and access to their tables.
//!
//! A node describes one JSON value. Equal descriptions share a node across schemas and editions; a reference
//! names a schema and is looked up in the requested edition. Reading a node costs one load and a match.

use alloc::vec::Vec;
use core::fmt;

use super::tables::{self, CASES, FIELDS, KINDS, LIMITS, LISTS, NAMED, NODES, ROWS, SLOTS, STRINGS, UNIONS};
use super::{Edition, Editions, Kind};
use crate::json::{ValueKind, ValueRef};

/// Means "none" in the tables.
const NONE: u16 = u16::MAX;

/// A schema of the contract, by its name. Its requirements differ between editions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaId(u16);

/// A declared field of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldFact {
    /// The key.
    pub name: &'static str,
    /// `true` if the field is required.
    pub required: bool,
    /// `true` if the value may be null.
    pub nullable: bool,
    /// `true` if the field is forbidden.
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

    /// Returns the schema with a name, such as `ResponseResource`.
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

    /// Returns the schema of a kind of event; `None` if neither Open Responses nor OpenAI describes it.
    pub fn of_kind(kind: Kind) -> Option<Self> {
        match KINDS[kind as usize] {
            NONE => None,
            row => Some(Self(row)),
        }
    }

    /// Returns the name in the contract. Types that only OpenAI has begin with `openai:`.
    pub fn name(self) -> &'static str {
        slice(tables::NAMES, &tables::NAMES_STARTS, self.0)
    }

    /// Returns the editions that have the schema.
    pub fn editions(self) -> Editions {
        let has = |edition: &Edition| self.node(*edition).is_some();
        let mut editions = Editions::NONE;
        for edition in Edition::ALL.iter().filter(|edition| has(edition)) {
            editions = editions.with(*edition);
        }
        editions
    }

    /// Returns the declared fields in an edition, required fields first; empty unless the schema is an object.
    pub fn fields(self, edition: Edition) -> Vec<FieldFact> {
        match self.node(edition).map(SchemaNode::shape) {
            Some(NodeShape::Object(fields)) => fields.facts().collect(),
            Some(NodeShape::AllOf(first, second)) => {
                let of = |node: SchemaNode| match node.shape() {
                    NodeShape::Object(fields) => fields.facts().collect(),
                    NodeShape::Ref(schema) => schema.fields(edition),
                    _ => Vec::new(),
                };
                [of(first), of(second)].concat()
            }
            _ => Vec::new(),
        }
    }

    /// Returns what distinguishes the variants of a union: for each variant, its fields and their strings. Empty unless the schema is
    /// a union of objects.
    pub fn variants(self, edition: Edition) -> Vec<Vec<(&'static str, &'static str)>> {
        let mut found = Vec::new();
        if let Some(NodeShape::Union(union)) = self.node(edition).map(SchemaNode::shape) {
            union.variants(&mut Vec::new(), &mut found);
        }
        found
    }

    /// Returns the node of the schema in an edition.
    #[inline]
    pub(crate) fn node(self, edition: Edition) -> Option<SchemaNode> {
        match ROWS[usize::from(self.0)][edition as usize] {
            NONE => None,
            node => Some(SchemaNode(node)),
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
pub(crate) struct SchemaNode(u16);

/// The shape of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NodeShape {
    Any,
    Null,
    Bool,
    Int(Bounds),
    Num(Bounds),
    Str(Bounds),
    Enum(EnumStrings),
    Array(SchemaNode, Bounds),
    Map(SchemaNode, Bounds),
    Object(ObjectFields),
    Union(SchemaUnion),
    AnyOf(&'static [u16]),
    Ref(SchemaId),
    AllOf(SchemaNode, SchemaNode),
}

impl SchemaNode {
    /// Returns `true` if a value matches a scalar without bounds, which is the most frequent case. `false` means that a full check is needed.
    #[inline]
    pub(crate) fn accepts_plain_scalar(self, view: ValueRef<'_>) -> bool {
        let [tag, first, second] = NODES[usize::from(self.0)];
        match (tag & 0xFF, view.kind()) {
            (4 | 5, ValueKind::Number | ValueKind::String) | (3, ValueKind::Number) if first != NONE => false,
            (5, ValueKind::String) | (4, ValueKind::Number) | (2, ValueKind::True | ValueKind::False) | (0, _) => true,
            (3, ValueKind::Number) => view.plain_bytes().is_some_and(|digits| digits.iter().all(u8::is_ascii_digit)),
            (6, ValueKind::String) => {
                view.plain_bytes().is_some_and(|text| EnumStrings(slice_range(&LISTS, first, second)).contains(text))
            }
            (_, ValueKind::Null) => tag & 0x100 != 0,
            _ => false,
        }
    }

    /// Returns `true` if null is allowed in addition to the shape.
    #[inline]
    pub(crate) fn nullable(self) -> bool {
        NODES[usize::from(self.0)][0] & 0x100 != 0
    }

    #[inline]
    pub(crate) fn shape(self) -> NodeShape {
        let [tag, first, second] = NODES[usize::from(self.0)];
        match tag & 0xFF {
            0 => NodeShape::Any,
            1 => NodeShape::Null,
            2 => NodeShape::Bool,
            3 => NodeShape::Int(Bounds(first)),
            4 => NodeShape::Num(Bounds(first)),
            5 => NodeShape::Str(Bounds(first)),
            6 => NodeShape::Enum(EnumStrings(slice_range(&LISTS, first, second))),
            7 => NodeShape::Array(Self(first), Bounds(second)),
            8 => NodeShape::Map(Self(first), Bounds(second)),
            9 => NodeShape::Object(ObjectFields {
                run: slice_range(&FIELDS, first, second >> 8),
                required: second as u8,
            }),
            10 => NodeShape::Union(SchemaUnion(&UNIONS[usize::from(first)])),
            11 => NodeShape::AnyOf(slice_range(&LISTS, first, second)),
            12 => NodeShape::Ref(SchemaId(first)),
            _ => NodeShape::AllOf(Self(first), Self(second)),
        }
    }

    /// Returns a node of the list of a [`NodeShape::AnyOf`].
    pub(crate) fn from_index(number: u16) -> Self {
        Self(number)
    }
}

/// Optional bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds(u16);

impl Bounds {
    /// Minimum, maximum and pattern; `None` if there are no bounds.
    #[inline]
    pub(crate) fn get(self) -> Option<(u32, u32, u8)> {
        (self.0 != NONE).then(|| LIMITS[usize::from(self.0)])
    }
}

/// Declared strings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EnumStrings(&'static [u16]);

impl EnumStrings {
    /// Returns `true` if the string is one of them.
    #[inline]
    pub(crate) fn contains(self, text: &[u8]) -> bool {
        match self.0 {
            [only] => bytes_of(*only) == text,
            several => string_id_of(text).is_some_and(|number| several.contains(&number)),
        }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|number| declared_string(*number))
    }
}

/// The declared fields of an object, required fields first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectFields {
    run: &'static [[u16; 2]],
    required: u8,
}

impl ObjectFields {
    pub(crate) fn len(self) -> usize {
        self.run.len()
    }

    /// A bit for each required field.
    #[inline]
    pub(crate) fn required(self) -> u64 {
        match self.required {
            64.. => u64::MAX,
            count => (1 << count) - 1,
        }
    }

    /// Returns the position of the field with this key. The field at `next` is compared first: servers often keep the order of the contract.
    #[inline]
    pub(crate) fn position(self, key: &[u8], next: usize) -> Option<usize> {
        let number = string_id_of(key)?;
        match self.run.get(next) {
            Some(field) if field[0] == number => Some(next),
            _ => self.run.iter().position(|field| field[0] == number),
        }
    }

    /// The number of a field's name.
    #[inline]
    pub(crate) fn name_id(self, at: usize) -> u16 {
        self.run[at][0]
    }

    #[inline]
    pub(crate) fn name(self, at: usize) -> &'static str {
        declared_string(self.name_id(at))
    }

    /// Returns the node of the field at a position, and whether the field is forbidden.
    #[inline]
    pub(crate) fn node(self, at: usize) -> (SchemaNode, bool) {
        let word = self.run[at][1];
        (SchemaNode(word & 0x7FFF), word & 0x8000 != 0)
    }

    fn facts(self) -> impl Iterator<Item = FieldFact> {
        (0..self.len()).map(move |at| {
            let (node, forbidden) = self.node(at);
            let nullable = node.nullable() || matches!(node.shape(), NodeShape::Any | NodeShape::Null);
            FieldFact { name: self.name(at), required: at < usize::from(self.required), nullable, forbidden }
        })
    }
}

/// The node for each allowed form of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaUnion(&'static [u16; 9]);

impl SchemaUnion {
    fn at(self, place: usize) -> Option<SchemaNode> {
        (self.0[place] != NONE).then(|| SchemaNode(self.0[place]))
    }

    pub(crate) fn string_node(self) -> Option<SchemaNode> {
        self.at(0)
    }

    pub(crate) fn number_node(self) -> Option<SchemaNode> {
        self.at(1)
    }

    pub(crate) fn boolean_node(self) -> Option<SchemaNode> {
        self.at(2)
    }

    pub(crate) fn array_node(self) -> Option<SchemaNode> {
        self.at(3)
    }

    /// Returns the field that distinguishes objects.
    pub(crate) fn discriminator(self) -> Option<&'static str> {
        (self.0[4] != NONE).then(|| declared_string(self.0[4]))
    }

    /// Returns the node for objects without the field.
    pub(crate) fn node_without_field(self) -> Option<SchemaNode> {
        self.at(7)
    }

    /// Returns the node for objects whose field has an undeclared string, or for all objects if there is no field.
    pub(crate) fn node_of_unknown_value(self) -> Option<SchemaNode> {
        self.at(8)
    }

    /// Returns `true` if objects are allowed at all.
    pub(crate) fn has_objects(self) -> bool {
        self.0[6] > 0 || self.0[8] != NONE
    }

    /// Returns the node for a string in the field. `number` comes from [`string_id`].
    pub(crate) fn case_node(self, number: u16) -> Option<SchemaNode> {
        self.cases().iter().find(|case| case[0] == number).map(|case| SchemaNode(case[1]))
    }

    /// Returns the strings that the field may have.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        self.cases().iter().map(|case| declared_string(case[0]))
    }

    fn cases(self) -> &'static [[u16; 2]] {
        slice_range(&CASES, self.0[5], self.0[6])
    }

    fn variants(
        self,
        path: &mut Vec<(&'static str, &'static str)>,
        found: &mut Vec<Vec<(&'static str, &'static str)>>,
    ) {
        let Some(field) = self.discriminator() else { return };
        for [value, node] in self.cases() {
            path.push((field, declared_string(*value)));
            match SchemaNode(*node).shape() {
                // Distinguished by a second field.
                NodeShape::Union(union) => union.variants(path, found),
                _ => found.push(path.clone()),
            }
            path.pop();
        }
    }
}

/// Returns the number of a declared string or key; `None` if the contract has no such string.
pub(crate) fn string_id(text: &str) -> Option<u16> {
    string_id_of(text.as_bytes())
}

/// As `string_id`, for the bytes of a string.
pub(crate) fn string_id_of(text: &[u8]) -> Option<u16> {
    let words = words(text);
    let mut slot = hash(words, text.len());
    loop {
        let number = SLOTS[slot % SLOTS.len()];
        if number == NONE {
            return None;
        }
        let known = bytes_of(number);
        // Equal words are equal texts up to 16 bytes.
        if known.len() == text.len() && self::words(known) == words && (text.len() <= 16 || known == text) {
            return Some(number);
        }
        slot += 1;
    }
}

/// Returns the bytes of a declared string; comparing them needs no check of character boundaries.
#[inline]
fn bytes_of(number: u16) -> &'static [u8] {
    let at = usize::from(number);
    let (start, end) = (tables::STRINGS_STARTS[at], tables::STRINGS_STARTS[at + 1]);
    &STRINGS.as_bytes()[usize::from(start)..usize::from(end)]
}

/// Returns the declared string with a number.
#[inline]
pub(crate) fn declared_string(number: u16) -> &'static str {
    slice(STRINGS, &tables::STRINGS_STARTS, number)
}

#[inline]
fn slice(text: &'static str, starts: &[u16], at: u16) -> &'static str {
    let at = usize::from(at);
    &text[usize::from(starts[at])..usize::from(starts[at + 1])]
}

#[inline]
fn slice_range<T>(all: &'static [T], start: u16, count: u16) -> &'static [T] {
    &all[usize::from(start)..usize::from(start) + usize::from(count)]
}

/// The first and the last bytes of a text, eight each; they overlap in a shorter one.
#[inline]
fn words(bytes: &[u8]) -> [u64; 2] {
    match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(head), Some(tail)) => [u64::from_le_bytes(*head), u64::from_le_bytes(*tail)],
        _ => match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
            (Some(head), Some(tail)) => [u32::from_le_bytes(*head).into(), u32::from_le_bytes(*tail).into()],
            _ => [bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)), 0],
        },
    }
}

/// The hash function of a text with these words; the generator fills the slots with the same function.
#[inline]
fn hash([head, tail]: [u64; 2], length: usize) -> usize {
    let mixed = (head ^ tail.rotate_left(23) ^ (length as u64) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 48) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    #[test]
    fn exactly_the_strings_in_the_table_are_found() {
        for at in 0..tables::STRINGS_STARTS.len() as u16 - 1 {
            assert_eq!(string_id(declared_string(at)), Some(at), "{}", declared_string(at));
        }
        let is_plain = |name: &str| !name.contains(['/', '~']);
        assert!(FIELDS.iter().all(|field| is_plain(declared_string(field[0]))), "a JSON pointer needs no escapes");
        for text in ["", "typ", "typee", "response.created ", "é", "sequence-number"] {
            assert_eq!(string_id(text), None, "{text}");
        }
    }

    #[test]
    fn string_lookup_needs_few_probes() {
        // The longest chain of filled slots bounds the cost of an unknown key.
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

    /// Follows a node without entering references: their depth depends on the JSON document.
    fn walk(node: SchemaNode, edition: Edition, depth: usize) {
        assert!(depth < 16, "a node refers to itself without a reference");
        match node.shape() {
            NodeShape::Ref(schema) => assert!(schema.node(edition).is_some(), "{edition} has no {schema:?}"),
            NodeShape::Array(inner, _) | NodeShape::Map(inner, _) => walk(inner, edition, depth + 1),
            NodeShape::Object(fields) => (0..fields.len()).for_each(|at| walk(fields.node(at).0, edition, depth + 1)),
            NodeShape::AnyOf(nodes) => nodes.iter().for_each(|node| walk(SchemaNode(*node), edition, depth + 1)),
            NodeShape::AllOf(first, second) => {
                [first, second].into_iter().for_each(|node| walk(node, edition, depth + 1))
            }
            NodeShape::Union(union) => {
                let forms = [
                    union.string_node(),
                    union.number_node(),
                    union.boolean_node(),
                    union.array_node(),
                    union.node_without_field(),
                    union.node_of_unknown_value(),
                ];
                let cases = union.cases().iter().map(|case| SchemaNode(case[1]));
                forms.into_iter().flatten().chain(cases).for_each(|node| walk(node, edition, depth + 1));
            }
            _ => {}
        }
    }

    #[test]
    fn an_untagged_union_contains_no_other_untagged_union() {
        // Or a value nested in itself could double the work at each level.
        for edition in Edition::ALL {
            for number in 0..NODES.len() as u16 {
                let NodeShape::AnyOf(variants) = SchemaNode(number).shape() else { continue };
                let mut seen = Vec::new();
                // Only nodes of this edition are followed; a missing reference belongs to another edition.
                variants.iter().for_each(|variant| reach(SchemaNode(*variant), edition, &mut seen));
                let inner = seen.iter().filter(|node| matches!(node.shape(), NodeShape::AnyOf(_))).count();
                assert_eq!(inner, 0, "{edition}: node {number}");
            }
        }
    }

    fn reach(node: SchemaNode, edition: Edition, seen: &mut Vec<SchemaNode>) {
        if seen.contains(&node) {
            return;
        }
        seen.push(node);
        let mut go = |node: SchemaNode| reach(node, edition, seen);
        match node.shape() {
            NodeShape::Ref(schema) => schema.node(edition).into_iter().for_each(go),
            NodeShape::Array(inner, _) | NodeShape::Map(inner, _) => go(inner),
            NodeShape::Object(fields) => (0..fields.len()).for_each(|at| go(fields.node(at).0)),
            NodeShape::AnyOf(nodes) => nodes.iter().for_each(|node| go(SchemaNode(*node))),
            NodeShape::AllOf(first, second) => [first, second].into_iter().for_each(go),
            NodeShape::Union(union) => {
                let forms = [
                    union.string_node(),
                    union.number_node(),
                    union.boolean_node(),
                    union.array_node(),
                    union.node_without_field(),
                    union.node_of_unknown_value(),
                ];
                let cases = union.cases().iter().map(|case| SchemaNode(case[1]));
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
