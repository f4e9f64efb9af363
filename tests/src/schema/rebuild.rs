//! JSON Schemas from the facts.

use std::collections::BTreeMap;

use deltafold_contract::source::Source;
use serde_json::{json, Map, Value};

use super::{field, kind};

/// The meaning of a rebuilt union.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// As published: exactly one variant matches.
    Published,
    /// One variant or more matches.
    Any,
    /// One or more, but a variant that accepts every object is skipped if `type` names another one.
    Named,
}

/// Returns the JSON Schema of a name. `treat` selects the meaning of the union at a place, given as `Schema.field`.
pub fn rebuild(name: &str, source: Source<'_>, treat: &dyn Fn(&str) -> Treatment) -> Value {
    let mut rebuilder = Rebuilder { source, treat, done: BTreeMap::new(), place: String::new() };
    let full = rebuilder.schema(name);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": pointer(&full),
        "$defs": rebuilder.done.into_iter().collect::<Map<_, _>>(),
    })
}

struct Rebuilder<'a> {
    source: Source<'a>,
    treat: &'a dyn Fn(&str) -> Treatment,
    done: BTreeMap<String, Value>,
    place: String,
}

impl Rebuilder<'_> {
    fn schema(&mut self, name: &str) -> String {
        let (full, value) = self.source.find(name).expect("every reference has a target");
        if !self.done.contains_key(&full) {
            self.done.insert(full.clone(), Value::Null);
            let place = std::mem::replace(&mut self.place, full.clone());
            let schema = self.value(&value);
            self.place = place;
            self.done.insert(full.clone(), schema);
        }
        full
    }

    fn value(&mut self, value: &Value) -> Value {
        let mut schema = self.without_null(value);
        if value["nullable"] == true && kind(value) != "null" {
            schema = json!({ "anyOf": [schema, { "type": "null" }] });
        }
        schema
    }

    fn without_null(&mut self, value: &Value) -> Value {
        if let Some(name) = value["ref"].as_str() {
            return json!({ "$ref": pointer(&self.schema(name)) });
        }
        let mut schema = Map::new();
        for key in [
            "const",
            "enum",
            "minLength",
            "maxLength",
            "minimum",
            "maximum",
            "pattern",
            "minItems",
            "maxItems",
            "maxProperties",
            "format",
        ] {
            if let Some(fact) = value.get(key) {
                schema.insert(key.into(), fact.clone());
            }
        }
        match kind(value) {
            "any" => {}
            name @ ("string" | "integer" | "number" | "boolean" | "null") => {
                schema.insert("type".into(), name.into());
            }
            "enum" => {
                schema.insert("type".into(), "string".into());
            }
            "array" => {
                schema.insert("type".into(), "array".into());
                schema.insert("items".into(), self.value(&value["items"]));
            }
            "map" => {
                schema.insert("type".into(), "object".into());
                schema.insert("additionalProperties".into(), self.value(&value["values"]));
            }
            "object" => self.object(value, &mut schema),
            "union" => return self.union(value),
            "intersection" => {
                let parts: Vec<Value> = value["parts"].as_array().unwrap().iter().map(|part| self.part(part)).collect();
                schema.insert("allOf".into(), parts.into());
            }
            other => panic!("unknown type {other}"),
        }
        Value::Object(schema)
    }

    /// An empty object inside an intersection is TypeScript's mark for "other strings too": it requires nothing.
    fn part(&mut self, part: &Value) -> Value {
        match part["fields"].as_object() {
            Some(fields) if fields.is_empty() && self.source.is_openai() => json!({}),
            _ => self.value(part),
        }
    }

    fn object(&mut self, value: &Value, schema: &mut Map<String, Value>) {
        schema.insert("type".into(), "object".into());
        if let Some(values) = value.get("open_values") {
            schema.insert("additionalProperties".into(), self.value(values));
        }
        let mut properties = Map::new();
        let mut required = Vec::new();
        for (name, fact) in value["fields"].as_object().into_iter().flatten() {
            let length = self.place.len();
            self.place.push_str(&format!(".{name}"));
            let fact = field(name, fact, self.source);
            let rebuilt = if fact["forbidden"] == true { json!(false) } else { self.value(&fact) };
            self.place.truncate(length);
            properties.insert(name.clone(), rebuilt);
            if fact["required"] == true {
                required.push(name.clone());
            }
        }
        schema.insert("properties".into(), properties.into());
        schema.insert("required".into(), required.into());
    }

    fn union(&mut self, value: &Value) -> Value {
        let variants = value["variants"].as_array().unwrap();
        let rebuilt: Vec<Value> = variants.iter().map(|variant| self.value(variant)).collect();
        // A union of TypeScript accepts any value that matches one of its types.
        let mode = value["mode"].as_str().unwrap_or("anyOf");
        match (self.treat)(&self.place) {
            Treatment::Published => json!({ mode: rebuilt }),
            Treatment::Any => json!({ "anyOf": rebuilt }),
            Treatment::Named => {
                let described = variants.iter().map(|variant| self.described(variant)).collect::<Vec<_>>();
                let names: Vec<&Value> = described.iter().filter_map(|v| v["fields"]["type"].get("const")).collect();
                let named = json!({ "properties": { "type": { "enum": names } }, "required": ["type"] });
                let step_back = |(described, rebuilt): (&Value, &Value)| match described["fields"]["type"].get("const")
                {
                    Some(_) => rebuilt.clone(),
                    None => json!({ "allOf": [rebuilt, { "not": named }] }),
                };
                json!({ "anyOf": described.iter().zip(&rebuilt).map(step_back).collect::<Vec<_>>() })
            }
        }
    }

    fn described(&self, variant: &Value) -> Value {
        match variant["ref"].as_str() {
            Some(name) => self.source.find(name).expect("every reference has a target").1,
            None => variant.clone(),
        }
    }
}

fn pointer(name: &str) -> String {
    format!("#/$defs/{name}")
}
