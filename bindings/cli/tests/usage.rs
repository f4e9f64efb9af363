//! The command line itself: help, version, mistakes, files that cannot be read.

mod common;

use common::{deltafold, run, run_command, Folder};

#[test]
fn help_lists_the_commands_and_each_has_a_page() {
    for arguments in [&["--help"][..], &["-h"], &["help"]] {
        let done = run(arguments, b"");
        assert_eq!((done.code, &*done.errors), (0, ""));
        let commands: Vec<&str> = done
            .output
            .lines()
            .skip_while(|line| *line != "Commands:")
            .skip(1)
            .take_while(|line| !line.is_empty())
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        assert!(commands.contains(&"frames"), "{commands:?}");
        for command in commands {
            let page = run(&[command, "--help"], b"");
            assert_eq!((page.code, &*page.errors), (0, ""), "{command}");
            assert!(page.output.contains(&format!("Usage: deltafold {command}")), "{command}");
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
fn a_mistake_is_code_2_and_a_message_that_says_what_to_do() {
    for (arguments, message) in [
        (&["fraems"][..], "no command `fraems` (did you mean frames?); `deltafold --help` lists them"),
        (&["qqqqqq"], "no command `qqqqqq`; `deltafold --help` lists them"),
        (&["help", "qqqqqq"], "no command `qqqqqq`; `deltafold --help` lists them"),
        (&["--frobnicate"], "no command `--frobnicate`; `deltafold --help` lists them"),
        (
            &["frames", "--spilt", "1"],
            "unknown option --spilt (did you mean --split?); `deltafold frames --help` shows how to call it",
        ),
        (&["frames", "-x"], "unknown option -x; `deltafold frames --help` shows how to call it"),
        (&["frames", "--split"], "--split needs a value; `deltafold frames --help` shows how to call it"),
        (&["frames", "--split", "0"], "--split needs a whole number above 0, found 0"),
        (&["frames", "--split=two"], "--split needs a whole number above 0, found two"),
        (&["frames", "--comments=yes"], "--comments takes no value; `deltafold frames --help` shows how to call it"),
        (&["show", "a", "b"], "expected one file at most, found 2; `deltafold show --help` shows how to call it"),
        (&["man", "a"], "expected no file, found 1; `deltafold man --help` shows how to call it"),
        (&["events", "-", "-"], "stdin can be read only once; name - only once"),
        (&["fold", "--from", "ag-ui"], "ag-ui can be written, not read; see --to of `deltafold convert`"),
        (&["completions"], "name a shell: bash, zsh or fish"),
        (&["completions", "csh"], "no script for `csh`; shells are bash, zsh and fish"),
        (&["frames", "no/such/file"], "cannot open no/such/file: No such file or directory (os error 2)"),
    ] {
        let done = run(arguments, b"");
        assert_eq!((done.code, &*done.output), (2, ""), "{arguments:?}");
        assert_eq!(done.errors, format!("deltafold: {message}\n"), "{arguments:?}");
    }
}

#[test]
fn without_a_command_the_help_page_comes_with_code_2() {
    let done = run(&[], b"");
    assert_eq!((done.code, done.output), (2, run(&["--help"], b"").output));
}

#[test]
fn the_last_of_two_values_counts() {
    let done = run(&["frames", "--split", "0", "--split", "3"], b"data: 1\n\n");
    assert_eq!((done.code, done.output.lines().count()), (0, 1));
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
        assert!(done.errors.starts_with("deltafold: "), "{}", done.errors);
    }
    let done = run_command(deltafold().arg(std::ffi::OsStr::from_bytes(b"fr\xFFames")), b"");
    assert_eq!(done.code, 2);
}
