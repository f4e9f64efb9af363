//! Conversion to and from `serde_json::Value`, with the digits of every number.

use alloc::string::ToString;

use ::serde_json::{Number, Value as JsonValue};

use crate::accumulate::Response;
use crate::json::{Object, Value, ValueKind, ValueRef};

/// Creates a `serde_json` number with these digits. The text is a JSON number.
pub(super) fn number(text: &str) -> Number {
    Number::from_string_unchecked(text.to_string())
}

impl From<&Value> for JsonValue {
    /// Keys keep their order (this crate enables `preserve_order`); of a repeated key the last value is kept.
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(text) => Self::Number(number(text.as_str())),
            Value::String(text) => Self::String(text.clone()),
            Value::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Value::Object(object) => {
                Self::Object(object.iter().map(|(key, value)| (key.to_string(), Self::from(value))).collect())
            }
        }
    }
}

impl From<Value> for JsonValue {
    /// Converts as from a reference, but moves strings.
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Self::String(text),
            Value::Array(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            other => Self::from(&other),
        }
    }
}

impl From<ValueRef<'_>> for JsonValue {
    /// Converts as from a [`Value`], without creating one.
    fn from(value: ValueRef<'_>) -> Self {
        match value.kind() {
            ValueKind::Null => Self::Null,
            ValueKind::True => Self::Bool(true),
            ValueKind::False => Self::Bool(false),
            ValueKind::Number => Self::Number(number(value.raw())),
            ValueKind::String => Self::String(value.as_str().unwrap_or_default().into_owned()),
            ValueKind::Array => Self::Array(value.elements().map(Self::from).collect()),
            ValueKind::Object => Self::Object(
                value
                    .entries()
                    .map(|(key, value)| (key.as_str().unwrap_or_default().into_owned(), Self::from(value)))
                    .collect(),
            ),
        }
    }
}

impl From<Response<'_>> for JsonValue {
    fn from(response: Response<'_>) -> Self {
        Self::from(response.to_value())
    }
}

impl From<&JsonValue> for Value {
    fn from(value: &JsonValue) -> Self {
        match value {
            JsonValue::Null => Self::Null,
            JsonValue::Bool(value) => Self::Bool(*value),
            // The feature `arbitrary_precision` keeps the digits, and its constructors check them.
            JsonValue::Number(number) => Self::Number(crate::json::Number::from_text(&number.to_string())),
            JsonValue::String(text) => Self::String(text.clone()),
            JsonValue::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            JsonValue::Object(members) => {
                let mut object = Object::with_capacity(members.len());
                members.iter().for_each(|(key, value)| object.push(key.as_str(), value));
                Self::Object(object)
            }
        }
    }
}

impl From<JsonValue> for Value {
    fn from(value: JsonValue) -> Self {
        Self::from(&value)
    }
}
