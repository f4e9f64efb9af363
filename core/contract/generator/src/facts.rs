//! The fact files: which there are, what stands in each, and how they become one value again.

use std::path::Path;

use serde_json::{Map, Value};

/// Fact files that come from `contract.json`, and which of its keys each holds.
pub const FILES: &[(&str, &[&str])] = &[
    ("editions.json", &["contract_format", "editions", "counts"]),
    ("events.json", &["streaming_events", "observed_nonstandard_events", "client_events"]),
    ("items.json", &["input_items", "output_items"]),
    ("parts.json", &["content_parts", "content_slots", "annotations"]),
    ("tools.json", &["tools", "tool_choices"]),
    ("errors.json", &["errors"]),
    ("request.json", &["request_fields", "compact_request_fields"]),
    ("response.json", &["response_fields", "compact_response_fields"]),
    ("operations.json", &["operations"]),
    ("enums.json", &["enums"]),
];

/// Files that hold a share of the key `schemas`.
pub const SCHEMA_FILES: &[&str] = &[
    "schemas/events.json",
    "schemas/enums.json",
    "schemas/unions.json",
    "schemas/request.json",
    "schemas/response.json",
];

/// Files that hold a share of the key `openai`: the lists, and the types of the SDKs.
pub const OPENAI_FILES: [&str; 2] = ["openai/lists.json", "openai/types.json"];

/// All facts, as in `contract.json`, and our own files beside them.
pub struct Facts {
    /// What `contract.json` holds.
    pub contract: Value,
    /// `aliases.json`: wire types seen on real servers, and the kind each is read as.
    pub aliases: Value,
    /// `openai/counterparts.json`: schemas of Open Responses, and the OpenAI type that means the same.
    pub counterparts: Value,
    /// `coverage.json`: what the library does with each event and item.
    pub coverage: Value,
    /// `openai/wire.json`: where OpenAI's service does not send what its SDK types promise.
    pub wire: Value,
}

impl Facts {
    /// Reads all fact files of a folder.
    pub fn load(folder: &Path) -> Result<Self, String> {
        Ok(Self {
            contract: load_contract(folder)?,
            aliases: read(&folder.join("aliases.json"))?,
            counterparts: read(&folder.join("openai/counterparts.json"))?,
            coverage: read(&folder.join("coverage.json"))?,
            wire: read(&folder.join("openai/wire.json"))?,
        })
    }

    /// The list under a key.
    pub fn list(&self, key: &str) -> &[Value] {
        self.contract[key].as_array().map_or(&[], Vec::as_slice)
    }
}

/// Reads the files that come from `contract.json` and puts them together again.
pub fn load_contract(folder: &Path) -> Result<Value, String> {
    let mut contract = Value::Object(Map::new());
    let names = FILES.iter().map(|(name, _)| *name);
    for name in names.chain(SCHEMA_FILES.iter().copied()).chain(OPENAI_FILES) {
        merge(&mut contract, read(&folder.join(name))?);
    }
    Ok(contract)
}

/// Reads one JSON file.
pub fn read(path: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Puts the keys of one object into another, and those of objects under the same key into each other.
fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                match into.get_mut(&key) {
                    Some(known) => merge(known, value),
                    None => {
                        into.insert(key, value);
                    }
                }
            }
        }
        (into, from) => *into = from,
    }
}
