//! Guarantees of the two decoders beyond the signals: borrowing, order of calls, getters, single lines.

use deltafold::sse::{FrameDecoder, LineDecoder, LineEnd, Signal};
use deltafold::{Code, Limits, Overflow};
use deltafold_tests::sse::{decode, decode_with, finish};
use deltafold_tests::{splits, vectors};

#[test]
fn a_frame_in_one_chunk_with_one_data_line_is_borrowed_from_the_chunk() {
    let chunk = b"event: x\ndata: {\"a\":1}\n\ndata: two\nid: 1\n\n";
    let mut decoder = new();
    let mut at = 0;
    for expected in ["{\"a\":1}", "two"] {
        let Ok(Some(Signal::Frame(frame))) = decoder.next(chunk, &mut at) else { panic!("a frame") };
        assert_eq!(frame.data, expected);
        assert!(chunk.as_ptr_range().contains(&frame.data.as_ptr()), "{expected} was copied");
    }
}

#[test]
fn a_frame_is_dispatched_by_its_cr_without_waiting_for_the_next_byte() {
    let mut decoder = new();
    assert_eq!(decode_with(&mut decoder, [&b"data: 1\r\n\r"[..]]).len(), 1);
    assert_eq!(decode_with(&mut decoder, [&b"\n"[..]]).len(), 0, "the LF belongs to the CR before it");
    assert_eq!(decode_with(&mut decoder, [&b"\n"[..]]).len(), 1, "this one is a blank line");
}

#[test]
fn another_chunk_may_follow_a_comment_inside_a_block() {
    let mut decoder = new();
    let mut at = 0;
    let first = b"data: kept\n: note\n".to_vec();
    assert!(matches!(decoder.next(&first, &mut at), Ok(Some(Signal::Comment(_)))));
    // The first chunk is not decoded again, although it was not reported as used up.
    drop(first);
    let signals = decode_with(&mut decoder, [&b"\n"[..]]);
    assert_eq!(signals[0]["data"], "kept");
}

#[test]
fn raw_data_is_the_bytes_and_checks_to_the_same_frame() {
    for vector in vectors("sse/utf8-cases.json") {
        let bytes = vector.input();
        if bytes.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
            continue;
        }
        let stream = [b"data: ", &bytes[..], b"\n\n"].concat();
        let (mut raw_decoder, mut decoder, mut scratch) = (new(), new(), String::new());
        let (mut raw_at, mut at) = (0, 0);
        let Ok(Some(Signal::Frame(raw))) = raw_decoder.next_raw(&stream, &mut raw_at) else { panic!("a frame") };
        let Ok(Some(Signal::Frame(frame))) = decoder.next(&stream, &mut at) else { panic!("a frame") };
        assert_eq!(raw.data, bytes, "{vector}");
        let checked = raw.check(&mut scratch);
        assert_eq!((checked.data, checked.invalid_utf8), (frame.data, frame.invalid_utf8), "{vector}");
        assert_eq!(raw_at, at, "{vector}");
    }
}

#[test]
fn an_id_is_in_force_after_the_blank_line_and_a_retry_time_after_its_line() {
    let mut decoder = new();
    decode_with(&mut decoder, [&b"id: 7\nretry: 5\n"[..]]);
    assert_eq!((decoder.last_event_id(), decoder.retry()), ("", Some(5)));
    decode_with(&mut decoder, [&b"\n"[..]]);
    assert_eq!(decoder.last_event_id(), "7");
}

#[test]
fn a_new_connection_can_keep_the_id_and_the_retry_time() {
    let mut decoder = FrameDecoder::resume(&Limits::default(), "7", Some(5));
    let signals = decode_with(&mut decoder, [&b"data: a\n\nid\ndata: b\n\n"[..]]);
    assert_eq!((&signals[0]["id"], &signals[0]["retry"]), (&"7".into(), &5.into()));
    assert_eq!((&signals[1]["id"], decoder.offset()), (&"".into(), 21));
}

#[test]
fn the_offset_counts_every_byte() {
    let mut decoder = new();
    let stream = b"\xEF\xBB\xBFdata: 1\r\n\r\n: x\nfoo";
    for (index, byte) in stream.chunks(1).enumerate() {
        decode_with(&mut decoder, [byte]);
        assert_eq!(decoder.offset(), index as u64 + 1);
    }
}

#[test]
fn only_the_unfinished_block_is_buffered() {
    let mut decoder = new();
    decode_with(&mut decoder, [&b"data: abc\ndata: de"[..]]);
    assert_eq!(decoder.buffered_len(), 6);
    decode_with(&mut decoder, [&b"\n\n"[..]]);
    assert_eq!(decoder.buffered_len(), 0);
    decode_with(&mut decoder, [&b"event: abc"[..]]);
    assert_eq!(decoder.buffered_len(), 3);
}

#[test]
fn input_other_than_an_event_stream_is_not_an_event_stream() {
    let page = "<!DOCTYPE html>\n<html>\n<p style=\"a: b\">no</p>\n</html>\n";
    let body = "{\n  \"error\": {\n    \"message\": \"no\"\n  }\n}";
    let packed = b"\x1F\x8B\x08\0\0\0\0\0\0\x03\xCB\x48\xCD\xC9\xC9\x07\0\x86\xA6\x10\x36\x05\0\0\0";
    let message = b"\x81\x7E\x00\x80{\"type\":\"response.created\"}";
    for stream in [page.as_bytes(), body.as_bytes(), packed, message] {
        let mut decoder = new();
        assert!(decode_with(&mut decoder, [stream]).is_empty());
        assert!(decoder.finish().is_none());
        assert!(!decoder.is_event_stream());
    }
    for stream in [":", "data:", "event: x", "id\n", "retry:x"] {
        let mut decoder = new();
        decode_with(&mut decoder, [stream.as_bytes()]);
        assert!(decoder.is_event_stream(), "{stream:?}");
    }
}

#[test]
fn after_finish_more_input_is_misuse_and_a_second_finish_gives_nothing() {
    let mut decoder = new();
    decode_with(&mut decoder, [&b"data: tail"[..]]);
    assert!(decoder.finish().is_some());
    assert!(decoder.finish().is_none());
    for chunk in [&b"data: 1\n\n"[..], b""] {
        let error = decoder.next(chunk, &mut 0).expect_err("the input has ended");
        assert_eq!((error.code(), error.offset()), (Code::AfterFinish, 10));
    }
}

#[test]
fn finish_before_any_input_gives_nothing() {
    assert!(new().finish().is_none());
}

#[test]
fn a_reset_decoder_is_like_a_new_one() {
    let stream = b"data: after\nid: 2\n\n";
    let fresh = decode([&stream[..]], &Limits::default());
    let tails =
        [&b"\xEF\xBB\xBFid: 1\nretry: 3\ndata: x\n\n"[..], b"data: cut", b"event: cut", b"a\r", b"\xEF\xBB", b""];
    for before in tails {
        for finished in [false, true] {
            let mut decoder = new();
            decode_with(&mut decoder, [before]);
            if finished {
                decoder.finish();
            }
            decoder.reset();
            let mut signals = decode_with(&mut decoder, [&stream[..]]);
            signals.extend(finish(&mut decoder));
            assert_eq!(signals, fresh, "after {before:?}, finished {finished}");
        }
    }
}

#[test]
fn a_position_after_the_chunk_gives_nothing() {
    assert!(matches!(new().next(b"data: 1\n\n", &mut 99), Ok(None)));
    assert!(LineDecoder::new().next(b"a\n", &mut 99).is_none());
}

#[test]
fn single_lines_are_the_same_at_any_split() {
    let stream = b"\xEF\xBB\xBFone\r\ntwo\rthree\n\n\r\r\n\xEF\xBB\xBFfour\nrest";
    type LineList = Vec<(Vec<u8>, u64, Option<LineEnd>)>;
    let tell = |chunks: Vec<&[u8]>| {
        let mut decoder = LineDecoder::new();
        let mut signals: LineList = Vec::new();
        let mut open = false;
        for chunk in chunks {
            let mut at = 0;
            while let Some(line) = decoder.next(chunk, &mut at) {
                assert_eq!(line.begins, !open, "a line begins where the one before has ended");
                if line.begins {
                    signals.push((Vec::new(), line.offset, None));
                }
                let last = signals.last_mut().expect("a line has begun");
                assert_eq!(last.1, line.offset, "the offset is that of the line's first byte");
                last.0.extend_from_slice(line.bytes);
                last.2 = line.end;
                open = line.end.is_none();
            }
        }
        assert_eq!(decoder.is_inside_line(), open);
        assert_eq!(decoder.offset(), stream.len() as u64);
        signals
    };
    let line = |text: &[u8], offset, end| (text.to_vec(), offset, end);
    let expected: LineList = vec![
        line(b"one", 3, Some(LineEnd::Cr)),
        line(b"two", 8, Some(LineEnd::Cr)),
        line(b"three", 12, Some(LineEnd::Lf)),
        line(b"", 18, Some(LineEnd::Lf)),
        line(b"", 19, Some(LineEnd::Cr)),
        line(b"", 20, Some(LineEnd::Cr)),
        line(b"\xEF\xBB\xBFfour", 22, Some(LineEnd::Lf)),
        line(b"rest", 30, None),
    ];
    for split in splits(stream) {
        assert_eq!(tell(split.chunks(stream)), expected, "{split:?}");
    }
}

#[test]
fn a_line_decoder_can_be_reset() {
    let mut decoder = LineDecoder::new();
    assert!(decoder.next(b"abc", &mut 0).is_some());
    decoder.reset();
    let line = decoder.next(b"\xEF\xBB\xBFx\n", &mut 0).expect("a line");
    assert_eq!((line.bytes, line.offset, line.begins), (&b"x"[..], 3, true));
}

fn new() -> FrameDecoder {
    FrameDecoder::new(&Limits::default())
}

#[test]
fn a_reset_decoder_keeps_its_limits() {
    for overflow in [Overflow::Drop, Overflow::Error] {
        let limits = Limits::default().line_bytes(40).frame_bytes(8).overflow(overflow);
        let mut decoder = FrameDecoder::new(&limits);
        for _ in 0..2 {
            let (chunk, mut at) = (b"data: 0123456789\n\n", 0);
            match (decoder.next(chunk, &mut at), overflow) {
                (Ok(Some(Signal::Frame(frame))), Overflow::Drop) => assert!(frame.dropped && frame.data.is_empty()),
                (Err(error), Overflow::Error) => assert_eq!(error.code(), Code::FrameLimit),
                (other, _) => panic!("{overflow:?}: {other:?}"),
            }
            decoder.reset();
        }
    }
}

#[test]
fn a_comment_is_truncated_between_characters_and_invalid_bytes_stay() {
    let text = "a\u{e9}\u{20ac}\u{1f600}b".as_bytes();
    for (bytes, most, expected) in [
        (text, 1, "a"),
        (text, 2, "a"),
        (text, 3, "a\u{e9}"),
        (text, 5, "a\u{e9}"),
        (text, 6, "a\u{e9}\u{20ac}"),
        (text, 9, "a\u{e9}\u{20ac}"),
        (text, 10, "a\u{e9}\u{20ac}\u{1f600}"),
        (b"a\xFFbc", 2, "a\u{FFFD}"),
        (b"a\x80bc", 2, "a\u{FFFD}"),
        (b"a\xE2bc", 2, "a"),
        (b"a\xE2bc", 3, "a\u{FFFD}b"),
    ] {
        let mut decoder = FrameDecoder::new(&Limits::default().line_bytes(most));
        let (line, mut at) = ([b":", bytes, b"\n"].concat(), 0);
        let Ok(Some(Signal::Comment(comment))) = decoder.next(&line, &mut at) else { panic!("no comment") };
        assert_eq!((comment.text, comment.is_truncated), (expected, true), "{most} of {bytes:x?}");
    }
}

#[test]
fn the_first_invalid_byte_is_found_in_any_line() {
    for stream in [
        &b"data: a\xFFb\ndata: c\xFF\ndata: d\n\n"[..],
        b"data: a\ndata: \xFFc\ndata: d\xFF\n\n",
        b"data\ndata:\ndata: a\xFF\n\n",
    ] {
        let first = stream.iter().position(|byte| *byte == 0xFF).unwrap() as u64;
        for size in [1, 5, stream.len()] {
            let mut decoder = new();
            let mut found = Vec::new();
            for chunk in stream.chunks(size) {
                let mut at = 0;
                while let Some(signal) = decoder.next(chunk, &mut at).unwrap() {
                    let Signal::Frame(frame) = signal else { panic!("{signal:?}") };
                    found.push(frame.invalid_utf8);
                }
            }
            assert_eq!(found, [Some(first)], "{:?} in chunks of {size}", String::from_utf8_lossy(stream));
        }
    }
}

#[test]
fn a_raw_payload_of_one_line_is_not_checked_at_any_split() {
    let bytes = b"data: a\xFFb\n\n";
    for cut in 0..bytes.len() {
        let mut decoder = FrameDecoder::new(&Limits::default());
        let mut seen = 0;
        for chunk in [&bytes[..cut], &bytes[cut..]] {
            let mut at = 0;
            while let Some(signal) = decoder.next_raw(chunk, &mut at).unwrap() {
                let Signal::Frame(frame) = signal else { panic!("no frame") };
                assert_eq!((frame.data, frame.invalid_utf8), (&b"a\xFFb"[..], None), "cut at {cut}");
                seen += 1;
            }
        }
        assert_eq!(seen, 1);
    }
}
