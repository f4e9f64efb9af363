//! [`FrameDecoder`]: lines → frames.
//!
//! A usual line that lies in the chunk takes the short road in this file. A line that a chunk border cuts, a rare field
//! and a line at a limit take the long road in `partial_line.rs`. Both give the same signals.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::line::{Line, LineDecoder, LineEnd};
use super::partial_line::{LineField, PartialLine, LONG_BYTES};
use super::signal::{Blank, BlockFeatures, Comment, Frame, RawFrame, RawSignal, Signal, UnfinishedBlock};
use super::text::{decode_text, whole_characters};
use crate::{Code, Error, Limits, Overflow};

/// How many bytes of a comment's text are kept, or [`Limits::line_bytes`] if that is less. A comment is not data: a longer one is
/// shown cut, never refused.
pub const COMMENT_BYTES: usize = 1 << 20;

/// Turns the bytes of an event stream into [`Signal`]s, following the WHATWG algorithm.
///
/// - Input and output: [`next`](Self::next) or [`next_raw`](Self::next_raw), called with the same chunk until it gives
///   `None`; at the end of input [`finish`](Self::finish).
/// - Getters: [`offset`](Self::offset), [`last_event_id`](Self::last_event_id), [`retry`](Self::retry),
///   [`is_event_stream`](Self::is_event_stream), [`buffered_len`](Self::buffered_len).
/// - After an error every call gives the same error, and after `finish` a misuse error, until [`reset`](Self::reset).
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
    /// The lesser of the two.
    safe_bytes: usize,
    pub(super) overflow: Overflow,
    pub(super) block: Block,
    pub(super) partial: PartialLine,
    /// Payload that could not be borrowed.
    pub(super) data: Vec<u8>,
    /// How many bytes a long payload is likely to have: as the caller says, until there was one.
    pub(super) likely: usize,
    pub(super) last_long: usize,
    /// How many blocks have begun since a long one, if there are large buffers.
    unused: u8,
    /// Value of an event or id line, or text of a comment, that a chunk border cut.
    pub(super) value: Vec<u8>,
    /// The last event name seen. It stays over blocks, since names repeat and comparing is cheaper than checking.
    pub(super) name: String,
    /// The standard's last event ID buffer, once a line of the block has set it; a blank line makes it the last event id.
    pub(super) next_id: String,
    pub(super) id: String,
    pub(super) retry: Option<u64>,
    pub(super) is_event_stream: bool,
    /// Replaced text of the signal given out last.
    pub(super) scratch: String,
    /// Why no more is decoded.
    pub(super) fatal: Option<Error>,
}

/// The current block: all that a blank line turns into a signal.
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

/// Where bytes stand that are given out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Bytes {
    #[default]
    Nowhere,
    /// From here to there in the chunk. Never outlives a call of `next`.
    Chunk(usize, usize),
    Buffer,
}

/// Which signal came, before it borrows anything. What it holds stays in the decoder until the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameOutcome {
    /// The block is a frame.
    Frame,
    /// The block dispatched nothing.
    Blank,
    /// A comment line; its text is in `value`.
    Comment,
}

/// What a line led to. One byte, since it is handed up once for each line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing to tell.
    Onward,
    Frame,
    Blank,
    Comment,
    /// A limit; the error is in `fatal`.
    Stopped,
}

impl FrameDecoder {
    /// Makes a decoder at the start of a stream. Of the limits it obeys `line_bytes`, `frame_bytes` and `overflow`.
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

    /// Makes a decoder for a new connection that carries on an old stream: the last event id and the reconnection time of
    /// the old one stay in force until the new one sets them. Offsets start at 0 again.
    pub fn resume(limits: &Limits, last_event_id: &str, retry: Option<u64>) -> Self {
        Self { id: last_event_id.into(), retry, ..Self::new(limits) }
    }

    /// The decoder for a new connection of the same stream: see [`resume`](Self::resume).
    pub(crate) fn for_new_connection(&self) -> Self {
        let Self { line_bytes, frame_bytes, overflow, .. } = *self;
        Self::resume(&Limits { line_bytes, frame_bytes, overflow, ..Limits::default() }, &self.id, self.retry)
    }

    /// Takes the next signal out of `chunk` from `*at` on, and moves `*at` behind it.
    ///
    /// `Ok(None)` means that the chunk is used up; what is unfinished has been kept. A frame that lies in the chunk and
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

    /// Makes a signal of what [`advance`](Self::advance) found in the same chunk.
    ///
    /// The two steps of `next`, apart: a caller in this crate can look at what was found, and go on, before it borrows.
    #[inline]
    pub(crate) fn resolve<'a>(&'a mut self, found: FrameOutcome, chunk: &'a [u8]) -> Signal<'a> {
        let Self { block, partial, data, value, name, id, retry, scratch, .. } = self;
        match found {
            FrameOutcome::Frame => {
                Signal::Frame(block.frame(name, block.data.of(chunk, data), id, *retry).check(scratch))
            }
            FrameOutcome::Blank => Signal::Blank(block.blank(name, id, *retry)),
            FrameOutcome::Comment => Signal::Comment(comment(value, partial, scratch)),
        }
    }

    /// The payload of a found frame, unchecked; empty for other signals.
    #[inline]
    pub(crate) fn payload<'a>(&'a self, found: FrameOutcome, chunk: &'a [u8]) -> &'a [u8] {
        match found {
            // What was dropped stands nowhere.
            FrameOutcome::Frame => self.block.data.of(chunk, &self.data),
            _ => &[],
        }
    }

    /// The same as [`next`](Self::next), but a payload of one line is not checked to be UTF-8.
    ///
    /// For a caller that checks it on its own way; [`RawFrame::check`] is the ordinary way.
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

    /// Says that the input has ended, and gives the block that it cut off, if that has data.
    ///
    /// The standard discards such a block. After this only [`reset`](Self::reset) makes sense: `next` is refused as
    /// misuse, and a second `finish` gives `None`.
    pub fn finish(&mut self) -> Option<UnfinishedBlock<'_>> {
        if self.fatal.is_some() {
            return None;
        }
        self.fatal = Some(Error::new(Code::AfterFinish, self.offset(), ""));
        let line_ended = !self.lines.inside_line();
        if !line_ended && self.partial.field == LineField::Data && self.partial.begun {
            self.end_data();
        }
        if !self.block.open || self.block.data_lines == 0 {
            return None;
        }
        let raw = self.block.frame(&self.name, &self.data, &self.id, self.retry);
        Some(UnfinishedBlock { frame: raw.check(&mut self.scratch), line_ended })
    }

    /// Makes the decoder new: nothing pending, no last event id, offset 0. The limits stay.
    pub fn reset(&mut self) {
        let Self { line_bytes, frame_bytes, overflow, .. } = *self;
        *self = Self::new(&Limits { line_bytes, frame_bytes, overflow, ..Limits::default() });
    }

    /// Bytes consumed since the start. The LF behind a CR is consumed with what follows it.
    pub fn offset(&self) -> u64 {
        self.lines.offset()
    }

    /// The last event id in force; empty if there is none. Only a blank line puts an `id` in force.
    pub fn last_event_id(&self) -> &str {
        &self.id
    }

    /// The reconnection time in force, in milliseconds; a value beyond 64 bits counts as the largest.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Whether any line so far was a comment or had a field name that the standard knows. If none had at the end of the
    /// input, it was hardly an event stream.
    pub fn is_event_stream(&self) -> bool {
        self.is_event_stream
    }

    /// Bytes of the unfinished block that are kept.
    pub fn buffered_len(&self) -> usize {
        let data = if self.block.open && self.block.data == Bytes::Buffer { self.data.len() } else { 0 };
        let value = if self.lines.inside_line() { self.value.len() } else { 0 };
        data + value
    }

    /// Says whether a new block begins with the next byte, whatever that is, so that a caller may read it on its own.
    #[inline]
    pub(crate) fn between_blocks(&self) -> bool {
        !self.block.open && self.fatal.is_none() && self.lines.between_lines()
    }

    /// Passes over a whole block that the caller has read: not longer than the limits, no id, no comment.
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

    /// Takes a guess at how many bytes a long payload will have, so that its buffer is made once. What ends a text, a part, an
    /// item or a response repeats what is known of it.
    #[inline]
    pub(crate) fn expect_payload_bytes(&mut self, bytes: usize) {
        self.likely = bytes;
    }

    /// The longest block that can break no limit.
    #[inline]
    pub(crate) fn safe_bytes(&self) -> usize {
        self.safe_bytes
    }

    /// Goes on to the next signal and says which it is, without borrowing.
    #[inline]
    pub(crate) fn advance(&mut self, chunk: &[u8], at: &mut usize) -> Result<Option<FrameOutcome>, Error> {
        if let Some(stop) = &self.fatal {
            return Err(stop.clone());
        }
        if self.lines.inside_line() && self.append_small_chunk(chunk, at) {
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
                // It may stand inside a block, and the next call may bring another chunk.
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

    /// One huge event must not hold its memory for the rest of a long stream. The next ones may repeat it, though, and asking for
    /// memory again would take longer than reading them: it goes when they do not, and what they are not likely to need at once.
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

    /// The short road: a line that lies in the chunk and ends just before `behind`.
    #[inline]
    fn whole_line(&mut self, line: &Line<'_>, end: LineEnd, chunk: &[u8], behind: usize) -> Step {
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
                    self.block.data = Bytes::Chunk(behind - 1 - value.len(), behind - 1);
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
            self.name.push_str(text);
            self.note_invalid_utf8(bad, offset);
        }
    }

    /// Notes the first byte of the block that is not UTF-8.
    pub(super) fn note_invalid_utf8(&mut self, position: Option<usize>, offset: u64) {
        if let Some(position) = position {
            let place = offset + position as u64;
            let known = &mut self.block.invalid_utf8;
            *known = Some(known.map_or(place, |known| known.min(place)));
        }
    }

    /// A blank line: the block becomes a signal, and its id comes into force.
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

    /// Copies data that is still borrowed from the chunk, since the chunk is about to go. `false` if decoding stops.
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
        // Payloads can hold secrets: only how far it has come is shown.
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

/// What buffers may keep between blocks.
const KEPT_BYTES: usize = 1 << 20;

/// How many blocks behind a long one begin before a large buffer is given back, the one that gives it back among them.
const UNUSED_BLOCKS: u8 = 16;
