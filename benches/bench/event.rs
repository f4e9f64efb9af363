//! The event layer alone: payload texts in, kind, indexes and delta out, deltas joined per part.
//!
//! Frames are split before the clock starts, so this compares JSON parsing only. Every contender reads every payload of the
//! shape, not only the deltas.

use deltafold_benches::contenders::{payloads, PayloadReader};
use deltafold_benches::shapes::{Folded, Shape};
use deltafold_benches::{measure, mode, Contender, Mode};

const SHAPES: [&str; 10] = ["W1", "W1alpha", "W1pyd", "W2", "W3", "W4", "W5", "deep", "many-items", "many-findings"];

pub(crate) fn main() {
    let mode = mode();
    for name in SHAPES {
        compare(&Shape::named(name, mode).expect("a name of the list above"), mode);
    }
}

fn compare(shape: &Shape, mode: Mode) {
    let payloads = payloads(shape);
    let contenders = PayloadReader::ALL.iter().map(|method| Contender::new(method.name(), || method.run(&payloads)));
    let table = measure(
        format!("event {}", shape.name),
        payloads.len(),
        |name, folded: &Folded| assert_eq!(folded.result(), shape.expected, "{name}"),
        contenders.collect(),
        mode,
    );
    println!("{table}");
}
