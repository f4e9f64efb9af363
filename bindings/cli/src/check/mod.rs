//! `deltafold check`: every rule that a stream, a request or a response breaks.
//!
//! Exit code 0: no errors, whatever else was found; 1: errors; 2: the call was wrong or a file cannot be opened.

mod explain;
mod judge;
mod junit;
mod machine;
mod sarif;
mod text;

use std::ffi::OsStr;
use std::io::{Read, Write};

use deltafold::validate::{Layers, Rule};
use deltafold::{Edition, Finding, Profile, Severity};

use crate::args::{did_you_mean, Args, Spec};
use crate::output::Output;
use crate::{print, Command, Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "check",
    summary: "find every rule that a stream breaks",
    help: "Usage: deltafold check [FILE…|-] [options]
       deltafold check --request FILE | --response FILE | --explain ID

  --profile P       what is forgiven: a built-in profile, a JSON file, or `auto` to pick the one that fits (default
                    open-responses, which forgives nothing)
  --edition E       2026-04-24, 2026-01-15, split, split-2026-01 or openai (default: that of the profile)
  --layers L        framing, schema, stream: which to look at, separated by commas (default all)
  --rule ID         look for this rule only; may be given again, or as a list separated by commas
  --format F        text, json, sarif or junit (default text)
  --color WHEN      auto, always or never (default auto; NO_COLOR is obeyed)
  --messages        each line of the input is a JSON message of a socket or log, not an event stream
  --for FILE        the request that the stream answers, as JSON: checks the rules about both
  --head FILE       status line and headers that the stream came with: checks the rules about them
  --quote           messages may quote short pieces of the payload (which may hold secrets)
  --request FILE    check a request body instead of a stream
  --response FILE   check a response body (or compaction, or error body) instead of a stream
  --explain ID      print a rule, why it matters and an example; `all` prints the page of all rules

Exit code: 0 no errors, 1 errors were found, 2 the call was wrong.

Example: deltafold check --profile openai examples/streams/tour.sse
",
    spec: Spec {
        flags: &["--messages", "--quote"],
        options: &[
            "--profile",
            "--edition",
            "--layers",
            "--rule",
            "--format",
            "--color",
            "--for",
            "--head",
            "--request",
            "--response",
            "--explain",
        ],
        files: usize::MAX,
    },
    run,
};

/// What was found in one file.
struct Report {
    /// The name to show people.
    file: String,
    /// How the stream ended; `None` for what is no stream.
    outcome: Option<&'static str>,
    events: u64,
    findings: Vec<Finding>,
    /// All findings of each severity, kept or not: notes, warnings, errors.
    counts: [u64; 3],
    /// The profile that was used, if it was chosen here.
    chosen: Option<String>,
}

impl Report {
    fn count(&self, severity: Severity) -> u64 {
        self.counts[severity as usize]
    }
}

/// How findings are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Json,
    Sarif,
    Junit,
}

/// What is checked, as the call asks for it.
struct Asked {
    profile: Choice,
    edition: Option<Edition>,
    layers: Layers,
    /// Empty: all rules.
    rules: Vec<Rule>,
    messages: bool,
    quote: bool,
    request: Option<String>,
    head: Option<String>,
}

enum Choice {
    Given(Profile),
    Auto,
}

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    if let Some(id) = args.text("--explain")? {
        return print(io, &explain::text(id)?).map(|()| 0);
    }
    let asked = Asked::from_args(args, &mut io.input)?;
    let format = format(args)?;
    let colour = colour(args, io)?;
    let mut reports = Vec::new();
    let bodies = [
        ("--request", judge::request as fn(&OsStr, &Asked, &mut (dyn Read + Send)) -> _),
        ("--response", judge::response as _),
    ];
    for (option, judge) in bodies {
        for file in args.values(option) {
            reports.push(judge(file, &asked, &mut io.input)?);
        }
    }
    if reports.is_empty() || !args.files().is_empty() {
        let files: Vec<&OsStr> = match args.files() {
            [] => vec![OsStr::new("-")],
            files => files.iter().map(|file| file.as_os_str()).collect(),
        };
        let mut progress = Progress::new(files.len(), io);
        for (index, file) in files.iter().enumerate() {
            progress.show(index, file, io);
            reports.push(judge::stream(file, &asked, &mut io.input)?);
        }
        progress.clear(io);
    }
    let mut output = Output::new(&mut io.output);
    match format {
        Format::Text => text::write(&reports, colour, &mut output)?,
        Format::Json => machine::write(&reports, &mut output)?,
        Format::Sarif => sarif::write(&reports, &mut output)?,
        Format::Junit => junit::write(&reports, &mut output)?,
    }
    output.flush()?;
    let errors = reports.iter().any(|report| report.count(Severity::Error) > 0);
    Ok(u8::from(errors))
}

impl Asked {
    fn from_args(args: &Args, stdin: &mut (dyn Read + Send)) -> Result<Self, Failure> {
        let edition = match args.text("--edition")? {
            Some(name) => Some(name.parse().map_err(|error| Failure::Usage(format!("--edition {name}: {error}")))?),
            None => None,
        };
        let mut rules = Vec::new();
        for list in args.texts("--rule")? {
            for id in list.split(',').map(str::trim) {
                rules.push(explain::rule(id)?);
            }
        }
        let mut read = |option: &str| args.value(option).map(|file| judge::read(file, &mut *stdin)).transpose();
        let (request, head) = (read("--for")?, read("--head")?);
        Ok(Self {
            profile: choice(args.text("--profile")?.unwrap_or("open-responses"), stdin)?,
            edition,
            layers: layers(args.text("--layers")?)?,
            rules,
            messages: args.has("--messages"),
            quote: args.has("--quote"),
            request,
            head,
        })
    }
}

/// A built-in profile, `auto`, or a file.
fn choice(name: &str, stdin: &mut (dyn Read + Send)) -> Result<Choice, Failure> {
    if name == "auto" {
        return Ok(Choice::Auto);
    }
    if let Ok(profile) = Profile::builtin(name) {
        return Ok(Choice::Given(profile));
    }
    if !std::path::Path::new(name).is_file() {
        let hint = did_you_mean(name, Profile::names());
        let names = Profile::names().collect::<Vec<_>>().join(", ");
        return Err(Failure::Usage(format!("no profile and no file `{name}`{hint}; profiles are {names} and auto")));
    }
    let text = judge::read(OsStr::new(name), stdin)?;
    let profile = Profile::from_json(&text).map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    Ok(Choice::Given(profile))
}

fn layers(list: Option<&str>) -> Result<Layers, Failure> {
    let Some(list) = list else { return Ok(Layers::ALL) };
    list.split(',').map(str::trim).try_fold(Layers::NONE, |layers, name| {
        Ok(layers
            | match name {
                "framing" => Layers::FRAMING,
                "schema" => Layers::SCHEMA,
                "stream" => Layers::STREAM,
                _ => return Err(Failure::Usage(format!("no layer `{name}`; layers are framing, schema and stream"))),
            })
    })
}

fn format(args: &Args) -> Result<Format, Failure> {
    Ok(match args.text("--format")?.unwrap_or("text") {
        "text" => Format::Text,
        "json" => Format::Json,
        "sarif" => Format::Sarif,
        "junit" => Format::Junit,
        other => return Err(Failure::Usage(format!("no format `{other}`; formats are text, json, sarif and junit"))),
    })
}

fn colour(args: &Args, io: &Io<'_>) -> Result<bool, Failure> {
    match args.text("--color")?.unwrap_or("auto") {
        "always" => Ok(true),
        "never" => Ok(false),
        "auto" => Ok(!io.no_color && io.output_is_terminal),
        other => Err(Failure::Usage(format!("--color is auto, always or never, found {other}"))),
    }
}

/// A line on stderr that tells how far many files have come; only for people.
struct Progress {
    files: usize,
    shown: bool,
}

impl Progress {
    fn new(files: usize, io: &Io<'_>) -> Self {
        Self { files, shown: files > 1 && io.errors_is_terminal }
    }

    fn show(&mut self, index: usize, file: &OsStr, io: &mut Io<'_>) {
        if !self.shown {
            return;
        }
        const WIDTH: usize = 24;
        let done = WIDTH * index / self.files.max(1);
        let bar: String = (0..WIDTH).map(|at| if at < done { '#' } else { '.' }).collect();
        let name: String = file.to_string_lossy().chars().take(40).collect();
        // If nobody can see it, nothing is lost.
        let _ = write!(io.errors, "\r\x1b[K[{bar}] {index}/{} {name}", self.files);
    }

    fn clear(&mut self, io: &mut Io<'_>) {
        if self.shown {
            let _ = write!(io.errors, "\r\x1b[K");
        }
    }
}
