//! Real recordings, file by file: in each round every contender reads every file once, so caches and predictors are as cold as in a
//! service. Prints totals, the median file, and the share of files that a contender reads faster than the reader.

use cpu_time::ThreadTime;
use deltafold_benches::contenders::StreamReader;
use deltafold_benches::recordings::{Recording, Recordings};
use deltafold_benches::shapes::Folded;
use deltafold_benches::{wanted, Chunking, Mode};

use crate::{fold_if_known, for_each_event, split_sonic};

type Run = fn(&[&[u8]]) -> Folded;

/// The contenders; the first is what the ratios refer to. `false`: the result is not that of the stream.
const CONTENDERS: [(&str, Run, bool); 9] = [
    ("reader", |chunks| StreamReader::Reader.run(chunks), true),
    // The response is accumulated, as above, but only the deltas of the events are read.
    ("reader-unread", |chunks| StreamReader::ReaderUnread.run(chunks), false),
    ("reader-checking", |chunks| StreamReader::ReaderChecking.run(chunks), true),
    ("split", |chunks| StreamReader::Split.run(chunks), false),
    ("split+simd-json-tape", |chunks| StreamReader::SplitSimdTape.run(chunks), true),
    ("split+sonic-rs-typed", split_sonic, true),
    ("split+serde_json-typed", |chunks| StreamReader::SplitSerdeTyped.run(chunks), true),
    ("split+serde_json-value", |chunks| StreamReader::SplitSerdeValue.run(chunks), true),
    // Its types refuse many events of real providers; the time until the refusal counts.
    ("eventsource-stream+async-openai", eventsource_async_openai, false),
];

pub(crate) fn compare(mode: Mode) {
    let Some(recordings) = Recordings::load() else {
        println!("DELTAFOLD_SHARED is not set: recordings are left out\n");
        return;
    };
    for chunking in [Chunking::Bytes(16 << 10), Chunking::Event] {
        let title = format!("recordings {}", chunking.name());
        if wanted(&title) {
            table(&title, chunking, &recordings, mode);
        }
    }
}

fn table(title: &str, chunking: Chunking, recordings: &Recordings, mode: Mode) {
    let files: Vec<(&Recording, Vec<&[u8]>)> =
        recordings.chosen.iter().map(|recording| (recording, chunking.chunks(&recording.stream))).collect();
    for (name, run, is_exact) in CONTENDERS {
        for (recording, chunks) in &files {
            assert!(!is_exact || run(chunks).result() == recording.expected, "{name} on {}", recording.name);
        }
    }
    let rounds = if mode == Mode::Quick { 1 } else { 31 };
    let mut times = vec![vec![Vec::with_capacity(rounds); files.len()]; CONTENDERS.len()];
    for round in 0..rounds {
        for turn in 0..CONTENDERS.len() {
            let at = (turn + round) % CONTENDERS.len();
            for (file, (_, chunks)) in files.iter().enumerate() {
                let start = ThreadTime::now();
                let result = std::hint::black_box(CONTENDERS[at].1(chunks));
                times[at][file].push(start.elapsed().as_secs_f64());
                drop(result);
            }
        }
    }
    let clock = clock_cost();
    let medians: Vec<Vec<f64>> = times
        .into_iter()
        .map(|files| files.into_iter().map(|mut times| (median(&mut times) - clock).max(1e-9)).collect())
        .collect();
    let total = |at: usize| medians[at].iter().sum::<f64>();
    println!(
        "{title} ({} of {} recordings, {} bytes, {rounds} rounds)",
        files.len(),
        recordings.all,
        recordings.bytes()
    );
    println!("  {:<34} {:>10} {:>8} {:>12} {:>14}", "", "total", "ratio", "median file", "faster than us");
    for (at, (name, ..)) in CONTENDERS.iter().enumerate() {
        let mut ratios: Vec<f64> = medians[at].iter().zip(&medians[0]).map(|(theirs, ours)| theirs / ours).collect();
        let faster = ratios.iter().filter(|ratio| **ratio < 1.0).count() as f64 / ratios.len() as f64 * 100.0;
        let middle = median(&mut ratios);
        println!(
            "  {name:<34} {:>7.3} ms {:>7.2}x {middle:>11.2}x {faster:>12.0} %",
            total(at) * 1e3,
            total(at) / total(0)
        );
    }
    println!();
}

/// The cost of reading the clock twice, which is a tenth of the time of a short stream.
fn clock_cost() -> f64 {
    let mut times: Vec<f64> = (0..1001)
        .map(|_| {
            let start = ThreadTime::now();
            start.elapsed().as_secs_f64()
        })
        .collect();
    median(&mut times)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn eventsource_async_openai(chunks: &[&[u8]]) -> Folded {
    let mut folded = Folded::default();
    for_each_event(chunks, |data| {
        let _ = fold_if_known(data, &mut folded);
    });
    folded
}
