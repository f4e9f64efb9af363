//! Open Responses → Chat Completions chunks.
//!
//! One choice, one stream of content: item boundaries are lost, reasoning goes into the field that the reader of the
//! chunks knows, and data without a place in chunks is dropped with a finding.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use super::media::{self, Media};
use super::{
    EndStatus, ItemHead, ItemShape, ObjectWriter, ResponseEnd, ResponseStart, SourceItem, SourcePart, TargetFormat,
    TargetOutput, TextChannel,
};
use crate::adapter::{AdapterCode, ChatOptions};
use crate::event::Event;
use crate::json::{write_string, ValueRef};

/// The Chat Completions side of a conversion.
#[derive(Debug)]
pub(crate) struct ChatTarget {
    /// The field's name as a JSON key, colon included; empty if reasoning is dropped.
    reasoning_key: String,
    include_usage: bool,
    /// The members at the start of every chunk.
    opening: String,
    calls: u64,
    annotations: u64,
    images: u64,
    /// Code points of content so far, without refusals.
    length: u64,
}

/// The `mark` of a reasoning item: the kind of reasoning that came first.
const RAW: u64 = 1;
const SUMMARY: u64 = 2;
/// The other kind came too, and a finding reports it.
const BOTH: u64 = 4;

impl ChatTarget {
    pub(crate) fn new(options: ChatOptions) -> Self {
        let mut key = String::new();
        if let Some(field) = options.reasoning_field {
            write_string(&field, &mut key);
            key.push(':');
        }
        Self {
            reasoning_key: key,
            include_usage: options.include_usage,
            opening: String::new(),
            calls: 0,
            annotations: 0,
            images: 0,
            length: 0,
        }
    }

    fn chunk(&self, out: &mut TargetOutput, delta: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.choice(out, None, None, delta);
    }

    fn choice(
        &self,
        out: &mut TargetOutput,
        logprobs: Option<&str>,
        finish: Option<&str>,
        delta: impl FnOnce(&mut ObjectWriter<'_>),
    ) {
        out.message(None, |chunk| {
            chunk.members(&self.opening);
            chunk.array_of_one("choices", |choice| {
                choice.number("index", 0);
                choice.object("delta", delta);
                if let Some(logprobs) = logprobs {
                    choice.object("logprobs", |both| {
                        both.json("content", logprobs);
                        both.json("refusal", "null");
                    });
                }
                choice.text_or_null("finish_reason", finish.unwrap_or(""));
            });
        });
    }

    fn reasoning(&self, text: &str, out: &mut TargetOutput) {
        self.chunk(out, |delta| delta.text_under(&self.reasoning_key, text));
    }

    /// Reasoning of one kind only: the one that came first in its item.
    fn append_reasoning_delta(
        &mut self,
        head: &mut ItemHead,
        part: &mut SourcePart,
        text: &str,
        out: &mut TargetOutput,
    ) {
        if self.reasoning_key.is_empty() {
            if head.target_number == 0 {
                head.target_number = BOTH;
                out.report_code(AdapterCode::ReasoningDropped);
            }
            return;
        }
        let kind = if part.channel == TextChannel::Summary { SUMMARY } else { RAW };
        match head.target_number & !BOTH {
            0 => head.target_number = kind,
            first if first != kind => {
                if head.target_number & BOTH == 0 {
                    head.target_number |= BOTH;
                    out.report_code(AdapterCode::ReasoningKindDropped);
                }
                return;
            }
            // Two parts of a summary are separated by a blank line.
            SUMMARY if !part.started_in_target => self.reasoning("\n\n", out),
            _ => {}
        }
        part.started_in_target = true;
        self.reasoning(text, out);
    }

    fn image(&mut self, media: &Media<'_>, out: &mut TargetOutput) {
        self.chunk(out, |delta| {
            delta.array_of_one("images", |image| {
                image.text("type", "image_url");
                image.object("image_url", |url| url.text("url", &media.url));
                index(self.images, image);
            });
        });
        self.images += 1;
    }

    fn usage(&self, end: &ResponseEnd<'_>, out: &mut TargetOutput) {
        let Some(tokens) = end.tokens().filter(|_| self.include_usage) else { return };
        out.message(None, |chunk| {
            chunk.members(&self.opening);
            chunk.json("choices", "[]");
            chunk.object("usage", |usage| {
                usage.number("prompt_tokens", tokens.input);
                usage.number("completion_tokens", tokens.output);
                usage.number("total_tokens", tokens.total);
                usage.object("prompt_tokens_details", |details| {
                    details.number("cached_tokens", tokens.cached);
                    if let Some(written) = tokens.cache_write {
                        details.number("cache_write_tokens", written);
                    }
                });
                usage.object("completion_tokens_details", |details| {
                    details.number("reasoning_tokens", tokens.reasoning);
                });
            });
        });
    }
}

impl TargetFormat for ChatTarget {
    fn start(&mut self, start: &ResponseStart, out: &mut TargetOutput) {
        let opening = &mut self.opening;
        opening.push_str("\"id\":");
        write_string(&format!("chatcmpl-{}", start.suffix()), opening);
        opening.push_str(&format!(",\"object\":\"chat.completion.chunk\",\"created\":{},\"model\":", start.created_at));
        write_string(&start.model, opening);
        self.chunk(out, |delta| {
            delta.text("role", "assistant");
            delta.text("content", "");
        });
    }

    fn item_added(&mut self, head: &mut ItemHead, _item: Option<ValueRef<'_>>, out: &mut TargetOutput) {
        if head.shape == ItemShape::Function {
            head.target_number = self.calls;
            self.calls += 1;
            self.chunk(out, |delta| {
                delta.array_of_one("tool_calls", |call| {
                    call.number("index", head.target_number);
                    call.text("id", &head.call_id);
                    call.text("type", "function");
                    call.object("function", |function| {
                        function.text("name", &head.name);
                        function.text("arguments", "");
                    });
                });
            });
        }
    }

    fn delta(
        &mut self,
        head: &mut ItemHead,
        part: &mut SourcePart,
        text: &str,
        logprobs: Option<&str>,
        out: &mut TargetOutput,
    ) {
        match part.channel {
            TextChannel::Text => {
                if !part.started_in_target {
                    part.started_in_target = true;
                    part.target_number = self.length;
                }
                self.length += text.chars().count() as u64;
                self.choice(out, logprobs, None, |delta| delta.text("content", text));
            }
            TextChannel::Refusal => self.chunk(out, |delta| delta.text("refusal", text)),
            _ => self.append_reasoning_delta(head, part, text, out),
        }
    }

    fn annotation(
        &mut self,
        _head: &mut ItemHead,
        part: &mut SourcePart,
        _index: u64,
        annotation: ValueRef<'_>,
        out: &mut TargetOutput,
    ) {
        let Some(url) = media::url_citation(annotation) else {
            return out
                .report(AdapterCode::AnnotationDropped, || "an annotation that is not a url_citation".to_owned());
        };
        if !part.started_in_target {
            part.started_in_target = true;
            part.target_number = self.length;
        }
        let offset = |key: &str| annotation.get(key).and_then(|offset| offset.as_u64()).unwrap_or(0);
        self.chunk(out, |delta| {
            delta.array_of_one("annotations", |citation| {
                citation.text("type", "url_citation");
                citation.object("url_citation", |inner| {
                    inner.text("url", &url);
                    inner.text("title", &super::normalizer::text_at(annotation, "title"));
                    inner.number("start_index", part.target_number.saturating_add(offset("start_index")));
                    inner.number("end_index", part.target_number.saturating_add(offset("end_index")));
                });
                index(self.annotations, citation);
            });
        });
        self.annotations += 1;
    }

    fn foreign_part(&mut self, _head: &mut ItemHead, _index: u64, part: ValueRef<'_>, out: &mut TargetOutput) {
        match media::of_part(part) {
            Some(media) if media.is_image() => self.image(&media, out),
            Some(_) => out.report_code(AdapterCode::MediaDropped),
            None if media::is_media_part(part) => out.report_code(AdapterCode::MediaDropped),
            None => out.report_code(AdapterCode::ContentPartDropped),
        }
    }

    fn arguments(&mut self, head: &mut ItemHead, text: &str, out: &mut TargetOutput) {
        self.chunk(out, |delta| {
            delta.array_of_one("tool_calls", |call| {
                call.number("index", head.target_number);
                call.object("function", |function| function.text("arguments", text));
            });
        });
    }

    fn item_done(&mut self, slot: &mut SourceItem, item: ValueRef<'_>, out: &mut TargetOutput) {
        let head = &slot.head;
        match head.shape {
            ItemShape::Reasoning => {
                if item.get("encrypted_content").is_some_and(|secret| secret.literal().is_some_and(|s| !s.is_empty())) {
                    out.report_code(AdapterCode::EncryptedContentDropped);
                }
            }
            ItemShape::Output => out.report_code(AdapterCode::ToolOutputDropped),
            ItemShape::Other if head.item_type.ends_with("_call_output") => {
                out.report_code(AdapterCode::ToolOutputDropped);
            }
            ItemShape::Other if media::is_media_item(head) || media::is_generated_image(head) => {
                match media::of_item(item) {
                    Some(media) if media.is_image() => self.image(&media, out),
                    _ => out.report_code(AdapterCode::MediaDropped),
                }
            }
            // Custom calls too: the stream helper of `openai` for Python raises AttributeError for a call of the type `custom`.
            ItemShape::Other | ItemShape::Custom | ItemShape::Mcp => {
                out.report(AdapterCode::ItemDropped, || head.item_type.clone());
            }
            ItemShape::Message | ItemShape::Function => {}
        }
    }

    fn event(&mut self, event: &Event<'_>, out: &mut TargetOutput) {
        out.report(AdapterCode::EventDropped, || format!("{}", event.kind()));
    }

    fn end(&mut self, end: &ResponseEnd<'_>, _open: &mut [&mut SourceItem], out: &mut TargetOutput) {
        if end.status == EndStatus::Failed {
            out.message(None, |message| {
                message.object("error", |error| {
                    error.text("message", end.message());
                    error.text("type", error_type(end.error_type()));
                    match &end.failure.param {
                        Some(param) => error.text("param", param),
                        None => error.json("param", "null"),
                    }
                    error.text_or_null("code", &end.failure.code);
                });
            });
            return out.done();
        }
        let finish = match (end.status, end.reason.as_str()) {
            (EndStatus::Completed, _) if !end.unanswered_calls.is_empty() => "tool_calls",
            (EndStatus::Completed, _) => "stop",
            (_, "max_output_tokens") => "length",
            (_, "content_filter") => "content_filter",
            (_, reason) => {
                out.report(AdapterCode::IncompleteReasonLost, || reason.to_owned());
                "stop"
            }
        };
        self.choice(out, None, Some(finish), |_| {});
        self.usage(end, out);
        out.done();
    }
}

/// The index of the entry in its list. OpenAI's own Python helper starts a list with the first entry, and then rejects
/// entries without an index.
fn index(place: u64, entry: &mut ObjectWriter<'_>) {
    if place > 0 {
        entry.number("index", place);
    }
}

fn error_type(kind: &str) -> &'static str {
    match kind {
        "invalid_request" => "invalid_request_error",
        "not_found" => "not_found_error",
        "too_many_requests" => "rate_limit_error",
        _ => "server_error",
    }
}
