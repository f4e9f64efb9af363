//! [`echo`]: the request's fields as the response repeats them.
//!
//! A request may leave out, or set to null, what a response must state; and a few fields have another shape on the way
//! back. What the edition's response schema cannot hold is left out, so that the default stands: an echo never makes a
//! response invalid.

use alloc::string::String;
use alloc::vec::Vec;

use super::options::WriterOptions;
use super::snapshot::{self, State};
use super::writer::accept;
use crate::contract::{Edition, SchemaId};
use crate::json::{Object, Value};
use crate::validate::{validate_as, validate_response, Extensions};

/// Request fields that the response repeats.
const ECHOED: [&str; 20] = [
    "previous_response_id",
    "instructions",
    "tools",
    "tool_choice",
    "truncation",
    "parallel_tool_calls",
    "text",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "top_logprobs",
    "temperature",
    "reasoning",
    "max_output_tokens",
    "max_tool_calls",
    "store",
    "background",
    "service_tier",
    "metadata",
    "safety_identifier",
];

/// More of them, in the editions that have them.
const ECHOED_LATER: [&str; 3] = ["prompt_cache_key", "prompt_cache_retention", "user"];

/// Makes the template of a response from the request that it answers.
///
/// ```
/// use deltafold::{json::Value, write::echo, Edition};
/// let request = r#"{"model":"m","input":"hi","temperature":null,"reasoning":{"effort":"low"},
///     "tools":[{"type":"function","name":"f"}]}"#;
/// let template = echo(Value::parse(request, 64).unwrap().as_object().unwrap(), Edition::default());
/// assert_eq!(template.to_string(), concat!(
///     r#"{"tools":[{"type":"function","name":"f","description":null,"parameters":null,"strict":null}],"#,
///     r#""reasoning":{"effort":"low","summary":null}}"#,
/// ));
/// ```
pub fn echo(request: &Object, edition: Edition) -> Object {
    let mut template = Object::new();
    for key in ECHOED.iter().chain(&ECHOED_LATER) {
        let Some(value) = request.get(key).filter(|value| !value.is_null()) else { continue };
        let value = match *key {
            "tools" => tools(value, edition),
            "tool_choice" => tool_choice(value),
            "text" => text(value, edition),
            "reasoning" => reasoning(value),
            _ => value.clone(),
        };
        template.push(*key, value);
    }
    if !fits(&template, edition) {
        // One field at a time, so that one that does not fit does not take the others with it.
        let mut fitting = Object::new();
        for (key, value) in template {
            let mut one = Object::new();
            one.push(key.as_str(), value.clone());
            if fits(&one, edition) {
                fitting.push(key, value);
            }
        }
        return fitting;
    }
    template
}

fn fits(template: &Object, edition: Edition) -> bool {
    let options = WriterOptions { template: template.clone(), edition, ..WriterOptions::new("resp", "m", 0) };
    let mut json = String::new();
    let state = State { status: "in_progress", ..State::default() };
    snapshot::write(&options, &snapshot::fields(&options), &state, &[], &mut json);
    accept(edition, |edition| validate_response(&json, edition)).is_ok()
}

/// Function tools with every key; of the others those that the edition knows.
fn tools(tools: &Value, edition: Edition) -> Value {
    let Some(tools) = tools.as_array() else { return tools.clone() };
    let schema = SchemaId::from_name("Tool");
    let mut kept = Vec::with_capacity(tools.len());
    for tool in tools {
        let mut tool = tool.clone();
        if tool.str_at("type") == Some("function") {
            fill(&mut tool, &["description", "parameters", "strict"]);
        }
        let mut json = String::new();
        tool.write_into(&mut json);
        let known = schema
            .is_none_or(|it| accept(edition, |edition| validate_as(&json, it, edition, Extensions::Allowed)).is_ok());
        if known {
            kept.push(tool);
        }
    }
    Value::Array(kept)
}

/// A list of allowed tools states its mode on the way back.
fn tool_choice(choice: &Value) -> Value {
    let mut choice = choice.clone();
    let unsaid = choice.str_at("type") == Some("allowed_tools") && choice.get("mode").is_none_or(Value::is_null);
    if let Some(fields) = choice.as_object_mut().filter(|_| unsaid) {
        fields.insert("mode", "auto");
    }
    choice
}

/// A format is always stated; that of a JSON schema has every key, and in the dated releases no schema.
fn text(text: &Value, edition: Edition) -> Value {
    let Value::Object(mut text) = text.clone() else { return text.clone() };
    let mut format = text.remove("format").filter(|format| !format.is_null()).unwrap_or_else(|| {
        let mut plain = Object::new();
        plain.push("type", "text");
        Value::Object(plain)
    });
    if format.str_at("type") == Some("json_schema") {
        fill(&mut format, &["description", "schema"]);
        if let Some(format) = format.as_object_mut() {
            if matches!(edition, Edition::V2026_04_24 | Edition::V2026_01_15) {
                format.insert("schema", Value::Null);
            }
            if format.get("strict").is_none_or(Value::is_null) {
                format.insert("strict", false);
            }
        }
    }
    let mut out = Object::new();
    out.push("format", format);
    for (key, value) in text {
        if !value.is_null() {
            out.push(key, value);
        }
    }
    Value::Object(out)
}

/// Both keys are required on the way back.
fn reasoning(reasoning: &Value) -> Value {
    let mut reasoning = reasoning.clone();
    fill(&mut reasoning, &["effort", "summary"]);
    reasoning
}

/// Adds null for each key that is missing.
fn fill(value: &mut Value, keys: &[&str]) {
    let Some(fields) = value.as_object_mut() else { return };
    for key in keys {
        if !fields.contains_key(key) {
            fields.push(*key, Value::Null);
        }
    }
}
