//! Calls the core, so that a linked wasm module has all imports of the core: none.
//!
//! The step builds it with dead code kept, so the whole core is in the module, not just what is called here.

use deltafold::json::Tape;

/// Parses bytes that the caller wrote to `start`; returns 1 if they are JSON.
///
/// # Safety
/// `start` points to `len` readable bytes.
#[no_mangle]
pub unsafe extern "C" fn parses(start: *const u8, len: usize) -> u32 {
    // SAFETY: the caller of this function promises exactly this.
    let bytes = unsafe { core::slice::from_raw_parts(start, len) };
    let Ok(text) = core::str::from_utf8(bytes) else { return 0 };
    u32::from(Tape::default().parse(text, 64).is_ok())
}
