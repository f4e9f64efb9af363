//! S21 to S27: events that contradict each other.

use deltafold::event::{Origin, Parser};
use deltafold::{Code, Kind, Limits, Outcome, OwnedEvent, Reader, ReaderOptions};
use deltafold_tests::memory::watch;
use deltafold_tests::streams::{feed, Feed};
use deltafold_tests::Vector;
use serde_json::{json, Value};

use super::{frame, read, NEXT};

/// The events of a valid stream.
fn events(name: &str) -> Vec<Value> {
    let value = json!({ "stream": name, "messages": true });
    let vector = Vector { file: "base/streams.json".into(), name: name.into(), value };
    let Some(Feed::Messages(messages)) = feed(&vector) else { panic!("{name} has no messages") };
    messages.iter().map(|message| serde_json::from_str(message).unwrap()).collect()
}

fn stream(events: &[Value]) -> String {
    let named = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    events.iter().map(named).collect::<String>() + "data: [DONE]\n\n"
}

fn edited(edit: impl FnOnce(&mut Vec<Value>)) -> super::StreamResult {
    let mut events = events("text");
    edit(&mut events);
    read(stream(&events).as_bytes())
}

#[test]
fn s21_a_different_missing_or_unknown_name_is_found_and_the_event_kept() {
    let result = read(format!("event: response.created\n{}", frame(NEXT)).as_bytes());
    assert!(result.has("SSE-04"));
    assert_eq!(result.text, "next", "the payload's own name counts");
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    for (kind, known) in [
        (None, Kind::Unknown),
        (Some("null"), Kind::Unknown),
        (Some("7"), Kind::Unknown),
        (Some(long.as_str()), Kind::Unknown),
        (Some("\"response.teleport\""), Kind::Unknown),
        (Some("\"acme:x\""), Kind::Extension),
    ] {
        let payload = match kind {
            Some(kind) => format!("{{\"sequence_number\":0,\"type\":{kind}}}"),
            None => "{\"sequence_number\":0}".to_owned(),
        };
        let result = read((frame(&payload) + &frame(NEXT)).as_bytes());
        assert_eq!(result.raw(), [payload.clone(), NEXT.to_owned()]);
        assert_eq!(OwnedEvent::parse(&payload).as_event().kind(), known);
        let named = result.has("EXT-02") || result.has("SCHEMA-01") || result.has("SCHEMA-02") || result.has("READ-07");
        assert_eq!(named, known != Kind::Extension, "{:?}", result.rules());
    }
}

#[test]
fn s22_every_wrong_number_is_found_and_the_order_of_arrival_is_kept() {
    let right = edited(|_| {});
    for (number, rule) in [
        (json!(9), "SEQ-03"),
        (json!(3), "SEQ-02"),
        (json!(0), "SEQ-02"),
        (json!(null), "SEQ-01"),
        (json!("4"), "SEQ-01"),
        (json!(-1), "SEQ-01"),
        (json!(1.5), "SEQ-01"),
        (serde_json::from_str("99999999999999999999").unwrap(), "SEQ-01"),
    ] {
        let result = edited(|events| events[4]["sequence_number"] = number.clone());
        assert!(result.has(rule), "{number}: {:?}", result.rules());
        assert_eq!(result.response, right.response, "{number}");
    }
    let result = edited(|events| drop(events[4].as_object_mut().unwrap().shift_remove("sequence_number")));
    assert!(result.has("SEQ-01"));
}

#[test]
fn s23_a_delta_in_the_wrong_place_is_found_and_its_text_kept_if_the_place_exists() {
    let without = |at: usize| edited(|events| drop(events.remove(at)));
    assert!(without(2).has("ITEM-03"), "before its item was added");
    assert!(without(3).has("PART-02"), "before its part was added");
    let late = edited(|events| events.insert(9, events[4].clone()));
    assert!(late.has("ITEM-07"), "{:?}", late.rules());
    assert_eq!(late.text, edited(|_| {}).text, "a done item stays as it is");
    for index in [1_u64, u64::from(u32::MAX), u64::MAX - 1] {
        let delta = NEXT.replace("\"output_index\":0", &format!("\"output_index\":{index}"));
        let delta = delta.replace("\"content_index\":0", &format!("\"content_index\":{index}"));
        let mut result = None;
        let used = watch(|| result = Some(read(frame(&delta).as_bytes())));
        assert_eq!(result.unwrap().text, "next", "{index}");
        assert!(used.peak < 256 << 10, "{index}: {used:?}");
    }
}

#[test]
fn s24_the_later_and_larger_object_wins_and_the_difference_is_found() {
    for at in [6, 7, 8, 9] {
        let result = edited(|events| {
            let text = events[at].to_string().replace("Hello", "HELLO");
            events[at] = serde_json::from_str(&text).unwrap();
        });
        // The terminal snapshot takes precedence.
        assert_eq!(result.text, if at == 9 { "HELLO" } else { "Hello" }, "event {at}");
        assert!(
            result.has("TEXT-01") || result.has("PART-10") || result.has("LIFE-09"),
            "event {at}: {:?}",
            result.rules()
        );
    }
    let result = edited(|events| drop(events.drain(4..6)));
    assert_eq!(result.text, "Hello", "done without deltas");
    let result = edited(|events| {
        events.drain(6..);
    });
    assert_eq!(result.text, "Hello", "deltas without done");
}

#[test]
fn s25_the_first_terminal_event_determines_the_outcome() {
    let twice = edited(|events| events.push(events[9].clone()));
    assert!(twice.has("LIFE-06") || twice.has("LIFE-07"), "{:?}", twice.rules());
    let failed = edited(|events| {
        let mut failed = events[9].clone();
        failed["type"] = json!("response.failed");
        failed["response"]["status"] = json!("failed");
        failed["response"]["error"] = json!({"code": "late", "message": "late"});
        events.push(failed);
    });
    assert_eq!(failed.outcome, Outcome::Completed);
    let after = edited(|events| events.push(events[4].clone()));
    assert!(after.has("LIFE-07"), "{:?}", after.rules());
    assert_eq!((after.outcome, after.text.as_str()), (Outcome::Completed, "Hello"));
    let none = edited(|events| events.truncate(9));
    assert!(matches!(none.outcome, Outcome::Truncated { last_sequence_number: Some(8) }), "{:?}", none.outcome);
    let erred = edited(|events| {
        let error = json!({"type": "error", "sequence_number": 5, "error": {"type": "server_error", "code": "x", "message": "m", "param": null}});
        events.insert(5, error);
    });
    assert!(erred.has("ERR-06"), "{:?}", erred.rules());
}

/// Returns the bytes that reading this many events allocates in total. Creating the events is not counted.
fn cost(count: usize, event: impl Fn(usize) -> String) -> usize {
    let mut reader = Reader::new();
    let mut total = 0;
    for at in 0..count {
        let payload = frame(&event(at));
        let used = watch(|| {
            reader.feed(payload.as_bytes()).unwrap();
            while reader.poll_event().unwrap().is_some() {}
        });
        total += used.total;
    }
    assert!(!reader.response().is_empty());
    total
}

#[test]
fn s26_very_many_items_parts_deltas_and_calls_have_linear_cost() {
    let delta = |item: usize, part: usize| {
        format!(
            r#"{{"type":"response.output_text.delta","sequence_number":0,"item_id":"m{item}","output_index":{item},"content_index":{part},"delta":"x"}}"#
        )
    };
    let call = |at: usize| {
        let item = at % 10_000;
        format!(
            r#"{{"type":"response.function_call_arguments.delta","sequence_number":0,"item_id":"c{item}","output_index":{item},"delta":"x"}}"#
        )
    };
    // As many as the limits allow; `linear.py` of the benches counts instructions.
    type Shape<'a> = (&'a str, usize, &'a dyn Fn(usize) -> String);
    let shapes: [Shape<'_>; 4] = [
        ("items", 100_000, &|at| delta(at, 0)),
        ("parts", 100_000, &|at| delta(0, at)),
        ("deltas", 1_000_000, &|_| delta(0, 0)),
        ("parallel calls", 100_000, &call),
    ];
    for (name, count, shape) in shapes {
        let (once, twice) = (cost(count / 2, shape), cost(count, shape));
        assert!(
            twice <= once * 22 / 10 + (16 << 10),
            "{name}: {once} bytes for half of {count} events, {twice} for all"
        );
    }
    // Past a limit an error, not a finding.
    let mut reader = Reader::new();
    let fed = |at: usize, reader: &mut Reader| {
        reader.feed_json(&delta(0, at)).unwrap();
        reader.poll_event().map(drop).map_err(|error| error.code())
    };
    assert!((0..100_000).all(|at| fed(at, &mut reader).is_ok()));
    assert_eq!(fed(100_000, &mut reader), Err(Code::PartLimit));
    // Parts with decreasing indexes move the earlier ones, and so are fewer.
    let mut reader = Reader::new();
    assert!((0..4_097).all(|at| fed(9_000 - at, &mut reader).is_ok()));
    assert_eq!(fed(9_000 - 4_097, &mut reader), Err(Code::PartLimit));
    let limits = Limits::default().items(10);
    let mut reader = Reader::with_options(ReaderOptions::default().limits(limits));
    for item in 0..10 {
        reader.feed_json(&delta(item, 0)).unwrap();
        assert!(reader.poll_event().unwrap().is_some());
    }
    reader.feed_json(&delta(10, 0)).unwrap();
    assert_eq!(reader.poll_event().map(drop).unwrap_err().code(), Code::ItemLimit);
}

#[test]
fn s25_finish_returns_the_error_that_ended_reading_and_keeps_earlier_events() {
    let delta = |item: u32| format!(r#"{{"type":"response.output_text.delta","output_index":{item},"delta":"x"}}"#);
    let stream: String = (0..3).map(|item| format!("data: {}\n\n", delta(item))).collect();
    let limits = Limits::default().items(2);
    let mut reader = Reader::with_options(ReaderOptions::default().limits(limits));
    // Without polling: the limit is exceeded inside `finish`.
    reader.feed(stream.as_bytes()).unwrap();
    for _ in 0..2 {
        assert_eq!(reader.finish().unwrap_err().code(), Code::ItemLimit);
    }
    assert_eq!((reader.response().output_text(), reader.outcome().is_some()), ("xx".into(), true));

    let mut strict = Reader::builder().strict().build();
    strict.feed(b"data: {\"type\":\"response.created\"}\n\ndata: 1\n\n").unwrap();
    assert_eq!(strict.finish().unwrap_err().code(), Code::Strict);
    assert_eq!(strict.event_count(), 2);
}

#[test]
fn s25_a_strict_reader_that_finds_an_error_at_the_end_of_input_returns_it_from_finish() {
    let events = events("text");
    let profile = deltafold::Profile::builtin("open-responses").unwrap();
    for (count, is_right) in [(events.len(), true), (events.len() - 1, false)] {
        let builder = Reader::builder().profile(profile.clone()).validate(deltafold::validate::Layers::STREAM).strict();
        let mut reader = builder.build();
        reader.feed(stream(&events[..count]).as_bytes()).unwrap();
        while reader.poll_event().unwrap().is_some() {}
        assert_eq!(reader.finish().map_err(|error| error.code()).err(), (!is_right).then_some(Code::Strict), "{count}");
        assert_eq!(reader.poll_event().is_err(), !is_right);
    }
}

#[test]
fn s25_a_last_block_without_its_blank_line_counts_and_can_be_polled_after_the_end_of_input() {
    let block = format!("data: {}\n", r#"{"type":"response.output_text.delta","output_index":0,"delta":"Hi"}"#);
    for end in [block.as_str(), block.trim_end()] {
        let mut reader = Reader::new();
        reader.feed(end.as_bytes()).unwrap();
        assert!(reader.poll_event().unwrap().is_none());
        assert!(matches!(reader.finish(), Ok(Outcome::Truncated { .. })));
        assert_eq!(reader.response().output_text(), "Hi");

        let mut reader = Reader::new();
        reader.feed(end.as_bytes()).unwrap();
        reader.end();
        assert_eq!(reader.poll_event().unwrap().map(|event| event.delta().to_owned()).as_deref(), Some("Hi"));
        assert!(reader.poll_event().unwrap().is_none());
    }
}

#[test]
fn s27_after_a_reconnect_repeats_are_dropped_and_a_damaged_saved_state_is_an_error() {
    let events = events("text");
    let text = |events: &[Value]| stream(events).into_bytes();
    for (from, rule) in [(3, "READ-08"), (6, ""), (7, "READ-09")] {
        let mut reader = Reader::new();
        reader.feed(&text(&events[..6])).unwrap();
        while reader.poll_event().unwrap().is_some() {}
        let options = ReaderOptions::default().layers(deltafold::validate::Layers::STREAM);
        let mut resumed = Reader::restore(&reader.save(), options).unwrap();
        resumed.feed(&text(&events[from..])).unwrap();
        let mut read = 0;
        while resumed.poll_event().unwrap().is_some() {
            read += 1;
        }
        assert_eq!(resumed.finish().unwrap(), Outcome::Completed, "from {from}");
        assert_eq!(read, events.len() - from.max(6), "from {from}");
        assert_eq!(resumed.response().output_text(), "Hello", "from {from}");
        let rules: Vec<_> = resumed.findings().iter().map(|finding| finding.rule.id()).collect();
        assert!(rule.is_empty() || rules.contains(&rule), "from {from}: {rules:?}");
    }
    let mut reader = Reader::new();
    reader.feed(&text(&events[..6])).unwrap();
    while reader.poll_event().unwrap().is_some() {}
    let saved = reader.save();
    for at in (0..saved.len()).step_by(11) {
        let mut damaged = saved.clone();
        damaged[at] ^= 1;
        let error = Reader::restore(&damaged, ReaderOptions::default()).map(drop).unwrap_err();
        assert_eq!(error.code(), Code::DamagedSave, "byte {at}");
        let cut = Reader::restore(&saved[..at], ReaderOptions::default()).map(drop).unwrap_err();
        assert_eq!(cut.code(), Code::DamagedSave, "cut at {at}");
    }
    // Capital digits of the checksum are the same number, but not the saved text.
    let capitals = [&saved[..saved.len() - 16], saved[saved.len() - 16..].to_ascii_uppercase().as_slice()].concat();
    assert!(capitals == saved || Reader::restore(&capitals, ReaderOptions::default()).is_err());
    // A saved state of another version is refused, even with a valid checksum.
    let text = String::from_utf8(saved.clone()).unwrap();
    let (name, rest) = text.split_once('\n').unwrap_or_else(|| text.split_at(20));
    let digit = name.rfind(|char: char| char.is_ascii_digit()).expect("the first line names the version");
    let other = format!("{}9{}\n{rest}", &name[..digit], &name[digit + 1..]);
    assert_eq!(
        Reader::restore(other.as_bytes(), ReaderOptions::default()).map(drop).unwrap_err().code(),
        Code::DamagedSave
    );
    // An event of another response is not mixed in silently.
    let mut other = events.clone();
    other[9]["response"]["id"] = json!("resp_other");
    let result = read(stream(&other).as_bytes());
    assert!(result.has("LIFE-08"), "{:?}", result.rules());
    let mut parser = Parser::new(128);
    assert_eq!(parser.parse(NEXT, Origin::default()).kind(), Kind::OutputTextDelta);
}
