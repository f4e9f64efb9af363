//! Intents about items: opening one of any type, setting its fields, closing it.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::ids::suffix;
use super::parts::{close_input, close_open};
use super::shape::{Ends, Holds, ItemStatus, Shape, ToolState, Zero};
use super::slot::{Open, Slot};
use super::tools::end_output;
use super::whole::shape_of;
use super::writer::{accept, bad, depth, refused, Phase, Writer};
use crate::contract::Kind;
use crate::error::Error;
use crate::json::{is_document, Object, Value};
use crate::validate::validate_item;

/// An item of one writer, by its place in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemHandle(u32);

impl ItemHandle {
    /// The handle of the item at a place in the output.
    pub fn at(output_index: u32) -> Self {
        Self(output_index)
    }

    /// The item's place in the output.
    pub fn output_index(self) -> u32 {
        self.0
    }
}

impl Writer {
    /// Opens an assistant message.
    pub fn message(&mut self) -> Result<ItemHandle, Error> {
        self.open("message", Object::new())
    }

    /// Opens a reasoning item: raw text, a summary, encrypted content, or any mix.
    pub fn reasoning(&mut self) -> Result<ItemHandle, Error> {
        self.open("reasoning", Object::new())
    }

    /// Sets the encrypted content of a reasoning or compaction item, shown when it closes.
    pub fn encrypted_content(&mut self, item: ItemHandle, content: &str) -> Result<(), Error> {
        let at = self.slot(item)?;
        if !matches!(self.items[at].shape.name, "reasoning" | "compaction") {
            return Err(refused("only reasoning and compaction have encrypted content"));
        }
        self.set(item, "encrypted_content", content)
    }

    /// Opens a function call. An empty `call_id` is replaced by one made from the response's id.
    pub fn function_call(&mut self, call_id: &str, name: &str) -> Result<ItemHandle, Error> {
        self.open("function_call", call(call_id, name))
    }

    /// Opens a call of a custom tool, whose input is free text.
    pub fn custom_tool_call(&mut self, call_id: &str, name: &str) -> Result<ItemHandle, Error> {
        self.open("custom_tool_call", call(call_id, name))
    }

    /// Writes the output of a function call, a text or a list of parts, as a whole item.
    pub fn function_call_output(&mut self, call_id: &str, output: impl Into<Value>) -> Result<ItemHandle, Error> {
        let mut fields = Object::new();
        fields.push("call_id", call_id);
        fields.push("output", output.into());
        self.whole("function_call_output", fields, ItemStatus::Completed)
    }

    /// Writes a compaction as a whole item.
    pub fn compaction(&mut self, encrypted_content: &str) -> Result<ItemHandle, Error> {
        let mut fields = Object::new();
        fields.push("encrypted_content", encrypted_content);
        self.whole("compaction", fields, ItemStatus::Completed)
    }

    /// Opens an item of a type that its sender defines, `slug:name`, with any fields.
    pub fn extension_item(&mut self, item_type: &str, fields: Object) -> Result<ItemHandle, Error> {
        if Shape::of(item_type).is_none_or(|shape| !shape.name.is_empty()) {
            return Err(bad("expected an item type of the form slug:name"));
        }
        self.open(item_type, fields)
    }

    /// Opens an item of any type. `fields` are what is known of it now; `id` among them is taken as the item's id.
    ///
    /// What grows by intents of its own (parts, arguments, code, a diff, commands) cannot be given here. Refused behind an
    /// item that ended incomplete, for a type that the edition does not have, for an id that is taken, and if the item
    /// would break its schema.
    pub fn open(&mut self, item_type: &str, fields: Object) -> Result<ItemHandle, Error> {
        if shape_of(item_type)?.appears_whole() {
            return Err(refused("items of this type have no status for work that goes on: they are written whole"));
        }
        self.open_as(item_type, fields, ItemStatus::Completed)
    }

    /// Sets a field of an open item, or a property of one's own such as `acme:stage`; shown when the item closes.
    pub fn set(&mut self, item: ItemHandle, key: &str, value: impl Into<Value>) -> Result<(), Error> {
        let at = self.slot(item)?;
        let slot = &self.items[at];
        if slot.owns(key) {
            return Err(bad("the field is the writer's own"));
        }
        let value = value.into();
        let mut fields = slot.fields.clone();
        for (key, value) in slot.pending.iter() {
            fields.insert(key, value.clone());
        }
        fields.insert(key, value.clone());
        self.check_slot(&Slot { status: slot.status.clone(), ..Slot::new(slot.shape, slot.id.clone(), fields) })?;
        self.items[at].pending.insert(key, value);
        Ok(())
    }

    /// Closes an item as completed, with everything that is open in it.
    pub fn close(&mut self, item: ItemHandle) -> Result<(), Error> {
        self.close_as(item, ItemStatus::Completed)
    }

    /// Closes an item with a status. After `Incomplete` no item may be opened, and the response cannot complete.
    ///
    /// The specification lets only the last item end incomplete. One exception: of several calls that are cut at once each
    /// ends so. Therefore a call before the last item may be cut while that one is open, which then can only be cut too;
    /// anything else is refused. Arguments that are not JSON belong to a call that was cut: it cannot complete.
    pub fn close_as(&mut self, item: ItemHandle, status: ItemStatus) -> Result<(), Error> {
        let at = self.slot(item)?;
        let slot = &self.items[at];
        if slot.shape.word(status).is_none() {
            return Err(refused("items of this type do not end like that"));
        }
        let last = self.items.len() - 1;
        match status {
            ItemStatus::Incomplete if at < last && (!slot.is_call() || self.items[last].has_ended_whole()) => {
                return Err(refused("only the last item may end incomplete, or a call while the last item is open"));
            }
            ItemStatus::Completed | ItemStatus::Failed if at == last && self.cut => {
                return Err(refused("a call before it ended incomplete, so the last item cannot end otherwise"));
            }
            ItemStatus::Completed if slot.has_broken_input() => {
                return Err(refused("the arguments are not JSON, so the call cannot complete"));
            }
            _ => {}
        }
        self.close_slot(at, status);
        Ok(())
    }

    /// Says whether an item is open.
    pub fn is_open(&self, item: ItemHandle) -> bool {
        self.slot(item).is_ok()
    }

    /// The id of an item.
    pub fn item_id(&self, item: ItemHandle) -> Option<&str> {
        self.items.get(item.0 as usize).map(|slot| slot.id.as_str())
    }

    /// How many items there are.
    pub fn item_count(&self) -> usize {
        self.items.len()
    }

    /// The item as far as it is told, as JSON text.
    pub fn item_json(&self, item: ItemHandle) -> Option<String> {
        let slot = self.items.get(item.0 as usize)?;
        let mut out = String::new();
        slot.write(&mut out);
        Some(out)
    }

    /// Opens an item; a type without a status for work that goes on gets its last one at once.
    pub(crate) fn open_as(&mut self, item_type: &str, given: Object, last: ItemStatus) -> Result<ItemHandle, Error> {
        let slot = self.new_slot(item_type, given, last)?;
        self.ensure_started()?;
        self.ids.insert(slot.id.clone());
        let at = self.items.len();
        self.emit.open(Kind::OutputItemAdded.as_str());
        self.emit.number("output_index", at as u64);
        slot.write(self.emit.raw("item"));
        self.emit.close();
        self.items.push(slot);
        self.tell_state(at, ToolState::InProgress);
        Ok(ItemHandle(at as u32))
    }

    /// Makes a slot and checks all there is to check, without changing anything.
    pub(crate) fn new_slot(&self, item_type: &str, mut given: Object, last: ItemStatus) -> Result<Slot, Error> {
        self.check_running()?;
        if self.cut {
            return Err(refused("an item ended incomplete, so none may follow"));
        }
        let shape = shape_of(item_type)?;
        let edition = self.options.edition;
        if !shape.editions.contains(edition) {
            return Err(refused(format!("edition {edition} has no item type {}", shape.name)));
        }
        if given.contains_key("status") || given.contains_key("type") {
            return Err(bad("type and status of an item are the writer's own"));
        }
        let id = match given.remove("id") {
            Some(Value::String(id)) if !id.is_empty() => id,
            None => self.made_id(shape.prefix),
            Some(_) => return Err(bad("expected an item id that is a text and not empty")),
        };
        if self.ids.contains(&id) {
            return Err(bad("another item has this id"));
        }
        let fields = self.first_fields(shape, item_type, &id, given)?;
        let mut slot = Slot::new(shape, id, fields);
        slot.input_shown = shape.input.is_none_or(|input| input.delta.editions().contains(edition));
        slot.outputs_shown = Kind::ShellCallOutputContentDelta.editions().contains(edition);
        if shape.appears_whole() {
            slot.status = Cow::Borrowed(last.name());
        }
        self.check_slot(&slot)?;
        Ok(slot)
    }

    /// The slot of an open item.
    pub(crate) fn slot(&self, item: ItemHandle) -> Result<usize, Error> {
        if self.phase != Phase::Running {
            self.check_running()?;
        }
        let at = item.0 as usize;
        match self.items.get(at) {
            Some(slot) if !slot.done => Ok(at),
            Some(_) => Err(refused("the item is done")),
            None => Err(refused("there is no such item")),
        }
    }

    /// Closes a slot if it is open.
    pub(crate) fn close_slot(&mut self, at: usize, status: ItemStatus) {
        let Some(slot) = self.items.get(at).filter(|slot| !slot.done) else { return };
        // No word: only for a type that appears whole, and such an item is never open.
        let word = slot.shape.word(status).unwrap_or("completed");
        self.write_close(at, status, word);
    }

    /// Closes a slot with a status in this word.
    pub(crate) fn write_close(&mut self, at: usize, status: ItemStatus, word: &'static str) {
        let openai = self.openai();
        let cut = status == ItemStatus::Incomplete;
        self.cut |= cut;
        let Some(slot) = self.items.get_mut(at) else { return };
        if slot.open == Some(Open::Output) {
            end_output(&mut self.emit, slot, at, cut);
        }
        close_open(&mut self.emit, slot, at, openai);
        close_input(&mut self.emit, slot, at, cut);
        match status {
            ItemStatus::Completed => self.tell_state(at, ToolState::Completed),
            ItemStatus::Failed => self.tell_state(at, ToolState::Failed),
            ItemStatus::Incomplete => {}
        }
        let Some(slot) = self.items.get_mut(at) else { return };
        slot.status = Cow::Borrowed(word);
        slot.input_shown = true;
        slot.outputs_shown = true;
        for (key, value) in core::mem::take(&mut slot.pending) {
            slot.fields.insert(key, value);
        }
        self.emit.open(Kind::OutputItemDone.as_str());
        self.emit.number("output_index", at as u64);
        let out = self.emit.raw("item");
        let start = out.len();
        slot.write(out);
        let json = out[start..].to_string();
        self.emit.close();
        *slot = Slot {
            done: true,
            json,
            cut,
            status: Cow::Borrowed(word),
            ..Slot::new(slot.shape, core::mem::take(&mut slot.id), Object::new())
        };
    }

    /// Writes the event of a hosted tool's state, if the type has one that was not told yet.
    pub(crate) fn tell_state(&mut self, at: usize, state: ToolState) {
        let Some(slot) = self.items.get_mut(at) else { return };
        let Some(kind) = slot.shape.state(state, self.options.edition) else { return };
        let step = slot.shape.states.iter().position(|(known, _)| *known == state).unwrap_or_default() + 1;
        if slot.progress >= step {
            return;
        }
        slot.progress = step;
        self.emit.open(kind.as_str());
        self.emit.text("item_id", &slot.id);
        self.emit.number("output_index", at as u64);
        self.emit.close();
        // Lists of tools have no status of their own in the contract, so their events do not change it.
        if slot.shape.name != "mcp_list_tools" && slot.shape.name != "compaction" {
            slot.status = Cow::Borrowed(state.name());
        }
    }

    fn check_slot(&self, slot: &Slot) -> Result<(), Error> {
        let mut json = String::new();
        slot.write(&mut json);
        accept(self.options.edition, |edition| validate_item(&json, edition))
    }

    fn made_id(&self, prefix: &str) -> String {
        format!("{prefix}_{}_{}", suffix(&self.options.id), self.items.len())
    }

    /// Every field of a new item: the shape's in order, then those given beyond it.
    fn first_fields(&self, shape: &Shape, item_type: &str, id: &str, mut given: Object) -> Result<Object, Error> {
        let mut fields = Object::with_capacity(shape.fields.len() + given.len() + 2);
        fields.push("type", item_type);
        fields.push("id", id);
        for (key, zero) in shape.fields {
            let value = given.remove(key);
            let value = match zero {
                Zero::Status => Value::Null,
                Zero::Content | Zero::Summary | Zero::Input | Zero::Outputs => match value {
                    None => Value::Null,
                    Some(_) => return Err(bad(format!("{key} grows by intents of its own"))),
                },
                Zero::Commands => shell_action(value)?,
                Zero::CallId => match value {
                    None => Value::from(self.made_id("call")),
                    Some(Value::String(text)) if text.is_empty() => Value::from(self.made_id("call")),
                    Some(value) => value,
                },
                Zero::Given => match (value, shape.input) {
                    (Some(value), Some(input)) if input.inside == Some(key) => operation(value)?,
                    (Some(value), _) => value,
                    (None, _) => return Err(bad(format!("a {} needs {key}", shape.name))),
                },
                Zero::Word(word) => value.unwrap_or_else(|| Value::from(*word)),
                Zero::Text => value.unwrap_or_else(|| Value::from("")),
                Zero::Null => value.unwrap_or_default(),
                Zero::List => value.unwrap_or_else(|| Value::Array(Vec::new())),
            };
            fields.push(*key, value);
        }
        if shape.holds == Holds::Reasoning && given.contains_key("content") {
            return Err(bad("content grows by intents of its own"));
        }
        for (key, value) in given {
            fields.push(key, value);
        }
        Ok(fields)
    }
}

impl Slot {
    /// Whether the item is done and was not cut.
    pub(crate) fn has_ended_whole(&self) -> bool {
        self.done && !self.cut
    }

    /// Whether the item is a call whose input is streamed.
    pub(crate) fn is_call(&self) -> bool {
        self.shape.input.is_some() || self.shape.holds == Holds::Commands
    }

    /// Whether the item is an open call with arguments that do not parse. None at all are written as `{}`.
    pub(crate) fn has_broken_input(&self) -> bool {
        let json = self.shape.input.is_some_and(|input| input.json);
        json && !self.done && !self.input.is_empty() && !is_json(&self.input)
    }

    /// Whether the item is a call whose input may be cut: it must not be run.
    pub(crate) fn is_cut(&self) -> bool {
        match (self.shape.input, self.shape.holds) {
            (Some(input), _) if input.json => !is_json(&self.input),
            (Some(_), _) if self.input_said => false,
            (Some(_), _) | (_, Holds::Commands) => true,
            _ => self.shape.ends == Ends::Nothing,
        }
    }
}

fn is_json(text: &str) -> bool {
    is_document(text.as_bytes(), depth())
}

fn call(call_id: &str, name: &str) -> Object {
    let mut fields = Object::new();
    fields.push("call_id", call_id);
    fields.push("name", name);
    fields
}

/// The action of a shell call: its commands come later, its bounds now.
fn shell_action(given: Option<Value>) -> Result<Value, Error> {
    let mut action = Object::new();
    action.push("commands", Value::Array(Vec::new()));
    action.push("timeout_ms", Value::Null);
    action.push("max_output_length", Value::Null);
    match given {
        None => {}
        Some(Value::Object(given)) if !given.contains_key("commands") => {
            for (key, value) in given {
                action.insert(key, value);
            }
        }
        Some(_) => return Err(bad("expected an action without commands: they grow by intents of their own")),
    }
    Ok(Value::Object(action))
}

/// The operation of an apply-patch call: its diff comes later, unless a file is deleted.
fn operation(given: Value) -> Result<Value, Error> {
    let Value::Object(mut operation) = given else { return Err(bad("expected an operation that is an object")) };
    if operation.contains_key("diff") {
        return Err(bad("diff grows by intents of its own"));
    }
    if operation.get("type").and_then(Value::as_str) != Some("delete_file") {
        operation.push("diff", "");
    }
    Ok(Value::Object(operation))
}
