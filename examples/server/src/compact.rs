//! `POST /v1/responses/compact`: seals a context in one item, and unseals it.

use deltafold::json::{Object, Value};
use deltafold::validate::validate_compact_request;
use deltafold::write::ApiError;

use crate::context::Context;
use crate::request::{check, parse, Request};
use crate::state::Server;

/// Prefix of the sealed text. A real server would encrypt the text; this one only encodes it.
const SEAL: &str = "scripted.";

/// Handles a compaction request.
pub(crate) fn compact(body: &[u8], server: &Server) -> Result<String, ApiError> {
    let body = parse(body)?;
    check(validate_compact_request(&body.to_string(), server.options.edition))?;
    let Value::Object(body) = body else { return Err(crate::request::invalid("invalid_json", "not an object")) };
    let context = Context::of(&Request { body }, server, None)?;
    let tokens = context.tokens();
    let id = server.next_id("resp");

    let mut item = Object::new();
    item.push("type", "compaction");
    item.push("id", format!("cmp_{}_0", deltafold::write::suffix(&id)));
    item.push("encrypted_content", seal(&Value::Array(context.items).to_string()));

    let mut cached = Object::new();
    cached.push("cached_tokens", 0);
    let mut reasoning = Object::new();
    reasoning.push("reasoning_tokens", 0);
    let mut usage = Object::new();
    usage.push("input_tokens", tokens);
    usage.push("output_tokens", 1);
    usage.push("total_tokens", tokens + 1);
    usage.push("input_tokens_details", cached);
    usage.push("output_tokens_details", reasoning);

    let mut answer = Object::new();
    answer.push("id", id);
    answer.push("object", "response.compaction");
    answer.push("created_at", server.options.now());
    answer.push("output", vec![Value::Object(item)]);
    answer.push("usage", usage);
    Ok(answer.to_string())
}

/// Replaces each compaction item of this server by the items that it was made from.
pub(crate) fn expand(items: Vec<Value>) -> Vec<Value> {
    let mut out = Vec::with_capacity(items.len());
    for item in items {
        let sealed = item.str_at("encrypted_content").filter(|_| item.str_at("type") == Some("compaction"));
        match sealed.and_then(unseal).and_then(|text| Value::parse(&text, 128).ok()) {
            Some(Value::Array(inner)) => out.extend(inner),
            _ => out.push(item),
        }
    }
    out
}

fn seal(text: &str) -> String {
    let mut out = String::from(SEAL);
    for byte in text.bytes() {
        out.push_str(&format!("{byte:02x}"));
    }
    out
}

fn unseal(sealed: &str) -> Option<String> {
    let digits = sealed.strip_prefix(SEAL)?;
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    String::from_utf8(bytes?).ok()
}
