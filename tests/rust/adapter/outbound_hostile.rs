//! The target adapters with streams that no server sends: for any input, the output follows the target's rules.

use std::collections::{BTreeMap, BTreeSet};

use deltafold::adapter::{Converter, ConverterOptions, Dialect, Framing};
use deltafold::json::Value as Json;
use deltafold::{Code, Kind, Limits};
use deltafold_tests::adapter::TARGETS;
use deltafold_tests::Random;
use serde_json::{json, Value};

fn converter(to: &str, options: Value, framing: Framing, limits: Limits) -> Result<Converter, deltafold::Error> {
    let options = Json::parse(&options.to_string(), 64).unwrap();
    let options = ConverterOptions::from_value(&options)?.framing(framing).limits(limits);
    Converter::with_options(Some(Dialect::OpenResponses), to.parse().unwrap(), options)
}

fn plain(to: &str) -> Converter {
    converter(to, json!({ "thread_id": "t" }), Framing::Native, Limits::default()).unwrap()
}

fn lines(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
}

/// A stream of events that are valid one by one and invalid together.
fn scramble(random: &mut Random) -> String {
    let mut out = String::new();
    let end = 1 + random.below(40);
    for number in 0..end {
        let kind = match random.below(12) {
            0 => "response.output_item.added",
            1 | 2 => "response.output_item.done",
            3.. if number + 1 == end => random.pick(&["response.completed", "response.incomplete", "response.failed"]),
            _ => Kind::ALL[random.below(Kind::ALL.len())].name(),
        };
        let mut event = json!({ "type": kind, "sequence_number": number });
        let mut set = |random: &mut Random, key: &str, value: Value| {
            if !random.one_in(12) {
                event[key] = value;
            }
        };
        let id = random.pick(&["a", "b", "c", ""]);
        let index = random.below(3);
        set(random, "output_index", json!(index));
        set(random, "item_id", json!(id));
        let element = random.below(3);
        set(random, "content_index", json!(element));
        set(random, "summary_index", json!(element));
        let delta = random.pick(&["", "x", "é", "{\"a\":", "1}", "\n"]);
        set(random, "delta", json!(delta));
        let words = random.pick(&["", "x", "xx", "xé", "{}"]);
        for key in ["text", "refusal", "arguments", "input", "name"] {
            set(random, key, json!(words));
        }
        let part = json!({ "type": random.pick(PARTS), "text": words, "refusal": words, "image_url": "data:image/png,",
            "annotations": [{ "type": "url_citation", "url": "u", "start_index": 0, "end_index": element }] });
        set(random, "part", part.clone());
        set(
            random,
            "annotation",
            json!({ "type": "url_citation", "url": "u", "start_index": element, "end_index": 2 }),
        );
        let item = json!({ "type": random.pick(ITEMS), "id": id, "call_id": id, "name": words, "arguments": words,
            "input": words, "output": words, "status": random.pick(&["completed", "incomplete", "in_progress"]),
            "encrypted_content": words, "content": [part.clone()], "summary": [part], "url": words, "role": "assistant" });
        let item = if random.one_in(20) { Value::Null } else { item };
        set(random, "item", item);
        set(
            random,
            "response",
            json!({ "id": "resp_1", "model": "m", "error": { "message": words },
            "incomplete_details": { "reason": words }, "usage": { "input_tokens": 1 }, "output": [] }),
        );
        if random.one_in(30) {
            event = [json!([]), json!("x"), json!({ "type": 5 }), Value::Null][random.below(4)].clone();
        }
        out.push_str(&format!("data: {event}\n\n"));
    }
    out
}

const PARTS: &[&str] =
    &["output_text", "refusal", "reasoning_text", "summary_text", "input_image", "input_file", "mystery"];
const ITEMS: &[&str] = &[
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "mcp_call",
    "web_search_call",
    "compaction",
    "x:media",
    "anthropic:web_search_call",
];

#[test]
fn any_stream_of_events_makes_a_stream_that_follows_the_rules_of_its_target() {
    for seed in 0..500 {
        let stream = scramble(&mut Random::new(seed));
        for to in TARGETS {
            let mut converter = plain(to);
            converter.feed(stream.as_bytes()).unwrap();
            converter.finish().unwrap();
            let out = lines(&converter.take());
            let checked = match to {
                "ag-ui" => ag_ui(&out),
                "chat-completions" => chat(&out),
                "anthropic" => anthropic(&out),
                _ => ui(&out),
            };
            if let Err(why) = checked {
                panic!("seed {seed} → {to}: {why}\n{stream}\n{out:#?}");
            }
        }
    }
}

/// The rules of the AG-UI client: which messages must be open, and which must be closed at the end.
fn ag_ui(out: &[Value]) -> Result<(), String> {
    let mut open: BTreeSet<(&str, &str)> = BTreeSet::new();
    let (first, last) = (out.first().ok_or("nothing")?, out.last().ok_or("nothing")?);
    let kind = |event: &Value| event["type"].as_str().unwrap().to_owned();
    if kind(first) != "RUN_STARTED" || !matches!(kind(last).as_str(), "RUN_FINISHED" | "RUN_ERROR") {
        return Err("not a run".into());
    }
    for event in out {
        let kind = kind(event);
        if event["delta"] == "" {
            return Err("an empty delta".into());
        }
        let (family, id) = match kind.as_str() {
            kind if kind.starts_with("TEXT_MESSAGE_") => ("text", &event["messageId"]),
            kind if kind.starts_with("REASONING_MESSAGE_") => ("reasoning", &event["messageId"]),
            "REASONING_START" | "REASONING_END" => ("span", &event["messageId"]),
            "TOOL_CALL_START" | "TOOL_CALL_ARGS" | "TOOL_CALL_END" => ("call", &event["toolCallId"]),
            "RUN_FINISHED" if !open.is_empty() => return Err(format!("open at the end: {open:?}")),
            _ => continue,
        };
        let id = id.as_str().ok_or("no id")?;
        let right = match kind.rsplit('_').next() {
            Some("START") => open.insert((family, id)),
            Some("END") => open.remove(&(family, id)),
            _ => open.contains(&(family, id)),
        };
        if !right {
            return Err(format!("{kind} of {id}"));
        }
    }
    Ok(())
}

fn chat(out: &[Value]) -> Result<(), String> {
    let mut calls = 0;
    for call in out.iter().flat_map(|chunk| chunk["choices"][0]["delta"]["tool_calls"].as_array()).flatten() {
        let index = call["index"].as_u64().ok_or("no index")?;
        match call["id"].is_string() {
            true if index == calls => calls += 1,
            false if index < calls => {}
            _ => return Err(format!("call {index}")),
        }
    }
    let ends =
        out.iter().filter(|chunk| chunk["error"].is_object() || chunk["choices"][0]["finish_reason"].is_string());
    (ends.count() == 1).then_some(()).ok_or("not one end".into())
}

fn anthropic(out: &[Value]) -> Result<(), String> {
    let (mut open, mut next) = (None, 0);
    for event in out {
        let index = event["index"].as_u64();
        let right = match event["type"].as_str() {
            Some("content_block_start") => index == Some(next) && open.replace(next).is_none(),
            Some("content_block_delta") => open.is_some() && index == open,
            Some("content_block_stop") => {
                next += 1;
                index == open.take()
            }
            Some("message_delta" | "message_stop") => open.is_none(),
            _ => true,
        };
        if !right {
            return Err(format!("{event}"));
        }
    }
    let end = out.last().and_then(|event| event["type"].as_str());
    matches!(end, Some("message_stop" | "error")).then_some(()).ok_or("no end".into())
}

fn ui(out: &[Value]) -> Result<(), String> {
    let mut open: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut calls: BTreeMap<&str, &str> = BTreeMap::new();
    for chunk in out {
        let kind = chunk["type"].as_str().ok_or("no type")?;
        let id = chunk["id"].as_str().or(chunk["toolCallId"].as_str()).unwrap_or("");
        let right = match kind {
            "text-start" => open.insert(("text", id)),
            "text-delta" => open.contains(&("text", id)),
            "text-end" => open.remove(&("text", id)),
            "reasoning-start" => open.insert(("reasoning", id)),
            "reasoning-delta" => open.contains(&("reasoning", id)),
            "reasoning-end" => open.remove(&("reasoning", id)),
            "tool-input-start" => calls.insert(id, "open").is_none(),
            "tool-input-delta" => calls.get(id) == Some(&"open"),
            "tool-input-available" | "tool-input-error" => calls.insert(id, "done") == Some("open"),
            "tool-output-available" => calls.contains_key(id),
            "finish" | "error" | "abort" => open.is_empty(),
            _ => true,
        };
        if !right {
            return Err(format!("{chunk}"));
        }
    }
    let end = out.last().and_then(|chunk| chunk["type"].as_str());
    matches!(end, Some("finish" | "error" | "abort")).then_some(()).ok_or("no end".into())
}

const HELLO: &str = concat!(
    "data: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\",\"model\":\"m\"}}\n\n",
    "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"a\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hi\"}\n\n",
);

#[test]
fn a_cancelled_conversion_ends_like_a_cancelled_response() {
    for (to, expected) in [
        (
            "ag-ui",
            json!({ "open_responses": { "response_id": "resp_1", "status": "incomplete", "incomplete_reason": "cancelled" } }),
        ),
        ("chat-completions", json!("stop")),
        ("anthropic", json!("message_stop")),
        ("ui-message-stream", json!("abort")),
    ] {
        let mut converter = plain(to);
        converter.feed(HELLO.as_bytes()).unwrap();
        converter.cancel().unwrap();
        let out = lines(&converter.take());
        let last = out.last().unwrap();
        let got = match to {
            "ag-ui" => &last["metadata"],
            "chat-completions" => &last["choices"][0]["finish_reason"],
            _ => &last["type"],
        };
        assert_eq!(got, &expected, "{to}");
        assert_eq!(converter.feed(b"x").unwrap_err().code(), Code::AfterFinish, "{to}");
    }
}

#[test]
fn limits_of_items_parts_and_texts_end_the_conversion() {
    let delta = |output: usize, content: usize, text: &str| {
        format!(
            "data: {}\n\n",
            json!({ "type": "response.output_text.delta", "output_index": output, "content_index": content, "delta": text })
        )
    };
    for to in TARGETS {
        for (limits, streams, code) in [
            (Limits::default().items(3), (0..4).map(|at| delta(at, 0, "x")).collect::<String>(), Code::ItemLimit),
            (Limits::default().parts(3), (0..4).map(|at| delta(0, at, "x")).collect(), Code::PartLimit),
            (
                Limits::default().response_bytes(64),
                (0..9).map(|_| delta(0, 0, "12345678")).collect(),
                Code::ResponseLimit,
            ),
        ] {
            let mut converter = converter(to, json!({ "thread_id": "t" }), Framing::Native, limits).unwrap();
            let error = converter.feed(streams.as_bytes()).unwrap_err();
            assert_eq!((error.code(), converter.finish().unwrap_err().code()), (code, code), "{to}");
            assert!(!converter.take().is_empty(), "{to}: output from before the limit is valid");
        }
    }
}

#[test]
fn ag_ui_as_json_lines_has_one_event_per_line_and_no_frames() {
    let mut lines = converter("ag-ui", json!({ "thread_id": "t" }), Framing::JsonLines, Limits::default()).unwrap();
    lines.feed(HELLO.as_bytes()).unwrap();
    lines.finish().unwrap();
    let text = String::from_utf8(lines.take()).unwrap();
    let kinds: Vec<Value> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].take()).collect();
    assert_eq!(kinds, ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_ERROR"]);
}

#[test]
fn options_that_are_missing_misspelt_or_of_the_wrong_type_are_refused() {
    for (to, options, code) in [
        ("ag-ui", json!({}), Code::BadArgument),
        ("ag-ui", json!({ "thread_id": 5 }), Code::BadArgument),
        ("ag-ui", json!({ "thread_id": "t", "media": "both" }), Code::BadArgument),
        ("ag-ui", json!({ "thread_id": "t", "reasoning_style": "loud" }), Code::BadArgument),
        ("ag-ui", json!({ "thread_id": "t", "thread": "t" }), Code::UnknownName),
        ("chat-completions", json!({ "include_usage": "yes" }), Code::BadArgument),
        ("ui-message-stream", json!({ "provider_key": null, "message_id": 1 }), Code::BadArgument),
    ] {
        let error = converter(to, options.clone(), Framing::Native, Limits::default()).unwrap_err();
        assert_eq!(error.code(), code, "{to} {options}");
    }
}

#[test]
fn data_that_waits_for_another_item_counts_towards_the_limit() {
    let limits = Limits::default().response_bytes(4096);
    let mut converter = converter("anthropic", json!({}), Framing::Native, limits).unwrap();
    let event = |output: usize| {
        format!("data: {}\n\n", json!({ "type": "response.output_text.delta", "output_index": output, "delta": "x" }))
    };
    converter.feed(event(0).as_bytes()).unwrap();
    let failed = (0..4096).find_map(|_| converter.feed(event(1).as_bytes()).err());
    assert_eq!(failed.map(|error| error.code()), Some(Code::ResponseLimit));
}
