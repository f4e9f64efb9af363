//! Shapes and the measuring harness that the benches share.
//!
//! A shape is a generated stream with a name, a seed and the result that any correct reader gets from it. Every contender
//! proves that result before it is timed, and all contenders of a table run in turn, round by round, in one process:
//! read the ratios, not the times.

pub mod contenders;
mod cut;
mod measure;
pub mod shapes;

pub use cut::Cut;
pub use measure::{measure, mode, wanted, Contender, Mode, Row, Table};
