//! Validation.
mod rule;
pub use rule::{Level, Rule};
