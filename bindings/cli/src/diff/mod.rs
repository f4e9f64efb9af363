//! `deltafold diff`: compares the content of two streams or responses.

mod compare;

use std::ffi::{OsStr, OsString};

use clap::ValueHint;
use deltafold::json::{Object, Value};
use deltafold::{Limits, Reader};

use compare::{compare, Difference};

use crate::args::{ColorArg, SourceArgs, TextOrJson};
use crate::color::{Color, ADDED, REMOVED, TITLE};
use crate::dialect_input::{read_capture, SourceFormat};
use crate::input::{read_bytes, shown, Stdin};
use crate::output::Output;
use crate::styled_line::StyledLine;
use crate::{Failure, Io};

/// Compare the content of two streams or responses
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Each of A and B is a capture of any dialect, or a response as JSON. The command compares items, texts, arguments (as \
                   JSON, not as text), status, model, error and usage. It ignores ids, times and the content of signatures, which \
                   differ between any two runs.",
    after_help = "\
Exit codes:
  0  the content is the same
  1  the content differs
  2  the arguments are invalid or a file cannot be read

Examples:
  deltafold diff examples/streams/tour.sse examples/streams/tour.json"
)]
pub(crate) struct DiffArgs {
    /// The first capture or response
    #[arg(value_name = "A", value_hint = ValueHint::FilePath)]
    one: OsString,
    /// The second capture or response
    #[arg(value_name = "B", value_hint = ValueHint::FilePath)]
    other: OsString,
    #[command(flatten)]
    source: SourceArgs,
    /// How differences are printed
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = TextOrJson::Text)]
    format: TextOrJson,
    /// Also compare what the response repeats of the request: tools, instructions, settings
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    color: ColorArg,
}

/// The members of a response that are compared.
const MEMBERS: &[&str] = &["status", "model", "error", "incomplete_details", "output", "usage"];

pub(crate) fn run(args: &DiffArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    let color = Color::from_args(args.color, io);
    let format = SourceFormat::from_args(args.source)?;
    let stdin = Stdin::new(&mut io.input);
    let (one, other) = (load(&args.one, format, &stdin, args.all)?, load(&args.other, format, &stdin, args.all)?);
    let differences = compare(&one, &other);
    let mut output = Output::new(&mut io.output, io.output_is_terminal);
    if args.format == TextOrJson::Json {
        let mut whole = Object::new();
        whole.push("same", differences.is_empty());
        whole.push("differences", differences.iter().map(Difference::to_value).collect::<Vec<Value>>());
        output.line(&whole.to_string())?;
    } else {
        print_text(&differences, color, &mut output)?;
    }
    output.flush()?;
    Ok(u8::from(!differences.is_empty()))
}

/// Reads a response as JSON, or folds a capture.
fn load(file: &OsStr, format: SourceFormat, stdin: &Stdin<'_>, all: bool) -> Result<Value, Failure> {
    let name = shown(file);
    let bytes = read_bytes(file, stdin)?;
    let whole =
        std::str::from_utf8(&bytes).ok().and_then(|text| Value::parse(text.trim(), Limits::default().depth).ok());
    let body = whole.filter(|value| value.get("output").is_some_and(|output| output.as_array().is_some()));
    let response = match body {
        Some(body) => body,
        None => {
            let failure = |error: deltafold::Error| Failure::Usage(format!("{name}: {error}"));
            let mut reader = Reader::new();
            read_capture(&bytes, format, &mut reader).map_err(failure)?;
            reader.finish().map_err(failure)?;
            if reader.event_count() == 0 {
                return Err(Failure::Usage(format!("{name} is neither a stream nor a response as JSON")));
            }
            reader.response().to_value()
        }
    };
    let Value::Object(members) = response else { return Ok(Value::Null) };
    Ok(Value::Object(members.into_iter().filter(|(key, _)| all || MEMBERS.contains(&key.as_str())).collect()))
}

fn print_text(differences: &[Difference], color: Color, output: &mut Output<'_>) -> Result<(), Failure> {
    for difference in differences {
        output.styled(&StyledLine::new(TITLE, difference.location()), color)?;
        let (one, other) = difference.excerpts();
        if let Some(one) = one {
            output.styled(&StyledLine::new(REMOVED, format!("- {one}")).indented(2), color)?;
        }
        if let Some(other) = other {
            output.styled(&StyledLine::new(ADDED, format!("+ {other}")).indented(2), color)?;
        }
    }
    output.line(&match differences.len() {
        0 => "the same".to_owned(),
        1 => "1 difference".to_owned(),
        count => format!("{count} differences"),
    })
}
