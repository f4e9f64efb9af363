//! Encodes frames as bytes, appended to the caller's buffer.
//!
//! The bytes take the form that all known readers accept (rule SSE-11): LF, `event` before `data`, one data line unless the payload has
//! line breaks. Decoding returns the same frame, except that CR and CRLF in the payload become
//! LF, because an event stream cannot distinguish them. Time is linear; no state is kept.

use alloc::vec::Vec;

use memchr::{memchr, memchr2};

use crate::{Code, Error};

/// Appends a frame. An empty name writes no `event` line; a payload with line breaks is split over `data` lines.
///
/// ```
/// let mut out = Vec::new();
/// deltafold::sse::encode("note", "one\ntwo", &mut out)?;
/// assert_eq!(out, b"event: note\ndata: one\ndata: two\n\n");
/// # Ok::<(), deltafold::Error>(())
/// ```
///
/// # Errors
///
/// [`Code::BadArgument`] if the name has a line break: it cannot be sent, and truncating it would send another name.
/// Nothing is appended then.
pub fn encode(event: &str, data: &str, out: &mut Vec<u8>) -> Result<(), Error> {
    encode_with(event, out, |out| out.extend_from_slice(data.as_bytes()))
}

/// Appends a frame whose payload is written directly into the buffer, for a caller that does not have it in another buffer.
///
/// `write` may only append, and what it appends must be UTF-8.
///
/// # Errors
///
/// As for [`encode`]; `write` is not called then.
pub fn encode_with(event: &str, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), Error> {
    if !event.is_empty() {
        field("event: ", event, "event name", out)?;
    }
    out.extend_from_slice(DATA);
    let start = out.len();
    write(out);
    let payload = out.get(start..).unwrap_or_default();
    // JSON text of the writer has no line breaks, so the search is the only cost.
    if memchr2(b'\n', b'\r', payload).is_some() {
        split_lines(out, start);
    }
    out.extend_from_slice(b"\n\n");
    Ok(())
}

/// Appends an `id` line. It belongs to the frame that is encoded next.
///
/// Open Responses advises against it (rule SSE-05); other event streams use it.
///
/// # Errors
///
/// [`Code::BadArgument`] if the id has a line break, or a NUL, which makes readers ignore it. Nothing is appended then.
pub fn encode_id(id: &str, out: &mut Vec<u8>) -> Result<(), Error> {
    if memchr(0, id.as_bytes()).is_some() {
        return Err(Error::new(Code::BadArgument, 0, "expected an id without NUL"));
    }
    field("id: ", id, "id", out)
}

/// Appends a `retry` line: the time in milliseconds that a reader should wait before it connects again. It belongs to the
/// frame that is encoded next.
pub fn encode_retry(milliseconds: u64, out: &mut Vec<u8>) {
    // The maximum number of digits of 64 bits.
    let mut digits = [0; 20];
    let mut rest = milliseconds;
    let mut count = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        count += 1;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(b"retry: ");
    out.extend_from_slice(digits.get(digits.len() - count..).unwrap_or_default());
    out.push(b'\n');
}

/// Appends a comment and a blank line: the keep-alive that every known reader accepts (rule SSE-09).
///
/// A text with line breaks becomes several comment lines. Call it between frames, never between an id and its frame.
///
/// ```
/// let mut out = Vec::new();
/// deltafold::sse::encode_comment("keepalive", &mut out);
/// assert_eq!(out, b": keepalive\n\n");
/// ```
pub fn encode_comment(text: &str, out: &mut Vec<u8>) {
    for line in Lines(Some(text.as_bytes())) {
        out.push(b':');
        if !line.is_empty() {
            out.push(b' ');
            out.extend_from_slice(line);
        }
        out.push(b'\n');
    }
    out.push(b'\n');
}

fn field(name: &str, value: &str, what: &str, out: &mut Vec<u8>) -> Result<(), Error> {
    if memchr2(b'\n', b'\r', value.as_bytes()).is_some() {
        return Err(Error::new(Code::BadArgument, 0, alloc::format!("expected an {what} without line breaks")));
    }
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(value.as_bytes());
    out.push(b'\n');
    Ok(())
}

/// Inserts `data: ` before each line of the text after `start`.
#[cold]
fn split_lines(out: &mut Vec<u8>, start: usize) {
    let payload = out.split_off(start);
    for (index, line) in Lines(Some(&payload)).enumerate() {
        if index > 0 {
            out.push(b'\n');
            out.extend_from_slice(DATA);
        }
        out.extend_from_slice(line);
    }
}

/// The lines of a text, separated by CR, LF or CRLF: one more than there are line breaks.
struct Lines<'a>(Option<&'a [u8]>);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.0.take()?;
        let Some(end) = memchr2(b'\n', b'\r', rest) else { return Some(rest) };
        let width = if rest.get(end..end + 2) == Some(b"\r\n") { 2 } else { 1 };
        self.0 = rest.get(end + width..);
        rest.get(..end)
    }
}

const DATA: &[u8] = b"data: ";
