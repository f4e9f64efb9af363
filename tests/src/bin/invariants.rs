//! Runs the invariants over random cases:
//!
//! ```text
//! invariants                          every kind, with the counts of the long script
//! invariants KIND COUNT [FIRST]       this many cases of a kind, starting at a seed
//! ```
//!
//! Each kind prints a line with the number of cases, the seconds and the failures. A failing seed prints its message once for each
//! place that panics; `invariants KIND 1 SEED` repeats it. `DELTAFOLD_JOBS` sets the number of threads (default 2).

use std::collections::BTreeMap;
use std::panic::{catch_unwind, set_hook};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;
use std::time::Instant;

use deltafold_tests::memory::Counting;
use deltafold_tests::properties::{invariant, Case, INVARIANTS};

/// Counts per thread what a case allocates.
#[global_allocator]
static COUNTING: Counting = Counting;

/// Failures by the place that panicked: the number, the first seed and its message.
static FAILED: Mutex<BTreeMap<String, (u64, u64, String)>> = Mutex::new(BTreeMap::new());

thread_local! {
    /// The seed that this thread runs.
    static SEED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

fn main() -> ExitCode {
    set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(String::new, |place| format!("{}:{}", place.file(), place.line()));
        let payload = panic.payload();
        let message = payload.downcast_ref::<String>().map(String::as_str);
        let message = message.or(payload.downcast_ref::<&str>().copied()).unwrap_or("").to_owned();
        let mut failed = FAILED.lock().expect("the lock is not poisoned");
        let entry = failed.entry(place).or_insert_with_key(|place| {
            println!("error: seed {} at {place}", SEED.get());
            (0, SEED.get(), message)
        });
        entry.0 += 1;
    }));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runs: Vec<(&str, Case, u64, u64)> = match arguments.as_slice() {
        [] => INVARIANTS.iter().map(|(name, case, count)| (*name, *case, *count, 0)).collect(),
        [name, count, first @ ..] => {
            let first = first.first().map_or(Ok(0), |first| first.parse());
            match (invariant(name), count.parse(), first) {
                (Some(case), Ok(count), Ok(first)) => vec![(name, case, count, first)],
                _ => return usage(),
            }
        }
        _ => return usage(),
    };
    let mut sound = true;
    for (name, case, count, first) in runs {
        sound &= run(name, case, count, first);
    }
    ExitCode::from(u8::from(!sound))
}

/// Number of cases after which a progress line is printed.
const PROGRESS: u64 = 50_000;

fn run(name: &str, case: Case, count: u64, first: u64) -> bool {
    let jobs = std::env::var("DELTAFOLD_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(2);
    let (start, next) = (Instant::now(), AtomicU64::new(first));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= first + count {
                    break;
                }
                SEED.set(seed);
                let _ = catch_unwind(|| case(seed));
                if seed % PROGRESS == PROGRESS - 1 {
                    let failed: u64 =
                        FAILED.lock().expect("the lock is not poisoned").values().map(|(times, ..)| times).sum();
                    println!("{name}: at seed {seed}, {} s, {failed} failed", start.elapsed().as_secs());
                }
            });
        }
    });
    let failed = std::mem::take(&mut *FAILED.lock().expect("the lock is not poisoned"));
    let total: u64 = failed.values().map(|(times, ..)| times).sum();
    println!("{name}: {count} cases from seed {first}, {} s, {total} failed", start.elapsed().as_secs());
    for (place, (times, seed, message)) in &failed {
        let message: String = message.chars().take(1_500).collect();
        println!("error: {name}: {times} times at {place}, first with seed {seed}: {message}");
    }
    failed.is_empty()
}

fn usage() -> ExitCode {
    let kinds: Vec<&str> = INVARIANTS.iter().map(|(name, ..)| *name).collect();
    eprintln!("usage: invariants [KIND COUNT [FIRST]]; kinds: {}", kinds.join(" "));
    ExitCode::from(2)
}
