//! `deltafold events`: one JSON object per event.

use std::ffi::OsString;

use clap::ValueHint;
use deltafold::json::{write_string, Value};
use deltafold::{Event, Reader};

use crate::args::{SourceArgs, SplitArg};
use crate::dialect_input::{DialectInput, SourceFormat};
use crate::input::{Input, Stdin};
use crate::output::{print_error, Output};
use crate::records::{RecordArgs, RecordWriter};
use crate::{Failure, Io};

/// Print each event as one JSON object
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Each object has index, kind, type (as sent), sequence_number, offset (of the payload's first byte), known, and data: \
                   the payload itself, or its text if it is not JSON. With several files, file comes first.",
    after_help = "\
Exit codes:
  0  success
  1  reading failed or a limit was exceeded
  2  the arguments are invalid or a file cannot be opened

Examples:
  deltafold events examples/streams/tour.sse | head -3
  deltafold events --format text examples/streams/dialects/anthropic.sse"
)]
pub(crate) struct EventsArgs {
    /// Files to read; `-` is stdin
    #[arg(value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    files: Vec<OsString>,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    records: RecordArgs,
    #[command(flatten)]
    split: SplitArg,
}

pub(crate) fn run(args: &EventsArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    let format = SourceFormat::from_args(args.source)?;
    let stdin = Stdin::new(&mut io.input);
    let output = Output::new(&mut io.output, io.output_is_terminal);
    let mut records = RecordWriter::new(args.records, args.files.len() > 1, output);
    let mut messages = Vec::new();
    for file in &args.files {
        let mut input = Input::open(file, args.split.split, &stdin)?;
        let name = input.name().to_owned();
        let failure = |error: deltafold::Error| Failure::Work(format!("{name}: {error}"));
        let mut source = DialectInput::new(format).map_err(failure)?;
        let mut reader = Reader::new();
        loop {
            let (more, fed) = match input.chunk()? {
                Some(chunk) => (true, source.push(chunk, &mut reader)),
                None => (false, source.end(&mut reader)),
            };
            // The events before an error are valid, so they are printed first.
            while let Some(event) = reader.poll_event().map_err(failure)? {
                if records.is_text() {
                    records.text(&name, &summary(&event))?;
                } else {
                    records.json(&name, &object(&event))?;
                }
            }
            records.flush()?;
            fed.map_err(failure)?;
            if !more {
                break;
            }
        }
        messages.extend(source.unread(&reader).map(|message| format!("{name}: {message}")));
    }
    records.finish()?;
    messages.iter().for_each(|message| print_error(io, message));
    Ok(0)
}

/// Sequence number, type and delta.
fn summary(event: &Event<'_>) -> String {
    let number = event.sequence_number().map_or_else(|| "-".to_owned(), |number| number.to_string());
    let mut text = format!("{number:>6} {}", event.wire_type());
    if event.kind().is_delta() {
        let mut delta = String::new();
        write_string(event.delta(), &mut delta);
        text.push_str(&format!(" {delta}"));
    }
    text
}

/// The event as a JSON object. The payload is copied, not parsed and encoded again.
fn object(event: &Event<'_>) -> String {
    let mut out = format!("{{\"index\":{},\"kind\":\"{}\",\"type\":", event.index(), event.kind());
    write_string(event.wire_type(), &mut out);
    out.push_str(",\"sequence_number\":");
    Value::from(event.sequence_number()).write_into(&mut out);
    out.push_str(&format!(",\"offset\":{},\"known\":{},\"data\":", event.offset(), event.kind().is_known()));
    if event.root().is_some() {
        // A payload of several data lines has line breaks between tokens, never inside strings.
        out.extend(event.raw().chars().filter(|char| !matches!(char, '\n' | '\r')));
    } else {
        write_string(event.raw(), &mut out);
    }
    out.push('}');
    out
}
