//! The reader's inputs: fed bytes are kept until their block is complete.
//!
//! An event is read from a whole block, so a block that a chunk border splits is kept until its end arrives: then it costs the
//! same in any split. A block that is too long to wait for goes to the decoder piece by piece.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use memchr::{memchr_iter, memrchr2};

use super::{InputPhase, Reader};
use crate::error::{Code, Error};
use crate::event::BlockHead;
use crate::sse::Frame;

impl Reader {
    /// Takes bytes of an event stream, split anywhere. Nothing is read yet: poll for events.
    ///
    /// # Errors
    ///
    /// [`Code::BufferLimit`] if more bytes are pending than the limit or the machine's memory allows, [`Code::AfterFinish`] after the end of input, or the
    /// error that ended reading.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Error> {
        let before = self.pending.len();
        // A small chunk is often the middle of a pending block.
        let more = self.ready <= self.at
            && self.at < before
            && chunk.len() <= SMALL_BYTES.min(self.pending.capacity() - before)
            && before - self.at < SMALL_BLOCK
            && !chunk.is_empty()
            && self.can_append_only();
        if !more {
            return self.feed_blocks(chunk);
        }
        self.activity += chunk.len() as u64;
        self.pending.extend_from_slice(chunk);
        if may_end_block(self.pending.get(before - 1..).unwrap_or_default()) {
            self.release_complete_blocks(before);
        }
        Ok(())
    }

    /// Takes a chunk that is most often one or several whole blocks, after the earlier ones were read. A function of its own,
    /// because registers that its longest path saves would be saved for all paths.
    #[inline(never)]
    fn feed_blocks(&mut self, chunk: &[u8]) -> Result<(), Error> {
        let read = self.at_block_boundary && self.at == self.pending.len() && self.input == InputPhase::Open;
        if !read || !chunk.ends_with(b"\n\n") || chunk.len() > self.options.limits.buffered_bytes {
            return self.feed_general(chunk);
        }
        self.pending.clear();
        (self.at, self.ready) = (0, 0);
        self.reserve_large_chunk(chunk.len());
        if chunk.len() > self.pending.capacity() {
            return self.feed_general(chunk);
        }
        self.activity += chunk.len() as u64;
        self.pending.extend_from_slice(chunk);
        self.ready = chunk.len();
        Ok(())
    }

    /// Allocates room for a large chunk when nothing is pending: exactly its size, after freeing the old buffer. Doubling would take
    /// several times the largest event.
    #[inline]
    fn reserve_large_chunk(&mut self, length: usize) {
        if length > self.pending.capacity() && length > LARGE_CHUNK {
            self.pending = Vec::new();
            // A failed allocation is reported where the bytes are copied.
            let _ = self.pending.try_reserve_exact(length);
        }
    }

    /// Returns `true` if the reader accepts bytes and only has to append them to the others.
    #[inline]
    fn can_append_only(&self) -> bool {
        self.fatal.is_none()
            && self.input == InputPhase::Open
            && self.events > 0
            && SMALL_BLOCK <= self.options.limits.buffered_bytes.min(self.decoder.safe_bytes())
    }

    fn feed_general(&mut self, chunk: &[u8]) -> Result<(), Error> {
        if self.fatal.is_some() || self.input != InputPhase::Open || chunk.is_empty() {
            return self.check_open();
        }
        self.activity += chunk.len() as u64;
        if self.at == self.pending.len() {
            self.pending.clear();
            self.reserve_large_chunk(chunk.len());
            self.at = 0;
            self.ready = 0;
        }
        // An incomplete block does not count: it is bounded, and could not have been polled.
        let waiting = self.ready.saturating_sub(self.at);
        if waiting.saturating_add(chunk.len()) > self.options.limits.buffered_bytes {
            let detail = format!("limit {}", self.options.limits.buffered_bytes);
            return Err(self.fail(Error::new(Code::BufferLimit, self.decoder.offset(), detail)));
        }
        if self.at > 0 && self.pending.len() + chunk.len() > self.pending.capacity() {
            self.pending.drain(..self.at);
            self.ready = self.ready.saturating_sub(self.at);
            self.at = 0;
        }
        let before = self.pending.len();
        // As large as the caller's chunk, so this allocation must be able to fail: it is an error instead of an abort.
        if self.pending.try_reserve(chunk.len()).is_err() {
            return Err(self.fail(Error::new(Code::BufferLimit, self.decoder.offset(), NO_MEMORY)));
        }
        self.pending.extend_from_slice(chunk);
        self.release_complete_blocks(before);
        if self.events == 0 {
            self.foreign.keep_start(chunk);
        }
        Ok(())
    }

    /// Takes one message that is already JSON: a WebSocket message, a line of a log, a stored event.
    ///
    /// # Errors
    ///
    /// As for [`feed`](Self::feed); a message counts as 32 bytes at least. [`Code::FrameLimit`] for a message beyond the limit of a frame.
    pub fn feed_json(&mut self, message: &str) -> Result<(), Error> {
        self.check_open()?;
        self.activity += 1;
        if message.len() > self.options.limits.frame_bytes {
            let detail = format!("limit {}", self.options.limits.frame_bytes);
            return Err(self.fail(Error::new(Code::FrameLimit, self.message_offset, detail)));
        }
        self.at_block_boundary = false;
        let waiting = self.waiting_bytes.saturating_add(message_bytes(message));
        if waiting > self.options.limits.buffered_bytes {
            let detail = format!("limit {}", self.options.limits.buffered_bytes);
            return Err(self.fail(Error::new(Code::BufferLimit, self.message_offset, detail)));
        }
        let mut kept = String::new();
        if kept.try_reserve_exact(message.len()).is_err() {
            return Err(self.fail(Error::new(Code::BufferLimit, self.message_offset, NO_MEMORY)));
        }
        kept.push_str(message);
        self.waiting_bytes = waiting;
        self.messages.push_back(kept);
        Ok(())
    }

    /// Ends the input. Later polls may return an event whose blank line is missing.
    pub fn end(&mut self) {
        if self.input == InputPhase::Open {
            self.input = InputPhase::Ended;
            self.ready = self.pending.len();
        }
    }

    /// Returns `true` if polling may return an event; otherwise more input is needed. Reads nothing.
    #[inline]
    pub fn is_ready(&self) -> bool {
        self.at < self.ready || !self.messages.is_empty() || self.input == InputPhase::Ended || self.fatal.is_some()
    }

    /// Estimates whether the next event is at least `bytes` long, so that a binding can release a lock such as the GIL first.
    /// The estimate uses the next line ends; it reads nothing.
    #[inline]
    pub(crate) fn next_is_long(&self, bytes: usize) -> bool {
        if let Some(message) = self.messages.front() {
            return message.len() >= bytes;
        }
        let rest = self.pending.get(self.at..self.ready).unwrap_or_default();
        // The event name, the data and a blank line end within these bytes.
        rest.get(..bytes).is_some_and(|near| memchr_iter(b'\n', near).nth(2).is_none())
    }

    /// The offset in the stream up to which every event ends within `bytes` from here: for events that begin before it,
    /// [`next_is_long`](Self::next_is_long) returns `false`.
    pub(crate) fn short_events_end(&self, bytes: usize) -> u64 {
        let rest = self.pending.get(self.at..self.ready).unwrap_or_default();
        let near = rest.get(..bytes).unwrap_or(rest);
        let end = last_block_end(near).filter(|end| near.get(..*end).is_some_and(|block| block.ends_with(b"\n\n")));
        self.offset() + end.unwrap_or(0) as u64
    }

    /// Determines how many of the pending bytes may be read, after bytes were appended at `before`.
    ///
    /// An incomplete block is held back, so that it is read at once in any split. A long block, and lines that do not
    /// end in LF, are not held back.
    #[inline]
    fn release_complete_blocks(&mut self, before: usize) {
        let from = before.saturating_sub(1);
        let new = self.pending.get(from..).unwrap_or_default();
        match last_block_end(new) {
            Some(end) => self.ready = from + end,
            None => {
                let most = HELD_BYTES.min(self.decoder.safe_bytes());
                if !self.decoder.between_blocks() || self.pending.len() - self.at > most {
                    self.ready = self.pending.len();
                }
            }
        }
    }

    fn check_open(&self) -> Result<(), Error> {
        match &self.fatal {
            Some(stop) => Err(stop.clone()),
            None if self.input != InputPhase::Open => Err(Error::new(Code::AfterFinish, self.decoder.offset(), "")),
            None => Ok(()),
        }
    }
}

/// The head of a frame's block, if the block has one data line, at most an event name, and nothing else.
#[inline]
pub(super) fn block_head<'a>(frame: &Frame<'a>) -> Option<BlockHead<'a>> {
    if frame.data_lines != 1 || frame.invalid_utf8.is_some() || !frame.features.is_simple() {
        return None;
    }
    let name = frame.features.event().then_some(frame.event);
    let name_line = name.map_or(0, |name| "event: \n".len() + name.len());
    let data = match (frame.data_offset - frame.offset).checked_sub(name_line as u64) {
        Some(6) => "data: ",
        Some(5) => "data:",
        _ => return None,
    };
    Some(BlockHead { name, data })
}

/// The position after the last blank line; the end of the bytes, if they have a CR, which makes line ends ambiguous.
#[inline]
fn last_block_end(bytes: &[u8]) -> Option<usize> {
    if bytes.ends_with(b"\n\n") {
        return Some(bytes.len());
    }
    let mut rest = bytes;
    loop {
        let at = memrchr2(b'\n', b'\r', rest)?;
        let before = at.checked_sub(1).and_then(|before| rest.get(before));
        if rest.get(at) == Some(&b'\r') || before == Some(&b'\r') {
            return Some(bytes.len());
        }
        if before == Some(&b'\n') {
            return Some(at + 1);
        }
        rest = rest.get(..at)?;
    }
}

/// Returns `true` if a block may end in a few bytes, because they have a line end. Two words, which may overlap, cover them.
#[inline]
fn may_end_block(bytes: &[u8]) -> bool {
    match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(first), Some(last)) if bytes.len() <= 16 => {
            may_end_line(u64::from_le_bytes(*first)) || may_end_line(u64::from_le_bytes(*last))
        }
        _ => true,
    }
}

/// Returns `true` if a word has a byte below 0x10, as LF and CR are.
#[inline]
fn may_end_line(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    word.wrapping_sub(ONES * 0x10) & !word & (ONES * 0x80) != 0
}

/// The size that a pending message counts as: an empty one takes memory, too.
pub(super) fn message_bytes(message: &str) -> usize {
    message.len().max(32)
}

/// The reason why a chunk was refused that the limits allow.
const NO_MEMORY: &str = "out of memory";

/// The maximum number of bytes of an incomplete block that are held back.
const HELD_BYTES: usize = 1 << 16;

/// A chunk of this size gets an exact allocation.
const LARGE_CHUNK: usize = 1 << 16;

/// A small chunk: with the byte before it, at most two words.
const SMALL_BYTES: usize = 15;

/// A block up to this length is held back until its end.
const SMALL_BLOCK: usize = 1 << 15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_estimates_whether_its_next_event_is_long() {
        let mut reader = Reader::new();
        assert!(!reader.is_ready() && !reader.next_is_long(1));
        for _ in 0..2 {
            reader.feed(b"event: a\ndata: {}\n\nevent: a\nda").unwrap();
            assert!(reader.is_ready() && !reader.next_is_long(64));
            assert!(reader.poll_event().unwrap().is_some());
            assert!(!reader.is_ready(), "the block has no end yet");
            reader.feed(b"ta: {}\n\n").unwrap();
            assert!(reader.is_ready() && reader.poll_event().unwrap().is_some() && !reader.is_ready());
        }
        let long = format!("data: {{\"a\":\"{}\"}}\n\n", "x".repeat(100));
        let before = reader.offset();
        assert_eq!(reader.short_events_end(64), before);
        reader.feed(format!("data: {{}}\n\ndata: {{}}\n\ndata: {{}}\r\n\r\n{long}").as_bytes()).unwrap();
        assert_eq!((reader.short_events_end(9), reader.short_events_end(22)), (before, before + 20));
        assert_eq!(reader.short_events_end(32), before, "a CR makes it doubtful");
        for _ in 0..3 {
            assert!(reader.poll_event().unwrap().is_some());
        }
        assert_eq!(reader.short_events_end(64), reader.offset());
        assert!(reader.is_ready() && reader.next_is_long(64) && !reader.next_is_long(200));
        assert!(reader.poll_event().unwrap().is_some());
        reader.feed_json(&"[1]".repeat(30)).unwrap();
        assert!(reader.is_ready() && reader.next_is_long(64) && !reader.next_is_long(100));
        assert!(reader.poll_event().unwrap().is_some() && !reader.is_ready());
        reader.end();
        assert!(reader.is_ready() && reader.poll_event().unwrap().is_none() && !reader.is_ready());
    }

    #[test]
    fn the_activity_is_the_same_for_every_cut() {
        let stream = b": hi\n\nevent: keepalive\ndata: {\"type\":\"keepalive\"}\n\n\ndata: {}\n\n";
        let read = |size: usize| {
            let mut reader = Reader::new();
            for chunk in stream.chunks(size) {
                reader.feed(chunk).unwrap();
                while reader.poll_event().unwrap().is_some() {}
            }
            reader.finish().unwrap();
            reader.activity()
        };
        let whole = read(stream.len());
        for size in (1..stream.len()).step_by(if cfg!(miri) { 9 } else { 1 }) {
            assert_eq!(read(size), whole, "chunks of {size}");
        }
    }
}
