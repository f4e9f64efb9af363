//! Vectors of the accumulator: the effect of each event on the response, each repair, each outcome.

use deltafold::__bindings::recount_bytes;
use deltafold::event::{Origin, Parser};
use deltafold::{
    AccumulateOptions, Accumulator, Findings, Limits, Location, Outcome, PreviewImages, Reader, SeverityMap,
};
use deltafold_tests::{canonical, splits, vectors, Split, Vector};
use serde_json::{json, Value};

fn payloads(vector: &Vector) -> Vec<String> {
    let list = vector.get("events").as_array().or(vector.get("raw_events").as_array()).expect("a vector has events");
    // Raw events are JSON text, because they may contain values that serde_json refuses, such as a lone surrogate.
    list.iter().map(|event| event.as_str().map_or_else(|| event.to_string(), str::to_owned)).collect()
}

fn options(vector: &Vector) -> AccumulateOptions {
    let is_on = |name: &str| vector.get("options")[name] == true;
    AccumulateOptions::default()
        .ignore_terminal_snapshot(is_on("ignore_terminal_snapshot"))
        .derive_item_ids(is_on("derive_item_ids"))
}

fn outcome(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Incomplete { reason } => json!({ "outcome": "incomplete", "reason": reason }),
        Outcome::Failed { error } => json!({ "outcome": "failed", "error": {
            "type": error.kind, "code": error.code, "message": error.message, "param": error.param,
        } }),
        other => json!({ "outcome": other.name() }),
    }
}

fn expect(vector: &Vector, response: &str, found: &Outcome, how: &str) {
    let response: Value = serde_json::from_str(response).unwrap();
    let expected = vector.get("expect");
    let output = response.get("output").cloned().unwrap_or(json!([]));
    assert_eq!(canonical(&output), canonical(&expected["output"]), "{vector}, {how}: output");
    assert_eq!(response["status"], expected["status"], "{vector}, {how}: status");
    assert_eq!(canonical(&outcome(found)), canonical(&expected["outcome"]), "{vector}, {how}: outcome");
}

#[test]
fn every_vector_folds_as_expected_with_every_repair_reported() {
    for vector in vectors("accumulate") {
        let mut accumulator = Accumulator::new(options(&vector), Limits::default());
        let mut findings = Findings::new(100, SeverityMap::by_level());
        let mut parser = Parser::new(128);
        for (index, payload) in payloads(&vector).iter().enumerate() {
            let event = parser.parse(payload, Origin { index: index as u64, ..Origin::default() });
            accumulator.apply(&event, &mut findings).unwrap();
        }
        let found = accumulator.finish(Location::default(), None, &mut findings);
        expect(&vector, &accumulator.response().to_json(), &found, "alone");
        assert_eq!(accumulator.response().to_value().to_string(), accumulator.response().to_json(), "{vector}");
        let reported: Vec<Value> = findings
            .as_slice()
            .iter()
            .map(|finding| {
                json!(format!("{} {}", finding.rule.id(), finding.repair.map_or("-", |repair| repair.name())))
            })
            .collect();
        assert_eq!(json!(reported), vector.get("expect")["findings"], "{vector}: findings");
    }
}

#[test]
fn every_vector_folds_the_same_from_bytes_split_anywhere() {
    for vector in vectors("accumulate") {
        let stream: String = payloads(&vector).iter().map(|payload| format!("data: {payload}\n\n")).collect();
        let ways = splits(stream.as_bytes()).into_iter().enumerate();
        // Every split is tried in other tests; here some splits in two are enough.
        for (_, way) in ways.filter(|(at, way)| !matches!(way, Split::Two(_)) || at % 17 == 0) {
            let mut reader = Reader::builder().accumulate(options(&vector)).build();
            for chunk in way.chunks(stream.as_bytes()) {
                reader.feed(chunk).unwrap();
                while reader.poll_event().unwrap().is_some() {
                    // Reading the response between two events changes nothing.
                    let _ = (reader.response().output_text_len(), reader.response().len());
                    for item in reader.response().items() {
                        let _ = item.partial_arguments();
                    }
                }
            }
            let found = reader.finish().unwrap();
            expect(&vector, &reader.response().to_json(), &found, &format!("{way:?}"));
        }
    }
}

#[test]
fn every_vector_survives_save_and_restore_between_any_two_events() {
    for vector in vectors("accumulate") {
        let payloads = payloads(&vector);
        for border in 0..=payloads.len() {
            let mut reader = Reader::builder().accumulate(options(&vector)).build();
            for payload in &payloads[..border] {
                reader.feed_json(payload).unwrap();
                while reader.poll_event().unwrap().is_some() {}
            }
            let saved = reader.save();
            let settings = deltafold::ReaderOptions::default().accumulate(options(&vector));
            let mut reader = Reader::restore(&saved, settings).unwrap();
            for payload in &payloads[border..] {
                reader.feed_json(payload).unwrap();
                while reader.poll_event().unwrap().is_some() {}
            }
            let found = reader.finish().unwrap();
            expect(&vector, &reader.response().to_json(), &found, &format!("saved at {border}"));
        }
    }
}

#[test]
fn every_vector_survives_a_new_connection_between_any_two_events() {
    for vector in vectors("accumulate") {
        let payloads = payloads(&vector);
        let frames: Vec<String> = payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect();
        let numbers: Vec<Option<u64>> =
            payloads.iter().map(|text| serde_json::from_str::<Value>(text).ok()?["sequence_number"].as_u64()).collect();
        let numbered = numbers.iter().all(Option::is_some) && numbers.windows(2).all(|pair| pair[0] < pair[1]);
        for border in 0..=frames.len() {
            // The server repeats the whole stream, or sends the events after the last number.
            for from in [0, border].into_iter().filter(|from| numbered || *from == border) {
                let mut reader = Reader::builder().accumulate(options(&vector)).build();
                let (before, after) = (frames[..border].concat(), frames[from..].concat());
                let half = frames.get(border).map_or(&b""[..], |frame| &frame.as_bytes()[..frame.len() / 2]);
                reader.feed(&[before.as_bytes(), half].concat()).unwrap();
                while reader.poll_event().unwrap().is_some() {}
                reader.reconnect().unwrap();
                reader.feed(after.as_bytes()).unwrap();
                while reader.poll_event().unwrap().is_some() {}
                let found = reader.finish().unwrap();
                expect(&vector, &reader.response().to_json(), &found, &format!("reconnected at {border}, from {from}"));
                assert_eq!(reader.event_count(), frames.len() as u64, "{vector}");
                let is_told = reader.findings().iter().any(|finding| finding.rule.id() == "READ-08");
                assert_eq!(is_told, border > from, "{vector}");
            }
        }
    }
}

#[test]
fn a_finished_reader_refuses_a_new_connection() {
    let mut reader = Reader::new();
    reader.feed(b"data: {\"type\":\"response.created\"}\n\n").unwrap();
    assert_eq!(reader.reconnect(), Ok(()));
    reader.end();
    assert_eq!(reader.reconnect(), Ok(()));
    reader.finish().unwrap();
    assert_eq!(reader.reconnect().unwrap_err().code().name(), "misuse.after_finish");
}

#[test]
fn a_saved_state_keeps_the_data_for_a_new_connection() {
    let mut reader = Reader::new();
    reader.feed(b"id: 41\nretry: 1500\ndata: {\"type\":\"acme:x\",\"sequence_number\":7}\n\n").unwrap();
    while reader.poll_event().unwrap().is_some() {}
    let restored = Reader::restore(&reader.save(), Default::default()).unwrap();
    let sse_state =
        |reader: &Reader| (reader.last_event_id().to_owned(), reader.retry(), reader.last_sequence_number());
    assert_eq!(sse_state(&restored), ("41".to_owned(), Some(1500), Some(7)));
    assert_eq!(sse_state(&restored), sse_state(&reader));
}

#[test]
fn a_strict_reader_that_accepts_a_joined_stream_accepts_it_after_a_restore() {
    let delta = |number: u64, index: u64| {
        json!({ "type": "response.output_text.delta", "sequence_number": number, "item_id": format!("m{index}"),
            "output_index": index, "content_index": 0, "delta": "a" })
        .to_string()
    };
    let read = |reader: &mut Reader, message: &str| {
        reader.feed_json(message).unwrap();
        while reader.poll_event().unwrap().is_some() {}
    };
    let mut reader = Reader::builder().strict().build();
    read(&mut reader, &delta(5, 0));
    let mut restored = Reader::restore(&reader.save(), deltafold::ReaderOptions::default().strict(true)).unwrap();
    // Each opens an item: a repair, which is an error in a stream that was read from its start.
    read(&mut reader, &delta(6, 1));
    read(&mut restored, &delta(6, 1));
    assert_eq!(restored.response().to_json(), reader.response().to_json());
}

#[test]
fn a_saved_state_with_any_damaged_byte_is_an_error() {
    let mut reader = Reader::new();
    reader
        .feed_json(r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"x"}"#)
        .unwrap();
    while reader.poll_event().unwrap().is_some() {}
    let saved = reader.save();
    for at in 0..saved.len() {
        let mut other = saved.clone();
        other[at] ^= 1;
        assert!(Reader::restore(&other, Default::default()).is_err(), "byte {at} changed");
        assert!(Reader::restore(&saved[..at], Default::default()).is_err(), "cut at {at}");
    }
    assert!(Reader::restore(&saved, Default::default()).is_ok());
}

#[test]
fn growing_arguments_and_texts_are_read_as_json_between_deltas() {
    let mut reader = Reader::new();
    let mut seen = Vec::new();
    for piece in ["{\"city\":\"Pa", "ris\",\"da", "ys\":3}"] {
        let delta = json!({ "type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "f", "delta": piece });
        reader.feed_json(&delta.to_string()).unwrap();
        while reader.poll_event().unwrap().is_some() {}
        let item = reader.response().item(0).unwrap();
        seen.push(item.partial_arguments().unwrap().to_string());
    }
    assert_eq!(seen, [r#"{"city":"Pa"}"#, r#"{"city":"Paris"}"#, r#"{"city":"Paris","days":3}"#]);
    let done = json!({ "type": "response.function_call_arguments.done", "output_index": 0, "item_id": "f", "arguments": "[1]" });
    reader.feed_json(&done.to_string()).unwrap();
    while reader.poll_event().unwrap().is_some() {}
    assert_eq!(reader.response().item(0).unwrap().partial_arguments().unwrap().to_string(), "[1]");
    // As long as the old text, or longer: it does not count as a continuation of it.
    let done = json!({ "type": "response.function_call_arguments.done", "output_index": 0, "item_id": "f", "arguments": "{\"a\":1}" });
    reader.feed_json(&done.to_string()).unwrap();
    while reader.poll_event().unwrap().is_some() {}
    assert_eq!(reader.response().item(0).unwrap().partial_arguments().unwrap().to_string(), r#"{"a":1}"#);
    let text =
        json!({ "type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "{\"a\":[tr" });
    reader.feed_json(&text.to_string()).unwrap();
    while reader.poll_event().unwrap().is_some() {}
    let item = reader.response().item(1).unwrap();
    assert_eq!(item.parts().next().unwrap().partial_json().unwrap().to_string(), r#"{"a":[]}"#);
}

#[test]
fn rate_limits_come_from_headers_errors_and_events() {
    let mut reader = Reader::new();
    reader.note_headers([("X-RateLimit-Remaining-Requests", "9"), ("Content-Type", "text/event-stream")]);
    reader.feed_json(r#"{"type":"error","sequence_number":0,"error":{"type":"too_many_requests","code":"c","message":"m","param":null,"headers":{"Retry-After":"2.5"}}}"#).unwrap();
    reader.feed_json(r#"{"type":"codex.rate_limits","rate_limits":{"primary":{"used_percent":7}}}"#).unwrap();
    while reader.poll_event().unwrap().is_some() {}
    let rates = reader.rate_limits();
    assert_eq!((rates.remaining("requests"), rates.retry_after_seconds()), (Some(9), Some(2.5)));
    assert_eq!(rates.headers.len(), 2);
    assert_eq!(rates.event.pointer("/primary/used_percent").and_then(|used| used.as_u64()), Some(7));
}

#[test]
fn preview_images_are_kept_by_the_policy() {
    for (images, expected) in
        [(PreviewImages::Keep, vec![0, 1]), (PreviewImages::KeepLast, vec![1]), (PreviewImages::Drop, vec![])]
    {
        let mut reader = Reader::builder().images(images).build();
        for number in 0..2 {
            let event = json!({ "type": "response.image_generation_call.partial_image", "output_index": 0, "item_id": "i",
                "partial_image_index": number, "partial_image_b64": "QUJD" });
            reader.feed_json(&event.to_string()).unwrap();
        }
        while reader.poll_event().unwrap().is_some() {}
        let kept: Vec<u64> = reader.response().item(0).unwrap().partial_images().map(|(number, _)| number).collect();
        assert_eq!(kept, expected, "{images:?}");
    }
}

#[test]
fn limits_on_items_parts_and_size_are_exact_and_final() {
    let item = |index: u64| {
        json!({ "type": "response.output_item.added", "output_index": index,
        "item": { "type": "message", "id": format!("m{index}"), "content": [] } })
        .to_string()
    };
    let mut reader = Reader::builder().limits(Limits::default().items(2)).build();
    for index in 0..3 {
        reader.feed_json(&item(index)).unwrap();
    }
    assert!(reader.poll_event().is_ok() && reader.poll_event().is_ok());
    let error = reader.poll_event().map(|_| ()).unwrap_err();
    assert_eq!(error.code().name(), "limit.items");
    assert_eq!(reader.poll_event().map(|_| ()).unwrap_err(), error);
    assert_eq!(reader.feed(b"x").unwrap_err(), error);
    assert_eq!(reader.response().len(), 2);
    reader.reset();
    assert!(reader.feed(b"data: {}\n\n").is_ok() && reader.poll_event().unwrap().is_some());

    let delta = |part: u64| {
        json!({ "type": "response.output_text.delta", "output_index": 0, "content_index": part, "delta": "xx" })
            .to_string()
    };
    let mut reader = Reader::builder().limits(Limits::default().parts(1)).build();
    reader.feed_json(&delta(0)).unwrap();
    reader.feed_json(&delta(9)).unwrap();
    assert!(reader.poll_event().is_ok());
    assert_eq!(reader.poll_event().map(|_| ()).unwrap_err().code().name(), "limit.parts");

    // Three deltas fit exactly, and a fourth is one too many.
    let mut reader = Reader::new();
    for _ in 0..3 {
        reader.feed_json(&delta(0)).unwrap();
        assert!(reader.poll_event().unwrap().is_some());
    }
    let limits = Limits::default().response_bytes(reader.held_bytes());
    let mut reader = Reader::builder().limits(limits).build();
    for _ in 0..5 {
        reader.feed_json(&delta(0)).unwrap();
    }
    // The delta that passes the limit is appended; the next one is refused.
    assert!((0..4).all(|_| reader.poll_event().is_ok()));
    assert_eq!(reader.poll_event().map(|_| ()).unwrap_err().code().name(), "limit.response");
}

/// Reads events until there is an error; returns the number of events, and the name of the error.
fn until_error(mut reader: Reader, events: &[Value]) -> (usize, String) {
    let stream: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    reader.feed(stream.as_bytes()).unwrap();
    for count in 0.. {
        match reader.poll_event() {
            Ok(Some(_)) => {}
            Ok(None) => return (count, String::new()),
            Err(error) => return (count, error.code().name().to_owned()),
        }
    }
    unreachable!("a stream ends")
}

#[test]
fn all_data_of_a_response_counts_against_its_limits() {
    let limited = |limits: Limits| Reader::builder().limits(limits).images(PreviewImages::Keep).build();
    let bytes = |response_bytes: usize| Limits::default().response_bytes(response_bytes);
    let text = |kind: &str, more: Value| {
        let mut event = json!({ "type": kind, "item_id": "m", "output_index": 0, "content_index": 0 });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let item = json!({ "type": "message", "id": "m", "status": "completed", "role": "assistant", "content": [] });
    let response = json!({ "id": "r", "status": "completed", "output": [item, item, item] });
    for kind in ["response.created", "response.completed"] {
        let event = json!({ "type": kind, "response": response });
        for (items, end) in [(3, (1, "")), (2, (0, "limit.items"))] {
            let limits = Limits::default().items(items);
            let found = until_error(limited(limits), std::slice::from_ref(&event));
            assert_eq!(found, (end.0, end.1.to_owned()), "{kind}, {items}");
        }
    }
    let annotation = text("response.output_text.annotation.added", json!({ "annotation": { "type": "url_citation" } }));
    let limits = Limits::default().parts(2);
    assert_eq!(until_error(limited(limits), &vec![annotation.clone(); 5]), (2, "limit.parts".to_owned()));
    // Every kind of event counts exactly: with a limit of what is held it fits, with one byte less its last event is refused.
    let added = json!({ "type": "response.output_item.added", "output_index": 0, "item": { "type": "message", "id": "m", "content": [] } });
    let part = json!({ "type": "output_text", "text": "abc", "logprobs": [{ "token": "a" }] });
    let shell = json!({ "type": "response.shell_call_output_content.delta", "item_id": "s", "output_index": 0, "delta": { "stdout": "a" } });
    let image = text("response.image_generation_call.partial_image", json!({ "partial_image_b64": "A".repeat(40) }));
    let empty = json!({ "type": "response.failed", "response": { "id": "r", "status": "failed", "output": [] } });
    let limits = json!({ "type": "response.rate_limits.updated", "rate_limits": [{ "name": "tokens" }] });
    let error = json!({ "type": "error", "error": { "message": "m", "headers": { "x-ratelimit-limit-tokens": "1" } } });
    for events in [
        vec![json!({ "type": "response.created", "response": response })],
        vec![json!({ "type": "response.completed", "response": response })],
        vec![added.clone()],
        vec![json!({ "type": "response.output_item.done", "output_index": 0, "item": item })],
        vec![added.clone(), empty],
        vec![text("response.content_part.added", json!({ "part": part }))],
        vec![text("response.content_part.done", json!({ "part": part }))],
        vec![text("response.output_text.done", json!({ "text": "x".repeat(101) }))],
        vec![text("response.output_text.delta", json!({ "delta": "", "logprobs": [{ "token": "x" }] }))],
        vec![text("response.reasoning_summary_text.delta", json!({ "delta": "x" }))],
        vec![text("response.shell_call_command.delta", json!({ "delta": "x" }))],
        vec![text("response.code_interpreter_call.interpreting", json!({}))],
        vec![annotation],
        vec![shell],
        vec![image.clone()],
        vec![image.clone(), image.clone()],
        vec![limits],
        vec![error],
    ] {
        let mut whole = limited(Limits::default());
        for event in &events {
            whole.feed_json(&event.to_string()).unwrap();
            whole.poll_event().unwrap();
        }
        let held = whole.held_bytes();
        assert_eq!(held, recount_bytes(&whole), "{events:?}");
        assert_eq!(until_error(limited(bytes(held)), &events), (events.len(), String::new()), "{events:?}");
        let refused = (events.len() - 1, "limit.response".to_owned());
        assert_eq!(until_error(limited(bytes(held - 1)), &events), refused, "{events:?}");
    }
    // Of images that replace each other only the last one counts.
    let images = vec![image; 9];
    assert_eq!(until_error(limited(bytes(1_600)), &images).1, "limit.response");
    let last = Reader::builder().limits(bytes(1_600)).images(PreviewImages::KeepLast).build();
    assert_eq!(until_error(last, &images), (9, String::new()));
    // One delta may exceed the limit, none may follow it, including deltas that match a prediction.
    let delta = |number: u64| text("response.output_text.delta", json!({ "delta": "xx", "sequence_number": number }));
    let deltas: Vec<Value> = (10..90).map(delta).collect();
    let mut one = limited(Limits::default());
    one.feed_json(&deltas[0].to_string()).unwrap();
    one.poll_event().unwrap();
    assert_eq!(until_error(limited(bytes(one.held_bytes() + 98)), &deltas), (51, "limit.response".to_owned()));
}

#[test]
fn a_saved_state_keeps_how_a_stream_was_truncated() {
    let mut reader = Reader::new();
    reader.feed_json(r#"{"type":"acme:x","sequence_number":7}"#).unwrap();
    while reader.poll_event().unwrap().is_some() {}
    let outcome = reader.finish().unwrap();
    assert_eq!(outcome, Outcome::Truncated { last_sequence_number: Some(7) });
    assert_eq!(Reader::restore(&reader.save(), Default::default()).unwrap().outcome(), Some(&outcome));
}

#[test]
fn a_part_inserted_between_others_keeps_their_values_and_log_probabilities() {
    let mut reader = Reader::new();
    let delta = |reader: &mut Reader, part: u64, text: &str| {
        let event = json!({ "type": "response.output_text.delta", "output_index": 0, "content_index": part, "delta": text,
            "logprobs": [{ "token": text, "logprob": 0 }] });
        reader.feed_json(&event.to_string()).unwrap();
        assert!(reader.poll_event().unwrap().is_some());
    };
    let seen = |reader: &Reader| {
        let item = reader.response().item(0).unwrap();
        let tokens = |part: &deltafold::Part<'_>| {
            let list = part.get("logprobs").unwrap().as_array().unwrap();
            list.iter().map(|one| one.str_at("token").unwrap().to_owned()).collect::<Vec<_>>().join("")
        };
        item.parts().map(|part| (part.partial_json().unwrap().to_string(), tokens(&part))).collect::<Vec<_>>()
    };
    let pair = |value: &str, tokens: &str| (value.to_owned(), tokens.to_owned());
    delta(&mut reader, 1, "[1,2");
    assert_eq!(seen(&reader), [pair("[1]", "[1,2")]);
    // It is at the position that was read before, and is parsed from its start.
    delta(&mut reader, 0, "[true,fals");
    delta(&mut reader, 1, ",3]");
    delta(&mut reader, 0, "e]");
    assert_eq!(seen(&reader), [pair("[true,false]", "[true,false]"), pair("[1,2,3]", "[1,2,3]")]);
    let done = json!({ "type": "response.output_text.done", "output_index": 0, "content_index": 1, "text": "[1,2,3]",
        "logprobs": [{ "token": "all", "logprob": 0 }] });
    reader.feed_json(&done.to_string()).unwrap();
    assert!(reader.poll_event().unwrap().is_some());
    let restored = Reader::restore(&reader.save(), Default::default()).unwrap();
    for reader in [&reader, &restored] {
        assert_eq!(seen(reader), [pair("[true,false]", "[true,false]"), pair("[1,2,3]", "all")]);
    }
}

/// An element may be inserted before at most 4,096 others.
#[test]
fn a_part_may_be_inserted_before_a_limited_number_of_others() {
    for (parts, end) in [(4_096, (4_097, "")), (4_097, (4_097, "limit.parts"))] {
        let part = |index: u64| {
            json!({ "type": "response.content_part.added", "item_id": "m", "output_index": 0, "content_index": index,
                "part": { "type": "output_text", "text": "" } })
        };
        let events: Vec<Value> = (1..=parts).chain([0]).map(part).collect();
        assert_eq!(until_error(Reader::new(), &events), (end.0, end.1.to_owned()), "{parts}");
    }
}

/// An item in an incomplete snapshot has its log probabilities in its parts, however it was stored before.
#[test]
fn an_unfinished_item_of_a_snapshot_has_its_log_probabilities() {
    let part = r#"{"type":"output_text","text":"a","logprobs":[{"token":"a","logprob":-1}]}"#;
    let item = format!(r#"{{"type":"message","id":"m","status":"in_progress","content":[{part}]}}"#);
    let created = |id: &str| format!(r#"{{"type":"response.created","response":{{"id":"{id}","output":[{item}]}}}}"#);
    let done = format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{item}}}"#);
    let more = r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"b","logprobs":[{"token":"b","logprob":-2}]}"#;
    for before in [&[][..], &[done]] {
        let mut reader = Reader::new();
        let mut feed = |event: &str| {
            reader.feed_json(event).unwrap();
            assert!(reader.poll_event().unwrap().is_some());
            let part = reader.response().item(0).unwrap().parts().next().unwrap();
            part.get("logprobs").unwrap().to_string()
        };
        before.iter().for_each(|event| drop(feed(event)));
        assert_eq!(feed(&created("r1")), r#"[{"token":"a","logprob":-1}]"#);
        // Another response replaces the first one.
        assert_eq!(feed(&created("r2")), r#"[{"token":"a","logprob":-1}]"#);
        assert_eq!(feed(more), r#"[{"token":"a","logprob":-1},{"token":"b","logprob":-2}]"#);
        assert_eq!(feed(&created("r3")), r#"[{"token":"a","logprob":-1}]"#);
    }
}

/// A terminal snapshot has its items at their positions, whatever indexes they were streamed at.
#[test]
fn a_terminal_snapshot_gives_its_items_their_indexes() {
    for indexes in [[0, 1], [4, 7], [1, 2]] {
        let mut reader = Reader::new();
        let item =
            |index: u64| json!({ "type": "message", "id": format!("m{index}"), "status": "completed", "content": [] });
        let mut feed = |event: Value| {
            reader.feed_json(&event.to_string()).unwrap();
            assert!(reader.poll_event().unwrap().is_some());
        };
        for index in indexes {
            feed(json!({ "type": "response.output_item.done", "output_index": index, "item": item(index) }));
        }
        let output: Vec<Value> = indexes.into_iter().map(item).collect();
        feed(
            json!({ "type": "response.completed", "response": { "id": "r", "status": "completed", "output": output } }),
        );
        let found: Vec<_> = (0..8)
            .map(|index| reader.response().item_at_index(index).and_then(|item| item.id().map(str::to_owned)))
            .collect();
        let wanted = indexes.map(|index| Some(format!("m{index}")));
        assert_eq!((&found[..2], found.iter().flatten().count()), (&wanted[..], 2), "{indexes:?}");
    }
}
