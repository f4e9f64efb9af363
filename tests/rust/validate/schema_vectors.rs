//! Hand-written payloads: one for each kind of event, valid in every edition that has the kind; and the findings of others.

use std::collections::BTreeSet;

use deltafold::event::OwnedEvent;
use deltafold::validate::{
    validate_as, validate_event, validate_input_item, validate_item, validate_request, validate_websocket_create,
    validate_websocket_error, Extensions, Layers,
};
use deltafold::{contract::SchemaId, Edition, Finding, Kind, Reader};
use deltafold_tests::vectors;

#[test]
fn every_known_kind_has_a_payload() {
    let covered: BTreeSet<Kind> = vectors("event/kinds.json")
        .iter()
        .map(|vector| Kind::from_wire(vector.get("kind").as_str().unwrap()))
        .collect();
    let known: BTreeSet<Kind> = Kind::ALL.iter().copied().filter(|kind| kind.is_known()).collect();
    assert_eq!(covered, known);
}

#[test]
fn every_payload_is_valid_in_every_edition_that_has_its_kind() {
    for vector in vectors("event/kinds.json") {
        let payload = vector.get("payload");
        let kind = Kind::from_wire(vector.get("kind").as_str().unwrap());
        assert_eq!(payload["type"], kind.name(), "{vector}");
        for edition in Edition::ALL.into_iter().filter(|edition| kind.editions().contains(*edition)) {
            let findings = validate_event(&payload.to_string(), edition).unwrap();
            assert!(findings.is_empty(), "{vector}, {edition}: {findings:#?}");
        }
    }
}

#[test]
fn every_payload_reads_as_its_kind_and_survives_writing() {
    for vector in vectors("event/kinds.json") {
        let text = vector.get("payload").to_string();
        let event = OwnedEvent::parse(&text);
        assert_eq!(event.as_event().kind().name(), vector.get("kind").as_str().unwrap(), "{vector}");
        let again: serde_json::Value = serde_json::from_str(&event.as_event().to_value().to_string()).unwrap();
        assert_eq!(&again, vector.get("payload"), "{vector}");
    }
}

#[test]
fn a_payload_without_a_required_field_is_found() {
    for vector in vectors("event/kinds.json") {
        let kind = Kind::from_wire(vector.get("kind").as_str().unwrap());
        let Some(schema) = SchemaId::of_kind(kind) else { continue };
        for edition in kind.editions().iter() {
            for field in schema.fields(edition).iter().filter(|field| field.name != "type") {
                let mut payload = vector.get("payload").clone();
                payload.as_object_mut().unwrap().shift_remove(field.name);
                let findings = validate_event(&payload.to_string(), edition).unwrap();
                let pointers: Vec<&str> = findings.iter().map(|finding| finding.path.as_str()).collect();
                // OpenAI's types have the fields of an error at the top level, its service has not.
                if field.required && !(kind == Kind::Error && edition == Edition::OpenAi) {
                    assert_eq!(pointers, [format!("/{}", field.name)], "{vector}, {edition}");
                }
            }
        }
    }
}

fn in_short_form(findings: Vec<Finding>) -> Vec<String> {
    findings.into_iter().map(|f| format!("{} {}: {}", f.rule.id(), f.path, f.message)).collect()
}

#[test]
fn a_finding_in_a_union_is_about_the_intended_variant() {
    let request = r#"{"tools":[{"type":"function","name":"a"},{"type":"function","name":"b"},{"type":"function"}]}"#;
    assert_eq!(
        in_short_form(validate_request(request, Edition::V2026_04_24).unwrap()),
        ["TOOL-13 /tools/2/name: expected `name` in `function`, found none"]
    );
    let item = r#"{"type":"message","id":"m","status":"done","role":"assistant","content":[{"type":"output_text"}]}"#;
    assert_eq!(
        in_short_form(validate_item(item, Edition::V2026_04_24).unwrap()),
        [
            "SCHEMA-03 /status: expected one of `in_progress`, `completed`, `incomplete` for `status`, found another string",
            "SCHEMA-01 /content/0/text: expected `text` in `output_text`, found none",
            "TEXT-09 /content/0/annotations: expected `annotations` in `output_text`, found none",
        ]
    );
    let input = r#"{"type":"message","role":"system","content":[{"type":"input_image"}]}"#;
    assert_eq!(
        in_short_form(validate_input_item(input, Edition::V2026_04_24).unwrap()),
        ["REQ-02 /content/0/type: expected `input_text` for `type`, found `input_image`, which edition 2026-04-24 does not allow here"]
    );
}

#[test]
fn an_input_item_without_type_is_reported() {
    let short = r#"{"role":"user","content":"hi"}"#;
    let findings = validate_input_item(short, Edition::V2026_04_24).unwrap();
    assert_eq!(findings[0].rule.id(), "ITEM-20");
    assert!(validate_input_item(r#"{"id":"msg_1"}"#, Edition::V2026_04_24).unwrap().is_empty());
    assert!(validate_input_item(short, Edition::OpenAi).unwrap().is_empty(), "OpenAI takes the short form");
}

#[test]
fn extensions_are_allowed_by_the_specification_and_refused_by_its_schemas() {
    let item = r#"{"type":"acme:search","id":"x","status":"completed"}"#;
    let schema = SchemaId::from_name("ItemField").unwrap();
    for edition in Edition::ALL {
        assert!(validate_as(item, schema, edition, Extensions::Allowed).unwrap().is_empty(), "{edition}");
        assert_eq!(validate_as(item, schema, edition, Extensions::Refused).unwrap().len(), 1, "{edition}");
    }
    let bare = r#"{"type":"acme:search"}"#;
    assert_eq!(
        in_short_form(validate_as(bare, schema, Edition::Split, Extensions::Allowed).unwrap()),
        [
            "EXT-10 /id: expected a string `id` in an extension item, found none",
            "EXT-10 /status: expected a string `status` in an extension item, found none",
        ]
    );
}

#[test]
fn a_hosted_tool_is_unknown_in_a_bundle_but_still_checked() {
    let item = r#"{"type":"web_search_call","id":"ws_1"}"#;
    let findings = validate_item(item, Edition::V2026_04_24).unwrap();
    let pointers: Vec<&str> = findings.iter().map(|finding| finding.path.as_str()).collect();
    assert_eq!(pointers, ["/type", "/status"], "{findings:#?}");
}

#[test]
fn the_websocket_forms_have_their_own_rules() {
    let create = r#"{"type":"response.create","model":"m","input":"hi","stream":true,"background":null}"#;
    let rules: Vec<_> = validate_websocket_create(create, Edition::V2026_04_24)
        .unwrap()
        .iter()
        .map(|finding| (finding.rule.id(), finding.path.clone()))
        .collect();
    assert!(
        rules.contains(&("WS-03", "/stream".into())) && rules.contains(&("WS-03", "/background".into())),
        "{rules:?}"
    );
    let error = r#"{"type":"error","status":429,"error":{"code":"rate_limit_exceeded","message":"wait"}}"#;
    assert!(validate_websocket_error(error, Edition::V2026_04_24).unwrap().is_empty());
    let findings = validate_websocket_error(r#"{"type":"error","error":{"message":"x"}}"#, Edition::Split).unwrap();
    assert!(findings.iter().all(|finding| finding.rule.id() == "WS-14") && findings.len() == 2, "{findings:#?}");
}

#[test]
fn hostile_values_are_checked_safely() {
    let deep = format!("{}1{}", "[".repeat(127), "]".repeat(127));
    let too_deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let texts = [
        "null".to_owned(),
        "[]".to_owned(),
        "\"\"".to_owned(),
        deep,
        r#"{"__proto__":{"type":"message"},"constructor":1,"type":"message","type":null}"#.to_owned(),
        format!("{{\"{}\":1}}", "k".repeat(100_000)),
        r#"{"type":"\u006dessage","\u0069d":"x","role":"assistant","status":"completed","content":[]}"#.to_owned(),
    ];
    for edition in Edition::ALL {
        for schema in SchemaId::all().filter(|schema| schema.editions().contains(edition)) {
            for text in &texts {
                validate_as(text, schema, edition, Extensions::Allowed).unwrap();
            }
            assert!(validate_as(&too_deep, schema, edition, Extensions::Allowed).is_err());
        }
    }
    // Escapes in keys and strings are decoded.
    assert!(validate_item(&texts[6], Edition::V2026_04_24).unwrap().is_empty());
}

/// Reads deltas as one stream and returns the numbers of those with a schema finding.
fn wrong_ones(events: &[&str]) -> Vec<u64> {
    let mut reader = Reader::builder().validate(Layers::SCHEMA).build();
    for event in events {
        reader.feed_json(event).unwrap();
        while reader.poll_event().unwrap().is_some() {}
    }
    let found = reader.findings().iter().filter(|finding| finding.rule.id().starts_with("SCHEMA"));
    let mut found: Vec<u64> = found.filter_map(|finding| finding.location.event_index).collect();
    found.dedup();
    found
}

#[test]
fn a_repeated_delta_gets_the_verdict_of_the_first_one() {
    let right = r#"{"type":"response.refusal.delta","sequence_number":1,"item_id":"m","output_index":0,"content_index":0,"delta":"a"}"#;
    let next = r#"{"type":"response.refusal.delta","sequence_number":2,"item_id":"m","output_index":0,"content_index":0,"delta":"b"}"#;
    let wrong = r#"{"type":"response.refusal.delta","sequence_number":3,"item_id":null,"output_index":0,"content_index":0,"delta":"c"}"#;
    let again = r#"{"type":"response.refusal.delta","sequence_number":4,"item_id":null,"output_index":0,"content_index":0,"delta":"d"}"#;
    assert!(wrong_ones(&[right, next, right, next]).is_empty());
    assert_eq!(wrong_ones(&[right, next, wrong, again, right, next, wrong]), [2, 3, 6]);
    assert_eq!(wrong_ones(&[wrong, again, wrong, right, again]), [0, 1, 2, 4]);
    let probable = |bytes: &str| {
        format!(
            r#"{{"type":"response.output_text.delta","sequence_number":1,"item_id":"m","output_index":0,"content_index":0,"delta":"a","logprobs":[{bytes}]}}"#
        )
    };
    let fine = probable(r#"{"token":"a","logprob":-1,"bytes":[97],"top_logprobs":[]}"#);
    let bad = probable(r#"{"token":"a","logprob":"-1","bytes":[97],"top_logprobs":[]}"#);
    let none = probable("");
    assert_eq!(wrong_ones(&[&fine, &none, &fine, &bad, &none, &bad]), [3, 5]);
}
