//! The lower bound of framing: splits frames with memchr and knows only LF, `event:` and `data:`.

use memchr::memchr;

/// Splits chunks into frames. A frame inside a chunk is not copied; one that spans chunks is joined once.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    held: Vec<u8>,
    joined: Vec<u8>,
}

impl Splitter {
    /// Calls `take` with the name and the data of each frame that the chunk completes.
    #[inline]
    pub fn feed(&mut self, chunk: &[u8], mut take: impl FnMut(&[u8], &[u8])) {
        let mut rest = chunk;
        if !self.held.is_empty() {
            let Some(end) = self.end_of_held(rest) else {
                self.held.extend_from_slice(rest);
                return;
            };
            self.held.extend_from_slice(&rest[..end]);
            rest = &rest[end..];
            frame(&self.held, &mut self.joined, &mut take);
            self.held.clear();
        }
        while let Some(end) = end_of_frame(rest) {
            frame(&rest[..end], &mut self.joined, &mut take);
            rest = &rest[end..];
        }
        self.held.extend_from_slice(rest);
    }

    /// The position in the chunk where the held frame ends; the blank line may span both chunks.
    fn end_of_held(&self, chunk: &[u8]) -> Option<usize> {
        if self.held.ends_with(b"\n") && chunk.first() == Some(&b'\n') {
            return Some(1);
        }
        end_of_frame(chunk)
    }
}

#[inline]
fn frame(frame: &[u8], joined: &mut Vec<u8>, take: &mut impl FnMut(&[u8], &[u8])) {
    let (mut name, mut data): (&[u8], &[u8]) = (b"", b"");
    let mut lines = 0;
    let mut rest = frame;
    while let Some(end) = memchr(b'\n', rest) {
        let line = &rest[..end];
        rest = &rest[end + 1..];
        if let Some(value) = line.strip_prefix(b"data: ") {
            lines += 1;
            if lines == 1 {
                data = value;
                continue;
            }
            if lines == 2 {
                joined.clear();
                joined.extend_from_slice(data);
            }
            joined.push(b'\n');
            joined.extend_from_slice(value);
        } else if let Some(value) = line.strip_prefix(b"event: ") {
            name = value;
        }
    }
    take(name, if lines > 1 { joined } else { data });
}

/// The position after the blank line that ends the first frame.
#[inline]
fn end_of_frame(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr(b'\n', &bytes[at..])? + 1;
        if bytes.get(at) == Some(&b'\n') {
            return Some(at + 1);
        }
    }
}
