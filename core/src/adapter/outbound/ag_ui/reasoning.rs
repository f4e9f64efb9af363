//! Reasoning in AG-UI: a span for each item, a message for each part, in the names of today or in the deprecated ones.

use alloc::format;
use alloc::string::String;

use super::super::{Channel, Head, Out};
use super::{AgUi, Quote, ReasoningStyle};
use crate::adapter::AdapterCode;
use crate::json::View;

/// A reasoning item that is open.
#[derive(Debug, Default)]
pub(super) struct Thought {
    /// The newest reasoning message: the part it shows, its id, and whether it is open.
    pub(super) part: Option<(Channel, u64)>,
    pub(super) message: String,
    pub(super) open: bool,
}

impl AgUi {
    pub(super) fn words(&self) -> Words {
        match self.options.reasoning_style {
            ReasoningStyle::Reasoning => Words::Reasoning,
            ReasoningStyle::Thinking => Words::Thinking,
        }
    }

    /// Ends the open reasoning message of an item.
    pub(super) fn end_message(&mut self, serial: u32, out: &mut Out) {
        let words = self.words();
        if let Some(thought) = self.thoughts.get_mut(&serial).filter(|thought| thought.open) {
            thought.open = false;
            words.write(Reason::MessageEnd, &thought.message, None, &self.quote, out);
        }
    }

    /// Starts a reasoning message, ending the one before. `part` is `None` for a message that only holds a secret.
    pub(super) fn start_message(&mut self, head: &Head, part: Option<(Channel, u64)>, out: &mut Out) {
        self.end_message(head.serial, out);
        if !self.thoughts.contains_key(&head.serial) {
            self.start_reasoning(head, out);
        }
        let words = self.words();
        let Some(thought) = self.thoughts.get_mut(&head.serial) else { return };
        thought.part = part;
        thought.open = true;
        thought.message = match part {
            Some((Channel::Summary, index)) => format!("{}_s{index}", head.id),
            Some((_, index)) => format!("{}_c{index}", head.id),
            None => format!("{}_e", head.id),
        };
        words.write(Reason::MessageStart, &thought.message, None, &self.quote, out);
    }

    pub(super) fn start_reasoning(&mut self, head: &Head, out: &mut Out) {
        let words = self.words();
        if words == Words::Thinking {
            // These events have no ids: one block at a time.
            for thought in core::mem::take(&mut self.thoughts).into_values() {
                if thought.open {
                    words.write(Reason::MessageEnd, "", None, &self.quote, out);
                }
                words.write(Reason::End, "", None, &self.quote, out);
            }
        }
        self.thoughts.insert(head.serial, Thought::default());
        words.write(Reason::Start, &head.id, None, &self.quote, out);
    }

    pub(super) fn end_reasoning(&mut self, head: &Head, item: Option<View<'_>>, out: &mut Out) {
        self.end_message(head.serial, out);
        let secret = item.and_then(|item| item.get("encrypted_content")?.as_str()).filter(|secret| !secret.is_empty());
        let words = self.words();
        match secret {
            Some(_) if words == Words::Thinking => out.note(AdapterCode::EncryptedContentDropped),
            Some(secret) => {
                if self.thoughts.get(&head.serial).is_none_or(|thought| thought.part.is_none()) {
                    self.start_message(head, None, out);
                    self.end_message(head.serial, out);
                }
                let entity = self.thoughts.get(&head.serial).map_or("", |thought| thought.message.as_str());
                self.write(out, "REASONING_ENCRYPTED_VALUE", |event| {
                    event.text("subtype", "message");
                    event.text("entityId", entity);
                    event.text("encryptedValue", &secret);
                });
            }
            None => {}
        }
        if self.thoughts.remove(&head.serial).is_some() {
            words.write(Reason::End, &head.id, None, &self.quote, out);
        }
    }
}

/// The events of the reasoning family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Start,
    MessageStart,
    MessageContent,
    MessageEnd,
    End,
}

impl Reason {
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

/// Which names the reasoning family has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    Reasoning,
    Thinking,
}

impl Words {
    pub(super) fn write(self, event: Reason, id: &str, delta: Option<&str>, quote: &Quote, out: &mut Out) {
        let quote = quote.at(out);
        out.message(None, |members| {
            match self {
                Self::Reasoning => {
                    members.text("type", event.name());
                    members.text("messageId", id);
                    members.text_if("role", (event == Reason::MessageStart).then_some("reasoning"));
                }
                Self::Thinking => members.text("type", event.old_name()),
            }
            members.text_if("delta", delta);
            members.members(quote);
        });
    }
}
