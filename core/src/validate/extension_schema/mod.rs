//! Extension schemas: JSON Schemas that the caller registers for its own event and item types, and other additions to an edition.
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

use crate::contract::schema::SchemaId;
use crate::contract::{is_valid_extension_type, ItemKind, Kind};
use crate::error::{Code, Error};
use crate::json::Value;
use crate::options::{invalid_option, parse, OptionReader};

/// JSON Schemas for events and items of types named `slug:name`, and other additions to an edition: types without a slug that the contract
/// does not have, further words of its enums and further fields of its objects. An addition only allows more; the rest of the edition
/// stays as it is.
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
    /// Further fields, as `Schema.field`.
    fields: Vec<(String, CompiledSchema)>,
    /// Further words, as `Enum=word` or `Schema.field=word`.
    values: Vec<String>,
}

impl ExtensionSchemas {
    /// The empty set.
    pub(crate) const NONE: &'static Self =
        &Self { events: Vec::new(), items: Vec::new(), fields: Vec::new(), values: Vec::new() };

    /// Creates an empty set: only the contract is checked.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a set from JSON text:
    ///
    /// | member | value |
    /// | --- | --- |
    /// | `events`, `items` | an object with a schema for each type, see [`event`](Self::event) and [`item`](Self::item) |
    /// | `fields` | an object of objects: by the name of a schema of the contract, a schema for each further field, see [`field`](Self::field) |
    /// | `values` | an object of lists: by the name of an enum, or of a schema and its field, further words, see [`value`](Self::value) |
    ///
    /// ```
    /// use deltafold::validate::ExtensionSchemas;
    /// ExtensionSchemas::from_json(r#"{
    ///     "events": {"acme:progress": {"required": ["percent"]}, "response.browser.delta": {}},
    ///     "items": {"browser_call": {"properties": {"url": {"type": "string"}}}},
    ///     "fields": {"ResponseResource": {"cost": {"type": "number", "minimum": 0}}},
    ///     "values": {"ServiceTierEnum": ["turbo"], "FunctionCall.status": ["paused"]}
    /// }"#)?;
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the methods, and [`Code::UnknownName`] for another member.
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
        reader.check_names(&["events", "items", "fields", "values"])?;
        let mut set = Self::default();
        let members = |key| Ok::<_, Error>(reader.object(key)?.into_iter().flat_map(|object| object.iter()));
        for (name, schema) in members("events")? {
            set.add_event(name, schema)?;
        }
        for (name, schema) in members("items")? {
            set.add_item(name, schema)?;
        }
        for (schema, fields) in members("fields")? {
            let fields = fields.as_object().ok_or_else(|| invalid_option("fields", "objects of schemas by field"))?;
            for (field, rules) in fields.iter() {
                set.add_field(schema, field, rules)?;
            }
        }
        for (name, words) in members("values")? {
            for word in words.as_array().ok_or_else(|| invalid_option("values", "lists of strings"))? {
                set.value(name, word.as_str().ok_or_else(|| invalid_option("values", "lists of strings"))?)?;
            }
        }
        Ok(set)
    }

    /// Registers the schema of an event type, as JSON text; it replaces an earlier schema of the same type. The type is named `slug:name`, or
    /// is a name that the contract does not have: then such events are known, and do not break the rule about names.
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`] for text that is not JSON; [`Code::BadArgument`] for a type of the contract, for an unsupported keyword, and for a
    /// keyword with an invalid value. The message has the JSON pointer.
    pub fn event(&mut self, event_type: &str, schema: &str) -> Result<(), Error> {
        self.add_event(event_type, &parse(schema)?)
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
        self.add_item(item_type, &parse(schema)?)
    }

    /// Registers the schema of a further field of a schema of the contract, such as `ResponseResource`, as JSON text. It applies where the
    /// edition has no field of this name; the field stays optional.
    ///
    /// # Errors
    ///
    /// Those of [`event`](Self::event), and [`Code::UnknownName`] for a schema that does not exist.
    pub fn field(&mut self, schema: &str, field: &str, rules: &str) -> Result<(), Error> {
        self.add_field(schema, field, &parse(rules)?)
    }

    /// Allows a further word: of an enum of the contract, such as `ServiceTierEnum`, or of a field that lists its words itself, such as
    /// `FunctionCall.status`.
    ///
    /// # Errors
    ///
    /// [`Code::UnknownName`] for a schema that does not exist.
    pub fn value(&mut self, name: &str, word: &str) -> Result<(), Error> {
        check_schema(name.split_once('.').map_or(name, |(schema, _)| schema))?;
        let entry = format!("{name}={word}");
        if !self.values.contains(&entry) {
            self.values.push(entry);
        }
        Ok(())
    }

    /// Adds all of another set; where both have a schema, that of the other set counts.
    pub fn extend(&mut self, other: &Self) {
        let lists =
            [(&mut self.events, &other.events), (&mut self.items, &other.items), (&mut self.fields, &other.fields)];
        for (list, others) in lists {
            for (name, schema) in others {
                insert(list, name, schema.clone());
            }
        }
        for entry in other.values.iter() {
            if !self.values.contains(entry) {
                self.values.push(entry.clone());
            }
        }
    }

    /// Returns `true` if nothing is registered.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.items.is_empty() && self.fields.is_empty() && self.values.is_empty()
    }

    fn add_event(&mut self, name: &str, schema: &Value) -> Result<(), Error> {
        check_type(name, Kind::from_wire(name) == Kind::Unknown)?;
        insert(&mut self.events, name, compile(name, schema)?);
        Ok(())
    }

    fn add_item(&mut self, name: &str, schema: &Value) -> Result<(), Error> {
        check_type(name, ItemKind::from_wire(name) == ItemKind::Unknown)?;
        insert(&mut self.items, name, compile(name, schema)?);
        Ok(())
    }

    fn add_field(&mut self, schema: &str, field: &str, rules: &Value) -> Result<(), Error> {
        check_schema(schema)?;
        insert(&mut self.fields, &format!("{schema}.{field}"), compile(field, rules)?);
        Ok(())
    }

    /// The schema of a field that an object of the contract does not declare.
    pub(crate) fn of_field(&self, schema: SchemaId, field: &str) -> Option<&CompiledSchema> {
        let is_same =
            |known: &str| Some(field) == known.strip_prefix(schema.name()).and_then(|rest| rest.strip_prefix('.'));
        self.fields.iter().find(|(known, _)| is_same(known)).map(|(_, schema)| schema)
    }

    /// Returns `true` if fields are added.
    #[inline]
    pub(crate) fn has_fields(&self) -> bool {
        !self.fields.is_empty()
    }

    /// Returns `true` if a word is added to an enum (the field is then empty), or to the words of a field.
    pub(crate) fn has_value(&self, schema: SchemaId, field: &str, word: &str) -> bool {
        let of_schema = |entry: &'_ str| -> Option<bool> {
            let rest = entry.strip_prefix(schema.name())?;
            let rest = if field.is_empty() { rest } else { rest.strip_prefix('.')?.strip_prefix(field)? };
            Some(rest.strip_prefix('=')? == word)
        };
        self.values.iter().any(|entry| of_schema(entry) == Some(true))
    }

    pub(crate) fn of_event(&self, event_type: &str) -> Option<&CompiledSchema> {
        find(&self.events, event_type)
    }

    pub(crate) fn of_item(&self, item_type: &str) -> Option<&CompiledSchema> {
        find(&self.items, item_type)
    }
}

/// The empty set.
pub(crate) const NONE: &ExtensionSchemas = ExtensionSchemas::NONE;

fn find<'a>(list: &'a [(String, CompiledSchema)], name: &str) -> Option<&'a CompiledSchema> {
    let at = list.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
    list.get(at).map(|(_, schema)| schema)
}

/// Refuses a type that is neither named `slug:name` nor new.
fn check_type(name: &str, is_new: bool) -> Result<(), Error> {
    if is_valid_extension_type(name) || (is_new && !name.is_empty() && !name.contains(':')) {
        return Ok(());
    }
    let detail =
        format!("expected a type of the form `slug:name` or one that the contract does not have, found `{name}`");
    Err(Error::new(Code::BadArgument, 0, detail))
}

fn compile(name: &str, schema: &Value) -> Result<CompiledSchema, Error> {
    CompiledSchema::new(schema)
        .map_err(|problem| Error::new(Code::BadArgument, 0, format!("the schema of {name} {problem}")))
}

fn check_schema(name: &str) -> Result<(), Error> {
    let unknown = || Error::new(Code::UnknownName, 0, format!("expected a schema of the contract, found `{name}`"));
    SchemaId::from_name(name).map(drop).ok_or_else(unknown)
}

fn insert(list: &mut Vec<(String, CompiledSchema)>, name: &str, schema: CompiledSchema) {
    match list.binary_search_by(|(known, _)| known.as_str().cmp(name)) {
        Ok(at) => list[at].1 = schema,
        Err(at) => list.insert(at, (name.to_string(), schema)),
    }
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
        for (json, code) in [
            (r#"{"fields":{"Nothing":{"a":{}}}}"#, Code::UnknownName),
            (r#"{"fields":{"ResponseResource":7}}"#, Code::BadArgument),
            (r#"{"values":{"Nothing":["a"]}}"#, Code::UnknownName),
            (r#"{"values":{"ServiceTierEnum":"a"}}"#, Code::BadArgument),
            (r#"{"values":{"ServiceTierEnum":[1]}}"#, Code::BadArgument),
            (r#"{"events":{"response.created":{}}}"#, Code::BadArgument),
            (r#"{"items":{"message":{}}}"#, Code::BadArgument),
        ] {
            assert_eq!(ExtensionSchemas::from_json(json).unwrap_err().code(), code, "{json}");
        }
        assert!(ExtensionSchemas::from_json("").unwrap().is_empty());
    }
}
