//! What happens inside an item: parts, texts, annotations and arguments, and the tails that only a done event has.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use super::message::Out;
use super::slot::{element_of, Channel, Head, Part, Shape, Slot};
use super::walk::{text_at, Outgoing};
use super::Target;
use crate::adapter::AdapterCode;
use crate::contract::Kind;
use crate::error::{Code, Error};
use crate::event::Event;
use crate::json::{Tag, View};

impl Outgoing {
    pub(super) fn inside(&mut self, kind: Kind, event: &Event<'_>) -> Result<(), Error> {
        match kind {
            Kind::OutputTextDelta => self.delta(event, Channel::Text),
            Kind::RefusalDelta => self.delta(event, Channel::Refusal),
            Kind::ReasoningDelta | Kind::ReasoningTextDelta => self.delta(event, Channel::Thought),
            Kind::ReasoningSummaryTextDelta => self.delta(event, Channel::Summary),
            Kind::OutputTextDone => self.text_done(event, Channel::Text),
            Kind::RefusalDone => self.text_done(event, Channel::Refusal),
            Kind::ReasoningDone | Kind::ReasoningTextDone => self.text_done(event, Channel::Thought),
            Kind::ReasoningSummaryTextDone => self.text_done(event, Channel::Summary),
            Kind::ContentPartAdded => self.part_added(event, false),
            Kind::ReasoningSummaryPartAdded => self.part_added(event, true),
            Kind::ContentPartDone => self.part_done(event, false),
            Kind::ReasoningSummaryPartDone => self.part_done(event, true),
            Kind::OutputTextAnnotationAdded => self.annotation(event),
            Kind::FunctionCallArgumentsDelta => self.arguments(event, Shape::Function),
            Kind::FunctionCallArgumentsDone => self.arguments_done(event, Shape::Function),
            Kind::CustomToolCallInputDelta if self.target.hosted_calls() => self.arguments(event, Shape::Custom),
            Kind::CustomToolCallInputDone if self.target.hosted_calls() => self.arguments_done(event, Shape::Custom),
            Kind::McpCallArgumentsDelta if self.target.hosted_calls() => self.arguments(event, Shape::Mcp),
            Kind::McpCallArgumentsDone if self.target.hosted_calls() => self.arguments_done(event, Shape::Mcp),
            _ => {
                self.target.event(event, &mut self.out);
                Ok(())
            }
        }
    }

    fn delta(&mut self, event: &Event<'_>, channel: Channel) -> Result<(), Error> {
        let Some((at, channel)) = self.find_text(event, channel)? else { return Ok(()) };
        if event.delta().is_empty() {
            return Ok(());
        }
        let index = element_of(event, channel);
        self.open(at, channel, index, event)?;
        let Self { slots, target, out, .. } = self;
        let Some((head, part)) = part_of(slots, at, channel, index) else { return Ok(()) };
        out.hold(event.delta().len());
        if part.growing.is_plain(event.halves()) {
            part.growing.text.push_str(event.delta());
            target.delta(head, part, event.delta(), event.logprobs(), out);
            return Ok(());
        }
        let added = part.growing.push(event.delta(), event.halves());
        let joined = String::from(tail_of(part.text(), added));
        if !joined.is_empty() {
            target.delta(head, part, &joined, event.logprobs(), out);
        }
        Ok(())
    }

    fn text_done(&mut self, event: &Event<'_>, channel: Channel) -> Result<(), Error> {
        let Some((at, channel)) = self.find_text(event, channel)? else { return Ok(()) };
        let index = element_of(event, channel);
        if let Some(whole) = event.text() {
            self.whole(at, channel, index, whole, true, event)?;
        }
        let Self { slots, target, out, .. } = self;
        if let Some((head, part)) = part_of(slots, at, channel, index) {
            end_text(&mut **target, head, part, out);
        }
        Ok(())
    }

    fn part_added(&mut self, event: &Event<'_>, summary: bool) -> Result<(), Error> {
        let Some((at, channel, part)) = self.find_part(event, summary)? else { return Ok(()) };
        if channel == Channel::Foreign {
            // It is told whole, when it is done.
            return Ok(());
        }
        let index = element_of(event, channel);
        self.open(at, channel, index, event)?;
        match words_of(part) {
            Some(words) => self.whole(at, channel, index, &words, false, event),
            None => Ok(()),
        }
    }

    fn part_done(&mut self, event: &Event<'_>, summary: bool) -> Result<(), Error> {
        let Some((at, channel, part)) = self.find_part(event, summary)? else { return Ok(()) };
        let index = element_of(event, channel);
        if channel == Channel::Foreign {
            return self.foreign(at, index, part, event);
        }
        if let Some(words) = words_of(part) {
            self.whole(at, channel, index, &words, true, event)?;
        }
        self.late_annotations(at, index, part);
        let Self { slots, target, out, .. } = self;
        if let Some((head, part)) = part_of(slots, at, channel, index) {
            end_part(&mut **target, head, part, out);
        }
        Ok(())
    }

    fn annotation(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let Some(annotation) = event.annotation() else { return Ok(()) };
        let Some((at, channel)) = self.find_text(event, Channel::Text)? else { return Ok(()) };
        let index = element_of(event, channel);
        self.open(at, channel, index, event)?;
        let Self { slots, target, out, .. } = self;
        if let Some((head, part)) = part_of(slots, at, channel, index) {
            let number = event.annotation_index().unwrap_or(part.annotations);
            part.annotations = part.annotations.max(number.saturating_add(1));
            target.annotation(head, part, number, annotation, out);
        }
        Ok(())
    }

    /// What stands in the finished part and came in no event of its own.
    fn late_annotations(&mut self, at: usize, index: u64, finished: View<'_>) {
        let Self { slots, target, out, .. } = self;
        let Some((head, part)) = part_of(slots, at, Channel::Text, index) else { return };
        let annotations = finished.get("annotations").filter(|list| list.tag() == Tag::Array);
        let known = usize::try_from(part.annotations).unwrap_or(usize::MAX);
        for (number, annotation) in annotations.iter().flat_map(View::elements).enumerate().skip(known) {
            part.annotations = number as u64 + 1;
            if annotation.tag() == Tag::Object {
                target.annotation(head, part, number as u64, annotation, out);
            }
        }
        if !part.closed {
            target.finished(head, part, finished, out);
        }
    }

    fn arguments(&mut self, event: &Event<'_>, shape: Shape) -> Result<(), Error> {
        let Some(at) = self.find_call(event, shape)? else { return Ok(()) };
        let Self { slots, target, out, .. } = self;
        let Some(Slot { head, .. }) = slots.get_mut(at) else { return Ok(()) };
        let (delta, halves) = (event.delta(), event.halves());
        out.hold(delta.len());
        if head.arguments.is_plain(halves) {
            head.arguments.text.push_str(delta);
            if head.announced && !delta.is_empty() {
                target.arguments(head, delta, out);
            }
            return Ok(());
        }
        let added = head.arguments.push(delta, halves);
        let joined = String::from(tail_of(&head.arguments.text, added));
        if head.announced && !joined.is_empty() {
            target.arguments(head, &joined, out);
        }
        Ok(())
    }

    fn arguments_done(&mut self, event: &Event<'_>, shape: Shape) -> Result<(), Error> {
        let Some(at) = self.find_call(event, shape)? else { return Ok(()) };
        if let Some(Slot { head, .. }) = self.slots.get_mut(at).filter(|slot| slot.head.name.is_empty()) {
            // Some servers say the name here; the call's id is still to come.
            head.name = event.root().map(|root| text_at(root, "name")).unwrap_or_default();
        }
        self.whole_arguments(at, event.text().unwrap_or(""));
        Ok(())
    }

    /// Finds the item of a text event, and the channel that its text has there.
    fn find_text(&mut self, event: &Event<'_>, channel: Channel) -> Result<Option<(usize, Channel)>, Error> {
        let implied = match channel {
            Channel::Thought | Channel::Summary => Shape::Reasoning,
            _ => Shape::Message,
        };
        let Some(at) = self.find(event, implied)? else { return Ok(None) };
        let shape = self.slots.get(at).map_or(implied, |slot| slot.head.shape);
        let fits = match (shape, channel) {
            (Shape::Message, Channel::Text | Channel::Refusal) => channel,
            (Shape::Reasoning, Channel::Summary) => channel,
            (Shape::Reasoning, _) => Channel::Thought,
            (Shape::Other, _) => {
                self.target.event(event, &mut self.out);
                return Ok(None);
            }
            _ => {
                self.mismatch(event);
                return Ok(None);
            }
        };
        Ok(Some((at, fits)))
    }

    fn find_part<'a>(&mut self, event: &Event<'a>, summary: bool) -> Result<Option<(usize, Channel, View<'a>)>, Error> {
        let Some(part) = event.part().filter(|part| part.tag() == Tag::Object) else { return Ok(None) };
        let thought = summary || part.get("type").is_some_and(|kind| kind.is_str("reasoning_text"));
        let implied = if thought { Shape::Reasoning } else { Shape::Message };
        let Some(at) = self.find(event, implied)? else { return Ok(None) };
        match self.slots.get(at).map_or(implied, |slot| slot.head.shape) {
            Shape::Reasoning if summary => return Ok(Some((at, Channel::Summary, part))),
            shape @ (Shape::Message | Shape::Reasoning) if !summary => {
                return Ok(Some((at, Channel::of(part, shape), part)))
            }
            Shape::Other => self.target.event(event, &mut self.out),
            _ => self.mismatch(event),
        }
        Ok(None)
    }

    fn find_call(&mut self, event: &Event<'_>, shape: Shape) -> Result<Option<usize>, Error> {
        let Some(at) = self.find(event, shape)? else { return Ok(None) };
        match self.slots.get(at).map_or(shape, |slot| slot.head.shape) {
            call if call.is_call() => return Ok(Some(at)),
            Shape::Other => self.target.event(event, &mut self.out),
            _ => self.mismatch(event),
        }
        Ok(None)
    }

    fn mismatch(&mut self, event: &Event<'_>) {
        self.out.report(AdapterCode::DeltaTypeMismatch, || format!("{} for an item of another type", event.kind()));
    }

    /// Makes sure that a part is there and open.
    fn open(&mut self, at: usize, channel: Channel, index: u64, event: &Event<'_>) -> Result<(), Error> {
        let Self { slots, target, out, limits, .. } = self;
        let Some(Slot { head, parts, .. }) = slots.get_mut(at) else { return Ok(()) };
        if let Some(part) = parts.get_mut(&channel.key(index)) {
            if part.done && event.kind().is_delta() {
                // It was done too early: it goes on.
                (part.done, part.closed) = (false, false);
                target.part_added(head, part, out);
            }
            return Ok(());
        }
        if parts.len() >= limits.parts {
            let error = Error::new(Code::PartLimit, event.offset(), format!("limit {}", limits.parts));
            return Err(error.with_sequence_number(event.sequence_number()));
        }
        let part = parts.entry(channel.key(index)).or_insert_with(|| Part::new(channel, index));
        target.part_added(head, part, out);
        Ok(())
    }

    /// Takes the whole text of a part: what is missing goes out as a delta. `done`: it should have been all there.
    fn whole(
        &mut self,
        at: usize,
        channel: Channel,
        index: u64,
        whole: &str,
        done: bool,
        event: &Event<'_>,
    ) -> Result<(), Error> {
        let known = self.slots.get(at).is_some_and(|slot| slot.parts.contains_key(&channel.key(index)));
        if !known {
            if whole.is_empty() {
                return Ok(());
            }
            self.open(at, channel, index, event)?;
        }
        let Self { slots, target, out, .. } = self;
        let Some((head, part)) = part_of(slots, at, channel, index) else { return Ok(()) };
        let first = part.text().is_empty();
        match part.growing.tail(whole) {
            Some("") => {}
            Some(tail) => {
                out.hold(tail.len());
                part.growing.text.push_str(tail);
                if part.done {
                    part.done = false;
                    target.part_added(head, part, out);
                }
                target.delta(head, part, tail, event.logprobs().filter(|_| first), out);
            }
            None if done && !part.disputed => {
                part.disputed = true;
                out.report(AdapterCode::DoneMismatch, || format!("part {index} of output_index {}", head.output_index));
            }
            None => {}
        }
        Ok(())
    }

    fn whole_arguments(&mut self, at: usize, whole: &str) {
        let Self { slots, target, out, .. } = self;
        let Some(Slot { head, .. }) = slots.get_mut(at) else { return };
        match head.arguments.tail(whole) {
            Some("") => {}
            Some(tail) => {
                out.hold(tail.len());
                head.arguments.text.push_str(tail);
                if head.announced {
                    target.arguments(head, tail, out);
                }
            }
            // An item that is added again empty takes nothing back.
            None if whole.is_empty() => {}
            None if !head.disputed => {
                head.disputed = true;
                out.report(AdapterCode::DoneMismatch, || format!("arguments of output_index {}", head.output_index));
            }
            None => {}
        }
    }

    fn foreign(&mut self, at: usize, index: u64, part: View<'_>, event: &Event<'_>) -> Result<(), Error> {
        let Self { slots, target, out, limits, .. } = self;
        let Some(Slot { head, parts, .. }) = slots.get_mut(at) else { return Ok(()) };
        let key = Channel::Foreign.key(index);
        if parts.contains_key(&key) {
            return Ok(());
        }
        if parts.len() >= limits.parts {
            let error = Error::new(Code::PartLimit, event.offset(), format!("limit {}", limits.parts));
            return Err(error.with_sequence_number(event.sequence_number()));
        }
        parts.insert(key, Part::new(Channel::Foreign, index));
        target.foreign_part(head, index, part, out);
        Ok(())
    }

    /// Takes the contents of an item's object: at its start, or, when `done`, as its last word.
    pub(super) fn absorb(&mut self, at: usize, item: View<'_>, done: bool, event: &Event<'_>) -> Result<(), Error> {
        let Some(shape) = self.slots.get(at).map(|slot| slot.head.shape) else { return Ok(()) };
        match shape {
            Shape::Function | Shape::Mcp => self.whole_arguments(at, &text_at(item, "arguments")),
            Shape::Custom => self.whole_arguments(at, &text_at(item, "input")),
            Shape::Message | Shape::Reasoning => {
                self.absorb_list(at, item, shape, false, done, event)?;
                if shape == Shape::Reasoning {
                    self.absorb_list(at, item, shape, true, done, event)?;
                }
            }
            Shape::Output | Shape::Other => {}
        }
        Ok(())
    }

    fn absorb_list(
        &mut self,
        at: usize,
        item: View<'_>,
        shape: Shape,
        summary: bool,
        done: bool,
        event: &Event<'_>,
    ) -> Result<(), Error> {
        let Some(list) = item.get(if summary { "summary" } else { "content" }) else { return Ok(()) };
        let indexes = self.slots.get(at).map(|slot| slot.indexes(summary, list.elements().count()));
        for (part, index) in list.elements().zip(indexes.unwrap_or_default()) {
            let channel = if summary { Channel::Summary } else { Channel::of(part, shape) };
            if channel == Channel::Foreign {
                if done && part.tag() == Tag::Object {
                    self.foreign(at, index, part, event)?;
                }
                continue;
            }
            if let Some(words) = words_of(part) {
                self.whole(at, channel, index, &words, done, event)?;
            }
            if done && channel == Channel::Text {
                self.late_annotations(at, index, part);
            }
        }
        Ok(())
    }

    /// Tells that every part of an item is finished, where no event did.
    pub(super) fn close_parts(&mut self, at: usize) {
        let Self { slots, target, out, .. } = self;
        let Some(Slot { head, parts, .. }) = slots.get_mut(at) else { return };
        settle_arguments(&mut **target, head, out);
        for part in parts.values_mut().filter(|part| part.channel != Channel::Foreign) {
            end_part(&mut **target, head, part, out);
        }
    }

    /// Half of a surrogate pair that will not be completed any more becomes U+FFFD.
    pub(super) fn settle(&mut self, at: usize) {
        let Self { slots, target, out, .. } = self;
        let Some(Slot { head, parts, .. }) = slots.get_mut(at) else { return };
        settle_arguments(&mut **target, head, out);
        for part in parts.values_mut() {
            settle(&mut **target, head, part, out);
        }
    }
}

fn part_of(slots: &mut [Slot], at: usize, channel: Channel, index: u64) -> Option<(&mut Head, &mut Part)> {
    let Slot { head, parts, .. } = slots.get_mut(at)?;
    Some((head, parts.get_mut(&channel.key(index)).filter(|part| part.channel != Channel::Foreign)?))
}

fn end_part(target: &mut dyn Target, head: &mut Head, part: &mut Part, out: &mut Out) {
    end_text(target, head, part, out);
    if !core::mem::replace(&mut part.closed, true) {
        target.part_done(head, part, out);
    }
}

fn end_text(target: &mut dyn Target, head: &mut Head, part: &mut Part, out: &mut Out) {
    settle(target, head, part, out);
    if !core::mem::replace(&mut part.done, true) {
        target.text_done(head, part, out);
    }
}

fn settle(target: &mut dyn Target, head: &mut Head, part: &mut Part, out: &mut Out) {
    if part.growing.settle() {
        target.delta(head, part, "\u{FFFD}", None, out);
    }
}

fn settle_arguments(target: &mut dyn Target, head: &mut Head, out: &mut Out) {
    if head.arguments.settle() && head.announced {
        target.arguments(head, "\u{FFFD}", out);
    }
}

/// The words of a part: its `text`, or its `refusal`.
fn words_of<'a>(part: View<'a>) -> Option<Cow<'a, str>> {
    let words = part.get("text").and_then(|text| text.as_str());
    words.or_else(|| part.get("refusal")?.as_str())
}

fn tail_of(text: &str, length: usize) -> &str {
    text.get(text.len() - length..).unwrap_or("")
}
