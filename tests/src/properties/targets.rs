//! The fuzz targets: the meaning of an input, and the properties that must hold. The first bytes are choices, the rest is the stream.

use deltafold::json::Unfinished;
use deltafold::validate::Layers;
use deltafold::{Edition, ReaderOptions};

use super::{
    a_damaged_save_is_refused, a_forged_save_is_harmless, a_restored_reader_continues,
    any_intents_leave_a_valid_stream, any_request, any_text_is_judged, converts_alike, converts_to_a_valid_stream,
    events_are_written_as_read, expand, frames_come_back, grows_to_the_value_of_others, layers_change_no_event,
    no_fast_path_matters, no_split_matters, reads_soundly, small_limits, strict_reads_a_prefix, Conversion, SOURCES,
    WRITTEN,
};
use crate::{Random, Split};

/// The function that runs an input.
pub type Target = fn(&[u8]);

/// Every target and its name, except for the one of the C functions, which is in `tests/fuzz`.
pub const TARGETS: &[(&str, Target)] = &[
    ("feed", feed),
    ("splits", splits),
    ("roundtrip", roundtrip),
    ("partial_json", partial_json),
    ("validate", validate),
    ("writer", writer),
    ("adapters", adapters),
    ("save_restore", save_restore),
    ("request", request),
];

/// Returns the target with this name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().find(|(known, _)| *known == name).map(|(_, target)| *target)
}

/// Takes the bytes with the choices from the front of an input; missing ones are 0.
fn chosen<const N: usize>(input: &[u8]) -> ([u8; N], &[u8]) {
    let (front, rest) = input.split_at(N.min(input.len()));
    let mut chosen = [0; N];
    chosen[..front.len()].copy_from_slice(front);
    (chosen, rest)
}

/// The split of the bytes, selected by a byte, so that a fuzzer can choose each split in two.
fn split(choice: u8, length: usize) -> Split {
    match choice {
        0 => Split::Bytes,
        1 => Split::BytesAndEmpty,
        2..=31 => Split::Every(usize::from(choice)),
        32..=95 => Split::Random(u64::from(choice)),
        // Splits at every position of a short stream, distributed over a long one.
        _ => Split::Two(usize::from(choice - 96) * length.max(160) / 160),
    }
}

/// The options of a reading.
fn options(choice: u8, more: u8) -> ReaderOptions {
    let mut options = ReaderOptions::default()
        .strict(choice & 1 != 0)
        .layers(if choice & 2 != 0 { Layers::NONE } else { Layers::ALL })
        .quote(choice & 4 != 0)
        .edition(Some(Edition::ALL[usize::from(choice >> 4) % Edition::ALL.len()]));
    if choice & 8 != 0 {
        options.limits = small_limits(&mut Random::new(u64::from(more)));
    }
    options
}

/// Any bytes: nothing panics, offsets only grow, the response is JSON.
fn feed(input: &[u8]) {
    let ([choice, more, cut], rest) = chosen(input);
    let bytes = expand(rest);
    reads_soundly(&bytes, split(cut, bytes.len()), options(choice, more));
}

/// The same bytes in two splits, and without the fast paths: the same events, findings, response.
fn splits(input: &[u8]) {
    let ([choice, more, one, other], rest) = chosen(input);
    let bytes = expand(rest);
    let options = options(choice, more);
    let splits = [split(one, bytes.len()), split(other, bytes.len())];
    let whole = no_split_matters(&bytes, &options, &splits, "splits");
    if other & 1 == 0 {
        no_fast_path_matters(&bytes, &options, whole, "splits");
    }
}

/// Written events equal the events that were read, and frames survive encoding and decoding.
fn roundtrip(input: &[u8]) {
    let ([name], rest) = chosen(input);
    let bytes = expand(rest);
    let text = String::from_utf8_lossy(&bytes);
    let (front, back) = (0..=usize::from(name)).rev().find_map(|at| text.split_at_checked(at)).unwrap_or_default();
    frames_come_back(front, back);
    for line in text.lines() {
        events_are_written_as_read(line.strip_prefix("data: ").unwrap_or(line), "roundtrip");
    }
}

/// Incomplete JSON: the verdict and value of other parsers, and prefixes of the value on the way.
fn partial_json(input: &[u8]) {
    let ([policy, cut], rest) = chosen(input);
    let policy = [Unfinished::Include, Unfinished::Omit, Unfinished::Mark][usize::from(policy) % 3];
    let text = String::from_utf8_lossy(rest);
    grows_to_the_value_of_others(&text, split(cut, text.len()), policy, "partial_json");
}

/// All layers: no panic, the same for any split, alone and together, strict and tolerant.
fn validate(input: &[u8]) {
    let ([choice, cut], rest) = chosen(input);
    let bytes = expand(rest);
    let edition = Edition::ALL[usize::from(choice >> 2) % Edition::ALL.len()];
    let options = ReaderOptions::default().layers(Layers::ALL).edition(Some(edition));
    match choice & 3 {
        0 => {
            no_split_matters(&bytes, &options, &[split(cut, bytes.len())], "validate");
        }
        1 => layers_change_no_event(&bytes, &options),
        2 => strict_reads_a_prefix(&bytes, &options),
        _ => any_text_is_judged(&String::from_utf8_lossy(rest), edition),
    }
}

/// Intents that the bytes select: the stream is valid, refused intents change nothing.
fn writer(input: &[u8]) {
    let ([edition, most], rest) = chosen(input);
    let edition =
        [Edition::V2026_04_24, Edition::Split, Edition::V2026_01_15, Edition::Split2026_01][usize::from(edition) % 4];
    any_intents_leave_a_valid_stream(edition, Random::led_by(rest), 4 + usize::from(most) % 40);
}

/// Each source dialect to each target, any bytes, the same for any split.
fn adapters(input: &[u8]) {
    let ([from, to, cut], rest) = chosen(input);
    let bytes = expand(rest);
    let from = SOURCES.get(usize::from(from) % (SOURCES.len() + 1)).copied();
    let (cancel, to) = (to & 128 != 0, WRITTEN[usize::from(to & 127) % WRITTEN.len()]);
    match from.filter(|from| *from != "open-responses" && to == "open-responses" && cut & 1 == 1) {
        Some(from) => converts_to_a_valid_stream(&bytes, Conversion::new(Some(from), to, cancel)),
        None => converts_alike(&bytes, Conversion::new(from, to, cancel), &[split(cut, bytes.len())], "adapters"),
    }
}

/// A state saved anywhere can be restored; a damaged one is refused; a forged one causes no panic and no invalid output.
fn save_restore(input: &[u8]) {
    let ([how, at, change], rest) = chosen(input);
    if how & 1 == 1 {
        let (state, more) = rest.split_at(rest.iter().position(|byte| *byte == 0xFF).unwrap_or(rest.len()));
        return a_forged_save_is_harmless(state, &expand(more.get(1..).unwrap_or_default()));
    }
    let bytes = expand(rest);
    let place = usize::from(at) * bytes.len().max(256) / 256;
    // After the next frame, where a new connection could start, or anywhere.
    let after = |from: usize| bytes[from..].windows(2).position(|two| two == b"\n\n").map(|at| from + at + 2);
    let place = if how & 2 == 0 { after(place.min(bytes.len())).unwrap_or(place) } else { place };
    let saved = a_restored_reader_continues(&bytes, place, "save_restore");
    a_damaged_save_is_refused(saved, usize::from(at) << 4 | usize::from(how >> 4), change, "save_restore");
}

/// Any JSON where a request, a response, an error or options are expected.
fn request(input: &[u8]) {
    any_request(&String::from_utf8_lossy(input));
}
