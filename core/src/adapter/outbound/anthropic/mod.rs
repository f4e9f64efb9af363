//! Open Responses → Anthropic Messages events.
//!
//! - *Takes*: the steps of the `Normalizer`.
//! - *Gives*: events of the Messages API.
//! - *Promises*: blocks have rising indexes and do not overlap.
//! - *Costs*: linear in each step; the steps of items that wait are held.
//!
//! Blocks may not overlap, items may: while one item is open the steps of the others are queued, and are written in order of
//! output when it is done. Queued steps count towards the limit of a response.

mod block_writer;
mod signature;

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::media;
use super::normalizer::text_at;
use super::target_output::object;
use super::{
    EndStatus, ItemHead, ItemShape, ObjectWriter, ResponseEnd, ResponseStart, SourceItem, SourcePart, TargetFormat,
    TargetOutput, TextChannel, UsageTokens,
};
use crate::adapter::AdapterCode;
use crate::event::Event;
use crate::json::ValueRef;
use block_writer::{BlockWriter, HostedCall};

/// The Anthropic Messages side of a conversion.
#[derive(Debug, Default)]
pub(crate) struct AnthropicTarget {
    blocks: BlockWriter,
    /// The item whose blocks are being written.
    current: Option<ItemOrder>,
    /// Steps of other items.
    waiting: BTreeMap<ItemOrder, Vec<QueuedStep>>,
    depth: usize,
}

/// The position of an item in the order: output index, then arrival.
type ItemOrder = (u64, u32);

/// A queued step of an item.
#[derive(Debug)]
enum QueuedStep {
    Call { id: String, name: String },
    Delta { channel: TextChannel, index: u64, text: String },
    Citation { index: u64, json: String },
    PartDone { index: u64 },
    Arguments(String),
    Done(Box<ItemEnd>),
}

/// How an item is finished.
#[derive(Debug)]
enum ItemEnd {
    Plain,
    /// A reasoning item with its encrypted content.
    Secret(String),
    Hosted(HostedCall),
    /// A block that an adapter stored unchanged, as JSON.
    Block(String),
    /// An item of this type without a corresponding block.
    Nothing(String),
    /// A compaction item with its encrypted content.
    Compaction(String),
}

/// The size of a queued step besides its text.
const STEP: usize = size_of::<QueuedStep>();

/// A longer cited span is truncated, in code points: each citation has a bounded cost, however often a text is cited.
const CITED: u64 = 4096;

/// A byte position is stored for every `STRIDE` code points.
const STRIDE: u64 = 128;

impl AnthropicTarget {
    pub(crate) fn new(depth: usize) -> Self {
        Self { depth, ..Self::default() }
    }

    /// Returns `true` if an item's steps may be written now. If nothing is open, the item becomes the open one.
    fn may_write(&mut self, head: &ItemHead) -> bool {
        let key = (head.output_index, head.serial);
        if self.current.is_none() {
            self.blocks.next_item();
            self.current = Some(key);
        }
        self.current == Some(key)
    }

    fn enqueue(&mut self, head: &ItemHead, step: QueuedStep, bytes: usize, out: &mut TargetOutput) {
        out.account_bytes(STEP + bytes);
        self.waiting.entry((head.output_index, head.serial)).or_default().push(step);
    }

    fn write_or_enqueue(&mut self, head: &ItemHead, step: QueuedStep, bytes: usize, out: &mut TargetOutput) {
        if self.may_write(head) {
            self.write_step(step, out);
            self.write_queued(out);
        } else {
            self.enqueue(head, step, bytes, out);
        }
    }

    fn write_step(&mut self, step: QueuedStep, out: &mut TargetOutput) {
        match step {
            QueuedStep::Call { id, name } => self.blocks.start_call(&id, &name, out),
            QueuedStep::Delta { channel, index, text } => self.blocks.delta(channel, index, &text, out),
            QueuedStep::Citation { index, json } => self.blocks.citation(index, &json, out),
            QueuedStep::PartDone { index } => self.blocks.end_part(index, out),
            QueuedStep::Arguments(text) => self.blocks.arguments(&text, out),
            QueuedStep::Done(finish) => {
                match *finish {
                    ItemEnd::Plain => self.blocks.stop(out),
                    ItemEnd::Secret(secret) => self.blocks.end_reasoning(&secret, self.depth, out),
                    ItemEnd::Hosted(hosted) => self.blocks.hosted(&hosted, out),
                    ItemEnd::Block(json) => self.blocks.raw_block(&json, out),
                    ItemEnd::Nothing(item_type) => out.report(AdapterCode::ItemDropped, || item_type),
                    ItemEnd::Compaction(secret) => self.blocks.compaction(&secret, out),
                }
                self.current = None;
            }
        }
    }

    /// Writes the queued steps, as long as no item is open.
    fn write_queued(&mut self, out: &mut TargetOutput) {
        while self.current.is_none() {
            let Some((key, steps)) = self.waiting.pop_first() else { return };
            self.current = Some(key);
            self.blocks.next_item();
            for step in steps {
                self.write_step(step, out);
            }
        }
    }

    /// Closes the open item and writes all queued steps.
    fn finish_queued(&mut self, out: &mut TargetOutput) {
        loop {
            self.blocks.stop(out);
            self.current = None;
            if self.waiting.is_empty() {
                return;
            }
            self.write_queued(out);
        }
    }

    fn message_delta(&self, end: &ResponseEnd<'_>, out: &mut TargetOutput) {
        let finish = end.response.and_then(|response| response.get("deltafold:finish"));
        let finish = finish.filter(|finish| finish.get("provider").is_some_and(|name| name.is_str("anthropic")));
        let own = finish.and_then(|finish| finish.get("reason")?.as_str());
        let reason = match (end.status, end.reason.as_str()) {
            _ if own.is_some() => own.as_deref().unwrap_or_default(),
            (EndStatus::Incomplete, "max_output_tokens") => "max_tokens",
            (EndStatus::Incomplete, "content_filter") => "refusal",
            (EndStatus::Incomplete, "pause_turn") => "pause_turn",
            (EndStatus::Incomplete, reason) => {
                out.report(AdapterCode::IncompleteReasonLost, || reason.to_owned());
                "end_turn"
            }
            _ if self.blocks.refused => "refusal",
            _ if !end.unanswered_calls.is_empty() => "tool_use",
            _ => "end_turn",
        };
        out.message(Some("message_delta"), |message| {
            message.text("type", "message_delta");
            message.object("delta", |delta| {
                delta.text("stop_reason", reason);
                let sequence = finish.and_then(|finish| finish.get("stop_sequence"));
                delta.json("stop_sequence", sequence.map_or("null", |sequence| sequence.raw()));
                if let Some(details) = finish.and_then(|finish| finish.get("details")).filter(|d| !d.is_null()) {
                    delta.json("stop_details", details.raw());
                }
                own_members(end, |name, value| {
                    if matches!(name, "container" | "stop_details") {
                        delta.json(name, value.raw());
                    }
                });
            });
            message.object("usage", |usage| {
                usage_of(end.tokens(), usage);
                let kept = end.response.and_then(|response| response.get("anthropic:usage"));
                for (name, value) in kept.into_iter().flat_map(|kept| kept.entries()) {
                    usage.json(&name.as_str().unwrap_or_default(), value.raw());
                }
            });
            own_members(end, |name, value| {
                if !matches!(name, "container" | "stop_details" | "usage") {
                    message.json(name, value.raw());
                }
            });
        });
    }
}

/// The members of the snapshot that an adapter kept of an Anthropic stream.
fn own_members(end: &ResponseEnd<'_>, mut write: impl FnMut(&str, ValueRef<'_>)) {
    for (key, value) in end.response.into_iter().flat_map(|response| response.entries()) {
        let key = key.as_str().unwrap_or_default();
        if let Some(name) = key.strip_prefix("anthropic:").filter(|_| !value.is_null()) {
            write(name, value);
        }
    }
}

fn usage_of(tokens: Option<UsageTokens>, usage: &mut ObjectWriter<'_>) {
    let Some(tokens) = tokens else { return usage.number("output_tokens", 0) };
    let written = tokens.cache_write.unwrap_or(0);
    usage.number("input_tokens", tokens.input.saturating_sub(tokens.cached).saturating_sub(written));
    usage.number("cache_creation_input_tokens", written);
    usage.number("cache_read_input_tokens", tokens.cached);
    usage.number("output_tokens", tokens.output);
    if tokens.reasoning > 0 {
        usage.object("output_tokens_details", |details| details.number("thinking_tokens", tokens.reasoning));
    }
}

impl TargetFormat for AnthropicTarget {
    fn own_slug(&self) -> &'static str {
        "anthropic"
    }

    fn start(&mut self, start: &ResponseStart, out: &mut TargetOutput) {
        out.message(Some("message_start"), |event| {
            event.text("type", "message_start");
            event.object("message", |message| {
                message.text("id", &format!("msg_{}", start.suffix()));
                message.text("type", "message");
                message.text("role", "assistant");
                message.text("model", &start.model);
                message.json("content", "[]");
                message.json("stop_reason", "null");
                message.json("stop_sequence", "null");
                message.json("usage", r#"{"input_tokens":0,"output_tokens":0}"#);
            });
        });
    }

    fn item_added(&mut self, head: &mut ItemHead, _item: Option<ValueRef<'_>>, out: &mut TargetOutput) {
        if head.shape == ItemShape::Function {
            let step = QueuedStep::Call { id: head.call_id.clone(), name: head.name.clone() };
            self.write_or_enqueue(head, step, head.call_id.len() + head.name.len(), out);
        } else if makes_blocks(head) {
            // An open item keeps its position, although its first block may be late.
            self.may_write(head);
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
        if self.may_write(head) {
            return self.blocks.delta(part.channel, part.index, text, out);
        }
        let step = QueuedStep::Delta { channel: part.channel, index: part.index, text: text.to_owned() };
        self.enqueue(head, step, text.len(), out);
    }

    fn annotation(
        &mut self,
        head: &mut ItemHead,
        part: &mut SourcePart,
        _index: u64,
        annotation: ValueRef<'_>,
        out: &mut TargetOutput,
    ) {
        let own = annotation.get("anthropic:citation").filter(|citation| !citation.is_null());
        let json = match (own, media::url_citation(annotation)) {
            (Some(own), _) => {
                let mut json = String::new();
                super::push_json(own.raw(), &mut json);
                json
            }
            (None, Some(url)) => {
                let offset = |key: &str| annotation.get(key).and_then(|offset| offset.as_u64()).unwrap_or(0);
                let cited = span(part, offset("start_index"), offset("end_index"));
                let mut json = String::new();
                object(&mut json, |citation| {
                    citation.text("type", "web_search_result_location");
                    citation.text("url", &url);
                    citation.text("title", &text_at(annotation, "title"));
                    citation.text("cited_text", cited);
                    citation.text("encrypted_index", "");
                });
                json
            }
            (None, None) => {
                return out
                    .report(AdapterCode::AnnotationDropped, || "an annotation that is not a url_citation".to_owned())
            }
        };
        let bytes = json.len();
        self.write_or_enqueue(head, QueuedStep::Citation { index: part.index, json }, bytes, out);
    }

    fn part_finishing(
        &mut self,
        head: &mut ItemHead,
        part: &mut SourcePart,
        finished: ValueRef<'_>,
        out: &mut TargetOutput,
    ) {
        // Citations without a URL are not annotations; a reading adapter stored them here.
        let kept = finished.get("anthropic:citations");
        for citation in kept.iter().flat_map(ValueRef::elements) {
            let mut json = String::new();
            super::push_json(citation.raw(), &mut json);
            let bytes = json.len();
            self.write_or_enqueue(head, QueuedStep::Citation { index: part.index, json }, bytes, out);
        }
    }

    fn part_done(&mut self, head: &mut ItemHead, part: &mut SourcePart, out: &mut TargetOutput) {
        if matches!(part.channel, TextChannel::Text | TextChannel::Refusal) {
            self.write_or_enqueue(head, QueuedStep::PartDone { index: part.index }, 0, out);
        }
    }

    fn foreign_part(&mut self, _head: &mut ItemHead, _index: u64, part: ValueRef<'_>, out: &mut TargetOutput) {
        match media::is_media_part(part) {
            true => out.report_code(AdapterCode::MediaDropped),
            false => out.report_code(AdapterCode::ContentPartDropped),
        }
    }

    fn arguments(&mut self, head: &mut ItemHead, text: &str, out: &mut TargetOutput) {
        if self.may_write(head) {
            return self.blocks.arguments(text, out);
        }
        self.enqueue(head, QueuedStep::Arguments(text.to_owned()), text.len(), out);
    }

    fn item_done(&mut self, slot: &mut SourceItem, item: ValueRef<'_>, out: &mut TargetOutput) {
        let head = &slot.head;
        let finish = match head.shape {
            ItemShape::Message | ItemShape::Function => ItemEnd::Plain,
            ItemShape::Reasoning => match text_at(item, "encrypted_content") {
                secret if secret.is_empty() => ItemEnd::Plain,
                secret => ItemEnd::Secret(secret),
            },
            ItemShape::Output => return out.report_code(AdapterCode::ToolOutputDropped),
            ItemShape::Other if media::is_media_item(head) => return out.report_code(AdapterCode::MediaDropped),
            ItemShape::Other if is_hosted(head) => ItemEnd::Hosted(HostedCall::read(item)),
            ItemShape::Other if makes_blocks(head) && head.item_type != "compaction" => {
                match block_writer::raw_block_of(&head.item_type, item) {
                    Some(block) => ItemEnd::Block(block),
                    None => ItemEnd::Nothing(head.item_type.clone()),
                }
            }
            ItemShape::Other if head.item_type == "compaction" => {
                ItemEnd::Compaction(text_at(item, "encrypted_content"))
            }
            ItemShape::Other | ItemShape::Custom | ItemShape::Mcp => {
                return out.report(AdapterCode::ItemDropped, || head.item_type.clone())
            }
        };
        self.write_or_enqueue(head, QueuedStep::Done(Box::new(finish)), item.raw().len(), out);
    }

    fn event(&mut self, event: &Event<'_>, out: &mut TargetOutput) {
        out.report(AdapterCode::EventDropped, || format!("{}", event.kind()));
    }

    fn end(&mut self, end: &ResponseEnd<'_>, open: &mut [&mut SourceItem], out: &mut TargetOutput) {
        for slot in open.iter().filter(|slot| slot.head.shape == ItemShape::Other) {
            out.report(AdapterCode::ItemDropped, || slot.head.item_type.clone());
        }
        if end.status == EndStatus::Failed {
            // The open block stays open, so no block can follow it.
            for _ in core::mem::take(&mut self.waiting) {
                out.report(AdapterCode::ItemDropped, || {
                    "the response failed while the item waited for another item".to_owned()
                });
            }
            out.message(Some("error"), |event| {
                event.text("type", "error");
                event.object("error", |error| {
                    error.text("type", error_type(end));
                    error.text("message", end.message());
                });
            });
            return;
        }
        self.finish_queued(out);
        self.message_delta(end, out);
        out.message(Some("message_stop"), |event| event.text("type", "message_stop"));
    }
}

/// Returns `true` if an item is a hosted tool call as an Anthropic stream has it.
fn is_hosted(head: &ItemHead) -> bool {
    head.item_type.starts_with("anthropic:") && head.item_type.ends_with("_call")
}

fn makes_blocks(head: &ItemHead) -> bool {
    match head.shape {
        ItemShape::Message | ItemShape::Reasoning | ItemShape::Function => true,
        _ => head.item_type == "compaction" || head.item_type.starts_with("anthropic:") && !media::is_media_item(head),
    }
}

fn error_type<'a>(end: &'a ResponseEnd<'_>) -> &'a str {
    match end.failure.code.as_str() {
        own @ ("invalid_request_error"
        | "authentication_error"
        | "permission_error"
        | "billing_error"
        | "not_found_error"
        | "rate_limit_error"
        | "timeout_error"
        | "overloaded_error"
        | "api_error"
        | "request_too_large") => own,
        _ => match end.error_type() {
            "invalid_request" => "invalid_request_error",
            "not_found" => "not_found_error",
            "too_many_requests" => "rate_limit_error",
            _ => "api_error",
        },
    }
}

/// The text between two code points of a part.
fn span(part: &mut SourcePart, start: u64, end: u64) -> &str {
    let (from, to) = (place(part, start), place(part, end.min(start.saturating_add(CITED))));
    part.text().get(from..to.max(from)).unwrap_or("")
}

/// The byte position of a code point; the text's end if it has fewer. O([`STRIDE`]) beyond the part that earlier calls counted.
fn place(part: &mut SourcePart, point: u64) -> usize {
    let text = part.forwarded.text.as_str();
    let steps = &mut part.code_point_offsets;
    if steps.is_empty() {
        steps.push(0);
    }
    while let Some(last) = steps.last().copied().filter(|_| steps.len() as u64 <= point / STRIDE) {
        match text.get(last..).and_then(|rest| rest.char_indices().nth(STRIDE as usize)) {
            Some((step, _)) => steps.push(last + step),
            None => break,
        }
    }
    let step = (point / STRIDE).min(steps.len() as u64 - 1);
    let from = steps.get(step as usize).copied().unwrap_or(0);
    let rest = usize::try_from(point - step * STRIDE).unwrap_or(usize::MAX);
    let found = text.get(from..).and_then(|tail| tail.char_indices().nth(rest));
    found.map_or(text.len(), |(at, _)| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_counts_code_points_wherever_it_lies() {
        let mut part = SourcePart::new(TextChannel::Text, 0);
        let text: Vec<char> = "aé😀".chars().cycle().take(1000).collect();
        part.forwarded.text = text.iter().collect();
        for (start, end) in
            [(0, 0), (0, 3), (127, 129), (128, 128), (255, 700), (999, 1000), (900, 5000), (2000, 3000), (5, 2)]
        {
            let expected: String = text.iter().take(end).skip(start).collect();
            assert_eq!(span(&mut part, start as u64, end as u64), expected, "{start}..{end}");
        }
        assert_eq!(span(&mut part, u64::MAX, u64::MAX), "");
    }
}
