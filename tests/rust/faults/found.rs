//! What fuzzing has found, each as small as it could be made.

use deltafold::Reader;
use deltafold_tests::anything::{converts_alike, Conversion};
use deltafold_tests::Cutting;

/// The offsets of all findings of a stream.
fn offsets(stream: &[u8]) -> Vec<u64> {
    let mut reader = Reader::new();
    reader.feed(stream).unwrap();
    reader.finish();
    reader
        .findings()
        .iter()
        .filter(|finding| finding.rule.id() == "SSE-01")
        .map(|finding| finding.place.offset)
        .collect()
}

#[test]
fn a_fault_behind_replaced_bytes_or_joined_lines_is_found_inside_the_stream() {
    // Each byte becomes three, so the place in the text lay behind the end of the stream.
    assert_eq!(offsets(b"data: {\"a\":\"\xFF\xFF\xFF\xFF\xFF\xFF\n\n"), [6]);
    assert_eq!(offsets(b"data: {\ndata: \"a\":!}\n\n"), [6]);
    // Where nothing was replaced the place is exact.
    assert_eq!(offsets("data: {\"é\":!}\n\n".as_bytes()), [6 + 6]);
}

#[test]
fn a_dialect_is_detected_alike_at_any_cut_and_before_a_cancellation() {
    let frame =
        "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"a\"}\n\n";
    // Behind the first kilobyte it is looked at again at doubled lengths only, so the end has to look once more.
    let late = ": alive\n".repeat(160) + &frame.repeat(3);
    // A line that begins as one dialect and ends as nothing.
    let line = "{\"model\":\"m\",\"done\":false}!\n{\"choices\":[]}\n";
    for stream in [late.as_str(), line] {
        for cancel in [false, true] {
            for to in ["ui-message-stream", "open-responses"] {
                let cuttings = [Cutting::Bytes, Cutting::Every(100), Cutting::Every(28), Cutting::Random(45)];
                converts_alike(stream.as_bytes(), Conversion { from: None, to, cancel }, &cuttings, "detected");
            }
        }
    }
}
