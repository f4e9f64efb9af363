//! Lossless JSON: a tape over the exact text, an owned value, and values that are still growing.
//!
//! - *Takes*: JSON text, complete or growing.
//! - *Gives*: a [`Tape`] of positions, an owned [`Value`], or a [`PartialJson`].
//! - *Promises*: digits, key order and repeated keys are kept; no input overflows the stack.
//! - *Costs*: O(n) for `n` bytes, and at most 16 bytes of tape per value.
//!
//! Parsing does not recurse. Comparing, writing and dropping a value recurse to its nesting depth, which the caller's limit and
//! [`MAX_DEPTH`] bound. Numbers are converted only on request, and a lone surrogate escape is accepted (it decodes to U+FFFD).

mod key_index;
pub(crate) mod partial;
pub(crate) mod scan;
pub(crate) mod simd;
mod tape;
pub(crate) mod text;
mod value;
mod visit;

/// The maximum nesting depth; a larger limit is reduced to this one.
pub const MAX_DEPTH: usize = 512;

#[cfg(feature = "serde")]
pub use crate::interop::DeserializeError;
pub use partial::{partial_json, Change, ChangeKind, PartialJson, PartialOptions, Unfinished};
pub(crate) use tape::is_document;
pub(crate) use tape::MemberIndex;
pub use tape::{JsonError, JsonErrorKind, Tape, ValueKind, ValueRef};
pub(crate) use text::SurrogateCarry;
pub use text::{decode, decode_into, join, write_string, LoneSurrogates};
pub use value::{Number, Object, Value};
pub use visit::{visit, VisitError, Visitor};
