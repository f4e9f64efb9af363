//! F1 to F12: bytes, lines and frames.

use deltafold::sse::{FrameDecoder, Signal};
use deltafold::{Limits, Outcome, Reader};
use deltafold_tests::memory::watch;
use deltafold_tests::streams::{feed, stream_names, Feed};
use deltafold_tests::{splits, vectors, Split, Vector};
use serde_json::json;

use super::{frame, read, read_split, NEXT};

/// Event name and data of each frame; the chunks are fed one by one.
fn frames(chunks: &[&[u8]]) -> Vec<(String, String)> {
    let mut decoder = FrameDecoder::new(&Limits::default());
    let mut found = Vec::new();
    for chunk in chunks {
        let mut at = 0;
        while let Some(signal) = decoder.next(chunk, &mut at).unwrap() {
            if let Signal::Frame(frame) = signal {
                found.push((frame.event.to_owned(), frame.data.to_owned()));
            }
        }
    }
    found
}

fn data(chunks: &[&[u8]]) -> Vec<String> {
    frames(chunks).into_iter().map(|(_, data)| data).collect()
}

#[test]
fn f01_no_split_changes_an_event_a_finding_an_offset_or_the_response() {
    for name in stream_names() {
        let value = json!({ "stream": name, "sse": [["\"type\"", "\"x\":\"é\",\"type\""]] });
        let vector = Vector { file: "base/streams.json".into(), name: name.clone(), value };
        let Some(Feed::Bytes(bytes)) = feed(&vector) else { panic!("{name} has no bytes") };
        let whole = read(&bytes);
        // The framing layer's own vectors are split at every position; here some positions are enough.
        let some = |(at, split): &(usize, Split)| !matches!(split, Split::Two(_)) || at % 41 == 0;
        for (_, split) in splits(&bytes).into_iter().enumerate().filter(some) {
            assert!(read_split(&bytes, split) == whole, "{name}, {split:?}");
        }
    }
}

#[test]
fn f02_a_cr_at_the_end_of_a_chunk_ends_its_line_at_once_and_one_lf_is_skipped() {
    let head: &[u8] = b"data: a\r";
    assert_eq!(data(&[head, b"\r"]), ["a"], "the event comes before the next byte");
    assert_eq!(data(&[head, b"\n\r"]), ["a"]);
    assert_eq!(data(&[head, b"\n\n"]), ["a"]);
    assert_eq!(data(&[head, b"\n", b"\n\n"]), ["a"], "one line feed is skipped, the next is a line");
    assert_eq!(data(&[head, b"data: b\n\n"]), ["a\nb"]);
    assert_eq!(data(&[head, b"", b"\ndata: b\n\n"]), ["a\nb"]);
    assert_eq!(data(&[head]), [""; 0], "the block was not ended");
}

#[test]
fn f03_only_cr_lf_and_crlf_end_lines() {
    assert_eq!(data(&[b"data: a\rdata: b\ndata: c\r\ndata: d\n\r\n"]), ["a\nb\nc\nd"]);
    assert_eq!(data(&[b"data: a\n\rdata: b\n\n"]), ["a", "b"], "LF CR is two line ends");
    assert_eq!(data(&[b"data: a\r\r\ndata: b\n\n"]), ["a", "b"], "CR CR LF is two line ends");
    let odd = "data: \u{85}\u{2028}\u{2029}\u{0b}\u{0c}\u{1c}x\n\n";
    assert_eq!(data(&[odd.as_bytes()]), ["\u{85}\u{2028}\u{2029}\u{0b}\u{0c}\u{1c}x"]);
}

#[test]
fn f04_the_first_byte_order_mark_is_removed_and_no_other() {
    let mark = "\u{feff}";
    let line = |text: &str| format!("{text}data: a\n\n");
    assert_eq!(data(&[line(mark).as_bytes()]), ["a"]);
    assert_eq!(data(&[b"\xef", b"\xbb", b"\xbf", b"data: a\n\n"]), ["a"], "split in three");
    assert_eq!(data(&[line(&mark.repeat(2)).as_bytes()]), [""; 0], "the second makes an unknown field");
    assert_eq!(data(&[format!("\n{}", line(mark)).as_bytes()]), [""; 0], "later it is part of a name");
    assert_eq!(data(&[b"\xef\xbb", b"data: a\n\ndata: b\n\n"]), ["b"], "a false start is text");
    assert_eq!(data(&[format!("{mark}\n{}", line("")).as_bytes()]), ["a"], "a line end after it is a blank line");
    assert_eq!(data(&[format!("data: {mark}\n\n").as_bytes()]), [mark]);
}

#[test]
fn f05_invalid_utf8_is_replaced_and_found_once_for_each_frame() {
    let mut tried = 0;
    for vector in vectors("sse/utf8-cases.json") {
        let bytes = vector.input();
        // Bytes that end the string or the line belong to another row.
        if bytes.iter().any(|byte| matches!(byte, b'\r' | b'\n' | b'"' | b'\\' | 0..=31)) {
            continue;
        }
        tried += 1;
        let mut stream = br#"data: {"type":"acme:x","sequence_number":0,"delta":""#.to_vec();
        stream.extend_from_slice(&bytes);
        stream.extend_from_slice(b"\"}\n\n");
        stream.extend_from_slice(frame(NEXT).as_bytes());
        let whole = read(&stream);
        let text =
            format!(r#"{{"type":"acme:x","sequence_number":0,"delta":"{}"}}"#, vector.get("decoded").as_str().unwrap());
        assert_eq!(whole.raw(), [text, NEXT.to_owned()], "{vector}");
        let count = whole.rules().iter().filter(|rule| **rule == "READ-01").count();
        assert_eq!(count, usize::from(vector.get("valid") != true), "{vector}");
        for split in [Split::Bytes, Split::Random(1), Split::Random(2)] {
            assert!(read_split(&stream, split) == whole, "{vector}, {split:?}");
        }
        let mut decoder = FrameDecoder::new(&Limits::default());
        let Ok(Some(Signal::Frame(found))) = decoder.next(&stream, &mut 0) else { panic!("{vector}: no frame") };
        assert_eq!(found.invalid_utf8.is_none(), vector.get("valid") == true, "{vector}");
        // An event has the offset of its payload, for programs that store the stream.
        let mut reader = Reader::new();
        reader.feed(&stream).unwrap();
        let offset = reader.poll_event().unwrap().unwrap().offset() as usize;
        assert!(stream[offset..].starts_with(br#"{"type":"acme:x""#), "{vector}");
    }
    assert!(tried > 30, "only {tried} cases");
}

#[test]
fn f05_next_raw_returns_the_original_bytes() {
    let mut tried = 0;
    for vector in vectors("sse/utf8-cases.json") {
        let bytes = vector.input();
        if bytes.iter().any(|byte| matches!(byte, b'\r' | b'\n')) {
            continue;
        }
        tried += 1;
        let stream =
            [b"event: e\ndata: <", bytes.as_slice(), b">\ndata:", &bytes, b"\n\ndata: |", &bytes, b"|\n\n"].concat();
        let lines = [b"<", bytes.as_slice(), b">\n", bytes.strip_prefix(b" ").unwrap_or(&bytes)].concat();
        let line = [b"|", bytes.as_slice(), b"|"].concat();
        for split in [Split::Whole, Split::Bytes, Split::Random(1), Split::Random(2)] {
            let mut decoder = FrameDecoder::new(&Limits::default());
            let mut found = Vec::new();
            for chunk in split.chunks(&stream) {
                let mut at = 0;
                while let Some(signal) = decoder.next_raw(chunk, &mut at).unwrap() {
                    if let Signal::Frame(frame) = signal {
                        found.push(frame.data.to_vec());
                    }
                }
            }
            assert_eq!(found, [lines.clone(), line.clone()], "{vector}, {split:?}");
        }
    }
    assert!(tried > 40, "only {tried} cases");
}

#[test]
fn f06_nul_is_kept_in_data_and_names_and_makes_an_id_invalid() {
    assert_eq!(frames(&[b"event: a\0b\ndata: c\0d\n\n"]), [("a\0b".to_owned(), "c\0d".to_owned())]);
    assert_eq!(data(&[b"da\0ta: a\n\ndata: b\n\n"]), ["b"], "a name with NUL is another name");
    let mut decoder = FrameDecoder::new(&Limits::default());
    let mut at = 0;
    while decoder.next(b"id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n", &mut at).unwrap().is_some() {}
    assert_eq!(decoder.last_event_id(), "1");
    let result = read(frame("{\"type\":\"acme:x\",\"sequence_number\":0,\"t\":\"\\u0000\"}").as_bytes());
    assert_eq!(result.events.len(), 1);
}

#[test]
fn f07_fields_are_read_as_the_algorithm_defines() {
    assert_eq!(data(&[b"data\n\n"]), [""], "a name without a colon has an empty value");
    assert_eq!(data(&[b"data:a\n\n"]), ["a"]);
    assert_eq!(data(&[b"data:  a\n\n"]), [" a"], "one space is dropped");
    assert_eq!(data(&[b"data:\ta\n\n"]), ["\ta"], "only a space is");
    assert_eq!(data(&[b"DATA: a\nData: b\n data: c\ndata : d\nother: e\n\n"]), [""; 0], "names are exact");
    assert_eq!(data(&[b"data: a:b: c\n\n"]), ["a:b: c"]);
    assert_eq!(data(&[b": data: a\n\n"]), [""; 0]);
}

#[test]
fn f08_an_id_is_committed_by_a_blank_line_only() {
    for (bytes, id) in [
        (&b"id: 1\n\n"[..], "1"),
        (b"id: 1\n", ""),
        (b"id: 1", ""),
        (b"id: 1\n\nid\n\n", ""),
        (b"id: 1\n\nid: 2\ndata: a\n", "1"),
    ] {
        let mut decoder = FrameDecoder::new(&Limits::default());
        let mut at = 0;
        while decoder.next(bytes, &mut at).unwrap().is_some() {}
        assert_eq!(decoder.last_event_id(), id, "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn f09_a_retry_time_is_digits_only_and_never_overflows() {
    let many = format!("{}7", "0".repeat(40));
    for (value, retry) in [
        ("250", Some(250)),
        ("", None),
        ("-1", None),
        ("+1", None),
        ("1.5", None),
        ("1e3", None),
        ("１２", None),
        (" 5", None),
        (&many, Some(7)),
        ("18446744073709551615", Some(u64::MAX)),
        ("18446744073709551616", Some(u64::MAX)),
        (&"9".repeat(400), Some(u64::MAX)),
    ] {
        let mut decoder = FrameDecoder::new(&Limits::default());
        let mut at = 0;
        while decoder.next(format!("retry: {value}\n\n").as_bytes(), &mut at).unwrap().is_some() {}
        assert_eq!(decoder.retry(), retry, "{value}");
    }
}

#[test]
fn f10_an_end_anywhere_is_truncated_and_the_partial_response_stays_readable() {
    let value = json!({ "stream": "text" });
    let vector = Vector { file: "base/streams.json".into(), name: "text".into(), value };
    let Some(Feed::Bytes(mut bytes)) = feed(&vector) else { panic!("no bytes") };
    bytes.splice(0..0, *b"\xef\xbb\xbf");
    let whole = read(&bytes);
    assert_eq!(whole.outcome, Outcome::Completed);
    for end in 0..bytes.len() {
        let result = read(&bytes[..end]);
        // A last frame without its blank line is read only if it is JSON (SSE-10).
        assert!(result.events.len() <= whole.events.len(), "{end}");
        assert_eq!(result.events[..], whole.events[..result.events.len()], "{end}");
        assert!(whole.text.starts_with(&result.text), "{end}");
        assert!(
            matches!(result.outcome, Outcome::Truncated { .. } | Outcome::Completed),
            "{end}: {:?}",
            result.outcome
        );
        assert_eq!(result.outcome == Outcome::Completed, result.events.len() == whole.events.len(), "{end}");
    }
    for tail in ["\r", "data", "data: {\"type\":", "data: {\"type\":\"acme:x\\u00", "event: x\n", "data: \u{fffd}"] {
        let result = read(format!("{}{tail}", frame(NEXT)).as_bytes());
        assert_eq!((result.events.len(), result.text.as_str()), (1, "next"), "{tail}");
    }
}

#[test]
fn f11_input_other_than_an_event_stream_gives_one_kind_of_finding_and_no_event() {
    let gzip: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x49\x2c\x49\xb4\x52\x48\x04\x00";
    let socket: &[u8] = b"\x81\x7e\x01\x00{\"type\":\"response.created\"}";
    let page: &[u8] = b"<!doctype html>\n<html><body>502 Bad Gateway</body></html>\n";
    let body: &[u8] = br#"{"error":{"type":"invalid_request","code":"bad","message":"No.","param":null}}"#;
    for bytes in [gzip, socket, page, body] {
        let mut reader = Reader::new();
        reader.feed(bytes).unwrap();
        assert!(reader.poll_event().unwrap().is_none());
        let outcome = reader.finish().unwrap();
        let mut rules: Vec<_> = reader.findings().iter().map(|finding| finding.rule.id()).collect();
        rules.dedup();
        assert_eq!(rules.len(), 1, "{rules:?}");
        match outcome {
            Outcome::Failed { error } => assert_eq!((error.code.as_str(), bytes), ("bad", body)),
            other => assert!(matches!(other, Outcome::Truncated { .. }) && bytes != body, "{other:?}"),
        }
    }
}

#[test]
fn f12_endless_keep_alives_change_the_activity_and_use_no_memory() {
    for idle in [": keep-alive\n\n", "\n", "event: ping\n\n", "retry: 3\n\n", ":\r\n"] {
        let mut reader = Reader::new();
        let chunk = idle.repeat(1_000);
        let step = |reader: &mut Reader| {
            reader.feed(chunk.as_bytes()).unwrap();
            assert!(reader.poll_event().unwrap().is_none());
        };
        step(&mut reader);
        let before = reader.activity();
        let used = watch(|| (0..1_000).for_each(|_| step(&mut reader)));
        assert_eq!((used.calls, used.peak), (0, 0), "{idle:?}: bytes for 10⁶ of them");
        assert!(reader.activity() > before, "{idle:?}");
    }
}
