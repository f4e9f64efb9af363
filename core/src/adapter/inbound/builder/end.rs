//! The end of the response: completed, incomplete, cancelled or failed.

use alloc::string::String;

use super::{handle, ErrorType, ItemStatus, OutputSlot, ResponseBuilder};
use crate::adapter::{AdapterCode, CancelledAs};
use crate::error::Error;
use crate::json::{Object, Value};
use crate::write::ApiError;

impl ResponseBuilder {
    /// Stores a stop reason that has no standard field.
    pub(crate) fn set_finish_reason(&mut self, provider: &str, reason: &str, stop_sequence: Value, details: Value) {
        let mut finish = Object::new();
        finish.push("provider", provider);
        finish.push("reason", reason);
        for (key, value) in [("stop_sequence", stop_sequence), ("details", details)] {
            if !value.is_null() {
                finish.push(key, value);
            }
        }
        self.finish = Some(finish);
    }

    /// Ends the response as completed. Open items are closed; a completed response has no truncated items.
    pub(crate) fn complete(&mut self) -> Result<(), Error> {
        self.incomplete_items.clear();
        self.close_all(|_| ItemStatus::Completed)?;
        self.write_usage_and_finish_reason()?;
        self.writer.complete(None)
    }

    /// Ends the response early, for this reason: the last open item is truncated, the others are complete.
    pub(crate) fn incomplete(&mut self, reason: &str) -> Result<(), Error> {
        let last = self.items.iter().rposition(|item| !item.done);
        self.limit_incomplete_items();
        self.close_all(|slot| if Some(slot) == last { ItemStatus::Incomplete } else { ItemStatus::Completed })?;
        self.write_usage_and_finish_reason()?;
        self.writer.incomplete_as_source(if reason.is_empty() { "other" } else { reason })
    }

    /// Ends the response because the caller cancelled it: all open items are truncated.
    pub(crate) fn cancel(&mut self) -> Result<(), Error> {
        if self.options.cancelled_as == CancelledAs::Failed {
            return self.fail(ErrorType::ServerError, Some("cancelled"), "The response was cancelled.", None);
        }
        self.close_all(|_| ItemStatus::Incomplete)?;
        self.write_usage_and_finish_reason()?;
        self.writer.incomplete_as_source("cancelled")
    }

    /// Ends the response with an error; nothing is closed. Without a code the error's type is used.
    pub(crate) fn fail(
        &mut self,
        kind: ErrorType,
        code: Option<&str>,
        message: &str,
        param: Option<&str>,
    ) -> Result<(), Error> {
        self.write_usage_and_finish_reason()?;
        let code = code.filter(|code| !code.is_empty()).unwrap_or(kind.name());
        let mut error = ApiError::new(kind, code, message);
        error.param = param.map(String::from);
        self.writer.fail(&error)
    }

    /// Ends the response as failed without an `error` event, because the source reported none.
    pub(crate) fn fail_without_event(&mut self, code: &str, message: &str) -> Result<(), Error> {
        self.write_usage_and_finish_reason()?;
        self.writer.fail_without_error_event(&ApiError::new(ErrorType::ServerError, code, message))
    }

    /// Ends the response because the source ended too early.
    pub(crate) fn fail_truncated(&mut self) -> Result<(), Error> {
        let message = "The upstream stream ended before the message was finished.";
        self.fail(ErrorType::ServerError, Some("stream_truncated"), message, None)
    }

    /// Only the last item of a response may be truncated, so an item before others counts as complete. A call with truncated arguments
    /// does not, because a client might run it.
    fn limit_incomplete_items(&mut self) {
        let Some(run) = (0..self.items.len()).rev().find(|slot| !self.incomplete_items.contains(slot)) else { return };
        for slot in core::mem::take(&mut self.incomplete_items) {
            let half = self.items.get(slot).is_some_and(|item| item.call) && !self.has_complete_arguments(slot);
            if slot > run || half {
                self.incomplete_items.insert(slot);
            }
            if slot < run && half {
                self.report(AdapterCode::TruncatedParallelCall, "");
            }
        }
    }

    /// Closes open items in order, together with the items that were truncated before.
    fn close_all(&mut self, status: impl Fn(OutputSlot) -> ItemStatus) -> Result<(), Error> {
        for slot in 0..self.items.len() {
            self.close_part(slot)?;
            let status = if self.incomplete_items.contains(&slot) { ItemStatus::Incomplete } else { status(slot) };
            if self.writer.is_open(handle(slot)) {
                self.writer.close_as_source(handle(slot), status)?;
            }
        }
        Ok(())
    }

    fn write_usage_and_finish_reason(&mut self) -> Result<(), Error> {
        self.start()?;
        self.ended = true;
        if let Some(usage) = self.usage.take() {
            self.writer.usage(usage.into_usage(&mut self.findings))?;
        }
        if !self.extension_events.is_empty() {
            let events = core::mem::take(&mut self.extension_events);
            let set = self.writer.set_field("deltafold:events", events);
            self.drop_invalid(set, AdapterCode::EventDropped, "extension events")?;
        }
        let mut fields = Object::new();
        for (member, kept) in core::mem::take(&mut self.kept).into_values().flatten() {
            let Ok(value) = Value::parse(&kept.raw, self.limits.depth) else { continue };
            if member.is_empty() {
                fields.insert(kept.key, value);
                continue;
            }
            if fields.get(&kept.key).is_none() {
                fields.insert(kept.key.as_str(), Object::new());
            }
            if let Some(object) = fields.get_mut(&kept.key).and_then(Value::as_object_mut) {
                object.insert(member, value);
            }
        }
        for (key, value) in fields.iter() {
            let set = self.writer.set_field(key, value.clone());
            self.drop_invalid(set, AdapterCode::ContentPartDropped, key)?;
        }
        match self.finish.take() {
            Some(finish) => {
                let set = self.writer.set_field("deltafold:finish", finish);
                self.drop_invalid(set, AdapterCode::ContentPartDropped, "finish").map(drop)
            }
            None => Ok(()),
        }
    }
}
