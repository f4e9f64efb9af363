//! Real recordings against the schema layer: what servers send fits the contract, or stands in a reviewed list.

use deltafold::validate::{validate_compact_response, validate_event, validate_response};
use deltafold::{Edition, Finding, Limits};
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
    let decoded = sse::decode_slowly(&bytes, &Limits::default());
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
fn what_lm_studio_sends_is_valid_open_responses() {
    for recording in all("what_lm_studio_sends_is_valid_open_responses") {
        if recording.facts["provider"] == "lmstudio" {
            let findings = findings(&recording, Edition::V2026_04_24);
            assert!(findings.is_empty(), "{}: {findings:#?}", recording.file);
        }
    }
}

#[test]
fn no_recording_repeats_payload_text_in_a_message() {
    // Ids are never declared strings, so one in a message would have come from the payload.
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
