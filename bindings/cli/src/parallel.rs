//! Processes many files in parallel; results arrive in the order of the files.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::sync::mpsc::sync_channel;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::Failure;

/// How many results per worker may wait for an earlier one.
const MAX_AHEAD: usize = 8;

/// Calls `work` for each file, on `jobs` threads (default: one per core), and `collect` with the results, in order. If `collect`
/// fails, no more work is started.
pub(crate) fn for_each<T: Send>(
    files: &[&OsStr],
    jobs: Option<usize>,
    work: impl Fn(&OsStr) -> T + Sync,
    mut collect: impl FnMut(&OsStr, T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let jobs = jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into));
    let jobs = jobs.clamp(1, files.len().max(1));
    if jobs == 1 {
        return files.iter().try_for_each(|file| collect(file, work(file)));
    }
    let queue = Queue::default();
    let (sender, results) = sync_channel(jobs);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, queue, work) = (sender.clone(), &queue, &work);
            scope.spawn(move || {
                while let Some((index, file)) = queue.next(jobs * MAX_AHEAD).and_then(|at| Some((at, files.get(at)?))) {
                    if sender.send((index, work(file))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut collected = 0;
        for (index, result) in results {
            waiting.insert(index, result);
            while let Some((file, result)) = files.get(collected).zip(waiting.remove(&collected)) {
                collected += 1;
                queue.set_collected(collected);
                if let Err(failure) = collect(file, result) {
                    queue.stop();
                    // Returning drops the receiver, so that no worker blocks in `send`.
                    return Err(failure);
                }
            }
        }
        Ok(())
    })
}

/// Hands out the indices of the files, at most a given distance ahead of the first uncollected result.
#[derive(Default)]
struct Queue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    next: usize,
    collected: usize,
    stopped: bool,
}

impl Queue {
    /// Returns the next index, as soon as it is in range; `None` after a stop.
    fn next(&self, max_ahead: usize) -> Option<usize> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = self
            .changed
            .wait_while(state, |state| !state.stopped && state.next >= state.collected + max_ahead)
            .unwrap_or_else(PoisonError::into_inner);
        let index = state.next;
        state.next += 1;
        (!state.stopped).then_some(index)
    }

    fn set_collected(&self, count: usize) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).collected = count;
        self.changed.notify_all();
    }

    fn stop(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).stopped = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::for_each;
    use crate::Failure;

    #[test]
    fn results_arrive_in_the_order_of_the_files_for_any_number_of_workers() {
        let names: Vec<String> = (0..200).map(|number| number.to_string()).collect();
        let files: Vec<&OsStr> = names.iter().map(OsStr::new).collect();
        for jobs in [1, 2, 7, 300] {
            let mut collected = Vec::new();
            let work = |file: &OsStr| file.to_string_lossy().into_owned() + "!";
            let done = for_each(&files, Some(jobs), work, |_, result| {
                collected.push(result);
                Ok(())
            });
            assert!(done.is_ok());
            assert_eq!(collected, names.iter().map(|name| format!("{name}!")).collect::<Vec<_>>(), "{jobs}");
        }
    }

    #[test]
    fn a_failure_while_collecting_stops_the_work() {
        let names: Vec<String> = (0..1_000).map(|number| number.to_string()).collect();
        let files: Vec<&OsStr> = names.iter().map(OsStr::new).collect();
        for jobs in [1, 3] {
            let done = for_each(
                &files,
                Some(jobs),
                |_| (),
                |file, ()| if file == "5" { Err(Failure::Closed) } else { Ok(()) },
            );
            assert!(matches!(done, Err(Failure::Closed)), "{jobs}");
        }
    }
}
