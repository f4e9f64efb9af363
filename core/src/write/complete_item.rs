//! Writes a complete item as a stream: its parts or input with one delta each, then its done events.

use alloc::string::String;

use super::item_definitions::{InitialValue, ItemDefinition, ItemStatus};
use super::items::ItemHandle;
use super::open_item::PartKind;
use super::writer::{invalid_argument, Writer};
use crate::contract::ItemKind;
use crate::error::Error;
use crate::json::{Object, Value};

/// The fields of a complete item, divided by the event that contains them first.
struct SplitItem {
    /// In `output_item.added`.
    early: Object,
    /// In `output_item.done`.
    late: Object,
    content: Option<Value>,
    summary: Option<Value>,
    commands: Option<Value>,
    outputs: Option<Value>,
    input: Option<(&'static str, String)>,
}

impl Writer {
    /// Writes a complete item: its added event, its parts or input with one delta each, and its done event.
    ///
    /// `item` has the form of the wire; `id` and `status` (`completed` by default) are optional. If the item is invalid, nothing
    /// is written.
    ///
    /// ```
    /// use deltafold::json::Value;
    /// use deltafold::write::{Writer, WriterOptions};
    /// let mut writer = Writer::new(WriterOptions::new("resp_1", "m-1", 0));
    /// let item = Value::parse(
    ///     r#"{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}","status":"completed"}"#, 9).unwrap();
    /// writer.item(item.as_object().unwrap())?;
    /// writer.complete(None)?;
    /// let mut kinds = Vec::new();
    /// while let Some(event) = writer.poll_event() {
    ///     kinds.push(Value::parse(event, 64).unwrap().str_at("type").unwrap().to_string());
    /// }
    /// assert_eq!(kinds[2..6], [
    ///     "response.output_item.added", "response.function_call_arguments.delta",
    ///     "response.function_call_arguments.done", "response.output_item.done",
    /// ]);
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    pub fn item(&mut self, item: &Object) -> Result<ItemHandle, Error> {
        let item_type = item
            .get("type")
            .and_then(Value::as_str)
            .ok_or_else(|| invalid_argument("expected an item with a `type`, found none"))?;
        definition_of(item_type)?;
        let status = match item.get("status") {
            None => ItemStatus::Completed,
            Some(status) => status
                .as_str()
                .and_then(ItemStatus::terminal_from_name)
                .ok_or_else(|| invalid_argument("expected a final status: `completed`, `incomplete` or `failed`"))?,
        };
        let mut fields = item.clone();
        fields.remove("type");
        fields.remove("status");
        self.complete_item(item_type, fields, status)
    }

    /// Writes a complete item from its fields without `type` and `status`.
    pub(crate) fn complete_item(
        &mut self,
        item_type: &str,
        fields: Object,
        status: ItemStatus,
    ) -> Result<ItemHandle, Error> {
        let definition = definition_of(item_type)?;
        if definition.status_word(status).is_none() {
            return Err(invalid_argument("expected a final status of this item type, found another one"));
        }
        let split = split_item(&fields, definition)?;
        let checkpoint = self.checkpoint();
        let written = self.stream(item_type, split, status);
        if written.is_err() {
            self.roll_back(checkpoint);
        }
        written
    }

    fn stream(&mut self, item_type: &str, split: SplitItem, status: ItemStatus) -> Result<ItemHandle, Error> {
        let handle = self.open_as(item_type, split.early, status)?;
        for (parts, summary) in [(split.summary, true), (split.content, false)] {
            for part in parts.as_ref().map_or(Ok(&[][..]), |parts| parts.as_array().ok_or_else(not_parts))? {
                self.stream_part(handle, part.as_object().ok_or_else(not_parts)?, summary)?;
            }
        }
        if let Some(commands) = &split.commands {
            for command in commands.as_array().ok_or_else(not_commands)? {
                self.command(handle)?;
                self.command_text(handle, command.as_str().ok_or_else(not_commands)?)?;
                self.close_part(handle)?;
            }
        }
        if let Some(outputs) = &split.outputs {
            for output in outputs.as_array().ok_or_else(not_outputs)? {
                let mut rest = output.as_object().ok_or_else(not_outputs)?.clone();
                let mut stream = |key| match rest.remove(key) {
                    Some(Value::String(text)) => Ok(text),
                    _ => Err(not_outputs()),
                };
                let (stdout, stderr) = (stream("stdout")?, stream("stderr")?);
                self.shell_output(handle, &stdout, &stderr)?;
                self.end_shell_output(handle, rest)?;
            }
        }
        if let Some((key, text)) = &split.input {
            self.append_input(handle, key, text)?;
        }
        for (key, value) in split.late {
            self.set(handle, &key, value)?;
        }
        self.close_as(handle, status)?;
        Ok(handle)
    }

    fn stream_part(&mut self, handle: ItemHandle, part: &Object, summary: bool) -> Result<(), Error> {
        let kind = part.get("type").and_then(Value::as_str).and_then(PartKind::from_name);
        let kind = kind.filter(|kind| (*kind == PartKind::Summary) == summary).ok_or_else(not_parts)?;
        let text = part.get(kind.field()).and_then(Value::as_str).ok_or_else(not_parts)?;
        self.part(handle, kind)?;
        if let Some(logprobs) = part.get("logprobs").filter(|_| kind == PartKind::Text) {
            self.logprobs(handle, logprobs.clone())?;
        }
        self.append(handle, kind, text)?;
        if let Some(annotations) = part.get("annotations").filter(|_| kind == PartKind::Text) {
            for annotation in annotations.as_array().ok_or_else(not_parts)? {
                self.annotation(handle, annotation.clone())?;
            }
        }
        for (key, value) in part.iter() {
            if !matches!(key, "type" | "annotations" | "logprobs") && key != kind.field() {
                self.set_on_part(handle, key, value.clone())?;
            }
        }
        self.close_part(handle)
    }
}

pub(crate) fn definition_of(item_type: &str) -> Result<&'static ItemDefinition, Error> {
    ItemDefinition::of(item_type)
        .ok_or_else(|| invalid_argument("expected an item type of the contract or `slug:name`"))
}

/// Divides the fields of an item by the event that contains them first.
fn split_item(item: &Object, definition: &ItemDefinition) -> Result<SplitItem, Error> {
    let mut split = SplitItem {
        early: Object::new(),
        late: Object::new(),
        content: None,
        summary: None,
        commands: None,
        outputs: None,
        input: None,
    };
    for (key, value) in item.iter() {
        let initial = definition.fields.iter().find(|(name, _)| *name == key).map(|(_, initial)| *initial);
        match initial {
            Some(InitialValue::Content) => split.content = Some(value.clone()),
            Some(InitialValue::Summary) => split.summary = Some(value.clone()),
            Some(InitialValue::Outputs) => split.outputs = Some(value.clone()),
            None if definition.kind == ItemKind::Reasoning && key == "content" => split.content = Some(value.clone()),
            Some(InitialValue::Input) => {
                let text = value
                    .as_str()
                    .or(value.is_null().then_some(""))
                    .ok_or_else(|| invalid_argument("expected a string as the input"))?;
                split.input = definition.input.map(|input| (input.key, text.into()));
            }
            Some(InitialValue::Commands) => {
                let mut action = value.as_object().ok_or_else(not_commands)?.clone();
                split.commands = action.remove("commands");
                split.early.insert(key, action);
            }
            _ if definition.input.is_some_and(|input| input.inside == Some(key)) => {
                let mut holder =
                    value.as_object().ok_or_else(|| invalid_argument("expected an object as the operation"))?.clone();
                if let (Some(input), Some(text)) =
                    (definition.input, definition.input.and_then(|it| holder.remove(it.key)))
                {
                    let text = text.as_str().ok_or_else(|| invalid_argument("expected a string as the input"))?.into();
                    split.input = Some((input.key, text));
                }
                split.early.insert(key, holder);
            }
            // An item without `in_progress` is added in its final state (ITEM-05, ITEM-07).
            _ if definition.has_no_in_progress() => {
                split.early.insert(key, value.clone());
            }
            // A field with an empty initial value is written when the item is done; required and extension fields are written
            // when it is added. `phase` decides how a message is displayed, so it is written early.
            Some(InitialValue::Text | InitialValue::Null | InitialValue::List) => {
                split.late.insert(key, value.clone());
            }
            None if !definition.is_extension() && !matches!(key, "id" | "phase") => {
                split.late.insert(key, value.clone());
            }
            _ => {
                split.early.insert(key, value.clone());
            }
        }
    }
    Ok(split)
}

fn not_parts() -> Error {
    invalid_argument("expected parts of type output_text, refusal, reasoning_text or summary_text")
}

fn not_outputs() -> Error {
    invalid_argument("expected a list of outputs with stdout, stderr and outcome")
}

fn not_commands() -> Error {
    invalid_argument("expected an action with a list of commands")
}
