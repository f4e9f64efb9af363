//! The byte-level scanners that the tape and the event scanner share: white space, strings, numbers, whole values.

use alloc::string::String;
use alloc::vec::Vec;

use super::simd::{
    find_non_plain, find_string_special, non_plain_mask, push_ascii, skip_plain_blocks, string_special_mask, LANES,
};
use super::tape::{JsonError, JsonErrorKind, Node, Nodes, ValueKind};

/// One level of an open container: the index of its node, and whether it is an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenContainer {
    node: u32,
    object: bool,
}

/// Skips JSON white space.
#[inline]
pub(crate) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

pub(super) const ONES: u64 = 0x0101_0101_0101_0101;
pub(super) const HIGH: u64 = 0x8080_8080_8080_8080;

/// Marks the bytes of a word that end a string or need decoding: quote, backslash, control character. The lowest mark is exact.
#[inline]
pub(crate) fn string_special_bytes(word: u64) -> u64 {
    let quote = word ^ (ONES * b'"' as u64);
    let slash = word ^ (ONES * b'\\' as u64);
    ((quote.wrapping_sub(ONES) & !quote)
        | (slash.wrapping_sub(ONES) & !slash)
        | (word.wrapping_sub(ONES * 0x20) & !word))
        & HIGH
}

/// Finds the closing quote of a string whose first inner byte is at `at`. Returns its position, and `true` if the string has
/// escapes. The escapes are checked; lone surrogates are allowed.
// Only the first chunk is searched here: most keys and ids end in it, and a larger body would not be inlined where keys are read.
#[inline]
pub(crate) fn string(bytes: &[u8], mut at: usize) -> Result<(usize, bool), JsonError> {
    if let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        at += find_string_special(chunk);
        if bytes.get(at) == Some(&b'"') {
            return Ok((at, false));
        }
    }
    long_string(bytes, at)
}

/// [`string`] from any position inside the string; no special byte is before it.
#[inline(never)]
fn long_string(bytes: &[u8], mut at: usize) -> Result<(usize, bool), JsonError> {
    let mut escaped = false;
    loop {
        at = skip_plain(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return Ok((at, escaped)),
            Some(b'\\') => {
                escaped = true;
                at = skip_escapes(bytes, at)?;
            }
            Some(0..=0x1F) => return Err(JsonError::new(JsonErrorKind::Control, at)),
            Some(_) => at += 1,
            None => return Err(JsonError::new(JsonErrorKind::End, bytes.len())),
        }
    }
}

/// Skips plain text of a string, and returns the position of the first special byte, or a position less than [`LANES`] bytes before
/// the end.
///
/// The position advances by a constant while nothing is found, so that the next load does not wait for the result of the last.
// In wasm the compiler decides, because code size matters there.
#[cfg_attr(target_arch = "wasm32", inline)]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn skip_plain(bytes: &[u8], mut at: usize) -> usize {
    let mut chunks = 0;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let found = find_string_special(chunk);
        if found < LANES {
            return at + found;
        }
        at += LANES;
        chunks += 1;
        if chunks == LONG_CHUNKS {
            at = skip_plain_blocks(bytes, at);
        }
    }
    at
}

/// Finds the first byte from `at` on that a string cannot have as it is: a quote, a backslash or a control character. The end of the
/// text if there is none.
#[inline]
pub(crate) fn find_special(bytes: &[u8], at: usize) -> usize {
    let mut at = skip_plain(bytes, at);
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk).map(|word| u64::from_le_bytes(*word)) {
        let marks = string_special_bytes(word);
        if marks != 0 {
            return at + (marks.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1F)) {
        at += 1;
    }
    at
}

/// After this many chunks without a special byte, a string is treated as long.
const LONG_CHUNKS: u32 = 8;

/// Skips an escape and the text after it, up to the end of the string if enough bytes are left for a vector search: text with one
/// escape often has many.
#[inline(never)]
fn skip_escapes(bytes: &[u8], mut at: usize) -> Result<usize, JsonError> {
    // Most escapes stand for one byte.
    let is_simple = |at: usize| bytes.get(at + 1).is_some_and(|byte| SIMPLE_ESCAPES[usize::from(*byte)] != 0);
    let start = at;
    'chunks: while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<LANES>) {
        let Some(mut marks) = string_special_mask(chunk) else { break };
        let mut length = LANES;
        while marks != 0 {
            let found = marks.trailing_zeros() as usize;
            match chunk.get(found) {
                Some(b'\\') if is_simple(at + found) => {}
                Some(b'\\') => {
                    at = escape(bytes, at + found)?;
                    continue 'chunks;
                }
                // The end of the string, or an invalid byte.
                _ => return Ok(at + found),
            }
            // The last escape may extend into the next chunk.
            length = LANES.max(found + 2);
            // An escaped quote looks like the end.
            marks &= u32::MAX << (found + 2);
        }
        at += length;
    }
    if at > start {
        Ok(at)
    } else if is_simple(at) {
        Ok(at + 2)
    } else {
        escape(bytes, at)
    }
}

/// Marks the bytes of a word that end a string, need decoding, or are not ASCII. The lowest mark is exact.
#[inline]
pub(super) fn non_plain_bytes(word: u64) -> u64 {
    let quote = word ^ (ONES * b'"' as u64);
    let slash = word ^ (ONES * b'\\' as u64);
    // A byte above 0x80 is marked anyway, so it does not matter that the differences mark it too.
    (quote.wrapping_sub(ONES) | slash.wrapping_sub(ONES) | word.wrapping_sub(ONES * 0x20) | word) & HIGH
}

/// Finds the first byte from `at` on that is not plain text of a string: a quote, a backslash, a control character, or not
/// ASCII. `None` if there is none. Made for strings of a few bytes: the last bytes are read like the others.
#[inline]
pub(crate) fn plain_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let last = bytes.len().checked_sub(LANES)?;
    while at < bytes.len() {
        let from = at.min(last);
        // Fewer bytes than that are left, because the position is inside the slice.
        let found = find_non_plain(bytes.get(from..)?.first_chunk()?, at - from);
        if found < LANES {
            return Some(from + found);
        }
        at = from + LANES;
    }
    None
}

/// What [`unchecked_string`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StringScan {
    /// The position of the closing quote.
    pub(crate) end: usize,
    pub(crate) escaped: bool,
}

/// As [`string`], for bytes that are not known to be UTF-8: invalid UTF-8 returns `None`, as any
/// other error does.
#[inline]
pub(crate) fn unchecked_string(bytes: &[u8], start: usize) -> Option<StringScan> {
    let at = plain_end(bytes, start)?;
    if bytes.get(at) == Some(&b'"') {
        return Some(StringScan { end: at, escaped: false });
    }
    unchecked_general_string(bytes, start, at)
}

/// A string with escapes or with text that is not ASCII. No special byte is before `from`.
#[inline(never)]
fn unchecked_general_string(bytes: &[u8], start: usize, from: usize) -> Option<StringScan> {
    let (end, escaped) = string(bytes, from).ok()?;
    core::str::from_utf8(bytes.get(start..end)?).ok()?;
    Some(StringScan { end, escaped })
}

/// Decodes a string of a few ASCII bytes in which each escape is one byte. Returns the position of the closing quote and
/// the number of decoded bytes in `out`; `out` may have other bytes after them. `None`: use the general decoder.
pub(crate) fn decode_short_string(bytes: &[u8], start: usize, out: &mut String) -> Option<(usize, usize)> {
    let near = bytes.get(start..).and_then(<[u8]>::first_chunk).and_then(decode_short_simd);
    let tiny = match near {
        Some(found) => found.map(|(end, length, text)| (start + end, length, text)),
        None => decode_short_swar(bytes, start),
    };
    if near == Some(None) {
        return None;
    }
    if let Some((end, length, text)) = tiny {
        out.clear();
        out.reserve(LANES);
        return push_ascii(out, &u128::from(text).to_le_bytes(), LANES).then_some((end, length));
    }
    let mut text = [0; SHORT];
    let last = bytes.len().checked_sub(8)?;
    let (mut at, mut length) = (start, 0);
    loop {
        let from = at.min(last);
        let word = u64::from_le_bytes(*bytes.get(from..)?.first_chunk()?) >> (8 * (at - from) % 64);
        let plain = (non_plain_bytes(word).trailing_zeros() / 8) as usize;
        // Writes more than needed; the next write overwrites the rest.
        *text.get_mut(length..)?.first_chunk_mut()? = word.to_le_bytes();
        (at, length) = (at + plain, length + plain);
        if plain == 8 {
            continue;
        }
        if bytes.get(at) == Some(&b'"') {
            break;
        }
        let meant = SIMPLE_ESCAPES[usize::from(*bytes.get(at + 1).filter(|_| bytes.get(at) == Some(&b'\\'))?)];
        if meant == 0 {
            return None;
        }
        *text.get_mut(length)? = meant;
        (at, length) = (at + 2, length + 1);
    }
    *text.get_mut(length..)?.first_chunk_mut()? = [0; 8];
    // Copies all of it, zeros included: a constant length is fastest.
    out.clear();
    out.reserve(SHORT);
    let (first, last) = (text.first_chunk()?, text.last_chunk()?);
    (push_ascii(out, first, LANES) && push_ascii(out, last, LANES)).then_some((at, length))
}

const SHORT: usize = 2 * LANES;

/// As [`decode_short_string`], for at most eight decoded bytes: returns the position of the closing quote, the number of bytes, and the
/// bytes, the first one lowest. The result is in a register: loading a word that was just written in pieces is slow.
#[inline]
fn decode_short_swar(bytes: &[u8], start: usize) -> Option<(usize, usize, u64)> {
    let last = bytes.len().checked_sub(8)?;
    let (mut at, mut length, mut text) = (start, 0, 0);
    loop {
        let from = at.min(last);
        let word = u64::from_le_bytes(*bytes.get(from..)?.first_chunk()?) >> (8 * (at - from) % 64);
        let marks = non_plain_bytes(word);
        let plain = (marks.trailing_zeros() / 8) as usize;
        if length + plain > 8 {
            return None;
        }
        // All bytes below the lowest mark; all bytes if there is no mark; none if there is no room left.
        let below = ((marks & marks.wrapping_neg()) >> 7).wrapping_sub(1);
        text |= (word & below) << (8 * length % 64);
        (at, length) = (at + plain, length + plain);
        if plain == 8 {
            continue;
        }
        if bytes.get(at) == Some(&b'"') {
            return Some((at, length, text));
        }
        let meant = SIMPLE_ESCAPES[usize::from(*bytes.get(at + 1).filter(|_| bytes.get(at) == Some(&b'\\'))?)];
        if meant == 0 || length == 8 {
            return None;
        }
        text |= u64::from(meant) << (8 * length);
        (at, length) = (at + 2, length + 1);
    }
}

/// As [`decode_short_swar`], for a string that ends within sixteen bytes and has more bytes after it: one vector operation covers them.
/// `None` if it may be longer, `Some(None)` if it needs the general decoder.
#[inline(always)]
fn decode_short_simd(bytes: &[u8; LANES + 8]) -> Option<Option<(usize, usize, u64)>> {
    let mut marks = non_plain_mask(bytes.first_chunk()?)? | AFTER;
    let (mut from, mut length, mut text) = (0, 0, 0);
    loop {
        let at = marks.trailing_zeros() as usize;
        let plain = at - from;
        if plain > 7 || length + plain > 8 || at >= LANES {
            return None;
        }
        let word = u64::from_le_bytes(*bytes.get(from..)?.first_chunk()?);
        // None if there is no room left.
        text |= (word & !(u64::MAX << (8 * plain))) << (8 * length % 64);
        length += plain;
        let byte = *bytes.get(at)?;
        if byte == b'"' {
            return Some(Some((at, length, text)));
        }
        let meant = SIMPLE_ESCAPES[usize::from(*bytes.get(at + 1)?)];
        if byte != b'\\' || meant == 0 {
            return Some(None);
        }
        if length == 8 {
            return None;
        }
        text |= u64::from(meant) << (8 * length);
        (from, length) = (at + 2, length + 1);
        // An escaped quote looks like the end.
        marks &= u32::MAX << from;
    }
}

/// A final mark, in case the last byte is a backslash.
const AFTER: u32 = 1 << (LANES + 1);

/// The byte that each escape decodes to, by the byte after the backslash; 0 for a longer escape or none.
pub(super) const SIMPLE_ESCAPES: [u8; 256] = {
    let mut meant = [0; 256];
    let pairs = *b"\"\"\\\\//b\x08f\x0Cn\nr\rt\t";
    let mut at = 0;
    while at < pairs.len() {
        meant[pairs[at] as usize] = pairs[at + 1];
        at += 2;
    }
    meant
};

#[cold]
#[inline(never)]
fn bad(kind: JsonErrorKind, at: usize) -> JsonError {
    JsonError::new(kind, at)
}

/// Checks an escape that does not stand for one byte, and returns its end.
#[inline(never)]
fn escape(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    match bytes.get(at + 1) {
        Some(b'u') => match bytes.get(at + 2..at + 6) {
            Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => Ok(at + 6),
            Some(_) => Err(bad(JsonErrorKind::Escape, at)),
            None => Err(bad(JsonErrorKind::End, bytes.len())),
        },
        Some(_) => Err(bad(JsonErrorKind::Escape, at)),
        None => Err(bad(JsonErrorKind::End, bytes.len())),
    }
}

/// Finds the end of a number that starts at `at`.
// In wasm the compiler decides, because code size matters there.
#[cfg_attr(target_arch = "wasm32", inline)]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(crate) fn number(bytes: &[u8], start: usize) -> Result<usize, JsonError> {
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut at = start + usize::from(bytes.get(start) == Some(&b'-'));
    let whole = digits(at);
    if whole == at || (bytes[at] == b'0' && whole > at + 1) {
        return Err(bad(JsonErrorKind::Number, start));
    }
    at = whole;
    if bytes.get(at) == Some(&b'.') {
        let end = digits(at + 1);
        if end == at + 1 {
            return Err(bad(JsonErrorKind::Number, start));
        }
        at = end;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let end = digits(at);
        if end == at {
            return Err(bad(JsonErrorKind::Number, start));
        }
        at = end;
    }
    Ok(at)
}

/// Checks one whole value that starts at `at` (white space allowed before it) and returns its end. With `KEEP` its
/// nodes are written to `nodes`. `stack` is scratch; `depth` bounds the open containers.
#[inline]
pub(crate) fn value<const KEEP: bool>(
    bytes: &[u8],
    at: usize,
    depth: usize,
    nodes: &mut Nodes,
    stack: &mut Vec<OpenContainer>,
) -> Result<usize, JsonError> {
    stack.clear();
    value_above::<KEEP>(bytes, at, depth, nodes, stack, 0)
}

/// Checks one whole value as [`value`] does, and keeps nothing.
#[inline]
pub(crate) fn skip(bytes: &[u8], at: usize, depth: usize, stack: &mut Vec<OpenContainer>) -> Result<usize, JsonError> {
    value::<false>(bytes, at, depth, &mut Nodes::default(), stack)
}

/// [`value`] inside `open` containers that are already open.
#[inline]
fn value_above<const KEEP: bool>(
    bytes: &[u8],
    mut at: usize,
    depth: usize,
    nodes: &mut Nodes,
    stack: &mut Vec<OpenContainer>,
    around: usize,
) -> Result<usize, JsonError> {
    // True if a key is next: the innermost container is an object.
    let mut in_object = false;
    loop {
        at = skip_space(bytes, at);
        if in_object {
            at = key::<KEEP>(bytes, at, nodes)?;
        }
        let Some(&first) = bytes.get(at) else { return Err(bad(JsonErrorKind::End, bytes.len())) };
        match first {
            b'"' => {
                let (end, escaped) = string(bytes, at + 1)?;
                push::<KEEP>(nodes, ValueKind::String, at + 1, end, escaped);
                at = end + 1;
            }
            b'-' | b'0'..=b'9' => {
                let end = number(bytes, at)?;
                push::<KEEP>(nodes, ValueKind::Number, at, end, false);
                at = end;
            }
            b'{' | b'['
                if KEEP
                    && is_deferred(bytes, at, stack.len() >= nodes.max_depth, in_object && first == b'[', nodes) =>
            {
                at = deferred(bytes, at, depth, nodes, stack)?
            }
            b'{' | b'[' => {
                if stack.len() >= depth {
                    return Err(bad(JsonErrorKind::Depth, at));
                }
                let integers = if !KEEP && first == b'[' { integers(bytes, at) } else { None };
                if let Some(end) = integers {
                    at = end;
                } else {
                    in_object = first == b'{';
                    let (kind, close) = if in_object { (ValueKind::Object, b'}') } else { (ValueKind::Array, b']') };
                    stack.push(OpenContainer { node: nodes.list.len() as u32, object: in_object });
                    push::<KEEP>(nodes, kind, at, at, false);
                    at = skip_space(bytes, at + 1);
                    if bytes.get(at) != Some(&close) {
                        continue;
                    }
                }
            }
            b't' => at = word::<KEEP>(bytes, at, b"true", ValueKind::True, nodes)?,
            b'f' => at = word::<KEEP>(bytes, at, b"false", ValueKind::False, nodes)?,
            b'n' => at = word::<KEEP>(bytes, at, b"null", ValueKind::Null, nodes)?,
            _ => return Err(unexpected(bytes, at)),
        }
        // A value has ended, or an empty container is next to close: close containers, or continue with the next member.
        loop {
            if stack.len() <= around {
                return Ok(at);
            }
            at = skip_space(bytes, at);
            match bytes.get(at) {
                Some(b',') => {
                    at += 1;
                    break;
                }
                Some(b'}') if in_object => at += 1,
                Some(b']') if !in_object => at += 1,
                _ => return Err(unexpected(bytes, at)),
            }
            if let Some(closed) = stack.pop().filter(|_| KEEP) {
                let next = nodes.list.len() as u32;
                let node = &mut nodes.list[closed.node as usize];
                (node.end, node.next) = (at as u32, next);
            }
            in_object = stack.last().is_some_and(|open| open.object);
        }
    }
}

/// Finds the end of a list of digits and commas alone, such as the bytes of a token. `None`: use the general
/// scanner.
#[inline]
fn integers(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        let from = at;
        while bytes.get(at)?.is_ascii_digit() {
            at += 1;
        }
        if at == from || (bytes[from] == b'0' && at > from + 1) {
            return None;
        }
        at += 1;
        match bytes[at - 1] {
            b',' => {}
            b']' => return Some(at),
            _ => return None,
        }
    }
}

/// Returns `true` if one node is kept for all of the container at `at`: it is not empty, and deeper than the outline or a list after the
/// key `logprobs`, the key read last.
#[inline(always)]
fn is_deferred(bytes: &[u8], at: usize, is_deep: bool, is_member_list: bool, nodes: &Nodes) -> bool {
    if is_deep {
        return !matches!(bytes.get(at + 1), Some(b']' | b'}'));
    }
    let key = || nodes.list.last().and_then(|key| bytes.get(key.start as usize..key.end as usize));
    is_member_list && key() == Some(b"logprobs") && bytes.get(skip_space(bytes, at + 1)) != Some(&b']')
}

/// Checks a container and keeps one node for all of it.
#[inline(never)]
fn deferred(
    bytes: &[u8],
    at: usize,
    depth: usize,
    nodes: &mut Nodes,
    stack: &mut Vec<OpenContainer>,
) -> Result<usize, JsonError> {
    let around = stack.len();
    let end = value_above::<false>(bytes, at, depth, nodes, stack, around)?;
    let kind = if bytes.get(at) == Some(&b'[') { ValueKind::Array } else { ValueKind::Object };
    nodes.record_deferred();
    push::<true>(nodes, kind, at, end, true);
    Ok(end)
}

#[inline]
fn push<const KEEP: bool>(nodes: &mut Nodes, tag: ValueKind, start: usize, end: usize, escaped: bool) {
    if KEEP {
        let next = nodes.list.len() as u32 + 1;
        nodes.list.push(Node { start: start as u32, end: end as u32, next, tag, escaped });
    }
}

/// Reads `"key" :` at `at` and returns the start of the value.
// In wasm the compiler decides, because code size matters there.
#[cfg_attr(target_arch = "wasm32", inline)]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn key<const KEEP: bool>(bytes: &[u8], at: usize, nodes: &mut Nodes) -> Result<usize, JsonError> {
    if bytes.get(at) != Some(&b'"') {
        return Err(unexpected(bytes, at));
    }
    let (end, escaped) = string(bytes, at + 1)?;
    push::<KEEP>(nodes, ValueKind::String, at + 1, end, escaped);
    let mut colon = end + 1;
    if bytes.get(colon) != Some(&b':') {
        colon = skip_space(bytes, colon);
        if bytes.get(colon) != Some(&b':') {
            return Err(unexpected(bytes, colon));
        }
    }
    Ok(skip_space(bytes, colon + 1))
}

#[inline]
fn word<const KEEP: bool>(
    bytes: &[u8],
    at: usize,
    word: &[u8],
    tag: ValueKind,
    nodes: &mut Nodes,
) -> Result<usize, JsonError> {
    if bytes.get(at..at + word.len()) != Some(word) {
        return Err(unexpected(bytes, at));
    }
    push::<KEEP>(nodes, tag, at, at + word.len(), false);
    Ok(at + word.len())
}

#[cold]
pub(crate) fn unexpected(bytes: &[u8], at: usize) -> JsonError {
    JsonError::new(if at < bytes.len() { JsonErrorKind::Unexpected } else { JsonErrorKind::End }, at)
}

#[cfg(test)]
mod tests;
