//! JSON without loss: a tape over the exact text, an owned value, and values that are still growing.
//!
//! Nothing here recurses over input: depth is a limit that the caller gives, and a document of `n` bytes costs O(n) time
//! and at most 16 bytes of tape per value. Numbers are never converted before somebody asks for one, keys keep their
//! order and their repetitions, and a lone surrogate escape is text like any other (it decodes to U+FFFD).

mod partial;
pub(crate) mod scan;
mod tape;
pub(crate) mod text;
mod value;

pub use partial::{partial_json, Change, ChangeKind, Notes, PartialJson, PartialOptions, Unfinished};
pub use tape::{JsonError, JsonErrorKind, Tag, Tape, View};
pub use text::{decode, decode_into, join, write_string, Halves};
pub use value::{Number, Object, Value};
