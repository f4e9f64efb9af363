//! The reader beside the crates that people read these streams with, in turn, in one process.
//!
//! ```text
//! cargo run --release --manifest-path benches/clients/Cargo.toml                     # every table, some ten minutes
//! cargo run --release --manifest-path benches/clients/Cargo.toml -- 'clients W1'    # tables by the start of their titles
//! cargo run --manifest-path benches/clients/Cargo.toml -- --quick                    # results only, on small shapes
//! ```
//!
//! Every contender reads every event, joins the deltas of each part and notes the completed response; the reader frames by all
//! rules of the standard, keeps findings and has the whole response besides.

use std::convert::Infallible;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use async_openai::types::responses::ResponseStreamEvent as Typed;
use deltafold_benches::contenders::{Payload, Splitter, StreamRoad};
use deltafold_benches::shapes::{Folded, Shape};
use deltafold_benches::{measure, wanted, Contender, Cut, Mode};
use eventsource_stream::EventStream;
use futures_util::{stream, StreamExt};

/// The crates that are compared here only; the others are roads of the benches.
const PEERS: [(&str, fn(&[&[u8]]) -> Folded); 3] = [
    ("eventsource-stream+async-openai", eventsource_async_openai),
    ("split+async-openai", split_async_openai),
    ("split+sonic-rs-typed", split_sonic),
];

fn main() {
    let mode = if std::env::args().any(|word| word == "--quick") { Mode::Quick } else { Mode::Full };
    for (name, cuts) in [
        ("W1", &[Cut::Event, Cut::Bytes(16 << 10), Cut::Bytes(7)][..]),
        ("W2", &[Cut::Event, Cut::Bytes(16 << 10), Cut::Bytes(7)]),
        ("W3", &[Cut::Event, Cut::Bytes(16 << 10)]),
        ("W5", &[Cut::Event]),
    ] {
        let shape = Shape::named(name, mode).expect("a name of the list above");
        cuts.iter().for_each(|cut| compare(&shape, *cut, mode));
    }
}

fn compare(shape: &Shape, cut: Cut, mode: Mode) {
    let title = format!("clients {} {}", shape.name, cut.name());
    if !wanted(&title) {
        return;
    }
    let chunks = cut.chunks(&shape.stream);
    let roads = [
        StreamRoad::Reader,
        StreamRoad::ReaderChecking,
        StreamRoad::Split,
        StreamRoad::SplitSimdTape,
        StreamRoad::SplitSerdeTyped,
    ];
    let ours = roads.iter().map(|road| Contender::new(road.name(), || road.run(&chunks)));
    let theirs = PEERS.iter().map(|(name, run)| Contender::new(*name, || run(&chunks)));
    let check = |name: &str, folded: &Folded| {
        let result = folded.result();
        assert_eq!(result.events, shape.expected.events, "{name} on {}", shape.name);
        assert!(name == "split" || result == shape.expected, "{name} on {}: {result:?}", shape.name);
    };
    println!("{}", measure(title, shape.expected.events, check, ours.chain(theirs).collect(), mode));
}

fn eventsource_async_openai(chunks: &[&[u8]]) -> Folded {
    let mut folded = Folded::default();
    let mut events = pin!(EventStream::new(stream::iter(chunks.iter().map(|chunk| Ok::<_, Infallible>(*chunk)))));
    let mut context = Context::from_waker(Waker::noop());
    // Every chunk is there already, so nothing is ever waited for.
    while let Poll::Ready(Some(event)) = events.poll_next_unpin(&mut context) {
        fold(&event.expect("a good stream").data, &mut folded);
    }
    folded
}

fn split_async_openai(chunks: &[&[u8]]) -> Folded {
    split(chunks, fold)
}

fn split_sonic(chunks: &[&[u8]]) -> Folded {
    split(chunks, |payload, folded| sonic_rs::from_str::<Payload<'_>>(payload).expect("JSON").fold(payload, folded))
}

fn split(chunks: &[&[u8]], mut take: impl FnMut(&str, &mut Folded)) -> Folded {
    let mut folded = Folded::default();
    let mut splitter = Splitter::default();
    for chunk in chunks {
        splitter.feed(chunk, |_, data| take(std::str::from_utf8(data).expect("shapes are UTF-8"), &mut folded));
    }
    folded
}

fn fold(payload: &str, folded: &mut Folded) {
    let event: Typed = serde_json::from_str(payload).expect("an event of the library");
    folded.event();
    match &event {
        Typed::ResponseOutputTextDelta(it) => {
            folded.delta(it.output_index.into(), it.content_index.into(), &it.delta);
        }
        Typed::ResponseFunctionCallArgumentsDelta(it) => folded.delta(it.output_index.into(), 0, &it.delta),
        Typed::ResponseReasoningSummaryTextDelta(it) => {
            folded.delta(it.output_index.into(), it.summary_index.into(), &it.delta);
        }
        Typed::ResponseCompleted(_) => folded.completed(payload),
        _ => {}
    }
    std::hint::black_box(&event);
}
