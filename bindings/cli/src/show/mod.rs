//! `deltafold show`: a stream as a person wants to see it, while it arrives.
//!
//! On a terminal a live view, elsewhere a plain transcript; both print an item for good as soon as it and all before it are
//! done, so that either can be left running. `--at` and `--timeline` are for looking back.

mod live;
mod pump;
mod render;
mod timeline;

use deltafold::json::{Object, Value};
use deltafold::validate::Layers;
use deltafold::{Error, Reader};

use crate::args::Args;
use crate::check::{finding, profile};
use crate::input::{Input, Stdin};
use crate::intake::{Asked, Intake};
use crate::output::Output;
use crate::paint::Paint;
use crate::table::{Command, Files, Opt, Words, COLOR, FROM, MESSAGES, PLAIN_EXITS};
use crate::term::Line;
use crate::{print, Failure, Io};
use pump::{Pump, Seen};

pub(crate) const COMMAND: Command = Command {
    name: "show",
    summary: "watch a stream, or read it as a transcript",
    usage: &["[FILE|-] [options]"],
    about: "On a terminal: a live view while bytes arrive, with items, growing text, tool arguments, reasoning, status, \
            findings, time and rate; usage at the end. Elsewhere: a plain transcript, each item as soon as it is done.",
    options: &[
        FROM,
        Opt::with(
            "--format",
            "F",
            Words::List(&["text", "json"]),
            "text (default) or json: response, outcome, events and findings in one object; with --timeline an object a line",
        ),
        Opt::with("--at", "N", Words::Free, "the response after the event with sequence number N"),
        Opt::flag("--timeline", "one line per event: offset, size, type, place and delta; the time too if it is not a file"),
        Opt::flag("--follow", "wait for a file to grow, until the response ends"),
        Opt::with(
            "--profile",
            "P",
            Words::Profiles,
            "check every rule on the way, as `deltafold check --profile P` does (default: only what had to be repaired is found)",
        ),
        MESSAGES,
        COLOR,
    ],
    files: Files::One,
    exits: PLAIN_EXITS,
    examples: &[
        "deltafold show examples/streams/tour.sse",
        "deltafold show --at 20 examples/streams/tour.sse",
        "deltafold show --timeline examples/streams/tour.sse",
        "deltafold show --profile open-responses examples/streams/broken/text-differs.sse",
        "deltafold replay --rate 50 examples/streams/tour.sse | deltafold show",
    ],
    run,
};

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let json = args.choice("--format", &["text", "json"])? == "json";
    let paint = Paint::from_args(args, io)?;
    let asked = Asked::from_args(args)?;
    let follow = args.has("--follow");
    if follow && args.file() == "-" {
        return Err(Failure::Usage("--follow is for a file; stdin is followed anyway".into()));
    }
    let at = match args.text("--at")? {
        None => None,
        Some(text) => Some(
            text.parse::<u64>().map_err(|_| Failure::Usage(format!("--at needs a sequence number, found {text}")))?,
        ),
    };
    let size = io.size;
    let watched = io.output_is_terminal && !json && at.is_none() && !args.has("--timeline");
    let stdin = Stdin::new(&mut io.input);
    let input = Input::open(args.file(), None, &stdin)?;
    let timed = follow || input.size().is_none();
    let name = input.name().to_owned();
    let intake = Intake::new(asked)?;
    let builder = Reader::builder();
    let mut reader = match args.text("--profile")? {
        Some(name) => builder.profile(profile(name, &stdin)?).validate(Layers::ALL),
        None => builder,
    }
    .build();
    let pump = Pump { input, intake, follow };
    if args.has("--timeline") {
        return timeline::run(pump, json, timed, paint, Output::new(&mut io.output));
    }
    if let Some(number) = at {
        after(pump, &mut reader, number, &name)?;
        return snapshot(&mut reader, json, paint, io, &format!(", up to number {number}"));
    }
    if watched {
        return live::run(pump, reader, paint, size, &mut io.output, &name);
    }
    if json {
        pump.run(&mut reader, None, |_, _| Ok(Seen::More))?;
        reader.finish();
        return snapshot(&mut reader, true, paint, io, "");
    }
    transcript(pump, &mut reader, paint, Output::new(&mut io.output))
}

/// Prints items when they are done, in order; the rest at the end.
fn transcript(pump: Pump<'_>, reader: &mut Reader, paint: Paint, mut output: Output<'_>) -> Result<u8, Failure> {
    let mut items = 0;
    let mut headed = false;
    pump.run(reader, None, |reader, _| {
        for line in done_lines(reader, &mut headed, &mut items) {
            output.line(&line.whole(paint))?;
        }
        output.flush()?;
        Ok(Seen::More)
    })?;
    let outcome = reader.finish();
    if !headed {
        output.line(&render::heading(&reader.response()).whole(paint))?;
    }
    let response = reader.response();
    let rest = response.items().enumerate().skip(items).flat_map(|(at, item)| {
        let mut lines = vec![Line::default()];
        lines.extend(render::item(at, &item, None));
        lines
    });
    for line in rest.chain([Line::default()]).chain(render::footer(reader, Some(&outcome), "")) {
        output.line(&line.whole(paint))?;
    }
    output.flush()?;
    Ok(0)
}

/// The lines that are final now: the heading once it is known, and every item that is done behind those before it.
fn done_lines(reader: &Reader, headed: &mut bool, items: &mut usize) -> Vec<Line> {
    let response = reader.response();
    let mut lines = Vec::new();
    if !*headed && !response.id().is_empty() {
        *headed = true;
        lines.push(render::heading(&response));
    }
    if !*headed {
        return lines;
    }
    for (at, item) in response.items().enumerate().skip(*items).take_while(|(_, item)| item.is_done()) {
        *items += 1;
        lines.push(Line::default());
        lines.extend(render::item(at, &item, None));
    }
    lines
}

/// Reads up to and with the event of this number.
fn after(pump: Pump<'_>, reader: &mut Reader, number: u64, name: &str) -> Result<(), Failure> {
    let (mut first, mut found) = (None, false);
    pump.run(
        reader,
        Some(&mut |event| {
            first = first.or(event.sequence_number());
            found = event.sequence_number() == Some(number);
            if found {
                Seen::Enough
            } else {
                Seen::More
            }
        }),
        |_, _| Ok(Seen::More),
    )?;
    if found {
        return Ok(());
    }
    let range = match (first, reader.last_sequence_number()) {
        (Some(first), Some(last)) => format!("they run from {first} to {last}"),
        _ => "no event has one".to_owned(),
    };
    Err(Failure::Work(format!("{name}: no event has the sequence number {number}; {range}")))
}

fn snapshot(reader: &mut Reader, json: bool, paint: Paint, io: &mut Io<'_>, extra: &str) -> Result<u8, Failure> {
    let response = reader.response();
    if json {
        let mut whole = Object::new();
        whole.push("response", response.to_value());
        whole.push("outcome", reader.outcome().map(deltafold::Outcome::name));
        whole.push("events", reader.event_count());
        whole.push("findings", reader.findings().iter().map(finding).collect::<Vec<Value>>());
        return print(io, &(whole.to_string() + "\n")).map(|()| 0);
    }
    let mut lines = vec![render::heading(&response)];
    for (at, item) in response.items().enumerate() {
        lines.push(Line::default());
        lines.extend(render::item(at, &item, None));
    }
    lines.push(Line::default());
    lines.extend(render::footer(reader, reader.outcome(), extra));
    let text: String = lines.iter().map(|line| line.whole(paint) + "\n").collect();
    print(io, &text).map(|()| 0)
}

fn failure(name: &str, error: &Error) -> Failure {
    Failure::Work(format!("{name}: {error}"))
}
