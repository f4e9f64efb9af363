//! [`Emitter`]: writes numbered events as SSE frames into one buffer.
//!
//! Output is taken as bytes (everything not yet taken) or one event at a time. The buffer is reused once all of it was taken, so
//! that a delta allocates nothing after the buffer has grown to the size of a batch.

use alloc::string::String;
use alloc::vec::Vec;

#[cfg(feature = "__inbound")]
use crate::contract::Kind;
use crate::json::write_string;

#[derive(Clone, Debug, Default)]
pub(crate) struct Emitter {
    out: String,
    /// Number of bytes at the front of `out` that were taken.
    taken: usize,
    /// Start and end of the JSON text of each event in `out`.
    event_ranges: Vec<(usize, usize)>,
    /// The first event that was not polled.
    next: usize,
    start: usize,
    sequence_number: u64,
    /// The number of events of earlier responses in the same output.
    #[cfg(feature = "__inbound")]
    earlier_events: u64,
    /// Where the output of this response begins in `out`.
    #[cfg(feature = "__inbound")]
    response_start: usize,
    /// Only the snapshots at both ends and errors are kept.
    #[cfg(feature = "__inbound")]
    snapshots_only: bool,
    /// The open event is counted and not kept.
    #[cfg(feature = "__inbound")]
    is_dropped: bool,
    /// Takes the members of an event that is not kept.
    #[cfg(feature = "__inbound")]
    discarded: String,
}

/// A position in the output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputPosition {
    out: usize,
    event_ranges: usize,
    sequence_number: u64,
}

impl Emitter {
    /// Begins an event: frame, type, number. The name is one of the contract or a validated extension and needs no escaping.
    pub(crate) fn open(&mut self, name: &str) {
        self.recycle();
        #[cfg(feature = "__inbound")]
        {
            self.is_dropped = self.snapshots_only && SNAPSHOTS.iter().all(|kept| kept.name() != name);
            if self.is_dropped {
                self.sequence_number += 1;
                return;
            }
        }
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
        if !self.is_dropped() {
            write_string(value, self.raw(key));
        }
    }

    pub(crate) fn number(&mut self, key: &str, value: u64) {
        if !self.is_dropped() {
            push_u64(self.raw(key), value);
        }
    }

    /// Keeps the output; the numbers of the next response begin at 0.
    #[cfg(feature = "__inbound")]
    pub(crate) fn for_next_response(self) -> Self {
        let response_start = self.out.len();
        Self { earlier_events: self.event_count(), sequence_number: 0, response_start, ..self }
    }

    /// Removes the output of this response, of which nothing was taken. With `keep_last`, its last event and what follows it remain.
    #[cfg(feature = "__inbound")]
    pub(crate) fn drop_events(&mut self, keep_last: bool) {
        let first = self.event_ranges.partition_point(|(start, _)| *start < self.response_start);
        let kept = self.event_ranges.last().copied().filter(|_| keep_last && self.event_ranges.len() > first);
        let Some((start, end)) = kept else {
            self.out.truncate(self.response_start);
            self.event_ranges.truncate(first);
            return;
        };
        // The frame of the last event begins after that of the one before it.
        let before = self.event_ranges.len().checked_sub(2).filter(|before| *before >= first);
        let frame =
            before.and_then(|before| self.event_ranges.get(before)).map_or(self.response_start, |(_, end)| end + 2);
        self.out.replace_range(self.response_start..frame, "");
        self.event_ranges.truncate(first);
        let moved = frame - self.response_start;
        self.event_ranges.push((start - moved, end - moved));
    }

    /// From now on, events between the first and the last snapshot are counted and not kept, except errors.
    #[cfg(feature = "__inbound")]
    pub(crate) fn keep_snapshots_only(&mut self) {
        self.snapshots_only = true;
    }

    /// The number of events written, of this response and of earlier ones.
    #[cfg(feature = "__inbound")]
    pub(crate) fn event_count(&self) -> u64 {
        self.earlier_events + self.sequence_number
    }

    /// Begins a member and returns the buffer for its value.
    pub(crate) fn raw(&mut self, key: &str) -> &mut String {
        if !self.is_dropped() {
            self.key(key);
        }
        self.raw_members()
    }

    /// Returns `true` if the open event is not kept, so that its members need not be written.
    pub(crate) fn is_dropped(&self) -> bool {
        #[cfg(feature = "__inbound")]
        return self.is_dropped;
        #[cfg(not(feature = "__inbound"))]
        false
    }

    /// The buffer, for members that begin with their own comma.
    pub(crate) fn raw_members(&mut self) -> &mut String {
        #[cfg(feature = "__inbound")]
        if self.is_dropped {
            return &mut self.discarded;
        }
        &mut self.out
    }

    /// Appends text that is well-formed at this position.
    pub(crate) fn verbatim(&mut self, text: &str) {
        if !self.is_dropped() {
            self.out.push_str(text);
        }
    }

    pub(crate) fn string(&mut self, text: &str) {
        if !self.is_dropped() {
            write_string(text, &mut self.out);
        }
    }

    /// Ends the event.
    pub(crate) fn close(&mut self) {
        #[cfg(feature = "__inbound")]
        if core::mem::take(&mut self.is_dropped) {
            self.discarded.clear();
            return;
        }
        self.out.push('}');
        self.event_ranges.push((self.start, self.out.len()));
        self.out.push_str("\n\n");
    }

    /// Appends text that is not an event: a comment or the sentinel.
    pub(crate) fn frame(&mut self, text: &str) {
        self.recycle();
        self.out.push_str(text);
    }

    /// Appends the output not yet taken to a buffer. An empty buffer is swapped with that of the output, so that nothing is copied.
    pub(crate) fn write_into(&mut self, out: &mut Vec<u8>) {
        if out.is_empty() && self.taken == 0 {
            let empty = core::mem::replace(out, self.take());
            self.out = String::from_utf8(empty).unwrap_or_default();
            return;
        }
        out.extend_from_slice(&self.out.as_bytes()[self.taken..]);
        self.taken = self.out.len();
        self.next = self.event_ranges.len();
    }

    pub(crate) fn take(&mut self) -> Vec<u8> {
        if self.taken == 0 {
            self.event_ranges.clear();
            self.next = 0;
            #[cfg(feature = "__inbound")]
            {
                self.response_start = 0;
            }
            return core::mem::take(&mut self.out).into_bytes();
        }
        let mut out = Vec::with_capacity(self.out.len() - self.taken);
        self.write_into(&mut out);
        out
    }

    /// The JSON text of the next event not yet taken. Comments and the sentinel are skipped, because they are SSE only.
    pub(crate) fn poll(&mut self) -> Option<&str> {
        match self.event_ranges.get(self.next) {
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

    /// The sequence number of the next event.
    pub(crate) fn sequence_number(&self) -> u64 {
        self.sequence_number
    }

    /// Stores the position, so that an intent of several steps can be undone.
    pub(crate) fn position(&mut self) -> OutputPosition {
        self.recycle();
        OutputPosition {
            out: self.out.len(),
            event_ranges: self.event_ranges.len(),
            sequence_number: self.sequence_number,
        }
    }

    /// Removes everything written since the position; none of it may have been taken.
    pub(crate) fn roll_back(&mut self, position: OutputPosition) {
        self.out.truncate(position.out);
        self.event_ranges.truncate(position.event_ranges);
        self.sequence_number = position.sequence_number;
    }

    fn recycle(&mut self) {
        if self.taken > 0 && self.taken == self.out.len() {
            self.out.clear();
            self.event_ranges.clear();
            self.taken = 0;
            self.next = 0;
            #[cfg(feature = "__inbound")]
            {
                self.response_start = 0;
            }
        }
    }

    fn key(&mut self, key: &str) {
        self.out.push_str(",\"");
        self.out.push_str(key);
        self.out.push_str("\":");
    }
}

/// The events that are kept if only snapshots are.
#[cfg(feature = "__inbound")]
const SNAPSHOTS: [Kind; 5] = [Kind::Created, Kind::Error, Kind::Completed, Kind::Incomplete, Kind::Failed];

/// Appends a decimal number without `fmt`.
pub(crate) fn push_u64(out: &mut String, mut value: u64) {
    // The largest u64 has 20 digits.
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
    out.push_str(core::str::from_utf8(&digits[at..]).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_equal_those_of_the_standard_library() {
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
