//! [`Framer`]: bytes of a foreign stream → messages.
//!
//! The first byte that is not white space decides the layout: an object or a list is JSON, anything else is SSE. So an
//! error body in place of a stream is read, and so is a capture that was stored in the other layout. Bytes are looked
//! at once; a message that lies in one chunk is not copied.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::aws::AwsDecoder;
use crate::error::{Code, Error};
use crate::limits::{Limits, Overflow};
use crate::sse::{decode_text, Found, FrameDecoder, LineDecoder, Signal};

/// One message of the stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message<'a> {
    /// The SSE event name, where the frame has one.
    pub(crate) name: Option<&'a str>,
    pub(crate) data: &'a str,
    /// Where the payload starts in the stream.
    pub(crate) offset: u64,
    /// Why the payload is gone, if it is.
    pub(crate) dropped: Option<&'static str>,
}

/// How JSON without SSE is cut into messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Json {
    /// A message is a line. A broken line costs only itself.
    Lines,
    /// A message is an object, over however many lines; a list around them is passed over.
    Objects,
}

pub(crate) struct Framer {
    limits: Limits,
    json: Json,
    /// White space and a byte order mark before the first message.
    skipped: u64,
    layout: Layout,
    scratch: String,
}

enum Layout {
    Undecided,
    Sse(Box<FrameDecoder>),
    Lines(Lines),
    Objects(Objects),
    Aws(AwsDecoder),
}

impl Framer {
    pub(crate) fn new(json: Json, limits: &Limits) -> Self {
        Self { limits: *limits, json, skipped: 0, layout: Layout::Undecided, scratch: String::new() }
    }

    pub(crate) fn offset(&self) -> u64 {
        self.skipped
            + match &self.layout {
                Layout::Undecided => 0,
                Layout::Sse(decoder) => decoder.offset(),
                Layout::Lines(lines) => lines.decoder.offset(),
                Layout::Objects(objects) => objects.offset,
                Layout::Aws(decoder) => decoder.offset(),
            }
    }

    /// Takes the next message out of `chunk` from `*at` on; `None` when the chunk is used up.
    pub(crate) fn next<'a>(&'a mut self, chunk: &'a [u8], at: &mut usize) -> Result<Option<Message<'a>>, Error> {
        if matches!(self.layout, Layout::Undecided) {
            self.decide(chunk, at);
        }
        let base = self.skipped;
        let message = match &mut self.layout {
            Layout::Undecided => None,
            Layout::Sse(decoder) => next_frame(decoder, chunk, at)?,
            Layout::Lines(lines) => lines.next(chunk, at, &self.limits, &mut self.scratch)?,
            Layout::Objects(objects) => objects.next(chunk, at, &self.limits, &mut self.scratch)?,
            Layout::Aws(decoder) => decoder.next(chunk, at, &self.limits, &mut self.scratch)?,
        };
        Ok(message.map(|message| Message { offset: base + message.offset, ..message }))
    }

    /// What the end of input cut off, if there is any of it.
    pub(crate) fn finish(&mut self) -> Result<Option<Message<'_>>, Error> {
        let base = self.skipped;
        let message = match &mut self.layout {
            Layout::Sse(decoder) => decoder.finish().map(|tail| Message {
                name: tail.frame.marks.event().then_some(tail.frame.event),
                data: tail.frame.data,
                offset: tail.frame.data_offset,
                dropped: tail.frame.dropped.then_some(TOO_LONG),
            }),
            Layout::Lines(lines) => lines.finish(&mut self.scratch),
            Layout::Objects(objects) => objects.finish(&mut self.scratch),
            Layout::Undecided | Layout::Aws(_) => None,
        };
        Ok(message.map(|message| Message { offset: base + message.offset, ..message }))
    }

    fn decide(&mut self, chunk: &[u8], at: &mut usize) {
        while let Some(byte) = chunk.get(*at) {
            self.layout = match byte {
                // A byte order mark means as little as white space here.
                b' ' | b'\t' | b'\r' | b'\n' | 0xEF | 0xBB | 0xBF => {
                    *at += 1;
                    self.skipped += 1;
                    continue;
                }
                // The first bytes of an AWS message are its length, and none has 16 MiB.
                0 => Layout::Aws(AwsDecoder::default()),
                b'{' | b'[' if self.json == Json::Objects => Layout::Objects(Objects::default()),
                b'{' => Layout::Lines(Lines::default()),
                _ => Layout::Sse(Box::new(FrameDecoder::new(&self.limits))),
            };
            return;
        }
    }
}

fn next_frame<'a>(
    decoder: &'a mut FrameDecoder,
    chunk: &'a [u8],
    at: &mut usize,
) -> Result<Option<Message<'a>>, Error> {
    let found = loop {
        match decoder.advance(chunk, at)? {
            None => return Ok(None),
            Some(found @ Found::Frame) => break found,
            Some(_) => {}
        }
    };
    let Signal::Frame(frame) = decoder.resolve(found, chunk) else { return Ok(None) };
    Ok(Some(Message {
        name: frame.marks.event().then_some(frame.event),
        data: frame.data,
        offset: frame.data_offset,
        dropped: frame.dropped.then_some(TOO_LONG),
    }))
}

/// One message a line.
#[derive(Default)]
struct Lines {
    decoder: LineDecoder,
    /// The start of a line that a chunk border cut.
    held: Vec<u8>,
    offset: u64,
    dropped: bool,
    /// The line in `held` was given out.
    stale: bool,
}

impl Lines {
    fn next<'a>(
        &'a mut self,
        chunk: &'a [u8],
        at: &mut usize,
        limits: &Limits,
        scratch: &'a mut String,
    ) -> Result<Option<Message<'a>>, Error> {
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
            return Ok(Some(Message { name: None, data, offset, dropped: dropped.then_some(TOO_LONG) }));
        }
        Ok(None)
    }

    fn finish<'a>(&'a mut self, scratch: &'a mut String) -> Option<Message<'a>> {
        if self.stale || self.dropped || self.held.trim_ascii().is_empty() {
            return None;
        }
        let (data, _) = decode_text(&self.held, scratch);
        Some(Message { name: None, data, offset: self.offset, dropped: None })
    }
}

/// Objects one after another, found by their braces.
#[derive(Default)]
struct Objects {
    offset: u64,
    start: u64,
    depth: usize,
    string: bool,
    escape: bool,
    held: Vec<u8>,
    stale: bool,
}

impl Objects {
    fn next<'a>(
        &'a mut self,
        chunk: &'a [u8],
        at: &mut usize,
        limits: &Limits,
        scratch: &'a mut String,
    ) -> Result<Option<Message<'a>>, Error> {
        if self.stale {
            self.held.clear();
            self.stale = false;
        }
        // Where the current object starts in this chunk.
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
                    from = Some(*at - 1);
                }
                // Outside of an object there is nothing but the list around it.
                _ if self.depth == 0 => {}
                b'{' | b'[' => self.depth += 1,
                b'"' => self.string = true,
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        let part = chunk.get(from.unwrap_or(*at)..*at).unwrap_or_default();
                        let offset = self.start;
                        if self.held.is_empty() {
                            let (data, _) = decode_text(part, scratch);
                            return Ok(Some(Message { name: None, data, offset, dropped: None }));
                        }
                        self.held.extend_from_slice(part);
                        self.stale = true;
                        let (data, _) = decode_text(&self.held, scratch);
                        return Ok(Some(Message { name: None, data, offset, dropped: None }));
                    }
                }
                _ => {}
            }
        }
        if let Some(from) = from {
            self.held.extend_from_slice(chunk.get(from..).unwrap_or_default());
            if self.held.len() > limits.frame_bytes {
                return Err(too_long(Code::FrameLimit, self.start, limits.frame_bytes));
            }
        }
        Ok(None)
    }

    fn finish<'a>(&'a mut self, scratch: &'a mut String) -> Option<Message<'a>> {
        if self.stale || self.held.is_empty() {
            return None;
        }
        let (data, _) = decode_text(&self.held, scratch);
        Some(Message { name: None, data, offset: self.start, dropped: None })
    }
}

const TOO_LONG: &str = "expected a message within the limits, found a longer one";

pub(super) fn too_long(code: Code, offset: u64, limit: usize) -> Error {
    Error::new(code, offset, format!("limit {limit}"))
}
