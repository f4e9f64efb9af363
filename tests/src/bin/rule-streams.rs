//! Writes every validation vector that is an event stream to a file, to feed it to published clients.
//!
//! ```text
//! rule-streams FOLDER
//! ```
//!
//! `FOLDER/index.json` lists the files, each with its vector, the rules that validation reports for it, and the file of the valid
//! stream that it is an edit of. `tests/clients/python/broken_rules.py` and `tests/clients/node/broken-rules.mjs` read them.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use deltafold_tests::streams::{feed, stream_names, valid_stream, Feed};
use deltafold_tests::vectors;
use serde_json::json;

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1).map(PathBuf::from) else {
        eprintln!("usage: rule-streams FOLDER");
        return ExitCode::from(2);
    };
    fs::create_dir_all(&folder).expect("the folder can be created");
    let mut index = Vec::new();
    for name in stream_names() {
        let file = format!("valid-{name}.sse");
        fs::write(folder.join(&file), valid_stream(&name)).expect("the stream can be written");
        index.push(json!({ "file": file, "vector": name, "broken": [], "valid": null }));
    }
    for (at, vector) in vectors("validate").into_iter().enumerate() {
        let Some(Feed::Bytes(bytes)) = feed(&vector) else { continue };
        let findings = vector.get("findings").as_array().cloned().unwrap_or_default();
        let broken: BTreeSet<_> = findings.iter().filter_map(|finding| finding["rule"].as_str()).collect();
        let file = format!("{at:03}.sse");
        fs::write(folder.join(&file), bytes).expect("the stream can be written");
        index.push(json!({
            "file": file,
            "vector": vector.to_string(),
            "broken": broken,
            "valid": vector.get("stream").as_str().map(|name| format!("valid-{name}.sse")),
        }));
    }
    let index = serde_json::to_string_pretty(&index).expect("JSON");
    fs::write(folder.join("index.json"), index).expect("the index can be written");
    ExitCode::SUCCESS
}
