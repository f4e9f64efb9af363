//! The mutants that cargo-mutants names, and where they stand.

use serde_json::Value;
use std::ops::Range;

/// One change of the source.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// What switches it on: its place in the list, from 1.
    pub id: u32,
    /// The file, from the root of the repository.
    pub file: String,
    /// `FnValue`, `BinaryOperator` and so on, as cargo-mutants calls it.
    pub genre: String,
    /// What stands there instead.
    pub replacement: String,
    /// Which bytes of the file it changes.
    pub span: Range<usize>,
    /// In words, with the line: what people see.
    pub name: String,
    /// In words, without the line, which moves with every commit; equal ones of a function are numbered.
    pub key: String,
}

impl Mutant {
    /// The folder of the core that it is in.
    pub fn layer(&self) -> &str {
        self.file.trim_start_matches("core/src/").split('/').next().unwrap_or_default()
    }
}

/// Reads the output of `cargo mutants --list --json`; `source` gives the text of a file.
pub fn read(list: &str, source: impl Fn(&str) -> String) -> Vec<Mutant> {
    let list: Vec<Value> = serde_json::from_str(list).expect("a list of mutants");
    let mut mutants: Vec<Mutant> = Vec::with_capacity(list.len());
    let mut text = (String::new(), String::new());
    let mut seen = std::collections::BTreeMap::new();
    for (index, entry) in list.iter().enumerate() {
        let word = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let file = word("file");
        if text.0 != file {
            text = (file.clone(), source(&file));
        }
        let span = at(&text.1, &entry["span"]["start"])..at(&text.1, &entry["span"]["end"]);
        let (genre, replacement) = (word("genre"), word("replacement"));
        let function = entry["function"]["function_name"].as_str().unwrap_or("no function").to_owned();
        let what = match genre.as_str() {
            "FnValue" => format!("returns {replacement}"),
            "StructField" | "MatchArm" => format!("without {}", flat(&text.1[span.clone()])),
            _ => format!(
                "{} becomes {}",
                flat(&text.1[span.clone()]),
                if replacement.is_empty() { "nothing" } else { &replacement }
            ),
        };
        let plain = format!("{file} {function}: {what}");
        let times = seen.entry(plain.clone()).or_insert(0u32);
        *times += 1;
        let key = if *times == 1 { plain } else { format!("{plain} #{times}") };
        let name = word("name");
        mutants.push(Mutant { id: index as u32 + 1, file, genre, replacement, span, name, key });
    }
    mutants
}

/// A piece of source on one line, shortened.
fn flat(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let joined = words.join(" ");
    if joined.chars().count() <= 60 {
        joined
    } else {
        joined.chars().take(60).chain("…".chars()).collect()
    }
}

/// The byte at a line and a column, both counted from 1, columns in characters.
fn at(text: &str, place: &Value) -> usize {
    let number = |name: &str| place[name].as_u64().expect("a line and a column") as usize;
    offset(text, number("line"), number("column") - 1)
}

/// The byte at a line from 1 and a column of characters from 0.
pub fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    start + text[start..].chars().take(column).map(char::len_utf8).sum::<usize>()
}
