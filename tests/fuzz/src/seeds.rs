//! The seeds of every target, made from the vectors.

use std::path::PathBuf;

use deltafold_tests::properties::{FRAMES, PIECES, SOURCES};
use deltafold_tests::streams::{feed, object, stream_names, Feed};
use deltafold_tests::{random_json, vectors, Ambiguity, Random, Vector};
use serde_json::{json, Value};

/// Writes the seeds of every target to a folder; returns their number.
pub(crate) fn write(folder: PathBuf) -> usize {
    let mut seeds = Seeds { folder, count: 0 };
    let streams = streams();
    for (at, stream) in streams.iter().enumerate() {
        let choice = at as u8;
        seeds.put("feed", &[choice & 0x72, choice, choice], stream);
        seeds.put("splits", &[choice & 0x7A, choice, 0, 33], stream);
        seeds.put("validate", &[choice & 3, choice], stream);
        seeds.put("save_restore", &[choice & 2, choice.wrapping_mul(37), 1], stream);
        seeds.put("adapters", &[0, choice % 5, choice], stream);
    }
    for payload in payloads() {
        seeds.put("roundtrip", &[7], payload.as_bytes());
        seeds.put("validate", &[3], payload.as_bytes());
        seeds.put("partial_json", &[payload.len() as u8, 0], payload.as_bytes());
        seeds.put("request", &[], payload.as_bytes());
    }
    for seed in 0..60 {
        let text = random_json(&mut Random::new(seed), Ambiguity::RepeatsAndHalves);
        seeds.put("partial_json", &[seed as u8, seed as u8], text.as_bytes());
        seeds.put("writer", &[], &Random::new(seed).bytes(200));
        seeds.put("c_abi", &[], &Random::new(seed).bytes(120));
    }
    for vector in vectors("partial-json") {
        let steps = vector.get("steps").as_array().into_iter().flatten();
        let text: String = steps.filter_map(|step| step["piece"].as_str()).collect();
        seeds.put("partial_json", &[0, 0], text.as_bytes());
    }
    for (dialect, stream) in foreign() {
        let at = SOURCES.iter().position(|source| *source == dialect).unwrap_or(SOURCES.len()) as u8;
        seeds.put("adapters", &[at, at % 5, at], &stream);
        seeds.put("adapters", &[at, 0, 1], &stream);
    }
    for saved in saves(&streams) {
        seeds.put("save_restore", &[1, 0, 0], &saved);
    }
    // Calls of the C functions around a whole stream: the piece ends at the next zero.
    for stream in &streams {
        seeds.put("c_abi", &[0, 0, 0, 56, 0], stream);
    }
    seeds.count
}

struct Seeds {
    folder: PathBuf,
    count: usize,
}

impl Seeds {
    /// Writes a seed, unless it is long: ten short ones help a fuzzer more.
    fn put(&mut self, target: &str, chosen: &[u8], rest: &[u8]) {
        if rest.len() > 6_000 {
            return;
        }
        let folder = self.folder.join(target);
        let file = folder.join(format!("seed-{:05}", self.count));
        let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, [chosen, rest].concat()));
        if let Err(error) = written {
            eprintln!("{}: {error}", file.display());
            std::process::exit(2);
        }
        self.count += 1;
    }
}

/// Streams: those of the vectors, and short ones of whole frames.
fn streams() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for name in stream_names() {
        let vector = Vector { file: "base".into(), name: name.clone(), value: json!({ "stream": name }) };
        if let Some(Feed::Bytes(bytes)) = feed(&vector) {
            all.push(short(&bytes));
            all.push(bytes);
        }
    }
    for vector in vectors("accumulate/repairs.json").iter().chain(&vectors("accumulate/events.json")) {
        let events = vector.get("events").as_array().into_iter().flatten();
        all.push(events.map(|event| format!("data: {event}\n\n")).collect::<String>().into_bytes());
    }
    for folder in ["sse", "validate"] {
        for vector in vectors(folder) {
            if let Some(Feed::Bytes(bytes)) = feed(&vector) {
                all.push(bytes);
            }
        }
    }
    for at in 0..FRAMES.len() as u8 {
        all.push(vec![0xF8, 0, 0xF8, 2, 0xF8, 3, 0xF8, at, 0xF8, at, 0xFA, 20, b'7', 0xF8, 11, 0xF8, 12]);
    }
    for at in 0..PIECES.len() as u8 {
        all.push(vec![0xF8, 4, 0xF8, 5, 0xFB, at, 0xF9, at, 0xF8, 6]);
    }
    all.retain(|stream| !stream.is_empty());
    all
}

/// A stream without the fields of its snapshots that only repeat defaults.
fn short(stream: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(stream);
    let mut out = String::new();
    for line in text.lines() {
        let payload = line.strip_prefix("data: ").and_then(|data| serde_json::from_str::<Value>(data).ok());
        match payload {
            Some(mut event) => {
                if let Some(response) = event.get_mut("response").and_then(Value::as_object_mut) {
                    response.retain(|key, _| ["id", "object", "status", "output", "usage"].contains(&key.as_str()));
                }
                out.push_str(&format!("data: {event}\n"));
            }
            None => out.push_str(&format!("{line}\n")),
        }
    }
    out.into_bytes()
}

/// Events, requests, responses, turns: every complete text.
fn payloads() -> Vec<String> {
    let mut all: Vec<String> = vectors("event").iter().map(|vector| vector.get("payload").to_string()).collect();
    for vector in vectors("validate") {
        if vector.get("object").is_string() || !vector.get("value").is_null() {
            all.push(object(&vector).to_string());
        }
    }
    for folder in ["request", "history", "tools", "errors"] {
        for vector in vectors(folder) {
            for key in ["request", "input", "value", "steps", "response", "error"] {
                if !vector.get(key).is_null() {
                    all.push(vector.get(key).to_string());
                }
            }
            all.push(vector.value.to_string());
        }
    }
    all
}

/// Streams of other dialects, with the dialect's name.
fn foreign() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for vector in vectors("adapter/inbound") {
        let from = vector.get("from").as_str().unwrap_or_default().to_owned();
        let lines = ["ollama", "blocks"].contains(&from.as_str());
        let stream: String = match vector.get("messages").as_array() {
            Some(messages) if lines => messages.iter().map(|message| format!("{message}\n")).collect(),
            Some(messages) => messages
                .iter()
                .map(|message| match message["type"].as_str() {
                    Some(name) => format!("event: {name}\ndata: {message}\n\n"),
                    None => format!("data: {message}\n\n"),
                })
                .collect(),
            None => continue,
        };
        all.push((from, stream.into_bytes()));
    }
    all
}

/// Saves of readers in the middle of streams, without their checksums.
fn saves(streams: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let save = |stream: &Vec<u8>| {
        let mut reader = deltafold::Reader::new();
        reader.feed(&stream[..stream.len() / 2]).ok()?;
        while reader.poll_event().ok()?.is_some() {}
        let saved = reader.save();
        saved.get(..saved.len().checked_sub(17)?).map(<[u8]>::to_vec)
    };
    streams.iter().filter_map(save).collect()
}
