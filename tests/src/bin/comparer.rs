//! Compares the runners of the bindings with the core.
//!
//! ```text
//! comparer [--every N] [--only PREFIX] [--light] NAME=COMMAND…      such as python='python3 tests/runners/python/run.py'
//! ```
//!
//! With `--every N` only each Nth vector is run, for runners that are slow under a sanitizer; with `--only PREFIX` only vectors in
//! files whose names begin with the prefix, such as `tools/`. Stale deviations are reported only if all vectors are run. With `--light`
//! every vector is run, but long ones run byte by byte only every sixteenth time, for bindings whose calls are
//! expensive.
//!
//! `tests/runners/README.md` describes the protocol; the code is in `deltafold_tests::comparer`.

use std::process::ExitCode;

use deltafold_tests::comparer::{cases, judge, Deviations, Runner};

fn main() -> ExitCode {
    let named = |argument: String| {
        let (name, command) = argument.split_once('=')?;
        Some(Runner::new(name, command, Deviations::load(name)))
    };
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let every = option(&mut arguments, "--every").map_or(Some(1), |number| number.parse().ok());
    let only = option(&mut arguments, "--only").unwrap_or_default();
    let light = arguments.iter().any(|argument| argument == "--light");
    let mut runners: Vec<Runner> = arguments.into_iter().filter_map(named).collect();
    let (Some(every), false) = (every.filter(|every| *every > 0), runners.is_empty()) else {
        eprintln!("usage: bindings [--every N] [--only PREFIX] [--light] NAME=COMMAND…");
        return ExitCode::from(2);
    };
    let mut cases: Vec<_> =
        cases().into_iter().filter(|case| case.vector.file.starts_with(&only)).step_by(every).collect();
    if light {
        cases.iter_mut().enumerate().filter(|(at, _)| at % 16 != 0).for_each(|(_, case)| case.light = true);
    }
    cases.iter().for_each(|case| judge(case, &mut runners));
    println!("{} vectors", cases.len());
    let all = every == 1 && only.is_empty();
    let wrong: usize = runners.into_iter().map(|runner| runner.finish(all)).sum();
    ExitCode::from(u8::from(wrong > 0 || cases.is_empty()))
}

/// Removes an option with its value from the arguments.
fn option(arguments: &mut Vec<String>, name: &str) -> Option<String> {
    let at = arguments.iter().position(|argument| argument == name)?;
    arguments.drain(at..(at + 2).min(arguments.len())).nth(1)
}
