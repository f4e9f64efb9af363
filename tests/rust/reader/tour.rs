//! The example stream of the README is valid in every field, complete, and gives the same events at every split.

use deltafold::validate::validate_event;
use deltafold::{Edition, Kind, Outcome, Reader};
use deltafold_tests::{canonical, splits, Split};
use serde_json::Value;

const TOUR: &[u8] = include_bytes!("../../../examples/streams/tour.sse");

fn read(chunks: &[&[u8]]) -> (Reader, Vec<String>) {
    let mut reader = Reader::builder().strict().build();
    let mut payloads = Vec::new();
    for chunk in chunks {
        reader.feed(chunk).unwrap();
        while let Some(event) = reader.poll_event().unwrap() {
            payloads.push(event.raw().to_owned());
        }
    }
    assert_eq!(reader.finish().unwrap(), Outcome::Completed);
    assert_eq!(reader.findings(), []);
    (reader, payloads)
}

#[test]
fn every_event_is_valid_by_the_edition_of_2026_04_24() {
    let (reader, payloads) = read(&Split::Whole.chunks(TOUR));
    assert_eq!(payloads.len(), 40);
    assert!(reader.saw_done());
    for (number, payload) in payloads.iter().enumerate() {
        assert_eq!(validate_event(payload, Edition::V2026_04_24).unwrap(), [], "{payload}");
        let event: Value = serde_json::from_str(payload).unwrap();
        assert_eq!(event["sequence_number"], number);
    }
}

#[test]
fn the_events_add_up_to_the_response_of_the_last_one() {
    let (reader, payloads) = read(&Split::Whole.chunks(TOUR));
    let last: Value = serde_json::from_str(payloads.last().unwrap()).unwrap();
    let folded: Value = serde_json::from_str(&reader.response().to_json()).unwrap();
    assert_eq!(canonical(&folded), canonical(&last["response"]));
    assert_eq!(last["response"].as_object().unwrap().len(), 31);

    // Without the last event the deltas alone must give the same items.
    let mut early = Reader::new();
    for payload in &payloads[..39] {
        early.feed_json(payload).unwrap();
        while early.poll_event().unwrap().is_some_and(|event| event.kind() != Kind::Completed) {}
    }
    let folded: Value = serde_json::from_str(&early.response().to_json()).unwrap();
    assert_eq!(canonical(&folded["output"]), canonical(&last["response"]["output"]));
}

#[test]
fn any_split_gives_the_same_events() {
    let (_, whole) = read(&Split::Whole.chunks(TOUR));
    for split in splits(TOUR) {
        assert_eq!(read(&split.chunks(TOUR)).1, whole, "{split:?}");
    }
}
