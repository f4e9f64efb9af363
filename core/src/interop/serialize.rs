//! `Serialize` for the values that a program passes on.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::number::{nearest_double, ExactNumber};
use crate::accumulate::{Item, Part, RateLimits, Response};
use crate::contract::{Edition, ItemKind, Kind};
use crate::event::{Event, OwnedEvent};
use crate::finding::{Finding, Severity};
use crate::json::{Number, Object, Value, ValueKind, ValueRef};
use crate::outcome::{Failure, Outcome};
use crate::status::{ItemStatus, ResponseStatus};
use crate::validate::Rule;
use crate::write::Usage;

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(object) => object.serialize(serializer),
        }
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_number(self.as_str(), serializer)
    }
}

impl Serialize for ValueRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.kind() {
            ValueKind::Null => serializer.serialize_unit(),
            ValueKind::True => serializer.serialize_bool(true),
            ValueKind::False => serializer.serialize_bool(false),
            ValueKind::Number => serialize_number(self.raw(), serializer),
            ValueKind::String => serializer.serialize_str(&self.as_str().unwrap_or_default()),
            ValueKind::Array => serializer.collect_seq(self.elements()),
            ValueKind::Object => {
                let mut map = serializer.serialize_map(Some(self.entries().count()))?;
                for (key, value) in self.entries() {
                    map.serialize_entry(&key.as_str().unwrap_or_default(), &value)?;
                }
                map.end()
            }
        }
    }
}

fn serialize_number<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match ExactNumber::of(text) {
        ExactNumber::Unsigned(number) => serializer.serialize_u64(number),
        ExactNumber::Signed(number) => serializer.serialize_i64(number),
        ExactNumber::Float(number) => serializer.serialize_f64(number),
        // Text formats are nearly always serde_json, which writes the digits; binary formats have no such number.
        #[cfg(feature = "serde_json")]
        ExactNumber::Inexact if serializer.is_human_readable() => super::serde_json::number(text).serialize(serializer),
        ExactNumber::Inexact => serializer.serialize_f64(nearest_double(text)),
    }
}

/// The payload. A payload that is not JSON is a string with its exact text.
impl Serialize for Event<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.root() {
            Some(root) => root.serialize(serializer),
            None => serializer.serialize_str(self.raw()),
        }
    }
}

/// The payload. A payload that is not JSON is a string with its exact text.
impl Serialize for OwnedEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_event().serialize(serializer)
    }
}

/// The response object as on the wire, without copying its items.
impl Serialize for Response<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Output<'a>(Response<'a>);
        impl Serialize for Output<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self.0.items())
            }
        }
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in self.wire_fields() {
            match value {
                Some(value) => map.serialize_entry(key, value)?,
                None => map.serialize_entry(key, &Output(*self))?,
            }
        }
        map.end()
    }
}

/// The item as on the wire.
impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_stored() {
            Some(object) => object.serialize(serializer),
            None => self.to_value().serialize(serializer),
        }
    }
}

/// The part as on the wire.
impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl Serialize for RateLimits {
    /// `{"headers", "event"}`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("headers", &self.headers)?;
        map.serialize_entry("event", &self.event)?;
        map.end()
    }
}

/// Implements `Serialize` for types that have one JSON form in every binding.
macro_rules! by_value {
    ($($name:ty),*) => { $(
        /// As `to_value`.
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.to_value().serialize(serializer)
            }
        }
    )* };
}

by_value!(Finding, Outcome, Failure, Usage);

/// Implements `Serialize` for types that are one word on the wire or in a report.
macro_rules! by_name {
    ($($name:ty => $method:ident),*) => { $(
        /// The word that `Display` writes.
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.$method())
            }
        }
    )* };
}

by_name!(
    Edition => name,
    ItemKind => name,
    ItemStatus => name,
    Kind => name,
    ResponseStatus => name,
    Rule => id,
    Severity => name
);
