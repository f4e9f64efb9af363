//! A whole item at once, streamed as if it had grown: parts, deltas, done events.

use alloc::string::String;

use super::items::ItemHandle;
use super::shape::{ItemStatus, Shape, Zero};
use super::slot::PartKind;
use super::writer::{bad, Writer};
use crate::error::Error;
use crate::json::{Object, Value};

/// The fields of a whole item, sorted by when they are shown.
struct Sorted {
    /// With `output_item.added`.
    early: Object,
    /// With `output_item.done`.
    late: Object,
    content: Option<Value>,
    summary: Option<Value>,
    commands: Option<Value>,
    outputs: Option<Value>,
    input: Option<(&'static str, String)>,
}

impl Writer {
    /// Writes a whole item, streamed properly: added, its parts or input with one delta each, done.
    ///
    /// `item` is as on the wire. `id` is optional, `status` too (`completed` if it is missing). A refused item leaves
    /// nothing behind.
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
        let item_type = item.get("type").and_then(Value::as_str).ok_or_else(|| bad("an item needs a type"))?;
        shape_of(item_type)?;
        let status = match item.get("status") {
            None => ItemStatus::Completed,
            Some(status) => status
                .as_str()
                .and_then(ItemStatus::from_name)
                .ok_or_else(|| bad("expected a status with which items end"))?,
        };
        let mut fields = item.clone();
        fields.remove("type");
        fields.remove("status");
        self.whole(item_type, fields, status)
    }

    /// Writes a whole item from its fields without `type` and `status`.
    pub(crate) fn whole(&mut self, item_type: &str, fields: Object, status: ItemStatus) -> Result<ItemHandle, Error> {
        let shape = shape_of(item_type)?;
        if shape.word(status).is_none() {
            return Err(bad("expected a status with which items of this type end"));
        }
        let sorted = sort(&fields, shape)?;
        let checkpoint = self.checkpoint();
        let written = self.stream(item_type, sorted, status);
        if written.is_err() {
            self.back_to(checkpoint);
        }
        written
    }

    fn stream(&mut self, item_type: &str, sorted: Sorted, status: ItemStatus) -> Result<ItemHandle, Error> {
        let handle = self.open_as(item_type, sorted.early, status)?;
        for (parts, summary) in [(sorted.summary, true), (sorted.content, false)] {
            for part in parts.as_ref().map_or(Ok(&[][..]), |parts| parts.as_array().ok_or_else(not_parts))? {
                self.stream_part(handle, part.as_object().ok_or_else(not_parts)?, summary)?;
            }
        }
        if let Some(commands) = &sorted.commands {
            for command in commands.as_array().ok_or_else(not_commands)? {
                self.command(handle)?;
                self.command_text(handle, command.as_str().ok_or_else(not_commands)?)?;
                self.close_part(handle)?;
            }
        }
        if let Some(outputs) = &sorted.outputs {
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
        if let Some((key, text)) = &sorted.input {
            self.append_input(handle, key, text)?;
        }
        for (key, value) in sorted.late {
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

pub(crate) fn shape_of(item_type: &str) -> Result<&'static Shape, Error> {
    Shape::of(item_type).ok_or_else(|| bad("expected an item type of the contract or slug:name"))
}

/// Sorts the fields of an item by when they are shown.
fn sort(item: &Object, shape: &Shape) -> Result<Sorted, Error> {
    let mut sorted = Sorted {
        early: Object::new(),
        late: Object::new(),
        content: None,
        summary: None,
        commands: None,
        outputs: None,
        input: None,
    };
    for (key, value) in item.iter() {
        let zero = shape.fields.iter().find(|(name, _)| *name == key).map(|(_, zero)| *zero);
        match zero {
            Some(Zero::Content) => sorted.content = Some(value.clone()),
            Some(Zero::Summary) => sorted.summary = Some(value.clone()),
            Some(Zero::Outputs) => sorted.outputs = Some(value.clone()),
            None if shape.name == "reasoning" && key == "content" => sorted.content = Some(value.clone()),
            Some(Zero::Input) => {
                let text =
                    value.as_str().or(value.is_null().then_some("")).ok_or_else(|| bad("expected a text input"))?;
                sorted.input = shape.input.map(|input| (input.key, text.into()));
            }
            Some(Zero::Commands) => {
                let mut action = value.as_object().ok_or_else(not_commands)?.clone();
                sorted.commands = action.remove("commands");
                sorted.early.insert(key, action);
            }
            _ if shape.input.is_some_and(|input| input.inside == Some(key)) => {
                let mut holder =
                    value.as_object().ok_or_else(|| bad("expected an operation that is an object"))?.clone();
                if let (Some(input), Some(text)) = (shape.input, shape.input.and_then(|it| holder.remove(it.key))) {
                    let text = text.as_str().ok_or_else(|| bad("expected a text input"))?.into();
                    sorted.input = Some((input.key, text));
                }
                sorted.early.insert(key, holder);
            }
            // What appears with a status that ends it stands as it will stay (ITEM-05, ITEM-07).
            _ if shape.appears_whole() => {
                sorted.early.insert(key, value.clone());
            }
            // What has a zero value becomes known with the end; what has none, or is the sender's own, stands from the
            // start. `phase` says how to show the message, so it cannot come late.
            Some(Zero::Text | Zero::Null | Zero::List) => {
                sorted.late.insert(key, value.clone());
            }
            None if !shape.name.is_empty() && !matches!(key, "id" | "phase") => {
                sorted.late.insert(key, value.clone());
            }
            _ => {
                sorted.early.insert(key, value.clone());
            }
        }
    }
    Ok(sorted)
}

fn not_parts() -> Error {
    bad("expected parts that a model writes: output_text, refusal, reasoning_text, summary_text")
}

fn not_outputs() -> Error {
    bad("expected a list of outputs with stdout, stderr and outcome")
}

fn not_commands() -> Error {
    bad("expected an action with a list of commands")
}
