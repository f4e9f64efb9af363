//! Open Responses → AG-UI events.
//!
//! - *Takes*: the steps of the `Normalizer`.
//! - *Gives*: AG-UI events.
//! - *Promises*: every event is allowed where it is; messages and calls are closed before the run ends.
//! - *Costs*: linear in each step.
//!
//! Messages, calls and reasoning become AG-UI's own streams; data without an AG-UI event is sent as `CUSTOM` (items, parts,
//! annotations) or `RAW` (events), so only log probabilities are lost.

mod reasoning;

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::media::{self, Media};
use super::normalizer::text_at;
use super::{
    EndStatus, ItemHead, ItemShape, ObjectWriter, ResponseEnd, ResponseStart, ShownCalls, SourceItem, SourcePart,
    TargetFormat, TargetOutput, TextChannel,
};
use crate::adapter::{AdapterCode, AgUiOptions, AgUiVersion, MediaStyle};
use crate::event::Event;
use crate::json::ValueRef;
use reasoning::{ReasoningEvent, ReasoningMessage};

/// The AG-UI side of a conversion.
#[derive(Debug)]
pub(crate) struct AgUiTarget {
    options: AgUiOptions,
    run_id: String,
    /// The message that a call belongs to: the last of the assistant since the last tool result.
    parent: Option<String>,
    /// Ids of calls that ended before their arguments were complete.
    incomplete_calls: Vec<String>,
    /// The open reasoning items, by their serial number.
    open_reasoning: BTreeMap<u32, ReasoningMessage>,
    /// Requests to approve a tool call: id, and name of the tool.
    approvals: Vec<(String, String)>,
    quote: RawEventQuote,
}

/// The current event, if events are quoted: once, in the first message that it causes.
#[derive(Debug, Default)]
struct RawEventQuote {
    /// The member to write; empty if there is none.
    member: String,
    /// The number of the message that it belongs to.
    message: u64,
    /// Events of the deprecated reasoning family refer to their message.
    names_reasoning: bool,
}

impl RawEventQuote {
    /// The quote in the next message.
    fn at(&self, out: &TargetOutput) -> &str {
        if out.written == self.message {
            &self.member
        } else {
            ""
        }
    }
}

impl AgUiTarget {
    pub(crate) fn new(options: AgUiOptions) -> Self {
        let quote = RawEventQuote { names_reasoning: options.thinking_ids, ..RawEventQuote::default() };
        Self {
            options,
            run_id: String::new(),
            parent: None,
            incomplete_calls: Vec::new(),
            open_reasoning: BTreeMap::new(),
            approvals: Vec::new(),
            quote,
        }
    }

    fn write(&self, out: &mut TargetOutput, event: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        let quote = self.quote.at(out);
        out.message(None, |message| {
            message.text("type", event);
            fill(message);
            message.members(quote);
        });
    }

    fn custom(&self, out: &mut TargetOutput, name: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.write(out, "CUSTOM", |event| {
            event.text("name", name);
            event.object("value", fill);
        });
    }

    fn call_done(&mut self, head: &mut ItemHead, item: ValueRef<'_>, out: &mut TargetOutput) {
        if text_at(item, "status") == "incomplete" {
            // Ending it would let the client run an incomplete call.
            self.incomplete_calls.push(head.call_id.clone());
            return;
        }
        self.write(out, "TOOL_CALL_END", |event| event.text("toolCallId", &head.call_id));
        if head.shape == ItemShape::Mcp {
            let result = ["output", "error"].into_iter().find_map(|key| item.get(key).filter(|value| !value.is_null()));
            if let Some(result) = result {
                self.result(&format!("{}_out", head.id), &head.call_id, result, out);
            }
        }
    }

    fn result(&mut self, message: &str, call: &str, output: ValueRef<'_>, out: &mut TargetOutput) {
        self.write(out, "TOOL_CALL_RESULT", |event| {
            event.text("messageId", message);
            event.text("toolCallId", call);
            event.text("content", &media::output_text(output));
            event.text("role", "tool");
        });
        self.parent = None;
    }

    fn item(&self, name: &str, head: &ItemHead, item: ValueRef<'_>, out: &mut TargetOutput) {
        self.custom(out, name, |value| {
            value.number("output_index", head.output_index);
            value.json("item", item.raw());
        });
    }

    fn activity(&self, id: &str, media: &Media<'_>, out: &mut TargetOutput) {
        self.write(out, "ACTIVITY_SNAPSHOT", |event| {
            event.text("messageId", id);
            event.text("activityType", "open_responses.media");
            event.object("content", |content| {
                content.text("media_type", &media.media_type);
                content.text("url", &media.url);
            });
        });
    }

    fn usage(&self, end: &ResponseEnd<'_>, event: &mut ObjectWriter<'_>) {
        let Some(tokens) = end.tokens() else { return };
        event.array_of_one("usage", |usage| {
            usage.text_if("provider", self.options.provider.as_deref());
            usage.text_if("model", Some(end.model().as_str()).filter(|model| !model.is_empty()));
            usage.number("inputTokens", tokens.input);
            usage.number("outputTokens", tokens.output);
            usage.number("totalTokens", tokens.total);
            usage.number("reasoningTokens", tokens.reasoning);
            usage.number("cachedInputTokens", tokens.cached);
            if let Some(written) = tokens.cache_write.filter(|_| self.is_v1()) {
                usage.number("cacheWriteInputTokens", written);
            }
        });
    }

    /// Returns `true` if an item is an activity message.
    fn is_activity(&self, head: &ItemHead) -> bool {
        self.options.media == MediaStyle::Activity && (media::is_media_item(head) || media::is_generated_image(head))
    }

    /// Returns `true` if the client knows the events of AG-UI 1.0.
    fn is_v1(&self) -> bool {
        self.options.protocol_version == AgUiVersion::V1
    }

    /// The reason why the run ended, for clients with the corresponding outcomes.
    fn outcome(&self, end: &ResponseEnd<'_>, event: &mut ObjectWriter<'_>) {
        match end.status {
            EndStatus::Incomplete if self.is_v1() && end.reason == "cancelled" => {
                event.object("outcome", |outcome| outcome.text("type", "cancelled"));
            }
            EndStatus::Completed if self.is_v1() && !self.approvals.is_empty() => {
                event.object("outcome", |outcome| {
                    outcome.text("type", "interrupt");
                    outcome.array("interrupts", self.approvals.iter(), |interrupt, (id, tool)| {
                        interrupt.text("id", id);
                        interrupt.text("reason", "mcp_approval_request");
                        interrupt.text_if("message", Some(tool.as_str()).filter(|tool| !tool.is_empty()));
                    });
                });
            }
            EndStatus::Completed => event.object("outcome", |outcome| {
                outcome.text("type", "success");
                if self.is_v1() && !end.unanswered_calls.is_empty() {
                    outcome.texts("pendingToolCallIds", end.unanswered_calls.iter().map(String::as_str));
                }
            }),
            _ => {}
        }
    }

    fn metadata(end: &ResponseEnd<'_>, event: &mut ObjectWriter<'_>, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        event.object("metadata", |metadata| {
            metadata.object("open_responses", |ours| {
                ours.text_if("response_id", Some(end.start.id.as_str()).filter(|id| !id.is_empty()));
                ours.text("status", end.status.name());
                fill(ours);
            });
        });
    }

    /// Ends the response for a host that ends its runs itself.
    fn response(&self, end: &ResponseEnd<'_>, out: &mut TargetOutput) {
        let raw = |key: &str| end.response.and_then(|response| response.get(key)).map_or("null", |value| value.raw());
        self.custom(out, "open_responses.response", |value| {
            value.text("status", end.status.name());
            value.json("usage", raw("usage"));
            match (end.status, raw("error")) {
                (EndStatus::Failed, "null") => value.object("error", |error| {
                    error.text_or_null("code", &end.failure.code);
                    error.text("message", end.message());
                }),
                (_, error) => value.json("error", error),
            }
            match (end.status, raw("incomplete_details")) {
                (EndStatus::Incomplete, "null") => {
                    value.object("incomplete_details", |details| details.text("reason", &end.reason));
                }
                (_, details) => value.json("incomplete_details", details),
            }
        });
    }

    fn error(&self, end: &ResponseEnd<'_>, message: &str, code: &str, out: &mut TargetOutput) {
        self.write(out, "RUN_ERROR", |event| {
            event.text("message", message);
            event.text_if("code", Some(code).filter(|code| !code.is_empty()));
            self.usage(end, event);
            // Without a terminal event the response's own state is unknown.
            if end.response.is_some() || end.status != EndStatus::Failed {
                Self::metadata(end, event, |ours| {
                    if end.status != EndStatus::Failed {
                        ours.texts("truncated_tool_calls", self.incomplete_calls.iter().map(String::as_str));
                    }
                });
            }
        });
    }
}

impl TargetFormat for AgUiTarget {
    fn shown_calls(&self) -> ShownCalls {
        ShownCalls { custom: true, mcp: true }
    }

    fn observe_event(&mut self, event: &Event<'_>, out: &TargetOutput) {
        self.quote.message = out.written;
        self.quote.member.clear();
        if self.options.include_raw && event.fault().is_none() {
            self.quote.member.push_str("\"rawEvent\":");
            super::push_json(event.raw(), &mut self.quote.member);
        }
    }

    fn start(&mut self, start: &ResponseStart, out: &mut TargetOutput) {
        self.run_id = self.options.run_id.clone().unwrap_or_else(|| start.id.clone());
        if !self.options.emit_run_lifecycle {
            return;
        }
        self.write(out, "RUN_STARTED", |event| {
            event.text("threadId", &self.options.thread_id);
            event.text("runId", &self.run_id);
            event.text_if("protocolVersion", self.is_v1().then_some("1.0"));
            let limits = Some(&self.options.rate_limits).filter(|limits| !limits.is_empty());
            if start.id.is_empty() && start.model.is_empty() && limits.is_none() {
                return;
            }
            event.object("metadata", |metadata| {
                metadata.object("open_responses", |ours| {
                    ours.text_if("response_id", Some(start.id.as_str()).filter(|id| !id.is_empty()));
                    ours.text_if("model", Some(start.model.as_str()).filter(|model| !model.is_empty()));
                    if let Some(limits) = limits {
                        let mut json = String::new();
                        limits.write_into(&mut json);
                        ours.json("rate_limits", &json);
                    }
                });
            });
        });
    }

    fn item_added(&mut self, head: &mut ItemHead, item: Option<ValueRef<'_>>, out: &mut TargetOutput) {
        match head.shape {
            ItemShape::Message => {
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
            ItemShape::Reasoning => self.start_reasoning(head, out),
            ItemShape::Function | ItemShape::Custom | ItemShape::Mcp => self.write(out, "TOOL_CALL_START", |event| {
                event.text("toolCallId", &head.call_id);
                event.text("toolCallName", &head.name);
                event.text_if("parentMessageId", self.parent.as_deref());
            }),
            ItemShape::Output => {}
            ItemShape::Other => {
                let activity = self.is_activity(head);
                if let Some(item) = item.filter(|_| !activity) {
                    self.item("open_responses.item.added", head, item, out);
                }
            }
        }
    }

    fn part_added(&mut self, head: &mut ItemHead, part: &mut SourcePart, out: &mut TargetOutput) {
        if matches!(part.channel, TextChannel::RawReasoning | TextChannel::Summary) {
            self.start_message(head, Some((part.channel, part.index)), out);
        }
    }

    fn delta(
        &mut self,
        head: &mut ItemHead,
        part: &mut SourcePart,
        text: &str,
        _logprobs: Option<&str>,
        out: &mut TargetOutput,
    ) {
        if matches!(part.channel, TextChannel::Text | TextChannel::Refusal) {
            self.write(out, "TEXT_MESSAGE_CONTENT", |event| {
                event.text("messageId", &head.id);
                event.text("delta", text);
            });
            return;
        }
        let here = Some((part.channel, part.index));
        let open = |open: &&ReasoningMessage| open.open && open.part == here;
        if self.open_reasoning.get(&head.serial).filter(open).is_none() {
            // Parts may alternate, although no known server does that.
            self.start_message(head, here, out);
        }
        if let Some(open) = self.open_reasoning.get(&head.serial) {
            self.names().write(ReasoningEvent::MessageContent, &open.message, Some(text), &self.quote, out);
        }
    }

    fn annotation(
        &mut self,
        head: &mut ItemHead,
        part: &mut SourcePart,
        index: u64,
        annotation: ValueRef<'_>,
        out: &mut TargetOutput,
    ) {
        self.custom(out, "open_responses.annotation", |value| {
            value.text("item_id", &head.id);
            value.number("content_index", part.index);
            value.number("annotation_index", index);
            value.json("annotation", annotation.raw());
        });
    }

    fn text_done(&mut self, head: &mut ItemHead, part: &mut SourcePart, out: &mut TargetOutput) {
        match part.channel {
            TextChannel::Refusal => self.custom(out, "open_responses.refusal", |value| {
                value.text("item_id", &head.id);
                value.number("content_index", part.index);
                value.text("refusal", part.text());
            }),
            TextChannel::RawReasoning | TextChannel::Summary => {
                let here = Some((part.channel, part.index));
                if self.open_reasoning.get(&head.serial).is_some_and(|open| open.part == here) {
                    self.end_message(head.serial, out);
                }
            }
            _ => {}
        }
    }

    fn foreign_part(&mut self, head: &mut ItemHead, index: u64, part: ValueRef<'_>, out: &mut TargetOutput) {
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

    fn arguments(&mut self, head: &mut ItemHead, text: &str, out: &mut TargetOutput) {
        self.write(out, "TOOL_CALL_ARGS", |event| {
            event.text("toolCallId", &head.call_id);
            event.text("delta", text);
        });
    }

    fn item_done(&mut self, slot: &mut SourceItem, item: ValueRef<'_>, out: &mut TargetOutput) {
        let head = &mut slot.head;
        match head.shape {
            ItemShape::Message => self.write(out, "TEXT_MESSAGE_END", |event| event.text("messageId", &head.id)),
            ItemShape::Reasoning => self.end_reasoning(head, Some(item), out),
            ItemShape::Function | ItemShape::Custom | ItemShape::Mcp => self.call_done(head, item, out),
            ItemShape::Output => match item.get("output") {
                Some(output) => self.result(&head.id, &head.call_id, output, out),
                None => out.report_code(AdapterCode::ToolOutputDropped),
            },
            ItemShape::Other => {
                if head.item_type == "mcp_approval_request" {
                    self.approvals.push((head.id.clone(), text_at(item, "name")));
                }
                let activity = self.is_activity(head);
                match activity.then(|| media::of_item(item)).flatten() {
                    Some(media) => self.activity(&head.id, &media, out),
                    None => self.item("open_responses.item.done", head, item, out),
                }
            }
        }
    }

    fn event(&mut self, event: &Event<'_>, out: &mut TargetOutput) {
        if event.fault().is_some() {
            return out.report(AdapterCode::EventDropped, || "a payload that is not a JSON object".to_owned());
        }
        self.write(out, "RAW", |raw| {
            raw.json("event", event.raw());
            raw.text("source", "open_responses");
        });
    }

    fn end(&mut self, end: &ResponseEnd<'_>, open: &mut [&mut SourceItem], out: &mut TargetOutput) {
        for slot in open.iter() {
            let head = &slot.head;
            match head.shape {
                ItemShape::Message => self.write(out, "TEXT_MESSAGE_END", |event| event.text("messageId", &head.id)),
                ItemShape::Reasoning => self.end_reasoning(head, None, out),
                ItemShape::Function | ItemShape::Custom | ItemShape::Mcp if end.status == EndStatus::Completed => {
                    self.write(out, "TOOL_CALL_END", |event| event.text("toolCallId", &head.call_id));
                }
                ItemShape::Function | ItemShape::Custom | ItemShape::Mcp => {
                    self.incomplete_calls.push(head.call_id.clone())
                }
                ItemShape::Output | ItemShape::Other => {}
            }
        }
        let pending = !self.incomplete_calls.is_empty() || !end.unanswered_calls.is_empty();
        let (stuck, reason) = match end.status {
            EndStatus::Incomplete => (pending, end.reason.as_str()),
            // A completed response with an incomplete call: the status of the call is used.
            _ => (!self.incomplete_calls.is_empty(), "incomplete"),
        };
        if end.status == EndStatus::Incomplete && !stuck {
            self.custom(out, "open_responses.incomplete", |value| value.text("reason", &end.reason));
        }
        if !self.options.emit_run_lifecycle {
            return self.response(end, out);
        }
        if end.status == EndStatus::Failed {
            return self.error(end, end.message(), &end.failure.code, out);
        }
        if stuck {
            let message = format!("The response ended early ({reason}) with a tool call pending.");
            return self.error(end, &message, reason, out);
        }
        self.write(out, "RUN_FINISHED", |event| {
            event.text("threadId", &self.options.thread_id);
            event.text("runId", &self.run_id);
            self.outcome(end, event);
            self.usage(end, event);
            Self::metadata(end, event, |ours| {
                if end.status == EndStatus::Incomplete {
                    ours.text("incomplete_reason", &end.reason);
                }
            });
        });
    }
}
