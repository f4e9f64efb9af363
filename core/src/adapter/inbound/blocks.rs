//! The generic block model → Open Responses.
//!
//! Externally tagged JSON, one event a line. Every block is an item of its own, even an empty one; blocks may overlap and
//! are told apart by index. A reasoning block is followed by its whole item where the source has one, so its end waits
//! for the event behind it.

use alloc::collections::btree_map::{BTreeMap, Entry};
use alloc::format;
use alloc::string::{String, ToString};

use super::envelope::Thinking;
use super::hub::{Counts, ErrorType, Hub, PartKind, Slot, Status};
use super::{count, given, text, Carry, Decode, Piece};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Object, Tag, Value, View};

/// The state of one response.
#[derive(Default)]
pub(crate) struct Blocks {
    open: BTreeMap<u64, Block>,
    /// A reasoning item that is closed by the next event, and how.
    waiting: Option<(Slot, Status)>,
    /// Why the response will be incomplete.
    cut: Option<&'static str>,
    stopped: bool,
}

struct Block {
    slot: Slot,
    kind: BlockKind,
    /// The text of a tool's result, which has no deltas.
    output: String,
    carry: Carry,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockKind {
    Text,
    Refusal,
    Thinking,
    ToolUse,
    ToolResult,
}

impl BlockKind {
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

    /// The kind of delta that such a block takes.
    fn delta(self) -> &'static str {
        match self {
            Self::Text | Self::ToolResult => "Text",
            Self::Refusal => "Refusal",
            Self::Thinking => "Thinking",
            Self::ToolUse => "InputJson",
        }
    }
}

impl Decode for Blocks {
    fn message(&mut self, _: Option<&str>, root: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let Some((key, value)) = root.entries().next() else { return Ok(()) };
        let variant = key.as_str().unwrap_or_default();
        hub.start()?;
        if !matches!(variant.as_ref(), "Ping" | "Usage" | "ReasoningItem") {
            self.end_waiting(hub)?;
        }
        match variant.as_ref() {
            "Ping" => Ok(()),
            "Usage" => {
                hub.usage = counts(value).or(hub.usage);
                Ok(())
            }
            "Status" => self.status(value, hub),
            "Error" => fail(value, hub),
            "UnhandledSse" => {
                let member = |key: &str| text(value.get(key)).unwrap_or_default();
                hub.report(AdapterCode::UnhandledSse, &format!("{} {}", member("provider"), member("event_type")));
                Ok(())
            }
            "BlockStart" => self.start(value, hub),
            "BlockDelta" => self.delta(value, hub),
            "BlockStop" => self.stop(value, hub),
            "BlockAbort" => self.abort(value, hub),
            "ReasoningItem" => self.reason(value, hub),
            other => {
                hub.report(AdapterCode::UnknownEvent, other);
                Ok(())
            }
        }
    }

    fn end(&mut self, hub: &mut Hub) -> Result<(), Error> {
        if self.stopped && self.open.is_empty() {
            hub.report(AdapterCode::MissingStatus, "");
            return self.complete(hub);
        }
        hub.fail_truncated()
    }

    fn release(&mut self, hub: &mut Hub) -> Result<(), Error> {
        for (_, block) in core::mem::take(&mut self.open) {
            close(block, Status::Incomplete, hub)?;
        }
        self.end_waiting(hub)
    }

    fn is_idle(&self, _: Option<&str>, root: View<'_>) -> bool {
        let key = root.entries().next().and_then(|(key, _)| key.as_str());
        matches!(key.as_deref(), Some("Ping" | "Status" | "Usage"))
    }
}

impl Blocks {
    fn status(&mut self, status: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let name = text(status.get("status")).or_else(|| status.as_str()).unwrap_or_default();
        match name.as_ref() {
            "Started" => Ok(()),
            "Completed" => self.complete(hub),
            "Cancelled" => {
                self.release(hub)?;
                hub.cancel()
            }
            "Failed" => hub.fail_quietly("server_error", "The upstream reported a failure without details."),
            other => {
                hub.report(AdapterCode::UnknownEvent, other);
                Ok(())
            }
        }
    }

    fn complete(&mut self, hub: &mut Hub) -> Result<(), Error> {
        self.end_waiting(hub)?;
        for (_, block) in core::mem::take(&mut self.open) {
            hub.report(AdapterCode::MissingBlockStop, "");
            close(block, Status::Completed, hub)?;
        }
        match self.cut {
            Some(reason) => hub.incomplete(reason),
            None => hub.complete(),
        }
    }

    fn start(&mut self, start: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let index = count(start.get("index")).unwrap_or(0);
        let name = text(start.get("block_type")).unwrap_or_default();
        let Some(kind) = BlockKind::of(&name) else {
            hub.report(AdapterCode::UnknownEvent, &name);
            return Ok(());
        };
        if let Some(block) = self.open.remove(&index) {
            hub.report(AdapterCode::MissingBlockStop, "");
            close(block, Status::Completed, hub)?;
        }
        let member = |path: &str| text(start.pointer(path)).unwrap_or_default();
        let slot = match kind {
            BlockKind::ToolUse => hub.call(&member("/metadata/ToolUse/id"), &member("/metadata/ToolUse/name"))?,
            BlockKind::ToolResult => hub.output(&member("/metadata/ToolResult/tool_use_id"))?,
            other => open(other, hub)?,
        };
        self.open.insert(index, Block { slot, kind, output: String::new(), carry: Carry::default() });
        Ok(())
    }

    fn delta(&mut self, event: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let index = count(event.get("index")).unwrap_or(0);
        let Some((key, value)) = event.get("delta").and_then(|delta| delta.entries().next()) else {
            hub.report(AdapterCode::UnknownDelta, "");
            return Ok(());
        };
        let name = key.as_str().unwrap_or_default();
        let Some(piece) =
            Piece::of(value).filter(|_| matches!(name.as_ref(), "Text" | "Thinking" | "Refusal" | "InputJson"))
        else {
            hub.report(AdapterCode::UnknownDelta, &name);
            return Ok(());
        };
        let block = match self.open.entry(index) {
            Entry::Occupied(block) => block.into_mut(),
            Entry::Vacant(place) => {
                hub.report(AdapterCode::OrphanDelta, &name);
                let Some(kind) = BlockKind::of(&name) else { return Ok(()) };
                place.insert(Block { slot: open(kind, hub)?, kind, output: String::new(), carry: Carry::default() })
            }
        };
        if block.kind.delta() != name {
            hub.report(AdapterCode::DeltaTypeMismatch, &name);
            return Ok(());
        }
        match block.kind {
            BlockKind::Text => hub.text(block.slot, &piece, &[]),
            BlockKind::Refusal => hub.refusal(block.slot, &piece),
            BlockKind::Thinking => hub.thinking(block.slot, &piece),
            BlockKind::ToolUse => hub.arguments(block.slot, &piece),
            BlockKind::ToolResult => {
                let text = block.carry.join(&piece);
                hub.hold(text.len())?;
                block.output.push_str(&text);
                Ok(())
            }
        }
    }

    fn stop(&mut self, stop: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let reason = text(stop.get("stop_reason"));
        self.stopped |= reason.is_some();
        let cut = match reason.as_deref() {
            Some("MaxTokens") => Some("max_output_tokens"),
            Some("Refusal") => Some("content_filter"),
            Some("StopSequence") => {
                hub.note_finish("block", "StopSequence", Value::Null, Value::Null);
                None
            }
            _ => None,
        };
        self.cut = cut.or(self.cut);
        let Some(block) = self.open.remove(&count(stop.get("index")).unwrap_or(0)) else {
            hub.report(AdapterCode::OrphanStop, "");
            return Ok(());
        };
        let status = if cut.is_some() { Status::Incomplete } else { Status::Completed };
        if block.kind == BlockKind::Thinking {
            hub.end_part(block.slot)?;
            self.waiting = Some((block.slot, status));
            return Ok(());
        }
        close(block, status, hub)
    }

    fn abort(&mut self, abort: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        self.cut = Some("aborted");
        let mut details = Object::new();
        details.push("message", text(abort.get("reason")).unwrap_or_default().as_ref());
        hub.note_finish("block", "abort", Value::Null, details.into());
        match self.open.remove(&count(abort.get("index")).unwrap_or(0)) {
            Some(block) => close(block, Status::Incomplete, hub),
            None => {
                hub.report(AdapterCode::OrphanStop, "");
                Ok(())
            }
        }
    }

    /// The whole of a reasoning item: completes the one that waits, or is one of its own.
    fn reason(&mut self, item: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let (slot, status) = match self.waiting.take() {
            Some(waiting) => waiting,
            None => (hub.reasoning(None)?, Status::Completed),
        };
        let said = item.get("text").and_then(Piece::of).filter(|piece| !piece.is_empty());
        let mut thinking = Thinking::default();
        if let Some(piece) = &said {
            thinking.grow(piece, hub)?;
            if !hub.has_parts(slot) {
                hub.thinking(slot, piece)?;
            }
        }
        for summary in item.get("summary").into_iter().flat_map(|list| list.elements()).filter_map(Piece::of) {
            hub.part(slot, PartKind::Summary)?;
            hub.summary(slot, &summary)?;
        }
        thinking.sign(text(item.get("signature")));
        let encrypted = text(item.get("encrypted_content")).map(|content| content.to_string());
        if let Some(content) = encrypted.or_else(|| thinking.wrap("anthropic", hub)) {
            hub.set(slot, "encrypted_content", content.into())?;
        }
        hub.done(slot, status)
    }

    fn end_waiting(&mut self, hub: &mut Hub) -> Result<(), Error> {
        match self.waiting.take() {
            Some((slot, status)) => hub.done(slot, status),
            None => Ok(()),
        }
    }
}

/// Opens the item of a block that is not about tools. Texts have their part at once, as the source says so.
fn open(kind: BlockKind, hub: &mut Hub) -> Result<Slot, Error> {
    let part = match kind {
        BlockKind::Text => PartKind::Text,
        BlockKind::Refusal => PartKind::Refusal,
        _ => return hub.reasoning(None),
    };
    let slot = hub.message()?;
    hub.part(slot, part)?;
    Ok(slot)
}

fn close(mut block: Block, status: Status, hub: &mut Hub) -> Result<(), Error> {
    if block.kind == BlockKind::ToolResult {
        if block.carry.drop_half() {
            block.output.push('\u{FFFD}');
        }
        hub.set(block.slot, "output", block.output.into())?;
    }
    hub.done(block.slot, status)
}

fn fail(error: View<'_>, hub: &mut Hub) -> Result<(), Error> {
    let code = given(error.get("code")).map(|code| code.as_str().unwrap_or_else(|| code.raw().into()));
    let kind = match code.as_deref() {
        Some("rate_limit_error" | "rate_limit_exceeded" | "429") => ErrorType::TooManyRequests,
        Some("invalid_request_error" | "400" | "401" | "403") => ErrorType::InvalidRequest,
        Some("not_found_error" | "404") => ErrorType::NotFound,
        Some("model_error") => ErrorType::ModelError,
        _ => ErrorType::ServerError,
    };
    hub.fail(kind, code.as_deref(), &text(error.get("message")).unwrap_or_default(), None)
}

fn counts(usage: View<'_>) -> Option<Counts> {
    let read = |key: &str| count(usage.get(key));
    let (input, output) = (read("input_tokens"), read("output_tokens"));
    if usage.tag() != Tag::Object || (input.is_none() && output.is_none()) {
        return None;
    }
    Some(Counts {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0),
        cached: read("cache_read_input_tokens").unwrap_or(0),
        cache_write: read("cache_creation_input_tokens"),
        reasoning: 0,
        total: read("total_tokens"),
    })
}
