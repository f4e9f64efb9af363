//! Tool calls in fragments: which call a fragment belongs to, when a call opens, and how all of them close.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Chat, Reasoning};
use crate::adapter::inbound::envelope;
use crate::adapter::inbound::hub::{Hub, Slot, Status};
use crate::adapter::inbound::{count, given, text, Carry, Piece};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Tag, View};

/// The calls of the completion, found by index or id.
#[derive(Default)]
pub(super) struct Calls {
    all: Vec<Call>,
    by_index: BTreeMap<u64, usize>,
    by_id: BTreeMap<String, usize>,
}

/// A call of the completion.
#[derive(Default)]
struct Call {
    /// The source's id; empty until it comes.
    id: String,
    name: String,
    slot: Option<Slot>,
    /// Arguments that came before the name.
    early: String,
    carry: Carry,
    signature: Option<String>,
}

impl Calls {
    fn add(&mut self, index: Option<u64>) -> usize {
        let at = self.all.len();
        self.all.push(Call::default());
        if let Some(index) = index {
            self.by_index.insert(index, at);
        }
        at
    }

    /// The last item of a call. Items are added in order, calls need not be.
    pub(super) fn last_slot(&self) -> Option<Slot> {
        self.all.iter().filter_map(|call| call.slot).max()
    }
}

impl Chat {
    pub(super) fn call_tools(&mut self, delta: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        for entry in delta.get("tool_calls").into_iter().flat_map(|calls| calls.elements()) {
            self.call_tool(entry, count(entry.get("index")), hub)?;
        }
        // The legacy form is one call without an id.
        match given(delta.get("function_call")) {
            Some(function) => self.grow_call(None, Some(0), function, None, hub),
            None => Ok(()),
        }
    }

    fn call_tool(&mut self, entry: View<'_>, index: Option<u64>, hub: &mut Hub) -> Result<(), Error> {
        let Some(function) = given(entry.get("function")) else { return Ok(()) };
        let id = text(entry.get("id")).filter(|id| !id.is_empty());
        let signature = text(entry.pointer("/extra_content/google/thought_signature"));
        self.grow_call(id.as_deref(), index, function, signature.as_deref(), hub)
    }

    fn grow_call(
        &mut self,
        id: Option<&str>,
        index: Option<u64>,
        function: View<'_>,
        signature: Option<&str>,
        hub: &mut Hub,
    ) -> Result<(), Error> {
        let name = text(function.get("name")).unwrap_or_default();
        let at = match self.find_call(id, index, !name.is_empty(), hub) {
            Some(at) => at,
            None => self.calls.add(index),
        };
        let Calls { all, by_id, .. } = &mut self.calls;
        let Some(call) = all.get_mut(at) else { return Ok(()) };
        if let (Some(id), true) = (id, call.id.is_empty()) {
            hub.hold(id.len())?;
            call.id = id.to_string();
            by_id.insert(id.to_string(), at);
        }
        if call.name.is_empty() {
            call.name = name.into_owned();
        }
        if let Some(signature) = signature.filter(|signature| !signature.is_empty()) {
            call.signature = Some(signature.to_string());
        }
        if call.slot.is_none() && !call.name.is_empty() {
            self.open_call(at, hub)?;
        }
        self.grow_arguments(at, function.get("arguments"), hub)
    }

    /// The call that a fragment belongs to; `None` for a new one.
    fn find_call(&mut self, id: Option<&str>, index: Option<u64>, named: bool, hub: &mut Hub) -> Option<usize> {
        let Calls { all, by_index, by_id } = &self.calls;
        let found = match (index, id) {
            (Some(index), _) => by_index.get(&index).copied(),
            (None, Some(id)) => by_id.get(id).copied(),
            (None, None) => all.len().checked_sub(1),
        }?;
        let (call, Some(id)) = (all.get(found)?, id) else { return Some(found) };
        if call.id == id {
            return Some(found);
        }
        if call.id.is_empty() && !(call.slot.is_some() && named) {
            if call.slot.is_some() {
                // The item has its own id already, and readers know it by that.
                hub.report(AdapterCode::LateCallId, "");
            }
            return Some(found);
        }
        // Another call takes over the index.
        None
    }

    fn open_call(&mut self, at: usize, hub: &mut Hub) -> Result<(), Error> {
        self.flush_logprobs(hub)?;
        let Some(call) = self.calls.all.get_mut(at) else { return Ok(()) };
        if let Some(signature) = call.signature.take() {
            let envelope = envelope::wrap("google", "next", &signature);
            match self.reasoning.slot {
                Some(slot) if !self.reasoning.sealed && hub.last_slot() == Some(slot) => {
                    hub.set(slot, "encrypted_content", envelope.into())?;
                }
                _ => {
                    hub.next_reasoning(Some(&envelope))?;
                }
            }
        }
        self.reasoning = Reasoning::default();
        hub.settle(Status::Completed)?;
        let slot = hub.call(&call.id, &call.name)?;
        call.slot = Some(slot);
        let early = core::mem::take(&mut call.early);
        hub.arguments_with(slot, &early, core::mem::take(&mut call.carry))
    }

    /// Arguments are text, or an object from servers that do not stream them.
    fn grow_arguments(&mut self, at: usize, arguments: Option<View<'_>>, hub: &mut Hub) -> Result<(), Error> {
        let (Some(arguments), Some(call)) = (given(arguments), self.calls.all.get_mut(at)) else { return Ok(()) };
        let piece = match arguments.tag() {
            Tag::Object | Tag::Array => Piece::plain(arguments.to_value().to_string()),
            _ => match Piece::of(arguments) {
                Some(piece) => piece,
                None => return Ok(()),
            },
        };
        match call.slot {
            Some(slot) => hub.arguments(slot, &piece),
            None => {
                let text = call.carry.join(&piece);
                hub.hold(text.len())?;
                call.early.push_str(&text);
                Ok(())
            }
        }
    }

    /// Cuts everything that is open, calls and all.
    pub(super) fn cut_all(&mut self, hub: &mut Hub) -> Result<(), Error> {
        self.flush_logprobs(hub)?;
        self.reasoning = Reasoning::default();
        hub.settle(Status::Incomplete)?;
        for slot in self.named_slots(hub) {
            hub.done(slot, Status::Incomplete)?;
        }
        Ok(())
    }

    /// Closes all calls in order. Of an incomplete end the last is cut, and any whose arguments are not JSON.
    pub(super) fn close_calls(&mut self, status: Status, hub: &mut Hub) -> Result<(), Error> {
        let slots = self.named_slots(hub);
        let last = slots.last().copied();
        for slot in slots {
            let cut = status == Status::Incomplete && (Some(slot) == last || !hub.has_whole_arguments(slot));
            if cut && Some(slot) != last {
                hub.report(AdapterCode::TruncatedParallelCall, "");
            }
            hub.done(slot, if cut { Status::Incomplete } else { Status::Completed })?;
        }
        Ok(())
    }

    /// Takes the calls that have an item, in order; the others are told.
    fn named_slots(&mut self, hub: &mut Hub) -> Vec<Slot> {
        let mut slots = Vec::new();
        for call in core::mem::take(&mut self.calls).all {
            match call.slot {
                Some(slot) => slots.push(slot),
                None => hub.report(AdapterCode::ToolCallWithoutName, ""),
            }
        }
        slots.sort_unstable();
        slots
    }
}
