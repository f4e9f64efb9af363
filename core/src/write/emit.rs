//! [`Emitter`]: event text straight into one buffer, framed as SSE, numbered.
//!
//! Two ways lead out: bytes (everything not yet taken) or one event at a time. The buffer is reused as soon as all of it
//! was taken, so a delta costs no allocation once the buffer has grown to the size of a batch.

use alloc::string::String;
use alloc::vec::Vec;

use crate::json::write_string;

#[derive(Clone, Debug, Default)]
pub(crate) struct Emitter {
    out: String,
    /// Bytes at the front of `out` that were taken.
    taken: usize,
    /// Where the JSON text of each event stands in `out`.
    marks: Vec<(usize, usize)>,
    /// The first mark that was not polled.
    next: usize,
    start: usize,
    sequence_number: u64,
}

/// A place in the output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    out: usize,
    marks: usize,
    sequence_number: u64,
}

impl Emitter {
    /// Opens an event: frame, type, number. The name is one of the contract's or a checked extension, so it needs no
    /// escaping.
    pub(crate) fn open(&mut self, name: &str) {
        self.recycle();
        self.out.push_str("event: ");
        self.out.push_str(name);
        self.out.push_str("\ndata: ");
        self.start = self.out.len();
        self.out.push_str("{\"type\":\"");
        self.out.push_str(name);
        self.out.push_str("\",\"sequence_number\":");
        push_u64(&mut self.out, self.sequence_number);
        self.sequence_number += 1;
    }

    pub(crate) fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        write_string(value, &mut self.out);
    }

    pub(crate) fn number(&mut self, key: &str, value: u64) {
        self.key(key);
        push_u64(&mut self.out, value);
    }

    /// Opens a member and gives the buffer for its value.
    pub(crate) fn raw(&mut self, key: &str) -> &mut String {
        self.key(key);
        &mut self.out
    }

    /// The buffer, for members that bring their own commas.
    pub(crate) fn raw_members(&mut self) -> &mut String {
        &mut self.out
    }

    /// Text that is known to be well formed where it goes.
    pub(crate) fn verbatim(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(crate) fn string(&mut self, text: &str) {
        write_string(text, &mut self.out);
    }

    /// Closes the event.
    pub(crate) fn close(&mut self) {
        self.out.push('}');
        self.marks.push((self.start, self.out.len()));
        self.out.push_str("\n\n");
    }

    /// Writes text that is no event: a comment, the sentinel.
    pub(crate) fn frame(&mut self, text: &str) {
        self.recycle();
        self.out.push_str(text);
    }

    /// Appends what was not taken to a buffer.
    pub(crate) fn write_into(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.out.as_bytes()[self.taken..]);
        self.taken = self.out.len();
        self.next = self.marks.len();
    }

    pub(crate) fn take(&mut self) -> Vec<u8> {
        if self.taken == 0 {
            self.marks.clear();
            self.next = 0;
            return core::mem::take(&mut self.out).into_bytes();
        }
        let mut out = Vec::with_capacity(self.out.len() - self.taken);
        self.write_into(&mut out);
        out
    }

    /// The JSON text of the next event that was not taken. Comments and the sentinel are passed over: they belong to SSE.
    pub(crate) fn poll(&mut self) -> Option<&str> {
        match self.marks.get(self.next) {
            Some((start, end)) => {
                self.next += 1;
                self.taken = end + 2;
                Some(&self.out[*start..*end])
            }
            None => {
                self.taken = self.out.len();
                None
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.taken == self.out.len()
    }

    /// The number that the next event gets.
    pub(crate) fn sequence_number(&self) -> u64 {
        self.sequence_number
    }

    /// Where the output stands, to come back to if an intent of several steps is refused halfway.
    pub(crate) fn mark(&mut self) -> Mark {
        self.recycle();
        Mark { out: self.out.len(), marks: self.marks.len(), sequence_number: self.sequence_number }
    }

    /// Takes back everything written since the mark; nothing may have been taken since.
    pub(crate) fn back_to(&mut self, mark: Mark) {
        self.out.truncate(mark.out);
        self.marks.truncate(mark.marks);
        self.sequence_number = mark.sequence_number;
    }

    fn recycle(&mut self) {
        if self.taken > 0 && self.taken == self.out.len() {
            self.out.clear();
            self.marks.clear();
            self.taken = 0;
            self.next = 0;
        }
    }

    fn key(&mut self, key: &str) {
        self.out.push_str(",\"");
        self.out.push_str(key);
        self.out.push_str("\":");
    }
}

/// Appends a number without going through `fmt`.
pub(crate) fn push_u64(out: &mut String, mut value: u64) {
    // 20 digits hold the largest u64.
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend(digits[at..].iter().map(|digit| char::from(*digit)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_standard_library_writes_them() {
        for value in [0, 7, 10, 99, 100, 4_294_967_296, u64::MAX] {
            let mut out = String::new();
            push_u64(&mut out, value);
            assert_eq!(out, alloc::format!("{value}"));
        }
    }

    #[test]
    fn polling_and_taking_share_one_queue() {
        let mut emitter = Emitter::default();
        emitter.open("a:b");
        emitter.close();
        emitter.open("a:c");
        emitter.close();
        assert_eq!(emitter.poll(), Some(r#"{"type":"a:b","sequence_number":0}"#));
        let rest = emitter.take();
        assert_eq!(rest, b"event: a:c\ndata: {\"type\":\"a:c\",\"sequence_number\":1}\n\n");
        assert!(emitter.is_empty() && emitter.poll().is_none());
        emitter.frame(": \n\n");
        assert_eq!(emitter.take(), b": \n\n");
    }
}
