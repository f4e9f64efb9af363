//! `deltafold frames`: the SSE layer alone, to the letter of the standard.

use deltafold::json::{Object, Value};
use deltafold::sse::{FrameDecoder, Signal};
use deltafold::Limits;

use crate::args::{Args, Spec};
use crate::input::Input;
use crate::output::Output;
use crate::{Command, Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "frames",
    summary: "print each dispatched SSE frame as one JSON object",
    help: "Usage: deltafold frames [FILE|-] [--split N] [--comments]

  --split N    feed N bytes at a time (the answer is the same)
  --comments   print comment lines too, as {\"comment\":…}, in their place

Each line has event (`message` when the stream names none), data, id (the last event id), retry (the
reconnection time in force, or null) and offset. A frame without its blank line at the end is not printed.

Example: deltafold frames examples/streams/tour.sse | head -3
",
    spec: Spec { flags: &["--comments"], options: &["--split"], files: 1 },
    run,
};

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let mut input = Input::open(args.file(), args.number("--split")?, &mut io.input)?;
    let name = input.name().to_owned();
    let mut output = Output::new(&mut io.output);
    let mut decoder = FrameDecoder::new(&Limits::default());
    while let Some(chunk) = input.chunk()? {
        let mut at = 0;
        while let Some(signal) =
            decoder.next(chunk, &mut at).map_err(|error| Failure::Work(format!("{name}: {error}")))?
        {
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
            output.line(&Value::Object(object).to_string())?;
        }
        output.flush()?;
    }
    Ok(0)
}
