//! [`LazyObject`]: an object that is kept as JSON text until a caller reads or changes it.
//!
//! Snapshots and finished items repeat the deltas, and few callers read every field: copying the text costs a fraction of building the
//! tree. Most of such a tree is log probabilities, so there are two trees, each built on demand: [`WithoutLogprobs`] for texts and
//! statuses, and the full object.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::accumulated_response::Snapshot;
use super::held_bytes::object_bytes;
use super::item_slot::split_part;
use crate::contract::ItemKind;
use crate::json::{Object, Tape, Value, ValueKind, ValueRef};
use crate::sync::OnceCell;

/// An object that is built when it is first read or changed.
#[derive(Clone, Debug)]
pub(crate) enum LazyObject {
    Built(Object),
    Raw { text: String, kind: RawKind, without_logprobs: OnceCell<WithoutLogprobs>, full: OnceCell<Object> },
}

/// The source of the text, which decides what the object without log probabilities leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RawKind {
    /// An item of this kind: leaves out the log probabilities of its content parts.
    Item(ItemKind),
    /// A snapshot of a response: leaves out its items, which have slots of their own.
    Snapshot,
}

/// An object without the log probabilities of its content parts.
#[derive(Clone, Debug)]
pub(crate) struct WithoutLogprobs {
    object: Object,
    /// True if the item has log probabilities, so that the full object differs.
    removed_any: bool,
}

impl Default for LazyObject {
    fn default() -> Self {
        Self::Built(Object::new())
    }
}

impl From<Object> for LazyObject {
    fn from(object: Object) -> Self {
        Self::Built(object)
    }
}

impl From<ValueRef<'_>> for LazyObject {
    /// Copies the text of an item.
    fn from(item: ValueRef<'_>) -> Self {
        Self::raw(
            item.raw().to_owned(),
            RawKind::Item(kind_of(item.get("type").and_then(|kind| kind.as_str()).as_deref())),
        )
    }
}

impl LazyObject {
    fn raw(text: String, kind: RawKind) -> Self {
        Self::Raw { text, kind, without_logprobs: OnceCell::new(), full: OnceCell::new() }
    }

    /// Copies the text of a snapshot without that of its items, which is most of it; `output` keeps its position, as `null`. If a server
    /// repeats `output`, the text keeps the others until it is read.
    pub(crate) fn from_snapshot(snapshot: &Snapshot<'_>) -> Self {
        let response = snapshot.response;
        let Some(output) = snapshot.output else { return Self::raw(response.raw().to_owned(), RawKind::Snapshot) };
        let (from, raw) = (response.span().0, response.raw());
        let (start, end) = output.span();
        let before = raw.get(..start - from).unwrap_or_default();
        let after = raw.get(end - from..).unwrap_or_default();
        Self::raw([before, NO_OUTPUT, after].concat(), RawKind::Snapshot)
    }

    /// The kind of the item; builds nothing.
    pub(crate) fn item_kind(&self) -> ItemKind {
        match self {
            Self::Raw { kind: RawKind::Item(kind), .. } => *kind,
            _ => kind_of(self.without_logprobs().get("type").and_then(Value::as_str)),
        }
    }

    /// The object. While the item is text, its content parts may lack log probabilities.
    pub(crate) fn without_logprobs(&self) -> &Object {
        match self {
            Self::Built(object) => object,
            Self::Raw { text, kind, without_logprobs, .. } => {
                &without_logprobs.get_or_init(|| read(text, |view| WithoutLogprobs::of(view, *kind))).object
            }
        }
    }

    /// The object with all fields.
    pub(crate) fn object(&self) -> &Object {
        match self {
            Self::Built(object) => object,
            Self::Raw { text, kind, without_logprobs, full } => {
                let without = without_logprobs.get_or_init(|| read(text, |view| WithoutLogprobs::of(view, *kind)));
                if without.removed_any {
                    full.get_or_init(|| read(text, super::accumulated_response::object))
                } else {
                    &without.object
                }
            }
        }
    }

    /// The object, mutable.
    #[inline]
    pub(crate) fn object_mut(&mut self) -> &mut Object {
        if matches!(self, Self::Raw { .. }) {
            self.build();
        }
        match self {
            Self::Built(object) => object,
            Self::Raw { .. } => unreachable!("`build` replaced the text"),
        }
    }

    fn build(&mut self) {
        let object = self.object().clone();
        *self = Self::Built(object);
    }

    /// The size in memory: of the text, or of the object. Objects that are built only for reading are not counted.
    pub(crate) fn held_bytes(&self) -> usize {
        match self {
            Self::Built(object) => object_bytes(object),
            Self::Raw { text, .. } => text.len(),
        }
    }

    /// True if the object is still text, and this text.
    pub(crate) fn raw_equals(&self, other: &str) -> bool {
        matches!(self, Self::Raw { text, .. } if text == other)
    }

    /// Calls `read` with a view of the object. Builds no values: text is parsed to a tape, an object is written first.
    pub(crate) fn with_view<T>(&self, read_view: impl FnOnce(ValueRef<'_>) -> T) -> T {
        match self {
            Self::Raw { text, .. } => read(text, read_view),
            Self::Built(object) => {
                let mut text = String::new();
                object.write_into(&mut text);
                read(&text, read_view)
            }
        }
    }
}

fn kind_of(name: Option<&str>) -> ItemKind {
    name.map_or(ItemKind::Unknown, ItemKind::from_wire)
}

/// The value of `output` in a snapshot whose items have their own slots.
const NO_OUTPUT: &str = "null";

impl WithoutLogprobs {
    fn of(view: ValueRef<'_>, kind: RawKind) -> Self {
        let mut this = Self { object: Object::with_capacity(view.entries().count()), removed_any: false };
        let mut has_output = false;
        for (key, value) in view.entries() {
            let key = key.as_str().unwrap_or_default();
            // The items are listed once, even if a server repeats `output`.
            if kind == RawKind::Snapshot && key == "output" && core::mem::replace(&mut has_output, true) {
                continue;
            }
            let value = match (&*key, kind) {
                ("content", RawKind::Item(_)) if value.kind() == ValueKind::Array => {
                    let mut parts = Vec::with_capacity(value.elements().count());
                    parts.extend(value.elements().map(|part| this.part(part)));
                    Value::Array(parts)
                }
                ("output", RawKind::Snapshot) => Value::Null,
                _ => value.to_value(),
            };
            this.object.push_named(&key, value);
        }
        if kind == RawKind::Snapshot && !has_output {
            this.object.push("output", Value::Null);
        }
        this
    }

    fn part(&mut self, view: ValueRef<'_>) -> Value {
        if view.kind() != ValueKind::Object {
            return view.to_value();
        }
        let (part, logprobs) = split_part(view);
        self.removed_any |= logprobs.is_some();
        part
    }
}

/// Parses text that was checked, its depth included, when its event was read.
fn read<T>(text: &str, take: impl FnOnce(ValueRef<'_>) -> T) -> T {
    let mut tape = Tape::default();
    let checked = tape.parse(text, usize::MAX).is_ok();
    debug_assert!(checked, "only checked text is kept");
    take(tape.root(text))
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;

    use crate::Reader;

    #[test]
    fn a_finished_call_is_returned_as_it_was_sent() {
        for item in [
            r#"{"type":"function_call","id":"f","arguments":"{\"a\":\"\\n\"}","name":"n"}"#,
            r#"{"type":"function_call","arguments":"x","id":"f","arguments":"{\"a\":\"\\n\"}"}"#,
            r#"{"type":"function_call","id":"f","arguments":"other","status":"completed"}"#,
            r#"{"type":"function_call","id":"f","arguments":null}"#,
            r#"{"type":"message","id":"f","content":[{"type":"output_text","text":"t"},1]}"#,
        ] {
            let mut reader = Reader::new();
            for event in [
                r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"f","arguments":""}}"#,
                r#"{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"f","delta":"{\"a\":"}"#,
                r#"{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"f","delta":"\"\\n\"}"}"#,
                &format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{item}}}"#),
            ] {
                reader.feed_json(event).unwrap();
                reader.poll_event().unwrap().unwrap();
            }
            assert_eq!(reader.response().items().next().unwrap().to_value().to_string(), item);
        }
    }
}
