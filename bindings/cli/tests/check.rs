//! `deltafold check`: its output in each format, and its exit codes.

mod common;

use common::{run, Folder};
use deltafold_tests::streams::{feed, Feed};
use deltafold_tests::Vector;
use serde_json::{json, Value};

/// Returns the bytes of a stream of the validation vectors, with edits.
fn stream(name: &str, sse: Value) -> Vec<u8> {
    let value = json!({ "stream": name, "sse": sse });
    match feed(&Vector { file: "check.rs".into(), name: name.into(), value }) {
        Some(Feed::Bytes(bytes)) => bytes,
        other => panic!("{other:?}"),
    }
}

fn right() -> Vec<u8> {
    stream("text", json!([]))
}

/// One error, one warning and one note.
fn wrong() -> Vec<u8> {
    let unnamed = ["event: response.created\n", "id: 1\n"];
    stream("text", json!([unnamed, ["event: response.in_progress\n", "event: response.in_progress\r\n"]]))
}

#[test]
fn a_clean_stream_is_code_0_and_one_line() {
    let done = run(&["check"], &right());
    assert_eq!((done.code, &*done.errors), (0, ""));
    assert_eq!(done.output, "stdin: completed, 10 events, 0 errors, 0 warnings, 0 notes\n");
}

#[test]
fn findings_are_readable_and_errors_are_code_1() {
    let done = run(&["check", "-"], &wrong());
    assert_eq!((done.code, &*done.errors), (1, ""));
    let expected = "\
stdin
  warning SSE-05 event 0 (number 0) byte 12: expected no `id` line, found one [breaks openai-python]
  error SSE-04 event 0 (number 0) byte 12: expected an `event` line, found none
  note SSE-11 event 1 (number 1) byte 721: expected lines that end with LF, found CR or CRLF
stdin: completed, 10 events, 1 error, 1 warning, 1 note
";
    assert_eq!(done.output, expected);
}

#[test]
fn many_files_have_a_summary_and_the_worst_one_sets_the_exit_code() {
    let folder = Folder::new("check-many");
    let (one, two) = (folder.file("right.sse", &right()), folder.file("wrong.sse", &wrong()));
    let (one, two) = (one.to_str().unwrap(), two.to_str().unwrap());
    let done = run(&["check", one, two], b"");
    assert_eq!(done.code, 1);
    assert!(done.output.starts_with(&format!("{one}: completed, 10 events, 0 errors")), "{}", done.output);
    assert!(done.output.ends_with("2 files: 1 error, 1 warning, 1 note\n"), "{}", done.output);
    // Not a terminal: no bar, no color.
    assert!(done.errors.is_empty() && !done.output.contains('\x1b'), "{}", done.errors);
    assert_eq!(run(&["check", one, one], b"").code, 0);
}

#[test]
fn json_has_exactly_the_documented_members() {
    let done = run(&["check", "--format", "json"], &wrong());
    assert_eq!(done.code, 1);
    let whole: Value = serde_json::from_str(&done.output).unwrap();
    assert_eq!(whole["summary"], json!({ "errors": 1, "warnings": 1, "notes": 1 }));
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&whole), "files summary");
    let file = &whole["files"][0];
    assert_eq!(keys(file), "file outcome events findings");
    assert_eq!((&file["file"], &file["outcome"], &file["events"]), (&json!("stdin"), &json!("completed"), &json!(10)));
    assert_eq!(
        file["findings"][1],
        json!({ "rule": "SSE-04", "severity": "error", "layer": "framing", "event_index": 0, "sequence_number": 0,
            "offset": 12, "path": "", "message": "expected an `event` line, found none", "clients": [] })
    );
    assert_eq!(file["findings"][0]["clients"], json!(["openai-python"]));
    assert_eq!(keys(&file["findings"][0]), keys(&file["findings"][1]));
    assert_eq!(
        run(&["check", "--format", "json"], &right()).output,
        "{\"files\":[{\"file\":\"stdin\",\"outcome\":\"completed\",\"events\":10,\"findings\":[]}],\"summary\":{\"errors\":0,\"warnings\":0,\"notes\":0}}\n"
    );
}

#[test]
fn sarif_names_every_rule_it_uses_and_points_at_the_byte() {
    let folder = Folder::new("check-sarif");
    let file = folder.file("a b.sse", &wrong());
    let done = run(&["check", "--format=sarif", file.to_str().unwrap()], b"");
    assert_eq!(done.code, 1);
    let log: Value = serde_json::from_str(&done.output).unwrap();
    assert_eq!((&log["version"], log["runs"].as_array().unwrap().len()), (&json!("2.1.0"), 1));
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!((rules.len(), results.len()), (3, 3));
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(rule["shortDescription"]["text"].as_str().is_some_and(|text| !text.is_empty()));
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["artifactLocation"]["uri"].as_str().unwrap().ends_with("a%20b.sse"));
        assert!(place["region"]["byteOffset"].is_u64());
    }
}

#[test]
fn junit_is_well_formed_and_counts_its_cases() {
    let folder = Folder::new("check-junit");
    let broken = stream("text", json!([["event: response.created", "event: <&\"'"]]));
    let (one, two) = (folder.file("right.sse", &right()), folder.file("x<y>.sse", &broken));
    let done = run(&["check", "--format", "junit", "--quote", one.to_str().unwrap(), two.to_str().unwrap()], b"");
    assert_eq!(done.code, 1);
    let tags = tags(&done.output);
    let count = |start: &str| tags.iter().filter(|tag| tag.starts_with(start)).count();
    assert_eq!((count("<testsuite "), count("<testcase "), count("<failure ")), (2, 2, 1), "{}", done.output);
    assert!(done.output.contains("tests=\"2\" failures=\"1\""), "{}", done.output);
    assert!(done.output.contains("found `&lt;&amp;&quot;'`"), "{}", done.output);
}

/// Returns the tags of an XML text; fails if they do not nest or if a bare `&` or `<` is left.
fn tags(xml: &str) -> Vec<&str> {
    let (mut tags, mut open, mut rest) = (Vec::new(), Vec::new(), xml);
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start..=end];
        let name = tag.trim_matches(['<', '>', '/', '?']).split(' ').next().unwrap();
        if tag.starts_with("</") {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !tag.ends_with("/>") && !tag.starts_with("<?") {
            open.push(name);
        }
        tags.push(tag);
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?}");
    for (at, _) in xml.match_indices('&') {
        let entity = xml[at + 1..].split(';').next().unwrap();
        assert!(["amp", "lt", "gt", "quot"].contains(&entity), "{entity}");
    }
    tags
}

#[test]
fn only_the_requested_rules_count() {
    for (arguments, code, line) in [
        (&["check", "--rule", "SSE-05"][..], 0, "0 errors, 1 warning, 0 notes"),
        (&["check", "--rule", "sse-04,SSE-11"], 1, "1 error, 0 warnings, 1 note"),
        (&["check", "--rule", "SSE-05", "--rule", "SSE-04"], 1, "1 error, 1 warning, 0 notes"),
    ] {
        let done = run(arguments, &wrong());
        assert_eq!(done.code, code, "{arguments:?}");
        assert!(done.output.ends_with(&format!("{line}\n")), "{arguments:?}: {}", done.output);
    }
}

#[test]
fn profiles_can_be_built_in_detected_or_read_from_a_file() {
    let silent = stream("text", json!([["data: [DONE]\n\n", ""]]));
    assert_eq!(run(&["check"], &silent).code, 1);
    assert_eq!(run(&["check", "--profile", "ollama", "--edition", "2026-04-24"], &silent).code, 0);
    let done = run(&["check", "--profile", "auto"], &silent);
    assert_eq!(done.code, 0, "{}", done.output);
    assert!(done.output.contains("(profile "), "{}", done.output);
    assert!(run(&["check", "--profile=auto"], &right()).output.ends_with("(profile open-responses)\n"));

    let folder = Folder::new("check-profile");
    let mine =
        folder.file("mine.json", br#"{"name":"mine","exemptions":[{"rule":"SSE-02","severity":"note","why":"ours"}]}"#);
    let done = run(&["check", "--profile", mine.to_str().unwrap()], &silent);
    assert_eq!((done.code, done.output.contains("note SSE-02")), (0, true), "{}", done.output);
}

#[test]
fn bodies_are_checked_by_their_type() {
    let folder = Folder::new("check-bodies");
    let request = folder.file("request.json", br#"{"model":"m","input":[{"role":"user","content":"hi"}]}"#);
    let done = run(&["check", "--request", request.to_str().unwrap()], b"");
    assert_eq!((done.code, done.output.contains("error ITEM-20")), (1, true), "{}", done.output);
    let error = folder.file("error.json", br#"{"error":{"message":"m","type":"not_found","param":null,"code":null}}"#);
    let done = run(&["check", "--response", error.to_str().unwrap()], b"");
    assert_eq!((done.code, done.output.contains("0 errors")), (0, true), "{}", done.output);
    let bare = folder.file("bare.json", b"{}");
    let done = run(&["check", "--response", bare.to_str().unwrap(), "--format", "json"], b"");
    assert_eq!(done.code, 1);
    let whole: Value = serde_json::from_str(&done.output).unwrap();
    assert_eq!(whole["files"][0]["outcome"], Value::Null);
}

#[test]
fn request_head_and_messages_are_checked() {
    let folder = Folder::new("check-beside");
    let request = folder.file("request.json", br#"{"model":"m","input":"hi","previous_response_id":"resp_0"}"#);
    let done = run(&["check", "--for", request.to_str().unwrap()], &right());
    assert!(done.output.contains("error PREV-03"), "{}", done.output);
    let head = folder.file("head.txt", b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n");
    let done = run(&["check", "--head", head.to_str().unwrap()], &right());
    assert!(done.output.contains("error HTTP-07"), "{}", done.output);
    let lines: String = String::from_utf8(right()).unwrap();
    let lines: String =
        lines.lines().filter_map(|line| line.strip_prefix("data: {")).map(|line| format!("{{{line}\n")).collect();
    let done = run(&["check", "--messages"], lines.as_bytes());
    assert_eq!((done.code, &*done.output), (0, "stdin: completed, 10 events, 0 errors, 0 warnings, 0 notes\n"));
}

#[test]
fn payload_text_is_quoted_only_with_the_option() {
    let secret = stream("text", json!([["event: response.created", "event: my-secret"]]));
    assert!(!run(&["check"], &secret).output.contains("my-secret"));
    assert!(run(&["check", "--quote"], &secret).output.contains("found `my-secret`"));
}

#[test]
fn color_is_for_terminals_and_color_always() {
    assert!(!run(&["check"], &wrong()).output.contains('\x1b'));
    let done = run(&["check", "--color", "always"], &wrong());
    assert!(done.output.contains("\x1b[1m\x1b[31merror\x1b[0m \x1b[1mSSE-04\x1b[0m"), "{}", done.output);
}

#[test]
fn a_rule_is_explained_with_its_reason_and_examples() {
    let done = run(&["check", "--explain", "sse-04"], b"");
    assert_eq!((done.code, &*done.errors), (0, ""));
    for piece in ["SSE-04: ", "level      MUST (error)", "Why it matters: ", "\nRight:\n", "\nWrong:\n"] {
        assert!(done.output.contains(piece), "{piece}");
    }
    let unseen = run(&["check", "--explain", "PREV-01"], b"");
    assert!(unseen.output.contains("Never reported: "), "{}", unseen.output);
    let page = run(&["check", "--explain", "all"], b"");
    assert_eq!(page.output, std::fs::read_to_string("../../docs/rules.md").unwrap());
}

#[test]
fn a_usage_error_is_code_2() {
    let names = "open-responses, openai, azure, codex";
    for (arguments, message) in [
        (
            &["check", "--rule", "SSE-99"][..],
            "no rule `SSE-99` (did you mean SSE-09?); `deltafold check --explain all` lists them",
        ),
        (&["check", "--explain", "nothing"], "no rule `nothing`; `deltafold check --explain all` lists them"),
        (
            &["check", "--profile", "opanai"],
            "no profile and no file `opanai` (did you mean openai?); known profiles: open-responses",
        ),
        (&["check", "no/such/file"], "cannot open no/such/file"),
        (&["check", "--request", "no/such/file"], "cannot open no/such/file"),
    ] {
        let done = run(arguments, b"");
        assert_eq!((done.code, &*done.output), (2, ""), "{arguments:?}");
        assert!(done.errors.starts_with(&format!("deltafold: {message}")), "{arguments:?}: {}", done.errors);
    }
    assert!(run(&["check", "--profile", "x"], b"").errors.contains(names));
}

#[test]
fn a_truncated_stream_is_reported() {
    let whole = right();
    let done = run(&["check"], &whole[..whole.len() / 2]);
    assert_eq!(done.code, 1);
    for rule in ["SSE-02", "LIFE-06"] {
        assert!(done.output.contains(&format!("error {rule} byte")), "{rule}: {}", done.output);
    }
    assert!(done.output.contains("stdin: truncated, "), "{}", done.output);
}

#[test]
fn extension_types_are_checked_by_schemas_from_a_file() {
    let folder = Folder::new("check-schema");
    let schemas = br#"{"events":{"acme:trace":{"properties":{"step":{"type":"string"}}}},
        "items":{"acme:note":{"properties":{"note":{"maxLength":0}}}}}"#;
    let schemas = folder.file("acme.json", schemas);
    let done = run(&["check", "--schema", schemas.to_str().unwrap()], &stream("extended", json!([])));
    assert_eq!((done.code, &*done.errors), (1, ""));
    assert!(done.output.contains("SCHEMA-02") && done.output.contains("/step"), "{}", done.output);
    assert!(done.output.contains("/response/output/0/note"), "{}", done.output);
    let plain = run(&["check"], &stream("extended", json!([])));
    assert_eq!(plain.code, 0, "{}", plain.output);

    let profile = json!({ "edition": "split", "schemas": { "values": { "TruncationEnum": ["middle"] } } });
    let profile = folder.file("profile.json", profile.to_string().as_bytes());
    let request = br#"{"model":"m","input":"x","truncation":"middle"}"#;
    for target in [&["--schema-name", "request", "-"][..], &["--request", "-"]] {
        let plain = [&["check", "--edition", "split"][..], target].concat();
        let extended = [&["check", "--profile", profile.to_str().unwrap()][..], target].concat();
        assert_eq!((run(&plain, request).code, run(&extended, request).code), (1, 0), "{target:?}");
    }

    let schemas = folder.file("beyond.json", br#"{"events":{"acme:trace":{"pattern":"x"}}}"#);
    let done = run(&["check", "--schema", schemas.to_str().unwrap()], b"");
    assert_eq!(done.code, 2);
    assert!(done.errors.contains("`pattern`"), "{}", done.errors);
}

/// Inputs without an event, as a broken proxy or a wrong file gives them.
const NO_STREAMS: &[&[u8]] = &[
    b"",
    b"\n\n\n",
    b"Internal Server Error",
    b"upstream connect error or disconnect/reset before headers. reset reason: overflow\n",
    b"\x7fELF\x02\x01\x01\0\0\0\0\0",
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    b": keep-alive\n\n: keep-alive\n\n",
    b"data: [DONE]\n\n",
    b"event: ping\n\n",
    b"<html><body>502 Bad Gateway</body></html>",
    b"{\"error\":{\"message\":\"no\",\"type\":\"server_error\"}}",
];

#[test]
fn input_without_an_event_is_an_error() {
    for input in NO_STREAMS {
        let shown = String::from_utf8_lossy(input);
        for arguments in [
            &["check"][..],
            &["check", "--profile", "auto"],
            &["check", "--profile", "any"],
            &["check", "--layers", "schema"],
            &["check", "--rule", "SSE-04"],
        ] {
            let done = run(arguments, input);
            assert_eq!(done.code, 1, "{arguments:?} {shown}: {}", done.output);
            let line = done.output.lines().find(|line| line.contains("error READ-04"));
            assert!(
                line.is_some_and(|line| line.contains("expected an event stream, found ")),
                "{shown}: {}",
                done.output
            );
        }
        assert_eq!(run(&["check", "--messages"], input).code, 1, "{shown}");
        let report: Value = serde_json::from_str(&run(&["check", "--format", "json"], input).output).unwrap();
        assert_eq!(report["summary"]["errors"], 1, "{shown}: {report}");
    }
    assert!(run(&["check"], b"").output.contains("expected an event stream, found empty input"));
}

#[test]
fn a_truncated_stream_of_another_dialect_is_an_error() {
    for dialect in ["anthropic", "chat-completions", "gemini", "ollama", "cohere", "bedrock"] {
        for input in [&b"Internal Server Error"[..], b"\x7fELF\x02\x01\x01\0"] {
            let done = run(&["check", "--from", dialect], input);
            assert_eq!(done.code, 1, "{dialect}: {}", done.output);
        }
    }
    let whole = std::fs::read("../../examples/streams/dialects/anthropic.sse").unwrap();
    assert_eq!(run(&["check"], &whole).code, 0);
    let done = run(&["check"], &whole[..whole.len() / 2]);
    assert_eq!(done.code, 1, "{}", done.output);
    assert!(done.output.contains("error LIFE-06") && done.output.contains("anthropic"), "{}", done.output);
}

#[test]
fn only_findings_of_the_requested_layers_are_reported() {
    let whole = right();
    let truncated = &whole[..whole.len() / 2];
    for layer in ["framing", "schema", "stream"] {
        for input in [truncated, &wrong()] {
            let done = run(&["check", "--layers", layer, "--format", "json"], input);
            let report: Value = serde_json::from_str(&done.output).unwrap();
            let findings = report["files"][0]["findings"].as_array().unwrap();
            assert!(findings.iter().all(|finding| finding["layer"] == layer), "{layer}: {report}");
            let errors = findings.iter().filter(|finding| finding["severity"] == "error").count();
            assert_eq!(report["summary"]["errors"], errors, "{layer}: {report}");
            assert_eq!(done.code, i32::from(errors > 0), "{layer}: {report}");
        }
    }
    assert_eq!(run(&["check", "--layers", "schema"], truncated).code, 0);
}

#[test]
fn the_severity_that_fails_a_check_can_be_chosen() {
    let warning = stream("text", json!([["event: response.created\n", "id: 1\nevent: response.created\n"]]));
    let note = stream("text", json!([["event: response.in_progress\n", "event: response.in_progress\r\n"]]));
    for (input, fail_on, code) in [
        (&warning, None, 0),
        (&warning, Some("error"), 0),
        (&warning, Some("warning"), 1),
        (&warning, Some("note"), 1),
        (&note, Some("warning"), 0),
        (&note, Some("note"), 1),
        (&right(), Some("note"), 0),
        (&wrong(), Some("error"), 1),
    ] {
        for format in ["text", "json", "sarif", "junit"] {
            let mut arguments = vec!["check", "--format", format];
            arguments.extend(fail_on.iter().flat_map(|severity| ["--fail-on", severity]));
            let done = run(&arguments, input);
            assert_eq!(done.code, code, "{arguments:?}: {}", done.output);
            if format == "junit" {
                assert_eq!(done.output.contains("<failure "), code == 1, "{arguments:?}: {}", done.output);
            }
        }
    }
}

#[test]
fn findings_name_the_clients_that_break_and_named_clients_make_them_errors() {
    // A stream without `response.created`: both clients of OpenAI refuse it.
    let whole = right();
    let start = whole.windows(2).position(|two| two == b"\n\n").unwrap() + 2;
    let unstarted = &whole[start..];
    let severity = |arguments: &[&str]| {
        let done = run(&[&["check", "--rule", "LIFE-02", "--format", "json"], arguments].concat(), unstarted);
        let report: Value = serde_json::from_str(&done.output).unwrap();
        let finding = report["files"][0]["findings"][0].clone();
        assert_eq!(finding["clients"], json!(["openai-python", "openai-node"]), "{report}");
        (finding["severity"].as_str().unwrap().to_owned(), done.code)
    };
    assert_eq!(severity(&[]), ("warning".to_owned(), 0));
    assert_eq!(severity(&["--clients", "ai"]), ("warning".to_owned(), 0));
    assert_eq!(severity(&["--clients", "openai-node"]), ("error".to_owned(), 1));
    assert_eq!(severity(&["--clients", "ai,openai-python", "--profile", "any"]), ("error".to_owned(), 1));
    let said = run(&["check", "--rule", "LIFE-02"], unstarted).output;
    assert!(said.contains(" [breaks openai-python, openai-node]"), "{said}");
    for (format, said) in [("sarif", "\"openai-node\""), ("junit", " [breaks openai-python, openai-node]")] {
        let done = run(&["check", "--rule", "LIFE-02", "--format", format], unstarted);
        assert!(done.output.contains(said), "{}", done.output);
    }
    let done = run(&["check", "--clients", "curl"], unstarted);
    assert_eq!(done.code, 2);
    assert!(done.errors.contains("[possible values: openai-python, openai-node, ai]"), "{}", done.errors);
}

#[test]
fn any_object_of_the_contract_is_checked_by_its_name() {
    let folder = Folder::new("check-named");
    let item = folder.file(
        "item.json",
        br#"{"type":"function_call","id":"f","call_id":"c","name":"n","arguments":7,"status":"completed"}"#,
    );
    let done = run(&["check", "--schema-name", "item", item.to_str().unwrap()], b"");
    assert_eq!((done.code, done.output.contains("/arguments")), (1, true), "{}{}", done.output, done.errors);
    let request = br#"{"model":"m","input":"hi"}"#;
    let done = run(&["check", "--schema-name", "request"], request);
    assert_eq!((done.code, &*done.output), (0, "stdin: 0 errors, 0 warnings, 0 notes\n"), "{}", done.errors);
    let done = run(&["check", "--schema-name", "event", "--edition", "openai"], br#"{"type":"response.queued"}"#);
    assert_eq!(done.code, 1, "{}", done.output);
    for (name, code) in [("reqest", 2), ("", 2)] {
        let done = run(&["check", "--schema-name", name], request);
        assert_eq!((done.code, &*done.output), (code, ""), "{name}");
    }
    let usage = br#"{"input_tokens":1,"output_tokens":"2"}"#;
    let done = run(&["check", "--schema-name", "Usage", "--edition", "split"], usage);
    assert!(done.code == 1 && done.output.contains("OBJ-06"), "{}", done.output);
    assert!(run(&["check", "--schema-name", "Usag"], usage).errors.contains("(did you mean Usage?)"));
    assert!(run(&["check", "--schema-name", "reqest"], request).errors.contains("(did you mean request?)"));
    assert_eq!(run(&["check", "--schema-name", "item"], b"{").code, 2);
}
