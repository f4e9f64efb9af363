//! Real recordings: every one that the peers can read, one after the other, each by a new reader.
//!
//! They are not part of this repository; `DELTAFOLD_SHARED` names the folder that has them. A plain reading of the bytes says
//! what must come out. The peers know only frames of one `data` line between line feeds and text that deltas brought, so
//! recordings with anything else are left out, and counted.

use std::path::PathBuf;

use deltafold_benches::contenders::StreamRoad;
use deltafold_benches::shapes::{Expected, Folded};
use deltafold_benches::{measure, mode, wanted, Contender, Cut};

const ROADS: [StreamRoad; 5] = [
    StreamRoad::Reader,
    StreamRoad::ReaderChecking,
    StreamRoad::Split,
    StreamRoad::SplitSimdTape,
    StreamRoad::SplitSerdeValue,
];

pub(crate) fn main() {
    let Some(shared) = std::env::var_os("DELTAFOLD_SHARED") else {
        println!("DELTAFOLD_SHARED is not set: recordings are left out");
        return;
    };
    let streams = streams(PathBuf::from(shared).join("corpus/responses"));
    let chosen: Vec<(&[u8], Expected)> =
        streams.iter().filter_map(|stream| Some((stream.as_slice(), usual(stream)?))).collect();
    assert!(chosen.len() * 2 > streams.len(), "most recordings can be compared: {} of {}", chosen.len(), streams.len());
    let expected: Vec<Expected> = chosen.iter().map(|(_, expected)| *expected).collect();
    let bytes: usize = chosen.iter().map(|(stream, _)| stream.len()).sum();
    println!("recordings: {} of {}, {bytes} bytes", chosen.len(), streams.len());

    for cut in [Cut::Event, Cut::Bytes(16 << 10)] {
        let title = format!("recordings {}", cut.name());
        if !wanted(&title) {
            continue;
        }
        let chunks: Vec<Vec<&[u8]>> = chosen.iter().map(|(stream, _)| cut.chunks(stream)).collect();
        let contenders = ROADS.iter().map(|road| {
            Contender::new(road.name(), || chunks.iter().map(|chunks| road.run(chunks)).collect::<Vec<Folded>>())
        });
        let check = |name: &str, folded: &Vec<Folded>| {
            let results: Vec<Expected> = folded.iter().map(Folded::result).collect();
            if name != StreamRoad::Split.name() {
                assert_eq!(results, expected, "{name}");
            }
        };
        let events = expected.iter().map(|expected| expected.events).sum();
        println!("{}", measure(title, events, check, contenders.collect(), mode()));
    }
}

fn streams(folder: PathBuf) -> Vec<Vec<u8>> {
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "sse"));
    files.sort();
    files.iter().map(|file| std::fs::read(file).expect("a file")).collect()
}

/// What comes of a recording, if all contenders can read it: the response has the text that the deltas brought, and no more.
fn usual(stream: &[u8]) -> Option<Expected> {
    let expected = plainly(stream)?;
    let chunks = Cut::Event.chunks(stream);
    (StreamRoad::Reader.run(&chunks).result() == expected).then_some(expected)
}

fn plainly(stream: &[u8]) -> Option<Expected> {
    let text = std::str::from_utf8(stream).ok()?;
    let frames = text.strip_suffix("\n\n")?;
    let mut folded = Folded::default();
    for frame in frames.split("\n\n") {
        let mut lines = frame.split('\n').filter(|line| !line.starts_with("event: "));
        let (data, None) = (lines.next()?.strip_prefix("data: ")?, lines.next()) else { return None };
        folded.read_plainly(data).ok()?;
    }
    Some(folded.result())
}
