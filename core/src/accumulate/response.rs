//! [`Response`]: the response so far, as a view. Reading costs what is read; nothing is rebuilt per event.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

use super::slot::{Reading, Slot};
use super::state::State;
use crate::json::{write_string, PartialJson, Value};

/// The response so far: a snapshot before its terminal event, the response after it.
#[derive(Clone, Copy)]
pub struct Response<'a> {
    of: &'a State,
}

impl<'a> Response<'a> {
    pub(crate) fn new(of: &'a State) -> Self {
        Self { of }
    }

    /// The response's id; empty before the first snapshot.
    pub fn id(&self) -> &'a str {
        self.text("id")
    }

    /// The status word; empty before the first snapshot.
    pub fn status(&self) -> &'a str {
        self.text("status")
    }

    /// The model's name; empty before the first snapshot.
    pub fn model(&self) -> &'a str {
        self.text("model")
    }

    /// A field of the response object; `output` is reached by [`items`](Self::items).
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.of.fields.object().get(key).filter(|_| key != "output")
    }

    /// Token counts, once a terminal event has them.
    pub fn usage(&self) -> Option<&'a Value> {
        self.get("usage").filter(|value| !value.is_null())
    }

    /// The error of a failed response.
    pub fn error(&self) -> Option<&'a Value> {
        self.get("error").filter(|value| !value.is_null())
    }

    /// Why the response is incomplete.
    pub fn incomplete_details(&self) -> Option<&'a Value> {
        self.get("incomplete_details").filter(|value| !value.is_null())
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.of.order.len()
    }

    /// Says whether there are no items yet.
    pub fn is_empty(&self) -> bool {
        self.of.order.len() == 0
    }

    /// The items in output order, without holes.
    pub fn items(&self) -> impl Iterator<Item = Item<'a>> + use<'a> {
        let of = self.of;
        of.order.numbers().map(move |at| Item { slot: &of.slots[at as usize] })
    }

    /// The item at a position of the output.
    pub fn item(&self, at: usize) -> Option<Item<'a>> {
        self.of.slots.get(self.of.slot_at(at)? as usize).map(|slot| Item { slot })
    }

    /// The position in the output of the item that an `output_index` of the stream routes to.
    pub fn position_of_index(&self, output_index: u64) -> Option<usize> {
        self.of.position_of(self.of.by_index.get(&(output_index, 0))?)
    }

    /// The item that an `output_index` of the stream routes to.
    pub fn item_at_index(&self, output_index: u64) -> Option<Item<'a>> {
        let at = self.of.by_index.get(&(output_index, 0))?;
        self.of.slots.get(at as usize).map(|slot| Item { slot })
    }

    /// The texts of all `output_text` parts of all messages, joined. Borrowed where there is only one.
    pub fn output_text(&self) -> Cow<'a, str> {
        joined(self.items().flat_map(|item| item.output_texts()))
    }

    /// Bytes of [`output_text`](Self::output_text), without building it.
    pub fn output_text_len(&self) -> usize {
        self.items().flat_map(|item| item.output_texts()).map(str::len).sum()
    }

    /// The whole response as a value, fields in wire order.
    pub fn to_value(&self) -> Value {
        let mut fields = self.of.fields.object().clone();
        let items = Value::Array(self.items().map(|item| item.to_value()).collect());
        if self.of.started || !self.is_empty() {
            fields.insert("output", items);
        }
        Value::Object(fields)
    }

    /// The whole response as JSON text.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }

    /// Appends the whole response as JSON text.
    pub fn write_json(&self, out: &mut String) {
        out.push('{');
        let mut first = true;
        let mut seen = false;
        for (key, value) in self.of.fields.object().iter() {
            if !core::mem::take(&mut first) {
                out.push(',');
            }
            write_string(key, out);
            out.push(':');
            if key == "output" {
                seen = true;
                self.write_items(out);
            } else {
                value.write_into(out);
            }
        }
        if !seen && (self.of.started || !self.is_empty()) {
            out.push_str(if first { "\"output\":" } else { ",\"output\":" });
            self.write_items(out);
        }
        out.push('}');
    }

    fn write_items(&self, out: &mut String) {
        out.push('[');
        for (at, item) in self.items().enumerate() {
            if at > 0 {
                out.push(',');
            }
            item.write_json(out);
        }
        out.push(']');
    }

    fn text(&self, key: &str) -> &'a str {
        self.get(key).and_then(Value::as_str).unwrap_or("")
    }
}

/// One output item, growing or done.
#[derive(Clone, Copy)]
pub struct Item<'a> {
    slot: &'a Slot,
}

impl<'a> Item<'a> {
    /// The item's type, such as `message`.
    pub fn kind(&self) -> &'a str {
        self.slot.text("type")
    }

    /// The item's id.
    pub fn id(&self) -> &'a str {
        self.slot.id()
    }

    /// The item's status; empty for types that have none.
    pub fn status(&self) -> &'a str {
        self.slot.text("status")
    }

    /// The call's id, for tool calls.
    pub fn call_id(&self) -> &'a str {
        self.slot.text("call_id")
    }

    /// The tool's name, for tool calls.
    pub fn name(&self) -> &'a str {
        self.slot.text("name")
    }

    /// Says whether the item is finished.
    pub fn is_done(&self) -> bool {
        self.slot.done
    }

    /// A field of the item. Log probabilities that are still growing are not in `content`: [`Part::get`] and
    /// [`to_value`](Self::to_value) have them.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.slot.item.object().get(key)
    }

    /// The text of a tool call so far: `arguments`, `input` or `code`.
    pub fn arguments(&self) -> &'a str {
        ["arguments", "input", "code"]
            .into_iter()
            .map(|key| self.slot.text(key))
            .find(|text| !text.is_empty())
            .unwrap_or("")
    }

    /// The arguments so far as a value: open containers are closed, an open string is included as far as it goes, an
    /// open number or literal is left out.
    ///
    /// Each call parses only what came since the last one. `None` before the first character of a value.
    pub fn partial_arguments(&self) -> Option<Value> {
        self.read_arguments(|parser| parser.value().cloned())
    }

    /// Hands the parser of the growing arguments to `ask`, for reading it without a copy.
    pub fn read_arguments<R>(&self, ask: impl FnOnce(&PartialJson) -> R) -> R {
        self.slot.grow(Reading::Arguments, self.arguments(), ask)
    }

    /// The parts of `content`.
    pub fn parts(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        self.elements("content")
    }

    /// The parts of `summary`.
    pub fn summary(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        self.elements("summary")
    }

    /// The texts of all `output_text` parts, joined. Borrowed where there is only one.
    pub fn text(&self) -> Cow<'a, str> {
        joined(self.output_texts())
    }

    /// Preview images so far: number and base64, as the image policy keeps them.
    pub fn partial_images(&self) -> impl Iterator<Item = (u64, &'a str)> + use<'a> {
        self.slot.images.iter().map(|(number, image)| (*number, image.as_str()))
    }

    /// The whole item as a value.
    pub fn to_value(&self) -> Value {
        self.slot.to_value()
    }

    /// Appends the whole item as JSON text.
    pub fn write_json(&self, out: &mut String) {
        if self.slot.logprobs().next().is_none() {
            self.slot.item.object().write_into(out);
        } else {
            self.to_value().write_into(out);
        }
    }

    fn elements(&self, key: &str) -> impl Iterator<Item = Part<'a>> + use<'a> {
        let list = self.slot.item.light().get(key).and_then(Value::as_array).unwrap_or_default();
        let slot = self.slot;
        let first = if key == "summary" { SUMMARY } else { 0 };
        list.iter().enumerate().map(move |(at, value)| Part { value, slot, at: first + at })
    }

    fn output_texts(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let message = self.kind() == "message";
        let texts = self.parts().filter(|part| part.kind() == "output_text").map(|part| part.text());
        texts.filter(move |_| message)
    }
}

/// One part of an item's content or summary.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    value: &'a Value,
    slot: &'a Slot,
    at: usize,
}

/// Summary parts are counted from here, so that their growing JSON is not taken for a content part's.
const SUMMARY: usize = usize::MAX / 2;

impl<'a> Part<'a> {
    /// The part's type, such as `output_text`.
    pub fn kind(&self) -> &'a str {
        self.value.str_at("type").unwrap_or("")
    }

    /// The part's text so far; for a refusal, its words.
    pub fn text(&self) -> &'a str {
        self.value.str_at("text").or(self.value.str_at("refusal")).unwrap_or("")
    }

    /// The text as a JSON value that is still growing, for structured output.
    ///
    /// Each call parses only what came since the last one. `None` before the first character of a value.
    pub fn partial_json(&self) -> Option<Value> {
        self.read_json(|parser| parser.value().cloned())
    }

    /// Hands the parser of the growing text to `ask`, for reading it without a copy.
    pub fn read_json<R>(&self, ask: impl FnOnce(&PartialJson) -> R) -> R {
        self.slot.grow(Reading::Part(self.at), self.text(), ask)
    }

    /// A field of the part.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        match key {
            "logprobs" => self.slot.logprobs_at(self.at).or_else(|| self.value.get(key)),
            _ => self.value.get(key),
        }
    }
}

fn joined<'a>(mut texts: impl Iterator<Item = &'a str>) -> Cow<'a, str> {
    let Some(first) = texts.next() else { return Cow::Borrowed("") };
    let mut all = Cow::Borrowed(first);
    for text in texts {
        all.to_mut().push_str(text);
    }
    all
}

// Payloads can hold secrets: a debug text shows what kind of thing it is and how large, `to_json` the thing itself.

impl fmt::Debug for Response<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response").field("items", &self.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Item<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Item").field("kind", &self.kind()).field("done", &self.is_done()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part").field("kind", &self.kind()).field("bytes", &self.text().len()).finish_non_exhaustive()
    }
}
