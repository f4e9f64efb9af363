//! Payloads can contain secrets: neither stderr of any command nor the reports of `check` quote them. Commands whose purpose
//! is to show the payload print it on stdout.

mod common;

use common::{run, Folder};

const CANARY: &str = "K4N4RY";

/// A stream with faults in framing, schema and order, each with the canary in it.
fn stream() -> String {
    [
        r#"{"type":"response.created","sequence_number":"K4N4RY","response":{"id":"K4N4RY","status":"K4N4RY","output":["K4N4RY"]}}"#,
        r#"{"type":"response.output_text.delta","sequence_number":9,"item_id":"K4N4RY","output_index":3,"content_index":1,"delta":"K4N4RY"}"#,
        r#"{"type":"response.output_item.done","sequence_number":10,"output_index":3,"item":{"type":"message","id":"xK4N4RY","role":"K4N4RY","content":[{"type":"output_text","text":"K4N4RY!"}]}}"#,
        r#"{"type":"error","sequence_number":11,"error":"K4N4RY"}"#,
        "K4N4RY",
        r#"{"a":"K4N4RY"#,
        r#"{"type":"response.completed","sequence_number":12,"response":{"id":"other K4N4RY","output":[{"type":"message","id":"K4N4RY","content":"K4N4RY"}]}}"#,
    ]
    .iter()
    .map(|payload| format!("id: K4N4RY\nevent: K4N4RY\ndata: {payload}\n\n"))
    .collect()
}

#[test]
fn no_command_quotes_a_payload_on_stderr() {
    let stream = stream();
    let lines: String =
        stream.lines().filter_map(|line| line.strip_prefix("data: ")).map(|line| format!("{line}\n")).collect();
    let folder = Folder::new("secrets");
    let file = folder.file("other.sse", stream.replace("K4N4RY!", "K4N4RY?").as_bytes());
    let file = file.to_str().unwrap();
    let mut calls: Vec<(Vec<&str>, &str)> = Vec::new();
    for command in ["show", "check", "fold", "events", "frames", "history", "replay"] {
        calls.push((vec![command, "-"], &stream));
        calls.push((vec![command, "-"], CANARY));
    }
    for command in ["show", "check", "fold", "events"] {
        calls.push((vec![command, "--messages", "-"], &lines));
        for from in
            ["anthropic", "chat-completions", "gemini", "ollama", "cohere", "bedrock", "blocks", "thread-events"]
        {
            calls.push((vec![command, "--from", from, "-"], &stream));
            calls.push((vec![command, "--from", from, "-"], &lines));
        }
    }
    for to in ["open-responses", "anthropic", "chat-completions", "ag-ui", "ui-message-stream"] {
        calls.push((vec!["convert", "--to", to, "-"], &stream));
        calls.push((vec!["convert", "--from", "anthropic", "--to", to, "--strict-loss", "-"], &stream));
    }
    calls.push((vec!["fold", "-", file], &stream));
    calls.push((vec!["check", "-", file], &stream));
    calls.push((vec!["diff", "-", file], &stream));
    calls.push((vec!["write", "-"], &lines));
    let mut printed = 0;
    for (arguments, input) in &calls {
        let done = run(arguments, input.as_bytes());
        assert!((0..=5).contains(&done.code), "{arguments:?}: {}", done.errors);
        assert!(!done.errors.contains(CANARY), "{arguments:?}: {}", done.errors);
        printed += usize::from(!done.errors.is_empty());
    }
    assert!(printed >= 10, "only {printed} of {} calls printed a message", calls.len());
}

#[test]
fn an_intent_that_is_refused_is_not_quoted() {
    for intent in [
        r#"{"do":"text","text":["K4N4RY"]}"#,
        r#"{"do":"text","item":7,"text":"K4N4RY"}"#,
        r#"{"do":"item","item":{"type":"message","role":"K4N4RY","content":"K4N4RY"}}"#,
        r#"{"do":"text","text":"K4N4RY"#,
        "K4N4RY",
    ] {
        let done = run(&["write", "-"], format!("{{\"do\":\"start\",\"id\":\"resp_1\"}}\n{intent}\n").as_bytes());
        assert!(done.code != 0 && !done.errors.is_empty(), "{intent} is refused");
        assert!(!done.errors.contains(CANARY), "{intent}: {}", done.errors);
    }
}

#[test]
fn a_report_quotes_a_payload_only_with_the_option() {
    let stream = stream();
    let mut quoted = 0;
    for format in ["text", "json", "sarif", "junit"] {
        let report = run(&["check", "--format", format, "-"], stream.as_bytes());
        assert_eq!(report.code, 1, "{}", report.errors);
        assert!(report.output.len() > 1_000 && !report.output.contains(CANARY), "{format}: {}", report.output);
        quoted +=
            usize::from(run(&["check", "--format", format, "--quote", "-"], stream.as_bytes()).output.contains(CANARY));
    }
    assert_eq!(quoted, 4);
}

#[test]
fn a_file_that_is_not_json_is_not_quoted() {
    let folder = Folder::new("secrets-files");
    let wrong = folder.file("wrong.json", format!("{{\"model\": {CANARY}").as_bytes());
    let other = folder
        .file("other.json", format!("[\"{CANARY}\", {{\"type\": \"{CANARY}\", \"role\": \"{CANARY}\"}}]").as_bytes());
    for path in [&wrong, &other].map(|path| path.to_str().unwrap()) {
        for arguments in [
            ["check", "--for", path, "-"],
            ["check", "--schema", path, "-"],
            ["check", "--profile", path, "-"],
            ["history", "--for", path, "-"],
            ["history", "--item", path, "-"],
            ["history", "--policy", path, "-"],
        ] {
            let done = run(&arguments, b"");
            assert!(!done.errors.contains(CANARY), "{arguments:?}: {}", done.errors);
        }
        for what in ["--request", "--response"] {
            let done = run(&["check", what, path], b"");
            assert!(done.code != 0, "{what} {path}");
            assert!(
                !done.errors.contains(CANARY) && !done.output.contains(CANARY),
                "{what}: {}{}",
                done.errors,
                done.output
            );
        }
    }
}
