//! Whether a wider source says the same as what was accumulated; the message names the place, never the text.

use alloc::format;
use alloc::string::String;

use super::slot::Slot;
use crate::json::{Object, Value, View};
use crate::validate::Rule;

/// Values that a server may make anew each time it prints an item: only their presence can be compared.
const OPAQUE: [&str; 2] = ["encrypted_content", "fingerprint"];

/// Compares a finished part with the accumulated one.
pub(crate) fn part(mine: &Value, theirs: &Value) -> Option<String> {
    for key in ["type", "text", "refusal"] {
        let (a, b) = (mine.str_at(key), theirs.str_at(key));
        if a.is_some() && a != b {
            return Some(format!("expected the accumulated `{key}`, found one that differs"));
        }
    }
    None
}

/// Compares a finished item with the accumulated one: its texts and arguments.
pub(crate) fn item(mine: &Slot, theirs: &Object) -> Option<(Rule, String)> {
    for (key, rule) in [("content", Rule::Part10), ("summary", Rule::Rsn07)] {
        let ours = mine.item.get(key).and_then(Value::as_array).unwrap_or_default();
        let other = theirs.get(key).and_then(Value::as_array).unwrap_or_default();
        if !ours.is_empty() && ours.len() != other.len() {
            return Some((rule, format!("expected {} parts in `{key}`, found {}", ours.len(), other.len())));
        }
        if let Some(message) = ours.iter().zip(other).find_map(|(a, b)| part(a, b)) {
            return Some((rule, message));
        }
    }
    for key in ["arguments", "input", "code"] {
        let ours = mine.text(key);
        if !ours.is_empty() && theirs.get(key).and_then(Value::as_str) != Some(ours) {
            return Some((Rule::Arg02, format!("expected the accumulated `{key}`, found one that differs")));
        }
    }
    None
}

/// Compares the terminal snapshot's output with the finished items, in order. Where nothing was streamed, nothing is lost.
pub(crate) fn output(mine: &[&Slot], response: View<'_>) -> Option<String> {
    let output = response.get("output")?;
    let count = output.elements().count();
    if mine.is_empty() {
        return None;
    }
    if count != mine.len() {
        return Some(format!("expected the {} items that were streamed, found {count}", mine.len()));
    }
    for (at, (slot, item)) in mine.iter().zip(output.elements()).enumerate() {
        if !slot.done {
            continue;
        }
        let Value::Object(theirs) = item.to_value() else { continue };
        if let Some(key) = first_difference(&slot.item, &theirs) {
            return Some(format!("expected item {at} as in its output_item.done, found another `{key}`"));
        }
    }
    None
}

fn first_difference<'a>(mine: &'a Object, theirs: &'a Object) -> Option<&'a str> {
    let differs = |key: &str| match (mine.get(key), theirs.get(key)) {
        (Some(_), Some(_)) if OPAQUE.contains(&key) => false,
        (a, b) => a != b,
    };
    mine.iter().chain(theirs.iter()).map(|(key, _)| key).find(|key| differs(key))
}
