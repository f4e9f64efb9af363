//! From a dialect to Open Responses and back: a client folds the same content from the result, except for the losses that the
//! findings report.

use deltafold::adapter::{Converter, Dialect};
use deltafold::json::Value as Json;
use deltafold_tests::recordings;
use serde_json::{json, Map, Value};

/// A stream converted to its own dialect, and the codes of the findings of both halves.
fn round(dialect: Dialect, bytes: &[u8]) -> (Vec<u8>, Vec<&'static str>) {
    let options =
        Json::parse(r#"{"now":1767225600,"response_id":"resp_spare","reasoning_field":"reasoning_content"}"#, 8);
    let mut converter = Converter::new(Some(dialect), dialect, &options.unwrap()).unwrap();
    converter.feed(bytes).unwrap();
    converter.finish().unwrap();
    let out = converter.take();
    let codes = converter.findings().map(|finding| finding.code.name()).collect();
    (out, codes)
}

fn payloads(bytes: &[u8]) -> Vec<Value> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let data =
        text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).filter(|data| *data != "[DONE]");
    data.map(|data| serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}"))).collect()
}

/// An Anthropic message as its client folds it: blocks in order, and the other members.
#[derive(Debug, PartialEq)]
struct Message {
    id: Value,
    model: Value,
    blocks: Vec<Value>,
    /// Hosted calls and their results, by id: results may move up to their calls.
    hosted: Map<String, Value>,
    stop: (Value, Value),
    usage: Map<String, Value>,
}

fn fold_anthropic(payloads: &[Value]) -> Message {
    let mut blocks: Vec<Value> = Vec::new();
    let mut pieces: Vec<String> = Vec::new();
    let mut usage = Map::new();
    let (mut stop, mut id, mut model) = ((Value::Null, Value::Null), Value::Null, Value::Null);
    let append = |place: &mut Value, more: &Value| {
        *place = json!(place.as_str().unwrap_or_default().to_owned() + more.as_str().unwrap_or_default());
    };
    for event in payloads {
        let counts = [&event["message"]["usage"], &event["usage"]];
        for (key, value) in
            counts.into_iter().filter_map(Value::as_object).flatten().filter(|(_, value)| value.is_u64())
        {
            usage.insert(key.clone(), value.clone());
        }
        match event["type"].as_str().unwrap() {
            "message_start" => {
                id = event["message"]["id"].clone();
                model = event["message"]["model"].clone();
                blocks = event["message"]["content"].as_array().unwrap().clone();
                pieces = vec![String::new(); blocks.len()];
                stop = (event["message"]["stop_reason"].clone(), event["message"]["stop_sequence"].clone());
            }
            "content_block_start" => {
                blocks.push(event["content_block"].clone());
                pieces.push(String::new());
            }
            "content_block_delta" => {
                let at = event["index"].as_u64().unwrap() as usize;
                let delta = &event["delta"];
                match delta["type"].as_str().unwrap() {
                    "text_delta" => append(&mut blocks[at]["text"], &delta["text"]),
                    "thinking_delta" => append(&mut blocks[at]["thinking"], &delta["thinking"]),
                    "signature_delta" => blocks[at]["signature"] = delta["signature"].clone(),
                    "input_json_delta" => pieces[at] += delta["partial_json"].as_str().unwrap(),
                    "compaction_delta" => blocks[at]["content"] = delta["content"].clone(),
                    "citations_delta" => {
                        if !blocks[at]["citations"].is_array() {
                            blocks[at]["citations"] = json!([]);
                        }
                        blocks[at]["citations"].as_array_mut().unwrap().push(delta["citation"].clone());
                    }
                    other => panic!("a delta of type {other}"),
                }
            }
            "message_delta" => stop = (event["delta"]["stop_reason"].clone(), event["delta"]["stop_sequence"].clone()),
            _ => {}
        }
    }
    for (block, piece) in blocks.iter_mut().zip(pieces).filter(|(_, piece)| !piece.is_empty()) {
        block["input"] = serde_json::from_str(&piece).unwrap_or_else(|_| json!(piece));
    }
    let mut hosted = Map::new();
    blocks.retain_mut(|block| {
        // The boundaries of an empty text and the caller of a tool are lost by design, and an empty list counts as none.
        let fields = block.as_object_mut().unwrap();
        fields.remove("caller");
        if fields.get("signature").is_some_and(|signature| signature == "") {
            fields.remove("signature");
        }
        if fields.get("citations").is_some_and(|list| list.as_array().is_none_or(Vec::is_empty)) {
            fields.remove("citations");
        }
        let kind = block["type"].as_str().unwrap().to_owned();
        if kind == "server_tool_use" || kind == "mcp_tool_use" || kind.ends_with("_tool_result") {
            let owner = block["tool_use_id"].as_str().or(block["id"].as_str()).unwrap();
            hosted.insert(format!("{owner} {kind}"), block.clone());
            return false;
        }
        kind != "text" || block["text"] != ""
    });
    usage.retain(|key, value| matches!(key.as_str(), "input_tokens" | "output_tokens") || *value != 0);
    Message { id, model, blocks, hosted, stop, usage }
}

#[test]
fn anthropic_recordings_survive_a_round_trip() {
    for recording in recordings("anthropic_recordings_come_back", "anthropic") {
        let bytes = recording.bytes();
        let (out, codes) = round(Dialect::Anthropic, &bytes);
        let (mut before, after) = (fold_anthropic(&payloads(&bytes)), fold_anthropic(&payloads(&out)));
        // Gateways have ids of their own, which are embedded in one of Anthropic's form.
        if let Some(own) = before.id.as_str().filter(|id| !id.starts_with("msg_")) {
            before.id = json!(format!("msg_{own}"));
        }
        assert_eq!(after, before, "{}", recording.file);
        let lost = ["caller_dropped", "citation_without_url", "missing_block_start"];
        assert!(codes.iter().all(|code| lost.contains(code)), "{}: {codes:?}", recording.file);
    }
}

#[test]
fn complete_blocks_in_message_start_survive_a_round_trip() {
    let stream = concat!(
        r#"data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","#,
        r#""content":[{"type":"text","text":"On."},{"type":"tool_use","id":"toolu_1","name":"go","input":{"a":1}}],"#,
        r#""stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}}"#,
        "\n\ndata: {\"type\":\"message_stop\"}\n\n",
    );
    let (out, codes) = round(Dialect::Anthropic, stream.as_bytes());
    assert_eq!(fold_anthropic(&payloads(&out)), fold_anthropic(&payloads(stream.as_bytes())));
    assert!(codes.is_empty(), "{codes:?}");
}

/// A chat completion as its client folds it.
#[derive(Debug, Default, PartialEq)]
struct Completion {
    model: String,
    content: String,
    refusal: String,
    reasoning: String,
    /// Id, name, arguments.
    calls: Vec<(String, String, String)>,
    images: Vec<String>,
    citations: Vec<Value>,
    finish: String,
    usage: Value,
    failed: bool,
}

fn fold_chat(payloads: &[Value]) -> Completion {
    let mut all = Completion::default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut keys: Vec<Value> = Vec::new();
    for chunk in payloads {
        if all.model.is_empty() {
            all.model = text(&chunk["model"]);
        }
        all.failed |= chunk["error"].is_object();
        for counted in [&chunk["x_groq"]["usage"], &chunk["usage"]].into_iter().filter(|usage| usage.is_object()) {
            all.usage = counted.clone();
        }
        let choices = chunk["choices"].as_array().into_iter().flatten();
        for choice in choices.filter(|choice| choice["index"].as_u64().unwrap_or(0) == 0) {
            let delta = &choice["delta"];
            let reason = text(&choice["finish_reason"]);
            if all.finish.is_empty() {
                all.content += &text(&delta["content"]);
                all.content += &text(&delta["audio"]["transcript"]);
                for part in delta["content"].as_array().into_iter().flatten() {
                    all.content += &text(&part["text"]);
                    let thoughts = part["thinking"].as_array().into_iter().flatten();
                    thoughts.for_each(|thought| all.reasoning += &text(&thought["text"]));
                }
                all.refusal += &text(&delta["refusal"]);
                match delta["reasoning_details"].as_array().filter(|details| !details.is_empty()) {
                    Some(details) => {
                        details.iter().for_each(|one| all.reasoning += &(text(&one["text"]) + &text(&one["summary"])))
                    }
                    None => {
                        let texts = [&delta["reasoning_content"], &delta["reasoning"]].map(text);
                        all.reasoning += texts.iter().find(|text| !text.is_empty()).map_or("", String::as_str);
                    }
                }
                for image in delta["images"].as_array().into_iter().flatten() {
                    all.images.push(text(&image["image_url"]["url"]));
                }
                for note in delta["annotations"].as_array().into_iter().flatten() {
                    all.citations.push(note["url_citation"]["url"].clone());
                }
                for entry in delta["tool_calls"].as_array().into_iter().flatten() {
                    let id = text(&entry["id"]);
                    let known = keys.iter().rposition(|key| *key == entry["index"]);
                    let at = known.filter(|at| id.is_empty() || all.calls[*at].0 == id).unwrap_or_else(|| {
                        keys.push(entry["index"].clone());
                        all.calls.push((id, String::new(), String::new()));
                        keys.len() - 1
                    });
                    all.calls[at].1 += &text(&entry["function"]["name"]);
                    all.calls[at].2 += &text(&entry["function"]["arguments"]);
                }
                all.finish = reason;
            }
        }
    }
    all
}

/// The counts that are converted, as Open Responses defines them.
fn counts(usage: &Value) -> Value {
    if !usage.is_object() {
        return Value::Null;
    }
    let count = |value: &Value| value.as_u64();
    let cached = count(&usage["prompt_tokens_details"]["cached_tokens"]);
    let cached =
        cached.or(count(&usage["prompt_cache_hit_tokens"])).or(count(&usage["num_cached_tokens"])).unwrap_or(0);
    let reasoning = count(&usage["completion_tokens_details"]["reasoning_tokens"]).unwrap_or(0);
    let (input, mut output) = (count(&usage["prompt_tokens"]).unwrap(), count(&usage["completion_tokens"]).unwrap());
    // Some servers count reasoning separately, which their total shows.
    if reasoning > output || (reasoning > 0 && count(&usage["total_tokens"]) == Some(input + output + reasoning)) {
        output += reasoning;
    }
    json!([
        input,
        output,
        input + output,
        cached,
        reasoning,
        count(&usage["prompt_tokens_details"]["cache_write_tokens"])
    ])
}

#[test]
fn chat_recordings_survive_a_round_trip() {
    for recording in recordings("chat_recordings_come_back", "chat-completions") {
        let bytes = recording.bytes();
        let (out, codes) = round(Dialect::ChatCompletions, &bytes);
        let (mut before, mut after) = (fold_chat(&payloads(&bytes)), fold_chat(&payloads(&out)));
        before.usage = counts(&before.usage);
        after.usage = counts(&after.usage);
        // A first chunk without a model starts the response before the name is known.
        if after.model == "unknown" {
            after.model.clone_from(&before.model);
        }
        // No reason counts as a normal end, and for a call without output the reason is the one that clients expect.
        if before.finish.is_empty() && codes.contains(&"missing_finish_reason") {
            before.finish = "stop".to_owned();
        }
        if before.finish == "stop" && !before.calls.is_empty() {
            before.finish = "tool_calls".to_owned();
        }
        assert_eq!(after, before, "{}", recording.file);
        let lost = [
            "annotation_dropped",
            "content_after_finish",
            "content_part_dropped",
            "encrypted_content_dropped",
            "item_dropped",
            "media_dropped",
            "missing_finish_reason",
            "multiple_choices",
            "usage_total_mismatch",
        ];
        assert!(codes.iter().all(|code| lost.contains(code)), "{}: {codes:?}", recording.file);
    }
}
