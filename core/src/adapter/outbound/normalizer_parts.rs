//! The contents of items: parts, texts, annotations and arguments, and the data that only a done event has.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use super::normalizer::{text_at, Normalizer};
use super::source_item::{part_index, ItemHead, ItemShape, SourceItem, SourcePart, TextChannel};
use super::target_output::TargetOutput;
use super::TargetFormat;
use crate::accumulate::held_bytes::PART_BYTES;
use crate::adapter::AdapterCode;
use crate::contract::text_route::{text_route, TextRoute, TextStep, TextTarget};
use crate::contract::Kind;
use crate::error::{Code, Error};
use crate::event::Event;
use crate::json::{ValueKind, ValueRef};

impl Normalizer {
    pub(super) fn apply_inside_item(&mut self, kind: Kind, event: &Event<'_>) -> Result<(), Error> {
        if let Some(route) = text_route(kind) {
            return self.apply_text(route, event);
        }
        match kind {
            Kind::ContentPartAdded => self.part_added(event, false),
            Kind::ReasoningSummaryPartAdded => self.part_added(event, true),
            Kind::ContentPartDone => self.part_done(event, false),
            Kind::ReasoningSummaryPartDone => self.part_done(event, true),
            Kind::OutputTextAnnotationAdded => self.annotation(event),
            _ => {
                self.target.event(event, &mut self.out);
                Ok(())
            }
        }
    }

    fn apply_text(&mut self, route: TextRoute, event: &Event<'_>) -> Result<(), Error> {
        let channel = match route.target {
            TextTarget::Content(part) => Some(TextChannel::of_text(part)),
            TextTarget::Summary => Some(TextChannel::Summary),
            TextTarget::Field(_) | TextTarget::Diff | TextTarget::Command => None,
        };
        let shape = ItemShape::of(route.item, self.target.shown_calls());
        match (channel, route.step) {
            (Some(channel), TextStep::Delta) => self.delta(event, channel),
            (Some(channel), TextStep::Done) => self.text_done(event, channel),
            (None, TextStep::Delta) if shape.is_call() => self.arguments(event, shape),
            (None, TextStep::Done) if shape.is_call() => self.arguments_done(event, shape),
            _ => {
                self.target.event(event, &mut self.out);
                Ok(())
            }
        }
    }

    fn delta(&mut self, event: &Event<'_>, channel: TextChannel) -> Result<(), Error> {
        let Some((at, channel)) = self.find_text(event, channel)? else { return Ok(()) };
        if event.delta().is_empty() {
            return Ok(());
        }
        let index = part_index(event, channel);
        self.ensure_part(at, channel, index, event)?;
        let Self { items, target, out, .. } = self;
        let Some((head, part)) = part_of(items, at, channel, index) else { return Ok(()) };
        out.account_bytes(event.delta().len());
        if part.forwarded.can_append_unchanged(event.delta_surrogates()) {
            part.forwarded.text.push_str(event.delta());
            target.delta(head, part, event.delta(), event.logprobs(), out);
            return Ok(());
        }
        let added = part.forwarded.push(event.delta(), event.delta_surrogates());
        let joined = String::from(suffix_of(part.text(), added));
        if !joined.is_empty() {
            target.delta(head, part, &joined, event.logprobs(), out);
        }
        Ok(())
    }

    fn text_done(&mut self, event: &Event<'_>, channel: TextChannel) -> Result<(), Error> {
        let Some((at, channel)) = self.find_text(event, channel)? else { return Ok(()) };
        let index = part_index(event, channel);
        if let Some(whole) = event.done_text() {
            self.complete_text(at, channel, index, whole, true, event)?;
        }
        let Self { items, target, out, .. } = self;
        if let Some((head, part)) = part_of(items, at, channel, index) {
            end_text(&mut **target, head, part, out);
        }
        Ok(())
    }

    fn part_added(&mut self, event: &Event<'_>, summary: bool) -> Result<(), Error> {
        let Some((at, channel, part)) = self.find_part(event, summary)? else { return Ok(()) };
        if channel == TextChannel::Foreign {
            // It is forwarded as a whole when it is done.
            return Ok(());
        }
        let index = part_index(event, channel);
        self.ensure_part(at, channel, index, event)?;
        match text_of_part(part) {
            Some(words) => self.complete_text(at, channel, index, &words, false, event),
            None => Ok(()),
        }
    }

    fn part_done(&mut self, event: &Event<'_>, summary: bool) -> Result<(), Error> {
        let Some((at, channel, part)) = self.find_part(event, summary)? else { return Ok(()) };
        let index = part_index(event, channel);
        if channel == TextChannel::Foreign {
            return self.add_foreign_part(at, index, part, event);
        }
        if let Some(words) = text_of_part(part) {
            self.complete_text(at, channel, index, &words, true, event)?;
        }
        self.add_missing_annotations(at, index, part);
        let Self { items, target, out, .. } = self;
        if let Some((head, part)) = part_of(items, at, channel, index) {
            end_part(&mut **target, head, part, out);
        }
        Ok(())
    }

    fn annotation(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let Some(annotation) = event.annotation() else { return Ok(()) };
        let Some((at, channel)) = self.find_text(event, TextChannel::Text)? else { return Ok(()) };
        let index = part_index(event, channel);
        self.ensure_part(at, channel, index, event)?;
        let Self { items, target, out, .. } = self;
        if let Some((head, part)) = part_of(items, at, channel, index) {
            let number = event.annotation_index().unwrap_or(part.annotations);
            part.annotations = part.annotations.max(number.saturating_add(1));
            target.annotation(head, part, number, annotation, out);
        }
        Ok(())
    }

    /// Takes the data of a finished part that no earlier event had.
    fn add_missing_annotations(&mut self, at: usize, index: u64, finished: ValueRef<'_>) {
        let Self { items, target, out, .. } = self;
        let Some((head, part)) = part_of(items, at, TextChannel::Text, index) else { return };
        let annotations = finished.get("annotations").filter(|list| list.kind() == ValueKind::Array);
        let known = usize::try_from(part.annotations).unwrap_or(usize::MAX);
        for (number, annotation) in annotations.iter().flat_map(ValueRef::elements).enumerate().skip(known) {
            part.annotations = number as u64 + 1;
            if annotation.kind() == ValueKind::Object {
                target.annotation(head, part, number as u64, annotation, out);
            }
        }
        if !part.closed {
            target.part_finishing(head, part, finished, out);
        }
    }

    fn arguments(&mut self, event: &Event<'_>, shape: ItemShape) -> Result<(), Error> {
        let Some(at) = self.find_call(event, shape)? else { return Ok(()) };
        let Self { items, target, out, .. } = self;
        let Some(SourceItem { head, .. }) = items.get_mut(at) else { return Ok(()) };
        let (delta, halves) = (event.delta(), event.delta_surrogates());
        out.account_bytes(delta.len());
        if head.arguments.can_append_unchanged(halves) {
            head.arguments.text.push_str(delta);
            if head.announced && !delta.is_empty() {
                target.arguments(head, delta, out);
            }
            return Ok(());
        }
        let added = head.arguments.push(delta, halves);
        let joined = String::from(suffix_of(&head.arguments.text, added));
        if head.announced && !joined.is_empty() {
            target.arguments(head, &joined, out);
        }
        Ok(())
    }

    fn arguments_done(&mut self, event: &Event<'_>, shape: ItemShape) -> Result<(), Error> {
        let Some(at) = self.find_call(event, shape)? else { return Ok(()) };
        if let Some(SourceItem { head, .. }) = self.items.get_mut(at).filter(|slot| slot.head.name.is_empty()) {
            // Some servers send the name here; the call's id is still missing.
            head.name = event.root().map(|root| text_at(root, "name")).unwrap_or_default();
            self.out.account_bytes(head.name.len());
        }
        self.complete_arguments(at, event.done_text().unwrap_or(""));
        Ok(())
    }

    /// Finds the item of a text event, and the channel of its text there.
    fn find_text(&mut self, event: &Event<'_>, channel: TextChannel) -> Result<Option<(usize, TextChannel)>, Error> {
        let implied = match channel {
            TextChannel::RawReasoning | TextChannel::Summary => ItemShape::Reasoning,
            _ => ItemShape::Message,
        };
        let Some(at) = self.find_or_open(event, implied)? else { return Ok(None) };
        let shape = self.items.get(at).map_or(implied, |slot| slot.head.shape);
        let fits = match (shape, channel) {
            (ItemShape::Message, TextChannel::Text | TextChannel::Refusal) => channel,
            (ItemShape::Reasoning, TextChannel::Summary) => channel,
            (ItemShape::Reasoning, _) => TextChannel::RawReasoning,
            (ItemShape::Other, _) => {
                self.target.event(event, &mut self.out);
                return Ok(None);
            }
            _ => {
                self.report_mismatch(event);
                return Ok(None);
            }
        };
        Ok(Some((at, fits)))
    }

    fn find_part<'a>(
        &mut self,
        event: &Event<'a>,
        summary: bool,
    ) -> Result<Option<(usize, TextChannel, ValueRef<'a>)>, Error> {
        let Some(part) = event.part().filter(|part| part.kind() == ValueKind::Object) else { return Ok(None) };
        let thought = summary || part.get("type").is_some_and(|kind| kind.is_str("reasoning_text"));
        let implied = if thought { ItemShape::Reasoning } else { ItemShape::Message };
        let Some(at) = self.find_or_open(event, implied)? else { return Ok(None) };
        match self.items.get(at).map_or(implied, |slot| slot.head.shape) {
            ItemShape::Reasoning if summary => return Ok(Some((at, TextChannel::Summary, part))),
            shape @ (ItemShape::Message | ItemShape::Reasoning) if !summary => {
                return Ok(Some((at, TextChannel::of(part, shape), part)))
            }
            ItemShape::Other => self.target.event(event, &mut self.out),
            _ => self.report_mismatch(event),
        }
        Ok(None)
    }

    fn find_call(&mut self, event: &Event<'_>, shape: ItemShape) -> Result<Option<usize>, Error> {
        let Some(at) = self.find_or_open(event, shape)? else { return Ok(None) };
        match self.items.get(at).map_or(shape, |slot| slot.head.shape) {
            call if call.is_call() => return Ok(Some(at)),
            ItemShape::Other => self.target.event(event, &mut self.out),
            _ => self.report_mismatch(event),
        }
        Ok(None)
    }

    fn report_mismatch(&mut self, event: &Event<'_>) {
        self.out.report(AdapterCode::DeltaTypeMismatch, || format!("{} for an item of another type", event.kind()));
    }

    /// Ensures that a part exists and is open.
    fn ensure_part(&mut self, at: usize, channel: TextChannel, index: u64, event: &Event<'_>) -> Result<(), Error> {
        let Self { items, target, out, limits, .. } = self;
        let Some(SourceItem { head, parts, .. }) = items.get_mut(at) else { return Ok(()) };
        if let Some(part) = parts.get_mut(&channel.key(index)) {
            if part.done && event.kind().is_delta() {
                // It was ended too early: it continues.
                (part.done, part.closed) = (false, false);
                target.part_added(head, part, out);
            }
            return Ok(());
        }
        if parts.len() >= limits.parts {
            let error = Error::new(Code::PartLimit, event.offset(), format!("limit {}", limits.parts));
            return Err(error.with_sequence_number(event.sequence_number()));
        }
        out.account_bytes(PART_BYTES);
        let part = parts.entry(channel.key(index)).or_insert_with(|| SourcePart::new(channel, index));
        target.part_added(head, part, out);
        Ok(())
    }

    /// Takes the whole text of a part: the missing rest is forwarded as a delta. `done`: no rest was expected.
    fn complete_text(
        &mut self,
        at: usize,
        channel: TextChannel,
        index: u64,
        whole: &str,
        done: bool,
        event: &Event<'_>,
    ) -> Result<(), Error> {
        let known = self.items.get(at).is_some_and(|slot| slot.parts.contains_key(&channel.key(index)));
        if !known {
            if whole.is_empty() {
                return Ok(());
            }
            self.ensure_part(at, channel, index, event)?;
        }
        let Self { items, target, out, .. } = self;
        let Some((head, part)) = part_of(items, at, channel, index) else { return Ok(()) };
        let first = part.text().is_empty();
        match part.forwarded.missing_suffix(whole) {
            Some("") => {}
            Some(tail) => {
                out.account_bytes(tail.len());
                part.forwarded.text.push_str(tail);
                if part.done {
                    part.done = false;
                    target.part_added(head, part, out);
                }
                target.delta(head, part, tail, event.logprobs().filter(|_| first), out);
            }
            None if done && !part.mismatch_reported => {
                part.mismatch_reported = true;
                out.report(AdapterCode::DoneMismatch, || format!("part {index} of output_index {}", head.output_index));
            }
            None => {}
        }
        Ok(())
    }

    fn complete_arguments(&mut self, at: usize, whole: &str) {
        let Self { items, target, out, .. } = self;
        let Some(SourceItem { head, .. }) = items.get_mut(at) else { return };
        match head.arguments.missing_suffix(whole) {
            Some("") => {}
            Some(tail) => {
                out.account_bytes(tail.len());
                head.arguments.text.push_str(tail);
                if head.announced {
                    target.arguments(head, tail, out);
                }
            }
            // An item that is added again without content removes nothing.
            None if whole.is_empty() => {}
            None if !head.mismatch_reported => {
                head.mismatch_reported = true;
                out.report(AdapterCode::DoneMismatch, || format!("arguments of output_index {}", head.output_index));
            }
            None => {}
        }
    }

    fn add_foreign_part(&mut self, at: usize, index: u64, part: ValueRef<'_>, event: &Event<'_>) -> Result<(), Error> {
        let Self { items, target, out, limits, .. } = self;
        let Some(SourceItem { head, parts, .. }) = items.get_mut(at) else { return Ok(()) };
        let key = TextChannel::Foreign.key(index);
        if parts.contains_key(&key) {
            return Ok(());
        }
        if parts.len() >= limits.parts {
            let error = Error::new(Code::PartLimit, event.offset(), format!("limit {}", limits.parts));
            return Err(error.with_sequence_number(event.sequence_number()));
        }
        out.account_bytes(PART_BYTES);
        parts.insert(key, SourcePart::new(TextChannel::Foreign, index));
        target.foreign_part(head, index, part, out);
        Ok(())
    }

    /// Takes the contents of an item's object: at its start, or, with `done`, as its final state.
    pub(super) fn merge_content(
        &mut self,
        at: usize,
        item: ValueRef<'_>,
        done: bool,
        event: &Event<'_>,
    ) -> Result<(), Error> {
        let Some(shape) = self.items.get(at).map(|slot| slot.head.shape) else { return Ok(()) };
        match shape {
            ItemShape::Function | ItemShape::Mcp => self.complete_arguments(at, &text_at(item, "arguments")),
            ItemShape::Custom => self.complete_arguments(at, &text_at(item, "input")),
            ItemShape::Message | ItemShape::Reasoning => {
                self.merge_parts(at, item, shape, false, done, event)?;
                if shape == ItemShape::Reasoning {
                    self.merge_parts(at, item, shape, true, done, event)?;
                }
            }
            ItemShape::Output | ItemShape::Other => {}
        }
        Ok(())
    }

    fn merge_parts(
        &mut self,
        at: usize,
        item: ValueRef<'_>,
        shape: ItemShape,
        summary: bool,
        done: bool,
        event: &Event<'_>,
    ) -> Result<(), Error> {
        let Some(list) = item.get(if summary { "summary" } else { "content" }) else { return Ok(()) };
        let indexes = self.items.get(at).map(|slot| slot.part_indexes(summary, list.elements().count()));
        for (part, index) in list.elements().zip(indexes.unwrap_or_default()) {
            let channel = if summary { TextChannel::Summary } else { TextChannel::of(part, shape) };
            if channel == TextChannel::Foreign {
                if done && part.kind() == ValueKind::Object {
                    self.add_foreign_part(at, index, part, event)?;
                }
                continue;
            }
            if let Some(words) = text_of_part(part) {
                self.complete_text(at, channel, index, &words, done, event)?;
            }
            if done && channel == TextChannel::Text {
                self.add_missing_annotations(at, index, part);
            }
        }
        Ok(())
    }

    /// Ends every part of an item that no event ended.
    pub(super) fn close_parts(&mut self, at: usize) {
        let Self { items, target, out, .. } = self;
        let Some(SourceItem { head, parts, .. }) = items.get_mut(at) else { return };
        close_lone_surrogate_in_arguments(&mut **target, head, out);
        for part in parts.values_mut().filter(|part| part.channel != TextChannel::Foreign) {
            end_part(&mut **target, head, part, out);
        }
    }

    /// Replaces a half of a surrogate pair without its other half by U+FFFD.
    pub(super) fn replace_lone_surrogates(&mut self, at: usize) {
        let Self { items, target, out, .. } = self;
        let Some(SourceItem { head, parts, .. }) = items.get_mut(at) else { return };
        close_lone_surrogate_in_arguments(&mut **target, head, out);
        for part in parts.values_mut() {
            close_lone_surrogate(&mut **target, head, part, out);
        }
    }
}

fn part_of(
    items: &mut [SourceItem],
    at: usize,
    channel: TextChannel,
    index: u64,
) -> Option<(&mut ItemHead, &mut SourcePart)> {
    let SourceItem { head, parts, .. } = items.get_mut(at)?;
    Some((head, parts.get_mut(&channel.key(index)).filter(|part| part.channel != TextChannel::Foreign)?))
}

fn end_part(target: &mut dyn TargetFormat, head: &mut ItemHead, part: &mut SourcePart, out: &mut TargetOutput) {
    end_text(target, head, part, out);
    if !core::mem::replace(&mut part.closed, true) {
        target.part_done(head, part, out);
    }
}

fn end_text(target: &mut dyn TargetFormat, head: &mut ItemHead, part: &mut SourcePart, out: &mut TargetOutput) {
    close_lone_surrogate(target, head, part, out);
    if !core::mem::replace(&mut part.done, true) {
        target.text_done(head, part, out);
    }
}

fn close_lone_surrogate(
    target: &mut dyn TargetFormat,
    head: &mut ItemHead,
    part: &mut SourcePart,
    out: &mut TargetOutput,
) {
    if part.forwarded.take_lone_surrogate() {
        target.delta(head, part, "\u{FFFD}", None, out);
    }
}

fn close_lone_surrogate_in_arguments(target: &mut dyn TargetFormat, head: &mut ItemHead, out: &mut TargetOutput) {
    if head.arguments.take_lone_surrogate() && head.announced {
        target.arguments(head, "\u{FFFD}", out);
    }
}

/// The text of a part: its `text`, or its `refusal`.
fn text_of_part<'a>(part: ValueRef<'a>) -> Option<Cow<'a, str>> {
    let words = part.get("text").and_then(|text| text.as_str());
    words.or_else(|| part.get("refusal")?.as_str())
}

fn suffix_of(text: &str, length: usize) -> &str {
    text.get(text.len() - length..).unwrap_or("")
}
