//! Operations for adapters only: they reproduce what a source did, even if it breaks a rule of the writer.

use alloc::string::ToString;

use super::api_error::ApiError;
use super::field_map::FieldMap;
use super::item_definitions::ItemStatus;
use super::items::ItemHandle;
use super::open_item::PartKind;
use super::writer::{check_depth, invalid_intent, Writer, ITEM_LEVELS};
use crate::contract::Kind;
use crate::error::Error;
use crate::json::Object;

impl Writer {
    /// Continues the output of another writer, whose response has ended or never began.
    pub(crate) fn after(mut self, earlier: &mut Self) -> Self {
        self.emit = core::mem::take(&mut earlier.emit).for_next_response();
        self
    }

    /// From now on, the events between the first and the last snapshot are counted and not kept, except errors.
    pub(crate) fn keep_snapshots_only(&mut self) {
        self.emit.keep_snapshots_only();
    }

    /// Removes the events of this response that were not taken; with `keep_last`, all except the last one.
    pub(crate) fn drop_events(&mut self, keep_last: bool) {
        self.emit.drop_events(keep_last);
    }

    /// The number of events written, also to the output of the writers before this one.
    pub(crate) fn event_count(&self) -> u64 {
        self.emit.event_count()
    }

    /// Sets the log probabilities of the next text delta, as the elements of a list in the form of the specification.
    pub(crate) fn write_logprobs(&mut self, item: ItemHandle, elements: &str) -> Result<(), Error> {
        let at = self.part_item_index(item, PartKind::Text)?;
        self.add_logprobs(at, elements);
        Ok(())
    }

    /// Replaces the text of the open part without an event; its done events contain the new text. The deltas then differ from it,
    /// which breaks a rule, so only an adapter whose source replaces text may do this, and it must report a finding.
    pub(crate) fn replace_part_text(&mut self, item: ItemHandle, text: &str) -> Result<(), Error> {
        let at = self.open_index(item)?;
        let part = self.items[at].part_mut().ok_or_else(|| invalid_intent("expected an open part, found none"))?;
        part.text.clear();
        part.text.push_str(text);
        Ok(())
    }

    /// Replaces the fields of an extension item before it closes, for a source that repeats the whole item.
    pub(crate) fn replace_fields(&mut self, item: ItemHandle, fields: Object) -> Result<(), Error> {
        let at = self.open_index(item)?;
        let own = |key: &str| matches!(key, "type" | "id" | "status");
        for (_, value) in fields.iter() {
            check_depth(value, ITEM_LEVELS)?;
        }
        let entry = &mut self.items[at];
        for (key, value) in entry.fields.take().filter(|(key, _)| own(key)) {
            entry.fields.insert(key, value);
        }
        for (key, value) in fields.into_iter().filter(|(key, _)| !own(key)) {
            entry.fields.insert(key, value);
        }
        entry.pending = FieldMap::default();
        Ok(())
    }

    /// Changes the model in the following snapshots, because the source changed it.
    pub(crate) fn set_model(&mut self, model: &str) -> Result<(), Error> {
        self.check_running()?;
        self.ensure_started()?;
        self.fields.insert("model", model);
        Ok(())
    }

    /// Sets the service tier, before or after the start. It is any text, so it is not checked.
    pub(crate) fn set_service_tier(&mut self, tier: &str) {
        if self.is_started() {
            self.fields.insert("service_tier", tier);
        } else {
            self.options.service_tier = Some(tier.to_string());
        }
    }

    /// Ends the response as failed without an `error` event, because the source had none.
    pub(crate) fn fail_without_error_event(&mut self, error: &ApiError) -> Result<(), Error> {
        self.check_running()?;
        self.ensure_started()?;
        self.state.error = Some((error.code_or_type().to_string(), error.message.clone()));
        self.end(Kind::Failed, "failed", None);
        Ok(())
    }

    /// Closes an item with the status of the source, even if complete items follow an incomplete one. This breaks ITEM-08, so the
    /// adapter must report a finding.
    pub(crate) fn close_as_source(&mut self, item: ItemHandle, status: ItemStatus) -> Result<(), Error> {
        let at = self.open_index(item)?;
        let word = self.items[at]
            .definition
            .status_word(status)
            .ok_or_else(|| invalid_intent("expected a final status of this item type, found another one"))?;
        self.write_close(at, status, word);
        Ok(())
    }

    /// Ends the response as incomplete without the checks of [`incomplete`](Self::incomplete).
    pub(crate) fn incomplete_as_source(&mut self, reason: &str) -> Result<(), Error> {
        self.check_running()?;
        self.ensure_started()?;
        self.end_incomplete(reason, None);
        Ok(())
    }

    /// Returns `true` if the input of an open call is complete, so that the call can be run.
    pub(crate) fn has_complete_input(&self, item: ItemHandle) -> bool {
        self.open_index(item).is_ok_and(|at| !self.items[at].has_partial_input())
    }
}
