//! Anthropic Messages → Open Responses.
//!
//! - *Takes*: the events of the Messages API, as JSON.
//! - *Gives*: calls of the `ResponseBuilder`: blocks become items.
//! - *Promises*: those of [`adapter`](crate::adapter).
//! - *Costs*: linear in each event; text of open blocks is held by the builder only.
//!
//! Blocks come one after another; each becomes an item, except that consecutive texts are parts of one message. A block is
//! closed before the stream has the reason why the model stopped, so the end of the last item is delayed until the next block or the stop
//! reason arrives. A hosted tool is two blocks on the wire, call and result, and one extension item here.

mod end;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use end::{fail, AnthropicStopReason, AnthropicUsage};

use super::builder::{ErrorType, ItemStatus, OutputSlot, ResponseBuilder};
use super::citations::{close_text, Citation};
use super::encrypted_content::{self, SignedThinking};
use super::{count, extension_type, fail_with_body, is_error_body, text, DialectDecoder, TextPiece};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Object, Value, ValueRef};

/// The state of one message.
#[derive(Default)]
pub(crate) struct AnthropicDecoder {
    id: Option<String>,
    block: Option<AnthropicBlock>,
    hosted: PendingHostedCalls,
    stop: AnthropicStopReason,
    usage: AnthropicUsage,
}

/// The open block; there is never more than one.
struct AnthropicBlock {
    index: Option<u64>,
    kind: AnthropicBlockKind,
    /// True if a delta arrived for it.
    grown: bool,
}

enum AnthropicBlockKind {
    Text {
        citations: Vec<Value>,
        message: Option<OutputSlot>,
    },
    Thinking {
        slot: OutputSlot,
        thinking: SignedThinking,
    },
    /// The whole input from the start of the block, and whether deltas have replaced it.
    Call {
        slot: OutputSlot,
        input: String,
        grown: bool,
    },
    /// The input so far; no item if extensions are left out.
    Hosted {
        slot: Option<OutputSlot>,
        input: String,
    },
    Compaction {
        slot: Option<OutputSlot>,
        content: String,
        encrypted: String,
    },
    /// The block is complete.
    Whole,
}

impl AnthropicBlockKind {
    /// Returns `true` if a delta of this type can belong to the block.
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

/// The hosted calls that wait for their results. A call with a repeated id waits until the end.
#[derive(Default)]
struct PendingHostedCalls {
    /// Items by id; `None` if extensions are left out.
    by_id: BTreeMap<String, Option<OutputSlot>>,
    waiting: BTreeSet<OutputSlot>,
}

impl DialectDecoder for AnthropicDecoder {
    fn message(&mut self, name: Option<&str>, root: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let message = StreamMembers::of(root);
        let kind = text(message.kind);
        let kind = kind.as_deref().or(name).unwrap_or("");
        match kind {
            "ping" => Ok(()),
            "message_start" => self.start(root, builder),
            "content_block_start" => {
                builder.start()?;
                self.start_block(&message, builder)
            }
            "content_block_delta" => {
                builder.start()?;
                self.delta(&message, builder)
            }
            "content_block_stop" => {
                builder.start()?;
                let index = count(message.index);
                match &self.block {
                    Some(block) if block.index == index => self.stop_block(builder),
                    _ => {
                        builder.report(AdapterCode::OrphanStop, "the stop of a block that is not open");
                        Ok(())
                    }
                }
            }
            "message_delta" => {
                builder.start()?;
                self.note_stop(message.delta, builder)?;
                self.usage.merge(message.usage, builder);
                builder.keep_others("anthropic", "", Some(root), &["type", "delta", "usage"], &[])?;
                builder.keep_others("anthropic", "", message.delta, STOP_MEMBERS, &[])?;
                keep_usage(message.usage, builder)
            }
            "message_stop" => {
                builder.start()?;
                self.conclude(builder)
            }
            "error" => fail(root, builder),
            _ if is_error_body(root, builder) && root.get("error").is_some() => fail(root, builder),
            _ if is_error_body(root, builder) => fail_with_body(root, builder),
            other => {
                builder.report(AdapterCode::UnknownEvent, other);
                Ok(())
            }
        }
    }

    fn end_of_input(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        builder.start()?;
        if self.stop.reason.is_some() {
            self.conclude(builder)
        } else {
            builder.fail_truncated()
        }
    }

    fn flush_open_items(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.stop_block(builder)
    }

    fn is_ignorable_after_end(&self, name: Option<&str>, root: ValueRef<'_>) -> bool {
        let kind = text(root.get("type"));
        matches!(kind.as_deref().or(name), Some("ping" | "message_stop"))
    }
}

impl AnthropicDecoder {
    fn start(&mut self, root: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(message) = root.get("message") else { return builder.start() };
        let id = text(message.get("id")).unwrap_or_default();
        if let Some(known) = &self.id {
            if *known == id {
                builder.report(AdapterCode::DuplicateMessageStart, "a second start of the same message");
                return Ok(());
            }
            return builder.fail(
                ErrorType::ServerError,
                Some("upstream_protocol_error"),
                "A second message_start with a different id arrived.",
                None,
            );
        }
        self.id = Some(id.to_string());
        builder.facts.set_id(&id);
        builder.facts.set_model(text(message.get("model")));
        if let Some(tier) = text(message.pointer("/usage/service_tier")) {
            let tier = if tier == "standard" { "default" } else { &tier };
            builder.facts.service_tier = Some(tier.to_string());
        }
        self.usage.merge(message.get("usage"), builder);
        builder.keep_others("anthropic", "", Some(message), MESSAGE_MEMBERS, &[])?;
        keep_usage(message.get("usage"), builder)?;
        self.note_stop(Some(message), builder)?;
        builder.start()?;
        // A turn that continues after a hosted tool can have whole blocks here, including calls.
        for block in message.get("content").iter().flat_map(ValueRef::elements) {
            self.open_block(None, block, builder)?;
            self.stop_block(builder)?;
        }
        Ok(())
    }

    fn start_block(&mut self, message: &StreamMembers<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if self.block.is_some() {
            builder.report(AdapterCode::MissingBlockStop, "the start of a block inside another");
            self.stop_block(builder)?;
        }
        let index = count(message.index);
        let Some(block) = message.content_block else {
            builder.report(AdapterCode::UnknownEvent, "a start without a block");
            return Ok(());
        };
        self.open_block(index, block, builder)
    }

    fn open_block(
        &mut self,
        index: Option<u64>,
        block: ValueRef<'_>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        builder.account_bytes(block.raw().len())?;
        let name = text(block.get("type")).unwrap_or_default();
        let kind = match name.as_ref() {
            "text" => AnthropicBlockKind::Text { citations: list(block.get("citations")), message: None },
            "thinking" => {
                let slot = builder.start_reasoning(None)?;
                let mut thinking = SignedThinking::default();
                thinking.sign(text(block.get("signature")));
                AnthropicBlockKind::Thinking { slot, thinking }
            }
            "redacted_thinking" => {
                let data = text(block.get("data")).unwrap_or_default();
                builder.start_reasoning(Some(&encrypted_content::wrap("anthropic", "redacted", &data)))?;
                AnthropicBlockKind::Whole
            }
            "tool_use" => {
                let (id, name) = (text(block.get("id")), text(block.get("name")));
                let slot = builder.start_call(&id.unwrap_or_default(), &name.unwrap_or_default())?;
                keep_fields(slot, block, builder)?;
                AnthropicBlockKind::Call { slot, input: initial_input(block), grown: false }
            }
            "server_tool_use" | "mcp_tool_use" => self.start_hosted(&name, block, builder)?,
            "compaction" => {
                let slot = builder.start_compaction("anthropic:compaction")?;
                if let Some(slot) = slot {
                    keep_fields(slot, block, builder)?;
                }
                let content = text(block.get("content")).unwrap_or_default().into_owned();
                let encrypted = text(block.get("encrypted_content")).unwrap_or_default().into_owned();
                AnthropicBlockKind::Compaction { slot, content, encrypted }
            }
            "fallback" => {
                builder.facts.set_model(text(block.pointer("/to/model")));
                builder.update_model()?;
                builder.write_extension_event("anthropic:fallback", members(block, &["from", "to", "trigger"]))?;
                AnthropicBlockKind::Whole
            }
            result if result.ends_with("_tool_result") => {
                self.result(result, block, builder)?;
                AnthropicBlockKind::Whole
            }
            other => {
                builder.close_last_item(ItemStatus::Completed)?;
                let mut fields = Object::new();
                fields.push("block", block.to_value());
                builder.start_extension(&extension_type("anthropic", other, ""), fields)?;
                AnthropicBlockKind::Whole
            }
        };
        self.block = Some(AnthropicBlock { index, kind, grown: false });
        // The content of the start counts as the first delta.
        match name.as_ref() {
            "text" => self.append_text(block.get("text"), builder),
            "thinking" => self.append_thinking(block.get("thinking"), builder),
            _ => Ok(()),
        }
    }

    fn start_hosted(
        &mut self,
        name: &str,
        block: ValueRef<'_>,
        builder: &mut ResponseBuilder,
    ) -> Result<AnthropicBlockKind, Error> {
        builder.close_last_item(ItemStatus::Completed)?;
        let tool = text(block.get("name")).unwrap_or_default();
        let call_id = text(block.get("id")).unwrap_or_default();
        let kind = if name == "mcp_tool_use" {
            "anthropic:mcp_call".into()
        } else {
            extension_type("anthropic", &tool, "_call")
        };
        let mut fields = Object::new();
        fields.push("call_id", call_id.as_ref());
        fields.push("name", tool.as_ref());
        fields.push("input", block.get("input").map(Value::from).unwrap_or_default());
        fields.push("result", Value::Null);
        if let Some(server) = block.get("server_name") {
            fields.push("server_name", server.to_value());
        }
        let slot = builder.add_extension(&kind, fields)?;
        if let Some(slot) = slot {
            keep_fields(slot, block, builder)?;
        }
        self.hosted.by_id.insert(call_id.into_owned(), slot);
        self.hosted.waiting.extend(slot);
        Ok(AnthropicBlockKind::Hosted { slot, input: String::new() })
    }

    /// The result of a hosted call closes the item of its call.
    fn result(&mut self, kind: &str, block: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        builder.close_last_item(ItemStatus::Completed)?;
        let call_id = text(block.get("tool_use_id")).unwrap_or_default();
        let content = block.get("content").map(Value::from).unwrap_or_default();
        let failed = block.get("is_error").and_then(|flag| flag.as_bool()).unwrap_or(false)
            || content.str_at("type").is_some_and(|kind| kind.ends_with("_error"));
        let status = if failed { ItemStatus::Failed } else { ItemStatus::Completed };
        let slot = match self.hosted.by_id.remove(call_id.as_ref()) {
            Some(slot) => slot,
            None => {
                let mut fields = Object::new();
                fields.push("call_id", call_id.as_ref());
                fields.push("result", Value::Null);
                builder.add_extension(&extension_type("anthropic", kind, ""), fields)?
            }
        };
        let Some(slot) = slot else { return Ok(()) };
        self.hosted.waiting.remove(&slot);
        builder.set_field(slot, "result", content)?;
        keep_fields(slot, block, builder)?;
        builder.close_item(slot, status)
    }

    fn delta(&mut self, message: &StreamMembers<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let index = count(message.index);
        let Some(holder) = message.delta else {
            builder.report(AdapterCode::UnknownDelta, "a delta event without a delta");
            return Ok(());
        };
        let delta = DeltaMembers::of(holder);
        let name = text(delta.kind).unwrap_or_default();
        match &mut self.block {
            Some(block) if block.index == index => {}
            // A start with a wrong index was observed: a delta that fits an empty block belongs to it.
            Some(block) if !block.grown && block.kind.takes(&name) => {
                block.index = index;
                builder.report(AdapterCode::MissingBlockStart, "a block started under another index");
            }
            _ => self.open_unstarted(&name, index, builder)?,
        }
        let Some(block) = self.block.as_mut().filter(|block| block.index == index) else { return Ok(()) };
        block.grown = true;
        match (name.as_ref(), &mut block.kind) {
            ("text_delta", AnthropicBlockKind::Text { .. }) => self.append_text(delta.text, builder),
            ("citations_delta", AnthropicBlockKind::Text { citations, .. }) => {
                builder.account_bytes(holder.raw().len())?;
                citations.extend(delta.citation.map(Value::from));
                Ok(())
            }
            ("thinking_delta", AnthropicBlockKind::Thinking { slot, .. }) => {
                let known = ["type", "thinking", "signature"];
                builder.keep_item_fields("anthropic", *slot, holder, &known, &["estimated_tokens"])?;
                self.append_thinking(delta.thinking, builder)
            }
            ("signature_delta", AnthropicBlockKind::Thinking { thinking, .. }) => {
                thinking.sign(text(delta.signature));
                Ok(())
            }
            ("input_json_delta", AnthropicBlockKind::Call { slot, grown, .. }) => {
                let Some(piece) = delta.partial_json.and_then(TextPiece::from_json) else { return Ok(()) };
                *grown |= !piece.is_empty();
                builder.append_arguments(*slot, &piece)
            }
            ("input_json_delta", AnthropicBlockKind::Hosted { input, .. }) => {
                let piece = text(delta.partial_json).unwrap_or_default();
                builder.account_bytes(piece.len())?;
                input.push_str(&piece);
                Ok(())
            }
            ("compaction_delta", AnthropicBlockKind::Compaction { slot, content, encrypted }) => {
                if let Some(slot) = slot {
                    keep_fields(*slot, holder, builder)?;
                }
                if let Some(more) = text(holder.get("content")) {
                    builder.account_bytes(more.len())?;
                    content.push_str(&more);
                }
                if let Some(last) = text(holder.get("encrypted_content")) {
                    *encrypted = last.into_owned();
                }
                Ok(())
            }
            (
                "text_delta" | "citations_delta" | "thinking_delta" | "signature_delta" | "input_json_delta"
                | "compaction_delta",
                _,
            ) => {
                builder.report(AdapterCode::DeltaTypeMismatch, &name);
                Ok(())
            }
            _ => {
                builder.report(AdapterCode::UnknownDelta, &name);
                Ok(())
            }
        }
    }

    /// A delta for a block that was not started: text opens one, anything else is dropped.
    fn open_unstarted(&mut self, delta: &str, index: Option<u64>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if !matches!(delta, "text_delta" | "thinking_delta") {
            builder.report(AdapterCode::OrphanDelta, delta);
            return Ok(());
        }
        if self.block.is_some() {
            builder.report(AdapterCode::MissingBlockStop, "a delta of another block");
            self.stop_block(builder)?;
        }
        builder.report(AdapterCode::MissingBlockStart, delta);
        let kind = if delta == "text_delta" {
            AnthropicBlockKind::Text { citations: Vec::new(), message: None }
        } else {
            AnthropicBlockKind::Thinking { slot: builder.start_reasoning(None)?, thinking: SignedThinking::default() }
        };
        self.block = Some(AnthropicBlock { index, kind, grown: false });
        Ok(())
    }

    fn append_text(&mut self, value: Option<ValueRef<'_>>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(piece) = value.and_then(TextPiece::from_json).filter(|piece| !piece.is_empty()) else { return Ok(()) };
        let Some(AnthropicBlock { kind: AnthropicBlockKind::Text { message, .. }, .. }) = &mut self.block else {
            return Ok(());
        };
        let slot = match message {
            Some(slot) => *slot,
            None => *message.insert(builder.ensure_message()?),
        };
        builder.append_text(slot, &piece)
    }

    fn append_thinking(&mut self, value: Option<ValueRef<'_>>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(piece) = value.and_then(TextPiece::from_json).filter(|piece| !piece.is_empty()) else { return Ok(()) };
        let Some(AnthropicBlock { kind: AnthropicBlockKind::Thinking { slot, thinking }, .. }) = &mut self.block else {
            return Ok(());
        };
        thinking.grow(&piece, builder)?;
        builder.append_thinking(*slot, &piece)
    }

    fn stop_block(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(block) = self.block.take() else { return Ok(()) };
        match block.kind {
            AnthropicBlockKind::Text { citations, message } => {
                let citations = citations.into_iter().map(citation).collect();
                close_text("anthropic", citations, message, builder)
            }
            AnthropicBlockKind::Thinking { slot, thinking } => {
                builder.close_part(slot)?;
                match thinking.wrap("anthropic", builder) {
                    Some(envelope) => builder.set_field(slot, "encrypted_content", envelope.into()),
                    None => Ok(()),
                }
            }
            AnthropicBlockKind::Call { slot, input, grown } if !grown => {
                builder.append_arguments(slot, &TextPiece::from_text(input))
            }
            AnthropicBlockKind::Hosted { slot: Some(slot), input } if !input.is_empty() => {
                let parsed = Value::parse(&input, builder.limits.depth).unwrap_or(Value::String(input));
                builder.set_field(slot, "input", parsed)
            }
            AnthropicBlockKind::Compaction { slot: None, .. } => Ok(()),
            AnthropicBlockKind::Compaction { slot: Some(slot), content, encrypted } => {
                let (kind, payload) =
                    if encrypted.is_empty() { ("compaction_text", content) } else { ("compaction", encrypted) };
                builder.set_field(
                    slot,
                    "encrypted_content",
                    encrypted_content::wrap("anthropic", kind, &payload).into(),
                )
            }
            AnthropicBlockKind::Call { .. } | AnthropicBlockKind::Hosted { .. } | AnthropicBlockKind::Whole => Ok(()),
        }
    }
}

members! {
    /// The members of a message of the stream.
    StreamMembers {
        kind: "type",
        index: "index",
        delta: "delta",
        content_block: "content_block",
        usage: "usage",
    }
}

members! {
    /// The members of the delta of a block.
    DeltaMembers {
        kind: "type",
        text: "text",
        thinking: "thinking",
        partial_json: "partial_json",
        signature: "signature",
        citation: "citation",
    }
}

/// The URL of a citation: that of a page, or the source of a search result if it is a URL.
fn citation(raw: Value) -> Citation {
    let source = raw.str_at("source").filter(|text| text.starts_with("http://") || text.starts_with("https://"));
    Citation {
        url: raw.str_at("url").or(source).map(String::from),
        title: raw.str_at("title").unwrap_or_default().to_string(),
        raw,
    }
}

/// The input of a call at its start, as compact JSON; empty if it has no content.
fn initial_input(block: ValueRef<'_>) -> String {
    let input = block.get("input").map(Value::from).unwrap_or_default();
    match &input {
        Value::Null => String::new(),
        Value::Object(object) if object.is_empty() => String::new(),
        input => input.to_string(),
    }
}

/// Keeps members of a block on its item that are not read, under names of the provider.
fn keep_fields(slot: OutputSlot, block: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
    if let Some(caller) = text(block.pointer("/caller/type")).filter(|caller| caller != "direct") {
        if builder.options.include_extensions {
            let caller = block.get("caller").map(Value::from).unwrap_or_default();
            builder.set_field(slot, "anthropic:caller", caller)?;
        } else {
            builder.report(AdapterCode::CallerDropped, &caller);
        }
    }
    builder.keep_item_fields("anthropic", slot, block, BLOCK_MEMBERS, &[])
}

/// Stores counts that the usage of Open Responses has no member for.
fn keep_usage(usage: Option<ValueRef<'_>>, builder: &mut ResponseBuilder) -> Result<(), Error> {
    builder.keep_others("anthropic", "usage", usage, USAGE_MEMBERS, &["server_tool_use"])
}

/// Members of a message that are read.
const MESSAGE_MEMBERS: &[&str] =
    &["id", "type", "role", "model", "content", "usage", "stop_reason", "stop_sequence", "stop_details"];
/// Members of a `message_delta`'s delta that are read.
const STOP_MEMBERS: &[&str] = &["stop_reason", "stop_sequence", "stop_details"];
/// Members of blocks and of their deltas that are read.
const BLOCK_MEMBERS: &[&str] = &[
    "type",
    "id",
    "name",
    "input",
    "caller",
    "server_name",
    "tool_use_id",
    "content",
    "encrypted_content",
    "is_error",
];
const USAGE_MEMBERS: &[&str] = &[
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens_details",
    "service_tier",
];

fn members(object: ValueRef<'_>, keys: &[&str]) -> Object {
    keys.iter().filter_map(|key| Some((key.to_string(), object.get(key)?.to_value()))).collect()
}

fn list(value: Option<ValueRef<'_>>) -> Vec<Value> {
    value.into_iter().flat_map(|list| list.elements()).map(Value::from).collect()
}
