//! The source adapters with hostile streams: any input is read to its end, no input causes
//! an error or a panic, the output is a complete Open Responses stream, and no split changes it.

use deltafold::adapter::{Converter, ConverterOptions, Dialect};
use deltafold::json::Value as Json;
use deltafold::validate::Layers;
use deltafold::{Class, Code, Limits, Overflow, Reader, Severity};
use deltafold_tests::properties::FORCED;
use deltafold_tests::{vectors, Random, Split, Vector};
use serde_json::{json, Value};

fn options() -> Json {
    Json::parse(r#"{"now":100,"response_id":"resp_r","model":"m"}"#, 8).unwrap()
}

fn convert(dialect: Dialect, bytes: &[u8], split: Split, cancel: bool) -> (Vec<u8>, Vec<String>) {
    let mut converter = Converter::new(Some(dialect), Dialect::OpenResponses, &options()).unwrap();
    let mut out = Vec::new();
    for chunk in split.chunks(bytes) {
        converter.feed(chunk).unwrap();
        converter.write_into(&mut out);
    }
    if cancel {
        converter.cancel().unwrap();
    } else {
        converter.finish().unwrap();
    }
    converter.write_into(&mut out);
    (out, converter.findings().map(ToString::to_string).collect())
}

fn check(dialect: Dialect, bytes: &[u8], random: &mut Random, what: &str) {
    let cancel = random.one_in(5);
    let whole = convert(dialect, bytes, Split::Whole, cancel);
    let rewritten = whole.1.iter().any(|finding| finding.contains("non_append_update"));
    let mut broken: Vec<String> = Vec::new();
    // A thread of several turns is several streams, each with its sentinel and each valid on its own.
    for stream in std::str::from_utf8(&whole.0).unwrap().split_inclusive("data: [DONE]\n\n") {
        let mut reader = Reader::builder().validate(Layers::ALL).build();
        reader.feed(stream.as_bytes()).unwrap();
        reader.finish().unwrap();
        let errors = reader.findings().iter().filter(|finding| finding.severity == Severity::Error);
        broken.extend(errors.filter(|finding| !FORCED.contains(&finding.rule.id())).map(ToString::to_string));
    }
    assert!(broken.is_empty() || rewritten, "{what}: {broken:#?}\n{}", String::from_utf8_lossy(bytes));
    assert!(whole.0.ends_with(b"data: [DONE]\n\n"), "{what}: {}", String::from_utf8_lossy(bytes));
    for split in [Split::Bytes, Split::Random(random.bits())] {
        let again = convert(dialect, bytes, split, cancel);
        assert!(again == whole, "{what}, {split:?}: {}", String::from_utf8_lossy(bytes));
    }
}

fn dialect_of(vector: &Vector) -> Dialect {
    vector.get("from").as_str().unwrap().parse::<Dialect>().unwrap()
}

/// A value of an unexpected type.
fn stranger(random: &mut Random) -> Value {
    match random.below(13) {
        0 => json!(null),
        1 => json!(true),
        2 => json!(-1),
        3 => json!(18_446_744_073_709_551_615u64),
        4 => json!(1.5),
        5 => json!(""),
        6 => json!("\u{0}\r\n\"\\: {} \u{2028}😀"),
        7 => json!([]),
        8 => json!({}),
        9 => json!([{ "type": "text", "text": "x", "index": 0 }]),
        10 => json!({ "type": "tool_use", "id": 7, "name": ["f"], "input": { "a": 1 } }),
        11 => (0..115 + random.below(12)).fold(json!("deep"), |inner, _| json!([inner])),
        _ => json!("response.completed"),
    }
}

/// Inserts an unexpected value somewhere into a value, or removes a member.
fn disturb(value: &mut Value, random: &mut Random) {
    match value {
        Value::Object(members) if !members.is_empty() && !random.one_in(6) => {
            let at = random.below(members.len());
            let key = members.keys().nth(at).unwrap().clone();
            if random.one_in(6) {
                members.remove(&key);
            } else {
                disturb(&mut members[&key], random);
            }
        }
        Value::Array(elements) if !elements.is_empty() && !random.one_in(6) => {
            let at = random.below(elements.len());
            if random.one_in(6) {
                let again = elements[at].clone();
                elements.push(again);
            } else {
                disturb(&mut elements[at], random);
            }
        }
        other => *other = stranger(random),
    }
}

#[test]
fn messages_in_any_order_and_with_any_members_make_a_valid_stream() {
    let all = vectors("adapter/inbound");
    let mut random = Random::new(7);
    for vector in all.iter().filter(|vector| vector.get("messages").is_array()) {
        let kin: Vec<&Vector> =
            all.iter().filter(|other| other.file == vector.file && other.get("messages").is_array()).collect();
        for round in 0..6 {
            let mut messages = vector.get("messages").as_array().unwrap().clone();
            for _ in 0..=random.below(4) {
                let other = kin[random.below(kin.len())].get("messages").as_array().unwrap();
                let count = messages.len();
                match random.below(5) {
                    0 if count > 0 => drop(messages.remove(random.below(count))),
                    1 if count > 0 => {
                        let (one, two) = (random.below(count), random.below(count));
                        messages.swap(one, two);
                    }
                    2 if !other.is_empty() => {
                        messages.insert(random.below(count + 1), other[random.below(other.len())].clone());
                    }
                    3 => messages.extend(other.iter().cloned()),
                    _ if count > 0 => {
                        let at = random.below(count);
                        if messages[at].is_object() {
                            disturb(&mut messages[at], &mut random);
                        }
                    }
                    _ => {}
                }
            }
            let mut case = vector.clone();
            case.value["messages"] = messages.into();
            check(dialect_of(vector), &case.input(), &mut random, &format!("{vector}, round {round}"));
        }
    }
}

#[test]
fn broken_bytes_and_other_dialects_make_a_valid_stream() {
    let mut random = Random::new(11);
    let readers: Vec<Dialect> = Dialect::ALL
        .iter()
        .copied()
        .filter(|dialect| dialect.is_read() && *dialect != Dialect::OpenResponses)
        .collect();
    for vector in vectors("adapter/inbound") {
        let mut bytes = vector.input();
        for _ in 0..random.below(4) {
            if bytes.is_empty() {
                break;
            }
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.bits() as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.truncate(at),
                _ => bytes.insert(at, b"{}[]\",:\\\n\r 0"[random.below(12)]),
            }
        }
        let dialect = if random.one_in(2) { dialect_of(&vector) } else { readers[random.below(readers.len())] };
        check(dialect, &bytes, &mut random, &format!("{vector} as {}", dialect.name()));
    }
    for dialect in readers {
        for _ in 0..50 {
            let length = random.below(200);
            let bytes = random.bytes(length);
            check(dialect, &bytes, &mut random, dialect.name());
        }
    }
}

fn limited(limits: Limits, bytes: &[u8]) -> (Option<Code>, Vec<u8>) {
    let dialect = Some(Dialect::ChatCompletions);
    let mut converter = Converter::with_options(
        dialect,
        Dialect::OpenResponses,
        ConverterOptions::from_value(&options()).unwrap().limits(limits),
    )
    .unwrap();
    let fed = converter.feed(bytes);
    let ended = fed.clone().and_then(|()| converter.finish());
    if let Err(error) = &ended {
        assert_eq!(error.class(), Class::Limit);
        assert_eq!(converter.feed(b"x").unwrap_err(), *error, "the same error comes again");
        assert_eq!(converter.finish().unwrap_err(), *error, "the same error comes again");
    }
    (ended.err().map(|error| error.code()), converter.take())
}

#[test]
fn each_limit_ends_reading_and_the_output_before_it_is_valid() {
    let chunk = |delta: &Value| format!("data: {}\n\n", json!({ "id": "c", "choices": [{ "delta": delta }] }));
    let image = chunk(&json!({ "images": [{ "image_url": { "url": "data:image/png;base64,AAAA" } }] }));
    let (text, refusal) = (chunk(&json!({ "content": "0123456789" })), chunk(&json!({ "refusal": "no" })));
    for (limits, stream, code) in [
        (Limits::default().items(2), image.repeat(3), Code::ItemLimit),
        (Limits::default().parts(2), format!("{text}{refusal}{text}"), Code::PartLimit),
        (Limits::default().response_bytes(25), text.repeat(3), Code::ResponseLimit),
    ] {
        let fine = limited(Limits::default(), stream.as_bytes());
        assert_eq!(fine.0, None, "{code:?}");
        let (got, written) = limited(limits, stream.as_bytes());
        assert_eq!(got, Some(code));
        assert!(!written.is_empty() && fine.1.starts_with(&written), "{code:?}");
    }
    let long = format!("data: {}\n\n", "x".repeat(200));
    let tight = Limits::default().line_bytes(100);
    assert_eq!(limited(tight, long.as_bytes()).0, Some(Code::LineLimit));
    let lenient = tight.overflow(Overflow::Drop);
    assert_eq!(limited(lenient, long.as_bytes()).0, None);
    // The limits apply to the input, not to the events that are made from it.
    assert_eq!(limited(tight, text.as_bytes()).0, None);
}

#[test]
fn the_limit_and_policy_of_a_json_body_apply_at_every_split() {
    let chunk = |text: &str| json!({ "id": "c", "choices": [{ "delta": { "content": text } }] }).to_string();
    let (short, long) = (chunk("a"), chunk(&"x".repeat(200)));
    let body = format!("[{short},\n{long},\n{short}]");
    let limits = Limits::default().frame_bytes(150);
    for (overflow, code, dropped) in [(Overflow::Error, Some(Code::FrameLimit), 0), (Overflow::Drop, None, 1)] {
        let limits = limits.overflow(overflow);
        let mut whole = None;
        for at in 0..=body.len() {
            let options = ConverterOptions::from_value(&options()).unwrap().limits(limits);
            let mut converter =
                Converter::with_options(Some(Dialect::ChatCompletions), Dialect::OpenResponses, options).unwrap();
            let (first, second) = body.as_bytes().split_at(at);
            let result = converter.feed(first).and_then(|()| converter.feed(second)).and_then(|()| converter.finish());
            let lost = converter.findings().filter(|finding| finding.code.name() == "event_dropped").count();
            let got = (result.err().map(|error| (error.code(), error.offset())), lost, converter.take());
            assert_eq!(got.0.map(|(code, _)| code), code, "split at {at}");
            assert_eq!(got.1, dropped, "split at {at}");
            assert_eq!(whole.get_or_insert_with(|| got.clone()), &got, "split at {at}");
        }
    }
}

#[test]
fn deep_json_is_skipped_and_reported() {
    let deep = "[".repeat(100_000);
    for (dialect, message) in [
        (Dialect::Gemini, format!("data: {{\"candidates\":{deep}\n\n")),
        (Dialect::Blocks, format!("{{\"Status\":{deep}\n")),
        (Dialect::Gemini, format!("data: {{\"error\":{}{}}}\n\n", deep, "]".repeat(100_000))),
    ] {
        let (_, findings) = convert(dialect, message.as_bytes(), Split::Whole, false);
        assert!(findings.iter().any(|finding| finding.contains("event_dropped")), "{findings:?}");
    }
    // Paths of arguments nest as well.
    let path = format!("${}", ".a".repeat(50_000));
    let call = json!({ "candidates": [{ "content": { "parts": [{ "functionCall": { "name": "f", "willContinue": true,
        "partialArgs": [{ "jsonPath": path, "stringValue": "x" }] } }] }, "finishReason": "STOP" }] });
    let (_, findings) = convert(Dialect::Gemini, format!("data: {call}\n\n").as_bytes(), Split::Whole, false);
    assert!(findings.iter().any(|finding| finding.contains("orphan_delta")), "{findings:?}");
}

#[test]
fn a_member_that_every_message_repeats_counts_once() {
    let chunk = json!({ "id": "c", "model": "m", "moderation": { "input": ["x"] }, "choices": [{ "index": 0, "delta": {},
        "content_filter_results": { "hate": { "filtered": false } } }] });
    let stream = format!("data: {chunk}\n\n").repeat(1000) + "data: [DONE]\n\n";
    for (extensions, lost) in [(true, 0), (false, 2)] {
        let given = Json::parse(&json!({ "now": 1, "include_extensions": extensions }).to_string(), 8).unwrap();
        let limits = Limits::default().response_bytes(1000);
        let options = ConverterOptions::from_value(&given).unwrap().limits(limits);
        let mut converter =
            Converter::with_options(Some(Dialect::ChatCompletions), Dialect::OpenResponses, options).unwrap();
        converter.feed(stream.as_bytes()).unwrap();
        converter.finish().unwrap();
        assert_eq!(converter.lost(), lost);
        let written = String::from_utf8(converter.take()).unwrap();
        assert_eq!(written.contains(r#""openai:moderation":{"input":["x"]}"#), extensions, "{written}");
    }
}
