//! The command line itself: help, version, usage errors, unreadable files.

mod common;

use common::{deltafold, run, run_command, Folder};

#[test]
fn help_lists_the_commands_and_each_has_a_page() {
    for arguments in [&["--help"][..], &["-h"], &["help"]] {
        let done = run(arguments, b"");
        assert_eq!((done.code, &*done.errors), (0, ""));
        let commands = common::commands(&done.output);
        assert!(commands.contains(&"frames".to_owned()), "{commands:?}");
        for command in &commands {
            let page = run(&[command, "--help"], b"");
            assert_eq!((page.code, &*page.errors), (0, ""), "{command}");
            assert!(page.output.contains(&format!("Usage: deltafold {command}")), "{command}");
            assert!(page.output.contains("\nExit codes:\n") && page.output.contains("\nExamples:\n"), "{command}");
            assert_eq!(run(&["help", command], b"").output, page.output, "{command}");
            assert_eq!(run(&[command, "-h"], b"").output, page.output, "{command}");
        }
    }
}

#[test]
fn version_is_that_of_the_package() {
    for argument in ["--version", "-V"] {
        let done = run(&[argument], b"");
        assert_eq!((done.code, done.output), (0, format!("deltafold {}\n", env!("CARGO_PKG_VERSION"))));
    }
}

#[test]
fn a_usage_error_is_code_2_and_its_message_names_the_fix() {
    for (arguments, messages) in [
        (&["fraems"][..], &["unrecognized subcommand 'fraems'", "a similar subcommand exists: 'frames'"][..]),
        (&["qqqqqq"], &["unrecognized subcommand 'qqqqqq'", "try '--help'"]),
        (&["help", "qqqqqq"], &["unrecognized subcommand 'qqqqqq'", "try '--help'"]),
        (&["--frobnicate"], &["unexpected argument '--frobnicate' found"]),
        (&["frames", "--spilt", "1"], &["unexpected argument '--spilt' found", "a similar argument exists: '--split'"]),
        (&["frames", "-x"], &["unexpected argument '-x' found", "Usage: deltafold frames"]),
        (&["frames", "--split"], &["a value is required for '--split <N>'"]),
        (&["frames", "--split", "0"], &["invalid value '0' for '--split <N>': expected a whole number above 0"]),
        (&["frames", "--split=two"], &["invalid value 'two' for '--split <N>': expected a whole number above 0"]),
        (&["frames", "--comments=yes"], &["unexpected value 'yes' for '--comments' found; no more were expected"]),
        (&["show", "a", "b"], &["unexpected argument 'b' found", "Usage: deltafold show"]),
        (&["show", "--at", "x"], &["invalid value 'x' for '--at <N>'"]),
        (&["man", "a"], &["unexpected argument 'a' found", "Usage: deltafold man"]),
        (&["diff", "a"], &["the following required arguments were not provided:\n  <B>"]),
        (
            &["fold", "--from", "ag-ui"],
            &["invalid value 'ag-ui' for '--from <DIALECT>'", "anthropic, chat-completions"],
        ),
        (&["fold", "--from", "antropic"], &["a similar value exists: 'anthropic'"]),
        (&["convert"], &["required arguments were not provided:\n  --to <DIALECT>"]),
        (&["convert", "--to", "ollama"], &["invalid value 'ollama' for '--to <DIALECT>'"]),
        (&["check", "--format", "xml"], &["invalid value 'xml' for '--format <FORMAT>'", "text, json, sarif, junit"]),
        (&["check", "--edition", "1999"], &["invalid value '1999' for '--edition <EDITION>'", "2026-04-24"]),
        (&["check", "--layers", "schema,x"], &["invalid value 'x' for '--layers <LAYERS>'", "framing, schema, stream"]),
        (&["completions"], &["required arguments were not provided:\n  <SHELL>"]),
        (&["completions", "csh"], &["invalid value 'csh' for '<SHELL>'", "bash"]),
    ] {
        let done = run(arguments, b"");
        assert_eq!((done.code, &*done.output), (2, ""), "{arguments:?}");
        for message in messages {
            assert!(done.errors.contains(message), "{arguments:?}: {}", done.errors);
        }
    }
    for (arguments, message) in [
        (&["events", "-", "-"][..], "stdin can be read only once; name - only once"),
        (&["show", "--follow"], "--follow requires a file; stdin is always followed"),
        (
            &["fold", "--messages", "--from", "ollama"],
            "--messages requires Open Responses; remove --messages or --from",
        ),
        (&["frames", "no/such/file"], "cannot open no/such/file: No such file or directory (os error 2)"),
        (
            &["check", "--explain", "SSE-4"],
            "no rule `SSE-4` (did you mean SSE-04?); `deltafold check --explain all` lists them",
        ),
    ] {
        let done = run(arguments, b"");
        assert_eq!((done.code, &*done.output), (2, ""), "{arguments:?}");
        assert_eq!(done.errors, format!("deltafold: {message}\n"), "{arguments:?}");
    }
}

#[test]
fn without_a_command_the_help_page_is_on_stderr_with_code_2() {
    let done = run(&[], b"");
    assert_eq!((done.code, &*done.output, done.errors), (2, "", run(&["--help"], b"").output));
}

#[test]
fn the_last_of_two_values_counts() {
    let done = run(&["frames", "--format", "text", "--format", "jsonl"], b"data: 1\n\n");
    assert_eq!((done.code, done.output.starts_with('{')), (0, true), "{}", done.errors);
}

#[test]
fn a_folder_is_not_a_file() {
    let folder = Folder::new("folder");
    let done = run_command(deltafold().arg("frames").arg(folder.path()), b"");
    assert_eq!(done.code, 2);
    assert!(done.errors.ends_with(" is a folder; name a file in it\n"), "{}", done.errors);
}

#[cfg(unix)]
#[test]
fn file_names_and_arguments_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::new("names");
    let path = folder.file(std::ffi::OsStr::from_bytes(b"caf\xE9 \xFF.sse"), b"data: 1\n\n");
    let done = run_command(deltafold().arg("frames").arg(&path), b"");
    assert_eq!((done.code, done.output.lines().count(), &*done.errors), (0, 1, ""));

    for argument in [&b"\xFF"[..], b"--\xFF", b"--split=\xFF"] {
        let done = run_command(deltafold().arg("frames").arg(std::ffi::OsStr::from_bytes(argument)), b"");
        assert_eq!(done.code, 2, "{argument:?}");
        assert!(!done.errors.is_empty() && !done.errors.contains("panicked"), "{}", done.errors);
    }
    let done = run_command(deltafold().arg(std::ffi::OsStr::from_bytes(b"fr\xFFames")), b"");
    assert_eq!(done.code, 2);
}
