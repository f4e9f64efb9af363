//! [`AwsDecoder`]: the binary event-stream layout of AWS, as Bedrock sends it.
//!
//! A message is a prelude (total length, length of the headers, checksum of both), headers, payload, checksum of all. The
//! event's type is a header; the payload is JSON. After a prelude with a wrong checksum the next message cannot be found,
//! so the rest of the stream is skipped; a wrong checksum of a payload affects only that message.

use alloc::string::String;
use alloc::vec::Vec;

use super::message_framer::{too_long, SourceMessage, TOO_LONG};
use crate::error::{Code, Error};
use crate::limits::{Limits, Overflow};
use crate::sse::decode_text;

#[derive(Default)]
pub(crate) struct AwsDecoder {
    held: Vec<u8>,
    /// True if the message in `held` was returned.
    stale: bool,
    offset: u64,
    start: u64,
    /// True after a broken prelude: the rest of the stream cannot be split into messages.
    lost: bool,
    /// The number of bytes of a message above the limit that are still to be skipped.
    skip: usize,
    name: String,
}

/// The length of the prelude, and of the prelude and the last checksum together: no message is shorter.
const PRELUDE: usize = 12;
const LEAST: usize = PRELUDE + 4;

impl AwsDecoder {
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    pub(crate) fn next<'a>(
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
        if self.held.is_empty() {
            self.start = self.offset;
        }
        if self.lost {
            self.take(chunk, at, usize::MAX);
            self.held.clear();
            return Ok(None);
        }
        if self.skip > 0 {
            let skipped = self.skip.min(chunk.len().saturating_sub(*at));
            *at += skipped;
            self.offset += skipped as u64;
            self.start = self.offset;
            self.skip -= skipped;
            if self.skip > 0 {
                return Ok(None);
            }
        }
        if !self.take(chunk, at, PRELUDE) {
            return Ok(None);
        }
        let total = number(&self.held, 0);
        let sound = crc32(self.held.get(..8).unwrap_or_default()) == number(&self.held, 8);
        if !sound || (total as usize) < LEAST {
            self.lost = true;
            let why = Some("expected a prelude with its checksum, found another; the rest of the stream is lost");
            return Ok(Some(SourceMessage { name: None, data: "", offset: self.start, dropped: why }));
        }
        if total as usize > limits.frame_bytes && limits.overflow == Overflow::Drop {
            self.skip = (total as usize).saturating_sub(self.held.len());
            self.held.clear();
            return Ok(Some(SourceMessage { name: None, data: "", offset: self.start, dropped: Some(TOO_LONG) }));
        }
        if total as usize > limits.frame_bytes {
            return Err(too_long(Code::FrameLimit, self.start, limits.frame_bytes));
        }
        if !self.take(chunk, at, total as usize) {
            return Ok(None);
        }
        self.stale = true;
        Ok(Some(self.message(scratch)))
    }

    /// Collects bytes until there are `length` of them; returns `true` if there are.
    fn take(&mut self, chunk: &[u8], at: &mut usize, length: usize) -> bool {
        let rest = chunk.get(*at..).unwrap_or_default();
        let wanted = length.saturating_sub(self.held.len()).min(rest.len());
        self.held.extend_from_slice(rest.get(..wanted).unwrap_or_default());
        *at += wanted;
        self.offset += wanted as u64;
        self.held.len() >= length
    }

    fn message<'a>(&'a mut self, scratch: &'a mut String) -> SourceMessage<'a> {
        let end = self.held.len().saturating_sub(4);
        let headers_end = PRELUDE.saturating_add(number(&self.held, 4) as usize);
        let sound = crc32(self.held.get(..end).unwrap_or_default()) == number(&self.held, end);
        let (Some(headers), Some(payload), true) =
            (self.held.get(PRELUDE..headers_end), self.held.get(headers_end..end), sound)
        else {
            let why = Some("expected a message with its checksum, found another");
            return SourceMessage { name: None, data: "", offset: self.start, dropped: why };
        };
        self.name.clear();
        for (name, value) in AwsHeaders(headers) {
            if matches!(name, b":event-type" | b":exception-type") {
                self.name.push_str(&String::from_utf8_lossy(value));
            }
        }
        let name = (!self.name.is_empty()).then_some(self.name.as_str());
        let (data, _) = decode_text(payload, scratch);
        SourceMessage { name, data, offset: self.start + headers_end as u64, dropped: None }
    }
}

/// The text headers, as name and value; reading stops at a malformed header.
struct AwsHeaders<'a>(&'a [u8]);

impl<'a> Iterator for AwsHeaders<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (&length, rest) = self.0.split_first()?;
            let (name, rest) = rest.split_at_checked(usize::from(length))?;
            let (&kind, rest) = rest.split_first()?;
            let (fixed, prefixed) = match kind {
                0 | 1 => (0, false),
                2 => (1, false),
                3 => (2, false),
                4 => (4, false),
                5 | 8 => (8, false),
                6 | 7 => (0, true),
                9 => (16, false),
                _ => return None,
            };
            let (length, rest) = if prefixed {
                let (length, rest) = rest.split_at_checked(2)?;
                (length.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)), rest)
            } else {
                (fixed, rest)
            };
            let (value, rest) = rest.split_at_checked(length)?;
            self.0 = rest;
            if kind == 7 {
                return Some((name, value));
            }
        }
    }
}

/// Four bytes as a number, big-endian; missing bytes count as 0.
fn number(bytes: &[u8], at: usize) -> u32 {
    (at..at + 4).fold(0, |sum, at| sum << 8 | u32::from(bytes.get(at).copied().unwrap_or(0)))
}

/// CRC-32 as in zlib and Ethernet.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| CRC[((crc ^ u32::from(*byte)) & 0xFF) as usize] ^ (crc >> 8))
}

const CRC: [u32; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut crc = at as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { 0xEDB8_8320 ^ (crc >> 1) } else { crc >> 1 };
            bit += 1;
        }
        table[at] = crc;
        at += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_one_of_the_standard_text() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }
}
