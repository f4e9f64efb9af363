//! Schemas of a caller's own extension types, checked beside the contract's.
//!
//! The contract says of a type named `slug:name` only that it has a number, or an id and a status. Its sender knows more, and
//! can say so in JSON Schema: [`ExtensionSchemas`] keeps one schema for each event or item type. They are compiled once
//! into a table of nodes; checking walks value and table side by side, as for the contract, and reports the same rules
//! (`SCHEMA-01` to `-04`) with a pointer to each problem. Time is linear in the value for a given schema, except that a
//! member is looked up among the declared ones by halving, and a value in an `enum` by comparing each.
//!
//! Only a part of JSON Schema is understood. A keyword beyond it is refused when the schema is registered: a check that
//! passes over what it does not know would call a wrong value right.

mod compile;
mod walk;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub(crate) use compile::Compiled;
pub(crate) use walk::walk;

use crate::error::{Code, Error};
use crate::json::Value;
use crate::options::{parse, OptionReader};

/// JSON Schemas for events and items of types named `slug:name`.
///
/// | keyword | |
/// | --- | --- |
/// | `type` | one name or a list of them |
/// | `enum`, `const` | any JSON values; numbers are equal if they are the same number |
/// | `properties`, `required`, `additionalProperties` | objects; a schema, `true` or `false` |
/// | `items`, `minItems`, `maxItems` | arrays; one schema for all elements |
/// | `minimum`, `maximum` | numbers, bounds included |
/// | `minLength`, `maxLength` | strings, in characters |
/// | `$schema`, `$id`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly` | said, not checked |
///
/// Every other keyword is refused, `pattern` and `$ref` among them. Where a schema says nothing, anything is right.
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
/// assert_eq!(finding.message, "`percent` is out of bounds, expected at most 100");
/// # Ok::<(), deltafold::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ExtensionSchemas {
    /// Sorted by name.
    events: Vec<(String, Compiled)>,
    items: Vec<(String, Compiled)>,
}

impl ExtensionSchemas {
    /// Makes an empty set: nothing is checked beyond the contract.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a set from JSON text: `{"events": {"slug:name": schema, …}, "items": {"slug:name": schema, …}}`.
    ///
    /// # Errors
    ///
    /// As for [`event`](Self::event), and [`Code::UnknownName`] for another key.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        Self::from_value(&parse(json)?)
    }

    /// Reads a set from a value; see [`from_json`](Self::from_json).
    ///
    /// # Errors
    ///
    /// As for [`from_json`](Self::from_json).
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

    /// Registers the schema of an event type, as JSON text; a second one of the same name takes the place of the first.
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`] for text that is not JSON, [`Code::BadArgument`] for a type that is not named `slug:name` and for
    /// a schema that uses a keyword beyond those listed, or one of them in the wrong way; the message has the pointer.
    pub fn event(&mut self, event_type: &str, schema: &str) -> Result<(), Error> {
        add(&mut self.events, event_type, &parse(schema)?)
    }

    /// Registers the schema of an output item type, as JSON text.
    ///
    /// It is asked wherever such an item stands: in the events that add and finish it, and in the output of a response. So
    /// it also judges the item at its beginning, when not all is known of it.
    ///
    /// # Errors
    ///
    /// As for [`event`](Self::event).
    pub fn item(&mut self, item_type: &str, schema: &str) -> Result<(), Error> {
        add(&mut self.items, item_type, &parse(schema)?)
    }

    /// Says whether there are none.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.items.is_empty()
    }

    pub(crate) fn of_event(&self, event_type: &str) -> Option<&Compiled> {
        find(&self.events, event_type)
    }

    pub(crate) fn of_item(&self, item_type: &str) -> Option<&Compiled> {
        find(&self.items, item_type)
    }
}

/// No schemas, for checks that are given none.
pub(crate) const NONE: &ExtensionSchemas = &ExtensionSchemas { events: Vec::new(), items: Vec::new() };

fn find<'a>(list: &'a [(String, Compiled)], name: &str) -> Option<&'a Compiled> {
    let at = list.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
    list.get(at).map(|(_, schema)| schema)
}

fn add(list: &mut Vec<(String, Compiled)>, name: &str, schema: &Value) -> Result<(), Error> {
    if !name.split_once(':').is_some_and(|(slug, rest)| !slug.is_empty() && !rest.is_empty()) {
        let detail = format!("expected a type of the form slug:name, found {name}");
        return Err(Error::new(Code::BadArgument, 0, detail));
    }
    let schema = Compiled::new(schema)
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
    fn a_schema_that_cannot_be_kept_is_refused_with_its_place() {
        let mut set = ExtensionSchemas::new();
        for (schema, place) in [
            (r#"{"pattern":"^a"}"#, "keyword `pattern` at the top"),
            (r#"{"properties":{"a":{"oneOf":[]}}}"#, "keyword `oneOf` at /properties/a"),
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
    fn a_count_may_be_any_whole_number_however_it_is_written() {
        let mut set = ExtensionSchemas::new();
        for count in ["0", "2.0", "1e3", "1e30"] {
            assert!(set.event("acme:x", &format!(r#"{{"maxLength":{count}}}"#)).is_ok(), "{count}");
        }
        for count in ["0.5", "-1", "25e-1", "-1e30"] {
            assert!(set.event("acme:x", &format!(r#"{{"maxLength":{count}}}"#)).is_err(), "{count}");
        }
    }

    #[test]
    fn a_set_is_read_from_one_text_and_the_last_schema_of_a_name_counts() {
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
