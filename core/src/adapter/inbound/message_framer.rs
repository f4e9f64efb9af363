//! [`MessageFramer`]: bytes of a foreign stream → messages.
//!
//! The first line decides the layout: an object or a list is JSON, the name of an SSE field is SSE. So an error body
//! instead of a stream is read, and so is a capture that was stored in the other layout. A first line that is neither is
//! reported and skipped. Each byte is read once; a message inside one chunk is not copied.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::aws::AwsDecoder;
use crate::error::{Code, Error};
use crate::limits::{Limits, Overflow};
use crate::sse::{decode_text, FrameDecoder, FrameOutcome, LineDecoder, Signal};

/// One message of the stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceMessage<'a> {
    /// The SSE event name, if the frame has one.
    pub(crate) name: Option<&'a str>,
    pub(crate) data: &'a str,
    /// The offset of the payload in the stream.
    pub(crate) offset: u64,
    /// The reason why the payload was dropped, if it was.
    pub(crate) dropped: Option<&'static str>,
}

/// How JSON without SSE is split into messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonLayout {
    /// Each line is a message. A broken line affects only itself.
    Lines,
    /// Each object is a message, over any number of lines; the brackets and commas of a list around the objects are skipped.
    Objects,
}

pub(crate) struct MessageFramer {
    limits: Limits,
    json: JsonLayout,
    /// Bytes before the first message: white space, a byte order mark, lines that are not a message.
    skipped: u64,
    /// The start of a first line that may become the name of an SSE field.
    field: Vec<u8>,
    /// The rest of a line that is not a message is being skipped.
    skipping: bool,
    layout: StreamLayout,
    scratch: String,
}

enum StreamLayout {
    Undecided,
    Sse(Box<FrameDecoder>),
    Lines(LineSplitter),
    Objects(ObjectSplitter),
    Aws(AwsDecoder),
}

impl MessageFramer {
    pub(crate) fn new(json: JsonLayout, limits: &Limits) -> Self {
        Self {
            limits: *limits,
            json,
            skipped: 0,
            field: Vec::new(),
            skipping: false,
            layout: StreamLayout::Undecided,
            scratch: String::new(),
        }
    }

    pub(crate) fn offset(&self) -> u64 {
        self.skipped
            + match &self.layout {
                StreamLayout::Undecided => self.field.len() as u64,
                StreamLayout::Sse(decoder) => decoder.offset(),
                StreamLayout::Lines(lines) => lines.decoder.offset(),
                StreamLayout::Objects(objects) => objects.offset,
                StreamLayout::Aws(decoder) => decoder.offset(),
            }
    }

    /// Takes the next message out of `chunk` from `*at` on; `None` when the chunk is used up.
    pub(crate) fn next<'a>(&'a mut self, chunk: &'a [u8], at: &mut usize) -> Result<Option<SourceMessage<'a>>, Error> {
        if matches!(self.layout, StreamLayout::Undecided) {
            if let Some(offset) = self.decide(chunk, at)? {
                return Ok(Some(SourceMessage { name: None, data: "", offset, dropped: Some(NOT_A_MESSAGE) }));
            }
        }
        let base = self.skipped;
        let message = match &mut self.layout {
            StreamLayout::Undecided => None,
            StreamLayout::Sse(decoder) => next_frame(decoder, chunk, at)?,
            StreamLayout::Lines(lines) => lines.next(chunk, at, &self.limits, &mut self.scratch)?,
            StreamLayout::Objects(objects) => objects.next(chunk, at, &self.limits, &mut self.scratch)?,
            StreamLayout::Aws(decoder) => decoder.next(chunk, at, &self.limits, &mut self.scratch)?,
        };
        Ok(message.map(|message| SourceMessage { offset: base + message.offset, ..message }))
    }

    /// The incomplete message at the end of input, if any.
    pub(crate) fn finish(&mut self) -> Result<Option<SourceMessage<'_>>, Error> {
        let base = self.skipped;
        let message = match &mut self.layout {
            StreamLayout::Sse(decoder) => decoder.finish().map(|tail| SourceMessage {
                name: tail.frame.features.event().then_some(tail.frame.event),
                data: tail.frame.data,
                offset: tail.frame.data_offset,
                dropped: tail.frame.dropped.then_some(TOO_LONG),
            }),
            StreamLayout::Lines(lines) => lines.finish(&mut self.scratch),
            StreamLayout::Objects(objects) => objects.finish(&mut self.scratch),
            StreamLayout::Undecided if !self.field.is_empty() => {
                self.field.clear();
                Some(SourceMessage { name: None, data: "", offset: 0, dropped: Some(NOT_A_MESSAGE) })
            }
            StreamLayout::Undecided | StreamLayout::Aws(_) => None,
        };
        Ok(message.map(|message| SourceMessage { offset: base + message.offset, ..message }))
    }

    /// Reads up to the byte that decides the layout. Returns the offset of a line that is neither JSON nor SSE.
    fn decide(&mut self, chunk: &[u8], at: &mut usize) -> Result<Option<u64>, Error> {
        while let Some(&byte) = chunk.get(*at) {
            if self.skipping || self.field.is_empty() {
                self.layout = match byte {
                    b'\r' | b'\n' => {
                        self.skip(at);
                        self.skipping = false;
                        continue;
                    }
                    _ if self.skipping => {
                        self.skip(at);
                        continue;
                    }
                    // A byte order mark is skipped here.
                    b' ' | b'\t' | 0xEF | 0xBB | 0xBF => {
                        self.skip(at);
                        continue;
                    }
                    // The first bytes of an AWS message are its length, and no message has 16 MiB.
                    0 => StreamLayout::Aws(AwsDecoder::default()),
                    b'{' | b'[' if self.json == JsonLayout::Objects => StreamLayout::Objects(ObjectSplitter::default()),
                    b'{' => StreamLayout::Lines(LineSplitter::default()),
                    _ => StreamLayout::Undecided,
                };
                if !matches!(self.layout, StreamLayout::Undecided) {
                    return Ok(None);
                }
            }
            self.field.push(byte);
            *at += 1;
            if SSE_FIELDS.contains(&self.field.as_slice()) {
                let mut decoder = FrameDecoder::new(&self.limits);
                // An SSE field name does not end a line, so no frame is complete here.
                let mut read = 0;
                while decoder.advance(&self.field, &mut read)?.is_some() {}
                self.layout = StreamLayout::Sse(Box::new(decoder));
                return Ok(None);
            }
            if !SSE_FIELDS.iter().any(|field| field.starts_with(&self.field)) {
                let offset = self.skipped;
                self.skipped += self.field.len() as u64;
                self.field.clear();
                self.skipping = !matches!(byte, b'\r' | b'\n');
                return Ok(Some(offset));
            }
        }
        Ok(None)
    }

    fn skip(&mut self, at: &mut usize) {
        *at += 1;
        self.skipped += 1;
    }
}

fn next_frame<'a>(
    decoder: &'a mut FrameDecoder,
    chunk: &'a [u8],
    at: &mut usize,
) -> Result<Option<SourceMessage<'a>>, Error> {
    let found = loop {
        match decoder.advance(chunk, at)? {
            None => return Ok(None),
            Some(found @ FrameOutcome::Frame) => break found,
            Some(_) => {}
        }
    };
    let Signal::Frame(frame) = decoder.resolve(found, chunk) else { return Ok(None) };
    Ok(Some(SourceMessage {
        name: frame.features.event().then_some(frame.event),
        data: frame.data,
        offset: frame.data_offset,
        dropped: frame.dropped.then_some(TOO_LONG),
    }))
}

/// Splits lines into messages.
#[derive(Default)]
struct LineSplitter {
    decoder: LineDecoder,
    /// The start of a line that a chunk border splits.
    held: Vec<u8>,
    offset: u64,
    dropped: bool,
    /// True if the line in `held` was returned.
    stale: bool,
}

impl LineSplitter {
    fn next<'a>(
        &'a mut self,
        chunk: &'a [u8],
        at: &mut usize,
        limits: &Limits,
        scratch: &'a mut String,
    ) -> Result<Option<SourceMessage<'a>>, Error> {
        if self.stale {
            self.held.clear();
            self.stale = false;
        }
        while let Some(line) = self.decoder.next(chunk, at) {
            if line.begins {
                self.offset = line.offset;
                self.dropped = false;
            }
            let length = self.held.len() + line.bytes.len();
            if length > limits.line_bytes && !self.dropped {
                if limits.overflow == Overflow::Error {
                    return Err(too_long(Code::LineLimit, self.offset, limits.line_bytes));
                }
                self.dropped = true;
                self.held.clear();
            }
            let ends = line.end.is_some();
            let whole = line.begins && ends;
            if !whole && !self.dropped {
                self.held.extend_from_slice(line.bytes);
            }
            let bytes = if whole { line.bytes } else { &[] };
            if !ends {
                continue;
            }
            let (offset, dropped) = (self.offset, self.dropped);
            let blank = if whole { bytes.trim_ascii().is_empty() } else { self.held.trim_ascii().is_empty() };
            if blank && !dropped {
                self.held.clear();
                continue;
            }
            self.stale = true;
            let bytes = match (dropped, whole) {
                (true, _) => &[],
                (false, true) => bytes,
                (false, false) => &self.held[..],
            };
            let (data, _) = decode_text(bytes, scratch);
            return Ok(Some(SourceMessage { name: None, data, offset, dropped: dropped.then_some(TOO_LONG) }));
        }
        Ok(None)
    }

    fn finish<'a>(&'a mut self, scratch: &'a mut String) -> Option<SourceMessage<'a>> {
        if self.stale || self.dropped || self.held.trim_ascii().is_empty() {
            return None;
        }
        let (data, _) = decode_text(&self.held, scratch);
        Some(SourceMessage { name: None, data, offset: self.offset, dropped: None })
    }
}

/// Objects one after another, found by their braces.
#[derive(Default)]
struct ObjectSplitter {
    offset: u64,
    start: u64,
    depth: usize,
    string: bool,
    escape: bool,
    held: Vec<u8>,
    /// True if the object in `held` was returned.
    stale: bool,
    /// The object is longer than the limit and is skipped.
    dropped: bool,
    /// True if data between two objects was reported.
    gap_reported: bool,
}

impl ObjectSplitter {
    fn next<'a>(
        &'a mut self,
        chunk: &'a [u8],
        at: &mut usize,
        limits: &Limits,
        scratch: &'a mut String,
    ) -> Result<Option<SourceMessage<'a>>, Error> {
        if self.stale {
            self.held.clear();
            self.stale = false;
        }
        // The start of the current object in this chunk.
        let mut from = if self.depth > 0 { Some(*at) } else { None };
        while let Some(byte) = chunk.get(*at) {
            *at += 1;
            self.offset += 1;
            if self.string {
                match byte {
                    _ if self.escape => self.escape = false,
                    b'\\' => self.escape = true,
                    b'"' => self.string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'{' if self.depth == 0 => {
                    self.depth = 1;
                    self.start = self.offset - 1;
                    self.dropped = false;
                    self.gap_reported = false;
                    from = Some(*at - 1);
                }
                // Outside of an object: white space and the list around the objects.
                b' ' | b'\t' | b'\r' | b'\n' | b',' | b'[' | b']' if self.depth == 0 => {}
                _ if self.depth == 0 && self.gap_reported => {}
                _ if self.depth == 0 => {
                    self.gap_reported = true;
                    let offset = self.offset - 1;
                    return Ok(Some(SourceMessage { name: None, data: "", offset, dropped: Some(NOT_A_MESSAGE) }));
                }
                b'{' | b'[' => self.depth += 1,
                b'"' => self.string = true,
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        self.check_length(limits)?;
                        let (offset, dropped) = (self.start, self.dropped.then_some(TOO_LONG));
                        let part = chunk.get(from.unwrap_or(*at)..*at).filter(|_| !self.dropped).unwrap_or_default();
                        if !self.held.is_empty() {
                            self.held.extend_from_slice(part);
                        }
                        self.stale = true;
                        let (data, _) = decode_text(if self.held.is_empty() { part } else { &self.held }, scratch);
                        return Ok(Some(SourceMessage { name: None, data, offset, dropped }));
                    }
                }
                _ => {}
            }
        }
        if let Some(from) = from {
            self.check_length(limits)?;
            if !self.dropped {
                self.held.extend_from_slice(chunk.get(from..).unwrap_or_default());
            }
        }
        Ok(None)
    }

    /// Checks the length of the object so far, so that the result does not depend on where chunks end.
    fn check_length(&mut self, limits: &Limits) -> Result<(), Error> {
        if self.offset - self.start <= limits.frame_bytes as u64 {
            return Ok(());
        }
        if limits.overflow == Overflow::Error {
            return Err(too_long(Code::FrameLimit, self.start, limits.frame_bytes));
        }
        self.dropped = true;
        self.held.clear();
        Ok(())
    }

    fn finish<'a>(&'a mut self, scratch: &'a mut String) -> Option<SourceMessage<'a>> {
        if self.stale || self.held.is_empty() {
            return None;
        }
        let (data, _) = decode_text(&self.held, scratch);
        Some(SourceMessage { name: None, data, offset: self.start, dropped: None })
    }
}

/// The names of SSE fields with their colons; a comment has no name.
const SSE_FIELDS: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];

const NOT_A_MESSAGE: &str = "expected JSON or a field of SSE, found other text";
pub(super) const TOO_LONG: &str = "expected a message within the limits, found a longer one";

pub(super) fn too_long(code: Code, offset: u64, limit: usize) -> Error {
    Error::new(code, offset, format!("limit {limit}"))
}
