//! Responses become the next request: in order, valid, and without losing data that should be kept.

use std::collections::BTreeMap;

use deltafold::__bindings::request_named;
use deltafold::contract::SchemaId;
use deltafold::json::Value as Json;
use deltafold::request::{Chain, CreateResponse, History, HistoryCode, InputItem, InputPart, Policy, ToolResult};
use deltafold::validate::{validate_input_item, validate_request};
use deltafold::{Edition, Finding, Reader, Severity};
use deltafold_tests::{recordings, vectors, Recording, Vector};
use serde_json::{json, Value};

fn read(value: &Value) -> Json {
    Json::parse(&value.to_string(), 128).unwrap()
}

/// The item types that a union of the contract lists.
fn item_types(union: &str, edition: Edition) -> Vec<&'static str> {
    let variants = SchemaId::from_name(union).unwrap().variants(edition);
    variants.into_iter().flatten().filter(|(field, _)| *field == "type").map(|(_, kind)| kind).collect()
}

fn run(vector: &Vector) -> History {
    let policy = Policy::from_value(&read(vector.get("policy"))).unwrap();
    let request = CreateResponse::from_value(read(vector.get("request"))).unwrap();
    let mut history = History::new(policy, &request);
    for step in vector.get("steps").as_array().unwrap() {
        match step.get("response") {
            Some(response) => history.add_response(&read(response)).unwrap(),
            None => history.add_item(read(&step["item"])),
        }
    }
    history
}

/// Errors in the next request. OpenAI's service omits fields that the types of its SDKs require, and the split edition has other
/// shapes for a few items: there, an item is accepted if it fits the other of the two. Items of types that the edition does not list are for the server that made them.
fn errors(history: &History) -> Vec<Finding> {
    let (request, edition) = (history.request(), history.policy().edition);
    let mut found = validate_request(&request.to_json(), edition).unwrap();
    let other = match edition {
        Edition::OpenAi => Some(Edition::Split),
        Edition::Split => Some(Edition::OpenAi),
        _ => None,
    };
    let fits = |at: usize, other| {
        let found = validate_input_item(&request.input_items()[at].to_string(), other).unwrap();
        found.iter().all(|finding| finding.severity != Severity::Error)
    };
    found.retain(|finding| {
        let item = finding.path.strip_prefix("/input/").and_then(|rest| rest.split('/').next()?.parse().ok());
        let items = request.input_items();
        let listed =
            |at: usize| item_types("ItemParam", edition).contains(&items[at].str_at("type").unwrap_or_default());
        let excused = item.is_some_and(|at| !listed(at) || other.is_some_and(|other| fits(at, other)));
        finding.severity == Severity::Error && !excused
    });
    found
}

#[test]
fn every_vector_gives_its_next_request_and_its_findings() {
    for vector in vectors("history") {
        let history = run(&vector);
        let next: Value = serde_json::from_str(&history.request().to_json()).unwrap();
        assert_eq!(next, *vector.get("next"), "{vector}");
        let reported: Value = history
            .findings()
            .iter()
            .map(|finding| json!({"code": finding.code.name(), "path": finding.path}))
            .collect();
        assert_eq!(reported, *vector.get("findings"), "{vector}");
        let call =
            json!({"policy": vector.get("policy"), "request": vector.get("request"), "steps": vector.get("steps")});
        let whole: Value = serde_json::from_str(&request_named("history", &call.to_string()).unwrap()).unwrap();
        assert_eq!(whole["request"], next, "{vector}");
        assert_eq!(whole["findings"].as_array().unwrap().len(), history.findings().len(), "{vector}");
        // The same steps give the same request, to the byte.
        assert_eq!(run(&vector).request().to_json(), history.request().to_json(), "{vector}");
        let errors = errors(&history);
        assert!(errors.is_empty(), "{vector}: {errors:#?}");
    }
}

#[test]
fn every_item_type_is_sent_by_default() {
    let mut seen = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/streams/items")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "sse") {
            continue;
        }
        let mut reader = Reader::new();
        reader.feed(&std::fs::read(&path).unwrap()).unwrap();
        reader.end();
        while reader.poll_event().unwrap().is_some() {}
        reader.finish().unwrap();
        let response = reader.response().to_value();
        let output = response.get("output").and_then(Json::as_array).unwrap();
        for name in ["stateless", "openai"] {
            let mut history = History::new(Policy::builtin(name).unwrap(), &CreateResponse::new());
            history.add_response(&response).unwrap();
            let sent: Vec<_> = history.items().iter().map(|item| item.str_at("type")).collect();
            let all: Vec<_> = output.iter().map(|item| item.str_at("type")).collect();
            assert_eq!(sent, all, "{name} {}: {:?}", path.display(), history.findings());
        }
        seen.extend(output.iter().filter_map(|item| item.str_at("type")).map(str::to_owned));
    }
    let split = item_types("ItemField", Edition::Split);
    let missing: Vec<_> = split.iter().filter(|kind| !seen.contains(**kind)).collect();
    assert!(split.len() >= 23 && missing.is_empty(), "{missing:?}");
}

#[test]
fn every_code_is_reported_by_a_vector() {
    let lists: Vec<String> = vectors("history").iter().map(|vector| vector.get("findings").to_string()).collect();
    for code in HistoryCode::ALL {
        assert!(lists.iter().any(|findings| findings.contains(&format!("\"{}\"", code.name()))), "{}", code.name());
    }
}

/// The policy for a provider's recording.
///
/// Stored responses can be sent back with their ids; only responses with encrypted reasoning were not stored.
fn policy(recording: &Recording, response: &Json) -> Policy {
    let provider = recording.facts["provider"].as_str().unwrap();
    let name = match provider {
        "github-copilot" => "copilot",
        "openai-codex-backend" => "codex",
        "openai" | "azure" if !response.to_string().contains("\"encrypted_content\":\"") => "openai-stateful",
        known if Policy::names().any(|name| name == known) => known,
        _ => "openai",
    };
    let mut policy = Policy::builtin(name).unwrap();
    // Only replayed data can be lost.
    policy.chain = Chain::Stateless;
    policy
}

fn folded(recording: &Recording) -> Json {
    let mut reader = Reader::new();
    reader.feed(&recording.bytes()).unwrap();
    reader.end();
    while reader.poll_event().unwrap().is_some() {}
    reader.finish().unwrap();
    reader.response().to_value()
}

#[test]
fn every_recording_with_reasoning_or_calls_makes_a_valid_next_request() {
    let (mut seen, mut reasons): (usize, BTreeMap<String, usize>) = Default::default();
    let streams =
        recordings("history: streams", "responses").into_iter().map(|recording| (folded(&recording), recording));
    let bodies = recordings("history: bodies", "responses-json").into_iter().map(|recording| {
        let text = String::from_utf8(recording.bytes()).unwrap();
        (Json::parse(&text, 256).unwrap(), recording)
    });
    let mut found = false;
    for (response, recording) in streams.chain(bodies) {
        found = true;
        let Some(output) = response.get("output").and_then(Json::as_array) else { continue };
        let kind = |item: &Json| item.str_at("type").unwrap_or_default().to_owned();
        if !output.iter().any(|item| kind(item) == "reasoning" || kind(item).ends_with("_call")) {
            continue;
        }
        seen += 1;
        let mut history =
            History::new(policy(&recording, &response), &CreateResponse::new().with_model("m").with_input("Hi"));
        history.add_response(&response).unwrap();
        for call in output.iter().filter(|item| is_open_call(item)) {
            let answer = ToolResult::Text("ok".into()).answer(call).unwrap();
            history.add_item(answer);
        }
        let next = history.request();
        let errors = errors(&history);
        assert!(errors.is_empty(), "{}: {errors:#?}\n{next}", recording.file);

        // In order: the sent items are found in the output one after the other. Omitted items were reported.
        let sent = next.input_items();
        let mut at = 1;
        for (position, item) in output.iter().enumerate() {
            let same = sent.get(at).is_some_and(|sent| is_same(sent, item));
            if same {
                at += 1;
                continue;
            }
            let path = format!("/output/{position}");
            let finding = history.findings().iter().find(|finding| finding.path == path);
            let finding =
                finding.unwrap_or_else(|| panic!("{}: item {position} is missing without a finding", recording.file));
            *reasons.entry(format!("{} {}", finding.code.name(), kind(item))).or_default() += 1;
        }
        // After the output come the results of its calls, and nothing else.
        let answers = output.iter().filter(|item| is_open_call(item)).count();
        assert!(sent.len() <= at + answers, "{}: {} items sent, {at} known", recording.file, sent.len());
    }
    assert!(!found || seen > 100, "only {seen} recordings have reasoning or calls");
    println!("{seen} answers; left out: {reasons:#?}");
    // Complete messages and finished calls are always kept.
    for kind in ["message", "function_call", "custom_tool_call"] {
        assert!(!reasons.contains_key(&format!("item_invalid {kind}")), "{reasons:#?}");
        assert!(!reasons.contains_key(&format!("pair_dropped {kind}")), "{reasons:#?}");
    }
}

fn is_open_call(item: &Json) -> bool {
    let done = item.str_at("status").is_none_or(|status| status == "completed");
    done && matches!(item.str_at("type"), Some("function_call" | "custom_tool_call"))
}

/// Returns `true` if a sent item is this item of the output: fields may be missing, none is changed, every text is present.
fn is_same(sent: &Json, item: &Json) -> bool {
    let texts = |item: &Json| -> Vec<String> {
        let parts = item.get("content").and_then(Json::as_array).unwrap_or_default();
        parts.iter().filter_map(|part| part.str_at("text").or(part.str_at("refusal"))).map(str::to_owned).collect()
    };
    let (Some(fields), Some(known)) = (sent.as_object(), item.as_object()) else { return false };
    fields.iter().all(|(key, value)| known.get(key) == Some(value) || (key == "content" && texts(sent) == texts(item)))
}

#[test]
fn every_body_survives_parsing_and_writing() {
    for recording in recordings("history: bodies", "responses-json") {
        let text = String::from_utf8(recording.bytes()).unwrap();
        let (before, written): (Value, String) =
            (serde_json::from_str(&text).unwrap(), Json::parse(&text, 256).unwrap().to_string());
        assert_eq!(before, serde_json::from_str::<Value>(&written).unwrap(), "{}", recording.file);
    }
}

#[test]
fn a_result_becomes_an_output_in_the_form_of_its_call_type() {
    let call = |kind: &str| read(&json!({"type": kind, "id": "x_1", "call_id": "c1", "name": "f"}));
    let picture = InputPart::input_image().with("image_url", "data:image/png;base64,aGk=");
    let parts = ToolResult::Parts(vec![InputPart::input_text("seen"), picture]);
    let shot = read(&json!({"type": "computer_screenshot", "image_url": "data:,"}));
    let number = ToolResult::Json(read(&json!({"n": 1.5})));
    let no = ToolResult::Approval { approve: false, reason: Some("no".into()) };
    let error = ToolResult::Error("it broke".into());
    for (kind, result, expected) in [
        ("function_call", &ToolResult::Text("21".into()), json!({"output": "21"})),
        ("function_call", &number, json!({"output": "{\"n\":1.5}"})),
        ("function_call", &error, json!({"output": "{\"error\":\"it broke\"}"})),
        ("custom_tool_call", &parts, json!({})),
        ("local_shell_call", &error, json!({"output": "{\"error\":\"it broke\"}"})),
        ("apply_patch_call", &error, json!({"status": "failed", "output": "it broke"})),
        ("apply_patch_call", &ToolResult::Text("ok".into()), json!({"status": "completed", "output": "ok"})),
        ("shell_call", &ToolResult::Text("a".into()), json!({})),
        ("computer_call", &ToolResult::Json(shot), json!({})),
        ("mcp_approval_request", &no, json!({"approve": false, "reason": "no", "approval_request_id": "x_1"})),
        ("mcp_approval_request", &error, json!({"approve": false, "reason": "it broke"})),
    ] {
        let answer: InputItem = result.answer(&call(kind)).unwrap();
        let text = Json::from(answer).to_string();
        assert!(validate_input_item(&text, Edition::Split).unwrap().is_empty(), "{text}");
        let value: Value = serde_json::from_str(&text).unwrap();
        for (key, expected) in expected.as_object().unwrap() {
            assert_eq!(value[key], *expected, "{kind}: {text}");
        }
    }
    for (kind, result) in [
        ("message", &error),
        ("computer_call", &error),
        ("local_shell_call", &parts),
        ("mcp_approval_request", &number),
    ] {
        assert!(result.answer(&call(kind)).is_err(), "{kind}");
    }
    assert!(error.answer(&read(&json!({"type": "function_call", "call_id": ""}))).is_err());
    for (form, expected) in [
        (json!("a"), ToolResult::Text("a".into())),
        (json!({"text": "a"}), ToolResult::Text("a".into())),
        (json!({"json": null}), ToolResult::Json(Json::Null)),
        (json!({"error": "e"}), ToolResult::Error("e".into())),
        (json!({"approve": true}), ToolResult::Approval { approve: true, reason: None }),
    ] {
        assert_eq!(ToolResult::from_value(&read(&form)).unwrap(), expected);
    }
    assert!(ToolResult::from_value(&read(&json!({"result": 1}))).is_err());
}
