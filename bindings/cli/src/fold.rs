//! `deltafold fold`: a stream → its response.

use deltafold::{Outcome, Reader};

use crate::args::{Args, Spec};
use crate::input::Input;
use crate::output::{complain, Output};
use crate::{Command, Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "fold",
    summary: "print the response that a stream adds up to",
    help: "Usage: deltafold fold [FILE|-] [--without-terminal] [--pretty] [--split N]

  --without-terminal   rebuild from the events alone, not from the terminal snapshot
  --pretty             indent the JSON
  --split N            feed N bytes at a time (the answer is the same)

Exit code: 0 completed, 3 incomplete or cancelled, 4 failed, 5 truncated (no terminal event).

Example: deltafold fold --pretty examples/streams/tour.sse
",
    spec: Spec { flags: &["--without-terminal", "--pretty"], options: &["--split"], files: 1 },
    run,
};

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let mut input = Input::open(args.file(), args.number("--split")?, &mut io.input)?;
    let mut builder = Reader::builder();
    if args.has("--without-terminal") {
        builder = builder.without_terminal();
    }
    let mut reader = builder.build();
    while let Some(chunk) = input.chunk()? {
        reader.feed(chunk).map_err(|error| Failure::Work(error.to_string()))?;
        while reader.poll_event().map_err(|error| Failure::Work(error.to_string()))?.is_some() {}
    }
    let outcome = reader.finish();
    let response = reader.response();
    let mut text = if args.has("--pretty") { response.to_value().to_pretty() } else { response.to_json() };
    text.push('\n');
    let mut output = Output::new(&mut io.output);
    output.text(&text)?;
    output.flush()?;
    drop(output);
    if response.is_empty() && response.id().is_empty() {
        let found = reader.findings().first().map_or("no event was found", |finding| finding.message.as_str());
        let message = format!("{}: {found}", input.name());
        drop(input);
        complain(io, &message);
    }
    Ok(match outcome {
        Outcome::Completed => 0,
        Outcome::Incomplete { .. } | Outcome::Cancelled => 3,
        Outcome::Failed { .. } => 4,
        _ => 5,
    })
}
