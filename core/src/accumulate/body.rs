//! [`Body`]: an object that stays the text it came in until somebody looks.
//!
//! A finished item repeats what its deltas said, and few readers look at every field of it: copying its text costs a fraction of
//! building its tree. Most of such a tree is log probabilities, so there are two: a *light* one without them, for those who
//! want texts and states, and the whole one.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::ops::Range;

use super::said::Said;
use super::slot::part_with;
use crate::json::again::Again;
use crate::json::{Object, Tag, Tape, Value, View};
use crate::SPEED;

/// An object that is built only when it is looked at or changed.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    Built(Object),
    Raw {
        text: String,
        reading: Reading,
        /// How many containers it is made of; `None` if that is not known.
        containers: Option<usize>,
        /// Where the list of tools stands in it; empty if that is not known.
        tools: Range<usize>,
        light: OnceCell<Light>,
        whole: OnceCell<Object>,
    },
}

/// What the text is, and so what the light object of it leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// An item: log probabilities of its content parts.
    Item,
    /// A snapshot of a response: its items, which are kept apart.
    Snapshot,
}

/// An object without the log probabilities of its content parts.
#[derive(Clone, Debug)]
pub(crate) struct Light {
    object: Object,
    /// Whether there were any.
    lacks: bool,
}

impl Default for Body {
    fn default() -> Self {
        Self::Built(Object::new())
    }
}

impl From<Object> for Body {
    fn from(object: Object) -> Self {
        Self::Built(object)
    }
}

impl From<View<'_>> for Body {
    /// Takes the text of a view, which is known to be JSON.
    fn from(view: View<'_>) -> Self {
        Self::raw(view, Reading::Item)
    }
}

impl Body {
    fn raw(view: View<'_>, reading: Reading) -> Self {
        let (text, containers) = (view.raw().to_owned(), view.containers());
        Self::Raw { text, reading, containers, tools: 0..0, light: OnceCell::new(), whole: OnceCell::new() }
    }

    /// Takes an item that somebody will soon look at. A large one is not held twice, as text and as an object.
    pub(crate) fn looked_at(item: View<'_>) -> Self {
        if item.raw().len() > LARGE_BYTES {
            let light = Light::of(item, Reading::Item);
            return if light.lacks { Self::raw(item, Reading::Item) } else { Self::Built(light.object) };
        }
        let body = Self::raw(item, Reading::Item);
        body.look(item);
        body
    }

    /// Takes a finished item of which the old one had all texts: they are not decoded again.
    pub(crate) fn finished(item: View<'_>, mut old: Self, said: &Said) -> Self {
        if item.raw().len() > LARGE_BYTES {
            // What was built goes first: the two can be most of the memory.
            drop(old);
            return Self::from(item);
        }
        let body = Self::raw(item, Reading::Item);
        if let (Self::Raw { light, .. }, Self::Built(old)) = (&body, &mut old) {
            light.get_or_init(|| Light::with(item, Reading::Item, old, said));
        }
        body
    }

    /// Makes ready for somebody who will soon look. The item is the text, read; if it was not looked into, neither is it here.
    pub(crate) fn look(&self, item: View<'_>) {
        if let Self::Raw { light, reading: Reading::Item, .. } = self {
            if !item.is_unread() {
                light.get_or_init(|| Light::of(item, Reading::Item));
            }
        }
    }

    /// Takes the fields of a snapshot. `output` holds its place among them, empty.
    pub(crate) fn fields(snapshot: View<'_>) -> Self {
        let mut outputs = snapshot.entries().filter(|(key, _)| key.is_str("output")).map(|(_, output)| output);
        match (outputs.next(), outputs.next()) {
            (Some(output), None) => Self::without(snapshot, output),
            (None, _) => Self::raw(snapshot, Reading::Snapshot),
            // What stands twice is not worth cutting out.
            _ => Self::Built(Light::of(snapshot, Reading::Snapshot).object),
        }
    }

    /// Takes the text of a snapshot but for that of its items, which is most of it.
    fn without(snapshot: View<'_>, output: View<'_>) -> Self {
        let tools = if SPEED { tools_of(snapshot, output) } else { None };
        let (from, raw) = (snapshot.span().0, snapshot.raw());
        let (start, end) = output.span();
        let (before, behind) = (raw.get(..start - from).unwrap_or_default(), raw.get(end - from..).unwrap_or_default());
        let text = [before, NO_OUTPUT, behind].concat();
        let reading = Reading::Snapshot;
        Self::Raw {
            text,
            reading,
            containers: None,
            tools: tools.unwrap_or_default(),
            light: OnceCell::new(),
            whole: OnceCell::new(),
        }
    }

    /// The object. While it is text, log probabilities may be missing in its content parts.
    pub(crate) fn light(&self) -> &Object {
        match self {
            Self::Built(object) => object,
            Self::Raw { text, reading, light, .. } => {
                &light.get_or_init(|| read(text, |view| Light::of(view, *reading))).object
            }
        }
    }

    /// The object, with everything in it.
    pub(crate) fn object(&self) -> &Object {
        match self {
            Self::Built(object) => object,
            Self::Raw { text, reading, light, whole, .. } => {
                let light = light.get_or_init(|| read(text, |view| Light::of(view, *reading)));
                if light.lacks {
                    whole.get_or_init(|| read(text, super::state::object))
                } else {
                    &light.object
                }
            }
        }
    }

    /// The object, to change.
    #[inline]
    pub(crate) fn object_mut(&mut self) -> &mut Object {
        if matches!(self, Self::Raw { .. }) {
            self.build();
        }
        match self {
            Self::Built(object) => object,
            // The lines above have just replaced it.
            Self::Raw { .. } => unreachable!("a raw body was built above"),
        }
    }

    fn build(&mut self) {
        let object = self.object().clone();
        *self = Self::Built(object);
    }

    /// Says whether this is, to the letter, the text that it was made from.
    pub(crate) fn is_text(&self, other: &str) -> bool {
        matches!(self, Self::Raw { text, .. } if text == other)
    }

    /// The text that it was made from, for knowing it again.
    pub(crate) fn again(&self) -> Option<Again<'_>> {
        match self {
            Self::Raw { text, containers: Some(depth), .. } => Some(Again { text, depth: *depth }),
            _ => None,
        }
    }
}

impl Body {
    /// The list of tools of a response as it was written, for knowing it again; empty if there is none.
    pub(crate) fn tools(&self) -> &str {
        match self {
            Self::Raw { text, tools, .. } => text.get(tools.clone()).unwrap_or_default(),
            Self::Built(_) => "",
        }
    }
}

/// What stands in the place of a snapshot's items.
const NO_OUTPUT: &str = "null";

/// Where the list of tools stands in a snapshot whose output is left out.
fn tools_of(snapshot: View<'_>, output: View<'_>) -> Option<Range<usize>> {
    let tools = snapshot.get("tools").filter(|tools| tools.tag() == Tag::Array && tools.raw().len() >= WORTH_BYTES)?;
    let (from, (start, end)) = (snapshot.span().0, output.span());
    let moved = |at: usize| if at < start { at - from } else { at - from - (end - start) + NO_OUTPUT.len() };
    Some(moved(tools.span().0)..moved(tools.span().1))
}

/// Lists that are shorter are read as fast as they are found.
const WORTH_BYTES: usize = 512;

impl Light {
    fn of(view: View<'_>, reading: Reading) -> Self {
        Self::with(view, reading, &mut Object::new(), &Said::default())
    }

    /// The same, and texts that the object before it has, too, are taken from there.
    fn with(view: View<'_>, reading: Reading, old: &mut Object, said: &Said) -> Self {
        let mut this = Self { object: Object::with_capacity(view.entries().count()), lacks: false };
        let mut placed = false;
        for (key, value) in view.entries() {
            let key = key.as_str().unwrap_or_default();
            // The items stand once, also if a server says `output` twice.
            if reading == Reading::Snapshot && key == "output" && core::mem::replace(&mut placed, true) {
                continue;
            }
            let value = match (&*key, reading) {
                ("content", Reading::Item) if value.tag() == Tag::Array => {
                    let mut old = old.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten();
                    let mut parts = Vec::with_capacity(value.elements().count());
                    parts.extend(value.elements().map(|part| this.part(part, old.next(), said)));
                    Value::Array(parts)
                }
                // What calls stream; the caller knows that it is the same, if it stands once.
                ("arguments" | "input" | "code", Reading::Item) => match old.get_mut(&key) {
                    Some(Value::String(known)) if !known.is_empty() && once(view, &key) => {
                        known.shrink_to_fit();
                        Value::String(core::mem::take(known))
                    }
                    _ => value.to_value(),
                },
                ("output", Reading::Snapshot) => Value::Null,
                _ => value.to_value(),
            };
            this.object.push_named(&key, value);
        }
        if reading == Reading::Snapshot && !placed {
            this.object.push("output", Value::Null);
        }
        this
    }

    fn part(&mut self, view: View<'_>, old: Option<&mut Value>, said: &Said) -> Value {
        if view.tag() != Tag::Object {
            return view.to_value();
        }
        let (part, logprobs) = part_with(view, old.unwrap_or(&mut Value::Null), said);
        self.lacks |= logprobs.is_some();
        part
    }
}

/// Says whether a key stands once.
fn once(view: View<'_>, key: &str) -> bool {
    view.entries().filter(|(other, _)| other.is_str(key)).count() == 1
}

/// Reads text that was checked, depth included, when its event was read.
fn read<T>(text: &str, take: impl FnOnce(View<'_>) -> T) -> T {
    let mut tape = Tape::default();
    let checked = tape.parse(text, usize::MAX).is_ok();
    debug_assert!(checked, "only checked text is kept");
    take(tape.root(text))
}

/// From here on memory counts for more than the time of writing an object anew.
const LARGE_BYTES: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;

    use crate::Reader;

    #[test]
    fn a_finished_call_is_as_it_was_sent_whatever_was_kept_of_it() {
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
