//! The source adapters: the worked examples, and a vector for each row of their tables.

use std::collections::BTreeSet;

use deltafold::adapter::{Converter, Dialect};
use deltafold::json::Value as Json;
use deltafold::validate::Layers;
use deltafold::{Edition, Reader, Severity};
use deltafold_tests::{canonical, splits, vector_folder, vectors, Split, Vector};
use serde_json::{json, Value};

/// The result of a conversion: its bytes, and the codes of its findings in order.
type Converted = (Vec<u8>, Vec<&'static str>);

fn convert(vector: &Vector, bytes: &[u8], split: Split) -> Converted {
    let options = Json::parse(&vector.get("options").to_string(), 64).unwrap();
    let from = vector.get("from").as_str().unwrap().parse::<Dialect>().unwrap();
    let mut converter = Converter::new(Some(from), Dialect::OpenResponses, &options).unwrap();
    let mut out = Vec::new();
    for chunk in split.chunks(bytes) {
        converter.feed(chunk).unwrap();
        converter.write_into(&mut out);
    }
    if vector.get("cancel") == true {
        converter.cancel().unwrap();
    } else {
        converter.finish().unwrap();
    }
    converter.write_into(&mut out);
    let findings = converter.findings().map(|finding| finding.code.name()).collect();
    (out, findings)
}

/// The messages of a stream: event name and canonical JSON, or the sentinel unchanged.
fn messages(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut name = String::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(event) = line.strip_prefix("event: ") {
            name = format!("{event} ");
            continue;
        }
        let data = line.strip_prefix("data: ").unwrap_or_else(|| panic!("not a data line: {line}"));
        let json = match data {
            "[DONE]" => data.to_owned(),
            data => canonical(&serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}"))),
        };
        all.push(std::mem::take(&mut name) + &json);
    }
    all
}

/// Checks that the findings are those of the vector, that every split gives the same bytes, and that the reader accepts them.
fn check(vector: &Vector, bytes: &[u8]) -> Vec<u8> {
    let whole = convert(vector, bytes, Split::Whole);
    let reported: BTreeSet<&str> = whole.1.iter().copied().collect();
    let named: BTreeSet<&str> =
        vector.get("findings").as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    assert_eq!(reported, named, "{vector}: {}", String::from_utf8_lossy(&whole.0));
    // Splitting in two at every position is a test of the framing; here some positions are enough.
    let some = |split: &Split| !matches!(split, Split::Two(at) if at % 37 != 0);
    for split in splits(bytes).into_iter().filter(some) {
        assert!(convert(vector, bytes, split) == whole, "{vector}, {split:?}");
    }
    // A source that rewrites text has done events that differ from its deltas; a finding reports that.
    if !reported.contains("non_append_update") {
        let edition = vector.get("options")["edition"].as_str().map(|name| Edition::from_name(name).unwrap());
        check_rules(vector, &whole.0, edition.unwrap_or_default());
        let mut split = vector.clone();
        split.value["options"]["edition"] = "split".into();
        check_rules(vector, &convert(&split, bytes, Split::Whole).0, Edition::Split);
    }
    whole.0
}

/// Checks that the stream breaks no rule of its edition, except those that the vector names.
fn check_rules(vector: &Vector, stream: &[u8], edition: Edition) {
    let text = std::str::from_utf8(stream).unwrap();
    let mut broken = BTreeSet::new();
    // A thread of several turns is several streams, each with its sentinel.
    for response in text.split_inclusive("data: [DONE]\n\n") {
        let mut reader = Reader::builder().edition(edition).validate(Layers::ALL).build();
        reader.feed(response.as_bytes()).unwrap();
        reader.finish().unwrap();
        let errors = reader.findings().iter().filter(|finding| finding.severity == Severity::Error);
        broken.extend(errors.map(|finding| finding.rule.id()));
    }
    let named: BTreeSet<&str> =
        vector.get("breaks").as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    assert_eq!(broken, named, "{vector}: {text}");
}

#[test]
fn every_worked_example_converts_as_written_at_every_split() {
    let folder = vector_folder().join("adapter/examples");
    let read = |name: &Value| std::fs::read_to_string(folder.join(name.as_str().unwrap())).unwrap();
    for vector in vectors("adapter/examples/inbound.json") {
        let input = read(vector.get("input_file"));
        let got = check(&vector, input.as_bytes());
        let (got, expected) =
            (messages(std::str::from_utf8(&got).unwrap()), messages(&read(vector.get("expected_file"))));
        for (at, (got, expected)) in got.iter().zip(&expected).enumerate() {
            assert_eq!(got, expected, "{vector}, message {at}");
        }
        assert_eq!(
            got.len(),
            expected.len(),
            "{vector}: {:#?}",
            got.iter().chain(&expected).skip(got.len().min(expected.len())).collect::<Vec<_>>()
        );
        if let Some(sizes) = vector.get("feed_split_bytes").as_array() {
            let mut rest = input.as_bytes();
            let options = Json::parse(&vector.get("options").to_string(), 64).unwrap();
            let from = vector.get("from").as_str().unwrap().parse::<Dialect>().unwrap();
            let mut converter = Converter::new(Some(from), Dialect::OpenResponses, &options).unwrap();
            for size in sizes {
                let (chunk, after) = rest.split_at(size.as_u64().unwrap() as usize);
                converter.feed(chunk).unwrap();
                rest = after;
            }
            converter.feed(rest).unwrap();
            converter.finish().unwrap();
            assert_eq!(messages(std::str::from_utf8(&converter.take()).unwrap()), expected, "{vector}");
        }
    }
}

/// One event in short form, because the worked examples compare whole events: `+` is added, `-` is done, `=` is the whole.
fn tell(event: &Value) -> String {
    let number = |key: &str| event[key].as_u64().map_or_else(|| "?".to_owned(), |number| number.to_string());
    let item = number("output_index");
    let place = match event.get("summary_index") {
        Some(_) => format!("{item}.s{}", number("summary_index")),
        None if event.get("content_index").is_some() => format!("{item}.{}", number("content_index")),
        None => item.clone(),
    };
    let kind = event["type"].as_str().unwrap();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match kind.strip_prefix("response.").unwrap_or(kind) {
        short @ ("created" | "in_progress" | "completed") => short.to_owned(),
        "incomplete" => format!("incomplete {}", word(&event["response"]["incomplete_details"]["reason"])),
        "failed" => format!("failed {}", word(&event["response"]["error"]["code"])),
        "error" => {
            let error = &event["error"];
            let about = error["param"].as_str().map_or_else(String::new, |param| format!(" [{param}]"));
            format!("error {} {}: {}{about}", word(&error["type"]), word(&error["code"]), word(&error["message"]))
        }
        "output_item.added" => {
            let mut fields = event["item"].clone();
            let members = fields.as_object_mut().unwrap();
            for key in ["type", "id", "status", "role", "content", "summary", "arguments"] {
                members.remove(key);
            }
            let rest = if members.is_empty() { String::new() } else { format!(" {}", canonical(&fields)) };
            format!("+{item} {}{rest}", word(&event["item"]["type"]))
        }
        "output_item.done" => format!("-{item} {}", word(&event["item"]["status"])),
        "content_part.added" | "reasoning_summary_part.added" => format!("+{place} {}", word(&event["part"]["type"])),
        "content_part.done" | "reasoning_summary_part.done" => format!("-{place}"),
        "output_text.annotation.added" => {
            let annotation = &event["annotation"];
            let (start, end) = (&annotation["start_index"], &annotation["end_index"]);
            format!("{place} @ {start}..{end} {} {}", word(&annotation["url"]), annotation["title"])
        }
        short if short.ends_with(".delta") => {
            let logprobs = event["logprobs"].as_array().filter(|list| !list.is_empty());
            let tail = logprobs.map_or_else(String::new, |list| format!(" {}", canonical(&json!(list))));
            format!("{place} {} {}{tail}", short.trim_end_matches(".delta"), event["delta"])
        }
        short if short.ends_with(".done") => {
            let said = ["text", "refusal", "arguments", "input"].into_iter().find_map(|key| event.get(key));
            format!("{place} = {}", said.unwrap())
        }
        _ => {
            let mut fields = event.clone();
            let members = fields.as_object_mut().unwrap();
            members.remove("type");
            members.remove("sequence_number");
            format!("{kind} {}", canonical(&fields))
        }
    }
}

#[test]
fn every_row_of_every_table_is_read_as_its_vector_expects() {
    for vector in vectors("adapter/inbound") {
        let bytes = check(&vector, &vector.input());
        let text = std::str::from_utf8(&bytes).unwrap();
        let data: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
        if vector.get("events").as_array().is_some_and(Vec::is_empty) {
            assert!(bytes.is_empty(), "{vector}: {text}");
            continue;
        }
        assert_eq!(data.last(), Some(&"[DONE]"), "{vector}");
        let events: Vec<Value> =
            data.iter().filter(|data| **data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect();
        let short: Vec<Value> = events.iter().map(tell).map(Value::from).collect();
        assert_eq!(json!(short), *vector.get("events"), "{vector}");
        let response = &events.last().unwrap()["response"];
        for (pointer, expected) in vector.get("response").as_object().into_iter().flatten() {
            let found = response.pointer(pointer).unwrap_or(&Value::Null);
            assert_eq!(canonical(found), canonical(expected), "{vector}, {pointer}");
        }
    }
}
