//! `deltafold history`: answers → the next request.

use std::ffi::OsStr;

use deltafold::json::Value;
use deltafold::request::{CreateResponse, History, Policy};
use deltafold::{Limits, Reader};

use crate::args::{did_you_mean, Args};
use crate::input::{read_bytes, read_text, shown, Stdin};
use crate::output::{complain, Output};
use crate::table::{Command, Files, Opt, Words};
use crate::{Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "history",
    summary: "print the request that continues from one or more responses",
    usage: &["RESPONSE… [options]"],
    about: "Takes responses as JSON, or streams, in the order in which they came, and prints the next request as one line of \
            JSON. What is left out is told on stderr, with a pointer into the response.",
    options: &[
        Opt::with(
            "--policy",
            "P",
            Words::Free,
            "what goes back, and how: stateless (default), stateful, openai, …, or a JSON file",
        ),
        Opt::with("--for", "FILE", Words::File, "the first request, as JSON: its fields and its input begin the next one"),
        Opt::with("--item", "FILE", Words::File, "an item of the next turn, or a list of them; may be given again"),
        Opt::flag("--pretty", "indented JSON"),
        Opt::flag("--policies", "print the policies that there are, and why each is as it is"),
    ],
    files: Files::Any,
    exits: &[("0", "success"), ("1", "a response cannot be continued from"), ("2", "the call was wrong or a file cannot be opened")],
    examples: &["deltafold history --policy stateful examples/streams/tour.sse"],
    run,
};

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    if args.has("--policies") {
        let lines = Policy::names().map(|name| format!("{name}: {}\n", Policy::reason(name)));
        return crate::print(io, &lines.collect::<String>()).map(|()| 0);
    }
    let stdin = Stdin::new(&mut io.input);
    let policy = policy(args.text("--policy")?.unwrap_or("stateless"), &stdin)?;
    let request = match args.value("--for") {
        Some(file) => CreateResponse::from_json(&read_text(file, &stdin)?).map_err(|error| wrong(file, &error))?,
        None => CreateResponse::new(),
    };
    let mut history = History::new(policy, &request);
    for file in args.files() {
        let response = response(file, &stdin)?;
        history.add_response(&response).map_err(|error| Failure::Work(format!("{}: {error}", shown(file))))?;
    }
    for file in args.values("--item") {
        let text = read_text(file, &stdin)?;
        match Value::parse(&text, Limits::default().depth).map_err(|error| wrong(file, &error.into()))? {
            Value::Array(items) => items.into_iter().for_each(|item| history.add_item(item)),
            item => history.add_item(item),
        }
    }
    let next = history.request();
    let text = if args.has("--pretty") { Value::from(next).to_pretty() } else { next.to_json() };
    let mut output = Output::new(&mut io.output);
    output.line(&text)?;
    output.flush()?;
    drop(output);
    for finding in history.findings() {
        let (code, says) = (finding.code.name(), finding.code.sentence());
        complain(io, &format!("response {} {}: {code}: {says}", finding.response, finding.path));
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
        return Err(Failure::Usage(format!("no policy and no file `{name}`{hint}; policies are {names}")));
    }
    let file = OsStr::new(name);
    Policy::from_json(&read_text(file, stdin)?).map_err(|error| wrong(file, &error))
}

/// A response: as it is, or as a stream adds up to it.
fn response(file: &OsStr, stdin: &Stdin<'_>) -> Result<Value, Failure> {
    let bytes = read_bytes(file, stdin)?;
    let whole = std::str::from_utf8(&bytes).ok().and_then(|text| Value::parse(text, Limits::default().depth).ok());
    if let Some(response) = whole {
        return Ok(response);
    }
    let failure = |error: deltafold::Error| Failure::Work(format!("{}: {error}", shown(file)));
    let mut reader = Reader::new();
    for chunk in bytes.chunks(1 << 16) {
        reader.feed(chunk).map_err(failure)?;
        while reader.poll_event().map_err(failure)?.is_some() {}
    }
    reader.end();
    while reader.poll_event().map_err(failure)?.is_some() {}
    reader.finish();
    Ok(reader.response().to_value())
}

fn wrong(file: &OsStr, error: &deltafold::Error) -> Failure {
    Failure::Usage(format!("{}: {error}", shown(file)))
}
