//! `deltafold diff`: do two streams say the same?

mod compare;

use std::ffi::OsStr;

use deltafold::json::{Object, Value};
use deltafold::{Limits, Reader};

use compare::{compare, Difference};

use crate::args::Args;
use crate::input::{read_bytes, shown, Stdin};
use crate::intake::{Asked, Intake};
use crate::output::Output;
use crate::paint::{printable, Paint};
use crate::table::{Command, Files, Opt, Words, COLOR, FROM, MESSAGES};
use crate::{Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "diff",
    summary: "compare what two streams or responses say",
    usage: &["A B [options]"],
    about: "Each of A and B is a capture of any dialect, or a response as JSON. Compared are items, texts, arguments (as JSON, \
            not as text), status, model, error and usage. Ids, times and the content of signatures are left aside: they differ \
            in any two runs.",
    options: &[
        FROM,
        Opt::with("--format", "F", Words::List(&["text", "json"]), "text (default) or json"),
        Opt::flag("--all", "compare what the response repeats of the request too: tools, instructions, settings"),
        MESSAGES,
        COLOR,
    ],
    files: Files::Exactly(2),
    exits: &[("0", "they say the same"), ("1", "they differ"), ("2", "the call was wrong or a file cannot be read")],
    examples: &["deltafold diff examples/streams/tour.sse examples/streams/tour.json"],
    run,
};

/// What is compared of a response, beside its output.
const MEMBERS: &[&str] = &["status", "model", "error", "incomplete_details", "output", "usage"];

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let json = args.choice("--format", &["text", "json"])? == "json";
    let paint = Paint::from_args(args, io)?;
    let asked = Asked::from_args(args)?;
    let stdin = Stdin::new(&mut io.input);
    let [a, b] = args.named() else { return Err(Failure::Usage("name two files".into())) };
    let all = args.has("--all");
    let (one, other) = (load(a, asked, &stdin, all)?, load(b, asked, &stdin, all)?);
    let differences = compare(&one, &other);
    let mut output = Output::new(&mut io.output);
    if json {
        let mut whole = Object::new();
        whole.push("same", differences.is_empty());
        whole.push("differences", differences.iter().map(Difference::to_value).collect::<Vec<Value>>());
        output.line(&whole.to_string())?;
    } else {
        text(&differences, paint, &mut output)?;
    }
    output.flush()?;
    Ok(u8::from(!differences.is_empty()))
}

/// The response of a capture, or the one that a JSON file is.
fn load(file: &OsStr, asked: Asked, stdin: &Stdin<'_>, all: bool) -> Result<Value, Failure> {
    let name = shown(file);
    let bytes = read_bytes(file, stdin)?;
    let whole =
        std::str::from_utf8(&bytes).ok().and_then(|text| Value::parse(text.trim(), Limits::default().depth).ok());
    let body = whole.filter(|value| value.get("output").is_some_and(|output| output.as_array().is_some()));
    let response = match body {
        Some(body) => body,
        None => {
            let failure = |error: deltafold::Error| Failure::Usage(format!("{name}: {error}"));
            let mut intake = Intake::new(asked)?;
            let mut reader = Reader::new();
            for chunk in bytes.chunks(64 << 10) {
                intake.push(chunk, &mut reader).map_err(failure)?;
                while reader.poll_event().map_err(failure)?.is_some() {}
            }
            intake.end(&mut reader).map_err(failure)?;
            reader.finish();
            if reader.event_count() == 0 {
                return Err(Failure::Usage(format!("{name} is neither a stream nor a response as JSON")));
            }
            reader.response().to_value()
        }
    };
    let Value::Object(members) = response else { return Ok(Value::Null) };
    Ok(Value::Object(members.into_iter().filter(|(key, _)| all || MEMBERS.contains(&key.as_str())).collect()))
}

fn text(differences: &[Difference], paint: Paint, output: &mut Output<'_>) -> Result<(), Failure> {
    for difference in differences {
        output.line(&paint.bold(&printable(&difference.place())))?;
        let (one, other) = difference.shown();
        if let Some(one) = one {
            output.line(&paint.red(&format!("  - {}", printable(&one))))?;
        }
        if let Some(other) = other {
            output.line(&paint.green(&format!("  + {}", printable(&other))))?;
        }
    }
    output.line(&match differences.len() {
        0 => "the same".to_owned(),
        1 => "1 difference".to_owned(),
        count => format!("{count} differences"),
    })
}
