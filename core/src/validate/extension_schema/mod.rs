//! Extension schemas: JSON Schemas that the caller registers for its own event and item types.
//!
//! - *Takes*: a JSON Schema for an event or item type.
//! - *Gives*: a table of nodes that the schema walk checks values against.
//! - *Promises*: an unsupported keyword is an error at registration; valid values have no finding.
//! - *Costs*: linear in the value, times the binary search for a declared member and the comparison with every value of an `enum`.
//!
//! The contract defines only sequence number, id and status of a type named `slug:name`. The sender can describe the rest in JSON
//! Schema; [`ExtensionSchemas`] holds one schema per event or item type, compiled to a table of nodes. The schema walk checks
//! values against these nodes as it checks them against the contract, and reports `SCHEMA-01` to `SCHEMA-04`.
//!
//! Only the listed keywords are supported. Registering a schema with any other keyword fails, because ignoring a keyword would
//! accept invalid values.

mod compile;
mod walk;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub(crate) use compile::{CompiledSchema, Types};
pub(crate) use walk::ExtensionPosition;

use crate::contract::is_valid_extension_type;
use crate::error::{Code, Error};
use crate::json::Value;
use crate::options::{parse, OptionReader};

/// JSON Schemas for events and items of types named `slug:name`.
///
/// | keyword | |
/// | --- | --- |
/// | `type` | one type or a list of types |
/// | `enum`, `const` | any JSON values; numbers are compared by value |
/// | `properties`, `required`, `additionalProperties` | objects; a schema, `true` or `false` |
/// | `items`, `minItems`, `maxItems` | arrays; one schema for all elements |
/// | `minimum`, `maximum` | numbers, bounds included |
/// | `minLength`, `maxLength` | strings, in characters |
/// | `$schema`, `$id`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly` | ignored |
///
/// Every other keyword is an error, for example `pattern` and `$ref`. A schema without a keyword allows every value.
///
/// ```
/// use deltafold::validate::{ExtensionSchemas, Layers};
/// use deltafold::Reader;
///
/// let mut schemas = ExtensionSchemas::new();
/// schemas.event("acme:progress", r#"{"required":["percent"],
///     "properties":{"percent":{"type":"number","minimum":0,"maximum":100}}}"#)?;
/// let mut reader = Reader::builder().validate(Layers::SCHEMA).schemas(schemas).build();
/// reader.feed(b"data: {\"type\":\"acme:progress\",\"sequence_number\":0,\"percent\":101}\n\n")?;
/// while reader.poll_event()?.is_some() {}
/// let finding = &reader.findings()[0];
/// assert_eq!((finding.rule.id(), finding.path.as_str()), ("SCHEMA-04", "/percent"));
/// assert_eq!(finding.message, "expected at most 100 for `percent`, found a larger number");
/// # Ok::<(), deltafold::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtensionSchemas {
    /// Sorted by name.
    events: Vec<(String, CompiledSchema)>,
    items: Vec<(String, CompiledSchema)>,
}

impl ExtensionSchemas {
    /// Creates an empty set: only the contract is checked.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a set from JSON text: `{"events": {"slug:name": schema, …}, "items": {"slug:name": schema, …}}`.
    ///
    /// # Errors
    ///
    /// Those of [`event`](Self::event), and [`Code::UnknownName`] for another key.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        Self::from_value(&parse(json)?)
    }

    /// Reads a set from a value; see [`from_json`](Self::from_json).
    ///
    /// # Errors
    ///
    /// Those of [`from_json`](Self::from_json).
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let reader = OptionReader::new(value)?;
        reader.check_names(&["events", "items"])?;
        let mut set = Self::default();
        for (key, list) in [("events", &mut set.events), ("items", &mut set.items)] {
            for (name, schema) in reader.object(key)?.into_iter().flat_map(|object| object.iter()) {
                add(list, name, schema)?;
            }
        }
        Ok(set)
    }

    /// Registers the schema of an event type, as JSON text; it replaces an earlier schema of the same type.
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`] for text that is not JSON; [`Code::BadArgument`] for a type that is not named `slug:name`, for an
    /// unsupported keyword, and for a keyword with an invalid value. The message has the JSON pointer.
    pub fn event(&mut self, event_type: &str, schema: &str) -> Result<(), Error> {
        add(&mut self.events, event_type, &parse(schema)?)
    }

    /// Registers the schema of an output item type, as JSON text.
    ///
    /// Every item of the type is checked: in its added and done events and in the output of a response. The schema must
    /// therefore allow the incomplete item of the added event.
    ///
    /// # Errors
    ///
    /// Those of [`event`](Self::event).
    pub fn item(&mut self, item_type: &str, schema: &str) -> Result<(), Error> {
        add(&mut self.items, item_type, &parse(schema)?)
    }

    /// Returns `true` if no schema is registered.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.items.is_empty()
    }

    pub(crate) fn of_event(&self, event_type: &str) -> Option<&CompiledSchema> {
        find(&self.events, event_type)
    }

    pub(crate) fn of_item(&self, item_type: &str) -> Option<&CompiledSchema> {
        find(&self.items, item_type)
    }
}

/// The empty set.
pub(crate) const NONE: &ExtensionSchemas = &ExtensionSchemas { events: Vec::new(), items: Vec::new() };

fn find<'a>(list: &'a [(String, CompiledSchema)], name: &str) -> Option<&'a CompiledSchema> {
    let at = list.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
    list.get(at).map(|(_, schema)| schema)
}

fn add(list: &mut Vec<(String, CompiledSchema)>, name: &str, schema: &Value) -> Result<(), Error> {
    if !is_valid_extension_type(name) {
        let detail = format!("expected a type of the form `slug:name`, found `{name}`");
        return Err(Error::new(Code::BadArgument, 0, detail));
    }
    let schema = CompiledSchema::new(schema)
        .map_err(|problem| Error::new(Code::BadArgument, 0, format!("the schema of {name} {problem}")))?;
    match list.binary_search_by(|(known, _)| known.as_str().cmp(name)) {
        Ok(at) => list[at].1 = schema,
        Err(at) => list.insert(at, (name.to_string(), schema)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_schema_is_an_error_with_its_position() {
        let mut set = ExtensionSchemas::new();
        for (schema, place) in [
            (r#"{"pattern":"^a"}"#, "keyword `pattern` at the top level"),
            (r#"{"properties":{"a":{"oneOf":[]}}}"#, "unsupported keyword `oneOf` at /properties/a"),
            (r##"{"items":{"$ref":"#"}}"##, "keyword `$ref` at /items"),
            (r#"{"type":"text"}"#, "/type"),
            (r#"{"type":[]}"#, "/type"),
            (r#"{"required":"a"}"#, "/required"),
            (r#"{"minLength":-1}"#, "/minLength"),
            (r#"{"minimum":"1"}"#, "/minimum"),
            (r#"{"enum":[]}"#, "/enum"),
            (r#"{"items":[{}]}"#, "/items: expected one schema for all elements"),
            (r#"{"properties":[]}"#, "/properties"),
            ("7", "the top"),
        ] {
            let error = set.event("acme:x", schema).unwrap_err();
            assert_eq!(error.code(), Code::BadArgument, "{schema}");
            assert!(error.detail().contains(place), "{schema}: {}", error.detail());
        }
        assert_eq!(set.event("acme:x", "{").unwrap_err().code(), Code::NotJson);
        for name in ["message", "acme:", ":x", ""] {
            assert_eq!(set.item(name, "{}").unwrap_err().code(), Code::BadArgument, "{name}");
        }
        assert!(set.is_empty());
    }

    #[test]
    fn a_count_may_be_any_whole_number_in_any_notation() {
        let mut set = ExtensionSchemas::new();
        for count in ["0", "2.0", "1e3", "1e30"] {
            assert!(set.event("acme:x", &format!(r#"{{"maxLength":{count}}}"#)).is_ok(), "{count}");
        }
        for count in ["0.5", "-1", "25e-1", "-1e30"] {
            assert!(set.event("acme:x", &format!(r#"{{"maxLength":{count}}}"#)).is_err(), "{count}");
        }
    }

    #[test]
    fn a_set_is_read_from_one_text_and_the_last_schema_of_a_type_counts() {
        let mut set = ExtensionSchemas::from_json(
            r#"{"events":{"b:x":true,"a:x":{}},"items":{"a:x":{"title":"an item","type":["object"]}}}"#,
        )
        .unwrap();
        set.event("a:x", "false").unwrap();
        assert!(set.of_event("a:x").is_some() && set.of_event("b:x").is_some() && set.of_event("c:x").is_none());
        assert!(set.of_item("a:x").is_some() && set.of_item("b:x").is_none());
        assert_eq!(set.events.len(), 2);
        assert_eq!(ExtensionSchemas::from_json(r#"{"tools":{}}"#).unwrap_err().code(), Code::UnknownName);
        assert!(ExtensionSchemas::from_json("").unwrap().is_empty());
    }
}
