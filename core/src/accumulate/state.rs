//! [`State`]: the response's fields and items, and how items are found.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;

use super::body::Body;
use super::slot::Slot;
use crate::json::{Object, Tape, Value, View};

/// The response so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// The snapshot's fields; `output` holds its place in the order.
    pub(crate) fields: Object,
    /// A snapshot was taken.
    pub(crate) started: bool,
    pub(crate) slots: Vec<Slot>,
    /// Which slot an `output_index` routes to.
    pub(crate) by_index: BTreeMap<u64, u32>,
    pub(crate) by_id: BTreeMap<String, u32>,
    /// The order of the output: wire index, then arrival.
    pub(crate) order: BTreeMap<(u64, u32), u32>,
}

/// A terminal snapshot, kept as text until somebody looks at it.
#[derive(Clone, Debug)]
pub(crate) struct Terminal {
    text: String,
    state: OnceCell<State>,
}

impl State {
    /// The items in output order.
    pub(crate) fn items(&self) -> impl Iterator<Item = &Slot> {
        self.order.values().filter_map(|at| self.slots.get(*at as usize))
    }

    /// The index behind all others.
    pub(crate) fn next_index(&self) -> u64 {
        self.order.last_key_value().map_or(0, |((index, _), _)| index.saturating_add(1))
    }

    /// Puts an item in the order of the output, routed to by `index`.
    pub(crate) fn place(&mut self, index: u64, rank: u64, slot: Slot) {
        let at = self.slots.len() as u32;
        self.by_index.insert(index, at);
        self.order.insert((rank, at), at);
        if !slot.id().is_empty() {
            self.by_id.entry(slot.id().to_owned()).or_insert(at);
        }
        self.slots.push(slot);
    }

    /// Forgets the items.
    pub(crate) fn clear_items(&mut self) {
        self.slots.clear();
        self.by_index.clear();
        self.by_id.clear();
        self.order.clear();
    }

    /// Takes a snapshot's fields; its items are left out.
    pub(crate) fn take_fields(&mut self, response: View<'_>) {
        self.started = true;
        let mut fields = Object::new();
        for (key, value) in response.entries() {
            let key = key.as_str().unwrap_or_default();
            let value = if key == "output" { Value::Null } else { value.to_value() };
            fields.push(key, value);
        }
        if !fields.contains_key("output") {
            fields.push("output", Value::Null);
        }
        self.fields = fields;
    }

    /// Takes a snapshot's items, at the indexes where they stand.
    pub(crate) fn take_items(&mut self, response: View<'_>, done: bool) {
        self.clear_items();
        let Some(output) = response.get("output") else { return };
        for (at, item) in output.elements().enumerate() {
            let text = |key: &str| Some(item.get(key)?.as_str()?.into_owned());
            let done = done || text("status").as_deref() != Some("in_progress");
            let body = if done { Body::from(item) } else { Body::from(object(item)) };
            self.place(at as u64, at as u64, Slot::from_item(body, &text("id").unwrap_or_default(), done));
        }
    }
}

/// The object of a view; empty for other values.
pub(crate) fn object(view: View<'_>) -> Object {
    match view.to_value() {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

impl Terminal {
    /// Keeps a snapshot's text.
    pub(crate) fn new(response: View<'_>) -> Self {
        Self { text: response.raw().to_owned(), state: OnceCell::new() }
    }

    /// The response that the snapshot describes.
    pub(crate) fn state(&self) -> &State {
        self.state.get_or_init(|| {
            let mut state = State::default();
            let mut tape = Tape::default();
            // The text was checked, depth included, when its event was read.
            if tape.parse(&self.text, usize::MAX).is_ok() {
                let response = tape.root(&self.text);
                state.take_fields(response);
                state.take_items(response, true);
            }
            state
        })
    }
}
