//! Open Responses → Chat Completions chunks.
//!
//! One choice, one stream of content: items lose their borders, reasoning goes into the field that the reader of the
//! chunks knows, and what chunks have no place for is dropped with a finding.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use super::media::{self, Media};
use super::{Channel, End, Head, Members, Out, Part, Shape, Slot, Start, Target, Verdict};
use crate::adapter::{AdapterCode, OptionReader};
use crate::error::Error;
use crate::event::Event;
use crate::json::{write_string, Value, View};

/// How Chat Completions chunks are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatOptions {
    /// `reasoning_field`: the member of a delta that carries reasoning; `None` drops it.
    pub reasoning_field: Option<String>,
    /// `include_usage`: whether a last chunk counts tokens.
    pub include_usage: bool,
}

impl Default for ChatOptions {
    fn default() -> Self {
        Self { reasoning_field: Some("reasoning_content".to_owned()), include_usage: true }
    }
}

impl ChatOptions {
    /// Reads them out of one object for both sides.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`](crate::Code::BadArgument) for a value of the wrong type.
    pub fn from_value(options: &Value) -> Result<Self, Error> {
        let reader = OptionReader::new(options)?;
        let mut all = Self::default();
        if reader.is_null("reasoning_field") {
            all.reasoning_field = None;
        } else if let Some(field) = reader.text("reasoning_field")? {
            all.reasoning_field = Some(field.to_owned());
        }
        all.include_usage = reader.flag("include_usage")?.unwrap_or(true);
        Ok(all)
    }
}

/// The Chat Completions side of a conversion.
#[derive(Debug)]
pub(crate) struct Chat {
    /// The field's name as a JSON key, colon included; empty if reasoning is dropped.
    reasoning_key: String,
    include_usage: bool,
    /// The members that every chunk begins with.
    opening: String,
    calls: u64,
    annotations: u64,
    images: u64,
    /// Code points of content so far, refusals not counted.
    length: u64,
}

/// What an item's mark says of a reasoning item: which kind came first.
const RAW: u64 = 1;
const SUMMARY: u64 = 2;
/// The other kind came too, and a finding says so.
const BOTH: u64 = 4;

impl Chat {
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

    fn chunk(&self, out: &mut Out, delta: impl FnOnce(&mut Members<'_>)) {
        self.choice(out, None, None, delta);
    }

    fn choice(
        &self,
        out: &mut Out,
        logprobs: Option<&str>,
        finish: Option<&str>,
        delta: impl FnOnce(&mut Members<'_>),
    ) {
        out.message(None, |chunk| {
            chunk.members(&self.opening);
            chunk.one("choices", |choice| {
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

    fn reasoning(&self, text: &str, out: &mut Out) {
        self.chunk(out, |delta| delta.text_under(&self.reasoning_key, text));
    }

    /// Reasoning of one kind only: the one that came first in its item.
    fn thought(&mut self, head: &mut Head, part: &mut Part, text: &str, out: &mut Out) {
        if self.reasoning_key.is_empty() {
            if head.mark == 0 {
                head.mark = BOTH;
                out.note(AdapterCode::ReasoningDropped);
            }
            return;
        }
        let kind = if part.channel == Channel::Summary { SUMMARY } else { RAW };
        match head.mark & !BOTH {
            0 => head.mark = kind,
            first if first != kind => {
                if head.mark & BOTH == 0 {
                    head.mark |= BOTH;
                    out.note(AdapterCode::ReasoningKindDropped);
                }
                return;
            }
            // Between two parts of a summary stands a blank line.
            SUMMARY if !part.live => self.reasoning("\n\n", out),
            _ => {}
        }
        part.live = true;
        self.reasoning(text, out);
    }

    fn image(&mut self, media: &Media<'_>, out: &mut Out) {
        self.chunk(out, |delta| {
            delta.one("images", |image| {
                image.text("type", "image_url");
                image.object("image_url", |url| url.text("url", &media.url));
                index(self.images, image);
            });
        });
        self.images += 1;
    }

    fn usage(&self, end: &End<'_>, out: &mut Out) {
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

impl Target for Chat {
    fn start(&mut self, start: &Start, out: &mut Out) {
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

    fn item_added(&mut self, head: &mut Head, _item: Option<View<'_>>, out: &mut Out) {
        if head.shape == Shape::Function {
            head.mark = self.calls;
            self.calls += 1;
            self.chunk(out, |delta| {
                delta.one("tool_calls", |call| {
                    call.number("index", head.mark);
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

    fn delta(&mut self, head: &mut Head, part: &mut Part, text: &str, logprobs: Option<&str>, out: &mut Out) {
        match part.channel {
            Channel::Text => {
                if !part.live {
                    part.live = true;
                    part.mark = self.length;
                }
                self.length += text.chars().count() as u64;
                self.choice(out, logprobs, None, |delta| delta.text("content", text));
            }
            Channel::Refusal => self.chunk(out, |delta| delta.text("refusal", text)),
            _ => self.thought(head, part, text, out),
        }
    }

    fn annotation(&mut self, _head: &mut Head, part: &mut Part, _index: u64, annotation: View<'_>, out: &mut Out) {
        let Some(url) = media::url_citation(annotation) else {
            return out.report(AdapterCode::AnnotationDropped, || "an annotation that is no url_citation".to_owned());
        };
        if !part.live {
            part.live = true;
            part.mark = self.length;
        }
        let offset = |key: &str| annotation.get(key).and_then(|offset| offset.as_u64()).unwrap_or(0);
        self.chunk(out, |delta| {
            delta.one("annotations", |citation| {
                citation.text("type", "url_citation");
                citation.object("url_citation", |inner| {
                    inner.text("url", &url);
                    inner.text("title", &super::walk::text_at(annotation, "title"));
                    inner.number("start_index", part.mark.saturating_add(offset("start_index")));
                    inner.number("end_index", part.mark.saturating_add(offset("end_index")));
                });
                index(self.annotations, citation);
            });
        });
        self.annotations += 1;
    }

    fn foreign_part(&mut self, _head: &mut Head, _index: u64, part: View<'_>, out: &mut Out) {
        match media::of_part(part) {
            Some(media) if media.is_image() => self.image(&media, out),
            Some(_) => out.note(AdapterCode::MediaDropped),
            None if media::is_media_part(part) => out.note(AdapterCode::MediaDropped),
            None => out.note(AdapterCode::ContentPartDropped),
        }
    }

    fn arguments(&mut self, head: &mut Head, text: &str, out: &mut Out) {
        self.chunk(out, |delta| {
            delta.one("tool_calls", |call| {
                call.number("index", head.mark);
                call.object("function", |function| function.text("arguments", text));
            });
        });
    }

    fn item_done(&mut self, slot: &mut Slot, item: View<'_>, out: &mut Out) {
        let head = &slot.head;
        match head.shape {
            Shape::Reasoning => {
                if item.get("encrypted_content").is_some_and(|secret| secret.literal().is_some_and(|s| !s.is_empty())) {
                    out.note(AdapterCode::EncryptedContentDropped);
                }
            }
            Shape::Output => out.note(AdapterCode::ToolOutputDropped),
            Shape::Other if media::is_media_item(head) => match media::of_item(item) {
                Some(media) if media.is_image() => self.image(&media, out),
                _ => out.note(AdapterCode::MediaDropped),
            },
            Shape::Other | Shape::Custom | Shape::Mcp => {
                out.report(AdapterCode::ItemDropped, || head.item_type.clone());
            }
            Shape::Message | Shape::Function => {}
        }
    }

    fn event(&mut self, event: &Event<'_>, out: &mut Out) {
        out.report(AdapterCode::EventDropped, || format!("{}", event.kind()));
    }

    fn end(&mut self, end: &End<'_>, _open: &mut [&mut Slot], out: &mut Out) {
        if end.verdict == Verdict::Failed {
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
        let finish = match (end.verdict, end.reason.as_str()) {
            (Verdict::Completed, _) if !end.pending.is_empty() => "tool_calls",
            (Verdict::Completed, _) => "stop",
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

/// The place of an entry in its list. OpenAI's own Python helper starts a list with whatever comes first, and then refuses
/// entries that do not say where they belong.
fn index(place: u64, entry: &mut Members<'_>) {
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
