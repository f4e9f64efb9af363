//! The content that a client of each target collects from a converted stream, and the expected content of the folded response.

use deltafold::Response;
use serde_json::Value;

/// The target dialects.
pub const TARGETS: [&str; 4] = ["ag-ui", "chat-completions", "anthropic", "ui-message-stream"];

/// Text of messages and arguments of calls, as a client of each dialect collects them.
#[derive(Debug, Default, PartialEq)]
pub struct ClientContent {
    /// Texts and refusals, joined.
    pub text: String,
    /// Reasoning, joined.
    pub reasoning: String,
    /// Id, name and arguments of each call, in order.
    pub calls: Vec<(String, String, String)>,
}

impl ClientContent {
    fn call(&mut self, id: &Value, name: &Value) {
        self.calls.push((id.as_str().unwrap().to_owned(), name.as_str().unwrap().to_owned(), String::new()));
    }

    fn grow(&mut self, id: &Value, more: &Value) {
        let id = id.as_str().unwrap();
        let call = self.calls.iter_mut().find(|call| call.0 == id).unwrap_or_else(|| panic!("no call {id}"));
        call.2.push_str(more.as_str().unwrap());
    }
}

/// Reads a converted stream with a minimal client.
///
/// # Panics
///
/// If a client of the target would reject it.
pub fn gather(to: &str, out: &[u8]) -> ClientContent {
    let mut all = ClientContent::default();
    let text = |all: &mut String, value: &Value| all.push_str(value.as_str().unwrap_or(""));
    let mut blocks = Vec::new();
    for line in std::str::from_utf8(out).unwrap().lines() {
        let Some(data) = line.strip_prefix("data: ").filter(|data| *data != "[DONE]") else { continue };
        let message: Value = serde_json::from_str(data).unwrap();
        match (to, message["type"].as_str().unwrap_or("")) {
            ("ag-ui", "TEXT_MESSAGE_CONTENT") => text(&mut all.text, &message["delta"]),
            ("ag-ui", "REASONING_MESSAGE_CONTENT") => text(&mut all.reasoning, &message["delta"]),
            ("ag-ui", "TOOL_CALL_START") => all.call(&message["toolCallId"], &message["toolCallName"]),
            ("ag-ui", "TOOL_CALL_ARGS") => all.grow(&message["toolCallId"], &message["delta"]),
            ("ui-message-stream", "text-delta") => text(&mut all.text, &message["delta"]),
            ("ui-message-stream", "reasoning-delta") => text(&mut all.reasoning, &message["delta"]),
            ("ui-message-stream", "tool-input-start") => all.call(&message["toolCallId"], &message["toolName"]),
            // Plain text comes when it is complete.
            ("ui-message-stream", "tool-input-available") if message["input"].is_string() => {
                all.grow(&message["toolCallId"], &message["input"]);
            }
            ("ui-message-stream", "tool-input-delta") => all.grow(&message["toolCallId"], &message["inputTextDelta"]),
            ("anthropic", "content_block_start") => {
                let block = &message["content_block"];
                blocks.push(block["id"].clone());
                if block["type"] == "tool_use" {
                    all.call(&block["id"], &block["name"]);
                }
            }
            ("anthropic", "content_block_delta") => {
                let delta = &message["delta"];
                text(&mut all.text, &delta["text"]);
                text(&mut all.reasoning, &delta["thinking"]);
                if delta["type"] == "input_json_delta" {
                    all.grow(&blocks[message["index"].as_u64().unwrap() as usize], &delta["partial_json"]);
                }
            }
            ("chat-completions", "") => {
                let delta = &message["choices"][0]["delta"];
                text(&mut all.text, &delta["content"]);
                text(&mut all.text, &delta["refusal"]);
                text(&mut all.reasoning, &delta["reasoning_content"]);
                for call in delta["tool_calls"].as_array().into_iter().flatten() {
                    if call["id"].is_string() {
                        all.call(&call["id"], &call["function"]["name"]);
                    }
                    let id = Value::from(all.calls[call["index"].as_u64().unwrap() as usize].0.clone());
                    all.grow(&id, &call["function"]["arguments"]);
                }
            }
            _ => {}
        }
    }
    all
}

/// Returns the content that a target must have for a folded response.
pub fn folded(to: &str, response: Response<'_>) -> ClientContent {
    let mut all = ClientContent::default();
    for item in response.items() {
        match item.wire_type().unwrap_or_default() {
            "message" => item.parts().for_each(|part| all.text.push_str(part.text().unwrap_or_default())),
            "reasoning" => {
                let raw: String = item.parts().map(|part| part.text().unwrap_or_default()).collect();
                let summary: Vec<&str> = item
                    .summary()
                    .map(|part| part.text().unwrap_or_default())
                    .filter(|text| !text.is_empty())
                    .collect();
                // Targets with one kind of reasoning use the first, with a blank line between parts of a summary.
                match to {
                    "chat-completions" | "anthropic" if raw.is_empty() => all.reasoning.push_str(&summary.join("\n\n")),
                    "chat-completions" | "anthropic" => all.reasoning.push_str(&raw),
                    _ => all.reasoning.extend([raw, summary.concat()]),
                }
            }
            "function_call" => all.calls.push((
                item.call_id().unwrap_or_default().into(),
                item.name().unwrap_or_default().into(),
                item.arguments().unwrap_or_default().into(),
            )),
            "custom_tool_call" if matches!(to, "ag-ui" | "ui-message-stream") => {
                all.calls.push((
                    item.call_id().unwrap_or_default().into(),
                    item.name().unwrap_or_default().into(),
                    item.arguments().unwrap_or_default().into(),
                ));
            }
            "mcp_call" if matches!(to, "ag-ui" | "ui-message-stream") => {
                all.calls.push((
                    item.id().unwrap_or_default().into(),
                    item.name().unwrap_or_default().into(),
                    item.arguments().unwrap_or_default().into(),
                ));
            }
            _ => {}
        }
    }
    all
}
