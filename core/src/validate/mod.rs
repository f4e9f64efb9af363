//! Validation: every rule, with its name and the byte where it broke.

#[cfg(feature = "explain")]
mod explain;
mod rule;

#[cfg(feature = "explain")]
pub use explain::{markdown, Explanation};
pub use rule::{Binds, Level, Rule, Scope, Seen};
