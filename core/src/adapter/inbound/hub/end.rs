//! The end of the response: completed, incomplete, cancelled or failed.

use alloc::string::String;

use super::{handle, ErrorType, Hub, Slot, Status};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Object, Value};
use crate::write::ApiError;

impl Hub {
    /// Remembers a stop reason that the standard fields do not tell.
    pub(crate) fn note_finish(&mut self, provider: &str, reason: &str, stop_sequence: Value, details: Value) {
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

    /// Ends the response well. What is open is closed; a completed response has no cut items.
    pub(crate) fn complete(&mut self) -> Result<(), Error> {
        self.cut.clear();
        self.close_all(|_| Status::Completed)?;
        self.conclude()?;
        self.writer.complete(None)
    }

    /// Ends the response early, for this reason: the last of the open items is cut, the others are whole.
    pub(crate) fn incomplete(&mut self, reason: &str) -> Result<(), Error> {
        let last = self.items.iter().rposition(|item| !item.done);
        self.spare_cut();
        self.close_all(|slot| if Some(slot) == last { Status::Incomplete } else { Status::Completed })?;
        self.conclude()?;
        self.writer.incomplete_honestly(if reason.is_empty() { "other" } else { reason })
    }

    /// Ends the response because its caller wants no more: all that is open is cut.
    pub(crate) fn cancel(&mut self) -> Result<(), Error> {
        self.close_all(|_| Status::Incomplete)?;
        self.conclude()?;
        self.writer.incomplete_honestly("cancelled")
    }

    /// Ends the response with an error; nothing is closed. Without a code the error's type stands for it.
    pub(crate) fn fail(
        &mut self,
        kind: ErrorType,
        code: Option<&str>,
        message: &str,
        param: Option<&str>,
    ) -> Result<(), Error> {
        self.conclude()?;
        let code = code.filter(|code| !code.is_empty()).unwrap_or(kind.name());
        let mut error = ApiError::new(kind, code, message);
        error.param = param.map(String::from);
        self.writer.fail(&error)
    }

    /// Ends the response as failed without an `error` event, because the source reported none.
    pub(crate) fn fail_quietly(&mut self, code: &str, message: &str) -> Result<(), Error> {
        self.conclude()?;
        self.writer.fail_quietly(&ApiError::new(ErrorType::ServerError, code, message))
    }

    /// Ends the response because the source ended too early.
    pub(crate) fn fail_truncated(&mut self) -> Result<(), Error> {
        let message = "The upstream stream ended before the message was finished.";
        self.fail(ErrorType::ServerError, Some("stream_truncated"), message, None)
    }

    /// Only the last item of a response may be cut, so what others follow counts as whole. A call whose arguments are cut
    /// does not, because somebody might run it.
    fn spare_cut(&mut self) {
        let Some(run) = (0..self.items.len()).rev().find(|slot| !self.cut.contains(slot)) else { return };
        for slot in core::mem::take(&mut self.cut) {
            let half = self.items.get(slot).is_some_and(|item| item.call) && !self.has_whole_arguments(slot);
            if slot > run || half {
                self.cut.insert(slot);
            }
            if slot < run && half {
                self.report(AdapterCode::TruncatedParallelCall, "");
            }
        }
    }

    /// Closes what is open, in order, and what was cut before with it.
    fn close_all(&mut self, status: impl Fn(Slot) -> Status) -> Result<(), Error> {
        for slot in 0..self.items.len() {
            self.end_part(slot)?;
            let status = if self.cut.contains(&slot) { Status::Incomplete } else { status(slot) };
            if self.writer.is_open(handle(slot)) {
                self.writer.close_honestly(handle(slot), status)?;
            }
        }
        Ok(())
    }

    fn conclude(&mut self) -> Result<(), Error> {
        self.start()?;
        self.over = true;
        if let Some(usage) = self.usage.take() {
            self.writer.usage(usage.settle(&mut self.findings))?;
        }
        match self.finish.take() {
            Some(finish) => self.writer.set_field("deltafold:finish", finish),
            None => Ok(()),
        }
    }
}
