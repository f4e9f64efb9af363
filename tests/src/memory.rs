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

/// What was allocated in a stretch of code: how often, how many bytes in all, and how many at once.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// How often memory was asked for.
    pub calls: usize,
    /// How many bytes in all; a block that grows counts with its new size.
    pub total: usize,
    /// How many bytes at once, above what was there before.
    pub peak: usize,
}

/// Runs something and tells what this thread allocated meanwhile.
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

/// Bytes that this thread has allocated and not given back.
pub fn live() -> isize {
    COUNTS.get().live
}

/// Counts of one thread, so that tests side by side do not see each other.
#[derive(Clone, Copy)]
struct Counts {
    calls: usize,
    total: usize,
    /// Below zero if other threads' memory is given back here.
    live: isize,
    peak: isize,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { calls: 0, total: 0, live: 0, peak: 0 }) };
}

/// The system's allocator, with counts for each thread. A test makes it its `#[global_allocator]`.
#[derive(Debug)]
pub struct Counting;

impl Counting {
    fn count_allocation(size: usize) {
        // A thread that is ending has no counts any more, and nobody asks for them.
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

// SAFETY: every call goes to the system's allocator as it came; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count_allocation(layout.size());
        // SAFETY: the caller keeps the promises that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Self::count_release(layout.size());
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old block may live until the new one is filled.
        Self::count_allocation(size);
        Self::count_release(layout.size());
        // SAFETY: the pointer came from `System` with this layout, and the caller keeps the other promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
