//! Writes every stream there is in every dialect that is written, for the real clients of `tests/frontends`.
//!
//! `convert-all FOLDER` makes `FOLDER/<target>/<number>.sse` for the worked examples, the vectors and, if
//! `DELTAFOLD_SHARED` is set, the recordings, and `FOLDER/cases.json`: what each stream is and what a client should gather from
//! it, read from the folded response and not from the conversion.

use std::path::Path;

use deltafold::adapter::{Converter, Dialect};
use deltafold::json::Value as Json;
use deltafold::{Outcome, Reader};
use deltafold_tests::adapter::{folded, TARGETS};
use deltafold_tests::{shared, vector_folder, vectors};
use serde_json::{json, Value};

struct Source {
    name: String,
    bytes: Vec<u8>,
    /// The target and options that it was written for; all targets with defaults if there is none.
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
        // What one target is tried with is good for the others, too.
        all.push(Source { name: vector.to_string(), bytes: stream.into(), only: None });
    }
    if let Some(recordings) = shared("convert-all", "corpus/responses") {
        let mut files: Vec<_> = std::fs::read_dir(recordings).unwrap().flatten().collect();
        files.sort_by_key(std::fs::DirEntry::file_name);
        for file in files {
            let bytes = std::fs::read(file.path()).unwrap();
            all.push(Source { name: file.file_name().to_string_lossy().into_owned(), bytes, only: None });
        }
    }
    all
}

fn write(source: &Source, to: &str, options: Value, number: usize, folder: &Path) -> Value {
    let parsed = Json::parse(&options.to_string(), 64).unwrap();
    let mut converter = Converter::new(Some(Dialect::OpenResponses), Dialect::from_name(to).unwrap(), &parsed).unwrap();
    converter.feed(&source.bytes).unwrap();
    converter.finish().unwrap();
    let path = format!("{to}/{number}.sse");
    std::fs::create_dir_all(folder.join(to)).unwrap();
    std::fs::write(folder.join(&path), converter.take()).unwrap();

    let mut reader = Reader::new();
    reader.feed(&source.bytes).unwrap();
    let outcome = reader.finish();
    let expected = folded(to, reader.response());
    let reason = match &outcome {
        Outcome::Incomplete { reason } => reason.clone(),
        _ => String::new(),
    };
    let findings: Vec<&str> = converter.findings().map(|finding| finding.code.name()).collect();
    json!({
        "name": source.name, "to": to, "path": path, "options": options, "findings": findings,
        "outcome": outcome.name(), "reason": reason,
        "text": expected.text, "reasoning": expected.reasoning, "calls": expected.calls,
    })
}
