//! Parsing alone, by size of the payload, in gigabytes per second: the payloads of all recordings, and synthetic images.

use cpu_time::ThreadTime;
use deltafold::json::Tape;
use deltafold_benches::recordings::Recordings;
use deltafold_benches::shapes::Shape;
use deltafold_benches::{wanted, Mode};

/// The classes: name, and the size that all payloads of the class are below.
const CLASSES: [(&str, usize); 4] =
    [("< 512 B", 512), ("512 B to 4 KB", 4 << 10), ("4 to 32 KB", 32 << 10), ("> 32 KB", usize::MAX)];

/// A parser: parses every payload, returns a number that depends on each.
type Parse = fn(&[Vec<u8>]) -> usize;

const PARSERS: [(&str, Parse); 5] = [
    ("deltafold tape, UTF-8 checked", tape),
    ("simd-json tape, with its copy", simd_tape),
    ("sonic-rs lazy", sonic_lazy),
    ("serde_json skip", serde_skip),
    ("newline search + UTF-8", newline_and_utf8),
];

pub(crate) fn compare(mode: Mode) {
    if let Some(recordings) = Recordings::load() {
        let mut payloads: Vec<Vec<u8>> =
            recordings.chosen.iter().flat_map(|recording| payloads_of(&recording.stream)).collect();
        for (class, limit) in CLASSES {
            let (within, rest) = payloads.into_iter().partition(|payload| payload.len() < limit);
            payloads = rest;
            table(class, &within, mode);
        }
    } else {
        println!("DELTAFOLD_SHARED is not set: payloads of recordings are left out\n");
    }
    let images = Shape::named("W4", mode).expect("a shape");
    let images: Vec<Vec<u8>> = payloads_of(&images.stream).filter(|payload| payload.len() > 32 << 10).collect();
    table("images (synthetic)", &images, mode);
    long_strings(mode);
}

/// Strings of several lengths: the time ÷ that of a newline search in the same bytes. A loop in which each load waits for the previous result
/// executes no additional instructions, but its ratio grows with the length.
fn long_strings(mode: Mode) {
    let title = "long strings (synthetic)";
    if !wanted(title) {
        return;
    }
    println!("{title}: time over that of a newline search + UTF-8");
    for length in [256, 4 << 10, 64 << 10, 1 << 20] {
        let payload = format!("{{\"type\":\"x\",\"delta\":\"{}\"}}", "abcdefgh".repeat(length / 8)).into_bytes();
        let count = if mode == Mode::Quick { 2 } else { (4 << 20) / length };
        let payloads = vec![payload; count];
        let time = |parse: Parse| {
            let mut times: Vec<f64> = (0..if mode == Mode::Quick { 1 } else { 31 })
                .map(|_| {
                    let start = ThreadTime::now();
                    std::hint::black_box(parse(std::hint::black_box(&payloads)));
                    start.elapsed().as_secs_f64()
                })
                .collect();
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        let limit = time(newline_and_utf8);
        let ratios = [("tape", tape as Parse), ("sonic-rs", sonic_lazy), ("serde_json", serde_skip)];
        let ratios: Vec<String> =
            ratios.map(|(name, parse)| format!("{name} {:.1}x", time(parse) / limit)).into_iter().collect();
        println!("  {length:>9} bytes  {}", ratios.join("  "));
    }
    println!();
}

fn payloads_of(stream: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let lines = stream.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"data: "));
    lines.filter(|data| *data != b"[DONE]").map(<[u8]>::to_vec)
}

fn table(class: &str, payloads: &[Vec<u8>], mode: Mode) {
    let title = format!("payloads {class}");
    if payloads.is_empty() || !wanted(&title) {
        return;
    }
    let bytes: usize = payloads.iter().map(Vec::len).sum();
    // At least 20 MB in a measurement, so that reading the clock does not matter.
    let repeats = if mode == Mode::Quick { 1 } else { (20 << 20) / bytes + 1 };
    let rounds = if mode == Mode::Quick { 1 } else { 15 };
    let mut times = vec![Vec::with_capacity(rounds); PARSERS.len()];
    for _ in 0..rounds {
        for (parser, times) in PARSERS.iter().zip(&mut times) {
            let start = ThreadTime::now();
            for _ in 0..repeats {
                std::hint::black_box((parser.1)(std::hint::black_box(payloads)));
            }
            times.push(start.elapsed().as_secs_f64() / repeats as f64);
        }
    }
    println!("{title} ({} payloads, {bytes} bytes, {rounds} rounds)", payloads.len());
    for ((name, _), times) in PARSERS.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        println!("  {name:<34} {:>7.2} GB/s", bytes as f64 / times[rounds / 2] / 1e9);
    }
    println!();
}

fn tape(payloads: &[Vec<u8>]) -> usize {
    let mut tape = Tape::default();
    let parse = |payload: &Vec<u8>| {
        let text = simdutf8::basic::from_utf8(payload).expect("UTF-8");
        tape.parse(text, 128).expect("JSON");
        tape.root(text).entries().count()
    };
    payloads.iter().map(parse).sum()
}

fn simd_tape(payloads: &[Vec<u8>]) -> usize {
    let (mut buffers, mut copy) = (simd_json::Buffers::new(4096), Vec::new());
    let parse = |payload: &Vec<u8>| {
        copy.clear();
        copy.extend_from_slice(payload);
        simd_json::to_tape_with_buffers(&mut copy, &mut buffers).expect("JSON").0.len()
    };
    payloads.iter().map(parse).sum()
}

fn sonic_lazy(payloads: &[Vec<u8>]) -> usize {
    payloads
        .iter()
        .map(|payload| sonic_rs::to_object_iter(payload.as_slice()).map(|entry| entry.expect("JSON")).count())
        .sum()
}

fn serde_skip(payloads: &[Vec<u8>]) -> usize {
    let skip = |payload: &Vec<u8>| {
        serde_json::from_slice::<serde::de::IgnoredAny>(payload).expect("JSON");
        payload.len()
    };
    payloads.iter().map(skip).sum()
}

/// The limit: the cost of finding the end of the line and checking UTF-8, without parsing.
fn newline_and_utf8(payloads: &[Vec<u8>]) -> usize {
    payloads
        .iter()
        .map(|payload| {
            memchr::memchr(b'\n', payload).unwrap_or(payload.len())
                + simdutf8::basic::from_utf8(payload).expect("UTF-8").len()
        })
        .sum()
}
