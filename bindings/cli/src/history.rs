//! `deltafold history`: prints the request that continues a conversation.

use std::ffi::{OsStr, OsString};

use clap::ValueHint;
use deltafold::json::Value;
use deltafold::request::{CreateResponse, History, Policy};
use deltafold::{Limits, Reader};

use crate::args::{any_of, did_you_mean};
use crate::dialect_input::{read_capture, SourceFormat};
use crate::input::{read_bytes, read_text, shown, Stdin};
use crate::output::{print_error, Output};
use crate::{Failure, Io};

/// Print the request that continues from one or more responses
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Reads responses as JSON, or streams, in conversation order, and prints the next request as one line of JSON. stderr \
                   lists what was left out, each with a pointer into its response.",
    after_help = "\
Exit codes:
  0  success
  1  a response cannot be continued
  2  the arguments are invalid or a file cannot be opened

Examples:
  deltafold history --policy stateful examples/streams/tour.sse"
)]
pub(crate) struct HistoryArgs {
    /// Responses as JSON, or streams; `-` is stdin
    #[arg(value_name = "RESPONSE", default_value = "-", value_hint = ValueHint::FilePath)]
    files: Vec<OsString>,
    /// What the next request repeats, and how: a built-in policy or a JSON file
    #[arg(
        long,
        value_name = "POLICY",
        default_value = "stateless",
        value_parser = any_of(|| Policy::names().collect()),
        value_hint = ValueHint::FilePath
    )]
    policy: String,
    /// The first request, as JSON: the next one starts with its fields and its input
    #[arg(long = "for", value_name = "FILE", value_hint = ValueHint::FilePath)]
    first_request: Option<OsString>,
    /// An item of the next turn, or a list of items; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    item: Vec<OsString>,
    /// Print indented JSON
    #[arg(long)]
    pretty: bool,
    /// Print the built-in policies and the reason for each
    #[arg(long)]
    policies: bool,
}

pub(crate) fn run(args: &HistoryArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    if args.policies {
        let lines = Policy::names().map(|name| format!("{name}: {}\n", Policy::reason(name)));
        return crate::print(io, &lines.collect::<String>()).map(|()| 0);
    }
    let stdin = Stdin::new(&mut io.input);
    let policy = policy(&args.policy, &stdin)?;
    let request = match &args.first_request {
        Some(file) => CreateResponse::from_json(&read_text(file, &stdin)?).map_err(|error| wrong(file, &error))?,
        None => CreateResponse::new(),
    };
    let mut history = History::new(policy, &request);
    for file in &args.files {
        let response = response(file, &stdin)?;
        history.add_response(&response).map_err(|error| Failure::Work(format!("{}: {error}", shown(file))))?;
    }
    for file in &args.item {
        let text = read_text(file, &stdin)?;
        match Value::parse(&text, Limits::default().depth).map_err(|error| wrong(file, &error.into()))? {
            Value::Array(items) => items.into_iter().for_each(|item| history.add_item(item)),
            item => history.add_item(item),
        }
    }
    let next = history.request();
    let text = if args.pretty { Value::from(next).to_pretty() } else { next.to_json() };
    let mut output = Output::new(&mut io.output, io.output_is_terminal);
    output.line(&text)?;
    output.flush()?;
    drop(output);
    for finding in history.findings() {
        let (code, sentence) = (finding.code.name(), finding.code.sentence());
        print_error(io, &format!("response {} {}: {code}: {sentence}", finding.response, finding.path));
    }
    Ok(0)
}

/// A built-in policy, or a file.
fn policy(name: &str, stdin: &Stdin<'_>) -> Result<Policy, Failure> {
    if let Ok(policy) = Policy::builtin(name) {
        return Ok(policy);
    }
    if !std::path::Path::new(name).is_file() {
        let hint = did_you_mean(name, Policy::names());
        let names = Policy::names().collect::<Vec<_>>().join(", ");
        return Err(Failure::Usage(format!("no policy and no file `{name}`{hint}; known policies: {names}")));
    }
    let file = OsStr::new(name);
    Policy::from_json(&read_text(file, stdin)?).map_err(|error| wrong(file, &error))
}

/// Reads a response as JSON, or folds a stream.
fn response(file: &OsStr, stdin: &Stdin<'_>) -> Result<Value, Failure> {
    let bytes = read_bytes(file, stdin)?;
    let whole = std::str::from_utf8(&bytes).ok().and_then(|text| Value::parse(text, Limits::default().depth).ok());
    if let Some(response) = whole {
        return Ok(response);
    }
    let failure = |error: deltafold::Error| Failure::Work(format!("{}: {error}", shown(file)));
    let mut reader = Reader::new();
    read_capture(&bytes, SourceFormat::AUTO, &mut reader).map_err(failure)?;
    reader.finish().map_err(failure)?;
    Ok(reader.response().to_value())
}

fn wrong(file: &OsStr, error: &deltafold::Error) -> Failure {
    Failure::Usage(format!("{}: {error}", shown(file)))
}
