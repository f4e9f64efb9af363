//! The end of a message: the stop reason, the usage, an error.

use alloc::string::String;

use super::AnthropicDecoder;
use crate::adapter::inbound::builder::{ErrorType, ItemStatus, LastItem, ResponseBuilder, TokenCounts};
use crate::adapter::inbound::{count, text, TextPiece};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Value, ValueKind, ValueRef};

/// The facts of the message about its end.
#[derive(Default)]
pub(super) struct AnthropicStopReason {
    pub(super) reason: Option<String>,
    sequence: Value,
    details: Value,
}

/// Every field is cumulative by itself: the last value that is not null is used.
#[derive(Default)]
pub(super) struct AnthropicUsage {
    input: Option<u64>,
    cache_creation: Option<u64>,
    cache_read: Option<u64>,
    output: Option<u64>,
    thinking: Option<u64>,
}

impl AnthropicDecoder {
    pub(super) fn note_stop(
        &mut self,
        holder: Option<ValueRef<'_>>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        let Some(holder) = holder else { return Ok(()) };
        if let Some(reason) = text(holder.get("stop_reason")) {
            // Of other reasons `deltafold:finish` has the details.
            if is_canonical(&reason) {
                builder.keep("anthropic", "stop_details", holder.get("stop_details"))?;
            }
            self.stop.reason = Some(reason.into_owned());
            self.stop.sequence = holder.get("stop_sequence").map(Value::from).unwrap_or_default();
            self.stop.details = holder.get("stop_details").map(Value::from).unwrap_or_default();
        }
        Ok(())
    }

    pub(super) fn conclude(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if self.block.is_some() {
            builder.report(AdapterCode::MissingBlockStop, "the end of the message inside a block");
            self.stop_block(builder)?;
        }
        let AnthropicStopReason { reason, sequence, details } = core::mem::take(&mut self.stop);
        let Some(reason) = reason else {
            builder.report(AdapterCode::MissingStopReason, "");
            self.close(builder, ItemStatus::Completed, ItemStatus::Completed)?;
            return builder.complete();
        };
        if !is_canonical(&reason) {
            builder.set_finish_reason("anthropic", &reason, sequence, details.clone());
        }
        match reason.as_str() {
            "end_turn" | "tool_use" | "stop_sequence" => {
                self.close(builder, ItemStatus::Completed, ItemStatus::Completed)?;
                builder.complete()
            }
            "max_tokens" | "model_context_window_exceeded" => {
                self.close_truncated(builder)?;
                builder.incomplete("max_output_tokens")
            }
            "pause_turn" | "compaction" => {
                self.close(builder, ItemStatus::Completed, ItemStatus::Incomplete)?;
                builder.incomplete(&reason)
            }
            "refusal" => {
                self.close_refused(&details, builder)?;
                builder.incomplete("content_filter")
            }
            other => {
                self.close_truncated(builder)?;
                builder.incomplete(&other.to_lowercase())
            }
        }
    }

    fn close(&mut self, builder: &mut ResponseBuilder, last: ItemStatus, waiting: ItemStatus) -> Result<(), Error> {
        for slot in core::mem::take(&mut self.hosted.waiting) {
            builder.close_item(slot, waiting)?;
        }
        builder.close_last_item(last)
    }

    /// Closes open blocks when the model was truncated: the last item is the incomplete one.
    fn close_truncated(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let cut = if builder.last_item() == LastItem::Nothing { self.hosted.waiting.pop_last() } else { None };
        self.close(builder, ItemStatus::Incomplete, ItemStatus::Completed)?;
        match cut {
            Some(slot) => builder.close_item(slot, ItemStatus::Incomplete),
            None => Ok(()),
        }
    }

    fn close_refused(&mut self, details: &Value, builder: &mut ResponseBuilder) -> Result<(), Error> {
        match details.str_at("explanation").filter(|explanation| !explanation.is_empty()) {
            Some(explanation) if builder.last_item() != LastItem::Call => {
                self.close_hosted(builder)?;
                let slot = builder.ensure_message()?;
                builder.append_refusal(slot, &TextPiece::from_text(explanation))?;
                builder.close_last_item(ItemStatus::Incomplete)
            }
            None if builder.last_item() == LastItem::Reasoning => {
                self.close_hosted(builder)?;
                builder.close_last_item(ItemStatus::Completed)
            }
            _ => self.close_truncated(builder),
        }
    }

    fn close_hosted(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        for slot in core::mem::take(&mut self.hosted.waiting) {
            builder.close_item(slot, ItemStatus::Completed)?;
        }
        Ok(())
    }
}

/// True if the standard fields of a response express this reason.
fn is_canonical(reason: &str) -> bool {
    matches!(reason, "end_turn" | "tool_use" | "max_tokens")
}

pub(super) fn fail(root: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
    let kind = text(root.pointer("/error/type"));
    let message = text(root.pointer("/error/message")).unwrap_or_default();
    let class = match kind.as_deref() {
        Some(
            "invalid_request_error"
            | "authentication_error"
            | "permission_error"
            | "billing_error"
            | "request_too_large",
        ) => ErrorType::InvalidRequest,
        Some("not_found_error") => ErrorType::NotFound,
        Some("rate_limit_error") => ErrorType::TooManyRequests,
        _ => ErrorType::ServerError,
    };
    builder.fail(class, kind.as_deref(), &message, None)
}

impl AnthropicUsage {
    pub(super) fn merge(&mut self, usage: Option<ValueRef<'_>>, builder: &mut ResponseBuilder) {
        let Some(usage) = usage.filter(|usage| usage.kind() == ValueKind::Object) else { return };
        let take = |field: &mut Option<u64>, path: &str| *field = count(usage.pointer(path)).or(*field);
        take(&mut self.input, "/input_tokens");
        take(&mut self.cache_creation, "/cache_creation_input_tokens");
        take(&mut self.cache_read, "/cache_read_input_tokens");
        take(&mut self.output, "/output_tokens");
        take(&mut self.thinking, "/output_tokens_details/thinking_tokens");
        let sum = [self.input, self.cache_creation, self.cache_read].into_iter().flatten().fold(0, u64::saturating_add);
        builder.usage = Some(TokenCounts {
            input: sum,
            output: self.output.unwrap_or(0),
            cached: self.cache_read.unwrap_or(0),
            cache_write: self.cache_creation,
            reasoning: self.thinking.unwrap_or(0),
            total: None,
        });
    }
}
