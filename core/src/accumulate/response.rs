//! [`Response`], [`Item`] and [`Part`]: views of the accumulated response. Reading costs in proportion to the fields read; nothing is rebuilt per
//! event. A field that is absent is `None`, never an empty string.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

use super::accumulated_response::AccumulatedResponse;
use super::item_slot::{ItemSlot, JsonField};
use crate::contract::ItemKind;
use crate::json::{write_string, Object, PartialJson, Value};
use crate::status::{ItemStatus, ResponseStatus};
use crate::write::Usage;

/// The accumulated response: a snapshot before the terminal event, the final response after it.
#[derive(Clone, Copy)]
pub struct Response<'a> {
    state: &'a AccumulatedResponse,
}

impl<'a> Response<'a> {
    pub(crate) fn new(state: &'a AccumulatedResponse) -> Self {
        Self { state }
    }

    /// The response's id; `None` before the first snapshot.
    pub fn id(&self) -> Option<&'a str> {
        self.text("id")
    }

    /// The status; `None` before the first snapshot, or for a word that the contract does not have (see
    /// [`status_name`](Self::status_name)).
    pub fn status(&self) -> Option<ResponseStatus> {
        ResponseStatus::from_name(self.status_name()?)
    }

    /// The status as it is on the wire; `None` before the first snapshot.
    pub fn status_name(&self) -> Option<&'a str> {
        self.text("status")
    }

    /// The model's name; `None` before the first snapshot.
    pub fn model(&self) -> Option<&'a str> {
        self.text("model")
    }

    /// A field of the response object; use [`items`](Self::items) for `output`.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.state.fields.object().get(key).filter(|_| key != "output")
    }

    /// Token counts, once a snapshot has them; absent or invalid counts are 0. The object as it was sent
    /// is [`usage_value`](Self::usage_value).
    pub fn usage(&self) -> Option<Usage> {
        self.usage_value().map(Usage::from_reported)
    }

    /// The `usage` object as it was sent, with fields that [`Usage`] does not have.
    pub fn usage_value(&self) -> Option<&'a Value> {
        self.get("usage").filter(|value| !value.is_null())
    }

    /// The error of a failed response.
    pub fn error(&self) -> Option<&'a Value> {
        self.get("error").filter(|value| !value.is_null())
    }

    /// The reason why the response is incomplete.
    pub fn incomplete_details(&self) -> Option<&'a Value> {
        self.get("incomplete_details").filter(|value| !value.is_null())
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.state.item_count()
    }

    /// Returns `true` if there are no items yet.
    pub fn is_empty(&self) -> bool {
        self.state.item_count() == 0
    }

    /// The items in output order, without gaps.
    pub fn items(&self) -> impl Iterator<Item = Item<'a>> + use<'a> {
        let state = self.state;
        state.items().map(|slot| Item { slot })
    }

    /// The item at a position of the output.
    pub fn item(&self, at: usize) -> Option<Item<'a>> {
        self.state.slots.get(self.state.slot_at(at)? as usize).map(|slot| Item { slot })
    }

    /// The position in the output of the item with this `output_index`.
    pub fn position_of_index(&self, output_index: u64) -> Option<usize> {
        self.state.position_of(self.state.slot_at_output_index(output_index)?)
    }

    /// The item with this `output_index`.
    pub fn item_at_index(&self, output_index: u64) -> Option<Item<'a>> {
        let at = self.state.slot_at_output_index(output_index)?;
        self.state.slots.get(at as usize).map(|slot| Item { slot })
    }

    /// The texts of all `output_text` parts of all messages, joined. Borrowed if there is only one.
    pub fn output_text(&self) -> Cow<'a, str> {
        joined(self.items().flat_map(|item| item.output_texts()))
    }

    /// Length of [`output_text`](Self::output_text) in bytes, without building it.
    pub fn output_text_len(&self) -> usize {
        self.items().flat_map(|item| item.output_texts()).map(str::len).sum()
    }

    /// The whole response as a value, fields in wire order.
    pub fn to_value(&self) -> Value {
        let mut fields = self.state.fields.object().clone();
        let items = Value::Array(self.items().map(|item| item.to_value()).collect());
        if self.state.started || !self.is_empty() {
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
        for (at, (key, value)) in self.wire_fields().enumerate() {
            if at > 0 {
                out.push(',');
            }
            write_string(key, out);
            out.push(':');
            match value {
                Some(value) => value.write_into(out),
                None => self.write_items(out),
            }
        }
        out.push('}');
    }

    /// The fields in the order of the wire; `None` is the value of `output`, see [`items`](Self::items).
    pub(crate) fn wire_fields(&self) -> impl Iterator<Item = (&'a str, Option<&'a Value>)> + use<'a> {
        let fields = self.state.fields.object();
        let lacks_output = !fields.contains_key("output") && (self.state.started || !self.is_empty());
        let output = lacks_output.then_some(("output", None));
        fields.iter().map(|(key, value)| (key, Some(value).filter(|_| key != "output"))).chain(output)
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

    fn text(&self, key: &str) -> Option<&'a str> {
        self.get(key).and_then(Value::as_str)
    }
}

/// One output item, in progress or done.
///
/// The methods here are those that items of several types share. `as_message`, `as_function_call` and the others give a view
/// with the fields of one type.
#[derive(Clone, Copy)]
pub struct Item<'a> {
    slot: &'a ItemSlot,
}

impl<'a> Item<'a> {
    /// The item's type. The name as it was sent is [`wire_type`](Self::wire_type).
    pub fn kind(&self) -> ItemKind {
        self.slot.item.item_kind()
    }

    /// The item's `type` as it was sent, such as `message`.
    pub fn wire_type(&self) -> Option<&'a str> {
        self.slot.string("type")
    }

    /// The item's id.
    pub fn id(&self) -> Option<&'a str> {
        Some(self.slot.id()).filter(|id| !id.is_empty())
    }

    /// The item's status; `None` for types that have none, or for a word that the contract does not have (see
    /// [`status_name`](Self::status_name)).
    pub fn status(&self) -> Option<ItemStatus> {
        ItemStatus::from_name(self.status_name()?)
    }

    /// The item's status as it was sent, such as `searching`.
    pub fn status_name(&self) -> Option<&'a str> {
        self.slot.string("status")
    }

    /// The call's id, for tool calls and their outputs.
    pub fn call_id(&self) -> Option<&'a str> {
        self.slot.string("call_id")
    }

    /// The tool's name, for tool calls.
    pub fn name(&self) -> Option<&'a str> {
        self.slot.string("name")
    }

    /// Returns `true` once the item is finished: its `output_item.done` or a terminal snapshot was applied.
    pub fn is_done(&self) -> bool {
        self.slot.done
    }

    /// A field of the item. `content` lacks log probabilities that are still growing; [`Part::get`] and
    /// [`to_value`](Self::to_value) have them.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.slot.item.object().get(key)
    }

    /// The text of a tool call so far: `arguments`, `input` or `code`.
    pub fn arguments(&self) -> Option<&'a str> {
        let mut texts = ["arguments", "input", "code"].into_iter().filter_map(|key| self.slot.string(key));
        let first = texts.next()?;
        Some(if first.is_empty() { texts.find(|text| !text.is_empty()).unwrap_or(first) } else { first })
    }

    /// The arguments so far as a value: open containers are closed, an open string is included as far as it goes, an open
    /// number or literal is left out.
    ///
    /// Each call parses only the text that was added since the last one. `None` before the first character of a value.
    pub fn partial_arguments(&self) -> Option<Value> {
        self.read_arguments(|parser| parser.value().cloned())
    }

    /// Passes the parser of the growing arguments to `ask`, to read the value without a copy.
    pub fn read_arguments<R>(&self, ask: impl FnOnce(&PartialJson) -> R) -> R {
        self.read_arguments_marked(|parser, _| ask(parser))
    }

    /// As [`read_arguments`](Self::read_arguments), with a number that belongs to the parser: a value that `ask` stores there is returned by
    /// the next call. A new parser has 0, also after the arguments were replaced. A binding that caches its converted value
    /// recognizes the value by this number.
    pub(crate) fn read_arguments_marked<R>(&self, ask: impl FnOnce(&PartialJson, &mut u64) -> R) -> R {
        self.slot.with_growing_json(JsonField::Arguments, self.arguments().unwrap_or(""), ask)
    }

    /// The parts of `content`.
    pub fn parts(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        self.elements("content")
    }

    /// The parts of `summary`.
    pub fn summary(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        self.elements("summary")
    }

    /// The texts of all `output_text` parts, joined. Borrowed if there is only one.
    pub fn text(&self) -> Cow<'a, str> {
        joined(self.output_texts())
    }

    /// Preview images so far: number and base64 text, as [`PreviewImages`](super::PreviewImages) keeps them.
    pub fn partial_images(&self) -> impl Iterator<Item = (u64, &'a str)> + use<'a> {
        self.slot.images().iter().map(|(number, image)| (*number, image.as_str()))
    }

    /// The whole item as a value.
    pub fn to_value(&self) -> Value {
        self.slot.to_value()
    }

    /// Appends the whole item as JSON text.
    pub fn write_json(&self, out: &mut String) {
        match self.as_stored() {
            Some(object) => object.write_into(out),
            None => self.to_value().write_into(out),
        }
    }

    /// The item's object, unless log probabilities are stored beside it.
    pub(crate) fn as_stored(&self) -> Option<&'a Object> {
        self.slot.logprobs().next().is_none().then(|| self.slot.item.object())
    }

    fn elements(&self, key: &str) -> impl Iterator<Item = Part<'a>> + use<'a> {
        let list = self.slot.item.without_logprobs().get(key).and_then(Value::as_array).unwrap_or_default();
        let slot = self.slot;
        let first = if key == "summary" { SUMMARY } else { 0 };
        list.iter().enumerate().map(move |(at, value)| Part { value, slot, at: first + at })
    }

    fn output_texts(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        // Other items are not built.
        let parts = (self.kind() == ItemKind::Message).then(|| self.parts()).into_iter().flatten();
        parts.filter(|part| part.wire_type() == Some("output_text")).filter_map(|part| part.text())
    }
}

/// One part of an item's content or summary.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    value: &'a Value,
    slot: &'a ItemSlot,
    at: usize,
}

/// Offset of summary parts, so that their growing JSON has other keys than that of content parts.
const SUMMARY: usize = usize::MAX / 2;

impl<'a> Part<'a> {
    /// The part's `type` as it was sent, such as `output_text`.
    pub fn wire_type(&self) -> Option<&'a str> {
        self.value.str_at("type")
    }

    /// The part's text so far; for a refusal, its explanation.
    pub fn text(&self) -> Option<&'a str> {
        self.value.str_at("text").or(self.value.str_at("refusal"))
    }

    /// The text as a JSON value that is still growing, for structured output.
    ///
    /// Each call parses only the text that was added since the last one. `None` before the first character of a value.
    pub fn partial_json(&self) -> Option<Value> {
        self.read_json(|parser| parser.value().cloned())
    }

    /// Passes the parser of the growing text to `ask`, to read the value without a copy.
    pub fn read_json<R>(&self, ask: impl FnOnce(&PartialJson) -> R) -> R {
        self.read_json_marked(|parser, _| ask(parser))
    }

    /// As [`read_json`](Self::read_json), with a number that belongs to the parser; see
    /// [`Item::read_arguments_marked`].
    pub(crate) fn read_json_marked<R>(&self, ask: impl FnOnce(&PartialJson, &mut u64) -> R) -> R {
        self.slot.with_growing_json(JsonField::Part(self.at), self.text().unwrap_or(""), ask)
    }

    /// The whole part as a value.
    pub fn to_value(&self) -> Value {
        let mut part = self.value.clone();
        if let (Some(logprobs), Some(object)) = (self.get("logprobs"), part.as_object_mut()) {
            object.insert("logprobs", logprobs.clone());
        }
        part
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

// Payloads can contain secrets: debug output shows the type and the size, `to_json` the content.

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
        f.debug_struct("Part")
            .field("type", &self.wire_type().unwrap_or_default())
            .field("bytes", &self.text().map_or(0, str::len))
            .finish_non_exhaustive()
    }
}
