//! Vectors of the validator: every checked rule is followed by one and broken by one, for any split.

use std::collections::{BTreeMap, BTreeSet};

use deltafold::event::{Origin, Parser};
use deltafold::json::Tape;
use deltafold::sse::{FrameDecoder, Signal};
use deltafold::validate::{
    validate_compact_request, validate_compact_response, validate_error, validate_input_item, validate_request,
    validate_request_head, validate_response_head, validate_websocket_create, ExtensionSchemas, Layers, Rule,
    ValidateOptions, Validator,
};
use deltafold::{
    Code, Edition, Finding, Findings, Layer, Limits, Location, Overflow, Profile, Reader, ReaderOptions, Severity,
    SeverityMap,
};
use deltafold_tests::schema::mutations;
use deltafold_tests::streams::{feed, object, stream_edition, stream_names, Feed};
use deltafold_tests::{vectors, Split, Vector};
use serde_json::{json, Value};

/// How the vectors are read: whole, byte by byte, and at random splits.
const CUTTINGS: [Split; 5] = [Split::Whole, Split::Bytes, Split::Every(7), Split::Random(1), Split::Random(2)];

fn edition(vector: &Vector) -> Edition {
    let of_stream = || vector.get("stream").as_str().and_then(stream_edition);
    let name = vector.get("edition").as_str().map(str::to_owned).or_else(of_stream);
    name.map_or_else(Edition::default, |name| name.parse().unwrap())
}

fn options(vector: &Vector) -> ReaderOptions {
    let quote = vector.get("quote") == true;
    let mut limits = Limits::default();
    let given = vector.get("limits");
    let limit = |key: &str| given[key].as_u64().map(|limit| limit as usize);
    limits.frame_bytes = limit("frame_bytes").unwrap_or(limits.frame_bytes);
    limits.depth = limit("depth").unwrap_or(limits.depth);
    if given["drop"] == true {
        limits.overflow = Overflow::Drop;
    }
    ReaderOptions::default()
        .profile(Profile::builtin(vector.get("profile").as_str().unwrap_or("open-responses")).unwrap())
        .edition(Some(edition(vector)))
        .layers(Layers::ALL)
        .quote(quote)
        .starting_after(vector.get("starting_after").as_u64())
        .schemas(schemas(vector))
        .limits(limits)
}

fn schemas(vector: &Vector) -> ExtensionSchemas {
    ExtensionSchemas::from_json(&vector.get("schemas").to_string()).unwrap()
}

fn reader(vector: &Vector) -> Reader {
    let mut reader = Reader::with_options(options(vector));
    if let Value::Object(_) = vector.get("request") {
        reader.note_request(&vector.get("request").to_string()).unwrap();
    }
    reader
}

fn drain(reader: &mut Reader) {
    while reader.poll_event().unwrap().is_some() {}
}

fn read_bytes(vector: &Vector, bytes: &[u8], split: Split) -> Vec<Finding> {
    let mut reader = reader(vector);
    for chunk in split.chunks(bytes) {
        reader.feed(chunk).unwrap();
        drain(&mut reader);
    }
    reader.finish().unwrap();
    reader.findings().to_vec()
}

fn read_resumed(vector: &Vector, before: &[u8], after: &[u8], split: Split) -> Vec<Finding> {
    let mut reader = reader(vector);
    reader.feed(before).unwrap();
    drain(&mut reader);
    let mut findings = reader.findings().to_vec();
    let mut resumed = Reader::restore(&reader.save(), options(vector)).unwrap();
    for chunk in split.chunks(after) {
        resumed.feed(chunk).unwrap();
        drain(&mut resumed);
    }
    resumed.finish().unwrap();
    findings.extend_from_slice(resumed.findings());
    findings
}

fn read_messages(vector: &Vector, messages: &[String]) -> Vec<Finding> {
    let mut reader = reader(vector);
    for message in messages {
        reader.feed_json(message).unwrap();
        drain(&mut reader);
    }
    reader.finish().unwrap();
    reader.findings().to_vec()
}

/// Returns the findings of an object that is not a stream.
fn check_object(vector: &Vector) -> Vec<Finding> {
    let pairs = |value: &Value| -> Vec<(String, String)> {
        let pair = |(name, value): (&String, &Value)| (name.clone(), value.as_str().unwrap().to_owned());
        value.as_object().map(|headers| headers.iter().map(pair).collect()).unwrap_or_default()
    };
    let mut findings = Findings::new(100, SeverityMap::by_level());
    for (key, streamed) in [("request_headers", false), ("response_headers", false), ("stream_headers", true)] {
        if vector.get(key).is_null() {
            continue;
        }
        let headers = pairs(vector.get(key));
        let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        if key == "request_headers" {
            validate_request_head(headers, &mut findings);
        } else {
            let status = vector.get("status").as_u64().unwrap_or(200) as u16;
            validate_response_head(status, headers, streamed, &mut findings);
        }
        return findings.as_slice().to_vec();
    }
    let text = object(vector).to_string();
    let edition = edition(vector);
    match vector.get("object").as_str().unwrap_or_default() {
        "whole_response" => schemas(vector).validate_response(&text, edition),
        "event" => schemas(vector).validate_event(&text, edition),
        "item" => schemas(vector).validate_item(&text, edition),
        "input_item" => validate_input_item(&text, edition),
        "request" => validate_request(&text, edition),
        "compact_request" => validate_compact_request(&text, edition),
        "compact_response" => validate_compact_response(&text, edition),
        "websocket_create" => validate_websocket_create(&text, edition),
        "error" => validate_error(&text, vector.get("status").as_u64().map(|status| status as u16)),
        other => panic!("{vector}: no check for {other:?}"),
    }
    .unwrap()
}

fn in_short_form(findings: &[Finding]) -> Value {
    findings
        .iter()
        .map(|finding| {
            let mut short = json!({ "rule": finding.rule.id() });
            if !finding.path.is_empty() {
                short["path"] = json!(finding.path);
            }
            if let Some(index) = finding.location.event_index {
                short["event_index"] = json!(index);
            }
            if finding.severity != finding.rule.severity() {
                short["severity"] = json!(finding.severity.name());
            }
            short
        })
        .collect()
}

fn run(vector: &Vector, split: Split) -> Vec<Finding> {
    match feed(vector) {
        Some(Feed::Bytes(bytes)) => read_bytes(vector, &bytes, split),
        Some(Feed::Messages(messages)) => read_messages(vector, &messages),
        Some(Feed::Resumed(before, after)) => read_resumed(vector, &before, &after, split),
        None => check_object(vector),
    }
}

#[test]
fn every_vector_gives_exactly_its_findings_at_every_split() {
    let mut wrong = Vec::new();
    for vector in vectors("validate") {
        for split in CUTTINGS {
            let findings = in_short_form(&run(&vector, split));
            if findings != *vector.get("findings") {
                wrong.push(format!(
                    "{vector}, {split:?}:\n  expected {}\n  found    {findings}",
                    vector.get("findings")
                ));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{} vectors:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn input_without_an_event_is_not_a_stream() {
    let inputs: [&[u8]; 7] = [
        b"",
        b"Internal Server Error",
        b"upstream connect error or disconnect/reset before headers\n",
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR",
        b": keep-alive\n\n: keep-alive\n\n",
        b"data: [DONE]\n\n",
        b"<html><body>502 Bad Gateway</body></html>",
    ];
    for input in inputs {
        for split in CUTTINGS {
            let mut reader = Reader::builder().validate(Layers::ALL).build();
            for chunk in split.chunks(input) {
                reader.feed(chunk).unwrap();
                while reader.poll_event().unwrap().is_some() {}
            }
            let outcome = reader.finish().unwrap();
            let found = reader.findings().iter().filter(|finding| finding.rule == Rule::Read04);
            let errors = found.filter(|finding| finding.severity == Severity::Error).count();
            assert!(
                errors == 1 && !matches!(outcome, deltafold::Outcome::Completed),
                "{input:?} {:?}",
                reader.findings()
            );
        }
    }
}

#[test]
fn a_layer_alone_reports_its_own_rules_only() {
    let mut found = 0;
    for vector in vectors("validate") {
        let Some(Feed::Bytes(bytes)) = feed(&vector) else { continue };
        let options = ValidateOptions::default().layers(Layers::SCHEMA);
        let (mut validator, mut parser) = (Validator::new(options), Parser::new(128));
        let mut findings = Findings::new(1_000, SeverityMap::by_level());
        let (mut decoder, mut at) = (FrameDecoder::new(&Limits::default()), 0);
        while let Ok(Some(signal)) = decoder.next(&bytes, &mut at) {
            if let Signal::Frame(frame) = signal {
                validator.check_frame(&frame, Location::default(), &mut findings);
                validator.check(&parser.parse(frame.data, Origin::default()), &mut findings);
            }
        }
        found += findings.as_slice().len();
        let others: Vec<_> = findings.as_slice().iter().filter(|finding| finding.layer == Layer::Stream).collect();
        assert!(others.is_empty(), "{vector}: {others:#?}");
    }
    assert!(found > 50, "{found} findings");
}

/// Compares with a file beside this one. `DELTAFOLD_WRITE=1` writes it; review the changes then.
fn compare_with(file: &str, text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("rust/validate").join(file);
    if std::env::var_os("DELTAFOLD_WRITE").is_some() {
        std::fs::write(&path, text).expect("the messages can be written");
    }
    let written = std::fs::read_to_string(&path).expect("the messages");
    let (old, new): (Vec<&str>, Vec<&str>) = (written.lines().collect(), text.lines().collect());
    let differ = old.iter().zip(&new).position(|(old, new)| old != new).unwrap_or(old.len().min(new.len()));
    let around =
        |lines: &[&str]| lines.iter().skip(differ.saturating_sub(1)).take(4).copied().collect::<Vec<_>>().join("\n");
    assert!(written == text, "{file}, line {}:\n{}\n\nand now:\n{}", differ + 1, around(&old), around(&new));
}

/// The messages that people read, word by word, and their locations.
#[test]
fn every_message_matches_its_recorded_text() {
    let mut text = String::new();
    for mut vector in vectors("validate") {
        let findings = run(&vector, Split::Whole);
        vector.value["quote"] = json!(true);
        let quoting = run(&vector, Split::Whole);
        assert_eq!(findings.len(), quoting.len(), "{vector}: quoting changes what is found");
        for (finding, quoting) in findings.iter().zip(&quoting) {
            let (at, message) = (finding.location.offset, &finding.message);
            text += &format!("{vector}: {} at byte {at} {}\n    {message}\n", finding.rule.id(), finding.path);
            if quoting.message != *message {
                text += &format!("    {}\n", quoting.message);
            }
        }
    }
    compare_with("messages.txt", &text);
}

/// Valid streams, each member of each event changed in every way, each event removed or repeated.
#[test]
fn every_change_of_a_stream_gets_its_recorded_messages() {
    let (mut tried, mut messages_of_edits) = (BTreeSet::new(), BTreeSet::new());
    for name in stream_names() {
        let value = json!({ "stream": name, "messages": true });
        let vector = Vector { file: "base/streams.json".into(), name, value };
        let Some(Feed::Messages(messages)) = feed(&vector) else { panic!("{vector} has no messages") };
        let mut read = |messages: &[String]| {
            for finding in read_messages(&vector, messages) {
                let path = finding.path.split('/').map(|step| if step.parse::<u32>().is_ok() { "0" } else { step });
                messages_of_edits.insert(format!(
                    "{} {}: {}",
                    finding.rule.id(),
                    path.collect::<Vec<_>>().join("/"),
                    finding.message
                ));
            }
        };
        for at in 0..messages.len() {
            let event: Value = serde_json::from_str(&messages[at]).unwrap();
            let mut changed = messages.clone();
            for mutation in mutations(&event) {
                if tried.insert((event["type"].to_string(), mutation.what)) {
                    changed[at] = mutation.value.to_string();
                    read(&changed);
                }
            }
            read(&[&messages[..at], &messages[at + 1..]].concat());
            read(&[&messages[..=at], &messages[at..]].concat());
        }
    }
    let lines: Vec<String> = messages_of_edits.into_iter().collect();
    compare_with("messages-of-edits.txt", &(lines.join("\n") + "\n"));
}

#[test]
fn valid_streams_have_no_finding_at_any_split() {
    for name in stream_names() {
        let value = json!({ "stream": name });
        let vector = Vector { file: "base/streams.json".into(), name: name.clone(), value };
        let Some(Feed::Bytes(bytes)) = feed(&vector) else { panic!("{name} has no bytes") };
        let more = [Split::BytesAndEmpty, Split::Every(3), Split::Random(3), Split::Random(4)];
        for split in CUTTINGS.into_iter().chain(more) {
            let findings = read_bytes(&vector, &bytes, split);
            assert!(findings.is_empty(), "{name}, {split:?}: {findings:#?}");
        }
        let mut value = vector.value.clone();
        value["messages"] = json!(true);
        let vector = Vector { value, ..vector };
        let Some(Feed::Messages(messages)) = feed(&vector) else { panic!("{name} has no messages") };
        let findings = read_messages(&vector, &messages);
        assert!(findings.is_empty(), "{name} as messages: {findings:#?}");
    }
}

#[test]
fn every_checked_rule_is_broken_by_a_vector_and_followed_by_a_vector() {
    let (mut broken, mut kept): (BTreeSet<String>, BTreeMap<String, usize>) = Default::default();
    for vector in vectors("validate") {
        let findings = vector.get("findings").as_array().expect("a vector has findings");
        let found: Vec<&str> = findings.iter().map(|finding| finding["rule"].as_str().unwrap()).collect();
        for rule in vector.get("keeps").as_array().into_iter().flatten().chain([vector.get("rule")]) {
            let Some(rule) = rule.as_str() else { continue };
            assert!(
                Rule::from_id(rule).is_some_and(|rule| rule.reported_by().is_reported()),
                "{vector}: {rule} is not checked"
            );
            if found.contains(&rule) {
                broken.insert(rule.to_owned());
            } else {
                *kept.entry(rule.to_owned()).or_default() += 1;
            }
        }
    }
    let checked = Rule::ALL.iter().filter(|rule| rule.reported_by().is_reported()).map(|rule| rule.id().to_owned());
    let checked: BTreeSet<String> = checked.collect();
    let unbroken: Vec<_> = checked.difference(&broken).collect();
    assert!(unbroken.is_empty(), "no vector breaks {unbroken:?}");
    let unkept: Vec<_> = checked.iter().filter(|rule| !kept.contains_key(*rule)).collect();
    assert!(unkept.is_empty(), "no vector keeps {unkept:?}");
}

/// Events through the validator alone, without a reader.
fn check_alone(messages: &[String]) -> Vec<Finding> {
    let mut parser = Parser::new(128);
    let mut validator = Validator::new(ValidateOptions::default());
    let mut findings = Findings::new(100, SeverityMap::by_level());
    for (index, message) in messages.iter().enumerate() {
        let origin = Origin { index: index as u64, ..Origin::default() };
        validator.check(&parser.parse(message, origin), &mut findings);
    }
    validator.finish(0, &mut findings);
    findings.as_slice().to_vec()
}

#[test]
fn responses_on_a_websocket_may_follow_each_other_but_not_overlap() {
    let value = json!({ "stream": "text", "messages": true });
    let vector = Vector { file: "base/streams.json".into(), name: "text".into(), value };
    let Some(Feed::Messages(turn)) = feed(&vector) else { panic!("no messages") };
    assert_eq!(check_alone(&[turn.clone(), turn.clone()].concat()), []);
    let other: Vec<String> = turn.iter().map(|message| message.replace("resp_1", "resp_2")).collect();
    let overlap = [&turn[..4], &other[..]].concat();
    let found = check_alone(&overlap);
    assert_eq!(found.first().map(|finding| finding.rule), Some(Rule::Ws06), "{found:#?}");
}

#[test]
fn each_layer_is_usable_alone() {
    let broken = [("SSE-04", Layers::FRAMING), ("SCHEMA-02", Layers::SCHEMA), ("SEQ-03", Layers::STREAM)];
    let stream = concat!(
        "data: {\"type\":\"response.output_text.delta\",\"sequence_number\":0,\"item_id\":7,\"output_index\":0,",
        "\"content_index\":0,\"delta\":\"a\"}\n\n",
        "data: {\"type\":\"response.output_text.delta\",\"sequence_number\":9,\"item_id\":\"m\",\"output_index\":0,",
        "\"content_index\":0,\"delta\":\"a\"}\n\n",
    );
    for (rule, layers) in broken {
        let options = ValidateOptions::default().layers(layers);
        let (mut parser, mut validator) = (Parser::new(128), Validator::new(options));
        let mut findings = Findings::new(100, SeverityMap::by_level());
        let (mut decoder, mut at, mut index) = (FrameDecoder::new(&Limits::default()), 0, 0);
        while let Some(signal) = decoder.next(stream.as_bytes(), &mut at).unwrap() {
            let Signal::Frame(frame) = signal else { continue };
            let location = Location { event_index: Some(index), ..Location::default() };
            validator.check_frame(&frame, location, &mut findings);
            validator.check(&parser.parse(frame.data, Origin { index, ..Origin::default() }), &mut findings);
            index += 1;
        }
        // A sentinel in quotes: reported by the framing layer.
        let location = Location { event_index: Some(index), ..Location::default() };
        let bytes = b"data: \"[DONE]\"\n\n";
        let Ok(Some(Signal::Frame(frame))) = decoder.next(bytes, &mut 0) else { panic!("no frame") };
        validator.check_frame(&frame, location, &mut findings);
        validator.check_done(frame.data, location, &mut findings);
        let reported = findings.as_slice().iter().any(|finding| finding.location == location);
        assert_eq!(reported, layers.contains(Layers::FRAMING), "{layers:?}");
        validator.finish(0, &mut findings);
        let found: BTreeSet<_> = findings.as_slice().iter().map(|finding| finding.rule.id()).collect();
        for (other, _) in broken {
            assert_eq!(found.contains(other), other == rule, "{layers:?}: {found:?}");
        }
    }
}

#[test]
fn a_hostile_index_uses_no_memory_and_limits_bound_the_tracked_items() {
    let event = |index: u64| {
        json!({ "type": "response.output_text.delta", "sequence_number": index, "item_id": format!("m{index}"),
            "output_index": 999_999_999_999_u64 - index, "content_index": 888_888_888_888_u64, "delta": "x" })
        .to_string()
    };
    let limits = Limits::default().items(10).parts(1);
    let options = ValidateOptions::default().limits(limits).layers(Layers::STREAM);
    let (mut parser, mut validator) = (Parser::new(128), Validator::new(options));
    let mut findings = Findings::new(1_000, SeverityMap::by_level());
    for index in 0..100 {
        validator.check(&parser.parse(&event(index), Origin { index, ..Origin::default() }), &mut findings);
    }
    let unopened = findings.as_slice().iter().filter(|finding| finding.rule == Rule::Item03).count();
    assert_eq!(unopened, 10, "items beyond the limit are not tracked");
}

/// Returns the findings of a base stream with edits, with limits on the number of tracked items and parts.
fn found_within(limits: Limits, stream: &str, edit: Value) -> Vec<&'static str> {
    let value = json!({ "stream": stream, "messages": true, "edit": edit });
    let vector = Vector { file: "base/streams.json".into(), name: stream.into(), value };
    let Some(Feed::Messages(messages)) = feed(&vector) else { panic!("no messages") };
    let options = ValidateOptions::default().limits(limits).layers(Layers::STREAM);
    let (mut parser, mut validator) = (Parser::new(128), Validator::new(options));
    let mut findings = Findings::new(100, SeverityMap::by_level());
    for (index, message) in messages.iter().enumerate() {
        validator.check(&parser.parse(message, Origin { index: index as u64, ..Origin::default() }), &mut findings);
    }
    validator.finish(0, &mut findings);
    findings.as_slice().iter().map(|finding| finding.rule.id()).collect()
}

#[test]
fn events_after_a_limit_break_no_rule_and_events_before_it_do() {
    let within = |items: usize, parts: usize| Limits::default().items(items).parts(parts);
    // The second item: its arguments are never done.
    let open = json!([{ "at": 12, "remove": true }]);
    assert_eq!(found_within(within(2, 1), "two", open.clone()), ["ARG-01"]);
    assert_eq!(found_within(within(1, 1), "two", open), [""; 0]);
    // The first item: its part is never done.
    let open = json!([{ "at": 7, "remove": true }]);
    assert_eq!(found_within(within(1, 1), "text", open.clone()), ["PART-05"]);
    assert_eq!(found_within(within(1, 0), "text", open), [""; 0]);
    // The second annotation: the part does not have it.
    let lost = json!([{ "at": 9, "set": { "/part/annotations/1": { "type": "url_citation" } } }]);
    assert_eq!(found_within(within(1, 2), "annotated", lost.clone()), ["ANN-03", "PART-10"]);
    assert_eq!(found_within(within(1, 1), "annotated", lost), ["PART-10"]);
}

/// A parser with a cached event marks its repetition; a validator without that cache must check it anyway.
#[test]
fn a_new_validator_after_a_used_parser_checks_every_name() {
    let mut parser = Parser::new(128);
    let delta =
        r#"{"type":"response.reasoning_text.delta","item_id":"r","output_index":0,"content_index":0,"delta":"a"}"#;
    for turn in 0..3 {
        let mut validator = Validator::new(ValidateOptions::default().layers(Layers::STREAM));
        let mut findings = Findings::new(100, SeverityMap::by_level());
        for _ in 0..3 {
            validator.check(&parser.parse(delta, Origin::default()), &mut findings);
        }
        let named = findings.as_slice().iter().filter(|finding| finding.rule == Rule::Rsn04).count();
        assert_eq!(named, 1, "turn {turn}");
    }
}

/// A new turn on a WebSocket discards the previous response, but neither its request nor the reported names.
#[test]
fn a_new_turn_keeps_its_request_and_the_names_that_were_reported() {
    let turn = |stream: &str, edit: Value| {
        let value = json!({ "stream": stream, "messages": true, "edit": edit });
        let vector = Vector { file: "base/streams.json".into(), name: stream.into(), value };
        let Some(Feed::Messages(messages)) = feed(&vector) else { panic!("no messages") };
        messages
    };
    let renamed = json!([{ "at": 4, "set": { "/type": "response.reasoning_text.delta" } },
        { "at": 5, "set": { "/type": "response.reasoning_text.delta" } }]);
    let reasoning = turn("reasoning", renamed);
    let named = check_alone(&[reasoning.clone(), reasoning].concat());
    assert_eq!(named.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [Rule::Rsn04], "{named:#?}");

    let (mut parser, mut validator) = (Parser::new(128), Validator::new(ValidateOptions::default()));
    let mut findings = Findings::new(100, SeverityMap::by_level());
    let mut check = |validator: &mut Validator, messages: &[String]| {
        for message in messages {
            validator.check(&parser.parse(message, Origin::default()), &mut findings);
        }
        findings.as_slice().iter().map(|finding| finding.rule.id()).collect::<Vec<_>>()
    };
    assert_eq!(check(&mut validator, &turn("text", json!([]))), [""; 0]);
    let request = r#"{"model":"m","input":"hi","tool_choice":"none"}"#;
    let mut tape = Tape::default();
    tape.parse(request, 16).unwrap();
    validator.note_request(tape.root(request));
    assert_eq!(check(&mut validator, &turn("call", json!([]))), ["TOOL-02"]);
}

/// With a reader, the reader reports this too; alone, the validator has to.
#[test]
fn a_payload_that_is_not_an_object_is_reported_unless_it_was_dropped() {
    for (data, dropped, expected) in
        [("", false, &["SSE-09", "SSE-01"][..]), ("", true, &[]), ("[]", false, &["SSE-01"]), ("{", false, &["SSE-01"])]
    {
        let mut validator = Validator::new(ValidateOptions::default());
        let mut findings = Findings::new(100, SeverityMap::by_level());
        let bytes = format!("data: {data}\n\n");
        let (mut decoder, mut at) = (FrameDecoder::new(&Limits::default()), 0);
        let Ok(Some(Signal::Frame(mut frame))) = decoder.next(bytes.as_bytes(), &mut at) else { panic!("no frame") };
        frame.dropped = dropped;
        validator.check_frame(&frame, Location::default(), &mut findings);
        validator.check(&Parser::new(128).parse(frame.data, Origin::default()), &mut findings);
        let found: Vec<_> = findings.as_slice().iter().map(|finding| finding.rule.id()).collect();
        assert_eq!(found, expected, "{data:?}");
    }
}

/// Two findings of a frame are merged, but only where they are stored.
#[test]
fn a_second_sentinel_counts_once_even_if_no_finding_is_stored() {
    let mut validator = Validator::new(ValidateOptions::default());
    let mut findings = Findings::new(0, SeverityMap::by_level());
    let (mut decoder, mut at) = (FrameDecoder::new(&Limits::default()), 0);
    let bytes = b"data: [DONE]\n\ndata: \"[DONE]\"\n\n";
    while let Some(signal) = decoder.next(bytes, &mut at).unwrap() {
        let Signal::Frame(frame) = signal else { continue };
        validator.check_frame(&frame, Location::default(), &mut findings);
        validator.check_done(frame.data, Location::default(), &mut findings);
    }
    assert_eq!(findings.total(), 1);
}

/// Neither is an error of the server; a null item makes a client fail.
#[test]
fn a_null_item_is_a_warning_and_invalid_arguments_are_a_note() {
    assert_eq!((Rule::Item15.severity(), Rule::Arg03.severity()), (Severity::Warning, Severity::Note));
}

/// An event, or one more sentinel, after the sentinel: only the framing layer sees them.
#[test]
fn a_strict_reader_stops_at_a_framing_error() {
    let event = "event: response.queued\ndata: {\"type\":\"response.queued\",\"sequence_number\":0}\n\n";
    for stream in [format!("data: [DONE]\n\n{event}"), "data: [DONE]\n\n".repeat(2)] {
        for size in [1, stream.len()] {
            let profile = Profile::builtin("open-responses").expect("a built-in profile");
            let mut reader = Reader::builder().strict().validate(Layers::FRAMING).profile(profile).build();
            let mut stopped = None;
            for chunk in stream.as_bytes().chunks(size) {
                if stopped.is_none() {
                    reader.feed(chunk).expect("nothing was wrong so far");
                }
                loop {
                    match reader.poll_event() {
                        Ok(Some(_)) => {}
                        Ok(None) => break,
                        Err(error) => {
                            stopped = Some(error);
                            break;
                        }
                    }
                }
            }
            assert_eq!(stopped.map(|error| error.code()), Some(Code::Strict), "{stream:?} by {size}");
        }
    }
}
