//! The `deltafold` command: one file per subcommand, one table here.
//!
//! Exit codes: 0 success, 1 errors were found (or reading failed), 2 the call was wrong or its file cannot be opened; `fold`
//! has more of its own.

mod args;
mod check;
mod convert;
mod events;
mod fold;
mod frames;
mod input;
mod output;
mod show;

use std::ffi::OsString;
use std::process::ExitCode;

use args::{Args, Spec};

/// One subcommand.
struct Command {
    name: &'static str,
    summary: &'static str,
    /// What `deltafold NAME --help` prints below the summary.
    help: &'static str,
    spec: Spec,
    run: fn(&Args) -> Result<ExitCode, Failure>,
}

/// Why a command ends early.
enum Failure {
    /// The call was wrong: exit code 2.
    Usage(String),
    /// The work failed: exit code 1.
    Work(String),
    /// Whoever read our output went away: nothing to say.
    Closed,
}

const COMMANDS: &[Command] =
    &[show::COMMAND, check::COMMAND, fold::COMMAND, events::COMMAND, frames::COMMAND, convert::COMMAND];

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next();
    let rest: Vec<OsString> = arguments.collect();
    match first.as_ref().and_then(|first| first.to_str()) {
        None if first.is_none() => finish(output::text(&help()).map(|()| ExitCode::from(2))),
        Some("--help" | "-h" | "help") => finish(help_for(&rest)),
        Some("--version" | "-V") => {
            finish(output::text(&format!("deltafold {}\n", env!("CARGO_PKG_VERSION"))).map(|()| ExitCode::SUCCESS))
        }
        Some(name) => match COMMANDS.iter().find(|command| command.name == name) {
            Some(command) => finish(run(command, rest)),
            None => finish(Err(Failure::Usage(unknown(name)))),
        },
        None => finish(Err(Failure::Usage("the command's name is not text; `deltafold --help` lists them".into()))),
    }
}

fn run(command: &Command, rest: Vec<OsString>) -> Result<ExitCode, Failure> {
    if rest.iter().any(|argument| argument == "--help" || argument == "-h") {
        return output::text(&command_help(command)).map(|()| ExitCode::SUCCESS);
    }
    let args = Args::parse(&command.spec, rest).map_err(|message| {
        Failure::Usage(format!("{message}; `deltafold {} --help` shows how to call it", command.name))
    })?;
    (command.run)(&args)
}

fn finish(result: Result<ExitCode, Failure>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(Failure::Usage(message)) => {
            output::complain(&message);
            ExitCode::from(2)
        }
        Err(Failure::Work(message)) => {
            output::complain(&message);
            ExitCode::from(1)
        }
    }
}

fn unknown(name: &str) -> String {
    let hint = args::did_you_mean(name, COMMANDS.iter().map(|command| command.name));
    format!("no command `{name}`{hint}; `deltafold --help` lists them")
}

fn help() -> String {
    let mut text = String::from(
        "deltafold reads, checks, folds and converts the streams that language models answer with.\n\nUsage: deltafold COMMAND [FILE|-] [options]\n\nCommands:\n",
    );
    for command in COMMANDS {
        text.push_str(&format!("  {:<9} {}\n", command.name, command.summary));
    }
    text.push_str("\nWithout FILE, or with -, input comes from stdin. `deltafold COMMAND --help` says more.\n");
    text
}

fn help_for(rest: &[OsString]) -> Result<ExitCode, Failure> {
    let page = match rest.first() {
        None => help(),
        Some(name) => match COMMANDS.iter().find(|command| *name == *command.name) {
            Some(command) => command_help(command),
            None => return Err(Failure::Usage(unknown(&name.to_string_lossy()))),
        },
    };
    output::text(&page).map(|()| ExitCode::SUCCESS)
}

fn command_help(command: &Command) -> String {
    format!("deltafold {}: {}\n\n{}", command.name, command.summary, command.help)
}
