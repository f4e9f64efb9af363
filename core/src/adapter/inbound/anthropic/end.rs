//! How a message ends: the stop reason, the usage, an error.

use alloc::string::String;

use super::Anthropic;
use crate::adapter::inbound::hub::{Counts, ErrorType, Hub, Last, Status};
use crate::adapter::inbound::{count, text, Piece};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Tag, Value, View};

/// What the message says about its end.
#[derive(Default)]
pub(super) struct Stop {
    pub(super) reason: Option<String>,
    sequence: Value,
    details: Value,
}

/// Every field is cumulative on its own: the last one that is not null counts.
#[derive(Default)]
pub(super) struct Usage {
    input: Option<u64>,
    cache_creation: Option<u64>,
    cache_read: Option<u64>,
    output: Option<u64>,
    thinking: Option<u64>,
}

impl Anthropic {
    pub(super) fn note_stop(&mut self, holder: Option<View<'_>>) {
        let Some(holder) = holder else { return };
        if let Some(reason) = text(holder.get("stop_reason")) {
            self.stop.reason = Some(reason.into_owned());
            self.stop.sequence = holder.get("stop_sequence").map(Value::from).unwrap_or_default();
            self.stop.details = holder.get("stop_details").map(Value::from).unwrap_or_default();
        }
    }

    pub(super) fn conclude(&mut self, hub: &mut Hub) -> Result<(), Error> {
        if self.block.is_some() {
            hub.report(AdapterCode::MissingBlockStop, "the message stops inside a block");
            self.stop_block(hub)?;
        }
        let Stop { reason, sequence, details } = core::mem::take(&mut self.stop);
        let Some(reason) = reason else {
            hub.report(AdapterCode::MissingStopReason, "");
            self.close(hub, Status::Completed, Status::Completed)?;
            return hub.complete();
        };
        if !matches!(reason.as_str(), "end_turn" | "tool_use" | "max_tokens") {
            hub.note_finish("anthropic", &reason, sequence, details.clone());
        }
        match reason.as_str() {
            "end_turn" | "tool_use" | "stop_sequence" => {
                self.close(hub, Status::Completed, Status::Completed)?;
                hub.complete()
            }
            "max_tokens" | "model_context_window_exceeded" => {
                self.close_cut(hub)?;
                hub.incomplete("max_output_tokens")
            }
            "pause_turn" | "compaction" => {
                self.close(hub, Status::Completed, Status::Incomplete)?;
                hub.incomplete(&reason)
            }
            "refusal" => {
                self.close_refused(&details, hub)?;
                hub.incomplete("content_filter")
            }
            other => {
                self.close_cut(hub)?;
                hub.incomplete(&other.to_lowercase())
            }
        }
    }

    fn close(&mut self, hub: &mut Hub, last: Status, waiting: Status) -> Result<(), Error> {
        for slot in core::mem::take(&mut self.hosted.waiting) {
            hub.done(slot, waiting)?;
        }
        hub.settle(last)
    }

    /// Closes what is open when the model was cut: the last item is the incomplete one.
    fn close_cut(&mut self, hub: &mut Hub) -> Result<(), Error> {
        let cut = if hub.last() == Last::Nothing { self.hosted.waiting.pop_last() } else { None };
        self.close(hub, Status::Incomplete, Status::Completed)?;
        match cut {
            Some(slot) => hub.done(slot, Status::Incomplete),
            None => Ok(()),
        }
    }

    fn close_refused(&mut self, details: &Value, hub: &mut Hub) -> Result<(), Error> {
        match details.str_at("explanation").filter(|explanation| !explanation.is_empty()) {
            Some(explanation) if hub.last() != Last::Call => {
                self.close_hosted(hub)?;
                let slot = hub.in_message()?;
                hub.refusal(slot, &Piece::plain(explanation))?;
                hub.settle(Status::Incomplete)
            }
            None if hub.last() == Last::Reasoning => {
                self.close_hosted(hub)?;
                hub.settle(Status::Completed)
            }
            _ => self.close_cut(hub),
        }
    }

    fn close_hosted(&mut self, hub: &mut Hub) -> Result<(), Error> {
        for slot in core::mem::take(&mut self.hosted.waiting) {
            hub.done(slot, Status::Completed)?;
        }
        Ok(())
    }
}

pub(super) fn fail(root: View<'_>, hub: &mut Hub) -> Result<(), Error> {
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
    hub.fail(class, kind.as_deref(), &message, None)
}

impl Usage {
    pub(super) fn merge(&mut self, usage: Option<View<'_>>, hub: &mut Hub) {
        let Some(usage) = usage.filter(|usage| usage.tag() == Tag::Object) else { return };
        let take = |field: &mut Option<u64>, path: &str| *field = count(usage.pointer(path)).or(*field);
        take(&mut self.input, "/input_tokens");
        take(&mut self.cache_creation, "/cache_creation_input_tokens");
        take(&mut self.cache_read, "/cache_read_input_tokens");
        take(&mut self.output, "/output_tokens");
        take(&mut self.thinking, "/output_tokens_details/thinking_tokens");
        let sum = [self.input, self.cache_creation, self.cache_read].into_iter().flatten().fold(0, u64::saturating_add);
        hub.usage = Some(Counts {
            input: sum,
            output: self.output.unwrap_or(0),
            cached: self.cache_read.unwrap_or(0),
            cache_write: self.cache_creation,
            reasoning: self.thinking.unwrap_or(0),
            total: None,
        });
    }
}
