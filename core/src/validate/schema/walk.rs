//! [`SchemaWalk`]: visits a value and the schema tables together.

use alloc::borrow::Cow;

use super::logprobs;
use super::number;
use super::path::Path;
use super::problem::{Context, Interval, Measure, Problem, ProblemKind};
use super::rule_for::{rule_for, Root};
use crate::contract::schema::{self, Bounds, EnumStrings, NodeShape, ObjectFields, SchemaId, SchemaNode, SchemaUnion};
use crate::contract::tables::id;
use crate::contract::{is_valid_extension_type, Edition};
use crate::json::{ValueKind, ValueRef};
use crate::validate::extension_schema::{ExtensionPosition, ExtensionSchemas, NONE};
use crate::validate::Rule;

/// Whether a type named `slug:name` is allowed where the contract lists items and tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extensions {
    /// Allowed, as the text of the specification says. An extension item needs `id`, `type` and `status`.
    #[default]
    Allowed,
    /// Not allowed, as in the published schemas.
    Refused,
}

/// One check of a value: its settings and the receiver of its problems.
pub(crate) struct SchemaWalk<'r> {
    pub(super) root: Root,
    pub(super) extensions: Extensions,
    /// The caller's schemas of extension types.
    pub(super) schemas: &'r ExtensionSchemas,
    pub(super) report: &'r mut dyn FnMut(&Problem<'_>),
    /// Number of problems so far, to select among variants without a discriminator.
    problems: usize,
}

/// A pattern: the test, and its description for messages.
type Pattern = (fn(&str) -> bool, &'static str);

/// The patterns of the contract, in the order of the generated tables.
const PATTERNS: [Pattern; 2] = [
    (
        |text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')),
        "only letters, digits, `_` and `-`",
    ),
    // `vs_*` is a regular expression without anchors: it matches any text that contains `vs`.
    (|text| text.contains("vs"), "a text that contains `vs`"),
];

impl<'r> SchemaWalk<'r> {
    pub(super) fn new(root: Root, extensions: Extensions, report: &'r mut dyn FnMut(&Problem<'_>)) -> Self {
        Self { root, extensions, schemas: NONE, report, problems: 0 }
    }

    /// Sets the caller's schemas of extension types.
    pub(super) fn with(self, schemas: &'r ExtensionSchemas) -> Self {
        Self { schemas, ..self }
    }

    /// Checks a value against a schema. Returns `false` if the edition does not have the schema.
    pub(super) fn schema(&mut self, view: ValueRef<'_>, schema: SchemaId, edition: Edition) -> bool {
        let Some(node) = schema.node(edition) else { return false };
        let variant = match self.root {
            Root::Event(kind) => kind.name(),
            Root::Value => "",
        };
        let context = Context { schema: Some(schema), via: None, field: None, variant, edition };
        self.value(view, node, &Path::Root, context);
        true
    }

    fn value(&mut self, view: ValueRef<'_>, mut node: SchemaNode, path: &Path<'_>, mut context: Context) {
        let tag = view.kind();
        // References and unions lead to the node that describes the value.
        loop {
            if tag == ValueKind::Null && node.nullable() {
                return;
            }
            let next = match (node.shape(), tag) {
                (NodeShape::Any, _)
                | (NodeShape::Null, ValueKind::Null)
                | (NodeShape::Bool, ValueKind::True | ValueKind::False) => return,
                (NodeShape::Str(limit), ValueKind::String) => return self.string(view, limit, path, context),
                (NodeShape::Int(limit), ValueKind::Number) => {
                    if !number::is_whole(view.raw()) {
                        self.report(view, ProblemKind::Fraction, path, context);
                    }
                    return self.number(view, limit, path, context);
                }
                (NodeShape::Num(limit), ValueKind::Number) => return self.number(view, limit, path, context),
                (NodeShape::Enum(strings), ValueKind::String) => return self.one_of(view, strings, path, context),
                (NodeShape::Array(inner, limit), ValueKind::Array) => {
                    return self.array(view, inner, limit, path, context)
                }
                (NodeShape::Object(fields), ValueKind::Object) => return self.object(view, fields, path, context),
                (NodeShape::Map(inner, limit), ValueKind::Object) => {
                    return self.map(view, inner, limit, path, context)
                }
                (NodeShape::Ref(schema), _) => self.reference(view, schema, &mut context),
                (NodeShape::Union(union), _) => self.union(view, node, union, path, &mut context),
                (NodeShape::AnyOf(nodes), _) => return self.try_variants(view, nodes, path, context),
                (NodeShape::AllOf(first, second), _) => {
                    self.value(view, first, path, context);
                    Some(second)
                }
                _ => return self.report(view, ProblemKind::Type(node, tag), path, context),
            };
            match next {
                Some(next) => node = next,
                None => return,
            }
        }
    }

    fn object(&mut self, view: ValueRef<'_>, fields: ObjectFields, path: &Path<'_>, context: Context) {
        let mut seen = 0u64;
        let mut next = 0;
        for (key, value) in view.entries() {
            let at = match key.plain_bytes() {
                Some(key) => fields.position(key, next),
                None => fields.position(key.as_str().unwrap_or_default().as_bytes(), next),
            };
            let Some(at) = at else {
                if self.schemas.has_fields() {
                    self.added_field(key, value, path, context);
                }
                continue;
            };
            seen |= 1 << at;
            next = at + 1;
            let (node, forbidden) = fields.node(at);
            if !forbidden && node.accepts_plain_scalar(value) {
                continue;
            }
            let number = fields.name_id(at);
            let path = path.field(number);
            // Problems name the field of the enclosing schema, not a nested field.
            let context = Context { field: context.field.or(Some(number)), variant: "", ..context };
            if forbidden {
                self.report(value, ProblemKind::Forbidden(fields.name(at)), &path, context);
            } else {
                self.value(value, node, &path, context);
            }
        }
        let mut missing = fields.required() & !seen;
        while missing != 0 {
            self.report(view, ProblemKind::Missing(fields.name(missing.trailing_zeros() as usize)), path, context);
            missing &= missing - 1;
        }
    }

    /// Checks a field that the caller added to a schema of the contract.
    #[cold]
    fn added_field(&mut self, key: ValueRef<'_>, value: ValueRef<'_>, path: &Path<'_>, context: Context) {
        let (Some(schema), Some(key)) = (context.schema.filter(|_| context.field.is_none()), key.as_str()) else {
            return;
        };
        if let Some(schema) = self.schemas.of_field(schema, &key) {
            self.extension_value(value, ExtensionPosition::root(schema), &path.key(&key));
        }
    }

    fn map(&mut self, view: ValueRef<'_>, inner: SchemaNode, limit: Bounds, path: &Path<'_>, context: Context) {
        let mut count = 0;
        let free = matches!(inner.shape(), NodeShape::Any);
        for (key, value) in view.entries() {
            count += 1;
            if !free {
                let key = key.as_str().unwrap_or(Cow::Borrowed(""));
                self.value(value, inner, &path.key(&key), context);
            }
        }
        self.bounds(view, Measure::Members, count, limit, path, context);
    }

    fn array(&mut self, view: ValueRef<'_>, inner: SchemaNode, limit: Bounds, path: &Path<'_>, context: Context) {
        if context.field() == "logprobs" && logprobs::is_plain(view.raw()) {
            return;
        }
        let mut count = 0;
        for element in view.elements() {
            if !inner.accepts_plain_scalar(element) {
                self.value(element, inner, &path.index(count), context);
            }
            count += 1;
        }
        self.bounds(view, Measure::Elements, count, limit, path, context);
    }

    /// Returns the node of a reference; `None` if the value is a string that the caller added to it.
    fn reference(&self, view: ValueRef<'_>, schema: SchemaId, context: &mut Context) -> Option<SchemaNode> {
        // A test proves that every reference in the tables has a node in its edition.
        let node = schema.node(context.edition)?;
        // Problems of an enum or a union of strings belong to the field that contains it.
        if let NodeShape::Enum(_) = node.shape() {
            let is_added = |word: &str| self.schemas.has_value(schema, "", word);
            let is_added = !self.schemas.is_empty() && view.as_str().is_some_and(|word| is_added(&word));
            return (!is_added).then_some(node);
        }
        let via = if context.field.is_none() { context.schema } else { None };
        *context = Context { schema: Some(schema), via, field: None, ..*context };
        Some(node)
    }

    fn string(&mut self, view: ValueRef<'_>, limit: Bounds, path: &Path<'_>, context: Context) {
        let Some((least, most, pattern)) = limit.get() else { return };
        let Some(text) = view.as_str() else { return };
        // A text has at most as many characters as bytes, so that characters are counted only close to a bound.
        let (least, most) = (least as usize, most as usize);
        let near = least <= text.len() && text.len() <= most && least <= 1;
        if !near && !(least..=most).contains(&text.chars().count()) {
            let (least, most) = (least as u32, most as u32);
            self.report(view, ProblemKind::Bounds(Measure::Characters, interval(least, most)), path, context);
        }
        if let Some((follows, words)) = PATTERNS.get(usize::from(pattern).wrapping_sub(1)) {
            if !follows(&text) {
                self.report(view, ProblemKind::Pattern(words), path, context);
            }
        }
    }

    fn number(&mut self, view: ValueRef<'_>, limit: Bounds, path: &Path<'_>, context: Context) {
        let Some((least, most, _)) = limit.get() else { return };
        if !number::is_within(view.raw(), least, most) {
            self.report(view, ProblemKind::Bounds(Measure::Number, interval(least, most)), path, context);
        }
    }

    fn bounds(
        &mut self,
        view: ValueRef<'_>,
        measure: Measure,
        count: usize,
        limit: Bounds,
        path: &Path<'_>,
        context: Context,
    ) {
        let Some((least, most, _)) = limit.get() else { return };
        if count < least as usize || count > most as usize {
            self.report(view, ProblemKind::Bounds(measure, interval(least, most)), path, context);
        }
    }

    fn one_of(&mut self, view: ValueRef<'_>, strings: EnumStrings, path: &Path<'_>, context: Context) {
        let is_added = |word: &str| {
            !self.schemas.is_empty()
                && context.schema.is_some_and(|schema| self.schemas.has_value(schema, context.field(), word))
        };
        if !view.as_str().is_some_and(|text| strings.contains(text.as_bytes()) || is_added(&text)) {
            self.report(view, ProblemKind::Value(strings), path, context);
        }
    }

    /// Returns the node of the form that the value has; `None` if it was checked or has no form of the union.
    fn union(
        &mut self,
        view: ValueRef<'_>,
        node: SchemaNode,
        union: SchemaUnion,
        path: &Path<'_>,
        context: &mut Context,
    ) -> Option<SchemaNode> {
        let tag = view.kind();
        let next = match tag {
            ValueKind::String => union.string_node(),
            ValueKind::Number => union.number_node(),
            ValueKind::True | ValueKind::False => union.boolean_node(),
            ValueKind::Array => union.array_node(),
            ValueKind::Object if union.has_objects() => return self.variant(view, union, path, context),
            ValueKind::Object | ValueKind::Null => None,
        };
        if next.is_none() {
            self.report(view, ProblemKind::Type(node, tag), path, *context);
        }
        next
    }

    /// Selects the variant of an object by its discriminator field.
    fn variant(
        &mut self,
        view: ValueRef<'_>,
        union: SchemaUnion,
        path: &Path<'_>,
        context: &mut Context,
    ) -> Option<SchemaNode> {
        let Some(field) = union.discriminator() else { return union.node_of_unknown_value() };
        let value = view.get(field).filter(|value| !value.is_null() || union.node_without_field().is_none());
        let Some(value) = value else {
            match union.node_without_field() {
                Some(_) if is_short_message(view, *context) => self.short_message(view, union, path, *context),
                Some(next) => return Some(next),
                None => self.report(view, ProblemKind::Missing(field), path, *context),
            }
            return None;
        };
        let name = value.as_str();
        let number = name.as_deref().and_then(schema::string_id);
        if let Some((number, next)) = number.and_then(|number| Some((number, union.case_node(number)?))) {
            context.variant = schema::declared_string(number);
            return Some(next);
        }
        if let Some(next) = union.node_of_unknown_value() {
            return Some(next);
        }
        self.unknown_variant(view, value, union, path, *context);
        None
    }

    /// Checks an object whose discriminator field names no variant of the union.
    #[cold]
    #[inline(never)]
    fn unknown_variant(
        &mut self,
        view: ValueRef<'_>,
        value: ValueRef<'_>,
        union: SchemaUnion,
        path: &Path<'_>,
        context: Context,
    ) {
        let Some(field) = union.discriminator() else { return };
        let inside = path.key(field);
        let Some(name) = value.as_str() else {
            return self.report(value, ProblemKind::Variant(union, None), &inside, context);
        };
        if self.extensions == Extensions::Allowed && is_open(context) && is_valid_extension_type(&name) {
            return self.extension(view, &name, path, context);
        }
        if let Some(schema) = self.schemas.of_item(&name).filter(|_| is_open(context)) {
            return self.extension_value(view, ExtensionPosition::root(schema), path);
        }
        let number = schema::string_id(&name);
        self.report(value, ProblemKind::Variant(union, number.map(schema::declared_string)), &inside, context);
        self.legacy(view, number, path, context);
    }

    /// Checks the short form of a message. OpenAI alone accepts it; for every other edition it is one problem, and the rest is checked
    /// as a message.
    fn short_message(&mut self, view: ValueRef<'_>, union: SchemaUnion, path: &Path<'_>, context: Context) {
        if context.edition != Edition::OpenAi {
            self.report(view, ProblemKind::ShortMessage, path, context);
        }
        let message = schema::string_id("message").and_then(|number| Some((number, union.case_node(number)?)));
        let Some((number, next)) = message else { return };
        let mut problems = 0;
        let report = &mut self.report;
        let mut others = |problem: &Problem<'_>| {
            if !(matches!(problem.kind, ProblemKind::Missing("type")) && problem.at == view.span().0) {
                problems += 1;
                report(problem);
            }
        };
        let mut walk = SchemaWalk::new(self.root, self.extensions, &mut others).with(self.schemas);
        walk.value(view, next, path, Context { variant: schema::declared_string(number), ..context });
        self.problems += problems;
    }

    /// Checks the members that every item has, then the schema that the caller registered for the type.
    fn extension(&mut self, view: ValueRef<'_>, name: &str, path: &Path<'_>, context: Context) {
        if context.schema == Some(id::ITEM_FIELD) {
            for field in ["id", "status"] {
                if !view.get(field).is_some_and(|value| value.kind() == ValueKind::String) {
                    self.report(view, ProblemKind::ExtensionItem(field), path, context);
                }
            }
            if let Some(schema) = self.schemas.of_item(name) {
                self.extension_value(view, ExtensionPosition::root(schema), path);
            }
        }
    }

    /// A variant of the split edition is invalid in a bundled edition, but its contents are checked against the split edition.
    fn legacy(&mut self, view: ValueRef<'_>, number: Option<u16>, path: &Path<'_>, context: Context) {
        let (Some(number), Some(schema)) = (number, context.schema) else { return };
        if context.edition == Edition::Split || !is_open(context) {
            return;
        }
        let Some(NodeShape::Union(union)) = schema.node(Edition::Split).map(SchemaNode::shape) else { return };
        if let Some(next) = union.case_node(number) {
            let variant = schema::declared_string(number);
            self.value(view, next, path, Context { variant, edition: Edition::Split, ..context });
        }
    }

    /// Tries each variant without reporting, then reports the problems of the variant with the fewest.
    fn try_variants(&mut self, view: ValueRef<'_>, nodes: &[u16], path: &Path<'_>, context: Context) {
        let mut best = None;
        for number in nodes {
            let node = SchemaNode::from_index(*number);
            let mut silent = |_: &Problem<'_>| {};
            let mut walk = SchemaWalk::new(self.root, self.extensions, &mut silent).with(self.schemas);
            walk.value(view, node, path, context);
            match walk.problems {
                0 => return,
                problems if best.is_none_or(|(fewest, _)| problems < fewest) => best = Some((problems, node)),
                _ => {}
            }
        }
        if let Some((_, node)) = best {
            self.value(view, node, path, context);
        }
    }

    #[cold]
    #[inline(never)]
    fn report(&mut self, view: ValueRef<'_>, kind: ProblemKind<'_>, path: &Path<'_>, context: Context) {
        self.problems += 1;
        let rule = rule_for(self.root, view, &kind, &context);
        (self.report)(&Problem { rule, kind, path, context, at: view.span().0, member: None });
    }

    /// Reports a problem of an extension schema.
    #[cold]
    #[inline(never)]
    pub(crate) fn report_extension(
        &mut self,
        rule: Rule,
        view: ValueRef<'_>,
        kind: ProblemKind<'_>,
        position: ExtensionPosition<'_>,
        path: &Path<'_>,
    ) {
        self.problems += 1;
        let context = Context { schema: None, via: None, field: None, variant: "", edition: Edition::Split };
        let member = Some(position.member);
        (self.report)(&Problem { rule, kind, path, context, at: view.span().0, member });
    }
}

/// The bounds of the contract tables, where `u32::MAX` means unbounded.
fn interval(least: u32, most: u32) -> Interval<'static> {
    Interval::Counts(u64::from(least), (most != u32::MAX).then_some(u64::from(most)))
}

/// Returns `true` for an input item with a role and without a type and an id: a message, not a reference.
fn is_short_message(view: ValueRef<'_>, context: Context) -> bool {
    context.schema == Some(id::ITEM_PARAM) && view.get("role").is_some() && view.get("id").is_none()
}

/// Returns `true` if extensions may add variants to this union.
fn is_open(context: Context) -> bool {
    let open = [id::ITEM_FIELD, id::ITEM_PARAM, id::TOOL, id::RESPONSES_TOOL_PARAM];
    context.field.is_none() && context.schema.is_some_and(|schema| open.contains(&schema))
}
