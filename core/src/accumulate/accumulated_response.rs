//! [`AccumulatedResponse`]: the response's fields and items, and the lookup of items.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::chunked_map::ChunkedMap;
use super::held_bytes::NAME_BYTES;
use super::item_slot::ItemSlot;
use super::lazy_object::LazyObject;
use crate::json::{Object, Value, ValueKind, ValueRef};

/// The response so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccumulatedResponse {
    /// The snapshot's fields; `output` keeps its position, as `null`.
    pub(crate) fields: LazyObject,
    /// The response's id, stored separately: every snapshot is compared with it.
    pub(crate) id: String,
    /// True if a snapshot was taken.
    pub(crate) started: bool,
    pub(crate) slots: Vec<ItemSlot>,
    /// The slot that an `output_index` routes to, unless that is the slot at this position. The value is a pair with 0, so that both maps
    /// have one type.
    by_output_index: ChunkedMap<(u64, u32)>,
    /// The slot of an id, for the ids of the first slots only. Servers send indexes, so few streams ever need it.
    pub(super) by_id: ChunkedMap<String>,
    pub(super) named: usize,
    /// The size of the ids in the map.
    pub(super) name_bytes: usize,
    /// The order of the output: wire index, then arrival. Empty while the items are in the order of their arrival.
    order: ChunkedMap<(u64, u32)>,
    /// True if an item is not at the position of its arrival, so that positions have to be counted.
    pub(crate) out_of_order: bool,
}

impl AccumulatedResponse {
    /// The items in output order.
    pub(crate) fn items(&self) -> impl Iterator<Item = &ItemSlot> {
        self.order().filter_map(|(_, at)| self.slots.get(at as usize))
    }

    /// The number of items in the output.
    pub(crate) fn item_count(&self) -> usize {
        if self.out_of_order {
            self.order.len()
        } else {
            self.slots.len()
        }
    }

    /// The rank and the number of each slot in output order.
    pub(super) fn order(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let in_place = if self.out_of_order { &[][..] } else { &self.slots[..] };
        let in_place = in_place.iter().zip(0..).map(|(slot, at)| (slot.rank, at));
        self.order.iter().map(|((rank, _), at)| (*rank, *at)).chain(in_place)
    }

    /// Puts the slots in this order, which gives each its rank; `None` if there is no such slot.
    pub(super) fn set_order(&mut self, order: &[(u64, u32)]) -> Option<()> {
        for (rank, at) in order {
            self.slots.get_mut(*at as usize)?.rank = *rank;
            self.order.insert((*rank, *at), *at);
        }
        self.out_of_order = self.order.len() != self.slots.len()
            || self.order.values().enumerate().any(|(position, at)| position != at as usize);
        if !self.out_of_order {
            self.order.clear();
        }
        Some(())
    }

    /// Routes an `output_index` to a slot; `None` if there is no such slot.
    pub(super) fn route(&mut self, index: u64, at: u32) -> Option<()> {
        let old = self.slot_at_output_index(index);
        if let Some(old) = old.and_then(|old| self.slots.get_mut(old as usize)) {
            old.index = None;
        }
        self.slots.get_mut(at as usize)?.index = Some(index);
        if index != u64::from(at) {
            self.by_output_index.insert((index, 0), at);
        }
        Some(())
    }

    /// The slot at a position of the output. Items mostly arrive in order; then nothing is counted.
    pub(crate) fn slot_at(&self, position: usize) -> Option<u32> {
        if self.out_of_order {
            return self.order.nth(position);
        }
        u32::try_from(position).ok().filter(|_| position < self.slots.len())
    }

    /// The position of a slot in the output.
    pub(crate) fn position_of(&self, slot: u32) -> Option<usize> {
        if self.out_of_order {
            let rank = self.slots.get(slot as usize)?.rank;
            return self.order.position(&(rank, slot));
        }
        Some(slot as usize)
    }

    /// The slot that an `output_index` routes to.
    #[inline]
    pub(crate) fn slot_at_output_index(&self, index: u64) -> Option<u32> {
        // Items are usually at the position of their arrival.
        match self.slots.get(index as usize) {
            Some(slot) if slot.index == Some(index) => Some(index as u32),
            _ => self.by_output_index.get(&(index, 0)),
        }
    }

    /// The index after all others.
    pub(crate) fn next_index(&self) -> u64 {
        let in_place = || self.slots.last().map(|slot| slot.rank);
        let last = if self.out_of_order { self.order.last().map(|(index, _)| *index) } else { in_place() };
        last.map_or(0, |index| index.saturating_add(1))
    }

    /// Inserts an item into the order of the output, routed to by `index`.
    pub(crate) fn insert_item(&mut self, index: u64, rank: u64, mut slot: ItemSlot) {
        let at = self.slots.len() as u32;
        if !self.out_of_order && self.slots.last().is_some_and(|last| last.rank > rank) {
            self.out_of_order = true;
            for (slot, at) in self.slots.iter().zip(0..) {
                self.order.insert((slot.rank, at), at);
            }
        }
        if self.out_of_order {
            self.order.insert((rank, at), at);
        }
        slot.rank = rank;
        slot.index = None;
        self.slots.push(slot);
        let _ = self.route(index, at);
    }

    /// The slot that an id belongs to: the first that had it.
    pub(crate) fn slot_with_id(&mut self, id: &str) -> Option<u32> {
        self.name_slots();
        self.by_id.get(id)
    }

    /// Records that a slot gets another id. Its earlier id still finds it.
    pub(crate) fn rename(&mut self, at: u32, id: &str) {
        self.name_slots();
        if !id.is_empty() {
            self.name_slot(id.to_owned(), at);
        }
    }

    fn name_slots(&mut self) {
        while let Some(slot) = self.slots.get(self.named) {
            if !slot.id().is_empty() {
                self.name_slot(slot.id().to_owned(), self.named as u32);
            }
            self.named += 1;
        }
    }

    /// Sets the slot of an id, if it has none.
    pub(super) fn name_slot(&mut self, id: String, at: u32) {
        let bytes = NAME_BYTES + id.len();
        if self.by_id.insert_if_absent(id, at) {
            self.name_bytes += bytes;
        }
    }

    /// The size of everything, computed from scratch.
    pub(crate) fn count_bytes(&self) -> usize {
        let names: usize = self.by_id.iter().map(|(id, _)| NAME_BYTES + id.len()).sum();
        let items: usize = self.slots.iter().map(ItemSlot::held_bytes).sum();
        self.id.len() + self.fields.held_bytes() + names + items
    }

    /// Removes the items.
    pub(crate) fn clear_items(&mut self) {
        self.slots.clear();
        self.by_output_index.clear();
        self.by_id.clear();
        (self.named, self.name_bytes) = (0, 0);
        self.order.clear();
        self.out_of_order = false;
    }

    /// Takes a snapshot's fields, without its items.
    pub(crate) fn take_fields(&mut self, snapshot: &Snapshot<'_>) {
        self.started = true;
        self.id.clear();
        self.id.push_str(&snapshot.id.and_then(|id| id.as_str()).unwrap_or_default());
        self.fields = LazyObject::from_snapshot(snapshot);
    }

    /// Returns `true` if the items have, at the same indexes, exactly the text of an output.
    fn is_output(&self, output: ValueRef<'_>) -> bool {
        let mut slots = self.slots.iter().enumerate();
        let is_same = |item: ValueRef<'_>, (at, slot): (usize, &ItemSlot)| {
            slot.done && slot.index == Some(at as u64) && slot.item.raw_equals(item.raw())
        };
        !self.out_of_order
            && output.elements().all(|item| slots.next().is_some_and(|slot| is_same(item, slot)))
            && slots.next().is_none()
    }

    /// Takes a snapshot's items, at their positions in its output. Finished items remain text.
    pub(crate) fn take_items(&mut self, snapshot: &Snapshot<'_>, done: bool) {
        let output = snapshot.output;
        if done && output.is_some_and(|output| self.is_output(output)) {
            return;
        }
        self.clear_items();
        let Some(output) = output else { return };
        // An element that is no object is no item; it was reported.
        for (at, item) in output.elements().enumerate().filter(|(_, item)| item.kind() == ValueKind::Object) {
            let [id, status] = item.members(["id", "status"]).map(|member| member.and_then(|member| member.as_str()));
            let done = done || status.as_deref() != Some("in_progress");
            let body = if done { LazyObject::from(item) } else { LazyObject::from(object(item)) };
            self.insert_item(at as u64, at as u64, ItemSlot::from_item(body, &id.unwrap_or_default(), done));
        }
    }
}

/// The members of a snapshot that accumulation reads, found in one pass.
pub(crate) struct Snapshot<'a> {
    pub(crate) response: ValueRef<'a>,
    pub(crate) id: Option<ValueRef<'a>>,
    /// The last `output`.
    pub(crate) output: Option<ValueRef<'a>>,
}

impl<'a> Snapshot<'a> {
    pub(crate) fn of(response: ValueRef<'a>) -> Self {
        let [id, output] = response.members(["id", "output"]);
        Self { response, id, output }
    }
}

/// The object of a view; empty for other values.
pub(crate) fn object(view: ValueRef<'_>) -> Object {
    match view.to_value() {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec::Vec;

    use crate::{Reader, ReaderOptions};

    /// Adds items at these output indexes, and looks up each by its position.
    fn by_position(indexes: &[u64]) -> Vec<(usize, u64)> {
        let mut reader = Reader::new();
        for index in indexes {
            let item = format!(r#"{{"type":"message","id":"m{index}"}}"#);
            let event = format!(r#"{{"type":"response.output_item.added","output_index":{index},"item":{item}}}"#);
            reader.feed_json(&event).unwrap();
            reader.poll_event().unwrap();
        }
        let restored = Reader::restore(&reader.save(), ReaderOptions::default()).unwrap();
        for reader in [&reader, &restored] {
            let response = reader.response();
            assert!(response.item(indexes.len()).is_none());
            for (position, item) in response.items().enumerate() {
                assert_eq!(response.item(position).unwrap().id(), item.id());
            }
        }
        let response = reader.response();
        indexes.iter().map(|index| (response.position_of_index(*index).unwrap(), *index)).collect()
    }

    #[test]
    fn an_item_is_found_by_position_in_any_order_of_arrival() {
        assert_eq!(by_position(&[0, 1, 2]), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(by_position(&[4, 7, 9]), [(0, 4), (1, 7), (2, 9)]);
        assert_eq!(by_position(&[5, 0, 3]), [(2, 5), (0, 0), (1, 3)]);
    }
}
