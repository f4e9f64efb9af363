//! The `deltafold` program. All of its code is in the library beside it, which other packages use too.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(deltafold_cli::run(std::env::args_os().skip(1), &mut deltafold_cli::Io::std()))
}
