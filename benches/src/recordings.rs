//! Real recordings that every contender can read.
//!
//! They are not part of this repository; `DELTAFOLD_SHARED` names the folder that has them. The peers split frames of one `data` line
//! between line feeds and join the text of deltas, so a recording with other framing, or with text that no delta brought, is left out.
//! A simple reading of the bytes gives the expected result.

use std::path::PathBuf;

use crate::contenders::StreamReader;
use crate::shapes::{Expected, Folded};
use crate::Chunking;

/// One recorded stream.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The file name.
    pub name: String,
    /// The bytes of the stream.
    pub stream: Vec<u8>,
    /// What a correct reader gets.
    pub expected: Expected,
}

/// The recordings that every contender can read, and the number of all recordings.
#[derive(Clone, Debug)]
pub struct Recordings {
    /// Those that every contender can read.
    pub chosen: Vec<Recording>,
    /// The number of all recordings.
    pub all: usize,
}

impl Recordings {
    /// Reads the recorded Responses streams; `None` if `DELTAFOLD_SHARED` is not set.
    ///
    /// # Panics
    ///
    /// If the folder cannot be read, or if most recordings are left out.
    pub fn load() -> Option<Self> {
        let folder = PathBuf::from(std::env::var_os("DELTAFOLD_SHARED")?).join("corpus/responses");
        let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "sse"));
        files.sort();
        let recording = |file: &PathBuf| {
            let stream = std::fs::read(file).expect("a file");
            let expected = expected_of(&stream)?;
            Some(Recording { name: file.file_name()?.to_string_lossy().into_owned(), stream, expected })
        };
        let chosen: Vec<Recording> = files.iter().filter_map(recording).collect();
        assert!(chosen.len() * 10 > files.len() * 9, "{} of {} recordings can be compared", chosen.len(), files.len());
        Some(Self { chosen, all: files.len() })
    }

    /// The bytes of the chosen recordings.
    pub fn bytes(&self) -> usize {
        self.chosen.iter().map(|recording| recording.stream.len()).sum()
    }
}

/// The result of a recording, if the response has the text that the deltas brought, and no more.
fn expected_of(stream: &[u8]) -> Option<Expected> {
    let expected = read_simply(stream)?;
    let chunks = Chunking::Event.chunks(stream);
    (StreamReader::Reader.run(&chunks).result() == expected).then_some(expected)
}

fn read_simply(stream: &[u8]) -> Option<Expected> {
    let text = std::str::from_utf8(stream).ok()?;
    let frames = text.strip_suffix("\n\n")?;
    let mut folded = Folded::default();
    for frame in frames.split("\n\n") {
        let mut lines = frame.split('\n').filter(|line| !line.starts_with("event: "));
        let (data, None) = (lines.next()?.strip_prefix("data: ")?, lines.next()) else { return None };
        folded.read_simply(data).ok()?;
    }
    Some(folded.result())
}
