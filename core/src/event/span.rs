//! [`TextSpan`]: where a string of a payload stands, and [`Source`]: what it is read from.

use alloc::string::String;

use crate::json::simd::{push_ascii, LANES};

/// A payload. That it is UTF-8 is always known, but a block that was compared with text was never read as text: who needs a
/// `str` of it has it checked, and who needs bytes pays nothing.
#[derive(Clone, Copy)]
pub(crate) enum RawText<'a> {
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl<'a> RawText<'a> {
    #[inline]
    pub(crate) fn bytes(self) -> &'a [u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    #[inline]
    pub(crate) fn text(self) -> &'a str {
        match self {
            Self::Text(text) => text,
            Self::Bytes(bytes) => simdutf8::basic::from_utf8(bytes).unwrap_or_default(),
        }
    }
}

/// What the strings of an event are read from.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) payload: RawText<'a>,
    /// Where escapes are decoded.
    pub(crate) scratch: &'a str,
    /// What was known before the payload came.
    pub(crate) known: &'a str,
}

impl<'a> Source<'a> {
    /// A payload that was just read, with no more than itself.
    pub(crate) fn of(payload: &'a str, scratch: &'a str) -> Self {
        Self { payload: RawText::Text(payload), scratch, known: "" }
    }
}

/// Where a string of the payload stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextSpan {
    start: u32,
    end: u32,
    buffer: SpanBuffer,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SpanBuffer {
    #[default]
    Absent,
    Payload,
    Scratch,
    Known,
}

impl TextSpan {
    #[inline]
    pub(crate) fn in_payload(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32, buffer: SpanBuffer::Payload }
    }

    #[inline]
    pub(crate) fn in_scratch(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32, buffer: SpanBuffer::Scratch }
    }

    pub(crate) fn in_known(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32, buffer: SpanBuffer::Known }
    }

    /// Where it stands in the payload, if it does.
    pub(crate) fn payload_span(&self) -> Option<(usize, usize)> {
        (self.buffer == SpanBuffer::Payload).then_some((self.start as usize, self.end as usize))
    }

    /// How many bytes it has where it stands.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// Says whether there is such a string.
    #[inline]
    pub(crate) fn is_present(&self) -> bool {
        self.buffer != SpanBuffer::Absent
    }

    #[inline]
    fn whole<'a>(&self, source: Source<'a>) -> &'a [u8] {
        match self.buffer {
            SpanBuffer::Absent | SpanBuffer::Payload => source.payload.bytes(),
            SpanBuffer::Scratch => source.scratch.as_bytes(),
            SpanBuffer::Known => source.known.as_bytes(),
        }
    }

    /// The bytes of [`get`](Self::get), empty if there is no such string. Whether they are text is not looked at: that is most
    /// of the cost.
    #[inline]
    pub(crate) fn bytes<'a>(&self, source: Source<'a>) -> &'a [u8] {
        self.whole(source).get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn get<'a>(&self, source: Source<'a>) -> Option<&'a str> {
        let text = match (self.buffer, source.payload) {
            (SpanBuffer::Absent, _) => return None,
            (SpanBuffer::Payload, RawText::Bytes(_)) => return core::str::from_utf8(self.bytes(source)).ok(),
            (SpanBuffer::Payload, RawText::Text(text)) => text,
            (SpanBuffer::Scratch, _) => source.scratch,
            (SpanBuffer::Known, _) => source.known,
        };
        text.get(self.start as usize..self.end as usize)
    }

    /// Says whether it is there and equals another text, byte by byte.
    #[inline]
    pub(crate) fn is(&self, other: &str, source: Source<'_>) -> bool {
        self.buffer != SpanBuffer::Absent && self.bytes(source) == other.as_bytes()
    }

    /// Appends it to another text, and gives its length.
    // In wasm the compiler may choose: there the bytes count.
    #[cfg_attr(target_arch = "wasm32", inline)]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(crate) fn push_to(&self, source: Source<'_>, out: &mut String) -> usize {
        let length = self.len();
        let wide = self.whole(source).get(self.start as usize..).and_then(<[u8]>::first_chunk);
        if !wide.is_some_and(|wide| push_ascii(out, wide, length)) {
            self.push_any(source, out);
        }
        length
    }

    #[inline(never)]
    fn push_any(&self, source: Source<'_>, out: &mut String) {
        let text = self.get(source).unwrap_or_default();
        // Room for the next short text, and growth by powers of two as without the reserve.
        out.reserve((text.len() + LANES).max(2 * LANES));
        out.push_str(text);
    }
}
