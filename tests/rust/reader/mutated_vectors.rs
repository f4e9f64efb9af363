//! Randomly changed vectors: nothing panics, no split changes a result, and every event that was read can be written.
//!
//! Every run uses the same seeds; `DELTAFOLD_SEEDS` multiplies their number. A failing seed can be repeated by its number.

use deltafold::json::Unfinished;
use deltafold::validate::Layers;
use deltafold::{Edition, Limits, ReaderOptions};
use deltafold_tests::properties::{
    a_damaged_save_is_refused, a_forged_save_is_harmless, a_restored_reader_continues, any_text_is_judged,
    converts_alike, events_are_written_as_read, grows_to_the_value_of_others, no_fast_path_matters, no_split_matters,
    reads_soundly, shaken, small_limits, strict_reads_a_prefix, Conversion, PIECES, SOURCES, WRITTEN,
};
use deltafold_tests::streams::{feed, stream_names, Feed};
use deltafold_tests::{random_json, vectors, Ambiguity, Random, Split, Vector};
use serde_json::json;

fn seeds(count: u64) -> std::ops::Range<u64> {
    let times = std::env::var("DELTAFOLD_SEEDS").ok().map_or(1, |times| times.parse().expect("a number"));
    0..count * times
}

/// Returns the initial streams: valid ones, unusual ones, and ones that are not Responses streams.
fn sources() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for name in stream_names() {
        let vector = Vector { file: "base".into(), name: name.clone(), value: json!({ "stream": name }) };
        if let Some(Feed::Bytes(bytes)) = feed(&vector) {
            all.push(bytes);
        }
    }
    for vector in vectors("accumulate/repairs.json").iter().chain(&vectors("accumulate/events.json")) {
        let events = vector.get("events").as_array().into_iter().flatten();
        all.push(events.map(|event| format!("data: {event}\n\n")).collect::<String>().into_bytes());
    }
    for vector in vectors("event") {
        all.push(format!("event: {}\ndata: {}\n\n", vector.name, vector.get("payload")).into_bytes());
    }
    all.retain(|stream| !stream.is_empty());
    all
}

fn options(random: &mut Random) -> ReaderOptions {
    let editions = Edition::ALL;
    ReaderOptions::default()
        .limits(if random.one_in(4) { small_limits(random) } else { Limits::default() })
        .layers(if random.one_in(4) { Layers::NONE } else { Layers::ALL })
        .strict(random.one_in(6))
        .edition(Some(editions[random.below(editions.len())]))
}

#[test]
fn no_split_and_no_fast_path_changes_the_result() {
    let sources = sources();
    for seed in seeds(400) {
        let mut random = Random::new(seed);
        let bytes = shaken(&sources, &mut random);
        let options = options(&mut random);
        let what = format!("seed {seed}");
        let whole = no_split_matters(&bytes, &options, &[Split::Bytes, Split::Random(seed)], &what);
        no_fast_path_matters(&bytes, &options, whole, &what);
        reads_soundly(&bytes, Split::Random(seed), options.clone());
        strict_reads_a_prefix(&bytes, &options);
    }
}

#[test]
fn a_response_that_was_read_is_json_and_a_restored_reader_continues_it() {
    let sources = sources();
    for seed in seeds(300) {
        let mut random = Random::new(seed);
        let bytes = shaken(&sources, &mut random);
        let what = format!("seed {seed}");
        let anywhere = random.below(bytes.len());
        let saved = a_restored_reader_continues(&bytes, anywhere, &what);
        let frame = bytes[anywhere..].windows(2).position(|two| two == b"\n\n").unwrap_or(0);
        a_restored_reader_continues(&bytes, anywhere + frame + 2, &what);
        let mut state = saved[..saved.len() - 17].to_vec();
        let at = random.below(state.len());
        drop(state.splice(at..at, random.pick(PIECES).bytes()));
        a_forged_save_is_harmless(&state, &bytes[anywhere..]);
        a_damaged_save_is_refused(saved, random.below(1 << 20), random.below(256) as u8, &what);
    }
}

/// Each frame has two findings, so the list of the reader that was not restored is full before the end.
#[test]
fn a_restored_reader_continues_where_the_list_of_findings_is_full() {
    let frame = b"data: {\"type\":\"\xFF\"\n\n";
    a_restored_reader_continues(&frame.repeat(1_500), frame.len() * 300, "full list");
}

#[test]
fn an_event_survives_writing_and_reading() {
    let sources = sources();
    for seed in seeds(400) {
        let bytes = shaken(&sources, &mut Random::new(seed));
        for line in String::from_utf8_lossy(&bytes).lines().filter_map(|line| line.strip_prefix("data: ")) {
            events_are_written_as_read(line, &format!("seed {seed}"));
            // Whole texts are also checked without a stream.
            for edition in Edition::ALL {
                any_text_is_judged(line, edition);
            }
        }
    }
}

#[test]
fn incomplete_json_gives_the_verdict_of_the_whole_parser_and_of_another_one() {
    for seed in seeds(800) {
        let mut random = Random::new(seed);
        let mut text = random_json(&mut random, Ambiguity::No).into_bytes();
        for _ in 0..random.below(3) {
            let at = random.below(text.len());
            match random.below(3) {
                0 => drop(text.splice(at..at, random.pick(PIECES).bytes())),
                1 => drop(text.remove(at)),
                _ => text.truncate(at.max(1)),
            }
            if text.is_empty() {
                text.push(b' ');
            }
        }
        let text = String::from_utf8_lossy(&text);
        let policy = [Unfinished::Include, Unfinished::Omit, Unfinished::Mark][seed as usize % 3];
        grows_to_the_value_of_others(&text, Split::Random(seed), policy, &format!("seed {seed}"));
    }
}

#[test]
fn any_bytes_convert_the_same_at_any_split() {
    let sources = sources();
    for seed in seeds(300) {
        let mut random = Random::new(seed);
        let bytes = shaken(&sources, &mut random);
        let (from, to) = (Some(random.pick(&SOURCES)), random.pick(&WRITTEN));
        let conversion = Conversion::new(from, to, random.one_in(8));
        converts_alike(&bytes, conversion, &[Split::Bytes, Split::Random(seed)], &format!("seed {seed}"));
    }
}
