//! Reading whole streams: chunks of bytes in, the text of every part out.
//!
//! The reader frames by all rules of the standard, routes, keeps findings and accumulates the whole response; the peers split
//! frames with memchr and only join the deltas. `split` alone is the limit: it reads nothing.

use std::process::Command;

use deltafold_benches::contenders::{reader_unlimited, StreamReader};
use deltafold_benches::shapes::{self, Folded, Order, Shape};
use deltafold_benches::{measure, mode, wanted, Chunking, Contender, Mode};

const CUTS: [Chunking; 3] = [Chunking::Event, Chunking::Bytes(16 * 1024), Chunking::Bytes(7)];

/// A shape that grows: its name, how to make it of a size, the size, and how it is split into chunks.
type Growing = (&'static str, fn(usize) -> Shape, usize, Chunking);

// Shapes that are read at memory speed are measured within the caches and beyond them: at the border the machine itself is not
// linear, nor is libc, which maps blocks from the kernel from 32 MiB on. Lengths are not powers of two: blocks at the same offsets of
// their pages make one size in three a fifth slower.
const GROWING: [Growing; 8] = [
    ("chat", |size| shapes::chat(6, size, Order::Classic), 200_000, Chunking::Event),
    ("chat in tiny chunks", |size| shapes::chat(6, size, Order::Classic), 20_000, Chunking::Bytes(1)),
    ("data lines", |size| shapes::data_lines(12, size), 400_000, Chunking::Bytes(1024)),
    ("many items", |size| shapes::many_items(14, size), 40_000, Chunking::Event),
    ("many findings", |size| shapes::many_findings(15, size), 200_000, Chunking::Event),
    ("huge line in drips", |size| shapes::huge_line(11, size), 60 << 20, Chunking::Bytes(1)),
    ("huge line", |size| shapes::huge_line(11, size), 5_000_000, Chunking::Bytes(1024)),
    ("huge line past the caches", |size| shapes::huge_line(11, size), 240 << 20, Chunking::Bytes(1024)),
];

pub(crate) fn main() {
    let mode = mode();
    for name in ["W1", "W1alpha", "W1pyd", "W2", "W3", "W4", "W5", "deep"] {
        let shape = Shape::named(name, mode).expect("a name of the list above");
        for chunking in CUTS {
            compare(&shape, chunking, mode);
        }
    }
    compare(&Shape::named("W6", mode).expect("a shape"), Chunking::Event, mode);
    let growing: Vec<Growing> = GROWING.into_iter().filter(|growing| wanted(&title(growing))).collect();
    let here = mode == Mode::Quick || LIBC.iter().all(|(name, _)| std::env::var_os(name).is_some());
    growing.iter().for_each(|one| if here { growth(one, mode) } else { apart(one) });
}

/// Thresholds at which the GNU libc returns memory to the kernel and maps blocks from it. By default libc adjusts both to freed blocks,
/// so that one measurement would cause page faults in the next.
const LIBC: [(&str, &str); 2] = [("MALLOC_TRIM_THRESHOLD_", "4294967296"), ("MALLOC_MMAP_THRESHOLD_", "33554432")];

/// Measures a growing shape in a separate process with fixed thresholds.
fn apart(growing: &Growing) {
    let flags = std::env::args().skip(1).filter(|word| word.starts_with('-') || word.parse::<f64>().is_ok());
    let this = std::env::current_exe().expect("a program that runs has a name");
    let mut command = Command::new(this);
    let status = command.args(flags).arg(title(growing)).envs(LIBC).status().expect("it can be started again");
    assert!(status.success(), "{}: {status}", title(growing));
}

fn title((name, _, _, chunking): &Growing) -> String {
    format!("growth {name}, {}", chunking.name())
}

fn compare(shape: &Shape, chunking: Chunking, mode: Mode) {
    let title = format!("read {} {}", shape.name, chunking.name());
    if !wanted(&title) {
        return;
    }
    let chunks = chunking.chunks(&shape.stream);
    let contenders = StreamReader::ALL.iter().map(|method| Contender::new(method.name(), || method.run(&chunks)));
    let check = |name: &str, folded: &Folded| {
        let result = folded.result();
        if StreamReader::ALL.iter().any(|method| method.name() == name && method.reads()) {
            assert_eq!(result, shape.expected, "{name} on {}, {}", shape.name, chunking.name());
        } else {
            assert_eq!(result.events, shape.expected.events, "{name}");
        }
    };
    println!("{}", measure(title, shape.expected.events, check, contenders.collect(), mode));
}

/// A quarter, half and all of a size, in turn: the time per byte must stay constant.
fn growth(growing: &Growing, mode: Mode) {
    let (_, make, size, chunking) = growing;
    let size = if mode == Mode::Full { *size } else { size / 1_000 };
    let shapes = [size / 4, size / 2, size].map(make);
    let chunkings = shapes.each_ref().map(|shape| chunking.chunks(&shape.stream));
    let contenders = shapes.iter().zip(&chunkings).map(|(shape, chunks)| {
        let name = format!("{} events, {} bytes", shape.expected.events, shape.stream.len());
        Contender::new(name, || reader_unlimited(chunks)).with_units(shape.stream.len())
    });
    let check = |name: &str, folded: &Folded| {
        let result = folded.result();
        assert!(shapes.iter().any(|shape| shape.expected == result), "{name}: {result:?}");
    };
    println!("{}", measure(title(growing), size, check, contenders.collect(), mode));
}
