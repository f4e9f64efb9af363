//! Streams of a few events, including set-up and drop: the fixed cost of each response.

use deltafold_benches::contenders::StreamReader;
use deltafold_benches::shapes::{Folded, Shape};
use deltafold_benches::{measure, wanted, Contender, Mode};

use crate::eventsource_async_openai;

/// Number of streams in a measurement.
const STREAMS: usize = 1000;

pub(crate) fn compare(mode: Mode) {
    let chat = Shape::named("W1", Mode::Quick).expect("a shape");
    let frames: Vec<&[u8]> = deltafold_benches::Chunking::Event.chunks(&chat.stream);
    for events in [1, 3, 10, 30] {
        let title = format!("short {events} events");
        if !wanted(&title) {
            continue;
        }
        let stream = frames[..events].concat();
        let chunks = [stream.as_slice()];
        let repeat = |run: &dyn Fn(&[&[u8]]) -> Folded| -> Folded {
            (1..STREAMS).for_each(|_| drop(std::hint::black_box(run(&chunks))));
            run(&chunks)
        };
        let methods = [
            StreamReader::Reader,
            StreamReader::ReaderChecking,
            StreamReader::Split,
            StreamReader::SplitSimdTape,
            StreamReader::SplitSerdeTyped,
        ];
        let ours = methods.iter().map(|method| Contender::new(method.name(), || repeat(&|chunks| method.run(chunks))));
        let theirs = Contender::new("eventsource-stream+async-openai", || repeat(&eventsource_async_openai));
        let check = |name: &str, folded: &Folded| assert_eq!(folded.result().events, events, "{name}");
        println!("{}", measure(title, STREAMS, check, ours.chain([theirs]).collect(), mode));
    }
}
