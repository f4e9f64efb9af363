//! Open Responses → the UI message stream of the Vercel AI SDK.
//!
//! Texts and reasoning are parts with an id, calls are tools, everything the SDK has no part for is a data part. A client runs
//! a call as soon as its input is available, so a call that was cut off or is no JSON is told as an error.

use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;

use super::media::{self, Media};
use super::walk::text_at;
use super::{Channel, End, Head, Members, Out, Part, Shape, Slot, Start, Target, Verdict};
use crate::adapter::{AdapterCode, OptionReader};
use crate::contract::Kind;
use crate::error::Error;
use crate::event::Event;
use crate::json::{write_string, Tape, Value, View};

/// How a UI message stream is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UiOptions {
    /// `message_id`: the message that the stream builds; the response's id if absent.
    pub message_id: Option<String>,
    /// `provider_key`: the key of what the stream adds as provider metadata.
    pub provider_key: String,
    /// `include_metadata`: whether the last chunk carries id, model, status and usage of the response.
    pub include_metadata: bool,
}

impl Default for UiOptions {
    fn default() -> Self {
        Self { message_id: None, provider_key: "openResponses".to_owned(), include_metadata: false }
    }
}

impl UiOptions {
    /// Reads them out of one object for both sides.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`](crate::Code::BadArgument) for a value of the wrong type.
    pub fn from_value(options: &Value) -> Result<Self, Error> {
        let reader = OptionReader::new(options)?;
        let defaults = Self::default();
        Ok(Self {
            message_id: reader.text("message_id")?.map(str::to_owned),
            provider_key: reader.text("provider_key")?.map_or(defaults.provider_key, str::to_owned),
            include_metadata: reader.flag("include_metadata")?.unwrap_or(false),
        })
    }
}

/// The UI message stream side of a conversion.
#[derive(Debug)]
pub(crate) struct Ui {
    options: UiOptions,
    /// The provider key as JSON, colon included.
    key: String,
    /// The open reasoning part of each item that has one: it ends with the item, which may hold a secret.
    reasoning: BTreeMap<u32, (Channel, u64)>,
    /// Calls that a client must not run.
    broken: BTreeSet<String>,
    calls: BTreeSet<String>,
    tape: Tape,
    depth: usize,
}

const NOT_JSON: &str = "The tool arguments are not valid JSON.";
const CUT: &str = "The tool call was cut off before its arguments were complete.";

impl Ui {
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

    fn chunk(out: &mut Out, kind: &str, fill: impl FnOnce(&mut Members<'_>)) {
        out.message(None, |chunk| {
            chunk.text("type", kind);
            fill(chunk);
        });
    }

    /// Writes an object under the provider key.
    fn metadata(&self, member: &str, chunk: &mut Members<'_>, fill: impl FnOnce(&mut Members<'_>)) {
        let mut inner = self.key.clone();
        super::message::members(&mut inner, fill);
        inner.push('}');
        chunk.object(member, |metadata| metadata.members(&inner));
    }

    fn end_reasoning(&mut self, head: &Head, secret: Option<&str>, out: &mut Out) {
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

    fn end_text(head: &Head, part: &mut Part, out: &mut Out) {
        if core::mem::take(&mut part.live) {
            Self::chunk(out, "text-end", |chunk| text_id(chunk, head, part));
        }
    }

    fn call_done(&mut self, head: &Head, cut: bool, out: &mut Out) {
        let text = head.arguments.text.trim();
        let empty = text.is_empty() && !cut;
        let good = empty || (!cut && self.tape.parse(text, self.depth).is_ok());
        if good {
            Self::chunk(out, "tool-input-available", |chunk| {
                chunk.text("toolCallId", &head.call_id);
                chunk.text("toolName", &head.name);
                // No arguments at all: what the SDK itself makes of them.
                chunk.json("input", if empty { "{}" } else { text });
            });
            return;
        }
        self.broken.insert(head.call_id.clone());
        Self::chunk(out, "tool-input-error", |chunk| {
            chunk.text("toolCallId", &head.call_id);
            chunk.text("toolName", &head.name);
            chunk.text("input", &head.arguments.text);
            chunk.text("errorText", if cut { CUT } else { NOT_JSON });
        });
    }

    fn file(media: &Media<'_>, out: &mut Out) {
        Self::chunk(out, "file", |chunk| {
            chunk.text("url", &media.url);
            chunk.text("mediaType", &media.media_type);
        });
    }

    fn item(head: &Head, item: View<'_>, out: &mut Out) {
        Self::chunk(out, "data-open-responses-item", |chunk| {
            chunk.text("id", &head.id);
            chunk.json("data", item.raw());
        });
    }
}

impl Target for Ui {
    fn start(&mut self, start: &Start, out: &mut Out) {
        let id = self.options.message_id.as_deref().unwrap_or(&start.id);
        Self::chunk(out, "start", |chunk| chunk.text_if("messageId", Some(id).filter(|id| !id.is_empty())));
        Self::chunk(out, "start-step", |_| {});
    }

    fn item_added(&mut self, head: &mut Head, item: Option<View<'_>>, out: &mut Out) {
        match (head.shape, item) {
            (Shape::Function, _) => {
                self.calls.insert(head.call_id.clone());
                Self::chunk(out, "tool-input-start", |chunk| {
                    chunk.text("toolCallId", &head.call_id);
                    chunk.text("toolName", &head.name);
                });
            }
            (Shape::Other, Some(item)) if !media::is_media_item(head) => Self::item(head, item, out),
            _ => {}
        }
    }

    fn delta(&mut self, head: &mut Head, part: &mut Part, text: &str, _logprobs: Option<&str>, out: &mut Out) {
        if matches!(part.channel, Channel::Text | Channel::Refusal) {
            if !core::mem::replace(&mut part.live, true) {
                Self::chunk(out, "text-start", |chunk| {
                    text_id(chunk, head, part);
                    if part.channel == Channel::Refusal {
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

    fn annotation(&mut self, head: &mut Head, part: &mut Part, index: u64, annotation: View<'_>, out: &mut Out) {
        let Some(url) = media::url_citation(annotation) else {
            return out.report(AdapterCode::AnnotationDropped, || "an annotation that is no url_citation".to_owned());
        };
        let title = text_at(annotation, "title");
        Self::chunk(out, "source-url", |chunk| {
            chunk.joined("sourceId", &head.id, format_args!(":{}:{index}", part.index));
            chunk.text("url", &url);
            chunk.text_if("title", Some(title.as_str()).filter(|title| !title.is_empty()));
        });
    }

    fn text_done(&mut self, head: &mut Head, part: &mut Part, out: &mut Out) {
        Self::end_text(head, part, out);
    }

    fn foreign_part(&mut self, _head: &mut Head, _index: u64, part: View<'_>, out: &mut Out) {
        match media::of_part(part) {
            Some(media) => Self::file(&media, out),
            None if media::is_media_part(part) => out.note(AdapterCode::MediaDropped),
            None => out.note(AdapterCode::ContentPartDropped),
        }
    }

    fn arguments(&mut self, head: &mut Head, text: &str, out: &mut Out) {
        Self::chunk(out, "tool-input-delta", |chunk| {
            chunk.text("toolCallId", &head.call_id);
            chunk.text("inputTextDelta", text);
        });
    }

    fn item_done(&mut self, slot: &mut Slot, item: View<'_>, out: &mut Out) {
        let head = &slot.head;
        match head.shape {
            Shape::Reasoning => {
                let secret = text_at(item, "encrypted_content");
                self.end_reasoning(head, Some(secret.as_str()).filter(|secret| !secret.is_empty()), out);
            }
            Shape::Function => self.call_done(head, text_at(item, "status") == "incomplete", out),
            Shape::Output => match item.get("output").filter(|_| self.calls.contains(&head.call_id)) {
                Some(output) => Self::chunk(out, "tool-output-available", |chunk| {
                    chunk.text("toolCallId", &head.call_id);
                    chunk.json("output", output.raw());
                }),
                None => out.note(AdapterCode::ToolOutputDropped),
            },
            Shape::Other if media::is_media_item(head) => match media::of_item(item) {
                Some(media) => Self::file(&media, out),
                None => out.note(AdapterCode::MediaDropped),
            },
            Shape::Other | Shape::Custom | Shape::Mcp => Self::item(head, item, out),
            Shape::Message => {}
        }
    }

    fn event(&mut self, event: &Event<'_>, out: &mut Out) {
        if event.kind() != Kind::Extension {
            return out.report(AdapterCode::EventDropped, || format!("{}", event.kind()));
        }
        Self::chunk(out, "data-open-responses-event", |chunk| {
            chunk.json("data", event.raw());
            chunk.json("transient", "true");
        });
    }

    fn end(&mut self, end: &End<'_>, open: &mut [&mut Slot], out: &mut Out) {
        for slot in open.iter_mut() {
            let Slot { head, parts, .. } = &mut **slot;
            for part in parts.values_mut() {
                Self::end_text(head, part, out);
            }
            self.end_reasoning(head, None, out);
            if head.shape == Shape::Function && end.verdict != Verdict::Failed {
                self.call_done(head, end.verdict == Verdict::Incomplete, out);
            }
        }
        if end.verdict == Verdict::Failed {
            Self::chunk(out, "error", |chunk| chunk.text("errorText", end.message()));
            return out.done();
        }
        if end.reason == "cancelled" {
            Self::chunk(out, "abort", |chunk| chunk.text("reason", &end.reason));
            return out.done();
        }
        let finish = match (end.verdict, end.reason.as_str()) {
            (Verdict::Completed, _) if end.pending.iter().any(|call| !self.broken.contains(call)) => "tool-calls",
            (Verdict::Completed, _) => "stop",
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
                    ours.text("status", end.verdict.status());
                    ours.json("usage", end.usage().map_or("null", |usage| usage.raw()));
                });
            }
        });
        out.done();
    }
}

fn text_id(chunk: &mut Members<'_>, head: &Head, part: &Part) {
    chunk.joined("id", &head.id, format_args!(":{}", part.index));
}

/// The id of a reasoning part; without one, that of the empty part made for a secret.
fn reasoning_id(chunk: &mut Members<'_>, head: &Head, part: Option<(Channel, u64)>) {
    match part {
        Some((Channel::Summary, index)) => chunk.joined("id", &head.id, format_args!(":s{index}")),
        Some((_, index)) => chunk.joined("id", &head.id, format_args!(":{index}")),
        None => chunk.joined("id", &head.id, format_args!(":e")),
    }
}
