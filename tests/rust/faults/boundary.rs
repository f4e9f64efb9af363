//! B48 and B49, as far as they need no binding: what the others must match.

use std::io::Write;
use std::process::{Command, Stdio};

use deltafold::{Reader, Writer, WriterOptions};
use deltafold_tests::{base64, shared, text, vectors};
use serde_json::json;

/// Writes a text as a message, reads the stream, and gives what arrived.
fn there_and_back(text: &str) -> String {
    let mut writer = Writer::new(WriterOptions::new("resp_1", text, 0));
    writer.apply_json(&json!({ "do": "message" }).to_string()).unwrap();
    writer.apply_json(&json!({ "do": "text", "text": text }).to_string()).unwrap();
    writer.apply_json(&json!({ "do": "complete" }).to_string()).unwrap();
    let mut reader = Reader::new();
    reader.feed(&writer.take()).unwrap();
    reader.finish();
    assert_eq!(reader.response().model(), text);
    reader.response().output_text().into_owned()
}

#[test]
fn b48_awkward_strings_come_back_byte_for_byte() {
    for vector in vectors("strings") {
        let text = text(&vector);
        assert_eq!(there_and_back(&text), text, "{vector}");
    }
    let Some(path) = shared("b48", "conformance/naughty-strings.json") else { return };
    let list: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let list = list["strings_b64"].as_array().unwrap();
    assert!(list.len() > 300);
    for text in list.iter().map(|text| String::from_utf8(base64(text.as_str().unwrap())).unwrap()) {
        assert_eq!(there_and_back(&text), text);
    }
}

#[test]
fn b49_the_surroundings_of_a_process_change_no_answer() {
    let script = concat!(
        "reader 7b226c6179657273223a22616c6c227d\n",
        // data: {"type":"İ","sequence_number":1.5,"delta":"é"} and a blank line
        "feed 646174613a207b2274797065223a22c4b0222c2273657175656e63655f6e756d626572223a312e352c2264656c7461223a22c3a9227d0a0a\n",
        "end\n",
        "validate request\nfeed 7b7d\nend\n",
    );
    let answer = |command: &mut Command| {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the runner is built with the tests");
        child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        output.stdout
    };
    let runner = || Command::new(env!("CARGO_BIN_EXE_runner"));
    let usual = answer(&mut runner());
    assert!(usual.len() > 500);
    for locale in ["C", "tr_TR.UTF-8", "de_DE.UTF-8"] {
        assert_eq!(answer(runner().env("LC_ALL", locale).env("LANG", locale)), usual, "{locale}");
    }
    assert_eq!(answer(runner().env("TZ", "Pacific/Chatham").current_dir("/")), usual);
    assert_eq!(answer(runner().env_clear()), usual);
    // A shell that closes the error output, in a folder that nobody can write to.
    let closed = format!("cd /proc && exec '{}' 2>&-", env!("CARGO_BIN_EXE_runner"));
    assert_eq!(answer(Command::new("sh").args(["-c", &closed])), usual);
}
