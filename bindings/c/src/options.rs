//! The options of a reader as an extensible struct.

use deltafold::validate::Layers;
use deltafold::{Limits, Overflow, PreviewImages, Profile, ReaderOptions};

use crate::bytes::dfold_bytes;
use crate::ffi::{self, Options};
use crate::status::dfold_status;

/// Bit of `dfold_reader_options.layers`: lines and frames.
pub const DFOLD_LAYER_FRAMING: u32 = 1;
/// Bit of `dfold_reader_options.layers`: each object on its own, against the schemas.
pub const DFOLD_LAYER_SCHEMA: u32 = 2;
/// Bit of `dfold_reader_options.layers`: order, numbering, life cycle, consistency.
pub const DFOLD_LAYER_STREAM: u32 = 4;
/// All layers.
pub const DFOLD_LAYER_ALL: u32 = 7;

/// Value of `dfold_reader_options.images`: the newest preview of each image is kept.
pub const DFOLD_IMAGES_KEEP_LAST: u32 = 0;
/// Value of `dfold_reader_options.images`: every preview is kept.
pub const DFOLD_IMAGES_KEEP: u32 = 1;
/// Value of `dfold_reader_options.images`: no preview is kept.
pub const DFOLD_IMAGES_DROP: u32 = 2;

/// Limits of a reader; dfold_reader_options_init sets the defaults, which are far above real streams.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_limits {
    /// Bytes in one line.
    pub line_bytes: usize,
    /// Bytes of data in one frame.
    pub frame_bytes: usize,
    /// Bytes fed but not yet polled.
    pub buffered_bytes: usize,
    /// Nesting of one JSON payload.
    pub depth: usize,
    /// Output items in a response.
    pub items: usize,
    /// Parts, summaries, commands or annotations in one item.
    pub parts: usize,
    /// Bytes that are held of a response: texts, ids, payloads, and a fixed amount for each item, part and value.
    pub response_bytes: usize,
    /// Findings that are kept; further ones are only counted.
    pub findings: usize,
    /// Not 0: a line or frame past its limit is dropped, and reading continues. 0: it is an error that ends reading.
    pub drop_overflow: u32,
}

/// The options of a reader. Initialize the struct with dfold_reader_options_init, then change members.
///
/// The views in it are read during the call that receives the options, and not kept.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_reader_options {
    /// Size of this struct in the header the program was built with; set by dfold_reader_options_init.
    pub struct_size: usize,
    /// Not 0: the first finding of severity error ends reading.
    pub strict: u32,
    /// The layers that validate the stream: bits DFOLD_LAYER_*. 0: no validation; only findings that reading itself makes are reported.
    pub layers: u32,
    /// Not 0: findings may quote short parts of the payload, which may contain secrets.
    pub quote: u32,
    /// Not 0: the response is built from the events alone; the terminal snapshot only gives the outcome.
    pub ignore_terminal_snapshot: u32,
    /// Which preview images are kept: DFOLD_IMAGES_*.
    pub images: u32,
    /// Not 0: the stream is a replay that starts after the sequence number `starting_after`.
    pub has_starting_after: u32,
    /// The sequence number that the replay follows.
    pub starting_after: u64,
    /// The severity of each rule: the name of a built-in profile, or a profile as a JSON object. Empty: `any`.
    pub profile: dfold_bytes,
    /// The edition to validate against, such as `2026-04-24` or `split`. Empty: the edition of the profile.
    pub edition: dfold_bytes,
    /// Bounds on memory, depth and count.
    pub limits: dfold_limits,
}

/// Sets every option to its default.
///
/// `struct_size` is `sizeof(dfold_reader_options)`. Returns DFOLD_OK, or DFOLD_MISUSE if `out_options` is NULL or the size
/// is impossible.
///
/// - Ownership: the caller owns the struct.
/// - NULL: `out_options` must not be NULL.
/// - Threads: safe from any thread.
/// - Views: the views in the struct become empty.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_options_init(
    out_options: *mut dfold_reader_options,
    struct_size: usize,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `init`.
    unsafe { ffi::init(out_options, struct_size) }
}

// SAFETY: `repr(C)`, the size first, then only integers and pointers, for which every bit pattern is valid.
unsafe impl Options for dfold_reader_options {
    const DEFAULT: Self = Self {
        struct_size: size_of::<Self>(),
        strict: 0,
        layers: 0,
        quote: 0,
        ignore_terminal_snapshot: 0,
        images: DFOLD_IMAGES_KEEP_LAST,
        has_starting_after: 0,
        starting_after: 0,
        profile: dfold_bytes::NULL,
        edition: dfold_bytes::NULL,
        // The test below compares them with the defaults of the core.
        limits: dfold_limits {
            line_bytes: 64 << 20,
            frame_bytes: 64 << 20,
            buffered_bytes: 256 << 20,
            depth: 128,
            items: 100_000,
            parts: 100_000,
            response_bytes: 256 << 20,
            findings: 1_000,
            drop_overflow: 0,
        },
    };
}

impl From<dfold_limits> for Limits {
    fn from(limits: dfold_limits) -> Self {
        Self::default()
            .line_bytes(limits.line_bytes)
            .frame_bytes(limits.frame_bytes)
            .buffered_bytes(limits.buffered_bytes)
            .depth(limits.depth)
            .items(limits.items)
            .parts(limits.parts)
            .response_bytes(limits.response_bytes)
            .findings(limits.findings)
            .overflow(if limits.drop_overflow == 0 { Overflow::Error } else { Overflow::Drop })
    }
}

/// Reads the options of a reader; NULL selects all defaults.
///
/// # Safety
/// As for [`ffi::options`]; the views in the struct meet the contract of [`ffi::text`].
pub(crate) unsafe fn reader_options(given: *const dfold_reader_options) -> Result<ReaderOptions, dfold_status> {
    // SAFETY: the caller upholds the contract of each function.
    let (given, profile, edition) = unsafe {
        let given = ffi::options(given)?;
        (given, ffi::text(given.profile)?, ffi::text(given.edition)?)
    };
    if given.layers & !DFOLD_LAYER_ALL != 0 {
        return Err(dfold_status::DFOLD_MISUSE_ARGUMENT);
    }
    let mut options = ReaderOptions::default().limits(given.limits.into()).strict(given.strict != 0);
    for (bit, layer) in [
        (DFOLD_LAYER_FRAMING, Layers::FRAMING),
        (DFOLD_LAYER_SCHEMA, Layers::SCHEMA),
        (DFOLD_LAYER_STREAM, Layers::STREAM),
    ] {
        if given.layers & bit != 0 {
            options.layers = options.layers | layer;
        }
    }
    options.quote = given.quote != 0;
    options.accumulate.ignore_terminal_snapshot = given.ignore_terminal_snapshot != 0;
    options.accumulate.images = match given.images {
        DFOLD_IMAGES_KEEP_LAST => PreviewImages::KeepLast,
        DFOLD_IMAGES_KEEP => PreviewImages::Keep,
        DFOLD_IMAGES_DROP => PreviewImages::Drop,
        _ => return Err(dfold_status::DFOLD_MISUSE_ARGUMENT),
    };
    options.starting_after = (given.has_starting_after != 0).then_some(given.starting_after);
    if !profile.is_empty() {
        let is_object = profile.trim_start().starts_with('{');
        options.profile = if is_object { Profile::from_json(profile) } else { Profile::builtin(profile) }
            .map_err(|error| error.code())?;
    }
    if !edition.is_empty() {
        options.edition = Some(edition.parse().map_err(|error: deltafold::Error| error.code())?);
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_options_are_those_of_the_core() {
        // SAFETY: NULL is allowed.
        let read = unsafe { reader_options(core::ptr::null()) }.unwrap();
        assert_eq!(format!("{read:?}"), format!("{:?}", ReaderOptions::default()));
    }
}
