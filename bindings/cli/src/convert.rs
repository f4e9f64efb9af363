//! `deltafold convert`: one dialect's stream as another's.

use std::ffi::OsStr;
use std::time::{SystemTime, UNIX_EPOCH};

use deltafold::adapter::{detect, AdapterFinding, Converter, Dialect, Fidelity, Framing};
use deltafold::json::{Object, Value};
use deltafold::{Error, Limits};

use crate::args::{did_you_mean, Args, Spec};
use crate::input::Input;
use crate::output::{complain, Output};
use crate::{Command, Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "convert",
    summary: "turn a stream of one dialect into another",
    help: "Usage: deltafold convert --from DIALECT --to DIALECT [FILE|-] [options]

  --from DIALECT     what the input speaks, or auto to find out from its first message
  --to DIALECT       what to write
  --options JSON     one JSON object with the adapters' options for both sides, such as {\"model\":\"m-1\"}
  --framing LAYOUT   sse (the default) or jsonl: one JSON object a line
  --report FILE      write what was lost, repaired or assumed as a JSON array
  --strict-loss      exit with 1 if anything was lost
  --split N          feed N bytes at a time (the answer is the same)

Read:    open-responses anthropic chat-completions gemini blocks thread-events ollama mistral cohere bedrock
Written: open-responses anthropic chat-completions ag-ui ui-message-stream

Without the option now, times are those of the clock; an id that neither input nor options have is made from it. Output is
sent as soon as it is whole, so the command can stand in a pipe.

Example: deltafold convert --from auto --to ag-ui examples/streams/tour.sse
",
    spec: Spec {
        flags: &["--strict-loss"],
        options: &["--from", "--to", "--options", "--framing", "--report", "--split"],
        files: 1,
    },
    run,
};

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let from = match args.text("--from")? {
        None => return Err(Failure::Usage("--from is needed: a dialect, or auto".into())),
        Some("auto") => None,
        Some(name) => Some(dialect(name)?),
    };
    let to = args.text("--to")?.ok_or_else(|| Failure::Usage("--to is needed: a dialect".into()))?;
    let to = dialect(to)?;
    let framing = match args.text("--framing")? {
        None | Some("sse") => Framing::Native,
        Some("jsonl") => Framing::JsonLines,
        Some(other) => return Err(Failure::Usage(format!("--framing is sse or jsonl, found {other}"))),
    };
    let options = options(args.text("--options")?, to)?;
    let mut input = Input::open(args.file(), args.number("--split")?, &mut io.input)?;
    let mut output = Output::new(&mut io.output);

    let mut start = Vec::new();
    let from = match from {
        Some(from) => from,
        None => recognise(&mut input, &mut start)?,
    };
    let options = Value::Object(with_id(options, from));
    let mut converter =
        Converter::with(Some(from), to, &options, framing, Limits::default()).map_err(|error| usage(&error))?;
    let result = convert(&mut converter, &start, &mut input, &mut output);
    if let Some(file) = args.value("--report") {
        report(&converter, file)?;
    }
    result?;
    if args.has("--strict-loss") && converter.lost() > 0 {
        let first = converter.findings().find(|finding| finding.code.kind() == Fidelity::Lost);
        let first = first.map_or_else(String::new, |finding| format!(", the first: {finding}"));
        let message = format!("{} of what {} said could not be carried{first}", converter.lost(), input.name());
        drop((input, output));
        complain(io, &message);
        return Ok(1);
    }
    Ok(0)
}

fn convert(
    converter: &mut Converter,
    start: &[u8],
    input: &mut Input<'_>,
    output: &mut Output<'_>,
) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    let name = input.name().to_owned();
    let mut send = |converter: &mut Converter, result: Result<(), Error>| {
        bytes.clear();
        converter.write_into(&mut bytes);
        output.bytes(&bytes)?;
        output.flush()?;
        // What came before an error is good, so it goes out first.
        result.map_err(|error| Failure::Work(format!("{name}: {error}")))
    };
    let result = converter.feed(start);
    send(converter, result)?;
    while let Some(chunk) = input.chunk()? {
        let result = converter.feed(chunk);
        send(converter, result)?;
    }
    let result = converter.finish();
    send(converter, result)
}

/// Reads until the dialect shows. What was read is kept for the converter.
fn recognise(input: &mut Input<'_>, start: &mut Vec<u8>) -> Result<Dialect, Failure> {
    let mut looked = 0;
    while let Some(chunk) = input.chunk()? {
        start.extend_from_slice(chunk);
        // Looking at the whole again pays only when there is a good deal more of it.
        if start.len() < 4096 || start.len() >= looked * 2 {
            looked = start.len();
            if let Some(dialect) = detect(start) {
                return Ok(dialect);
            }
        }
    }
    let whole = [start.as_slice(), b"\n\n"].concat();
    detect(&whole).ok_or_else(|| Failure::Work(format!("{} speaks no dialect that is known here", input.name())))
}

fn dialect(name: &str) -> Result<Dialect, Failure> {
    Dialect::from_name(name).map_err(|_| {
        let hint = did_you_mean(name, Dialect::ALL.iter().map(|dialect| dialect.name()));
        Failure::Usage(format!("no dialect is called {name}{hint}; `deltafold convert --help` lists them"))
    })
}

/// The options as given, with the clock's time where they have none, and a thread for the target that needs one.
fn options(text: Option<&str>, to: Dialect) -> Result<Object, Failure> {
    let parsed = Value::parse(text.unwrap_or("{}"), Limits::default().depth);
    let Ok(Value::Object(mut options)) = parsed else {
        return Err(Failure::Usage("--options is not a JSON object".into()));
    };
    if !options.contains_key("now") {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        options.push("now", now);
    }
    if to == Dialect::AgUi && !options.contains_key("thread_id") {
        let id = format!("thread_{}", now(&options));
        options.push("thread_id", id);
    }
    Ok(options)
}

/// The options with a response id, if the source has none on the wire.
fn with_id(mut options: Object, from: Dialect) -> Object {
    let needed = matches!(from, Dialect::Blocks | Dialect::Ollama | Dialect::Bedrock);
    if needed && !options.contains_key("response_id") {
        let id = format!("resp_{}", now(&options));
        options.push("response_id", id);
    }
    options
}

fn now(options: &Object) -> i64 {
    options.get("now").and_then(Value::as_i64).unwrap_or(0)
}

fn report(converter: &Converter, file: &OsStr) -> Result<(), Failure> {
    let findings: Vec<Value> = converter.findings().map(AdapterFinding::to_value).collect();
    let text = Value::Array(findings).to_pretty() + "\n";
    let name = file.to_string_lossy();
    std::fs::write(file, text).map_err(|error| Failure::Work(format!("cannot write {name}: {error}")))
}

fn usage(error: &Error) -> Failure {
    Failure::Usage(error.to_string())
}
