//! What JavaScript is told of a payload that it parses when somebody looks: its members, and the short ones with their values.
//!
//! As JSON: `[{members before the first long one}, …]`, and then for every other member its name if it is long, or `["name",value]`.
//! So an object can be made that has all of its names, and what routes an event, without reading what is long.

use alloc::vec::Vec;

use deltafold::Event;
use memchr::memchr;

/// Payloads from this length on are parsed when somebody looks.
const LAZY: usize = 512;

/// Those of a done event, where they are not walked.
const LAZY_DONE: usize = 2048;

/// A value that is longer, as it was written, is a long one.
const SHORT: usize = 64;

/// Appends the outline of an event; nothing for one that is parsed at once.
pub(crate) fn write(event: &Event<'_>, out: &mut Vec<u8>) {
    let payload = event.raw();
    // The reader has looked into all payloads but those of a whole string, and walking these takes less than what it would have to
    // build for that.
    let walked = cfg!(feature = "fast") && event.kind().is_done();
    let least = if event.kind().is_done() && !walked { LAZY_DONE } else { LAZY };
    if payload.len() < least || event.fault().is_some() {
        return;
    }
    if walked {
        let bytes = payload.as_bytes();
        let known = event.logprobs().map_or((0, 0), |list| {
            let start = list.as_ptr() as usize - payload.as_ptr() as usize;
            (start, start + list.len())
        });
        members(&mut Walk { bytes, at: 1 + blanks(bytes, 0), known }, out);
    } else if let Some(root) = event.root() {
        members(&mut root.entries().map(|(name, value)| (name.raw().as_bytes(), value.raw().as_bytes())), out);
    }
}

fn members<'a>(members: &mut dyn Iterator<Item = (&'a [u8], &'a [u8])>, out: &mut Vec<u8>) {
    put(&[b"[{"], out);
    let start = out.len();
    let mut within = true;
    for (name, value) in members {
        let short = value.len() <= SHORT;
        if within && !short {
            out.push(b'}');
            within = false;
        }
        if out.len() > start {
            out.push(b',');
        }
        match (within, short) {
            (true, _) => put(&[name, b":", value], out),
            (false, true) => put(&[b"[", name, b",", value, b"]"], out),
            (false, false) => put(&[name], out),
        }
    }
    put(&[if within { b"}]" } else { b"]" }], out);
}

fn put(pieces: &[&[u8]], out: &mut Vec<u8>) {
    for piece in pieces {
        out.extend_from_slice(piece);
    }
}

/// The members of an object that is known to be well-formed: names and values as they were written.
struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Start and end of a value that need not be looked for: lists of log probabilities are most of a payload.
    known: (usize, usize),
}

impl<'a> Iterator for Walk<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let start = blanks(self.bytes, self.at);
        // The end of the object is no name.
        if self.bytes.get(start) != Some(&b'"') {
            return None;
        }
        let end = string_end(self.bytes, start + 1)?;
        let from = blanks(self.bytes, 1 + blanks(self.bytes, end));
        let to = if from == self.known.0 { self.known.1 } else { from };
        let to = value_end(self.bytes, to)?;
        self.at = to + 1;
        Some((self.bytes.get(start..end)?, self.bytes.get(from..to)?))
    }
}

/// The first position from here on that has no white space.
fn blanks(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| **byte <= b' ').count()
}

/// Where the value ends that begins here, or has ended already: at the comma or bracket behind it. White space before that counts
/// to it.
fn value_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0;
    loop {
        match *bytes.get(at)? {
            b'"' => {
                at = string_end(bytes, at + 1)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b',' | b'}' | b']' if depth == 0 => return Some(at),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
}

/// The position behind the closing quote of a string whose first inner byte is at `start`.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr(b'"', bytes.get(at..)?)?;
        // A quote is part of the string if an odd number of backslashes stands before it.
        let before = bytes.get(start..at)?.iter().rev().take_while(|byte| **byte == b'\\').count();
        at += 1;
        if before % 2 == 0 {
            return Some(at);
        }
    }
}
