//! JSON without loss: a tape over the exact text, an owned value, and values that are still growing.
//!
//! Reading does not recurse over input. Comparing, writing and dropping a value recurse as deep as it is nested: the caller
//! gives a limit, and none counts for more than [`DEEPEST`], so that input cannot exhaust a stack. A document of `n` bytes costs
//! O(n) time and at most 16 bytes of tape per value. Numbers are never converted before somebody asks for one, keys keep their
//! order and their repetitions, and a lone surrogate escape is text like any other (it decodes to U+FFFD).

pub(crate) mod again;
mod partial;
pub(crate) mod scan;
mod tape;
pub(crate) mod text;
mod value;
pub(crate) mod wide;

/// The deepest nesting that any limit allows: a larger limit counts as this one.
pub const DEEPEST: usize = 512;

pub use partial::{partial_json, Change, ChangeKind, Notes, PartialJson, PartialOptions, Unfinished};
pub(crate) use tape::is_document;
pub use tape::{JsonError, JsonErrorKind, Tag, Tape, View};
pub use text::{decode, decode_into, join, write_string, Halves};
pub use value::{Number, Object, Value};
