//! The whole road: chunks of bytes in, the text of every part out.
//!
//! The reader frames by all rules of the standard, routes, keeps findings and accumulates the whole response; the peers split
//! frames with memchr and only join the deltas. `split` alone is the limit: it reads nothing.

use std::process::Command;

use deltafold_benches::contenders::{reader_unlimited, StreamRoad};
use deltafold_benches::shapes::{self, Folded, Order, Shape};
use deltafold_benches::{measure, mode, wanted, Contender, Cut, Mode};

const CUTS: [Cut; 3] = [Cut::Event, Cut::Bytes(16 * 1024), Cut::Bytes(7)];

/// A shape that grows: its name, how to make it of a size, the size, and how it is cut.
type Growing = (&'static str, fn(usize) -> Shape, usize, Cut);

// What is read at the speed of memory is measured within the caches and past them: at their border it is the machine that is not
// linear, and libc, which takes memory from the kernel from 32 MiB on. Nor are lengths within the caches powers of two: where blocks lie
// at the same places of their pages, one size in three is slower by a fifth. NOTES.md has the figures.
const GROWING: [Growing; 8] = [
    ("chat", |size| shapes::chat(6, size, Order::Classic), 200_000, Cut::Event),
    ("chat in tiny chunks", |size| shapes::chat(6, size, Order::Classic), 20_000, Cut::Bytes(1)),
    ("data lines", |size| shapes::data_lines(12, size), 400_000, Cut::Bytes(1024)),
    ("many items", |size| shapes::many_items(14, size), 40_000, Cut::Event),
    ("many findings", |size| shapes::many_findings(15, size), 200_000, Cut::Event),
    ("huge line in drips", |size| shapes::huge_line(11, size), 60 << 20, Cut::Bytes(1)),
    ("huge line", |size| shapes::huge_line(11, size), 5_000_000, Cut::Bytes(1024)),
    ("huge line past the caches", |size| shapes::huge_line(11, size), 240 << 20, Cut::Bytes(1024)),
];

pub(crate) fn main() {
    let mode = mode();
    for name in ["W1", "W1alpha", "W1pyd", "W2", "W3", "W4", "W5", "deep"] {
        let shape = Shape::named(name, mode).expect("a name of the list above");
        for cut in CUTS {
            compare(&shape, cut, mode);
        }
    }
    compare(&Shape::named("W6", mode).expect("a shape"), Cut::Event, mode);
    let growing: Vec<Growing> = GROWING.into_iter().filter(|growing| wanted(&title(growing))).collect();
    let here = mode == Mode::Quick || LIBC.iter().all(|(name, _)| std::env::var_os(name).is_some());
    growing.iter().for_each(|one| if here { growth(one, mode) } else { apart(one) });
}

/// When the GNU libc gives memory back to the kernel, and from which size on it asks for each block. Left to itself it changes both with
/// what is freed, so that sizes that are measured in turn, and tables behind one another, would cost each other page faults.
const LIBC: [(&str, &str); 2] = [("MALLOC_TRIM_THRESHOLD_", "4294967296"), ("MALLOC_MMAP_THRESHOLD_", "33554432")];

/// Measures a shape that grows in a process of its own, where libc does not change its mind.
fn apart(growing: &Growing) {
    let flags = std::env::args().skip(1).filter(|word| word.starts_with('-') || word.parse::<f64>().is_ok());
    let this = std::env::current_exe().expect("a program that runs has a name");
    let mut command = Command::new(this);
    let status = command.args(flags).arg(title(growing)).envs(LIBC).status().expect("it can be started again");
    assert!(status.success(), "{}: {status}", title(growing));
}

fn title((name, _, _, cut): &Growing) -> String {
    format!("growth {name}, {}", cut.name())
}

fn compare(shape: &Shape, cut: Cut, mode: Mode) {
    let title = format!("read {} {}", shape.name, cut.name());
    if !wanted(&title) {
        return;
    }
    let chunks = cut.chunks(&shape.stream);
    let contenders = StreamRoad::ALL.iter().map(|road| Contender::new(road.name(), || road.run(&chunks)));
    let check = |name: &str, folded: &Folded| {
        let result = folded.result();
        if StreamRoad::ALL.iter().any(|road| road.name() == name && road.reads()) {
            assert_eq!(result, shape.expected, "{name} on {}, {}", shape.name, cut.name());
        } else {
            assert_eq!(result.events, shape.expected.events, "{name}");
        }
    };
    println!("{}", measure(title, shape.expected.events, check, contenders.collect(), mode));
}

/// A quarter, half and all of a size, in turn: the time per byte must stay.
fn growth(growing: &Growing, mode: Mode) {
    let (_, make, size, cut) = growing;
    let size = if mode == Mode::Full { *size } else { size / 1_000 };
    let shapes = [size / 4, size / 2, size].map(make);
    let cuts = shapes.each_ref().map(|shape| cut.chunks(&shape.stream));
    let contenders = shapes.iter().zip(&cuts).map(|(shape, chunks)| {
        let name = format!("{} events, {} bytes", shape.expected.events, shape.stream.len());
        Contender::new(name, || reader_unlimited(chunks)).with_units(shape.stream.len())
    });
    let check = |name: &str, folded: &Folded| {
        let result = folded.result();
        assert!(shapes.iter().any(|shape| shape.expected == result), "{name}: {result:?}");
    };
    println!("{}", measure(title(growing), size, check, contenders.collect(), mode));
}
