//! The contents of items: parts and their text, arguments, annotations; and extension events.

use alloc::format;
use alloc::string::ToString;

use super::{handle, OutputSlot, PartKind, ResponseBuilder};
use crate::accumulate::held_bytes::{member_bytes, object_bytes, PART_BYTES};
use crate::adapter::inbound::text_piece::TextPiece;
use crate::adapter::inbound::LogProbs;
use crate::adapter::{AdapterCode, ExtensionEvents, ThinkingAs};
use crate::error::{Code, Error};
use crate::json::SurrogateCarry;
use crate::json::{Object, Value};

impl ResponseBuilder {
    /// Opens a part, and closes the previous one.
    pub(crate) fn open_part(&mut self, slot: OutputSlot, kind: PartKind) -> Result<(), Error> {
        self.close_part(slot)?;
        let limit = self.limits.parts;
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        item.parts += 1;
        if item.parts > limit {
            return Err(Error::new(Code::PartLimit, 0, format!("limit {limit}")));
        }
        item.part = Some(kind);
        self.account_bytes(PART_BYTES)?;
        self.writer.part(handle(slot), kind)
    }

    /// Appends text to a message.
    pub(crate) fn append_text(&mut self, slot: OutputSlot, piece: &TextPiece<'_>) -> Result<(), Error> {
        self.append(slot, PartKind::Text, piece)
    }

    /// Takes the log probabilities of a message's next text, or of its end.
    pub(crate) fn add_logprobs(&mut self, slot: OutputSlot, logprobs: &LogProbs) -> Result<(), Error> {
        if logprobs.is_empty() {
            return Ok(());
        }
        self.ensure_part(slot, PartKind::Text)?;
        self.account_bytes(logprobs.elements().len())?;
        self.writer.write_logprobs(handle(slot), logprobs.elements())
    }

    /// Appends to a message's refusal.
    pub(crate) fn append_refusal(&mut self, slot: OutputSlot, piece: &TextPiece<'_>) -> Result<(), Error> {
        self.append(slot, PartKind::Refusal, piece)
    }

    /// Appends raw reasoning, which the options may move to the summary.
    pub(crate) fn append_thinking(&mut self, slot: OutputSlot, piece: &TextPiece<'_>) -> Result<(), Error> {
        let kind = match self.options.thinking_as {
            ThinkingAs::Content => PartKind::Reasoning,
            ThinkingAs::Summary => PartKind::Summary,
        };
        self.append(slot, kind, piece)
    }

    /// Appends to the summary of a reasoning item.
    pub(crate) fn append_summary(&mut self, slot: OutputSlot, piece: &TextPiece<'_>) -> Result<(), Error> {
        self.append(slot, PartKind::Summary, piece)
    }

    /// Replaces the text of the open part without an event: the done events have the new text.
    pub(crate) fn replace_text(&mut self, slot: OutputSlot, text: &str) -> Result<(), Error> {
        self.account_bytes(text.len())?;
        self.writer.replace_part_text(handle(slot), text)
    }

    /// Appends to the arguments of a call.
    pub(crate) fn append_arguments(&mut self, slot: OutputSlot, piece: &TextPiece<'_>) -> Result<(), Error> {
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        let text = piece.join(&mut item.carry);
        self.account_bytes(text.len())?;
        self.write_input(slot, &text)
    }

    /// Appends withheld arguments, with the half of a character after them.
    pub(crate) fn append_early_arguments(
        &mut self,
        slot: OutputSlot,
        text: &str,
        carry: SurrogateCarry,
    ) -> Result<(), Error> {
        if let Some(item) = self.items.get_mut(slot) {
            item.carry = carry;
        }
        self.write_input(slot, text)
    }

    /// Appends to the streamed member of a call.
    fn write_input(&mut self, slot: OutputSlot, text: &str) -> Result<(), Error> {
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        match &mut item.custom_input {
            Some(input) => {
                input.push_str(text);
                Ok(())
            }
            None => self.writer.append_input(handle(slot), if item.custom { "input" } else { "arguments" }, text),
        }
    }

    /// Characters of the open part so far.
    pub(crate) fn part_length(&mut self, slot: OutputSlot) -> Result<u64, Error> {
        self.release_surrogate(slot)?;
        Ok(self.items.get(slot).map_or(0, |item| item.length))
    }

    /// Returns `true` if a text part is open in an item.
    pub(crate) fn has_text_open(&self, slot: OutputSlot) -> bool {
        self.items.get(slot).is_some_and(|item| item.part == Some(PartKind::Text))
    }

    /// Returns `true` if an item has had a part.
    pub(crate) fn has_parts(&self, slot: OutputSlot) -> bool {
        self.items.get(slot).is_some_and(|item| item.parts > 0)
    }

    /// A citation in the standard form, for [`add_annotation`](Self::add_annotation).
    pub(crate) fn url_citation(&self, url: &str, title: &str, start: u64, end: u64) -> Object {
        let mut annotation = Object::with_capacity(6);
        annotation.push("type", "url_citation");
        annotation.push("url", url);
        annotation.push("title", title);
        annotation.push("start_index", start);
        annotation.push("end_index", end);
        annotation
    }

    /// Adds an annotation to the open text part. Offsets beyond the text so far are reduced to its end.
    pub(crate) fn add_annotation(&mut self, slot: OutputSlot, mut annotation: Object) -> Result<(), Error> {
        let length = self.part_length(slot)?;
        let end = annotation.get("end_index").and_then(Value::as_u64).unwrap_or(0).min(length);
        let start = annotation.get("start_index").and_then(Value::as_u64).unwrap_or(0).min(end);
        annotation.insert("start_index", start);
        annotation.insert("end_index", end);
        self.account_bytes(object_bytes(&annotation) + 128)?;
        let added = self.writer.annotation(handle(slot), annotation);
        // Nested too deep, or not what the edition has.
        self.drop_invalid(added, AdapterCode::AnnotationDropped, "an annotation").map(drop)
    }

    /// Sets a property of the open part, which its done event has.
    pub(crate) fn set_part_field(&mut self, slot: OutputSlot, key: &str, value: Value) -> Result<(), Error> {
        self.account_bytes(member_bytes(key, &value))?;
        let set = self.writer.set_on_part(handle(slot), key, value);
        self.drop_invalid(set, AdapterCode::ContentPartDropped, key).map(drop)
    }

    /// Closes the open part of an item, if any.
    pub(crate) fn close_part(&mut self, slot: OutputSlot) -> Result<(), Error> {
        self.release_surrogate(slot)?;
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        item.length = 0;
        if let Some(input) = item.custom_input.take() {
            self.writer.set(handle(slot), "input", input)?;
        }
        match item.part.take() {
            Some(_) => self.writer.close_part(handle(slot)),
            None => Ok(()),
        }
    }

    /// Writes an extension event. A field named `error` would be read as a failure.
    pub(crate) fn write_extension_event(&mut self, kind: &str, mut fields: Object) -> Result<(), Error> {
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
        if self.options.extension_events == ExtensionEvents::Events {
            if self.writer.extension_event(kind, &fields).is_ok() {
                return Ok(());
            }
            // Fields that readers would read as routing fields are nested one level deeper.
            let mut nested = Object::new();
            nested.push("fields", fields);
            let written = self.writer.extension_event(kind, &nested);
            return self.drop_invalid(written, AdapterCode::EventDropped, kind).map(drop);
        }
        let mut event = Object::with_capacity(fields.len() + 1);
        event.push("type", kind);
        for (key, value) in fields {
            event.push(key, value);
        }
        let event = Value::from(event);
        self.account_bytes(event.to_string().len())?;
        self.extension_events.push(event);
        Ok(())
    }

    fn ensure_part(&mut self, slot: OutputSlot, kind: PartKind) -> Result<(), Error> {
        match self.items.get(slot) {
            Some(item) if item.part == Some(kind) => Ok(()),
            _ => self.open_part(slot, kind),
        }
    }

    fn append(&mut self, slot: OutputSlot, kind: PartKind, piece: &TextPiece<'_>) -> Result<(), Error> {
        if piece.is_empty() {
            return Ok(());
        }
        self.ensure_part(slot, kind)?;
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        let text = piece.join(&mut item.carry);
        item.length += text.chars().count() as u64;
        self.account_bytes(text.len())?;
        self.writer.append(handle(slot), kind, &text)
    }

    /// Stops waiting for the other half of a character.
    fn release_surrogate(&mut self, slot: OutputSlot) -> Result<(), Error> {
        let Some(item) = self.items.get_mut(slot) else { return Ok(()) };
        if !item.carry.take_lone_surrogate() {
            return Ok(());
        }
        match item.part {
            Some(kind) => {
                item.length += 1;
                self.writer.append(handle(slot), kind, "\u{FFFD}")
            }
            None if item.call || item.custom_input.is_some() => self.write_input(slot, "\u{FFFD}"),
            None => Ok(()),
        }
    }

    /// Returns `true` if an item's arguments are JSON.
    pub(crate) fn has_complete_arguments(&self, slot: OutputSlot) -> bool {
        self.writer.has_complete_input(handle(slot))
    }
}
