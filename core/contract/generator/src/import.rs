//! Splits a `contract.json` into fact files, one per topic, formatted for review.

use std::path::Path;

use serde_json::{Map, Value};

use crate::facts::{self, FILES, OPENAI_FILES, SCHEMA_FILES};

/// Writes the fact files in `folder` from the contract in `file`, then checks that they contain all of it.
pub fn run(file: &Path, folder: &Path) -> Result<(), String> {
    let contract = facts::read(file)?;
    for (name, keys) in FILES {
        let part = keys.iter().map(|key| (String::from(*key), contract[*key].clone())).collect();
        save(folder, name, Value::Object(part))?;
    }
    for name in SCHEMA_FILES {
        let schemas = contract["schemas"].as_object().into_iter().flatten();
        let part: Map<_, _> = schemas
            .filter(|(schema, variants)| schema_file(schema, variants) == *name)
            .map(|(schema, variants)| (schema.clone(), variants.clone()))
            .collect();
        save(folder, name, Value::Object(Map::from_iter([("schemas".into(), Value::Object(part))])))?;
    }
    let (types, lists): (Map<_, _>, Map<_, _>) =
        contract["openai"].as_object().cloned().into_iter().flatten().partition(|(key, _)| key == "types");
    for (name, part) in OPENAI_FILES.into_iter().zip([lists, types]) {
        save(folder, name, Value::Object(Map::from_iter([("openai".into(), Value::Object(part))])))?;
    }
    if facts::load_contract(folder)? != contract {
        return Err("the fact files differ from the contract: a key is new or missing".into());
    }
    Ok(())
}

/// Returns the file that a schema belongs to: by its kind first, then by the side that sends it.
fn schema_file(name: &str, variants: &Value) -> &'static str {
    let kind = variants[0]["kind"].as_str().unwrap_or_default();
    if name.ends_with("StreamingEvent") || name.starts_with("WebSocket") {
        "schemas/events.json"
    } else if kind == "enum" {
        "schemas/enums.json"
    } else if kind == "union" {
        "schemas/unions.json"
    } else if name.ends_with("Param") || name.ends_with("Body") && kind == "object" && !is_answer(name) {
        "schemas/request.json"
    } else {
        "schemas/response.json"
    }
}

/// Names that end like a request body but belong to responses.
fn is_answer(name: &str) -> bool {
    ["CitationBody", "ReasoningBody", "CompactionBody"].iter().any(|end| name.ends_with(end))
}

fn save(folder: &Path, name: &str, value: Value) -> Result<(), String> {
    let mut text = String::new();
    layout(&value, 0, 0, &mut text);
    text.push('\n');
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))?;
    }
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes a value on one line if it fits, otherwise one member per line.
fn layout(value: &Value, indent: usize, used: usize, out: &mut String) {
    const WIDTH: usize = 160;
    let flat = flat(value);
    if flat.chars().count() + used <= WIDTH {
        out.push_str(&flat);
        return;
    }
    let pad = " ".repeat(indent + 1);
    let mut first = true;
    let mut next = |out: &mut String| {
        out.push_str(if std::mem::take(&mut first) { "\n" } else { ",\n" });
        out.push_str(&pad);
    };
    match value {
        Value::Array(elements) => {
            out.push('[');
            for element in elements {
                next(out);
                layout(element, indent + 1, indent + 2, out);
            }
            out.push_str(&format!("\n{}]", " ".repeat(indent)));
        }
        Value::Object(members) => {
            out.push('{');
            for (key, member) in members {
                next(out);
                let key = format!("{}: ", Value::from(key.as_str()));
                out.push_str(&key);
                layout(member, indent + 1, indent + 2 + key.chars().count(), out);
            }
            out.push_str(&format!("\n{}}}", " ".repeat(indent)));
        }
        _ => out.push_str(&flat),
    }
}

/// Returns the value on one line, with a space after commas and colons.
fn flat(value: &Value) -> String {
    match value {
        Value::Array(elements) => format!("[{}]", elements.iter().map(flat).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members =
                members.iter().map(|(key, member)| format!("{}: {}", Value::from(key.as_str()), flat(member)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_string(),
    }
}
