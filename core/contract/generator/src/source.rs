//! [`Source`]: finds a name while a schema is compiled. Open Responses and OpenAI have different names.

use serde_json::{Map, Value};

use crate::facts::Facts;

/// One edition's view of the facts.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// The schemas of Open Responses in the edition with this id.
    OpenResponses(&'a Facts, &'a str),
    /// The types of OpenAI's SDKs.
    OpenAi(&'a Facts),
}

/// Ids of the Open Responses editions in the order of the columns; the column of OpenAI is last.
pub const COLUMNS: [&str; 4] = ["bundle-2026-04-24", "bundle-2026-01-15", "split-2026-07", "split-2026-01"];

impl<'a> Source<'a> {
    /// Returns the description of a name, including inherited fields, and the full name.
    pub fn find(&self, name: &str) -> Result<(String, Value), String> {
        match self {
            Self::OpenResponses(facts, edition) => {
                let variants = facts.contract["schemas"][name].as_array();
                let variant = variants.into_iter().flatten().find(|variant| has(&variant["editions"], edition));
                variant.map(|value| (name.into(), value.clone())).ok_or(format!("{edition} has no schema {name}"))
            }
            Self::OpenAi(facts) => {
                // Names from another module of the SDK are written without the module.
                let full = ["", "Shared.", "Images.", "Beta."].iter().map(|module| format!("{module}{name}"));
                let types = &facts.contract["openai"]["types"];
                let Some(full) = full.into_iter().find(|full| types.get(full).is_some()) else {
                    return Ok((name.into(), serde_json::json!({"type": "any"})));
                };
                let mut value = types[&full].clone();
                self.inherit(&mut value)?;
                correct(&facts.wire, &full, &mut value)?;
                Ok((full, value))
            }
        }
    }

    /// Returns `true` for the OpenAI side.
    pub fn is_openai(&self) -> bool {
        matches!(self, Self::OpenAi(_))
    }

    fn inherit(&self, value: &mut Value) -> Result<(), String> {
        let parents: Vec<String> =
            value["extends"].as_array().into_iter().flatten().filter_map(Value::as_str).map(String::from).collect();
        for parent in parents {
            let (_, parent) = self.find(&parent)?;
            let mut fields = parent["fields"].as_object().cloned().unwrap_or_default();
            fields.extend(value["fields"].as_object().cloned().unwrap_or_default());
            value["fields"] = Value::Object(fields);
        }
        Ok(())
    }
}

/// Applies `openai/wire.json` to a type: fields that the service does not send as its SDK types declare.
pub fn correct(wire: &Value, name: &str, value: &mut Value) -> Result<(), String> {
    for entry in wire.as_array().into_iter().flatten().filter(|entry| entry["type"] == name) {
        let field = entry["field"].as_str().unwrap_or_default();
        let fields: &mut Map<String, Value> =
            value["fields"].as_object_mut().ok_or(format!("openai/wire.json: {name} has no fields"))?;
        let node = fields.get_mut(field).ok_or(format!("openai/wire.json: {name} has no {field}"))?;
        let node = node.as_object_mut().ok_or(format!("openai/wire.json: {name}.{field} is not a node"))?;
        for (key, change) in entry["change"].as_object().into_iter().flatten() {
            match change {
                Value::Null => node.shift_remove(key),
                change => node.insert(key.clone(), change.clone()),
            };
        }
    }
    Ok(())
}

/// Returns `true` if a list of edition ids has this one.
pub fn has(editions: &Value, edition: &str) -> bool {
    editions.as_array().into_iter().flatten().any(|name| name == edition)
}
