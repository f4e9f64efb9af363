//! Bytes to text like the standard's decoder: never fails, replaces ill-formed bytes.

use alloc::string::String;

/// Reads bytes as UTF-8. Ill-formed bytes become U+FFFD, one for each maximal ill-formed part.
///
/// Returns the text and, if bytes were replaced, the position of the first one. Well-formed bytes are
/// borrowed and `scratch` is unchanged; otherwise the text is written into `scratch`, which is cleared first. A byte
/// order mark is ordinary text here.
///
/// ```
/// let mut scratch = String::new();
/// assert_eq!(deltafold::sse::decode_text(b"ok", &mut scratch), ("ok", None));
/// assert_eq!(deltafold::sse::decode_text(b"a\xE2\x82b", &mut scratch), ("a\u{FFFD}b", Some(1)));
/// ```
#[inline]
pub fn decode_text<'a>(bytes: &'a [u8], scratch: &'a mut String) -> (&'a str, Option<usize>) {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(_) => replace(bytes, scratch),
    }
}

/// The position of the first ill-formed byte, if there is one.
pub(super) fn first_invalid_utf8(bytes: &[u8]) -> Option<usize> {
    simdutf8::compat::from_utf8(bytes).err().map(|error| error.valid_up_to())
}

/// The bytes without an incomplete character at their end.
pub(super) fn whole_characters(bytes: &[u8]) -> &[u8] {
    for length in 1..=3 {
        if let Some((front, back)) = bytes.split_at_checked(bytes.len().saturating_sub(length)) {
            let error = core::str::from_utf8(back).err();
            if error.is_some_and(|error| error.valid_up_to() == 0 && error.error_len().is_none()) {
                return front;
            }
        }
    }
    bytes
}

#[cold]
fn replace<'a>(bytes: &[u8], scratch: &'a mut String) -> (&'a str, Option<usize>) {
    scratch.clear();
    let mut first = None;
    let mut at = 0;
    for run in bytes.utf8_chunks() {
        scratch.push_str(run.valid());
        at += run.valid().len();
        if !run.invalid().is_empty() {
            first = first.or(Some(at));
            scratch.push(char::REPLACEMENT_CHARACTER);
            at += run.invalid().len();
        }
    }
    (scratch, first)
}
