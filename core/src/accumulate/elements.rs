//! The elements of an item: parts, annotations, tool states, shell output, preview images.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::accumulator::{element_of, Accumulator, PreviewImages};
use super::compare;
use super::held_bytes::{insert_member, replace_value, value_bytes, view_bytes, view_part_bytes};
use super::item_slot::{empty_part, split_part, split_part_reusing, CreatedOnPath, ElementArray};
use crate::contract::kinds::progress_item;
use crate::contract::text_route::TextPart;
use crate::contract::{ItemKind, Kind};
use crate::error::{Code, Error};
use crate::event::Event;
use crate::finding::{Findings, Repair};
use crate::json::{Object, Value, ValueKind};
use crate::validate::Rule;

impl Accumulator {
    pub(super) fn part_added(
        &mut self,
        event: &Event<'_>,
        array: ElementArray,
        findings: &mut Findings,
    ) -> Result<(), Error> {
        let Some(part) = event.part() else { return Ok(()) };
        let part_type = part.get("type").and_then(|kind| kind.as_str()).and_then(|name| TextPart::from_wire(&name));
        let item_type = part_type.map_or(ItemKind::Message, TextPart::item);
        let Some(at) = self.find(event, item_type, findings)? else { return Ok(()) };
        let wire = element_of(event.fields(), event.kind());
        let slot = &mut self.building.slots[at as usize];
        if let Some(known) = slot.element(array, wire) {
            // Deltas came first, or the part was added twice: the longer text is kept.
            let length = |value: Option<&str>| value.map_or(0, str::len);
            let old = length(known.str_at("text").or(known.str_at("refusal")));
            let new = part.get("text").or(part.get("refusal")).and_then(|text| text.as_str());
            if length(new.as_deref()) <= old {
                return Ok(());
            }
        }
        self.check_room(view_part_bytes(part), event)?;
        let slot = &mut self.building.slots[at as usize];
        slot.clear_growing_json();
        let (part, logprobs) = split_part(part);
        let opened = slot.put(array, wire, part, self.limits.parts);
        if let (Some(logprobs), ElementArray::Content) = (logprobs, array) {
            slot.set_logprobs(wire, logprobs);
        }
        self.opened(CreatedOnPath { part: false, ..opened }, "part", event, findings)
    }

    pub(super) fn part_done(
        &mut self,
        event: &Event<'_>,
        array: ElementArray,
        findings: &mut Findings,
    ) -> Result<(), Error> {
        let Some(part) = event.part() else { return Ok(()) };
        let item_type = if array == ElementArray::Summary { ItemKind::Reasoning } else { ItemKind::Message };
        let Some(at) = self.find(event, item_type, findings)? else { return Ok(()) };
        let wire = element_of(event.fields(), event.kind());
        let slot = &mut self.building.slots[at as usize];
        if let Some(known) = slot.element(array, wire) {
            if let Some(message) = compare::part(known, part) {
                let rule = if array == ElementArray::Summary { Rule::Rsn07 } else { Rule::Part10 };
                findings.report(rule, event.location(), Some(Repair::TookLater), || (String::new(), message));
            }
        }
        let known = slot.element(array, wire).map_or(0, value_bytes);
        self.check_room(view_part_bytes(part).saturating_sub(known), event)?;
        let slot = &mut self.building.slots[at as usize];
        slot.pending_high_surrogate = None;
        slot.clear_growing_json();
        let (part, logprobs) = match slot.element_mut(array, wire) {
            Some(old) => {
                let parts = split_part_reusing(part, old);
                // The text was moved from the old part to the new one, which is counted when it is inserted.
                let moved = known - value_bytes(old);
                slot.note_growth(-(moved as isize));
                parts
            }
            None => split_part(part),
        };
        let opened = slot.put(array, wire, part, self.limits.parts);
        if array == ElementArray::Content {
            slot.set_logprobs(wire, logprobs.unwrap_or("[]"));
        }
        self.opened(opened, "part", event, findings)
    }

    pub(super) fn annotation(&mut self, event: &Event<'_>, findings: &mut Findings) -> Result<(), Error> {
        let Some(annotation) = event.annotation() else { return Ok(()) };
        self.check_room_for(annotation, || view_bytes(annotation), event)?;
        let Some(at) = self.find(event, ItemKind::Message, findings)? else { return Ok(()) };
        let wire = event.content_index().unwrap_or(0);
        let limit = self.limits.parts;
        let slot = &mut self.building.slots[at as usize];
        let mut opened = CreatedOnPath::default();
        if slot.position(ElementArray::Content, wire).is_none() {
            opened = slot.put(ElementArray::Content, wire, empty_part(TextPart::OutputText), limit);
        }
        self.opened(opened, "part", event, findings)?;
        let slot = &mut self.building.slots[at as usize];
        let Some(position) = slot.position(ElementArray::Content, wire) else { return Ok(()) };
        let mut growth = 0;
        let part =
            slot.item.object_mut().get_mut("content").and_then(|content| content.as_array_mut()?.get_mut(position));
        let Some(part) = part.and_then(Value::as_object_mut) else { return Ok(()) };
        if part.get("annotations").is_none_or(|list| list.as_array().is_none()) {
            insert_member(part, "annotations", Vec::new(), &mut growth);
        }
        let Some(list) = part.get_mut("annotations").and_then(Value::as_array_mut) else { return Ok(()) };
        let index = event.annotation_index().unwrap_or(list.len() as u64);
        let (length, position) = (list.len(), usize::try_from(index).unwrap_or(usize::MAX));
        match list.get_mut(position) {
            Some(known) => replace_value(known, annotation.to_value(), &mut growth),
            None if length >= limit => {
                return Err(Error::new(Code::PartLimit, event.offset(), format!("limit {limit}")));
            }
            None => {
                let next = length as u64;
                if index > next {
                    findings.report(Rule::Ann02, event.location(), Some(Repair::ClosedGap), || {
                        (String::new(), format!("expected annotation_index {next}, found {index}"))
                    });
                }
                let annotation = annotation.to_value();
                growth += value_bytes(&annotation) as isize;
                list.push(annotation);
            }
        }
        slot.note_growth(growth);
        Ok(())
    }

    pub(super) fn tool_state(&mut self, event: &Event<'_>, status: &str, findings: &mut Findings) -> Result<(), Error> {
        let Some(item_type) = progress_item(event.kind()) else { return Ok(()) };
        let Some(at) = self.find(event, item_type, findings)? else { return Ok(()) };
        // These two item types have no status.
        if !matches!(item_type, ItemKind::McpListTools | ItemKind::Compaction) {
            self.building.slots[at as usize].set_status(status);
        }
        Ok(())
    }

    pub(super) fn shell_output(&mut self, event: &Event<'_>, findings: &mut Findings) -> Result<(), Error> {
        let Some(at) = self.find(event, ItemKind::ShellCallOutput, findings)? else { return Ok(()) };
        let index = event.command_index().unwrap_or(0);
        let limit = self.limits.parts;
        let slot = &mut self.building.slots[at as usize];
        let mut growth = 0;
        let item = slot.item.object_mut();
        if item.get("output").is_none_or(|list| list.as_array().is_none()) {
            insert_member(item, "output", Vec::new(), &mut growth);
        }
        let Some(list) = item.get_mut("output").and_then(Value::as_array_mut) else { return Ok(()) };
        // A large index opens one entry, not as many as the index.
        let position = usize::try_from(index).unwrap_or(usize::MAX).min(list.len());
        if position >= limit {
            return Err(Error::new(Code::PartLimit, event.offset(), format!("limit {limit}")));
        }
        if position == list.len() {
            let mut entry = Object::new();
            entry.push("stdout", "");
            entry.push("stderr", "");
            let entry = Value::Object(entry);
            growth += value_bytes(&entry) as isize;
            list.push(entry);
        }
        if event.kind() == Kind::ShellCallOutputContentDone {
            let whole = event.member("output").and_then(|output| output.elements().next());
            if let Some(whole) = whole.filter(|whole| whole.kind() == ValueKind::Object) {
                replace_value(&mut list[position], whole.to_value(), &mut growth);
            }
            slot.note_growth(growth);
            return Ok(());
        }
        let Some(entry) = list[position].as_object_mut() else {
            slot.note_growth(growth);
            return Ok(());
        };
        for stream in ["stdout", "stderr"] {
            let Some(more) = event.member("delta").and_then(|delta| delta.get(stream)?.as_str()) else { continue };
            match entry.get_mut(stream) {
                Some(Value::String(text)) => {
                    growth += more.len() as isize;
                    text.push_str(&more);
                }
                _ => insert_member(entry, stream, &*more, &mut growth),
            }
        }
        slot.note_growth(growth);
        Ok(())
    }

    pub(super) fn partial_image(&mut self, event: &Event<'_>, findings: &mut Findings) -> Result<(), Error> {
        let Some(at) = self.find(event, ItemKind::ImageGenerationCall, findings)? else { return Ok(()) };
        if self.options.images == PreviewImages::Drop {
            return Ok(());
        }
        let Some(image) = event.member("partial_image_b64").and_then(|image| image.as_str()) else { return Ok(()) };
        let slot = &mut self.building.slots[at as usize];
        if self.options.images == PreviewImages::KeepLast {
            slot.clear_images();
        }
        slot.add_image(event.partial_image_index().unwrap_or(0), image.into_owned());
        Ok(())
    }
}
