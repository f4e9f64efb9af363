//! [`dfold_bytes`]: a view of bytes that the library owns.

/// A view: `len` bytes at `data`, owned by the library, not ending in NUL. `data` is never NULL.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_bytes {
    /// The first byte.
    pub data: *const u8,
    /// How many bytes.
    pub len: usize,
}

impl From<&[u8]> for dfold_bytes {
    fn from(bytes: &[u8]) -> Self {
        Self { data: bytes.as_ptr(), len: bytes.len() }
    }
}
