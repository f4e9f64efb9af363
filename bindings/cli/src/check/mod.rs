//! `deltafold check`: every rule that a stream, a request or a response breaks.
//!
//! Exit code 0: no errors, whatever else was found; 1: errors; 2: the call was wrong or a file cannot be opened.

mod explain;
mod judge;
mod junit;
mod machine;
mod sarif;
mod text;

pub(crate) use machine::finding;

use std::ffi::OsStr;

use deltafold::validate::{ExtensionSchemas, Layers, Rule};
use deltafold::{Edition, Finding, Profile, Severity};

use crate::args::{did_you_mean, Args};
use crate::input::{read_text, shown, Stdin};
use crate::output::{complain, Output};
use crate::paint::Paint;
use crate::progress::Progress;
use crate::table::{Command, Files, Opt, Words, COLOR, FROM, JOBS, MESSAGES, PROGRESS};
use crate::{intake, many, print, Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "check",
    summary: "find every rule that a stream breaks",
    usage: &["[FILE…|-] [options]", "--request FILE | --response FILE | --explain ID"],
    about: "Prints findings with rule, place and message, a line for each file, and for several files a table.",
    options: &[
        FROM,
        Opt::with(
            "--format",
            "F",
            Words::List(&["text", "json", "sarif", "junit"]),
            "text, json, sarif or junit (default text)",
        ),
        Opt::with(
            "--profile",
            "P",
            Words::Profiles,
            "what is forgiven: a built-in profile, a JSON file, or `auto` to pick the one that fits (default open-responses, \
             which forgives nothing)",
        ),
        Opt::with(
            "--edition",
            "E",
            Words::Editions,
            "2026-04-24, 2026-01-15, split, split-2026-01 or openai (default: that of the profile)",
        ),
        Opt::with(
            "--layers",
            "L",
            Words::List(&["framing", "schema", "stream"]),
            "framing, schema, stream: which to look at, separated by commas (default all)",
        ),
        Opt::with(
            "--rule",
            "ID",
            Words::Rules,
            "look for this rule only; may be given again, or as a list separated by commas",
        ),
        MESSAGES,
        Opt::with("--for", "FILE", Words::File, "the request that the stream answers, as JSON: checks the rules about both"),
        Opt::with(
            "--head",
            "FILE",
            Words::File,
            "status line and headers that the stream came with: checks the rules about them",
        ),
        Opt::with(
            "--schema",
            "FILE",
            Words::File,
            "JSON Schemas of extension types: {\"events\": {\"slug:name\": schema}, \"items\": …}",
        ),
        Opt::flag("--quote", "messages may quote short pieces of the payload (which may hold secrets)"),
        Opt::with("--request", "FILE", Words::File, "check a request body instead of a stream"),
        Opt::with(
            "--response",
            "FILE",
            Words::File,
            "check a response body (or compaction, or error body) instead of a stream",
        ),
        Opt::with("--explain", "ID", Words::Rules, "print a rule, why it matters and an example; `all` prints the page"),
        COLOR,
        JOBS,
        PROGRESS,
    ],
    files: Files::Any,
    exits: &[
        ("0", "no errors, whatever else was found"),
        ("1", "errors were found, or reading failed"),
        ("2", "the call was wrong or a file cannot be opened"),
    ],
    examples: &[
        "deltafold check --profile openai examples/streams/tour.sse",
        "deltafold check --format json examples/streams/broken/*.sse",
        "deltafold check --explain SSE-04",
    ],
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
    /// The dialect that it was converted from.
    from: Option<&'static str>,
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
    intake: intake::Asked,
    quote: bool,
    schemas: ExtensionSchemas,
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
    let paint = Paint::from_args(args, io)?;
    let format = format(args)?;
    let stdin = Stdin::new(&mut io.input);
    let asked = Asked::from_args(args, &stdin)?;
    let mut reports = Vec::new();
    let bodies =
        [("--request", judge::request as fn(&OsStr, &Asked, &Stdin<'_>) -> _), ("--response", judge::response as _)];
    for (option, judge) in bodies {
        for file in args.values(option) {
            reports.push(judge(file, &asked, &stdin)?);
        }
    }
    let mut failures = Vec::new();
    if reports.is_empty() || !args.named().is_empty() {
        let files = args.files();
        let progress = Progress::new(args, files.len(), &mut io.errors, io.errors_is_terminal)?;
        let work = |file: &OsStr| {
            let report = judge::stream(file, &asked, &stdin, &progress);
            progress.file(&shown(file));
            report
        };
        many::each(&files, many::jobs(args)?, work, |_, result| {
            match result {
                Ok(report) => reports.push(report),
                Err(failure) => failures.push(failure),
            }
            Ok(())
        })?;
        progress.clear();
    }
    // One file that cannot be read is all there is to say; beside others it is said after them.
    if reports.is_empty() && failures.len() == 1 {
        return Err(failures.remove(0));
    }
    let mut output = Output::new(&mut io.output);
    match format {
        Format::Text => text::write(&reports, paint, &mut output)?,
        Format::Json => machine::write(&reports, &mut output)?,
        Format::Sarif => sarif::write(&reports, &mut output)?,
        Format::Junit => junit::write(&reports, &mut output)?,
    }
    output.flush()?;
    drop(output);
    failures.iter().filter_map(Failure::message).for_each(|message| complain(io, message));
    let errors = reports.iter().any(|report| report.count(Severity::Error) > 0);
    Ok(failures.iter().map(Failure::code).max().unwrap_or(0).max(u8::from(errors)))
}

impl Asked {
    fn from_args(args: &Args, stdin: &Stdin<'_>) -> Result<Self, Failure> {
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
        let read = |option: &str| args.value(option).map(|file| read_text(file, stdin)).transpose();
        let (request, head) = (read("--for")?, read("--head")?);
        Ok(Self {
            profile: choice(args.text("--profile")?.unwrap_or("open-responses"), stdin)?,
            edition,
            layers: layers(args.text("--layers")?)?,
            rules,
            intake: intake::Asked::from_args(args)?,
            quote: args.has("--quote"),
            schemas: schemas(args.value("--schema"), stdin)?,
            request,
            head,
        })
    }
}

/// A built-in profile or a file: what `--profile` names where nothing can be tried out first.
pub(crate) fn profile(name: &str, stdin: &Stdin<'_>) -> Result<Profile, Failure> {
    match choice(name, stdin)? {
        Choice::Given(profile) => Ok(profile),
        Choice::Auto => Err(Failure::Usage("--profile auto reads a stream twice; `deltafold check` does that".into())),
    }
}

/// A built-in profile, `auto`, or a file.
fn choice(name: &str, stdin: &Stdin<'_>) -> Result<Choice, Failure> {
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
    let text = read_text(OsStr::new(name), stdin)?;
    let profile = Profile::from_json(&text).map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    Ok(Choice::Given(profile))
}

fn schemas(file: Option<&OsStr>, stdin: &Stdin<'_>) -> Result<ExtensionSchemas, Failure> {
    let Some(file) = file else { return Ok(ExtensionSchemas::default()) };
    let text = read_text(file, stdin)?;
    ExtensionSchemas::from_json(&text).map_err(|error| Failure::Usage(format!("{}: {error}", shown(file))))
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
