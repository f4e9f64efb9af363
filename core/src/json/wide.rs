//! Sixteen bytes at a time: where a short string ends, and appending it. The only unsafe code of the core.
//!
//! A delta has four characters, and a stream has thousands of them. Safe code has two ways to append bytes to a `String`: to have them
//! checked as UTF-8, or one character at a time. Either takes longer than to find the delta; benches/NOTES.md has the figures.
#![allow(unsafe_code)]

use alloc::string::String;

use super::scan;
use crate::SPEED;

/// How many bytes are looked at and copied, whatever the length: what is always of the same length needs no branch for it.
pub(crate) const WIDE: usize = 16;

/// Finds the first byte from a place on that is no plain text of a JSON string: a quote, a backslash, a control character, or not
/// ASCII. [`WIDE`] or more if there is none.
#[inline(always)]
pub(crate) fn first_unusual(bytes: &[u8; WIDE], from: usize) -> usize {
    if VECTORS {
        return from + (marks::<true>(bytes) | END).wrapping_shr(from as u32).trailing_zeros() as usize;
    }
    // Zeros come in from behind, and are marked as control characters.
    let rest = u128::from_le_bytes(*bytes) >> (8 * (from % WIDE));
    from + first(scan::unusual(rest as u64), || scan::unusual((rest >> 64) as u64))
}

/// Finds the first byte that ends or bends a JSON string: a quote, a backslash, a control character. [`WIDE`] if there is none.
#[inline(always)]
pub(crate) fn first_special(bytes: &[u8; WIDE]) -> usize {
    if VECTORS {
        return (marks::<false>(bytes) | END).trailing_zeros() as usize;
    }
    let words = u128::from_le_bytes(*bytes);
    first(scan::special(words as u64), || scan::special((words >> 64) as u64))
}

/// A bit for each byte that is no plain text of a JSON string, the first one lowest, and one behind the last. `None` where there are no
/// instructions for it.
#[inline(always)]
pub(crate) fn unusual_marks(bytes: &[u8; WIDE]) -> Option<u32> {
    (SPEED && VECTORS).then(|| marks::<true>(bytes) | END)
}

/// A bit for each byte that ends or bends a JSON string, the first one lowest. `None` where there are no instructions for it.
#[inline(always)]
pub(crate) fn special_marks(bytes: &[u8; WIDE]) -> Option<u32> {
    (SPEED && VECTORS).then(|| marks::<false>(bytes))
}

/// Where the lowest mark of two words is.
#[inline(always)]
fn first(low: u64, high: impl Fn() -> u64) -> usize {
    let bits = if low != 0 { low.trailing_zeros() } else { 64 + high().trailing_zeros() };
    (bits / 8) as usize
}

/// Whether it is known when compiling that there are instructions for sixteen bytes that tell about each by a bit.
const VECTORS: bool = cfg!(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")));

/// A mark behind the last byte.
const END: u32 = 1 << WIDE;

/// A bit for each byte that ends or bends a string, the first one lowest; `ASCII`: and for each that is not ASCII.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn marks<const ASCII: bool>(bytes: &[u8; WIDE]) -> u32 {
    use core::arch::x86_64::*;
    // SAFETY: the load is of the sixteen bytes that the reference is of, at any address. Every x86_64 has these instructions.
    unsafe {
        let bytes = _mm_loadu_si128(bytes.as_ptr().cast());
        let quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'"' as i8));
        let backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\\' as i8));
        let low = if ASCII {
            // With a sign, what is not ASCII is below, too.
            _mm_cmplt_epi8(bytes, _mm_set1_epi8(b' ' as i8))
        } else {
            _mm_cmpeq_epi8(bytes, _mm_min_epu8(bytes, _mm_set1_epi8(0x1F)))
        };
        _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), low)) as u32
    }
}

/// The same.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(always)]
fn marks<const ASCII: bool>(bytes: &[u8; WIDE]) -> u32 {
    use core::arch::wasm32::*;
    // SAFETY: the load is of the sixteen bytes that the reference is of, at any address.
    let bytes = unsafe { v128_load(bytes.as_ptr().cast()) };
    let ends = v128_or(u8x16_eq(bytes, u8x16_splat(b'"')), u8x16_eq(bytes, u8x16_splat(b'\\')));
    let low = if ASCII { i8x16_lt(bytes, i8x16_splat(b' ' as i8)) } else { u8x16_lt(bytes, u8x16_splat(b' ')) };
    u32::from(i8x16_bitmask(v128_or(ends, low)))
}

/// Nobody asks.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
fn marks<const ASCII: bool>(_: &[u8; WIDE]) -> u32 {
    0
}

/// Appends the first bytes of some, if all of them are ASCII and there is room for all. `false`: nothing was done.
#[inline(always)]
pub(crate) fn push_ascii(out: &mut String, bytes: &[u8; WIDE], length: usize) -> bool {
    // As words: these may just have been written as such, and are slow to be loaded as a whole then.
    let words = u128::from_ne_bytes(*bytes);
    if (words as u64 | (words >> 64) as u64) & scan::HIGH != 0 || length > WIDE {
        return false;
    }
    let end = out.len() + length;
    // SAFETY: the text stays UTF-8, as nothing is changed but what is behind it.
    let out = unsafe { out.as_mut_vec() };
    let Some(room) = out.spare_capacity_mut().first_chunk_mut::<WIDE>() else { return false };
    // SAFETY: the room is of as many bytes as are written. Some of them, or all, are the text's then; they are ASCII, so that it is
    // UTF-8 with any number of them.
    unsafe {
        room.as_mut_ptr().cast::<u128>().write_unaligned(words);
        out.set_len(end);
    }
    true
}

/// Appends what stands before the first byte that is no plain text of a JSON string, and gives how many bytes that are. `None` if
/// there is no room for all of them: nothing was done.
#[inline(always)]
pub(crate) fn push_plain(out: &mut String, bytes: &[u8; WIDE]) -> Option<usize> {
    let plain = first_unusual(bytes, 0).min(WIDE);
    let end = out.len() + plain;
    // SAFETY: the text stays UTF-8, as nothing is changed but what is behind it.
    let out = unsafe { out.as_mut_vec() };
    let room = out.spare_capacity_mut().first_chunk_mut::<WIDE>()?;
    // SAFETY: the room is of as many bytes as are written. Those that are the text's then stand before the first that is not ASCII.
    unsafe {
        room.as_mut_ptr().cast::<[u8; WIDE]>().write(*bytes);
        out.set_len(end);
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_that_is_not_plain_is_found_from_every_place() {
        // Miri is slow, and it sees as much in some of them.
        for byte in (0..=u8::MAX).step_by(if cfg!(miri) { 17 } else { 1 }) {
            let special = byte < b' ' || byte == b'"' || byte == b'\\';
            let unusual = special || !byte.is_ascii();
            for at in 0..WIDE {
                let mut bytes = [b'~'; WIDE];
                bytes[at] = byte;
                assert_eq!(first_special(&bytes), if special { at } else { WIDE }, "{byte} at {at}");
                for from in 0..WIDE {
                    let found = first_unusual(&bytes, from);
                    let there = unusual && from <= at;
                    assert!(if there { found == at } else { found >= WIDE }, "{byte} at {at} from {from}: {found}");
                }
                // What stands before and behind it is another matter.
                bytes[at + 1..].fill(b'"');
                assert_eq!(first_special(&bytes), if special { at } else { at + 1 }, "{byte} at {at}");
                bytes[..at].fill(b'"');
                assert_eq!(first_unusual(&bytes, at), if unusual { at } else { at + 1 }, "{byte} at {at}");
            }
        }
    }

    #[test]
    fn what_is_ascii_is_appended_to_any_length_and_nothing_else_is() {
        let ascii = *b"0123456789abcde\x7f";
        for length in 0..=WIDE {
            let mut text = String::with_capacity(64);
            text.push('é');
            assert!(push_ascii(&mut text, &ascii, length));
            assert_eq!(text.strip_prefix('é').map(str::as_bytes), ascii.get(..length));
            for at in 0..WIDE {
                let mut other = ascii;
                other[at] = 0x80;
                let before = text.clone();
                assert!(!push_ascii(&mut text, &other, length), "byte {at}");
                assert_eq!(text, before);
            }
        }
    }

    #[test]
    fn what_is_plain_is_appended_up_to_the_first_byte_that_is_not() {
        for byte in [b'"', b'\\', b'\n', 0x80, 0xFF] {
            for at in 0..=WIDE {
                let mut bytes = *b"0123456789abcde\x7f";
                bytes[at.min(WIDE - 1)] = if at < WIDE { byte } else { b'x' };
                let mut text = String::with_capacity(2 * WIDE);
                text.push('é');
                assert_eq!(push_plain(&mut text, &bytes), Some(at));
                assert_eq!(text.strip_prefix('é').map(str::as_bytes), bytes.get(..at));
                let mut full = String::with_capacity(WIDE);
                full.extend((full.capacity() - WIDE..full.capacity()).map(|_| 'x'));
                assert_eq!((push_plain(&mut full, &bytes), full.len()), (None, WIDE));
            }
        }
    }

    #[test]
    fn what_is_too_long_or_has_no_room_is_left_to_others() {
        let mut text = String::with_capacity(2 * WIDE);
        assert!(!push_ascii(&mut text, &[b'x'; WIDE], WIDE + 1));
        assert!(push_ascii(&mut text, &[b'x'; WIDE], 1));
        let before = text.capacity();
        while text.capacity() - text.len() >= WIDE {
            assert!(push_ascii(&mut text, &[b'x'; WIDE], 1));
        }
        assert!(!push_ascii(&mut text, &[b'x'; WIDE], 1));
        assert_eq!((text.capacity(), text.len()), (before, before - WIDE + 1));
    }
}
