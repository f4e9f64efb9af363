//! [`dfold_bytes`]: a view of bytes, passed to or returned by a function.

use core::ffi::{c_char, CStr};

use crate::panic::boundary_or;

/// A view: `len` bytes at `data`, not ending in NUL.
///
/// The library owns the bytes of a view that it returns, and the `data` of such a view is never NULL. The caller owns the
/// bytes of a view that it passes in; the library does not keep the pointer, and `data` may be NULL if `len` is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_bytes {
    /// The first byte.
    pub data: *const u8,
    /// Number of bytes.
    pub len: usize,
}

impl dfold_bytes {
    /// No bytes.
    pub(crate) const EMPTY: Self = Self { data: core::ptr::NonNull::dangling().as_ptr(), len: 0 };
    /// An empty view as a caller passes it.
    pub(crate) const NULL: Self = Self { data: core::ptr::null(), len: 0 };
}

impl Default for dfold_bytes {
    #[inline]
    fn default() -> Self {
        Self::EMPTY
    }
}

impl From<&[u8]> for dfold_bytes {
    #[inline]
    fn from(bytes: &[u8]) -> Self {
        Self { data: bytes.as_ptr(), len: bytes.len() }
    }
}

impl From<&str> for dfold_bytes {
    #[inline]
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl From<Option<&str>> for dfold_bytes {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::EMPTY, Into::into)
    }
}

/// Makes a view of a C string, to pass it to a function of this library.
///
/// - Ownership: `text` ends in NUL; the caller keeps it.
/// - NULL: allowed; the view is then empty.
/// - Threads: safe from any thread.
/// - Views: valid as long as `text` is.
#[no_mangle]
pub unsafe extern "C" fn dfold_view(text: *const c_char) -> dfold_bytes {
    boundary_or(dfold_bytes::EMPTY, || {
        if text.is_null() {
            return dfold_bytes::EMPTY;
        }
        // SAFETY: not NULL, and the caller promises that it ends in NUL.
        unsafe { CStr::from_ptr(text) }.to_bytes().into()
    })
}
