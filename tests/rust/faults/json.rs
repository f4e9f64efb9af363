//! J13 to J20: payloads.

use deltafold::event::{Fault, Origin, Parser};
use deltafold::json::{PartialJson, Value, MAX_DEPTH};
use deltafold::validate::{validate_request, Layers};
use deltafold::{Code, Edition, Kind, Limits, OwnedEvent, Reader, ReaderOptions};
use deltafold_tests::memory::watch;
use deltafold_tests::{shared, Split};

use super::{frame, read, read_split, NEXT};

#[test]
fn j13_a_payload_that_is_not_one_object_is_found_and_the_next_frame_is_read() {
    for payload in [
        r#"{"type":"response.created""#,
        r#"{"type":"acme:x","sequence_number":0} garbage"#,
        r#"{"a":1}{"b":2}"#,
        "[DONE] ",
        " [DONE]",
        "[done]",
        "\"[DONE]\"",
        "nothing",
        "[]",
        "7",
        "null",
    ] {
        let result = read((frame(payload) + &frame(NEXT)).as_bytes());
        assert_eq!(result.raw(), [payload.to_owned(), NEXT.to_owned()], "{payload}");
        assert!(result.has("SSE-01") || result.has("SSE-03"), "{payload}: {:?}", result.rules());
        assert_eq!(result.text, "next", "{payload}");
    }
    // Empty data is a block without an event; a sentinel that is early, repeated or missing is found, and never an event.
    for (stream, rule) in [
        (format!("data:\n\n{}", frame(NEXT)), "SSE-09"),
        (frame("[DONE]") + &frame(NEXT), "SSE-03"),
        (frame(NEXT) + &frame("[DONE]") + &frame("[DONE]"), "SSE-03"),
        (frame(NEXT), "SSE-02"),
    ] {
        let strict = deltafold::Profile::builtin("open-responses").unwrap();
        let options = ReaderOptions::default().layers(Layers::ALL).profile(strict);
        let result = super::read_with(&[stream.as_bytes()], options);
        assert!(result.has(rule), "{rule}: {:?}", result.rules());
        assert_eq!(result.text, "next", "{rule}");
    }
}

/// Runs on a stack of 64 KiB. Frames are about three times as large without optimisation: `deltafold-hostile` of the
/// benches tests a release build on such a stack.
fn on_a_small_stack(work: fn()) {
    let stack = if cfg!(debug_assertions) { 256 } else { 64 } << 10;
    std::thread::Builder::new().stack_size(stack).spawn(work).unwrap().join().unwrap();
}

#[test]
fn j14_depth_has_an_exact_limit_and_nothing_recurses_beyond_it() {
    on_a_small_stack(|| {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            for depth in [127, 128, 129, 100_000] {
                let nested = format!("{}1{}", open.repeat(depth), close.repeat(depth));
                // In a payload: the object around it is a level, too.
                let payload = format!(r#"{{"type":"acme:x","sequence_number":0,"x":{nested}}}"#);
                let mut parser = Parser::new(128);
                let event = parser.parse(&payload, Origin::default());
                assert_eq!(event.fault(), (depth + 1 > 128).then_some(Fault::TooDeep), "{open} {depth}");
                assert_eq!(event.raw(), payload);
                let value = event.to_value();
                assert!(value == value.clone() && !value.to_string().is_empty() && !value.to_pretty().is_empty());
                // In an arguments delta: text of any content; shown up to the limit.
                let mut partial = PartialJson::default();
                assert_eq!(partial.push(&nested).is_ok(), depth <= 128, "{open} {depth}");
                drop(partial.into_value());
                // In a request's schema.
                let request = format!(
                    r#"{{"model":"m","input":"i","tools":[{{"type":"function","name":"f","parameters":{{"x":{nested}}}}}]}}"#
                );
                let checked = validate_request(&request, Edition::default());
                assert_eq!(
                    checked.err().map(|error| error.code()),
                    (depth + 4 > 128).then_some(Code::TooDeep),
                    "{open} {depth}"
                );
            }
        }
    });
}

#[test]
fn j14_no_limit_lets_nesting_exhaust_the_stack() {
    // Without optimisation; with it, a quarter of that is enough.
    for (limit, kibibytes) in [(128, 256), (usize::MAX, 1024)] {
        let stack = std::thread::Builder::new().stack_size(kibibytes << 10);
        stack.spawn(move || deep_streams_are_read(limit)).unwrap().join().unwrap();
    }
}

/// Reads, saves, compares and prints streams with the maximum depth and deeper ones.
fn deep_streams_are_read(limit: usize) {
    let deepest = limit.min(MAX_DEPTH);
    for depth in [deepest - 5, deepest, 100_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let nested = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let item = format!(r#"{{"type":"acme:thing","id":"i","status":"completed","x":{nested}}}"#);
            let stream = [
                format!(
                    r#"{{"type":"response.created","sequence_number":0,"response":{{"id":"r","metadata":{nested}}}}}"#
                ),
                format!(
                    r#"{{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{item}}}"#
                ),
                format!(r#"{{"type":"response.output_item.done","sequence_number":2,"output_index":0,"item":{item}}}"#),
                format!(
                    r#"{{"type":"response.completed","sequence_number":3,"response":{{"id":"r","tools":{nested},"output":[{item}]}}}}"#
                ),
            ];
            let limits = Limits::default().depth(limit);
            let options = ReaderOptions::default().layers(Layers::ALL).limits(limits);
            let mut reader = Reader::with_options(options.clone());
            for payload in &stream {
                reader.feed_json(payload).unwrap();
                while reader.poll_event().unwrap().is_some() {}
            }
            reader.finish().unwrap();
            let saved = Reader::restore(&reader.save(), options).unwrap();
            assert_eq!(saved.response().to_value(), reader.response().to_value());
            assert_eq!(reader.response().to_json().contains(&nested), depth < deepest, "{open} {depth}");
        }
    }
}

#[test]
fn j15_numbers_keep_their_text_and_an_index_reserves_nothing() {
    let digits = "9".repeat(400);
    let payload = format!(
        r#"{{"type":"acme:n","sequence_number":0,"a":{digits},"b":1e400,"c":-0,"d":1E+2,"e":9007199254740993,"f":18446744073709551616}}"#
    );
    let event = OwnedEvent::parse(&payload);
    assert_eq!(event.as_event().to_value().to_string(), payload);
    let field = |pointer: &str| event.as_event().get(pointer).and_then(|view| view.as_u64());
    assert_eq!((field("/e"), field("/f"), field("/a")), (Some(9_007_199_254_740_993), None, None));
    for (index, usable) in [
        ("-1", false),
        ("1.0", false),
        ("1e0", false),
        ("18446744073709551616", false),
        ("\"1\"", false),
        ("1000000000", true),
    ] {
        let delta = NEXT.replace("\"output_index\":0", &format!("\"output_index\":{index}"));
        let mut result = None;
        let used = watch(|| result = Some(read(frame(&delta).as_bytes())));
        let result = result.unwrap();
        assert_eq!(result.has("READ-07"), !usable, "{index}: {:?}", result.rules());
        assert_eq!(result.text, "next", "{index}: the next event is read");
        assert!(used.peak < 256 << 10, "{index}: {used:?}");
    }
}

#[test]
fn j16_the_last_of_repeated_keys_is_used_and_hostile_names_have_no_effect() {
    let payload = r#"{"type":"response.created","type":"response.output_text.delta","output_index":0,"output_index":0,"item_id":"m","content_index":0,"delta":"a","delta":"b","sequence_number":0,"__proto__":{"x":1},"constructor":2}"#;
    let result = read(frame(payload).as_bytes());
    assert_eq!((result.raw(), result.text.as_str()), (vec![payload.to_owned()], "b"));
    assert!(result.has("READ-06"));
    let event = OwnedEvent::parse(payload);
    assert_eq!(event.as_event().kind(), Kind::OutputTextDelta);
    assert_eq!(event.as_event().to_value().to_string(), payload, "the whole keeps all of them, in order");
    let long = format!(r#"{{"{}":1,"type":"acme:x","sequence_number":0}}"#, "k".repeat(1 << 20));
    assert_eq!(read(frame(&long).as_bytes()).raw(), [long]);
}

#[test]
fn j17_text_that_only_resembles_json_is_refused() {
    for value in [
        "NaN",
        "Infinity",
        "-Infinity",
        "1/*c*/",
        "'a'",
        "\u{feff}1",
        "\"a\u{1}b\"",
        "01",
        ".5",
        "1.",
        "+1",
        "tru",
        "\"\\x\"",
        "[1,]",
        "{\"a\":1,}",
    ] {
        let payload = format!(r#"{{"type":"acme:x","sequence_number":0,"x":{value}}}"#);
        let result = read((frame(&payload) + &frame(NEXT)).as_bytes());
        assert!(result.has("SSE-01"), "{value}: {:?}", result.rules());
        assert_eq!(result.raw(), [payload, NEXT.to_owned()], "{value}");
    }
    let Some(folder) = shared("j17", "conformance/json-parsing") else { return };
    let mut refused = 0;
    for entry in
        std::fs::read_dir(folder.join("test_parsing")).or_else(|_| std::fs::read_dir(&folder)).unwrap().flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(text) = String::from_utf8(std::fs::read(entry.path()).unwrap()) else { continue };
        if name.starts_with("n_") {
            refused += 1;
            assert!(Value::parse(&text, 1_000).is_err(), "{name}");
        } else if name.starts_with("y_") {
            assert!(Value::parse(&text, 1_000).is_ok(), "{name}");
        }
    }
    assert!(refused > 100, "only {refused} files");
}

#[test]
fn j18_every_escape_is_exact_text() {
    let mut reader = Reader::new();
    for unit in 0..=0xFFFF_u32 {
        let payload =
            format!(r#"{{"type":"response.output_text.delta","sequence_number":0,"delta":"a\u{unit:04x}b"}}"#);
        reader.feed_json(&payload).unwrap();
        let event = reader.poll_event().unwrap().unwrap();
        let expected = char::from_u32(unit).unwrap_or('\u{FFFD}');
        assert_eq!(event.delta(), format!("a{expected}b"), "{unit:04x}");
        if unit % 4_096 == 4_095 {
            reader.reset();
        }
    }
    for char in ['\u{10000}', '\u{1F600}', '\u{10FFFF}'] {
        let units: String = char.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect();
        let event = OwnedEvent::parse(&format!(r#"{{"type":"acme:x","delta":"{units}"}}"#));
        assert_eq!(event.as_event().delta(), char.to_string());
    }
}

#[test]
fn j19_halves_of_a_surrogate_pair_are_joined_over_deltas_and_a_lone_one_is_replaced() {
    let delta = |number: u64, text: &str| {
        NEXT.replace("\"sequence_number\":0", &format!("\"sequence_number\":{number}")).replace("next", text)
    };
    let stream = frame(&delta(0, "a\\ud83d")) + &frame(&delta(1, "\\ude00b"));
    for split in [Split::Whole, Split::Bytes, Split::Random(3)] {
        assert_eq!(read_split(stream.as_bytes(), split).text, "a😀b", "{split:?}");
    }
    for (lone, text) in [("\\ud83d", "\u{FFFD}x"), ("\\ude00", "\u{FFFD}x"), ("\\ude00\\ud83d", "\u{FFFD}\u{FFFD}x")] {
        let result = read((frame(&delta(0, lone)) + &frame(&delta(1, "x"))).as_bytes());
        assert_eq!(result.text, text, "{lone}");
        assert!(result.raw()[0].contains(lone), "{lone}");
        assert!(result.has("READ-05"), "{lone}: {:?}", result.rules());
    }
}

#[test]
fn j20_arguments_so_far_are_never_wrong_only_incomplete() {
    let document =
        r#"{"city":"Zü\u00fcrich\n\ud83d\ude00","days":[1,-2.5e+3,0],"ok":true,"none":null,"deep":{"a":[{"b":"c"}]}}"#;
    let whole = Value::parse(document, 16).unwrap();
    let mut growing = PartialJson::default();
    let mut last = 0;
    for char in document.chars() {
        growing.push(char.encode_utf8(&mut [0; 4])).unwrap();
        let shown = growing.value().map(Value::to_string).unwrap_or_default();
        // Text that was shown is never retracted: without its closing brackets and quotes it is a prefix of later text.
        let open = shown.trim_end_matches(['}', ']', '"']);
        assert!(whole.to_string().starts_with(open), "{shown}");
        assert!(open.len() >= last, "{shown}");
        last = open.len();
    }
    growing.finish().unwrap();
    assert_eq!(growing.value(), Some(&whole));

    // Inside a reader, with every split of the arguments in two: the value is incomplete, then complete.
    for at in (1..document.len()).filter(|at| document.is_char_boundary(*at)) {
        let mut reader = Reader::new();
        let shown = [&document[..at], &document[at..]].map(|text| {
            let text = serde_json::to_string(text).unwrap();
            let delta = format!(
                r#"{{"type":"response.function_call_arguments.delta","sequence_number":0,"item_id":"c","output_index":0,"delta":{text}}}"#
            );
            reader.feed_json(&delta).unwrap();
            while reader.poll_event().unwrap().is_some() {}
            reader.response().item(0).unwrap().partial_arguments().map(|value| value.to_string()).unwrap_or_default()
        });
        assert!(whole.to_string().starts_with(shown[0].trim_end_matches(['}', ']', '"'])), "{at}: {}", shown[0]);
        assert_eq!(shown[1], whole.to_string(), "{at}");
    }
}
