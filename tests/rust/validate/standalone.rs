//! The validator without a reader: options, schemas of the caller, and each check called directly.

use deltafold::__bindings::validate_named;
use deltafold::sse::{Frame, FrameDecoder, Signal};
use deltafold::validate::Validator;
use deltafold::validate::{validate_error, validate_websocket_create, ExtensionSchemas, Layers, Rule, ValidateOptions};
use deltafold::{Edition, Finding, Findings, Limits, Location, Reader, ReaderOptions, SeverityMap};
use serde_json::{json, Value};

fn rules(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.rule.id()).collect()
}

#[test]
fn layers_are_a_set_and_have_names() {
    let all = [Layers::FRAMING, Layers::SCHEMA, Layers::STREAM];
    for one in all {
        assert_eq!(one | one, one);
        assert_eq!(one - one, Layers::NONE);
        assert_eq!(one | Layers::ALL, Layers::ALL);
        assert!(!(Layers::ALL - one).contains(one), "{one:?}");
        for other in all.into_iter().filter(|other| *other != one) {
            assert!((Layers::ALL - one).contains(other), "{one:?} {other:?}");
            assert!((one | other).contains(one) && !(one | other).contains(Layers::ALL));
        }
    }
    let read = |layers: Value| {
        let options = ReaderOptions::from_json(&json!({ "layers": layers }).to_string());
        options.map(|options| options.layers).ok()
    };
    assert_eq!(read(json!("all")), Some(Layers::ALL));
    assert_eq!(read(json!("none")), Some(Layers::NONE));
    assert_eq!(read(json!(["framing"])), Some(Layers::FRAMING));
    assert_eq!(read(json!(["schema"])), Some(Layers::SCHEMA));
    assert_eq!(read(json!(["stream", "schema"])), Some(Layers::STREAM | Layers::SCHEMA));
    assert_eq!(read(json!([])), Some(Layers::NONE));
    for wrong in [json!("some"), json!(["all"]), json!(7), json!([7])] {
        assert_eq!(read(wrong.clone()), None, "{wrong}");
    }
}

#[test]
fn keys_and_words_are_compared_without_escapes() {
    let item = r#"{"type":"message","id":"m","status":"completed","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[],"logprobs":[]}]}"#;
    let findings = |item: &str| validate_named("item", item, "{}").unwrap().len();
    assert_eq!(findings(item), 0);
    for (plain, escaped) in [
        ("\"status\"", "\"st\\u0061tus\""),
        ("\"completed\"", "\"\\u0063ompleted\""),
        ("\"annotations\"", "\"annotation\\u0073\""),
    ] {
        assert_eq!(findings(&item.replacen(plain, escaped, 1)), 0, "{escaped}");
        assert!(findings(&item.replacen(plain, "\"st\\u0062tus\"", 1)) > 0, "{plain}");
    }
}

#[test]
fn the_statement_of_a_rule_begins_its_explanation() {
    for rule in Rule::ALL {
        assert_eq!(rule.sentence(), rule.explain().statement);
        assert!(rule.sentence().len() > 10, "{}", rule.id());
    }
}

/// The frames of a stream and its tail, given to a validator by hand.
fn check_bytes(validator: &mut Validator, bytes: &[u8], findings: &mut Findings) {
    let mut decoder = FrameDecoder::new(&Limits::default());
    let check = |validator: &mut Validator, frame: &Frame<'_>, findings: &mut Findings| {
        validator.check_frame(frame, Location { offset: frame.offset, ..Location::default() }, findings);
    };
    let mut at = 0;
    while let Some(signal) = decoder.next(bytes, &mut at).unwrap() {
        match signal {
            Signal::Frame(frame) => check(validator, &frame, findings),
            Signal::Blank(blank) => validator.check_blank(&blank, findings),
            _ => {}
        }
    }
    if let Some(tail) = decoder.finish() {
        validator.check_tail(&tail, Location::default(), findings);
    }
}

#[test]
fn every_framing_note_is_reported_alone_and_with_others() {
    let found = |layers: Layers, bytes: &str| {
        let mut validator = Validator::new(ValidateOptions::default().layers(layers));
        let mut findings = Findings::new(100, SeverityMap::by_level());
        check_bytes(&mut validator, bytes.as_bytes(), &mut findings);
        rules(findings.as_slice())
    };
    for (bytes, expected) in [
        ("data: {}\n\n", &[][..]),
        ("id: 1\ndata: {}\n\n", &["SSE-05"]),
        ("data: {}\r\n\r\n", &["SSE-11"]),
        ("data: {}\nevent: x\n\n", &["SSE-11"]),
        ("data: {\ndata: }\n\n", &["SSE-11"]),
        ("data\n\n", &["SSE-09"]),
        // Two at once: neither hides the other.
        ("id: 1\r\ndata: {}\r\n\r\n", &["SSE-05", "SSE-11"]),
        ("id: 1\ndata\n\n", &["SSE-05", "SSE-09"]),
        ("data: {}\r\nevent: x\r\n\r\n", &["SSE-11", "SSE-11"]),
        ("id: 1\r\ndata\r\nevent: x\r\n\r\n", &["SSE-05", "SSE-09", "SSE-11", "SSE-11"]),
        ("event: x\n\n", &["SSE-09"]),
        ("event: x\nretry: 5\n\n", &["SSE-09"]),
        ("event: x\nid: 1\n\n", &["SSE-05", "SSE-09"]),
        ("id: 1\n\n", &["SSE-05"]),
        (": x\n\n", &[]),
        ("data: {}\n", &["SSE-10"]),
        ("id: 1\ndata: {}\n", &["SSE-05", "SSE-10"]),
    ] {
        assert_eq!(found(Layers::FRAMING, bytes), expected, "{bytes:?}");
        assert_eq!(found(Layers::STREAM, bytes), [""; 0], "{bytes:?}");
    }
}

#[test]
fn a_finding_without_an_event_points_at_its_block() {
    let mut reader = Reader::builder().validate(Layers::FRAMING).build();
    reader.feed(b": hi\n\nevent: x\n\n").unwrap();
    while reader.poll_event().unwrap().is_some() {}
    let blank: Vec<_> = reader.findings().iter().filter(|finding| finding.rule == Rule::Sse09).collect();
    assert_eq!(blank.iter().map(|finding| finding.location.offset).collect::<Vec<_>>(), [6]);
}

#[test]
fn a_validator_checks_headers_and_can_be_reset() {
    let options = ValidateOptions::default().layers(Layers::FRAMING).quote(true);
    let mut validator = Validator::new(options);
    assert!(validator.options().quote && validator.options().layers == Layers::FRAMING);
    let mut findings = Findings::new(100, SeverityMap::by_level());
    validator.note_headers(200, [("content-type", "text/html")], &mut findings);
    assert_eq!(findings.as_slice().len(), 1, "{findings:?}");
    // A framing note is reported once per stream, and again in the next.
    let count = |findings: &Findings| findings.as_slice().iter().filter(|finding| finding.rule == Rule::Sse11).count();
    for expected in [1, 1] {
        check_bytes(&mut validator, b"data: {}\r\n\r\n", &mut findings);
        assert_eq!(count(&findings), expected);
    }
    validator.reset();
    assert!(validator.options().quote);
    check_bytes(&mut validator, b"data: {}\r\n\r\n", &mut findings);
    assert_eq!(count(&findings), 2);
}

#[test]
fn declared_values_are_compared_as_json() {
    let values = [
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(1.0),
        json!(1.5),
        json!("1"),
        json!(""),
        json!([]),
        json!([1]),
        json!([1, 2]),
        json!([null]),
        json!({}),
        json!({ "a": 1 }),
        json!({ "a": 2 }),
        json!({ "a": 1, "b": [true] }),
        json!({ "b": [true], "a": 1 }),
        json!({ "a": 1, "c": [true] }),
    ];
    // A number is compared by value, not by spelling.
    let whole = |value: &Value| if *value == json!(1.0) { json!(1) } else { value.clone() };
    for one in &values {
        let mut schemas = ExtensionSchemas::default();
        assert!(schemas.is_empty());
        schemas.event("acme:x", &json!({ "properties": { "v": { "enum": [one] } } }).to_string()).unwrap();
        assert!(!schemas.is_empty());
        for other in &values {
            let event = json!({ "type": "acme:x", "sequence_number": 0, "v": other });
            let findings = schemas.validate_event(&event.to_string(), Edition::default()).unwrap();
            assert_eq!(findings.is_empty(), whole(one) == whole(other), "{one} {other}: {findings:?}");
        }
    }
    let mut schemas = ExtensionSchemas::default();
    schemas.item("acme:y", "{}").unwrap();
    assert!(!schemas.is_empty());
}

#[test]
fn types_and_counts_of_a_schema_are_read_as_in_json_schema() {
    let fits = |schema: Value, value: Value| {
        let mut schemas = ExtensionSchemas::default();
        schemas.event("acme:x", &json!({ "properties": { "v": schema } }).to_string()).unwrap();
        let event = json!({ "type": "acme:x", "sequence_number": 0, "v": value });
        schemas.validate_event(&event.to_string(), Edition::default()).unwrap().is_empty()
    };
    for (types, value, expected) in [
        (json!(["integer", "integer"]), json!(1), true),
        (json!(["integer", "number"]), json!(1.5), true),
        (json!(["integer", "string"]), json!(1.5), false),
        (json!("number"), json!(1), true),
        (json!("integer"), json!(1.5), false),
        (json!("string"), json!(1.5), false),
        (json!(["string", "null"]), json!(null), true),
    ] {
        assert_eq!(fits(json!({ "type": types }), value.clone()), expected, "{types} {value}");
    }
    assert!(fits(json!({ "maxLength": 2.0 }), json!("ab")) && !fits(json!({ "maxLength": 2.0 }), json!("abc")));
    for wrong in [json!({ "maxLength": 2.5 }), json!({ "maxLength": -1 }), json!({ "items": [{}] })] {
        let schema = json!({ "properties": { "v": wrong } }).to_string();
        assert!(ExtensionSchemas::default().event("acme:x", &schema).is_err(), "{wrong}");
    }
}

#[test]
fn the_status_of_an_error_matches_its_type() {
    let body =
        |kind: &str| json!({ "error": { "message": "m", "type": kind, "param": null, "code": null } }).to_string();
    for (kind, right, wrong) in [
        ("server_error", 503, 404),
        ("model_error", 500, 400),
        ("invalid_request", 422, 500),
        ("invalid_request_error", 400, 200),
        ("not_found", 404, 400),
        ("too_many_requests", 429, 400),
        ("rate_limit_error", 429, 503),
    ] {
        let found = |status| rules(&validate_error(&body(kind), Some(status)).unwrap()).contains(&"HTTP-09");
        assert!(!found(right) && found(wrong), "{kind}");
    }
    for (key, value, broken) in
        [("message", json!(null), true), ("param", json!(null), false), ("param", json!(1), true)]
    {
        let mut error: Value = serde_json::from_str(&body("server_error")).unwrap();
        error["error"][key] = value;
        let found = validate_error(&error.to_string(), Some(500)).unwrap();
        assert_eq!(found.iter().any(|finding| finding.path == format!("/error/{key}")), broken, "{key}: {found:?}");
    }
    assert!(validate_websocket_create("{}", Edition::default()).is_ok_and(|findings| !findings.is_empty()));
}
