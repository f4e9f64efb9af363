//! [`TextSpan`]: the position of a string, and [`Source`]: the buffers that it may be in.

use alloc::string::String;

use crate::json::simd::{push_ascii, LANES};

/// The capacity that a text gets at first: most texts are longer.
const FIRST_CAPACITY: usize = 8 * LANES;

/// A payload. It is always known to be UTF-8, but a block that matched a template was compared as bytes: a caller that needs a
/// `str` pays for a check, and a caller that needs bytes does not.
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

/// The buffers that the strings of an event are read from.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) payload: RawText<'a>,
    /// The decoded strings with escapes.
    pub(crate) scratch: &'a str,
    /// The strings of the block template.
    pub(crate) known: &'a str,
}

impl<'a> Source<'a> {
    /// A payload that was just read, without a template.
    pub(crate) fn of(payload: &'a str, scratch: &'a str) -> Self {
        Self { payload: RawText::Text(payload), scratch, known: "" }
    }
}

/// The position of a string of the payload, and its buffer.
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

    /// Its start and end in the payload, if it is there.
    pub(crate) fn payload_span(&self) -> Option<(usize, usize)> {
        (self.buffer == SpanBuffer::Payload).then_some((self.start as usize, self.end as usize))
    }

    /// Its length in bytes, before decoding.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// Returns `true` if there is a string.
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

    /// The bytes of [`get`](Self::get), empty if there is no string. They are not checked to be UTF-8, which is most
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

    /// Returns `true` if the string is present and equals another text, byte by byte.
    #[inline]
    pub(crate) fn is(&self, other: &str, source: Source<'_>) -> bool {
        self.buffer != SpanBuffer::Absent && self.bytes(source) == other.as_bytes()
    }

    /// Appends the string to another text, and returns its length.
    // In wasm the compiler decides, because code size matters there.
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
        // Reserves room for the next short texts, and grows by powers of two as without the reserve.
        out.reserve((text.len() + LANES).max(FIRST_CAPACITY));
        out.push_str(text);
    }
}
