//! `docs/coverage.md` agrees with the behavior of the library.

use deltafold::{Kind, Reader};
use deltafold_tests::{schema, vectors, Vector};
use serde_json::Value;

fn payload(kinds: &[Vector], wire: &str) -> Value {
    let vector = kinds.iter().find(|vector| vector.get("kind") == wire);
    vector.unwrap_or_else(|| panic!("no payload for {wire}")).get("payload").clone()
}

/// Reads a started response and one more event; returns the response before and after.
fn fold(kinds: &[Vector], event: &Value) -> (Value, Value, Reader) {
    let mut reader = Reader::new();
    reader.feed_json(&payload(kinds, "response.created").to_string()).unwrap();
    while reader.poll_event().unwrap().is_some() {}
    let before = serde_json::from_str(&reader.response().to_json()).unwrap();
    reader.feed_json(&event.to_string()).unwrap();
    while reader.poll_event().unwrap().is_some() {}
    let after = serde_json::from_str(&reader.response().to_json()).unwrap();
    (before, after, reader)
}

/// `output[o].content[c].text` as a JSON pointer. The first item and its first element are the only ones.
fn pointer(path: &str) -> String {
    let steps = path.split(['.', '[']).map(|step| match step.strip_suffix(']') {
        Some(_) => "/0".to_owned(),
        None => format!("/{step}"),
    });
    steps.collect()
}

/// Returns the strings and objects of an event, by the names of their fields.
fn carried(event: &Value) -> Vec<Value> {
    let names = [
        "delta",
        "text",
        "refusal",
        "arguments",
        "input",
        "code",
        "diff",
        "command",
        "item",
        "part",
        "annotation",
        "output",
    ];
    let mut all: Vec<Value> = names.iter().filter_map(|name| event.get(*name).cloned()).collect();
    all.extend(all.clone().iter().filter_map(|value| value.get("stdout").or(value.get(0)).cloned()));
    all
}

#[test]
fn every_event_has_the_effect_on_the_page() {
    let kinds = vectors("event/kinds.json");
    let facts = schema::load();
    for (wire, note) in facts.coverage["events"].as_object().unwrap() {
        let event = payload(&kinds, wire);
        let (before, after, reader) = fold(&kinds, &event);
        let (how, goes) = (note["how"].as_str().unwrap(), note["goes"].as_str().unwrap());
        let target = after.pointer(&pointer(goes)).cloned();
        match how {
            "replaces" | "ends and replaces" => {
                assert_eq!(after["status"], event["response"]["status"], "{wire}");
                assert_eq!(reader.outcome().is_some(), how == "ends and replaces", "{wire}");
            }
            "sets" if goes.ends_with(".status") => {
                assert_eq!(target, Some(Value::from(wire.rsplit('.').next().unwrap())), "{wire}");
            }
            "adds" | "sets" | "appends to" => {
                let target = target.unwrap_or_else(|| panic!("{wire}: nothing at {goes}: {after}"));
                assert!(carried(&event).contains(&target), "{wire}: {target} at {goes}");
            }
            "stores" => {
                let kept = match wire.as_str() {
                    "error" => format!("{:?}", { reader }.finish().unwrap()).contains("Try again"),
                    "codex.rate_limits" => format!("{:?}", reader.rate_limits()).contains("used_percent"),
                    _ => reader.response().item(0).unwrap().partial_images().count() == 1,
                };
                assert!(kept, "{wire}");
            }
            "" => {
                // A progress event may open its item; it changes nothing else.
                let (mut before, mut after) = (before, after);
                (before["output"], after["output"]) = (Value::Null, Value::Null);
                assert_eq!(before, after, "{wire}");
            }
            other => panic!("{wire}: unknown effect {other}"),
        }
    }
}

#[test]
fn a_delta_appends_and_a_done_replaces() {
    let kinds = vectors("event/kinds.json");
    let facts = schema::load();
    for (wire, note) in facts.coverage["events"].as_object().unwrap() {
        let goes = note["goes"].as_str().unwrap();
        let text = match Kind::from_wire(wire) {
            kind if kind.is_delta() && note["how"] == "appends to" => "delta",
            _ => continue,
        };
        let event = payload(&kinds, wire);
        let mut reader = Reader::new();
        for _ in 0..2 {
            reader.feed_json(&event.to_string()).unwrap();
            while reader.poll_event().unwrap().is_some() {}
        }
        let response: Value = serde_json::from_str(&reader.response().to_json()).unwrap();
        let once = event[text].as_str().or(event[text]["stdout"].as_str()).unwrap();
        assert_eq!(response.pointer(&pointer(goes)), Some(&Value::from(once.repeat(2))), "{wire}");
    }
}

#[test]
fn every_event_is_read_by_the_accessor_that_the_page_names() {
    let kinds = vectors("event/kinds.json");
    let facts = schema::load();
    for (wire, note) in facts.coverage["events"].as_object().unwrap() {
        let owned = deltafold::OwnedEvent::parse(&payload(&kinds, wire).to_string());
        let event = owned.as_event();
        let there = match note["read"].as_str().unwrap() {
            "response" => event.response().is_some(),
            "item" => event.item().is_some(),
            "part" => event.part().is_some(),
            "annotation" => event.annotation().is_some(),
            "delta" => !event.delta().is_empty(),
            "text" => event.done_text().is_some(),
            "address" => event.address().output_index.is_some(),
            "failure" => !event.failure().message.is_empty(),
            "root" => event.root().is_some(),
            member => {
                let name = member.strip_prefix("member(\"").and_then(|rest| rest.strip_suffix("\")"));
                event.member(name.unwrap_or_else(|| panic!("{wire}: no accessor {member}"))).is_some()
            }
        };
        assert!(there, "{wire}: {} gives nothing", note["read"]);
    }
}
