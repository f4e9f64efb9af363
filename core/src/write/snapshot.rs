//! The response object: every required field with its zero value, the template over it, the items in it.

use alloc::string::String;
use alloc::vec::Vec;

use super::emit::push_u64;
use super::options::WriterOptions;
use super::slot::Slot;
use super::usage::Usage;
use crate::contract::Edition;
use crate::json::{write_string, Object, Value};

/// Fields that the writer sets by itself; a template or a later `set` cannot.
pub(crate) const OWN: [&str; 9] =
    ["id", "object", "created_at", "completed_at", "status", "incomplete_details", "output", "error", "usage"];

/// What changes from snapshot to snapshot.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) status: &'static str,
    pub(crate) completed_at: Option<u64>,
    pub(crate) reason: Option<String>,
    /// Code and message.
    pub(crate) error: Option<(String, String)>,
    pub(crate) usage: Option<Usage>,
}

/// Every field in the order of the schema, defaults first, the template over them. Own fields hold their place.
pub(crate) fn fields(options: &WriterOptions) -> Object {
    let mut text = Object::new();
    let mut format = Object::new();
    format.push("type", "text");
    text.push("format", format);

    let mut fields = Object::with_capacity(36);
    for key in ["id", "object", "created_at", "completed_at", "status", "incomplete_details"] {
        fields.push(key, Value::Null);
    }
    fields.push("model", options.model.as_str());
    for key in ["previous_response_id", "instructions", "output", "error"] {
        fields.push(key, Value::Null);
    }
    fields.push("tools", Vec::new());
    fields.push("tool_choice", "auto");
    fields.push("truncation", "disabled");
    fields.push("parallel_tool_calls", true);
    fields.push("text", text);
    fields.push("top_p", 1);
    fields.push("presence_penalty", 0);
    fields.push("frequency_penalty", 0);
    fields.push("top_logprobs", 0);
    fields.push("temperature", 1);
    for key in ["reasoning", "usage", "max_output_tokens", "max_tool_calls"] {
        fields.push(key, Value::Null);
    }
    // What was only translated or made on the fly is not stored.
    fields.push("store", false);
    fields.push("background", false);
    fields.push("service_tier", "default");
    fields.push("metadata", Object::new());
    fields.push("safety_identifier", Value::Null);
    fields.push("prompt_cache_key", Value::Null);
    if matches!(options.edition, Edition::Split | Edition::Split2026_01 | Edition::OpenAi) {
        fields.push("user", Value::Null);
    }
    for (key, value) in options.template.iter() {
        let taken = OWN.contains(&key) || (key == "model" && !options.model.is_empty());
        if !taken {
            fields.insert(key, value.clone());
        }
    }
    fields
}

/// Appends the response object.
pub(crate) fn write(options: &WriterOptions, fields: &Object, state: &State, items: &[Slot], out: &mut String) {
    let mut between = '{';
    for (key, value) in fields.iter() {
        out.push(between);
        between = ',';
        write_string(key, out);
        out.push(':');
        match key {
            "id" => write_string(&options.id, out),
            "object" => out.push_str("\"response\""),
            "created_at" => push_u64(out, options.created_at),
            "completed_at" => match state.completed_at {
                Some(at) => push_u64(out, at),
                None => out.push_str("null"),
            },
            "status" => write_string(state.status, out),
            "incomplete_details" => match &state.reason {
                Some(reason) => {
                    out.push_str("{\"reason\":");
                    write_string(reason, out);
                    out.push('}');
                }
                None => out.push_str("null"),
            },
            "output" => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            "error" => match &state.error {
                Some((code, message)) => {
                    out.push_str("{\"code\":");
                    write_string(code, out);
                    out.push_str(",\"message\":");
                    write_string(message, out);
                    out.push('}');
                }
                None => out.push_str("null"),
            },
            "usage" => match &state.usage {
                Some(usage) => usage.write(out),
                None => out.push_str("null"),
            },
            _ => value.write_into(out),
        }
    }
    out.push('}');
}
