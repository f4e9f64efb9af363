//! `deltafold show`: displays a stream, while it arrives or afterwards.
//!
//! On a terminal a live view, otherwise a plain transcript; both print an item as soon as it and all items before it are done.
//! `--at` and `--timeline` inspect a recorded stream.

mod live;
mod live_reader;
mod render;
mod timeline;

use std::ffi::OsString;
use std::ops::ControlFlow;

use clap::ValueHint;
use deltafold::json::{Object, Value};
use deltafold::validate::Layers;
use deltafold::{Error, Profile, Reader};

use crate::args::{any_of, ColorArg, SourceArgs, TextOrJson};
use crate::check::{finding, profile};
use crate::color::Color;
use crate::dialect_input::{DialectInput, SourceFormat};
use crate::input::{Input, Stdin};
use crate::output::{print_error, Output};
use crate::styled_line::StyledLine;
use crate::{Failure, Io};
use live_reader::LiveReader;

/// Watch a stream, or read it as a transcript
#[derive(Debug, clap::Args)]
#[command(
    before_help = "On a terminal: a live view while bytes arrive, with items, growing text, tool arguments, reasoning, status, \
                   findings, time and rate, and usage at the end. Otherwise: a plain transcript, each item as soon as it is done.",
    after_help = "\
Exit codes:
  0  success
  1  reading failed or a limit was exceeded
  2  the arguments are invalid or a file cannot be opened

Examples:
  deltafold show examples/streams/tour.sse
  deltafold show --at 20 examples/streams/tour.sse
  deltafold show --timeline examples/streams/tour.sse
  deltafold show --profile open-responses examples/streams/broken/text-differs.sse
  deltafold replay --rate 50 examples/streams/tour.sse | deltafold show"
)]
pub(crate) struct ShowArgs {
    /// File to read; `-` is stdin
    #[arg(value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    file: OsString,
    #[command(flatten)]
    source: SourceArgs,
    /// Text, or one JSON object with response, outcome, events and findings; with --timeline, one object per line
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = TextOrJson::Text)]
    format: TextOrJson,
    /// Show the response after the event with sequence number N
    #[arg(long, value_name = "N")]
    at: Option<u64>,
    /// One line per event: offset, size, type, location and delta; also the time, unless the input is a file
    #[arg(long)]
    timeline: bool,
    /// Wait for a file to grow, until the response ends
    #[arg(long)]
    follow: bool,
    /// Check every rule, as `deltafold check --profile PROFILE` does (default: report only what the reader repaired)
    #[arg(
        long,
        value_name = "PROFILE",
        value_parser = any_of(|| Profile::names().collect()),
        value_hint = ValueHint::FilePath
    )]
    profile: Option<String>,
    #[command(flatten)]
    color: ColorArg,
}

pub(crate) fn run(args: &ShowArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    let json = args.format == TextOrJson::Json;
    let color = Color::from_args(args.color, io);
    let format = SourceFormat::from_args(args.source)?;
    let ShowArgs { at, follow, timeline, .. } = *args;
    if follow && args.file == "-" {
        return Err(Failure::Usage("--follow requires a file; stdin is always followed".into()));
    }
    let window = io.size;
    let is_live = io.output_is_terminal && !io.plain_terminal && !json && at.is_none() && !timeline;
    let stdin = Stdin::new(&mut io.input);
    let input = Input::open(&args.file, None, &stdin)?;
    let with_time = follow || input.size().is_none();
    let name = input.name().to_owned();
    let source = DialectInput::new(format).map_err(|error| failure(&name, &error))?;
    let builder = Reader::builder();
    let mut reader = match &args.profile {
        Some(name) => builder.profile(profile(name, &stdin)?).validate(Layers::ALL),
        None => builder,
    }
    .build();
    let live = LiveReader { input, source, follow };
    let unread = if is_live {
        live::run(live, reader, color, window, &mut io.output, &name)?
    } else {
        let mut output = Output::new(&mut io.output, io.output_is_terminal);
        if timeline {
            timeline::run(live, json, with_time, color, output)?
        } else if let Some(number) = at {
            read_until(live, &mut reader, number, &name)?;
            snapshot(&mut reader, json, color, &mut output, &format!(", up to number {number}"))?;
            None
        } else if json {
            let unread = live.run(&mut reader, |_| ControlFlow::Continue(()), |_, _| Ok(ControlFlow::Continue(())))?;
            reader.finish().map_err(|error| failure(&name, &error))?;
            snapshot(&mut reader, true, color, &mut output, "")?;
            unread
        } else {
            transcript(live, &mut reader, color, output, &name)?
        }
    };
    if let Some(message) = unread {
        print_error(io, &format!("{name}: {message}"));
    }
    Ok(0)
}

/// Prints items in order, each as soon as it is done; the others at the end.
fn transcript(
    live: LiveReader<'_>,
    reader: &mut Reader,
    color: Color,
    mut output: Output<'_>,
    name: &str,
) -> Result<Option<&'static str>, Failure> {
    let mut printed = PrintedItems::default();
    let unread = live.run(
        reader,
        |_| ControlFlow::Continue(()),
        |reader, _| {
            printed.new_lines(reader).iter().try_for_each(|line| output.styled(line, color))?;
            output.flush()?;
            Ok(ControlFlow::Continue(()))
        },
    )?;
    let outcome = reader.finish().map_err(|error| failure(name, &error))?;
    let mut lines = printed.remaining_lines(reader);
    lines.extend(render::footer(reader, Some(&outcome), ""));
    lines.iter().try_for_each(|line| output.styled(line, color))?;
    output.flush()?;
    Ok(unread)
}

/// How much of a response is printed and will not change.
#[derive(Default)]
struct PrintedItems {
    heading: bool,
    items: usize,
}

impl PrintedItems {
    /// Returns the lines that are final now: the heading once it is known, and every item that is done, as long as all items
    /// before it are.
    fn new_lines(&mut self, reader: &Reader) -> Vec<StyledLine> {
        let response = reader.response();
        let mut lines = Vec::new();
        if !self.heading && response.id().is_some_and(|id| !id.is_empty()) {
            self.heading = true;
            lines.push(render::heading(&response));
        }
        if !self.heading {
            return lines;
        }
        for (at, item) in response.items().enumerate().skip(self.items).take_while(|(_, item)| item.is_done()) {
            self.items += 1;
            lines.push(StyledLine::default());
            lines.extend(render::item(at, &item, None));
        }
        lines
    }

    /// Returns everything that is not printed yet, and an empty line before the footer.
    fn remaining_lines(&mut self, reader: &Reader) -> Vec<StyledLine> {
        let mut lines = self.new_lines(reader);
        if !self.heading {
            lines.push(render::heading(&reader.response()));
        }
        for (at, item) in reader.response().items().enumerate().skip(self.items) {
            lines.push(StyledLine::default());
            lines.extend(render::item(at, &item, None));
        }
        lines.push(StyledLine::default());
        lines
    }
}

/// Reads up to and including the event with this sequence number.
fn read_until(live: LiveReader<'_>, reader: &mut Reader, number: u64, name: &str) -> Result<(), Failure> {
    let (mut first, mut found) = (None, false);
    live.run(
        reader,
        |event| {
            first = first.or(event.sequence_number());
            found = event.sequence_number() == Some(number);
            if found {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
        |_, _| Ok(ControlFlow::Continue(())),
    )?;
    if found {
        return Ok(());
    }
    let range = match (first, reader.last_sequence_number()) {
        (Some(first), Some(last)) => format!("the numbers run from {first} to {last}"),
        _ => "no event has a number".to_owned(),
    };
    Err(Failure::Work(format!("{name}: no event has the sequence number {number}; {range}")))
}

/// Prints the response as it is now.
fn snapshot(
    reader: &mut Reader,
    json: bool,
    color: Color,
    output: &mut Output<'_>,
    extra: &str,
) -> Result<(), Failure> {
    if json {
        let mut whole = Object::new();
        whole.push("response", reader.response().to_value());
        whole.push("outcome", reader.outcome().map(deltafold::Outcome::name));
        whole.push("events", reader.event_count());
        whole.push("findings", reader.findings().iter().map(finding).collect::<Vec<Value>>());
        output.line(&whole.to_string())?;
    } else {
        let mut lines = PrintedItems::default().remaining_lines(reader);
        lines.extend(render::footer(reader, reader.outcome(), extra));
        lines.iter().try_for_each(|line| output.styled(line, color))?;
    }
    output.flush()
}

fn failure(name: &str, error: &Error) -> Failure {
    Failure::Work(format!("{name}: {error}"))
}
