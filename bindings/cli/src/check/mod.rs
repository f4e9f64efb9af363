//! `deltafold check`: finds every rule that a stream, a request or a response breaks.

mod explain;
mod json;
mod junit;
mod report;
mod sarif;
mod text;

pub(crate) use json::finding;

use std::ffi::{OsStr, OsString};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ValueEnum, ValueHint};
use deltafold::__bindings::VALIDATION_TARGETS;
use deltafold::contract::SchemaId;
use deltafold::validate::{Client, ExtensionSchemas, Layers, Rule};
use deltafold::{Edition, Finding, Limits, Profile, Severity};

use crate::args::{any_of, did_you_mean, BatchArgs, ColorArg, SourceArgs};
use crate::color::Color;
use crate::dialect_input::SourceFormat;
use crate::input::{read_text, shown, Stdin};
use crate::output::{print_error, Output};
use crate::progress::Progress;
use crate::{parallel, print, Failure, Io};

/// Find every rule that a stream breaks
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Prints findings with rule, location and message, a line for each file, and for several files a table.",
    after_help = "\
Exit codes:
  0  no errors, or nothing as severe as --fail-on
  1  errors were found, or reading failed
  2  the arguments are invalid or a file cannot be opened

Examples:
  deltafold check --profile openai examples/streams/tour.sse
  deltafold check --format json examples/streams/broken/*.sse
  deltafold check --clients openai-python,openai-node --fail-on warning examples/streams/tour.sse
  deltafold check --explain SSE-04"
)]
pub(crate) struct CheckArgs {
    /// Streams to check; `-` is stdin, which is the default without --request and --response
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<OsString>,
    #[command(flatten)]
    source: SourceArgs,
    /// How findings are printed
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Exemptions of a provider: a built-in profile, a JSON file, or auto to select the profile that fits. open-responses has
    /// no exemptions
    #[arg(
        long,
        value_name = "PROFILE",
        default_value = "open-responses",
        value_parser = any_of(|| ["auto"].into_iter().chain(Profile::names()).collect()),
        value_hint = ValueHint::FilePath
    )]
    profile: String,
    /// Edition of the specification (default: that of the profile)
    #[arg(long, value_name = "EDITION", value_parser = edition())]
    edition: Option<Edition>,
    /// Check only these layers, separated by commas (default: all)
    #[arg(long, value_name = "LAYERS", value_enum, value_delimiter = ',')]
    layers: Vec<LayerArg>,
    /// Check only this rule; may be repeated, or a list separated by commas
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = any_of(rule_ids), hide_possible_values = true)]
    rule: Vec<String>,
    /// The request that the stream answers, as JSON: checks the rules that concern both
    #[arg(long = "for", value_name = "FILE", value_hint = ValueHint::FilePath)]
    request_of_stream: Option<OsString>,
    /// Status line and headers of the stream: checks the rules that concern them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    head: Option<OsString>,
    /// Additions to the edition: JSON Schemas of extension types and fields, {"events": {"slug:name": schema}, "items": {...},
    /// "fields": {...}}, and words, {"values": {...}}; a profile file has them as `schemas`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    schema: Option<OsString>,
    /// Let messages quote short pieces of the payload, which may contain secrets
    #[arg(long)]
    quote: bool,
    /// Check a request body instead of a stream; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    request: Vec<OsString>,
    /// Check a response body (or a compaction or error body) instead of a stream; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    response: Vec<OsString>,
    /// Check the files as JSON objects of the contract instead of as streams: one of these kinds, or any schema, such as Usage
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with_all = ["request", "response"],
        value_parser = any_of(|| VALIDATION_TARGETS.to_vec())
    )]
    schema_name: Option<String>,
    /// The lowest severity that makes the exit code 1
    #[arg(long, value_name = "SEVERITY", value_enum, default_value_t = FailOn::Error)]
    fail_on: FailOn,
    /// Published clients that must be able to read the stream, separated by commas: a finding that breaks one of them is an error,
    /// even if the profile exempts it
    #[arg(long, value_name = "CLIENTS", value_delimiter = ',', value_parser = client())]
    clients: Vec<Client>,
    /// Print a rule, the reason for it and an example; all prints every rule
    #[arg(long, value_name = "ID", value_parser = any_of(rule_ids), hide_possible_values = true)]
    explain: Option<String>,
    #[command(flatten)]
    color: ColorArg,
    #[command(flatten)]
    batch: BatchArgs,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Sarif,
    Junit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LayerArg {
    Framing,
    Schema,
    Stream,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Note,
}

impl FailOn {
    fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Note => Severity::Note,
        }
    }
}

fn rule_ids() -> Vec<&'static str> {
    Rule::ALL.iter().map(|rule| rule.id()).collect()
}

/// Accepts every client by its name.
fn client() -> impl TypedValueParser<Value = Client> {
    PossibleValuesParser::new(Client::ALL.map(Client::name)).try_map(|name| name.parse())
}

/// The clients that fail on streams like the one of a finding, such as ` [breaks ai]`; empty if there are none.
fn broken_clients(finding: &Finding) -> String {
    let names: Vec<&str> = finding.broken_clients().iter().map(|client| client.name()).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(" [breaks {}]", names.join(", ")),
    }
}

/// Accepts every edition by its name.
fn edition() -> impl TypedValueParser<Value = Edition> {
    PossibleValuesParser::new(Edition::ALL.iter().map(|edition| edition.name())).try_map(|name| name.parse())
}

/// The rules that are checked, and the options.
struct CheckOptions {
    profile: ProfileChoice,
    clients: Vec<Client>,
    edition: Option<Edition>,
    layers: Layers,
    /// Report only these rules; empty: all.
    rules: Vec<Rule>,
    source: SourceFormat,
    quote: bool,
    schemas: ExtensionSchemas,
    /// The request that the stream answers, as JSON.
    request: Option<String>,
    /// The status line and headers of the stream.
    head: Option<String>,
}

enum ProfileChoice {
    Given(Box<Profile>),
    /// The profile that fits the findings.
    Auto,
}

pub(crate) fn run(args: &CheckArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    if let Some(id) = &args.explain {
        return print(io, &explain::text(id)?).map(|()| 0);
    }
    let color = Color::from_args(args.color, io);
    let stdin = Stdin::new(&mut io.input);
    let options = CheckOptions::from_args(args, &stdin)?;
    let mut reports = Vec::new();
    for file in &args.request {
        reports.push(report::check_request(file, &options, &stdin)?);
    }
    for file in &args.response {
        reports.push(report::check_response(file, &options, &stdin)?);
    }
    let mut failures = Vec::new();
    if reports.is_empty() || !args.files.is_empty() {
        let files: Vec<&OsStr> = match args.files.as_slice() {
            [] => vec![OsStr::new("-")],
            files => files.iter().map(OsString::as_os_str).collect(),
        };
        let is_terminal = io.errors_is_terminal && !io.plain_terminal;
        let progress = Progress::new(args.batch.progress, files.len(), &mut io.errors, is_terminal);
        let work = |file: &OsStr| {
            let report = match &args.schema_name {
                Some(name) => report::check_object(file, name, &options, &stdin),
                None => report::check_stream(file, &options, &stdin, &progress),
            };
            progress.file(&shown(file));
            report
        };
        parallel::for_each(&files, args.batch.jobs, work, |_, result| {
            match result {
                Ok(report) => reports.push(report),
                Err(failure) => failures.push(failure),
            }
            Ok(())
        })?;
        progress.finish();
    }
    // The failure of the only file is the failure of the command; others are printed after the reports.
    if reports.is_empty() && failures.len() == 1 {
        return Err(failures.remove(0));
    }
    let mut output = Output::new(&mut io.output, io.output_is_terminal);
    match args.format {
        Format::Text => text::write(&reports, color, &mut output)?,
        Format::Json => json::write(&reports, &mut output)?,
        Format::Sarif => sarif::write(&reports, &mut output)?,
        Format::Junit => junit::write(&reports, args.fail_on.severity(), &mut output)?,
    }
    output.flush()?;
    drop(output);
    failures.iter().filter_map(Failure::message).for_each(|message| print_error(io, message));
    let failed = reports.iter().any(|report| report.has(args.fail_on.severity()));
    Ok(failures.iter().map(Failure::code).max().unwrap_or(0).max(u8::from(failed)))
}

impl CheckOptions {
    fn from_args(args: &CheckArgs, stdin: &Stdin<'_>) -> Result<Self, Failure> {
        let known = |name: &&str| VALIDATION_TARGETS.contains(name) || SchemaId::from_name(name).is_some();
        if let Some(name) = args.schema_name.as_deref().filter(|name| !known(name)) {
            let all = VALIDATION_TARGETS.iter().copied().chain(SchemaId::all().map(SchemaId::name));
            let hint = did_you_mean(name, all);
            let names = VALIDATION_TARGETS.join(", ");
            return Err(Failure::Usage(format!(
                "no schema is called `{name}`{hint}; known: {names}, and every schema of the contract, such as Usage"
            )));
        }
        let rules = args.rule.iter().map(|id| explain::rule(id.trim())).collect::<Result<_, _>>()?;
        let read = |file: &Option<OsString>| file.as_ref().map(|file| read_text(file, stdin)).transpose();
        let (request, head) = (read(&args.request_of_stream)?, read(&args.head)?);
        let profile = profile_choice(&args.profile, stdin)?;
        let schemas = schemas(args.schema.as_deref(), &profile, stdin)?;
        Ok(Self {
            profile,
            clients: args.clients.clone(),
            edition: args.edition,
            layers: layers(&args.layers),
            rules,
            source: SourceFormat::from_args(args.source)?,
            quote: args.quote,
            schemas,
            request,
            head,
        })
    }
}

impl CheckOptions {
    /// True if neither `--rule` nor `--layers` hides findings.
    fn selects_all(&self) -> bool {
        self.rules.is_empty() && self.layers == Layers::ALL
    }

    /// A selection needs all findings, since those that are only counted have no rule and layer.
    fn limits(&self) -> Limits {
        let findings = if self.selects_all() { Limits::default().findings } else { 100_000 };
        Limits::default().findings(findings)
    }
}

/// The profile that `--profile` names for a stream that is read only once.
pub(crate) fn profile(name: &str, stdin: &Stdin<'_>) -> Result<Profile, Failure> {
    match profile_choice(name, stdin)? {
        ProfileChoice::Given(profile) => Ok(*profile),
        ProfileChoice::Auto => {
            Err(Failure::Usage("--profile auto reads a stream several times; use `deltafold check`".into()))
        }
    }
}

/// A built-in profile, `auto`, or a file.
fn profile_choice(name: &str, stdin: &Stdin<'_>) -> Result<ProfileChoice, Failure> {
    if name == "auto" {
        return Ok(ProfileChoice::Auto);
    }
    if let Ok(profile) = Profile::builtin(name) {
        return Ok(ProfileChoice::Given(Box::new(profile)));
    }
    if !std::path::Path::new(name).is_file() {
        let hint = did_you_mean(name, Profile::names());
        let names = Profile::names().collect::<Vec<_>>().join(", ");
        return Err(Failure::Usage(format!("no profile and no file `{name}`{hint}; known profiles: {names}, auto")));
    }
    let text = read_text(OsStr::new(name), stdin)?;
    let profile = Profile::from_json(&text).map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    Ok(ProfileChoice::Given(Box::new(profile)))
}

/// The additions of the profile and of `--schema`.
fn schemas(file: Option<&OsStr>, profile: &ProfileChoice, stdin: &Stdin<'_>) -> Result<ExtensionSchemas, Failure> {
    let mut schemas = match profile {
        ProfileChoice::Given(profile) => profile.schemas().clone(),
        ProfileChoice::Auto => ExtensionSchemas::default(),
    };
    if let Some(file) = file {
        let given = ExtensionSchemas::from_json(&read_text(file, stdin)?);
        schemas.extend(&given.map_err(|error| Failure::Usage(format!("{}: {error}", shown(file))))?);
    }
    Ok(schemas)
}

fn layers(list: &[LayerArg]) -> Layers {
    if list.is_empty() {
        return Layers::ALL;
    }
    list.iter().fold(Layers::NONE, |layers, layer| {
        layers
            | match layer {
                LayerArg::Framing => Layers::FRAMING,
                LayerArg::Schema => Layers::SCHEMA,
                LayerArg::Stream => Layers::STREAM,
            }
    })
}
