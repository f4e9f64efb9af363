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
mod convert;
mod events;
mod fold;
mod frames;
mod input;
mod io;
mod output;
mod show;

use std::ffi::OsString;

use args::{Args, Spec};
pub use io::Io;
use output::Output;

/// One subcommand.
struct Command {
    name: &'static str,
    summary: &'static str,
    /// What `deltafold NAME --help` prints below the summary.
    help: &'static str,
    spec: Spec,
    run: fn(&Args, &mut Io<'_>) -> Result<u8, Failure>,
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

/// Runs one command: `arguments` are those behind the program's name. Returns the exit code.
///
/// Nothing here ends the process, changes a signal or the terminal's modes. A caller whose own handler keeps Ctrl-C from
/// ending the process restores the default before this call, or the command runs to its end.
pub fn run<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>, io: &mut Io<'_>) -> u8 {
    let mut arguments = arguments.into_iter().map(Into::into);
    let first = arguments.next();
    let result = dispatch(first, arguments.collect(), io);
    // What could not be written is not worth a message of its own: the failure, if any, is the command's.
    let (code, message) = match result {
        Ok(code) => return code,
        Err(Failure::Closed) => return 0,
        Err(Failure::Usage(message)) => (2, message),
        Err(Failure::Work(message)) => (1, message),
    };
    output::complain(io, &message);
    code
}

fn dispatch(first: Option<OsString>, rest: Vec<OsString>, io: &mut Io<'_>) -> Result<u8, Failure> {
    let Some(first) = first else { return print(io, &help()).map(|()| 2) };
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
        return print(io, &command_help(command)).map(|()| 0);
    }
    let args = Args::parse(&command.spec, rest).map_err(|message| {
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

fn help_for(rest: &[OsString]) -> Result<String, Failure> {
    Ok(match rest.first() {
        None => help(),
        Some(name) => match COMMANDS.iter().find(|command| *name == *command.name) {
            Some(command) => command_help(command),
            None => return Err(Failure::Usage(unknown(&name.to_string_lossy()))),
        },
    })
}

fn command_help(command: &Command) -> String {
    format!("deltafold {}: {}\n\n{}", command.name, command.summary, command.help)
}
