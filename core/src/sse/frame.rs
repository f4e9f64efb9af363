//! [`FrameDecoder`]: lines → frames.
//!
//! A common line that lies in the chunk takes the fast path in this file. A line that a chunk border splits, a rare field
//! and a line at a limit take the general path in `partial_line.rs`. Both give the same signals.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::line::{Line, LineDecoder, LineEnd};
use super::partial_line::{LineField, PartialLine, LONG_BYTES};
use super::signal::{Blank, BlockFeatures, Comment, Frame, RawFrame, RawSignal, Signal, UnfinishedBlock};
use super::text::{decode_text, whole_characters};
use crate::{Code, Error, Limits, Overflow};

/// The maximum length of the text of a comment, or [`Limits::line_bytes`] if that is less. A comment is not data: a longer one is
/// truncated, never refused.
pub const COMMENT_BYTES: usize = 1 << 20;

/// Turns the bytes of an event stream into [`Signal`]s, following the WHATWG algorithm.
///
/// - Input and output: [`next`](Self::next) or [`next_raw`](Self::next_raw), called with the same chunk until it returns
///   `None`; at the end of input [`finish`](Self::finish).
/// - Getters: [`offset`](Self::offset), [`last_event_id`](Self::last_event_id), [`retry`](Self::retry),
///   [`is_event_stream`](Self::is_event_stream), [`buffered_len`](Self::buffered_len).
/// - After an error every call returns the same error, and after `finish` a misuse error, until [`reset`](Self::reset).
///
/// ```
/// # use deltafold::{sse::{FrameDecoder, Signal}, Limits};
/// # let mut decoder = FrameDecoder::new(&Limits::default());
/// let chunk = b"data: 1\n\n";
/// let mut at = 0;
/// while let Some(signal) = decoder.next(chunk, &mut at)? {
///     if let Signal::Frame(frame) = signal {
///         assert_eq!(frame.data, "1");
///     }
/// }
/// assert!(decoder.finish().is_none());
/// # Ok::<(), deltafold::Error>(())
/// ```
#[derive(Clone)]
pub struct FrameDecoder {
    pub(super) lines: LineDecoder,
    pub(super) line_bytes: usize,
    pub(super) frame_bytes: usize,
    /// The smaller of the two limits.
    safe_bytes: usize,
    pub(super) overflow: Overflow,
    pub(super) block: Block,
    pub(super) partial: PartialLine,
    /// Payload that is not borrowed from the chunk.
    pub(super) data: Vec<u8>,
    /// The expected length of a long payload: the caller's estimate, until there was one.
    pub(super) likely: usize,
    pub(super) last_long: usize,
    /// The number of blocks since the last long one, if there are large buffers.
    unused: u8,
    /// Value of an event or id line, or text of a comment, that a chunk border splits.
    pub(super) value: Vec<u8>,
    /// The last event name. It is kept across blocks: names repeat, and comparing is cheaper than checking.
    pub(super) name: String,
    /// The standard's last event ID buffer, once a line of the block has set it; a blank line makes it the last event id.
    pub(super) next_id: String,
    pub(super) id: String,
    pub(super) retry: Option<u64>,
    pub(super) is_event_stream: bool,
    /// Replaced text of the last returned signal.
    pub(super) scratch: String,
    /// The error that ended decoding.
    pub(super) fatal: Option<Error>,
}

/// The current block: everything that a blank line turns into a signal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Block {
    pub(super) open: bool,
    pub(super) has_name: bool,
    pub(super) dropped: bool,
    pub(super) id_changed: bool,
    pub(super) features: BlockFeatures,
    pub(super) data_lines: u32,
    pub(super) data: Bytes,
    pub(super) offset: u64,
    pub(super) data_offset: u64,
    pub(super) invalid_utf8: Option<u64>,
}

/// The buffer that holds returned bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Bytes {
    #[default]
    Nowhere,
    /// A range of the chunk. Never outlives a call of `next`.
    Chunk(usize, usize),
    Buffer,
}

/// The kind of the next signal, before it borrows anything. Its content stays in the decoder until the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameOutcome {
    /// The block is a frame.
    Frame,
    /// The block dispatched nothing.
    Blank,
    /// A comment line; its text is in `value`.
    Comment,
}

/// The result of a line. One byte, because it is returned once for each line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// No signal.
    Onward,
    Frame,
    Blank,
    Comment,
    /// A limit; the error is in `fatal`.
    Stopped,
}

impl FrameDecoder {
    /// Makes a decoder at the start of a stream. It applies the limits `line_bytes`, `frame_bytes` and `overflow`.
    pub fn new(limits: &Limits) -> Self {
        Self {
            lines: LineDecoder::new(),
            line_bytes: limits.line_bytes,
            frame_bytes: limits.frame_bytes,
            safe_bytes: limits.line_bytes.min(limits.frame_bytes),
            overflow: limits.overflow,
            block: Block::default(),
            partial: PartialLine::default(),
            data: Vec::new(),
            likely: 0,
            last_long: 0,
            unused: 0,
            value: Vec::new(),
            name: String::new(),
            next_id: String::new(),
            id: String::new(),
            retry: None,
            is_event_stream: false,
            scratch: String::new(),
            fatal: None,
        }
    }

    /// Makes a decoder for a new connection that continues an old stream: the last event id and the reconnection time of
    /// the old one apply until the new one sets them. Offsets start at 0 again.
    pub fn resume(limits: &Limits, last_event_id: &str, retry: Option<u64>) -> Self {
        Self { id: last_event_id.into(), retry, ..Self::new(limits) }
    }

    /// The decoder for a new connection of the same stream: see [`resume`](Self::resume).
    pub(crate) fn for_new_connection(&self) -> Self {
        let Self { line_bytes, frame_bytes, overflow, .. } = *self;
        Self::resume(&Limits { line_bytes, frame_bytes, overflow, ..Limits::default() }, &self.id, self.retry)
    }

    /// Takes the next signal out of `chunk` from `*at` on, and advances `*at` past it.
    ///
    /// `Ok(None)` means that the chunk is used up; an unfinished block has been kept. A frame that lies in the chunk and
    /// has one data line borrows its data from it.
    ///
    /// # Errors
    ///
    /// A limit was passed and [`Limits::overflow`] says [`Overflow::Error`], or the decoder was finished.
    #[inline]
    pub fn next<'a>(&'a mut self, chunk: &'a [u8], at: &mut usize) -> Result<Option<Signal<'a>>, Error> {
        let Some(found) = self.advance(chunk, at)? else { return Ok(None) };
        Ok(Some(self.resolve(found, chunk)))
    }

    /// Makes a signal of the result of [`advance`](Self::advance) for the same chunk.
    ///
    /// The two steps of `next`, separately: a caller in this crate can check the result, and continue, before it borrows.
    #[inline]
    pub(crate) fn resolve<'a>(&'a mut self, found: FrameOutcome, chunk: &'a [u8]) -> Signal<'a> {
        match found {
            FrameOutcome::Frame => Signal::Frame(self.frame(chunk)),
            FrameOutcome::Blank => Signal::Blank(self.block.blank(&self.name, &self.id, self.retry)),
            FrameOutcome::Comment => Signal::Comment(comment(&self.value, &self.partial, &mut self.scratch)),
        }
    }

    /// The frame that [`advance`](Self::advance) found in the same chunk.
    #[inline]
    pub(crate) fn frame<'a>(&'a mut self, chunk: &'a [u8]) -> Frame<'a> {
        let data = self.block.data.of(chunk, &self.data);
        self.block.frame(&self.name, data, &self.id, self.retry).check(&mut self.scratch)
    }

    /// The payload of a found frame, unchecked; empty for other signals.
    #[inline]
    pub(crate) fn payload<'a>(&'a self, found: FrameOutcome, chunk: &'a [u8]) -> &'a [u8] {
        match found {
            // A dropped payload is in no buffer.
            FrameOutcome::Frame => self.block.data.of(chunk, &self.data),
            _ => &[],
        }
    }

    /// As [`next`](Self::next), but a payload of one line is not checked to be UTF-8.
    ///
    /// For a caller that checks it itself; otherwise use [`RawFrame::check`].
    ///
    /// # Errors
    ///
    /// As for [`next`](Self::next).
    #[inline]
    pub fn next_raw<'a>(&'a mut self, chunk: &'a [u8], at: &mut usize) -> Result<Option<RawSignal<'a>>, Error> {
        let Some(found) = self.advance(chunk, at)? else { return Ok(None) };
        let Self { block, partial, data, value, name, id, retry, scratch, .. } = self;
        Ok(Some(match found {
            FrameOutcome::Frame => Signal::Frame(block.frame(name, block.data.of(chunk, data), id, *retry)),
            FrameOutcome::Blank => Signal::Blank(block.blank(name, id, *retry)),
            FrameOutcome::Comment => Signal::Comment(comment(value, partial, scratch)),
        }))
    }

    /// Ends the input, and returns the unfinished block if it has data.
    ///
    /// The standard discards such a block. After this only [`reset`](Self::reset) is allowed: `next` returns
    /// a misuse error, and a second `finish` returns `None`.
    pub fn finish(&mut self) -> Option<UnfinishedBlock<'_>> {
        if self.fatal.is_some() {
            return None;
        }
        self.fatal = Some(Error::new(Code::AfterFinish, self.offset(), ""));
        let line_ended = !self.lines.is_inside_line();
        if !line_ended && self.partial.field == LineField::Data && self.partial.begun {
            self.end_data();
        }
        if !self.block.open || self.block.data_lines == 0 {
            return None;
        }
        let raw = self.block.frame(&self.name, &self.data, &self.id, self.retry);
        Some(UnfinishedBlock { frame: raw.check(&mut self.scratch), line_ended })
    }

    /// Resets the decoder: nothing pending, no last event id, offset 0. The limits stay.
    pub fn reset(&mut self) {
        let Self { line_bytes, frame_bytes, overflow, .. } = *self;
        *self = Self::new(&Limits { line_bytes, frame_bytes, overflow, ..Limits::default() });
    }

    /// Bytes consumed since the start. The LF after a CR is consumed with the bytes that follow it.
    pub fn offset(&self) -> u64 {
        self.lines.offset()
    }

    /// The current last event id; empty if there is none. An `id` takes effect at the next blank line.
    pub fn last_event_id(&self) -> &str {
        &self.id
    }

    /// The current reconnection time in milliseconds; a value beyond 64 bits is reduced to the largest.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Returns `true` if any line so far was a comment or had a field name of the standard. If none had at the end of the
    /// input, it was probably not an event stream.
    pub fn is_event_stream(&self) -> bool {
        self.is_event_stream
    }

    /// Bytes of the unfinished block that are kept.
    pub fn buffered_len(&self) -> usize {
        let data = if self.block.open && self.block.data == Bytes::Buffer { self.data.len() } else { 0 };
        let value = if self.lines.is_inside_line() { self.value.len() } else { 0 };
        data + value
    }

    /// Returns `true` if a new block begins with the next byte, whatever that is, so that a caller may read it by itself.
    #[inline]
    pub(crate) fn between_blocks(&self) -> bool {
        !self.block.open && self.fatal.is_none() && self.lines.between_lines()
    }

    /// Skips a whole block that the caller has read: within the limits, without id and comment.
    #[inline]
    pub(crate) fn skip_block(&mut self, length: usize) {
        self.lines.count_skipped(length);
    }

    /// The frame of such a block, as the decoder would have given it.
    pub(crate) fn simple_frame<'a>(
        &'a self,
        name: Option<&'a str>,
        data: &'a str,
        offset: u64,
        data_offset: u64,
    ) -> Frame<'a> {
        let mut features = BlockFeatures::default();
        if name.is_some() {
            features.add(BlockFeatures::EVENT);
        }
        Frame {
            event: name.unwrap_or(""),
            data,
            id: &self.id,
            retry: self.retry,
            offset,
            data_offset,
            data_lines: 1,
            dropped: false,
            invalid_utf8: None,
            features,
        }
    }

    /// Estimates the length of a long payload, so that its buffer is allocated once. The events that end a text, a part, an
    /// item or a response repeat its content.
    #[inline]
    pub(crate) fn expect_payload_bytes(&mut self, bytes: usize) {
        self.likely = bytes;
    }

    /// The longest block that is certainly within all limits.
    #[inline]
    pub(crate) fn safe_bytes(&self) -> usize {
        self.safe_bytes
    }

    /// Advances to the next signal and returns its kind, without borrowing.
    #[inline]
    pub(crate) fn advance(&mut self, chunk: &[u8], at: &mut usize) -> Result<Option<FrameOutcome>, Error> {
        if let Some(stop) = &self.fatal {
            return Err(stop.clone());
        }
        if self.lines.is_inside_line() && self.append_small_chunk(chunk, at) {
            return Ok(None);
        }
        Ok(Some(match self.step(chunk, at) {
            Step::Frame => FrameOutcome::Frame,
            Step::Blank => FrameOutcome::Blank,
            Step::Comment => FrameOutcome::Comment,
            Step::Onward => return Ok(None),
            Step::Stopped => return self.fatal.clone().map_or(Ok(None), Err),
        }))
    }

    fn step(&mut self, chunk: &[u8], at: &mut usize) -> Step {
        while let Some(line) = self.lines.next(chunk, at) {
            if line.begins && !self.block.open {
                self.open_block(line.offset);
            }
            let step = match line.end {
                Some(end) if line.begins => self.whole_line(&line, end, chunk, *at),
                _ => self.partial_line(&line, chunk),
            };
            match step {
                Step::Onward => {}
                // It may be inside a block, and the next call may have another chunk.
                Step::Comment if !self.keep_data(chunk) => return Step::Stopped,
                _ => return step,
            }
        }
        if self.keep_data(chunk) {
            Step::Onward
        } else {
            Step::Stopped
        }
    }

    #[inline]
    fn open_block(&mut self, offset: u64) {
        self.block = Block { open: true, offset, ..Block::default() };
        if self.data.capacity() > KEPT_BYTES || self.value.capacity() > KEPT_BYTES {
            self.release();
        }
    }

    /// A huge event must not keep its memory for the rest of a long stream. The next events may repeat its content, though, and allocating
    /// memory again takes longer than reading them. So the memory is freed only after some blocks without a long payload.
    #[cold]
    fn release(&mut self) {
        self.unused += 1;
        if self.unused < UNUSED_BLOCKS {
            self.data.clear();
            self.data.shrink_to(self.last_long.saturating_add(self.last_long / 16));
            return;
        }
        self.unused = 0;
        self.data = Vec::new();
        self.value = Vec::new();
        self.name = String::new();
        self.scratch = String::new();
    }

    /// The fast path: a line that is in the chunk and ends directly before `after`.
    #[inline]
    fn whole_line(&mut self, line: &Line<'_>, end: LineEnd, chunk: &[u8], after: usize) -> Step {
        let bytes = line.bytes;
        if bytes.is_empty() {
            self.mark_end(end);
            return self.end_block();
        }
        if bytes.len() <= self.line_bytes {
            if let Some(value) = bytes.strip_prefix(b"data:") {
                let value = value.strip_prefix(b" ").unwrap_or(value);
                if self.block.data_lines == 0 && value.len() <= self.frame_bytes {
                    self.mark_end(end);
                    self.is_event_stream = true;
                    // The line end is one byte.
                    self.block.data = Bytes::Chunk(after - 1 - value.len(), after - 1);
                    self.block.data_offset = line.offset + (bytes.len() - value.len()) as u64;
                    self.block.data_lines = 1;
                    return Step::Onward;
                }
            } else if let Some(value) = bytes.strip_prefix(b"event:") {
                let value = value.strip_prefix(b" ").unwrap_or(value);
                self.mark_end(end);
                self.is_event_stream = true;
                self.set_name(value, line.offset + (bytes.len() - value.len()) as u64);
                return Step::Onward;
            }
        }
        self.partial_line(line, chunk)
    }

    #[inline]
    pub(super) fn mark_end(&mut self, end: LineEnd) {
        if end == LineEnd::Cr {
            self.block.features.add(BlockFeatures::CARRIAGE_RETURN);
        }
    }

    #[inline]
    pub(super) fn set_name(&mut self, bytes: &[u8], offset: u64) {
        let block = &mut self.block;
        if block.has_name {
            block.features.add(BlockFeatures::EVENT_TWICE);
        }
        if block.data_lines > 0 {
            block.features.add(BlockFeatures::EVENT_AFTER_DATA);
        }
        block.features.add(BlockFeatures::EVENT);
        block.has_name = true;
        if self.name.as_bytes() != bytes {
            let (text, bad) = decode_text(bytes, &mut self.scratch);
            self.name.clear();
            self.name.reserve(NAME_BYTES);
            self.name.push_str(text);
            self.note_invalid_utf8(bad, offset);
        }
    }

    /// Records the first byte of the block that is not UTF-8.
    pub(super) fn note_invalid_utf8(&mut self, position: Option<usize>, offset: u64) {
        if let Some(position) = position {
            let place = offset + position as u64;
            let known = &mut self.block.invalid_utf8;
            *known = Some(known.map_or(place, |known| known.min(place)));
        }
    }

    /// A blank line: the block becomes a signal, and its id takes effect.
    #[inline]
    fn end_block(&mut self) -> Step {
        self.block.open = false;
        if self.block.data == Bytes::Buffer && self.data.len() > LONG_BYTES {
            self.last_long = self.data.len();
            self.unused = 0;
        }
        if self.block.id_changed {
            self.id.clone_from(&self.next_id);
        }
        if self.block.data_lines > 0 {
            Step::Frame
        } else {
            Step::Blank
        }
    }

    /// Copies data that is still borrowed from the chunk, before the chunk is gone. `false` if decoding stops.
    #[inline]
    pub(super) fn keep_data(&mut self, chunk: &[u8]) -> bool {
        match self.block.data {
            Bytes::Chunk(start, end) if self.block.open => self.copy_data(chunk.get(start..end).unwrap_or_default()),
            _ => true,
        }
    }
}

impl fmt::Debug for FrameDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Payloads can contain secrets: only the progress is shown.
        f.debug_struct("FrameDecoder")
            .field("offset", &self.offset())
            .field("buffered_len", &self.buffered_len())
            .finish_non_exhaustive()
    }
}

impl Block {
    #[inline]
    fn frame<'a>(&self, name: &'a str, data: &'a [u8], id: &'a str, retry: Option<u64>) -> RawFrame<'a> {
        Frame {
            event: if self.has_name { name } else { "" },
            data: if self.dropped { &[] } else { data },
            id,
            retry,
            offset: self.offset,
            data_offset: self.data_offset,
            data_lines: self.data_lines,
            dropped: self.dropped,
            invalid_utf8: self.invalid_utf8,
            features: self.features,
        }
    }

    #[inline]
    fn blank<'a>(&self, name: &'a str, id: &'a str, retry: Option<u64>) -> Blank<'a> {
        Blank {
            event: if self.has_name { name } else { "" },
            id,
            retry,
            offset: self.offset,
            invalid_utf8: self.invalid_utf8,
            features: self.features,
        }
    }
}

impl Bytes {
    #[inline]
    fn of<'a>(self, chunk: &'a [u8], buffer: &'a [u8]) -> &'a [u8] {
        match self {
            Self::Nowhere => &[],
            Self::Chunk(start, end) => chunk.get(start..end).unwrap_or_default(),
            Self::Buffer => buffer,
        }
    }
}

fn comment<'a>(bytes: &'a [u8], partial: &PartialLine, scratch: &'a mut String) -> Comment<'a> {
    let bytes = if partial.is_truncated { whole_characters(bytes) } else { bytes };
    Comment {
        text: decode_text(bytes, scratch).0,
        offset: partial.value_offset - 1,
        is_truncated: partial.is_truncated,
    }
}

/// Capacity for an event name: the longest of the specification has 49 bytes.
const NAME_BYTES: usize = 64;

/// The maximum capacity that a buffer keeps between blocks.
const KEPT_BYTES: usize = 1 << 20;

/// The number of blocks after a long one until a large buffer is freed.
const UNUSED_BLOCKS: u8 = 16;
