//! Vector code for JSON strings: finding where plain text ends, and appending short ASCII text.
//!
//! This is the only module of the core with unsafe code. Two kinds of search live here:
//!
//! - of one chunk of [`LANES`] bytes, which gives a position or a bit mask: for keys, ids and deltas. SSE2 on x86_64, NEON on
//!   aarch64, simd128 on wasm where the build has it, machine words everywhere else.
//! - of many blocks ([`skip_plain_blocks`]), which gives the first block that is not plain: for images, long texts and long
//!   arguments. Safe Rust that the compiler vectorizes, compiled a second time for AVX2, which is chosen at run time under the
//!   feature `std`.
//!
//! `memchr2` for quote and backslash was tried in place of the second search: it needs a second pass for control characters, and
//! reaches a quarter of the speed on texts of 1 to 100 KB.
//!
//! Appending needs unsafe code because a delta has four characters and a stream has thousands of deltas: the safe ways to append
//! bytes to a `String` check them as UTF-8, or append one character at a time. Both take longer than finding the delta.
//!
//! Every search is tested for every byte at every position against a simple definition; Miri runs the same tests.
#![allow(unsafe_code)]

use alloc::string::String;

use super::scan;

/// Bytes that are searched or copied at a time. The length is fixed so that no branch depends on it.
pub(crate) const LANES: usize = 16;

/// Bytes in a block of [`skip_plain_blocks`].
const BLOCK_BYTES: usize = 64;

/// Finds the first byte from `from` on that is not plain text of a JSON string: a quote, a backslash, a control character or a
/// byte outside ASCII. Returns [`LANES`] or more if all are plain.
#[inline(always)]
pub(crate) fn find_non_plain(bytes: &[u8; LANES], from: usize) -> usize {
    if HAS_MASKS {
        return from + (mask::<true>(bytes) | END).wrapping_shr(from as u32).trailing_zeros() as usize;
    }
    // The shift moves zeros in, which count as control characters.
    let rest = u128::from_le_bytes(*bytes) >> (8 * (from % LANES));
    from + first_mark(scan::non_plain_bytes(rest as u64), || scan::non_plain_bytes((rest >> 64) as u64))
}

/// Finds the first special byte in a JSON string: a quote, a backslash or a control character. Returns [`LANES`] if there
/// is none.
#[inline(always)]
pub(crate) fn find_string_special(bytes: &[u8; LANES]) -> usize {
    if HAS_MASKS {
        return (mask::<false>(bytes) | END).trailing_zeros() as usize;
    }
    let words = u128::from_le_bytes(*bytes);
    first_mark(scan::string_special_bytes(words as u64), || scan::string_special_bytes((words >> 64) as u64))
}

/// A mask with a bit for each byte that [`find_non_plain`] finds, the first byte lowest, and a bit after the last byte. `None`
/// without vector instructions.
#[inline(always)]
pub(crate) fn non_plain_mask(bytes: &[u8; LANES]) -> Option<u32> {
    HAS_MASKS.then(|| mask::<true>(bytes) | END)
}

/// A mask with a bit for each byte that [`find_string_special`] finds, the first byte lowest. `None` without vector instructions.
#[inline(always)]
pub(crate) fn string_special_mask(bytes: &[u8; LANES]) -> Option<u32> {
    HAS_MASKS.then(|| mask::<false>(bytes))
}

/// Skips whole blocks without a quote, a backslash or a control character, and returns the start of the first other block, or of the
/// incomplete last block.
#[inline]
pub(crate) fn skip_plain_blocks(bytes: &[u8], at: usize) -> usize {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the line above checked that the processor has AVX2.
        return unsafe { skip_plain_blocks_avx2(bytes, at) };
    }
    skip_plain_blocks_portable(bytes, at)
}

/// [`skip_plain_blocks_portable`], compiled for AVX2.
///
/// # Safety
///
/// The processor must have AVX2. The code itself is safe.
#[cfg(all(target_arch = "x86_64", feature = "std"))]
#[target_feature(enable = "avx2")]
unsafe fn skip_plain_blocks_avx2(bytes: &[u8], at: usize) -> usize {
    skip_plain_blocks_portable(bytes, at)
}

#[inline(always)]
fn skip_plain_blocks_portable(bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<BLOCK_BYTES>) {
        // No exit from the inner loop: the compiler turns it into a few vector instructions.
        let special = |byte: u8| byte == b'"' || byte == b'\\' || byte < b' ';
        if block.iter().fold(0, |any, byte| any | u8::from(special(*byte))) != 0 {
            break;
        }
        at += BLOCK_BYTES;
    }
    at
}

/// The position of the lowest mark in two words.
#[inline(always)]
fn first_mark(low: u64, high: impl Fn() -> u64) -> usize {
    let bits = if low != 0 { low.trailing_zeros() } else { 64 + high().trailing_zeros() };
    (bits / 8) as usize
}

/// True if the target has instructions that make a mask of a chunk; known at compile time.
const HAS_MASKS: bool = cfg!(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
));

/// A mark after the last byte.
const END: u32 = 1 << LANES;

/// A bit for each quote, backslash and control character, the first byte lowest; with `ASCII` also for each byte outside ASCII.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn mask<const ASCII: bool>(bytes: &[u8; LANES]) -> u32 {
    use core::arch::x86_64::*;
    // SAFETY: the load reads the sixteen bytes of the reference, at any alignment. Every x86_64 processor has SSE2.
    unsafe {
        let bytes = _mm_loadu_si128(bytes.as_ptr().cast());
        let quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'"' as i8));
        let backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\\' as i8));
        let low = if ASCII {
            // As signed numbers, bytes outside ASCII are negative, so they are below the space too.
            _mm_cmplt_epi8(bytes, _mm_set1_epi8(b' ' as i8))
        } else {
            _mm_cmpeq_epi8(bytes, _mm_min_epu8(bytes, _mm_set1_epi8(0x1F)))
        };
        _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), low)) as u32
    }
}

/// A bit for each quote, backslash and control character, the first byte lowest; with `ASCII` also for each byte outside ASCII.
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
#[inline(always)]
fn mask<const ASCII: bool>(bytes: &[u8; LANES]) -> u32 {
    use core::arch::aarch64::*;
    /// The bit of each byte in the mask of its half.
    const BITS: [u8; LANES] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    // SAFETY: both loads read the sixteen bytes of a reference, at any alignment. Every aarch64 processor has NEON.
    unsafe {
        let bytes = vld1q_u8(bytes.as_ptr());
        let ends = vorrq_u8(vceqq_u8(bytes, vdupq_n_u8(b'"')), vceqq_u8(bytes, vdupq_n_u8(b'\\')));
        let low = if ASCII {
            // As signed numbers, bytes outside ASCII are negative, so they are below the space too.
            vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(b' ' as i8))
        } else {
            vcltq_u8(bytes, vdupq_n_u8(b' '))
        };
        let bits = vandq_u8(vorrq_u8(ends, low), vld1q_u8(BITS.as_ptr()));
        // The bits of a half are all different, so their sum is their union.
        u32::from(vaddv_u8(vget_low_u8(bits))) | u32::from(vaddv_u8(vget_high_u8(bits))) << 8
    }
}

/// A bit for each quote, backslash and control character, the first byte lowest; with `ASCII` also for each byte outside ASCII.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(always)]
fn mask<const ASCII: bool>(bytes: &[u8; LANES]) -> u32 {
    use core::arch::wasm32::*;
    // SAFETY: the load reads the sixteen bytes of the reference, at any alignment.
    let bytes = unsafe { v128_load(bytes.as_ptr().cast()) };
    let ends = v128_or(u8x16_eq(bytes, u8x16_splat(b'"')), u8x16_eq(bytes, u8x16_splat(b'\\')));
    let low = if ASCII { i8x16_lt(bytes, i8x16_splat(b' ' as i8)) } else { u8x16_lt(bytes, u8x16_splat(b' ')) };
    u32::from(i8x16_bitmask(v128_or(ends, low)))
}

/// Unreachable: callers check [`HAS_MASKS`] first.
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
fn mask<const ASCII: bool>(_: &[u8; LANES]) -> u32 {
    0
}

/// Appends the first `length` of the bytes, if all [`LANES`] bytes are ASCII and there is room for all. `false`: nothing was
/// appended.
#[inline(always)]
pub(crate) fn push_ascii(out: &mut String, bytes: &[u8; LANES], length: usize) -> bool {
    // Two words instead of one vector: the bytes may just have been written as words, and a wider load would wait for them.
    let words = u128::from_ne_bytes(*bytes);
    if (words as u64 | (words >> 64) as u64) & scan::HIGH != 0 || length > LANES {
        return false;
    }
    let end = out.len() + length;
    // SAFETY: the text stays UTF-8, because only bytes after its end are changed.
    let out = unsafe { out.as_mut_vec() };
    let Some(room) = out.spare_capacity_mut().first_chunk_mut::<LANES>() else { return false };
    // SAFETY: the room has as many bytes as are written. The new length covers only bytes that were written, all of them ASCII, so
    // the text stays UTF-8.
    unsafe {
        room.as_mut_ptr().cast::<u128>().write_unaligned(words);
        out.set_len(end);
    }
    true
}

/// Appends the bytes before the first that [`find_non_plain`] finds, and returns their number. `None`: there is no room for
/// [`LANES`] bytes, and nothing was appended.
#[inline(always)]
pub(crate) fn push_plain(out: &mut String, bytes: &[u8; LANES]) -> Option<usize> {
    let plain = find_non_plain(bytes, 0).min(LANES);
    let end = out.len() + plain;
    // SAFETY: the text stays UTF-8, because only bytes after its end are changed.
    let out = unsafe { out.as_mut_vec() };
    let room = out.spare_capacity_mut().first_chunk_mut::<LANES>()?;
    // SAFETY: the room has as many bytes as are written. The new length covers only plain bytes, which are ASCII.
    unsafe {
        room.as_mut_ptr().cast::<[u8; LANES]>().write(*bytes);
        out.set_len(end);
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_found_at_each_position_and_from_each_position() {
        // Miri is slow; a sample takes the same branches.
        for byte in (0..=u8::MAX).step_by(if cfg!(miri) { 17 } else { 1 }) {
            let special = byte < b' ' || byte == b'"' || byte == b'\\';
            let non_plain = special || !byte.is_ascii();
            for at in 0..LANES {
                let mut bytes = [b'~'; LANES];
                bytes[at] = byte;
                assert_eq!(find_string_special(&bytes), if special { at } else { LANES }, "{byte} at {at}");
                for from in 0..LANES {
                    let found = find_non_plain(&bytes, from);
                    let expected = non_plain && from <= at;
                    assert!(if expected { found == at } else { found >= LANES }, "{byte} at {at} from {from}: {found}");
                }
                // Bytes before and after the position change nothing.
                bytes[at + 1..].fill(b'"');
                assert_eq!(find_string_special(&bytes), if special { at } else { at + 1 }, "{byte} at {at}");
                bytes[..at].fill(b'"');
                assert_eq!(find_non_plain(&bytes, at), if non_plain { at } else { at + 1 }, "{byte} at {at}");
            }
        }
    }

    #[test]
    fn blocks_are_skipped_up_to_the_one_with_a_special_byte() {
        let functions = [skip_plain_blocks, |bytes: &[u8], at| skip_plain_blocks_portable(bytes, at)];
        for byte in (0..=u8::MAX).step_by(if cfg!(miri) { 17 } else { 1 }) {
            let special = byte < b' ' || byte == b'"' || byte == b'\\';
            for at in (0..4 * BLOCK_BYTES).step_by(if cfg!(miri) { 13 } else { 1 }) {
                for length in [at + 1, 3 * BLOCK_BYTES, 4 * BLOCK_BYTES + 5] {
                    let mut bytes = alloc::vec![b'~'; length.max(at + 1)];
                    bytes[at] = byte;
                    let whole = bytes.len() / BLOCK_BYTES * BLOCK_BYTES;
                    let expected = if special { (at / BLOCK_BYTES * BLOCK_BYTES).min(whole) } else { whole };
                    for skip in functions {
                        assert_eq!(skip(&bytes, 0), expected, "{byte} at {at} of {length}");
                    }
                }
            }
        }
        assert_eq!(skip_plain_blocks(&[b'x'; BLOCK_BYTES + 3], 2), 2 + BLOCK_BYTES);
        assert_eq!(skip_plain_blocks(b"x", 7), 7);
    }

    #[test]
    fn ascii_of_each_length_is_appended_and_other_bytes_are_refused() {
        let ascii = *b"0123456789abcde\x7f";
        for length in 0..=LANES {
            let mut text = String::with_capacity(64);
            text.push('é');
            assert!(push_ascii(&mut text, &ascii, length));
            assert_eq!(text.strip_prefix('é').map(str::as_bytes), ascii.get(..length));
            for at in 0..LANES {
                let mut other = ascii;
                other[at] = 0x80;
                let before = text.clone();
                assert!(!push_ascii(&mut text, &other, length), "byte {at}");
                assert_eq!(text, before);
            }
        }
    }

    #[test]
    fn plain_bytes_are_appended_up_to_the_first_special_byte() {
        for byte in [b'"', b'\\', b'\n', 0x80, 0xFF] {
            for at in 0..=LANES {
                let mut bytes = *b"0123456789abcde\x7f";
                bytes[at.min(LANES - 1)] = if at < LANES { byte } else { b'x' };
                let mut text = String::with_capacity(2 * LANES);
                text.push('é');
                assert_eq!(push_plain(&mut text, &bytes), Some(at));
                assert_eq!(text.strip_prefix('é').map(str::as_bytes), bytes.get(..at));
                let mut full = String::with_capacity(LANES);
                full.extend((full.capacity() - LANES..full.capacity()).map(|_| 'x'));
                assert_eq!((push_plain(&mut full, &bytes), full.len()), (None, LANES));
            }
        }
    }

    #[test]
    fn nothing_is_appended_past_the_chunk_or_the_capacity() {
        let mut text = String::with_capacity(2 * LANES);
        assert!(!push_ascii(&mut text, &[b'x'; LANES], LANES + 1));
        assert!(push_ascii(&mut text, &[b'x'; LANES], 1));
        let before = text.capacity();
        while text.capacity() - text.len() >= LANES {
            assert!(push_ascii(&mut text, &[b'x'; LANES], 1));
        }
        assert!(!push_ascii(&mut text, &[b'x'; LANES], 1));
        assert_eq!((text.capacity(), text.len()), (before, before - LANES + 1));
    }
}
