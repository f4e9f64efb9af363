//! The Rust runner; the protocol is in tests/runners/README.md. Its code is in `deltafold_tests::comparer::Session`, because
//! the comparer runs the core in the same way.

use std::io::{BufRead, BufWriter, Write};
use std::process::ExitCode;

use deltafold_tests::comparer::Session;

fn main() -> ExitCode {
    let mut session = Session::default();
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return ExitCode::FAILURE };
        let mut answer = Vec::new();
        if !session.take(&line, &mut answer) {
            return ExitCode::from(2);
        }
        let printed = answer.iter().try_for_each(|line| writeln!(out, "{line}"));
        let ended = line == "end";
        if printed.and_then(|()| if ended { out.flush() } else { Ok(()) }).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
