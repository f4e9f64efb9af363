//! `deltafold events`: one JSON object per event.

use deltafold::json::{write_string, Value};
use deltafold::{Event, Reader};

use crate::args::Args;
use crate::input::{Input, Stdin};
use crate::intake::{Asked, Intake};
use crate::lines::{Lines, FORMAT};
use crate::output::Output;
use crate::table::{Command, Files, FROM, MESSAGES, PLAIN_EXITS, SPLIT};
use crate::{Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "events",
    summary: "print each event as one JSON object",
    usage: &["[FILE…|-] [options]"],
    about: "Each line has index, kind, type (as it was sent), sequence_number, offset (of the payload's first byte), known, \
            and data: the payload itself, or its text where it is not JSON. With several files, file comes first.",
    options: &[FROM, FORMAT, MESSAGES, SPLIT],
    files: Files::Any,
    exits: PLAIN_EXITS,
    examples: &[
        "deltafold events examples/streams/tour.sse | head -3",
        "deltafold events --format text examples/streams/dialects/anthropic.sse",
    ],
    run,
};

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let asked = Asked::from_args(args)?;
    let split = args.number("--split")?;
    let files = args.files();
    let stdin = Stdin::new(&mut io.input);
    let mut lines = Lines::from_args(args, files.len() > 1, Output::new(&mut io.output))?;
    for file in &files {
        let mut input = Input::open(file, split, &stdin)?;
        let name = input.name().to_owned();
        let failure = |error: deltafold::Error| Failure::Work(format!("{name}: {error}"));
        let mut intake = Intake::new(asked)?;
        let mut reader = Reader::new();
        loop {
            let (more, fed) = match input.chunk()? {
                Some(chunk) => (true, intake.push(chunk, &mut reader)),
                None => (false, intake.end(&mut reader)),
            };
            // What came before an error is good, so it goes out first.
            while let Some(event) = reader.poll_event().map_err(failure)? {
                if lines.are_text() {
                    lines.text(&name, &short(&event))?;
                } else {
                    lines.json(&name, &line(&event))?;
                }
            }
            lines.flush()?;
            fed.map_err(failure)?;
            if !more {
                break;
            }
        }
    }
    lines.end()?;
    Ok(0)
}

/// `number type`, and what grew.
fn short(event: &Event<'_>) -> String {
    let number = event.sequence_number().map_or_else(|| "-".to_owned(), |number| number.to_string());
    let mut text = format!("{number:>6} {}", event.wire_type());
    if event.kind().is_delta() {
        let mut delta = String::new();
        write_string(event.delta(), &mut delta);
        text.push_str(&format!(" {delta}"));
    }
    text
}

fn line(event: &Event<'_>) -> String {
    let mut out = format!("{{\"index\":{},\"kind\":\"{}\",\"type\":", event.index(), event.kind());
    write_string(event.wire_type(), &mut out);
    out.push_str(",\"sequence_number\":");
    Value::from(event.sequence_number()).write_into(&mut out);
    out.push_str(&format!(",\"offset\":{},\"known\":{},\"data\":", event.offset(), event.kind().is_known()));
    if event.root().is_some() {
        // A payload of several data lines has line breaks between its tokens; inside strings JSON has none.
        out.extend(event.raw().chars().filter(|char| !matches!(char, '\n' | '\r')));
    } else {
        write_string(event.raw(), &mut out);
    }
    out.push('}');
    out
}
