//! The `deltafold` program: everything it does is in the library beside it, which other packages link too.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(deltafold_cli::run(std::env::args_os().skip(1), &mut deltafold_cli::Io::std()))
}
