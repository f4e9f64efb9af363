//! The target adapters: the worked examples, a vector for each row of their tables, and the recordings.

use std::collections::BTreeSet;

use deltafold::adapter::{Converter, Dialect};
use deltafold::json::Value as Json;
use deltafold::validate::{Layers, Rule};
use deltafold::Reader;
use deltafold_tests::adapter::{folded, gather, TARGETS};
use deltafold_tests::{canonical, shared, splits, vector_folder, vectors, Split, Vector};
use serde_json::Value;

/// The result of a conversion: its bytes, and the codes of its findings in order.
type Converted = (Vec<u8>, Vec<&'static str>);

fn convert(to: &str, options: &Value, bytes: &[u8], split: Split) -> Converted {
    convert_or_cancel(to, options, bytes, split, false)
}

fn convert_or_cancel(to: &str, options: &Value, bytes: &[u8], split: Split, cancel: bool) -> Converted {
    let options = Json::parse(&options.to_string(), 64).unwrap();
    let to = to.parse().unwrap();
    let mut converter = Converter::new(Some(Dialect::OpenResponses), to, &options).unwrap();
    let mut out = Vec::new();
    for chunk in split.chunks(bytes) {
        converter.feed(chunk).unwrap();
        converter.write_into(&mut out);
    }
    if cancel { converter.cancel() } else { converter.finish() }.unwrap();
    converter.write_into(&mut out);
    let findings = converter.findings().map(|finding| finding.code.name()).collect();
    (out, findings)
}

/// The messages of a stream: event name and canonical JSON, or the sentinel unchanged. JSON lines are messages too.
fn messages(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut name = String::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(event) = line.strip_prefix("event: ") {
            name = format!("{event} ");
            continue;
        }
        let data = line.strip_prefix("data: ").unwrap_or(line);
        // The sentinel, or a payload that is not JSON, is compared as it is.
        let json = serde_json::from_str(data).map_or_else(|_| data.to_owned(), |message| canonical(&message));
        all.push(std::mem::take(&mut name) + &json);
    }
    all
}

fn check(vector: &Vector, bytes: &[u8], expected: &[String]) {
    let to = vector.get("to").as_str().unwrap();
    let cancel = vector.get("cancel") == true;
    let convert = |split| convert_or_cancel(to, vector.get("options"), bytes, split, cancel);
    let whole = convert(Split::Whole);
    let got = messages(std::str::from_utf8(&whole.0).unwrap());
    for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert_eq!(got, expected, "{vector}, message {at}");
    }
    assert_eq!(
        got.len(),
        expected.len(),
        "{vector}: {:#?}",
        got.iter().chain(expected).skip(got.len().min(expected.len()))
    );
    let reported: BTreeSet<&str> = whole.1.iter().copied().collect();
    let named: BTreeSet<&str> =
        vector.get("findings").as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    assert_eq!(reported, named, "{vector}");
    // Splitting in two at every position is a test of the SSE layer; here some positions are enough.
    let some = |split: &Split| !matches!(split, Split::Two(at) if at % 61 != 0);
    for split in splits(bytes).into_iter().filter(some) {
        assert!(convert(split) == whole, "{vector}, {split:?}");
    }
}

#[test]
fn every_worked_example_converts_as_written_at_every_split() {
    let folder = vector_folder().join("adapter/examples");
    let read = |name: &Value| std::fs::read_to_string(folder.join(name.as_str().unwrap())).unwrap();
    for vector in vectors("adapter/examples/outbound.json") {
        let expected = messages(&read(vector.get("expected_file")));
        check(&vector, read(vector.get("input_file")).as_bytes(), &expected);
    }
}

#[test]
fn every_vector_converts_as_written_at_every_split() {
    for vector in vectors("adapter/outbound") {
        let expected = vector.get("expect").as_array().unwrap();
        // An Anthropic event is named by its type.
        let name = |message: &Value| match vector.get("to").as_str() {
            Some("anthropic") => format!("{} ", message["type"].as_str().unwrap()),
            _ => String::new(),
        };
        let line = |message: &Value| match message.as_str() {
            Some(sentinel) => sentinel.to_owned(),
            None => name(message) + &canonical(message),
        };
        let expected: Vec<String> = expected.iter().map(line).collect();
        check(&vector, stream(&vector).as_bytes(), &expected);
    }
}

#[test]
fn every_stream_that_is_passed_on_ends_with_a_terminal_event() {
    for vector in vectors("adapter/passed") {
        let line = |message: &Value| match message {
            // The sentinel, or a payload that is not JSON.
            Value::String(text) => text.clone(),
            message => format!("{} {}", message["type"].as_str().unwrap(), canonical(message)),
        };
        let expected: Vec<String> = vector.get("expect").as_array().unwrap().iter().map(line).collect();
        check(&vector, stream(&vector).as_bytes(), &expected);
    }
}

#[test]
fn a_stream_that_broke_off_and_was_passed_on_has_no_errors_but_those_of_the_source() {
    // A reader has one response, and a stream of the images API has none.
    let is_one = |vector: &Vector| vector.get("row") != "several responses" && vector.get("row") != "images";
    for vector in vectors("adapter/passed").into_iter().filter(is_one) {
        let (out, _) = convert("open-responses", vector.get("options"), stream(&vector).as_bytes(), Split::Whole);
        let mut reader = Reader::builder().validate(Layers::STREAM).build();
        reader.feed(&out).unwrap();
        let outcome = reader.finish().unwrap();
        assert_ne!(outcome.name(), "truncated", "{vector}");
        let rules: Vec<_> = reader.findings().iter().map(|finding| finding.rule).collect();
        assert!(
            !rules.iter().any(|rule| matches!(rule, Rule::Life06 | Rule::Life07 | Rule::Life09 | Rule::Err06)),
            "{vector}: {rules:?}"
        );
    }
}

#[test]
fn a_stream_without_events_that_is_passed_on_is_a_whole_response_that_failed() {
    let options = serde_json::json!({ "response_id": "resp_1", "model": "m-1", "now": 5 });
    for bytes in [&b""[..], b": comment\n\n"] {
        let (out, _) = convert("open-responses", &options, bytes, Split::Whole);
        let mut reader = Reader::builder().validate(Layers::ALL).build();
        reader.feed(&out).unwrap();
        assert_eq!(reader.finish().unwrap().name(), "failed");
        assert_eq!(reader.findings(), []);
        let created_at = reader.response().get("created_at").and_then(deltafold::json::Value::as_u64);
        assert_eq!(
            (reader.response().id(), reader.response().model(), created_at),
            (Some("resp_1"), Some("m-1"), Some(5))
        );
    }
}

#[test]
fn a_stream_that_broke_off_without_a_snapshot_gets_the_default_fields() {
    let options = serde_json::json!({ "response_id": "resp_1", "now": 5 });
    let events = concat!(
        "data: {\"type\":\"response.output_item.added\",\"sequence_number\":4,\"output_index\":0,\"item\":{\"type\":\"message\",",
        "\"id\":\"msg_1\",\"status\":\"in_progress\",\"role\":\"assistant\",\"content\":[]}}\n\n",
    );
    let (out, _) = convert("open-responses", &options, events.as_bytes(), Split::Whole);
    let mut reader = Reader::new();
    reader.feed(&out).unwrap();
    assert_eq!(reader.finish().unwrap().name(), "failed");
    let response = reader.response();
    assert_eq!((response.id(), response.status_name(), response.len()), (Some("resp_1"), Some("failed"), 1));
    assert_eq!(reader.last_sequence_number(), Some(5));
    let json = response.to_json();
    let findings = deltafold::validate::validate_response(&json, deltafold::Edition::default()).unwrap();
    assert_eq!(findings, [], "{json}");
}

/// The events of a vector as a stream. A string is an exact payload.
fn stream(vector: &Vector) -> String {
    let payload = |event: &Value| event.as_str().map_or_else(|| event.to_string(), str::to_owned);
    let events = vector.get("events").as_array().unwrap();
    events.iter().map(|event| format!("data: {}\n\n", payload(event))).collect()
}

#[test]
fn every_recording_converts_to_every_target_with_the_texts_of_the_folded_response() {
    let Some(folder) = shared("recordings → targets", "corpus/responses") else { return };
    let manifest = std::fs::read_to_string(folder.parent().unwrap().join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let abridged = |name: &str| {
        let mut same = manifest["files"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|file| file["file"].as_str().is_some_and(|path| path.ends_with(name)));
        same.any(|file| file["authenticity"].as_str().is_some_and(|word| word.contains("abridged")))
    };
    let options = serde_json::json!({ "thread_id": "t" });
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().collect();
    let compare = |seed: usize| {
        let name = files[seed].file_name().to_string_lossy().into_owned();
        let bytes = std::fs::read(files[seed].path()).unwrap();
        let mut reader = Reader::new();
        reader.feed(&bytes).unwrap();
        reader.finish().unwrap();
        for to in TARGETS {
            let (out, findings) = convert(to, &options, &bytes, Split::Random(seed as u64));
            let (got, expected) = (gather(to, &out), folded(to, reader.response()));
            if got != expected {
                // The projects that publish these recordings removed events from them.
                assert!(
                    abridged(&name) && findings.contains(&"done_mismatch"),
                    "{name} → {to}: {got:#?}\n{expected:#?}"
                );
            }
        }
    };
    let halves = [0, 1].map(|first| (first..files.len()).step_by(2));
    std::thread::scope(|scope| {
        halves.map(|half| scope.spawn(move || half.for_each(compare))).map(|half| half.join().unwrap())
    });
    assert!(files.len() > 200, "only {} recordings", files.len());
}
