//! The event layer alone: payload texts in, kind, indexes and delta out, deltas joined per part.
//!
//! Frames are cut before the clock starts, so this compares JSON reading only. Every contender reads every payload of the
//! shape, not only the deltas.

mod typed;

use deltafold::event::{Levels, Origin, Parser};
use deltafold_benches::shapes::{Folded, Shape};
use deltafold_benches::{measure, mode, Contender, Mode};
use simd_json::prelude::*;

use typed::Payload;

/// The frames of a shape: name and payload.
type Frames<'a> = Vec<(&'a str, String)>;

const SHAPES: [&str; 10] = ["W1", "W1alpha", "W1pyd", "W2", "W3", "W4", "W5", "deep", "many-items", "many-findings"];

pub(crate) fn main() {
    let mode = mode();
    for name in SHAPES {
        let shape = Shape::named(name, mode).expect("a name of the list above");
        compare(&shape, mode);
    }
}

fn compare(shape: &Shape, mode: Mode) {
    let frames = frames(shape);
    let table = measure(
        format!("event {}", shape.name),
        frames.len(),
        |name, folded: &Folded| assert_eq!(folded.result(), shape.expected, "{name}"),
        vec![
            Contender::new("deltafold", || deltafold(&frames, Levels::default())),
            Contender::new("deltafold, flat scanner", || deltafold(&frames, Levels { template: false, flat: true })),
            Contender::new("deltafold, tape", || deltafold(&frames, Levels { template: false, flat: false })),
            Contender::new("simd-json tape, reused buffers", || simd_tape(&frames)),
            Contender::new("simd-json typed, reused buffers", || simd_typed(&frames)),
            Contender::new("serde_json typed", || serde_typed(&frames)),
            Contender::new("serde_json Value", || serde_value(&frames)),
        ],
        mode,
    );
    println!("{table}");
}

fn frames(shape: &Shape) -> Frames<'_> {
    let text = std::str::from_utf8(&shape.stream).expect("shapes are UTF-8");
    text.split_terminator("\n\n")
        .map(|frame| {
            let (name, data) = frame.split_once('\n').unwrap_or_default();
            let data: Vec<&str> = data.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
            (name.trim_start_matches("event: "), data.join("\n"))
        })
        .collect()
}

fn deltafold(frames: &Frames<'_>, levels: Levels) -> Folded {
    let mut parser = Parser::with_levels(128, levels);
    let mut folded = Folded::default();
    for (index, (name, payload)) in frames.iter().enumerate() {
        let event = parser.parse(payload, Origin { frame_name: Some(name), offset: 0, index: index as u64 });
        std::hint::black_box((event.sequence_number(), event.item_id()));
        folded.event();
        if !event.delta().is_empty() {
            let part = event.content_index().or(event.summary_index()).unwrap_or(0);
            folded.delta(event.output_index().unwrap_or(0), part, event.delta());
        } else if event.kind() == deltafold::Kind::Completed {
            folded.completed(event.raw());
        }
    }
    folded
}

fn serde_typed(frames: &Frames<'_>) -> Folded {
    let mut folded = Folded::default();
    for (_, payload) in frames {
        let parsed: Payload<'_> = serde_json::from_str(payload).expect("JSON");
        parsed.fold(payload, &mut folded);
    }
    folded
}

fn simd_typed(frames: &Frames<'_>) -> Folded {
    let mut folded = Folded::default();
    let mut buffers = simd_json::Buffers::new(4096);
    let mut copy = Vec::new();
    for (_, payload) in frames {
        // simd-json decodes in place, so it needs a copy.
        copy.clear();
        copy.extend_from_slice(payload.as_bytes());
        let parsed: Payload<'_> = simd_json::serde::from_slice_with_buffers(&mut copy, &mut buffers).expect("JSON");
        parsed.fold(payload, &mut folded);
    }
    folded
}

fn simd_tape(frames: &Frames<'_>) -> Folded {
    let mut folded = Folded::default();
    let mut buffers = simd_json::Buffers::new(4096);
    let mut copy = Vec::new();
    for (name, payload) in frames {
        copy.clear();
        copy.extend_from_slice(payload.as_bytes());
        let tape = simd_json::to_tape_with_buffers(&mut copy, &mut buffers).expect("JSON");
        let value = tape.as_value();
        let object = value.as_object().expect("an object");
        let index = |key: &str| object.get(key).and_then(|value| value.as_u64());
        let text = |key: &str| object.get(key).and_then(|value| value.into_string());
        std::hint::black_box((index("sequence_number"), text("item_id")));
        folded.event();
        if let Some(delta) = text("delta") {
            let part = index("content_index").or_else(|| index("summary_index")).unwrap_or(0);
            folded.delta(index("output_index").unwrap_or(0), part, delta);
        } else if *name == "response.completed" {
            folded.completed(payload);
        }
    }
    folded
}

fn serde_value(frames: &Frames<'_>) -> Folded {
    let mut folded = Folded::default();
    for (name, payload) in frames {
        let value: serde_json::Value = serde_json::from_str(payload).expect("JSON");
        folded.event();
        if let Some(delta) = value["delta"].as_str() {
            let index = |key: &str| value[key].as_u64();
            let part = index("content_index").or_else(|| index("summary_index")).unwrap_or(0);
            folded.delta(index("output_index").unwrap_or(0), part, delta);
        } else if *name == "response.completed" {
            folded.completed(payload);
        }
    }
    folded
}
