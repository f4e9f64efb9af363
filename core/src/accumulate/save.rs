//! Saves and restores the state of an accumulator.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::accumulated_response::AccumulatedResponse;
use super::accumulator::{AccumulateOptions, Accumulator};
use super::chunked_map::ChunkedMap;
use super::item_slot::{ItemSlot, Logprobs};
use crate::contract::text_route::text_route;
use crate::contract::Kind;
use crate::json::{Object, Value};
use crate::limits::Limits;
use crate::outcome::{Failure, Outcome};

impl Accumulator {
    /// The state as a value.
    pub(crate) fn save(&self) -> Value {
        let mut state = Object::new();
        let response = self.state();
        state.push("fields", response.fields.object().clone());
        state.push("started", response.started);
        state.push("slots", response.slots.iter().map(save_slot).collect::<Vec<_>>());
        // Sorted, so that equal states are equal bytes.
        let mut by_index = ChunkedMap::default();
        for (slot, at) in response.slots.iter().zip(0..) {
            if let Some(index) = slot.index {
                by_index.insert((index, at), at);
            }
        }
        state.push("by_index", pairs(by_index.iter().map(|((index, at), _)| (*index, *at))));
        state.push("order", pairs(response.order()));
        // An item is also found by its earlier ids. Few streams use them.
        let mut names = Object::new();
        response.by_id.iter().for_each(|(id, at)| names.push(id.as_str(), *at));
        if !names.is_empty() {
            state.push("names", names);
        }
        // The slots whose ids are among the names: an item that got its id later may not take it from another one.
        if response.named > 0 {
            state.push("named", response.named as u64);
        }
        state.push("outcome", self.outcome.as_ref().map(save_outcome));
        state.push("error", self.error.as_ref().map(save_failure));
        state.push("headers", self.rate_limits.headers.clone());
        state.push("rates", self.rate_limits.event.clone());
        Value::Object(state)
    }

    /// Restores a state; `None` if it is not a saved state.
    pub(crate) fn restore(state: &Value, options: AccumulateOptions, limits: Limits) -> Option<Self> {
        let mut this = Self::new(options, limits);
        let fields = state.get("fields")?.as_object()?.clone();
        let mut response = AccumulatedResponse::default();
        response.id = fields.get("id").and_then(Value::as_str).unwrap_or("").to_owned();
        response.fields = fields.into();
        response.started = state.get("started")?.as_bool()?;
        for slot in state.get("slots")?.as_array()? {
            response.slots.push(restore_slot(slot)?);
        }
        let count = response.slots.len() as u64;
        let index = |pair: &Value| -> Option<(u64, u32)> {
            let [a, b] = pair.as_array()? else { return None };
            let at = b.as_u64().filter(|at| *at < count)?;
            Some((a.as_u64()?, at as u32))
        };
        for pair in state.get("by_index")?.as_array()? {
            let (wire, at) = index(pair)?;
            response.route(wire, at)?;
        }
        let order: Option<Vec<_>> = state.get("order")?.as_array()?.iter().map(index).collect();
        response.set_order(&order?)?;
        for (id, at) in state.get("names").and_then(Value::as_object).into_iter().flat_map(Object::iter) {
            response.name_slot(id.to_owned(), at.as_u64().filter(|at| *at < count)? as u32);
        }
        response.named = state.get("named").and_then(Value::as_u64).unwrap_or(0).min(count) as usize;
        this.outcome = option(state.get("outcome")?, restore_outcome)?;
        this.error = option(state.get("error")?, restore_failure)?;
        this.rate_limits.headers = state.get("headers")?.as_object()?.clone();
        this.rate_limits.event = state.get("rates")?.clone();
        this.set_state(response);
        Some(this)
    }
}

fn pairs(list: impl Iterator<Item = (u64, u32)>) -> Value {
    Value::Array(list.map(|(a, b)| Value::Array([Value::from(a), Value::from(b)].into())).collect())
}

fn option<T>(value: &Value, read: impl FnOnce(&Value) -> Option<T>) -> Option<Option<T>> {
    if value.is_null() {
        Some(None)
    } else {
        read(value).map(Some)
    }
}

fn save_slot(slot: &ItemSlot) -> Value {
    let mut state = Object::new();
    state.push("item", slot.item.object().clone());
    state.push("done", slot.done);
    let wire_indexes =
        slot.wire_indexes().iter().map(|list| Value::Array(list.iter().map(|wire| Value::from(*wire)).collect()));
    state.push("wires", wire_indexes.collect::<Vec<_>>());
    let texts = |list: &[(u64, String)]| {
        let pair =
            |(number, text): &(u64, String)| Value::Array([Value::from(*number), Value::from(text.as_str())].into());
        Value::Array(list.iter().map(pair).collect())
    };
    let pair = |list: &Logprobs| Value::Array([Value::from(list.wire), Value::from(list.elements.as_str())].into());
    state.push("logprobs", slot.logprobs().map(pair).collect::<Vec<_>>());
    state.push("images", texts(slot.images()));
    if let Some((target, element, unit)) = slot.pending_high_surrogate {
        // A target has no name of its own; any delta kind with this target identifies it.
        let leads = |kind: &&Kind| kind.is_delta() && text_route(**kind).is_some_and(|route| route.target == target);
        let kind = Kind::ALL.iter().find(leads).map(|kind| Value::from(kind.name()));
        state.push("high", Vec::from([Value::from(kind), Value::from(element), Value::from(u32::from(unit))]));
    }
    Value::Object(state)
}

fn restore_slot(state: &Value) -> Option<ItemSlot> {
    let item = state.get("item")?.as_object()?.clone();
    let id = item.get("id").and_then(Value::as_str).unwrap_or("").to_owned();
    let mut slot = ItemSlot::from_item(item, &id, state.get("done")?.as_bool()?);
    let mut wire_indexes: [Vec<u64>; 3] = Default::default();
    let saved = state.get("wires")?.as_array()?;
    for (list, saved) in wire_indexes.iter_mut().zip(saved) {
        *list = saved.as_array()?.iter().map(Value::as_u64).collect::<Option<_>>()?;
    }
    let texts = |key: &str| -> Option<Vec<(u64, String)>> {
        let pair = |pair: &Value| {
            let [number, text] = pair.as_array()? else { return None };
            Some((number.as_u64()?, text.as_str()?.into()))
        };
        state.get(key)?.as_array()?.iter().map(pair).collect()
    };
    for (number, image) in texts("images")? {
        slot.add_image(number, image);
    }
    let logprobs = texts("logprobs")?;
    if let Some(high) = state.get("high") {
        let [kind, element, unit] = high.as_array()? else { return None };
        let target = text_route(Kind::from_wire(kind.as_str()?))?.target;
        slot.pending_high_surrogate = Some((target, element.as_u64()?, u16::try_from(unit.as_u64()?).ok()?));
    }
    if !slot.set_wire_indexes(wire_indexes) {
        return None;
    }
    for (wire, elements) in logprobs {
        slot.add_logprobs(wire, &alloc::format!("[{elements}]"));
    }
    Some(slot)
}

fn save_failure(failure: &Failure) -> Value {
    let mut state = Object::new();
    state.push("type", failure.kind.as_str());
    state.push("code", failure.code.as_str());
    state.push("message", failure.message.as_str());
    state.push("param", failure.param.as_deref());
    Value::Object(state)
}

fn restore_failure(state: &Value) -> Option<Failure> {
    Some(Failure {
        kind: state.str_at("type")?.into(),
        code: state.str_at("code")?.into(),
        message: state.str_at("message")?.into(),
        param: state.str_at("param").map(Into::into),
    })
}

fn save_outcome(outcome: &Outcome) -> Value {
    let mut state = Object::new();
    state.push("outcome", outcome.name());
    match outcome {
        Outcome::Incomplete { reason } => state.push("reason", reason.as_str()),
        Outcome::Failed { error } => state.push("error", save_failure(error)),
        Outcome::Truncated { last_sequence_number } => state.push("last_sequence_number", *last_sequence_number),
        _ => {}
    }
    Value::Object(state)
}

fn restore_outcome(state: &Value) -> Option<Outcome> {
    Some(match state.str_at("outcome")? {
        "completed" => Outcome::Completed,
        "incomplete" => Outcome::Incomplete { reason: state.str_at("reason")?.into() },
        "failed" => Outcome::Failed { error: restore_failure(state.get("error")?)? },
        "cancelled" => Outcome::Cancelled,
        "truncated" => {
            Outcome::Truncated { last_sequence_number: state.get("last_sequence_number").and_then(Value::as_u64) }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Findings, OwnedEvent};
    use alloc::string::ToString;

    /// A state with two items, the first one with two parts.
    fn saved() -> Value {
        let mut accumulator = Accumulator::default();
        for (index, part) in [(0, 3), (0, 5), (1, 0)] {
            let event = alloc::format!(
                r#"{{"type":"response.output_text.delta","output_index":{index},"content_index":{part},"delta":"a"}}"#
            );
            accumulator.apply(&OwnedEvent::parse(&event).as_event(), &mut Findings::default()).unwrap();
        }
        accumulator.save()
    }

    /// The result of restoring a state in which one text is replaced by another.
    fn restored(from: &str, to: &str) -> Option<Accumulator> {
        let text = saved().to_string();
        assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
        let state = Value::parse(&text.replace(from, to), 64).unwrap();
        Accumulator::restore(&state, AccumulateOptions::default(), Limits::default())
    }

    #[test]
    fn a_state_that_points_to_no_item_or_no_part_is_refused() {
        assert!(restored(r#""started""#, r#""started""#).is_some());
        for (from, to) in [
            (r#""by_index":[[0,0],[1,1]]"#, r#""by_index":[[0,0],[1,2]]"#),
            (r#""order":[[0,0],[1,1]]"#, r#""order":[[0,0],[1,2]]"#),
            (r#"[[3,5],[],[]]"#, r#"[[5,3],[],[]]"#),
            (r#"[[3,5],[],[]]"#, r#"[[5,5],[],[]]"#),
            (r#"[[3,5],[],[]]"#, r#"[[],[],[]]"#),
            (r#"[[3,5],[],[]]"#, r#"[[3],[],[]]"#),
            (r#"[[3,5],[],[]]"#, r#"[[3,5,7],[],[]]"#),
            (r#"[[3,5],[],[]]"#, r#"[[3,5],[0],[]]"#),
        ] {
            assert!(restored(from, to).is_none(), "{to}");
        }
    }

    #[test]
    fn item_order_is_saved_only_if_it_is_not_the_order_of_arrival() {
        let out_of_order = |to: &str| restored(r#""order":[[0,0],[1,1]]"#, to).unwrap().state().out_of_order;
        assert!(!out_of_order(r#""order":[[0,0],[1,1]]"#) && !out_of_order(r#""order":[[0,0],[7,1]]"#));
        // An item that is missing from the order has no position.
        assert!(out_of_order(r#""order":[[0,1],[1,0]]"#) && out_of_order(r#""order":[[0,0]]"#));
    }
}
