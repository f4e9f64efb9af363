//! `deltafold completions`: completion scripts for shells.

use clap_complete::Shell;

use crate::{command, print, Failure, Io};

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Bash: source the script, or save it in a folder of bash-completion. Zsh: save it as _deltafold in a folder of \
                   $fpath. Fish: save it as deltafold.fish in ~/.config/fish/completions.",
    after_help = "\
Exit codes:
  0  success
  2  the arguments are invalid

Examples:
  source <(deltafold completions bash)"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "deltafold", &mut script);
    print(io, &String::from_utf8_lossy(&script)).map(|()| 0)
}
