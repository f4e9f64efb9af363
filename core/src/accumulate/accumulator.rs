//! [`Accumulator`]: applies events to the response so far.
//!
//! A later and more complete source replaces an earlier one: delta, done event, part done, item done, terminal
//! snapshot. A missing element is opened, an event that comes too late is not applied, and each repair is a finding.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::accumulated_response::{object, AccumulatedResponse, Snapshot};
use super::compare;
use super::held_bytes::{max_value_bytes, object_bytes, value_bytes, view_bytes, ITEM_BYTES, VALUE_BYTES};
use super::item_slot::{CreatedOnPath, ElementArray, ItemSlot, TextPath, MAX_SHIFTED_ELEMENTS};
use super::rate_limits::RateLimits;
use super::response::Response;
use super::route::disagreement_rule;
use crate::contract::text_route::{text_route, TextRoute, TextTarget};
use crate::contract::{ItemKind, Kind};
use crate::error::{Code, Error};
use crate::event::{Event, Fields, Index};
use crate::finding::{Findings, Location, Repair};
#[cfg(feature = "validate")]
use crate::json::Value;
use crate::json::{join, Object, ValueKind, ValueRef};
use crate::limits::Limits;
use crate::options::setters;
use crate::outcome::{Failure, Outcome};
use crate::validate::Rule;

/// The handling of preview images, which can be megabytes each and are never part of the response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PreviewImages {
    /// Keep every preview of every item until the item is done.
    Keep,
    /// Keep the newest preview of each item until the item is done.
    #[default]
    KeepLast,
    /// Keep none; only the event has it.
    Drop,
}

crate::named::option_names!(PreviewImages, "image policy": KeepLast "keep-last", Keep "keep", Drop "drop");

/// Options of an [`Accumulator`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccumulateOptions {
    /// Build the response from the events alone: the terminal snapshot only determines the outcome.
    pub ignore_terminal_snapshot: bool,
    /// The handling of preview images.
    pub images: PreviewImages,
    /// Give items without an id one when the response has ended: `<prefix>_<suffix>_<output_index>`, as a [`Writer`](crate::Writer) forms
    /// them, so that the same stream always gives the same ids. Events keep what they have. Only with the feature `validate`.
    pub derive_item_ids: bool,
}

setters!(AccumulateOptions { ignore_terminal_snapshot: bool, images: PreviewImages, derive_item_ids: bool });

/// Accumulates events into a response that can be read at any time.
///
/// Inputs: [`apply`](Self::apply) for each event in order, [`finish`](Self::finish) at the end of input. Getters:
/// [`response`](Self::response), [`outcome`](Self::outcome), [`rate_limits`](Self::rate_limits). A delta costs O(its
/// length); reading the response costs in proportion to the fields read.
#[derive(Clone)]
pub struct Accumulator {
    pub(super) options: AccumulateOptions,
    pub(super) limits: Limits,
    /// The response as built from the events, or as a terminal snapshot has it.
    pub(super) building: AccumulatedResponse,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) error: Option<Failure>,
    pub(crate) rate_limits: RateLimits,
    /// The bytes held, without the ids of items, which are counted separately.
    bytes: usize,
    /// The item of the current event, whose growth is not yet counted.
    touched: Option<u32>,
}

impl core::fmt::Debug for Accumulator {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // Payloads can contain secrets: only the progress is shown.
        f.debug_struct("Accumulator")
            .field("items", &self.building.slots.len())
            .field("bytes", &self.held_bytes())
            .field("outcome", &self.outcome.as_ref().map(Outcome::name))
            .finish_non_exhaustive()
    }
}

impl Default for Accumulator {
    fn default() -> Self {
        Self::new(AccumulateOptions::default(), Limits::default())
    }
}

impl Accumulator {
    /// Makes an accumulator with an empty response.
    pub fn new(options: AccumulateOptions, limits: Limits) -> Self {
        Self {
            options,
            limits,
            building: AccumulatedResponse::default(),
            outcome: None,
            error: None,
            rate_limits: RateLimits::default(),
            bytes: 0,
            touched: None,
        }
    }

    /// Applies one event. Repairs and differences become findings; only an exceeded limit is an error.
    #[inline]
    pub fn apply(&mut self, event: &Event<'_>, findings: &mut Findings) -> Result<(), Error> {
        if self.append_delta(event) {
            return Ok(());
        }
        self.apply_full(event, findings)
    }

    /// Appends a delta to the text that the last delta of its item went to. Returns `false`, and does nothing, for every other event.
    // In wasm the compiler decides, because code size matters there.
    #[cfg_attr(target_arch = "wasm32", inline)]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(crate) fn append_delta(&mut self, event: &Event<'_>) -> bool {
        let fields = event.fields();
        if !fields.is_plain_text() || self.outcome.is_some() || self.bytes > self.limits.response_bytes {
            return false;
        }
        let Some(index) = fields.index(Index::Output) else { return false };
        let Some(slot) = self.building.slot_at_output_index(index) else { return false };
        let Some(slot) = self.building.slots.get_mut(slot as usize) else { return false };
        let Some((kind, element, path)) = slot.last_delta else { return false };
        if kind != fields.kind
            || element != element_of(fields, kind)
            || slot.pending_high_surrogate.is_some()
            || !event.fits_item(slot.id())
        {
            return false;
        }
        let Some(text) = slot.resolve_mut(&path) else { return false };
        self.bytes += fields.delta.push_to(event.source(), text);
        true
    }

    fn apply_full(&mut self, event: &Event<'_>, findings: &mut Findings) -> Result<(), Error> {
        let kind = event.kind();
        if kind == Kind::RateLimits {
            self.check_room(event.raw().len(), event)?;
            let before = self.report_bytes();
            self.rate_limits.record_event(event);
            self.count(self.report_bytes() as isize - before as isize);
        }
        let changes = kind.is_known() && !kind.is_transport() && kind != Kind::RateLimits;
        if self.outcome.is_some() && changes {
            findings.report(Rule::Life07, event.location(), Some(Repair::IgnoredLate), || {
                (String::new(), format!("expected nothing after the terminal event, found {}", event.kind()))
            });
            return Ok(());
        }
        let applied = self.apply_kind(kind, event, findings);
        // An event that passed a limit may have added something before.
        self.count_touched();
        applied?;
        self.check_room(0, event)
    }

    fn apply_kind(&mut self, kind: Kind, event: &Event<'_>, findings: &mut Findings) -> Result<(), Error> {
        match kind {
            Kind::Created | Kind::Queued | Kind::InProgress => self.snapshot(event, findings)?,
            Kind::Completed | Kind::Failed | Kind::Incomplete => self.terminal(event, findings)?,
            Kind::OutputItemAdded => self.item_added(event, findings)?,
            Kind::OutputItemDone => self.item_done(event, findings)?,
            Kind::ContentPartAdded => self.part_added(event, ElementArray::Content, findings)?,
            Kind::ContentPartDone => self.part_done(event, ElementArray::Content, findings)?,
            Kind::ReasoningSummaryPartAdded => self.part_added(event, ElementArray::Summary, findings)?,
            Kind::ReasoningSummaryPartDone => self.part_done(event, ElementArray::Summary, findings)?,
            Kind::OutputTextAnnotationAdded => self.annotation(event, findings)?,
            Kind::ShellCallOutputContentDelta | Kind::ShellCallOutputContentDone => {
                self.shell_output(event, findings)?
            }
            Kind::ImageGenerationCallPartialImage => self.partial_image(event, findings)?,
            Kind::Error => {
                let before = self.report_bytes();
                self.rate_limits.record_error_headers(event);
                self.error = Some(event.failure());
                self.count(self.report_bytes() as isize - before as isize);
            }
            // A payload that could not be read has no kind; its faults are reported by the reader.
            Kind::Unknown if event.fault().is_some() => {}
            Kind::Unknown => {
                // Gateways send `{"error": {…}}` without a type inside of a stream.
                if event.wire_type().is_empty() {
                    let before = self.report_bytes();
                    self.error = Failure::from_error_body(event.raw()).or_else(|| self.error.take());
                    self.count(self.report_bytes() as isize - before as isize);
                }
                findings.report(Rule::Ext02, event.location(), Some(Repair::KeptUnknown), || {
                    (String::new(), "expected a known type or `slug:name`, found another; the event is kept".to_owned())
                });
            }
            _ => {
                if let Some(route) = text_route(kind) {
                    self.text(event, route, findings)?;
                } else if let Some(status) = kind.status() {
                    self.tool_state(event, status, findings)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the growth of the event's item to the count.
    fn count_touched(&mut self) {
        let Some(slot) = self.touched.take().and_then(|at| self.building.slots.get_mut(at as usize)) else { return };
        let growth = slot.take_growth();
        self.count(growth);
    }

    fn count(&mut self, growth: isize) {
        self.bytes = self.bytes.saturating_add_signed(growth);
    }

    /// Returns an error if this many more bytes would exceed the limit.
    pub(super) fn check_room(&self, more: usize, event: &Event<'_>) -> Result<(), Error> {
        if self.held_bytes().saturating_add(more) <= self.limits.response_bytes {
            return Ok(());
        }
        let detail = format!("limit {}", self.limits.response_bytes);
        Err(Error::new(Code::ResponseLimit, event.offset(), detail))
    }

    /// As [`check_room`](Self::check_room) for a value that is not built yet, which can take a multiple of the memory of its text. The exact
    /// size is computed only near the limit.
    pub(super) fn check_room_for(
        &self,
        value: ValueRef<'_>,
        exact: impl FnOnce() -> usize,
        event: &Event<'_>,
    ) -> Result<(), Error> {
        if self.held_bytes().saturating_add(max_value_bytes(value)) <= self.limits.response_bytes {
            return Ok(());
        }
        self.check_room(exact(), event)
    }

    /// The size of the response in memory, as [`Limits::response_bytes`] counts it.
    #[inline]
    pub fn held_bytes(&self) -> usize {
        self.bytes + self.building.name_bytes
    }

    /// The same number, computed from scratch. For tests: it costs as much as reading everything.
    #[doc(hidden)]
    pub(crate) fn recount_bytes(&self) -> usize {
        self.report_bytes() + self.building.count_bytes()
    }

    /// The size of the server's reports outside the response: the last error and the rate limits.
    fn report_bytes(&self) -> usize {
        let error = self.error.as_ref().map_or(0, Failure::text_bytes);
        let RateLimits { headers, event } = &self.rate_limits;
        let event = if event.is_null() { 0 } else { value_bytes(event) };
        object_bytes(headers) + event + error
    }

    /// Ends the input. Open items become `incomplete` if no other rule applies (M7).
    pub fn finish(
        &mut self,
        location: Location,
        last_sequence_number: Option<u64>,
        findings: &mut Findings,
    ) -> Outcome {
        if let Some(outcome) = &self.outcome {
            return outcome.clone();
        }
        let outcome = match self.error.clone() {
            Some(error) => Outcome::Failed { error },
            None => Outcome::Truncated { last_sequence_number },
        };
        if self.building.started || !self.building.slots.is_empty() {
            findings.report(Rule::Life06, location, Some(Repair::ClosedAtEnd), || {
                (String::new(), "expected a terminal event, found the end of input".to_owned())
            });
            self.close_open_items();
            let (code, message) = match &outcome {
                Outcome::Failed { error } => (error.code.as_str(), error.message.as_str()),
                _ => ("stream_truncated", "The response stream ended before a terminal event."),
            };
            set_failed(self.building.fields.object_mut(), code, message);
            self.count_all();
        }
        self.outcome = Some(outcome.clone());
        self.derive_item_ids();
        outcome
    }

    #[cfg(not(feature = "validate"))]
    fn derive_item_ids(&mut self) {}

    /// Gives the items of a response that has ended the ids that they lack.
    #[cfg(feature = "validate")]
    fn derive_item_ids(&mut self) {
        let has_id = |slot: &ItemSlot| !slot.id().is_empty();
        if !self.options.derive_item_ids || self.building.slots.iter().all(has_id) {
            return;
        }
        let suffix =
            crate::write::suffix(self.building.fields.object().get("id").and_then(Value::as_str).unwrap_or(""));
        for at in 0..self.building.slots.len() as u32 {
            let Some(slot) = self.building.slots.get(at as usize).filter(|slot| !has_id(slot)) else { continue };
            let index = slot.index.unwrap_or(u64::from(at));
            let mut id = format!("{}_{suffix}_{index}", crate::write::id_prefix(slot.text("type")));
            // The id may be that of another item.
            while self.building.slot_with_id(&id).is_some() {
                id.push('_');
            }
            if let Some(slot) = self.building.slots.get_mut(at as usize) {
                slot.set_id(&id);
            }
            self.building.rename(at, &id);
        }
        self.count_all();
    }

    /// Ends the response as failed, for a stream that is written: open items keep their status. `defaults` are the fields of a response that
    /// no snapshot began.
    pub(crate) fn fail(&mut self, failure: &Failure, defaults: impl FnOnce() -> Object) {
        let fields = self.building.fields.object_mut();
        if self.building.id.is_empty() {
            for (key, value) in defaults() {
                if !fields.contains_key(&key) {
                    fields.push(key, value);
                }
            }
            self.building.started = true;
        }
        set_failed(fields, &failure.code, &failure.message);
        self.outcome = Some(Outcome::Failed { error: failure.clone() });
    }

    /// The response so far.
    pub fn response(&self) -> Response<'_> {
        Response::new(self.state())
    }

    /// How the stream ended, once a terminal event or the end of input has determined it.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// The last `error` event, whether or not `response.failed` followed.
    pub fn error(&self) -> Option<&Failure> {
        self.error.as_ref()
    }

    /// Rate limits gathered from headers and events.
    pub fn rate_limits(&self) -> &RateLimits {
        &self.rate_limits
    }

    /// Takes the headers of an HTTP response; those about rate limits are kept. Accepts any iterator of names and values, such as
    /// `http::HeaderMap::iter()`.
    pub fn note_headers<N: AsRef<str>, V: AsRef<[u8]>>(&mut self, headers: impl IntoIterator<Item = (N, V)>) {
        let headers: Vec<(N, V)> = headers.into_iter().collect();
        self.note_header_texts(&header_texts(&headers));
    }

    pub(crate) fn note_header_texts(&mut self, headers: &[(&str, Cow<'_, str>)]) {
        let before = self.report_bytes();
        self.rate_limits.record_response(headers.iter().map(|(name, value)| (*name, &**value)));
        self.count(self.report_bytes() as isize - before as isize);
    }

    /// Resets the accumulator; options and limits stay.
    pub fn reset(&mut self) {
        *self = Self::new(self.options, self.limits);
    }

    /// The response as built, or as the terminal snapshot has it.
    pub(crate) fn state(&self) -> &AccumulatedResponse {
        &self.building
    }

    /// Restores a saved state.
    pub(crate) fn set_state(&mut self, state: AccumulatedResponse) {
        self.building = state;
        self.building.slots.iter_mut().for_each(|slot| {
            slot.take_growth();
        });
        self.bytes = self.recount_bytes() - self.building.name_bytes;
    }

    fn snapshot(&mut self, event: &Event<'_>, findings: &mut Findings) -> Result<(), Error> {
        if let Some(bytes) = event.repeated_response_bytes().filter(|_| self.building.started) {
            return self.check_room(bytes, event);
        }
        let Some(response) = event.response() else { return Ok(()) };
        if !self.building.started && event.kind() != Kind::Created {
            findings.report(Rule::Life02, event.location(), Some(Repair::StartedAnyway), || {
                (String::new(), format!("expected response.created first, found {}", event.kind()))
            });
        }
        let snapshot = Snapshot::of(response);
        let another = self.building.started
            && snapshot.id.and_then(|id| id.as_str()).is_some_and(|id| id != self.building.id.as_str());
        if another {
            findings.report(Rule::Life08, event.location(), None, || {
                (String::from("/response/id"), "expected the response's id, found another".to_owned())
            });
        }
        report_foreign_output(&snapshot, event, findings);
        self.take_fields(&snapshot, event)?;
        if self.building.slots.is_empty() || (another && event.kind() == Kind::Created) {
            self.check_item_limit(&snapshot, event)?;
            self.building.take_items(&snapshot, false);
            self.count_all();
        }
        Ok(())
    }

    /// Takes a snapshot's fields, within the limit.
    fn take_fields(&mut self, snapshot: &Snapshot<'_>, event: &Event<'_>) -> Result<(), Error> {
        self.check_room(snapshot.response.raw().len(), event)?;
        let bytes = |building: &AccumulatedResponse| building.id.len() + building.fields.held_bytes();
        let before = bytes(&self.building);
        self.building.take_fields(snapshot);
        self.count(bytes(&self.building) as isize - before as isize);
        Ok(())
    }

    /// Computes the count from scratch, after a snapshot has replaced all items.
    fn count_all(&mut self) {
        self.bytes = self.recount_bytes() - self.building.name_bytes;
    }

    /// Checks a snapshot's items against the limit before they are taken.
    fn check_item_limit(&self, snapshot: &Snapshot<'_>, event: &Event<'_>) -> Result<(), Error> {
        let count = snapshot.output.map_or(0, |output| output.elements().count());
        if count > self.limits.items {
            return Err(self.too_many_items(event));
        }
        Ok(())
    }

    fn too_many_items(&self, event: &Event<'_>) -> Error {
        let detail = format!("limit {}", self.limits.items);
        Error::new(Code::ItemLimit, event.offset(), detail).with_sequence_number(event.sequence_number())
    }

    fn terminal(&mut self, event: &Event<'_>, findings: &mut Findings) -> Result<(), Error> {
        let status = event.kind().name().strip_prefix("response.").unwrap_or_default();
        let response = event.response();
        if !self.building.started {
            findings.report(Rule::Life02, event.location(), Some(Repair::StartedAnyway), || {
                (String::new(), format!("expected response.created first, found {}", event.kind()))
            });
        }
        let outcome = outcome_of(event.kind(), response, self.error.as_ref());
        match response.filter(|_| !self.options.ignore_terminal_snapshot) {
            None => {
                self.close_open_items();
                self.building.fields.object_mut().insert("status", status);
                self.count_all();
            }
            Some(response) => self.apply_terminal(response, event, findings)?,
        }
        if outcome == Outcome::Completed {
            self.rate_limits.forget_wait();
        }
        self.outcome = Some(outcome);
        self.derive_item_ids();
        Ok(())
    }

    fn apply_terminal(
        &mut self,
        response: ValueRef<'_>,
        event: &Event<'_>,
        findings: &mut Findings,
    ) -> Result<(), Error> {
        let snapshot = Snapshot::of(response);
        report_foreign_output(&snapshot, event, findings);
        let is_item = |element: ValueRef<'_>| element.kind() == ValueKind::Object;
        let empty = snapshot.output.is_none_or(|output| !output.elements().any(is_item));
        if empty && !self.building.slots.is_empty() {
            findings.report(Rule::Life09, event.location(), Some(Repair::KeptItems), || {
                let items = self.building.slots.len();
                (String::new(), format!("expected the {items} items that were streamed, found an empty output"))
            });
            self.take_fields(&snapshot, event)?;
            self.close_open_items();
            self.count_all();
            return Ok(());
        }
        self.check_item_limit(&snapshot, event)?;
        if let Some(message) = snapshot.output.and_then(|output| compare::output(&self.building, output)) {
            findings.report(Rule::Life09, event.location(), Some(Repair::TookLater), || (String::new(), message));
        }
        // The snapshot replaces everything before it, also in the count of held bytes.
        if response.raw().len() > self.limits.response_bytes {
            return self.check_room(response.raw().len(), event);
        }
        self.building.take_fields(&snapshot);
        self.building.take_items(&snapshot, true);
        self.count_all();
        Ok(())
    }

    fn close_open_items(&mut self) {
        for slot in self.building.slots.iter_mut().filter(|slot| !slot.done) {
            // The contract has no such status for patches: an incomplete one keeps its status.
            let kind = ItemKind::from_wire(slot.text("type"));
            let patch = matches!(kind, ItemKind::ApplyPatchCall | ItemKind::ApplyPatchCallOutput);
            let known = !patch && slot.item.object().contains_key("status");
            if known && matches!(slot.text("status"), "in_progress" | "searching" | "interpreting" | "generating" | "")
            {
                slot.set_status("incomplete");
            }
        }
    }

    fn item_added(&mut self, event: &Event<'_>, findings: &mut Findings) -> Result<(), Error> {
        let Some(item) = event.item().filter(|item| item.kind() == ValueKind::Object) else { return Ok(()) };
        let id = item.get("id").and_then(|id| id.as_str()).unwrap_or_default();
        let next = self.building.next_index();
        let index = event.output_index().unwrap_or(next);
        let slot = || ItemSlot::from_item(object(item), &id, false);
        let item_bytes = || ITEM_BYTES + id.len() + view_bytes(item) - VALUE_BYTES;
        if let Some(at) = self.building.slot_at_output_index(index) {
            let known = &self.building.slots[at as usize];
            let (done, same) = (known.done, known.id() == id);
            findings.report(Rule::Item10, event.location(), Some(Repair::DoubleOpen), || {
                (String::new(), format!("expected a new output_index, found {index} again"))
            });
            if !same && done {
                self.check_room_for(item, item_bytes, event)?;
                self.insert_item(index, next, slot(), event)?;
            }
            return Ok(());
        }
        self.check_room_for(item, item_bytes, event)?;
        if index > next {
            findings.report(Rule::Item10, event.location(), Some(Repair::ClosedGap), || {
                (String::new(), format!("expected output_index {next}, found {index}"))
            });
        }
        self.insert_item(index, index, slot(), event)
    }

    fn item_done(&mut self, event: &Event<'_>, findings: &mut Findings) -> Result<(), Error> {
        let Some(item) = event.item().filter(|item| item.kind() == ValueKind::Object) else { return Ok(()) };
        let id = item.get("id").and_then(|id| id.as_str()).unwrap_or_default();
        let by_output_index = event.output_index().and_then(|index| self.building.slot_at_output_index(index));
        // A finished item with another id is not the item of this event, whatever earlier ids it had.
        let at = by_output_index.or_else(|| {
            let at = self.building.slot_with_id(&id)?;
            self.building.slots.get(at as usize).is_some_and(|slot| !slot.done || slot.id() == id).then_some(at)
        });
        let Some(at) = at else {
            findings.report(Rule::Item03, event.location(), Some(Repair::OpenedItem), || {
                (String::new(), "expected output_item.added before output_item.done, found none".to_owned())
            });
            let index = event.output_index().unwrap_or(self.building.next_index());
            return self.insert_item(index, index, ItemSlot::from_item(item, &id, true), event);
        };
        if self.building.slots[at as usize].id() != id {
            self.building.rename(at, &id);
        }
        let slot = &mut self.building.slots[at as usize];
        if slot.done {
            findings.report(Rule::Item07, event.location(), Some(Repair::TookLater), || {
                (String::new(), "expected one output_item.done for the item, found another".to_owned())
            });
        } else if let Some((rule, message)) = compare::item(slot, item) {
            findings.report(rule, event.location(), Some(Repair::TookLater), || (String::new(), message));
        }
        slot.take_growth();
        let before = slot.held_bytes();
        slot.finish(item, &id);
        let growth = slot.held_bytes() as isize - before as isize;
        self.count(growth);
        Ok(())
    }

    /// Adds a new item to the output, within the limit.
    fn insert_item(&mut self, index: u64, rank: u64, slot: ItemSlot, event: &Event<'_>) -> Result<(), Error> {
        if self.building.slots.len() >= self.limits.items {
            return Err(self.too_many_items(event));
        }
        let bytes = slot.held_bytes();
        self.check_room(bytes, event)?;
        self.bytes += bytes;
        self.building.insert_item(index, rank, slot);
        Ok(())
    }

    /// Finds the item of an event by `output_index`, then by `item_id`; opens it if there is none (M1). `None`: the item
    /// is done and the event is too late (M5), or the event identifies no item.
    pub(super) fn find(
        &mut self,
        event: &Event<'_>,
        item_type: ItemKind,
        findings: &mut Findings,
    ) -> Result<Option<u32>, Error> {
        let by_output_index = event.output_index().and_then(|index| self.building.slot_at_output_index(index));
        let by_id = || event.item_id().and_then(|id| self.building.slot_with_id(id));
        let at = match by_output_index.or_else(by_id) {
            Some(at) => at,
            None if event.output_index().is_none() && event.item_id().is_none() => {
                findings.report(Rule::Read07, event.location(), None, || {
                    (String::new(), "expected output_index or item_id, found neither; the event is kept".to_owned())
                });
                return Ok(None);
            }
            None => {
                findings.report(Rule::Item03, event.location(), Some(Repair::OpenedItem), || {
                    (String::new(), format!("expected output_item.added before {}, found none", event.kind()))
                });
                let index = event.output_index().unwrap_or(self.building.next_index());
                self.insert_item(index, index, ItemSlot::with_default_fields(item_type, event.item_id()), event)?;
                self.building.slots.len() as u32 - 1
            }
        };
        let slot = &mut self.building.slots[at as usize];
        self.touched = Some(at);
        if slot.done {
            findings.report(Rule::Item07, event.location(), Some(Repair::IgnoredLate), || {
                (String::new(), format!("expected nothing for a finished item, found {}", event.kind()))
            });
            return Ok(None);
        }
        // The event may change positions inside the item.
        slot.last_delta = None;
        match event.item_id() {
            Some(id) if slot.id().is_empty() && !id.is_empty() => {
                slot.set_id(id);
                self.building.rename(at, id);
            }
            Some(id) if id != slot.id() => {
                findings.report(Rule::Item11, event.location(), Some(Repair::RoutedByIndex), || {
                    (String::new(), "expected the item's id in item_id, found another".to_owned())
                });
            }
            _ => {}
        }
        Ok(Some(at))
    }

    /// Reports the elements that were opened; an exceeded limit is an error.
    pub(super) fn opened(
        &self,
        opened: CreatedOnPath,
        what: &str,
        event: &Event<'_>,
        findings: &mut Findings,
    ) -> Result<(), Error> {
        if opened.too_many {
            let detail = format!("limit {}, and {MAX_SHIFTED_ELEMENTS} places before the last one", self.limits.parts);
            return Err(
                Error::new(Code::PartLimit, event.offset(), detail).with_sequence_number(event.sequence_number())
            );
        }
        if let Some(repair) = opened.repair() {
            let rule = if repair == Repair::ClosedGap { Rule::Part08 } else { Rule::Part02 };
            findings.report(rule, event.location(), Some(repair), || {
                (String::new(), format!("expected the {what} to be open already, found none"))
            });
        }
        Ok(())
    }

    fn text(&mut self, event: &Event<'_>, route: TextRoute, findings: &mut Findings) -> Result<(), Error> {
        let kind = event.kind();
        let Some(at) = self.find(event, route.item, findings)? else { return Ok(()) };
        let element = element_of(event.fields(), kind);
        let announced = kind == Kind::ShellCallCommandAdded;
        let (path, opened) = self.building.slots[at as usize].text_path(route.target, element, self.limits.parts);
        if !announced || opened.gap || opened.too_many {
            self.opened(opened, "part", event, findings)?;
        }
        let Some(path) = path else { return Ok(()) };
        let slot = &mut self.building.slots[at as usize];
        if kind.is_delta() {
            add_delta(slot, path, route.target, element, event, findings);
            if let Some(logprobs) = event.logprobs() {
                slot.add_logprobs(element, logprobs);
            }
            slot.last_delta = Some((kind, element, path));
        } else if event.done_text_is("").is_some() {
            slot.pending_high_surrogate = None;
            if let Some(text) = slot.resolve_mut(&path) {
                if event.done_text_is(text) != Some(true) {
                    let whole = event.done_text().unwrap_or_default();
                    if !announced {
                        findings.report(
                            disagreement_rule(route.target),
                            event.location(),
                            Some(Repair::TookLater),
                            || {
                                (
                                    String::new(),
                                    format!(
                                        "expected the joined deltas ({} bytes), found {} bytes that differ",
                                        text.len(),
                                        whole.len()
                                    ),
                                )
                            },
                        );
                    }
                    let growth = whole.len() as isize - text.len() as isize;
                    text.clear();
                    text.push_str(whole);
                    slot.note_growth(growth);
                    slot.clear_growing_json();
                }
            }
            if kind == Kind::OutputTextDone {
                // A done event's list replaces that of the deltas; without one, the list of the deltas remains.
                if let Some(logprobs) = event.logprobs() {
                    slot.set_logprobs(element, logprobs);
                }
            }
            if kind == Kind::FunctionCallArgumentsDone && slot.text("name").is_empty() {
                if let Some(name) = event.member("name").and_then(|name| name.as_str()) {
                    slot.set_member("name", &*name);
                }
            }
        }
        Ok(())
    }
}

fn set_failed(fields: &mut Object, code: &str, message: &str) {
    let mut error = Object::new();
    error.push("code", code);
    error.push("message", message);
    fields.insert("status", "failed");
    fields.insert("error", error);
}

/// Reports an `output` that is not a list, and its elements that are not objects: they are no items and are left out. The event still
/// has them.
fn report_foreign_output(snapshot: &Snapshot<'_>, event: &Event<'_>, findings: &mut Findings) {
    let Some(output) = snapshot.output.filter(|output| output.kind() != ValueKind::Null) else { return };
    let mut others = output.elements().enumerate().filter(|(_, item)| item.kind() != ValueKind::Object);
    let (path, message) = if output.kind() != ValueKind::Array {
        let message = "expected a list of items, found another value; it is left out of the response";
        (String::from("/response/output"), String::from(message))
    } else if let Some((first, _)) = others.next() {
        let count = 1 + others.count();
        let message =
            format!("expected items, found {count} values that are not objects; they are left out of the response");
        (format!("/response/output/{first}"), message)
    } else {
        return;
    };
    // The validator may have reported the same value.
    if !findings.has(event.location(), &path) {
        findings.report(Rule::Read07, event.location(), None, || (path, message));
    }
}

/// Headers as text; bytes of a value that are not UTF-8 are replaced.
pub(crate) fn header_texts<N: AsRef<str>, V: AsRef<[u8]>>(headers: &[(N, V)]) -> Vec<(&str, Cow<'_, str>)> {
    headers.iter().map(|(name, value)| (name.as_ref(), String::from_utf8_lossy(value.as_ref()))).collect()
}

/// The wire index of the element that an event of this kind is about; 0 for kinds without one.
#[inline]
pub(super) fn element_of(fields: &Fields, kind: Kind) -> u64 {
    let content = fields.index(Index::Content);
    match kind {
        Kind::ReasoningSummaryTextDelta
        | Kind::ReasoningSummaryTextDone
        | Kind::ReasoningSummaryPartAdded
        | Kind::ReasoningSummaryPartDone => fields.index(Index::Summary).or(content),
        Kind::ShellCallCommandAdded | Kind::ShellCallCommandDelta | Kind::ShellCallCommandDone => {
            fields.index(Index::Command)
        }
        _ => content,
    }
    .unwrap_or(0)
}

fn add_delta(
    slot: &mut ItemSlot,
    path: TextPath,
    target: TextTarget,
    element: u64,
    event: &Event<'_>,
    findings: &mut Findings,
) {
    let halves = event.delta_surrogates();
    let high = slot
        .pending_high_surrogate
        .take()
        .filter(|(known, at, _)| *known == target && *at == element)
        .map(|(_, _, high)| high);
    let lone = |findings: &mut Findings| {
        findings.report(Rule::Read05, event.location(), None, || {
            (String::new(), "expected a surrogate pair, found half of one".to_owned())
        });
    };
    let Some(text) = slot.resolve_mut(&path) else { return };
    let before = text.len();
    let mut delta = event.delta();
    match (high, halves.leading_low) {
        (Some(high), Some(low)) => {
            if let Some(joined) = join(high, low) {
                text.pop();
                text.push(joined);
                delta = delta.strip_prefix('\u{FFFD}').unwrap_or(delta);
            }
        }
        (Some(_), None) | (None, Some(_)) => lone(findings),
        (None, None) if halves.lone && halves.trailing_high.is_none() => lone(findings),
        _ => {}
    }
    text.push_str(delta);
    let growth = text.len() as isize - before as isize;
    slot.note_growth(growth);
    slot.pending_high_surrogate = halves.trailing_high.map(|high| (target, element, high));
}

fn outcome_of(kind: Kind, response: Option<ValueRef<'_>>, error: Option<&Failure>) -> Outcome {
    let text = |pointer: &str| Some(response?.pointer(pointer)?.as_str()?.into_owned());
    if response.and_then(|response| response.get("status")).is_some_and(|status| status.is_str("cancelled")) {
        return Outcome::Cancelled;
    }
    match kind {
        Kind::Completed => Outcome::Completed,
        Kind::Incomplete => match text("/incomplete_details/reason") {
            Some(reason) if reason == "cancelled" => Outcome::Cancelled,
            reason => Outcome::Incomplete { reason: reason.unwrap_or_default() },
        },
        _ => {
            let mut failure = error.cloned().unwrap_or_default();
            if let Some(code) = text("/error/code") {
                failure.code = code;
            }
            if let Some(message) = text("/error/message") {
                failure.message = message;
            }
            Outcome::Failed { error: failure }
        }
    }
}
