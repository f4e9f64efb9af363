//! Every bench once with small shapes: each contender proves its result, none is judged by time.

#[path = "event/main.rs"]
mod event;
#[path = "partial_json.rs"]
mod partial_json;

#[test]
fn every_contender_reads_the_same_events() {
    event::main();
}

#[test]
fn every_contender_ends_with_the_same_growing_value() {
    partial_json::main();
}
