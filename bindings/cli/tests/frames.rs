//! `deltafold frames` as a program.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use common::{deltafold, run, Folder};
use deltafold_tests::{canonical, vectors};
use serde_json::{json, Value};

#[test]
fn every_standard_case_prints_its_events_and_comments_whatever_the_split() {
    for vector in vectors("sse/sse-cases.json") {
        let open = vector.get("implementation_defined").as_array().is_some_and(|names| names.contains(&"retry".into()));
        let mut expected = vector.get("expect").clone();
        for event in expected.as_array_mut().into_iter().flatten().filter(|_| open) {
            event["retry"] = u64::MAX.into();
        }
        let mut offsets = Vec::new();
        for arguments in [&["--comments"][..], &["--comments", "--split", "1"], &["--split=7", "--comments", "-"]] {
            let done = run(&[&["frames"], arguments].concat(), &vector.input());
            assert_eq!((done.code, &*done.errors), (0, ""), "{vector}");
            let (mut events, mut comments, mut places) = (Vec::new(), Vec::new(), Vec::new());
            for line in done.output.lines() {
                let mut object: Value =
                    serde_json::from_str(line).unwrap_or_else(|error| panic!("{vector}: {error}: {line}"));
                let members = object.as_object_mut().unwrap_or_else(|| panic!("{vector}: {line}"));
                if let Some(comment) = members.remove("comment") {
                    assert!(members.is_empty(), "{vector}: {line}");
                    comments.push(comment);
                } else {
                    places.push(
                        members.shift_remove("offset").unwrap_or_else(|| panic!("{vector}: no offset in {line}")),
                    );
                    events.push(object);
                }
            }
            assert_eq!(canonical(&events.into()), canonical(&expected), "{vector}, {arguments:?}");
            assert_eq!(Value::from(comments), *vector.get("comments"), "{vector}, {arguments:?}");
            if offsets.is_empty() {
                offsets = places;
            } else {
                assert_eq!(offsets, places, "{vector}, {arguments:?}");
            }
        }
    }
}

#[test]
fn a_line_has_the_members_of_the_standard_cases_and_the_offset_in_this_order() {
    let done = run(&["frames"], b": c\n\nevent: x\ndata: a\ndata: \"b\nid: 7\nretry: 9\n\ndata: cut off\n");
    assert_eq!(done.output, "{\"event\":\"x\",\"data\":\"a\\n\\\"b\",\"id\":\"7\",\"retry\":9,\"offset\":5}\n");
    assert_eq!((done.code, &*done.errors), (0, ""));
}

#[test]
fn comments_are_printed_only_with_the_option() {
    let stream = b": one\ndata: a\n:two\n\n";
    assert_eq!(run(&["frames"], stream).output.lines().count(), 1);
    let done = run(&["frames", "--comments"], stream);
    let lines: Vec<Value> = done.output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let frame = json!({ "event": "message", "data": "a", "id": "", "retry": null, "offset": 0 });
    assert_eq!(lines, [json!({ "comment": " one" }), json!({ "comment": "two" }), frame]);
}

#[test]
fn a_file_gives_the_same_frames_as_standard_input() {
    let folder = Folder::new("file");
    let path = folder.file("capture.sse", b"data: a\n\n");
    let path = path.to_str().expect("a plain path");
    let expected = run(&["frames"], b"data: a\n\n").output;
    assert!(!expected.is_empty());
    assert_eq!(run(&["frames", path], b"not read").output, expected);
    assert_eq!(run(&["frames", "--", path], b"not read").output, expected);
    assert_eq!(run(&["frames", "-"], b"data: a\n\n").output, expected);
}

#[test]
fn no_input_is_no_frames() {
    let done = deltafold().arg("frames").stdin(Stdio::null()).output().expect("it runs");
    assert_eq!((done.status.code(), done.stdout, done.stderr), (Some(0), vec![], vec![]));
}

#[test]
fn a_frame_of_a_live_stream_is_printed_before_the_input_ends() {
    let mut child = deltafold().arg("frames").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for number in 0..3 {
        // A CR is enough: the program does not wait for the next byte.
        write!(input, "data: {number}\r\r").expect("it reads");
        let mut line = String::new();
        output.read_line(&mut line).expect("it writes");
        assert!(line.contains(&format!("\"data\":\"{number}\"")), "{line}");
    }
    drop(input);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn a_closed_pipe_ends_it_without_a_message() {
    let folder = Folder::new("pipe");
    let path = folder.file("long.sse", &b"data: 0123456789012345678901234567890123456789\n\n".repeat(50_000));
    let mut child =
        deltafold().arg("frames").arg(path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut first = [0; 10];
    child.stdout.take().expect("a pipe").read_exact(&mut first).expect("it writes");
    let done = child.wait_with_output().expect("it ends");
    assert_eq!((done.status.code(), String::from_utf8_lossy(&done.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn a_line_past_the_limit_ends_it_with_code_1_after_the_earlier_frames() {
    let mut stream = b"data: fine\n\ndata: ".to_vec();
    stream.resize(stream.len() + (64 << 20), b'x');
    let done = run(&["frames"], &stream);
    assert_eq!((done.code, done.output.lines().count()), (1, 1));
    assert_eq!(done.errors, "deltafold: stdin: a line is longer than the limit (byte 67108876)\n");
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_input() {
    let mut child = deltafold().arg("frames").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    let round = b"event: x\ndata: 0123456789012345678901234567890123456789\n\n".repeat(2_000);
    for _ in 0..200 {
        input.write_all(&round).expect("it reads");
    }
    input.write_all(b":").expect("it reads");
    for _ in 0..20 {
        input.write_all(&vec![b'x'; 1 << 20]).expect("it reads");
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
    drop(input);
    assert!(child.wait().expect("it ends").success());
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kilobytes: usize = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    assert!(kilobytes < 16 << 10, "{kilobytes} kB for some 40 MB of input");
}
