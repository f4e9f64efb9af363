//! One part that receives 50,000, 100,000 and 200,000 deltas, with and without reading it after each delta: the time per delta must
//! stay constant, and reading must not cost more than parsing.

use deltafold::{Kind, Reader};
use deltafold_benches::contenders::StreamReader;
use deltafold_benches::shapes::{chat, tools, Folded, Order, Shape};
use deltafold_benches::{measure, mode, Chunking, Contender, Mode};

pub(crate) fn main() {
    let mode = mode();
    let most = if mode == Mode::Full { 200_000 } else { 400 };
    let shapes = [most / 4, most / 2, most].map(|deltas| chat(6, deltas, Order::Classic));
    for (method, name) in
        [(StreamReader::Reader, "response not read"), (StreamReader::ReaderLooking, "text length after each event")]
    {
        growth(name, &shapes, |chunks| method.run(chunks), mode);
    }
    let shapes = [most / 4, most / 2, most].map(|events| tools(2, 1, events));
    growth("arguments read as a growing value after each delta", &shapes, growing_arguments, mode);
}

fn growth(name: &str, shapes: &[Shape], run: impl Fn(&[&[u8]]) -> Folded, mode: Mode) {
    let chunkings: Vec<_> = shapes.iter().map(|shape| Chunking::Event.chunks(&shape.stream)).collect();
    let contenders = shapes.iter().zip(&chunkings).map(|(shape, chunks)| {
        let name = format!("{} events", shape.expected.events);
        Contender::new(name, || run(chunks)).with_units(shape.expected.events)
    });
    let check = |name: &str, folded: &Folded| {
        let result = folded.result();
        assert!(shapes.iter().any(|shape| shape.expected == result), "{name}: {result:?}");
    };
    let most = shapes.iter().map(|shape| shape.expected.events).max().unwrap_or(0);
    println!("{}", measure(format!("accumulate, {name}"), most, check, contenders.collect(), mode));
}

fn growing_arguments(chunks: &[&[u8]]) -> Folded {
    let mut folded = Folded::default();
    let mut reader = Reader::new();
    for chunk in chunks {
        reader.feed(chunk).expect("within the limits");
        while let Some(event) = reader.poll_event().expect("within the limits") {
            folded.event();
            match event.kind() {
                Kind::Completed => folded.completed(event.raw()),
                Kind::FunctionCallArgumentsDelta => {
                    let item = reader.response().item(0).expect("the call was added");
                    assert!(item.read_arguments(|growing| growing.value().is_some()));
                }
                _ => {}
            }
        }
    }
    let item = reader.response().item(0).expect("the call was added");
    folded.delta(0, 0, item.arguments().unwrap_or_default());
    folded
}
