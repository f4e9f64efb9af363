//! `deltafold frames`: the SSE layer alone, to the letter of the standard.

use deltafold::adapter::{Converter, Dialect, Framing};
use deltafold::json::{write_string, Object, Value};
use deltafold::sse::{FrameDecoder, Signal};
use deltafold::Limits;

use crate::args::Args;
use crate::convert;
use crate::input::{Input, Stdin};
use crate::intake;
use crate::lines::{Lines, FORMAT};
use crate::output::Output;
use crate::table::{Command, Files, Opt, Words, PLAIN_EXITS, SPLIT};
use crate::{Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "frames",
    summary: "print each dispatched SSE frame as one JSON object",
    usage: &["[FILE…|-] [options]"],
    about: "Each line has event (`message` when the stream names none), data, id (the last event id), retry (the \
            reconnection time in force, or null) and offset. A frame without its blank line at the end is not printed. With \
            several files, file comes first.",
    options: &[
        Opt::with(
            "--from",
            "DIALECT",
            Words::ReadDialects,
            "convert from this dialect first, auto to find it out (default: frames as they are, whatever they say)",
        ),
        FORMAT,
        Opt::flag("--comments", "print comment lines too, as {\"comment\":…}, in their place"),
        SPLIT,
    ],
    files: Files::Any,
    exits: PLAIN_EXITS,
    examples: &[
        "deltafold frames examples/streams/tour.sse | head -3",
        "deltafold frames --comments --format json examples/streams/broken/no-terminal.sse",
    ],
    run,
};

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let from = match args.text("--from")? {
        None => Some(Dialect::OpenResponses),
        Some("auto") => None,
        Some(name) => Some(intake::dialect(name)?),
    };
    let split = args.number("--split")?;
    let files = args.files();
    let stdin = Stdin::new(&mut io.input);
    let mut lines = Lines::from_args(args, files.len() > 1, Output::new(&mut io.output))?;
    for file in &files {
        let mut input = Input::open(file, split, &stdin)?;
        let name = input.name().to_owned();
        let failure = |error: deltafold::Error| Failure::Work(format!("{name}: {error}"));
        let mut decoder = FrameDecoder::new(&Limits::default());
        let mut converter = match from {
            Some(Dialect::OpenResponses) => None,
            from => {
                let options = convert::with_id(convert::with_time(Object::new()), from.unwrap_or(Dialect::Blocks));
                let options = Value::Object(options);
                let to = Dialect::OpenResponses;
                let made = Converter::with(from, to, &options, Framing::Native, Limits::default());
                Some(made.map_err(|error| Failure::Usage(error.to_string()))?)
            }
        };
        loop {
            let chunk = input.chunk()?;
            match (&mut converter, chunk) {
                (None, None) => break,
                (None, Some(chunk)) => print(&mut decoder, chunk, args, &name, &mut lines)?,
                (Some(converter), chunk) => {
                    let result = match chunk {
                        Some(chunk) => converter.feed(chunk),
                        None => converter.finish(),
                    };
                    print(&mut decoder, &converter.take(), args, &name, &mut lines)?;
                    result.map_err(failure)?;
                    if chunk.is_none() {
                        break;
                    }
                }
            }
        }
    }
    lines.end()?;
    Ok(0)
}

fn print(
    decoder: &mut FrameDecoder,
    chunk: &[u8],
    args: &Args,
    name: &str,
    lines: &mut Lines<'_>,
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
            Signal::Comment(comment) if args.has("--comments") => object.push("comment", comment.text),
            _ => continue,
        }
        if lines.are_text() {
            lines.text(name, &short(&object))?;
        } else {
            lines.json(name, &object.to_string())?;
        }
    }
    lines.flush()
}

/// `offset event data`, or the comment.
fn short(object: &Object) -> String {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    if object.contains_key("comment") {
        return format!("{:>8} :{}", "", text("comment"));
    }
    let mut data = String::new();
    write_string(text("data"), &mut data);
    let offset = object.get("offset").map(ToString::to_string).unwrap_or_default();
    format!("{offset:>8} {} {data}", text("event"))
}
