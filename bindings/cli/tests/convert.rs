//! `deltafold convert` as a program.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use common::{deltafold, run, Folder};
use deltafold_tests::{canonical, vector_folder, vectors};
use serde_json::{json, Value};

/// The JSON of every message, in canonical form; the sentinel unchanged.
fn messages(output: &str) -> Vec<String> {
    let data = output.lines().filter_map(|line| line.strip_prefix("data: ").or(line.starts_with('{').then_some(line)));
    let spell = |data: &str| serde_json::from_str(data).map_or_else(|_| data.to_owned(), |value| canonical(&value));
    data.map(spell).collect()
}

#[test]
fn every_worked_example_is_written_by_the_program_whatever_the_split() {
    let folder = vector_folder().join("adapter/examples");
    let path = |name: &Value| folder.join(name.as_str().unwrap()).to_str().unwrap().to_owned();
    for (list, other) in [("inbound", "open-responses"), ("outbound", "open-responses")] {
        for vector in vectors(&format!("adapter/examples/{list}.json")) {
            let from = vector.get("from").as_str().unwrap_or(other);
            let to = vector.get("to").as_str().unwrap_or(other);
            let (input, options) = (path(vector.get("input_file")), vector.get("options").to_string());
            let expected = messages(&std::fs::read_to_string(path(vector.get("expected_file"))).unwrap());
            // Mistral is read by the rules of Chat Completions, so its provider must be named.
            for arguments in [&["--from", from][..], &["--from", from, "--split", "1"], &["--from=auto"]] {
                let rest = ["--to", to, "--options", &options, &input];
                let done = run(&[&["convert"], arguments, &rest].concat(), b"");
                assert_eq!((done.code, &*done.errors), (0, ""), "{vector}");
                assert_eq!(messages(&done.output), expected, "{vector}, {arguments:?}");
            }
        }
    }
}

#[test]
fn json_lines_are_written_on_request() {
    let stream = b"{\"model\":\"m\",\"message\":{\"content\":\"Hi\"},\"done\":true,\"done_reason\":\"stop\"}\n";
    let arguments =
        ["convert", "--from", "ollama", "--to", "open-responses", "--framing", "jsonl", "--options", r#"{"now":7}"#];
    let done = run(&arguments, stream);
    assert_eq!((done.code, &*done.errors), (0, ""));
    let lines: Vec<Value> = done.output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.first().unwrap()["type"], "response.created");
    assert_eq!(lines.last().unwrap()["response"]["id"], "resp_7");
    assert_eq!(lines.last().unwrap()["response"]["output"][0]["content"][0]["text"], "Hi");
}

#[test]
fn each_event_is_written_before_the_next_is_read() {
    let mut child = deltafold()
        .args(["convert", "--from", "chat-completions", "--to", "ag-ui", "--framing", "jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut wait_for = |wanted: &str| loop {
        let mut line = String::new();
        assert!(output.read_line(&mut line).expect("it writes") > 0, "no {wanted}");
        if line.contains(wanted) {
            return;
        }
    };
    for word in ["one", "two", "three"] {
        write!(input, "data: {{\"id\":\"a\",\"choices\":[{{\"delta\":{{\"content\":\"{word}\"}}}}]}}\n\n")
            .expect("it reads");
        wait_for(&format!("\"delta\":\"{word}\""));
    }
    drop(input);
    wait_for("RUN_ERROR");
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn the_report_names_what_was_lost_and_strict_loss_makes_it_an_exit_code() {
    let folder = Folder::new("report");
    let report = folder.path().join("report.json");
    let report = report.to_str().unwrap();
    let stream = b"data: {\"id\":\"a\",\"choices\":[{\"index\":1,\"delta\":{\"content\":\"x\"}},{\"index\":0,\"delta\":{\"content\":\"y\"},\
        \"finish_reason\":\"weird\"}]}\n\ndata: [DONE]\n\n";
    let arguments = ["convert", "--from", "auto", "--to", "open-responses", "--report", report];
    let done = run(&arguments, stream);
    assert_eq!((done.code, &*done.errors), (0, ""));
    let result: Value = serde_json::from_str(&std::fs::read_to_string(report).unwrap()).unwrap();
    let expected = json!([
        { "code": "multiple_choices", "kind": "lost", "event_index": 0, "offset": 6, "detail": "choices after the first" },
        { "code": "unknown_finish_reason", "kind": "assumed", "event_index": 0, "offset": 6, "detail": "weird" },
    ]);
    assert_eq!(result, expected);
    let strict = run(&[&arguments[..], &["--strict-loss"]].concat(), stream);
    assert_eq!((strict.code, &strict.output), (1, &done.output));
    let message =
        "stdin: 1 value could not be converted, the first: lost multiple_choices at event 0: choices after the first";
    assert_eq!(strict.errors, format!("deltafold: {message}\n"));
    let clean = b"data: {\"id\":\"a\",\"choices\":[]}\n\ndata: [DONE]\n\n";
    assert_eq!(run(&[&arguments[..], &["--strict-loss"]].concat(), clean).code, 0, "an assumption is not a loss");
    assert_eq!(run(&arguments, b"").code, 1, "empty input has no dialect");
}

#[test]
fn a_usage_error_is_code_2_and_its_message_names_the_fix() {
    for (arguments, message) in [
        (&["--from", "auto"][..], "required arguments were not provided:\n  --to <DIALECT>"),
        (&["--from", "antropic", "--to", "ag-ui"], "a similar value exists: 'anthropic'"),
        (
            &["--to", "ag-ui", "--framing", "x"],
            "invalid value 'x' for '--format <FORMAT>'\n  [possible values: sse, jsonl]",
        ),
        (&["--to", "ag-ui", "--format", "jsonly"], "a similar value exists: 'jsonl'"),
        (&["--from", "gemini", "--to", "ag-ui", "--options", "[]"], "--options is not a JSON object"),
        (
            &["--from", "gemini", "--to", "ag-ui", "--options", "{\"modle\":1}"],
            "the name is not known: no option is called modle; known options: ",
        ),
        (
            &["--from", "gemini", "--to", "ag-ui", "--options", "{\"model\":1}"],
            "an argument is invalid: expected model to be a string",
        ),
        (&["--from", "ag-ui", "--to", "gemini"], "invalid value 'ag-ui' for '--from <DIALECT>'"),
    ] {
        let done = run(&[&["convert"], arguments].concat(), b"");
        assert_eq!((done.code, &*done.output), (2, ""), "{arguments:?}");
        assert!(done.errors.contains(message), "{arguments:?}: {}", done.errors);
    }
}

#[test]
fn the_help_page_describes_every_option_of_every_adapter() {
    let page = run(&["convert", "--help"], b"").output;
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for option in deltafold::adapter::option_table() {
        let meaning = option.meaning.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains(&format!("{}: {} [default: ", option.name, option.value.name())), "{}", option.name);
        assert!(page.contains(&meaning), "{}: {meaning}", option.name);
    }
}

#[test]
fn lines_of_open_responses_events_are_recognized() {
    let tour = "../../examples/streams/tour.sse";
    let whole = run(&["fold", tour], b"");
    let lines = run(&["convert", "--from", "open-responses", "--to", "open-responses", "--format", "jsonl", tour], b"");
    assert!(lines.output.starts_with("{\"type\":\"response.created\""), "{}", lines.output);
    for arguments in [&["fold"][..], &["fold", "--messages"], &["fold", "--split", "7"]] {
        let folded = run(arguments, lines.output.as_bytes());
        assert_eq!((folded.code, &*folded.output), (0, &*whole.output), "{arguments:?}: {}", folded.errors);
    }
    let checked = run(&["check"], lines.output.as_bytes());
    assert_eq!(checked.code, 0, "{}", checked.output);
}

#[test]
fn a_command_that_reads_one_response_says_that_a_log_has_more_turns() {
    let turn = |text: &str| {
        format!(
            "{{\"type\":\"turn.started\"}}\n{{\"type\":\"item.completed\",\"item\":{{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"{text}\"}}}}\n\
             {{\"type\":\"turn.completed\",\"usage\":{{\"input_tokens\":1,\"output_tokens\":1}}}}\n"
        )
    };
    let start = "{\"type\":\"thread.started\",\"thread_id\":\"thread_1\"}\n";
    let end = "{\"type\":\"thread.completed\",\"thread_id\":\"thread_1\",\"subtype\":\"success\"}\n";
    let (one, two) = (format!("{start}{}{end}", turn("a")), format!("{start}{}{}{end}", turn("a"), turn("b")));
    let shows = [&["show"][..], &["show", "--format", "json"], &["show", "--timeline"]];
    for arguments in [&["fold", "--format", "text"][..], &["events"]].into_iter().chain(shows) {
        assert_eq!(run(arguments, one.as_bytes()).errors, "", "{arguments:?}");
        let errors = run(arguments, two.as_bytes()).errors;
        assert!(errors.contains("stdin: only the first turn was read"), "{arguments:?}: {errors}");
    }
    let converted = run(&["convert", "--to", "open-responses"], two.as_bytes()).output;
    assert_eq!(converted.matches("event: response.completed").count(), 2, "{converted}");
    // A stream of two responses.
    for arguments in [&["fold", "--format", "text"][..], &["events"]].into_iter().chain(shows) {
        let errors = run(arguments, converted.as_bytes()).errors;
        assert!(errors.contains("stdin: only the first response was read"), "{arguments:?}: {errors}");
    }
    // A note says so in every report of `check`, and does not change the exit code.
    for format in ["text", "json", "sarif", "junit"] {
        let message = "only the first turn was checked";
        let found = run(&["check", "--format", format], two.as_bytes());
        assert_eq!((found.code, found.output.contains(message)), (0, true), "{format}: {}", found.output);
        assert!(!run(&["check", "--format", format], one.as_bytes()).output.contains(message), "{format}");
    }
    assert!(run(&["check"], converted.as_bytes()).output.contains("LIFE-07"));
}
