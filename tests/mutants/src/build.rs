//! A tree of the repository with all mutants in it: rewritten, checked, rewritten without those that do not compile.

use crate::list::{self, Mutant};
use crate::switch::switch;
use serde_json::{json, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Why a mutant is not in the program.
const UNVIABLE: &str = "unviable";
const FIXED: &str = "fixed";

/// Rewrites the core of `tree` and writes `mutants.json` into `out`: each mutant, and why it is not in if it is not.
pub fn build(listed: &Path, tree: &Path, out: &Path) {
    let read = |file: &str| fs::read_to_string(tree.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mutants = list::read(&fs::read_to_string(listed).expect("the list of mutants"), read);
    let mut files: BTreeMap<&str, (String, Vec<&Mutant>)> = BTreeMap::new();
    for mutant in &mutants {
        files.entry(&mutant.file).or_insert_with(|| (read(&mutant.file), Vec::new())).1.push(mutant);
    }
    prepare(tree, mutants.len() + 1);

    let mut reasons: BTreeMap<u32, &str> = BTreeMap::new();
    for round in 1.. {
        let without: BTreeSet<u32> = reasons.keys().copied().collect();
        for (file, (source, of)) in &files {
            let switched = switch(source, of, &without);
            reasons.extend(switched.left.into_iter().map(|id| (id, FIXED)));
            write_if_new(&tree.join(file), &switched.text);
        }
        let errors = check(tree);
        let (mut dropped, mut strange) = (BTreeSet::new(), None);
        for (file, at, message) in &errors {
            // What follows from an error elsewhere goes away with it.
            let Some((ids, why)) = blamed(&read(file), *at) else {
                strange = Some(format!("{file}:{at}: {message}"));
                continue;
            };
            for id in ids {
                dropped.insert(id);
                reasons.entry(id).or_insert(why);
            }
        }
        println!("round {round}: {} errors, {} mutants dropped", errors.len(), dropped.len());
        if errors.is_empty() {
            break;
        }
        assert!(!dropped.is_empty(), "the compiler complains about no mutant: {strange:?}");
    }

    let entry = |mutant: &Mutant| json!({ "id": mutant.id, "layer": mutant.layer(), "genre": mutant.genre, "name": mutant.name, "key": mutant.key, "out": reasons.get(&mutant.id) });
    let lines: Vec<String> = mutants.iter().map(|mutant| entry(mutant).to_string()).collect();
    fs::write(out.join("mutants.json"), format!("[\n{}\n]\n", lines.join(",\n"))).expect("the mutants can be written");
    let count = |why: &str| reasons.values().filter(|reason| **reason == why).count();
    println!("{} mutants, {} do not compile, {} cannot be switched", mutants.len(), count(UNVIABLE), count(FIXED));
}

/// Adds the module that knows which mutant is on.
fn prepare(tree: &Path, count: usize) {
    let root = tree.join("core/src/lib.rs");
    let text = fs::read_to_string(&root).expect("the root of the core");
    let module =
        include_str!("mutant.rs.txt").replace("const COUNT: usize = 0;", &format!("const COUNT: usize = {count};"));
    write_if_new(&tree.join("core/src/mutant.rs"), &module);
    assert!(text.contains("#![deny(unsafe_code)]\n"), "the root of the core has changed");
    // What runs before main is placed by an attribute that counts as unsafe code.
    let text = text.replace("#![deny(unsafe_code)]\n", "");
    let text = text.replacen("extern crate alloc;\n", "extern crate alloc;\nextern crate std;\nmod mutant;\n", 1);
    write_if_new(&root, &text);
}

/// Keeps the time of a file that stays, so that it is not built again.
fn write_if_new(path: &Path, text: &str) {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

/// The errors of the compiler: file, byte and message.
fn check(tree: &Path) -> Vec<(String, usize, String)> {
    let mut cargo = Command::new("cargo");
    cargo.args(["check", "--locked", "-p", "deltafold", "--features", "explain,tool-schemas", "--message-format=json"]);
    let output = cargo.current_dir(tree).output().expect("cargo runs");
    let mut errors = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        let message = &value["message"];
        if message["level"] != "error" {
            continue;
        }
        let spans = message["spans"].as_array().into_iter().flatten();
        for mut span in spans.filter(|span| span["is_primary"] == true) {
            // Inside a macro: where it was called.
            while span["expansion"]["span"].is_object() {
                span = &span["expansion"]["span"];
            }
            let (Some(file), Some(at)) = (span["file_name"].as_str(), span["byte_start"].as_u64()) else { continue };
            errors.push((file.to_owned(), at as usize, message["message"].to_string()));
        }
    }
    assert!(output.status.success() || !errors.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    errors
}

/// The mutant whose text is at a byte: the innermost replacement, or all mutants of the innermost place.
fn blamed(text: &str, at: usize) -> Option<(Vec<u32>, &'static str)> {
    let mut open: Vec<(Vec<u32>, &'static str)> = Vec::new();
    let mut rest = 0;
    while let Some(found) = text[rest..].find("/*") {
        let start = rest + found;
        if start > at {
            break;
        }
        let body = &text[start + 2..];
        let end = body.find("*/")?;
        let word = &body[..end];
        match word.as_bytes().first() {
            Some(b'<') => open.push((word[1..].parse().into_iter().collect(), UNVIABLE)),
            Some(b'[') => open.push((word[1..].split(',').filter_map(|id| id.parse().ok()).collect(), FIXED)),
            Some(b'>' | b']') if word.len() == 1 => drop(open.pop()),
            _ => {}
        }
        rest = start + 2 + end + 2;
    }
    open.into_iter().rev().find(|(ids, _)| !ids.is_empty())
}
