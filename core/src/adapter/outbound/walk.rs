//! [`Outgoing`]: the tolerant walk over events: which item an event belongs to, what is missing, what comes too late.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::message::Out;
use super::slot::{Shape, Slot};
use super::{End, Start, Target, Verdict};
use crate::adapter::{AdapterCode, AdapterFindings, Framing, Outbound};
use crate::contract::Kind;
use crate::error::{Code, Error};
use crate::event::Event;
use crate::json::{Tag, View};
use crate::limits::Limits;
use crate::outcome::Failure;

/// Mends a stream of events and tells it to a target.
pub(crate) struct Outgoing {
    // A target is called a few times per event: one walk for all of them is worth more than calls that are known.
    pub(super) target: Box<dyn Target>,
    pub(super) out: Out,
    pub(super) limits: Limits,
    pub(super) slots: Vec<Slot>,
    start: Start,
    started: bool,
    ended: bool,
    /// The last `error` event: used if the response fails without saying why, or never ends.
    failure: Option<Failure>,
    by_index: BTreeMap<u64, usize>,
    by_id: BTreeMap<String, usize>,
    /// The item of the last event, which is most likely the next one's.
    last: Option<(u64, usize)>,
    /// The index of an item whose event names none.
    next: u64,
    /// Ids of calls, and those among them that no output answers.
    calls: BTreeSet<String>,
    pending: BTreeSet<String>,
}

impl Outgoing {
    pub(crate) fn new(target: impl Target + 'static, framing: Framing, limits: Limits) -> Self {
        Self {
            target: Box::new(target),
            out: Out::new(framing, &limits),
            limits,
            slots: Vec::new(),
            start: Start::default(),
            started: false,
            ended: false,
            failure: None,
            by_index: BTreeMap::new(),
            by_id: BTreeMap::new(),
            last: None,
            next: 0,
            calls: BTreeSet::new(),
            pending: BTreeSet::new(),
        }
    }

    fn begin(&mut self) {
        if !core::mem::replace(&mut self.started, true) {
            self.target.start(&self.start, &mut self.out);
        }
    }

    fn tell(&mut self, event: &Event<'_>) -> Result<(), Error> {
        match event.kind() {
            Kind::Created | Kind::Queued | Kind::InProgress => {
                if let Some(response) = event.response() {
                    self.start.learn(response);
                }
                self.begin();
                Ok(())
            }
            Kind::Completed | Kind::Failed | Kind::Incomplete => self.terminal(event),
            Kind::OutputItemAdded => self.item_added(event),
            Kind::OutputItemDone => self.item_done(event),
            // The response's own event for it follows, and targets allow one error.
            Kind::Error => {
                self.failure = Some(event.failure());
                Ok(())
            }
            kind => {
                self.begin();
                self.inside(kind, event)
            }
        }
    }

    /// The item that an event is about, opened if there is none. `None`: it names no item, or one that is done.
    pub(super) fn find(&mut self, event: &Event<'_>, shape: Shape) -> Result<Option<usize>, Error> {
        let (index, id) = (event.output_index(), event.item_id());
        let known = match (index, self.last) {
            (Some(index), Some((last, at))) if index == last => Some(at),
            _ => self.look(index, id),
        };
        let Some(at) = known else {
            if index.is_none() && id.is_none() {
                self.out.report(AdapterCode::OrphanDelta, || format!("{} names no item", event.kind()));
                return Ok(None);
            }
            let at = self.place(index.unwrap_or(self.next), shape, id, event)?;
            if let Some(slot) = self.slots.get_mut(at) {
                slot.head.implied = true;
            }
            self.announce(at, None);
            return Ok(Some(at));
        };
        let Some(slot) = self.slots.get_mut(at) else { return Ok(None) };
        if slot.done {
            self.out.report(AdapterCode::EventAfterItemDone, || format!("{}", event.kind()));
            return Ok(None);
        }
        if let Some(index) = index {
            self.last = Some((index, at));
        }
        note_id(slot, id, &mut self.out);
        Ok(Some(at))
    }

    fn look(&self, index: Option<u64>, id: Option<&str>) -> Option<usize> {
        let by_index = index.and_then(|index| self.by_index.get(&index));
        by_index.or_else(|| self.by_id.get(id.filter(|id| !id.is_empty())?)).copied()
    }

    /// Makes a new item at an index.
    fn place(&mut self, index: u64, shape: Shape, id: Option<&str>, event: &Event<'_>) -> Result<usize, Error> {
        if self.slots.len() >= self.limits.items {
            let detail = format!("limit {}", self.limits.items);
            return Err(
                Error::new(Code::ItemLimit, event.offset(), detail).with_sequence_number(event.sequence_number())
            );
        }
        let at = self.slots.len();
        let mut slot = Slot::new(shape, index, at as u32);
        let id = id.filter(|id| !id.is_empty());
        slot.head.own_id = id.is_some_and(|id| !self.by_id.contains_key(id));
        slot.head.id = match id {
            Some(id) if slot.head.own_id => id.to_owned(),
            // Two items under one name would grow into each other on the other side.
            Some(id) => format!("{id}_{at}"),
            None => format!("{}_{}_{index}", shape.prefix(), self.start.suffix()),
        };
        self.by_id.entry(slot.head.id.clone()).or_insert(at);
        self.by_index.insert(index, at);
        self.last = None;
        self.next = self.next.max(index.saturating_add(1));
        self.slots.push(slot);
        Ok(at)
    }

    fn item_added(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let Some(item) = event.item().filter(|item| item.tag() == Tag::Object) else { return Ok(()) };
        self.begin();
        let id = text_at(item, "id");
        let index = event.output_index().unwrap_or(self.next);
        if let Some((at, slot)) = self.by_index.get(&index).and_then(|at| Some((*at, self.slots.get(*at)?))) {
            if slot.head.implied && !slot.done {
                // Deltas came before it.
                self.adopt(at, item);
                self.announce(at, Some(item));
                return self.absorb(at, item, false, event);
            }
            if !slot.done || slot.head.id == id {
                self.out.report(AdapterCode::DuplicateItemAdded, || format!("output_index {index}"));
                return Ok(());
            }
        }
        let shape = Shape::of(&text_at(item, "type"), self.target.hosted_calls());
        let at = self.place(index, shape, Some(&id), event)?;
        self.adopt(at, item);
        self.announce(at, Some(item));
        self.absorb(at, item, false, event)
    }

    fn item_done(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let Some(item) = event.item().filter(|item| item.tag() == Tag::Object) else { return Ok(()) };
        self.begin();
        let id = text_at(item, "id");
        let at = match self.look(event.output_index(), Some(&id)) {
            Some(at) => at,
            None => {
                let shape = Shape::of(&text_at(item, "type"), self.target.hosted_calls());
                self.place(event.output_index().unwrap_or(self.next), shape, Some(&id), event)?
            }
        };
        match self.slots.get_mut(at) {
            Some(slot) if slot.done => {
                self.out.report(AdapterCode::EventAfterItemDone, || format!("{}", event.kind()));
                return Ok(());
            }
            Some(slot) => note_id(slot, Some(&id).filter(|id| !id.is_empty()).map(String::as_str), &mut self.out),
            None => return Ok(()),
        }
        self.adopt(at, item);
        // An item that is shown whole is shown once, here: its beginning was not told.
        let whole = self.slots.get(at).is_some_and(|slot| slot.head.shape == Shape::Other);
        self.announce(at, Some(item).filter(|_| !whole));
        self.absorb(at, item, true, event)?;
        let Some(slot) = self.slots.get_mut(at) else { return Ok(()) };
        slot.done = true;
        if !slot.head.announced {
            self.out.report(AdapterCode::ToolCallWithoutName, || format!("output_index {}", slot.head.output_index));
            return Ok(());
        }
        self.close_parts(at);
        if let Some(slot) = self.slots.get_mut(at) {
            self.target.item_done(slot, item, &mut self.out);
            slot.forget();
        }
        Ok(())
    }

    /// Takes what an item's object says and no earlier event said.
    fn adopt(&mut self, at: usize, item: View<'_>) {
        let Some(slot) = self.slots.get_mut(at) else { return };
        let head = &mut slot.head;
        head.implied = false;
        if head.item_type.is_empty() {
            head.item_type = text_at(item, "type");
        }
        if !head.announced {
            if head.name.is_empty() {
                head.name = text_at(item, "name");
            }
            if head.call_id.is_empty() {
                head.call_id = if head.shape == Shape::Mcp { head.id.clone() } else { text_at(item, "call_id") };
            }
        }
        if head.item_type.ends_with("_call_output") {
            if head.call_id.is_empty() {
                head.call_id = text_at(item, "call_id");
            }
            self.pending.remove(&head.call_id);
        }
    }

    /// Tells the target of an item, once. A call waits until its name is known; its arguments wait with it.
    fn announce(&mut self, at: usize, item: Option<View<'_>>) {
        let Some(Slot { head, .. }) = self.slots.get_mut(at) else { return };
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
            if !self.calls.insert(head.call_id.clone()) {
                self.out.report(AdapterCode::ItemIdChanged, || "call_id was used before".to_owned());
                head.call_id = format!("{}_{}", head.call_id, head.serial);
                self.calls.insert(head.call_id.clone());
            }
            if head.shape != Shape::Mcp {
                self.pending.insert(head.call_id.clone());
            }
        }
        head.announced = true;
        self.target.item_added(head, item, &mut self.out);
        if !head.arguments.text.is_empty() {
            let waited = head.arguments.text.clone();
            self.target.arguments(head, &waited, &mut self.out);
        }
    }

    fn terminal(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let response = event.response();
        if let Some(response) = response {
            self.start.learn(response);
        }
        let output = response.and_then(|response| response.get("output"));
        let more = output.map_or(0, |output| output.elements().count()).saturating_sub(self.slots.len());
        if more > 0 {
            self.out.report(AdapterCode::ItemDropped, || format!("{more} items that only the last event has"));
        }
        let text = |pointer: &str| Some(response?.pointer(pointer)?.as_str()?.into_owned());
        let cancelled = text("/status").as_deref() == Some("cancelled");
        let (verdict, reason) = match event.kind() {
            _ if cancelled => (Verdict::Incomplete, "cancelled".to_owned()),
            Kind::Completed => (Verdict::Completed, String::new()),
            Kind::Incomplete => {
                let reason = text("/incomplete_details/reason").filter(|reason| !reason.is_empty());
                (Verdict::Incomplete, reason.unwrap_or_else(|| "unknown".to_owned()))
            }
            _ => (Verdict::Failed, String::new()),
        };
        let mut failure = self.failure.take().unwrap_or_default();
        if let Some(message) = text("/error/message").filter(|message| !message.is_empty()) {
            failure.message = message;
            failure.code = text("/error/code").unwrap_or_default();
        }
        self.close(verdict, reason, failure, response);
        Ok(())
    }

    fn close(&mut self, verdict: Verdict, reason: String, failure: Failure, response: Option<View<'_>>) {
        self.begin();
        self.ended = true;
        for at in 0..self.slots.len() {
            let Some(slot) = self.slots.get_mut(at).filter(|slot| !slot.done) else { continue };
            if verdict != Verdict::Failed {
                self.out.report(AdapterCode::MissingItemDone, || format!("output_index {}", slot.head.output_index));
                self.settle(at);
            }
            self.announce(at, None);
            if let Some(slot) = self.slots.get(at).filter(|slot| !slot.head.announced) {
                let index = slot.head.output_index;
                self.out.report(AdapterCode::ToolCallWithoutName, || format!("output_index {index}"));
            }
        }
        let open = self.slots.iter_mut().filter(|slot| !slot.done && slot.head.announced);
        let mut open: Vec<&mut Slot> = open.collect();
        open.sort_by_key(|slot| (slot.head.output_index, slot.head.serial));
        let end = End { verdict, reason, failure, response, start: &self.start, pending: &self.pending };
        self.target.end(&end, &mut open, &mut self.out);
        self.slots = Vec::new();
    }

    fn check_size(&self, event: &Event<'_>) -> Result<(), Error> {
        if self.out.held > self.limits.response_bytes {
            let detail = format!("limit {}", self.limits.response_bytes);
            return Err(
                Error::new(Code::ResponseLimit, event.offset(), detail).with_sequence_number(event.sequence_number())
            );
        }
        Ok(())
    }
}

impl Outbound for Outgoing {
    fn apply(&mut self, event: &Event<'_>) -> Result<(), Error> {
        if event.kind() == Kind::Keepalive {
            return Ok(());
        }
        self.out.findings.at(event.index(), event.offset());
        if self.ended {
            self.out.report(AdapterCode::EventAfterTerminal, || format!("{}", event.kind()));
            return Ok(());
        }
        self.target.quote(event, &self.out);
        self.tell(event)?;
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
            self.close(Verdict::Failed, String::new(), failure, None);
        }
        Ok(())
    }

    fn cancel(&mut self) -> Result<(), Error> {
        if !self.ended {
            self.close(Verdict::Incomplete, "cancelled".to_owned(), Failure::default(), None);
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

/// Reports, once per item, that an event names another id than the item has.
fn note_id(slot: &mut Slot, id: Option<&str>, out: &mut Out) {
    let head = &mut slot.head;
    if head.own_id && !head.id_changed && id.is_some_and(|id| id != head.id) {
        head.id_changed = true;
        out.report(AdapterCode::ItemIdChanged, || format!("output_index {}", head.output_index));
    }
}

/// The string at a key; empty if there is none.
pub(super) fn text_at(object: View<'_>, key: &str) -> String {
    object.get(key).and_then(|value| value.as_str()).unwrap_or_default().into_owned()
}
