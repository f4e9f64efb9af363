//! Faults and invalid input, one test for each row of `docs/robustness.md`; the row's id starts the name.
//!
//! Nothing here may panic, hang, or change an earlier event. Costs are measured in allocated
//! bytes, never in time.

mod boundary;
mod found;
mod framing;
mod json;
mod memory;
mod page;
mod secrets;
mod stream;

use deltafold::event::summary;
use deltafold::validate::Layers;
use deltafold::{Finding, Outcome, Reader, ReaderOptions};
use deltafold_tests::memory::Counting;
use deltafold_tests::Split;

#[global_allocator]
static COUNTING: Counting = Counting;

/// All results of reading a stream.
#[derive(Debug, PartialEq)]
struct StreamResult {
    /// Events in short form, as JSON text.
    events: Vec<String>,
    findings: Vec<Finding>,
    outcome: Outcome,
    response: String,
    text: String,
}

impl StreamResult {
    /// The exact payloads.
    fn raw(&self) -> Vec<String> {
        let raw = |event: &String| {
            serde_json::from_str::<serde_json::Value>(event).unwrap()["raw"].as_str().unwrap().to_owned()
        };
        self.events.iter().map(raw).collect()
    }

    fn rules(&self) -> Vec<&'static str> {
        self.findings.iter().map(|finding| finding.rule.id()).collect()
    }

    fn has(&self, rule: &str) -> bool {
        self.rules().contains(&rule)
    }
}

/// Reads a stream with every layer of validation.
fn read(bytes: &[u8]) -> StreamResult {
    read_split(bytes, Split::Whole)
}

fn read_split(bytes: &[u8], split: Split) -> StreamResult {
    read_with(&split.chunks(bytes), ReaderOptions::default().layers(Layers::ALL))
}

/// Reads chunks unchanged, in tolerant mode.
fn read_with(chunks: &[&[u8]], options: ReaderOptions) -> StreamResult {
    let mut reader = Reader::with_options(options);
    let mut events = Vec::new();
    for chunk in chunks {
        reader.feed(chunk).unwrap();
        while let Some(event) = reader.poll_event().unwrap() {
            events.push(summary(&event).to_string());
        }
    }
    reader.end();
    while let Some(event) = reader.poll_event().unwrap() {
        events.push(summary(&event).to_string());
    }
    let outcome = reader.finish().unwrap();
    StreamResult {
        events,
        findings: reader.findings().to_vec(),
        outcome,
        response: reader.response().to_json(),
        text: reader.response().output_text().into_owned(),
    }
}

/// One frame with a payload of one line.
fn frame(payload: &str) -> String {
    format!("data: {payload}\n\n")
}

/// A valid payload, to show that reading continues.
const NEXT: &str = r#"{"type":"response.output_text.delta","sequence_number":0,"item_id":"m","output_index":0,"content_index":0,"delta":"next"}"#;
