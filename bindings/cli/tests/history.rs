//! `deltafold history`: its output and its exit codes.

mod common;

use common::{run, Folder};
use serde_json::{json, Value};

fn answer() -> String {
    let message = json!({"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
        "content": [{"type": "output_text", "text": "Hello", "annotations": []}]});
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]});
    json!({"id": "resp_1", "object": "response", "status": "completed", "output": [reasoning, message]}).to_string()
}

#[test]
fn a_response_becomes_the_next_request_and_omissions_are_reported() {
    let folder = Folder::new("history");
    let response = folder.file("response.json", answer().as_bytes());
    let first = folder.file("request.json", br#"{"model":"m-1","input":"Hi"}"#);
    let items = folder.file("items.json", br#"[{"type":"message","role":"user","content":"More"}]"#);
    let [response, first, items] = [&response, &first, &items].map(|path| path.to_str().unwrap());
    let done = run(&["history", response, "--for", first, "--item", items], b"");
    assert_eq!(done.code, 0, "{}", done.errors);
    assert!(done.errors.contains("/output/0/content: field_dropped"), "{}", done.errors);
    let next: Value = serde_json::from_str(&done.output).unwrap();
    let kinds: Vec<&str> =
        next["input"].as_array().unwrap().iter().map(|item| item["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["message", "reasoning", "message", "message"]);
    assert_eq!((&next["model"], &next["store"]), (&json!("m-1"), &json!(false)));

    let done = run(&["history", response, "--policy", "stateful", "--pretty"], b"");
    let next: Value = serde_json::from_str(&done.output).unwrap();
    assert_eq!(next, json!({"input": [], "previous_response_id": "resp_1"}));
}

#[test]
fn streams_and_standard_input_are_accepted() {
    let stream =
        format!("data: {{\"type\":\"response.completed\",\"sequence_number\":0,\"response\":{}}}\n\n", answer());
    for input in [stream, answer()] {
        let done = run(&["history", "--policy", "stateful"], input.as_bytes());
        assert_eq!(done.code, 0, "{}", done.errors);
        assert!(done.output.contains("\"previous_response_id\":\"resp_1\""), "{}", done.output);
    }
}

#[test]
fn unusable_input_is_reported() {
    let folder = Folder::new("history-wrong");
    let mine = folder.file("mine.json", br#"{"chain":"both"}"#);
    for (arguments, code, says) in [
        (vec!["history", "--policy", "statful"], 2, "stateful"),
        (vec!["history", "--policy", mine.to_str().unwrap()], 2, "chain"),
        (vec!["history", "--policy", "stateful", "-"], 1, "id"),
    ] {
        let done = run(&arguments, br#"{"output":[]}"#);
        assert_eq!(done.code, code, "{arguments:?}: {}", done.errors);
        assert!(done.errors.contains(says), "{arguments:?}: {}", done.errors);
    }
    let done = run(&["history", "--policies"], b"");
    assert!(done.output.contains("openai: ") && done.code == 0, "{}", done.output);
}
