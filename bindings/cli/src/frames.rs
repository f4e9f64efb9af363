//! `deltafold frames`: the frames of the SSE layer, as the standard defines them.

use std::ffi::OsString;

use clap::ValueHint;
use deltafold::adapter::{Converter, Dialect};
use deltafold::json::{write_string, Object, Value};
use deltafold::sse::{FrameDecoder, Signal};
use deltafold::Limits;

use crate::args::{source_dialect, SourceDialect, SplitArg};
use crate::convert;
use crate::input::{Input, Stdin};
use crate::output::Output;
use crate::records::{RecordArgs, RecordWriter};
use crate::{Failure, Io};

/// Print each dispatched SSE frame as one JSON object
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Each object has event (`message` if the stream names none), data, id (the last event id), retry (the current \
                   reconnection time, or null) and offset. A frame without the blank line at its end is not printed. With several \
                   files, file comes first.",
    after_help = "\
Exit codes:
  0  success
  1  reading failed or a limit was exceeded
  2  the arguments are invalid or a file cannot be opened

Examples:
  deltafold frames examples/streams/tour.sse | head -3
  deltafold frames --comments --format json examples/streams/broken/no-terminal.sse"
)]
pub(crate) struct FramesArgs {
    /// Files to read; `-` is stdin
    #[arg(value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    files: Vec<OsString>,
    /// Convert from this dialect first; auto detects it (default: print the frames unchanged)
    #[arg(long, value_name = "DIALECT", value_parser = source_dialect())]
    from: Option<SourceDialect>,
    #[command(flatten)]
    records: RecordArgs,
    /// Print comment lines too, in their place, as {"comment":"..."}
    #[arg(long)]
    comments: bool,
    #[command(flatten)]
    split: SplitArg,
}

pub(crate) fn run(args: &FramesArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    let from = match args.from {
        None => Some(Dialect::OpenResponses),
        Some(SourceDialect::Auto) => None,
        Some(SourceDialect::Named(dialect)) => Some(dialect),
    };
    let stdin = Stdin::new(&mut io.input);
    let output = Output::new(&mut io.output, io.output_is_terminal);
    let mut records = RecordWriter::new(args.records, args.files.len() > 1, output);
    for file in &args.files {
        let mut input = Input::open(file, args.split.split, &stdin)?;
        let name = input.name().to_owned();
        let failure = |error: deltafold::Error| Failure::Work(format!("{name}: {error}"));
        let mut decoder = FrameDecoder::new(&Limits::default());
        let mut converter = match from {
            Some(Dialect::OpenResponses) => None,
            from => {
                let options = convert::with_id(Object::new(), from.unwrap_or(Dialect::Blocks));
                let made = convert::converter_options(options)
                    .and_then(|options| Converter::with_options(from, Dialect::OpenResponses, options));
                Some(made.map_err(|error| Failure::Usage(error.to_string()))?)
            }
        };
        loop {
            let chunk = input.chunk()?;
            match (&mut converter, chunk) {
                (None, None) => break,
                (None, Some(chunk)) => print(&mut decoder, chunk, args, &name, &mut records)?,
                (Some(converter), chunk) => {
                    let result = match chunk {
                        Some(chunk) => converter.feed(chunk),
                        None => converter.finish(),
                    };
                    print(&mut decoder, &converter.take(), args, &name, &mut records)?;
                    result.map_err(failure)?;
                    if chunk.is_none() {
                        break;
                    }
                }
            }
        }
    }
    records.finish()?;
    Ok(0)
}

fn print(
    decoder: &mut FrameDecoder,
    chunk: &[u8],
    args: &FramesArgs,
    name: &str,
    records: &mut RecordWriter<'_>,
) -> Result<(), Failure> {
    let mut at = 0;
    let failure = |error| Failure::Work(format!("{name}: {error}"));
    while let Some(signal) = decoder.next(chunk, &mut at).map_err(failure)? {
        let mut object = Object::new();
        match signal {
            Signal::Frame(frame) => {
                object.push("event", if frame.event.is_empty() { "message" } else { frame.event });
                object.push("data", frame.data);
                object.push("id", frame.id);
                object.push("retry", frame.retry);
                object.push("offset", frame.offset);
            }
            Signal::Comment(comment) if args.comments => object.push("comment", comment.text),
            _ => continue,
        }
        if records.is_text() {
            records.text(name, &summary(&object))?;
        } else {
            records.json(name, &object.to_string())?;
        }
    }
    records.flush()
}

/// Offset, event name and data, or the comment.
fn summary(object: &Object) -> String {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    if object.contains_key("comment") {
        return format!("{:>8} :{}", "", text("comment"));
    }
    let mut data = String::new();
    write_string(text("data"), &mut data);
    let offset = object.get("offset").map(ToString::to_string).unwrap_or_default();
    format!("{offset:>8} {} {data}", text("event"))
}
