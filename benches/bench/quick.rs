//! Every bench once with small shapes: the result of each contender is checked, its time is not.

#[path = "accumulate.rs"]
mod accumulate;
#[path = "c.rs"]
mod c;
#[path = "event.rs"]
mod event;
#[path = "partial_json.rs"]
mod partial_json;
#[path = "read.rs"]
mod read;
#[path = "validate.rs"]
mod validate;

use deltafold_benches::contenders::StreamReader;
use deltafold_benches::recordings::Recordings;
use deltafold_benches::Chunking;

#[test]
fn every_contender_reads_the_same_events() {
    event::main();
}

#[test]
fn the_c_functions_fold_what_the_rust_reader_does() {
    c::main();
}

#[test]
fn every_contender_ends_with_the_same_growing_value() {
    partial_json::main();
}

#[test]
fn every_contender_folds_the_same_text_at_every_cut() {
    read::main();
}

#[test]
fn looking_at_the_response_after_each_event_changes_nothing() {
    accumulate::main();
}

#[test]
fn every_contender_folds_the_text_of_real_recordings() {
    let Some(recordings) = Recordings::load() else {
        println!("DELTAFOLD_SHARED is not set: recordings are left out");
        return;
    };
    for recording in &recordings.chosen {
        let chunks = Chunking::Bytes(16 << 10).chunks(&recording.stream);
        for method in StreamReader::ALL.into_iter().filter(|method| method.reads()) {
            assert_eq!(method.run(&chunks).result(), recording.expected, "{} on {}", method.name(), recording.name);
        }
    }
}

#[test]
fn validation_sees_every_event() {
    validate::main();
}
