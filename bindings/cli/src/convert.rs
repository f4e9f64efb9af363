//! `deltafold convert`: one dialect's stream as another's.

use std::ffi::OsStr;
use std::time::{SystemTime, UNIX_EPOCH};

use deltafold::adapter::{detect, AdapterFinding, Converter, Dialect, Fidelity, Framing};
use deltafold::json::{Object, Value};
use deltafold::{Error, Limits};

use crate::args::Args;
use crate::input::{Input, Stdin};
use crate::intake::dialect;
use crate::output::{complain, Output};
use crate::table::{Command, Files, Opt, Words, SPLIT};
use crate::{Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "convert",
    summary: "turn a stream of one dialect into another",
    usage: &["--to DIALECT [FILE…|-] [options]"],
    about: "Read: open-responses anthropic chat-completions gemini blocks thread-events ollama mistral cohere bedrock.

Written: open-responses anthropic chat-completions ag-ui ui-message-stream.

Without the option now, times are those of the clock; an id that neither input nor options have is made from it. Output is \
sent as soon as it is whole, so the command can stand in a pipe. Several files are converted one after the other.",
    options: &[
        Opt::with(
            "--from",
            "DIALECT",
            Words::ReadDialects,
            "what the input speaks (default auto: found out from its first message)",
        ),
        Opt::with("--to", "DIALECT", Words::WrittenDialects, "what to write"),
        Opt::with("--format", "F", Words::List(&["sse", "jsonl"]), "sse (the default) or jsonl: one JSON object a line"),
        Opt::with("--framing", "F", Words::List(&["sse", "jsonl"]), "the same as --format"),
        Opt::with(
            "--options",
            "JSON",
            Words::Free,
            "one JSON object with the adapters' options for both sides, such as {\"model\":\"m-1\"}",
        ),
        Opt::with("--report", "FILE", Words::File, "write what was lost, repaired or assumed as a JSON array"),
        Opt::flag("--strict-loss", "exit with 1 if anything was lost"),
        SPLIT,
    ],
    files: Files::Any,
    exits: &[
        ("0", "done"),
        ("1", "reading failed, a limit was passed, the dialect was not recognised, or a loss with --strict-loss"),
        ("2", "the call was wrong or a file cannot be opened"),
    ],
    examples: &[
        "deltafold convert --to ag-ui examples/streams/tour.sse",
        "deltafold convert --from ollama --to open-responses examples/streams/dialects/ollama.jsonl",
    ],
    run,
};

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let from = match args.text("--from")? {
        None | Some("auto") => None,
        Some(name) => Some(dialect(name)?),
    };
    let to = args.text("--to")?.ok_or_else(|| Failure::Usage("--to is needed: a dialect".into()))?;
    let to = dialect(to)?;
    let option = if args.value("--framing").is_some() { "--framing" } else { "--format" };
    let framing = match args.choice(option, &["sse", "jsonl"])? {
        "jsonl" => Framing::JsonLines,
        _ => Framing::Native,
    };
    let options = options(args.text("--options")?, to)?;
    let split = args.number("--split")?;
    let stdin = Stdin::new(&mut io.input);
    let mut output = Output::new(&mut io.output);
    let (mut findings, mut messages, mut lost) = (Vec::new(), Vec::new(), 0);
    for file in args.files() {
        let mut input = Input::open(file, split, &stdin)?;
        let mut start = Vec::new();
        let from = match from {
            Some(from) => from,
            None => recognise(&mut input, &mut start)?,
        };
        let options = Value::Object(with_id(options.clone(), from));
        let mut converter =
            Converter::with(Some(from), to, &options, framing, Limits::default()).map_err(|error| usage(&error))?;
        let result = convert(&mut converter, &start, &mut input, &mut output);
        findings.extend(converter.findings().map(AdapterFinding::to_value));
        if let Some(file) = args.value("--report") {
            report(&findings, file)?;
        }
        result?;
        lost += converter.lost();
        if converter.lost() > 0 {
            let first = converter.findings().find(|finding| finding.code.kind() == Fidelity::Lost);
            let first = first.map_or_else(String::new, |finding| format!(", the first: {finding}"));
            messages.push(format!("{} of what {} said could not be carried{first}", converter.lost(), input.name()));
        }
    }
    drop(output);
    if args.has("--strict-loss") && lost > 0 {
        messages.iter().for_each(|message| complain(io, message));
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

/// The options as given, with the clock's time where they have none, and a thread for the target that needs one.
fn options(text: Option<&str>, to: Dialect) -> Result<Object, Failure> {
    let parsed = Value::parse(text.unwrap_or("{}"), Limits::default().depth);
    let Ok(Value::Object(mut options)) = parsed else {
        return Err(Failure::Usage("--options is not a JSON object".into()));
    };
    options = with_time(options);
    if to == Dialect::AgUi && !options.contains_key("thread_id") {
        let id = format!("thread_{}", now(&options));
        options.push("thread_id", id);
    }
    Ok(options)
}

/// The options with the clock's time, if they have none.
pub(crate) fn with_time(mut options: Object) -> Object {
    if !options.contains_key("now") {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        options.push("now", now);
    }
    options
}

/// The options with a response id, if the source has none on the wire.
pub(crate) fn with_id(mut options: Object, from: Dialect) -> Object {
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

fn report(findings: &[Value], file: &OsStr) -> Result<(), Failure> {
    let text = Value::Array(findings.to_vec()).to_pretty() + "\n";
    let name = file.to_string_lossy();
    std::fs::write(file, text).map_err(|error| Failure::Work(format!("cannot write {name}: {error}")))
}

fn usage(error: &Error) -> Failure {
    Failure::Usage(error.to_string())
}
