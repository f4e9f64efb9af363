//! The output of every command, as files that read like a terminal session.
//!
//! The first line of a file in `tests/snapshots` is the command; after it come its output, its stderr, and
//! its exit code. Commands run in the root of the repository. `DELTAFOLD_UPDATE=1 cargo test -p deltafold-cli --test
//! snapshots` writes the files again; review the diff before you commit it.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::{deltafold, run, run_command};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Name, command line, whole text.
fn snapshots() -> Vec<(PathBuf, Vec<String>, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let text = std::fs::read_to_string(&file).unwrap();
            let line = text.lines().next().and_then(|line| line.strip_prefix("$ deltafold "));
            let line = line.unwrap_or_else(|| panic!("{}: the first line is no command", file.display()));
            (file, words(line), text)
        })
        .collect()
}

/// Words of a command line; single quotes hold one together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, piece) in line.split('\'').enumerate() {
        if at % 2 == 1 {
            words.push(piece.to_owned());
        } else {
            words.extend(piece.split_whitespace().map(str::to_owned));
        }
    }
    words
}

#[test]
fn every_command_matches_its_snapshot() {
    let mut wrong = Vec::new();
    for (file, words, expected) in snapshots() {
        let done = run_command(deltafold().args(&words).current_dir(root()), b"");
        let line = expected.lines().next().unwrap();
        let errors = if done.errors.is_empty() { String::new() } else { format!("--- stderr\n{}", done.errors) };
        let printed = format!("{line}\n{}{errors}--- exit {}\n", done.output, done.code);
        if std::env::var_os("DELTAFOLD_UPDATE").is_some() {
            std::fs::write(&file, &printed).unwrap();
        } else if printed != expected {
            wrong.push(format!("{}:\n{printed}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_command_has_a_snapshot_in_every_format() {
    let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (_, words, _) in snapshots() {
        let format = words.iter().position(|word| word == "--format").map_or("", |at| words[at + 1].as_str());
        seen.entry(words[0].clone()).or_default().push(format.to_owned());
    }
    let page = run(&["--help"], b"").output;
    for command in common::commands(&page) {
        // Scripts for shells and the manual are long and have tests of their own; a server does not end.
        if ["completions", "man", "serve"].contains(&command.as_str()) {
            continue;
        }
        let seen = seen.get(&command).unwrap_or_else(|| panic!("no snapshot of {command}"));
        let help = run(&[&command, "--help"], b"").output;
        // The page wraps lines, so it is searched as one.
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some((_, about)) = help.split_once("--format <FORMAT>") else { continue };
        let between = |start: &str| about.split_once(start).and_then(|(_, rest)| rest.split_once(']')).unwrap().0;
        let default = between("[default: ");
        // Parquet and Arrow are not text; tests/table.rs reads them.
        for format in between("[possible values: ").split(", ").filter(|format| !["parquet", "arrow"].contains(format))
        {
            assert!(
                seen.contains(&format.to_owned()) || (default == format && seen.contains(&String::new())),
                "{command} {format}"
            );
        }
    }
}
