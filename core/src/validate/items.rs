//! Items: which one an event is about, which move it makes there, and whether it stays the same item.

use alloc::format;
use alloc::string::String;

use super::agree::{close_input, close_parts, input_of, members, Closing};
use super::cuts::Ending;
use super::digest::{text_hash, Digest};
use super::rule::Rule;
use super::slots::{Class, Growing, Item, Name};
use super::state::ItemMove;
use super::validator::{status_is, Validator};
use crate::event::Event;
use crate::finding::Findings;
use crate::json::View;

impl Validator {
    pub(super) fn item_added(&mut self, event: &Event<'_>, findings: &mut Findings) {
        let place = event.place();
        let index = event.output_index().unwrap_or(self.next_index);
        let Some(item) = event.item() else {
            if event.root().and_then(|root| root.get("item")).is_some() {
                findings.report(Rule::Item15, place, None, || ("/item".into(), "expected an item, found null".into()));
            }
            // Readers skip it, and the next item has the next index.
            self.next_index = self.next_index.max(index.saturating_add(1));
            return;
        };
        let text = |key: &str| item.get(key).and_then(|value| value.as_str()).unwrap_or_default();
        let (id, kind) = (text("id"), text("type"));
        if let Some(position) = self.items.position(index) {
            let Some(known) = self.items.at_mut(position) else { return };
            let again = known.id.is(&id) || known.state.is_open();
            if let Some(rule) = if again { Some(Rule::Item10) } else { known.state.go(ItemMove::Added) } {
                findings.report(rule, place, None, || {
                    ("/output_index".into(), format!("expected an index that is free, found {index} again"))
                });
            }
            // The same item again, or one in the place of an open one: the first stays. Behind a done one a new one begins.
            if again {
                return;
            }
        } else if index != self.next_index && !(self.joined && self.items.len() == 0) {
            let next = self.next_index;
            findings.report(Rule::Item10, place, None, || {
                ("/output_index".into(), format!("expected {next}, found {index}"))
            });
        }
        if let Some(cut) = self.cut_at.filter(|cut| index > *cut) {
            findings.report(Rule::Item08, place, None, || {
                ("/output_index".into(), format!("expected no item behind the incomplete item {cut}, found {index}"))
            });
        }
        self.check_new_status(event, item, findings);
        let class = Class::of(&kind);
        let mut new = Item { class, whole: status_is(item, "completed"), ..Item::default() };
        new.kind = Name::of(&kind);
        new.call_id = Name::of(&text("call_id"));
        new.state.go(ItemMove::Added);
        new.input.text = Growing::since(self.unread);
        if let Some(first) = input_of(class, item).and_then(|view| view.as_str()) {
            new.input.text.begin(&first);
        }
        let position = match self.items.position(index) {
            Some(position) => position,
            None if self.items.len() >= self.options.limits.items => return,
            None => self.items.insert(index, Item::default()),
        };
        if let Some(slot) = self.items.at_mut(position) {
            *slot = new;
        }
        self.name_item(position, &id, event, findings);
        self.next_index = self.next_index.max(index.saturating_add(1));
    }

    pub(super) fn item_done(&mut self, event: &Event<'_>, findings: &mut Findings) {
        let place = event.place();
        let Some(view) = event.item() else { return };
        let text = |key: &str| view.get(key).and_then(|value| value.as_str()).unwrap_or_default();
        let (id, kind, call_id) = (text("id"), text("type"), text("call_id"));
        let class = Class::of(&kind);
        let Some(position) = self.route_by(event, &id, ItemMove::Done, class, findings) else { return };
        let (joined, unread, parts) = (self.joined, self.unread, self.options.limits.parts);
        let Some(item) = self.items.at_mut(position) else { return };
        let unnamed = item.id.is_empty();
        let mut change = |path: &str, what: &str| {
            let message = format!("expected the {what} of the added item, found another one");
            findings.report(Rule::Item12, place, None, || (path.into(), message));
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
        item.tool = Name::of(&text("name"));
        item.class = class;
        item.incomplete = status_is(view, "incomplete");
        item.ending = Ending::of(view);
        let (incomplete, json) = (item.incomplete, item.input.json.take());
        let how = Closing { loose: item.whole || joined || unread > 0, unread, parts };
        let lists = close_parts(event, view, item, how, findings);
        close_input(event, view, item, how, findings);
        item.members = members(view, lists, item.input.text.said());
        item.written = Some(Digest::of_raw(view.raw()));
        if unnamed {
            self.name_item(position, &id, event, findings);
        }
        let index = event.output_index().unwrap_or(position as u64);
        // Whether it may stand before other items depends on how they and the response end, see `cuts.rs`.
        if incomplete {
            self.cut_at = Some(self.cut_at.map_or(index, |cut| cut.min(index)));
        }
        // The contract gives a patch that was cut no other word than `in_progress` (`ApplyPatchCallStatus`).
        if status_is(view, "in_progress") && class != Class::ApplyPatchCall {
            findings.report(Rule::Item06, place, None, || {
                ("/item/status".into(), "expected a status with which items end, found in_progress".into())
            });
        }
        self.check_done_item(event, view, class, json, findings);
    }

    pub(super) fn touch(&mut self, event: &Event<'_>, class: Class, findings: &mut Findings) {
        let Some(position) = self.route(event, ItemMove::Event, class, findings) else { return };
        let Some(item) = self.items.at_mut(position) else { return };
        let fits = item.class == class || matches!(item.class, Class::Untold | Class::Foreign);
        if !fits && class != Class::Untold {
            findings.report(Rule::Item12, event.place(), None, || {
                ("/output_index".into(), "expected an item of the type that the event names, found another one".into())
            });
        }
    }

    /// Finds or opens the item that an event is about, makes its move and compares the ids. `None` if there is no such item
    /// or the event comes too late for it.
    pub(super) fn route(
        &mut self,
        event: &Event<'_>,
        step: ItemMove,
        class: Class,
        findings: &mut Findings,
    ) -> Option<usize> {
        self.route_by(event, event.item_id().unwrap_or_default(), step, class, findings)
    }

    /// The same, with the id that serves where there is no index.
    fn route_by(
        &mut self,
        event: &Event<'_>,
        id: &str,
        step: ItemMove,
        class: Class,
        findings: &mut Findings,
    ) -> Option<usize> {
        let place = event.place();
        let position = match event.output_index() {
            Some(index) => match self.items.position(index) {
                Some(position) => position,
                None if self.items.len() >= self.options.limits.items => return None,
                None => {
                    self.next_index = self.next_index.max(index.saturating_add(1));
                    // An item that is done at once came whole.
                    let whole = step == ItemMove::Done;
                    self.items.insert(index, Item { class, whole, ..Item::default() })
                }
            },
            None => self.ids.get(&text_hash(id)).copied()?,
        };
        let joined = self.joined;
        let item = self.items.at_mut(position)?;
        let fresh = !item.state.is_open() && !item.state.is_done();
        let late = item.state.is_done();
        if let Some(rule) = item.state.go(step) {
            if !(fresh && joined) {
                findings.report(rule, place, None, || ("/output_index".into(), item_message(rule)));
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

    /// Gives an item its id, which no other item may have.
    fn name_item(&mut self, position: usize, id: &str, event: &Event<'_>, findings: &mut Findings) {
        if id.is_empty() {
            return;
        }
        let Some(item) = self.items.at_mut(position) else { return };
        item.id = Name::of(id);
        let other = self.ids.insert(item.id.hash(), position);
        if other.is_some_and(|other| other != position) {
            findings.report(Rule::Item02, event.place(), None, || {
                ("/item/id".into(), "expected an id of its own, found that of another item".into())
            });
        }
    }

    fn check_new_status(&self, event: &Event<'_>, item: View<'_>, findings: &mut Findings) {
        let Some(status) = item.get("status").and_then(|status| status.as_str()) else { return };
        // Two types have no `in_progress` in the contract (`ApplyPatchCallOutputStatus`, `ComputerCallOutputStatus`): they
        // appear whole, and a failure has no other way to be told. What else they may be is for the schema to say.
        let whole = |kind: View<'_>| kind.is_str("apply_patch_call_output") || kind.is_str("computer_call_output");
        if !matches!(&*status, "in_progress" | "completed") && !item.get("type").is_some_and(whole) {
            let found = self.quote(&status);
            findings.report(Rule::Item05, event.place(), None, || {
                ("/item/status".into(), format!("expected in_progress or completed, found {found}"))
            });
        }
    }
}

fn item_message(rule: Rule) -> String {
    match rule {
        Rule::Item03 => "expected `response.output_item.added` first, found another event of the item",
        Rule::Part11 => "expected no new part behind the item's done event",
        _ => "expected nothing behind the item's done event",
    }
    .into()
}

pub(super) fn report_id(event: &Event<'_>, findings: &mut Findings) {
    findings.report(Rule::Item11, event.place(), None, || {
        ("/item_id".into(), "expected the id of the item at this index, found another one".into())
    });
}
