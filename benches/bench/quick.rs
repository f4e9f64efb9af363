//! Every bench once with small shapes: each contender proves its result, none is judged by time.

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
#[path = "recordings.rs"]
mod recordings;
#[path = "validate.rs"]
mod validate;

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
    recordings::main();
}

#[test]
fn validation_sees_every_event() {
    validate::main();
}
