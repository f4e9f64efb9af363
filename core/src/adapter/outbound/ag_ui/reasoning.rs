//! Reasoning in AG-UI: a span for each item, a message for each part, with the current or the deprecated event names.

use alloc::format;
use alloc::string::String;

use super::super::{ItemHead, TargetOutput, TextChannel};
use super::{AgUiTarget, RawEventQuote};
use crate::adapter::{AdapterCode, ReasoningStyle};
use crate::json::ValueRef;

/// An open reasoning item.
#[derive(Debug, Default)]
pub(super) struct ReasoningMessage {
    /// The newest reasoning message: its part, its id, and whether it is open.
    pub(super) part: Option<(TextChannel, u64)>,
    pub(super) message: String,
    /// The id of the item.
    pub(super) item: String,
    pub(super) open: bool,
}

impl AgUiTarget {
    pub(super) fn names(&self) -> ReasoningStyle {
        self.options.effective_reasoning_style()
    }

    /// Ends the open reasoning message of an item.
    pub(super) fn end_message(&mut self, serial: u32, out: &mut TargetOutput) {
        let names = self.names();
        if let Some(open) = self.open_reasoning.get_mut(&serial).filter(|open| open.open) {
            open.open = false;
            names.write(ReasoningEvent::MessageEnd, &open.message, None, &self.quote, out);
        }
    }

    /// Starts a reasoning message, ending the previous one. `part` is `None` for a message that only has encrypted content.
    pub(super) fn start_message(&mut self, head: &ItemHead, part: Option<(TextChannel, u64)>, out: &mut TargetOutput) {
        self.end_message(head.serial, out);
        if !self.open_reasoning.contains_key(&head.serial) {
            self.start_reasoning(head, out);
        }
        let names = self.names();
        let Some(open) = self.open_reasoning.get_mut(&head.serial) else { return };
        open.part = part;
        open.open = true;
        open.message = match part {
            Some((TextChannel::Summary, index)) => format!("{}_s{index}", head.id),
            Some((_, index)) => format!("{}_c{index}", head.id),
            None => format!("{}_e", head.id),
        };
        names.write(ReasoningEvent::MessageStart, &open.message, None, &self.quote, out);
    }

    pub(super) fn start_reasoning(&mut self, head: &ItemHead, out: &mut TargetOutput) {
        let names = self.names();
        if names == ReasoningStyle::Thinking {
            // These events have no ids: one block at a time.
            for open in core::mem::take(&mut self.open_reasoning).into_values() {
                if open.open {
                    names.write(ReasoningEvent::MessageEnd, &open.message, None, &self.quote, out);
                }
                names.write(ReasoningEvent::End, &open.item, None, &self.quote, out);
            }
        }
        let opened = ReasoningMessage { item: head.id.clone(), ..ReasoningMessage::default() };
        self.open_reasoning.insert(head.serial, opened);
        names.write(ReasoningEvent::Start, &head.id, None, &self.quote, out);
    }

    pub(super) fn end_reasoning(&mut self, head: &ItemHead, item: Option<ValueRef<'_>>, out: &mut TargetOutput) {
        self.end_message(head.serial, out);
        let secret = item.and_then(|item| item.get("encrypted_content")?.as_str()).filter(|secret| !secret.is_empty());
        let names = self.names();
        match secret {
            Some(_) if names == ReasoningStyle::Thinking => out.report_code(AdapterCode::EncryptedContentDropped),
            Some(secret) => {
                if self.open_reasoning.get(&head.serial).is_none_or(|open| open.part.is_none()) {
                    self.start_message(head, None, out);
                    self.end_message(head.serial, out);
                }
                let entity = self.open_reasoning.get(&head.serial).map_or("", |open| open.message.as_str());
                self.write(out, "REASONING_ENCRYPTED_VALUE", |event| {
                    event.text("subtype", "message");
                    event.text("entityId", entity);
                    event.text("encryptedValue", &secret);
                });
            }
            None => {}
        }
        if self.open_reasoning.remove(&head.serial).is_some() {
            names.write(ReasoningEvent::End, &head.id, None, &self.quote, out);
        }
    }
}

/// The events of the reasoning family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReasoningEvent {
    Start,
    MessageStart,
    MessageContent,
    MessageEnd,
    End,
}

impl ReasoningEvent {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "REASONING_START",
            Self::MessageStart => "REASONING_MESSAGE_START",
            Self::MessageContent => "REASONING_MESSAGE_CONTENT",
            Self::MessageEnd => "REASONING_MESSAGE_END",
            Self::End => "REASONING_END",
        }
    }

    fn old_name(self) -> &'static str {
        match self {
            Self::Start => "THINKING_START",
            Self::MessageStart => "THINKING_TEXT_MESSAGE_START",
            Self::MessageContent => "THINKING_TEXT_MESSAGE_CONTENT",
            Self::MessageEnd => "THINKING_TEXT_MESSAGE_END",
            Self::End => "THINKING_END",
        }
    }
}

impl ReasoningStyle {
    pub(super) fn write(
        self,
        event: ReasoningEvent,
        id: &str,
        delta: Option<&str>,
        quote: &RawEventQuote,
        out: &mut TargetOutput,
    ) {
        let named = (self == Self::Thinking && quote.names_reasoning).then_some(id);
        let quote = quote.at(out);
        out.message(None, |members| {
            match self {
                Self::Reasoning => {
                    members.text("type", event.name());
                    members.text("messageId", id);
                    members.text_if("role", (event == ReasoningEvent::MessageStart).then_some("reasoning"));
                }
                Self::Thinking => members.text("type", event.old_name()),
            }
            if let Some(id) = named.filter(|id| !id.is_empty()) {
                members.object("metadata", |metadata| {
                    metadata.object("open_responses", |ours| ours.text("message_id", id));
                });
            }
            members.text_if("delta", delta);
            members.members(quote);
        });
    }
}
