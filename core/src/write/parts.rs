//! Intents about the contents of an item: text, refusals, reasoning, annotations, and the input of calls.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::emitter::{push_u64, Emitter};
use super::hosted_progress::{close_command, end_output};
use super::items::ItemHandle;
use super::open_item::{write_list, OpenChild, OpenItem, OpenPart, PartKind};
use super::writer::{
    check_depth, check_for_edition, check_json_depth, invalid_argument, invalid_intent, Writer, PART_LEVELS,
};
use crate::contract::SchemaId;
use crate::error::Error;
use crate::json::{write_string, Value};
use crate::validate::{validate_as, Extensions};

impl Writer {
    /// Appends text to a message. Opens an `output_text` part if none is open; an empty text writes nothing.
    pub fn text(&mut self, item: ItemHandle, delta: &str) -> Result<(), Error> {
        self.append(item, PartKind::Text, delta)
    }

    /// Appends text to a message's refusal. Opens a `refusal` part if none is open.
    pub fn refusal(&mut self, item: ItemHandle, delta: &str) -> Result<(), Error> {
        self.append(item, PartKind::Refusal, delta)
    }

    /// Appends raw reasoning to a reasoning item. Opens a `reasoning_text` part if none is open.
    pub fn reasoning_text(&mut self, item: ItemHandle, delta: &str) -> Result<(), Error> {
        self.append(item, PartKind::Reasoning, delta)
    }

    /// Appends to the summary of a reasoning item. Opens a `summary_text` part if none is open.
    pub fn reasoning_summary(&mut self, item: ItemHandle, delta: &str) -> Result<(), Error> {
        self.append(item, PartKind::Summary, delta)
    }

    /// Opens a part and closes the open one. Needed only for a part without text, or for a second part of the same type.
    pub fn part(&mut self, item: ItemHandle, kind: PartKind) -> Result<(), Error> {
        let at = self.part_item_index(item, kind)?;
        let openai = self.openai();
        let entry = &mut self.items[at];
        close_open(&mut self.emit, entry, at, openai);
        open_part(&mut self.emit, entry, at, kind, openai);
        Ok(())
    }

    /// Closes the open part or command of an item; the item stays open. Without effect if none is open.
    pub fn close_part(&mut self, item: ItemHandle) -> Result<(), Error> {
        let at = self.open_index(item)?;
        let openai = self.openai();
        close_open(&mut self.emit, &mut self.items[at], at, openai);
        Ok(())
    }

    /// Sets an extension field of the open part, such as `acme:citations`; written when the part closes.
    pub fn set_on_part(&mut self, item: ItemHandle, key: &str, value: impl Into<Value>) -> Result<(), Error> {
        let at = self.open_index(item)?;
        let part = self.items[at].part_mut().ok_or_else(|| invalid_intent("expected an open part, found none"))?;
        if matches!(key, "type" | "text" | "refusal" | "annotations" | "logprobs") {
            return Err(invalid_argument(format!("the writer itself sets `{key}`; expected another field")));
        }
        let value = value.into();
        check_depth(&value, PART_LEVELS)?;
        part.pending.insert(String::from(key), value);
        Ok(())
    }

    /// Adds an annotation to the open text part of a message. Its indexes must be inside the text written so far.
    pub fn annotation(&mut self, item: ItemHandle, annotation: impl Into<Value>) -> Result<(), Error> {
        let annotation = annotation.into();
        let at = self.open_index(item)?;
        let entry = &self.items[at];
        let Some(part) = entry.content.last().filter(|_| entry.open == Some(OpenChild::Part(PartKind::Text))) else {
            return Err(invalid_intent("expected an open text part, found none"));
        };
        self.check_value(&annotation, "Annotation", PART_LEVELS + 1)?;
        let index = |key: &str| annotation.get(key).and_then(Value::as_i64);
        let (start, end) = (index("start_index").unwrap_or(0), index("end_index"));
        // The specification does not define the unit of an index; no unit counts more than bytes.
        let length = i64::try_from(part.text.len()).unwrap_or(i64::MAX);
        if start < 0 || end.is_some_and(|end| end < start || end > length) {
            return Err(invalid_argument("expected 0 <= start_index <= end_index <= length of the text so far"));
        }
        let entry = &mut self.items[at];
        let (content_index, count) =
            (entry.content.len() - 1, entry.content.last().map_or(0, |it| it.annotations.len()));
        open_part_event(
            &mut self.emit,
            entry,
            at,
            "response.output_text.annotation.added",
            "content_index",
            content_index,
        );
        self.emit.number("annotation_index", count as u64);
        annotation.write_into(self.emit.raw("annotation"));
        self.emit.close();
        if let Some(part) = entry.content.last_mut() {
            part.annotations.push(annotation);
        }
        Ok(())
    }

    /// Sets the log probabilities of the next text delta of a message, as a list of wire objects. Opens the text part.
    pub fn logprobs(&mut self, item: ItemHandle, logprobs: impl Into<Value>) -> Result<(), Error> {
        let logprobs = logprobs.into();
        let at = self.part_item_index(item, PartKind::Text)?;
        let list = logprobs.as_array().ok_or_else(|| invalid_argument("expected a list of log probabilities"))?;
        for one in list {
            self.check_value(one, "LogProb", PART_LEVELS + 1)?;
        }
        let mut elements = String::new();
        write_list(list, &mut elements);
        self.add_logprobs(at, &elements);
        Ok(())
    }

    /// Adds log probabilities, as the elements of a list, for the next delta of a message. Opens the text part.
    pub(crate) fn add_logprobs(&mut self, at: usize, elements: &str) {
        let openai = self.openai();
        let entry = &mut self.items[at];
        if entry.open != Some(OpenChild::Part(PartKind::Text)) {
            close_open(&mut self.emit, entry, at, openai);
            open_part(&mut self.emit, entry, at, PartKind::Text, openai);
        }
        if let Some(part) = entry.part_mut().filter(|_| !elements.is_empty()) {
            if !part.pending_logprobs.is_empty() {
                part.pending_logprobs.push(',');
            }
            part.pending_logprobs.push_str(elements);
        }
    }

    /// Appends to the arguments of a function or MCP call.
    pub fn arguments(&mut self, item: ItemHandle, delta: &str) -> Result<(), Error> {
        self.append_input(item, "arguments", delta)
    }

    /// Appends to the input of a custom tool call.
    pub fn input(&mut self, item: ItemHandle, delta: &str) -> Result<(), Error> {
        self.append_input(item, "input", delta)
    }

    /// Appends to the code of a code interpreter call.
    pub fn code(&mut self, item: ItemHandle, delta: &str) -> Result<(), Error> {
        self.append_input(item, "code", delta)
    }

    /// Appends to the diff of an apply-patch call that creates or updates a file.
    pub fn diff(&mut self, item: ItemHandle, delta: &str) -> Result<(), Error> {
        self.append_input(item, "diff", delta)
    }

    pub(crate) fn append(&mut self, item: ItemHandle, kind: PartKind, delta: &str) -> Result<(), Error> {
        let at = self.part_item_index(item, kind)?;
        if delta.is_empty() {
            return Ok(());
        }
        let openai = self.openai();
        let entry = &mut self.items[at];
        if entry.open != Some(OpenChild::Part(kind)) {
            close_open(&mut self.emit, entry, at, openai);
            open_part(&mut self.emit, entry, at, kind, openai);
        }
        let emit = &mut self.emit;
        emit.open(kind.kinds(openai)[1].name());
        emit.verbatim(&entry.delta_head);
        emit.string(delta);
        if let Some(part) = entry.part_mut() {
            part.text.push_str(delta);
            if kind == PartKind::Text {
                emit.verbatim(",\"logprobs\":[");
                if !part.pending_logprobs.is_empty() {
                    emit.verbatim(&part.pending_logprobs);
                    take_pending_logprobs(part);
                }
                emit.verbatim("]");
            }
        }
        emit.close();
        Ok(())
    }

    pub(crate) fn append_input(&mut self, item: ItemHandle, key: &str, delta: &str) -> Result<(), Error> {
        let at = self.open_index(item)?;
        let entry = &mut self.items[at];
        let Some(input) = entry.input().filter(|input| input.key == key) else {
            return Err(invalid_intent(format!("expected an item with the input `{key}`, found another type")));
        };
        if entry.input_done {
            return Err(invalid_intent("expected no more input after the input's done event"));
        }
        if delta.is_empty() {
            return Ok(());
        }
        entry.input.push_str(delta);
        if entry.input_visible {
            if entry.delta_head.is_empty() {
                input_head(entry, at);
            }
            self.emit.open(input.delta.name());
            self.emit.verbatim(&entry.delta_head);
            self.emit.string(delta);
            self.emit.close();
        }
        Ok(())
    }

    /// The index of an open item that has parts of this type.
    pub(crate) fn part_item_index(&self, item: ItemHandle, kind: PartKind) -> Result<usize, Error> {
        let at = self.open_index(item)?;
        if kind.fits(self.items[at].definition.kind) {
            Ok(at)
        } else {
            Err(invalid_intent(format!("expected an item with parts of type `{}`, found another type", kind.name())))
        }
    }

    /// Checks a value against a schema, and its nesting inside `levels` objects and arrays.
    pub(crate) fn check_value(&self, value: &Value, schema: &str, levels: usize) -> Result<(), Error> {
        let Some(schema) = SchemaId::from_name(schema) else { return Ok(()) };
        let mut json = String::new();
        value.write_into(&mut json);
        check_json_depth(&json, levels)?;
        check_for_edition(self.options.edition, |edition| validate_as(&json, schema, edition, Extensions::Allowed))
    }
}

/// Closes the open part or command.
pub(crate) fn close_open(emit: &mut Emitter, entry: &mut OpenItem, at: usize, openai: bool) {
    match entry.open.take() {
        Some(OpenChild::Part(kind)) => close_part(emit, entry, at, kind, openai),
        Some(OpenChild::Command) => close_command(emit, entry, at),
        Some(OpenChild::ShellOutput) => end_output(emit, entry, at, false),
        None => {}
    }
}

/// Writes the done event of the input. Empty JSON input becomes `{}`, unless the item was cut off.
pub(crate) fn close_input(emit: &mut Emitter, entry: &mut OpenItem, at: usize, cut: bool) {
    let Some(input) = entry.input().filter(|_| !entry.input_done) else { return };
    entry.input_done = true;
    if entry.input.is_empty() && input.json && !cut {
        entry.input.push_str("{}");
        if entry.input_visible {
            input_head(entry, at);
            emit.open(input.delta.name());
            emit.verbatim(&entry.delta_head);
            emit.string("{}");
            emit.close();
        }
    }
    if entry.input_visible {
        emit.open(input.done().name());
        emit.text("item_id", &entry.id);
        emit.number("output_index", at as u64);
        emit.text(input.key, &entry.input);
        emit.close();
    }
}

fn open_part(emit: &mut Emitter, entry: &mut OpenItem, at: usize, kind: PartKind, openai: bool) {
    let part = OpenPart::new(kind);
    let (parts, key) = parts_mut(entry, kind);
    let index = parts.len();
    open_part_event(emit, entry, at, kind.kinds(openai)[0].name(), key, index);
    part.write(emit.raw("part"));
    emit.close();
    let (parts, _) = parts_mut(entry, kind);
    parts.push(part);
    entry.open = Some(OpenChild::Part(kind));

    entry.delta_head.clear();
    let OpenItem { delta_head, id, .. } = entry;
    delta_head.push_str(",\"item_id\":");
    write_string(id, delta_head);
    delta_head.push_str(",\"output_index\":");
    push_u64(delta_head, at as u64);
    delta_head.push_str(",\"");
    delta_head.push_str(key);
    delta_head.push_str("\":");
    push_u64(delta_head, index as u64);
    delta_head.push_str(",\"delta\":");
}

fn close_part(emit: &mut Emitter, entry: &mut OpenItem, at: usize, kind: PartKind, openai: bool) {
    let (parts, key) = parts_mut(entry, kind);
    let Some(mut part) = parts.pop() else { return };
    let index = parts.len();
    take_pending_logprobs(&mut part);
    let [_, _, said, closed] = kind.kinds(openai);
    open_part_event(emit, entry, at, said.name(), key, index);
    emit.text(kind.field(), &part.text);
    if kind == PartKind::Text {
        let out = emit.raw("logprobs");
        out.push('[');
        out.push_str(&part.logprobs);
        out.push(']');
    }
    emit.close();
    part.extra = core::mem::take(&mut part.pending);
    open_part_event(emit, entry, at, closed.name(), key, index);
    part.write(emit.raw("part"));
    emit.close();
    let (parts, _) = parts_mut(entry, kind);
    parts.push(part);
}

fn parts_mut(entry: &mut OpenItem, kind: PartKind) -> (&mut Vec<OpenPart>, &'static str) {
    match kind {
        PartKind::Summary => (&mut entry.summary, "summary_index"),
        _ => (&mut entry.content, "content_index"),
    }
}

/// Begins an event about a part.
fn open_part_event(emit: &mut Emitter, entry: &OpenItem, at: usize, name: &str, key: &str, index: usize) {
    emit.open(name);
    emit.text("item_id", &entry.id);
    emit.number("output_index", at as u64);
    emit.number(key, index as u64);
}

fn input_head(entry: &mut OpenItem, at: usize) {
    let OpenItem { delta_head, id, .. } = entry;
    delta_head.clear();
    delta_head.push_str(",\"item_id\":");
    write_string(id, delta_head);
    delta_head.push_str(",\"output_index\":");
    push_u64(delta_head, at as u64);
    delta_head.push_str(",\"delta\":");
}

/// Moves pending log probabilities to the part.
fn take_pending_logprobs(part: &mut OpenPart) {
    if part.pending_logprobs.is_empty() {
        return;
    }
    if !part.logprobs.is_empty() {
        part.logprobs.push(',');
    }
    part.logprobs.push_str(&part.pending_logprobs);
    part.pending_logprobs.clear();
}
