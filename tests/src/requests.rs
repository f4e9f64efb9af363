//! The cases of `tests/vectors/request`: one valid value each, and changes that make it invalid.

use serde_json::{json, Value};

use crate::Vector;

/// The request that contains a value of the case, and the pointer to the value.
pub fn around(vector: &Vector, value: &Value) -> (Value, String) {
    let named = |key: &str| !vector.get(key).is_null();
    if named("item") {
        // The call of an output is in the chain.
        return (json!({"previous_response_id": "resp_1", "input": [value]}), "/input/0".into());
    }
    if named("tool") {
        return (json!({"tools": [{"type": "shell"}, value]}), "/tools/1".into());
    }
    if named("choice") {
        return (json!({ "tool_choice": value }), "/tool_choice".into());
    }
    let field = vector.get("field").as_str().unwrap_or_else(|| panic!("{vector} has no field"));
    (json!({ field: value }), format!("/{field}"))
}

/// Returns the valid value.
pub fn right(vector: &Vector) -> &Value {
    let keys = ["item", "tool", "choice", "value"];
    let found = keys.into_iter().map(|key| vector.get(key)).find(|value| !value.is_null());
    found.unwrap_or_else(|| panic!("{vector} has no value"))
}

/// Returns the invalid values of a case, each with the pointer to its fault.
pub fn wrong(vector: &Vector) -> Vec<(Value, String)> {
    let change = |change: &Value| {
        let mut value = right(vector).clone();
        for (pointer, new) in change["set"].as_object().into_iter().flatten() {
            set(&mut value, pointer, Some(new.clone()));
        }
        if let Some(pointer) = change["unset"].as_str() {
            set(&mut value, pointer, None);
        }
        let path = change["path"].as_str().unwrap_or_else(|| panic!("{vector} has a change without a path"));
        (value, path.to_owned())
    };
    vector.get("wrong").as_array().into_iter().flatten().map(change).collect()
}

fn set(value: &mut Value, pointer: &str, new: Option<Value>) {
    let Some((around, key)) = pointer.rsplit_once('/') else {
        *value = new.unwrap_or_default();
        return;
    };
    let place = value.pointer_mut(around).unwrap_or_else(|| panic!("nothing at {pointer}"));
    match (place, key.parse::<usize>(), new) {
        (Value::Array(list), Ok(at), Some(new)) => list[at] = new,
        (Value::Object(object), _, Some(new)) => drop(object.insert(key.into(), new)),
        (Value::Object(object), _, None) => assert!(object.shift_remove(key).is_some(), "{pointer}"),
        (other, ..) => panic!("{pointer} in {other}"),
    }
}
