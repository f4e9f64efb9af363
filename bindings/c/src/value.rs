//! [`dfold_value`]: one JSON value, as every getter that takes a JSON pointer gives it.

use deltafold::json::{Tag, Value, View};

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
    /// Whether it is `true`.
    pub is_true: bool,
    /// Whether it is a whole number that fits `integer`.
    pub has_integer: bool,
    /// The number, where it is whole and fits; else 0.
    pub integer: i64,
    /// The nearest double of a number; else 0.
    pub number: f64,
    /// How many elements or members it has; else 0.
    pub count: usize,
    /// The text of a string, decoded, UTF-8; of every other value its JSON text.
    pub text: dfold_bytes,
}

impl dfold_value {
    fn new(r#type: dfold_type) -> Self {
        let text = dfold_bytes::EMPTY;
        Self { r#type, is_true: false, has_integer: false, integer: 0, number: 0.0, count: 0, text }
    }

    /// A value of a payload; `scratch` holds a string whose escapes had to be decoded.
    pub(crate) fn of_view(view: View<'_>, scratch: &mut String) -> Self {
        let mut value = match view.tag() {
            Tag::Null => Self::new(dfold_type::DFOLD_TYPE_NULL),
            Tag::True | Tag::False => {
                Self { is_true: view.tag() == Tag::True, ..Self::new(dfold_type::DFOLD_TYPE_BOOLEAN) }
            }
            Tag::Number => number(view.as_i64(), view.as_number().and_then(|number| number.as_f64())),
            Tag::String => Self::new(dfold_type::DFOLD_TYPE_STRING),
            Tag::Array => Self { count: view.elements().count(), ..Self::new(dfold_type::DFOLD_TYPE_ARRAY) },
            Tag::Object => Self { count: view.entries().count(), ..Self::new(dfold_type::DFOLD_TYPE_OBJECT) },
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

    /// A value that the response holds; `scratch` holds its JSON text where it is no string.
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
