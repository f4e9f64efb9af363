//! Real recordings: every event is read, the response is rebuilt, and neither depends on the split.

use deltafold::__bindings::{builder_with_tiers, ParserTiers};
use deltafold::event::{Origin, Parser};
use deltafold::validate::Rule;
use deltafold::{Kind, Limits, Reader, ReaderBuilder, ReaderOptions};
use deltafold_tests::{canonical, recordings, sse, Exceptions, Recording, Split};
use serde_json::{json, Value};

/// The results of a reading, as one text per property that may differ.
#[derive(Debug, PartialEq)]
struct ReadResult {
    events: Vec<String>,
    findings: Vec<String>,
    response: String,
    outcome: String,
}

fn read(builder: ReaderBuilder, chunks: &[&[u8]]) -> ReadResult {
    let mut reader = builder.build();
    let mut events = Vec::new();
    let mut take = |reader: &mut Reader| {
        while let Some(event) = reader.poll_event().expect("a recording stays within the limits") {
            events.push(format!("{} {} {} {}", event.index(), event.offset(), event.kind(), event.raw()));
        }
    };
    for chunk in chunks {
        reader.feed(chunk).expect("a recording stays within the limits");
        take(&mut reader);
    }
    reader.end();
    take(&mut reader);
    let outcome = format!("{:?}", reader.finish().unwrap());
    let findings = reader.findings().iter().map(|finding| format!("{finding:?}")).collect();
    ReadResult { events, findings, response: reader.response().to_json(), outcome }
}

fn fold(builder: ReaderBuilder, bytes: &[u8]) -> Value {
    serde_json::from_str(&read(builder, &[bytes]).response).expect("a response is JSON")
}

/// The data payloads from the slow reference decoder, without the sentinel.
fn payloads(bytes: &[u8]) -> Vec<String> {
    let decoded = sse::decode_simply(bytes, &Limits::default());
    // An unterminated last frame of a recording counts, as in the reader.
    let data = decoded.iter().filter_map(|signal| {
        let frame = signal["signal"] == "frame" || signal["signal"] == "tail";
        Some(signal["data"].as_str().filter(|_| frame)?.to_owned())
    });
    data.filter(|data| data != "[DONE]").collect()
}

fn terminal_response(recording: &Recording) -> Option<Value> {
    let payloads = payloads(&recording.bytes());
    let last = payloads.iter().rev().find_map(|payload| {
        let value: Value = serde_json::from_str(payload).ok()?;
        (value["type"] == recording.facts["terminal_event"]).then_some(value)
    })?;
    Some(last["response"].clone())
}

#[test]
fn every_event_of_every_recording_is_read_and_keeps_its_exact_text() {
    let mut exceptions = Exceptions::load("unknown_kinds");
    let all = recordings("corpus: events", "responses");
    for recording in &all {
        let bytes = recording.bytes();
        let mut reader = Reader::new();
        reader.feed(&bytes).unwrap();
        let mut raws = Vec::new();
        reader.end();
        while let Some(event) = reader.poll_event().unwrap() {
            assert!(event.fault().is_none(), "{}: {event:?}", recording.file);
            raws.push(event.raw().to_owned());
            let value: Value = serde_json::from_str(event.raw()).unwrap();
            let again: Value = serde_json::from_str(&event.to_value().to_string()).unwrap();
            assert_eq!(value, again, "{}: writing and parsing changes the value", recording.file);
            if !event.kind().is_known() {
                assert!(exceptions.covers(event.wire_type()), "{}: unknown {}", recording.file, event.wire_type());
            }
        }
        assert_eq!(raws, payloads(&bytes), "{}", recording.file);
    }
    if !all.is_empty() {
        exceptions.finish();
    }
}

#[test]
fn the_folded_response_equals_the_terminal_one() {
    let mut exceptions = Exceptions::load("fold");
    let all = recordings("corpus: fold", "responses");
    for recording in all.iter().filter(|recording| recording.facts["full_final_response"] == true) {
        let expected = terminal_response(recording).expect("the manifest says that there is one");
        let folded = fold(Reader::builder(), &recording.bytes());
        if canonical(&folded) != canonical(&expected) {
            assert!(exceptions.covers(&recording.file), "{}: the fold differs", recording.file);
        }
    }
    if !all.is_empty() {
        exceptions.finish();
    }
}

/// Values that a server generates again each time; only their presence can be compared.
const OPAQUE: [&str; 2] = ["encrypted_content", "fingerprint"];

/// Fields that only a terminal snapshot has, or has in their final form: the events alone do not contain them.
const TERMINAL_ONLY: [&str; 6] =
    ["usage", "completed_at", "service_tier", "content_filters", "incomplete_details", "error"];

#[test]
fn the_events_alone_rebuild_every_item_part_and_text() {
    let mut exceptions = Exceptions::load("ignore_terminal_snapshot");
    let mut different = Vec::new();
    let all = recordings("corpus: without terminal", "responses");
    for recording in all.iter().filter(|recording| recording.facts["full_final_response"] == true) {
        let expected = terminal_response(recording).expect("the manifest says that there is one");
        let folded = fold(Reader::builder().ignore_terminal_snapshot(), &recording.bytes());
        let strip = |response: &Value| {
            let mut output = response["output"].clone();
            for item in output.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
                for key in OPAQUE {
                    if let Some(value) = item.get_mut(key) {
                        *value = json!(!value.is_null());
                    }
                }
            }
            canonical(&output)
        };
        let fields = |response: &Value| {
            let mut fields = response.as_object().cloned().unwrap_or_default();
            fields.retain(|key, _| key != "output" && !TERMINAL_ONLY.contains(&key.as_str()));
            canonical(&Value::Object(fields))
        };
        // A stream that was joined late has no earlier snapshot to take fields from.
        let same_fields = folded.get("id").is_none() || fields(&folded) == fields(&expected);
        let same = same_fields && strip(&folded) == strip(&expected);
        if !same && !exceptions.covers(&recording.file) {
            different.push(recording.file.clone());
        }
    }
    assert!(different.is_empty(), "items differ in {different:#?}");
    if !all.is_empty() {
        exceptions.finish();
    }
}

#[test]
fn deltas_add_up_to_the_done_texts() {
    let mut exceptions = Exceptions::load("deltas");
    let mut different = Vec::new();
    let all = recordings("corpus: deltas", "responses");
    for recording in &all {
        let mut reader = Reader::new();
        reader.feed(&recording.bytes()).unwrap();
        reader.finish().unwrap();
        let rules = [Rule::Text01, Rule::Ref02, Rule::Rsn07, Rule::Arg02, Rule::Part10];
        let found: Vec<_> = reader.findings().iter().filter(|finding| rules.contains(&finding.rule)).collect();
        if !found.is_empty() && !exceptions.covers(&recording.file) {
            different.push(format!("{}: {}", recording.file, found[0]));
        }
    }
    assert!(different.is_empty(), "{different:#?}");
    if !all.is_empty() {
        exceptions.finish();
    }
}

#[test]
fn no_split_changes_the_result() {
    for recording in recordings("corpus: cuts", "responses") {
        let bytes = recording.bytes();
        let whole = read(Reader::builder(), &[&bytes]);
        let mut ways = vec![Split::Every(7), Split::Random(1), Split::Random(2)];
        if bytes.len() < 60_000 {
            ways.push(Split::Bytes);
        }
        for way in ways {
            assert!(whole == read(Reader::builder(), &way.chunks(&bytes)), "{}: {way:?}", recording.file);
        }
    }
}

#[test]
fn every_set_of_fast_paths_gives_the_same_result() {
    for recording in recordings("corpus: parser tiers", "responses") {
        let bytes = recording.bytes();
        let with = |template, flat| {
            read(builder_with_tiers(ParserTiers { block_template: template, flat_scanner: flat }), &[&bytes])
        };
        let all = with(true, true);
        assert!(all == with(false, true), "{}: without templates", recording.file);
        assert!(all == with(false, false), "{}: without the flat scanner", recording.file);
    }
}

#[test]
fn a_reader_saved_and_restored_at_any_event_ends_with_the_same_response() {
    for recording in recordings("corpus: save", "responses") {
        let bytes = recording.bytes();
        let payloads = payloads(&bytes);
        if payloads.is_empty() {
            continue;
        }
        let numbered = payloads.iter().all(|payload| {
            let mut parser = Parser::new(128);
            parser.parse(payload, Origin::default()).sequence_number().is_some()
        });
        let straight = read_json(&payloads);
        // The cost of a save is proportional to the response: a long recording is tested at some boundaries, a short one at all.
        let step = (payloads.len() / 12).max(1);
        for border in (0..payloads.len()).step_by(step) {
            let mut first = Reader::new();
            for payload in &payloads[..border] {
                first.feed_json(payload).unwrap();
                while first.poll_event().unwrap().is_some() {}
            }
            let mut second =
                Reader::restore(&first.save(), ReaderOptions::default()).expect("the state was saved above");
            // A server that numbers its events may replay them all.
            let from = if numbered && border % 2 == 1 { 0 } else { border };
            for payload in &payloads[from..] {
                second.feed_json(payload).unwrap();
                while second.poll_event().unwrap().is_some() {}
            }
            let outcome = format!("{:?}", second.finish().unwrap());
            assert_eq!((second.response().to_json(), outcome), straight, "{} at {border}", recording.file);
        }
    }
}

fn read_json(payloads: &[String]) -> (String, String) {
    let mut reader = Reader::new();
    for payload in payloads {
        reader.feed_json(payload).unwrap();
        while reader.poll_event().unwrap().is_some() {}
    }
    let outcome = format!("{:?}", reader.finish().unwrap());
    (reader.response().to_json(), outcome)
}

#[test]
fn kinds_and_wire_names_agree() {
    for kind in Kind::ALL.iter().filter(|kind| kind.is_known()) {
        assert_eq!(Kind::from_wire(kind.name()), *kind);
    }
}
