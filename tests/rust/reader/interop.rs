//! Values, events and responses to and from `serde`, `serde_json` and `simd-json`.

use std::fs;
use std::path::Path;

use deltafold::json::{Object, Value};
use deltafold::{Finding, Outcome, OwnedEvent, Reader, Usage};
use deltafold_tests::vector_folder;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Every JSON file of the vectors.
fn vector_texts() -> Vec<String> {
    fn walk(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                found.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    let mut found = Vec::new();
    walk(&vector_folder(), &mut found);
    assert!(found.len() > 50, "{} files", found.len());
    found
}

/// Keeps the last of repeated keys, at every level, as a map does.
fn without_repeated_keys(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(without_repeated_keys).collect()),
        Value::Object(object) => {
            let mut kept = Object::new();
            for (key, value) in object.iter() {
                kept.insert(key, without_repeated_keys(value));
            }
            Value::Object(kept)
        }
        other => other.clone(),
    }
}

#[test]
fn every_vector_survives_serde_json_with_all_digits() {
    for text in vector_texts() {
        let value = Value::parse(&text, 128).unwrap();
        let compact = value.to_string();
        // Written with `Serialize` and read with `Deserialize`.
        assert_eq!(serde_json::to_string(&value).unwrap(), compact);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap().to_string(), compact);
        // The same over `serde_json::Value`, by conversion and by `serde`.
        let other = serde_json::Value::from(&value);
        let kept = without_repeated_keys(&value).to_string();
        assert_eq!(Value::from(&other).to_string(), kept);
        assert_eq!(serde_json::Value::deserialize(&value).unwrap(), other);
        assert_eq!(serde_json::from_value::<Value>(other).unwrap().to_string(), kept);
    }
}

#[test]
fn every_vector_survives_simd_json_unless_a_number_would_change() {
    let mut refused = 0;
    for text in vector_texts() {
        let value = Value::parse(&text, 128).unwrap();
        match simd_json::OwnedValue::try_from(&value) {
            Ok(other) => assert_eq!(Value::try_from(other).unwrap(), value),
            Err(error) => {
                assert!(error.to_string().contains("without a change of digits"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused < vector_texts().len() / 2, "{refused} refused");
}

#[test]
fn digits_that_no_number_type_can_store_stay_in_json_and_are_rounded_elsewhere() {
    let numbers = "[0.10,1E2,-0,18446744073709551616,1e400,3.141592653589793238462643383279]";
    let value = Value::parse(numbers, 8).unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), numbers);
    // `serde_json` itself has one form for exponents, and no negative zero.
    let normal = "[0.10,1e+2,0,18446744073709551616,1e+400,3.141592653589793238462643383279]";
    assert_eq!(serde_json::to_string(&serde_json::Value::deserialize(&value).unwrap()).unwrap(), normal);
    assert_eq!(serde_json::from_str::<Value>(numbers).unwrap().to_string(), normal.replace(",0,", ",-0,"));
    // Conversion without it keeps the text.
    assert_eq!(serde_json::Value::from(&value).to_string(), numbers);
    let doubles = Vec::<f64>::deserialize(&value).unwrap();
    assert_eq!(doubles[..2], [0.1, 100.0]);
    assert_eq!(doubles[5], std::f64::consts::PI);
    for number in ["0.10", "18446744073709551616"] {
        let number = Value::parse(number, 8).unwrap();
        assert!(simd_json::OwnedValue::try_from(&number).is_err(), "{number}");
    }
    assert!(Value::try_from(simd_json::OwnedValue::from(f64::INFINITY)).is_err());
}

/// A reader after a stream with a message, a call, log probabilities, a finding and usage.
fn reader() -> Reader {
    let mut reader = Reader::new();
    for event in [
        r#"{"type":"response.created","sequence_number":0,"response":{"id":"r","object":"response","status":"in_progress","output":[],"metadata":{"cost":0.10}}}"#,
        r#"{"type":"response.output_text.delta","sequence_number":1,"output_index":0,"item_id":"m","content_index":0,"delta":"a\u00e9","logprobs":[{"token":"a","logprob":-0.50}]}"#,
        r#"{"type":"response.output_item.done","sequence_number":2,"output_index":1,"item":{"type":"function_call","id":"f","call_id":"c","name":"look","arguments":"{}","status":"completed"}}"#,
    ] {
        reader.feed_json(event).unwrap();
        while reader.poll_event().unwrap().is_some() {}
    }
    reader
}

#[test]
fn a_response_its_items_and_its_parts_serialize_like_to_json() {
    let reader = reader();
    let response = reader.response();
    assert_eq!(serde_json::to_string(&response).unwrap(), response.to_json());
    assert!(response.to_json().contains(r#""cost":0.10"#) && response.to_json().contains(r#""logprob":-0.50"#));
    for item in response.items() {
        assert_eq!(serde_json::to_string(&item).unwrap(), item.to_value().to_string());
        for part in item.parts() {
            assert_eq!(serde_json::to_string(&part).unwrap(), part.to_value().to_string());
            assert!(part.to_value().to_string().contains("logprob"));
        }
    }
    assert_eq!(serde_json::Value::from(response).to_string(), response.to_json());
    let empty = Reader::new();
    assert_eq!(serde_json::to_string(&empty.response()).unwrap(), empty.response().to_json());
}

#[test]
fn findings_outcomes_and_usage_serialize_in_the_form_of_every_binding() {
    let mut reader = reader();
    let outcome: Outcome = reader.finish().unwrap();
    assert_eq!(serde_json::to_value(&outcome).unwrap(), json!({ "outcome": "truncated", "last_sequence_number": 2 }));
    let finding: &Finding = reader.findings().iter().find(|finding| finding.repair.is_some()).unwrap();
    assert_eq!(serde_json::to_string(finding).unwrap(), finding.to_value().to_string());
    let usage = Usage { cached_tokens: 1, ..Usage::new(5, 2) };
    assert_eq!(
        serde_json::to_value(usage).unwrap(),
        json!({ "input_tokens": 5, "output_tokens": 2, "total_tokens": 7, "input_tokens_details": { "cached_tokens": 1 },
            "output_tokens_details": { "reasoning_tokens": 0 } })
    );
    assert_eq!(serde_json::to_value(finding.severity).unwrap(), json!(finding.severity.name()));
}

#[derive(Debug, Deserialize, PartialEq)]
struct Step<'a> {
    r#type: &'a str,
    step: u32,
    #[serde(default)]
    label: Option<&'a str>,
    state: State,
    #[serde(borrow)]
    range: (u8, &'a str),
    weight: Weight,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum State {
    Waiting,
    Running { share: f32 },
    Done(Vec<i64>),
}

#[derive(Debug, Deserialize, PartialEq)]
struct Weight(f64);

#[test]
fn an_event_is_read_into_a_type_of_the_caller_and_borrows_its_strings() {
    let read = |state: &str, rest: &str| {
        let payload = format!(
            r#"{{"type":"acme:step","step":3,"state":{state},"range":[1,"b"],"weight":2{rest},"more":[{{}}]}}"#
        );
        let event = OwnedEvent::parse(&payload);
        let step = event.deserialize::<Step<'_>>().map_err(|error| error.to_string())?;
        assert_eq!((step.r#type, step.step, step.range, &step.weight), ("acme:step", 3, (1, "b"), &Weight(2.0)));
        Ok::<_, String>((step.state, step.label.map(str::to_owned)))
    };
    assert_eq!(read(r#""waiting""#, ""), Ok((State::Waiting, None)));
    assert_eq!(read(r#"{"running":{"share":0.5}}"#, r#","label":null"#), Ok((State::Running { share: 0.5 }, None)));
    assert_eq!(read(r#"{"done":[1,-2]}"#, r#","label":"x""#), Ok((State::Done(vec![1, -2]), Some("x".into()))));
    for (state, message) in [
        (r#""gone""#, "unknown variant `gone`"),
        (r#"{"done":[],"running":1}"#, "one key"),
        (r#""done""#, "a variant with a value"),
        (r#"{"waiting":1}"#, "unit"),
        ("7", "expected a string or an object"),
    ] {
        let error = read(state, "").unwrap_err();
        assert!(error.contains(message), "{state}: {error}");
    }
    // A string with escapes cannot be borrowed.
    assert!(read(r#""waiting""#, r#","label":"\n""#).is_err());
    assert!(OwnedEvent::parse("no json").deserialize::<Value>().unwrap_err().to_string().contains("not JSON"));
}

#[test]
fn an_event_serializes_as_its_payload_and_an_event_that_is_not_json_as_a_string() {
    let payload = r#"{"type":"acme:x","a":1.50,"a":[null,true,"\u00e9"]}"#;
    let text = serde_json::to_string(&OwnedEvent::parse(payload)).unwrap();
    assert_eq!(text, payload.replace("\\u00e9", "é"));
    assert_eq!(serde_json::to_string(&OwnedEvent::parse("{").as_event()).unwrap(), "\"{\"");
}

#[derive(Deserialize, Serialize)]
struct StoredEvent {
    id: String,
    output: Vec<Value>,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

#[test]
fn a_response_is_read_into_a_type_with_the_rest_of_its_fields() {
    let reader = reader();
    let response = reader.response();
    let kept: StoredEvent = response.deserialize().unwrap();
    assert_eq!((kept.id.as_str(), kept.output.len(), &kept.rest["status"]), ("r", 2, &json!("in_progress")));
    assert_eq!(kept.output[1], response.item(1).unwrap().to_value());
    #[derive(Deserialize)]
    struct Call {
        call_id: String,
    }
    assert_eq!(response.item(1).unwrap().deserialize::<Call>().unwrap().call_id, "c");
    assert!(response.deserialize::<Vec<u8>>().is_err());
}
