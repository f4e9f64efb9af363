//! The version of the library and of its ABI. They are literal numbers because cbindgen turns them into macros.

use core::ffi::c_char;

/// Major version of this header.
pub const DFOLD_VERSION_MAJOR: u32 = 0;
/// Minor version of this header.
pub const DFOLD_VERSION_MINOR: u32 = 1;
/// Patch version of this header.
pub const DFOLD_VERSION_PATCH: u32 = 0;

/// Number of the binary interface, also in the SONAME. A program runs with every library that has the number it was built with.
pub const DFOLD_ABI_VERSION: u32 = 0;

/// Returns the version of the library, such as "0.1.0", ending in NUL.
///
/// - Ownership: the library owns the text; do not free it.
/// - NULL: never returned.
/// - Threads: safe from any thread.
/// - Views: the text is constant and lives as long as the library.
#[no_mangle]
pub extern "C" fn dfold_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Returns the number of the library's binary interface; compare it with DFOLD_ABI_VERSION.
///
/// - Ownership: no ownership changes.
/// - NULL: takes no pointers.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub extern "C" fn dfold_abi_version() -> u32 {
    DFOLD_ABI_VERSION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_macros_spell_the_version_of_the_crate() {
        let macros = format!("{DFOLD_VERSION_MAJOR}.{DFOLD_VERSION_MINOR}.{DFOLD_VERSION_PATCH}");
        assert_eq!(macros, env!("CARGO_PKG_VERSION"));
    }
}
