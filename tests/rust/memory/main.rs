//! What each layer allocates. One program, because a counting allocator can only be set for a whole program.

mod adapter;
mod reader;
mod sse;
mod writer;

use deltafold_tests::memory::Counting;

/// Counts for each thread, so that tests of one process do not see each other.
#[global_allocator]
static COUNTING: Counting = Counting;
