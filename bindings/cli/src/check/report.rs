//! Reads and checks one file, and makes its [`Report`].

use std::collections::BTreeMap;
use std::ffi::OsStr;

use deltafold::__bindings::validate_named_with;
use deltafold::json::{Object, Value};
use deltafold::validate::{validate_compact_response, validate_error, Layers, Rule};
use deltafold::{Edition, Error, Finding, Layer, Limits, Outcome, Profile, Reader, Severity, SeverityMap};

use super::{CheckOptions, ProfileChoice};
use crate::dialect_input::{drain, DialectInput};
use crate::input::{read_text, shown, Input, Stdin};
use crate::progress::Progress;
use crate::Failure;

/// The result of checking one file.
pub(super) struct Report {
    pub(super) file: String,
    /// How the stream ended; `None` for a request or response body.
    pub(super) outcome: Option<&'static str>,
    pub(super) events: u64,
    pub(super) findings: Vec<Finding>,
    /// The number of findings of each severity, including those that were not kept: notes, warnings, errors.
    pub(super) counts: [u64; 3],
    /// The dialect from which the stream was converted.
    pub(super) from: Option<&'static str>,
    /// The profile that `--profile auto` selected.
    pub(super) selected_profile: Option<String>,
}

impl Report {
    pub(super) fn count(&self, severity: Severity) -> u64 {
        self.counts[severity as usize]
    }

    /// True if there is a finding of this severity or a higher one.
    pub(super) fn has(&self, lowest: Severity) -> bool {
        self.counts[lowest as usize..].iter().any(|count| *count > 0)
    }

    /// Keeps only the findings that `--rule` and `--layers` select. Transport findings are selected by `--head` and `--for`.
    fn select(&mut self, options: &CheckOptions) {
        if options.selects_all() {
            return;
        }
        self.findings.retain(|finding| {
            let layer = match finding.layer {
                Layer::Framing => options.layers.contains(Layers::FRAMING),
                Layer::Schema => options.layers.contains(Layers::SCHEMA),
                Layer::Stream => options.layers.contains(Layers::STREAM),
                Layer::Transport => true,
            };
            layer && (options.rules.is_empty() || options.rules.contains(&finding.rule))
        });
        self.counts = count(&self.findings);
    }

    /// Raises a finding that breaks a published client to a warning at least, unless the profile exempts it. A reader accepts a stream that
    /// was joined in the middle, so earlier data that is missing is a note; a client that gets these bytes fails.
    fn raise_for_clients(&mut self, severities: &SeverityMap) {
        for finding in self.findings.iter_mut().filter(|finding| !finding.broken_clients().is_empty()) {
            let exempted = severities.at(finding.rule, &finding.path) <= Some(Severity::Note);
            if finding.severity == Severity::Note && !exempted {
                finding.severity = Severity::Warning;
                self.counts[Severity::Note as usize] -= 1;
                self.counts[Severity::Warning as usize] += 1;
            }
        }
    }

    /// Adds a note about the whole input, which no profile can exempt.
    fn add_note(&mut self, rule: Rule, message: String) {
        let mut finding = Finding::new(rule, message);
        finding.severity = Severity::Note;
        self.findings.push(finding);
        self.counts[Severity::Note as usize] += 1;
    }

    /// Adds an error about the whole input, which no profile can exempt.
    fn add_error(&mut self, rule: Rule, message: String) {
        let mut finding = Finding::new(rule, message);
        finding.severity = Severity::Error;
        self.findings.push(finding);
        self.counts[Severity::Error as usize] += 1;
    }
}

/// Checks a stream.
pub(super) fn check_stream(
    file: &OsStr,
    options: &CheckOptions,
    stdin: &Stdin<'_>,
    progress: &Progress<'_>,
) -> Result<Report, Failure> {
    let mut source = Source::open(file, matches!(options.profile, ProfileChoice::Auto), stdin, progress)?;
    let (profile, selected_profile) = match &options.profile {
        ProfileChoice::Given(profile) => ((**profile).clone(), None),
        ProfileChoice::Auto => {
            let profile = select_profile(&mut source, options, progress)?;
            let name = profile.name().to_owned();
            (profile, Some(name))
        }
    };
    let profile = profile.with_clients(&options.clients);
    let severities = profile.severity_map();
    let edition = options.edition.unwrap_or(profile.edition());
    let builder = Reader::builder().profile(profile).edition(edition).validate(options.layers).quote(options.quote);
    let mut reader = builder.limits(options.limits()).schemas(options.schemas.clone()).build();
    let (from, bytes, unread) = read_stream(&mut reader, &mut source, options, progress)?;
    let outcome = reader.finish().map_err(failure)?;
    let all = reader.all_findings();
    let counts = [Severity::Note, Severity::Warning, Severity::Error].map(|severity| all.count(severity));
    let mut report = Report {
        file: source.name().to_owned(),
        outcome: Some(outcome.name()),
        events: reader.event_count(),
        findings: reader.findings().to_vec(),
        counts,
        from,
        selected_profile,
    };
    report.raise_for_clients(&severities);
    // The reader recognizes some bodies, such as an HTML page.
    let recognized = report.findings.iter().find(|finding| finding.rule == Rule::Read04);
    let recognized = recognized.map(|finding| finding.message.clone());
    report.select(options);
    if unread {
        report.add_note(Rule::Life07, UNCHECKED_TURNS.to_owned());
    }
    // These errors concern the whole input, so no layer, rule or profile hides them.
    match (from, outcome) {
        (None, _) if report.events == 0 => {
            report.findings.retain(|finding| finding.rule != Rule::Read04);
            report.counts = count(&report.findings);
            let found = if bytes == 0 { "empty input" } else { "no event" };
            let message = recognized.unwrap_or_else(|| format!("expected an event stream, found {found}"));
            report.add_error(Rule::Read04, message);
        }
        (Some(from), Outcome::Failed { error }) if error.code == "stream_truncated" => {
            report.add_error(Rule::Life06, format!("expected a complete {from} stream, found a truncated one"));
        }
        _ => {}
    }
    Ok(report)
}

/// Checks a request body.
pub(super) fn check_request(file: &OsStr, options: &CheckOptions, stdin: &Stdin<'_>) -> Result<Report, Failure> {
    check_body(file, options, stdin, |text, edition| options.schemas.validate_request(text, edition))
}

/// Checks a JSON object of the contract.
pub(super) fn check_object(
    file: &OsStr,
    name: &str,
    options: &CheckOptions,
    stdin: &Stdin<'_>,
) -> Result<Report, Failure> {
    check_body(file, options, stdin, |text, edition| {
        let mut named = Object::new();
        named.push("edition", edition.name());
        validate_named_with(name, text, &named.to_string(), &options.schemas)
    })
}

/// Checks a response, compaction or error body; its members show which it is.
pub(super) fn check_response(file: &OsStr, options: &CheckOptions, stdin: &Stdin<'_>) -> Result<Report, Failure> {
    check_body(file, options, stdin, |text, edition| {
        let value = Value::parse(text, Limits::default().depth).unwrap_or_default();
        if value.str_at("object") == Some("response.compaction") {
            validate_compact_response(text, edition)
        } else if value.get("error").is_some_and(|error| error.as_object().is_some()) && value.get("output").is_none() {
            validate_error(text, None)
        } else {
            options.schemas.validate_response(text, edition)
        }
    })
}

fn check_body(
    file: &OsStr,
    options: &CheckOptions,
    stdin: &Stdin<'_>,
    validate: impl Fn(&str, Edition) -> Result<Vec<Finding>, Error>,
) -> Result<Report, Failure> {
    let text = read_text(file, stdin)?;
    let name = shown(file);
    let check = |edition| {
        validate(&text, options.edition.unwrap_or(edition)).map_err(|error| Failure::Usage(format!("{name}: {error}")))
    };
    let (profile, selected_profile) = match &options.profile {
        ProfileChoice::Given(profile) => ((**profile).clone(), None),
        ProfileChoice::Auto => {
            let mut found = BTreeMap::new();
            for edition in Edition::ALL {
                found.insert(edition, check(edition)?);
            }
            let profile = Profile::suggest(|edition| found.get(&edition).cloned().unwrap_or_default());
            let name = profile.name().to_owned();
            (profile, Some(name))
        }
    };
    let profile = profile.with_clients(&options.clients);
    let severities = profile.severity_map();
    let mut findings = check(profile.edition())?;
    findings.retain_mut(|finding| match severities.at(finding.rule, &finding.path) {
        Some(severity) => {
            finding.severity = severity;
            true
        }
        None => false,
    });
    let counts = count(&findings);
    let mut report = Report { file: name, outcome: None, events: 0, findings, counts, from: None, selected_profile };
    report.select(options);
    Ok(report)
}

fn count(findings: &[Finding]) -> [u64; 3] {
    let mut counts = [0; 3];
    findings.iter().for_each(|finding| counts[finding.severity as usize] += 1);
    counts
}

/// Selects the profile that fits: reads the stream once for each edition, without exemptions.
fn select_profile(
    source: &mut Source<'_>,
    options: &CheckOptions,
    progress: &Progress<'_>,
) -> Result<Profile, Failure> {
    let mut found: BTreeMap<Edition, Vec<Finding>> = BTreeMap::new();
    for edition in Edition::ALL {
        let strict = Profile::builtin("open-responses").map_err(failure)?;
        let limits = Limits::default().findings(100_000);
        let edition_asked = options.edition.unwrap_or(edition);
        let builder = Reader::builder().profile(strict).edition(edition_asked).validate(options.layers).limits(limits);
        let mut reader = builder.schemas(options.schemas.clone()).build();
        read_stream(&mut reader, source, options, progress)?;
        reader.finish().map_err(failure)?;
        found.insert(edition, reader.findings().to_vec());
        source.rewind()?;
    }
    Ok(Profile::suggest(|edition| found.get(&edition).cloned().unwrap_or_default()))
}

/// A reader holds one response.
const UNCHECKED_TURNS: &str =
    "only the first turn was checked; `deltafold convert --to open-responses` writes a stream for each turn";

/// Reads a stream to its end. Returns the name of its dialect if it was converted, the number of bytes, and whether a thread log has more
/// turns than the one that was read.
fn read_stream(
    reader: &mut Reader,
    source: &mut Source<'_>,
    options: &CheckOptions,
    progress: &Progress<'_>,
) -> Result<(Option<&'static str>, u64, bool), Failure> {
    if let Some(request) = &options.request {
        reader.note_request(request).map_err(|error| Failure::Usage(format!("--for: {error}")))?;
    }
    if let Some(head) = &options.head {
        let (status, headers) = parse_head(head)?;
        reader.note_head(status, headers);
    }
    let name = source.name().to_owned();
    let mut bytes = 0;
    let failure = |error: Error| Failure::Work(format!("{name}: {error}"));
    let mut input = DialectInput::new(options.source).map_err(failure)?;
    let is_live = matches!(source, Source::Live(_));
    while let Some(chunk) = source.chunk()? {
        bytes += chunk.len() as u64;
        // The bytes of a stored source were counted when they were read.
        progress.bytes(if is_live { chunk.len() } else { 0 });
        input.push(chunk, reader).map_err(failure)?;
        drain(reader).map_err(failure)?;
    }
    input.end(reader).map_err(failure)?;
    drain(reader).map_err(failure)?;
    let from = input.converted_from().map(deltafold::adapter::Dialect::name);
    let unread = from.is_some() && input.unread(reader).is_some();
    Ok((from, bytes, unread))
}

/// Status, and headers by name.
type Head<'a> = (u16, Vec<(&'a str, &'a str)>);

/// A status line and headers, as `curl -i` prints them.
fn parse_head(head: &str) -> Result<Head<'_>, Failure> {
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    let status = status
        .ok_or_else(|| Failure::Usage("--head: the file must begin with a status line, such as HTTP/1.1 200".into()))?;
    let headers = lines.filter_map(|line| line.split_once(':')).map(|(name, value)| (name.trim(), value.trim()));
    Ok((status, headers.collect()))
}

fn failure(error: Error) -> Failure {
    Failure::Work(error.to_string())
}

/// The bytes of a stream that is read once, or several times.
enum Source<'a> {
    Live(Input<'a>),
    /// Stored, because it is read again and cannot be opened again.
    Stored {
        name: String,
        bytes: Vec<u8>,
        at: usize,
    },
}

impl<'a> Source<'a> {
    fn open(file: &OsStr, repeatedly: bool, stdin: &Stdin<'a>, progress: &Progress<'_>) -> Result<Self, Failure> {
        let mut input = Input::open(file, None, stdin)?;
        progress.size(input.size());
        // A file can be opened again; stdin and named pipes can be read only once.
        if !repeatedly || input.size().is_some() {
            return Ok(Self::Live(input));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = input.chunk()? {
            progress.bytes(chunk.len());
            bytes.extend_from_slice(chunk);
        }
        Ok(Self::Stored { name: input.name().to_owned(), bytes, at: 0 })
    }

    fn chunk(&mut self) -> Result<Option<&[u8]>, Failure> {
        match self {
            Self::Live(input) => input.chunk(),
            Self::Stored { bytes, at, .. } => {
                let from = std::mem::replace(at, bytes.len().min(*at + (64 << 10)));
                Ok(bytes.get(from..*at).filter(|chunk| !chunk.is_empty()))
            }
        }
    }

    fn rewind(&mut self) -> Result<(), Failure> {
        match self {
            Self::Live(input) => input.rewind(),
            Self::Stored { at, .. } => {
                *at = 0;
                Ok(())
            }
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Live(input) => input.name(),
            Self::Stored { name, .. } => name,
        }
    }
}
