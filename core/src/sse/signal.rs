//! The output of a [`FrameDecoder`](super::FrameDecoder): frames, comments, blank blocks, and the unfinished block at the end.

use alloc::string::String;
use core::fmt;

use super::text::decode_text;

/// One signal of the stream. `D` is the type of a frame's data: `str` when it is checked, `[u8]` when it is raw.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub enum Signal<'a, D: ?Sized = str> {
    /// A block with data, ended by a blank line: the standard dispatches it.
    Frame(Frame<'a, D>),
    /// A comment line, at its position in the stream.
    Comment(Comment<'a>),
    /// A block without data, ended by a blank line: it dispatches nothing. A blank line alone is such a block.
    Blank(Blank<'a>),
}

/// A [`Signal`] whose frame has unchecked data.
pub type RawSignal<'a> = Signal<'a, [u8]>;

/// One dispatched block.
#[derive(PartialEq)]
pub struct Frame<'a, D: ?Sized = str> {
    /// The event name; empty if the block names none (browsers then say `message`).
    pub event: &'a str,
    /// The payload: all data lines, joined with LF.
    pub data: &'a D,
    /// The current last event id.
    pub id: &'a str,
    /// The current reconnection time, in milliseconds.
    pub retry: Option<u64>,
    /// Offset of the block's first byte from the start of the stream.
    pub offset: u64,
    /// Offset of the payload's first byte; of its position, if the payload is empty.
    pub data_offset: u64,
    /// How many data lines the payload was joined from (at least 1).
    pub data_lines: u32,
    /// True if the payload exceeded a limit and was dropped ([`Overflow::Drop`](crate::Overflow::Drop)). `data` is then empty.
    pub dropped: bool,
    /// Offset of the first byte that is not UTF-8 in the event name, id or payload; the text has U+FFFD there. With raw
    /// data, a payload of one line has not been checked yet.
    pub invalid_utf8: Option<u64>,
    /// The other lines of the block.
    pub features: BlockFeatures,
}

/// A [`Frame`] with unchecked data. The event name and the id are already text.
pub type RawFrame<'a> = Frame<'a, [u8]>;

/// One comment line.
#[derive(Clone, PartialEq, Eq)]
pub struct Comment<'a> {
    /// The text after the first colon, not trimmed, up to [`COMMENT_BYTES`](super::COMMENT_BYTES).
    pub text: &'a str,
    /// Offset of the line's colon from the start of the stream.
    pub offset: u64,
    /// True if the comment was longer than its kept part.
    pub is_truncated: bool,
}

/// A block that dispatched nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Blank<'a> {
    /// The event name of the block, which has no effect; empty if none.
    pub event: &'a str,
    /// The current last event id: a block without data sets it, too.
    pub id: &'a str,
    /// The current reconnection time, in milliseconds.
    pub retry: Option<u64>,
    /// Offset of the block's first byte from the start of the stream.
    pub offset: u64,
    /// Offset of the first byte that is not UTF-8 in the event name or id.
    pub invalid_utf8: Option<u64>,
    /// The lines of the block.
    pub features: BlockFeatures,
}

/// A block with data that the end of input interrupted. The standard discards it; the caller may decide otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct UnfinishedBlock<'a> {
    /// The block so far. An `id` in it has no effect.
    pub frame: Frame<'a>,
    /// True if the last line was ended. If not, it is used only if it is a data line, and may be incomplete.
    pub line_ended: bool,
}

/// Properties of a block besides its payload, for the validator.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct BlockFeatures(u16);

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident, $constant:ident = $bit:literal;)*) => {
        impl BlockFeatures {
            $(pub(super) const $constant: Self = Self(1 << $bit);)*

            $($(#[$doc])*
            pub fn $name(self) -> bool {
                self.0 & Self::$constant.0 != 0
            })*

            const NAMES: &'static [(&'static str, u16)] = &[$((stringify!($name), 1 << $bit),)*];
        }
    };
}

features! {
    /// An `event` line.
    event, EVENT = 0;
    /// An `id` line, valid or not.
    id, ID = 1;
    /// A `retry` line, valid or not.
    retry, RETRY = 2;
    /// A comment line.
    comment, COMMENT = 3;
    /// A line whose field name is not in the standard.
    unknown, UNKNOWN = 4;
    /// A line ended by CR or CRLF.
    carriage_return, CARRIAGE_RETURN = 5;
    /// An `event` line after a `data` line.
    event_after_data, EVENT_AFTER_DATA = 6;
    /// More than one `event` line.
    event_twice, EVENT_TWICE = 7;
    /// An `id` line that is ignored because it contains a NUL.
    id_refused, ID_REFUSED = 8;
    /// A `retry` line that is ignored because it has other characters than digits.
    retry_refused, RETRY_REFUSED = 9;
    /// An `event` or `id` line that is ignored because it exceeds the limit.
    line_skipped, LINE_SKIPPED = 10;
}

impl BlockFeatures {
    /// Returns `true` for a blank line alone.
    pub fn is_empty(self) -> bool {
        self.0 & !Self::CARRIAGE_RETURN.0 == 0
    }

    /// Returns `true` if the block had at most an `event` line besides its payload.
    #[inline]
    pub(crate) fn is_simple(self) -> bool {
        self.0 & !Self::EVENT.0 == 0
    }

    /// The names of the set properties, as the methods are called.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().filter(move |(_, bit)| self.0 & bit != 0).map(|(name, _)| *name)
    }

    #[inline]
    pub(super) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for BlockFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

impl<'a> RawFrame<'a> {
    /// Checks the payload and returns it as text; ill-formed bytes are replaced, with the help of `scratch`.
    #[inline]
    pub fn check(self, scratch: &'a mut String) -> Frame<'a> {
        let (data, bad) = decode_text(self.data, scratch);
        let mut invalid_utf8 = self.invalid_utf8;
        if let (Some(position), 1) = (bad, self.data_lines) {
            let place = self.data_offset + position as u64;
            invalid_utf8 = Some(invalid_utf8.map_or(place, |known| known.min(place)));
        }
        Frame {
            event: self.event,
            data,
            id: self.id,
            retry: self.retry,
            offset: self.offset,
            data_offset: self.data_offset,
            data_lines: self.data_lines,
            dropped: self.dropped,
            invalid_utf8,
            features: self.features,
        }
    }
}

// Streams can contain secrets: only position, size and unusual properties are shown.

impl<D: ?Sized> fmt::Debug for Frame<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame")
            .field("offset", &self.offset)
            .field("bytes", &size_of_val(self.data))
            .field("dropped", &self.dropped)
            .field("features", &self.features)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Comment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Comment").field("offset", &self.offset).field("bytes", &self.text.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Blank<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blank").field("offset", &self.offset).field("features", &self.features).finish_non_exhaustive()
    }
}

// By hand, because a derive would require `D: Copy`.
impl<D: ?Sized> Clone for Frame<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: ?Sized> Copy for Frame<'_, D> {}
