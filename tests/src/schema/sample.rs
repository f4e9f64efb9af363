//! Valid values for any schema, always the same ones.

use deltafold_contract::source::Source;
use serde_json::{json, Map, Value};

use super::{field, kind};

/// Returns a value with only the required members.
pub fn minimal(name: &str, source: Source<'_>) -> Value {
    Sampler { source, full: false, pick: 0 }.named(name, 0)
}

/// Returns a value with every field of the schema. If a value has several forms, `pick` chooses; an array whose forms have no
/// common name has an element of each.
pub fn full(name: &str, source: Source<'_>, pick: usize) -> Value {
    Sampler { source, full: true, pick }.named(name, 0)
}

struct Sampler<'a> {
    source: Source<'a>,
    full: bool,
    pick: usize,
}

/// At this depth of references, a sample has only required members: referenced schemas have samples of their own, and
/// recursive schemas must end.
const DEEP: usize = 1;

impl Sampler<'_> {
    fn named(&self, name: &str, depth: usize) -> Value {
        let (_, value) = self.source.find(name).expect("every reference has a target");
        self.value(&value, depth + 1)
    }

    fn value(&self, value: &Value, depth: usize) -> Value {
        if let Some(name) = value["ref"].as_str() {
            return self.named(name, depth);
        }
        if let Some(fixed) = value.get("const") {
            return fixed.clone();
        }
        if let Some(values) = value["enum"].as_array() {
            return values[0].clone();
        }
        match kind(value) {
            "any" => json!({ "anything": [1, "two", null] }),
            "null" => Value::Null,
            "boolean" => json!(true),
            "integer" => value.get("minimum").cloned().unwrap_or(json!(1)),
            "number" => json!(0.5),
            // Matches both patterns of the contract, and every bound.
            "string" => json!("vs_1"),
            "array" => self.array(value, depth),
            "map" => json!({ "key": self.value(&value["values"], depth) }),
            "object" if value.get("open_values").is_some() => {
                json!({ "key": self.value(&value["open_values"], depth) })
            }
            "object" => self.object(value, depth),
            "union" => self.union(value, self.pick, depth),
            "intersection" => {
                let mut whole = Map::new();
                for part in value["parts"].as_array().unwrap() {
                    match self.value(part, depth) {
                        Value::Object(members) => whole.extend(members),
                        other => return other,
                    }
                }
                // A field that one part forbids may be known to the other.
                let parts = value["parts"].as_array().unwrap();
                for (name, fact) in parts.iter().flat_map(|part| part["fields"].as_object().into_iter().flatten()) {
                    if fact["forbidden"] == true {
                        whole.shift_remove(name);
                    }
                }
                Value::Object(whole)
            }
            other => panic!("unknown type {other}"),
        }
    }

    fn array(&self, value: &Value, depth: usize) -> Value {
        if value["maxItems"] == 0 || !(self.full && depth <= DEEP || value.get("minItems").is_some()) {
            return json!([]);
        }
        let (mut items, mut depth) = (value["items"].clone(), depth);
        while let Some(name) = items["ref"].as_str() {
            (items, depth) = (self.source.find(name).expect("every reference has a target").1, depth + 1);
        }
        if kind(&items) != "union" || value["items"].get("ref").is_some() {
            return json!([self.value(&items, depth)]);
        }
        let forms = items["variants"].as_array().unwrap().len();
        (0..forms).map(|form| self.union(&items, form, depth)).collect()
    }

    fn object(&self, value: &Value, depth: usize) -> Value {
        let mut object = Map::new();
        for (name, fact) in value["fields"].as_object().into_iter().flatten() {
            let wanted = fact["required"] == true || self.full && depth <= DEEP && fact["forbidden"] != true;
            if wanted {
                let fact = field(name, fact, self.source);
                let null = !self.full && fact["nullable"] == true;
                object.insert(name.clone(), if null { Value::Null } else { self.value(&fact, depth) });
            }
        }
        Value::Object(object)
    }

    fn union(&self, value: &Value, pick: usize, depth: usize) -> Value {
        let variants = value["variants"].as_array().unwrap();
        // Deep down the first form, which is never recursive.
        let pick = if depth <= DEEP { pick % variants.len() } else { 0 };
        self.value(&variants[pick], depth)
    }
}
