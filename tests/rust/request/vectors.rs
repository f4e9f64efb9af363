//! Requests: every variant and field is read, built, checked with a message about the intended variant, and written back.

use std::collections::BTreeSet;

use deltafold::request::{
    CompactResponse, CreateResponse, InputItem, InputPart, TextFormat, TokenCount, Tool, ToolChoice,
};
use deltafold::validate::validate_request;
use deltafold::{Edition, Severity};
use deltafold_tests::requests::{around, right, wrong};
use deltafold_tests::schema::{load, rebuild, source, Treatment};
use deltafold_tests::{vectors, Vector};
use serde_json::{json, Value};

fn edition(vector: &Vector) -> Edition {
    vector.get("edition").as_str().map_or(Edition::Split, |name| name.parse().unwrap())
}

#[test]
fn every_valid_value_passes_and_every_fault_is_found_at_its_place() {
    let mut misses = Vec::new();
    for vector in vectors("request") {
        let (request, _) = around(&vector, right(&vector));
        let found = validate_request(&request.to_string(), edition(&vector)).unwrap();
        assert!(found.is_empty(), "{vector}: {found:#?}");
        let cases = wrong(&vector);
        assert!(cases.len() > 1, "{vector} has too few wrong values");
        for (value, path) in cases {
            let (request, base) = around(&vector, &value);
            let found = validate_request(&request.to_string(), edition(&vector)).unwrap();
            let expected = format!("{base}{path}");
            // A fault in the value may concern the field as a whole: then a pointer points into it.
            let at = |found: &str| found == expected || (path.is_empty() && found.starts_with(&expected));
            let hit = found.iter().any(|finding| finding.severity == Severity::Error && at(&finding.path));
            // Of a union only the intended variant is checked.
            if !hit || found.len() > 2 {
                let found: Vec<&str> = found.iter().map(|finding| finding.path.as_str()).collect();
                misses.push(format!("{vector}: {value}\n  expected one error at {expected}, found {found:?}"));
            }
            for finding in &found {
                assert!(!finding.message.contains("any of"), "{finding:#?}");
            }
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

#[test]
fn a_message_names_the_intended_variant() {
    let request = r#"{"tools":[{"type":"shell"},{"type":"shell"},{"type":"function"}],
        "input":[{"type":"function_call","call_id":"c","arguments":"{}"}],"tool_choice":{"type":"custom"}}"#;
    let found = validate_request(request, Edition::Split).unwrap();
    let found: Vec<(&str, &str)> =
        found.iter().map(|finding| (finding.path.as_str(), finding.message.as_str())).collect();
    assert_eq!(
        found,
        [
            ("/tools/2/name", "expected `name` in `function`, found none"),
            ("/input/0/name", "expected `name` in `function_call`, found none"),
            ("/tool_choice/name", "expected `name` in `custom`, found none"),
        ]
    );
}

#[test]
fn verdicts_agree_with_another_validator() {
    let facts = load();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/schema/contradictions.json");
    let listed: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let treat = |place: &str| {
        let line =
            listed.as_array().unwrap().iter().find(|line| line["places"].as_array().unwrap().contains(&json!(place)));
        match line.map(|line| line["read_as"].as_str().unwrap()) {
            None => Treatment::Published,
            Some("any") => Treatment::Any,
            _ => Treatment::Named,
        }
    };
    let theirs = [Edition::Split, Edition::default()].map(|edition| {
        let schema = rebuild("CreateResponseBody", source(&facts, edition), &treat);
        (edition, jsonschema::options().should_validate_formats(false).build(&schema).unwrap())
    });
    let mut count = 0;
    for vector in vectors("request") {
        for (value, _) in wrong(&vector).into_iter().chain([(right(&vector).clone(), String::new())]) {
            let (request, _) = around(&vector, &value);
            let ours = validate_request(&request.to_string(), edition(&vector)).unwrap().is_empty();
            let (_, theirs) = theirs.iter().find(|(edition, _)| *edition == self::edition(&vector)).unwrap();
            assert_eq!(ours, theirs.is_valid(&request), "{vector}: {request}");
            count += 1;
        }
    }
    assert!(count > 300, "{count}");
}

#[test]
fn there_is_a_case_for_every_variant_and_field_of_the_contract() {
    let names: BTreeSet<String> = vectors("request").iter().map(|vector| vector.name.clone()).collect();
    for (kind, _, schema) in InputItem::VARIANTS.iter().chain(Tool::VARIANTS).chain(ToolChoice::VARIANTS) {
        assert!(names.contains(*schema), "no case for {kind} {schema}");
    }
    for field in CreateResponse::FIELDS {
        assert!(names.contains(*field), "no case for {field}");
    }
    let counts = [InputItem::VARIANTS.len(), Tool::VARIANTS.len(), ToolChoice::VARIANTS.len()];
    assert_eq!((counts, CreateResponse::FIELDS.len()), ([25, 16, 13], 29));
}

#[test]
fn a_body_survives_reading_and_writing() {
    for text in [
        r#"{"model":"m","temperature":1.0,"acme:x":{"b":1,"a":2,"a":3},"input":null,"top_p":1e0,"user":"\u00fc"}"#,
        r#"{"z":[],"input":[{"type":"acme:y","n":12345678901234567890}]}"#,
        "{}",
    ] {
        assert_eq!(CreateResponse::from_json(text).unwrap().to_json(), text.replace("\\u00fc", "ü"));
        assert_eq!(CompactResponse::from_json(text).unwrap().to_json(), text.replace("\\u00fc", "ü"));
        assert_eq!(TokenCount::from_json(text).unwrap().to_json(), text.replace("\\u00fc", "ü"));
    }
    for text in ["", "[]", "7", "{"] {
        assert!(CreateResponse::from_json(text).is_err(), "{text}");
    }
}

#[test]
fn the_output_of_the_builder_is_valid() {
    let request = CreateResponse::new()
        .with_model("m-1")
        .with_input("Hello")
        .with_item(InputItem::assistant_message("Hi"))
        .with_item(InputItem::user_message(vec![
            InputPart::input_text("Look").into(),
            InputPart::input_image().with("image_url", "data:,").into(),
        ]))
        .with_item(InputItem::function_call("call_1", "f", "{}"))
        .with_item(InputItem::function_call_output("call_1", "21"))
        .with_tool(Tool::function("f"))
        .with_tool(Tool::mcp("s").with("server_url", "https://example.org"))
        .with_tool_choice(ToolChoice::allowed([ToolChoice::function("f"), ToolChoice::mcp("s")], Some("auto")))
        .with_text(json_object(r#"{"verbosity":"low"}"#, TextFormat::json_schema("n", json_value("{}"))))
        .with_stream(true)
        .with_store(false)
        .with_temperature(0.5)
        .with_parallel_tool_calls(false)
        .with_max_tool_calls(2)
        .with_service_tier("flex");
    let found = request.check(Edition::Split).unwrap();
    assert!(found.is_empty(), "{request}: {found:#?}");
    assert_eq!(request.input_items().len(), 5);
    assert_eq!((request.stream(), request.max_tool_calls(), request.temperature()), (Some(true), Some(2), Some(0.5)));
    assert_eq!(request.clone().without("store").store(), None);

    let count = TokenCount::of(&request);
    assert!(count.check(Edition::Split).unwrap().is_empty());
    assert_eq!(count.as_object().get("stream"), None);
    let compact = CompactResponse::new().with_input("Hello");
    assert_eq!(compact.check(Edition::default()).unwrap()[0].rule.id(), "CMP-01");
    assert!(compact.with_model("m-1").check(Edition::default()).unwrap().is_empty());
}

fn json_value(text: &str) -> deltafold::json::Value {
    deltafold::json::Value::parse(text, 16).unwrap()
}

fn json_object(text: &str, format: TextFormat) -> deltafold::json::Object {
    let mut object = json_value(text).as_object().unwrap().clone();
    object.insert("format", format);
    object
}
