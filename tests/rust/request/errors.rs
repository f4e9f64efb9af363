//! Errors in every form, the advice for them, and the WebSocket messages.

use deltafold::__bindings::request_named;
use deltafold::json::Value as Json;
use deltafold::request::{
    create_message, CreateResponse, ErrorReport, History, MultiplexedReader, Policy, RetryAction,
};
use deltafold::validate::{validate_websocket_create, Layers};
use deltafold::{Class, Edition, Outcome, ReaderOptions};
use deltafold_tests::streams::{feed, Feed};
use deltafold_tests::{vectors, Vector};
use serde_json::{json, Value};

#[test]
fn every_error_is_read_and_has_its_advice() {
    for vector in vectors("errors") {
        let mut call = vector.value.clone();
        for key in ["name", "expect"] {
            call.as_object_mut().unwrap().shift_remove(key);
        }
        let report: Value = serde_json::from_str(&request_named("advice", &call.to_string()).unwrap()).unwrap();
        for (key, expected) in vector.get("expect").as_object().unwrap() {
            let same = report[key] == *expected || report[key].as_f64().is_some_and(|n| Some(n) == expected.as_f64());
            assert!(same, "{vector}: {key} of {report}, expected {expected}");
        }
    }
    for call in ["{", "{}", r#"{"error":{}}"#, r#"{"error":{"message":"m"},"status":70000}"#, r#"{"what":1}"#] {
        assert!(request_named("advice", call).is_err(), "{call}");
    }
}

#[test]
fn every_action_is_advised_somewhere() {
    let advised: Vec<String> = vectors("errors").iter().map(|vector| vector.get("expect").to_string()).collect();
    for action in [
        RetryAction::Retry,
        RetryAction::Reconnect,
        RetryAction::ResendContext,
        RetryAction::Shorten,
        RetryAction::GiveUp,
    ] {
        assert!(advised.iter().any(|advised| advised.contains(&format!("\"{}\"", action.name()))), "{}", action.name());
    }
}

#[test]
fn a_lost_chain_starts_again_with_the_whole_context() {
    let first = CreateResponse::new().with_model("m").with_input("Hi");
    let answer = json!({"id": "resp_1", "status": "completed", "output": [{"type": "message", "id": "msg_1",
        "status": "completed", "role": "assistant", "content": [{"type": "output_text", "text": "Hello", "annotations": []}]}]});
    let answer = Json::parse(&answer.to_string(), 64).unwrap();
    let next = |policy: &str| {
        let mut history = History::new(Policy::builtin(policy).unwrap(), &first);
        history.add_response(&answer).unwrap();
        history.request()
    };
    assert_eq!(next("stateful").previous_response_id(), Some("resp_1"));
    let refused = r#"{"type":"error","status":400,"error":{"code":"previous_response_not_found","message":"gone"}}"#;
    assert_eq!(ErrorReport::from_json(refused, None).unwrap().advice().action, RetryAction::ResendContext);
    let anew = next("stateless");
    assert_eq!((anew.previous_response_id(), anew.input_items().len()), (None, 2));
}

#[test]
fn the_message_of_a_turn_is_valid_and_its_omissions_are_reported() {
    let request = CreateResponse::from_json(
        r#"{"model":"m","stream":false,"stream_options":null,"input":[],"background":false,"type":"x","acme:a":1}"#,
    )
    .unwrap();
    let (message, left_out) = create_message(&request);
    assert_eq!(left_out, ["stream", "stream_options", "background"]);
    assert!(validate_websocket_create(&message, Edition::default()).unwrap().is_empty(), "{message}");
    assert_eq!(message, r#"{"type":"response.create","model":"m","input":[],"acme:a":1}"#);
}

fn turn(stream: &str) -> Vec<Value> {
    let value = json!({ "stream": stream, "messages": true });
    match feed(&Vector { file: "base/streams.json".into(), name: stream.into(), value }) {
        Some(Feed::Messages(messages)) => messages.iter().map(|text| serde_json::from_str(text).unwrap()).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn lanes_are_separated_and_numbered_independently() {
    let layers = Layers::SCHEMA | Layers::STREAM;
    let mut lanes = MultiplexedReader::new(ReaderOptions::default().layers(layers), 2);
    let (one, two) = (turn("text"), turn("refusal"));
    for at in 0..one.len().max(two.len()) {
        for (name, events) in [("a", &one), ("b", &two)] {
            let Some(event) = events.get(at) else { continue };
            let mut event = event.clone();
            event["stream_id"] = json!(name);
            let (lane, reader) = lanes.feed(&event.to_string()).unwrap();
            assert_eq!(lane, name);
            while reader.poll_event().unwrap().is_some() {}
        }
    }
    let error = lanes.feed(r#"{"type":"response.created","stream_id":"c"}"#).err().unwrap();
    assert_eq!(error.class(), Class::Limit);
    assert_eq!(lanes.names().collect::<Vec<_>>(), ["a", "b"]);
    for name in ["a", "b"] {
        let mut reader = lanes.close(name).unwrap();
        assert_eq!(reader.finish().unwrap(), Outcome::Completed);
        assert!(reader.findings().is_empty(), "{name}: {:#?}", reader.findings());
    }
}

#[test]
fn turns_follow_each_other_in_one_lane_and_each_has_a_new_reader() {
    let layers = Layers::SCHEMA | Layers::STREAM;
    let mut lanes = MultiplexedReader::new(ReaderOptions::default().layers(layers), 1);
    for stream in ["text", "call", "text"] {
        for event in turn(stream) {
            let (lane, reader) = lanes.feed(&event.to_string()).unwrap();
            assert_eq!(lane, "");
            while reader.poll_event().unwrap().is_some() {}
            assert!(reader.findings().is_empty(), "{:#?}", reader.findings());
        }
        assert_eq!(lanes.get("").unwrap().response().to_value().str_at("status"), Some("completed"));
    }
    let (_, reader) = lanes.feed("no JSON").unwrap();
    while reader.poll_event().unwrap().is_some() {}
    assert!(!reader.findings().is_empty());
}
