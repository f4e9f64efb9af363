//! `deltafold write`: intents → a stream.

use deltafold::{Writer, WriterOptions};

use crate::args::Args;
use crate::input::{Input, Stdin};
use crate::output::Output;
use crate::table::{Command, Files, Opt, Words};
use crate::{Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "write",
    summary: "make a stream from intents, one JSON object a line",
    usage: &["[FILE|-] [options]"],
    about: "The first line has the options: id, and if needed model, created_at, edition, dialect, request, template. Every \
            other line is an intent: {\"do\":\"message\"}, {\"do\":\"text\",\"text\":\"Hi\"}, {\"do\":\"complete\"}. Numbers, \
            indices, parts and closing events are added; an intent that cannot be now is an error that names its line.",
    options: &[Opt::with("--format", "F", Words::List(&["sse", "jsonl"]), "sse (default) or jsonl: one event a line")],
    files: Files::One,
    exits: &[
        ("0", "done"),
        ("1", "an intent was refused, or the intents end before the response does"),
        ("2", "the call was wrong or the file cannot be opened"),
    ],
    examples: &["deltafold write examples/streams/items/message.jsonl | deltafold show"],
    run,
};

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let json = args.choice("--format", &["sse", "jsonl"])? == "jsonl";
    let stdin = Stdin::new(&mut io.input);
    let mut input = Input::open(args.file(), None, &stdin)?;
    let name = input.name().to_owned();
    let mut output = Output::new(&mut io.output);
    let mut lines = Lines { name, number: 0, writer: None, json };
    let mut rest = Vec::new();
    while let Some(chunk) = input.chunk()? {
        for line in chunk.split_inclusive(|byte| *byte == b'\n') {
            rest.extend_from_slice(line);
            if line.ends_with(b"\n") {
                lines.take(&rest, &mut output)?;
                rest.clear();
            }
        }
        output.flush()?;
    }
    lines.take(&rest, &mut output)?;
    output.flush()?;
    match lines.writer {
        Some(writer) if writer.is_ended() => Ok(0),
        _ => Err(Failure::Work(format!(
            "{}: the response is not ended; the last intent is complete, incomplete, cancel or fail",
            lines.name
        ))),
    }
}

struct Lines {
    name: String,
    number: u64,
    writer: Option<Writer>,
    json: bool,
}

impl Lines {
    fn take(&mut self, line: &[u8], output: &mut Output<'_>) -> Result<(), Failure> {
        self.number += 1;
        let place = format!("{} line {}", self.name, self.number);
        let failure = |error: deltafold::Error| Failure::Work(format!("{place}: {error}"));
        let text = std::str::from_utf8(line).map_err(|_| Failure::Work(format!("{place} is not UTF-8")))?.trim();
        if text.is_empty() {
            return Ok(());
        }
        let Some(writer) = &mut self.writer else {
            self.writer = Some(Writer::new(WriterOptions::from_json(text).map_err(failure)?));
            return Ok(());
        };
        let applied = writer.apply_json(text).map(drop).map_err(failure);
        // What an intent before this one has made is good.
        if self.json {
            while let Some(event) = writer.poll_event() {
                output.line(event)?;
            }
        } else {
            output.bytes(&writer.take())?;
        }
        applied
    }
}
