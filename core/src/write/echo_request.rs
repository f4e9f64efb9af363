//! [`echo_request`]: the fields of a request in the form in which the response repeats them.
//!
//! Fields that a request omits or sets to null may be required in the response, and a few fields have another form there. A field
//! that does not match the response schema of the edition is left out, so that its default is used: the result never makes a
//! response invalid.

use alloc::string::String;
use alloc::vec::Vec;

use super::options::WriterOptions;
use super::snapshot::{self, ResponseProgress};
use super::writer::check_for_edition;
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

/// Further ones, in the editions that have them.
const ECHOED_LATER: [&str; 3] = ["prompt_cache_key", "prompt_cache_retention", "user"];

/// Returns the template of a response for the request that it answers.
///
/// ```
/// use deltafold::{json::Value, write::echo_request, Edition};
/// let request = r#"{"model":"m","input":"hi","temperature":null,"reasoning":{"effort":"low"},
///     "tools":[{"type":"function","name":"f"}]}"#;
/// let template = echo_request(Value::parse(request, 64).unwrap().as_object().unwrap(), Edition::default());
/// assert_eq!(template.to_string(), concat!(
///     r#"{"tools":[{"type":"function","name":"f","description":null,"parameters":null,"strict":null}],"#,
///     r#""reasoning":{"effort":"low","summary":null}}"#,
/// ));
/// ```
pub fn echo_request(request: &Object, edition: Edition) -> Object {
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
        // Checked one by one, so that an invalid field removes only itself.
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
    let state = ResponseProgress { status: "in_progress", ..ResponseProgress::default() };
    snapshot::write(&options, &snapshot::fields(&options), &state, &[], &mut json);
    check_for_edition(edition, |edition| validate_response(&json, edition)).is_ok()
}

/// Function tools with all keys; other tools if the edition has them.
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
        let known = schema.is_none_or(|it| {
            check_for_edition(edition, |edition| validate_as(&json, it, edition, Extensions::Allowed)).is_ok()
        });
        if known {
            kept.push(tool);
        }
    }
    Value::Array(kept)
}

/// A list of allowed tools has an explicit mode in the response.
fn tool_choice(choice: &Value) -> Value {
    let mut choice = choice.clone();
    let unsaid = choice.str_at("type") == Some("allowed_tools") && choice.get("mode").is_none_or(Value::is_null);
    if let Some(fields) = choice.as_object_mut().filter(|_| unsaid) {
        fields.insert("mode", "auto");
    }
    choice
}

/// The format is explicit in the response. A JSON schema format has all keys; the dated releases omit the schema itself.
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

/// Both keys are required in the response.
fn reasoning(reasoning: &Value) -> Value {
    let mut reasoning = reasoning.clone();
    fill(&mut reasoning, &["effort", "summary"]);
    reasoning
}

/// Sets each missing key to null.
fn fill(value: &mut Value, keys: &[&str]) {
    let Some(fields) = value.as_object_mut() else { return };
    for key in keys {
        if !fields.contains_key(key) {
            fields.push(*key, Value::Null);
        }
    }
}
