//! Reading other dialects, on recordings: conversion to events, the response alone, and a loop over a JSON parser that joins the deltas.
//!
//! The loop does what a program without a library does: it splits lines and takes the text out of each value. It checks nothing, knows
//! neither items nor usage, and writes no events.

use std::path::PathBuf;

use deltafold::adapter::{inbound, Dialect, InboundOptions};
use deltafold::{Limits, Reader};
use deltafold_benches::{measure, mode, wanted, Contender, Mode};
use serde_json::Value;

/// A dialect, the folder of its recordings, and the text of one message of it.
type Source = (Dialect, &'static str, fn(&Value, &mut String));

const SOURCES: [Source; 3] = [
    (Dialect::ChatCompletions, "chat-completions", chat_text),
    (Dialect::Anthropic, "anthropic", anthropic_text),
    (Dialect::Gemini, "gemini", gemini_text),
];

fn main() {
    let Some(shared) = std::env::var_os("DELTAFOLD_SHARED").map(PathBuf::from) else {
        println!("skipped: DELTAFOLD_SHARED is not set, there are no recordings to convert");
        return;
    };
    for (dialect, folder, text_of) in SOURCES {
        let title = format!("convert {}", dialect.name());
        if wanted(&title) {
            compare(&title, dialect, &shared.join("corpus").join(folder), text_of, mode());
        }
    }
}

fn compare(title: &str, dialect: Dialect, folder: &std::path::Path, text_of: fn(&Value, &mut String), mode: Mode) {
    let files = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "sse"));
    files.sort();
    let all = files.len();
    let streams = files.iter().map(|file| std::fs::read(file).expect("a file"));
    // Damaged streams and those with several answers are for the tests.
    let streams: Vec<Vec<u8>> =
        streams.filter(|stream| joined(stream, text_of) == Some(response_text(dialect, stream))).collect();
    assert!(streams.len() * 10 > all * 6, "{} of {all} recordings can be compared", streams.len());
    let bytes: usize = streams.iter().map(Vec::len).sum();
    let expected: usize = streams.iter().map(|stream| response_text(dialect, stream).len()).sum();
    let sum = |read: &dyn Fn(&Vec<u8>) -> usize| streams.iter().map(read).sum::<usize>();
    let contenders = vec![
        Contender::new("deltafold, events", || sum(&|stream| events(dialect, stream).len())),
        Contender::new("deltafold, events into a reader", || sum(&|stream| read(dialect, stream).len())),
        Contender::new("deltafold, response alone", || {
            let mut reader = ResponseReader::default();
            streams.iter().map(|stream| reader.text(dialect, stream).len()).sum()
        }),
        Contender::new("split + serde_json, joining", || {
            sum(&|stream| joined(stream, text_of).map_or(0, |text| text.len()))
        }),
    ];
    let check = |name: &str, found: &usize| assert!(*found == expected || name == "deltafold, events", "{name}");
    println!("{}", measure(format!("{title}, {} recordings", streams.len()), bytes, check, contenders, mode));
}

fn options() -> InboundOptions {
    InboundOptions::default().response_id("resp_bench")
}

/// Converts a stream in chunks, and returns its events one after the other.
fn events(dialect: Dialect, stream: &[u8]) -> String {
    let mut source = inbound(dialect, options(), Limits::default()).expect("a dialect that is read");
    let mut events = String::new();
    let mut take = |source: &mut dyn deltafold::adapter::Inbound| {
        events.clear();
        while let Some(event) = source.poll_event() {
            events.push_str(event.json);
        }
    };
    for chunk in stream.chunks(16 << 10) {
        source.feed(chunk).expect("within the limits");
        take(&mut *source);
    }
    source.finish().expect("within the limits");
    take(&mut *source);
    events
}

/// The text of the response, by all events.
fn read(dialect: Dialect, stream: &[u8]) -> String {
    let mut source = inbound(dialect, options(), Limits::default()).expect("a dialect that is read");
    let mut reader = Reader::new();
    let mut bytes = Vec::new();
    for chunk in stream.chunks(16 << 10) {
        source.feed(chunk).expect("within the limits");
        bytes.clear();
        source.write_into(&mut bytes);
        reader.feed(&bytes).expect("within the limits");
        while reader.poll_event().expect("within the limits").is_some() {}
    }
    source.finish().expect("within the limits");
    bytes.clear();
    source.write_into(&mut bytes);
    reader.feed(&bytes).expect("within the limits");
    reader.finish().expect("within the limits");
    reader.response().output_text().into_owned()
}

/// The text of the response, by its snapshots.
fn response_text(dialect: Dialect, stream: &[u8]) -> String {
    ResponseReader::default().text(dialect, stream)
}

/// Reads one stream after the other with one reader and one buffer, as `deltafold-arrow` does.
#[derive(Default)]
struct ResponseReader {
    reader: Reader,
    events: Vec<u8>,
}

impl ResponseReader {
    fn text(&mut self, dialect: Dialect, stream: &[u8]) -> String {
        self.reader.reset();
        let mut source = inbound(dialect, options(), Limits::default()).expect("a dialect that is read");
        source.keep_snapshots_only();
        self.events.clear();
        source.write_into(&mut self.events);
        source.feed(stream).expect("within the limits");
        source.finish().expect("within the limits");
        source.write_into(&mut self.events);
        drop(source);
        self.reader.feed(&self.events).expect("within the limits");
        while self.reader.poll_event().expect("within the limits").is_some() {}
        self.reader.finish().expect("within the limits");
        self.reader.response().output_text().into_owned()
    }
}

fn joined(stream: &[u8], text_of: fn(&Value, &mut String)) -> Option<String> {
    let mut text = String::new();
    for line in stream.split(|byte| *byte == b'\n') {
        let Some(data) = line.strip_prefix(b"data:").filter(|data| !data.starts_with(b" [DONE]")) else { continue };
        text_of(&serde_json::from_slice(data).ok()?, &mut text);
    }
    Some(text)
}

fn chat_text(chunk: &Value, out: &mut String) {
    for choice in chunk["choices"].as_array().into_iter().flatten() {
        out.push_str(choice["delta"]["content"].as_str().unwrap_or_default());
    }
}

fn anthropic_text(event: &Value, out: &mut String) {
    let holder = if event["type"] == "content_block_start" { &event["content_block"] } else { &event["delta"] };
    out.push_str(holder["text"].as_str().unwrap_or_default());
}

fn gemini_text(message: &Value, out: &mut String) {
    for candidate in message["candidates"].as_array().into_iter().flatten() {
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            if part["thought"] != true {
                out.push_str(part["text"].as_str().unwrap_or_default());
            }
        }
    }
}
