//! Ways to split a stream into chunks. The result must never depend on the split.

use crate::Random;

/// One way to split bytes into chunks. Its `Debug` text in a failure message is sufficient to repeat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// All in one chunk.
    Whole,
    /// One byte in each chunk.
    Bytes,
    /// One byte in each chunk, with an empty chunk before and after each.
    BytesAndEmpty,
    /// This many bytes in each chunk.
    Every(usize),
    /// Two chunks, split at this position, with an empty one between them.
    Two(usize),
    /// Random lengths, with empty chunks among them, from this seed.
    Random(u64),
}

impl Split {
    /// Splits the bytes. Joined, the chunks are the bytes again.
    pub fn chunks(self, bytes: &[u8]) -> Vec<&[u8]> {
        match self {
            Self::Whole => vec![bytes],
            Self::Bytes => bytes.chunks(1).collect(),
            Self::BytesAndEmpty => {
                let mut chunks: Vec<&[u8]> = vec![&[]];
                for byte in bytes.chunks(1) {
                    chunks.extend([byte, &[]]);
                }
                chunks
            }
            Self::Every(length) => bytes.chunks(length.max(1)).collect(),
            Self::Two(at) => {
                let (front, back) = bytes.split_at(at.min(bytes.len()));
                vec![front, &[], back]
            }
            Self::Random(seed) => {
                let mut random = Random::new(seed);
                // Some seeds split finely, some coarsely.
                let most = [2, 4, 16, 64, 512][random.below(5)];
                let (mut chunks, mut rest) = (Vec::new(), bytes);
                while !rest.is_empty() {
                    let (chunk, after) = rest.split_at(random.below(most).min(rest.len()));
                    chunks.push(chunk);
                    rest = after;
                }
                chunks
            }
        }
    }
}

/// Returns the splits that every vector runs with: whole, byte by byte, with empty chunks, in threes, in two at every
/// position, and at eight seeds of random lengths.
///
/// Above 5,000 bytes, streams are split in two at the first and last 100 positions and at some 200 between them, unless
/// the environment variable `DELTAFOLD_EVERY_CUT` is set.
pub fn splits(bytes: &[u8]) -> Vec<Split> {
    let length = bytes.len();
    let mut all = vec![Split::Whole, Split::Bytes, Split::BytesAndEmpty, Split::Every(3)];
    if length <= 5_000 || std::env::var_os("DELTAFOLD_EVERY_CUT").is_some() {
        all.extend((0..=length).map(Split::Two));
    } else {
        // An odd step does not coincide with lines of even length.
        let step = (length / 200) | 1;
        all.extend((0..100).chain((100..length - 100).step_by(step)).chain(length - 100..=length).map(Split::Two));
    }
    all.extend((1..=8).map(Split::Random));
    all
}
