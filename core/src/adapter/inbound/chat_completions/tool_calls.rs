//! Tool calls in fragments: the call of a fragment, the opening of a call, and the closing of all calls.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{ChatDecoder, DeltaMembers, OpenReasoning};
use crate::accumulate::held_bytes::{NAME_BYTES, PART_BYTES};
use crate::adapter::inbound::builder::{ItemStatus, OutputSlot, ResponseBuilder};
use crate::adapter::inbound::encrypted_content;
use crate::adapter::inbound::{count, non_null, text, SurrogateCarry, TextPiece};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{ValueKind, ValueRef};

/// The calls of the completion, found by index or id.
#[derive(Default)]
pub(super) struct ToolCallTable {
    all: Vec<PartialToolCall>,
    by_index: BTreeMap<u64, usize>,
    by_id: BTreeMap<String, usize>,
}

/// The content of a call's fragment, by the type of its tool.
enum CallBody<'a> {
    Function(ValueRef<'a>),
    Custom(ValueRef<'a>),
}

/// A call of the completion.
#[derive(Default)]
struct PartialToolCall {
    /// The source's id; empty until it arrives.
    id: String,
    name: String,
    slot: Option<OutputSlot>,
    /// Arguments that arrived before the name.
    early: String,
    carry: SurrogateCarry,
    signature: Option<String>,
    /// A call of a custom tool: its input is plain text.
    custom: bool,
    /// True if the options leave its item out.
    dropped: bool,
}

impl ToolCallTable {
    fn add(&mut self, index: Option<u64>) -> usize {
        let at = self.all.len();
        self.all.push(PartialToolCall::default());
        if let Some(index) = index {
            self.by_index.insert(index, at);
        }
        at
    }

    /// The last item of a call. Items are added in order; calls need not be.
    pub(super) fn last_slot(&self) -> Option<OutputSlot> {
        self.all.iter().filter_map(|call| call.slot).max()
    }
}

impl ChatDecoder {
    pub(super) fn call_tools(&mut self, delta: &DeltaMembers<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        for entry in delta.tool_calls.into_iter().flat_map(|calls| calls.elements()) {
            self.call_tool(entry, builder)?;
        }
        // The legacy form is one call without an id.
        match non_null(delta.function_call) {
            Some(function) => self.grow_call(None, Some(0), CallBody::Function(function), None, builder),
            None => Ok(()),
        }
    }

    fn call_tool(&mut self, entry: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let [id, index, kind, function, custom, extra] =
            entry.members(["id", "index", "type", "function", "custom", "extra_content"]);
        let (id, index) = (text(id).filter(|id| !id.is_empty()), count(index));
        if let Some(custom) = non_null(custom).filter(|_| function.is_none()) {
            return self.grow_call(id.as_deref(), index, CallBody::Custom(custom), None, builder);
        }
        let Some(function) = non_null(function) else {
            if let Some(kind) = text(kind) {
                builder.report(AdapterCode::ToolCallDropped, &kind);
            }
            return Ok(());
        };
        let signature = text(extra.and_then(|extra| extra.pointer("/google/thought_signature")));
        self.grow_call(id.as_deref(), index, CallBody::Function(function), signature.as_deref(), builder)
    }

    fn grow_call(
        &mut self,
        id: Option<&str>,
        index: Option<u64>,
        body: CallBody<'_>,
        signature: Option<&str>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        let (body, text_key, custom) = match body {
            CallBody::Function(function) => (function, "arguments", false),
            CallBody::Custom(custom) => (custom, "input", true),
        };
        let [name, input] = body.members(["name", text_key]);
        let name = text(name).unwrap_or_default();
        let at = match self.find_call(id, index, !name.is_empty(), builder) {
            Some(at) => at,
            None => {
                builder.account_bytes(PART_BYTES)?;
                self.calls.add(index)
            }
        };
        let ToolCallTable { all, by_id, .. } = &mut self.calls;
        let Some(call) = all.get_mut(at) else { return Ok(()) };
        if let (Some(id), true) = (id, call.id.is_empty()) {
            // The table of ids has it, too.
            builder.account_bytes(NAME_BYTES + 2 * id.len())?;
            call.id = id.to_string();
            by_id.insert(id.to_string(), at);
        }
        call.custom |= custom;
        if call.name.is_empty() {
            builder.account_bytes(name.len())?;
            call.name = name.into_owned();
        }
        if let Some(signature) = signature.filter(|signature| !signature.is_empty()) {
            builder.account_bytes(signature.len())?;
            call.signature = Some(signature.to_string());
        }
        if call.slot.is_none() && !call.dropped && !call.name.is_empty() {
            self.open_call(at, builder)?;
        }
        self.grow_arguments(at, input, builder)
    }

    /// The call that a fragment belongs to; `None` for a new one.
    fn find_call(
        &mut self,
        id: Option<&str>,
        index: Option<u64>,
        named: bool,
        builder: &mut ResponseBuilder,
    ) -> Option<usize> {
        let ToolCallTable { all, by_index, by_id } = &self.calls;
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
                // The item already has an id, which readers know.
                builder.report(AdapterCode::LateCallId, "");
            }
            return Some(found);
        }
        // Another call reuses the index.
        None
    }

    fn open_call(&mut self, at: usize, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.flush_logprobs(builder)?;
        let Some(call) = self.calls.all.get_mut(at) else { return Ok(()) };
        if let Some(signature) = call.signature.take() {
            let envelope = encrypted_content::wrap("google", "next", &signature);
            match self.reasoning.slot {
                Some(slot) if !self.reasoning.sealed && builder.last_slot() == Some(slot) => {
                    builder.set_field(slot, "encrypted_content", envelope.into())?;
                }
                _ => {
                    builder.start_reasoning(Some(&envelope))?;
                }
            }
        }
        self.reasoning = OpenReasoning::default();
        builder.close_last_item(ItemStatus::Completed)?;
        let slot = if call.custom {
            let Some(slot) = builder.add_custom_call(&self.provider, &call.id, &call.name)? else {
                call.dropped = true;
                return Ok(());
            };
            slot
        } else {
            builder.add_call(&call.id, &call.name)?
        };
        call.slot = Some(slot);
        let early = core::mem::take(&mut call.early);
        builder.append_early_arguments(slot, &early, core::mem::take(&mut call.carry))
    }

    /// Arguments are text, or an object from servers that do not stream them.
    fn grow_arguments(
        &mut self,
        at: usize,
        arguments: Option<ValueRef<'_>>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        let (Some(arguments), Some(call)) = (non_null(arguments), self.calls.all.get_mut(at)) else { return Ok(()) };
        let piece = match arguments.kind() {
            ValueKind::Object | ValueKind::Array => TextPiece::from_text(arguments.to_value().to_string()),
            _ => match TextPiece::from_json(arguments) {
                Some(piece) => piece,
                None => return Ok(()),
            },
        };
        match call.slot {
            Some(slot) => builder.append_arguments(slot, &piece),
            None if call.dropped => Ok(()),
            None => {
                let text = piece.join(&mut call.carry);
                builder.account_bytes(text.len())?;
                call.early.push_str(&text);
                Ok(())
            }
        }
    }

    /// Truncates every open item, calls included.
    pub(super) fn close_all_incomplete(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        self.flush_logprobs(builder)?;
        self.reasoning = OpenReasoning::default();
        builder.close_last_item(ItemStatus::Incomplete)?;
        for slot in self.named_slots(builder) {
            builder.close_item(slot, ItemStatus::Incomplete)?;
        }
        Ok(())
    }

    /// Closes all calls in order. If the end is incomplete, the last one is truncated, and so is any call whose arguments are not JSON.
    pub(super) fn close_calls(&mut self, status: ItemStatus, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let slots = self.named_slots(builder);
        let last = slots.last().copied();
        for slot in slots {
            let cut = status == ItemStatus::Incomplete && (Some(slot) == last || !builder.has_complete_arguments(slot));
            if cut && Some(slot) != last {
                builder.report(AdapterCode::TruncatedParallelCall, "");
            }
            builder.close_item(slot, if cut { ItemStatus::Incomplete } else { ItemStatus::Completed })?;
        }
        Ok(())
    }

    /// Takes the calls that have an item, in order; the others are reported.
    fn named_slots(&mut self, builder: &mut ResponseBuilder) -> Vec<OutputSlot> {
        let mut slots = Vec::new();
        for call in core::mem::take(&mut self.calls).all {
            match call.slot {
                Some(slot) => slots.push(slot),
                None if call.dropped => {}
                None => builder.report(AdapterCode::ToolCallDropped, "a call without a name"),
            }
        }
        slots.sort_unstable();
        slots
    }
}
