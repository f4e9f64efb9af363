//! `deltafold convert`: converts a stream from one dialect to another.

use std::ffi::{OsStr, OsString};

use clap::ValueHint;
use deltafold::adapter::{
    detect, option_table, AdapterFinding, Converter, ConverterOptions, Dialect, Direction, Fidelity, Framing,
    OptionType,
};
use deltafold::json::{Object, Value};
use deltafold::{Error, Limits};

use crate::args::{source_dialect, target_dialect, SourceDialect, SplitArg, StreamFormat};
use crate::clock::{self, CLOCK};
use crate::input::{Input, Stdin};
use crate::output::{print_error, Output};
use crate::{Failure, Io};

/// Convert a stream from one dialect to another
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Without the option `now`, times are those of the clock; an id that neither the input nor the options provide is made \
                   from it. Output is sent as soon as it is complete, so the command can be part of a pipe. Several files are \
                   converted one after the other.",
    after_help = after_help()
)]
pub(crate) struct ConvertArgs {
    /// Files to convert; `-` is stdin
    #[arg(value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    files: Vec<OsString>,
    /// Dialect of the input; auto detects it from the first message
    #[arg(long, value_name = "DIALECT", default_value = "auto", value_parser = source_dialect())]
    from: SourceDialect,
    /// Dialect of the output
    #[arg(long, value_name = "DIALECT", value_parser = target_dialect())]
    to: Dialect,
    /// Native framing of the dialect (sse), or one JSON object per line (jsonl)
    #[arg(long, visible_alias = "framing", value_name = "FORMAT", value_enum, default_value_t = StreamFormat::Sse)]
    format: StreamFormat,
    /// Options of the adapters on both sides, as one JSON object, such as {"model":"m-1"}
    #[arg(long, value_name = "JSON")]
    options: Option<String>,
    /// Write what was lost, repaired or assumed to FILE, as a JSON array
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    report: Option<OsString>,
    /// Exit with 1 if anything was lost
    #[arg(long)]
    strict_loss: bool,
    #[command(flatten)]
    split: SplitArg,
}

/// The options of the adapters, from the core's table; exit codes and examples.
fn after_help() -> String {
    let mut text = String::from("Adapter options, members of the object that --options takes:\n");
    for option in option_table() {
        let dialects = option.dialects.iter().map(|dialect| dialect.name()).collect::<Vec<_>>().join(", ");
        let direction = match option.direction {
            Direction::Read => "reading",
            Direction::Write => "writing",
        };
        text.push_str(&format!(
            "  {}: {} [default: {}] [{direction} {dialects}]\n      {}\n",
            option.name,
            option.value.name(),
            option.default,
            option.meaning
        ));
        if let OptionType::Words(words) = option.value {
            words.iter().for_each(|(word, effect)| text.push_str(&format!("      {word}: {effect}\n")));
        }
    }
    text.push_str(EXITS_AND_EXAMPLES);
    text
}

const EXITS_AND_EXAMPLES: &str = "
Exit codes:
  0  success
  1  reading failed, a limit was exceeded, the dialect was not recognized, or a loss with --strict-loss
  2  the arguments are invalid or a file cannot be opened

Examples:
  deltafold convert --to ag-ui examples/streams/tour.sse
  deltafold convert --from ollama --to open-responses examples/streams/dialects/ollama.jsonl";

pub(crate) fn run(args: &ConvertArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    let framing = match args.format {
        StreamFormat::Sse => Framing::Native,
        StreamFormat::Jsonl => Framing::JsonLines,
    };
    let options = options(args.options.as_deref(), args.to)?;
    let stdin = Stdin::new(&mut io.input);
    let mut output = Output::new(&mut io.output, io.output_is_terminal);
    let (mut findings, mut messages, mut lost) = (Vec::new(), Vec::new(), 0);
    for file in &args.files {
        let mut input = Input::open(file, args.split.split, &stdin)?;
        let mut start = Vec::new();
        let from = match args.from {
            SourceDialect::Named(from) => from,
            SourceDialect::Auto => recognize(&mut input, &mut start)?,
        };
        let options = with_id(options.clone(), from);
        let options = converter_options(options).map_err(|error| usage(&error))?.framing(framing);
        let mut converter = Converter::with_options(Some(from), args.to, options).map_err(|error| usage(&error))?;
        let result = convert(&mut converter, &start, &mut input, &mut output);
        findings.extend(converter.findings().map(AdapterFinding::to_value));
        if let Some(file) = &args.report {
            report(&findings, file)?;
        }
        result?;
        lost += converter.lost();
        if converter.lost() > 0 {
            let first = converter.findings().find(|finding| finding.code.fidelity() == Fidelity::Lost);
            let first = first.map_or_else(String::new, |finding| format!(", the first: {finding}"));
            let values = if converter.lost() == 1 { "value" } else { "values" };
            messages.push(format!("{}: {} {values} could not be converted{first}", input.name(), converter.lost()));
        }
    }
    drop(output);
    if args.strict_loss && lost > 0 {
        messages.iter().for_each(|message| print_error(io, message));
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
        // The output before an error is valid, so it is sent first.
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

/// Reads until the dialect is detected. `start` receives the bytes that were read, for the converter.
fn recognize(input: &mut Input<'_>, start: &mut Vec<u8>) -> Result<Dialect, Failure> {
    let mut searched = 0;
    while let Some(chunk) = input.chunk()? {
        start.extend_from_slice(chunk);
        // Searching again only after the input has doubled keeps the time linear.
        if start.len() < 4096 || start.len() >= searched * 2 {
            searched = start.len();
            if let Some(dialect) = detect(start) {
                return Ok(dialect);
            }
        }
    }
    let whole = [start.as_slice(), b"\n\n"].concat();
    detect(&whole)
        .ok_or_else(|| Failure::Work(format!("{}: the dialect was not recognized; name it with --from", input.name())))
}

/// Parses `--options`; adds a thread id for AG-UI, unless it is given.
fn options(text: Option<&str>, to: Dialect) -> Result<Object, Failure> {
    let parsed = Value::parse(text.unwrap_or("{}"), Limits::default().depth);
    let Ok(Value::Object(mut options)) = parsed else {
        return Err(Failure::Usage("--options is not a JSON object".into()));
    };
    if to == Dialect::AgUi && !options.contains_key("thread_id") {
        let id = format!("thread_{}", now(&options));
        options.push("thread_id", id);
    }
    Ok(options)
}

/// The options of a conversion, with the clock unless they have a time.
pub(crate) fn converter_options(options: Object) -> Result<ConverterOptions, Error> {
    let is_timed = options.contains_key("now");
    let options = ConverterOptions::from_value(&Value::Object(options))?;
    Ok(if is_timed { options } else { options.clock(CLOCK) })
}

/// Adds a response id for a source that has none on the wire, unless the options have one.
pub(crate) fn with_id(mut options: Object, from: Dialect) -> Object {
    let needed = matches!(from, Dialect::Blocks | Dialect::Ollama | Dialect::Bedrock);
    if needed && !options.contains_key("response_id") {
        let id = format!("resp_{}", now(&options));
        options.push("response_id", id);
    }
    options
}

/// The time in the options, else that of the clock.
fn now(options: &Object) -> u64 {
    options.get("now").and_then(Value::as_u64).unwrap_or_else(clock::now)
}

fn report(findings: &[Value], file: &OsStr) -> Result<(), Failure> {
    let text = Value::Array(findings.to_vec()).to_pretty() + "\n";
    let name = file.to_string_lossy();
    std::fs::write(file, text).map_err(|error| Failure::Work(format!("cannot write {name}: {error}")))
}

fn usage(error: &Error) -> Failure {
    Failure::Usage(error.to_string())
}
