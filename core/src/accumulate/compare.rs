//! Compares a more complete source with the accumulated state: a finished part or item, or the terminal snapshot. The message names
//! the position of a difference, never the text.
//!
//! Both sides are compared in place, without building values. Time is O(n log n) in the compared bytes.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::accumulated_response::AccumulatedResponse;
use super::item_slot::ItemSlot;
use crate::json::{MemberIndex, Value, ValueRef};
use crate::validate::Rule;

/// Members that a server may regenerate each time it prints an item: only their presence is compared.
const OPAQUE: [&str; 2] = ["encrypted_content", "fingerprint"];

/// Compares a finished part with the accumulated one.
pub(crate) fn part(mine: &Value, theirs: ValueRef<'_>) -> Option<String> {
    for key in ["type", "text", "refusal"] {
        let Some(ours) = mine.str_at(key) else { continue };
        if !theirs.get(key).is_some_and(|text| text.is_str(ours)) {
            return Some(format!("expected the accumulated `{key}`, found one that differs"));
        }
    }
    None
}

/// Compares the texts and arguments of a finished item with the accumulated one.
pub(crate) fn item(mine: &ItemSlot, theirs: ValueRef<'_>) -> Option<(Rule, String)> {
    for (key, rule) in [("content", Rule::Part10), ("summary", Rule::Rsn07)] {
        let ours = mine.item.without_logprobs().get(key).and_then(Value::as_array).unwrap_or_default();
        if ours.is_empty() {
            continue;
        }
        let other: Vec<ValueRef<'_>> = theirs.get(key).map(|list| list.elements().collect()).unwrap_or_default();
        if ours.len() != other.len() {
            return Some((rule, format!("expected {} parts in `{key}`, found {}", ours.len(), other.len())));
        }
        if let Some(message) = ours.iter().zip(other).find_map(|(a, b)| part(a, b)) {
            return Some((rule, message));
        }
    }
    for key in ["arguments", "input", "code"] {
        let ours = mine.text(key);
        if !ours.is_empty() && !theirs.get(key).is_some_and(|text| text.is_str(ours)) {
            return Some((Rule::Arg02, format!("expected the accumulated `{key}`, found one that differs")));
        }
    }
    None
}

/// Compares the output of the terminal snapshot with the finished items, in order. An output without the streamed items is not
/// a difference.
pub(crate) fn output(mine: &AccumulatedResponse, output: ValueRef<'_>) -> Option<String> {
    let streamed = mine.slots.len();
    if streamed == 0 {
        return None;
    }
    let count = output.elements().count();
    if count != streamed {
        return Some(format!("expected the {streamed} items that were streamed, found {count}"));
    }
    for (at, (slot, item)) in mine.items().zip(output.elements()).enumerate() {
        // Most servers print an item identically both times.
        if !slot.done || slot.item.raw_equals(item.raw()) {
            continue;
        }
        if let Some(key) = slot.item.with_view(|mine| first_difference(mine, item)) {
            return Some(format!("expected item {at} as in its output_item.done, found another `{key}`"));
        }
    }
    None
}

/// The first member that differs, in the order of the accumulated object, then of the other.
fn first_difference(mine: ValueRef<'_>, theirs: ValueRef<'_>) -> Option<String> {
    let (ours, other) = (MemberIndex::of(mine), MemberIndex::of(theirs));
    let differs = |key: &str| match (ours.get(key), other.get(key)) {
        (Some(_), Some(_)) if OPAQUE.contains(&key) => false,
        (Some(a), Some(b)) => !a.is_equal(b),
        (None, None) => false,
        _ => true,
    };
    let keys = mine.entries().chain(theirs.entries()).filter_map(|(key, _)| key.as_str());
    keys.into_iter().find(|key| differs(key)).map(|key| String::from(&*key))
}
