//! The general path of [`FrameDecoder`]: lines that a chunk border splits, rare fields, and lines at a limit.
//!
//! Each piece is copied directly to its destination: payload after payload, a name or id into `value`, digits into a
//! number; ignored fields are not copied. So a long line is copied once in any split.
//!
//! Limits are checked by offset, not by arrival: the error names the first byte beyond the limit, so it is the same for
//! every split. Buffers grow by doubling, but never beyond the limit.

use alloc::vec::Vec;

use memchr::memchr;

use super::frame::{Bytes, FrameDecoder, Step, COMMENT_BYTES};
use super::line::Line;
use super::signal::BlockFeatures;
use super::text::{decode_text, first_invalid_utf8};
use crate::{Code, Error, Overflow};

/// The current line, if it is not complete in one chunk or is not a plain data line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PartialLine {
    pub(super) field: LineField,
    /// The field name so far; the longest known name has five bytes.
    name: [u8; 5],
    name_length: u8,
    /// True if the value has begun: the optional space was read.
    pub(super) begun: bool,
    /// Bytes of the line in earlier chunks.
    before: u64,
    /// Offset of the value's first byte.
    pub(super) value_offset: u64,
    /// Where the value begins in `data`.
    value_start: usize,
    /// Value of a `retry` line; `None` while it has no digit.
    number: Option<u64>,
    /// True if a `retry` line has a byte that is not a digit.
    refused: bool,
    /// True if the value is longer than its kept part.
    pub(super) is_truncated: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LineField {
    /// The name is not complete.
    #[default]
    Open,
    Data,
    Event,
    Id,
    Retry,
    Comment,
    Unknown,
}

impl FrameDecoder {
    /// Takes a line, or the part of it that the chunk has.
    #[inline(never)]
    pub(super) fn partial_line(&mut self, line: &Line<'_>, chunk: &[u8]) -> Step {
        if line.begins {
            self.partial = PartialLine::default();
            self.value.clear();
        }
        let ended = line.end.is_some();
        let mut rest = line.bytes;
        if self.partial.field == LineField::Open {
            rest = self.partial.read_name(rest, ended);
            self.is_event_stream |= !matches!(self.partial.field, LineField::Open | LineField::Unknown);
        }
        let field = self.partial.field;
        let begins = field != LineField::Open && !self.partial.begun && (ended || !rest.is_empty());
        if begins {
            if field != LineField::Comment {
                rest = rest.strip_prefix(b" ").unwrap_or(rest);
            }
            self.partial.begun = true;
            self.partial.value_offset = line.offset + self.partial.before + (line.bytes.len() - rest.len()) as u64;
        }
        let goes_on = match field {
            LineField::Data => (!begins || self.begin_data(chunk)) && self.add_data(line, rest),
            LineField::Event | LineField::Id => self.add_value(line, rest),
            LineField::Retry => self.partial.add_digits(rest),
            LineField::Comment => self.add_comment(rest),
            LineField::Open | LineField::Unknown => true,
        };
        if !goes_on {
            return Step::Stopped;
        }
        self.partial.before += line.bytes.len() as u64;
        match line.end {
            None => Step::Onward,
            Some(end) => {
                self.mark_end(end);
                self.end_line()
            }
        }
    }

    /// Takes a chunk of a few bytes from the middle of a payload, if it only continues the payload. Otherwise it returns `false`
    /// and takes nothing.
    #[inline]
    pub(super) fn append_small_chunk(&mut self, chunk: &[u8], at: &mut usize) -> bool {
        let Some(rest) = chunk.get(*at..) else { return false };
        let length = self.partial.before.saturating_add(rest.len() as u64);
        let plain = self.partial.field == LineField::Data
            && self.partial.begun
            && !self.block.dropped
            && rest.len() <= SMALL_CHUNK_BYTES
            && length <= self.line_bytes as u64
            && self.data.len() + rest.len() <= self.frame_bytes.min(self.data.capacity());
        if !plain || rest.iter().any(|&byte| byte == b'\n' || byte == b'\r') {
            return false;
        }
        self.data.extend_from_slice(rest);
        self.partial.before = length;
        self.lines.count_skipped(rest.len());
        *at = chunk.len();
        true
    }

    /// Counts a data line whose value is in `data` from the partial's start on.
    pub(super) fn end_data(&mut self) {
        self.block.data_lines = self.block.data_lines.saturating_add(1);
        if self.block.data_lines > 1 && !self.block.dropped {
            // Positions in joined data do not give offsets, so each line is checked while they are known.
            let value = self.data.get(self.partial.value_start..).unwrap_or_default();
            self.note_invalid_utf8(first_invalid_utf8(value), self.partial.value_offset);
        }
    }

    /// Copies a payload that was borrowed so far. This and the following functions return `false` if decoding stops.
    pub(super) fn copy_data(&mut self, bytes: &[u8]) -> bool {
        self.data.clear();
        self.block.data = Bytes::Buffer;
        if !grow(&mut self.data, bytes.len(), self.frame_bytes) {
            return self.overflow(Code::FrameLimit, self.block.data_offset);
        }
        self.data.extend_from_slice(bytes);
        true
    }

    fn begin_data(&mut self, chunk: &[u8]) -> bool {
        if self.block.data_lines == 0 {
            self.block.data_offset = self.partial.value_offset;
        }
        if self.block.dropped {
            return true;
        }
        if self.block.data_lines == 0 {
            self.data.clear();
            self.block.data = Bytes::Buffer;
        } else {
            if !self.keep_data(chunk) {
                return false;
            }
            if self.block.data_lines == 1 {
                self.note_invalid_utf8(first_invalid_utf8(&self.data), self.block.data_offset);
            }
            if !self.block.dropped {
                self.data.push(b'\n');
            }
        }
        self.partial.value_start = self.data.len();
        true
    }

    #[inline]
    fn add_data(&mut self, line: &Line<'_>, rest: &[u8]) -> bool {
        if self.block.dropped {
            return true;
        }
        let over_line = self.partial.before + line.bytes.len() as u64 > self.line_bytes as u64;
        let over_frame = self.partial.begun && self.data.len() + rest.len() > self.frame_bytes;
        if over_line || over_frame {
            return self.overflow_data(line, over_line, over_frame);
        }
        if !self.grow_data(rest.len()) {
            return self.overflow(Code::FrameLimit, line.offset + self.partial.before);
        }
        self.data.extend_from_slice(rest);
        true
    }

    /// Reserves room in the data. A long payload gets its expected length at once: while a buffer grows, its old memory counts
    /// too.
    #[inline]
    fn grow_data(&mut self, more: usize) -> bool {
        let needed = self.data.len().saturating_add(more);
        if needed > self.data.capacity() && needed > LONG_BYTES {
            let likely = if self.last_long > 0 { self.last_long } else { self.likely };
            let roomy = likely.saturating_add(likely / 16).min(self.frame_bytes);
            if roomy >= needed && self.data.try_reserve_exact(roomy - self.data.len()).is_ok() {
                return true;
            }
        }
        grow(&mut self.data, more, self.frame_bytes)
    }

    #[cold]
    fn overflow_data(&mut self, line: &Line<'_>, over_line: bool, over_frame: bool) -> bool {
        // Only one of the two limits may be exceeded, and the other may be the largest number.
        let line_excess = line.offset.saturating_add(self.line_bytes as u64);
        let room = self.frame_bytes.saturating_sub(self.partial.value_start);
        let frame_excess = self.partial.value_offset.saturating_add(room as u64);
        if over_frame && !(over_line && line_excess <= frame_excess) {
            self.overflow(Code::FrameLimit, frame_excess)
        } else {
            self.overflow(Code::LineLimit, line_excess)
        }
    }

    fn add_value(&mut self, line: &Line<'_>, rest: &[u8]) -> bool {
        if self.partial.is_truncated {
            return true;
        }
        if self.partial.before + line.bytes.len() as u64 > self.line_bytes as u64 {
            return self.overflow(Code::LineLimit, line.offset + self.line_bytes as u64);
        }
        if !grow(&mut self.value, rest.len(), self.line_bytes) {
            return self.overflow(Code::LineLimit, line.offset + self.partial.before);
        }
        self.value.extend_from_slice(rest);
        true
    }

    fn add_comment(&mut self, rest: &[u8]) -> bool {
        let most = COMMENT_BYTES.min(self.line_bytes);
        let room = most.saturating_sub(self.value.len());
        let kept = rest.get(..room).unwrap_or(rest);
        if grow(&mut self.value, kept.len(), most) {
            self.value.extend_from_slice(kept);
            self.partial.is_truncated |= kept.len() < rest.len();
        } else {
            self.partial.is_truncated = true;
        }
        true
    }

    fn end_line(&mut self) -> Step {
        let PartialLine { field, is_truncated, value_offset, number, refused, .. } = self.partial;
        let features = &mut self.block.features;
        match field {
            LineField::Data => self.end_data(),
            LineField::Event if is_truncated => {
                features.add(BlockFeatures::EVENT);
                features.add(BlockFeatures::LINE_SKIPPED);
            }
            LineField::Event => {
                let value = core::mem::take(&mut self.value);
                self.set_name(&value, value_offset);
                self.value = value;
            }
            LineField::Id => {
                features.add(BlockFeatures::ID);
                if is_truncated {
                    features.add(BlockFeatures::LINE_SKIPPED);
                } else if memchr(0, &self.value).is_some() {
                    features.add(BlockFeatures::ID_REFUSED);
                } else {
                    let (text, bad) = decode_text(&self.value, &mut self.scratch);
                    self.next_id.clear();
                    self.next_id.push_str(text);
                    self.block.id_changed = true;
                    self.note_invalid_utf8(bad, value_offset);
                }
            }
            LineField::Retry => {
                features.add(BlockFeatures::RETRY);
                if refused || number.is_none() {
                    features.add(BlockFeatures::RETRY_REFUSED);
                } else {
                    self.retry = number;
                }
            }
            LineField::Comment => {
                features.add(BlockFeatures::COMMENT);
                return Step::Comment;
            }
            LineField::Open | LineField::Unknown => features.add(BlockFeatures::UNKNOWN),
        }
        Step::Onward
    }

    /// Applies the overflow policy to a line or frame that is too long. A failed allocation counts as a limit.
    #[cold]
    fn overflow(&mut self, code: Code, offset: u64) -> bool {
        if self.overflow != Overflow::Drop {
            self.fatal = Some(Error::new(code, offset, ""));
            return false;
        }
        if self.partial.field == LineField::Data || code == Code::FrameLimit {
            self.block.dropped = true;
            self.block.data = Bytes::Nowhere;
            self.data = Vec::new();
        } else {
            self.partial.is_truncated = true;
            self.value = Vec::new();
        }
        true
    }
}

impl PartialLine {
    /// Reads the field name and returns the value after it. Without a colon the whole line is the name.
    fn read_name<'c>(&mut self, bytes: &'c [u8], ended: bool) -> &'c [u8] {
        let mut length = usize::from(self.name_length);
        let mut rest = bytes;
        while let Some((&byte, after)) = rest.split_first() {
            if byte == b':' {
                self.field = LineField::from_name(self.name.get(..length).unwrap_or_default());
                return after;
            }
            let Some(slot) = self.name.get_mut(length) else {
                self.field = LineField::Unknown;
                return after;
            };
            *slot = byte;
            length += 1;
            rest = after;
        }
        // At most five, the length of the array.
        self.name_length = length as u8;
        if ended {
            self.field = LineField::from_name(self.name.get(..length).unwrap_or_default());
        }
        rest
    }

    fn add_digits(&mut self, bytes: &[u8]) -> bool {
        for &byte in bytes {
            if byte.is_ascii_digit() {
                let digit = u64::from(byte - b'0');
                self.number = Some(self.number.unwrap_or(0).saturating_mul(10).saturating_add(digit));
            } else {
                self.refused = true;
            }
        }
        true
    }
}

impl LineField {
    /// The field of a name. Without a name there is a colon: a line without both is blank.
    fn from_name(name: &[u8]) -> Self {
        match name {
            b"data" => Self::Data,
            b"event" => Self::Event,
            b"id" => Self::Id,
            b"retry" => Self::Retry,
            b"" => Self::Comment,
            _ => Self::Unknown,
        }
    }
}

/// Reserves room for this many more bytes, without exceeding the limit by more than the request. `false` if there is no memory.
fn grow(buffer: &mut Vec<u8>, more: usize, limit: usize) -> bool {
    let needed = buffer.len().saturating_add(more);
    if needed <= buffer.capacity() {
        return true;
    }
    let roomy = buffer.capacity().saturating_mul(2).max(LEAST_BYTES).min(limit);
    buffer.try_reserve_exact(needed.max(roomy) - buffer.len()).is_ok()
}

/// A payload of this many bytes or more is long.
pub(super) const LONG_BYTES: usize = 1 << 16;

/// The largest chunk that is searched byte by byte.
const SMALL_CHUNK_BYTES: usize = 15;

/// The initial size of a buffer.
const LEAST_BYTES: usize = 256;
