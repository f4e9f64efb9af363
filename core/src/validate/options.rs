//! [`ValidateOptions`] and [`Layers`]: the layers that check, and the edition they check against.

use core::ops::{BitOr, Sub};

use super::extension_schema::ExtensionSchemas;
use crate::contract::Edition;
use crate::error::Error;
use crate::json::Value;
use crate::options::{invalid_option, setters};
use crate::Limits;

/// Options of a validator. The severity of a finding is not decided here but by the [`Profile`](crate::Profile) of the
/// [`Findings`](crate::Findings).
///
/// ```
/// use deltafold::validate::{Layers, ValidateOptions};
/// let options = ValidateOptions::default().layers(Layers::STREAM);
/// assert!(!options.layers.contains(Layers::SCHEMA));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ValidateOptions {
    /// The edition of the contract to check against.
    pub edition: Edition,
    /// The layers that check.
    pub layers: Layers,
    /// Limits for the stored records: `items` and `parts`.
    pub limits: Limits,
    /// Set for a stream that continues after this sequence number: it need not begin with `response.created`.
    pub starting_after: Option<u64>,
    /// Allows messages to quote short pieces of the payload. Payloads can contain secrets, so the default is `false`.
    pub quote: bool,
    /// Schemas of extension types, checked by the schema layer.
    pub schemas: ExtensionSchemas,
}

setters!(ValidateOptions {
    edition: Edition,
    layers: Layers,
    limits: Limits,
    starting_after: into Option<u64>,
    quote: bool,
    schemas: ExtensionSchemas,
});

/// A set of validation layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layers(u8);

impl Layers {
    /// No layer.
    pub const NONE: Self = Self(0);
    /// Lines and frames.
    pub const FRAMING: Self = Self(1);
    /// Each object by itself: the contract, extension schemas and the rules about one object.
    pub const SCHEMA: Self = Self(2);
    /// Order, numbering, life cycle, agreement of deltas and done events.
    pub const STREAM: Self = Self(4);
    /// All layers.
    pub const ALL: Self = Self(7);

    /// Reads a set from a value: `"all"`, `"none"`, or a list of `"framing"`, `"schema"` and `"stream"`.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`](crate::Code::BadArgument) for anything else.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let expected = || invalid_option("layers", "all, none, or a list of framing, schema and stream");
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

    /// Returns `true` if the set contains all layers of `other`.
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
