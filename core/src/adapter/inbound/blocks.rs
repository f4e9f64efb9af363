//! The generic block model → Open Responses.
//!
//! Externally tagged JSON, one event per line. Every block is an item, even an empty one; blocks may overlap and
//! are distinguished by index. A reasoning block is followed by its whole item if the source has one, so its end waits
//! for the next event.

use alloc::collections::btree_map::{BTreeMap, Entry};
use alloc::format;
use alloc::string::{String, ToString};

use super::builder::{ErrorType, ItemStatus, OutputSlot, PartKind, ResponseBuilder, TokenCounts};
use super::encrypted_content::SignedThinking;
use super::{count, fail_with_body, is_error_body, non_null, text, DialectDecoder, SurrogateCarry, TextPiece};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Object, Value, ValueKind, ValueRef};

/// The state of one response.
#[derive(Default)]
pub(crate) struct BlocksDecoder {
    open: BTreeMap<u64, ModelBlock>,
    /// A reasoning item that the next event closes, and how.
    waiting: Option<(OutputSlot, ItemStatus)>,
    /// The reason why the response will be incomplete.
    cut: Option<&'static str>,
    stopped: bool,
    /// The last status has arrived: the response ends with the next event or the end of input, because the usage may follow.
    end: Option<BlocksEnd>,
}

/// How a response ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlocksEnd {
    Completed,
    Cancelled,
    Failed,
}

struct ModelBlock {
    slot: OutputSlot,
    kind: ModelBlockKind,
    /// The text of a tool's result, which has no deltas.
    output: String,
    carry: SurrogateCarry,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ModelBlockKind {
    Text,
    Refusal,
    Thinking,
    ToolUse,
    ToolResult,
}

impl ModelBlockKind {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "Text" => Self::Text,
            "Refusal" => Self::Refusal,
            "Thinking" => Self::Thinking,
            "ToolUse" => Self::ToolUse,
            "ToolResult" => Self::ToolResult,
            _ => return None,
        })
    }

    /// The kind of delta that the block takes.
    fn delta(self) -> &'static str {
        match self {
            Self::Text | Self::ToolResult => "Text",
            Self::Refusal => "Refusal",
            Self::Thinking => "Thinking",
            Self::ToolUse => "InputJson",
        }
    }
}

impl DialectDecoder for BlocksDecoder {
    fn message(&mut self, _: Option<&str>, root: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some((key, value)) = root.entries().next() else { return Ok(()) };
        let variant = key.as_str().unwrap_or_default();
        if !VARIANTS.contains(&variant.as_ref()) && is_error_body(root, builder) {
            return fail_with_body(root, builder);
        }
        builder.start()?;
        if self.end.is_some() && !matches!(variant.as_ref(), "Ping" | "UnhandledSse") {
            if variant == "Usage" {
                builder.usage = counts(value).or(builder.usage);
            }
            self.end_response(builder)?;
            if !matches!(variant.as_ref(), "Usage" | "Status") {
                builder.report(AdapterCode::EventAfterTerminal, &variant);
            }
            return Ok(());
        }
        if !matches!(variant.as_ref(), "Ping" | "Usage" | "ReasoningItem") {
            self.end_waiting(builder)?;
        }
        match variant.as_ref() {
            "Ping" => Ok(()),
            "Usage" => {
                builder.usage = counts(value).or(builder.usage);
                Ok(())
            }
            "Status" => self.status(value, builder),
            "Error" => fail(value, builder),
            "UnhandledSse" => {
                let member = |key: &str| text(value.get(key)).unwrap_or_default();
                builder.report(AdapterCode::UnhandledSse, &format!("{} {}", member("provider"), member("event_type")));
                Ok(())
            }
            "BlockStart" => self.start(value, builder),
            "BlockDelta" => self.delta(value, builder),
            "BlockStop" => self.stop(value, builder),
            "BlockAbort" => self.abort(value, builder),
            "ReasoningItem" => self.reason(value, builder),
            other => {
                builder.report(AdapterCode::UnknownEvent, other);
                Ok(())
            }
        }
    }

    fn end_of_input(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if self.end.is_some() {
            return self.end_response(builder);
        }
        if self.stopped && self.open.is_empty() {
            builder.report(AdapterCode::MissingStatus, "");
            self.end = Some(BlocksEnd::Completed);
            self.close_blocks(builder)?;
            return self.end_response(builder);
        }
        builder.fail_truncated()
    }

    fn flush_open_items(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if self.end.is_some() {
            return self.end_response(builder);
        }
        for (_, block) in core::mem::take(&mut self.open) {
            close(block, ItemStatus::Incomplete, builder)?;
        }
        self.end_waiting(builder)
    }

    fn is_ignorable_after_end(&self, _: Option<&str>, root: ValueRef<'_>) -> bool {
        let key = root.entries().next().and_then(|(key, _)| key.as_str());
        matches!(key.as_deref(), Some("Ping" | "Status"))
    }
}

impl BlocksDecoder {
    fn status(&mut self, status: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let name = text(status.get("status")).or_else(|| status.as_str()).unwrap_or_default();
        match name.as_ref() {
            "Started" => Ok(()),
            "Completed" => self.complete(builder),
            "Cancelled" => {
                self.flush_open_items(builder)?;
                self.end = Some(BlocksEnd::Cancelled);
                Ok(())
            }
            "Failed" => {
                self.end = Some(BlocksEnd::Failed);
                Ok(())
            }
            other => {
                builder.report(AdapterCode::UnknownEvent, other);
                Ok(())
            }
        }
    }

    fn complete(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        // Some sources send the final usage last, after earlier counts.
        self.end = Some(BlocksEnd::Completed);
        self.close_blocks(builder)
    }

    fn close_blocks(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.end_waiting(builder)?;
        for (_, block) in core::mem::take(&mut self.open) {
            builder.report(AdapterCode::MissingBlockStop, "");
            close(block, ItemStatus::Completed, builder)?;
        }
        Ok(())
    }

    fn end_response(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        match (self.end, self.cut) {
            (Some(BlocksEnd::Cancelled), _) => builder.cancel(),
            (Some(BlocksEnd::Failed), _) => {
                builder.fail_without_event("server_error", "The upstream reported a failure without details.")
            }
            (_, Some(reason)) => builder.incomplete(reason),
            _ => builder.complete(),
        }
    }

    fn start(&mut self, start: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let index = count(start.get("index")).unwrap_or(0);
        let name = text(start.get("block_type")).unwrap_or_default();
        let Some(kind) = ModelBlockKind::of(&name) else {
            builder.report(AdapterCode::UnknownEvent, &name);
            return Ok(());
        };
        if let Some(block) = self.open.remove(&index) {
            builder.report(AdapterCode::MissingBlockStop, "");
            close(block, ItemStatus::Completed, builder)?;
        }
        let member = |path: &str| text(start.pointer(path)).unwrap_or_default();
        let slot = match kind {
            ModelBlockKind::ToolUse => {
                builder.add_call(&member("/metadata/ToolUse/id"), &member("/metadata/ToolUse/name"))?
            }
            ModelBlockKind::ToolResult => builder.add_call_output(&member("/metadata/ToolResult/tool_use_id"))?,
            other => open(other, builder)?,
        };
        self.open.insert(index, ModelBlock { slot, kind, output: String::new(), carry: SurrogateCarry::default() });
        Ok(())
    }

    fn delta(&mut self, event: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let index = count(event.get("index")).unwrap_or(0);
        let Some((key, value)) = event.get("delta").and_then(|delta| delta.entries().next()) else {
            builder.report(AdapterCode::UnknownDelta, "");
            return Ok(());
        };
        let name = key.as_str().unwrap_or_default();
        let Some(piece) = TextPiece::from_json(value)
            .filter(|_| matches!(name.as_ref(), "Text" | "Thinking" | "Refusal" | "InputJson"))
        else {
            builder.report(AdapterCode::UnknownDelta, &name);
            return Ok(());
        };
        let block = match self.open.entry(index) {
            Entry::Occupied(block) => block.into_mut(),
            Entry::Vacant(place) => {
                let Some(kind) = ModelBlockKind::of(&name) else {
                    builder.report(AdapterCode::OrphanDelta, &name);
                    return Ok(());
                };
                builder.report(AdapterCode::MissingBlockStart, &name);
                place.insert(ModelBlock {
                    slot: open(kind, builder)?,
                    kind,
                    output: String::new(),
                    carry: SurrogateCarry::default(),
                })
            }
        };
        if block.kind.delta() != name {
            builder.report(AdapterCode::DeltaTypeMismatch, &name);
            return Ok(());
        }
        match block.kind {
            ModelBlockKind::Text => builder.append_text(block.slot, &piece),
            ModelBlockKind::Refusal => builder.append_refusal(block.slot, &piece),
            ModelBlockKind::Thinking => builder.append_thinking(block.slot, &piece),
            ModelBlockKind::ToolUse => builder.append_arguments(block.slot, &piece),
            ModelBlockKind::ToolResult => {
                let text = piece.join(&mut block.carry);
                builder.account_bytes(text.len())?;
                block.output.push_str(&text);
                Ok(())
            }
        }
    }

    fn stop(&mut self, stop: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let reason = text(stop.get("stop_reason"));
        self.stopped |= reason.is_some();
        let cut = match reason.as_deref() {
            Some("MaxTokens") => Some("max_output_tokens"),
            Some("Refusal") => Some("content_filter"),
            Some("StopSequence") => {
                builder.set_finish_reason("block", "StopSequence", Value::Null, Value::Null);
                None
            }
            _ => None,
        };
        self.cut = cut.or(self.cut);
        let Some(block) = self.open.remove(&count(stop.get("index")).unwrap_or(0)) else {
            builder.report(AdapterCode::OrphanStop, "");
            return Ok(());
        };
        let status = if cut.is_some() { ItemStatus::Incomplete } else { ItemStatus::Completed };
        if block.kind == ModelBlockKind::Thinking {
            builder.close_part(block.slot)?;
            self.waiting = Some((block.slot, status));
            return Ok(());
        }
        close(block, status, builder)
    }

    fn abort(&mut self, abort: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.cut = Some("aborted");
        let mut details = Object::new();
        details.push("message", text(abort.get("reason")).unwrap_or_default().as_ref());
        builder.set_finish_reason("block", "abort", Value::Null, details.into());
        match self.open.remove(&count(abort.get("index")).unwrap_or(0)) {
            Some(block) => close(block, ItemStatus::Incomplete, builder),
            None => {
                builder.report(AdapterCode::OrphanStop, "");
                Ok(())
            }
        }
    }

    /// The whole reasoning item: completes the waiting one, or is a separate item.
    fn reason(&mut self, item: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let (slot, status) = match self.waiting.take() {
            Some(waiting) => waiting,
            None => (builder.add_reasoning(None)?, ItemStatus::Completed),
        };
        let thought = item.get("text").and_then(TextPiece::from_json).filter(|piece| !piece.is_empty());
        let mut thinking = SignedThinking::default();
        if let Some(piece) = &thought {
            thinking.grow(piece, builder)?;
            if !builder.has_parts(slot) {
                builder.append_thinking(slot, piece)?;
            }
        }
        for summary in item.get("summary").into_iter().flat_map(|list| list.elements()).filter_map(TextPiece::from_json)
        {
            builder.open_part(slot, PartKind::Summary)?;
            builder.append_summary(slot, &summary)?;
        }
        thinking.sign(text(item.get("signature")));
        let encrypted = text(item.get("encrypted_content")).map(|content| content.to_string());
        if let Some(content) = encrypted.or_else(|| thinking.wrap("anthropic", builder)) {
            builder.set_field(slot, "encrypted_content", content.into())?;
        }
        builder.close_item(slot, status)
    }

    fn end_waiting(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        match self.waiting.take() {
            Some((slot, status)) => builder.close_item(slot, status),
            None => Ok(()),
        }
    }
}

/// The names of all events.
const VARIANTS: &[&str] = &[
    "Ping",
    "Usage",
    "Status",
    "Error",
    "UnhandledSse",
    "BlockStart",
    "BlockDelta",
    "BlockStop",
    "BlockAbort",
    "ReasoningItem",
];

/// Opens the item of a block that is not about tools. A text gets its part immediately, because the source announces it.
fn open(kind: ModelBlockKind, builder: &mut ResponseBuilder) -> Result<OutputSlot, Error> {
    let part = match kind {
        ModelBlockKind::Text => PartKind::Text,
        ModelBlockKind::Refusal => PartKind::Refusal,
        _ => return builder.add_reasoning(None),
    };
    let slot = builder.add_message()?;
    builder.open_part(slot, part)?;
    Ok(slot)
}

fn close(mut block: ModelBlock, status: ItemStatus, builder: &mut ResponseBuilder) -> Result<(), Error> {
    if block.kind == ModelBlockKind::ToolResult {
        if block.carry.take_lone_surrogate() {
            block.output.push('\u{FFFD}');
        }
        builder.set_field(block.slot, "output", block.output.into())?;
    }
    builder.close_item(block.slot, status)
}

fn fail(error: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
    let code = non_null(error.get("code")).map(|code| code.as_str().unwrap_or_else(|| code.raw().into()));
    let kind = match code.as_deref() {
        Some("rate_limit_error" | "rate_limit_exceeded" | "429") => ErrorType::TooManyRequests,
        Some("invalid_request_error" | "400" | "401" | "403") => ErrorType::InvalidRequest,
        Some("not_found_error" | "404") => ErrorType::NotFound,
        Some("model_error") => ErrorType::ModelError,
        _ => ErrorType::ServerError,
    };
    builder.fail(kind, code.as_deref(), &text(error.get("message")).unwrap_or_default(), None)
}

fn counts(usage: ValueRef<'_>) -> Option<TokenCounts> {
    let read = |key: &str| count(usage.get(key));
    let (input, output) = (read("input_tokens"), read("output_tokens"));
    if usage.kind() != ValueKind::Object || (input.is_none() && output.is_none()) {
        return None;
    }
    Some(TokenCounts {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0),
        cached: read("cache_read_input_tokens").unwrap_or(0),
        cache_write: read("cache_creation_input_tokens"),
        reasoning: 0,
        total: read("total_tokens"),
    })
}
