//! Real recordings of foreign dialects: each becomes a valid Open Responses stream with the same content.
//!
//! The content of a recording is read here by a second, minimal reader: no state, no order, no items.

use deltafold::adapter::{detect, Converter, Dialect};
use deltafold::json::Value as Json;
use deltafold::validate::Layers;
use deltafold::{Limits, Reader, ReaderBuilder, Severity};
use deltafold_tests::{recordings, sse, Recording, Split};
use serde_json::{json, Map, Value};

/// The content of a response, in any dialect.
#[derive(Debug, Default, PartialEq)]
struct ResponseContent {
    text: String,
    thoughts: String,
    /// Id (empty if the wire has none), name, arguments.
    calls: Vec<(String, String, Value)>,
    /// Status, and the reason if it is incomplete or failed.
    end: (String, String),
    usage: Value,
}

/// The payloads from the slow reference decoder, without the sentinel; an unterminated last frame counts.
fn payloads(recording: &Recording) -> Vec<Value> {
    let decoded = sse::decode_simply(&recording.bytes(), &Limits::default());
    let frames = decoded.iter().filter(|signal| signal["signal"] == "frame" || signal["signal"] == "tail");
    let data = frames.filter_map(|signal| signal["data"].as_str()).filter(|data| *data != "[DONE]");
    data.map(|data| serde_json::from_str(data).unwrap()).collect()
}

fn convert(dialect: Dialect, recording: &Recording, split: Split) -> (Vec<u8>, Vec<String>) {
    let options = Json::parse(r#"{"now":1767225600,"response_id":"resp_spare"}"#, 8).unwrap();
    let mut converter = Converter::new(Some(dialect), Dialect::OpenResponses, &options).unwrap();
    let mut out = Vec::new();
    for chunk in split.chunks(&recording.bytes()) {
        converter.feed(chunk).unwrap();
        converter.write_into(&mut out);
    }
    converter.finish().unwrap();
    converter.write_into(&mut out);
    (out, converter.findings().map(ToString::to_string).collect())
}

fn fold(builder: ReaderBuilder, bytes: &[u8], file: &str) -> Value {
    let mut reader = builder.build();
    reader.feed(bytes).unwrap();
    reader.finish().unwrap();
    let errors: Vec<String> = reader
        .findings()
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(ToString::to_string)
        .collect();
    assert!(errors.is_empty(), "{file}: {errors:#?}");
    serde_json::from_str(&reader.response().to_json()).unwrap()
}

/// Returns the content of a response.
fn content_of(response: &Value) -> ResponseContent {
    let mut content = ResponseContent { usage: response["usage"].clone(), ..ResponseContent::default() };
    for item in response["output"].as_array().unwrap() {
        match item["type"].as_str().unwrap() {
            "message" => {
                for part in item["content"].as_array().unwrap() {
                    content.text += part["text"].as_str().unwrap_or_default();
                }
            }
            "reasoning" => {
                let summary = item["summary"].as_array().into_iter().flatten();
                for part in item["content"].as_array().into_iter().flatten().chain(summary) {
                    content.thoughts += part["text"].as_str().unwrap();
                }
            }
            "function_call" => {
                content.calls.push((text(&item["call_id"]), text(&item["name"]), arguments(&item["arguments"])))
            }
            _ => {}
        }
    }
    let reason = match text(&response["status"]).as_str() {
        "incomplete" => text(&response["incomplete_details"]["reason"]),
        "failed" => text(&response["error"]["code"]),
        _ => String::new(),
    };
    content.end = (text(&response["status"]), reason);
    content
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Arguments as a JSON value if they are JSON, otherwise as text; absent arguments are an empty object.
fn arguments(value: &Value) -> Value {
    match value.as_str() {
        Some("") | None => json!({}),
        Some(text) => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
    }
}

fn usage(input: u64, output: u64, cached: u64, cache_write: Option<u64>, reasoning: u64) -> Value {
    let mut details = json!({ "cached_tokens": cached });
    if let Some(written) = cache_write {
        details["cache_write_tokens"] = written.into();
    }
    json!({
        "input_tokens": input, "output_tokens": output, "total_tokens": input + output,
        "input_tokens_details": details, "output_tokens_details": { "reasoning_tokens": reasoning },
    })
}

fn read_anthropic(payloads: &[Value]) -> ResponseContent {
    let mut content = ResponseContent::default();
    let mut counts = Map::new();
    let mut stop = String::new();
    // A block index belongs to a call if the start of its block is a tool use.
    let mut calls: Vec<(u64, String, String, String)> = Vec::new();
    for event in payloads {
        // Complete blocks may be in the start of the message.
        for block in event["message"]["content"].as_array().into_iter().flatten() {
            content.text += block["text"].as_str().unwrap_or_default();
            if block["type"] == "tool_use" {
                calls.push((u64::MAX, text(&block["id"]), text(&block["name"]), block["input"].to_string()));
            }
        }
        let (block, delta) = (&event["content_block"], &event["delta"]);
        content.text += block["text"].as_str().unwrap_or_default();
        content.text += delta["text"].as_str().unwrap_or_default();
        content.thoughts += block["thinking"].as_str().unwrap_or_default();
        content.thoughts += delta["thinking"].as_str().unwrap_or_default();
        if block["type"] == "tool_use" {
            calls.push((event["index"].as_u64().unwrap(), text(&block["id"]), text(&block["name"]), String::new()));
            if block["input"] != json!({}) {
                calls.last_mut().unwrap().3 = block["input"].to_string();
            }
        }
        if let Some(more) = delta["partial_json"].as_str() {
            if let Some(call) = calls.iter_mut().find(|call| event["index"].as_u64() == Some(call.0)) {
                call.3 += more;
            }
        }
        for counted in [&event["usage"], &event["message"]["usage"]] {
            for (key, value) in counted.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
                counts.insert(key.clone(), value.clone());
            }
        }
        for holder in [&event["delta"], &event["message"]] {
            stop = holder["stop_reason"].as_str().map_or(stop, str::to_owned);
        }
    }
    content.calls = calls.into_iter().map(|call| (call.1, call.2, arguments(&json!(call.3)))).collect();
    content.end = match stop.as_str() {
        "end_turn" | "tool_use" => ("completed".into(), String::new()),
        "max_tokens" => ("incomplete".into(), "max_output_tokens".into()),
        other => panic!("the plain reading does not know stop reason {other}"),
    };
    let count = |key: &str| counts.get(key).and_then(Value::as_u64);
    let (read, written) = (count("cache_read_input_tokens"), count("cache_creation_input_tokens"));
    let thinking = counts.get("output_tokens_details").and_then(|details| details["thinking_tokens"].as_u64());
    let input = count("input_tokens").unwrap() + read.unwrap_or(0) + written.unwrap_or(0);
    content.usage = usage(input, count("output_tokens").unwrap(), read.unwrap_or(0), written, thinking.unwrap_or(0));
    content
}

fn read_chat(payloads: &[Value], done: bool) -> ResponseContent {
    let mut content = ResponseContent::default();
    let mut counts = Value::Null;
    let mut finish = None;
    let mut failed = None;
    // Index, id, name, arguments.
    let mut calls: Vec<(Value, String, String, String)> = Vec::new();
    for chunk in payloads {
        if chunk["error"].is_object() {
            failed = Some(text(&chunk["error"]["code"]));
            break;
        }
        for counted in [&chunk["x_groq"]["usage"], &chunk["usage"]] {
            if counted.is_object() {
                counts = counted.clone();
            }
        }
        for choice in chunk["choices"].as_array().into_iter().flatten() {
            if choice["index"].as_u64().unwrap_or(0) > 0 || finish.is_some() {
                continue;
            }
            let delta = &choice["delta"];
            content.text += delta["content"].as_str().unwrap_or_default();
            content.text += delta["audio"]["transcript"].as_str().unwrap_or_default();
            for part in delta["content"].as_array().into_iter().flatten() {
                content.text += part["text"].as_str().unwrap_or_default();
                for thought in part["thinking"].as_array().into_iter().flatten() {
                    content.thoughts += thought["text"].as_str().unwrap();
                }
            }
            match delta["reasoning_details"].as_array().filter(|details| !details.is_empty()) {
                Some(details) => {
                    for detail in details {
                        content.thoughts += detail["text"].as_str().unwrap_or_default();
                        content.thoughts += detail["summary"].as_str().unwrap_or_default();
                    }
                }
                None => {
                    let texts = [&delta["reasoning_content"], &delta["reasoning"]];
                    let first = texts.into_iter().filter_map(Value::as_str).find(|text| !text.is_empty());
                    content.thoughts += first.unwrap_or_default();
                }
            }
            for entry in delta["tool_calls"].as_array().into_iter().flatten() {
                let id = text(&entry["id"]);
                let known = calls.iter().rposition(|call| call.0 == entry["index"]);
                let at = match known.filter(|at| id.is_empty() || calls[*at].1 == id) {
                    Some(at) => at,
                    None => {
                        calls.push((entry["index"].clone(), id, String::new(), String::new()));
                        calls.len() - 1
                    }
                };
                calls[at].2 += entry["function"]["name"].as_str().unwrap_or_default();
                calls[at].3 += entry["function"]["arguments"].as_str().unwrap_or_default();
            }
            finish = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty()).map(str::to_owned);
        }
    }
    content.calls = calls.into_iter().map(|call| (call.1, call.2, arguments(&json!(call.3)))).collect();
    content.end = match (failed, finish.as_deref()) {
        (Some(code), _) => ("failed".into(), code),
        (_, Some("stop" | "tool_calls")) => ("completed".into(), String::new()),
        (_, Some("length")) => ("incomplete".into(), "max_output_tokens".into()),
        (_, Some(other)) => panic!("the plain reading does not know finish reason {other}"),
        (_, None) if done => ("completed".into(), String::new()),
        (_, None) => ("failed".into(), "stream_truncated".into()),
    };
    if counts.is_object() {
        let count = |value: &Value| value.as_u64();
        let cached = count(&counts["prompt_tokens_details"]["cached_tokens"]);
        let cached = cached.or(count(&counts["prompt_cache_hit_tokens"])).or(count(&counts["num_cached_tokens"]));
        let reasoning = count(&counts["completion_tokens_details"]["reasoning_tokens"]).unwrap_or(0);
        let (input, mut output) =
            (counts["prompt_tokens"].as_u64().unwrap(), counts["completion_tokens"].as_u64().unwrap());
        // Some servers count reasoning separately, which their total shows.
        if reasoning > output || counts["total_tokens"].as_u64() == Some(input + output + reasoning) {
            output += reasoning;
        }
        let written = count(&counts["prompt_tokens_details"]["cache_write_tokens"]);
        content.usage = usage(input, output, cached.unwrap_or(0), written, reasoning);
    }
    content
}

fn read_gemini(payloads: &[Value]) -> ResponseContent {
    let mut content = ResponseContent::default();
    let mut finish = String::new();
    let mut counts = Value::Null;
    for message in payloads {
        if message["usageMetadata"]["promptTokenCount"].is_u64()
            || message["usageMetadata"]["candidatesTokenCount"].is_u64()
        {
            counts = message["usageMetadata"].clone();
        }
        let candidate = &message["candidates"][0];
        finish = candidate["finishReason"].as_str().map_or(finish, str::to_owned);
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            let text_value = part["text"].as_str().unwrap_or_default();
            if part["thought"] == true {
                content.thoughts += text_value;
            } else {
                content.text += text_value;
            }
            let call = &part["functionCall"];
            if let Some(name) = call["name"].as_str() {
                let args = if call["args"].is_object() { call["args"].clone() } else { json!({}) };
                content.calls.push((text(&call["id"]), name.to_owned(), args));
            }
            for piece in call["partialArgs"].as_array().into_iter().flatten() {
                let args = &mut content.calls.last_mut().unwrap().2;
                // The recordings have paths of plain names and consecutive positions.
                let mut place = args;
                for step in piece["jsonPath"].as_str().unwrap().trim_start_matches("$.").split(['.', '[']) {
                    match step.strip_suffix(']') {
                        None => place = &mut place[step],
                        Some(index) => {
                            let index: usize = index.parse().unwrap();
                            if place.is_null() {
                                *place = json!([]);
                            }
                            let list = place.as_array_mut().unwrap();
                            if list.len() == index {
                                list.push(Value::Null);
                            }
                            place = &mut list[index];
                        }
                    }
                }
                match piece["stringValue"].as_str() {
                    Some(more) => *place = json!(place.as_str().unwrap_or_default().to_owned() + more),
                    None => *place = piece["numberValue"].clone(),
                }
            }
        }
    }
    content.end = match finish.as_str() {
        "STOP" => ("completed".into(), String::new()),
        "MAX_TOKENS" => ("incomplete".into(), "max_output_tokens".into()),
        other => panic!("the plain reading does not know finish reason {other}"),
    };
    if counts.is_object() {
        let count = |key: &str| counts[key].as_u64().unwrap_or(0);
        let thoughts = count("thoughtsTokenCount");
        let input = count("promptTokenCount") + count("toolUsePromptTokenCount");
        let output = count("candidatesTokenCount") + thoughts;
        content.usage = usage(input, output, count("cachedContentTokenCount"), None, thoughts);
    }
    content
}

fn check(test: &str, folder: &str, dialect: Dialect, read: impl Fn(&[Value], &Recording) -> ResponseContent) {
    for recording in recordings(test, folder) {
        let file = &recording.file;
        let bytes = recording.bytes();
        let whole = convert(dialect, &recording, Split::Whole);
        let judged = || Reader::builder().validate(Layers::ALL);
        let response = fold(judged(), &whole.0, file);
        // Items that a failed response leaves open are in progress there, and incomplete for a reader that misses its end.
        if response["status"] != "failed" {
            let rebuilt = fold(judged().ignore_terminal_snapshot(), &whole.0, file);
            assert_eq!(response["output"], rebuilt["output"], "{file}: the snapshot is the fold");
        }
        let mut got = content_of(&response);
        let expected = read(&payloads(&recording), &recording);
        // If the wire has no id, one was made from the response's id.
        assert_eq!(got.calls.len(), expected.calls.len(), "{file}: {got:?}");
        for (got, expected) in got.calls.iter_mut().zip(&expected.calls).filter(|(_, expected)| expected.0.is_empty()) {
            assert!(got.0.starts_with("call_"), "{file}: {got:?}");
            got.0.clone_from(&expected.0);
        }
        assert_eq!(got, expected, "{file}");
        assert_eq!(detect(&bytes), Some(dialect), "{file}");
        // Single bytes are a test of the framing; here they are used for short recordings.
        let fine = if bytes.len() < 20_000 { Split::Bytes } else { Split::Every(41) };
        for split in [fine, Split::Random(bytes.len() as u64)] {
            assert!(convert(dialect, &recording, split) == whole, "{file}, {split:?}");
        }
    }
}

#[test]
fn anthropic_recordings_convert_to_valid_streams_with_the_same_content() {
    check("anthropic_recordings", "anthropic", Dialect::Anthropic, |payloads, _| read_anthropic(payloads));
}

#[test]
fn chat_recordings_convert_to_valid_streams_with_the_same_content() {
    check("chat_recordings", "chat-completions", Dialect::ChatCompletions, |payloads, recording| {
        let bytes = recording.bytes();
        let done = bytes.windows(12).any(|window| window == b"data: [DONE]")
            || bytes.windows(11).any(|window| window == b"data:[DONE]");
        read_chat(payloads, done)
    });
}

#[test]
fn gemini_recordings_convert_to_valid_streams_with_the_same_content() {
    check("gemini_recordings", "gemini", Dialect::Gemini, |payloads, _| read_gemini(payloads));
}
