//! B50 of `docs/robustness.md`: unusual files, arguments and closed streams.

#![cfg(unix)]

mod common;

use std::io::{Read, Write};
use std::process::Stdio;

use common::{deltafold, run, run_command, Folder};

#[test]
fn b50_a_missing_file_and_a_folder_are_code_2_and_one_line() {
    let folder = Folder::new("b50");
    for command in ["show", "check", "fold", "events", "frames", "convert"] {
        for path in [folder.path().join("missing"), folder.path().to_path_buf()] {
            let mut asked = deltafold();
            asked.arg(command).arg(&path);
            if command == "convert" {
                asked.args(["--to", "anthropic"]);
            }
            let done = run_command(&mut asked, b"");
            assert_eq!((done.code, &*done.output), (2, ""), "{command}");
            assert!(done.errors.starts_with("deltafold: ") && done.errors.lines().count() == 1, "{}", done.errors);
            assert!(!done.errors.contains("panicked") && !done.errors.contains("backtrace"), "{}", done.errors);
        }
    }
}

#[test]
fn b50_closed_input_is_an_empty_stream_and_a_closed_output_is_quiet() {
    for command in ["check", "fold", "events", "frames"] {
        let line = format!("exec '{}' {command} - <&-", env!("CARGO_BIN_EXE_deltafold"));
        let closed = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
        let errors = String::from_utf8_lossy(&closed.stderr).into_owned();
        assert!(matches!(closed.status.code(), Some(0..=5)), "{command}: {:?}, {errors}", closed.status);
        assert!(!errors.contains("panicked"), "{command}: {errors}");

        let line = format!("exec '{}' {command} - >&-", env!("CARGO_BIN_EXE_deltafold"));
        let mut child = std::process::Command::new("sh")
            .args(["-c", &line])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"data: {\"type\":\"acme:x\"}\n\n").unwrap();
        let closed = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&closed.stderr).into_owned();
        assert!(closed.status.code().is_some(), "{command}: {:?}, {errors}", closed.status);
        assert!(!errors.contains("panicked"), "{command}: {errors}");
    }
}

#[test]
fn b50_a_closed_pipe_ends_every_command_without_a_message() {
    let folder = Folder::new("b50pipe");
    let delta = b"data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"0123456789\"}\n\n";
    let path = folder.file("long.sse", &delta.repeat(20_000));
    for command in ["events", "frames", "fold"] {
        let mut child =
            deltafold().arg(command).arg(&path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let done = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.code().is_some() && !errors.contains("panicked"), "{command}: {:?}, {errors}", done.status);
    }
}

#[test]
fn b50_names_and_arguments_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::new("b50names");
    let path = folder.file(std::ffi::OsStr::from_bytes(b"caf\xE9 \xFF.sse"), b"data: {\"type\":\"acme:x\"}\n\n");
    for command in ["check", "fold", "events", "frames"] {
        let done = run_command(deltafold().arg(command).arg(&path), b"");
        assert!(done.code != 2, "{command}: {}", done.errors);
        let done = run_command(deltafold().arg(command).arg(std::ffi::OsStr::from_bytes(b"--\xFF")), b"");
        assert_eq!(done.code, 2, "{command}: {}", done.errors);
    }
    assert_eq!(run(&["frames", "\u{FFFD}"], b"").code, 2);
}

#[test]
fn b50_a_long_file_is_read_with_64_mebibytes_of_memory() {
    // A sparse file: larger than the memory that the command may use, without taking disk space. The NULs are one endless line
    // of an unknown field. The step `large` does the same with 2 GiB.
    let folder = Folder::new("b50large");
    let path = folder.file("large.sse", b"data: {\"type\":\"acme:x\"}\n\n");
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(100 << 20).unwrap();
    let line = format!("ulimit -d 65536 && exec '{}' frames '{}'", env!("CARGO_BIN_EXE_deltafold"), path.display());
    let done = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
    assert_eq!((done.status.code(), String::from_utf8_lossy(&done.stderr).as_ref()), (Some(0), ""));
    assert_eq!(done.stdout.iter().filter(|byte| **byte == b'\n').count(), 1);
}
