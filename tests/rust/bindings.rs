//! Judges the runners of the bindings.
//!
//! ```text
//! bindings NAME=COMMAND…      such as python='python3 tests/runners/python/run.py'
//! ```
//!
//! `tests/runners/README.md` gives the protocol; what is done stands in `deltafold_tests::judge`.

use std::process::ExitCode;

use deltafold_tests::judge::{cases, judge, Deviations, Runner};

fn main() -> ExitCode {
    let named = |argument: String| {
        let (name, command) = argument.split_once('=')?;
        Some(Runner::new(name, command, Deviations::load(name)))
    };
    let mut runners: Vec<Runner> = std::env::args().skip(1).filter_map(named).collect();
    if runners.is_empty() {
        eprintln!("usage: bindings NAME=COMMAND…");
        return ExitCode::from(2);
    }
    let cases = cases();
    cases.iter().for_each(|case| judge(case, &mut runners));
    println!("{} vectors", cases.len());
    let wrong: usize = runners.into_iter().map(Runner::finish).sum();
    ExitCode::from(u8::from(wrong > 0))
}
