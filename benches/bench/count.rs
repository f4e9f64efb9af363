//! One road over one shape, once, for counting instructions:
//!
//! ```text
//! cargo build --release -p deltafold-benches --bin deltafold-count
//! valgrind --tool=callgrind --collect-atstart=no --toggle-collect='deltafold_count::counted' \
//!     target/release/deltafold-count W1 event reader
//! ```
//!
//! `deltafold-count SHAPE` alone writes the stream to standard output, for programs in other languages (`benches/c`).
//!
//! The arguments are a shape, a cut (`whole`, `event`, `16k`, `7b`, …; `payloads` for the event layer alone) and a road.
//! Only what happens inside `counted` counts, so making the shape and checking the result are free.

use std::io::Write;
use std::process::ExitCode;

use deltafold_benches::contenders::{payloads, reader_members, EventRoad, StreamRoad};
use deltafold_benches::shapes::{Folded, Shape, NAMES};
use deltafold_benches::{Cut, Mode};

/// The road that `benches/c` is compared with: a reader, and a look at every member that the C struct holds.
const MEMBERS: &str = "reader-members";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [shape] = arguments.as_slice() {
        let Some(shape) = Shape::named(shape, Mode::Full) else { return usage() };
        return ExitCode::from(u8::from(std::io::stdout().write_all(&shape.stream).is_err()));
    }
    let [shape, cut, road] = arguments.as_slice() else { return usage() };
    let Some(shape) = Shape::named(shape, Mode::Full) else { return usage() };
    let folded = if cut == "payloads" {
        let Some(road) = EventRoad::ALL.into_iter().find(|known| known.name() == road) else { return usage() };
        let payloads = payloads(&shape);
        counted(&|| road.run(&payloads))
    } else if road == MEMBERS {
        let Some(cut) = Cut::named(cut) else { return usage() };
        let chunks = cut.chunks(&shape.stream);
        counted(&|| reader_members(&chunks))
    } else {
        let Some(road) = StreamRoad::ALL.into_iter().find(|known| known.name() == road) else { return usage() };
        let Some(cut) = Cut::named(cut) else { return usage() };
        let chunks = cut.chunks(&shape.stream);
        counted(&|| road.run(&chunks))
    };
    let result = folded.result();
    assert_eq!(result.events, shape.expected.events);
    assert!(road == "split" || result == shape.expected, "{result:?}, expected {:?}", shape.expected);
    println!(
        "{} events, {} bytes of text, hash {:016x}, {} bytes completed",
        result.events, result.text_bytes, result.text_hash, result.completed_bytes
    );
    ExitCode::SUCCESS
}

/// What is counted. Never inlined, so that its name can be given to callgrind.
#[inline(never)]
fn counted(run: &dyn Fn() -> Folded) -> Folded {
    std::hint::black_box(run())
}

fn usage() -> ExitCode {
    let streams: Vec<_> = StreamRoad::ALL.iter().map(|road| road.name()).collect();
    let events: Vec<_> = EventRoad::ALL.iter().map(|road| road.name()).collect();
    eprintln!("usage: deltafold-count SHAPE CUT ROAD");
    eprintln!("shapes: {}", NAMES.join(" "));
    eprintln!("roads: {} {MEMBERS}; for the cut `payloads`: {}", streams.join(" "), events.join(" "));
    ExitCode::from(2)
}
