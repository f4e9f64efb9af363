//! [`Walk`]: value and table side by side.

use alloc::borrow::Cow;

use super::blame::{blame, Root};
use super::logprobs::{self, Lists};
use super::number;
use super::path::Path;
use super::problem::{Context, Fault, Measure, Problem};
use crate::contract::schema::{self, Fields, Limit, Node, SchemaId, Shape, Strings, Union};
use crate::contract::tables::id;
use crate::contract::Edition;
use crate::json::{Tag, View};
use crate::validate::own::{self, Compiled, ExtensionSchemas, NONE};

/// Whether a type named `slug:name` may stand where the contract lists items and tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extensions {
    /// It may: the specification says so in prose. An extension item still needs `id`, `type` and `status`.
    #[default]
    Allowed,
    /// It may not: the verdict of the published schemas alone.
    Refused,
}

/// One check: what it is told to do, and whom it tells.
pub(super) struct Walk<'r> {
    pub(super) root: Root,
    pub(super) extensions: Extensions,
    /// What the caller says of its own types.
    pub(super) schemas: &'r ExtensionSchemas,
    pub(super) report: &'r mut dyn FnMut(&Problem<'_>),
    /// The log probabilities that were seen before.
    pub(super) lists: Option<&'r mut Lists>,
    /// Problems so far, for the choice among variants that can only be tried.
    problems: usize,
}

/// Whether a text follows a pattern, and the pattern in words.
type Pattern = (fn(&str) -> bool, &'static str);

/// The patterns of the contract, in the order of the generator's list.
const PATTERNS: [Pattern; 2] = [
    (
        |text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')),
        "letters, digits, `_` and `-` only",
    ),
    // `vs_*` is a regular expression without anchors: `vs` anywhere, then any number of underscores.
    (|text| text.contains("vs"), "`vs` in it"),
];

impl<'r> Walk<'r> {
    pub(super) fn new(root: Root, extensions: Extensions, report: &'r mut dyn FnMut(&Problem<'_>)) -> Self {
        Self { root, extensions, schemas: NONE, report, lists: None, problems: 0 }
    }

    /// The same, with schemas of the caller's own.
    pub(super) fn with(self, schemas: &'r ExtensionSchemas) -> Self {
        Self { schemas, ..self }
    }

    /// Checks a value against a schema. `false` if the edition does not have the schema.
    pub(super) fn schema(&mut self, view: View<'_>, schema: SchemaId, edition: Edition) -> bool {
        let Some(node) = schema.node(edition) else { return false };
        let variant = match self.root {
            Root::Event(kind) => kind.as_str(),
            Root::Value => "",
        };
        let context = Context { schema: Some(schema), via: None, field: "", variant, edition };
        self.value(view, node, &Path::Root, context);
        true
    }

    fn value(&mut self, view: View<'_>, node: Node, path: &Path<'_>, context: Context) {
        let tag = view.tag();
        if tag == Tag::Null && node.nullable() {
            return;
        }
        match (node.shape(), tag) {
            (Shape::Any, _) | (Shape::Null, Tag::Null) | (Shape::Bool, Tag::True | Tag::False) => {}
            (Shape::Str(limit), Tag::String) => self.string(view, limit, path, context),
            (Shape::Int(limit), Tag::Number) => {
                if !number::is_whole(view.raw()) {
                    self.tell(view, Fault::Fraction, path, context);
                }
                self.number(view, limit, path, context);
            }
            (Shape::Num(limit), Tag::Number) => self.number(view, limit, path, context),
            (Shape::Enum(strings), Tag::String) => self.one_of(view, strings, path, context),
            (Shape::Array(inner, limit), Tag::Array) => self.array(view, inner, limit, path, context),
            (Shape::Object(fields), Tag::Object) => self.object(view, fields, path, context),
            (Shape::Map(inner, limit), Tag::Object) => self.map(view, inner, limit, path, context),
            (Shape::Ref(schema), _) => self.reference(view, schema, path, context),
            (Shape::Union(union), _) => self.union(view, node, union, path, context),
            (Shape::Try(nodes), _) => self.trial(view, nodes, path, context),
            (Shape::Both(first, second), _) => {
                self.value(view, first, path, context);
                self.value(view, second, path, context);
            }
            _ => self.tell(view, Fault::Type(node, tag), path, context),
        }
    }

    fn object(&mut self, view: View<'_>, fields: Fields, path: &Path<'_>, context: Context) {
        let mut seen = 0u64;
        let mut hint = 0;
        for (key, value) in view.entries() {
            let at = match key.plain_bytes() {
                Some(key) => fields.position(key, hint),
                None => fields.position(key.as_str().unwrap_or_default().as_bytes(), hint),
            };
            let Some(at) = at else { continue };
            seen |= 1 << at;
            hint = at + 1;
            let (node, forbidden) = fields.node(at);
            if !forbidden && node.is_plainly(value) {
                continue;
            }
            let name = fields.name(at);
            let path = path.key(name);
            // The name of a field inside a field says less than that of the field of the schema around.
            let field = if context.field.is_empty() { name } else { context.field };
            let context = Context { field, variant: "", ..context };
            if forbidden {
                self.tell(value, Fault::Forbidden(name), &path, context);
            } else {
                self.value(value, node, &path, context);
            }
        }
        let mut missing = fields.required() & !seen;
        while missing != 0 {
            self.tell(view, Fault::Missing(fields.name(missing.trailing_zeros() as usize)), path, context);
            missing &= missing - 1;
        }
    }

    fn map(&mut self, view: View<'_>, inner: Node, limit: Limit, path: &Path<'_>, context: Context) {
        let mut count = 0;
        let free = matches!(inner.shape(), Shape::Any);
        for (key, value) in view.entries() {
            count += 1;
            if !free {
                let key = key.as_str().unwrap_or(Cow::Borrowed(""));
                self.value(value, inner, &path.key(&key), context);
            }
        }
        self.bounds(view, Measure::Members, count, limit, path, context);
    }

    fn array(&mut self, view: View<'_>, inner: Node, limit: Limit, path: &Path<'_>, context: Context) {
        if context.field == "logprobs" {
            let plain = match &mut self.lists {
                Some(lists) => lists.is_plain(view.raw()),
                None => logprobs::is_plain(view.raw()),
            };
            if plain {
                return;
            }
        }
        let mut count = 0;
        for element in view.elements() {
            if !inner.is_plainly(element) {
                self.value(element, inner, &path.index(count), context);
            }
            count += 1;
        }
        self.bounds(view, Measure::Elements, count, limit, path, context);
    }

    fn reference(&mut self, view: View<'_>, schema: SchemaId, path: &Path<'_>, context: Context) {
        // Every reference of the tables has a node in its edition; a test walks them all.
        let Some(node) = schema.node(context.edition) else { return };
        let via = if context.field.is_empty() { context.schema } else { None };
        // An enum or a union of strings has no fields: its problems belong to the field that holds it.
        if let Shape::Enum(_) = node.shape() {
            return self.value(view, node, path, context);
        }
        self.value(view, node, path, Context { schema: Some(schema), via, field: "", ..context });
    }

    fn string(&mut self, view: View<'_>, limit: Limit, path: &Path<'_>, context: Context) {
        let Some((least, most, pattern)) = limit.get() else { return };
        let Some(text) = view.as_str() else { return };
        // No text has more characters than bytes, and most bounds are far away: long texts are seldom counted.
        let (least, most) = (least as usize, most as usize);
        let near = least <= text.len() && text.len() <= most && least <= 1;
        if !near && !(least..=most).contains(&text.chars().count()) {
            let (least, most) = (least as u32, most as u32);
            self.tell(view, Fault::Bounds(Measure::Characters, least, most), path, context);
        }
        if let Some((follows, words)) = PATTERNS.get(usize::from(pattern).wrapping_sub(1)) {
            if !follows(&text) {
                self.tell(view, Fault::Pattern(words), path, context);
            }
        }
    }

    fn number(&mut self, view: View<'_>, limit: Limit, path: &Path<'_>, context: Context) {
        let Some((least, most, _)) = limit.get() else { return };
        if !number::is_within(view.raw(), least, most) {
            self.tell(view, Fault::Bounds(Measure::Number, least, most), path, context);
        }
    }

    fn bounds(
        &mut self,
        view: View<'_>,
        measure: Measure,
        count: usize,
        limit: Limit,
        path: &Path<'_>,
        context: Context,
    ) {
        let Some((least, most, _)) = limit.get() else { return };
        if count < least as usize || count > most as usize {
            self.tell(view, Fault::Bounds(measure, least, most), path, context);
        }
    }

    fn one_of(&mut self, view: View<'_>, strings: Strings, path: &Path<'_>, context: Context) {
        if !view.as_str().is_some_and(|text| strings.contains(text.as_bytes())) {
            self.tell(view, Fault::Value(strings), path, context);
        }
    }

    fn union(&mut self, view: View<'_>, node: Node, union: Union, path: &Path<'_>, context: Context) {
        let tag = view.tag();
        let next = match tag {
            Tag::String => union.string(),
            Tag::Number => union.number(),
            Tag::True | Tag::False => union.boolean(),
            Tag::Array => union.array(),
            Tag::Object if union.has_objects() => return self.variant(view, union, path, context),
            Tag::Object | Tag::Null => None,
        };
        match next {
            Some(next) => self.value(view, next, path, context),
            None => self.tell(view, Fault::Type(node, tag), path, context),
        }
    }

    /// Chooses the variant of an object by the string in one field.
    fn variant(&mut self, view: View<'_>, union: Union, path: &Path<'_>, context: Context) {
        let Some(field) = union.field() else {
            if let Some(next) = union.other() {
                self.value(view, next, path, context);
            }
            return;
        };
        let value = view.get(field);
        let Some(value) = value.filter(|value| !value.is_null() || union.absent().is_none()) else {
            match union.absent() {
                Some(next) => self.value(view, next, path, context),
                None => self.tell(view, Fault::Missing(field), path, context),
            }
            return;
        };
        let name = value.as_str();
        let number = name.as_deref().and_then(schema::number);
        if let Some((number, next)) = number.and_then(|number| Some((number, union.case(number)?))) {
            return self.value(view, next, path, Context { variant: schema::string(number), ..context });
        }
        if let Some(next) = union.other() {
            return self.value(view, next, path, context);
        }
        let inside = path.key(field);
        let Some(name) = name else {
            let wrong = Fault::Variant(union, None);
            return self.tell(value, wrong, &inside, context);
        };
        if self.extensions == Extensions::Allowed && is_open(context) && is_extension(&name) {
            return self.extension(view, &name, path, context);
        }
        self.tell(value, Fault::Variant(union, number.map(schema::string)), &inside, context);
        self.legacy(view, number, path, context);
    }

    /// What every item has, an extension too; then what its sender says of it.
    fn extension(&mut self, view: View<'_>, name: &str, path: &Path<'_>, context: Context) {
        if context.schema == Some(id::ITEM_FIELD) {
            for field in ["id", "status"] {
                if !view.get(field).is_some_and(|value| value.tag() == Tag::String) {
                    self.tell(view, Fault::Extension(field), path, context);
                }
            }
            if let Some(schema) = self.schemas.of_item(name) {
                self.own(view, schema, path, context);
            }
        }
    }

    /// Checks a value against a schema of the caller's own.
    pub(super) fn own(&mut self, view: View<'_>, schema: &Compiled, path: &Path<'_>, context: Context) {
        own::walk(view, schema, path, &mut |rule, path, at, message| {
            (self.report)(&Problem { rule, fault: Fault::Own, path, context, at, own: message });
        });
    }

    /// A name that only the split edition has is wrong in a bundle; what it names is known all the same, and checked.
    fn legacy(&mut self, view: View<'_>, number: Option<u16>, path: &Path<'_>, context: Context) {
        let (Some(number), Some(schema)) = (number, context.schema) else { return };
        if context.edition == Edition::Split || !is_open(context) {
            return;
        }
        let Some(Shape::Union(union)) = schema.node(Edition::Split).map(Node::shape) else { return };
        if let Some(next) = union.case(number) {
            let variant = schema::string(number);
            self.value(view, next, path, Context { variant, edition: Edition::Split, ..context });
        }
    }

    /// Tries each variant in silence and tells about the one with the fewest problems.
    fn trial(&mut self, view: View<'_>, nodes: &[u16], path: &Path<'_>, context: Context) {
        let mut best = None;
        for number in nodes {
            let node = Node::listed(*number);
            let mut silent = |_: &Problem<'_>| {};
            let mut walk = Walk::new(self.root, self.extensions, &mut silent).with(self.schemas);
            walk.lists = self.lists.as_deref_mut();
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
    fn tell(&mut self, view: View<'_>, fault: Fault, path: &Path<'_>, context: Context) {
        self.problems += 1;
        let rule = blame(self.root, view, &fault, &context);
        (self.report)(&Problem { rule, fault, path, context, at: view.span().0, own: "" });
    }
}

/// Whether senders may add variants of their own to this union.
fn is_open(context: Context) -> bool {
    let open = [id::ITEM_FIELD, id::ITEM_PARAM, id::TOOL, id::RESPONSES_TOOL_PARAM];
    context.field.is_empty() && context.schema.is_some_and(|schema| open.contains(&schema))
}

/// Whether a type is named `slug:name`.
fn is_extension(name: &str) -> bool {
    name.split_once(':').is_some_and(|(slug, rest)| !slug.is_empty() && !rest.is_empty())
}
