//! `deltafold events`: one JSON object per event.

use deltafold::json::{write_string, Value};
use deltafold::{Event, Reader};

use crate::args::{Args, Spec};
use crate::input::Input;
use crate::output::Output;
use crate::{Command, Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "events",
    summary: "print each event as one JSON object",
    help: "Usage: deltafold events [FILE|-] [--split N]

  --split N    feed N bytes at a time (the answer is the same)

Each line has index, kind, type (as it was sent), sequence_number, offset (of the payload's first byte), known, and
data: the payload itself, or its text where it is not JSON.

Example: deltafold events examples/streams/tour.sse | head -3
",
    spec: Spec { flags: &[], options: &["--split"], files: 1 },
    run,
};

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let mut input = Input::open(args.file(), args.number("--split")?, &mut io.input)?;
    let mut output = Output::new(&mut io.output);
    let mut reader = Reader::new();
    loop {
        let more = match input.chunk()? {
            Some(chunk) => reader.feed(chunk).map(|()| true).map_err(|error| Failure::Work(error.to_string()))?,
            None => false,
        };
        if !more {
            reader.end();
        }
        while let Some(event) = reader.poll_event().map_err(|error| Failure::Work(error.to_string()))? {
            output.line(&line(&event))?;
        }
        output.flush()?;
        if !more {
            return Ok(0);
        }
    }
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
