//! JSON without loss: a tape over the exact text, an owned value, and values that are still growing.
//!
//! Reading does not recurse over input. Comparing, writing and dropping a value recurse as deep as it is nested: the caller
//! gives a limit, and none counts for more than [`MAX_DEPTH`], so that input cannot exhaust a stack. A document of `n` bytes costs
//! O(n) time and at most 16 bytes of tape per value. Numbers are never converted before somebody asks for one, keys keep their
//! order and their repetitions, and a lone surrogate escape is text like any other (it decodes to U+FFFD).

mod key_index;
mod partial;
pub(crate) mod scan;
pub(crate) mod simd;
mod tape;
pub(crate) mod text;
mod value;
mod visit;

/// The deepest nesting that any limit allows: a larger limit counts as this one.
pub const MAX_DEPTH: usize = 512;

#[cfg(feature = "serde")]
pub use crate::interop::DeserializeError;
pub use partial::{partial_json, Change, ChangeKind, PartialJson, PartialOptions, Unfinished};
pub(crate) use tape::is_document;
pub(crate) use tape::SortedMembers;
pub use tape::{JsonError, JsonErrorKind, Tape, ValueKind, ValueRef};
pub use text::{decode, decode_into, join, write_string, LoneSurrogates};
pub use value::{Number, Object, Value};
pub use visit::{visit, VisitError, Visitor};
