//! [`BlockWriter`]: content blocks, one after another.

use alloc::string::{String, ToString};

use super::super::normalizer::text_at;
use super::super::target_output::object;
use super::super::{push_json, ObjectWriter, TargetOutput, TextChannel};
use super::signature::{self, OpaqueReasoning};
use crate::adapter::AdapterCode;
use crate::json::{Value, ValueKind, ValueRef};

/// Writes content blocks; at most one is open.
#[derive(Debug, Default)]
pub(super) struct BlockWriter {
    /// True if a refusal was written.
    pub(super) refused: bool,
    index: u64,
    open: Option<OpenBlock>,
    /// Of the current item: the kind of reasoning that came first, and the part that came last.
    last_reasoning: Option<(TextChannel, u64)>,
    /// The other kind came too, and a finding reports it.
    both: bool,
}

/// The open block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenBlock {
    Text(u64),
    Thinking,
    Call,
}

/// A hosted tool call.
#[derive(Debug)]
pub(super) struct HostedCall {
    mcp: bool,
    id: String,
    name: String,
    server: String,
    /// The input as JSON text, or the text that should be JSON.
    input: String,
    result: String,
    failed: bool,
}

impl HostedCall {
    pub(super) fn read(item: ValueRef<'_>) -> Self {
        let json = |key: &str| item.get(key).filter(|value| !value.is_null()).map(|value| value.to_value());
        Self {
            mcp: item.get("type").is_some_and(|kind| kind.is_str("anthropic:mcp_call")),
            id: text_at(item, "call_id"),
            name: text_at(item, "name"),
            server: text_at(item, "server_name"),
            input: match json("input") {
                // Input that is not JSON is written unchanged.
                Some(Value::String(raw)) => raw,
                Some(value) => value.to_string(),
                None => String::new(),
            },
            result: json("result").map(|value| value.to_string()).unwrap_or_default(),
            failed: item.get("status").is_some_and(|status| status.is_str("failed")),
        }
    }
}

impl BlockWriter {
    /// Resets the state of the last item.
    pub(super) fn next_item(&mut self) {
        self.last_reasoning = None;
        self.both = false;
    }

    pub(super) fn start_call(&mut self, id: &str, name: &str, out: &mut TargetOutput) {
        self.start(OpenBlock::Call, out, |block| {
            block.text("type", "tool_use");
            block.text("id", id);
            block.text("name", name);
            block.json("input", "{}");
        });
    }

    pub(super) fn arguments(&mut self, text: &str, out: &mut TargetOutput) {
        self.write_delta(out, |delta| {
            delta.text("type", "input_json_delta");
            delta.text("partial_json", text);
        });
    }

    pub(super) fn delta(&mut self, channel: TextChannel, index: u64, text: &str, out: &mut TargetOutput) {
        match channel {
            TextChannel::Text | TextChannel::Refusal => {
                self.refused |= channel == TextChannel::Refusal;
                if self.open != Some(OpenBlock::Text(index)) {
                    self.start(OpenBlock::Text(index), out, |block| {
                        block.text("type", "text");
                        block.text("text", "");
                    });
                }
                self.write_delta(out, |delta| {
                    delta.text("type", "text_delta");
                    delta.text("text", text);
                });
            }
            _ => self.reasoning(channel, index, text, out),
        }
    }

    /// Reasoning of one kind only: the one that came first in its item.
    fn reasoning(&mut self, channel: TextChannel, index: u64, text: &str, out: &mut TargetOutput) {
        match self.last_reasoning {
            Some((first, _)) if first != channel => {
                if !core::mem::replace(&mut self.both, true) {
                    out.report_code(AdapterCode::ReasoningKindDropped);
                }
                return;
            }
            // Two parts of a summary are separated by a blank line.
            Some((TextChannel::Summary, last)) if last != index => self.append_thinking("\n\n", out),
            _ => {}
        }
        self.last_reasoning = Some((channel, index));
        self.append_thinking(text, out);
    }

    fn append_thinking(&mut self, text: &str, out: &mut TargetOutput) {
        self.open_thinking(out);
        self.write_delta(out, |delta| {
            delta.text("type", "thinking_delta");
            delta.text("thinking", text);
        });
    }

    fn open_thinking(&mut self, out: &mut TargetOutput) {
        if self.open != Some(OpenBlock::Thinking) {
            self.start(OpenBlock::Thinking, out, |block| {
                block.text("type", "thinking");
                block.text("thinking", "");
                block.text("signature", "");
            });
        }
    }

    /// Ends a reasoning item with its encrypted content.
    pub(super) fn end_reasoning(&mut self, content: &str, depth: usize, out: &mut TargetOutput) {
        let signature = match signature::read(content, depth) {
            OpaqueReasoning::Redacted(data) => {
                self.stop(out);
                return self.complete_block(out, |block| {
                    block.text("type", "redacted_thinking");
                    block.text("data", data);
                });
            }
            OpaqueReasoning::Signature(signature) => signature,
            OpaqueReasoning::Thinking { text, signature } => {
                if self.last_reasoning.is_none() && !text.is_empty() {
                    self.append_thinking(&text, out);
                }
                signature
            }
        };
        self.open_thinking(out);
        self.write_delta(out, |delta| {
            delta.text("type", "signature_delta");
            delta.text("signature", &signature);
        });
        self.stop(out);
    }

    pub(super) fn citation(&mut self, index: u64, json: &str, out: &mut TargetOutput) {
        if self.open != Some(OpenBlock::Text(index)) {
            return out.report_code(AdapterCode::AnnotationDropped);
        }
        self.write_delta(out, |delta| {
            delta.text("type", "citations_delta");
            delta.json("citation", json);
        });
    }

    pub(super) fn end_part(&mut self, index: u64, out: &mut TargetOutput) {
        if self.open == Some(OpenBlock::Text(index)) {
            self.stop(out);
        }
    }

    pub(super) fn hosted(&mut self, call: &HostedCall, out: &mut TargetOutput) {
        self.start(OpenBlock::Call, out, |block| {
            block.text("type", if call.mcp { "mcp_tool_use" } else { "server_tool_use" });
            block.text("id", &call.id);
            block.text("name", &call.name);
            block.json("input", "{}");
            if call.mcp {
                block.text("server_name", &call.server);
            }
        });
        if !call.input.is_empty() {
            self.arguments(&call.input, out);
        }
        self.stop(out);
        if call.result.is_empty() {
            return;
        }
        self.complete_block(out, |block| {
            if call.mcp {
                block.text("type", "mcp_tool_result");
            } else {
                block.joined("type", result_name(&call.name), format_args!("_tool_result"));
            }
            block.text("tool_use_id", &call.id);
            if call.mcp {
                block.json("is_error", if call.failed { "true" } else { "false" });
            }
            block.json("content", &call.result);
        });
    }

    /// A block that an inbound adapter stored unchanged, as JSON.
    pub(super) fn raw_block(&mut self, json: &str, out: &mut TargetOutput) {
        self.stop(out);
        let index = self.index;
        out.message(Some("content_block_start"), |event| {
            event.text("type", "content_block_start");
            event.number("index", index);
            event.json("content_block", json);
        });
        self.open = Some(OpenBlock::Call);
        self.stop(out);
    }

    /// A compaction block, if the content is one of Anthropic's.
    pub(super) fn compaction(&mut self, content: &str, out: &mut TargetOutput) {
        let Some((key, payload)) = signature::compaction(content) else {
            return out.report(AdapterCode::ItemDropped, || String::from("compaction"));
        };
        self.start(OpenBlock::Call, out, |block| {
            block.text("type", "compaction");
            block.json("content", "null");
        });
        self.write_delta(out, |delta| {
            delta.text("type", "compaction_delta");
            delta.text(key, payload);
        });
        self.stop(out);
    }

    /// Stops the open block, if any.
    pub(super) fn stop(&mut self, out: &mut TargetOutput) {
        if self.open.take().is_some() {
            self.index += 1;
            let index = self.index - 1;
            out.message(Some("content_block_stop"), |event| {
                event.text("type", "content_block_stop");
                event.number("index", index);
            });
        }
    }

    fn start(&mut self, block: OpenBlock, out: &mut TargetOutput, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.stop(out);
        self.open = Some(block);
        let index = self.index;
        out.message(Some("content_block_start"), |event| {
            event.text("type", "content_block_start");
            event.number("index", index);
            event.object("content_block", fill);
        });
    }

    /// A block that is complete when it starts.
    fn complete_block(&mut self, out: &mut TargetOutput, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.start(OpenBlock::Call, out, fill);
        self.stop(out);
    }

    fn write_delta(&mut self, out: &mut TargetOutput, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        let index = self.index;
        out.message(Some("content_block_delta"), |event| {
            event.text("type", "content_block_delta");
            event.number("index", index);
            event.object("delta", fill);
        });
    }
}

/// The block that an item of Anthropic's own holds, as JSON: the result of a call of an earlier turn, or a block that the
/// adapter does not know. `None` if it holds neither.
pub(super) fn raw_block_of(item_type: &str, item: ValueRef<'_>) -> Option<String> {
    let mut json = String::new();
    let kind = item_type.strip_prefix("anthropic:")?;
    if let Some(block) = item.get("block").filter(|block| block.kind() == ValueKind::Object) {
        push_json(block.raw(), &mut json);
    } else if kind.ends_with("_tool_result") {
        object(&mut json, |block| {
            block.text("type", kind);
            block.text("tool_use_id", &text_at(item, "call_id"));
            if kind == "mcp_tool_result" {
                block.json(
                    "is_error",
                    if item.get("status").is_some_and(|s| s.is_str("failed")) { "true" } else { "false" },
                );
            }
            block.json("content", item.get("result").map_or("null", |result| result.raw()));
        });
    } else {
        return None;
    }
    Some(json)
}

/// The name of a hosted tool in the type of its result block. All variants of tool search share one.
fn result_name(tool: &str) -> &str {
    if tool.starts_with("tool_search_tool") {
        "tool_search"
    } else {
        tool
    }
}
