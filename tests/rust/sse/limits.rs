//! Limits of the SSE layer: exact, the same for any split, and the state afterwards.

use deltafold::sse::FrameDecoder;
use deltafold::{Class, Code, Limits, Overflow};
use deltafold_tests::splits;
use deltafold_tests::sse::{decode, decode_with, finish};
use serde_json::Value;

/// A stream whose longest line has 46 bytes and whose largest payload has 40.
const STREAM: &[u8] = b"event: a\ndata: 0123456789012345678901234567890123456789\n\nevent: b\ndata: small\n\n";
const LINE: usize = 46;
const PAYLOAD: usize = 40;

#[test]
fn a_line_passes_at_the_limit_and_stops_one_byte_past_it() {
    for (limit, stops) in [(LINE + 1, false), (LINE, false), (LINE - 1, true), (8, true), (usize::MAX, false)] {
        let limits = Limits::default().line_bytes(limit);
        let expected = if stops { Some(("limit.line", 9 + limit as u64)) } else { None };
        check(&limits, expected);
    }
}

#[test]
fn a_payload_passes_at_the_limit_and_stops_one_byte_past_it() {
    for (limit, stops) in [(PAYLOAD + 1, false), (PAYLOAD, false), (PAYLOAD - 1, true), (0, true), (usize::MAX, false)]
    {
        let limits = Limits::default().frame_bytes(limit);
        let expected = if stops { Some(("limit.frame", 15 + limit as u64)) } else { None };
        check(&limits, expected);
    }
}

#[test]
fn the_first_byte_past_the_limit_stops_a_payload_in_small_chunks() {
    for (limits, most, code) in [
        (Limits::default().line_bytes(300), 300 - "data: ".len(), Code::LineLimit),
        (Limits::default().frame_bytes(300), 300, Code::FrameLimit),
    ] {
        for size in [1, 3, 15, 16] {
            let mut decoder = FrameDecoder::new(&limits);
            assert!(decoder.next(b"data: ", &mut 0).unwrap().is_none());
            let mut came = 0;
            let error = loop {
                came += size;
                if let Err(error) = decoder.next(&vec![b'x'; size], &mut 0) {
                    break error;
                }
                assert!(came <= most, "{code:?}: {came} bytes came in chunks of {size}");
            };
            assert_eq!((error.code(), error.offset()), (code, ("data: ".len() + most) as u64));
            assert!(came > most && came - size <= most, "{code:?}: {came} bytes came in chunks of {size}");
        }
    }
}

#[test]
fn line_limit_0_stops_at_the_first_field() {
    check(&Limits::default().line_bytes(0), Some(("limit.line", 0)));
}

#[test]
fn one_limit_may_be_the_largest_number_while_the_other_is_passed() {
    let largest = Limits::default().line_bytes(usize::MAX).frame_bytes(usize::MAX);
    check(&largest, None);
    check(&largest.frame_bytes(3), Some(("limit.frame", 18)));
    check(&largest.line_bytes(10), Some(("limit.line", 19)));
    for overflow in [Overflow::Error, Overflow::Drop] {
        let late = b"data: 1\n\ndata: 12345\n\n";
        for limits in [largest.frame_bytes(4).overflow(overflow), largest.line_bytes(10).overflow(overflow)] {
            for split in splits(late) {
                assert_eq!(decode(split.chunks(late), &limits), decode([&late[..]], &limits), "{split:?}");
            }
        }
    }
}

#[test]
fn a_payload_of_many_lines_counts_its_line_breaks() {
    let stream = "data\n".repeat(11) + "\n";
    for (limit, frames) in [(9, 0), (10, 1), (11, 1)] {
        let limits = Limits::default().frame_bytes(limit);
        for split in splits(stream.as_bytes()) {
            let signals = decode(split.chunks(stream.as_bytes()), &limits);
            assert_eq!(count(&signals, "frame"), frames, "limit {limit}, {split:?}");
            assert_eq!(count(&signals, "error"), 1 - frames, "limit {limit}, {split:?}");
        }
    }
}

#[test]
fn with_drop_the_name_stays_the_payload_is_dropped_and_reading_continues() {
    let late_limits = [
        Limits::default().frame_bytes(PAYLOAD - 1).overflow(Overflow::Drop),
        Limits::default().line_bytes(LINE - 1).overflow(Overflow::Drop),
    ];
    for limits in late_limits {
        for split in splits(STREAM) {
            let signals = decode(split.chunks(STREAM), &limits);
            let seen: Vec<_> = signals
                .iter()
                .filter(|signal| signal["signal"] == "frame")
                .map(|frame| (&frame["event"], &frame["data"], frame["dropped"] == true))
                .collect();
            let expected = [(&"a".into(), &"".into(), true), (&"b".into(), &"small".into(), false)];
            assert_eq!(seen, expected, "{limits:?}, {split:?}");
        }
    }
}

#[test]
fn data_that_is_not_stored_cannot_exceed_a_limit() {
    let limits = Limits::default().line_bytes(12).frame_bytes(4);
    let long = "x".repeat(5_000);
    let stream = format!(":{long}\n{long}\n{long}: {long}\nretry: {}7\ndata: 1234\n\n", "0".repeat(5_000));
    for chunk in [stream.len(), 1, 7, 1_000] {
        let signals = decode(stream.as_bytes().chunks(chunk), &limits);
        assert_eq!((&signals[0]["text"], &signals[0]["cut"]), (&"x".repeat(12).into(), &true.into()));
        assert_eq!((&signals[1]["data"], &signals[1]["retry"]), (&"1234".into(), &7.into()));
    }
}

#[test]
fn after_a_limit_the_same_error_is_returned_until_reset() {
    let limits = Limits::default().line_bytes(10);
    let mut decoder = FrameDecoder::new(&limits);
    let signals = decode_with(&mut decoder, [&b"data: 1\n\ndata: 123456\n\n"[..]]);
    assert_eq!((count(&signals, "frame"), count(&signals, "error")), (1, 1));
    for chunk in [&b"data: 2\n\n"[..], b"", b"\n"] {
        let error = decoder.next(chunk, &mut 0).expect_err("a limit was passed");
        assert_eq!((error.code(), error.class(), error.offset()), (Code::LineLimit, Class::Limit, 19));
    }
    assert!(decoder.finish().is_none());
    assert_eq!(decoder.next(b"", &mut 0).expect_err("finish does not heal").code(), Code::LineLimit);

    decoder.reset();
    let stream = b"data: 1234\n\ndata: 12345\n\n";
    let mut signals = decode_with(&mut decoder, [&stream[..]]);
    signals.extend(finish(&mut decoder));
    assert_eq!(signals, decode([&stream[..]], &limits), "the limits stay");
}

#[test]
fn the_default_limits_allow_the_largest_real_events() {
    // Events with an image of about 4 MB exist in practice.
    let data = "A".repeat(8 << 20);
    let stream = format!("event: response.image_generation_call.partial_image\ndata: {{\"b64\":\"{data}\"}}\n\n");
    let signals = decode(stream.as_bytes().chunks(16 << 10), &Limits::default());
    assert_eq!(signals[0]["data"].as_str().map(str::len), Some(data.len() + 10));
}

fn check(limits: &Limits, expected: Option<(&str, u64)>) {
    for split in splits(STREAM) {
        let signals = decode(split.chunks(STREAM), limits);
        let error = signals.iter().find(|signal| signal["signal"] == "error");
        let found = error.and_then(|error| Some((error["code"].as_str()?, error["offset"].as_u64()?)));
        assert_eq!(found, expected, "{limits:?}, {split:?}");
        if expected.is_none() {
            assert_eq!(count(&signals, "frame"), 2, "{limits:?}, {split:?}");
        }
    }
}

fn count(signals: &[Value], signal: &str) -> usize {
    signals.iter().filter(|signals| signals["signal"] == signal).count()
}
