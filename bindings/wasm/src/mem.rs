//! Comparing and copying bytes, sixteen at a time.
//!
//! On this target the compiler's functions compare byte by byte, and copy with an instruction that engines execute as a call. A
//! reader does both a few times per event, on a few hundred bytes.
//! The linker prefers these functions, because the compiler's are weak symbols.

use core::arch::wasm32::{v128, v128_any_true, v128_load, v128_store, v128_xor};

/// Compares two ranges of bytes: the difference of the first two bytes that differ, or 0.
///
/// # Safety
/// Both ranges are readable for `length` bytes; the compiler is the caller and guarantees it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, length: usize) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        if differ(left, right, length) {
            difference(left, right, length)
        } else {
            0
        }
    }
}

/// The difference of the first two bytes that differ, or 0. Separate from `memcmp`, because most callers only test for equality.
///
/// # Safety
/// Both ranges are readable for `length` bytes.
#[inline(never)]
unsafe fn difference(left: *const u8, right: *const u8, length: usize) -> i32 {
    let mut at = 0;
    // SAFETY: the first loop reads sixteen bytes from `at` with `at + 16 <= length`, the second one byte with `at < length`.
    unsafe {
        while at + 16 <= length && !differ(left.add(at), right.add(at), 16) {
            at += 16;
        }
        while at < length {
            let (a, b) = (*left.add(at), *right.add(at));
            if a != b {
                return i32::from(a) - i32::from(b);
            }
            at += 1;
        }
    }
    0
}

/// Returns whether two ranges differ. The last comparison may overlap the one before.
///
/// # Safety
/// Both ranges are readable for `length` bytes.
#[inline(always)]
unsafe fn differ(left: *const u8, right: *const u8, length: usize) -> bool {
    // SAFETY: every access stays below `length`, and unaligned reads are used.
    unsafe {
        let sixteen =
            |at: usize| v128_any_true(v128_xor(v128_load(left.add(at).cast()), v128_load(right.add(at).cast())));
        let eight =
            |at: usize| left.add(at).cast::<u64>().read_unaligned() ^ right.add(at).cast::<u64>().read_unaligned();
        let four =
            |at: usize| left.add(at).cast::<u32>().read_unaligned() ^ right.add(at).cast::<u32>().read_unaligned();
        let one = |at: usize| *left.add(at) ^ *right.add(at);
        if length >= 16 {
            let mut at = 0;
            while at + 16 < length {
                if sixteen(at) {
                    return true;
                }
                at += 16;
            }
            return sixteen(length - 16);
        }
        if length >= 8 {
            return eight(0) | eight(length - 8) != 0;
        }
        if length >= 4 {
            return four(0) | four(length - 4) != 0;
        }
        length > 0 && one(0) | one(length / 2) | one(length - 1) != 0
    }
}

/// Copies bytes between ranges that do not overlap.
///
/// # Safety
/// `from` is readable and `to` writable for `length` bytes, and they do not overlap; the compiler is the caller and guarantees it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, length: usize) -> *mut u8 {
    // SAFETY: every access stays below `length`, and unaligned accesses are used. The last copy may overlap the one before.
    unsafe {
        if length >= 16 {
            let mut at = 0;
            while at + 16 <= length {
                v128_store(to.add(at).cast::<v128>(), v128_load(from.add(at).cast()));
                at += 16;
            }
            let last = length - 16;
            v128_store(to.add(last).cast::<v128>(), v128_load(from.add(last).cast()));
        } else if length >= 8 {
            let (first, last) = (from.cast::<u64>(), from.add(length - 8).cast::<u64>());
            let (first, last) = (first.read_unaligned(), last.read_unaligned());
            to.cast::<u64>().write_unaligned(first);
            to.add(length - 8).cast::<u64>().write_unaligned(last);
        } else if length >= 4 {
            let (first, last) = (from.cast::<u32>(), from.add(length - 4).cast::<u32>());
            let (first, last) = (first.read_unaligned(), last.read_unaligned());
            to.cast::<u32>().write_unaligned(first);
            to.add(length - 4).cast::<u32>().write_unaligned(last);
        } else {
            let mut at = 0;
            while at < length {
                // Volatile, because the compiler would replace the loop by a call of this function.
                to.add(at).write_volatile(*from.add(at));
                at += 1;
            }
        }
    }
    to
}
