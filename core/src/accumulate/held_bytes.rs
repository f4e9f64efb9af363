//! The size of values, for the limit on the memory that a stream may make a reader use.
//!
//! The sizes are the same on every machine and follow the memory of values: the bytes of their texts, and a fixed size for
//! each value, member, item and part. `Accumulator::recount_bytes` computes everything from scratch; the tests compare it with the running count.

use crate::json::{Object, Value, ValueKind, ValueRef};

/// An item: its slot, its entries in the maps, and its record in the validator.
pub(crate) const ITEM_BYTES: usize = 1_024;

/// A part of an item: its index, and its record in the validator.
pub(crate) const PART_BYTES: usize = 256;

/// The log probabilities of a part.
pub(crate) const LOGPROBS_BYTES: usize = 128;

/// A preview image.
pub(crate) const IMAGE_BYTES: usize = 48;

/// An id of an item in the lookup table.
pub(crate) const NAME_BYTES: usize = 64;

/// A value of any kind.
pub(crate) const VALUE_BYTES: usize = 24;
/// A key.
const KEY_BYTES: usize = 32;

/// The size of a value.
pub(crate) fn value_bytes(value: &Value) -> usize {
    VALUE_BYTES
        + match value {
            Value::Null | Value::Bool(_) => 0,
            Value::Number(number) => number.as_str().len(),
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(value_bytes).sum(),
            Value::Object(object) => object_bytes(object),
        }
}

/// The size of an object's members.
pub(crate) fn object_bytes(object: &Object) -> usize {
    object.iter().map(|(key, value)| member_bytes(key, value)).sum()
}

/// The size of a member.
pub(crate) fn member_bytes(key: &str, value: &Value) -> usize {
    KEY_BYTES + key.len() + value_bytes(value)
}

/// The size of a value before it is built; more than the final size only if its texts have escapes.
pub(crate) fn view_bytes(view: ValueRef<'_>) -> usize {
    VALUE_BYTES
        + match view.kind() {
            ValueKind::Null | ValueKind::True | ValueKind::False => 0,
            ValueKind::Array => view.elements().map(view_bytes).sum(),
            ValueKind::Object => view.entries().map(|(key, value)| view_member_bytes(key, view_bytes(value))).sum(),
            ValueKind::Number => view.raw().len(),
            ValueKind::String => literal_bytes(view),
        }
}

/// A size that a value of this text does not exceed, also as an item of its own: a value of few characters has the most memory for
/// each.
pub(crate) fn max_value_bytes(view: ValueRef<'_>) -> usize {
    let text = view.raw().len();
    ITEM_BYTES + text + text.saturating_mul(VALUE_BYTES)
}

/// The size of a part before it is built; its log probabilities remain text.
pub(crate) fn view_part_bytes(part: ValueRef<'_>) -> usize {
    let member = |(key, value): (ValueRef<'_>, ValueRef<'_>)| {
        let stays_text = key.is_str("logprobs") && value.kind() == ValueKind::Array;
        view_member_bytes(key, if stays_text { VALUE_BYTES } else { view_bytes(value) })
    };
    VALUE_BYTES + part.entries().map(member).sum::<usize>()
}

fn view_member_bytes(key: ValueRef<'_>, value: usize) -> usize {
    KEY_BYTES + literal_bytes(key) + value
}

fn literal_bytes(text: ValueRef<'_>) -> usize {
    text.literal().map_or(0, str::len)
}

/// Sets a member, and adds the growth of the object to `growth`.
pub(crate) fn insert_member(object: &mut Object, key: &str, value: impl Into<Value>, growth: &mut isize) {
    let value = value.into();
    match object.get_mut(key) {
        Some(place) => replace_value(place, value, growth),
        None => {
            *growth += member_bytes(key, &value) as isize;
            object.push_named(key, value);
        }
    }
}

/// Replaces a value, and adds the growth to `growth`.
pub(crate) fn replace_value(place: &mut Value, value: Value, growth: &mut isize) {
    *growth += value_bytes(&value) as isize - value_bytes(place) as isize;
    *place = value;
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::json::Tape;

    #[test]
    fn no_value_takes_more_memory_than_the_estimate_of_its_text() {
        let members = |count: usize| "\"\":0,".repeat(count);
        for count in [0, 1, 2, 100] {
            for text in [
                format!("[{}0]", "0,".repeat(count)),
                format!("[{}[]]", "[],".repeat(count)),
                format!("{{{}\"\":0}}", members(count)),
                format!("{}0{}", "[".repeat(count), "]".repeat(count)),
                format!("{}0{}", "{\"\":".repeat(count), "}".repeat(count)),
                format!("{{\"id\":\"{}\"}}", "x".repeat(count)),
            ] {
                let mut tape = Tape::default();
                tape.parse(&text, 128).unwrap();
                let view = tape.root(&text);
                let id = view.get("id").map_or(0, literal_bytes);
                assert!(ITEM_BYTES + id + view_bytes(view) <= max_value_bytes(view), "{text}");
                assert!(view_part_bytes(view) <= max_value_bytes(view), "{text}");
            }
        }
    }
}
