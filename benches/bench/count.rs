//! Runs one contender over one shape, once, for counting instructions:
//!
//! ```text
//! cargo build --release -p deltafold-benches --bin deltafold-count
//! valgrind --tool=callgrind --collect-atstart=no --toggle-collect='deltafold_count::counted' \
//!     target/release/deltafold-count W1 event reader
//! ```
//!
//! `deltafold-count SHAPE` alone writes the stream to standard output, for programs in other languages (`benches/c`).
//!
//! The arguments are a shape, a chunking (`whole`, `event`, `16k`, `7b`, …; `payloads` for the event layer alone) and a contender.
//! The shape `examples` is every stream of `examples/streams` that resembles a recording (short chats, tools with schemas, reasoning,
//! web search, images), each read by a new reader; run the program at the top of the repository. A shape with a slash is a list of files,
//! separated by commas; a fourth argument is the number of rounds, for a profiler that samples. The contender `from:DIALECT` converts
//! files of another dialect to events.
//!
//! Only the function `counted` is counted, not making the shape or checking the result.

use std::cell::Cell;
use std::io::Write;
use std::process::ExitCode;

use deltafold::adapter::{inbound, InboundOptions};
use deltafold::Limits;
use deltafold_benches::contenders::{payloads, reader_members, PayloadReader, StreamReader};
use deltafold_benches::shapes::{Folded, Shape, NAMES};
use deltafold_benches::{Chunking, Mode};

/// The contender that `benches/c` is compared with: a reader whose caller reads every field of the C struct.
const MEMBERS: &str = "reader-members";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [shape] = arguments.as_slice() {
        let Some(shape) = Shape::named(shape, Mode::Full) else { return usage() };
        return ExitCode::from(u8::from(std::io::stdout().write_all(&shape.stream).is_err()));
    }
    if let [files, chunking, method, rounds @ ..] = arguments.as_slice() {
        if files == EXAMPLES || files.contains('/') {
            let read = |file: &str| std::fs::read(file).expect("a file");
            let streams = if files == EXAMPLES { example_streams() } else { files.split(',').map(read).collect() };
            let rounds = rounds.first().map_or(1, |rounds| rounds.parse().expect("a number"));
            let mut code = ExitCode::FAILURE;
            for _ in 0..rounds {
                code = count_streams(&streams, chunking, method);
            }
            return code;
        }
    }
    let [shape, chunking, method] = arguments.as_slice() else { return usage() };
    let Some(shape) = Shape::named(shape, Mode::Full) else { return usage() };
    let folded = if chunking == "payloads" {
        let Some(method) = PayloadReader::ALL.into_iter().find(|known| known.name() == method) else { return usage() };
        let payloads = payloads(&shape);
        counted(&|| method.run(&payloads))
    } else if method == MEMBERS {
        let Some(chunking) = Chunking::named(chunking) else { return usage() };
        let chunks = chunking.chunks(&shape.stream);
        counted(&|| reader_members(&chunks))
    } else {
        let Some(method) = StreamReader::ALL.into_iter().find(|known| known.name() == method) else { return usage() };
        let Some(chunking) = Chunking::named(chunking) else { return usage() };
        let chunks = chunking.chunks(&shape.stream);
        counted(&|| method.run(&chunks))
    };
    let result = folded.result();
    assert_eq!(result.events, shape.expected.events);
    assert!(
        method == "split" || method == "reader-unread" || result == shape.expected,
        "{result:?}, expected {:?}",
        shape.expected
    );
    println!(
        "{} events, {} bytes of text, hash {:016x}, {} bytes completed",
        result.events, result.text_bytes, result.text_hash, result.completed_bytes
    );
    ExitCode::SUCCESS
}

/// The name of the example streams as a shape.
const EXAMPLES: &str = "examples";

/// Reads every stream with a reader of its own.
fn count_streams(streams: &[Vec<u8>], chunking: &str, method: &str) -> ExitCode {
    if let Some(dialect) = method.strip_prefix("from:") {
        return count_conversions(streams, chunking, dialect);
    }
    let Some(method) = StreamReader::ALL.into_iter().find(|known| known.name() == method) else { return usage() };
    let Some(chunking) = Chunking::named(chunking) else { return usage() };
    let chunks: Vec<Vec<&[u8]>> = streams.iter().map(|stream| chunking.chunks(stream)).collect();
    let mut events = 0;
    for chunks in &chunks {
        events += counted(&|| method.run(chunks)).result().events;
    }
    let frames = streams.iter().flat_map(|stream| stream.split(|byte| *byte == b'\n'));
    let expected = frames.filter(|line| line.starts_with(b"data: {")).count();
    assert_eq!(events, expected, "{} streams", streams.len());
    println!("{events} events of {} streams", streams.len());
    ExitCode::SUCCESS
}

/// Converts every stream from a dialect to events.
fn count_conversions(streams: &[Vec<u8>], chunking: &str, dialect: &str) -> ExitCode {
    let (Ok(dialect), Some(chunking)) = (dialect.parse(), Chunking::named(chunking)) else { return usage() };
    let options = InboundOptions::default().response_id("resp_bench");
    let events = Cell::new(0);
    for stream in streams {
        let chunks = chunking.chunks(stream);
        counted(&|| {
            let mut source = inbound(dialect, options.clone(), Limits::default()).expect("a dialect that is read");
            for chunk in &chunks {
                source.feed(chunk).expect("within the limits");
                while source.poll_event().is_some() {
                    events.set(events.get() + 1);
                }
            }
            source.finish().expect("within the limits");
            while source.poll_event().is_some() {
                events.set(events.get() + 1);
            }
            Folded::default()
        });
    }
    println!("{} events of {} streams", events.get(), streams.len());
    ExitCode::SUCCESS
}

/// `examples/streams/tour.sse` and the streams of `examples/streams/items`.
fn example_streams() -> Vec<Vec<u8>> {
    let folder = std::fs::read_dir("examples/streams/items").expect("run at the top of the repository");
    let mut files: Vec<_> = folder.map(|file| file.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "sse"));
    files.push("examples/streams/tour.sse".into());
    files.sort();
    assert!(files.len() > 20, "{} example streams", files.len());
    files.iter().map(|file| std::fs::read(file).expect("a file")).collect()
}

/// The counted function. Never inlined, so that callgrind finds it by name.
#[inline(never)]
fn counted(run: &dyn Fn() -> Folded) -> Folded {
    std::hint::black_box(run())
}

fn usage() -> ExitCode {
    let streams: Vec<_> = StreamReader::ALL.iter().map(|method| method.name()).collect();
    let events: Vec<_> = PayloadReader::ALL.iter().map(|method| method.name()).collect();
    eprintln!("usage: deltafold-count SHAPE CUT ROAD");
    eprintln!("shapes: {} {EXAMPLES}", NAMES.join(" "));
    eprintln!("methods: {} {MEMBERS}; for the chunking `payloads`: {}", streams.join(" "), events.join(" "));
    ExitCode::from(2)
}
