//! The outline of a large payload, which JavaScript parses only on access: the names of its members, and the values of short ones.
//!
//! As JSON: `[{members before the first long one}, …]`, then for every other member its name if the value is long, or `["name",value]`.
//! JavaScript builds an object with all names and with the routing fields from it, without reading the long values.

use alloc::vec::Vec;

use deltafold::Event;
use memchr::memchr;

/// Payloads from this length on are parsed only when JavaScript reads one of their members.
const LAZY: usize = 512;

/// A value with more bytes is long.
const SHORT: usize = 64;

/// Appends the outline of an event; nothing if JavaScript parses the payload at once.
pub(crate) fn write(event: &Event<'_>, out: &mut Vec<u8>) {
    let payload = event.raw();
    if payload.len() < LAZY || event.fault().is_some() {
        return;
    }
    // The reader has parsed all payloads except those of done events. Walking these takes less time than parsing them.
    if event.kind().is_done() {
        let bytes = payload.as_bytes();
        let known = event.logprobs().map_or((0, 0), |list| {
            let start = list.as_ptr() as usize - payload.as_ptr() as usize;
            (start, start + list.len())
        });
        members(&mut RawMembers { bytes, at: 1 + blanks(bytes, 0), known }, out);
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

/// Iterates over the members of a well-formed object: names and values in their source text.
struct RawMembers<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Start and end of the list of log probabilities, which is skipped: it can be most of a payload.
    known: (usize, usize),
}

impl<'a> Iterator for RawMembers<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let start = blanks(self.bytes, self.at);
        // `}` instead of a name: the end of the object.
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

/// The first position from `at` without white space.
fn blanks(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| **byte <= b' ').count()
}

/// The end of the value at `at`, which is the position of the next comma or bracket: white space before it belongs to the value.
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

/// The position after the closing quote of a string whose first inner byte is at `start`.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr(b'"', bytes.get(at..)?)?;
        // A quote after an odd number of backslashes is part of the string.
        let before = bytes.get(start..at)?.iter().rev().take_while(|byte| **byte == b'\\').count();
        at += 1;
        if before % 2 == 0 {
            return Some(at);
        }
    }
}
