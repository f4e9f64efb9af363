//! Items: adding them, setting their fields, closing them, and the last one, whose end is delayed.

use alloc::format;
use alloc::string::String;

use super::{extension_type, handle, BuiltItem, ItemStatus, LastItem, OutputSlot, ResponseBuilder};
use crate::accumulate::held_bytes::{member_bytes, object_bytes, ITEM_BYTES};
use crate::adapter::AdapterCode;
use crate::contract::Edition;
use crate::error::{Code, Error};
use crate::json::{Object, Value};

impl ResponseBuilder {
    /// Adds a message.
    pub(crate) fn add_message(&mut self) -> Result<OutputSlot, Error> {
        self.add_item("message", Object::new(), false)
    }

    /// Adds a reasoning item, with encrypted content if that is known already.
    pub(crate) fn add_reasoning(&mut self, encrypted: Option<&str>) -> Result<OutputSlot, Error> {
        let mut fields = Object::new();
        if let Some(encrypted) = encrypted {
            self.account_bytes(encrypted.len())?;
            fields.push("encrypted_content", encrypted);
        }
        self.add_item("reasoning", fields, false)
    }

    /// Adds a function call. An empty id is replaced by one derived from the response's; an empty name is reported.
    pub(crate) fn add_call(&mut self, call_id: &str, name: &str) -> Result<OutputSlot, Error> {
        let mut fields = Object::new();
        if name.is_empty() {
            self.report(AdapterCode::ToolCallWithoutName, "");
        }
        let name = if name.is_empty() { "unknown" } else { name };
        fields.push("call_id", call_id);
        fields.push("name", name);
        self.add_item("function_call", fields, true)
    }

    /// Adds a call of a custom tool, whose input is plain text. Editions without such an item get an extension item;
    /// `None` if extensions are left out.
    pub(crate) fn add_custom_call(
        &mut self,
        provider: &str,
        call_id: &str,
        name: &str,
    ) -> Result<Option<OutputSlot>, Error> {
        let mut fields = Object::new();
        fields.push("call_id", call_id);
        fields.push("name", name);
        if !matches!(self.options.edition, Edition::V2026_04_24 | Edition::V2026_01_15) {
            let slot = self.add_item("custom_tool_call", fields, true)?;
            if let Some(item) = self.items.get_mut(slot) {
                item.custom = true;
            }
            return Ok(Some(slot));
        }
        fields.push("input", "");
        let slot = self.add_extension(&extension_type(provider, "custom_tool_call", ""), fields)?;
        if let Some(item) = slot.and_then(|slot| self.items.get_mut(slot)) {
            item.custom_input = Some(String::new());
        }
        Ok(slot)
    }

    /// Adds the output of a call; the output itself is set before it is done.
    pub(crate) fn add_call_output(&mut self, call_id: &str) -> Result<OutputSlot, Error> {
        let mut fields = Object::new();
        fields.push("call_id", call_id);
        fields.push("output", "");
        self.add_item("function_call_output", fields, false)
    }

    /// Adds an extension item; `None` if extensions are left out.
    pub(crate) fn add_extension(&mut self, kind: &str, fields: Object) -> Result<Option<OutputSlot>, Error> {
        if !self.options.include_extensions {
            self.report(AdapterCode::ItemDropped, kind);
            return Ok(None);
        }
        let added = self.add_item(kind, fields, false);
        self.drop_invalid(added, AdapterCode::ItemDropped, kind)
    }

    /// Writes media as one item, added and done at once.
    pub(crate) fn add_media(&mut self, provider: &str, media_type: &str, url: String) -> Result<(), Error> {
        self.close_last_item(ItemStatus::Completed)?;
        self.account_bytes(url.len())?;
        let mut fields = Object::new();
        fields.push("media_type", media_type);
        fields.push("url", url);
        match self.add_extension(&extension_type(provider, "media", ""), fields)? {
            Some(slot) => self.close_item(slot, ItemStatus::Completed),
            None => Ok(()),
        }
    }

    fn add_item(&mut self, kind: &str, fields: Object, call: bool) -> Result<OutputSlot, Error> {
        self.start()?;
        if self.items.len() >= self.limits.items {
            return Err(Error::new(Code::ItemLimit, 0, format!("limit {}", self.limits.items)));
        }
        // The item stores the fields, and their JSON text has them again.
        self.account_bytes(ITEM_BYTES + ITEM_BYTES / 2 + 2 * object_bytes(&fields))?;
        let handle = self.writer.open(kind, fields)?;
        self.items.push(BuiltItem { call, ..BuiltItem::default() });
        Ok(handle.output_index() as usize)
    }

    /// Sets a field of an item, which its done event has.
    pub(crate) fn set_field(&mut self, slot: OutputSlot, key: &str, value: Value) -> Result<(), Error> {
        if !self.writer.is_open(handle(slot)) {
            // The source sent it after the item that it belongs to.
            self.report(AdapterCode::ContentPartDropped, key);
            return Ok(());
        }
        self.account_bytes(member_bytes(key, &value))?;
        let set = self.writer.set(handle(slot), key, value);
        self.drop_invalid(set, AdapterCode::ContentPartDropped, key).map(drop)
    }

    /// Replaces the fields of an extension item, directly before it is done.
    pub(crate) fn replace_fields(&mut self, slot: OutputSlot, fields: Object) -> Result<(), Error> {
        self.account_bytes(object_bytes(&fields))?;
        let replaced = self.writer.replace_fields(handle(slot), fields);
        self.drop_invalid(replaced, AdapterCode::ContentPartDropped, "fields of an item").map(drop)
    }

    /// Closes an item. A truncated item is closed at the end of the response, because no item may follow it.
    pub(crate) fn close_item(&mut self, slot: OutputSlot, status: ItemStatus) -> Result<(), Error> {
        if self.items.get(slot).is_none_or(|item| item.done) {
            return Ok(());
        }
        self.close_part(slot)?;
        if self.last.is_some_and(|(last, _)| last == slot) {
            self.last = None;
        }
        if let Some(item) = self.items.get_mut(slot) {
            item.done = true;
        }
        if status == ItemStatus::Incomplete {
            self.incomplete_items.insert(slot);
            return Ok(());
        }
        self.writer.close_as_source(handle(slot), status)
    }

    /// The kind of the last item, if it is open.
    pub(crate) fn last_item(&self) -> LastItem {
        self.last.map_or(LastItem::Nothing, |(_, last)| last)
    }

    /// The last item, if it is open.
    pub(crate) fn last_slot(&self) -> Option<OutputSlot> {
        self.last.map(|(slot, _)| slot)
    }

    /// Closes the last item, if it is open.
    pub(crate) fn close_last_item(&mut self, status: ItemStatus) -> Result<(), Error> {
        match self.last.take() {
            Some((slot, _)) => self.close_item(slot, status),
            None => Ok(()),
        }
    }

    /// The open message, or a new one after the last item.
    pub(crate) fn ensure_message(&mut self) -> Result<OutputSlot, Error> {
        if let Some((slot, LastItem::Message)) = self.last {
            return Ok(slot);
        }
        self.close_last_item(ItemStatus::Completed)?;
        let slot = self.add_message()?;
        self.last = Some((slot, LastItem::Message));
        Ok(slot)
    }

    /// The open reasoning item, or a new one after the last item.
    pub(crate) fn ensure_reasoning(&mut self) -> Result<OutputSlot, Error> {
        match self.last {
            Some((slot, LastItem::Reasoning)) => Ok(slot),
            _ => self.start_reasoning(None),
        }
    }

    /// A new reasoning item after the last item.
    pub(crate) fn start_reasoning(&mut self, encrypted: Option<&str>) -> Result<OutputSlot, Error> {
        self.close_last_item(ItemStatus::Completed)?;
        let slot = self.add_reasoning(encrypted)?;
        self.last = Some((slot, LastItem::Reasoning));
        Ok(slot)
    }

    /// A new call after the last item.
    pub(crate) fn start_call(&mut self, call_id: &str, name: &str) -> Result<OutputSlot, Error> {
        self.close_last_item(ItemStatus::Completed)?;
        let slot = self.add_call(call_id, name)?;
        self.last = Some((slot, LastItem::Call));
        Ok(slot)
    }

    /// A new compaction after the last item. The first release has no such item: there it is an extension item, if those are written.
    pub(crate) fn start_compaction(&mut self, extension: &str) -> Result<Option<OutputSlot>, Error> {
        let mut fields = Object::new();
        fields.push("encrypted_content", "");
        if self.options.edition == Edition::V2026_01_15 {
            return self.start_extension(extension, fields);
        }
        self.close_last_item(ItemStatus::Completed)?;
        let slot = self.add_item("compaction", fields, false)?;
        self.last = Some((slot, LastItem::Other));
        Ok(Some(slot))
    }

    /// A new extension item after the last item.
    pub(crate) fn start_extension(&mut self, kind: &str, fields: Object) -> Result<Option<OutputSlot>, Error> {
        self.close_last_item(ItemStatus::Completed)?;
        let slot = self.add_extension(kind, fields)?;
        self.last = slot.map(|slot| (slot, LastItem::Other));
        Ok(slot)
    }
}
