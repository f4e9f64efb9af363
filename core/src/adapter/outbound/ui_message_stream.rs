//! Open Responses → the UI message stream of the Vercel AI SDK.
//!
//! Texts and reasoning are parts with an id, calls are tools, and data without a part type of the SDK is a data part. A client runs
//! a call as soon as its input is available, so a call that is truncated or not JSON is sent as an error.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;

use super::media::{self, Media};
use super::normalizer::text_at;
use super::{
    EndStatus, ItemHead, ItemShape, ObjectWriter, ResponseEnd, ResponseStart, ShownCalls, SourceItem, SourcePart,
    TargetFormat, TargetOutput, TextChannel,
};
use crate::adapter::{AdapterCode, UiOptions};
use crate::contract::Kind;
use crate::event::Event;
use crate::json::{write_string, Tape, ValueRef};

/// The UI message stream side of a conversion.
#[derive(Debug)]
pub(crate) struct UiTarget {
    options: UiOptions,
    /// The provider key as JSON, colon included.
    key: String,
    /// The open reasoning part of each item that has one: it ends with the item, which may have encrypted content.
    reasoning: BTreeMap<u32, (TextChannel, u64)>,
    /// Calls that a client must not run.
    broken: BTreeSet<String>,
    calls: BTreeSet<String>,
    tape: Tape,
    depth: usize,
}

const NOT_JSON: &str = "The tool arguments are not valid JSON.";
const CUT: &str = "The tool call was cut off before its arguments were complete.";

impl UiTarget {
    pub(crate) fn new(options: UiOptions, depth: usize) -> Self {
        let mut key = String::new();
        write_string(&options.provider_key, &mut key);
        key.push_str(":{");
        Self {
            options,
            key,
            reasoning: BTreeMap::new(),
            broken: BTreeSet::new(),
            calls: BTreeSet::new(),
            tape: Tape::default(),
            depth,
        }
    }

    fn chunk(out: &mut TargetOutput, kind: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        out.message(None, |chunk| {
            chunk.text("type", kind);
            fill(chunk);
        });
    }

    /// Writes an object under the provider key.
    fn metadata(&self, member: &str, chunk: &mut ObjectWriter<'_>, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        let mut inner = self.key.clone();
        super::target_output::members(&mut inner, fill);
        inner.push('}');
        chunk.object(member, |metadata| metadata.members(&inner));
    }

    fn end_reasoning(&mut self, head: &ItemHead, secret: Option<&str>, out: &mut TargetOutput) {
        let open = self.reasoning.remove(&head.serial);
        if open.is_none() {
            if secret.is_none() {
                return;
            }
            Self::chunk(out, "reasoning-start", |chunk| reasoning_id(chunk, head, open));
        }
        Self::chunk(out, "reasoning-end", |chunk| {
            reasoning_id(chunk, head, open);
            if let Some(secret) = secret {
                self.metadata("providerMetadata", chunk, |ours| {
                    ours.text("itemId", &head.id);
                    ours.text("reasoningEncryptedContent", secret);
                });
            }
        });
    }

    fn end_text(head: &ItemHead, part: &mut SourcePart, out: &mut TargetOutput) {
        if core::mem::take(&mut part.started_in_target) {
            Self::chunk(out, "text-end", |chunk| text_id(chunk, head, part));
        }
    }

    fn call_done(&mut self, head: &ItemHead, cut: bool, out: &mut TargetOutput) {
        let text = head.arguments.text.trim();
        let is_text = head.shape == ItemShape::Custom;
        let empty = text.is_empty() && !cut;
        let good = !cut && (empty || is_text || self.tape.parse(text, self.depth).is_ok());
        if good {
            Self::chunk(out, "tool-input-available", |chunk| {
                tool(chunk, head);
                if is_text {
                    chunk.text("input", &head.arguments.text);
                } else {
                    // A call without arguments gets the value that the SDK itself uses.
                    chunk.json("input", if empty { "{}" } else { text });
                }
            });
            return;
        }
        self.broken.insert(head.call_id.clone());
        Self::chunk(out, "tool-input-error", |chunk| {
            tool(chunk, head);
            chunk.text("input", &head.arguments.text);
            chunk.text("errorText", if cut { CUT } else { NOT_JSON });
        });
    }

    /// A call that the server ran: its input, and its output or error if there is one.
    fn mcp_call_done(&mut self, head: &ItemHead, item: ValueRef<'_>, out: &mut TargetOutput) {
        self.call_done(head, text_at(item, "status") == "incomplete", out);
        let known = |key: &str| item.get(key).filter(|value| !value.is_null());
        if let Some(error) = known("error") {
            let text = error.as_str().or_else(|| error.get("message")?.as_str());
            return Self::chunk(out, "tool-output-error", |chunk| {
                chunk.text("toolCallId", &head.call_id);
                chunk.text("errorText", &text.unwrap_or_else(|| error.raw().into()));
                hosted(chunk);
            });
        }
        if let Some(output) = known("output") {
            Self::chunk(out, "tool-output-available", |chunk| {
                chunk.text("toolCallId", &head.call_id);
                chunk.json("output", output.raw());
                hosted(chunk);
            });
        }
    }

    /// An annotation that cites a file: the client gets the whole of it as metadata.
    fn document(
        &mut self,
        head: &ItemHead,
        part: &SourcePart,
        index: u64,
        annotation: ValueRef<'_>,
        out: &mut TargetOutput,
    ) {
        let named = |key: &str| Some(text_at(annotation, key)).filter(|text| !text.is_empty());
        let Some(file) = named("file_id") else {
            return out.report(AdapterCode::AnnotationDropped, || text_at(annotation, "type"));
        };
        Self::chunk(out, "source-document", |chunk| {
            chunk.joined("sourceId", &head.id, format_args!(":{}:{index}", part.index));
            chunk.text("mediaType", "application/octet-stream");
            chunk.text("title", named("filename").as_ref().unwrap_or(&file));
            chunk.text_if("filename", named("filename").as_deref());
            self.metadata("providerMetadata", chunk, |ours| ours.json("annotation", annotation.raw()));
        });
    }

    fn file(media: &Media<'_>, out: &mut TargetOutput) {
        Self::chunk(out, "file", |chunk| {
            chunk.text("url", &media.url);
            chunk.text("mediaType", &media.media_type);
        });
    }

    fn item(head: &ItemHead, item: ValueRef<'_>, out: &mut TargetOutput) {
        Self::chunk(out, "data-open-responses-item", |chunk| {
            chunk.text("id", &head.id);
            chunk.json("data", item.raw());
        });
    }
}

impl TargetFormat for UiTarget {
    fn shown_calls(&self) -> ShownCalls {
        ShownCalls { custom: true, mcp: true }
    }

    fn start(&mut self, start: &ResponseStart, out: &mut TargetOutput) {
        let id = self.options.message_id.as_deref().unwrap_or(&start.id);
        Self::chunk(out, "start", |chunk| chunk.text_if("messageId", Some(id).filter(|id| !id.is_empty())));
        Self::chunk(out, "start-step", |_| {});
    }

    fn item_added(&mut self, head: &mut ItemHead, item: Option<ValueRef<'_>>, out: &mut TargetOutput) {
        match (head.shape, item) {
            (ItemShape::Function | ItemShape::Custom | ItemShape::Mcp, _) => {
                self.calls.insert(head.call_id.clone());
                Self::chunk(out, "tool-input-start", |chunk| tool(chunk, head));
            }
            (ItemShape::Other, Some(item)) if !media::is_media_item(head) => Self::item(head, item, out),
            _ => {}
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
            if !core::mem::replace(&mut part.started_in_target, true) {
                Self::chunk(out, "text-start", |chunk| {
                    text_id(chunk, head, part);
                    if part.channel == TextChannel::Refusal {
                        self.metadata("providerMetadata", chunk, |ours| ours.json("refusal", "true"));
                    }
                });
            }
            Self::chunk(out, "text-delta", |chunk| {
                text_id(chunk, head, part);
                chunk.text("delta", text);
            });
            return;
        }
        let here = (part.channel, part.index);
        if self.reasoning.get(&head.serial) != Some(&here) {
            self.end_reasoning(head, None, out);
            Self::chunk(out, "reasoning-start", |chunk| reasoning_id(chunk, head, Some(here)));
            self.reasoning.insert(head.serial, here);
        }
        Self::chunk(out, "reasoning-delta", |chunk| {
            reasoning_id(chunk, head, Some(here));
            chunk.text("delta", text);
        });
    }

    fn annotation(
        &mut self,
        head: &mut ItemHead,
        part: &mut SourcePart,
        index: u64,
        annotation: ValueRef<'_>,
        out: &mut TargetOutput,
    ) {
        let Some(url) = media::url_citation(annotation) else {
            return self.document(head, part, index, annotation, out);
        };
        let title = text_at(annotation, "title");
        Self::chunk(out, "source-url", |chunk| {
            chunk.joined("sourceId", &head.id, format_args!(":{}:{index}", part.index));
            chunk.text("url", &url);
            chunk.text_if("title", Some(title.as_str()).filter(|title| !title.is_empty()));
        });
    }

    fn text_done(&mut self, head: &mut ItemHead, part: &mut SourcePart, out: &mut TargetOutput) {
        Self::end_text(head, part, out);
    }

    fn foreign_part(&mut self, _head: &mut ItemHead, _index: u64, part: ValueRef<'_>, out: &mut TargetOutput) {
        match media::of_part(part) {
            Some(media) => Self::file(&media, out),
            None if media::is_media_part(part) => out.report_code(AdapterCode::MediaDropped),
            None => out.report_code(AdapterCode::ContentPartDropped),
        }
    }

    fn arguments(&mut self, head: &mut ItemHead, text: &str, out: &mut TargetOutput) {
        // A client reads the deltas of a tool's input as JSON, so plain text comes at once, when it is complete.
        if head.shape == ItemShape::Custom {
            return;
        }
        Self::chunk(out, "tool-input-delta", |chunk| {
            chunk.text("toolCallId", &head.call_id);
            chunk.text("inputTextDelta", text);
        });
    }

    fn item_done(&mut self, slot: &mut SourceItem, item: ValueRef<'_>, out: &mut TargetOutput) {
        let head = &slot.head;
        match head.shape {
            ItemShape::Reasoning => {
                let secret = text_at(item, "encrypted_content");
                self.end_reasoning(head, Some(secret.as_str()).filter(|secret| !secret.is_empty()), out);
            }
            ItemShape::Function | ItemShape::Custom => {
                self.call_done(head, text_at(item, "status") == "incomplete", out);
            }
            ItemShape::Mcp => self.mcp_call_done(head, item, out),
            ItemShape::Output => match item.get("output").filter(|_| self.calls.contains(&head.call_id)) {
                Some(output) => Self::chunk(out, "tool-output-available", |chunk| {
                    chunk.text("toolCallId", &head.call_id);
                    chunk.json("output", output.raw());
                }),
                None => out.report_code(AdapterCode::ToolOutputDropped),
            },
            ItemShape::Other if media::is_media_item(head) => match media::of_item(item) {
                Some(media) => Self::file(&media, out),
                None => out.report_code(AdapterCode::MediaDropped),
            },
            ItemShape::Other if head.item_type == "custom_tool_call_output" && self.calls.contains(&head.call_id) => {
                Self::chunk(out, "tool-output-available", |chunk| {
                    chunk.text("toolCallId", &head.call_id);
                    chunk.json("output", item.get("output").map_or("null", |output| output.raw()));
                });
            }
            ItemShape::Other => Self::item(head, item, out),
            ItemShape::Message => {}
        }
    }

    fn event(&mut self, event: &Event<'_>, out: &mut TargetOutput) {
        if event.kind() != Kind::Extension {
            return out.report(AdapterCode::EventDropped, || format!("{}", event.kind()));
        }
        Self::chunk(out, "data-open-responses-event", |chunk| {
            chunk.json("data", event.raw());
            chunk.json("transient", "true");
        });
    }

    fn end(&mut self, end: &ResponseEnd<'_>, open: &mut [&mut SourceItem], out: &mut TargetOutput) {
        for slot in open.iter_mut() {
            let SourceItem { head, parts, .. } = &mut **slot;
            for part in parts.values_mut() {
                Self::end_text(head, part, out);
            }
            self.end_reasoning(head, None, out);
            if head.shape.is_call() && end.status != EndStatus::Failed {
                self.call_done(head, end.status == EndStatus::Incomplete, out);
            }
        }
        if end.status == EndStatus::Failed {
            Self::chunk(out, "error", |chunk| chunk.text("errorText", end.message()));
            return out.done();
        }
        if end.reason == "cancelled" {
            Self::chunk(out, "abort", |chunk| chunk.text("reason", &end.reason));
            return out.done();
        }
        let finish = match (end.status, end.reason.as_str()) {
            (EndStatus::Completed, _) if end.unanswered_calls.iter().any(|call| !self.broken.contains(call)) => {
                "tool-calls"
            }
            (EndStatus::Completed, _) => "stop",
            (_, "max_output_tokens") => "length",
            (_, "content_filter") => "content-filter",
            _ => "other",
        };
        Self::chunk(out, "finish-step", |_| {});
        Self::chunk(out, "finish", |chunk| {
            chunk.text("finishReason", finish);
            if self.options.include_metadata {
                self.metadata("messageMetadata", chunk, |ours| {
                    ours.text_if("responseId", Some(end.start.id.as_str()).filter(|id| !id.is_empty()));
                    ours.text_if("model", Some(end.model().as_str()).filter(|model| !model.is_empty()));
                    ours.text("status", end.status.name());
                    ours.json("usage", end.usage().map_or("null", |usage| usage.raw()));
                });
            }
        });
        out.done();
    }
}

/// The members that every chunk of a tool has. A tool that the server runs is unknown to the client.
fn tool(chunk: &mut ObjectWriter<'_>, head: &ItemHead) {
    chunk.text("toolCallId", &head.call_id);
    chunk.text("toolName", &head.name);
    if head.shape == ItemShape::Mcp {
        hosted(chunk);
    }
}

fn hosted(chunk: &mut ObjectWriter<'_>) {
    chunk.json("providerExecuted", "true");
    chunk.json("dynamic", "true");
}

fn text_id(chunk: &mut ObjectWriter<'_>, head: &ItemHead, part: &SourcePart) {
    chunk.joined("id", &head.id, format_args!(":{}", part.index));
}

/// The id of a reasoning part; without one, the id of the empty part for encrypted content.
fn reasoning_id(chunk: &mut ObjectWriter<'_>, head: &ItemHead, part: Option<(TextChannel, u64)>) {
    match part {
        Some((TextChannel::Summary, index)) => chunk.joined("id", &head.id, format_args!(":s{index}")),
        Some((_, index)) => chunk.joined("id", &head.id, format_args!(":{index}")),
        None => chunk.joined("id", &head.id, format_args!(":e")),
    }
}
