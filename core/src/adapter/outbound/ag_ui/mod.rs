//! Open Responses → AG-UI events.
//!
//! Messages, calls and reasoning become AG-UI's own streams; what it has no event for travels as `CUSTOM` (items, parts,
//! annotations) or `RAW` (events), so nothing is lost on the way but log probabilities.

mod options;
mod reasoning;

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::media::{self, Media};
use super::walk::text_at;
use super::{Channel, End, Head, Members, Out, Part, Shape, Slot, Start, Target, Verdict};
use crate::adapter::AdapterCode;
use crate::event::Event;
use crate::json::View;
pub use options::{AgUiOptions, MediaStyle, ReasoningStyle};
use reasoning::{Reason, Thought};

/// The AG-UI side of a conversion.
#[derive(Debug)]
pub(crate) struct AgUi {
    options: AgUiOptions,
    run_id: String,
    /// The message that a call belongs to: the last of the assistant since the last tool result.
    parent: Option<String>,
    /// Ids of calls that were cut off.
    cut: Vec<String>,
    /// The reasoning items that are open, by their serial number.
    thoughts: BTreeMap<u32, Thought>,
    quote: Quote,
}

/// The event that is being told, if events are quoted: once, in the first message that comes of it.
#[derive(Debug, Default)]
struct Quote {
    /// The member to be written; empty if there is none.
    member: String,
    /// The number of the message that it belongs to.
    message: u64,
}

impl Quote {
    /// What the next message quotes.
    fn at(&self, out: &Out) -> &str {
        if out.written == self.message {
            &self.member
        } else {
            ""
        }
    }
}

impl AgUi {
    pub(crate) fn new(options: AgUiOptions) -> Self {
        Self {
            options,
            run_id: String::new(),
            parent: None,
            cut: Vec::new(),
            thoughts: BTreeMap::new(),
            quote: Quote::default(),
        }
    }

    fn write(&self, out: &mut Out, event: &str, fill: impl FnOnce(&mut Members<'_>)) {
        let quote = self.quote.at(out);
        out.message(None, |message| {
            message.text("type", event);
            fill(message);
            message.members(quote);
        });
    }

    fn custom(&self, out: &mut Out, name: &str, fill: impl FnOnce(&mut Members<'_>)) {
        self.write(out, "CUSTOM", |event| {
            event.text("name", name);
            event.object("value", fill);
        });
    }

    fn call_done(&mut self, head: &mut Head, item: View<'_>, out: &mut Out) {
        if text_at(item, "status") == "incomplete" {
            // Ending it would let the client run half a call.
            self.cut.push(head.call_id.clone());
            return;
        }
        self.write(out, "TOOL_CALL_END", |event| event.text("toolCallId", &head.call_id));
        if head.shape == Shape::Mcp {
            let result = ["output", "error"].into_iter().find_map(|key| item.get(key).filter(|value| !value.is_null()));
            if let Some(result) = result {
                self.result(&format!("{}_out", head.id), &head.call_id, result, out);
            }
        }
    }

    fn result(&mut self, message: &str, call: &str, output: View<'_>, out: &mut Out) {
        self.write(out, "TOOL_CALL_RESULT", |event| {
            event.text("messageId", message);
            event.text("toolCallId", call);
            event.text("content", &media::output_text(output));
            event.text("role", "tool");
        });
        self.parent = None;
    }

    fn item(&self, name: &str, head: &Head, item: View<'_>, out: &mut Out) {
        self.custom(out, name, |value| {
            value.number("output_index", head.output_index);
            value.json("item", item.raw());
        });
    }

    fn activity(&self, id: &str, media: &Media<'_>, out: &mut Out) {
        self.write(out, "ACTIVITY_SNAPSHOT", |event| {
            event.text("messageId", id);
            event.text("activityType", "open_responses.media");
            event.object("content", |content| {
                content.text("media_type", &media.media_type);
                content.text("url", &media.url);
            });
        });
    }

    fn usage(&self, end: &End<'_>, event: &mut Members<'_>) {
        let Some(tokens) = end.tokens() else { return };
        event.one("usage", |usage| {
            usage.text_if("provider", self.options.provider.as_deref());
            usage.text_if("model", Some(end.model().as_str()).filter(|model| !model.is_empty()));
            usage.number("inputTokens", tokens.input);
            usage.number("outputTokens", tokens.output);
            usage.number("totalTokens", tokens.total);
            usage.number("reasoningTokens", tokens.reasoning);
            usage.number("cachedInputTokens", tokens.cached);
        });
    }

    fn metadata(end: &End<'_>, event: &mut Members<'_>, fill: impl FnOnce(&mut Members<'_>)) {
        event.object("metadata", |metadata| {
            metadata.object("open_responses", |ours| {
                ours.text_if("response_id", Some(end.start.id.as_str()).filter(|id| !id.is_empty()));
                ours.text("status", end.verdict.status());
                fill(ours);
            });
        });
    }

    /// The end of the response for a host that ends its runs itself.
    fn response(&self, end: &End<'_>, out: &mut Out) {
        let raw = |key: &str| end.response.and_then(|response| response.get(key)).map_or("null", |value| value.raw());
        self.custom(out, "open_responses.response", |value| {
            value.text("status", end.verdict.status());
            value.json("usage", raw("usage"));
            match (end.verdict, raw("error")) {
                (Verdict::Failed, "null") => value.object("error", |error| {
                    error.text_or_null("code", &end.failure.code);
                    error.text("message", end.message());
                }),
                (_, error) => value.json("error", error),
            }
            match (end.verdict, raw("incomplete_details")) {
                (Verdict::Incomplete, "null") => {
                    value.object("incomplete_details", |details| details.text("reason", &end.reason));
                }
                (_, details) => value.json("incomplete_details", details),
            }
        });
    }

    fn error(&self, end: &End<'_>, message: &str, code: &str, out: &mut Out) {
        self.write(out, "RUN_ERROR", |event| {
            event.text("message", message);
            event.text_if("code", Some(code).filter(|code| !code.is_empty()));
            self.usage(end, event);
            // Without a terminal event nothing is known of the response's own state.
            if end.response.is_some() || end.verdict != Verdict::Failed {
                Self::metadata(end, event, |ours| {
                    if end.verdict != Verdict::Failed {
                        ours.texts("truncated_tool_calls", self.cut.iter().map(String::as_str));
                    }
                });
            }
        });
    }
}

impl Target for AgUi {
    fn hosted_calls(&self) -> bool {
        true
    }

    fn quote(&mut self, event: &Event<'_>, out: &Out) {
        self.quote.message = out.written;
        self.quote.member.clear();
        if self.options.include_raw && event.fault().is_none() {
            self.quote.member.push_str("\"rawEvent\":");
            super::push_json(event.raw(), &mut self.quote.member);
        }
    }

    fn start(&mut self, start: &Start, out: &mut Out) {
        self.run_id = self.options.run_id.clone().unwrap_or_else(|| start.id.clone());
        if !self.options.emit_run_lifecycle {
            return;
        }
        self.write(out, "RUN_STARTED", |event| {
            event.text("threadId", &self.options.thread_id);
            event.text("runId", &self.run_id);
            if start.id.is_empty() && start.model.is_empty() {
                return;
            }
            event.object("metadata", |metadata| {
                metadata.object("open_responses", |ours| {
                    ours.text_if("response_id", Some(start.id.as_str()).filter(|id| !id.is_empty()));
                    ours.text_if("model", Some(start.model.as_str()).filter(|model| !model.is_empty()));
                });
            });
        });
    }

    fn item_added(&mut self, head: &mut Head, item: Option<View<'_>>, out: &mut Out) {
        match head.shape {
            Shape::Message => {
                let role = item.map(|item| text_at(item, "role")).unwrap_or_default();
                let role = match role.as_str() {
                    "developer" | "system" | "user" => role.as_str(),
                    _ => "assistant",
                };
                if role == "assistant" {
                    self.parent = Some(head.id.clone());
                }
                self.write(out, "TEXT_MESSAGE_START", |event| {
                    event.text("messageId", &head.id);
                    event.text("role", role);
                    if let Some(phase) = item.and_then(|item| item.get("phase")).filter(|phase| !phase.is_null()) {
                        event.object("metadata", |metadata| {
                            metadata.object("open_responses", |ours| ours.json("phase", phase.raw()));
                        });
                    }
                });
            }
            Shape::Reasoning => self.start_reasoning(head, out),
            Shape::Function | Shape::Custom | Shape::Mcp => self.write(out, "TOOL_CALL_START", |event| {
                event.text("toolCallId", &head.call_id);
                event.text("toolCallName", &head.name);
                event.text_if("parentMessageId", self.parent.as_deref());
            }),
            Shape::Output => {}
            Shape::Other => {
                let activity = self.options.media == MediaStyle::Activity && media::is_media_item(head);
                if let Some(item) = item.filter(|_| !activity) {
                    self.item("open_responses.item.added", head, item, out);
                }
            }
        }
    }

    fn part_added(&mut self, head: &mut Head, part: &mut Part, out: &mut Out) {
        if matches!(part.channel, Channel::Thought | Channel::Summary) {
            self.start_message(head, Some((part.channel, part.index)), out);
        }
    }

    fn delta(&mut self, head: &mut Head, part: &mut Part, text: &str, _logprobs: Option<&str>, out: &mut Out) {
        if matches!(part.channel, Channel::Text | Channel::Refusal) {
            self.write(out, "TEXT_MESSAGE_CONTENT", |event| {
                event.text("messageId", &head.id);
                event.text("delta", text);
            });
            return;
        }
        let here = Some((part.channel, part.index));
        let open = |thought: &&Thought| thought.open && thought.part == here;
        if self.thoughts.get(&head.serial).filter(open).is_none() {
            // Parts take turns, though no server is known to do so.
            self.start_message(head, here, out);
        }
        if let Some(thought) = self.thoughts.get(&head.serial) {
            self.words().write(Reason::MessageContent, &thought.message, Some(text), &self.quote, out);
        }
    }

    fn annotation(&mut self, head: &mut Head, part: &mut Part, index: u64, annotation: View<'_>, out: &mut Out) {
        self.custom(out, "open_responses.annotation", |value| {
            value.text("item_id", &head.id);
            value.number("content_index", part.index);
            value.number("annotation_index", index);
            value.json("annotation", annotation.raw());
        });
    }

    fn text_done(&mut self, head: &mut Head, part: &mut Part, out: &mut Out) {
        match part.channel {
            Channel::Refusal => self.custom(out, "open_responses.refusal", |value| {
                value.text("item_id", &head.id);
                value.number("content_index", part.index);
                value.text("refusal", part.text());
            }),
            Channel::Thought | Channel::Summary => {
                let here = Some((part.channel, part.index));
                if self.thoughts.get(&head.serial).is_some_and(|thought| thought.part == here) {
                    self.end_message(head.serial, out);
                }
            }
            _ => {}
        }
    }

    fn foreign_part(&mut self, head: &mut Head, index: u64, part: View<'_>, out: &mut Out) {
        if self.options.media == MediaStyle::Activity {
            if let Some(media) = media::of_part(part) {
                return self.activity(&format!("{}_p{index}", head.id), &media, out);
            }
        }
        self.custom(out, "open_responses.content_part", |value| {
            value.text("item_id", &head.id);
            value.number("content_index", index);
            value.json("part", part.raw());
        });
    }

    fn arguments(&mut self, head: &mut Head, text: &str, out: &mut Out) {
        self.write(out, "TOOL_CALL_ARGS", |event| {
            event.text("toolCallId", &head.call_id);
            event.text("delta", text);
        });
    }

    fn item_done(&mut self, slot: &mut Slot, item: View<'_>, out: &mut Out) {
        let head = &mut slot.head;
        match head.shape {
            Shape::Message => self.write(out, "TEXT_MESSAGE_END", |event| event.text("messageId", &head.id)),
            Shape::Reasoning => self.end_reasoning(head, Some(item), out),
            Shape::Function | Shape::Custom | Shape::Mcp => self.call_done(head, item, out),
            Shape::Output => match item.get("output") {
                Some(output) => self.result(&head.id, &head.call_id, output, out),
                None => out.note(AdapterCode::ToolOutputDropped),
            },
            Shape::Other => {
                let activity = self.options.media == MediaStyle::Activity && media::is_media_item(head);
                match activity.then(|| media::of_item(item)).flatten() {
                    Some(media) => self.activity(&head.id, &media, out),
                    None => self.item("open_responses.item.done", head, item, out),
                }
            }
        }
    }

    fn event(&mut self, event: &Event<'_>, out: &mut Out) {
        if event.fault().is_some() {
            return out.report(AdapterCode::EventDropped, || "a payload that is not a JSON object".to_owned());
        }
        self.write(out, "RAW", |raw| {
            raw.json("event", event.raw());
            raw.text("source", "open_responses");
        });
    }

    fn end(&mut self, end: &End<'_>, open: &mut [&mut Slot], out: &mut Out) {
        for slot in open.iter() {
            let head = &slot.head;
            match head.shape {
                Shape::Message => self.write(out, "TEXT_MESSAGE_END", |event| event.text("messageId", &head.id)),
                Shape::Reasoning => self.end_reasoning(head, None, out),
                Shape::Function | Shape::Custom | Shape::Mcp if end.verdict == Verdict::Completed => {
                    self.write(out, "TOOL_CALL_END", |event| event.text("toolCallId", &head.call_id));
                }
                Shape::Function | Shape::Custom | Shape::Mcp => self.cut.push(head.call_id.clone()),
                Shape::Output | Shape::Other => {}
            }
        }
        let pending = !self.cut.is_empty() || !end.pending.is_empty();
        let (stuck, reason) = match end.verdict {
            Verdict::Incomplete => (pending, end.reason.as_str()),
            // A completed response with a call that was cut: the call's own word for it.
            _ => (!self.cut.is_empty(), "incomplete"),
        };
        if end.verdict == Verdict::Incomplete && !stuck {
            self.custom(out, "open_responses.incomplete", |value| value.text("reason", &end.reason));
        }
        if !self.options.emit_run_lifecycle {
            return self.response(end, out);
        }
        if end.verdict == Verdict::Failed {
            return self.error(end, end.message(), &end.failure.code, out);
        }
        if stuck {
            let message = format!("The response ended early ({reason}) with a tool call pending.");
            return self.error(end, &message, reason, out);
        }
        self.write(out, "RUN_FINISHED", |event| {
            event.text("threadId", &self.options.thread_id);
            event.text("runId", &self.run_id);
            if end.verdict == Verdict::Completed {
                event.object("outcome", |outcome| outcome.text("type", "success"));
            }
            self.usage(end, event);
            Self::metadata(end, event, |ours| {
                if end.verdict == Verdict::Incomplete {
                    ours.text("incomplete_reason", &end.reason);
                }
            });
        });
    }
}
