//! Whether a wider source says the same as what was accumulated; the message names the place, never the text.
//!
//! The wider source is read where it stands: nothing is built to compare it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::said::Said;
use super::slot::Slot;
use super::state::{object, State};
use crate::json::{Object, Value, View};
use crate::validate::Rule;

/// Values that a server may make anew each time it prints an item: only their presence can be compared.
const OPAQUE: [&str; 2] = ["encrypted_content", "fingerprint"];

/// Compares a finished part with the accumulated one.
pub(crate) fn part(mine: &Value, theirs: View<'_>, said: &Said) -> Option<String> {
    for key in ["type", "text", "refusal"] {
        let Some(ours) = mine.str_at(key) else { continue };
        if !theirs.get(key).is_some_and(|text| said.is(text, ours)) {
            return Some(format!("expected the accumulated `{key}`, found one that differs"));
        }
    }
    None
}

/// Compares a finished item with the accumulated one: its texts and arguments.
pub(crate) fn item(mine: &Slot, theirs: View<'_>, said: &Said) -> Option<(Rule, String)> {
    for (key, rule) in [("content", Rule::Part10), ("summary", Rule::Rsn07)] {
        let ours = mine.item.light().get(key).and_then(Value::as_array).unwrap_or_default();
        if ours.is_empty() {
            continue;
        }
        let other: Vec<View<'_>> = theirs.get(key).map(|list| list.elements().collect()).unwrap_or_default();
        if ours.len() != other.len() {
            return Some((rule, format!("expected {} parts in `{key}`, found {}", ours.len(), other.len())));
        }
        if let Some(message) = ours.iter().zip(other).find_map(|(a, b)| part(a, b, said)) {
            return Some((rule, message));
        }
    }
    for key in ["arguments", "input", "code"] {
        let ours = mine.text(key);
        if !ours.is_empty() && !theirs.get(key).is_some_and(|text| said.is(text, ours)) {
            return Some((Rule::Arg02, format!("expected the accumulated `{key}`, found one that differs")));
        }
    }
    None
}

/// Compares the terminal snapshot's output with the finished items, in order. Where nothing was streamed, nothing is lost.
pub(crate) fn output(mine: &State, response: View<'_>) -> Option<String> {
    let output = response.get("output")?;
    let streamed = mine.slots.len();
    if streamed == 0 {
        return None;
    }
    let count = output.elements().count();
    if count != streamed {
        return Some(format!("expected the {streamed} items that were streamed, found {count}"));
    }
    for (at, (slot, item)) in mine.items().zip(output.elements()).enumerate() {
        // Most servers print an item the same way twice.
        if !slot.done || slot.item.is_text(item.raw()) {
            continue;
        }
        if let Some(key) = first_difference(slot.item.object(), &object(item)) {
            return Some(format!("expected item {at} as in its output_item.done, found another `{key}`"));
        }
    }
    None
}

fn first_difference(mine: &Object, theirs: &Object) -> Option<String> {
    let differs = |key: &str| match (mine.get(key), theirs.get(key)) {
        (Some(_), Some(_)) if OPAQUE.contains(&key) => false,
        (a, b) => a != b,
    };
    mine.iter().chain(theirs.iter()).map(|(key, _)| key).find(|key| differs(key)).map(String::from)
}
