//! The response object: required fields with their defaults, overridden by the template, and the items.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::emitter::push_u64;
use super::field_map::FieldMap;
use super::open_item::OpenItem;
use super::options::WriterOptions;
use super::usage::Usage;
use crate::contract::Edition;
use crate::json::{write_string, Object, Value};

/// Fields that only the writer sets; the template and `set_field` cannot change them.
pub(crate) const WRITER_FIELDS: [&str; 9] =
    ["id", "object", "created_at", "completed_at", "status", "incomplete_details", "output", "error", "usage"];

/// The number of fields that every response has, and some of a template.
const FIELDS: usize = 40;

/// The values that differ between snapshots.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResponseProgress {
    pub(crate) status: &'static str,
    pub(crate) completed_at: Option<u64>,
    pub(crate) reason: Option<String>,
    /// Code and message.
    pub(crate) error: Option<(String, String)>,
    pub(crate) usage: Option<Usage>,
}

/// All fields in the order of the schema: defaults, overridden by the template. The writer's own fields are placeholders.
pub(crate) fn fields(options: &WriterOptions) -> FieldMap {
    let mut fields = default_fields(options);
    for (key, value) in options.template.iter() {
        let taken = WRITER_FIELDS.contains(&key) || (key == "model" && !options.model.is_empty());
        if !taken {
            fields.insert(key.to_string(), value.clone());
        }
    }
    fields
}

/// The fields without the template.
pub(crate) fn default_fields(options: &WriterOptions) -> FieldMap {
    let mut text = Object::new();
    let mut format = Object::new();
    format.push("type", "text");
    text.push("format", format);

    let mut fields = FieldMap::with_capacity(FIELDS);
    for key in ["id", "object", "created_at", "completed_at", "status", "incomplete_details"] {
        fields.add(key, Value::Null);
    }
    fields.add("model", options.model.as_str());
    for key in ["previous_response_id", "instructions", "output", "error"] {
        fields.add(key, Value::Null);
    }
    fields.add("tools", Vec::new());
    fields.add("tool_choice", "auto");
    fields.add("truncation", "disabled");
    fields.add("parallel_tool_calls", true);
    fields.add("text", text);
    fields.add("top_p", 1);
    fields.add("presence_penalty", 0);
    fields.add("frequency_penalty", 0);
    fields.add("top_logprobs", 0);
    fields.add("temperature", 1);
    for key in ["reasoning", "usage", "max_output_tokens", "max_tool_calls"] {
        fields.add(key, Value::Null);
    }
    // A response that this library writes is not stored on a server.
    fields.add("store", false);
    fields.add("background", false);
    fields.add("service_tier", options.service_tier.as_deref().unwrap_or("default"));
    fields.add("metadata", Object::new());
    fields.add("safety_identifier", Value::Null);
    fields.add("prompt_cache_key", Value::Null);
    if matches!(options.edition, Edition::Split | Edition::Split2026_01 | Edition::OpenAi) {
        fields.add("user", Value::Null);
    }
    fields
}

/// Appends the response object.
pub(crate) fn write(
    options: &WriterOptions,
    fields: &FieldMap,
    state: &ResponseProgress,
    items: &[OpenItem],
    out: &mut String,
) {
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
