//! Allocations of each layer. One program, because a counting allocator can only be set for a whole program.

mod adapter;
mod growing;
mod invariants;
mod reader;
mod sse;
mod writer;

use deltafold_tests::memory::Counting;

/// Counts per thread, so that parallel tests do not affect each other.
#[global_allocator]
static COUNTING: Counting = Counting;
