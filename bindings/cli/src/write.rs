//! `deltafold write`: writes a stream from intents.

use std::ffi::OsString;

use clap::ValueHint;
use deltafold::{Writer, WriterOptions};

use crate::args::StreamFormat;
use crate::clock::CLOCK;
use crate::input::{Input, Stdin};
use crate::output::Output;
use crate::{Failure, Io};

/// Write a stream from intents, one JSON object per line
#[derive(Debug, clap::Args)]
#[command(
    before_help = "The first line has the options: id, and optionally model, created_at (by default the clock), edition, reasoning_names, request, template. Every \
                   other line is an intent: {\"do\":\"message\"}, {\"do\":\"text\",\"text\":\"Hi\"}, {\"do\":\"complete\"}. Sequence \
                   numbers, indices, parts and closing events are added. An intent that is invalid in the current state is an error \
                   that names its line.",
    after_help = "\
Exit codes:
  0  success
  1  an intent was refused, or the intents end before the response does
  2  the arguments are invalid or the file cannot be opened

Examples:
  deltafold write examples/streams/items/message.jsonl | deltafold show"
)]
pub(crate) struct WriteArgs {
    /// File of intents; `-` is stdin
    #[arg(value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    file: OsString,
    /// SSE frames (sse), or one event per line (jsonl)
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = StreamFormat::Sse)]
    format: StreamFormat,
}

pub(crate) fn run(args: &WriteArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    let json = args.format == StreamFormat::Jsonl;
    let stdin = Stdin::new(&mut io.input);
    let mut input = Input::open(&args.file, None, &stdin)?;
    let name = input.name().to_owned();
    let mut output = Output::new(&mut io.output, io.output_is_terminal);
    let mut intents = Intents { name, line: 0, writer: None, json };
    let mut buffer = Vec::new();
    while let Some(chunk) = input.chunk()? {
        for line in chunk.split_inclusive(|byte| *byte == b'\n') {
            buffer.extend_from_slice(line);
            if line.ends_with(b"\n") {
                intents.apply(&buffer, &mut output)?;
                buffer.clear();
            }
        }
        output.flush()?;
    }
    intents.apply(&buffer, &mut output)?;
    output.flush()?;
    match intents.writer {
        Some(writer) if writer.is_ended() => Ok(0),
        _ => Err(Failure::Work(format!(
            "{}: the response has not ended; the last intent must be complete, incomplete, cancel or fail",
            intents.name
        ))),
    }
}

/// The lines of the input, applied to a writer that the first one creates.
struct Intents {
    name: String,
    line: u64,
    writer: Option<Writer>,
    json: bool,
}

impl Intents {
    fn apply(&mut self, line: &[u8], output: &mut Output<'_>) -> Result<(), Failure> {
        self.line += 1;
        let location = format!("{} line {}", self.name, self.line);
        let failure = |error: deltafold::Error| Failure::Work(format!("{location}: {error}"));
        let text = std::str::from_utf8(line).map_err(|_| Failure::Work(format!("{location} is not UTF-8")))?.trim();
        if text.is_empty() {
            return Ok(());
        }
        let Some(writer) = &mut self.writer else {
            self.writer = Some(Writer::new(WriterOptions::from_json_with_clock(text, CLOCK).map_err(failure)?));
            return Ok(());
        };
        let applied = writer.apply_json(text).map(drop).map_err(failure);
        // Events that a refused intent wrote before the error are valid too.
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
