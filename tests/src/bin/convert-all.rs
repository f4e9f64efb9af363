//! Converts every stream to every target dialect, for the real clients of `tests/frontends`.
//!
//! `convert-all FOLDER` writes `FOLDER/<target>/<number>.sse` for the worked examples, the vectors and, if
//! `DELTAFOLD_SHARED` is set, the recordings, and `FOLDER/cases.json`: each stream with the content that a client should collect from
//! it, taken from the folded response and not from the conversion.

use std::path::Path;

use deltafold::adapter::{Converter, Dialect};
use deltafold::json::Value as Json;
use deltafold::{Outcome, Reader};
use deltafold_tests::adapter::{folded, TARGETS};
use deltafold_tests::{recordings, vector_folder, vectors};
use serde_json::{json, Value};

struct Source {
    name: String,
    bytes: Vec<u8>,
    /// The target and options of the vector; all targets with default options if there are none.
    only: Option<(String, Value)>,
}

fn main() {
    let folder = std::env::args().nth(1).expect("convert-all FOLDER");
    let mut cases = Vec::new();
    for source in sources() {
        let defaults = || TARGETS.map(|to| (to.to_owned(), json!({ "thread_id": "t", "run_id": "r" }))).into();
        let wanted: Vec<(String, Value)> = source.only.clone().map_or_else(defaults, |only| vec![only]);
        for (to, options) in wanted {
            let number = cases.len();
            cases.push(write(&source, &to, options, number, Path::new(&folder)));
        }
    }
    let text = serde_json::to_string_pretty(&cases).unwrap();
    std::fs::write(Path::new(&folder).join("cases.json"), text).unwrap();
    println!("{} streams", cases.len());
}

fn sources() -> Vec<Source> {
    let mut all = Vec::new();
    let examples = vector_folder().join("adapter/examples");
    for example in vectors("adapter/examples/outbound.json") {
        all.push(Source {
            name: example.name.clone(),
            bytes: std::fs::read(examples.join(example.get("input_file").as_str().unwrap())).unwrap(),
            only: Some((example.get("to").as_str().unwrap().to_owned(), example.get("options").clone())),
        });
    }
    for vector in vectors("adapter/outbound") {
        let payload = |event: &Value| event.as_str().map_or_else(|| event.to_string(), str::to_owned);
        let events = vector.get("events").as_array().unwrap();
        let stream: String = events.iter().map(|event| format!("data: {}\n\n", payload(event))).collect();
        let only = (vector.get("to").as_str().unwrap().to_owned(), vector.get("options").clone());
        all.push(Source { name: vector.to_string(), bytes: stream.clone().into(), only: Some(only) });
        // Inputs of one target are used for the others, too.
        all.push(Source { name: vector.to_string(), bytes: stream.into(), only: None });
    }
    for recording in recordings("convert-all", "responses") {
        all.push(Source { name: recording.file.clone(), bytes: recording.bytes(), only: None });
    }
    // Other dialects are converted through Open Responses, extension items included.
    for dialect in [Dialect::Anthropic, Dialect::ChatCompletions, Dialect::Gemini] {
        for recording in recordings("convert-all", dialect.name()) {
            let bytes = convert(dialect, Dialect::OpenResponses, &json!({ "now": 1 }), &recording.bytes()).0;
            all.push(Source { name: recording.file.clone(), bytes, only: None });
        }
    }
    all
}

/// A converted stream, and the codes of the findings.
fn convert(from: Dialect, to: Dialect, options: &Value, bytes: &[u8]) -> (Vec<u8>, Vec<&'static str>) {
    let options = Json::parse(&options.to_string(), 64).unwrap();
    let mut converter = Converter::new(Some(from), to, &options).unwrap();
    converter.feed(bytes).unwrap();
    converter.finish().unwrap();
    let out = converter.take();
    let codes = converter.findings().map(|finding| finding.code.name()).collect();
    (out, codes)
}

fn write(source: &Source, to: &str, options: Value, number: usize, folder: &Path) -> Value {
    let target = to.parse().unwrap();
    let (out, findings) = convert(Dialect::OpenResponses, target, &options, &source.bytes);
    let path = format!("{to}/{number}.sse");
    std::fs::create_dir_all(folder.join(to)).unwrap();
    std::fs::write(folder.join(&path), out).unwrap();

    let mut reader = Reader::new();
    reader.feed(&source.bytes).unwrap();
    let outcome = reader.finish().unwrap();
    let expected = folded(to, reader.response());
    let reason = match &outcome {
        Outcome::Incomplete { reason } => reason.clone(),
        _ => String::new(),
    };
    json!({
        "name": source.name, "to": to, "path": path, "options": options, "findings": findings,
        "outcome": outcome.name(), "reason": reason,
        "text": expected.text, "reasoning": expected.reasoning, "calls": expected.calls,
    })
}
