//! Anthropic Messages → Open Responses.
//!
//! Blocks come one after another; each becomes an item, except that texts in a row are parts of one message. A block is
//! closed before the stream says why the model stopped, so the last item is held back until the next one or the stop
//! reason is there. A hosted tool is two blocks on the wire, call and result, and one extension item here.

mod end;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use end::{fail, Stop, Usage};

use super::citations::{close_text, Citation};
use super::envelope::{self, Thinking};
use super::hub::{ErrorType, Hub, Slot, Status};
use super::{count, extension, text, Decode, Piece};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Object, Value, View};

/// The state of one message.
#[derive(Default)]
pub(crate) struct Anthropic {
    id: Option<String>,
    block: Option<Block>,
    hosted: Hosted,
    stop: Stop,
    usage: Usage,
}

/// The block that is open; there is never more than one.
struct Block {
    index: Option<u64>,
    kind: BlockKind,
    /// Whether a delta has come for it.
    grown: bool,
}

enum BlockKind {
    Text {
        citations: Vec<Value>,
        message: Option<Slot>,
    },
    Thinking {
        slot: Slot,
        thinking: Thinking,
    },
    /// The whole input from the start of the block, and whether deltas have taken its place.
    Call {
        slot: Slot,
        input: String,
        grown: bool,
    },
    /// The input so far; no item if extensions are left out.
    Hosted {
        slot: Option<Slot>,
        input: String,
    },
    Compaction {
        slot: Slot,
        content: String,
        encrypted: String,
    },
    /// Nothing more can come for it.
    Whole,
}

impl BlockKind {
    /// Says whether a delta of this type can belong to such a block.
    fn takes(&self, delta: &str) -> bool {
        match self {
            Self::Text { .. } => matches!(delta, "text_delta" | "citations_delta"),
            Self::Thinking { .. } => matches!(delta, "thinking_delta" | "signature_delta"),
            Self::Call { .. } | Self::Hosted { .. } => delta == "input_json_delta",
            Self::Compaction { .. } => delta == "compaction_delta",
            Self::Whole => false,
        }
    }
}

/// The hosted calls that wait for their results. A call whose id came again waits until the end.
#[derive(Default)]
struct Hosted {
    /// Items by id; `None` if extensions are left out.
    by_id: BTreeMap<String, Option<Slot>>,
    waiting: BTreeSet<Slot>,
}

impl Decode for Anthropic {
    fn message(&mut self, name: Option<&str>, root: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let kind = text(root.get("type"));
        let kind = kind.as_deref().or(name).unwrap_or("");
        match kind {
            "ping" => Ok(()),
            "message_start" => self.start(root, hub),
            "content_block_start" => {
                hub.start()?;
                self.start_block(root, hub)
            }
            "content_block_delta" => {
                hub.start()?;
                self.delta(root, hub)
            }
            "content_block_stop" => {
                hub.start()?;
                let index = count(root.get("index"));
                match &self.block {
                    Some(block) if block.index == index => self.stop_block(hub),
                    _ => {
                        hub.report(AdapterCode::OrphanStop, "a block stops that is not open");
                        Ok(())
                    }
                }
            }
            "message_delta" => {
                hub.start()?;
                self.note_stop(root.get("delta"));
                self.usage.merge(root.get("usage"), hub);
                Ok(())
            }
            "message_stop" => {
                hub.start()?;
                self.conclude(hub)
            }
            "error" => fail(root, hub),
            other => {
                hub.report(AdapterCode::UnknownEvent, other);
                Ok(())
            }
        }
    }

    fn end(&mut self, hub: &mut Hub) -> Result<(), Error> {
        hub.start()?;
        if self.stop.reason.is_some() {
            self.conclude(hub)
        } else {
            hub.fail_truncated()
        }
    }

    fn release(&mut self, hub: &mut Hub) -> Result<(), Error> {
        self.stop_block(hub)
    }

    fn is_idle(&self, name: Option<&str>, root: View<'_>) -> bool {
        let kind = text(root.get("type"));
        matches!(kind.as_deref().or(name), Some("ping" | "message_stop"))
    }
}

impl Anthropic {
    fn start(&mut self, root: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let Some(message) = root.get("message") else { return hub.start() };
        let id = text(message.get("id")).unwrap_or_default();
        if let Some(known) = &self.id {
            if *known == id {
                hub.report(AdapterCode::DuplicateMessageStart, "the same message starts again");
                return Ok(());
            }
            return hub.fail(
                ErrorType::ServerError,
                Some("upstream_protocol_error"),
                "A second message_start with a different id arrived.",
                None,
            );
        }
        self.id = Some(id.to_string());
        hub.facts.set_id(&id);
        hub.facts.set_model(text(message.get("model")));
        if let Some(tier) = text(message.pointer("/usage/service_tier")) {
            let tier = if tier == "standard" { "default" } else { &tier };
            hub.facts.service_tier = Some(tier.to_string());
        }
        self.usage.merge(message.get("usage"), hub);
        self.note_stop(Some(message));
        hub.start()?;
        // A turn that goes on behind a hosted tool can bring whole blocks here, calls among them.
        for block in message.get("content").iter().flat_map(View::elements) {
            self.open_block(None, block, hub)?;
            self.stop_block(hub)?;
        }
        Ok(())
    }

    fn start_block(&mut self, root: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        if self.block.is_some() {
            hub.report(AdapterCode::MissingBlockStop, "a block starts inside another");
            self.stop_block(hub)?;
        }
        let index = count(root.get("index"));
        let Some(block) = root.get("content_block") else {
            hub.report(AdapterCode::UnknownEvent, "a start without a block");
            return Ok(());
        };
        self.open_block(index, block, hub)
    }

    fn open_block(&mut self, index: Option<u64>, block: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        hub.hold(block.raw().len())?;
        let name = text(block.get("type")).unwrap_or_default();
        let kind = match name.as_ref() {
            "text" => BlockKind::Text { citations: list(block.get("citations")), message: None },
            "thinking" => {
                let slot = hub.next_reasoning(None)?;
                let mut thinking = Thinking::default();
                thinking.sign(text(block.get("signature")));
                BlockKind::Thinking { slot, thinking }
            }
            "redacted_thinking" => {
                let data = text(block.get("data")).unwrap_or_default();
                hub.next_reasoning(Some(&envelope::wrap("anthropic", "redacted", &data)))?;
                BlockKind::Whole
            }
            "tool_use" => {
                note_caller(block, hub);
                let (id, name) = (text(block.get("id")), text(block.get("name")));
                let slot = hub.next_call(&id.unwrap_or_default(), &name.unwrap_or_default())?;
                BlockKind::Call { slot, input: whole_input(block), grown: false }
            }
            "server_tool_use" | "mcp_tool_use" => self.start_hosted(&name, block, hub)?,
            "compaction" => {
                let slot = hub.next_compaction()?;
                let content = text(block.get("content")).unwrap_or_default().into_owned();
                let encrypted = text(block.get("encrypted_content")).unwrap_or_default().into_owned();
                BlockKind::Compaction { slot, content, encrypted }
            }
            "fallback" => {
                hub.facts.set_model(text(block.pointer("/to/model")));
                hub.model_changed()?;
                hub.event("anthropic:fallback", members(block, &["from", "to", "trigger"]))?;
                BlockKind::Whole
            }
            result if result.ends_with("_tool_result") => {
                self.result(result, block, hub)?;
                BlockKind::Whole
            }
            other => {
                hub.settle(Status::Completed)?;
                let mut fields = Object::new();
                fields.push("block", block.to_value());
                hub.next_extension(&extension("anthropic", other, ""), fields)?;
                BlockKind::Whole
            }
        };
        self.block = Some(Block { index, kind, grown: false });
        // What the start already holds counts as the first delta.
        match name.as_ref() {
            "text" => self.grow_text(block.get("text"), hub),
            "thinking" => self.grow_thinking(block.get("thinking"), hub),
            _ => Ok(()),
        }
    }

    fn start_hosted(&mut self, name: &str, block: View<'_>, hub: &mut Hub) -> Result<BlockKind, Error> {
        note_caller(block, hub);
        hub.settle(Status::Completed)?;
        let tool = text(block.get("name")).unwrap_or_default();
        let call_id = text(block.get("id")).unwrap_or_default();
        let kind =
            if name == "mcp_tool_use" { "anthropic:mcp_call".into() } else { extension("anthropic", &tool, "_call") };
        let mut fields = Object::new();
        fields.push("call_id", call_id.as_ref());
        fields.push("name", tool.as_ref());
        fields.push("input", block.get("input").map(Value::from).unwrap_or_default());
        fields.push("result", Value::Null);
        if let Some(server) = block.get("server_name") {
            fields.push("server_name", server.to_value());
        }
        let slot = hub.extension(&kind, fields)?;
        self.hosted.by_id.insert(call_id.into_owned(), slot);
        self.hosted.waiting.extend(slot);
        Ok(BlockKind::Hosted { slot, input: String::new() })
    }

    /// The result of a hosted call closes the item of its call.
    fn result(&mut self, kind: &str, block: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        note_caller(block, hub);
        hub.settle(Status::Completed)?;
        let call_id = text(block.get("tool_use_id")).unwrap_or_default();
        let content = block.get("content").map(Value::from).unwrap_or_default();
        let failed = block.get("is_error").and_then(|flag| flag.as_bool()).unwrap_or(false)
            || content.str_at("type").is_some_and(|kind| kind.ends_with("_error"));
        let status = if failed { Status::Failed } else { Status::Completed };
        let slot = match self.hosted.by_id.remove(call_id.as_ref()) {
            Some(slot) => slot,
            None => {
                let mut fields = Object::new();
                fields.push("call_id", call_id.as_ref());
                fields.push("result", Value::Null);
                hub.extension(&extension("anthropic", kind, ""), fields)?
            }
        };
        let Some(slot) = slot else { return Ok(()) };
        self.hosted.waiting.remove(&slot);
        hub.set(slot, "result", content)?;
        hub.done(slot, status)
    }

    fn delta(&mut self, root: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let index = count(root.get("index"));
        let Some(delta) = root.get("delta") else {
            hub.report(AdapterCode::UnknownDelta, "a delta event without a delta");
            return Ok(());
        };
        let name = text(delta.get("type")).unwrap_or_default();
        match &mut self.block {
            Some(block) if block.index == index => {}
            // A start with a wrong index has been seen on the wire: what fits a block that has nothing yet is its own.
            Some(block) if !block.grown && block.kind.takes(&name) => {
                block.index = index;
                hub.report(AdapterCode::MissingBlockStart, "a block started under another index");
            }
            _ => self.open_unstarted(&name, index, hub)?,
        }
        let Some(block) = self.block.as_mut().filter(|block| block.index == index) else { return Ok(()) };
        block.grown = true;
        match (name.as_ref(), &mut block.kind) {
            ("text_delta", BlockKind::Text { .. }) => self.grow_text(delta.get("text"), hub),
            ("citations_delta", BlockKind::Text { citations, .. }) => {
                hub.hold(delta.raw().len())?;
                citations.extend(delta.get("citation").map(Value::from));
                Ok(())
            }
            ("thinking_delta", BlockKind::Thinking { .. }) => self.grow_thinking(delta.get("thinking"), hub),
            ("signature_delta", BlockKind::Thinking { thinking, .. }) => {
                thinking.sign(text(delta.get("signature")));
                Ok(())
            }
            ("input_json_delta", BlockKind::Call { slot, grown, .. }) => {
                let Some(piece) = delta.get("partial_json").and_then(Piece::of) else { return Ok(()) };
                *grown |= !piece.is_empty();
                hub.arguments(*slot, &piece)
            }
            ("input_json_delta", BlockKind::Hosted { input, .. }) => {
                let piece = text(delta.get("partial_json")).unwrap_or_default();
                hub.hold(piece.len())?;
                input.push_str(&piece);
                Ok(())
            }
            ("compaction_delta", BlockKind::Compaction { content, encrypted, .. }) => {
                if let Some(more) = text(delta.get("content")) {
                    hub.hold(more.len())?;
                    content.push_str(&more);
                }
                if let Some(last) = text(delta.get("encrypted_content")) {
                    *encrypted = last.into_owned();
                }
                Ok(())
            }
            (
                "text_delta" | "citations_delta" | "thinking_delta" | "signature_delta" | "input_json_delta"
                | "compaction_delta",
                _,
            ) => {
                hub.report(AdapterCode::DeltaTypeMismatch, &name);
                Ok(())
            }
            _ => {
                hub.report(AdapterCode::UnknownDelta, &name);
                Ok(())
            }
        }
    }

    /// A delta for a block that was not started: text opens one, anything else is dropped.
    fn open_unstarted(&mut self, delta: &str, index: Option<u64>, hub: &mut Hub) -> Result<(), Error> {
        if !matches!(delta, "text_delta" | "thinking_delta") {
            hub.report(AdapterCode::OrphanDelta, delta);
            return Ok(());
        }
        if self.block.is_some() {
            hub.report(AdapterCode::MissingBlockStop, "a delta comes for another block");
            self.stop_block(hub)?;
        }
        hub.report(AdapterCode::MissingBlockStart, delta);
        let kind = if delta == "text_delta" {
            BlockKind::Text { citations: Vec::new(), message: None }
        } else {
            BlockKind::Thinking { slot: hub.next_reasoning(None)?, thinking: Thinking::default() }
        };
        self.block = Some(Block { index, kind, grown: false });
        Ok(())
    }

    fn grow_text(&mut self, value: Option<View<'_>>, hub: &mut Hub) -> Result<(), Error> {
        let Some(piece) = value.and_then(Piece::of).filter(|piece| !piece.is_empty()) else { return Ok(()) };
        let Some(Block { kind: BlockKind::Text { message, .. }, .. }) = &mut self.block else { return Ok(()) };
        let slot = match message {
            Some(slot) => *slot,
            None => *message.insert(hub.in_message()?),
        };
        hub.text(slot, &piece, &[])
    }

    fn grow_thinking(&mut self, value: Option<View<'_>>, hub: &mut Hub) -> Result<(), Error> {
        let Some(piece) = value.and_then(Piece::of).filter(|piece| !piece.is_empty()) else { return Ok(()) };
        let Some(Block { kind: BlockKind::Thinking { slot, thinking }, .. }) = &mut self.block else { return Ok(()) };
        thinking.grow(&piece, hub)?;
        hub.thinking(*slot, &piece)
    }

    fn stop_block(&mut self, hub: &mut Hub) -> Result<(), Error> {
        let Some(block) = self.block.take() else { return Ok(()) };
        match block.kind {
            BlockKind::Text { citations, message } => {
                let citations = citations.into_iter().map(citation).collect();
                close_text("anthropic", citations, message, hub)
            }
            BlockKind::Thinking { slot, thinking } => {
                hub.end_part(slot)?;
                match thinking.wrap("anthropic", hub) {
                    Some(envelope) => hub.set(slot, "encrypted_content", envelope.into()),
                    None => Ok(()),
                }
            }
            BlockKind::Call { slot, input, grown } if !grown => hub.arguments(slot, &Piece::plain(input)),
            BlockKind::Hosted { slot: Some(slot), input } if !input.is_empty() => {
                let parsed = Value::parse(&input, hub.limits.depth).unwrap_or(Value::String(input));
                hub.set(slot, "input", parsed)
            }
            BlockKind::Compaction { slot, content, encrypted } => {
                let (kind, payload) =
                    if encrypted.is_empty() { ("compaction_text", content) } else { ("compaction", encrypted) };
                hub.set(slot, "encrypted_content", envelope::wrap("anthropic", kind, &payload).into())
            }
            BlockKind::Call { .. } | BlockKind::Hosted { .. } | BlockKind::Whole => Ok(()),
        }
    }
}

/// The URL of a citation is that of a page, or the source of a search result if that is one.
fn citation(raw: Value) -> Citation {
    let source = raw.str_at("source").filter(|text| text.starts_with("http://") || text.starts_with("https://"));
    Citation {
        url: raw.str_at("url").or(source).map(String::from),
        title: raw.str_at("title").unwrap_or_default().to_string(),
        raw,
    }
}

/// The input that a call has at its start, as compact JSON; empty if that says nothing.
fn whole_input(block: View<'_>) -> String {
    let input = block.get("input").map(Value::from).unwrap_or_default();
    match &input {
        Value::Null => String::new(),
        Value::Object(object) if object.is_empty() => String::new(),
        input => input.to_string(),
    }
}

fn note_caller(block: View<'_>, hub: &mut Hub) {
    if let Some(caller) = text(block.pointer("/caller/type")).filter(|caller| caller != "direct") {
        hub.report(AdapterCode::CallerDropped, &caller);
    }
}

fn members(object: View<'_>, keys: &[&str]) -> Object {
    keys.iter().filter_map(|key| Some((key.to_string(), object.get(key)?.to_value()))).collect()
}

fn list(value: Option<View<'_>>) -> Vec<Value> {
    value.into_iter().flat_map(|list| list.elements()).map(Value::from).collect()
}
