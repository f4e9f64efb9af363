//! The writing adapters: the worked examples, a vector for each row of their tables, and the recordings.

use std::collections::BTreeSet;

use deltafold::adapter::{Converter, Dialect};
use deltafold::json::Value as Json;
use deltafold_tests::{canonical, cuttings, vector_folder, vectors, Cutting, Vector};
use serde_json::Value;

/// What a conversion gives: its bytes, and the codes of its findings in order.
type Converted = (Vec<u8>, Vec<&'static str>);

fn convert(to: &str, options: &Value, bytes: &[u8], cutting: Cutting) -> Converted {
    let options = Json::parse(&options.to_string(), 64).unwrap();
    let to = Dialect::from_name(to).unwrap();
    let mut converter = Converter::new(Some(Dialect::OpenResponses), to, &options).unwrap();
    let mut out = Vec::new();
    for chunk in cutting.chunks(bytes) {
        converter.feed(chunk).unwrap();
        converter.write_into(&mut out);
    }
    converter.finish().unwrap();
    converter.write_into(&mut out);
    let findings = converter.findings().map(|finding| finding.code.name()).collect();
    (out, findings)
}

/// The messages of a stream: event name and canonical JSON, or the sentinel as it is. JSON lines are messages too.
fn messages(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut name = String::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(event) = line.strip_prefix("event: ") {
            name = format!("{event} ");
            continue;
        }
        let data = line.strip_prefix("data: ").unwrap_or(line);
        let json = if data == "[DONE]" {
            data.to_owned()
        } else {
            canonical(&serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}")))
        };
        all.push(std::mem::take(&mut name) + &json);
    }
    all
}

fn check(vector: &Vector, bytes: &[u8], expected: &[String]) {
    let to = vector.get("to").as_str().unwrap();
    let whole = convert(to, vector.get("options"), bytes, Cutting::Whole);
    let got = messages(std::str::from_utf8(&whole.0).unwrap());
    for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert_eq!(got, expected, "{vector}, message {at}");
    }
    assert_eq!(
        got.len(),
        expected.len(),
        "{vector}: {:#?}",
        got.iter().chain(expected).skip(got.len().min(expected.len()))
    );
    let told: BTreeSet<&str> = whole.1.iter().copied().collect();
    let named: BTreeSet<&str> =
        vector.get("findings").as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    assert_eq!(told, named, "{vector}");
    // Cutting in two at every place is the SSE layer's own test; here some places do.
    let some = |cutting: &Cutting| !matches!(cutting, Cutting::Two(at) if at % 61 != 0);
    for cutting in cuttings(bytes).into_iter().filter(some) {
        assert!(convert(to, vector.get("options"), bytes, cutting) == whole, "{vector}, {cutting:?}");
    }
}

#[test]
fn every_worked_example_converts_as_written_at_every_cut() {
    let folder = vector_folder().join("adapter/examples");
    let read = |name: &Value| std::fs::read_to_string(folder.join(name.as_str().unwrap())).unwrap();
    for vector in vectors("adapter/examples/outbound.json") {
        let expected = messages(&read(vector.get("expected_file")));
        check(&vector, read(vector.get("input_file")).as_bytes(), &expected);
    }
}
