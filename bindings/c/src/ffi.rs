//! All pointer work of the crate: raw pointers in, references or a refusal out.

use crate::panic::boundary;
use crate::status::dfold_status;

/// A type that C holds by pointer: what it wraps, and whether a panic left that half done.
pub(crate) trait Handle {
    /// What the handle wraps.
    type Inner;

    /// The wrapped value and the mark of a caught panic.
    fn parts(&mut self) -> (&mut Self::Inner, &mut bool);
}

/// Gives a new handle to the caller.
///
/// # Safety
/// As for [`write()`].
pub(crate) unsafe fn give<T>(out: *mut *mut T, make: impl FnOnce() -> T) -> dfold_status {
    boundary(|| {
        if out.is_null() {
            return Err(dfold_status::DFOLD_MISUSE);
        }
        // SAFETY: the caller promises that the place is writable. A `Box` of ours is what `free` takes back.
        unsafe { write(out, Box::into_raw(Box::new(make()))) }
    })
}

/// Runs a call on a handle inside the panic boundary. After a panic every later call is refused.
///
/// # Safety
/// `handle` is NULL or came from [`give`], was not freed, and no other call on it is running.
pub(crate) unsafe fn with<H: Handle>(
    handle: *mut H,
    body: impl FnOnce(&mut H::Inner) -> Result<(), dfold_status>,
) -> dfold_status {
    // SAFETY: not NULL, made by `give`, and the caller promises that nobody else has it now.
    let Some(handle) = (unsafe { handle.as_mut() }) else { return dfold_status::DFOLD_MISUSE };
    let (inner, broken) = handle.parts();
    if *broken {
        return dfold_status::DFOLD_INTERNAL;
    }
    let status = boundary(|| body(inner));
    *broken = status == dfold_status::DFOLD_INTERNAL;
    status
}

/// Takes a handle back and drops it; NULL is fine.
///
/// # Safety
/// `handle` is NULL or came from [`give`] and was not freed.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if handle.is_null() {
        return;
    }
    // There is no status to return; a panic while dropping ends here.
    let _ = boundary(|| {
        // SAFETY: the pointer came from `Box::into_raw` in `give`, and the caller promises that it comes back once.
        drop(unsafe { Box::from_raw(handle) });
        Ok(())
    });
}

/// Reads a pointer and a length as bytes; NULL is the empty slice, and only that.
///
/// # Safety
/// Where `data` is not NULL it points to `len` bytes that nobody writes to while the result is in use.
pub(crate) unsafe fn bytes<'a>(data: *const u8, len: usize) -> Result<&'a [u8], dfold_status> {
    match (data.is_null(), len) {
        (true, 0) => Ok(&[]),
        (true, _) => Err(dfold_status::DFOLD_MISUSE),
        // No object is larger than isize::MAX; a length beyond it is a negative number gone wrong.
        (false, len) if len > isize::MAX as usize => Err(dfold_status::DFOLD_MISUSE),
        // SAFETY: the pointer is not NULL, the length is possible, and the caller promises the rest.
        (false, len) => Ok(unsafe { core::slice::from_raw_parts(data, len) }),
    }
}

/// Borrows a value that the caller keeps between calls; NULL is misuse.
///
/// # Safety
/// Where `place` is not NULL it points to a `T` that nobody else uses while the result is in use.
pub(crate) unsafe fn in_out<'a, T>(place: *mut T) -> Result<&'a mut T, dfold_status> {
    // SAFETY: the caller promises it.
    unsafe { place.as_mut() }.ok_or(dfold_status::DFOLD_MISUSE)
}

/// Writes a result through an output pointer; NULL is misuse.
///
/// # Safety
/// Where `out` is not NULL it points to memory for a `T` that nobody else uses now. It need not hold a value.
pub(crate) unsafe fn write<T>(out: *mut T, value: T) -> Result<(), dfold_status> {
    if out.is_null() {
        return Err(dfold_status::DFOLD_MISUSE);
    }
    // SAFETY: the pointer is not NULL, and the caller promises that it is writable. `write` drops no old value.
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
            assert_eq!(give(core::ptr::null_mut(), || 1), dfold_status::DFOLD_MISUSE);
            assert_eq!(with(core::ptr::null_mut::<Counter>(), |_| Ok(())), dfold_status::DFOLD_MISUSE);
            free(core::ptr::null_mut::<Counter>());
        }
    }

    #[test]
    fn a_handle_that_panicked_refuses_every_later_call_and_can_be_freed() {
        let mut handle = core::ptr::null_mut();
        // SAFETY: `handle` is a local that `give` fills and `free` takes back once.
        unsafe {
            assert_eq!(give(&mut handle, || Counter(0, false)), dfold_status::DFOLD_OK);
            assert_eq!(with(handle, |_| panic!("forced")), dfold_status::DFOLD_INTERNAL);
            assert_eq!(with(handle, |_| Ok(())), dfold_status::DFOLD_INTERNAL);
            free(handle);
        }
    }
}
