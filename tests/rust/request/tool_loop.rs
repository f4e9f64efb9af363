//! Which calls may be run, and the loop that requests their results.

use std::collections::BTreeSet;

use deltafold::__bindings::request_named;
use deltafold::json::Value as Json;
use deltafold::request::{check_arguments, enforce, CreateResponse, LoopState, Rejection, ToolLoop};
use deltafold::validate::{validate_input_item, validate_request};
use deltafold::{Edition, Error};
use deltafold_tests::{vectors, Vector};
use serde_json::{json, Value};

fn read(value: &Value) -> Json {
    Json::parse(&value.to_string(), 128).unwrap()
}

fn cases(file: &str) -> Vec<Vector> {
    let found: Vec<Vector> = vectors("tools").into_iter().filter(|vector| vector.file.contains(file)).collect();
    assert!(!found.is_empty());
    found
}

#[test]
fn every_call_is_allowed_or_rejected_and_rejected_calls_have_an_answer() {
    let mut seen = BTreeSet::new();
    for vector in cases("enforce") {
        let request = CreateResponse::from_value(read(vector.get("request"))).unwrap();
        let calls = enforce(&request, &read(vector.get("response")));
        let call = json!({"request": vector.get("request"), "response": vector.get("response")});
        let named: Value = serde_json::from_str(&request_named("enforce", &call.to_string()).unwrap()).unwrap();
        let named: Value = named["calls"].as_array().unwrap().iter().map(|call| call["reason"].clone()).collect();
        assert_eq!(named, *vector.get("calls"), "{vector}");
        let reasons: Value = calls.iter().map(|call| json!(call.rejection.map(Rejection::name))).collect();
        assert_eq!(reasons, *vector.get("calls"), "{vector}");
        for call in &calls {
            let answer = call.answer();
            assert_eq!(answer.is_some(), call.rejection.is_some() && call.is_for_client(), "{vector}");
            if let Some(answer) = answer {
                let text = Json::from(answer).to_string();
                let found = validate_input_item(&text, Edition::Split).unwrap();
                assert!(found.is_empty(), "{vector}: {text} {found:#?}");
            }
            seen.extend(call.rejection.map(Rejection::name));
        }
    }
    for rejection in Rejection::ALL {
        assert!(seen.contains(rejection.name()), "no vector rejects by {}", rejection.name());
    }
}

fn step(tools: &mut ToolLoop, step: &Value) -> Result<LoopState, Error> {
    match step.get("response") {
        Some(response) => tools.apply_json(&response.to_string()),
        None => tools.result_json(step["result"][0].as_str().unwrap(), &step["result"][1].to_string()),
    }
}

#[test]
fn every_loop_ends_in_the_expected_state_with_the_expected_request() {
    for vector in cases("loop") {
        let mut tools = ToolLoop::from_json(&vector.get("options").to_string()).unwrap();
        for (at, told) in vector.get("steps").as_array().unwrap().iter().enumerate() {
            let before = (tools.to_json(), tools.request().to_json());
            let done = step(&mut tools, told);
            if let Some(code) = told["refused"].as_str() {
                assert_eq!(done.unwrap_err().code().name(), code, "{vector}, step {at}");
                assert_eq!((tools.to_json(), tools.request().to_json()), before, "{vector}, step {at}");
                continue;
            }
            let shown: Value = serde_json::from_str(&tools.to_json()).unwrap();
            assert_eq!((shown["state"].as_str(), done.unwrap().name()), (told["state"].as_str(), tools.state().name()));
            assert_eq!(shown["reason"], told["reason"], "{vector}, step {at}");
            for key in ["pending", "rejected"] {
                let ids: Value = shown[key].as_array().unwrap().iter().map(|call| call["call_id"].clone()).collect();
                let expected = told.get(key).cloned().unwrap_or_else(|| json!([]));
                // Rejected calls are listed until the next response.
                if key == "pending" || told.get("response").is_some() {
                    assert_eq!(ids, expected, "{vector}, step {at}, {key}");
                }
            }
        }
        // The same by name, in one call; refused steps are omitted.
        let mut call = vector.get("options").clone();
        let steps = vector.get("steps").as_array().unwrap().iter().filter(|step| step.get("refused").is_none());
        call["steps"] = steps.cloned().collect();
        let whole: Value = serde_json::from_str(&request_named("tool_loop", &call.to_string()).unwrap()).unwrap();
        assert_eq!(whole["state"], tools.state().name(), "{vector}");
        assert_eq!(whole["request"], serde_json::from_str::<Value>(&tools.request().to_json()).unwrap(), "{vector}");
        let last = vector.get("last");
        if !last.is_null() {
            let request = tools.request();
            assert_eq!(serde_json::from_str::<Value>(&request.to_json()).unwrap(), *last, "{vector}");
            let found = validate_request(&request.to_json(), Edition::Split).unwrap();
            assert!(found.is_empty(), "{vector}: {found:#?}");
        }
    }
}

#[test]
fn a_stopped_loop_makes_no_further_step() {
    let mut tools = ToolLoop::from_json(r#"{"request":{"input":"Hi"}}"#).unwrap();
    tools.stop();
    assert!(tools.apply_json(r#"{"output":[]}"#).is_err());
    assert_eq!(tools.state().name(), "stopped");
    for options in ["{", "[]", r#"{"policy":"nobody"}"#, r#"{"request":7}"#, r#"{"max_turns":-1}"#, r#"{"turns":1}"#] {
        assert!(ToolLoop::from_json(options).is_err(), "{options}");
    }
}

#[test]
fn errors_in_arguments_are_reported_without_quoting_them() {
    let tool = json!({"type": "function", "name": "f", "parameters": {"type": "object", "required": ["a"],
        "properties": {"a": {"type": "string", "maxLength": 3}}}});
    let tool = read(&tool);
    assert_eq!(check_arguments(&tool, r#"{"a":"abc"}"#), Ok(()));
    for arguments in [r#"{"a":"hunter2"}"#, r#"{"a":["hunter2"]}"#, r#"{"b":"hunter2"}"#, r#"["hunter2"]"#, "hunter2"] {
        let message = check_arguments(&tool, arguments).unwrap_err();
        assert!(!message.contains("hunter2") && !message.is_empty(), "{message}");
    }
    let broken = read(&json!({"parameters": {"type": "objekt"}}));
    assert!(check_arguments(&broken, "{}").unwrap_err().contains("cannot be used"));
    let outside = read(&json!({"parameters": {"$ref": "https://example.org/schema.json"}}));
    assert!(check_arguments(&outside, "{}").is_err());
}
