//! The fact files: their names, their content, and how they are merged into one value.

use std::path::Path;

use serde_json::{Map, Value};

/// Fact files that come from `contract.json`, and the keys that each contains.
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

/// Files with a part of the key `schemas`.
pub const SCHEMA_FILES: &[&str] = &[
    "schemas/events.json",
    "schemas/enums.json",
    "schemas/unions.json",
    "schemas/request.json",
    "schemas/response.json",
];

/// Files with a part of the key `openai`: the lists, and the types of the SDKs.
pub const OPENAI_FILES: [&str; 2] = ["openai/lists.json", "openai/types.json"];

/// All facts: those of `contract.json` and the hand-written files.
pub struct Facts {
    /// The content of `contract.json`.
    pub contract: Value,
    /// `aliases.json`: wire types seen on real servers, and the kind that each is read as.
    pub aliases: Value,
    /// `openai/counterparts.json`: schemas of Open Responses, and the OpenAI type with the same meaning.
    pub counterparts: Value,
    /// `coverage.json`: the support of each event and item in the library.
    pub coverage: Value,
    /// `openai/wire.json`: fields that OpenAI's service does not send as its SDK types declare.
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

/// Reads the files that come from `contract.json` and merges them.
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

/// Merges one object into another, recursively.
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
