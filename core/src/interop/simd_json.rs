//! Conversion to and from the owned values of `simd-json`, whose numbers are 64-bit.

use alloc::boxed::Box;
use alloc::string::ToString;

use ::simd_json::{OwnedValue, StaticNode};

use super::number::ExactNumber;
use crate::error::{Code, Error};
use crate::json::{Object, Value};

impl TryFrom<&Value> for OwnedValue {
    type Error = Error;

    /// Keys lose their order; of a repeated key the last value is kept.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`] for a number that would lose digits (`0.10`, an integer beyond 64 bits).
    fn try_from(value: &Value) -> Result<Self, Error> {
        Ok(match value {
            Value::Null => Self::Static(StaticNode::Null),
            Value::Bool(value) => Self::Static(StaticNode::Bool(*value)),
            Value::Number(number) => Self::Static(match ExactNumber::of(number.as_str()) {
                ExactNumber::Unsigned(number) => StaticNode::U64(number),
                ExactNumber::Signed(number) => StaticNode::I64(number),
                ExactNumber::Float(number) => StaticNode::from(number),
                ExactNumber::Inexact => {
                    return Err(Error::new(
                        Code::BadArgument,
                        0,
                        alloc::format!(
                            "expected numbers that fit 64 bits without a change of digits, found {}",
                            number.as_str()
                        ),
                    ))
                }
            }),
            Value::String(text) => Self::String(text.clone()),
            Value::Array(items) => {
                let items: Result<_, Error> = items.iter().map(Self::try_from).collect();
                Self::Array(Box::new(items?))
            }
            Value::Object(object) => {
                let members: Result<_, Error> =
                    object.iter().map(|(key, value)| Ok((key.to_string(), Self::try_from(value)?))).collect();
                Self::Object(Box::new(members?))
            }
        })
    }
}

impl TryFrom<Value> for OwnedValue {
    type Error = Error;

    fn try_from(value: Value) -> Result<Self, Error> {
        Self::try_from(&value)
    }
}

impl TryFrom<&OwnedValue> for Value {
    type Error = Error;

    /// # Errors
    ///
    /// [`Code::BadArgument`] for a number that JSON does not have (an infinity or not a number).
    fn try_from(value: &OwnedValue) -> Result<Self, Error> {
        Ok(match value {
            OwnedValue::Static(StaticNode::Null) => Self::Null,
            OwnedValue::Static(StaticNode::Bool(value)) => Self::Bool(*value),
            OwnedValue::Static(StaticNode::I64(number)) => Self::from(*number),
            OwnedValue::Static(StaticNode::U64(number)) => Self::from(*number),
            OwnedValue::Static(StaticNode::F64(number)) => {
                if !number.is_finite() {
                    return Err(Error::new(Code::BadArgument, 0, "expected a finite number"));
                }
                Self::from(*number)
            }
            OwnedValue::String(text) => Self::String(text.clone()),
            OwnedValue::Array(items) => {
                let items: Result<_, Error> = items.iter().map(Self::try_from).collect();
                Self::Array(items?)
            }
            OwnedValue::Object(members) => {
                let mut object = Object::with_capacity(members.len());
                for (key, value) in members.iter() {
                    object.push(key.as_str(), Self::try_from(value)?);
                }
                Self::Object(object)
            }
        })
    }
}

impl TryFrom<OwnedValue> for Value {
    type Error = Error;

    fn try_from(value: OwnedValue) -> Result<Self, Error> {
        Self::try_from(&value)
    }
}
