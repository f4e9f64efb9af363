//! Many files at once: workers take them in turn, results come back in the order of the files.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::sync::mpsc::sync_channel;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::args::Args;
use crate::Failure;

/// How many results may wait for one that takes long, per worker.
const AHEAD: usize = 8;

/// Reads `--jobs`: how many workers there are, one per core unless said otherwise.
pub(crate) fn jobs(args: &Args) -> Result<usize, Failure> {
    let asked = args.number("--jobs")?;
    Ok(asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into)))
}

/// Does the work for each file and hands the results to `take`, in order. If `take` fails, no more work is begun.
pub(crate) fn each<T: Send>(
    files: &[&OsStr],
    jobs: usize,
    work: impl Fn(&OsStr) -> T + Sync,
    mut take: impl FnMut(&OsStr, T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let jobs = jobs.clamp(1, files.len().max(1));
    if jobs == 1 {
        return files.iter().try_for_each(|file| take(file, work(file)));
    }
    let turn = Turn::default();
    let (send, results) = sync_channel(jobs);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (send, turn, work) = (send.clone(), &turn, &work);
            scope.spawn(move || {
                while let Some((index, file)) = turn.next(jobs * AHEAD).and_then(|at| Some((at, files.get(at)?))) {
                    if send.send((index, work(file))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut taken = 0;
        for (index, result) in results {
            waiting.insert(index, result);
            while let Some((file, result)) = files.get(taken).zip(waiting.remove(&taken)) {
                taken += 1;
                turn.taken(taken);
                if let Err(failure) = take(file, result) {
                    turn.stop();
                    // The receiver goes with this scope, so that no worker waits to be heard.
                    return Err(failure);
                }
            }
        }
        Ok(())
    })
}

/// Whose turn it is, and how far ahead of the slowest one may be.
#[derive(Default)]
struct Turn {
    at: Mutex<(usize, usize, bool)>,
    moved: Condvar,
}

impl Turn {
    /// The next number; `None` after a stop.
    fn next(&self, ahead: usize) -> Option<usize> {
        let at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        let mut at = self
            .moved
            .wait_while(at, |(next, taken, stopped)| !*stopped && *next >= *taken + ahead)
            .unwrap_or_else(PoisonError::into_inner);
        let (next, _, stopped) = *at;
        at.0 += 1;
        (!stopped).then_some(next)
    }

    fn taken(&self, count: usize) {
        self.at.lock().unwrap_or_else(PoisonError::into_inner).1 = count;
        self.moved.notify_all();
    }

    fn stop(&self) {
        self.at.lock().unwrap_or_else(PoisonError::into_inner).2 = true;
        self.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::each;
    use crate::Failure;

    #[test]
    fn results_come_in_the_order_of_the_files_for_any_number_of_workers() {
        let names: Vec<String> = (0..200).map(|number| number.to_string()).collect();
        let files: Vec<&OsStr> = names.iter().map(OsStr::new).collect();
        for jobs in [1, 2, 7, 300] {
            let mut seen = Vec::new();
            let work = |file: &OsStr| file.to_string_lossy().into_owned() + "!";
            let done = each(&files, jobs, work, |_, result| {
                seen.push(result);
                Ok(())
            });
            assert!(done.is_ok());
            assert_eq!(seen, names.iter().map(|name| format!("{name}!")).collect::<Vec<_>>(), "{jobs}");
        }
    }

    #[test]
    fn a_failure_of_the_taker_stops_the_work() {
        let names: Vec<String> = (0..1_000).map(|number| number.to_string()).collect();
        let files: Vec<&OsStr> = names.iter().map(OsStr::new).collect();
        for jobs in [1, 3] {
            let done = each(&files, jobs, |_| (), |file, ()| if file == "5" { Err(Failure::Closed) } else { Ok(()) });
            assert!(matches!(done, Err(Failure::Closed)), "{jobs}");
        }
    }
}
