//! [`ValidateOptions`] and [`Layers`]: what a validator is to check, and against what.

use core::ops::{BitOr, Sub};

use super::own::ExtensionSchemas;
use crate::contract::Edition;
use crate::error::Error;
use crate::json::Value;
use crate::options::wrong;
use crate::Limits;

/// What to check, and against which edition. What a breach weighs is not said here but in
/// [`Findings`](crate::Findings), by a [`Profile`](crate::Profile).
///
/// ```
/// use deltafold::validate::{Layers, ValidateOptions};
/// let options = ValidateOptions { layers: Layers::STREAM, ..Default::default() };
/// assert!(!options.layers.contains(Layers::SCHEMA));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ValidateOptions {
    /// The form of the contract to check against.
    pub edition: Edition,
    /// Which layers look.
    pub layers: Layers,
    /// Bounds on what is remembered: `items` and `parts`.
    pub limits: Limits,
    /// The stream is a replay of what came after this number: it need not begin with `response.created`.
    pub starting_after: Option<u64>,
    /// Whether messages may quote short pieces of the payload. Payloads can hold secrets.
    pub quote: bool,
    /// What the schema layer knows of extension types beyond the contract.
    pub schemas: ExtensionSchemas,
}

/// A set of layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layers(u8);

impl Layers {
    /// Nothing is checked.
    pub const NONE: Self = Self(0);
    /// Lines and frames.
    pub const FRAMING: Self = Self(1);
    /// Each object by itself, against the contract and the rules about one object.
    pub const SCHEMA: Self = Self(2);
    /// Order, numbering, life cycle, agreement.
    pub const STREAM: Self = Self(4);
    /// All three.
    pub const ALL: Self = Self(7);

    /// Reads a set from a value: `"all"`, `"none"`, or a list of `"framing"`, `"schema"` and `"stream"`.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`](crate::Code::BadArgument) for anything else.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let expected = || wrong("layers", "all, none, or a list of framing, schema and stream");
        match value {
            Value::String(word) if word == "all" => Ok(Self::ALL),
            Value::String(word) if word == "none" => Ok(Self::NONE),
            Value::Array(list) => list.iter().try_fold(Self::NONE, |set, name| match name.as_str() {
                Some("framing") => Ok(set | Self::FRAMING),
                Some("schema") => Ok(set | Self::SCHEMA),
                Some("stream") => Ok(set | Self::STREAM),
                _ => Err(expected()),
            }),
            _ => Err(expected()),
        }
    }

    /// Says whether all of `other` is in the set.
    #[inline]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl Default for Layers {
    fn default() -> Self {
        Self::ALL
    }
}

impl BitOr for Layers {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Sub for Layers {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}
