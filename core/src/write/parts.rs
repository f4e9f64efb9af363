//! Intents about what is inside an item: text, refusals, reasoning, annotations, and the input of calls.

use alloc::string::String;
use alloc::vec::Vec;

use super::emit::{push_u64, Emitter};
use super::items::ItemHandle;
use super::slot::{write_list, Open, Part, PartKind, Slot};
use super::tools::{close_command, end_output};
use super::writer::{accept, bad, refused, Writer};
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

    /// Opens a part, and closes the one that is open: for a part that may stay empty, or a second one of the same kind.
    pub fn part(&mut self, item: ItemHandle, kind: PartKind) -> Result<(), Error> {
        let at = self.part_slot(item, kind)?;
        let openai = self.openai();
        let slot = &mut self.items[at];
        close_open(&mut self.emit, slot, at, openai);
        open_part(&mut self.emit, slot, at, kind, openai);
        Ok(())
    }

    /// Closes the part or command that is open in an item; the item stays open. Does nothing if none is open.
    pub fn close_part(&mut self, item: ItemHandle) -> Result<(), Error> {
        let at = self.slot(item)?;
        let openai = self.openai();
        close_open(&mut self.emit, &mut self.items[at], at, openai);
        Ok(())
    }

    /// Sets a property of the open part beyond its schema, such as `acme:citations`; shown when the part closes.
    pub fn set_on_part(&mut self, item: ItemHandle, key: &str, value: impl Into<Value>) -> Result<(), Error> {
        let at = self.slot(item)?;
        let part = self.items[at].part_mut().ok_or_else(|| refused("the item has no open part"))?;
        if matches!(key, "type" | "text" | "refusal" | "annotations" | "logprobs") {
            return Err(bad("the field is the writer's own"));
        }
        part.pending.insert(key, value);
        Ok(())
    }

    /// Adds an annotation to the open text part of a message. It must lie within the text written so far.
    pub fn annotation(&mut self, item: ItemHandle, annotation: impl Into<Value>) -> Result<(), Error> {
        let annotation = annotation.into();
        let at = self.slot(item)?;
        let slot = &self.items[at];
        let Some(part) = slot.content.last().filter(|_| slot.open == Some(Open::Part(PartKind::Text))) else {
            return Err(refused("the item has no open text part to annotate"));
        };
        self.check_value(&annotation, "Annotation")?;
        let index = |key: &str| annotation.get(key).and_then(Value::as_i64);
        let (start, end) = (index("start_index").unwrap_or(0), index("end_index"));
        // The unit is not defined anywhere; bytes are the most that any unit can count.
        let length = i64::try_from(part.text.len()).unwrap_or(i64::MAX);
        if start < 0 || end.is_some_and(|end| end < start || end > length) {
            return Err(bad("expected 0 <= start_index <= end_index <= length of the text so far"));
        }
        let slot = &mut self.items[at];
        let (content_index, count) = (slot.content.len() - 1, slot.content.last().map_or(0, |it| it.annotations.len()));
        place(&mut self.emit, slot, at, "response.output_text.annotation.added", "content_index", content_index);
        self.emit.number("annotation_index", count as u64);
        annotation.write_into(self.emit.raw("annotation"));
        self.emit.close();
        if let Some(part) = slot.content.last_mut() {
            part.annotations.push(annotation);
        }
        Ok(())
    }

    /// Gives the log probabilities of the next text delta of a message: a list, as on the wire. Opens the text part.
    pub fn logprobs(&mut self, item: ItemHandle, logprobs: impl Into<Value>) -> Result<(), Error> {
        let logprobs = logprobs.into();
        let at = self.part_slot(item, PartKind::Text)?;
        let list = logprobs.as_array().ok_or_else(|| bad("expected a list of log probabilities"))?;
        for one in list {
            self.check_value(one, "LogProb")?;
        }
        let openai = self.openai();
        let slot = &mut self.items[at];
        if slot.open != Some(Open::Part(PartKind::Text)) {
            close_open(&mut self.emit, slot, at, openai);
            open_part(&mut self.emit, slot, at, PartKind::Text, openai);
        }
        if let Some(part) = slot.part_mut().filter(|_| !list.is_empty()) {
            if !part.waiting.is_empty() {
                part.waiting.push(',');
            }
            write_list(list, &mut part.waiting);
        }
        Ok(())
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
        let at = self.part_slot(item, kind)?;
        if delta.is_empty() {
            return Ok(());
        }
        let openai = self.openai();
        let slot = &mut self.items[at];
        if slot.open != Some(Open::Part(kind)) {
            close_open(&mut self.emit, slot, at, openai);
            open_part(&mut self.emit, slot, at, kind, openai);
        }
        let emit = &mut self.emit;
        emit.open(kind.kinds(openai)[1].as_str());
        emit.verbatim(&slot.head);
        emit.string(delta);
        if let Some(part) = slot.part_mut() {
            part.text.push_str(delta);
            if kind == PartKind::Text {
                emit.verbatim(",\"logprobs\":[");
                if !part.waiting.is_empty() {
                    emit.verbatim(&part.waiting);
                    settle_logprobs(part);
                }
                emit.verbatim("]");
            }
        }
        emit.close();
        Ok(())
    }

    pub(crate) fn append_input(&mut self, item: ItemHandle, key: &str, delta: &str) -> Result<(), Error> {
        let at = self.slot(item)?;
        let slot = &mut self.items[at];
        let Some(input) = slot.input().filter(|input| input.key == key) else {
            return Err(refused("the item has no such input"));
        };
        if slot.input_said {
            return Err(refused("the input is whole already"));
        }
        if delta.is_empty() {
            return Ok(());
        }
        slot.input.push_str(delta);
        if slot.input_shown {
            if slot.head.is_empty() {
                input_head(slot, at);
            }
            self.emit.open(input.delta.as_str());
            self.emit.verbatim(&slot.head);
            self.emit.string(delta);
            self.emit.close();
        }
        Ok(())
    }

    /// The open slot of an item that takes parts of this kind.
    fn part_slot(&self, item: ItemHandle, kind: PartKind) -> Result<usize, Error> {
        let at = self.slot(item)?;
        if kind.fits(self.items[at].shape.holds) {
            Ok(at)
        } else {
            Err(refused("the item does not hold such parts"))
        }
    }

    pub(crate) fn check_value(&self, value: &Value, schema: &str) -> Result<(), Error> {
        let Some(schema) = SchemaId::from_name(schema) else { return Ok(()) };
        let mut json = String::new();
        value.write_into(&mut json);
        accept(self.options.edition, |edition| validate_as(&json, schema, edition, Extensions::Allowed))
    }
}

/// Closes the part or command that is open.
pub(crate) fn close_open(emit: &mut Emitter, slot: &mut Slot, at: usize, openai: bool) {
    match slot.open.take() {
        Some(Open::Part(kind)) => close_part(emit, slot, at, kind, openai),
        Some(Open::Command) => close_command(emit, slot, at),
        Some(Open::Output) => end_output(emit, slot, at, false),
        None => {}
    }
}

/// Tells that the input is whole. Nothing at all is `{}` where JSON is expected, unless the item was cut.
pub(crate) fn close_input(emit: &mut Emitter, slot: &mut Slot, at: usize, cut: bool) {
    let Some(input) = slot.input().filter(|_| !slot.input_said) else { return };
    slot.input_said = true;
    if slot.input.is_empty() && input.json && !cut {
        slot.input.push_str("{}");
        if slot.input_shown {
            input_head(slot, at);
            emit.open(input.delta.as_str());
            emit.verbatim(&slot.head);
            emit.string("{}");
            emit.close();
        }
    }
    if slot.input_shown {
        emit.open(input.done.as_str());
        emit.text("item_id", &slot.id);
        emit.number("output_index", at as u64);
        emit.text(input.key, &slot.input);
        emit.close();
    }
}

fn open_part(emit: &mut Emitter, slot: &mut Slot, at: usize, kind: PartKind, openai: bool) {
    let part = Part::new(kind);
    let (parts, key) = parts_of(slot, kind);
    let index = parts.len();
    place(emit, slot, at, kind.kinds(openai)[0].as_str(), key, index);
    part.write(emit.raw("part"));
    emit.close();
    let (parts, _) = parts_of(slot, kind);
    parts.push(part);
    slot.open = Some(Open::Part(kind));

    slot.head.clear();
    let Slot { head, id, .. } = slot;
    head.push_str(",\"item_id\":");
    write_string(id, head);
    head.push_str(",\"output_index\":");
    push_u64(head, at as u64);
    head.push_str(",\"");
    head.push_str(key);
    head.push_str("\":");
    push_u64(head, index as u64);
    head.push_str(",\"delta\":");
}

fn close_part(emit: &mut Emitter, slot: &mut Slot, at: usize, kind: PartKind, openai: bool) {
    let (parts, key) = parts_of(slot, kind);
    let Some(mut part) = parts.pop() else { return };
    let index = parts.len();
    settle_logprobs(&mut part);
    let [_, _, said, closed] = kind.kinds(openai);
    place(emit, slot, at, said.as_str(), key, index);
    emit.text(kind.field(), &part.text);
    if kind == PartKind::Text {
        let out = emit.raw("logprobs");
        out.push('[');
        out.push_str(&part.logprobs);
        out.push(']');
    }
    emit.close();
    part.extra = core::mem::take(&mut part.pending);
    place(emit, slot, at, closed.as_str(), key, index);
    part.write(emit.raw("part"));
    emit.close();
    let (parts, _) = parts_of(slot, kind);
    parts.push(part);
}

fn parts_of(slot: &mut Slot, kind: PartKind) -> (&mut Vec<Part>, &'static str) {
    match kind {
        PartKind::Summary => (&mut slot.summary, "summary_index"),
        _ => (&mut slot.content, "content_index"),
    }
}

/// Opens an event about a part.
fn place(emit: &mut Emitter, slot: &Slot, at: usize, name: &str, key: &str, index: usize) {
    emit.open(name);
    emit.text("item_id", &slot.id);
    emit.number("output_index", at as u64);
    emit.number(key, index as u64);
}

fn input_head(slot: &mut Slot, at: usize) {
    let Slot { head, id, .. } = slot;
    head.clear();
    head.push_str(",\"item_id\":");
    write_string(id, head);
    head.push_str(",\"output_index\":");
    push_u64(head, at as u64);
    head.push_str(",\"delta\":");
}

/// Log probabilities that were waiting belong to the part now.
fn settle_logprobs(part: &mut Part) {
    if part.waiting.is_empty() {
        return;
    }
    if !part.logprobs.is_empty() {
        part.logprobs.push(',');
    }
    part.logprobs.push_str(&part.waiting);
    part.waiting.clear();
}
