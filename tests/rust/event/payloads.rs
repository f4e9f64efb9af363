//! The event layer with invalid, unusual and foreign payloads: an event that keeps its raw text, a finding, and no panic.

use deltafold::__bindings::{parser_with_tiers, ParserTiers};
use deltafold::event::{Fault, Origin, Parser};
use deltafold::{Kind, Limits, Outcome, Reader};
use deltafold_tests::{base64, shared, vectors};
use serde_json::Value;

struct EventFields {
    kind: Kind,
    raw: String,
    fault: Option<Fault>,
}

fn read_bytes(bytes: &[u8]) -> (Vec<EventFields>, Reader) {
    let mut reader = Reader::new();
    reader.feed(bytes).unwrap();
    reader.end();
    let mut seen = Vec::new();
    while let Some(event) = reader.poll_event().unwrap() {
        seen.push(EventFields { kind: event.kind(), raw: event.raw().to_owned(), fault: event.fault() });
    }
    reader.finish().unwrap();
    (seen, reader)
}

fn read(payload: &str) -> (EventFields, Vec<String>) {
    let stream = format!("data: {payload}\n\ndata: {{\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"next\"}}\n\n");
    let (mut seen, reader) = read_bytes(stream.as_bytes());
    assert_eq!(seen.len(), 2, "{payload}");
    assert_eq!(seen[1].kind, Kind::OutputTextDelta, "the next frame is fine");
    let rules = reader.findings().iter().filter(|finding| finding.location.event_index == Some(0));
    let rules = rules.map(|finding| format!("{} {}", finding.rule.id(), finding.path)).collect();
    (seen.remove(0), rules)
}

fn has(rules: &[String], rule: &str) -> bool {
    rules.iter().any(|found| found.starts_with(rule))
}

#[test]
fn the_json_parsing_suite_gets_its_expected_verdicts_inside_a_frame() {
    let Some(folder) = shared("events: json parsing", "conformance/json-parsing") else { return };
    let list = std::fs::read_to_string(folder.parent().unwrap().join("json-parsing.json")).unwrap();
    let list: Value = serde_json::from_str(&list).unwrap();
    let mut judged = 0;
    for file in list["files"].as_array().unwrap() {
        let name = file["file"].as_str().unwrap();
        let bytes = std::fs::read(folder.join(name)).unwrap();
        // A frame joins its data lines with LF, which is white space in JSON; so is CR.
        let mut stream = Vec::new();
        for line in bytes.split(|byte| *byte == b'\n') {
            stream.extend_from_slice(b"data: ");
            stream.extend_from_slice(line);
            stream.push(b'\n');
        }
        stream.extend_from_slice(b"\ndata: {\"type\":\"response.completed\"}\n\n");
        let (seen, reader) = read_bytes(&stream);
        assert_eq!(seen.last().map(|last| last.kind), Some(Kind::Completed), "{name}: reading continues");
        let invalid_utf8 = reader.findings().iter().any(|finding| finding.rule.id() == "READ-01");
        // Split by CR or joined again, the first data is the document, or its first piece.
        let refused =
            matches!(seen[0].fault, Some(Fault::NotJson(_) | Fault::TooDeep)) || invalid_utf8 || seen.len() == 1;
        match file["expect"].as_str().unwrap() {
            "accept" => assert!(!refused, "{name} is JSON"),
            "reject" => {
                assert!(refused, "{name} is not JSON");
                let empty = bytes.iter().all(|byte| *byte == b'\n');
                assert!(empty || !reader.findings().is_empty(), "{name}: there is a finding");
            }
            _ => {}
        }
        judged += 1;
    }
    assert!(judged > 150, "{judged} files");
}

#[test]
fn a_payload_that_is_not_an_object_keeps_its_text_and_is_found() {
    for payload in
        ["{", "nonsense", "[1]", "5", "\"x\"", "null", "{\"a\":1}{\"b\":2}", "{\"a\":1} x", "{'a':1}", "{\"a\":NaN}"]
    {
        let (seen, rules) = read(payload);
        assert_eq!((seen.kind, seen.raw.as_str()), (Kind::Unknown, payload));
        assert!(seen.fault.is_some() && has(&rules, "SSE-01"), "{payload}: {rules:?}");
    }
}

#[test]
fn routing_fields_of_another_type_or_range_are_found_and_not_used() {
    for value in ["\"1\"", "-1", "1.5", "1e9", "99999999999999999999", "[]", "{}", "true"] {
        let payload = format!(
            r#"{{"type":"response.output_text.delta","output_index":{value},"item_id":"a","content_index":0,"delta":"x"}}"#
        );
        let (seen, rules) = read(&payload);
        assert_eq!(seen.raw, payload);
        assert!(has(&rules, "READ-07 /output_index"), "{value}: {rules:?}");
    }
    let (_, rules) =
        read(r#"{"type":"response.output_text.delta","output_index":0,"item_id":7,"content_index":0,"delta":"x"}"#);
    assert!(has(&rules, "READ-07 /item_id"));
}

#[test]
fn a_field_may_be_both_repeated_and_invalid() {
    let (_, rules) =
        read(r#"{"type":"response.output_text.delta","item_id":"a","item_id":5,"output_index":0,"delta":"x"}"#);
    assert!(has(&rules, "READ-06 /item_id") && has(&rules, "READ-07 /item_id"), "{rules:?}");
}

/// With every set of fast paths, also after similar events: cached results of those do not apply to these.
#[test]
fn every_fast_path_gives_the_same_verdict_on_words_numbers_and_fields() {
    let delta = |rest: &str| format!(r#"{{"type":"response.output_text.delta",{rest}"output_index":0,"delta":"x"}}"#);
    let broken = ["nope", "trux", "falsy", "nul", ":", "1:", "01", "+1", "-", "0x1", "1.", ""];
    for (template, flat) in [(false, false), (false, true), (true, true)] {
        let mut parser = parser_with_tiers(8, ParserTiers { block_template: template, flat_scanner: flat });
        let mut check = |payload: &str, look: &dyn Fn(&deltafold::Event<'_>)| {
            for _ in 0..3 {
                for number in [7, 12] {
                    let good = delta(&format!(r#""sequence_number":{number},"item_id":"a","#));
                    assert!(parser.parse(&good, Origin::default()).fault().is_none());
                }
                look(&parser.parse(payload, Origin::default()));
            }
        };
        for word in broken {
            for field in ["sequence_number", "other"] {
                let payload = delta(&format!(r#""{field}":{word},"item_id":"a","#));
                check(&payload, &|event| {
                    assert!(matches!(event.fault(), Some(Fault::NotJson(_))), "{payload}");
                    assert_eq!((event.kind(), event.sequence_number(), event.delta()), (Kind::Unknown, None, ""));
                });
            }
        }
        for first in ["[", "(", "\"", " ["] {
            let payload = delta("").replacen('{', first, 1);
            check(&payload, &|event| assert!(matches!(event.fault(), Some(Fault::NotJson(_))), "{payload}"));
        }
        for payload in ["[1]", "\"text\"", "7", " null "] {
            check(payload, &|event| assert_eq!(event.fault(), Some(Fault::NotObject), "{payload}"));
        }
        for (rest, number, id, bad) in [
            (r#""sequence_number":999999999999999999,"item_id":"b","#, Some(999_999_999_999_999_999), Some("b"), None),
            (r#""sequence_number":1000000000000000000,"item_id":"b","#, None, Some("b"), Some("sequence_number")),
            (r#""sequence_number":null,"item_id":null,"#, None, None, None),
            (r#""sequence_number":3,"item_id":4,"#, Some(3), None, Some("item_id")),
            (r#""sequence_number":"3","item_id":"\u0062","#, None, Some("b"), Some("sequence_number")),
        ] {
            check(&delta(rest), &|event| {
                assert_eq!((event.sequence_number(), event.item_id()), (number, id), "{rest}");
                assert_eq!(event.bad_fields().collect::<Vec<_>>(), Vec::from_iter(bad), "{rest}");
                assert_eq!((event.fault(), event.delta()), (None, "x"), "{rest}");
            });
        }
        // The text of a delta may have another meaning in other families.
        check(r#"{"type":"response.shell_call_output_content.delta","delta":{"stdout":"a"},"text":7}"#, &|event| {
            assert_eq!((event.bad_fields().count(), event.delta(), event.done_text()), (0, "", None));
        });
        // A complete text is beside a delta, and moves with the number before it.
        for number in [8, 9, 10, 11, 100, 2] {
            let payload = delta(&format!(r#""sequence_number":{number},"text":"all of it {number}","#));
            check(&payload, &|event| assert_eq!(event.done_text(), Some(&*format!("all of it {number}"))));
        }
    }
}

#[test]
fn a_complete_text_without_escapes_is_not_copied() {
    let mut parser = Parser::new(8);
    for (text, copied) in [("plain é", false), ("a\\nb", true)] {
        let payload = format!(r#"{{"type":"response.output_text.done","text":"{text}"}}"#);
        let event = parser.parse(&payload, Origin::default());
        let (raw, text) = (event.raw().as_bytes().as_ptr_range(), event.done_text().unwrap().as_ptr());
        assert_eq!(!raw.contains(&text), copied, "{payload}");
    }
}

#[test]
fn types_that_are_missing_unknown_or_prefixed_are_distinguished() {
    for (payload, kind) in [
        (r#"{"a":1}"#, Kind::Unknown),
        (r#"{"type":null}"#, Kind::Unknown),
        (r#"{"type":5}"#, Kind::Unknown),
        (r#"{"type":"response.new_thing"}"#, Kind::Unknown),
        (r#"{"type":":x"}"#, Kind::Unknown),
        (r#"{"type":"acme:x"}"#, Kind::Extension),
        (r#"{"type":"acme:message"}"#, Kind::Extension),
        (r#"{"type":"ping"}"#, Kind::Keepalive),
        (r#"{"type":"response\u002ecreated"}"#, Kind::Created),
    ] {
        assert_eq!(read(payload).0.kind, kind, "{payload}");
    }
    let long = format!(r#"{{"type":"{}"}}"#, "x".repeat(1 << 20));
    assert_eq!(read(&long).0.kind, Kind::Unknown);
}

#[test]
fn repeated_and_hostile_keys_are_kept_and_the_last_value_counts() {
    let payload = r#"{"type":"response.created","type":"response.output_text.delta","delta":"a","delta":"b","__proto__":{"x":1},"constructor":2,"output_index":0,"content_index":0}"#;
    let (seen, rules) = read(payload);
    assert_eq!((seen.kind, seen.raw.as_str()), (Kind::OutputTextDelta, payload));
    assert!(has(&rules, "READ-06 /type") && has(&rules, "READ-06 /delta"), "{rules:?}");
}

#[test]
fn the_depth_limit_is_exact_and_deeper_payloads_keep_their_text() {
    let nested = |depth: usize, open: &str, close: &str| {
        format!(r#"{{"type":"acme:deep","x":{}1{}}}"#, open.repeat(depth - 1), close.repeat(depth - 1))
    };
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for (depth, fine) in [(127, true), (128, true), (129, false), (100_000, false)] {
            let payload = nested(depth, open, close);
            let (seen, rules) = read(&payload);
            assert_eq!(seen.raw.len(), payload.len());
            assert_eq!(seen.fault, if fine { None } else { Some(Fault::TooDeep) }, "{open} {depth}");
            assert_eq!(has(&rules, "READ-03"), !fine);
        }
    }
}

#[test]
fn a_small_stack_is_enough_for_the_deepest_payload() {
    let payload = format!(
        r#"{{"type":"response.output_item.added","output_index":0,"item":{}1{}}}"#,
        "[".repeat(126),
        "]".repeat(126)
    );
    let item = payload.replace("\"item\":[", "\"item\":{\"type\":\"message\",\"x\":[").replace("]}", "]}}");
    let run = move || {
        for payload in [payload, item] {
            let mut reader = Reader::new();
            reader.feed(format!("data: {payload}\n\n").as_bytes()).unwrap();
            while let Some(event) = reader.poll_event().unwrap() {
                let value = event.to_value();
                assert!(value == value.clone());
                assert!(!value.to_string().is_empty() && !value.to_pretty().is_empty());
            }
            drop(reader);
        }
    };
    // Debug builds have larger frames than release builds; four times the figure for release is still small.
    std::thread::Builder::new().stack_size(256 << 10).spawn(run).unwrap().join().unwrap();
}

#[test]
fn numbers_keep_every_digit() {
    let (seen, _) = read(r#"{"type":"acme:n","a":9007199254740993,"b":1e400,"c":-0,"d":1E+2,"e":0.1000}"#);
    let mut reader = Reader::new();
    reader.feed_json(&seen.raw).unwrap();
    let event = reader.poll_event().unwrap().unwrap();
    assert_eq!(event.to_value().to_string(), seen.raw);
}

#[test]
fn bytes_that_are_not_utf8_are_replaced_and_their_offset_is_reported() {
    let (seen, reader) = read_bytes(b"data: {\"type\":\"acme:x\",\"a\":\"\xFFz\"}\n\n");
    assert_eq!(seen[0].raw, "{\"type\":\"acme:x\",\"a\":\"\u{FFFD}z\"}");
    let finding = reader.findings().iter().find(|finding| finding.rule.id() == "READ-01").unwrap();
    assert_eq!(finding.location.offset, 28);
}

#[test]
fn a_payload_past_the_limit_can_be_dropped_and_reading_continues() {
    let limits = Limits::default().frame_bytes(64).overflow(deltafold::Overflow::Drop);
    let mut reader = Reader::builder().limits(limits).build();
    let big = format!(
        "event: acme:big\ndata: {}\n\nevent: acme:small\ndata: {{\"type\":\"acme:small\"}}\n\n",
        "x".repeat(100)
    );
    reader.feed(big.as_bytes()).unwrap();
    let first = reader.poll_event().unwrap().unwrap();
    assert_eq!((first.frame_name(), first.raw()), (Some("acme:big"), ""));
    assert_eq!(reader.poll_event().unwrap().unwrap().wire_type(), "acme:small");
    assert!(reader.findings().iter().any(|finding| finding.rule.id() == "READ-02"));
}

#[test]
fn streams_of_another_kind_are_named_in_one_finding() {
    let cases: [(&str, &str); 12] = [
        ("data: {\"usageMetadata\":{}}\n\n", "Gemini"),
        ("data: {\"message\":{},\"done\":false}\n\n", "Ollama"),
        ("data: {\"object\":\"response\",\"status\":\"completed\",\"output\":[]}\n\n", "a whole response object"),
        ("data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[]}\n\ndata: {\"choices\":[]}\n\n", "Chat Completions"),
        ("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n", "Anthropic"),
        ("data: {\"candidates\":[]}\r\n\r\n", "Gemini"),
        ("data: {\"type\":\"message-start\"}\n\n", "Cohere"),
        ("data: {\"type\":\"RUN_STARTED\"}\n\n", "AG-UI"),
        ("data: {\"type\":\"text-delta\",\"delta\":\"x\"}\n\n", "UI message"),
        ("<!DOCTYPE html><html>\n<body>502</body>\n</html>\n", "HTML"),
        ("{\"id\":\"resp_1\",\"object\":\"response\"}\n", "plain JSON body"),
        ("\u{1f}\u{8b}\n", ""),
    ];
    for (stream, name) in cases {
        let (_, reader) = read_bytes(stream.as_bytes());
        let named: Vec<_> = reader.findings().iter().filter(|finding| finding.rule.id() == "READ-04").collect();
        if name.is_empty() {
            continue;
        }
        assert_eq!(named.len(), 1, "{name}: {:?}", reader.findings());
        assert!(named[0].message.contains(name), "{}", named[0].message);
    }
    let (_, reader) = read_bytes(b"\x1f\x8b\x08\x00\x00binary\n");
    assert!(reader.findings().iter().any(|finding| finding.message.contains("gzip")), "{:?}", reader.findings());
    let (_, reader) = read_bytes(b"\x28\xB5\x2F\xFD\x04\n");
    assert!(reader.findings().iter().any(|finding| finding.message.contains("zstd")), "{:?}", reader.findings());
}

#[test]
fn content_that_only_resembles_another_stream_is_not_named() {
    let cases: [&[u8]; 9] = [
        b"data: {\"message\":{}}\n\n",
        b"data: {\"done\":true}\n\n",
        b"data: {\"output\":[],\"status\":\"completed\"}\n\n",
        b"data: {\"output\":[],\"object\":\"response\"}\n\n",
        b"data: {\"status\":\"completed\",\"object\":\"response\"}\n\n",
        b"data: {\"output\":[],\"status\":\"completed\",\"object\":\"list\"}\n\n",
        b"\x1f\x20\n",
        b"(\xB5\n",
        b"(hello)\n",
    ];
    for stream in cases {
        let (_, reader) = read_bytes(stream);
        for name in ["Gemini", "Ollama", "a whole response object", "gzip", "zstd"] {
            let named = reader.findings().iter().any(|finding| finding.message.contains(name));
            assert!(!named, "{name}: {:?}", reader.findings());
        }
    }
}

#[test]
fn a_json_error_body_is_offered_as_the_outcome() {
    let mut reader = Reader::new();
    reader.feed(br#"{"error":{"message":"no such model","type":"not_found","param":"model","code":null}}"#).unwrap();
    let Outcome::Failed { error } = reader.finish().unwrap() else { panic!("{:?}", reader.outcome()) };
    assert_eq!(
        (error.kind.as_str(), error.message.as_str(), error.param.as_deref()),
        ("not_found", "no such model", Some("model"))
    );
}

#[test]
fn awkward_strings_pass_through_an_event_unchanged() {
    let Some(path) = shared("events: naughty strings", "conformance/naughty-strings.json") else { return };
    let list: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let list = list["strings_b64"].as_array().unwrap();
    assert!(list.len() > 300);
    for text in list.iter().map(|text| String::from_utf8(base64(text.as_str().unwrap())).unwrap()) {
        let payload = serde_json::json!({ "type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text });
        let mut reader = Reader::new();
        reader.feed(format!("data: {payload}\n\n").as_bytes()).unwrap();
        let event = reader.poll_event().unwrap().unwrap();
        assert_eq!((event.delta(), deltafold::__bindings::raw_fields(&event).delta), (text.as_str(), text.as_bytes()));
        assert_eq!(reader.response().output_text(), text);
    }
}

#[test]
fn every_vector_of_a_kind_is_read_as_that_kind_and_written_as_the_same_value() {
    for vector in vectors("event") {
        let payload = vector.get("payload").to_string();
        let mut reader = Reader::new();
        reader.feed(format!("data: {payload}\n\n").as_bytes()).unwrap();
        let event = reader.poll_event().unwrap().unwrap();
        assert_eq!(event.kind().name(), vector.get("kind").as_str().unwrap_or(""), "{vector}");
        let strings = deltafold::__bindings::raw_fields(&event);
        assert_eq!((strings.wire_type, strings.delta), (event.wire_type().as_bytes(), event.delta().as_bytes()));
        assert_eq!(strings.has_item_id.then_some(strings.item_id), event.item_id().map(str::as_bytes), "{vector}");
        assert_eq!(strings.has_text.then_some(strings.text), event.done_text().map(str::as_bytes), "{vector}");
        let mut written = String::new();
        deltafold::event::write(&event, &mut written);
        let again: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(&again, vector.get("payload"), "{vector}");
        let value: Value = serde_json::from_str(&event.to_value().to_string()).unwrap();
        assert_eq!(&value, vector.get("payload"), "{vector}");
    }
}

#[test]
fn every_known_kind_has_a_vector() {
    let written: Vec<_> =
        vectors("event").iter().map(|vector| vector.get("kind").as_str().unwrap_or("").to_owned()).collect();
    let missing: Vec<_> =
        Kind::ALL.iter().filter(|kind| kind.is_known() && !written.iter().any(|name| name == kind.name())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn kinds_have_their_group() {
    for (name, state, delta, done) in [
        ("response.created", true, false, false),
        ("response.completed", true, false, false),
        ("response.output_text.delta", false, true, false),
        ("response.output_text.done", false, false, true),
        ("response.function_call_arguments.done", false, false, true),
        ("response.output_item.done", false, false, false),
        ("response.content_part.done", false, false, false),
        ("error", false, false, false),
        ("acme:x", false, false, false),
    ] {
        let kind = Kind::from_wire(name);
        assert_eq!((kind.is_response_state(), kind.is_delta(), kind.is_done()), (state, delta, done), "{name}");
        assert_eq!(kind.is_terminal(), name == "response.completed", "{name}");
    }
}
