//! [`dfold_value`]: one JSON value, the output of every getter that takes a JSON pointer.

use deltafold::json::{Value, ValueKind, ValueRef};

use crate::bytes::dfold_bytes;

/// The type of a JSON value.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum dfold_type {
    /// `null`
    DFOLD_TYPE_NULL = 0,
    /// `true` or `false`
    DFOLD_TYPE_BOOLEAN = 1,
    /// A number.
    DFOLD_TYPE_NUMBER = 2,
    /// A string.
    DFOLD_TYPE_STRING = 3,
    /// `[…]`
    DFOLD_TYPE_ARRAY = 4,
    /// `{…}`
    DFOLD_TYPE_OBJECT = 5,
}

/// One JSON value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_value {
    /// Its type.
    pub r#type: dfold_type,
    /// True if the value is `true`.
    pub is_true: bool,
    /// True if the value is an integer that fits `integer`.
    pub has_integer: bool,
    /// The value of an integer that fits; otherwise 0.
    pub integer: i64,
    /// The nearest double of a number; otherwise 0.
    pub number: f64,
    /// Number of elements or members; otherwise 0.
    pub count: usize,
    /// The decoded text of a string in UTF-8; the JSON text of every other value.
    pub text: dfold_bytes,
}

impl dfold_value {
    fn new(r#type: dfold_type) -> Self {
        let text = dfold_bytes::EMPTY;
        Self { r#type, is_true: false, has_integer: false, integer: 0, number: 0.0, count: 0, text }
    }

    /// Converts a value of a payload; `scratch` receives a string with decoded escapes.
    pub(crate) fn of_view(view: ValueRef<'_>, scratch: &mut String) -> Self {
        let mut value = match view.kind() {
            ValueKind::Null => Self::new(dfold_type::DFOLD_TYPE_NULL),
            ValueKind::True | ValueKind::False => {
                Self { is_true: view.kind() == ValueKind::True, ..Self::new(dfold_type::DFOLD_TYPE_BOOLEAN) }
            }
            ValueKind::Number => number(view.as_i64(), view.as_number().and_then(|number| number.as_f64())),
            ValueKind::String => Self::new(dfold_type::DFOLD_TYPE_STRING),
            ValueKind::Array => Self { count: view.elements().count(), ..Self::new(dfold_type::DFOLD_TYPE_ARRAY) },
            ValueKind::Object => Self { count: view.entries().count(), ..Self::new(dfold_type::DFOLD_TYPE_OBJECT) },
        };
        value.text = match view.as_str() {
            Some(std::borrow::Cow::Borrowed(text)) => text.into(),
            Some(std::borrow::Cow::Owned(text)) => {
                *scratch = text;
                scratch.as_str().into()
            }
            None => view.raw().into(),
        };
        value
    }

    /// Converts a value of the response; `scratch` receives the JSON text of a value that is not a string.
    pub(crate) fn of(given: &Value, scratch: &mut String) -> Self {
        let mut value = match given {
            Value::Null => Self::new(dfold_type::DFOLD_TYPE_NULL),
            Value::Bool(is_true) => Self { is_true: *is_true, ..Self::new(dfold_type::DFOLD_TYPE_BOOLEAN) },
            Value::Number(digits) => number(digits.as_i64(), digits.as_f64()),
            Value::String(_) => Self::new(dfold_type::DFOLD_TYPE_STRING),
            Value::Array(items) => Self { count: items.len(), ..Self::new(dfold_type::DFOLD_TYPE_ARRAY) },
            Value::Object(members) => Self { count: members.len(), ..Self::new(dfold_type::DFOLD_TYPE_OBJECT) },
        };
        value.text = match given.as_str() {
            Some(text) => text.into(),
            None => {
                scratch.clear();
                given.write_into(scratch);
                scratch.as_str().into()
            }
        };
        value
    }
}

fn number(integer: Option<i64>, number: Option<f64>) -> dfold_value {
    dfold_value {
        has_integer: integer.is_some(),
        integer: integer.unwrap_or(0),
        number: number.unwrap_or(0.0),
        ..dfold_value::new(dfold_type::DFOLD_TYPE_NUMBER)
    }
}
