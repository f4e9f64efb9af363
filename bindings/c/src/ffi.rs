//! All pointer conversions of the crate: raw pointers to references, or an error status.

use crate::bytes::dfold_bytes;
use crate::panic::boundary;
use crate::status::dfold_status;

/// A type that C holds by pointer: its contents, and a flag that is set after a caught panic.
pub(crate) trait Handle {
    /// The contents of the handle.
    type Inner;

    /// Returns the contents and the flag of a caught panic.
    fn parts(&mut self) -> (&mut Self::Inner, &mut bool);
}

/// Creates a handle and passes it to the caller.
///
/// # Safety
/// As for [`write()`].
pub(crate) unsafe fn create<T>(out: *mut *mut T, make: impl FnOnce() -> Result<T, dfold_status>) -> dfold_status {
    boundary(|| {
        if out.is_null() {
            return Err(dfold_status::DFOLD_MISUSE);
        }
        // SAFETY: the caller guarantees that `out` is writable. `free` takes the same `Box` back.
        unsafe { write(out, Box::into_raw(Box::new(make()?))) }
    })
}

/// Runs a call on a handle inside the panic boundary. After a panic every later call returns DFOLD_INTERNAL.
///
/// # Safety
/// `handle` is NULL or came from [`create`], was not freed, and no other call on it is running.
#[inline]
pub(crate) unsafe fn with<H: Handle>(
    handle: *mut H,
    body: impl FnOnce(&mut H::Inner) -> Result<(), dfold_status>,
) -> dfold_status {
    // SAFETY: not NULL, created by `create`, and the caller guarantees exclusive access.
    let Some(handle) = (unsafe { handle.as_mut() }) else { return dfold_status::DFOLD_MISUSE };
    let (inner, panicked) = handle.parts();
    if *panicked {
        return dfold_status::DFOLD_INTERNAL;
    }
    let status = boundary(|| body(inner));
    *panicked = status == dfold_status::DFOLD_INTERNAL;
    status
}

/// Runs a call on a handle and writes its one result to `out`. A NULL output is refused before the call runs.
///
/// # Safety
/// As for [`with`] and [`write()`].
pub(crate) unsafe fn with_output<H: Handle, T>(
    handle: *mut H,
    out: *mut T,
    body: impl FnOnce(&mut H::Inner) -> Result<T, dfold_status>,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        with(handle, |inner| {
            if out.is_null() {
                return Err(dfold_status::DFOLD_MISUSE);
            }
            write(out, body(inner)?)
        })
    }
}

/// Drops a handle; NULL is allowed.
///
/// # Safety
/// `handle` is NULL or came from [`create`] and was not freed.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if handle.is_null() {
        return;
    }
    // A free function has no status to return, so a panic while dropping is discarded.
    let _ = boundary(|| {
        // SAFETY: the pointer came from `Box::into_raw` in `create`, and the caller guarantees that it is freed once.
        drop(unsafe { Box::from_raw(handle) });
        Ok(())
    });
}

/// Reads a pointer and a length as bytes; NULL is allowed only with length 0.
///
/// # Safety
/// If `data` is not NULL, it points to `len` bytes that are not modified while the result is in use.
#[inline]
pub(crate) unsafe fn bytes<'a>(data: *const u8, len: usize) -> Result<&'a [u8], dfold_status> {
    // SAFETY: the caller upholds this contract.
    unsafe { array(data, len) }
}

/// Reads a pointer and a count as a slice; NULL is allowed only with count 0.
///
/// # Safety
/// If `data` is not NULL, it points to `count` values that are not modified while the result is in use.
#[inline]
pub(crate) unsafe fn array<'a, T>(data: *const T, count: usize) -> Result<&'a [T], dfold_status> {
    match (data.is_null(), count) {
        (true, 0) => Ok(&[]),
        (true, _) => Err(dfold_status::DFOLD_MISUSE),
        (false, _) if !data.is_aligned() => Err(dfold_status::DFOLD_MISUSE),
        // No object is larger than isize::MAX; a larger length is usually a negative number.
        (false, count) if count > isize::MAX as usize / size_of::<T>().max(1) => Err(dfold_status::DFOLD_MISUSE),
        // SAFETY: the pointer is not NULL and aligned, the length is possible, and the caller guarantees the rest.
        (false, count) => Ok(unsafe { core::slice::from_raw_parts(data, count) }),
    }
}

/// Reads a view as text; NULL is the empty text, and bytes that are not UTF-8 are an invalid argument.
///
/// # Safety
/// As for [`bytes`].
pub(crate) unsafe fn text<'a>(view: dfold_bytes) -> Result<&'a str, dfold_status> {
    // SAFETY: the caller upholds the contract of `bytes`.
    let bytes = unsafe { bytes(view.data, view.len) }?;
    core::str::from_utf8(bytes).map_err(|_| dfold_status::DFOLD_MISUSE_ARGUMENT)
}

/// A struct of options that later versions may extend: its first member `struct_size` is the size in the caller's header.
///
/// # Safety
/// The type is `repr(C)`, its first member is `struct_size: usize`, every bit pattern of its bytes is a value of it.
pub(crate) unsafe trait Options: Copy {
    /// Every option at its default, with the `struct_size` of this library.
    const DEFAULT: Self;
}

/// No struct of options is larger; a larger size is uninitialized memory.
const OPTIONS_SIZE: usize = 4096;

/// Reads options: members that the caller's header lacks get their defaults, and members that this library lacks must be
/// zero. NULL selects all defaults.
///
/// # Safety
/// If `options` is not NULL, it points to `struct_size` readable bytes that are not modified during the call.
pub(crate) unsafe fn options<T: Options>(options: *const T) -> Result<T, dfold_status> {
    let mut read = T::DEFAULT;
    if options.is_null() {
        return Ok(read);
    }
    // SAFETY: not NULL; the first member is a size, and the caller guarantees that it is readable.
    let size = unsafe { options.cast::<usize>().read() };
    if !(size_of::<usize>()..=OPTIONS_SIZE).contains(&size) {
        return Err(dfold_status::DFOLD_MISUSE);
    }
    // SAFETY: the caller guarantees `size` readable bytes.
    let given = unsafe { core::slice::from_raw_parts(options.cast::<u8>(), size) };
    let known = size.min(size_of::<T>());
    if given[known..].iter().any(|byte| *byte != 0) {
        return Err(dfold_status::DFOLD_MISUSE_ARGUMENT);
    }
    // SAFETY: `known` bytes are readable there and writable here, and every bit pattern of them is a value.
    unsafe { core::ptr::copy_nonoverlapping(given.as_ptr(), (&raw mut read).cast::<u8>(), known) };
    Ok(read)
}

/// Fills the caller's struct of options with defaults; members that this library does not know become zero.
///
/// # Safety
/// If `out` is not NULL, it points to `size` writable bytes that are not used elsewhere during the call.
pub(crate) unsafe fn init<T: Options>(out: *mut T, size: usize) -> dfold_status {
    boundary(|| {
        if out.is_null() || !(size_of::<usize>()..=OPTIONS_SIZE).contains(&size) {
            return Err(dfold_status::DFOLD_MISUSE);
        }
        let defaults = T::DEFAULT;
        // SAFETY: the caller guarantees `size` writable bytes; at most that and at most a `T` is copied.
        unsafe {
            core::ptr::write_bytes(out.cast::<u8>(), 0, size);
            let known = size.min(size_of::<T>());
            core::ptr::copy_nonoverlapping((&raw const defaults).cast::<u8>(), out.cast::<u8>(), known);
            out.cast::<usize>().write(size);
        }
        Ok(())
    })
}

/// The address of text inside a handle's object, kept between two calls on the handle.
#[derive(Clone, Copy)]
pub(crate) struct TextAddress(*const u8, usize);

// SAFETY: the pointer points into heap memory of an object in the same handle; that object is `Send`, and a move does not
// move its heap memory.
unsafe impl Send for TextAddress {}

impl TextAddress {
    /// Stores the address of the text.
    pub(crate) fn new(text: &str) -> Self {
        Self(text.as_ptr(), text.len())
    }

    /// Returns the text.
    ///
    /// # Safety
    /// The object that holds the text is not modified between [`new`](Self::new) and the last use of the result.
    pub(crate) unsafe fn get<'a>(self) -> &'a str {
        // SAFETY: the address came from a `&str`, and the caller guarantees that the text is unmodified.
        unsafe { core::str::from_utf8_unchecked(core::slice::from_raw_parts(self.0, self.1)) }
    }
}

/// Borrows a value that the caller keeps between calls; NULL is misuse.
///
/// # Safety
/// If `pointer` is not NULL, it points to a `T` that is not used elsewhere while the result is in use.
pub(crate) unsafe fn in_out<'a, T>(pointer: *mut T) -> Result<&'a mut T, dfold_status> {
    // SAFETY: the caller upholds this contract.
    unsafe { pointer.as_mut() }.ok_or(dfold_status::DFOLD_MISUSE)
}

/// Writes a result through an output pointer; NULL is misuse.
///
/// # Safety
/// If `out` is not NULL, it points to writable memory for a `T` that is not used elsewhere during the call. The memory may
/// be uninitialized.
#[inline]
pub(crate) unsafe fn write<T>(out: *mut T, value: T) -> Result<(), dfold_status> {
    if out.is_null() {
        return Err(dfold_status::DFOLD_MISUSE);
    }
    // SAFETY: the pointer is not NULL, and the caller guarantees that it is writable. `write` drops no old value.
    unsafe { out.write(value) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counter(u32, bool);

    impl Handle for Counter {
        type Inner = u32;
        fn parts(&mut self) -> (&mut u32, &mut bool) {
            (&mut self.0, &mut self.1)
        }
    }

    #[test]
    fn null_is_empty_only_with_length_zero() {
        // SAFETY: no pointer here is read from.
        unsafe {
            assert_eq!(bytes(core::ptr::null(), 0), Ok(&[][..]));
            assert_eq!(bytes(core::ptr::null(), 1), Err(dfold_status::DFOLD_MISUSE));
            assert_eq!(bytes(b"x".as_ptr(), usize::MAX), Err(dfold_status::DFOLD_MISUSE));
            assert_eq!(write(core::ptr::null_mut::<u8>(), 1), Err(dfold_status::DFOLD_MISUSE));
            assert_eq!(in_out(core::ptr::null_mut::<u8>()), Err(dfold_status::DFOLD_MISUSE));
            assert_eq!(create(core::ptr::null_mut(), || Ok(1)), dfold_status::DFOLD_MISUSE);
            assert_eq!(with(core::ptr::null_mut::<Counter>(), |_| Ok(())), dfold_status::DFOLD_MISUSE);
            free(core::ptr::null_mut::<Counter>());
        }
    }

    #[test]
    fn a_handle_that_panicked_refuses_every_later_call_and_can_be_freed() {
        let (mut handle, mut null, mut out) = (core::ptr::null_mut(), core::ptr::null_mut(), 7);
        // SAFETY: `handle` is a local that `create` fills and `free` frees once each time.
        unsafe {
            assert_eq!(create(&mut handle, || Ok(Counter(0, false))), dfold_status::DFOLD_OK);
            assert_eq!(create::<Counter>(&mut null, || panic!("forced")), dfold_status::DFOLD_INTERNAL);
            assert!(null.is_null());
            assert_eq!(with_output(handle, &mut out, |_| panic!("forced")), dfold_status::DFOLD_INTERNAL);
            assert_eq!(with_output(handle, &mut out, |_| Ok(2)), dfold_status::DFOLD_INTERNAL);
            assert_eq!(out, 7);
            free(handle);
            assert_eq!(create(&mut handle, || Ok(Counter(0, false))), dfold_status::DFOLD_OK);
            assert_eq!(with(handle, |_| panic!("forced")), dfold_status::DFOLD_INTERNAL);
            assert_eq!(with(handle, |_| Ok(())), dfold_status::DFOLD_INTERNAL);
            free(handle);
        }
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    struct TwoOptions {
        struct_size: usize,
        first: u64,
        second: u64,
    }

    // SAFETY: three integers, the size first.
    unsafe impl Options for TwoOptions {
        const DEFAULT: Self = Self { struct_size: size_of::<Self>(), first: 1, second: 2 };
    }

    #[test]
    fn a_caller_with_an_older_header_gets_the_defaults_of_what_it_does_not_know() {
        let given = TwoOptions { struct_size: 16, first: 7, second: 9 };
        // SAFETY: `given` is larger than its `struct_size`.
        let read = unsafe { options(&given) }.unwrap();
        assert_eq!((read.first, read.second), (7, 2));
    }

    #[test]
    fn a_caller_with_a_newer_header_may_not_ask_for_what_is_not_known_here() {
        let given = [32usize, 7, 9, 0];
        let asking = [32usize, 7, 9, 1];
        // SAFETY: both arrays have the 32 bytes that their first element states.
        unsafe {
            assert_eq!(options(given.as_ptr().cast::<TwoOptions>()).unwrap().second, 9);
            assert!(options(asking.as_ptr().cast::<TwoOptions>()).is_err());
        }
    }

    #[test]
    fn a_size_that_was_not_set_is_misuse() {
        for size in [0, 7, usize::MAX] {
            let given = TwoOptions { struct_size: size, first: 0, second: 0 };
            // SAFETY: only the size is read.
            assert_eq!(unsafe { options(&given) }.err(), Some(dfold_status::DFOLD_MISUSE));
        }
        let mut out = TwoOptions { struct_size: 0, first: 0, second: 0 };
        // SAFETY: `out` has at least the stated number of bytes.
        unsafe {
            assert_eq!(init(&mut out, usize::MAX), dfold_status::DFOLD_MISUSE);
            assert_eq!(init::<TwoOptions>(core::ptr::null_mut(), 24), dfold_status::DFOLD_MISUSE);
            assert_eq!(init(&mut out, 16), dfold_status::DFOLD_OK);
        }
        assert_eq!((out.struct_size, out.first, out.second), (16, 1, 0));
    }
}
