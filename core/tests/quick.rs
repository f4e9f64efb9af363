//! One pass through every layer, small enough for Miri: the step `miri` runs it as this machine, as a big-endian one and as a
//! 32-bit one, and the results must be the same texts everywhere.

use deltafold::adapter::Converter;
use deltafold::json::{PartialJson, Value};
use deltafold::validate::Layers;
use deltafold::{Code, Kind, Limits, Reader, ReaderOptions, Writer, WriterOptions};

/// A stream with escapes, a surrogate pair over two deltas, a name that differs from its type, an unknown event, and invalid UTF-8.
const STREAM: &[&[u8]] = &[
    b"\xEF\xBB\xBFevent: response.created\r\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"in_progress\",\"output\":[]}}\r\n\r\n",
    b"data: {\"type\":\"response.output_item.added\",\"sequence_number\":1,\"output_index\":0,\"item\":{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"in_progress\",\"role\":\"assistant\",\"content\":[]}}\n\n",
    b"data: {\"type\":\"response.output_text.delta\",\"sequence_number\":2,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"a\\n\\ud83d\"}\n\n",
    b"data: {\"type\":\"response.output_text.delta\",\"sequence_number\":3,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"\\ude00b\"}\n\n",
    b"data: {\"type\":\"response.output_text.delta\",\"sequence_number\":4,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"c\"}\n\n",
    b": alive\n\nevent: acme:tick\ndata: {\"type\":\"acme:tick\",\"n\":18446744073709551616}\n\n",
    b"data: {\"type\":\"response.function_call_arguments.delta\",\"sequence_number\":6,\"output_index\":4294967296,\"delta\":\"{\\\"x\\\":[1\"}\n\n",
    b"data: {\"type\":\"response.output_text.delta\",\"sequence_number\":7,\"output_index\":0,\"content_index\":0,\"delta\":\"\xFF\"}\n\ndata: [DONE]\n\n",
];

/// The result as one text: kinds and offsets, rules, and the response.
fn read(chunks: impl Iterator<Item = Vec<u8>>, options: ReaderOptions) -> String {
    let mut reader = Reader::with_options(options);
    let mut seen = String::new();
    for chunk in chunks {
        reader.feed(&chunk).unwrap();
        while let Some(event) = reader.poll_event().unwrap() {
            seen.push_str(&format!("{} {}\n", event.offset(), event.wire_type()));
        }
    }
    seen.push_str(&format!("{}\n", reader.finish().unwrap().to_value()));
    for finding in reader.findings() {
        seen.push_str(&format!("{} ", finding.rule.id()));
    }
    seen + "\n" + &reader.response().to_json()
}

#[test]
fn a_stream_is_read_the_same_on_every_machine() {
    let options = ReaderOptions::default().layers(Layers::FRAMING | Layers::STREAM);
    let whole = read(STREAM.iter().map(|chunk| chunk.to_vec()), options.clone());
    assert_eq!(whole, EXPECTED);
    // Chunks whose size is no multiple of a machine word.
    let bytes = STREAM.concat();
    assert_eq!(read(bytes.chunks(61).map(<[u8]>::to_vec), options), whole);
}

#[test]
fn a_save_of_one_machine_is_taken_up_by_another() {
    let restored = Reader::restore(SAVED.as_bytes(), ReaderOptions::default()).unwrap();
    assert_eq!(restored.response().output_text(), "a\n😀b");
    assert_eq!(String::from_utf8(restored.save()).unwrap(), SAVED);
    let mut reader = Reader::new();
    for chunk in &STREAM[..4] {
        reader.feed(chunk).unwrap();
        while reader.poll_event().unwrap().is_some() {}
    }
    assert_eq!(reader.response().to_json(), restored.response().to_json());
}

#[test]
fn a_stream_that_is_written_is_read_without_findings() {
    let mut writer = Writer::new(WriterOptions::new("resp_1", "m", 7));
    for intent in [
        r#"{"do":"message"}"#,
        r#"{"do":"text","item":0,"text":"é\u0000😀"}"#,
        r#"{"do":"function_call","call_id":"c","name":"f"}"#,
        r#"{"do":"arguments","item":1,"text":"{}"}"#,
        r#"{"do":"complete"}"#,
    ] {
        writer.apply_json(intent).unwrap();
    }
    let mut reader = Reader::builder().validate(Layers::ALL).build();
    reader.feed(&writer.take()).unwrap();
    reader.finish().unwrap();
    assert!(reader.findings().is_empty(), "{:?}", reader.findings());
    assert_eq!(reader.response().to_value(), writer.response());
}

#[test]
fn growing_json_and_a_conversion_give_the_same_texts() {
    let mut growing = PartialJson::default();
    for piece in ["{\"a\":[1.5e", "3,\"\\ud83d", "\\ude00\"],\"b\":tr"] {
        growing.push(piece).unwrap();
    }
    assert_eq!(growing.value().map(Value::to_string).as_deref(), Some(r#"{"a":[1.5e3,"😀"]}"#));
    let mut converter = Converter::from_json(r#"{"from":"open-responses","to":"chat-completions"}"#).unwrap();
    for chunk in &STREAM[..5] {
        converter.feed(chunk).unwrap();
    }
    converter.cancel().unwrap();
    let out = String::from_utf8(converter.take()).unwrap();
    assert!(out.contains(r#""content":"a\n"#) && out.ends_with("data: [DONE]\n\n"), "{out}");
}

#[test]
fn limits_and_indices_at_the_edges_of_32_bits_are_exact() {
    // A limit that does not fit `usize` is no limit on this machine.
    for text in ["4294967295", "4294967296", "18446744073709551615"] {
        let limits = Limits::from_json(&format!(r#"{{"frame_bytes":{text},"items":{text},"depth":{text}}}"#)).unwrap();
        let largest = usize::try_from(text.parse::<u64>().unwrap()).unwrap_or(usize::MAX);
        assert_eq!((limits.frame_bytes, limits.items, limits.depth), (largest, largest, largest), "{text}");
        let mut reader = Reader::builder().limits(limits).build();
        reader.feed(STREAM[1]).unwrap();
        assert_eq!(reader.poll_event().unwrap().map(|event| event.kind()), Some(Kind::OutputItemAdded));
    }
    let frame = |index: &str| {
        format!("data: {{\"type\":\"response.output_text.delta\",\"output_index\":{index},\"content_index\":{index},\"delta\":\"x\"}}\n\n")
    };
    for (index, number) in [
        ("4294967295", Some(4_294_967_295)),
        ("4294967296", Some(4_294_967_296)),
        ("9007199254740991", Some(9_007_199_254_740_991)),
        ("18446744073709551616", None),
        ("-1", None),
    ] {
        let mut reader = Reader::new();
        reader.feed(frame(index).as_bytes()).unwrap();
        assert_eq!(reader.poll_event().unwrap().unwrap().output_index(), number, "{index}");
        assert!(reader.response().items().count() <= 1);
    }
    // Line, frame and buffer at n − 1, n and the largest number.
    let bytes = frame("0");
    let (data, line) = (bytes.len() - 8, bytes.len() - 2);
    for (size, make, code) in [
        (line, (|n| Limits::default().line_bytes(n)) as fn(usize) -> Limits, Code::LineLimit),
        (data, |n| Limits::default().frame_bytes(n), Code::FrameLimit),
        (bytes.len(), |n| Limits::default().buffered_bytes(n), Code::BufferLimit),
    ] {
        let read = |limits: Limits| {
            let mut reader = Reader::builder().limits(limits).build();
            reader.feed(bytes.as_bytes()).and_then(|()| reader.poll_event().map(|event| event.is_some()))
        };
        assert_eq!(read(make(size)).map_err(|error| error.code()), Ok(true), "{code:?}");
        assert_eq!(read(make(usize::MAX)).map_err(|error| error.code()), Ok(true), "{code:?}");
        assert_eq!(read(make(size - 1)).map_err(|error| error.code()), Err(code));
    }
}

/// A saved state after the fourth chunk, made by a 64-bit little-endian machine.
const SAVED: &str = concat!(
    r#"{"format":"deltafold-save-1","events":4,"activity":621,"last_sequence_number":3,"done":false,"last_event_id":"","retry":null,"#,
    r#""response":{"fields":{"id":"resp_1","object":"response","status":"in_progress","output":null},"started":true,"slots":[{"item":"#,
    r#"{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[{"type":"output_text","text":"a\n😀b","#,
    r#""annotations":[],"logprobs":[]}]},"done":false,"wires":[[0],[],[]],"logprobs":[],"images":[]}],"by_index":[[0,0]],"#,
    r#""order":[[0,0]],"outcome":null,"error":null,"headers":{},"rates":null}}"#,
    "\n2b289f3848bbf267"
);

const EXPECTED: &str = concat!(
    "34 response.created\n173 response.output_item.added\n349 response.output_text.delta\n487 response.output_text.delta\n",
    "623 response.output_text.delta\n779 acme:tick\n832 response.function_call_arguments.delta\n955 response.output_text.delta\n",
    r#"{"outcome":"truncated","last_sequence_number":7}"#,
    "\nSSE-11 SSE-04 SSE-04 PART-02 SSE-04 SSE-04 EXT-05 SSE-04 ITEM-03 READ-01 SSE-04 SSE-03 LIFE-06 \n",
    r#"{"id":"resp_1","object":"response","status":"failed","output":[{"id":"msg_1","type":"message","status":"incomplete","role":"#,
    r#""assistant","content":[{"type":"output_text","text":"a\n😀bc�","annotations":[],"logprobs":[]}]},{"type":"function_call","#,
    r#""id":"","status":"incomplete","call_id":"","name":"","arguments":"{\"x\":[1"}],"error":{"code":"stream_truncated","#,
    r#""message":"The response stream ended before a terminal event."}}"#
);
