//! Encoded data decodes to the same frame, and data that cannot be encoded is refused.

use deltafold::sse::{encode, encode_comment, encode_id, encode_retry, encode_with};
use deltafold::{Code, Limits};
use deltafold_tests::sse::decode;
use deltafold_tests::{splits, Random};
use serde_json::Value;

#[test]
fn a_frame_is_event_data_and_a_blank_line_in_lf() {
    assert_eq!(encoded("response.created", "{}"), b"event: response.created\ndata: {}\n\n");
}

#[test]
fn without_a_name_there_is_no_event_line() {
    assert_eq!(encoded("", "[DONE]"), b"data: [DONE]\n\n");
}

#[test]
fn an_empty_payload_is_still_a_frame() {
    let signals = decode([&encoded("x", "")[..]], &Limits::default());
    assert_eq!((&signals[0]["signal"], &signals[0]["data"]), (&"frame".into(), &"".into()));
}

#[test]
fn every_line_break_starts_a_data_line_and_is_decoded_as_lf() {
    assert_eq!(encoded("", "a\nb\rc\r\nd\n"), b"data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n");
    for (payload, back) in [("\n", "\n"), ("\r\n", "\n"), ("\n\r", "\n\n"), ("\r\r\n", "\n\n"), ("a\r", "a\n")] {
        let signals = decode([&encoded("", payload)[..]], &Limits::default());
        assert_eq!(signals[0]["data"], back, "{payload:?}");
    }
}

#[test]
fn bytes_are_appended_after_the_content_of_the_buffer() {
    let mut out = b"before".to_vec();
    encode("a", "1\n2", &mut out).expect("the name is valid");
    assert_eq!(out, b"beforeevent: a\ndata: 1\ndata: 2\n\n");
}

#[test]
fn a_payload_can_be_written_in_place() {
    let mut out = b"before".to_vec();
    encode_with("a", &mut out, |out| out.extend_from_slice(b"1\r\n2")).expect("the name is valid");
    assert_eq!(out, b"beforeevent: a\ndata: 1\ndata: 2\n\n");
}

#[test]
fn id_and_retry_lines_belong_to_the_next_frame() {
    let mut out = Vec::new();
    encode_id("7", &mut out).expect("the id is valid");
    encode_retry(1_500, &mut out);
    encode("", "x", &mut out).expect("there is no name");
    assert_eq!(out, b"id: 7\nretry: 1500\ndata: x\n\n");
}

#[test]
fn every_retry_time_survives_encoding() {
    for time in [0, 9, 10, 1_500, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
        let mut out = Vec::new();
        encode_retry(time, &mut out);
        let signals = decode([&out[..]], &Limits::default());
        assert_eq!(signals.last().map(|end| end["retry"].clone()), Some(time.into()));
    }
}

#[test]
fn a_name_or_id_that_cannot_be_sent_is_misuse_and_appends_nothing() {
    for bad in ["a\nb", "a\r", "\n", "\r\n"] {
        let mut out = b"before".to_vec();
        let error = encode(bad, "x", &mut out).expect_err("a line break in a name");
        assert_eq!(error.code(), Code::BadArgument);
        assert_eq!(encode_id(bad, &mut out).expect_err("a line break in an id").code(), Code::BadArgument);
        assert_eq!(out, b"before");
    }
    assert_eq!(encode_id("a\0b", &mut Vec::new()).expect_err("a NUL in an id").code(), Code::BadArgument);
}

#[test]
fn a_comment_is_reported_but_dispatches_nothing() {
    let mut out = Vec::new();
    encode_comment("one\r\ntwo\n", &mut out);
    assert_eq!(out, b": one\n: two\n:\n\n");
    let signals = decode([&out[..]], &Limits::default());
    let signals: Vec<&Value> = signals.iter().map(|signal| &signal["signal"]).collect();
    assert_eq!(signals, ["comment", "comment", "comment", "blank", "end"]);
}

#[test]
fn any_frame_is_decoded_from_its_bytes_at_any_split() {
    const TEXTS: &[&str] = &[
        "",
        " ",
        "  x",
        "data: y",
        ":",
        "{\"a\":1}",
        "é",
        "😀",
        "\u{FEFF}",
        "\0",
        "\u{2028}",
        "\u{85}",
        "\t",
        "event: z",
        "\n",
        "\n\n",
        "\n ",
    ];
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut frames = Vec::new();
        let mut stream = Vec::new();
        for _ in 0..random.below(5) {
            let data: String = (0..random.below(6)).map(|_| random.pick(TEXTS)).collect();
            let mut name: String = (0..random.below(3)).map(|_| random.pick(TEXTS)).collect();
            name.retain(|char| char != '\n');
            encode(&name, &data, &mut stream).expect("the name has no line breaks");
            frames.push((name, data));
        }
        for split in splits(&stream) {
            let signals = decode(split.chunks(&stream), &Limits::default());
            let back: Vec<(String, String)> = signals
                .iter()
                .filter(|signal| signal["signal"] == "frame")
                .map(|frame| (text(&frame["event"]), text(&frame["data"])))
                .collect();
            assert_eq!(back, frames, "seed {seed}, {split:?}");
            assert_eq!(signals.len(), frames.len() + 1, "seed {seed}, {split:?}: frames and the end, nothing else");
        }
    }
}

fn encoded(event: &str, data: &str) -> Vec<u8> {
    let mut out = Vec::new();
    encode(event, data, &mut out).expect("the name has no line breaks");
    out
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
