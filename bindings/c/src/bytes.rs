//! [`dfold_bytes`]: a view of bytes, given to a function or got from one.

use core::ffi::{c_char, CStr};

use crate::panic::boundary_or;

/// A view: `len` bytes at `data`, not ending in NUL.
///
/// A view that the library gives is owned by the library, and its `data` is never NULL. A view that it is given stays the
/// caller's and is not kept; there `data` may be NULL with `len` 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_bytes {
    /// The first byte.
    pub data: *const u8,
    /// How many bytes.
    pub len: usize,
}

impl dfold_bytes {
    /// No bytes.
    pub(crate) const EMPTY: Self = Self { data: core::ptr::NonNull::dangling().as_ptr(), len: 0 };
    /// What a caller gives who gives nothing.
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

/// Makes a view of a C string, to give it to a function of this library.
///
/// - Ownership: `text` ends in NUL and stays the caller's.
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
