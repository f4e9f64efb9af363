//! Every vector in `vectors/write`, and the proof that together they write every event and item of the contract.

use std::collections::BTreeSet;

use deltafold::validate::{Layers, Rule};
use deltafold::{Edition, Finding, Kind, Reader, Writer, WriterOptions};
use deltafold_tests::write::{expected_events, intents};
use deltafold_tests::{canonical, vectors, Split, Vector};
use serde_json::{json, Value};

fn writer(vector: &Vector) -> Writer {
    Writer::new(WriterOptions::from_json(&vector.get("options").to_string()).unwrap())
}

/// Applies every intent of a case to a writer and returns the stream.
fn write(vector: &Vector) -> (Writer, Vec<u8>) {
    let (mut writer, mut bytes) = (writer(vector), Vec::new());
    for case in intents(vector) {
        let before = writer.response_json();
        let done = writer.apply_json(&case.intent.to_string());
        match case.refused {
            None => assert!(done.is_ok(), "{vector}: {} gave {done:?}", case.intent),
            Some(code) => {
                let error = done.err().unwrap_or_else(|| panic!("{vector}: {} was accepted", case.intent));
                assert_eq!(error.code().name(), code, "{vector}: {} gave {error}", case.intent);
                assert!(writer.is_drained() && writer.response_json() == before, "{vector}: {}", case.intent);
            }
        }
        writer.write_into(&mut bytes);
    }
    (writer, bytes)
}

/// Returns `true` if the options select names that Open Responses does not have.
fn deviates(vector: &Vector) -> bool {
    let options = vector.get("options");
    options["heartbeat"] == "keepalive" || options["reasoning_names"] == "openai"
}

#[test]
fn every_case_writes_its_events() {
    for vector in vectors("write") {
        let mut polled = writer(&vector);
        for case in intents(&vector) {
            let _ = polled.apply_json(&case.intent.to_string());
        }
        let expected = expected_events(&vector);
        for (number, expected) in expected.iter().enumerate() {
            let event: Value = serde_json::from_str(polled.poll_event().unwrap_or("null")).unwrap();
            assert_eq!(canonical(&event), canonical(expected), "{vector}: event {number}");
        }
        assert_eq!(polled.poll_event(), None, "{vector}");
        if let Some(last) = expected.last().and_then(|event| event.get("response")) {
            let response: Value = serde_json::from_str(&polled.response_json()).unwrap();
            assert_eq!(canonical(&response), canonical(last), "{vector}");
        }
    }
}

#[test]
fn every_case_passes_at_every_split() {
    for vector in vectors("write") {
        let (writer, bytes) = write(&vector);
        let expected: Vec<String> = expected_events(&vector).iter().map(canonical).collect();
        // The types of OpenAI's SDKs require fields that OpenAI leaves out.
        let layers = match writer.options().edition {
            Edition::OpenAi => Layers::FRAMING | Layers::STREAM,
            _ => Layers::ALL,
        };
        let odd = [Split::Whole, Split::Bytes, Split::BytesAndEmpty, Split::Every(3)];
        for split in odd.into_iter().chain((1..=8).map(Split::Random)) {
            let builder = Reader::builder().validate(layers).edition(writer.options().edition);
            let (mut reader, mut read) = (builder.build(), 0);
            for chunk in split.chunks(&bytes) {
                reader.feed(chunk).unwrap();
                while let Some(event) = reader.poll_event().unwrap() {
                    // Comparing text is cheap; only the whole stream is compared by meaning, above.
                    assert!(event.raw().starts_with("{\"type\":"), "{vector}, {split:?}");
                    assert_eq!(event.sequence_number(), Some(read), "{vector}, {split:?}");
                    read += 1;
                }
            }
            assert_eq!(read, expected.len() as u64, "{vector}, {split:?}");
            if writer.is_ended() {
                reader.finish().unwrap();
            }
            // Two deviations that the options ask for by name.
            let asked = |finding: &Finding| finding.rule == Rule::Ext02 && deviates(&vector);
            let found: Vec<_> = reader.findings().iter().filter(|finding| !asked(finding)).collect();
            assert!(found.is_empty(), "{vector}, {split:?}: {found:#?}");
            assert_eq!(reader.response().to_json() == "{}", !writer.is_started(), "{vector}");
            if writer.is_ended() {
                assert_eq!(reader.response().to_value(), writer.response(), "{vector}, {split:?}");
            }
        }
    }
}

#[test]
fn the_frames_of_the_writer_equal_those_of_the_encoder() {
    for vector in vectors("write") {
        let mut events = writer(&vector);
        for case in intents(&vector) {
            let _refused = events.apply_json(&case.intent.to_string());
        }
        let (_, bytes) = write(&vector);
        let mut encoded = Vec::new();
        while let Some(event) = events.poll_event() {
            let kind = serde_json::from_str::<Value>(event).unwrap()["type"].as_str().unwrap().to_owned();
            deltafold::sse::encode(&kind, event, &mut encoded).unwrap();
        }
        if events.is_ended() {
            deltafold::sse::encode("", "[DONE]", &mut encoded).unwrap();
        }
        // A comment is not a frame.
        let bytes = String::from_utf8(bytes).unwrap().replace(": keep-alive\n\n", "");
        assert_eq!(bytes, String::from_utf8(encoded).unwrap(), "{vector}");
    }
}

#[test]
fn together_they_write_every_kind_and_every_item_type_of_the_contract() {
    let (mut kinds, mut items) = (BTreeSet::new(), BTreeSet::new());
    for vector in vectors("write") {
        for event in expected_events(&vector) {
            kinds.insert(event["type"].as_str().unwrap().to_owned());
            items.extend(event["item"]["type"].as_str().map(str::to_owned));
        }
    }
    let contract = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/contract/items.json");
    let contract: Value = serde_json::from_str(&std::fs::read_to_string(contract).unwrap()).unwrap();
    for item in contract["output_items"].as_array().unwrap() {
        assert!(items.contains(item["type"].as_str().unwrap()), "no vector writes {}", item["type"]);
    }
    for kind in Kind::ALL.iter().filter(|kind| kind.is_known() && **kind != Kind::RateLimits) {
        assert!(kinds.contains(kind.name()), "no vector writes {kind}");
    }
}

#[test]
fn unlisted_intents_are_refused_and_every_listed_intent_is_used() {
    let mut used: BTreeSet<String> = BTreeSet::new();
    for vector in vectors("write") {
        used.extend(intents(&vector).iter().filter_map(|case| case.intent["do"].as_str().map(str::to_owned)));
    }
    for (word, _) in deltafold::__bindings::INTENTS {
        assert!(used.contains(*word), "no vector uses {word}");
    }
    let mut writer = Writer::new(WriterOptions::new("resp_1", "m", 0).edition(Edition::Split));
    assert!(writer.apply_json(&json!({"do": "teleport"}).to_string()).is_err());
}
