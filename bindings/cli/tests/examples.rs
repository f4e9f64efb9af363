//! The example streams match their descriptions, and every example of every help page runs.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{deltafold, run, run_command};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let path = root().join("examples/streams").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == ending));
    files.sort();
    assert!(!files.is_empty(), "{folder}");
    files
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap().to_str().unwrap().to_owned()
}

fn json(arguments: &[&str]) -> Value {
    let done = run_command(deltafold().args(arguments).current_dir(root()), b"");
    serde_json::from_str(&done.output).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", done.errors))
}

#[test]
fn every_item_type_has_a_stream_without_findings() {
    let mut seen = Vec::new();
    for file in files("items", "sse") {
        let path = file.to_str().unwrap();
        let checked = json(&["check", "--edition", "split", "--format", "json", path]);
        assert_eq!(checked["files"][0]["findings"], serde_json::json!([]), "{path}");
        let folded = json(&["fold", path]);
        let kind = folded["output"][0]["type"].as_str().unwrap();
        match stem(&file).as_str() {
            "extension" => assert!(kind.contains(':'), "{kind}"),
            "refusal" => assert_eq!(folded["output"][0]["content"][0]["type"], "refusal"),
            name => assert_eq!(kind, name),
        }
        // The terminal event repeats the earlier events.
        assert_eq!(json(&["fold", "--ignore-terminal-snapshot", path])["output"], folded["output"], "{path}");
        seen.push(kind.to_owned());
    }
    let contract = std::fs::read_to_string(root().join("core/contract/items.json")).unwrap();
    let contract: Value = serde_json::from_str(&contract).unwrap();
    for item in contract["output_items"].as_array().unwrap() {
        let kind = item["type"].as_str().unwrap();
        assert!(seen.iter().any(|seen| seen == kind), "no stream for {kind}");
    }
}

#[test]
fn a_broken_stream_breaks_the_listed_rules() {
    let expected = std::fs::read_to_string(root().join("examples/streams/broken/expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    let broken = files("broken", "sse");
    assert_eq!(broken.len(), expected.as_object().unwrap().len());
    for file in broken {
        let checked = json(&["check", "--format", "json", file.to_str().unwrap()]);
        let mut rules: Vec<&Value> =
            checked["files"][0]["findings"].as_array().unwrap().iter().map(|finding| &finding["rule"]).collect();
        rules.dedup();
        assert_eq!(
            rules,
            expected[stem(&file)]["rules"].as_array().unwrap().iter().collect::<Vec<_>>(),
            "{}",
            file.display()
        );
        assert!(checked["summary"]["errors"].as_u64().unwrap() > 0, "{}", file.display());
    }
}

#[test]
fn every_dialect_has_a_stream_that_is_detected_and_read_completely() {
    let mut seen = Vec::new();
    for ending in ["sse", "jsonl", "bin"] {
        for file in files("dialects", ending) {
            let (path, name) = (file.to_str().unwrap(), stem(&file));
            let checked = json(&["check", "--format", "json", path]);
            let from = checked["files"][0]["from"].as_str().unwrap_or_else(|| panic!("{path} was not recognised"));
            // Mistral's stream is detected as Chat Completions.
            assert_eq!(from, if name == "mistral" { "chat-completions" } else { name.as_str() });
            assert_eq!(checked["summary"]["errors"], 0, "{path}: {checked}");
            let text = run(&["fold", "--format", "text", "--from", &name, path], b"");
            assert_eq!((text.code, &*text.output), (0, "The ferry leaves at 9:40, so take the early bus.\n"), "{path}");
            let whole = json(&["fold", path]);
            assert_eq!(whole["usage"]["total_tokens"], 80, "{path}");
            let done = run(&["convert", "--to", "open-responses", "--strict-loss", path], b"");
            assert_eq!((done.code, &*done.errors), (0, ""), "{path}");
            seen.push(name);
        }
    }
    seen.sort();
    let mut read: Vec<&str> =
        deltafold::adapter::Dialect::ALL.iter().filter(|one| one.is_read()).map(|one| one.name()).collect();
    read.retain(|name| *name != "open-responses");
    read.sort_unstable();
    assert_eq!(seen, read);
}

#[test]
fn the_tour_folds_to_its_response() {
    let done = run_command(
        deltafold()
            .args(["diff", "--all", "examples/streams/tour.sse", "examples/streams/tour.json"])
            .current_dir(root()),
        b"",
    );
    assert_eq!((done.code, &*done.output), (0, "the same\n"));
}

#[test]
fn every_example_of_every_help_page_runs() {
    let bin = Path::new(env!("CARGO_BIN_EXE_deltafold")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let page = run(&["--help"], b"").output;
    let mut pages = vec![page.clone()];
    pages.extend(common::commands(&page).iter().map(|command| run(&["help", command], b"").output));
    let mut ran = 0;
    for page in &pages {
        let examples = page.lines().skip_while(|line| *line != "Examples:").skip(1).filter(|line| !line.is_empty());
        for example in examples.map(str::trim) {
            ran += 1;
            // A server runs until it is stopped, a port may be in use, and some machines lack `man`.
            let line = if example.contains(" serve ") {
                format!("timeout 1 {} || [ $? -eq 124 ]", example.replace("--port 8080", "--port 0"))
            } else {
                example.to_owned()
            };
            let line = line.replace("| man -l -", "> /dev/null");
            let done = Command::new("bash")
                .args(["-euo", "pipefail", "-c", &line])
                .current_dir(root())
                .env("PATH", &path)
                .stdin(std::process::Stdio::null())
                .output()
                .expect("bash runs the tests");
            let errors = String::from_utf8_lossy(&done.stderr);
            // Streams that are broken on purpose have findings.
            let expected =
                if example.contains("broken/*") || example.contains("streams/*.sse") { [0, 1] } else { [0, 0] };
            let code = done.status.code().unwrap_or(-1);
            assert!(expected.contains(&code), "{example}: {code}: {errors}");
        }
    }
    assert!(ran > 20, "{ran}");
}
