//! Items: adding them, setting their fields, closing them, and the last one that waits for its end.

use alloc::format;

use super::{extension, handle, Hub, Last, Open, Slot, Status};
use crate::adapter::AdapterCode;
use crate::error::{Code, Error};
use crate::json::{Object, Value};

impl Hub {
    /// Adds a message.
    pub(crate) fn message(&mut self) -> Result<Slot, Error> {
        self.add("message", Object::new(), false)
    }

    /// Adds a reasoning item, with encrypted content if that is known already.
    pub(crate) fn reasoning(&mut self, encrypted: Option<&str>) -> Result<Slot, Error> {
        let mut fields = Object::new();
        if let Some(encrypted) = encrypted {
            self.hold(encrypted.len())?;
            fields.push("encrypted_content", encrypted);
        }
        self.add("reasoning", fields, false)
    }

    /// Adds a function call. An empty id is replaced by one made from the response's; an empty name is told.
    pub(crate) fn call(&mut self, call_id: &str, name: &str) -> Result<Slot, Error> {
        let mut fields = Object::new();
        if name.is_empty() {
            self.report(AdapterCode::ToolCallWithoutName, "");
        }
        let name = if name.is_empty() { "unknown" } else { name };
        fields.push("call_id", call_id);
        fields.push("name", name);
        self.add("function_call", fields, true)
    }

    /// Adds the output of a call; the output itself is set before it is done.
    pub(crate) fn output(&mut self, call_id: &str) -> Result<Slot, Error> {
        let mut fields = Object::new();
        fields.push("call_id", call_id);
        fields.push("output", "");
        self.add("function_call_output", fields, false)
    }

    /// Adds an extension item; `None` if extensions are left out.
    pub(crate) fn extension(&mut self, kind: &str, fields: Object) -> Result<Option<Slot>, Error> {
        if !self.options.include_extensions {
            self.report(AdapterCode::ItemDropped, kind);
            return Ok(None);
        }
        self.add(kind, fields, false).map(Some)
    }

    /// Writes media as one item, added and done at once.
    pub(crate) fn media(&mut self, provider: &str, media_type: &str, url: &str) -> Result<(), Error> {
        self.settle(Status::Completed)?;
        self.hold(url.len())?;
        let mut fields = Object::new();
        fields.push("media_type", media_type);
        fields.push("url", url);
        match self.extension(&extension(provider, "media", ""), fields)? {
            Some(slot) => self.done(slot, Status::Completed),
            None => Ok(()),
        }
    }

    fn add(&mut self, kind: &str, fields: Object, call: bool) -> Result<Slot, Error> {
        self.start()?;
        if self.items.len() >= self.limits.items {
            return Err(Error::new(Code::ItemLimit, 0, format!("limit {}", self.limits.items)));
        }
        let handle = self.writer.open(kind, fields)?;
        self.items.push(Open { call, ..Open::default() });
        Ok(handle.output_index() as usize)
    }

    /// Sets a field of an item, shown when it is done.
    pub(crate) fn set(&mut self, slot: Slot, key: &str, value: Value) -> Result<(), Error> {
        if let Value::String(text) = &value {
            self.hold(text.len())?;
        }
        self.writer.set(handle(slot), key, value)
    }

    /// Puts the fields of an extension item anew, just before it is done.
    pub(crate) fn replace_fields(&mut self, slot: Slot, fields: Object) -> Result<(), Error> {
        self.writer.replace_fields(handle(slot), fields)
    }

    /// Closes an item. What is cut waits for the end of the response, since nothing may follow it.
    pub(crate) fn done(&mut self, slot: Slot, status: Status) -> Result<(), Error> {
        if self.items.get(slot).is_none_or(|item| item.done) {
            return Ok(());
        }
        self.end_part(slot)?;
        if self.last.is_some_and(|(last, _)| last == slot) {
            self.last = None;
        }
        if let Some(item) = self.items.get_mut(slot) {
            item.done = true;
        }
        if status == Status::Incomplete {
            self.cut.insert(slot);
            return Ok(());
        }
        self.writer.close_honestly(handle(slot), status)
    }

    /// What the last item is, if it is open.
    pub(crate) fn last(&self) -> Last {
        self.last.map_or(Last::Nothing, |(_, last)| last)
    }

    /// The last item, if it is open.
    pub(crate) fn last_slot(&self) -> Option<Slot> {
        self.last.map(|(slot, _)| slot)
    }

    /// Closes the last item, if it is open.
    pub(crate) fn settle(&mut self, status: Status) -> Result<(), Error> {
        match self.last.take() {
            Some((slot, _)) => self.done(slot, status),
            None => Ok(()),
        }
    }

    /// The message that is open, or a new one behind the last item.
    pub(crate) fn in_message(&mut self) -> Result<Slot, Error> {
        if let Some((slot, Last::Message)) = self.last {
            return Ok(slot);
        }
        self.settle(Status::Completed)?;
        let slot = self.message()?;
        self.last = Some((slot, Last::Message));
        Ok(slot)
    }

    /// The reasoning item that is open, or a new one behind the last item.
    pub(crate) fn in_reasoning(&mut self) -> Result<Slot, Error> {
        match self.last {
            Some((slot, Last::Reasoning)) => Ok(slot),
            _ => self.next_reasoning(None),
        }
    }

    /// A new reasoning item behind the last item.
    pub(crate) fn next_reasoning(&mut self, encrypted: Option<&str>) -> Result<Slot, Error> {
        self.settle(Status::Completed)?;
        let slot = self.reasoning(encrypted)?;
        self.last = Some((slot, Last::Reasoning));
        Ok(slot)
    }

    /// A new call behind the last item.
    pub(crate) fn next_call(&mut self, call_id: &str, name: &str) -> Result<Slot, Error> {
        self.settle(Status::Completed)?;
        let slot = self.call(call_id, name)?;
        self.last = Some((slot, Last::Call));
        Ok(slot)
    }

    /// A new compaction behind the last item.
    pub(crate) fn next_compaction(&mut self) -> Result<Slot, Error> {
        self.settle(Status::Completed)?;
        let mut fields = Object::new();
        fields.push("encrypted_content", "");
        let slot = self.add("compaction", fields, false)?;
        self.last = Some((slot, Last::Other));
        Ok(slot)
    }

    /// A new extension item behind the last item.
    pub(crate) fn next_extension(&mut self, kind: &str, fields: Object) -> Result<Option<Slot>, Error> {
        self.settle(Status::Completed)?;
        let slot = self.extension(kind, fields)?;
        self.last = slot.map(|slot| (slot, Last::Other));
        Ok(slot)
    }
}
