//! Real recordings in the schema layer: the payloads of servers match the contract, or are in a reviewed list.

use std::collections::BTreeSet;

use deltafold::validate::{validate_compact_response, validate_event, validate_response, Layers};
use deltafold::{Edition, Finding, Layer, Limits, Reader};
use deltafold_tests::{recordings, sse, Exceptions, Recording};

/// The findings of a recording's events, or of its one body.
fn findings(recording: &Recording, edition: Edition) -> Vec<Finding> {
    let bytes = recording.bytes();
    if recording.file.starts_with("responses-json/") {
        let text = std::str::from_utf8(&bytes).expect("a body is UTF-8");
        return match text.contains("\"response.compaction\"") {
            true if edition == Edition::V2026_01_15 => Vec::new(), // knows no compaction
            true => validate_compact_response(text, edition).expect("a body is JSON"),
            false => validate_response(text, edition).expect("a body is JSON"),
        };
    }
    let decoded = sse::decode_simply(&bytes, &Limits::default());
    let data = decoded.iter().filter_map(|signal| signal["data"].as_str()).filter(|data| *data != "[DONE]");
    data.flat_map(|data| validate_event(data, edition).expect("a recorded event is JSON")).collect()
}

fn all(test: &str) -> Vec<Recording> {
    let mut all = recordings(test, "responses");
    all.extend(recordings(test, "responses-json"));
    all
}

#[test]
fn every_recording_fits_the_types_of_openai_or_is_listed() {
    let all = all("every_recording_fits_the_types_of_openai_or_is_listed");
    let mut exceptions = Exceptions::load("schema_openai");
    let mut misfits = Vec::new();
    for recording in &all {
        let findings = findings(recording, Edition::OpenAi);
        if !findings.is_empty() && !exceptions.covers(&recording.file) {
            let first = &findings[0];
            misfits.push(format!("{}: {} {}: {}", recording.file, first.rule.id(), first.path, first.message));
        }
    }
    assert!(misfits.is_empty(), "{misfits:#?}");
    if !all.is_empty() {
        exceptions.finish();
    }
}

#[test]
fn lm_studio_streams_are_valid_open_responses() {
    for recording in all("lm_studio_streams_are_valid_open_responses") {
        if recording.facts["provider"] == "lmstudio" {
            let findings = findings(&recording, Edition::V2026_04_24);
            assert!(findings.is_empty(), "{}: {findings:#?}", recording.file);
        }
    }
}

#[test]
fn no_recording_repeats_payload_text_in_a_message() {
    // Ids are never declared strings, so an id in a message would come from the payload.
    let marks = ["resp_", "msg_", "call_0", "fc_", "http"];
    for recording in all("no_recording_repeats_payload_text_in_a_message") {
        for edition in Edition::ALL {
            for finding in findings(&recording, edition) {
                let leak = marks.iter().find(|mark| finding.message.contains(**mark));
                assert!(leak.is_none(), "{}: {}", recording.file, finding.message);
            }
        }
    }
}

/// The findings of the schema layer in a stream, by event: rule and pointer.
fn in_stream(bytes: &[u8], edition: Edition) -> Vec<BTreeSet<(&'static str, String)>> {
    let limits = Limits::default().findings(usize::MAX);
    let mut reader = Reader::builder().validate(Layers::SCHEMA).edition(edition).limits(limits).build();
    reader.feed(bytes).unwrap();
    reader.end();
    while reader.poll_event().unwrap().is_some() {}
    let mut events = vec![BTreeSet::new(); reader.event_count() as usize];
    for finding in reader.findings().iter().filter(|finding| is_of_one_event(finding)) {
        let index = finding.location.event_index.expect("the schema layer looks at events") as usize;
        events[index].insert((finding.rule.id(), finding.path.clone()));
    }
    events
}

/// A finding that both methods report: one of the schema layer.
fn is_of_one_event(finding: &Finding) -> bool {
    finding.layer == Layer::Schema
}

#[test]
fn a_stream_gets_the_findings_of_its_single_events() {
    // The layer skips deltas that repeat the previous one; it must not miss a finding.
    for recording in recordings("a_stream_gets_the_findings_of_its_single_events", "responses") {
        let bytes = recording.bytes();
        let decoded = sse::decode_simply(&bytes, &Limits::default());
        let data: Vec<&str> = decoded.iter().filter_map(|signal| signal["data"].as_str()).collect();
        for edition in [Edition::OpenAi, Edition::V2026_04_24] {
            let stream = in_stream(&bytes, edition);
            assert!(!stream.is_empty(), "{}", recording.file);
            for (index, found) in stream.iter().enumerate() {
                let alone = validate_event(data[index], edition).expect("a recorded event is JSON");
                let alone = alone.into_iter().filter(is_of_one_event).map(|f| (f.rule.id(), f.path)).collect();
                assert_eq!(*found, alone, "{}, event {index}, {edition}", recording.file);
            }
        }
    }
}
