//! What is inside items: parts and their text, arguments, annotations; and extension events.

use alloc::format;

use super::{handle, Hub, PartKind, Slot};
use crate::adapter::inbound::piece::{Carry, Piece};
use crate::adapter::{AdapterCode, ThinkingAs};
use crate::error::{Code, Error};
use crate::json::{Object, Value};

impl Hub {
    /// Opens a part, and closes the one before it.
    pub(crate) fn part(&mut self, slot: Slot, kind: PartKind) -> Result<(), Error> {
        self.end_part(slot)?;
        let limit = self.limits.parts;
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        item.parts += 1;
        if item.parts > limit {
            return Err(Error::new(Code::PartLimit, 0, format!("limit {limit}")));
        }
        item.part = Some(kind);
        self.writer.part(handle(slot), kind)
    }

    /// Appends text to a message, with its log probabilities.
    pub(crate) fn text(&mut self, slot: Slot, piece: &Piece<'_>, logprobs: &[Value]) -> Result<(), Error> {
        if !piece.is_empty() || !logprobs.is_empty() {
            self.open_part(slot, PartKind::Text)?;
        }
        if !logprobs.is_empty() {
            self.hold(logprobs.len().saturating_mul(64))?;
            self.writer.logprobs(handle(slot), logprobs.to_vec())?;
        }
        self.grow(slot, PartKind::Text, piece)
    }

    /// Appends to a message's refusal.
    pub(crate) fn refusal(&mut self, slot: Slot, piece: &Piece<'_>) -> Result<(), Error> {
        self.grow(slot, PartKind::Refusal, piece)
    }

    /// Appends raw reasoning, which the options may send to the summary.
    pub(crate) fn thinking(&mut self, slot: Slot, piece: &Piece<'_>) -> Result<(), Error> {
        let kind = match self.options.thinking_as {
            ThinkingAs::Content => PartKind::Reasoning,
            ThinkingAs::Summary => PartKind::Summary,
        };
        self.grow(slot, kind, piece)
    }

    /// Appends to the summary of a reasoning item.
    pub(crate) fn summary(&mut self, slot: Slot, piece: &Piece<'_>) -> Result<(), Error> {
        self.grow(slot, PartKind::Summary, piece)
    }

    /// Replaces the text of the open part without an event: the done events carry it.
    pub(crate) fn rewrite(&mut self, slot: Slot, text: &str) -> Result<(), Error> {
        self.hold(text.len())?;
        self.writer.rewrite(handle(slot), text)
    }

    /// Appends to the arguments of a call.
    pub(crate) fn arguments(&mut self, slot: Slot, piece: &Piece<'_>) -> Result<(), Error> {
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        let text = item.carry.join(piece);
        self.hold(text.len())?;
        self.writer.arguments(handle(slot), &text)
    }

    /// Appends arguments that were held back, with the half of a character that waits behind them.
    pub(crate) fn arguments_with(&mut self, slot: Slot, text: &str, carry: Carry) -> Result<(), Error> {
        if let Some(item) = self.items.get_mut(slot) {
            item.carry = carry;
        }
        self.writer.arguments(handle(slot), text)
    }

    /// Characters of the open part so far.
    pub(crate) fn length(&mut self, slot: Slot) -> Result<u64, Error> {
        self.flush(slot)?;
        Ok(self.items.get(slot).map_or(0, |item| item.length))
    }

    /// Says whether a text part is open in an item.
    pub(crate) fn has_text_open(&self, slot: Slot) -> bool {
        self.items.get(slot).is_some_and(|item| item.part == Some(PartKind::Text))
    }

    /// Says whether an item has had a part.
    pub(crate) fn has_parts(&self, slot: Slot) -> bool {
        self.items.get(slot).is_some_and(|item| item.parts > 0)
    }

    /// A citation in the standard form, for [`annotate`](Self::annotate).
    pub(crate) fn citation(&self, url: &str, title: &str, start: u64, end: u64) -> Object {
        let mut annotation = Object::with_capacity(6);
        annotation.push("type", "url_citation");
        annotation.push("url", url);
        annotation.push("title", title);
        annotation.push("start_index", start);
        annotation.push("end_index", end);
        annotation
    }

    /// Adds an annotation to the open text part. Offsets beyond the text so far are drawn to its end.
    pub(crate) fn annotate(&mut self, slot: Slot, mut annotation: Object) -> Result<(), Error> {
        let length = self.length(slot)?;
        let end = annotation.get("end_index").and_then(Value::as_u64).unwrap_or(0).min(length);
        let start = annotation.get("start_index").and_then(Value::as_u64).unwrap_or(0).min(end);
        annotation.insert("start_index", start);
        annotation.insert("end_index", end);
        let texts = ["url", "title"].iter().filter_map(|key| annotation.get(key)?.as_str());
        self.hold(texts.map(str::len).sum::<usize>() + 128)?;
        self.writer.annotation(handle(slot), annotation)
    }

    /// Sets a property of the open part, shown when it is done.
    pub(crate) fn set_in_part(&mut self, slot: Slot, key: &str, value: Value) -> Result<(), Error> {
        self.writer.set_on_part(handle(slot), key, value)
    }

    /// Closes the open part of an item, if there is one.
    pub(crate) fn end_part(&mut self, slot: Slot) -> Result<(), Error> {
        self.flush(slot)?;
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        item.length = 0;
        match item.part.take() {
            Some(_) => self.writer.close_part(handle(slot)),
            None => Ok(()),
        }
    }

    /// Writes an extension event. A field named `error` would be taken for a failure.
    pub(crate) fn event(&mut self, kind: &str, mut fields: Object) -> Result<(), Error> {
        self.start()?;
        if !self.options.include_extensions {
            self.report(AdapterCode::EventDropped, kind);
            return Ok(());
        }
        for key in ["type", "sequence_number", "error"] {
            if fields.remove(key).is_some() && key == "error" {
                self.report(AdapterCode::EventDropped, "the field error of an extension event");
            }
        }
        self.writer.extension_event(kind, &fields)
    }

    fn open_part(&mut self, slot: Slot, kind: PartKind) -> Result<(), Error> {
        match self.items.get(slot) {
            Some(item) if item.part == Some(kind) => Ok(()),
            _ => self.part(slot, kind),
        }
    }

    fn grow(&mut self, slot: Slot, kind: PartKind, piece: &Piece<'_>) -> Result<(), Error> {
        if piece.is_empty() {
            return Ok(());
        }
        self.open_part(slot, kind)?;
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        let text = item.carry.join(piece);
        item.length += text.chars().count() as u64;
        self.hold(text.len())?;
        self.writer.append(handle(slot), kind, &text)
    }

    /// Gives up waiting for the other half of a character.
    fn flush(&mut self, slot: Slot) -> Result<(), Error> {
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        if !item.carry.drop_half() {
            return Ok(());
        }
        match item.part {
            Some(kind) => {
                item.length += 1;
                self.writer.append(handle(slot), kind, "\u{FFFD}")
            }
            None if item.call => self.writer.arguments(handle(slot), "\u{FFFD}"),
            None => Ok(()),
        }
    }

    /// Says whether an item's arguments are JSON.
    pub(crate) fn has_whole_arguments(&self, slot: Slot) -> bool {
        self.writer.has_whole_input(handle(slot))
    }
}
