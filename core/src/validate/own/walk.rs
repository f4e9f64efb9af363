//! The walk: value and nodes side by side.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};

use super::compile::{distinct, member, Bound, Compiled, Node, Range};
use crate::json::{Tag, Value, View};
use crate::validate::schema::{is_whole, Path};
use crate::validate::Rule;

/// Takes a problem: the rule, the way to the value, its place in the text, and a message.
pub(crate) type Report<'r> = dyn FnMut(Rule, &Path<'_>, usize, &str) + 'r;

/// Checks a value against a schema. Recursion goes as deep as the value, which the tape's depth limit bounds.
pub(crate) fn walk(view: View<'_>, schema: &Compiled, path: &Path<'_>, report: &mut Report<'_>) {
    Walk { schema, report }.value(view, 0, path, "");
}

struct Walk<'s, 'r, 'f> {
    schema: &'s Compiled,
    report: &'r mut Report<'f>,
}

impl Walk<'_, '_, '_> {
    /// `name` is the declared name of the nearest member around; what is not declared is payload, and never repeated.
    fn value(&mut self, view: View<'_>, node: usize, path: &Path<'_>, name: &str) {
        let Some(node) = self.schema.nodes.get(node) else { return };
        let tag = view.tag();
        if !node.types.allows(tag) {
            let expected = one_of(node.types.words());
            return self.tell(
                Rule::Schema02,
                view,
                path,
                &format!("{} is {}, expected {expected}", said(name), is(tag)),
            );
        }
        if !node.values.iter().all(|list| list.iter().any(|value| equal(view, value))) {
            let expected = "one of the declared values, found another";
            self.tell(Rule::Schema03, view, path, &format!("{}: expected {expected}", said(name)));
        }
        match tag {
            Tag::Number => self.number(view, node, path, name),
            Tag::String if !is_free(node.length) => {
                let count = view.as_str().map_or(0, |text| text.chars().count());
                self.range(view, count, node.length, "characters", path, name);
            }
            Tag::Array => {
                let mut count = 0;
                for element in view.elements() {
                    if let Some(inner) = node.elements {
                        self.value(element, inner, &path.index(count), name);
                    }
                    count += 1;
                }
                self.range(view, count, node.count, "elements", path, name);
            }
            Tag::Object => self.object(view, node, path, name),
            _ => {}
        }
    }

    fn number(&mut self, view: View<'_>, node: &Node, path: &Path<'_>, name: &str) {
        if node.types.only_whole() && !is_whole(view.raw()) {
            let message = format!("{} has a fraction, expected a whole number", said(name));
            self.tell(Rule::Schema02, view, path, &message);
        }
        let value = double(view.raw());
        let below = node.minimum.as_ref().filter(|bound| is_less(view.raw(), value, &bound.text, bound.value));
        let above = node.maximum.as_ref().filter(|bound| is_less(&bound.text, bound.value, view.raw(), value));
        for (bound, word) in [(below, "at least"), (above, "at most")] {
            if let Some(Bound { text, .. }) = bound {
                let message = format!("{} is out of bounds, expected {word} {text}", said(name));
                self.tell(Rule::Schema04, view, path, &message);
            }
        }
    }

    fn object(&mut self, view: View<'_>, node: &Node, path: &Path<'_>, name: &str) {
        if !node.members.is_empty() || node.others.is_some() {
            for (key, value) in view.entries() {
                let key = key.as_str().unwrap_or(Cow::Borrowed(""));
                match (member(node, &key), node.others) {
                    (Some(inner), _) => self.value(value, inner, &path.key(&key), &key),
                    (None, Some(inner)) if self.schema.nodes.get(inner).is_some_and(|node| node.types.0 == 0) => {
                        let message = format!("{} has a member that its schema does not declare", said(name));
                        self.tell(Rule::Schema01, value, &path.key(&key), &message);
                    }
                    (None, Some(inner)) => self.value(value, inner, &path.key(&key), name),
                    (None, None) => {}
                }
            }
        }
        for required in node.required.iter().filter(|required| view.get(required).is_none()) {
            let message = format!("{} needs `{required}`, which is missing", said(name));
            self.tell(Rule::Schema01, view, &path.key(required), &message);
        }
    }

    fn range(&mut self, view: View<'_>, count: usize, range: Range, unit: &str, path: &Path<'_>, name: &str) {
        let (count, Range { least, most }) = (count as u64, range);
        let message = match (count < least, count > most) {
            (true, _) => format!("{} is too short, expected at least {least} {unit}", said(name)),
            (_, true) => format!("{} is too long, expected at most {most} {unit}", said(name)),
            _ => return,
        };
        self.tell(Rule::Schema04, view, path, &message);
    }

    #[cold]
    #[inline(never)]
    fn tell(&mut self, rule: Rule, view: View<'_>, path: &Path<'_>, message: &str) {
        (self.report)(rule, path, view.span().0, message);
    }
}

/// Whether a value is this one. Numbers are compared as numbers, objects whatever their order.
fn equal(view: View<'_>, value: &Value) -> bool {
    match (view.tag(), value) {
        (Tag::Null, Value::Null) => true,
        (Tag::True, Value::Bool(known)) => *known,
        (Tag::False, Value::Bool(known)) => !known,
        (Tag::String, Value::String(known)) => view.as_str().is_some_and(|text| *text == **known),
        (Tag::Number, Value::Number(_)) => {
            let (text, known) = (view.raw(), value.to_string());
            let (number, bound) = (double(text), double(&known));
            !is_less(text, number, &known, bound) && !is_less(&known, bound, text, number)
        }
        (Tag::Array, Value::Array(known)) => {
            view.elements().count() == known.len() && view.elements().zip(known).all(|(one, other)| equal(one, other))
        }
        (Tag::Object, Value::Object(known)) => {
            let keys: BTreeSet<_> = view.entries().filter_map(|(key, _)| key.as_str()).collect();
            keys.len() == distinct(known)
                && keys.iter().all(|key| match (view.get(key), known.get(key)) {
                    (Some(one), Some(other)) => equal(one, other),
                    _ => false,
                })
        }
        _ => false,
    }
}

/// A number as a double. Those of JSON always parse; one beyond the range is infinite.
fn double(text: &str) -> f64 {
    text.parse().unwrap_or(f64::INFINITY)
}

/// Whether one number is less than another: exactly for whole numbers of ordinary size, else as far as 64 bits tell.
fn is_less(one: &str, one_value: f64, other: &str, other_value: f64) -> bool {
    match (one.parse::<i128>(), other.parse::<i128>()) {
        (Ok(one), Ok(other)) => one < other,
        _ => one_value < other_value,
    }
}

fn is_free(range: Range) -> bool {
    range.least == 0 && range.most == u64::MAX
}

fn said(name: &str) -> String {
    match name {
        "" => "the value".into(),
        name => format!("`{name}`"),
    }
}

fn is(tag: Tag) -> &'static str {
    match tag {
        Tag::Null => "null",
        Tag::True | Tag::False => "a boolean",
        Tag::Number => "a number",
        Tag::String => "a string",
        Tag::Array => "an array",
        Tag::Object => "an object",
    }
}

fn one_of(words: impl Iterator<Item = &'static str>) -> String {
    let mut out = String::new();
    for word in words {
        if !out.is_empty() {
            out.push_str(" or ");
        }
        out.push_str(word);
    }
    if out.is_empty() {
        out.push_str("nothing here");
    }
    out
}
