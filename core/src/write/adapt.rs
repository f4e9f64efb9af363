//! What only adapters may do: tell what a source did that no caller of ours could mean.

use alloc::string::ToString;

use super::api_error::ApiError;
use super::items::ItemHandle;
use super::shape::ItemStatus;
use super::writer::{refused, Writer};
use crate::contract::Kind;
use crate::error::Error;
use crate::json::Object;

impl Writer {
    /// Replaces the text of the open part without an event: its done events will carry it. The deltas then do not add up
    /// (a rule is broken on purpose), so only an adapter whose source rewrites text may do this, with a finding.
    pub(crate) fn rewrite(&mut self, item: ItemHandle, text: &str) -> Result<(), Error> {
        let at = self.slot(item)?;
        let part = self.items[at].part_mut().ok_or_else(|| refused("the item has no open part"))?;
        part.text.clear();
        part.text.push_str(text);
        Ok(())
    }

    /// Puts the fields of an extension item anew, just before it closes: for a source that tells the whole item each time.
    pub(crate) fn replace_fields(&mut self, item: ItemHandle, fields: Object) -> Result<(), Error> {
        let at = self.slot(item)?;
        let own = |key: &str| matches!(key, "type" | "id" | "status");
        let slot = &mut self.items[at];
        let mut all = Object::with_capacity(fields.len() + 3);
        for (key, value) in core::mem::take(&mut slot.fields).into_iter().filter(|(key, _)| own(key)) {
            all.push(key, value);
        }
        for (key, value) in fields.into_iter().filter(|(key, _)| !own(key)) {
            all.push(key, value);
        }
        slot.fields = all;
        slot.pending = Object::new();
        Ok(())
    }

    /// Names another model in the snapshots to come, because the source changed it on the way.
    pub(crate) fn set_model(&mut self, model: &str) -> Result<(), Error> {
        self.check_running()?;
        self.ensure_started()?;
        self.fields.insert("model", model);
        Ok(())
    }

    /// Ends the response as failed without an `error` event, because the source reported a failure and no error.
    pub(crate) fn fail_quietly(&mut self, error: &ApiError) -> Result<(), Error> {
        self.check_running()?;
        self.ensure_started()?;
        self.state.error = Some((error.code_or_type().to_string(), error.message.clone()));
        self.end(Kind::Failed, "failed", None);
        Ok(())
    }

    /// Closes an item with the status that the source gives it, also where whole items stand behind an incomplete one: the
    /// truth about several calls that were cut at once is worth a broken rule, with a finding.
    pub(crate) fn close_honestly(&mut self, item: ItemHandle, status: ItemStatus) -> Result<(), Error> {
        let at = self.slot(item)?;
        let word =
            self.items[at].shape.word(status).ok_or_else(|| refused("items of this type do not end like that"))?;
        self.write_close(at, status, word);
        Ok(())
    }

    /// Ends the response early, whatever the source did before it said so.
    pub(crate) fn incomplete_honestly(&mut self, reason: &str) -> Result<(), Error> {
        self.check_running()?;
        self.ensure_started()?;
        self.end_incomplete(reason, None);
        Ok(())
    }

    /// Says whether the input of an open call could be run: arguments that are JSON.
    pub(crate) fn has_whole_input(&self, item: ItemHandle) -> bool {
        self.slot(item).is_ok_and(|at| !self.items[at].is_cut())
    }
}
