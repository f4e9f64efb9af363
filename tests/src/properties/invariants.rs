//! The invariants over many random cases, by seed. `tests/invariants.sh` runs hundreds of thousands; the tests run a sample.

use std::sync::OnceLock;

use deltafold::validate::Layers;
use deltafold::{Edition, Limits, ReaderOptions};
use serde_json::Value;

use super::blocks::near_identical_blocks;
use super::growing_shapes::{
    a_growing_conversion_stays_within_the_limits, a_growing_shape_stays_within_the_limits, GrowingShape,
};
use super::mutating::{edited, excerpt, shake, shaken, split_frames};
use super::{
    a_restored_reader_continues, any_intents_leave_a_valid_stream, converts_alike, converts_to_a_valid_stream,
    no_fast_path_matters, no_split_matters, reads_soundly, small_limits, strict_reads_a_prefix, Conversion, SOURCES,
    WRITTEN,
};
use crate::streams::{feed, stream_names, Feed};
use crate::{recordings, vectors, Random, Split, Vector};

/// Runs one case.
pub type Case = fn(u64);

/// Every kind of case, the function that runs one, and the number that the long script runs.
pub const INVARIANTS: &[(&str, Case, u64)] = &[
    ("recordings", a_mutated_recording, 500_000),
    ("blocks", a_stream_of_near_identical_blocks, 200_000),
    ("sessions", a_writer_session, 200_000),
    ("conversions", a_conversion, 400_000),
];

/// Returns the function of a kind of case.
pub fn invariant(name: &str) -> Option<Case> {
    INVARIANTS.iter().find(|(known, ..)| *known == name).map(|(_, case, _)| *case)
}

/// Streams of Open Responses: those of the vectors, and the recordings if the corpus is there.
fn responses() -> &'static [Vec<u8>] {
    static ALL: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all: Vec<Vec<u8>> =
            recordings("invariants: recordings", "responses").iter().map(|recording| recording.bytes()).collect();
        for name in stream_names() {
            let vector =
                Vector { file: "base".into(), name: name.clone(), value: serde_json::json!({ "stream": name }) };
            if let Some(Feed::Bytes(bytes)) = feed(&vector) {
                all.push(bytes);
            }
        }
        for vector in vectors("accumulate/repairs.json").iter().chain(&vectors("accumulate/events.json")) {
            let events = vector.get("events").as_array().into_iter().flatten();
            all.push(events.map(|event| format!("data: {event}\n\n")).collect::<String>().into_bytes());
        }
        all.retain(|stream| !stream.is_empty());
        all
    })
}

/// The name of a dialect, and streams of it.
type DialectStreams = (&'static str, Vec<Vec<u8>>);

/// Streams of each dialect that is read.
fn foreign() -> &'static [DialectStreams] {
    static ALL: OnceLock<Vec<DialectStreams>> = OnceLock::new();
    ALL.get_or_init(|| {
        let vectors: Vec<Vector> = vectors("adapter/inbound");
        let all = SOURCES.iter().map(|dialect| {
            let own = vectors.iter().filter(|vector| vector.get("from").as_str() == Some(dialect));
            let mut streams: Vec<Vec<u8>> = own.map(Vector::input).collect();
            match *dialect {
                "open-responses" => streams.extend(responses().iter().cloned()),
                "anthropic" | "chat-completions" | "gemini" => {
                    streams.extend(recordings("invariants: dialects", dialect).iter().map(|one| one.bytes()));
                }
                _ => {}
            }
            streams.retain(|stream| !stream.is_empty());
            assert!(!streams.is_empty(), "no stream of {dialect}");
            (*dialect, streams)
        });
        all.collect()
    })
}

fn pick<'a>(streams: &'a [Vec<u8>], random: &mut Random) -> &'a [u8] {
    &streams[random.below(streams.len())]
}

/// A part of a stream, with changes in its bytes, frames and payloads.
fn mutated(streams: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let most = [600, 2_000, 6_000][random.below(3)];
    let mut bytes = excerpt(pick(streams, random), most, random);
    if random.one_in(8) {
        bytes.extend(excerpt(pick(streams, random), most, random));
    }
    if !random.one_in(4) {
        bytes = edited(&bytes, random);
    }
    if random.one_in(2) {
        let other = excerpt(pick(streams, random), most, random);
        for _ in 0..=random.below(3) {
            shake(&mut bytes, std::slice::from_ref(&other), random);
        }
    }
    bytes
}

/// The payloads of some frames, to make growing shapes of.
fn shapes(bytes: &[u8], random: &mut Random) -> Vec<GrowingShape> {
    let payload = |frame: &[u8]| -> Option<Value> {
        let text = std::str::from_utf8(frame).ok()?;
        let json = text.get(text.find('{')?..text.rfind('}')? + 1)?;
        serde_json::from_str(json).ok().filter(|_| json.len() < 3_000)
    };
    let payloads: Vec<Value> = split_frames(bytes).into_iter().filter_map(payload).collect();
    if payloads.is_empty() {
        return Vec::new();
    }
    let count = 1 + random.below(3);
    (0..count).map(|_| GrowingShape::new(payloads[random.below(payloads.len())].clone(), random)).collect()
}

fn options(random: &mut Random) -> ReaderOptions {
    ReaderOptions::default()
        .limits(if random.one_in(4) { small_limits(random) } else { Limits::default() })
        .layers(if random.one_in(3) { Layers::NONE } else { Layers::ALL })
        .edition(random.one_in(2).then(|| Edition::ALL[random.below(Edition::ALL.len())]))
}

fn read(bytes: &[u8], random: &mut Random, what: &str) {
    let options = options(random);
    let splits = [
        if bytes.len() < 3_000 { Split::Bytes } else { Split::Every(7) },
        Split::Random(random.bits()),
        Split::Two(random.below(bytes.len().max(1))),
    ];
    let whole = no_split_matters(bytes, &options, &splits, what);
    no_fast_path_matters(bytes, &options, whole, what);
    reads_soundly(bytes, Split::Random(random.bits()), options.clone());
    strict_reads_a_prefix(bytes, &options);
}

fn save(bytes: &[u8], random: &mut Random, what: &str) {
    // After a frame, where a new connection could start, and anywhere.
    let at = random.below(bytes.len().max(1));
    let frame = bytes[at..].windows(2).position(|two| two == b"\n\n").map_or(at, |end| at + end + 2);
    a_restored_reader_continues(bytes, frame, what);
    if random.one_in(4) {
        a_restored_reader_continues(bytes, at, what);
    }
}

/// A changed part of a recording: no split and no fast path changes the result, offsets are inside the stream, raw text is exact, a
/// restored reader continues, and the memory that the reader holds is limited.
fn a_mutated_recording(seed: u64) {
    let mut random = Random::new(seed);
    let bytes = match random.one_in(10) {
        true => shaken(&[excerpt(pick(responses(), &mut random), 3_000, &mut random)], &mut random),
        false => mutated(responses(), &mut random),
    };
    read(&bytes, &mut random, "recordings");
    save(&bytes, &mut random, "recordings");
    if random.one_in(60) {
        let shapes = shapes(&bytes, &mut random);
        if !shapes.is_empty() {
            a_growing_shape_stays_within_the_limits(&shapes, &mut random);
        }
    }
}

/// Blocks that differ in a few bytes, so that block templates apply to most of them and must not to the others.
fn a_stream_of_near_identical_blocks(seed: u64) {
    let mut random = Random::new(seed);
    let bytes = near_identical_blocks(&mut random);
    read(&bytes, &mut random, "blocks");
    save(&bytes, &mut random, "blocks");
}

/// Random intents, half of them invalid: the output is a valid stream, and refused intents change nothing.
fn a_writer_session(seed: u64) {
    let mut random = Random::new(seed);
    let edition = [Edition::V2026_04_24, Edition::Split, Edition::V2026_01_15, Edition::Split2026_01][random.below(4)];
    let most = 4 + random.below(60);
    any_intents_leave_a_valid_stream(edition, random, most);
}

/// A changed stream of any dialect, to any target: no split changes the output, output in Open Responses is valid, and the memory that
/// the converter holds is limited.
fn a_conversion(seed: u64) {
    let mut random = Random::new(seed);
    let (from, streams) = &foreign()[random.below(foreign().len())];
    let to = random.pick(&WRITTEN);
    let bytes = if random.one_in(12) {
        // A stream of another dialect.
        mutated(&foreign()[random.below(foreign().len())].1, &mut random)
    } else {
        mutated(streams, &mut random)
    };
    let cancel = random.one_in(6);
    let detected = random.one_in(10);
    let mut conversion = Conversion::new((!detected).then_some(from), to, cancel);
    if random.one_in(4) {
        conversion.limits = small_limits(&mut random);
    }
    if random.one_in(3) {
        conversion.edition =
            Some([Edition::V2026_04_24, Edition::Split, Edition::V2026_01_15, Edition::Split2026_01][random.below(4)]);
    }
    let split = if bytes.len() < 2_000 { Split::Bytes } else { Split::Every(5) };
    converts_alike(&bytes, conversion, &[split, Split::Random(random.bits())], "conversions");
    if to == "open-responses" && *from != "open-responses" && !detected {
        converts_to_a_valid_stream(&bytes, conversion);
    }
    if random.one_in(100) {
        let shapes = shapes(&bytes, &mut random);
        if !shapes.is_empty() {
            a_growing_conversion_stays_within_the_limits(&shapes, from, to);
        }
    }
}
