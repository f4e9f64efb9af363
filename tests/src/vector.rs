//! The vector loader.

use std::fmt;
use std::path::PathBuf;

use serde_json::{json, Value};

use crate::shared;

/// One conformance case: its content, and its source file.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The file, below `tests/vectors`.
    pub file: String,
    /// The case's name, unique in its file.
    pub name: String,
    /// The members of the case.
    pub value: Value,
}

impl Vector {
    /// Returns the bytes of the stream: `input` (a string, or strings that were sent one after another), `input_b64`, or
    /// `messages`: objects, each in a data line (with `framing` `jsonl`, a line), and text unchanged.
    ///
    /// # Panics
    ///
    /// If the case has none of them.
    pub fn input(&self) -> Vec<u8> {
        self.input_chunks().concat()
    }

    /// Returns the bytes of the stream as the case itself splits them.
    ///
    /// # Panics
    ///
    /// If the case has no input.
    pub fn input_chunks(&self) -> Vec<Vec<u8>> {
        match (&self.value["input"], &self.value["input_b64"], &self.value["bytes_b64"]) {
            (Value::String(text), _, _) => vec![text.as_bytes().to_vec()],
            (Value::Array(texts), _, _) => {
                let text = |text: &Value| text.as_str().map(|text| text.as_bytes().to_vec());
                texts.iter().map(|part| text(part).unwrap_or_else(|| panic!("{self}: input must be text"))).collect()
            }
            (_, Value::String(text), _) | (_, _, Value::String(text)) => vec![base64(text)],
            _ if self.value["messages"].is_array() => {
                let framed = |message: &Value| match message {
                    Value::String(text) => text.clone(),
                    object if self.value["framing"] == "jsonl" => format!("{object}\n"),
                    object => format!("data: {object}\n\n"),
                };
                let messages = self.value["messages"].as_array().into_iter().flatten();
                messages.map(|message| framed(message).into_bytes()).collect()
            }
            _ => panic!("{self}: no input"),
        }
    }

    /// Returns a member of the case, `null` if it is absent.
    pub fn get(&self, name: &str) -> &Value {
        &self.value[name]
    }
}

impl fmt::Display for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.name)
    }
}

/// Returns the text of a case in `strings`.
///
/// # Panics
///
/// If the case has none.
pub fn text(vector: &Vector) -> String {
    match (vector.get("text"), vector.get("repeat")) {
        (Value::String(text), _) => text.clone(),
        (_, Value::Array(pair)) => {
            let count = pair.get(1).and_then(Value::as_u64).unwrap_or(0) as usize;
            pair.first().and_then(Value::as_str).unwrap_or_default().repeat(count)
        }
        _ => panic!("{vector}: no text"),
    }
}

/// Returns the external list of naughty strings as cases of `strings`; none, with a message, if it is missing.
///
/// # Panics
///
/// If the file is invalid.
pub fn naughty_strings() -> Vec<Vector> {
    let file = "conformance/naughty-strings.json";
    let Some(path) = shared("naughty strings", file) else { return Vec::new() };
    let list = std::fs::read_to_string(path).expect("the list can be read");
    let list: Value = serde_json::from_str(&list).expect("the list is JSON");
    let texts = list["strings_b64"].as_array().expect("the list has strings");
    assert!(texts.len() > 300, "only {} strings", texts.len());
    let case = |(at, text): (usize, &Value)| {
        let text = String::from_utf8(base64(text.as_str().unwrap_or_default())).expect("the strings are UTF-8");
        Vector { file: file.into(), name: format!("string {at}"), value: json!({ "text": text }) }
    };
    texts.iter().enumerate().map(case).collect()
}

/// Returns the folder of the vectors.
pub fn vector_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// Loads the vectors of a file, or of every `.json` file in a folder (not its subfolders), in order of name.
///
/// A file holds an array of cases, an object with `cases`, or one case.
///
/// # Panics
///
/// If nothing is found, a file is not JSON, or two cases of a file have one name.
pub fn vectors(path: &str) -> Vec<Vector> {
    let place = vector_folder().join(path);
    let mut files = Vec::new();
    if place.is_dir() {
        let listing = std::fs::read_dir(&place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
        for entry in listing.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".json") {
                files.push(format!("{path}/{name}"));
            }
        }
        files.sort();
    } else {
        files.push(path.to_owned());
    }
    let all: Vec<Vector> = files.iter().flat_map(|file| load(file)).collect();
    assert!(!all.is_empty(), "no vectors in {}", place.display());
    all
}

fn load(file: &str) -> Vec<Vector> {
    let text = std::fs::read_to_string(vector_folder().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let cases = match serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}")) {
        Value::Array(cases) => cases,
        Value::Object(mut object) => match object.remove("cases") {
            Some(Value::Array(cases)) => cases,
            _ => vec![Value::Object(object)],
        },
        _ => panic!("{file}: neither cases nor a case"),
    };
    let mut names = std::collections::HashSet::new();
    cases
        .into_iter()
        .map(|value| {
            let name = value["name"].as_str().unwrap_or_else(|| panic!("{file}: a case has no name")).to_owned();
            assert!(names.insert(name.clone()), "{file}: two cases are named {name}");
            Vector { file: file.to_owned(), name, value }
        })
        .collect()
}

/// Decodes base64 with the standard alphabet; `=` and line breaks are skipped.
///
/// # Panics
///
/// On any other character.
pub fn base64(text: &str) -> Vec<u8> {
    let (mut out, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' | b'\n' | b'\r' => continue,
            _ => panic!("not base64: {:?}", char::from(byte)),
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}
