//! Items of the stream layer: finds the item of an event, applies its transition, and checks that the item keeps its identity.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use super::compare::{close_input, close_parts, input_of, member_digests, ItemClosing};
use super::digest::{text_hash, Digest};
use super::incomplete_items::ItemEnding;
use super::records::{ItemClass, ItemRecord, Name, StreamedText};
use super::rule::Rule;
use super::state::ItemTransition;
use super::validator::Validator;
use crate::event::Event;
use crate::finding::Findings;
use crate::json::ValueRef;

impl Validator {
    pub(super) fn item_added(&mut self, event: &Event<'_>, findings: &mut Findings) {
        let location = event.location();
        let index = event.output_index().unwrap_or(self.next_index);
        let Some(item) = event.item() else {
            if event.root().and_then(|root| root.get("item")).is_some() {
                findings
                    .report(Rule::Item15, location, None, || ("/item".into(), "expected an item, found null".into()));
            }
            // Readers skip this event, and the next item has the next index.
            self.next_index = self.next_index.max(index.saturating_add(1));
            return;
        };
        let [id, kind, call_id] = texts(item, ["id", "type", "call_id"]);
        let status = item.get("status").and_then(|status| status.as_str());
        if let Some(position) = self.items.position(index) {
            let Some(known) = self.items.at_mut(position) else { return };
            let again = known.id.is(&id) || known.state.is_open();
            if let Some(rule) = if again { Some(Rule::Item10) } else { known.state.apply(ItemTransition::Added) } {
                findings.report(rule, location, None, || {
                    ("/output_index".into(), format!("expected an unused index, found {index} again"))
                });
            }
            // A repeated item or an item at the index of an open one is ignored. At the index of a done item, a new item starts.
            if again {
                return;
            }
        } else if index != self.next_index && !(self.joined && self.items.len() == 0) {
            let next = self.next_index;
            findings.report(Rule::Item10, location, None, || {
                ("/output_index".into(), format!("expected index {next}, found {index}"))
            });
        }
        if let Some(cut) = self.incomplete_at.filter(|cut| index > *cut) {
            findings.report(Rule::Item08, location, None, || {
                (
                    "/output_index".into(),
                    format!("expected no item after the incomplete item {cut}, found item {index}"),
                )
            });
        }
        if let Some(status) = &status {
            self.check_new_status(event, &kind, status, findings);
        }
        let class = ItemClass::of(&kind);
        let mut new = ItemRecord { class, whole: status.as_deref() == Some("completed"), ..ItemRecord::default() };
        new.kind = Name::of(&kind);
        new.call_id = Name::of(&call_id);
        new.state.apply(ItemTransition::Added);
        new.input.text = StreamedText::since(self.unread);
        if let Some(first) = input_of(class, item).and_then(|view| view.as_str()) {
            new.input.text.begin(&first);
        }
        let position = match self.items.position(index) {
            Some(position) => position,
            None if self.is_full() => return,
            None => {
                self.record_bytes += RECORD_BYTES;
                self.items.insert(index, ItemRecord::default())
            }
        };
        self.record_bytes += kind.len() + call_id.len();
        if let Some(slot) = self.items.at_mut(position) {
            *slot = new;
        }
        self.name_item(position, &id, event, findings);
        self.next_index = self.next_index.max(index.saturating_add(1));
    }

    pub(super) fn item_done(&mut self, event: &Event<'_>, findings: &mut Findings) {
        let location = event.location();
        let Some(view) = event.item() else { return };
        let [id, kind, call_id, name, status] = texts(view, ["id", "type", "call_id", "name", "status"]);
        let class = ItemClass::of(&kind);
        let Some(position) = self.route_by(event, &id, ItemTransition::Done, class, findings) else { return };
        let (joined, unread, parts) = (self.joined, self.unread, self.options.limits.parts);
        let Some(item) = self.items.at_mut(position) else { return };
        let unnamed = item.id.is_empty();
        let mut change = |path: &str, what: &str| {
            let message = format!("expected the {what} of the added item, found another {what}");
            findings.report(Rule::Item12, location, None, || (path.into(), message));
        };
        if !unnamed && !id.is_empty() && !item.id.is(&id) {
            change("/item/id", "id");
        }
        if !item.kind.is_empty() && !item.kind.is(&kind) {
            change("/item/type", "type");
        }
        if !item.call_id.is_empty() && !item.call_id.is(&call_id) {
            change("/item/call_id", "call_id");
        }
        item.kind = Name::of(&kind);
        item.tool = Name::of(&name);
        item.class = class;
        item.incomplete = status == "incomplete";
        item.ending = ItemEnding::of(view);
        let (incomplete, json) = (item.incomplete, item.input.json.take());
        let how = ItemClosing { may_skip_deltas: item.whole || joined || unread > 0, unread, parts };
        let lists = close_parts(event, view, item, how, findings);
        close_input(event, view, item, how, findings);
        item.members = member_digests(view, lists, item.input.text.last_whole());
        self.record_bytes += item.members.len() * MEMBER_BYTES;
        item.raw_digest = Some(Digest::of_raw(view.raw()));
        if unnamed {
            self.name_item(position, &id, event, findings);
        }
        let index = event.output_index().unwrap_or(position as u64);
        // Whether an incomplete item may precede other items is decided at the end; see `incomplete_items.rs`.
        if incomplete {
            self.incomplete_at = Some(self.incomplete_at.map_or(index, |cut| cut.min(index)));
        }
        // For an incomplete patch the contract has no other status than `in_progress` (`ApplyPatchCallStatus`).
        if status == "in_progress" && class != ItemClass::ApplyPatchCall {
            findings.report(Rule::Item06, location, None, || {
                ("/item/status".into(), "expected a final status, found in_progress".into())
            });
        }
        self.check_done_item(event, view, class, json, findings);
    }

    pub(super) fn item_progress(&mut self, event: &Event<'_>, class: ItemClass, findings: &mut Findings) {
        let id = event.item_id().unwrap_or_default();
        let Some(position) = self.route_by(event, id, ItemTransition::Event, class, findings) else { return };
        let Some(item) = self.items.at_mut(position) else { return };
        let fits = item.class == class || matches!(item.class, ItemClass::Unknown | ItemClass::Foreign);
        if !fits && class != ItemClass::Unknown {
            findings.report(Rule::Item12, event.location(), None, || {
                ("/output_index".into(), "expected an item of the event's type, found an item of another type".into())
            });
        }
    }

    /// Finds or opens the item whose contents an event extends or completes, applies its transition and compares the ids. Returns
    /// `None` if there is no such item or it is already done.
    pub(super) fn route(
        &mut self,
        event: &Event<'_>,
        step: ItemTransition,
        class: ItemClass,
        findings: &mut Findings,
    ) -> Option<usize> {
        let position = self.route_by(event, event.item_id().unwrap_or_default(), step, class, findings)?;
        let item = self.items.at_mut(position)?;
        // Reported once: from here on the item is one that grows.
        if core::mem::take(&mut item.whole) {
            findings.report(Rule::Item05, event.location(), None, || {
                ("/output_index".into(), "expected an item in progress, found one that was added as completed".into())
            });
        }
        Some(position)
    }

    /// [`route`](Self::route) with the id to use if the event has no index.
    fn route_by(
        &mut self,
        event: &Event<'_>,
        id: &str,
        step: ItemTransition,
        class: ItemClass,
        findings: &mut Findings,
    ) -> Option<usize> {
        let location = event.location();
        let position = match event.output_index() {
            Some(index) => match self.items.position(index) {
                Some(position) => position,
                None if self.is_full() => return None,
                None => {
                    self.record_bytes += RECORD_BYTES;
                    self.next_index = self.next_index.max(index.saturating_add(1));
                    // An item whose first event is its done event was sent complete.
                    let whole = step == ItemTransition::Done;
                    self.items.insert(index, ItemRecord { class, whole, ..ItemRecord::default() })
                }
            },
            None => self.ids.get(&text_hash(id)).copied()?,
        };
        let joined = self.joined;
        let item = self.items.at_mut(position)?;
        let fresh = !item.state.is_open() && !item.state.is_done();
        let late = item.state.is_done();
        if let Some(rule) = item.state.apply(step) {
            if !(fresh && joined) {
                findings.report(rule, location, None, || ("/output_index".into(), item_message(rule)));
            }
            if late {
                return None;
            }
        }
        if let Some(id) = event.item_id() {
            if item.id.is_empty() {
                self.name_item(position, id, event, findings);
            } else if !item.id.is(id) {
                report_id(event, findings);
            }
        }
        Some(position)
    }

    /// Sets the id of an item; reports an id that another item has.
    fn name_item(&mut self, position: usize, id: &str, event: &Event<'_>, findings: &mut Findings) {
        if id.is_empty() || self.record_bytes >= self.options.limits.response_bytes {
            return;
        }
        let Some(item) = self.items.at_mut(position) else { return };
        self.record_bytes += NAME_BYTES + id.len();
        item.id = Name::of(id);
        let other = self.ids.insert(item.id.hash(), position);
        if other.is_some_and(|other| other != position) {
            findings.report(Rule::Item02, event.location(), None, || {
                ("/item/id".into(), "expected a unique id, found the id of another item".into())
            });
        }
    }

    fn check_new_status(&self, event: &Event<'_>, kind: &str, status: &str, findings: &mut Findings) {
        // Two types have no `in_progress` in the contract (`ApplyPatchCallOutputStatus`, `ComputerCallOutputStatus`): these items
        // are added with their final status. The schema layer checks which one.
        let whole = matches!(kind, "apply_patch_call_output" | "computer_call_output");
        if !matches!(status, "in_progress" | "completed") && !whole {
            let found = self.quote(status);
            findings.report(Rule::Item05, event.location(), None, || {
                ("/item/status".into(), format!("expected in_progress or completed, found {found}"))
            });
        }
    }
}

/// Strings of an object by their keys; empty for a member that is absent or no string.
fn texts<'e, const N: usize>(object: ValueRef<'e>, keys: [&str; N]) -> [Cow<'e, str>; N] {
    object.members(keys).map(|member| member.and_then(|value| value.as_str()).unwrap_or_default())
}

/// The record of an item, without its names.
const RECORD_BYTES: usize = 768;

/// An id by which an item is found.
const NAME_BYTES: usize = 64;

/// The digest of a member of a finished item.
const MEMBER_BYTES: usize = 24;

fn item_message(rule: Rule) -> String {
    match rule {
        Rule::Item03 => "expected `response.output_item.added` first, found another event of the item",
        Rule::Part11 => "expected no new part after the item's done event, found one",
        _ => "expected no event of the item after its done event, found one",
    }
    .into()
}

pub(super) fn report_id(event: &Event<'_>, findings: &mut Findings) {
    findings.report(Rule::Item11, event.location(), None, || {
        ("/item_id".into(), "expected the id of the item at this output_index, found another id".into())
    });
}
