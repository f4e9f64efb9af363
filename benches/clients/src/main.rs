//! Compares the reader with the crates that programs read these streams with, in turn, in one process.
//!
//! ```text
//! cargo run --release --manifest-path benches/clients/Cargo.toml                     # every table, some ten minutes
//! cargo run --release --manifest-path benches/clients/Cargo.toml -- 'clients W1'    # tables by the start of their titles
//! cargo run --manifest-path benches/clients/Cargo.toml -- --quick                    # results only, on small shapes
//! ```
//!
//! `recordings …` compares real recordings file by file, `payloads …` the parsing of payloads by size, `short …` streams of a few
//! events; the other tables are synthetic.
//!
//! Every contender reads every event, joins the deltas of each part and notes the completed response; the reader frames by all
//! rules of the standard, keeps findings and also builds the whole response.

mod payloads;
mod recordings;
mod short;

use std::convert::Infallible;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use async_openai::types::responses::ResponseStreamEvent as Typed;
use deltafold_benches::contenders::{Payload, Splitter, StreamReader};
use deltafold_benches::shapes::{Folded, Shape};
use deltafold_benches::{measure, wanted, Chunking, Contender, Mode};
use eventsource_stream::EventStream;
use futures_util::{stream, StreamExt};

/// The crates that are compared here only; the others are methods of the benches.
const PEERS: [(&str, fn(&[&[u8]]) -> Folded); 3] = [
    ("eventsource-stream+async-openai", eventsource_async_openai),
    ("split+async-openai", split_async_openai),
    ("split+sonic-rs-typed", split_sonic),
];

fn main() {
    let mode = if std::env::args().any(|word| word == "--quick") { Mode::Quick } else { Mode::Full };
    recordings::compare(mode);
    payloads::compare(mode);
    short::compare(mode);
    for (name, chunkings) in [
        ("W1", &[Chunking::Event, Chunking::Bytes(16 << 10), Chunking::Bytes(7)][..]),
        ("W2", &[Chunking::Event, Chunking::Bytes(16 << 10), Chunking::Bytes(7)]),
        ("W3", &[Chunking::Event, Chunking::Bytes(16 << 10)]),
        ("W5", &[Chunking::Event]),
    ] {
        let shape = Shape::named(name, mode).expect("a name of the list above");
        chunkings.iter().for_each(|chunking| compare(&shape, *chunking, mode));
    }
}

fn compare(shape: &Shape, chunking: Chunking, mode: Mode) {
    let title = format!("clients {} {}", shape.name, chunking.name());
    if !wanted(&title) {
        return;
    }
    let chunks = chunking.chunks(&shape.stream);
    let methods = [
        StreamReader::Reader,
        StreamReader::ReaderChecking,
        StreamReader::Split,
        StreamReader::SplitSimdTape,
        StreamReader::SplitSerdeTyped,
    ];
    let ours = methods.iter().map(|method| Contender::new(method.name(), || method.run(&chunks)));
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
    for_each_event(chunks, |data| fold(data, &mut folded));
    folded
}

fn for_each_event(chunks: &[&[u8]], mut take: impl FnMut(&str)) {
    let mut events = pin!(EventStream::new(stream::iter(chunks.iter().map(|chunk| Ok::<_, Infallible>(*chunk)))));
    let mut context = Context::from_waker(Waker::noop());
    // Every chunk is there already, so nothing is ever waited for.
    while let Poll::Ready(Some(event)) = events.poll_next_unpin(&mut context) {
        take(&event.expect("a valid stream").data);
    }
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
    let refused = fold_if_known(payload, folded).is_err();
    assert!(!refused, "not an event of the library");
}

/// Reads a payload with async-openai's types; an error if those do not know it, as happens with most providers' own fields.
fn fold_if_known(payload: &str, folded: &mut Folded) -> serde_json::Result<()> {
    let event: Typed = serde_json::from_str(payload)?;
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
    Ok(())
}
