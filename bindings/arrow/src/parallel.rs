//! Spreads ranges of rows over threads and returns their results in order.
//!
//! The threads live as long as one call. A pool that outlives it would break in a process that forks, as Python's
//! `multiprocessing` and Spark's worker daemon do; starting two threads takes some tens of microseconds.

use std::ops::{ControlFlow, Range};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use arrow_array::ArrayRef;

use crate::error::BatchError;

/// How often the observer is called.
const INTERVAL: Duration = Duration::from_millis(50);

/// The progress of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Rows that are done.
    pub rows_done: u64,
    /// All rows.
    pub rows: u64,
    /// Bytes of the bodies that are done.
    pub bytes_done: u64,
}

/// Counts finished rows, and holds the flag that stops the batch.
pub(crate) struct Counter {
    rows: AtomicU64,
    bytes: AtomicU64,
    stopped: AtomicBool,
}

impl Counter {
    /// Counts a row. Returns `false` after a stop.
    pub(crate) fn row(&self, bytes: usize) -> bool {
        self.rows.fetch_add(1, Relaxed);
        self.bytes.fetch_add(bytes as u64, Relaxed);
        !self.stopped.load(Relaxed)
    }
}

/// Calls `work` for each range on up to `threads` threads. `observe` is called on this thread, at intervals and at the end.
pub(crate) fn run(
    ranges: &[Range<usize>],
    threads: usize,
    rows: usize,
    observe: Option<&mut dyn FnMut(Progress) -> ControlFlow<()>>,
    work: impl Fn(Range<usize>, &Counter) -> Vec<ArrayRef> + Sync,
) -> Result<Vec<ArrayRef>, BatchError> {
    let counter = Counter { rows: AtomicU64::new(0), bytes: AtomicU64::new(0), stopped: AtomicBool::new(false) };
    let threads = threads.min(ranges.len()).max(1);
    if threads == 1 && observe.is_none() {
        return Ok(ranges.iter().flat_map(|range| work(range.clone(), &counter)).collect());
    }
    let mut ignore = |_| ControlFlow::Continue(());
    let observe = observe.unwrap_or(&mut ignore);
    let mut progress = || {
        let (rows_done, bytes_done) = (counter.rows.load(Relaxed), counter.bytes.load(Relaxed));
        observe(Progress { rows_done, rows: rows as u64, bytes_done })
    };
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Vec<ArrayRef>)>> = Mutex::new(Vec::with_capacity(ranges.len()));
    std::thread::scope(|scope| {
        let (sender, done) = channel::<()>();
        let worker = || {
            let (sender, next, results, work, counter) = (sender.clone(), &next, &results, &work, &counter);
            move || {
                let _dropped_when_done = sender;
                while let Some((at, range)) =
                    Some(next.fetch_add(1, Relaxed)).and_then(|at| Some((at, ranges.get(at)?)))
                {
                    if counter.stopped.load(Relaxed) {
                        return;
                    }
                    let arrays = work(range.clone(), counter);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((at, arrays));
                }
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker())).collect();
        drop(sender);
        // The channel closes when the last worker drops its end.
        while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(INTERVAL) {
            if progress().is_break() {
                counter.stopped.store(true, Relaxed);
            }
        }
        for worker in workers {
            if let Err(panic) = worker.join() {
                resume_unwind(panic);
            }
        }
    });
    if counter.stopped.load(Relaxed) || progress().is_break() {
        return Err(BatchError::Stopped);
    }
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|(at, _)| *at);
    Ok(results.into_iter().flat_map(|(_, arrays)| arrays).collect())
}
