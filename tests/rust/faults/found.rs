//! What fuzzing has found, each as small as it could be made.

use deltafold::Reader;

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
