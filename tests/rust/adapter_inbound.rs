//! The reading adapters: the worked examples, and a vector for each row of their tables.

use std::collections::BTreeSet;

use deltafold::adapter::{Converter, Dialect};
use deltafold::json::Value as Json;
use deltafold::{Reader, Severity};
use deltafold_tests::{canonical, cuttings, vector_folder, vectors, Cutting, Vector};
use serde_json::Value;

/// What a conversion gives: its bytes, and the codes of its findings in order.
type Converted = (Vec<u8>, Vec<&'static str>);

fn convert(vector: &Vector, bytes: &[u8], cutting: Cutting) -> Converted {
    let options = Json::parse(&vector.get("options").to_string(), 64).unwrap();
    let from = Dialect::from_name(vector.get("from").as_str().unwrap()).unwrap();
    let mut converter = Converter::new(Some(from), Dialect::OpenResponses, &options).unwrap();
    let mut out = Vec::new();
    for chunk in cutting.chunks(bytes) {
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

/// The messages of a stream: event name and canonical JSON, or the sentinel as it is.
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

/// The findings are those that the vector names, any cut gives the same bytes, and the reader has nothing against them.
fn check(vector: &Vector, bytes: &[u8]) -> Vec<u8> {
    let whole = convert(vector, bytes, Cutting::Whole);
    let told: BTreeSet<&str> = whole.1.iter().copied().collect();
    let named: BTreeSet<&str> =
        vector.get("findings").as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    assert_eq!(told, named, "{vector}: {}", String::from_utf8_lossy(&whole.0));
    // Cutting in two at every place is the framing's own test; here some places do.
    let some = |cutting: &Cutting| !matches!(cutting, Cutting::Two(at) if at % 37 != 0);
    for cutting in cuttings(bytes).into_iter().filter(some) {
        assert!(convert(vector, bytes, cutting) == whole, "{vector}, {cutting:?}");
    }
    // A source that rewrites text has done events that its deltas do not add up to, and says so.
    if !told.contains("non_append_update") {
        let mut reader = Reader::new();
        reader.feed(&whole.0).unwrap();
        reader.finish();
        let errors: Vec<String> = reader
            .findings()
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .map(ToString::to_string)
            .collect();
        assert!(errors.is_empty(), "{vector}: {errors:#?}\n{}", String::from_utf8_lossy(&whole.0));
    }
    whole.0
}

#[test]
fn every_worked_example_converts_as_written_at_every_cut() {
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
            let from = Dialect::from_name(vector.get("from").as_str().unwrap()).unwrap();
            let mut converter = Converter::new(Some(from), Dialect::OpenResponses, &options).unwrap();
            for size in sizes {
                let (chunk, behind) = rest.split_at(size.as_u64().unwrap() as usize);
                converter.feed(chunk).unwrap();
                rest = behind;
            }
            converter.feed(rest).unwrap();
            converter.finish().unwrap();
            assert_eq!(messages(std::str::from_utf8(&converter.take()).unwrap()), expected, "{vector}");
        }
    }
}
