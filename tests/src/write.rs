//! Write vectors: intents, and the events of a case in short form.

use serde_json::{json, Map, Value};

use crate::Vector;

/// An intent of a case, and the code of the expected refusal, if any.
#[derive(Clone, Debug)]
pub struct ExpectedIntent {
    /// The intent.
    pub intent: Value,
    /// The code's name, such as `misuse.intent`.
    pub refused: Option<String>,
}

/// Returns the intents of a case.
///
/// # Panics
///
/// If the case has none.
pub fn intents(vector: &Vector) -> Vec<ExpectedIntent> {
    let intents_json = vector.get("intents").as_array().unwrap_or_else(|| panic!("{vector}: no intents"));
    intents_json
        .iter()
        .map(|intent| match intent.get("refused").and_then(Value::as_str) {
            Some(code) => ExpectedIntent { intent: intent["intent"].clone(), refused: Some(code.to_owned()) },
            None => ExpectedIntent { intent: intent.clone(), refused: None },
        })
        .collect()
}

/// Returns the complete events of a case: numbered, and with every field of each response.
///
/// # Panics
///
/// If the case has no events.
pub fn expected_events(vector: &Vector) -> Vec<Value> {
    let options = vector.get("options");
    let events = vector.get("events").as_array().unwrap_or_else(|| panic!("{vector}: no events"));
    let mut whole = Vec::with_capacity(events.len());
    for (number, event) in events.iter().enumerate() {
        let mut event = event.clone();
        event["sequence_number"] = json!(number);
        if let Some(short) = event.get("response").and_then(Value::as_object) {
            let mut response = defaults(options);
            response.extend(short.clone());
            event["response"] = Value::Object(response);
        }
        whole.push(event);
    }
    whole
}

/// The snapshot template, with the values of the options.
fn defaults(options: &Value) -> Map<String, Value> {
    let mut response = json!({
        "id": options["id"], "object": "response", "created_at": options["created_at"], "completed_at": null,
        "incomplete_details": null, "model": options["model"], "previous_response_id": null, "instructions": null,
        "output": [], "error": null, "tools": [], "tool_choice": "auto", "truncation": "disabled",
        "parallel_tool_calls": true, "text": {"format": {"type": "text"}}, "top_p": 1, "presence_penalty": 0,
        "frequency_penalty": 0, "top_logprobs": 0, "temperature": 1, "reasoning": null, "usage": null,
        "max_output_tokens": null, "max_tool_calls": null, "store": false, "background": false,
        "service_tier": "default", "metadata": {}, "safety_identifier": null, "prompt_cache_key": null,
    });
    if matches!(options["edition"].as_str(), Some("split" | "split-2026-01" | "openai")) {
        response["user"] = Value::Null;
    }
    match response {
        Value::Object(response) => response,
        _ => Map::new(),
    }
}
