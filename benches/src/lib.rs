//! Shapes and the measuring harness that the benches share.
//!
//! A shape is a generated stream with a name, a seed and the result that any correct reader gets from it. The result of
//! every contender is checked before it is timed, and all contenders of a table run in turn, round by round, in one process: compare
//! ratios, not times.

mod chunking;
pub mod contenders;
mod measure;
pub mod recordings;
pub mod shapes;

pub use chunking::Chunking;
pub use measure::{measure, mode, wanted, Contender, Mode, Row, Table};
