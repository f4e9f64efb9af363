//! [`Chunking`]: how a stream is split into chunks.

/// How a stream arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunking {
    /// As one chunk.
    Whole,
    /// In chunks of this many bytes.
    Bytes(usize),
    /// One chunk per frame, as most servers flush.
    Event,
}

impl Chunking {
    /// The name in tables: `whole`, `event`, `16k`, `7b`.
    pub fn name(self) -> String {
        match self {
            Self::Whole => "whole".into(),
            Self::Event => "event".into(),
            Self::Bytes(size) if size % 1024 == 0 => format!("{}k", size / 1024),
            Self::Bytes(size) => format!("{size}b"),
        }
    }

    /// The chunking that has this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "whole" => Self::Whole,
            "event" => Self::Event,
            _ if name.ends_with('k') => Self::Bytes(name.trim_end_matches('k').parse::<usize>().ok()? * 1024),
            _ => Self::Bytes(name.strip_suffix('b')?.parse().ok()?),
        })
    }

    /// Splits a stream.
    pub fn chunks(self, stream: &[u8]) -> Vec<&[u8]> {
        match self {
            Self::Whole => vec![stream],
            Self::Bytes(size) => stream.chunks(size).collect(),
            Self::Event => {
                let mut chunks = Vec::new();
                let mut from = 0;
                for at in 1..stream.len() {
                    // A frame ends after its blank line; no shape has two blank lines in a row.
                    if stream[at] == b'\n' && stream[at - 1] == b'\n' {
                        chunks.push(&stream[from..=at]);
                        from = at + 1;
                    }
                }
                if from < stream.len() {
                    chunks.push(&stream[from..]);
                }
                chunks
            }
        }
    }
}
