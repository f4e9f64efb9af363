//! The `deltafold` command as a library: one file per subcommand, one table here.
//!
//! The program `deltafold` and `python -m deltafold` are both this one call:
//!
//! ```
//! use deltafold_cli::{run, Io};
//! let mut printed = Vec::new();
//! let stream = b"data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hi\"}\n\n";
//! let io = Io { input: Box::new(&stream[..]), output: Box::new(&mut printed), ..Io::std() };
//! let code = run(["fold", "-"], &mut { io });
//! assert_eq!(code, 5, "the stream was cut off");
//! assert!(String::from_utf8(printed).unwrap().contains("\"text\":\"Hi\""));
//! ```
//!
//! Exit codes: 0 success, 1 errors were found (or reading failed), 2 the call was wrong or its file cannot be opened; `fold`
//! has more of its own.

mod args;
mod check;
mod completions;
mod convert;
mod diff;
mod events;
mod fold;
mod frames;
mod help;
mod history;
mod input;
mod intake;
mod io;
mod lines;
mod man;
mod many;
mod output;
mod paint;
mod progress;
mod replay;
mod show;
mod table;
mod term;
mod write;

use std::ffi::OsString;

use args::Args;
pub use io::Io;
use output::Output;
use table::Command;

/// Why a command ends early.
enum Failure {
    /// The call was wrong: exit code 2.
    Usage(String),
    /// The work failed: exit code 1.
    Work(String),
    /// Whoever read our output went away: nothing to say.
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

/// Every command, in the order of the help page.
const COMMANDS: &[Command] = &[
    show::COMMAND,
    check::COMMAND,
    fold::COMMAND,
    events::COMMAND,
    frames::COMMAND,
    convert::COMMAND,
    write::COMMAND,
    history::COMMAND,
    diff::COMMAND,
    replay::COMMAND,
    replay::serve::COMMAND,
    completions::COMMAND,
    man::COMMAND,
];

/// Runs one command: `arguments` are those behind the program's name. Returns the exit code.
///
/// Nothing here ends the process, changes a signal or the terminal's modes. A caller whose own handler keeps Ctrl-C from
/// ending the process restores the default before this call, or the command runs to its end.
pub fn run<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>, io: &mut Io<'_>) -> u8 {
    let mut arguments = arguments.into_iter().map(Into::into);
    let first = arguments.next();
    let result = dispatch(first, arguments.collect(), io);
    // What could not be written is not worth a message of its own: the failure, if any, is the command's.
    result.unwrap_or_else(|failure| {
        if let Some(message) = failure.message() {
            output::complain(io, message);
        }
        failure.code()
    })
}

fn dispatch(first: Option<OsString>, rest: Vec<OsString>, io: &mut Io<'_>) -> Result<u8, Failure> {
    let Some(first) = first else { return print(io, &help::page()).map(|()| 2) };
    match first.to_str() {
        Some("--help" | "-h" | "help") => print(io, &help_for(&rest)?).map(|()| 0),
        Some("--version" | "-V") => print(io, &format!("deltafold {}\n", env!("CARGO_PKG_VERSION"))).map(|()| 0),
        Some(name) => match COMMANDS.iter().find(|command| command.name == name) {
            Some(command) => run_command(command, rest, io),
            None => Err(Failure::Usage(unknown(name))),
        },
        None => Err(Failure::Usage("the command's name is not text; `deltafold --help` lists them".into())),
    }
}

fn run_command(command: &Command, rest: Vec<OsString>, io: &mut Io<'_>) -> Result<u8, Failure> {
    if rest.iter().any(|argument| argument == "--help" || argument == "-h") {
        return print(io, &help::of(command)).map(|()| 0);
    }
    let args = Args::parse(command, rest).map_err(|message| {
        Failure::Usage(format!("{message}; `deltafold {} --help` shows how to call it", command.name))
    })?;
    (command.run)(&args, io)
}

/// Writes one text and sends it.
fn print(io: &mut Io<'_>, text: &str) -> Result<(), Failure> {
    let mut output = Output::new(&mut io.output);
    output.text(text)?;
    output.flush()
}

fn unknown(name: &str) -> String {
    let hint = args::did_you_mean(name, COMMANDS.iter().map(|command| command.name));
    format!("no command `{name}`{hint}; `deltafold --help` lists them")
}

fn help_for(rest: &[OsString]) -> Result<String, Failure> {
    Ok(match rest.first() {
        None => help::page(),
        Some(name) => match COMMANDS.iter().find(|command| *name == *command.name) {
            Some(command) => help::of(command),
            None => return Err(Failure::Usage(unknown(&name.to_string_lossy()))),
        },
    })
}
