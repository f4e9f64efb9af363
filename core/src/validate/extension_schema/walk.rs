//! The part of the schema walk that follows nodes of an extension schema.
//!
//! [`SchemaWalk`] visits values for the contract and for extension schemas; both report the same [`ProblemKind`]s. Recursion depth is
//! that of the value, which the parser's depth limit bounds.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::string::ToString;

use super::compile::{distinct_keys, member_node, CompiledSchema, Range, SchemaRules};
use crate::json::{Value, ValueKind, ValueRef};
use crate::validate::schema::number::{compare, is_whole};
use crate::validate::schema::{Interval, Measure, Path, ProblemKind, SchemaWalk};
use crate::validate::Rule;

/// The position of the walk in an extension schema.
#[derive(Clone, Copy)]
pub(crate) struct ExtensionPosition<'s> {
    pub(crate) schema: &'s CompiledSchema,
    /// The node of the value.
    node: usize,
    /// The nearest declared member name; undeclared names are payload and do not occur in messages.
    pub(crate) member: &'s str,
}

impl<'s> ExtensionPosition<'s> {
    /// The root of a schema.
    pub(crate) fn root(schema: &'s CompiledSchema) -> Self {
        Self { schema, node: 0, member: "" }
    }

    fn at(self, node: usize) -> Self {
        Self { node, ..self }
    }

    fn rules(self) -> Option<&'s SchemaRules> {
        self.schema.nodes.get(self.node)
    }
}

impl SchemaWalk<'_> {
    /// Checks a value against a node of an extension schema.
    pub(crate) fn extension_value(&mut self, view: ValueRef<'_>, position: ExtensionPosition<'_>, path: &Path<'_>) {
        let Some(rules) = position.rules() else { return };
        let kind = view.kind();
        if !rules.types.allows(kind) {
            let problem = ProblemKind::ExtensionType(rules.types, kind);
            return self.report_extension(Rule::Schema02, view, problem, position, path);
        }
        if !rules.values.iter().all(|list| list.iter().any(|value| equals(view, value))) {
            self.report_extension(Rule::Schema03, view, ProblemKind::ExtensionValue, position, path);
        }
        match kind {
            ValueKind::Number => self.extension_number(view, rules, position, path),
            ValueKind::String if !rules.length.is_unbounded() => {
                let count = view.as_str().map_or(0, |text| text.chars().count());
                self.extension_count(view, Measure::Characters, count, rules.length, position, path);
            }
            ValueKind::Array => {
                let mut count = 0;
                for element in view.elements() {
                    if let Some(node) = rules.elements {
                        self.extension_value(element, position.at(node), &path.index(count));
                    }
                    count += 1;
                }
                self.extension_count(view, Measure::Elements, count, rules.count, position, path);
            }
            ValueKind::Object => self.extension_object(view, rules, position, path),
            _ => {}
        }
    }

    fn extension_number(
        &mut self,
        view: ValueRef<'_>,
        rules: &SchemaRules,
        position: ExtensionPosition<'_>,
        path: &Path<'_>,
    ) {
        let number = view.raw();
        if rules.types.only_whole() && !is_whole(number) {
            self.report_extension(Rule::Schema02, view, ProblemKind::Fraction, position, path);
        }
        if let Some(least) = rules.minimum.as_deref().filter(|least| compare(number, least).is_lt()) {
            let problem = ProblemKind::Bounds(Measure::Number, Interval::AtLeast(least));
            self.report_extension(Rule::Schema04, view, problem, position, path);
        }
        if let Some(most) = rules.maximum.as_deref().filter(|most| compare(number, most).is_gt()) {
            let problem = ProblemKind::Bounds(Measure::Number, Interval::AtMost(most));
            self.report_extension(Rule::Schema04, view, problem, position, path);
        }
    }

    fn extension_object(
        &mut self,
        view: ValueRef<'_>,
        rules: &SchemaRules,
        position: ExtensionPosition<'_>,
        path: &Path<'_>,
    ) {
        if !rules.members.is_empty() || rules.others.is_some() {
            for (key, value) in view.entries() {
                let key = key.as_str().unwrap_or(Cow::Borrowed(""));
                let path = path.key(&key);
                match (member_node(rules, &key), rules.others) {
                    (Some((name, node)), _) => {
                        self.extension_value(value, ExtensionPosition { node, member: name, ..position }, &path);
                    }
                    (None, Some(others)) => {
                        let inner = position.at(others);
                        if inner.rules().is_some_and(SchemaRules::allows_nothing) {
                            self.report_extension(Rule::Schema01, value, ProblemKind::Undeclared, position, &path);
                        } else {
                            self.extension_value(value, inner, &path);
                        }
                    }
                    (None, None) => {}
                }
            }
        }
        for required in rules.required.iter().filter(|required| view.get(required).is_none()) {
            self.report_extension(Rule::Schema01, view, ProblemKind::Missing(required), position, path);
        }
    }

    fn extension_count(
        &mut self,
        view: ValueRef<'_>,
        measure: Measure,
        count: usize,
        Range { least, most }: Range,
        position: ExtensionPosition<'_>,
        path: &Path<'_>,
    ) {
        let count = count as u64;
        let interval = match (count < least, count > most) {
            (true, _) => Interval::Counts(least, None),
            (_, true) => Interval::Counts(0, Some(most)),
            _ => return,
        };
        self.report_extension(Rule::Schema04, view, ProblemKind::Bounds(measure, interval), position, path);
    }
}

/// Returns `true` if both values are equal. Numbers are compared by value, objects without regard to key order.
fn equals(view: ValueRef<'_>, value: &Value) -> bool {
    match (view.kind(), value) {
        (ValueKind::Null, Value::Null) => true,
        (ValueKind::True, Value::Bool(known)) => *known,
        (ValueKind::False, Value::Bool(known)) => !known,
        (ValueKind::String, Value::String(known)) => view.as_str().is_some_and(|text| *text == **known),
        (ValueKind::Number, Value::Number(_)) => compare(view.raw(), &value.to_string()).is_eq(),
        (ValueKind::Array, Value::Array(known)) => {
            view.elements().count() == known.len() && view.elements().zip(known).all(|(one, other)| equals(one, other))
        }
        (ValueKind::Object, Value::Object(known)) => {
            let keys: BTreeSet<_> = view.entries().filter_map(|(key, _)| key.as_str()).collect();
            keys.len() == distinct_keys(known)
                && keys.iter().all(|key| match (view.get(key), known.get(key)) {
                    (Some(one), Some(other)) => equals(one, other),
                    _ => false,
                })
        }
        _ => false,
    }
}
