//! The `deltafold` command as a library: one module per subcommand.
//!
//! The program `deltafold` and `python -m deltafold` both make this one call:
//!
//! ```
//! use deltafold_cli::{run, Io};
//! let mut printed = Vec::new();
//! let stream = b"data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hi\"}\n\n";
//! let io = Io { input: Box::new(&stream[..]), output: Box::new(&mut printed), ..Io::std() };
//! let code = run(["fold", "-"], &mut { io });
//! assert_eq!(code, 5, "the stream is truncated");
//! assert!(String::from_utf8(printed).unwrap().contains("\"text\":\"Hi\""));
//! ```
//!
//! Exit codes: 0 success; 1 errors were found, or reading failed; 2 the arguments are invalid or a file cannot be opened. `fold` has
//! more.

mod args;
#[cfg(feature = "table")]
mod captures;
mod check;
mod clock;
mod color;
mod completions;
mod convert;
mod dialect_input;
mod diff;
mod escape;
mod events;
mod fold;
mod frames;
mod help;
mod history;
mod input;
mod io;
mod man;
mod output;
mod parallel;
mod progress;
mod records;
mod replay;
mod show;
#[cfg(feature = "table")]
mod stats;
mod styled_line;
#[cfg(feature = "table")]
mod table;
mod write;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub use io::Io;
use output::Output;

/// Why a command ends early.
enum Failure {
    /// The call is wrong: exit code 2.
    Usage(String),
    /// The work failed: exit code 1.
    Work(String),
    /// The reader of our output closed the pipe: exit code 0, no message.
    Closed,
}

impl Failure {
    fn code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Work(_) => 1,
            Self::Closed => 0,
        }
    }

    fn message(&self) -> Option<&str> {
        match self {
            Self::Usage(message) | Self::Work(message) => Some(message),
            Self::Closed => None,
        }
    }
}

/// Reads, checks, folds and converts the response streams of language models
#[derive(Parser)]
#[command(name = "deltafold", version, arg_required_else_help = true, after_help = help::MAIN)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Show(show::ShowArgs),
    Check(Box<check::CheckArgs>),
    Fold(fold::FoldArgs),
    Events(events::EventsArgs),
    Frames(frames::FramesArgs),
    Convert(convert::ConvertArgs),
    #[cfg(feature = "table")]
    Table(table::TableArgs),
    #[cfg(feature = "table")]
    Stats(stats::StatsArgs),
    Write(write::WriteArgs),
    History(history::HistoryArgs),
    Diff(diff::DiffArgs),
    Replay(replay::ReplayArgs),
    #[cfg(all(feature = "serve", not(target_family = "wasm")))]
    Serve(replay::serve::ServeArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

impl Command {
    fn run(&self, io: &mut Io<'_>) -> Result<u8, Failure> {
        match self {
            Self::Show(args) => show::run(args, io),
            Self::Check(args) => check::run(args, io),
            Self::Fold(args) => fold::run(args, io),
            Self::Events(args) => events::run(args, io),
            Self::Frames(args) => frames::run(args, io),
            Self::Convert(args) => convert::run(args, io),
            #[cfg(feature = "table")]
            Self::Table(args) => table::run(args, io),
            #[cfg(feature = "table")]
            Self::Stats(args) => stats::run(args, io),
            Self::Write(args) => write::run(args, io),
            Self::History(args) => history::run(args, io),
            Self::Diff(args) => diff::run(args, io),
            Self::Replay(args) => replay::run(args, io),
            #[cfg(all(feature = "serve", not(target_family = "wasm")))]
            Self::Serve(args) => replay::serve::run(args, io),
            Self::Completions(args) => completions::run(args, io),
            Self::Man(args) => man::run(args, io),
        }
    }
}

/// The whole command line, as help, completions and the manual describe it.
fn command() -> clap::Command {
    Cli::command()
        .max_term_width(help::WIDTH)
        .mut_subcommands(|command| command.help_template(help::TEMPLATE).args_override_self(true))
}

/// Runs one command: `arguments` are those after the program's name. Returns the exit code.
///
/// Nothing here ends the process, changes a signal or the terminal's modes. A caller whose own handler keeps Ctrl-C from
/// ending the process must restore the default before this call; otherwise the command runs to its end.
pub fn run<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>, io: &mut Io<'_>) -> u8 {
    let arguments = [OsString::from("deltafold")].into_iter().chain(arguments.into_iter().map(Into::into));
    let matches = command().try_get_matches_from(arguments);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return help::print(&error, io),
    };
    cli.command.run(io).unwrap_or_else(|failure| {
        if let Some(message) = failure.message() {
            output::print_error(io, message);
        }
        failure.code()
    })
}

/// Writes one text and flushes it.
fn print(io: &mut Io<'_>, text: &str) -> Result<(), Failure> {
    let mut output = Output::new(&mut io.output, io.output_is_terminal);
    output.text(text)?;
    output.flush()
}
