//! Memory used by reading: the peak above the start compared with the size of the response, allocations per delta, and the memory of open
//! readers that wait.
//!
//! Counted by the allocator, so that the figures are the same on every run.

use deltafold::Reader;
use deltafold_benches::shapes::Shape;
use deltafold_benches::{mode, Chunking, Mode};
use deltafold_tests::memory::{live, watch, Counting};

#[global_allocator]
static COUNTING: Counting = Counting;

fn main() {
    let mode = mode();
    for name in ["W1", "W2", "W3", "W6"] {
        let shape = Shape::named(name, mode).expect("a name of the list above");
        for chunking in [Chunking::Event, Chunking::Bytes(16 << 10), Chunking::Bytes(7)] {
            read(&shape, chunking);
        }
    }
    let chat = Shape::named("W1", mode).expect("a shape");
    let readers = if mode == Mode::Full { 100_000 } else { 100 };
    for (state, events) in [("new", 0), ("after 3 events", 3), ("after 30 events", 30)] {
        wait(&chat, state, events, readers);
    }
}

/// Opens many readers that have read `events` events and wait for more, and prints the bytes of each.
fn wait(shape: &Shape, state: &str, events: usize, readers: usize) {
    let chunks = Chunking::Event.chunks(&shape.stream);
    let before = live();
    let mut open = Vec::with_capacity(readers);
    for _ in 0..readers {
        let mut reader = Reader::new();
        chunks.iter().take(events).for_each(|chunk| assert!(feed(&mut reader, chunk).0 == 1));
        open.push(reader);
    }
    let bytes = (live() - before) as usize / readers;
    println!("waiting {state}: {readers} readers, {bytes} bytes each");
}

fn read(shape: &Shape, chunking: Chunking) {
    let chunks = chunking.chunks(&shape.stream);
    let mut events = 0;
    let used = watch(|| {
        let mut reader = Reader::new();
        chunks.iter().for_each(|chunk| events += feed(&mut reader, chunk).0);
        std::hint::black_box(&reader);
    });
    assert_eq!(events, shape.expected.events, "{} {}", shape.name, chunking.name());

    let (mut reader, mut events, mut deltas, mut calls) = (Reader::new(), 0, 0, 0);
    for chunk in &chunks {
        let mut read = (0, 0);
        let used = watch(|| read = feed(&mut reader, chunk));
        // Chunks that complete only deltas, after the first tenth, in which buffers grow.
        if events > shape.expected.events / 10 && read.0 == read.1 {
            deltas += read.1;
            calls += used.calls;
        }
        events += read.0;
    }
    println!(
        "memory {} {}: response {} bytes, peak {} bytes, {calls} allocations in {deltas} deltas",
        shape.name,
        chunking.name(),
        response_size(shape),
        used.peak
    );
}

/// Feeds a chunk; returns the number of events that it completes, and how many of them are deltas.
fn feed(reader: &mut Reader, chunk: &[u8]) -> (usize, usize) {
    reader.feed(chunk).expect("within the limits");
    let (mut events, mut deltas) = (0, 0);
    while let Some(event) = reader.poll_event().expect("within the limits") {
        events += 1;
        deltas += usize::from(!event.delta().is_empty());
    }
    (events, deltas)
}

/// The bytes of the finished response as JSON.
fn response_size(shape: &Shape) -> usize {
    let mut reader = Reader::new();
    reader.feed(&shape.stream).expect("within the limits");
    while reader.poll_event().expect("within the limits").is_some() {}
    reader.response().to_json().len()
}
