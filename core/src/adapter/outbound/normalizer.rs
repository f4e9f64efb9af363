//! [`Normalizer`]: finds the item of each event, adds missing steps, and drops events that come too late.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::source_item::{ItemShape, SourceItem};
use super::target_output::TargetOutput;
use super::{EndStatus, ResponseEnd, ResponseStart, TargetFormat};
use crate::accumulate::held_bytes::{ITEM_BYTES, NAME_BYTES};
use crate::adapter::{AdapterCode, AdapterFindings, Framing, Outbound};
use crate::clock::Clock;
use crate::contract::{ItemKind, Kind};
use crate::error::{Code, Error};
use crate::event::Event;
use crate::json::{ValueKind, ValueRef};
use crate::limits::Limits;
use crate::outcome::Failure;

/// Normalizes a stream of events and forwards it to a target.
pub(crate) struct Normalizer {
    // The target is a `dyn` reference: one compiled copy of this code for all targets is worth more than static calls.
    pub(super) target: Box<dyn TargetFormat>,
    pub(super) out: TargetOutput,
    pub(super) limits: Limits,
    pub(super) items: Vec<SourceItem>,
    start: ResponseStart,
    /// The time of a response that has none.
    clock: Clock,
    started: bool,
    ended: bool,
    /// The last `error` event: used if the response fails without an error of its own, or never ends.
    failure: Option<Failure>,
    by_index: BTreeMap<u64, usize>,
    by_id: BTreeMap<String, usize>,
    /// The item of the last event, which is most likely the item of the next one.
    last_item: Option<(u64, usize)>,
    /// The index of an item whose event has none.
    next_index: u64,
    /// Ids of calls, and those of calls without an output.
    call_ids: BTreeSet<String>,
    unanswered_calls: BTreeSet<String>,
}

impl Normalizer {
    pub(crate) fn new(target: impl TargetFormat + 'static, framing: Framing, limits: Limits, clock: Clock) -> Self {
        Self {
            target: Box::new(target),
            out: TargetOutput::new(framing, &limits),
            limits,
            items: Vec::new(),
            start: ResponseStart::default(),
            clock,
            started: false,
            ended: false,
            failure: None,
            by_index: BTreeMap::new(),
            by_id: BTreeMap::new(),
            last_item: None,
            next_index: 0,
            call_ids: BTreeSet::new(),
            unanswered_calls: BTreeSet::new(),
        }
    }

    fn ensure_started(&mut self) {
        if !core::mem::replace(&mut self.started, true) {
            if self.start.created_at == 0 {
                self.start.created_at = self.clock.now();
            }
            self.target.start(&self.start, &mut self.out);
        }
    }

    fn dispatch(&mut self, event: &Event<'_>) -> Result<(), Error> {
        match event.kind() {
            Kind::Created | Kind::Queued | Kind::InProgress => {
                if let Some(response) = event.response() {
                    self.start.learn(response);
                }
                self.ensure_started();
                Ok(())
            }
            Kind::Completed | Kind::Failed | Kind::Incomplete => self.response_ended(event),
            Kind::OutputItemAdded => self.item_added(event),
            Kind::OutputItemDone => self.item_done(event),
            // The response's own failure event follows, and targets allow one error.
            Kind::Error => {
                self.failure = Some(event.failure());
                Ok(())
            }
            kind => {
                self.ensure_started();
                self.apply_inside_item(kind, event)
            }
        }
    }

    /// The item of an event, opened if it is missing. `None`: the event has no item, or its item is done.
    pub(super) fn find_or_open(&mut self, event: &Event<'_>, shape: ItemShape) -> Result<Option<usize>, Error> {
        let (index, id) = (event.output_index(), event.item_id());
        let known = match (index, self.last_item) {
            (Some(index), Some((last, at))) if index == last => Some(at),
            _ => self.lookup(index, id),
        };
        let Some(at) = known else {
            if index.is_none() && id.is_none() {
                self.out.report(AdapterCode::OrphanDelta, || format!("{} names no item", event.kind()));
                return Ok(None);
            }
            let at = self.add_item(index.unwrap_or(self.next_index), shape, id, event)?;
            if let Some(slot) = self.items.get_mut(at) {
                slot.head.implied = true;
            }
            self.announce(at, None);
            return Ok(Some(at));
        };
        let Some(slot) = self.items.get_mut(at) else { return Ok(None) };
        if slot.done {
            self.out.report(AdapterCode::EventAfterItemDone, || format!("{}", event.kind()));
            return Ok(None);
        }
        if let Some(index) = index {
            self.last_item = Some((index, at));
        }
        report_id_change(slot, id, &mut self.out);
        Ok(Some(at))
    }

    fn lookup(&self, index: Option<u64>, id: Option<&str>) -> Option<usize> {
        let by_index = index.and_then(|index| self.by_index.get(&index));
        by_index.or_else(|| self.by_id.get(id.filter(|id| !id.is_empty())?)).copied()
    }

    /// Makes a new item at an index.
    fn add_item(&mut self, index: u64, shape: ItemShape, id: Option<&str>, event: &Event<'_>) -> Result<usize, Error> {
        if self.items.len() >= self.limits.items {
            let detail = format!("limit {}", self.limits.items);
            return Err(
                Error::new(Code::ItemLimit, event.offset(), detail).with_sequence_number(event.sequence_number())
            );
        }
        let at = self.items.len();
        let mut slot = SourceItem::new(shape, index, at as u32);
        let id = id.filter(|id| !id.is_empty());
        slot.head.id_from_source = id.is_some_and(|id| !self.by_id.contains_key(id));
        slot.head.id = match id {
            Some(id) if slot.head.id_from_source => id.to_owned(),
            // Two items with one name would be merged by the client.
            Some(id) => format!("{id}_{at}"),
            None => format!("{}_{}_{index}", shape.prefix(), self.start.suffix()),
        };
        self.by_id.entry(slot.head.id.clone()).or_insert(at);
        self.by_index.insert(index, at);
        // The id is in the table of ids, too, and a target stores a few bytes for each item.
        self.out.account_bytes(ITEM_BYTES + 2 * slot.head.id.len());
        self.last_item = None;
        self.next_index = self.next_index.max(index.saturating_add(1));
        self.items.push(slot);
        Ok(at)
    }

    fn item_added(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let Some(item) = event.item().filter(|item| item.kind() == ValueKind::Object) else { return Ok(()) };
        self.ensure_started();
        let id = text_at(item, "id");
        let index = event.output_index().unwrap_or(self.next_index);
        if let Some((at, slot)) = self.by_index.get(&index).and_then(|at| Some((*at, self.items.get(*at)?))) {
            if slot.head.implied && !slot.done {
                // Deltas came before it.
                self.merge_fields(at, item);
                self.announce(at, Some(item));
                return self.merge_content(at, item, false, event);
            }
            if !slot.done || slot.head.id == id {
                self.out.report(AdapterCode::DuplicateItemAdded, || format!("output_index {index}"));
                return Ok(());
            }
        }
        let shape = ItemShape::of(ItemKind::from_wire(&text_at(item, "type")), self.target.shown_calls());
        let at = self.add_item(index, shape, Some(&id), event)?;
        self.merge_fields(at, item);
        self.announce(at, Some(item));
        self.merge_content(at, item, false, event)
    }

    fn item_done(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let Some(item) = event.item().filter(|item| item.kind() == ValueKind::Object) else { return Ok(()) };
        self.ensure_started();
        let id = text_at(item, "id");
        let at = match self.lookup(event.output_index(), Some(&id)) {
            Some(at) => at,
            None => {
                let shape = ItemShape::of(ItemKind::from_wire(&text_at(item, "type")), self.target.shown_calls());
                self.add_item(event.output_index().unwrap_or(self.next_index), shape, Some(&id), event)?
            }
        };
        match self.items.get_mut(at) {
            Some(slot) if slot.done => {
                self.out.report(AdapterCode::EventAfterItemDone, || format!("{}", event.kind()));
                return Ok(());
            }
            Some(slot) => {
                report_id_change(slot, Some(&id).filter(|id| !id.is_empty()).map(String::as_str), &mut self.out)
            }
            None => return Ok(()),
        }
        self.merge_fields(at, item);
        // An item that is forwarded as a whole is forwarded here, without a separate start.
        let whole = self.items.get(at).is_some_and(|slot| slot.head.shape == ItemShape::Other);
        self.announce(at, Some(item).filter(|_| !whole));
        self.merge_content(at, item, true, event)?;
        let Some(slot) = self.items.get_mut(at) else { return Ok(()) };
        slot.done = true;
        if !slot.head.announced {
            self.out.report(AdapterCode::ToolCallDropped, || format!("output_index {}", slot.head.output_index));
            return Ok(());
        }
        self.close_parts(at);
        self.report_item_members(at, item);
        if let Some(slot) = self.items.get_mut(at) {
            self.target.item_done(slot, item, &mut self.out);
            slot.clear_texts();
        }
        Ok(())
    }

    /// Reports members of extensions on an item that the target does not show whole.
    fn report_item_members(&mut self, at: usize, item: ValueRef<'_>) {
        let shape = self.items.get(at).map(|slot| slot.head.shape);
        if !matches!(shape, Some(ItemShape::Message | ItemShape::Reasoning | ItemShape::Function)) {
            return;
        }
        for (key, value) in item.entries() {
            let Some(key) = key.as_str().filter(|_| !value.is_null()) else { continue };
            match key.split_once(':') {
                Some(("anthropic", "caller")) => self.out.report_code(AdapterCode::CallerDropped),
                Some((slug, _)) if slug != "deltafold" => {
                    self.out.report(AdapterCode::ContentPartDropped, || key.into_owned());
                }
                _ => {}
            }
        }
    }

    /// Takes the data of an item's object that no earlier event had.
    fn merge_fields(&mut self, at: usize, item: ValueRef<'_>) {
        let Some(slot) = self.items.get_mut(at) else { return };
        let head = &mut slot.head;
        head.implied = false;
        if head.item_type.is_empty() {
            head.item_type = text_at(item, "type");
            self.out.account_bytes(head.item_type.len());
        }
        if !head.announced {
            if head.name.is_empty() {
                head.name = text_at(item, "name");
                self.out.account_bytes(head.name.len());
            }
            if head.call_id.is_empty() {
                head.call_id = if head.shape == ItemShape::Mcp { head.id.clone() } else { text_at(item, "call_id") };
            }
        }
        if head.item_type.ends_with("_call_output") {
            if head.call_id.is_empty() {
                head.call_id = text_at(item, "call_id");
            }
            self.unanswered_calls.remove(&head.call_id);
        }
    }

    /// Forwards the start of an item to the target, once. A call waits until its name is known; its arguments wait with it.
    fn announce(&mut self, at: usize, item: Option<ValueRef<'_>>) {
        let Some(SourceItem { head, .. }) = self.items.get_mut(at) else { return };
        if head.announced {
            return;
        }
        if head.shape.is_call() {
            if head.name.is_empty() {
                return;
            }
            if head.call_id.is_empty() {
                head.call_id = format!("call_{}_{}", self.start.suffix(), head.output_index);
            }
            // The item has the id, and so do the sets of all calls and of calls without an output.
            self.out.account_bytes(2 * NAME_BYTES + 3 * head.call_id.len());
            if !self.call_ids.insert(head.call_id.clone()) {
                self.out.report(AdapterCode::ItemIdChanged, || "call_id was used before".to_owned());
                head.call_id = format!("{}_{}", head.call_id, head.serial);
                self.call_ids.insert(head.call_id.clone());
            }
            if head.shape != ItemShape::Mcp {
                self.unanswered_calls.insert(head.call_id.clone());
            }
        }
        head.announced = true;
        self.target.item_added(head, item, &mut self.out);
        if !head.arguments.text.is_empty() {
            let waited = head.arguments.text.clone();
            self.target.arguments(head, &waited, &mut self.out);
        }
    }

    fn response_ended(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let response = event.response();
        if let Some(response) = response {
            self.start.learn(response);
        }
        for (key, value) in response.into_iter().flat_map(|response| response.entries()) {
            let Some(key) = key.as_str().filter(|_| !value.is_null()) else { continue };
            // Targets read the library's own members, or have no use for them.
            let is_written = |slug: &str| slug == "deltafold" || slug == self.target.own_slug();
            if key.split_once(':').is_some_and(|(slug, _)| !is_written(slug)) {
                self.out.report(AdapterCode::ContentPartDropped, || key.into_owned());
            }
        }
        let output = response.and_then(|response| response.get("output"));
        let more = output.map_or(0, |output| output.elements().count()).saturating_sub(self.items.len());
        if more > 0 {
            self.out.report(AdapterCode::ItemDropped, || format!("{more} items that only the last event has"));
        }
        let text = |pointer: &str| Some(response?.pointer(pointer)?.as_str()?.into_owned());
        let cancelled = text("/status").as_deref() == Some("cancelled");
        let (verdict, reason) = match event.kind() {
            _ if cancelled => (EndStatus::Incomplete, "cancelled".to_owned()),
            Kind::Completed => (EndStatus::Completed, String::new()),
            Kind::Incomplete => {
                let reason = text("/incomplete_details/reason").filter(|reason| !reason.is_empty());
                (EndStatus::Incomplete, reason.unwrap_or_else(|| "unknown".to_owned()))
            }
            _ => (EndStatus::Failed, String::new()),
        };
        let mut failure = self.failure.take().unwrap_or_default();
        if let Some(message) = text("/error/message").filter(|message| !message.is_empty()) {
            failure.message = message;
            failure.code = text("/error/code").unwrap_or_default();
        }
        self.end_response(verdict, reason, failure, response);
        Ok(())
    }

    fn end_response(&mut self, status: EndStatus, reason: String, failure: Failure, response: Option<ValueRef<'_>>) {
        self.ensure_started();
        self.ended = true;
        for at in 0..self.items.len() {
            let Some(slot) = self.items.get_mut(at).filter(|slot| !slot.done) else { continue };
            if status != EndStatus::Failed {
                self.out.report(AdapterCode::MissingItemDone, || format!("output_index {}", slot.head.output_index));
                self.replace_lone_surrogates(at);
            }
            self.announce(at, None);
            if let Some(slot) = self.items.get(at).filter(|slot| !slot.head.announced) {
                let index = slot.head.output_index;
                self.out.report(AdapterCode::ToolCallDropped, || format!("output_index {index}"));
            }
        }
        let open = self.items.iter_mut().filter(|slot| !slot.done && slot.head.announced);
        let mut open: Vec<&mut SourceItem> = open.collect();
        open.sort_by_key(|slot| (slot.head.output_index, slot.head.serial));
        let end = ResponseEnd {
            status,
            reason,
            failure,
            response,
            start: &self.start,
            unanswered_calls: &self.unanswered_calls,
        };
        self.target.end(&end, &mut open, &mut self.out);
        self.items = Vec::new();
    }

    fn check_size(&self, event: &Event<'_>) -> Result<(), Error> {
        if self.out.held_bytes > self.limits.response_bytes {
            let detail = format!("limit {}", self.limits.response_bytes);
            return Err(
                Error::new(Code::ResponseLimit, event.offset(), detail).with_sequence_number(event.sequence_number())
            );
        }
        Ok(())
    }
}

impl Outbound for Normalizer {
    fn apply(&mut self, event: &Event<'_>) -> Result<(), Error> {
        if event.kind() == Kind::Keepalive {
            return Ok(());
        }
        self.out.findings.set_event(event.index(), event.offset());
        if self.ended {
            self.out.report(AdapterCode::EventAfterTerminal, || format!("{}", event.kind()));
            return Ok(());
        }
        self.target.observe_event(event, &self.out);
        self.dispatch(event)?;
        self.check_size(event)
    }

    fn finish(&mut self) -> Result<(), Error> {
        if !self.ended {
            let cut = || Failure {
                kind: "server_error".to_owned(),
                code: "stream_truncated".to_owned(),
                message: "The response stream ended before a terminal event.".to_owned(),
                param: None,
            };
            let failure = self.failure.take().unwrap_or_else(cut);
            self.end_response(EndStatus::Failed, String::new(), failure, None);
        }
        Ok(())
    }

    fn cancel(&mut self) -> Result<(), Error> {
        if !self.ended {
            self.end_response(EndStatus::Incomplete, "cancelled".to_owned(), Failure::default(), None);
        }
        Ok(())
    }

    fn write_into(&mut self, out: &mut Vec<u8>) {
        self.out.frames.write_into(out);
    }

    fn findings(&self) -> &AdapterFindings {
        &self.out.findings
    }
}

/// Reports, once per item, that an event has another id than the item.
fn report_id_change(slot: &mut SourceItem, id: Option<&str>, out: &mut TargetOutput) {
    let head = &mut slot.head;
    if head.id_from_source && !head.id_changed && id.is_some_and(|id| id != head.id) {
        head.id_changed = true;
        out.report(AdapterCode::ItemIdChanged, || format!("output_index {}", head.output_index));
    }
}

/// The string at a key; empty if there is none.
pub(super) fn text_at(object: ValueRef<'_>, key: &str) -> String {
    object.get(key).and_then(|value| value.as_str()).unwrap_or_default().into_owned()
}
