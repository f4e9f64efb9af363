//! Where a capture is split: [`EventSplitter`] finds its events, [`ChunkSize`] splits them further.

/// Finds where an event ends: at a blank line, or at the end of a line if each line is a message.
///
/// A capture of neither format is returned in the chunks in which it was pushed.
#[derive(Default)]
pub(crate) struct EventSplitter {
    bytes: Vec<u8>,
    /// How many of the bytes were returned.
    at: usize,
    format: Option<CaptureFormat>,
}

/// The format of a capture, detected from its first byte.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CaptureFormat {
    Sse,
    JsonLines,
    Binary,
}

impl EventSplitter {
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.bytes.drain(..std::mem::take(&mut self.at));
        self.bytes.extend_from_slice(chunk);
        let first = self.bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        self.format = self.format.or(first.map(|byte| match byte {
            b'{' | b'[' => CaptureFormat::JsonLines,
            0..=8 => CaptureFormat::Binary,
            _ => CaptureFormat::Sse,
        }));
    }

    /// Returns the next complete event, including the line ends that terminate it.
    pub(crate) fn next(&mut self) -> Option<&[u8]> {
        let rest = self.bytes.get(self.at..)?;
        let length = match self.format? {
            CaptureFormat::Binary => Some(rest.len()).filter(|length| *length > 0),
            CaptureFormat::JsonLines => rest.iter().position(|byte| *byte == b'\n').map(|at| at + 1),
            CaptureFormat::Sse => frame_end(rest),
        }?;
        let from = self.at;
        self.at += length;
        self.bytes.get(from..self.at)
    }

    /// Returns the incomplete event at the end, once.
    pub(crate) fn remainder(&mut self) -> &[u8] {
        let from = std::mem::replace(&mut self.at, self.bytes.len());
        self.bytes.get(from..).unwrap_or_default()
    }

    #[cfg(all(feature = "serve", not(target_family = "wasm")))]
    pub(crate) fn format(&self) -> Option<CaptureFormat> {
        self.format
    }
}

/// Returns the position after the first blank line. A line ends with LF, CRLF or CR.
fn frame_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut empty = true;
    while let Some(byte) = bytes.get(at) {
        let end = match byte {
            b'\n' => 1,
            // The LF of a CRLF may be in the next chunk: wait for it.
            b'\r' => match bytes.get(at + 1)? {
                b'\n' => 2,
                _ => 1,
            },
            _ => 0,
        };
        at += end.max(1);
        if end > 0 && empty {
            return Some(at);
        }
        empty = end > 0;
    }
    None
}

/// How many bytes of an event are sent at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChunkSize {
    Whole,
    Bytes(usize),
    /// From 1 to 64 bytes; holds the state of the generator (xorshift).
    Random(u64),
}

impl ChunkSize {
    /// Returns the length of the next chunk of an event of which `remaining` bytes, at least one, are left.
    pub(crate) fn next(&mut self, remaining: usize) -> usize {
        match self {
            Self::Whole => remaining,
            Self::Bytes(length) => remaining.min(*length),
            Self::Random(state) => {
                *state ^= *state << 13;
                *state ^= *state >> 7;
                *state ^= *state << 17;
                remaining.min((*state % 64) as usize + 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ChunkSize, EventSplitter};

    fn split(chunks: &[&[u8]]) -> Vec<String> {
        let mut splitter = EventSplitter::default();
        let mut events = Vec::new();
        for chunk in chunks {
            splitter.push(chunk);
            while let Some(event) = splitter.next() {
                events.push(String::from_utf8_lossy(event).into_owned());
            }
        }
        events.push(String::from_utf8_lossy(splitter.remainder()).into_owned());
        events
    }

    #[test]
    fn events_end_at_blank_lines_of_any_kind() {
        assert_eq!(
            split(&[b"data: 1\n\ndata: 2\r\n\r\ndata: 3\r\rrest"]),
            ["data: 1\n\n", "data: 2\r\n\r\n", "data: 3\r\r", "rest"]
        );
        assert_eq!(split(&[b"data: 1\r\n", b"\r", b"\ndata: 2\n", b"\n"]), ["data: 1\r\n\r\n", "data: 2\n\n", ""]);
        assert_eq!(split(&[b"{\"a\":1}\n{\"b\"", b":2}\n{"]), ["{\"a\":1}\n", "{\"b\":2}\n", "{"]);
    }

    #[test]
    fn chunk_lengths_add_up_and_depend_only_on_the_seed() {
        let lengths = |mut size: ChunkSize| {
            let (mut remaining, mut lengths) = (5_000, Vec::new());
            while remaining > 0 {
                lengths.push(size.next(remaining));
                remaining -= lengths.last().unwrap();
            }
            lengths
        };
        assert_eq!(lengths(ChunkSize::Whole), [5_000]);
        assert_eq!(lengths(ChunkSize::Bytes(7)).len(), 5_000_usize.div_ceil(7));
        assert_eq!(lengths(ChunkSize::Random(3)), lengths(ChunkSize::Random(3)));
        assert_ne!(lengths(ChunkSize::Random(3)), lengths(ChunkSize::Random(4)));
    }
}
