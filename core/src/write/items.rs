//! Intents about items: open an item of any type, set its fields, close it.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::complete_item::definition_of;
use super::field_map::FieldMap;
use super::hosted_progress::end_output;
use super::ids::suffix;
use super::item_definitions::{EndStatuses, InitialValue, ItemDefinition, ItemParts, ItemStatus, ToolState};
use super::open_item::{OpenChild, OpenItem};
use super::parts::{close_input, close_open};
use super::writer::{
    check_depth, check_for_edition, check_json_depth, depth, invalid_argument, invalid_intent, is_contract_name, Phase,
    Writer, ITEM_LEVELS,
};
use crate::contract::{ItemKind, Kind};
use crate::error::Error;
use crate::json::{is_document, Object, Value};
use crate::validate::validate_event;

/// An item of one writer, identified by its output index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemHandle(u32);

impl ItemHandle {
    /// The handle of the item at an output index.
    pub fn at(output_index: u32) -> Self {
        Self(output_index)
    }

    /// The item's output index.
    pub fn output_index(self) -> u32 {
        self.0
    }
}

impl Writer {
    /// Opens an assistant message.
    pub fn message(&mut self) -> Result<ItemHandle, Error> {
        self.open("message", Object::new())
    }

    /// Opens a reasoning item, for raw text, a summary, encrypted content, or several of them.
    pub fn reasoning(&mut self) -> Result<ItemHandle, Error> {
        self.open("reasoning", Object::new())
    }

    /// Sets the encrypted content of a reasoning or compaction item; written when the item closes.
    pub fn encrypted_content(&mut self, item: ItemHandle, content: &str) -> Result<(), Error> {
        let at = self.open_index(item)?;
        if !matches!(self.items[at].definition.kind, ItemKind::Reasoning | ItemKind::Compaction) {
            return Err(invalid_intent("expected a reasoning or compaction item, found another type"));
        }
        self.set(item, "encrypted_content", content)
    }

    /// Opens a function call. An empty `call_id` is replaced by one derived from the response's id.
    pub fn function_call(&mut self, call_id: &str, name: &str) -> Result<ItemHandle, Error> {
        self.open("function_call", call(call_id, name))
    }

    /// Opens a call of a custom tool, whose input is plain text.
    pub fn custom_tool_call(&mut self, call_id: &str, name: &str) -> Result<ItemHandle, Error> {
        self.open("custom_tool_call", call(call_id, name))
    }

    /// Writes the output of a function call, a string or a list of parts, as a complete item.
    pub fn function_call_output(&mut self, call_id: &str, output: impl Into<Value>) -> Result<ItemHandle, Error> {
        let mut fields = Object::new();
        fields.push("call_id", call_id);
        fields.push("output", output.into());
        self.complete_item("function_call_output", fields, ItemStatus::Completed)
    }

    /// Writes a compaction as a complete item.
    pub fn compaction(&mut self, encrypted_content: &str) -> Result<ItemHandle, Error> {
        let mut fields = Object::new();
        fields.push("encrypted_content", encrypted_content);
        self.complete_item("compaction", fields, ItemStatus::Completed)
    }

    /// Opens an extension item of type `slug:name` with any fields.
    pub fn extension_item(&mut self, item_type: &str, fields: Object) -> Result<ItemHandle, Error> {
        if ItemDefinition::of(item_type).is_none_or(|definition| !definition.is_extension()) {
            return Err(invalid_argument("expected an item type of the form `slug:name`"));
        }
        self.open(item_type, fields)
    }

    /// Opens an item of any type with the fields known so far; `id` sets the item's id.
    ///
    /// Streamed contents (parts, arguments, code, a diff, commands) have their own intents and are errors here. Fails after an
    /// incomplete item, for a type that the edition does not have, for an id that another item has, and if the item would break its
    /// schema.
    pub fn open(&mut self, item_type: &str, fields: Object) -> Result<ItemHandle, Error> {
        if definition_of(item_type)?.has_no_in_progress() {
            return Err(invalid_intent("items of this type have no `in_progress`; write them complete with `item`"));
        }
        self.open_as(item_type, fields, ItemStatus::Completed)
    }

    /// Sets a field of an open item, or an extension field such as `acme:stage`; written when the item closes.
    pub fn set(&mut self, item: ItemHandle, key: &str, value: impl Into<Value>) -> Result<(), Error> {
        let at = self.open_index(item)?;
        let entry = &self.items[at];
        if entry.is_writer_field(key) {
            return Err(invalid_argument(format!("the writer itself sets `{key}`; expected another field")));
        }
        let value = value.into();
        if entry.is_constrained(key) {
            // Only fields of the contract can invalidate the item. They are few, so a copy of them is cheap.
            let mut fields = FieldMap::default();
            let definition = entry.definition.fields.iter().map(|(key, _)| *key);
            for key in ["type", "id"].into_iter().chain(definition) {
                if let Some(value) = entry.pending.get(key).or_else(|| entry.fields.get(key)) {
                    fields.insert(key, value.clone());
                }
            }
            fields.insert(key.to_string(), value.clone());
            self.check_item(&OpenItem {
                status: entry.status.clone(),
                ..OpenItem::new(entry.definition, entry.id.clone(), fields)
            })?;
        } else {
            check_depth(&value, ITEM_LEVELS)?;
        }
        self.items[at].pending.insert(key.to_string(), value);
        Ok(())
    }

    /// Closes an item as completed, with its open part or input.
    pub fn close(&mut self, item: ItemHandle) -> Result<(), Error> {
        self.close_as(item, ItemStatus::Completed)
    }

    /// Closes an item with a status. After `Incomplete` no item may be opened, and the response cannot complete.
    ///
    /// The specification allows only the last item to end incomplete, except for calls that are cut off together. A call before the
    /// last item may therefore end incomplete while the last item is open, which then can only end incomplete too. Arguments that are
    /// not JSON belong to a call that was cut off, so such a call cannot complete.
    pub fn close_as(&mut self, item: ItemHandle, status: ItemStatus) -> Result<(), Error> {
        let at = self.open_index(item)?;
        let entry = &self.items[at];
        if entry.definition.status_word(status).is_none() {
            return Err(invalid_intent(format!(
                "items of type {} have no status {}",
                entry.definition.kind,
                status.name()
            )));
        }
        let last = self.items.len() - 1;
        match status {
            ItemStatus::Incomplete if at < last && (!entry.is_call() || self.items[last].ended_without_cutoff()) => {
                return Err(invalid_intent(
                    "expected the last item, or a call while the last item is open: only these may end incomplete",
                ));
            }
            ItemStatus::Completed | ItemStatus::Failed if at == last && self.incomplete => {
                return Err(invalid_intent(
                    "expected `incomplete` for the last item, because a call before it is incomplete",
                ));
            }
            ItemStatus::Completed if entry.has_invalid_arguments() => {
                return Err(invalid_intent("expected JSON arguments, found other text; close the call as incomplete"));
            }
            _ => {}
        }
        self.close_item(at, status);
        Ok(())
    }

    /// Returns `true` if an item is open.
    pub fn is_open(&self, item: ItemHandle) -> bool {
        self.open_index(item).is_ok()
    }

    /// The id of an item.
    pub fn item_id(&self, item: ItemHandle) -> Option<&str> {
        self.items.get(item.0 as usize).map(|entry| entry.id.as_str())
    }

    /// The number of items.
    pub fn item_count(&self) -> usize {
        self.items.len()
    }

    /// The item as streamed so far, as JSON text.
    pub fn item_json(&self, item: ItemHandle) -> Option<String> {
        let entry = self.items.get(item.0 as usize)?;
        let mut out = String::new();
        entry.write(&mut out);
        Some(out)
    }

    /// Opens an item. A type without `in_progress` gets its final status `last`.
    pub(crate) fn open_as(&mut self, item_type: &str, given: Object, last: ItemStatus) -> Result<ItemHandle, Error> {
        let entry = self.new_item(item_type, given, last)?;
        self.ensure_started()?;
        self.ids.insert(entry.id.clone());
        let at = self.items.len();
        self.emit.open(Kind::OutputItemAdded.name());
        self.emit.number("output_index", at as u64);
        if !self.emit.is_dropped() {
            entry.write(self.emit.raw("item"));
        }
        self.emit.close();
        self.items.push(entry);
        self.write_state_event(at, ToolState::InProgress);
        Ok(ItemHandle(at as u32))
    }

    /// Creates an item and makes all checks, without changing the writer.
    pub(crate) fn new_item(&self, item_type: &str, mut given: Object, last: ItemStatus) -> Result<OpenItem, Error> {
        self.check_running()?;
        if self.incomplete {
            return Err(invalid_intent("expected no item after an incomplete one"));
        }
        let definition = definition_of(item_type)?;
        let edition = self.options.edition;
        if !definition.kind.editions().contains(edition) {
            return Err(invalid_intent(format!("edition {edition} has no item type `{}`", definition.kind)));
        }
        if given.contains_key("status") || given.contains_key("type") {
            return Err(invalid_argument(
                "the writer itself sets `type` and `status` of an item; expected other fields",
            ));
        }
        let id = match given.remove("id") {
            Some(Value::String(id)) if !id.is_empty() => id,
            None => self.default_id(definition.prefix),
            Some(_) => return Err(invalid_argument("expected a string that is not empty as the item id")),
        };
        if self.ids.contains(&id) {
            return Err(invalid_argument("expected a unique item id, found the id of another item"));
        }
        // Nothing of these can be invalid: what they have is the writer's own, any text, or plain fields of an extension.
        let is_safe = match definition.kind {
            ItemKind::Message => given.is_empty(),
            ItemKind::Reasoning => given.iter().all(|(_, value)| value.as_str().is_some()),
            ItemKind::FunctionCall => {
                given.iter().all(|(key, value)| value.as_str().is_some_and(|text| key != "name" || !text.is_empty()))
            }
            ItemKind::Extension => given.iter().all(|(_, value)| !matches!(value, Value::Array(_) | Value::Object(_))),
            _ => false,
        };
        let fields = self.initial_fields(definition, item_type, &id, given)?;
        let mut entry = OpenItem::new(definition, id, fields);
        entry.input_visible = definition.input.is_none_or(|input| input.delta.editions().contains(edition));
        entry.outputs_shown = Kind::ShellCallOutputContentDelta.editions().contains(edition);
        if definition.has_no_in_progress() {
            entry.status = Cow::Borrowed(last.name());
        }
        if !is_safe {
            self.check_item(&entry)?;
        }
        Ok(entry)
    }

    /// The index of an open item.
    pub(crate) fn open_index(&self, item: ItemHandle) -> Result<usize, Error> {
        if self.phase != Phase::Running {
            self.check_running()?;
        }
        let at = item.0 as usize;
        match self.items.get(at) {
            Some(entry) if !entry.done => Ok(at),
            Some(_) => Err(invalid_intent("expected an open item, found a done one")),
            None => Err(invalid_intent("expected an open item, found none at this output index")),
        }
    }

    /// Closes an item if it is open.
    pub(crate) fn close_item(&mut self, at: usize, status: ItemStatus) {
        let Some(entry) = self.items.get(at).filter(|entry| !entry.done) else { return };
        // Only types without `in_progress` lack a status, and their items are never open.
        let word = entry.definition.status_word(status).unwrap_or("completed");
        self.write_close(at, status, word);
    }

    /// Closes an item with this status on the wire.
    pub(crate) fn write_close(&mut self, at: usize, status: ItemStatus, word: &'static str) {
        let openai = self.openai();
        let cut = status == ItemStatus::Incomplete;
        self.incomplete |= cut;
        let Some(entry) = self.items.get_mut(at) else { return };
        if entry.open == Some(OpenChild::ShellOutput) {
            end_output(&mut self.emit, entry, at, cut);
        }
        close_open(&mut self.emit, entry, at, openai);
        close_input(&mut self.emit, entry, at, cut);
        match status {
            ItemStatus::Completed => self.write_state_event(at, ToolState::Completed),
            ItemStatus::Failed => self.write_state_event(at, ToolState::Failed),
            ItemStatus::InProgress | ItemStatus::Incomplete => {}
        }
        let Some(entry) = self.items.get_mut(at) else { return };
        entry.status = Cow::Borrowed(word);
        entry.input_visible = true;
        entry.outputs_shown = true;
        for (key, value) in entry.pending.take() {
            entry.fields.insert(key, value);
        }
        self.emit.open(Kind::OutputItemDone.name());
        self.emit.number("output_index", at as u64);
        if self.emit.is_dropped() {
            // Only the last snapshot has the item, and writes it.
            self.emit.close();
            (entry.done, entry.incomplete) = (true, cut);
            return;
        }
        let out = self.emit.raw("item");
        let start = out.len();
        entry.write(out);
        let json = out[start..].to_string();
        self.emit.close();
        *entry = OpenItem {
            done: true,
            json,
            incomplete: cut,
            status: Cow::Borrowed(word),
            ..OpenItem::new(entry.definition, core::mem::take(&mut entry.id), FieldMap::default())
        };
    }

    /// Writes the event of a hosted tool's state, if the type has one that was not written yet.
    pub(crate) fn write_state_event(&mut self, at: usize, state: ToolState) {
        let Some(entry) = self.items.get_mut(at) else { return };
        let Some(kind) = entry.definition.state(state, self.options.edition) else { return };
        if entry.progress >= Some(state) {
            return;
        }
        entry.progress = Some(state);
        self.emit.open(kind.name());
        self.emit.text("item_id", &entry.id);
        self.emit.number("output_index", at as u64);
        self.emit.close();
        // Tool lists and compactions have no such status in the contract, so these events do not change it.
        if !matches!(entry.definition.kind, ItemKind::McpListTools | ItemKind::Compaction) {
            entry.status = Cow::Borrowed(state.name());
        }
    }

    /// Checks an item against the contract and the rules about added items.
    fn check_item(&self, entry: &OpenItem) -> Result<(), Error> {
        let mut json =
            String::from("{\"type\":\"response.output_item.added\",\"sequence_number\":0,\"output_index\":0,\"item\":");
        let start = json.len();
        entry.write(&mut json);
        check_json_depth(&json[start..], ITEM_LEVELS - 1)?;
        json.push('}');
        check_for_edition(self.options.edition, |edition| validate_event(&json, edition))
    }

    fn default_id(&self, prefix: &str) -> String {
        format!("{prefix}_{}_{}", suffix(&self.options.id), self.items.len())
    }

    /// All fields of a new item: those of its definition in order, then the caller's extension fields.
    fn initial_fields(
        &self,
        definition: &ItemDefinition,
        item_type: &str,
        id: &str,
        mut given: Object,
    ) -> Result<FieldMap, Error> {
        let mut fields = FieldMap::default();
        fields.insert("type", item_type);
        fields.insert("id", id);
        for (key, initial) in definition.fields {
            let value = given.remove(key);
            let value = match initial {
                InitialValue::Status => Value::Null,
                InitialValue::Content | InitialValue::Summary | InitialValue::Input | InitialValue::Outputs => {
                    match value {
                        None => Value::Null,
                        Some(_) => {
                            return Err(invalid_argument(format!("`{key}` has its own intents; expected other fields")))
                        }
                    }
                }
                InitialValue::Commands => shell_action(value)?,
                InitialValue::CallId => match value {
                    None => Value::from(self.default_id("call")),
                    Some(Value::String(text)) if text.is_empty() => Value::from(self.default_id("call")),
                    Some(value) => value,
                },
                InitialValue::Required => match (value, definition.input) {
                    (Some(value), Some(input)) if input.inside == Some(key) => operation(value)?,
                    (Some(value), _) => value,
                    (None, _) => {
                        return Err(invalid_argument(format!("expected `{key}` in a {}, found none", definition.kind)))
                    }
                },
                InitialValue::Literal(word) => value.unwrap_or_else(|| Value::from(*word)),
                InitialValue::Text => value.unwrap_or_else(|| Value::from("")),
                InitialValue::Null => value.unwrap_or_default(),
                InitialValue::List => value.unwrap_or_else(|| Value::Array(Vec::new())),
            };
            fields.insert(*key, value);
        }
        if definition.parts == ItemParts::Reasoning && given.contains_key("content") {
            return Err(invalid_argument("`content` has its own intents; expected other fields"));
        }
        for (key, value) in given {
            fields.insert(key, value);
        }
        Ok(fields)
    }
}

impl OpenItem {
    /// Returns `true` if the contract constrains the values of a field. Of an extension item it knows the parts alone.
    fn is_constrained(&self, key: &str) -> bool {
        match self.definition.kind {
            ItemKind::Extension => key == "content",
            _ => is_contract_name(key),
        }
    }

    /// Returns `true` if the item is done and not incomplete.
    pub(crate) fn ended_without_cutoff(&self) -> bool {
        self.done && !self.incomplete
    }

    /// Returns `true` for a call with streamed input.
    pub(crate) fn is_call(&self) -> bool {
        self.definition.input.is_some() || self.definition.parts == ItemParts::Commands
    }

    /// Returns `true` for an open call whose arguments are not JSON. Empty arguments are written as `{}`.
    pub(crate) fn has_invalid_arguments(&self) -> bool {
        let json = self.definition.input.is_some_and(|input| input.json);
        json && !self.done && !self.input.is_empty() && !is_json(&self.input)
    }

    /// Returns `true` for a call whose input may be partial, so that it must not be run.
    pub(crate) fn has_partial_input(&self) -> bool {
        match (self.definition.input, self.definition.parts) {
            (Some(input), _) if input.json => !is_json(&self.input),
            (Some(_), _) if self.input_done => false,
            (Some(_), _) | (_, ItemParts::Commands) => true,
            _ => self.definition.ends == EndStatuses::CompletedOnly,
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

/// The action of a shell call, without its commands, which are streamed.
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
        Some(_) => return Err(invalid_argument("expected an action without `commands`, which have their own intents")),
    }
    Ok(Value::Object(action))
}

/// The operation of a patch, without its diff, which is streamed unless a file is deleted.
fn operation(given: Value) -> Result<Value, Error> {
    let Value::Object(mut operation) = given else {
        return Err(invalid_argument("expected an object as the operation"));
    };
    if operation.contains_key("diff") {
        return Err(invalid_argument("expected an operation without `diff`, which has its own intent"));
    }
    if operation.get("type").and_then(Value::as_str) != Some("delete_file") {
        operation.push("diff", "");
    }
    Ok(Value::Object(operation))
}
