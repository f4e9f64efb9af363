//! The views of a response, an event and a frame, method by method.
//!
//! Most tests compare whole responses as JSON, so an error in a getter would not be noticed there.

use deltafold::event::{Origin, Parser, Payload};
use deltafold::sse::{FrameDecoder, Signal};
use deltafold::{
    AccumulateOptions, Accumulator, Findings, ItemKind, ItemStatus, Kind, Limits, Location, OwnedEvent, Reader,
    ResponseStatus, SeverityMap, Usage,
};
use serde_json::{json, Value};

fn feed(reader: &mut Reader, event: Value) {
    reader.feed_json(&event.to_string()).unwrap();
    while reader.poll_event().unwrap().is_some() {}
}

fn created(reader: &mut Reader) {
    let response = json!({ "id": "resp_1", "object": "response", "status": "in_progress", "model": "m-1", "usage": null,
        "error": null, "incomplete_details": null, "output": [] });
    feed(reader, json!({ "type": "response.created", "sequence_number": 0, "response": response }));
}

#[test]
fn a_response_returns_its_fields_and_treats_null_as_absent() {
    let mut reader = Reader::new();
    assert_eq!((reader.response().id(), reader.response().status(), reader.response().model()), (None, None, None));
    created(&mut reader);
    let response = reader.response();
    assert_eq!(
        (response.id(), response.status(), response.model()),
        (Some("resp_1"), Some(ResponseStatus::InProgress), Some("m-1"))
    );
    assert!(response.usage().is_none() && response.error().is_none() && response.incomplete_details().is_none());
    assert!(response.get("output").is_none() && response.get("usage").is_some_and(|usage| usage.is_null()));

    let ended = json!({ "id": "resp_1", "object": "response", "status": "incomplete", "model": "m-1", "usage": { "total_tokens": 7 },
        "error": { "code": "c" }, "incomplete_details": { "reason": "max_output_tokens" }, "output": [] });
    feed(&mut reader, json!({ "type": "response.incomplete", "sequence_number": 1, "response": ended }));
    let response = reader.response();
    assert_eq!((response.status(), response.status_name()), (Some(ResponseStatus::Incomplete), Some("incomplete")));
    assert_eq!(response.usage(), Some(Usage::default()), "counts that are absent are 0");
    assert_eq!(response.usage_value().unwrap().to_string(), r#"{"total_tokens":7}"#);
    assert_eq!(response.error().unwrap().to_string(), r#"{"code":"c"}"#);
    assert_eq!(response.incomplete_details().unwrap().to_string(), r#"{"reason":"max_output_tokens"}"#);
}

#[test]
fn an_item_returns_its_fields_in_progress_and_done() {
    let mut reader = Reader::new();
    created(&mut reader);
    let call = json!({ "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look", "arguments": "", "status": "in_progress" });
    feed(
        &mut reader,
        json!({ "type": "response.output_item.added", "sequence_number": 1, "output_index": 3, "item": call }),
    );
    let item = reader.response().item_at_index(3).unwrap();
    assert!(reader.response().item_at_index(0).is_none());
    assert_eq!(
        (item.kind(), item.id(), item.status()),
        (ItemKind::FunctionCall, Some("fc_1"), Some(ItemStatus::InProgress))
    );
    assert_eq!((item.call_id(), item.name(), item.is_done()), (Some("call_1"), Some("look"), false));
    assert_eq!(item.get("name").and_then(|name| name.as_str()), Some("look"));
    assert!(item.get("nothing").is_none());

    let done = json!({ "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look", "arguments": "{}", "status": "completed" });
    feed(
        &mut reader,
        json!({ "type": "response.output_item.done", "sequence_number": 2, "output_index": 3, "item": done }),
    );
    let item = reader.response().item(0).unwrap();
    assert_eq!((item.status(), item.arguments(), item.is_done()), (Some(ItemStatus::Completed), Some("{}"), true));
}

#[test]
fn a_message_returns_its_text_and_its_parts_with_log_probabilities() {
    let mut reader = Reader::new();
    created(&mut reader);
    let delta = |number: u64, part: u64, text: &str, logprobs: Value| {
        json!({ "type": "response.output_text.delta", "sequence_number": number, "item_id": "msg_1", "output_index": 0,
            "content_index": part, "delta": text, "logprobs": logprobs })
    };
    let chance = |token: &str| json!({ "token": token, "logprob": -1 });
    feed(&mut reader, delta(1, 0, "Hel", json!([chance("Hel")])));
    feed(&mut reader, delta(2, 1, "you", json!([chance("you")])));
    feed(&mut reader, delta(3, 0, "lo ", json!([chance("lo ")])));
    let growing = reader.response().item(0).unwrap();
    assert_eq!((growing.text().as_ref(), reader.response().output_text_len()), ("Hello you", 9));
    let tokens = |at: usize, reader: &Reader| {
        let part = reader.response().item(0).unwrap().parts().nth(at).unwrap();
        let list: Value = serde_json::from_str(&part.get("logprobs").unwrap().to_string()).unwrap();
        list.as_array().unwrap().iter().map(|one| one["token"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        (tokens(0, &reader), tokens(1, &reader)),
        (vec!["Hel".to_owned(), "lo ".to_owned()], vec!["you".to_owned()])
    );
    let part = growing.parts().next().unwrap();
    assert_eq!(part.get("text").and_then(|text| text.as_str()), Some("Hello "));
    assert!(part.get("nothing").is_none());

    let text = |text: &str, token: &str| json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [chance(token)] });
    let done = json!({ "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text("Hello ", "a"), text("you", "b")] });
    feed(
        &mut reader,
        json!({ "type": "response.output_item.done", "sequence_number": 4, "output_index": 0, "item": done }),
    );
    assert_eq!((tokens(0, &reader), tokens(1, &reader)), (vec!["a".to_owned()], vec!["b".to_owned()]));
    assert_eq!(reader.response().item(0).unwrap().text(), "Hello you");
}

#[test]
fn summary_parts_and_content_parts_are_separate() {
    let mut reader = Reader::new();
    created(&mut reader);
    let summary = |text: &str| json!({ "type": "response.reasoning_summary_text.delta", "item_id": "rs_1", "output_index": 0, "summary_index": 0, "delta": text });
    let part = |at: u64, text: &str| json!({ "type": "response.reasoning_text.delta", "item_id": "rs_1", "output_index": 0, "content_index": at, "delta": text });
    for event in [summary("[1"), part(0, "{\"a\":2"), part(1, "[\"b"), part(2, "[true")] {
        feed(&mut reader, event);
    }
    let read = |reader: &Reader| {
        let item = reader.response().item(0).unwrap();
        let parts = item.summary().chain(item.parts());
        parts.map(|part| part.partial_json().map_or_else(String::new, |value| value.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(read(&reader), ["[]", "{}", "[\"b\"]", "[true]"]);
    for event in [summary(",3]"), part(0, "}"), part(1, "c\"]"), part(2, ",false]")] {
        feed(&mut reader, event);
    }
    assert_eq!(read(&reader), ["[1,3]", "{\"a\":2}", "[\"bc\"]", "[true,false]"]);
}

#[test]
fn an_accumulator_returns_the_last_error_and_loses_everything_on_reset() {
    let mut accumulator = Accumulator::new(AccumulateOptions::default(), Limits::default());
    let mut findings = Findings::new(100, SeverityMap::by_level());
    let mut parser = Parser::new(128);
    assert!(accumulator.error().is_none());
    for payload in [
        r#"{"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}}"#,
        r#"{"type":"error","sequence_number":1,"error":{"type":"server_error","code":"busy","message":"later","param":null}}"#,
    ] {
        accumulator.apply(&parser.parse(payload, Origin::default()), &mut findings).unwrap();
    }
    let error = accumulator.error().unwrap();
    assert_eq!((error.kind.as_str(), error.code.as_str(), error.message.as_str()), ("server_error", "busy", "later"));
    accumulator.finish(Location::default(), None, &mut findings);
    // The response reports the server's error.
    let result: Value = serde_json::from_str(&accumulator.response().to_json()).unwrap();
    assert_eq!(result["error"], json!({ "code": "busy", "message": "later" }));
    accumulator.reset();
    assert!(accumulator.error().is_none() && accumulator.outcome().is_none() && accumulator.response().id().is_none());
}

#[test]
fn the_time_to_wait_is_in_seconds_from_any_header() {
    let wait = |headers: &[(&str, &str)]| {
        let mut reader = Reader::new();
        reader.note_headers(headers.iter().copied());
        reader.rate_limits().retry_after_seconds()
    };
    assert_eq!(wait(&[("Retry-After-Ms", "1500"), ("Retry-After", "9")]), Some(1.5));
    assert_eq!(wait(&[("Retry-After", " 9 ")]), Some(9.0));
    assert_eq!(wait(&[("Retry-After", "0")]), Some(0.0));
    for nothing in ["-1", "inf", "NaN", "soon"] {
        assert_eq!(wait(&[("Retry-After", nothing)]), None, "{nothing}");
    }
}

#[test]
fn an_event_has_the_accessors_of_its_group() {
    let payload = |text: &str| {
        let event = OwnedEvent::parse(text);
        match event.as_event().payload() {
            Payload::Response(response) => format!("response {}", response.unwrap().raw()),
            Payload::ToolState(address, status) => format!("tool {:?} {status}", address.output_index),
            Payload::Delta(_, text) => format!("delta {text}"),
            Payload::Done(_, text) => format!("done {text}"),
            _ => "other".to_owned(),
        }
    };
    assert_eq!(payload(r#"{"type":"response.in_progress","response":{"id":"r"}}"#), r#"response {"id":"r"}"#);
    assert_eq!(payload(r#"{"type":"response.mcp_call.failed","output_index":2}"#), "tool Some(2) failed");
    assert_eq!(payload(r#"{"type":"response.output_text.delta","delta":"x"}"#), "delta x");
    assert_eq!(payload(r#"{"type":"response.output_text.done","text":"xy"}"#), "done xy");
    assert_eq!(payload(r#"{"type":"response.output_text.done"}"#), "done ");
    assert!("no.such.kind".parse::<Kind>().is_err());
    assert_eq!(Kind::Unknown.name().parse::<Kind>().unwrap(), Kind::Unknown);
}

#[test]
fn owned_events_compare_by_text_and_frame_name() {
    let text = r#"{"type":"response.function_call_arguments.done","arguments":"[\ud83d"}"#;
    let named = |name: Option<&str>, text: &str| {
        Parser::new(128).parse(text, Origin { frame_name: name, ..Origin::default() }).to_owned()
    };
    assert!(named(None, text) == OwnedEvent::parse(text));
    assert!(named(Some("a"), text) == named(Some("a"), text).clone());
    assert!(named(Some("a"), text) != named(Some("b"), text));
    assert!(named(Some("a"), text) != named(Some("a"), "{}"));
    let event = OwnedEvent::parse(text);
    let view = event.as_event();
    assert_eq!(view.arguments(), Some("[\u{FFFD}"));
    let halves = view.done_text_surrogates();
    assert_eq!((halves.leading_low, halves.trailing_high, halves.lone), (None, Some(0xD83D), true));
    assert_eq!(
        OwnedEvent::parse(r#"{"type":"response.output_text.done","text":"x"}"#).as_event().arguments(),
        Some("x")
    );
    assert_eq!(event.into_raw(), text);
}

#[test]
fn debug_texts_have_kinds_and_sizes_and_no_payload() {
    let mut reader = Reader::new();
    created(&mut reader);
    feed(
        &mut reader,
        json!({ "type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0, "delta": "secret" }),
    );
    let response = reader.response();
    let item = response.item(0).unwrap();
    let part = item.parts().next().unwrap();
    assert_eq!(format!("{response:?}"), "Response { items: 1, .. }");
    assert_eq!(format!("{item:?}"), "Item { kind: Message, done: false, .. }");
    assert_eq!(format!("{part:?}"), "Part { type: \"output_text\", bytes: 6, .. }");
    let accumulator = Accumulator::new(AccumulateOptions::default(), Limits::default());
    assert_eq!(format!("{accumulator:?}"), "Accumulator { items: 0, bytes: 0, outcome: None, .. }");
    let event = OwnedEvent::parse(
        r#"{"type":"response.output_text.delta","sequence_number":4,"output_index":0,"delta":"secret"}"#,
    );
    let shown = format!("{event:?}");
    assert_eq!(shown, format!("{:?}", event.as_event()));
    assert!(
        shown.contains("sequence_number: Some(4)") && shown.contains("bytes: 91") && !shown.contains("secret"),
        "{shown}"
    );
}

#[test]
fn a_block_that_is_only_a_line_end_has_no_flags() {
    let marks = |text: &str| {
        let mut decoder = FrameDecoder::new(&Limits::default());
        let (mut seen, mut at) = (Vec::new(), 0);
        while let Some(signal) = decoder.next(text.as_bytes(), &mut at).unwrap() {
            match signal {
                Signal::Frame(frame) => seen.push((frame.features.is_empty(), format!("{:?}", frame.features))),
                Signal::Blank(blank) => seen.push((blank.features.is_empty(), format!("{:?}", blank.features))),
                _ => {}
            }
        }
        seen
    };
    assert_eq!(marks("data: x\n\n"), [(true, "{}".to_owned())]);
    assert_eq!(marks("\r\n"), [(true, "{\"carriage_return\"}".to_owned())]);
    assert_eq!(marks("event: a\ndata: x\n\n"), [(false, "{\"event\"}".to_owned())]);
    assert_eq!(marks("\rretry: 1\r\r").last(), Some(&(false, "{\"retry\", \"carriage_return\"}".to_owned())));
}

#[test]
fn a_value_is_printed_with_two_spaces_for_each_level() {
    for text in [
        r#"{"a":[1,{"b":[],"c":{}},[[2,3]]],"d":"x"}"#,
        "[]",
        "{}",
        r#"[{},[],"y",null,true,false,-1.50]"#,
        r#"{"a":{"b":{"c":[{"d":1}]}},"e":2}"#,
    ] {
        let other: Value = serde_json::from_str(text).unwrap();
        let value = deltafold::json::Value::parse(text, 128).unwrap();
        assert_eq!(value.to_pretty(), serde_json::to_string_pretty(&other).unwrap());
    }
}

#[test]
fn a_pointer_finds_keys_with_slashes_and_tildes() {
    let text = r#"{"type":"acme:x","a/b":{"c~d":[10,{"~1":false}],"e":1}}"#;
    let value = deltafold::json::Value::parse(text, 128).unwrap();
    let event = OwnedEvent::parse(text);
    let other: Value = serde_json::from_str(text).unwrap();
    for pointer in
        ["", "/type", "/a~1b/e", "/a~1b/c~0d/0", "/a~1b/c~0d/1/~01", "/a~1b/c~0d/2", "/a/b", "/a~1b/c~1d", "/type/0"]
    {
        let known = other.pointer(pointer).map(Value::to_string);
        assert_eq!(value.pointer(pointer).map(ToString::to_string), known, "{pointer}");
        let view = event.as_event().root().unwrap().pointer(pointer).map(|view| view.to_value().to_string());
        assert_eq!(view, known, "{pointer}");
    }
}

#[test]
fn numbers_are_compared_by_value() {
    let number = |text: &str| deltafold::json::Value::parse(text, 8).unwrap();
    for same in [["1", "1.0"], ["1", "10e-1"], ["120", "1.2E2"], ["0", "-0.0"], ["-5", "-0.5e1"], ["0.10", "1e-1"]] {
        assert!(number(same[0]) == number(same[1]), "{same:?}");
    }
    for other in [["1", "2"], ["1", "-1"], ["1", "10"], ["1e2", "1e3"], ["0.1", "0.01"], ["12", "1.2"]] {
        assert!(number(other[0]) != number(other[1]), "{other:?}");
    }
}
