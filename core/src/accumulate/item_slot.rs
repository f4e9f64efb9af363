//! [`ItemSlot`]: one output item while it is being built.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::chunked_map::ChunkedMap;
use super::held_bytes::{
    insert_member, replace_value, value_bytes, IMAGE_BYTES, ITEM_BYTES, LOGPROBS_BYTES, PART_BYTES,
};
use super::lazy_object::LazyObject;
use crate::contract::text_route::{TextPart, TextTarget};
use crate::contract::{ItemKind, Kind};
use crate::finding::Repair;
use crate::json::{Object, PartialJson, PartialOptions, Value, ValueKind, ValueRef};
use crate::sync::{OnceCell, Shared};

/// One output item: the object so far, and the wire index of each of its elements.
#[derive(Clone, Debug, Default)]
pub(crate) struct ItemSlot {
    /// The item, with its fields in the order of arrival.
    pub(crate) item: LazyObject,
    /// Its id, stored separately: every event of the item is compared with it.
    id: String,
    /// True if `output_item.done` was applied, or the item arrived complete.
    pub(crate) done: bool,
    /// The `output_index` that routes to it.
    pub(crate) index: Option<u64>,
    /// Its key in the order of the output, together with its arrival.
    pub(crate) rank: u64,
    /// The target of the last delta: kind, element and path. Every other event about the item must clear it, because it may change
    /// positions in the item.
    pub(crate) last_delta: Option<(Kind, u64, TextPath)>,
    /// Wire indexes of `content`, `summary` and `action.commands`, ascending; an element's rank is its position.
    wire_indexes: [Vec<u64>; 3],
    /// Log probabilities of content parts, kept as text outside the item: wire index, and the elements' JSON.
    logprobs: Vec<Logprobs>,
    /// The wire indexes that have log probabilities.
    logprobs_of: ChunkedMap<(u64, u32)>,
    /// A high surrogate at the end of the last extended text, which waits for its low half.
    pub(crate) pending_high_surrogate: Option<(TextTarget, u64, u16)>,
    /// Preview images: number, base64.
    images: Vec<(u64, String)>,
    /// The growth of the slot since the accumulator counted it, without the deltas that the accumulator appended itself.
    growth: isize,
    /// Growing JSON that a caller has read; extended with the new text at the next access.
    growing_json: Shared<Vec<GrowingJson>>,
}

/// The log probabilities of one content part, after those in the part itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Logprobs {
    pub(crate) wire: u64,
    pub(crate) elements: String,
    /// The whole list of the part, built on the first access.
    list: OnceCell<Value>,
}

/// A string of the item parsed as growing JSON: which string, and how much of it was parsed.
#[derive(Clone, Debug)]
struct GrowingJson {
    field: JsonField,
    read: usize,
    parser: PartialJson,
    /// A number that the caller sets; 0 until then.
    mark: u64,
}

/// Identifies the string of an item that is parsed as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonField {
    Arguments,
    Part(usize),
}

/// The arrays inside an item that wire indexes count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementArray {
    Content,
    Summary,
    Commands,
}

/// The path to a string inside an item, by positions. Valid as long as only deltas change the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextPath {
    /// A member of the item.
    Member(u32),
    /// A member of an object of a list: of a part.
    Part { list: u32, part: u32, member: u32 },
    /// A member of an object in the item.
    Inner { object: u32, member: u32 },
    /// An element of a list in an object of the item.
    Element { object: u32, list: u32, element: u32 },
}

/// The elements that were opened on the path to a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CreatedOnPath {
    pub(crate) part: bool,
    pub(crate) gap: bool,
    pub(crate) too_many: bool,
}

impl ItemSlot {
    /// Takes a whole item.
    pub(crate) fn from_item(item: impl Into<LazyObject>, id: &str, done: bool) -> Self {
        let mut slot = Self { item: item.into(), id: id.to_owned(), done, ..Self::default() };
        if !done {
            slot.count();
        }
        slot
    }

    /// An item without an `output_item.added` event, with the zero values of its type: empty lists of parts, and empty strings for the
    /// members that a program reads while the item grows. Not generated, because the contract also requires members that are
    /// known only when the item is done; a test compares the members with the table of the writer.
    pub(crate) fn with_default_fields(item_type: ItemKind, id: Option<&str>) -> Self {
        let mut item = Object::new();
        item.push("type", item_type.name());
        item.push("id", id.unwrap_or(""));
        item.push("status", "in_progress");
        match item_type {
            ItemKind::Message => {
                item.push("role", "assistant");
                item.push("content", Value::Array(Vec::new()));
            }
            ItemKind::Reasoning => item.push("summary", Value::Array(Vec::new())),
            ItemKind::FunctionCall => push_empty(&mut item, &["call_id", "name", "arguments"]),
            ItemKind::CustomToolCall => push_empty(&mut item, &["call_id", "name", "input"]),
            ItemKind::McpCall => push_empty(&mut item, &["name", "server_label", "arguments"]),
            _ => {}
        }
        Self::from_item(item, id.unwrap_or(""), false)
    }

    /// Replaces the item by the finished one, as text. A finished item gets no more events, so its elements are not counted.
    pub(crate) fn finish(&mut self, item: ValueRef<'_>, id: &str) {
        // The built object is dropped first: both together can be most of the memory.
        self.item = LazyObject::default();
        self.logprobs.clear();
        self.logprobs_of.clear();
        self.item = LazyObject::from(item);
        self.id = id.to_owned();
        self.done = true;
        self.wire_indexes = Default::default();
        self.pending_high_surrogate = None;
        self.last_delta = None;
        self.clear_growing_json();
        self.images.clear();
        self.growth = 0;
    }

    /// The size of the slot in memory; a finished item is text until it is read.
    pub(crate) fn held_bytes(&self) -> usize {
        let parts: usize = self.wire_indexes.iter().map(|list| list.len() * PART_BYTES).sum();
        let logprobs: usize = self.logprobs.iter().map(|logprobs| LOGPROBS_BYTES + logprobs.elements.len()).sum();
        let images: usize = self.images.iter().map(|(_, image)| IMAGE_BYTES + image.len()).sum();
        // The id is stored separately, too.
        ITEM_BYTES + self.id.len() + self.item.held_bytes() + parts + logprobs + images
    }

    /// Returns the growth since the last call.
    pub(crate) fn take_growth(&mut self) -> isize {
        core::mem::take(&mut self.growth)
    }

    /// Records a growth of the slot, which may be negative.
    pub(crate) fn note_growth(&mut self, bytes: isize) {
        self.growth += bytes;
    }

    /// Sets a member of the item.
    pub(crate) fn set_member(&mut self, key: &str, value: impl Into<Value>) {
        insert_member(self.item.object_mut(), key, value, &mut self.growth);
    }

    /// The preview images: number, base64.
    pub(crate) fn images(&self) -> &[(u64, String)] {
        &self.images
    }

    /// Adds a preview image.
    pub(crate) fn add_image(&mut self, number: u64, image: String) {
        self.growth += (IMAGE_BYTES + image.len()) as isize;
        self.images.push((number, image));
    }

    /// Removes the preview images.
    pub(crate) fn clear_images(&mut self) {
        self.growth -= self.images.iter().map(|(_, image)| IMAGE_BYTES + image.len()).sum::<usize>() as isize;
        self.images.clear();
    }

    /// The id, empty if there is none.
    #[inline]
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Sets the id of an item that arrived without one.
    pub(crate) fn set_id(&mut self, id: &str) {
        self.growth += id.len() as isize - self.id.len() as isize;
        self.id = id.to_owned();
        self.set_member("id", id);
    }

    /// A string field.
    pub(crate) fn string(&self, key: &str) -> Option<&str> {
        self.item.without_logprobs().get(key).and_then(Value::as_str)
    }

    /// A string field, empty if there is none.
    pub(crate) fn text(&self, key: &str) -> &str {
        self.string(key).unwrap_or("")
    }

    /// Sets the status, in place or as a new field.
    pub(crate) fn set_status(&mut self, status: &str) {
        self.set_member("status", status);
    }

    fn count(&mut self) {
        for array in [ElementArray::Content, ElementArray::Summary, ElementArray::Commands] {
            let length = self.elements(array).map_or(0, |elements| elements.len() as u64);
            self.wire_indexes[array as usize] = (0..length).collect();
        }
    }

    fn elements(&self, array: ElementArray) -> Option<&[Value]> {
        match array {
            ElementArray::Content => self.item.without_logprobs().get("content")?.as_array(),
            ElementArray::Summary => self.item.without_logprobs().get("summary")?.as_array(),
            ElementArray::Commands => self.item.without_logprobs().get("action")?.get("commands")?.as_array(),
        }
    }

    /// The array; created if it is missing or null.
    fn elements_mut(&mut self, array: ElementArray) -> Option<&mut Vec<Value>> {
        let Self { item, growth, .. } = self;
        let (holder, key) = match array {
            ElementArray::Content => (item.object_mut(), "content"),
            ElementArray::Summary => (item.object_mut(), "summary"),
            ElementArray::Commands => (object_at(item.object_mut(), "action", growth)?, "commands"),
        };
        if holder.get(key).is_none_or(|value| value.as_array().is_none()) {
            insert_member(holder, key, Value::Array(Vec::new()), growth);
        }
        holder.get_mut(key)?.as_array_mut()
    }

    /// Position of the element with this wire index.
    pub(crate) fn position(&self, array: ElementArray, wire: u64) -> Option<usize> {
        self.wire_indexes[array as usize].binary_search(&wire).ok()
    }

    /// The element with this wire index.
    pub(crate) fn element(&self, array: ElementArray, wire: u64) -> Option<&Value> {
        self.elements(array)?.get(self.position(array, wire)?)
    }

    /// The element with this wire index, mutable. The array must exist.
    pub(crate) fn element_mut(&mut self, array: ElementArray, wire: u64) -> Option<&mut Value> {
        let position = self.position(array, wire)?;
        self.elements_mut(array)?.get_mut(position)
    }

    /// Puts an element at its wire index: replaces the existing one, or inserts it between its neighbors. Returns what
    /// was opened; `too_many` means that nothing was changed.
    pub(crate) fn put(&mut self, array: ElementArray, wire: u64, value: Value, limit: usize) -> CreatedOnPath {
        let wire_indexes = &self.wire_indexes[array as usize];
        let mut opened = CreatedOnPath::default();
        match wire_indexes.binary_search(&wire) {
            Ok(at) => {
                let mut growth = 0;
                if let Some(place) = self.elements_mut(array).and_then(|elements| elements.get_mut(at)) {
                    replace_value(place, value, &mut growth);
                }
                self.growth += growth;
            }
            // Inserting an element moves those after it. No real stream has many of these, and a hundred
            // thousand in descending order would take seconds.
            Err(at) if wire_indexes.len() >= limit || wire_indexes.len() - at > MAX_SHIFTED_ELEMENTS => {
                opened.too_many = true
            }
            Err(at) => {
                if at < wire_indexes.len() {
                    // The elements after it get another position.
                    self.growing_json.get_mut().clear();
                }
                opened = CreatedOnPath { part: true, gap: wire != wire_indexes.len() as u64, too_many: false };
                self.wire_indexes[array as usize].insert(at, wire);
                self.growth += PART_BYTES as isize;
                let bytes = value_bytes(&value);
                if let Some(elements) = self.elements_mut(array) {
                    elements.insert(at.min(elements.len()), value);
                    self.growth += bytes as isize;
                }
            }
        }
        opened
    }

    /// Finds the path to the string of a target and wire index; opens missing elements.
    pub(crate) fn text_path(
        &mut self,
        target: TextTarget,
        wire: u64,
        limit: usize,
    ) -> (Option<TextPath>, CreatedOnPath) {
        let mut opened = CreatedOnPath::default();
        let path = self.find_text_path(target, wire, limit, &mut opened);
        (path, opened)
    }

    fn find_text_path(
        &mut self,
        target: TextTarget,
        wire: u64,
        limit: usize,
        opened: &mut CreatedOnPath,
    ) -> Option<TextPath> {
        match target {
            TextTarget::Field(field) => {
                let at = string_at(self.item.object_mut(), field, &mut self.growth);
                Some(TextPath::Member(at))
            }
            TextTarget::Diff => {
                let operation = object_at(self.item.object_mut(), "operation", &mut self.growth)?;
                let member = string_at(operation, "diff", &mut self.growth);
                let object = self.item.object().position("operation")? as u32;
                Some(TextPath::Inner { object, member })
            }
            TextTarget::Content(part) => {
                let position = self.open_part(ElementArray::Content, wire, part, limit, opened)?;
                self.part_text_path("content", position, part.field())
            }
            TextTarget::Summary => {
                let part = TextPart::SummaryText;
                let position = self.open_part(ElementArray::Summary, wire, part, limit, opened)?;
                self.part_text_path("summary", position, part.field())
            }
            TextTarget::Command => {
                if self.position(ElementArray::Commands, wire).is_none() {
                    *opened = self.put(ElementArray::Commands, wire, Value::from(""), limit);
                }
                let element = self.position(ElementArray::Commands, wire)? as u32;
                let object = self.item.object().position("action")? as u32;
                let action = object_at(self.item.object_mut(), "action", &mut self.growth)?;
                let list = action.position("commands")? as u32;
                Some(TextPath::Element { object, list, element })
            }
        }
    }

    fn open_part(
        &mut self,
        array: ElementArray,
        wire: u64,
        part: TextPart,
        limit: usize,
        opened: &mut CreatedOnPath,
    ) -> Option<usize> {
        if self.position(array, wire).is_none() {
            *opened = self.put(array, wire, empty_part(part), limit);
        }
        self.position(array, wire)
    }

    fn part_text_path(&mut self, key: &str, position: usize, field: &str) -> Option<TextPath> {
        let list = self.item.object().position(key)? as u32;
        let part = self.item.object_mut().get_mut(key)?.as_array_mut()?.get_mut(position)?.as_object_mut()?;
        let member = string_at(part, field, &mut self.growth);
        Some(TextPath::Part { list, part: position as u32, member })
    }

    /// The string at a path.
    // In wasm the compiler decides, because code size matters there.
    #[cfg_attr(target_arch = "wasm32", inline)]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(crate) fn resolve_mut(&mut self, path: &TextPath) -> Option<&mut String> {
        let item = match &mut self.item {
            LazyObject::Built(object) => object,
            raw => raw.object_mut(),
        };
        let value = match path {
            TextPath::Part { list, part, member } => {
                let Value::Array(parts) = entry_mut(item, *list)? else { return None };
                let Value::Object(part) = parts.get_mut(*part as usize)? else { return None };
                entry_mut(part, *member)?
            }
            TextPath::Member(member) => entry_mut(item, *member)?,
            path => nested_entry_mut(item, path)?,
        };
        match value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Parses `text` as growing JSON and passes the parser to `ask`. Parses only the text that was added since the last call for the
    /// same string.
    ///
    /// The parser is taken out of the list while `ask` runs: no lock is held then, and a nested call from `ask` works (it
    /// parses the text again).
    ///
    /// `ask` also gets a number that belongs to the parser: a value stored there is returned by the next call; a new parser has 0.
    pub(crate) fn with_growing_json<R>(
        &self,
        field: JsonField,
        text: &str,
        ask: impl FnOnce(&PartialJson, &mut u64) -> R,
    ) -> R {
        let taken = self.growing_json.with(|all| {
            let at = all.iter().position(|one| one.field == field)?;
            Some(all.swap_remove(at))
        });
        let mut one = taken.unwrap_or_else(|| GrowingJson {
            field,
            read: 0,
            parser: PartialJson::new(PartialOptions::default()),
            mark: 0,
        });
        if text.get(one.read..).is_none() {
            // The text became shorter, which deltas never do: start again.
            one.parser.reset();
            one.read = 0;
            one.mark = 0;
        }
        // A syntax error is kept in the parser, together with the value before it.
        let _ = one.parser.push(text.get(one.read..).unwrap_or_default());
        one.read = text.len();
        let answer = ask(&one.parser, &mut one.mark);
        self.growing_json.with(|all| {
            all.retain(|other| other.field != field);
            all.push(one);
        });
        answer
    }

    /// Removes growing JSON whose text was replaced.
    pub(crate) fn clear_growing_json(&mut self) {
        self.growing_json.get_mut().clear();
    }

    /// The item as a value, with log probabilities in their parts.
    pub(crate) fn to_value(&self) -> Value {
        let mut item = self.item.object().clone();
        for logprobs in self.logprobs() {
            let Some(at) = self.position(ElementArray::Content, logprobs.wire) else { continue };
            let parts = item.get_mut("content").and_then(Value::as_array_mut);
            if let Some(part) = parts.and_then(|parts| parts.get_mut(at)).and_then(Value::as_object_mut) {
                let list = logprobs.list(part).clone();
                part.insert("logprobs", list);
            }
        }
        Value::Object(item)
    }

    /// The log probabilities of the content part at a position, if they are outside the item without log probabilities.
    pub(crate) fn logprobs_at(&self, at: usize) -> Option<&Value> {
        if self.done {
            return self.item.object().get("content")?.as_array()?.get(at)?.get("logprobs");
        }
        let wire = self.wire_indexes[ElementArray::Content as usize].get(at)?;
        let logprobs = &self.logprobs[self.logprobs_of.get(&(*wire, 0))? as usize];
        if logprobs.elements.is_empty() {
            // A done event had an empty list; the part has it.
            return None;
        }
        Some(logprobs.list(self.elements(ElementArray::Content)?.get(at)?.as_object()?))
    }

    /// The log probabilities that are kept outside the item.
    pub(crate) fn logprobs(&self) -> impl Iterator<Item = &Logprobs> {
        self.logprobs.iter().filter(|logprobs| !logprobs.elements.is_empty())
    }

    /// Adds log probabilities of a delta.
    pub(crate) fn add_logprobs(&mut self, wire: u64, list: &str) {
        let elements = elements_of(list);
        if elements.is_empty() {
            return;
        }
        let at = self.logprobs_of.get(&(wire, 0)).unwrap_or_else(|| {
            let at = self.logprobs.len() as u32;
            self.logprobs_of.insert((wire, 0), at);
            self.growth += LOGPROBS_BYTES as isize;
            self.logprobs.push(Logprobs { wire, ..Logprobs::default() });
            at
        });
        let known = &mut self.logprobs[at as usize];
        let before = known.elements.len();
        if !known.elements.is_empty() {
            known.elements.push(',');
        }
        known.elements.push_str(elements);
        self.growth += (known.elements.len() - before) as isize;
        known.list = OnceCell::new();
    }

    /// Replaces the log probabilities of a part.
    pub(crate) fn set_logprobs(&mut self, wire: u64, list: &str) {
        if let Some(at) = self.logprobs_of.get(&(wire, 0)) {
            let known = core::mem::replace(&mut self.logprobs[at as usize], Logprobs { wire, ..Logprobs::default() });
            self.growth -= known.elements.len() as isize;
        }
        if let Some(at) = self.position(ElementArray::Content, wire) {
            let part = self.elements_mut(ElementArray::Content).and_then(|parts| parts.get_mut(at)?.as_object_mut());
            let mut growth = 0;
            if let Some(known) = part.and_then(|part| part.get_mut("logprobs")) {
                replace_value(known, Value::Array(Vec::new()), &mut growth);
            }
            self.growth += growth;
        }
        self.add_logprobs(wire, list);
    }

    /// The wire indexes of an array, for saving.
    pub(crate) fn wire_indexes(&self) -> &[Vec<u64>; 3] {
        &self.wire_indexes
    }

    /// Sets the wire indexes of an array; fails if they do not fit its length or are not ascending.
    pub(crate) fn set_wire_indexes(&mut self, wire_indexes: [Vec<u64>; 3]) -> bool {
        let fits = [ElementArray::Content, ElementArray::Summary, ElementArray::Commands].into_iter().all(|array| {
            let list = &wire_indexes[array as usize];
            // A finished item's elements are not counted.
            (self.done && list.is_empty())
                || list.len() == self.elements(array).map_or(0, <[Value]>::len)
                    && list.windows(2).all(|pair| pair[0] < pair[1])
        });
        if fits {
            self.wire_indexes = wire_indexes;
        }
        fits
    }
}

impl Logprobs {
    /// The whole list: the elements in the part, then those kept here.
    fn list(&self, part: &Object) -> &Value {
        self.list.get_or_init(|| {
            let mut json = String::with_capacity(self.elements.len() + 2);
            json.push('[');
            json.push_str(&self.elements);
            json.push(']');
            // The text was checked, depth included, when its event was read.
            let mut more = Value::parse(&json, usize::MAX).unwrap_or_default();
            let mut list = part.get("logprobs").and_then(Value::as_array).unwrap_or_default().to_vec();
            if let Some(more) = more.as_array_mut() {
                list.append(more);
            }
            Value::Array(list)
        })
    }
}

/// The member of an object at a position.
#[inline]
fn entry_mut(object: &mut Object, at: u32) -> Option<&mut Value> {
    object.entry_mut(at as usize).map(|(_, value)| value)
}

/// The string at a path that few items have.
#[inline(never)]
fn nested_entry_mut<'o>(item: &'o mut Object, path: &TextPath) -> Option<&'o mut Value> {
    match *path {
        TextPath::Inner { object, member } => entry_mut(entry_mut(item, object)?.as_object_mut()?, member),
        TextPath::Element { object, list, element } => {
            let list = entry_mut(entry_mut(item, object)?.as_object_mut()?, list)?;
            list.as_array_mut()?.get_mut(element as usize)
        }
        TextPath::Member(_) | TextPath::Part { .. } => None,
    }
}

/// The inside of a JSON array's text.
fn elements_of(list: &str) -> &str {
    list.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap_or("").trim_ascii()
}

/// A part as a value, and its log probabilities as text: they are long and rarely read.
pub(crate) fn split_part(view: ValueRef<'_>) -> (Value, Option<&str>) {
    split_part_reusing(view, &mut Value::Null)
}

/// [`split_part`], reusing the text of the accumulated part if both are equal.
pub(crate) fn split_part_reusing<'a>(view: ValueRef<'a>, old: &mut Value) -> (Value, Option<&'a str>) {
    let mut part = Object::with_capacity(view.entries().count());
    let mut logprobs = None;
    for (key, value) in view.entries() {
        let key = key.as_str().unwrap_or_default();
        let known = if key == "text" { old.as_object_mut().and_then(|old| old.get_mut("text")) } else { None };
        if let Some(Value::String(known)) =
            known.filter(|known| known.as_str().is_some_and(|text| !text.is_empty() && value.is_str(text)))
        {
            part.push_named(&key, core::mem::take(known));
        } else if key == "logprobs" && value.kind() == ValueKind::Array {
            logprobs = Some(value.raw());
            part.push_named(&key, Vec::new());
        } else {
            part.push_named(&key, value.to_value());
        }
    }
    (Value::Object(part), logprobs.filter(|list| !elements_of(list).is_empty()))
}

/// An empty part of a type.
pub(crate) fn empty_part(kind: TextPart) -> Value {
    let mut part = Object::new();
    part.push("type", kind.name());
    part.push(kind.field(), "");
    if kind == TextPart::OutputText {
        part.push("annotations", Value::Array(Vec::new()));
        part.push("logprobs", Value::Array(Vec::new()));
    }
    Value::Object(part)
}

fn push_empty(item: &mut Object, keys: &[&str]) {
    for key in keys {
        item.push(*key, "");
    }
}

/// The object at a key; created if it is missing or another type.
fn object_at<'a>(holder: &'a mut Object, key: &str, growth: &mut isize) -> Option<&'a mut Object> {
    if holder.get(key).is_none_or(|value| value.as_object().is_none()) {
        insert_member(holder, key, Object::new(), growth);
    }
    holder.get_mut(key)?.as_object_mut()
}

/// Position of the string at a key; created if it is missing or another type (null counts as empty).
fn string_at(holder: &mut Object, key: &str, growth: &mut isize) -> u32 {
    if holder.get(key).is_none_or(|value| value.as_str().is_none()) {
        insert_member(holder, key, "", growth);
    }
    holder.position(key).unwrap_or_default() as u32
}

/// The maximum number of elements that an insertion moves.
pub(crate) const MAX_SHIFTED_ELEMENTS: usize = 4_096;

impl CreatedOnPath {
    /// The repair that was made, if any.
    pub(crate) fn repair(self) -> Option<Repair> {
        match self {
            Self { gap: true, .. } => Some(Repair::ClosedGap),
            Self { part: true, .. } => Some(Repair::OpenedPart),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::item_definitions::ITEM_DEFINITIONS;

    #[test]
    fn the_zero_values_of_an_item_are_members_of_its_type() {
        for definition in ITEM_DEFINITIONS {
            let slot = ItemSlot::with_default_fields(definition.kind, Some("x"));
            for (key, _) in slot.item.object().iter().skip(2) {
                assert!(definition.fields.iter().any(|(name, _)| *name == key), "{} {key}", definition.kind);
            }
        }
    }
}
