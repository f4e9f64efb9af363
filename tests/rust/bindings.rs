//! Judges the runners of the bindings.
//!
//! ```text
//! bindings [--every N] NAME=COMMAND…      such as python='python3 tests/runners/python/run.py'
//! ```
//!
//! With `--every N` only each Nth vector is asked, for a runner that is slow because it is watched.
//!
//! `tests/runners/README.md` gives the protocol; what is done stands in `deltafold_tests::judge`.

use std::process::ExitCode;

use deltafold_tests::judge::{cases, judge, Deviations, Runner};

fn main() -> ExitCode {
    let named = |argument: String| {
        let (name, command) = argument.split_once('=')?;
        Some(Runner::new(name, command, Deviations::load(name)))
    };
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let every = match arguments.iter().position(|argument| argument == "--every") {
        Some(at) => {
            arguments.drain(at..(at + 2).min(arguments.len())).next_back().and_then(|number| number.parse().ok())
        }
        None => Some(1),
    };
    let mut runners: Vec<Runner> = arguments.into_iter().filter_map(named).collect();
    let (Some(every), false) = (every.filter(|every| *every > 0), runners.is_empty()) else {
        eprintln!("usage: bindings [--every N] NAME=COMMAND…");
        return ExitCode::from(2);
    };
    let cases: Vec<_> = cases().into_iter().step_by(every).collect();
    cases.iter().for_each(|case| judge(case, &mut runners));
    println!("{} vectors", cases.len());
    let wrong: usize = runners.into_iter().map(Runner::finish).sum();
    ExitCode::from(u8::from(wrong > 0))
}
