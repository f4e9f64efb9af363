//! B48 and B49 without a binding: the results that the bindings must match.

use std::io::Write;
use std::process::{Command, Stdio};

use deltafold::{Reader, Writer, WriterOptions};
use deltafold_tests::streams::{feed, stream_names, Feed};
use deltafold_tests::{naughty_strings, text, vectors, Vector};
use serde_json::json;

/// Writes a text as a message, reads the stream, and returns the text that arrived.
fn there_and_back(text: &str) -> String {
    let mut writer = Writer::new(WriterOptions::new("resp_1", text, 0));
    writer.apply_json(&json!({ "do": "message" }).to_string()).unwrap();
    writer.apply_json(&json!({ "do": "text", "text": text }).to_string()).unwrap();
    writer.apply_json(&json!({ "do": "complete" }).to_string()).unwrap();
    let mut reader = Reader::new();
    reader.feed(&writer.take()).unwrap();
    reader.finish().unwrap();
    assert_eq!(reader.response().model(), Some(text));
    reader.response().output_text().into_owned()
}

#[test]
fn b48_awkward_strings_come_back_byte_for_byte() {
    // Also large: a text that doubles a buffer many times, in characters of one to four bytes.
    let huge = ["x", "é", "漢", "😀", "\u{0}"].map(|char| char.repeat(1 << 18));
    let texts = vectors("strings").into_iter().chain(naughty_strings()).map(|vector| text(&vector)).chain(huge);
    for text in texts {
        assert!(there_and_back(&text) == text, "{:?}…", text.chars().take(50).collect::<String>());
    }
}

#[test]
fn b49_the_environment_of_a_process_changes_no_result() {
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
    // A shell that closes the error output, in a read-only folder, without a place for temporary files.
    let closed = format!("cd /proc && TMPDIR=/proc HOME=/proc exec '{}' 2>&-", env!("CARGO_BIN_EXE_runner"));
    assert_eq!(answer(Command::new("sh").args(["-c", &closed])), usual);
    // No file may be written at all, as on a disk that is read-only or full; pipes are not files.
    let full = format!("ulimit -f 0 && exec '{}'", env!("CARGO_BIN_EXE_runner"));
    assert_eq!(answer(Command::new("sh").args(["-c", &full])), usual);
}

#[test]
fn b49_a_thread_with_a_small_stack_reads_and_writes_the_same() {
    // Without optimisation frames are about three times as large; `deltafold-hostile` of the benches runs on 64 KiB.
    let stack = if cfg!(debug_assertions) { 256 } else { 64 } << 10;
    let work = || {
        let text = "canal ".repeat(10_000);
        assert_eq!(there_and_back(&text), text);
        let mut events = 0;
        for name in stream_names() {
            let value = json!({ "stream": name });
            let vector = Vector { file: "base/streams.json".into(), name: name.clone(), value };
            let Some(Feed::Bytes(bytes)) = feed(&vector) else { panic!("{name} has no bytes") };
            events += super::read(&bytes).events.len();
        }
        events
    };
    let small = std::thread::Builder::new().stack_size(stack).spawn(work).unwrap().join().unwrap();
    assert_eq!(small, work());
    assert!(small > 50, "{small} events");
}
