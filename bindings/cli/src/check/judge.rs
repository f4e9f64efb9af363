//! Reading and checking: one file in, one [`Report`] out.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use deltafold::json::Value;
use deltafold::validate::{validate_compact_response, validate_error, validate_request};
use deltafold::{Edition, Error, Finding, Limits, Profile, Reader, Severity};

use super::{Asked, Choice, Report};
use crate::input::{read_text, Input, Stdin};
use crate::intake::Intake;
use crate::progress::Progress;
use crate::Failure;

/// Checks a stream.
pub(super) fn stream(
    file: &OsStr,
    asked: &Asked,
    stdin: &Stdin<'_>,
    progress: &Progress<'_>,
) -> Result<Report, Failure> {
    let mut source = Source::open(file, matches!(asked.profile, Choice::Auto), stdin, progress)?;
    let (profile, chosen) = match &asked.profile {
        Choice::Given(profile) => (profile.clone(), None),
        Choice::Auto => {
            let profile = suggest(&mut source, asked, progress)?;
            let name = profile.name().to_owned();
            (profile, Some(name))
        }
    };
    let edition = asked.edition.unwrap_or(profile.edition());
    let builder = Reader::builder().profile(profile).edition(edition).validate(asked.layers).quote(asked.quote);
    let mut reader = builder.schemas(asked.schemas.clone()).build();
    let from = read_stream(&mut reader, &mut source, asked, progress)?;
    let outcome = reader.finish();
    let all = reader.all_findings();
    let counts = [Severity::Note, Severity::Warning, Severity::Error].map(|severity| all.count(severity));
    Ok(narrow(
        Report {
            file: source.name().to_owned(),
            outcome: Some(outcome.name()),
            events: reader.event_count(),
            findings: reader.findings().to_vec(),
            counts,
            from,
            chosen,
        },
        asked,
    ))
}

/// Checks a request body.
pub(super) fn request(file: &OsStr, asked: &Asked, stdin: &Stdin<'_>) -> Result<Report, Failure> {
    body(file, asked, stdin, validate_request)
}

/// Checks a response body; what it is is seen in it.
pub(super) fn response(file: &OsStr, asked: &Asked, stdin: &Stdin<'_>) -> Result<Report, Failure> {
    body(file, asked, stdin, |text, edition| {
        let value = Value::parse(text, Limits::default().depth).unwrap_or_default();
        if value.str_at("object") == Some("response.compaction") {
            validate_compact_response(text, edition)
        } else if value.get("error").is_some_and(|error| error.as_object().is_some()) && value.get("output").is_none() {
            validate_error(text, None)
        } else {
            asked.schemas.validate_response(text, edition)
        }
    })
}

fn body(
    file: &OsStr,
    asked: &Asked,
    stdin: &Stdin<'_>,
    validate: impl Fn(&str, Edition) -> Result<Vec<Finding>, Error>,
) -> Result<Report, Failure> {
    let text = read_text(file, stdin)?;
    let name = file.to_string_lossy().into_owned();
    let check = |edition| {
        validate(&text, asked.edition.unwrap_or(edition)).map_err(|error| Failure::Usage(format!("{name}: {error}")))
    };
    let (profile, chosen) = match &asked.profile {
        Choice::Given(profile) => (profile.clone(), None),
        Choice::Auto => {
            let mut found = BTreeMap::new();
            for edition in Edition::ALL {
                found.insert(edition, check(edition)?);
            }
            let profile = Profile::suggest(|edition| found.get(&edition).cloned().unwrap_or_default());
            let name = profile.name().to_owned();
            (profile, Some(name))
        }
    };
    let weights = profile.weights();
    let mut findings = check(profile.edition())?;
    findings.retain_mut(|finding| match weights.at(finding.rule, &finding.path) {
        Some(severity) => {
            finding.severity = severity;
            true
        }
        None => false,
    });
    let mut counts = [0; 3];
    findings.iter().for_each(|finding| counts[finding.severity as usize] += 1);
    Ok(narrow(Report { file: name, outcome: None, events: 0, findings, counts, from: None, chosen }, asked))
}

/// Finds the profile that fits: the stream is read once for each edition, with nothing forgiven.
fn suggest(source: &mut Source<'_>, asked: &Asked, progress: &Progress<'_>) -> Result<Profile, Failure> {
    let mut found: BTreeMap<Edition, Vec<Finding>> = BTreeMap::new();
    for edition in Edition::ALL {
        let strict = Profile::builtin("open-responses").map_err(failure)?;
        let limits = Limits { findings: 100_000, ..Limits::default() };
        let edition_asked = asked.edition.unwrap_or(edition);
        let mut reader =
            Reader::builder().profile(strict).edition(edition_asked).validate(asked.layers).limits(limits).build();
        read_stream(&mut reader, source, asked, progress)?;
        reader.finish();
        found.insert(edition, reader.findings().to_vec());
        source.rewind()?;
    }
    Ok(Profile::suggest(|edition| found.get(&edition).cloned().unwrap_or_default()))
}

/// Reads to the end; the name of the dialect, if it had to be converted.
fn read_stream(
    reader: &mut Reader,
    source: &mut Source<'_>,
    asked: &Asked,
    progress: &Progress<'_>,
) -> Result<Option<&'static str>, Failure> {
    if let Some(request) = &asked.request {
        reader.note_request(request).map_err(|error| Failure::Usage(format!("--for: {error}")))?;
    }
    if let Some(head) = &asked.head {
        let (status, headers) = parse_head(head)?;
        reader.note_head(status, headers);
    }
    let name = source.name().to_owned();
    let failure = |error: Error| Failure::Work(format!("{name}: {error}"));
    let mut intake = Intake::new(asked.intake)?;
    let live = matches!(source, Source::Live(_));
    while let Some(chunk) = source.chunk()? {
        // What is kept was counted when it was read.
        progress.bytes(if live { chunk.len() } else { 0 });
        intake.push(chunk, reader).map_err(failure)?;
        while reader.poll_event().map_err(failure)?.is_some() {}
    }
    intake.end(reader).map_err(failure)?;
    while reader.poll_event().map_err(failure)?.is_some() {}
    Ok(intake.converted().map(deltafold::adapter::Dialect::name))
}

/// Status, and headers by name.
type Head<'a> = (u16, Vec<(&'a str, &'a str)>);

/// A status line and headers, as `curl -i` prints them.
fn parse_head(head: &str) -> Result<Head<'_>, Failure> {
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    let status =
        status.ok_or_else(|| Failure::Usage("--head begins with a status line, such as HTTP/1.1 200".into()))?;
    let headers = lines.filter_map(|line| line.split_once(':')).map(|(name, value)| (name.trim(), value.trim()));
    Ok((status, headers.collect()))
}

/// Keeps only the rules that were asked for.
fn narrow(mut report: Report, asked: &Asked) -> Report {
    if !asked.rules.is_empty() {
        report.findings.retain(|finding| asked.rules.contains(&finding.rule));
        report.counts = [0; 3];
        for finding in &report.findings {
            report.counts[finding.severity as usize] += 1;
        }
    }
    report
}

fn failure(error: Error) -> Failure {
    Failure::Work(error.to_string())
}

/// The bytes of a stream, read once or several times.
enum Source<'a> {
    Live(Input<'a>),
    /// Kept, since it is read again.
    Kept {
        name: String,
        bytes: Vec<u8>,
        at: usize,
    },
}

impl<'a> Source<'a> {
    fn open(file: &OsStr, again: bool, stdin: &Stdin<'a>, progress: &Progress<'_>) -> Result<Self, Failure> {
        let mut input = Input::open(file, None, stdin)?;
        progress.size(input.size());
        // A file can be opened again. What is no file, a pipe with a name too, gives its bytes once.
        if !again || input.size().is_some() {
            return Ok(Self::Live(input));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = input.chunk()? {
            progress.bytes(chunk.len());
            bytes.extend_from_slice(chunk);
        }
        Ok(Self::Kept { name: input.name().to_owned(), bytes, at: 0 })
    }

    fn chunk(&mut self) -> Result<Option<&[u8]>, Failure> {
        match self {
            Self::Live(input) => input.chunk(),
            Self::Kept { bytes, at, .. } => {
                let from = std::mem::replace(at, bytes.len().min(*at + (64 << 10)));
                Ok(bytes.get(from..*at).filter(|chunk| !chunk.is_empty()))
            }
        }
    }

    fn rewind(&mut self) -> Result<(), Failure> {
        match self {
            Self::Live(input) => input.rewind(),
            Self::Kept { at, .. } => {
                *at = 0;
                Ok(())
            }
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Live(input) => input.name(),
            Self::Kept { name, .. } => name,
        }
    }
}
