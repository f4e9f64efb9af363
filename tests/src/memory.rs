//! An allocator that counts, so that a test can measure what a piece of code allocates.
//!
//! ```
//! use deltafold_tests::memory::{watch, Counting};
//!
//! #[global_allocator]
//! static COUNTING: Counting = Counting;
//!
//! let used = watch(|| drop(Vec::<u8>::with_capacity(100)));
//! assert_eq!((used.calls, used.total, used.peak), (1, 100, 100));
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The allocations of a piece of code: how many, how many bytes in total, and how many bytes at once.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// The number of allocations.
    pub calls: usize,
    /// The total number of bytes; a block that grows counts with its new size.
    pub total: usize,
    /// The peak of bytes, above the amount at the start.
    pub peak: usize,
}

/// Runs a function and returns what this thread allocated during the call.
pub fn watch(work: impl FnOnce()) -> Used {
    let start = COUNTS.get();
    COUNTS.set(Counts { peak: start.live, ..start });
    work();
    let end = COUNTS.get();
    Used {
        calls: end.calls - start.calls,
        total: end.total - start.total,
        peak: usize::try_from(end.peak - start.live).unwrap_or(0),
    }
}

/// Returns the bytes that this thread has allocated and not freed.
pub fn live() -> isize {
    COUNTS.get().live
}

/// Counts of one thread, so that parallel tests do not affect each other.
#[derive(Clone, Copy)]
struct Counts {
    calls: usize,
    total: usize,
    /// Negative if this thread frees memory of other threads.
    live: isize,
    peak: isize,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { calls: 0, total: 0, live: 0, peak: 0 }) };
}

/// The system's allocator, with counts per thread. A test makes it its `#[global_allocator]`.
#[derive(Debug)]
pub struct Counting;

impl Counting {
    fn count_allocation(size: usize) {
        // A thread that is ending has no counts any more, and they are not needed.
        let _ = COUNTS.try_with(|counts| {
            let mut now = counts.get();
            now.calls += 1;
            now.total += size;
            now.live += size as isize;
            now.peak = now.peak.max(now.live);
            counts.set(now);
        });
    }

    fn count_release(size: usize) {
        let _ = COUNTS.try_with(|counts| {
            let now = counts.get();
            counts.set(Counts { live: now.live - size as isize, ..now });
        });
    }
}

// SAFETY: every call is passed on to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count_allocation(layout.size());
        // SAFETY: the caller fulfills the contract of `System`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Self::count_release(layout.size());
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old block may exist until the new one is filled.
        Self::count_allocation(size);
        Self::count_release(layout.size());
        // SAFETY: the pointer came from `System` with this layout, and the caller fulfills the rest of the contract.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
