//! Faults that fuzzing found, each minimized.

use deltafold::validate::Layers;
use deltafold::{Finding, Reader, ReaderOptions, Repair};
use deltafold_tests::properties::{a_forged_save_is_harmless, converts_alike, no_split_matters, Conversion};
use deltafold_tests::Split;

/// The offsets of all findings of a stream.
fn offsets(stream: &[u8]) -> Vec<u64> {
    let mut reader = Reader::new();
    reader.feed(stream).unwrap();
    reader.finish().unwrap();
    reader
        .findings()
        .iter()
        .filter(|finding| finding.rule.id() == "SSE-01")
        .map(|finding| finding.location.offset)
        .collect()
}

#[test]
fn a_fault_after_replaced_bytes_or_joined_lines_is_found_inside_the_stream() {
    // Each byte becomes three, so the place in the text was after the end of the stream.
    assert_eq!(offsets(b"data: {\"a\":\"\xFF\xFF\xFF\xFF\xFF\xFF\n\n"), [6]);
    assert_eq!(offsets(b"data: {\ndata: \"a\":!}\n\n"), [6]);
    // If nothing was replaced the offset is exact.
    assert_eq!(offsets("data: {\"é\":!}\n\n".as_bytes()), [6 + 6]);
}

#[test]
fn a_dialect_is_detected_the_same_at_any_split_and_before_a_cancellation() {
    let frame =
        "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"a\"}\n\n";
    // After the first kilobyte, detection is repeated only at doubled lengths, so the end has to detect once more.
    let late = ": alive\n".repeat(160) + &frame.repeat(3);
    // A line that begins like one dialect and ends like none.
    let line = "{\"model\":\"m\",\"done\":false}!\n{\"choices\":[]}\n";
    for stream in [late.as_str(), line] {
        for cancel in [false, true] {
            for to in ["ui-message-stream", "open-responses"] {
                let splits = [Split::Bytes, Split::Every(100), Split::Every(28), Split::Random(45)];
                converts_alike(stream.as_bytes(), Conversion::new(None, to, cancel), &splits, "detected");
            }
        }
    }
}

#[test]
fn a_delta_with_the_id_of_another_item_is_repaired_the_same_at_any_split() {
    // After a delta was routed by its index, later predicted ones were not compared with the item's id any more.
    let delta = |number: usize, id: &str| {
        format!("event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"sequence_number\":{number},\"item_id\":\"{id}\",\"output_index\":0,\"content_index\":0,\"delta\":\"a\",\"logprobs\":[]}}\n\n")
    };
    let stream: String = (0..12).map(|number| delta(number, if number == 0 { "msg_0" } else { "msg_1" })).collect();
    let options = ReaderOptions::default().layers(Layers::ALL);
    no_split_matters(stream.as_bytes(), &options, &[Split::Bytes, Split::Every(18), Split::Random(7)], "ids");
    let mut reader = Reader::with_options(options);
    reader.feed(stream.as_bytes()).unwrap();
    reader.finish().unwrap();
    let repaired = |finding: &&Finding| finding.repair == Some(Repair::RoutedByIndex);
    assert_eq!(reader.findings().iter().filter(repaired).count(), 11);
}

#[test]
fn a_forged_saved_state_without_an_output_gives_the_same_text_and_value() {
    let mut reader = Reader::new();
    reader
        .feed(b"data: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"r\",\"output\":[]}}\n\n")
        .unwrap();
    while reader.poll_event().unwrap().is_some() {}
    let saved = String::from_utf8(reader.save()).unwrap();
    let state = &saved[..saved.len() - 17];
    assert!(state.contains("\"output\":"), "{state}");
    a_forged_save_is_harmless(state.replace("\"output\":", "\"outputs\":").as_bytes(), b"");
}
