//! Text of payloads, file names and arguments cannot control the terminal.
#![cfg(unix)]

mod common;
#[path = "common/pty.rs"]
mod pty;

use common::{deltafold, run_command, Folder};
use pty::Terminal;

/// Sets the clipboard, clears the screen, moves the cursor, and reverses the text after it.
const HOSTILE: &str = "a\u{1b}]52;c;ZXZpbA==\u{7}b\u{9b}2Jc\u{8}d\u{202e}e\u{2066}f\u{7f}g";

/// The characters that must not reach a terminal.
fn forbidden(text: &str) -> Vec<char> {
    let is_bidi = |char| matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().filter(|char| is_bidi(*char) || (char.is_control() && !"\n\t".contains(*char))).collect()
}

fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// A complete response with hostile text, ids, types and event names; the validator has findings for it.
fn stream() -> String {
    let hostile = json(HOSTILE);
    let item = format!(
        r#"{{"type":"message","id":{hostile},"status":"completed","role":"assistant","content":[{{"type":"output_text","text":{hostile},"annotations":[],"logprobs":[]}}]}}"#
    );
    let place = format!(r#""item_id":{hostile},"output_index":0,"content_index":0"#);
    [
        format!(r#"{{"type":"response.created","sequence_number":0,"response":{{"id":{hostile},"status":{hostile},"model":{hostile},"output":[]}}}}"#),
        format!(r#"{{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{{"type":"message","id":{hostile},"role":"assistant","content":[]}}}}"#),
        format!(r#"{{"type":"response.output_text.delta","sequence_number":2,{place},"delta":{hostile}}}"#),
        format!(r#"{{"type":"response.output_text.done","sequence_number":3,{place},"text":{hostile}}}"#),
        format!(r#"{{"type":"response.output_item.done","sequence_number":4,"output_index":0,"item":{item}}}"#),
        format!(r#"{{"type":{hostile},"sequence_number":5}}"#),
        format!(r#"{{"type":"response.completed","sequence_number":6,"response":{{"id":{hostile},"status":"completed","model":{hostile},"output":[{item}]}}}}"#),
    ]
    .map(|payload| format!("event: {HOSTILE}\nid: {HOSTILE}\n:{HOSTILE}\ndata: {payload}\n\n"))
    .concat()
}

#[test]
fn no_command_prints_control_characters_of_its_input_on_a_terminal() {
    let folder = Folder::new("escapes");
    let name = format!("{}.sse", HOSTILE.replace('/', ""));
    let file = folder.file(&name, stream().as_bytes());
    let other = folder.file("other.sse", stream().replace("message", "messages").as_bytes());
    let intents = format!(
        "{{\"id\":{0}}}\n{{\"do\":\"message\"}}\n{{\"do\":\"text\",\"text\":{0}}}\n{{\"do\":\"complete\"}}\n",
        json(HOSTILE)
    );
    let intents = folder.file("intents.jsonl", intents.as_bytes());
    let mut failures = Vec::new();
    let mut check = |arguments: &[&str], files: &[&std::path::PathBuf]| {
        let text = Terminal::new(200, 50).run(deltafold().args(arguments).args(files), b"");
        let found = forbidden(&text);
        if !found.is_empty() || text.len() < 20 {
            failures.push(format!("{arguments:?}: {found:?} in {text:?}"));
        }
    };
    for arguments in [
        &["fold"][..],
        &["fold", "--pretty"],
        &["fold", "--format", "text"],
        &["events"],
        &["events", "--format", "text"],
        &["frames", "--comments"],
        &["frames", "--format", "text", "--comments"],
        &["show", "--format", "json"],
        &["show", "--at", "3", "--color", "never"],
        &["show", "--timeline", "--color", "never"],
        &["show", "--timeline", "--format", "json"],
        &["check", "--color", "never"],
        &["check", "--quote", "--color", "never"],
        &["check", "--quote", "--format", "json"],
        &["check", "--quote", "--format", "sarif"],
        &["check", "--quote", "--format", "junit"],
        &["check", "--request"],
        &["convert", "--from", "open-responses", "--to", "open-responses"],
        &["convert", "--from", "open-responses", "--to", "anthropic", "--strict-loss"],
        &["convert", "--from", "open-responses", "--to", "ag-ui", "--format", "jsonl"],
        &["history"],
        &["replay"],
        &["replay", "--split", "1"],
        &["fold", "--no-such-option"],
    ] {
        check(arguments, &[&file]);
    }
    check(&["diff", "--color", "never"], &[&file, &other]);
    check(&["diff", "--format", "json"], &[&file, &other]);
    check(&["check", "--color", "never"], &[&file, &other]);
    check(&["fold"], &[&file, &other]);
    check(&["events", "--format", "text"], &[&file, &other]);
    check(&["write"], &[&intents]);
    for argument in [
        &["check", HOSTILE][..],
        &["check", "--rule", HOSTILE, "-"],
        &["check", "--explain", HOSTILE],
        &["check", "--profile", HOSTILE, "-"],
        &["check", "--format", HOSTILE],
        &["history", "--policy", HOSTILE, "-"],
        &["convert", "--to", "ag-ui", "--options", &format!("{{{}:1}}", json(HOSTILE)), "-"],
        &[HOSTILE],
    ] {
        check(argument, &[]);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn in_a_pipe_data_is_exact_and_reports_are_escaped() {
    let folder = Folder::new("escapes-pipe");
    let file = folder.file(format!("{HOSTILE}.sse"), stream().as_bytes());
    let run = |arguments: &[&str]| run_command(deltafold().args(arguments).arg(&file), b"").output;
    assert_eq!(run(&["fold", "--format", "text"]), format!("{HOSTILE}\n"));
    assert!(run(&["fold"]).contains("\u{9b}2J"));
    assert_eq!(run(&["replay", "--split", "1"]), stream());
    for arguments in [&["check", "--quote"][..], &["events", "--format", "text"], &["frames", "--format", "text"]] {
        let text = run(arguments);
        assert!(!text.is_empty() && forbidden(&text).is_empty(), "{arguments:?}: {text:?}");
    }
    // Escaped JSON is the same JSON.
    let terminal = Terminal::new(200, 50).run(deltafold().args(["fold", "--progress", "never"]).arg(&file), b"");
    let [escaped, exact] =
        [&terminal, &run(&["fold"])].map(|text| serde_json::from_str::<serde_json::Value>(text).unwrap());
    assert_eq!(escaped, exact);
}

#[test]
fn line_breaks_tabs_and_letters_of_all_scripts_stay_readable() {
    let text = "one\ttwo\r\n\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{1f469}\u{200d}\u{1f4bb} e\u{301}\n";
    let intents = format!(
        "{{\"id\":\"r\"}}\n{{\"do\":\"message\"}}\n{{\"do\":\"text\",\"text\":{}}}\n{{\"do\":\"complete\"}}\n",
        json(text)
    );
    let stream = run_command(deltafold().arg("write"), intents.as_bytes()).output;
    let shown = Terminal::new(200, 50).run(deltafold().args(["fold", "--format", "text"]), stream.as_bytes());
    assert_eq!(shown, format!("{}\n", text.replace("\r\n", "\n")));
}
