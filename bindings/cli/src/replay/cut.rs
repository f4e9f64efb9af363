//! Where a capture is cut: [`Cutter`] finds its events, [`Pieces`] cuts them further.

use crate::Failure;

/// Finds where an event ends: at a blank line, or at the end of a line where each is a message of its own.
///
/// A capture that is neither comes out in the chunks that it went in.
#[derive(Default)]
pub(crate) struct Cutter {
    bytes: Vec<u8>,
    /// What was handed out.
    at: usize,
    kind: Option<Kind>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Frames,
    Lines,
    Binary,
}

impl Cutter {
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.bytes.drain(..std::mem::take(&mut self.at));
        self.bytes.extend_from_slice(chunk);
        let first = self.bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        self.kind = self.kind.or(first.map(|byte| match byte {
            b'{' | b'[' => Kind::Lines,
            0..=8 => Kind::Binary,
            _ => Kind::Frames,
        }));
    }

    /// The next whole event, with what ends it.
    pub(crate) fn next(&mut self) -> Option<&[u8]> {
        let rest = self.bytes.get(self.at..)?;
        let length = match self.kind? {
            Kind::Binary => Some(rest.len()).filter(|length| *length > 0),
            Kind::Lines => rest.iter().position(|byte| *byte == b'\n').map(|at| at + 1),
            Kind::Frames => frame_end(rest),
        }?;
        let from = self.at;
        self.at += length;
        self.bytes.get(from..self.at)
    }

    /// What is left without an end.
    pub(crate) fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Says whether each line is a message of its own.
    pub(crate) fn is_lines(&self) -> bool {
        self.kind == Some(Kind::Lines)
    }

    /// Says whether it is no text.
    pub(crate) fn is_binary(&self) -> bool {
        self.kind == Some(Kind::Binary)
    }
}

/// Behind the first blank line. A line ends with LF, CRLF or CR.
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

/// How an event is cut further.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pieces {
    Whole,
    Of(usize),
    /// The state of a generator (xorshift); the same seed cuts the same way.
    Random(u64),
}

impl Pieces {
    pub(crate) fn each(
        &mut self,
        mut bytes: &[u8],
        write: &mut impl FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        while !bytes.is_empty() {
            let length = match self {
                Self::Whole => bytes.len(),
                Self::Of(length) => *length,
                Self::Random(state) => {
                    *state ^= *state << 13;
                    *state ^= *state >> 7;
                    *state ^= *state << 17;
                    (*state % 64) as usize + 1
                }
            };
            let (piece, rest) = bytes.split_at(length.min(bytes.len()));
            write(piece)?;
            bytes = rest;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Cutter, Pieces};

    fn cut(chunks: &[&[u8]]) -> Vec<String> {
        let mut cutter = Cutter::default();
        let mut events = Vec::new();
        for chunk in chunks {
            cutter.push(chunk);
            while let Some(event) = cutter.next() {
                events.push(String::from_utf8_lossy(event).into_owned());
            }
        }
        events.push(String::from_utf8_lossy(cutter.rest()).into_owned());
        events
    }

    #[test]
    fn events_end_at_blank_lines_of_any_kind() {
        assert_eq!(
            cut(&[b"data: 1\n\ndata: 2\r\n\r\ndata: 3\r\rrest"]),
            ["data: 1\n\n", "data: 2\r\n\r\n", "data: 3\r\r", "rest"]
        );
        assert_eq!(cut(&[b"data: 1\r\n", b"\r", b"\ndata: 2\n", b"\n"]), ["data: 1\r\n\r\n", "data: 2\n\n", ""]);
        assert_eq!(cut(&[b"{\"a\":1}\n{\"b\"", b":2}\n{"]), ["{\"a\":1}\n", "{\"b\":2}\n", "{"]);
    }

    #[test]
    fn pieces_add_up_and_the_seed_decides() {
        let bytes: Vec<u8> = (0..=255).cycle().take(5_000).collect();
        let pieces = |mut pieces: Pieces| {
            let mut all = Vec::new();
            let done = pieces.each(&bytes, &mut |piece| {
                all.push(piece.to_vec());
                Ok(())
            });
            assert!(done.is_ok());
            assert_eq!(all.concat(), bytes);
            all
        };
        assert_eq!(pieces(Pieces::Of(7)).len(), 5_000_usize.div_ceil(7));
        assert_eq!(pieces(Pieces::Random(3)), pieces(Pieces::Random(3)));
        assert_ne!(pieces(Pieces::Random(3)), pieces(Pieces::Random(4)));
    }
}
