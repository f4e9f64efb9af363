//! Checks of a whole stream and of single objects.

use deltafold::json::{Object, Value};
use deltafold::{Code, Error};

use crate::error::DeltafoldError;
use crate::finding::{Finding, FindingCounts, Outcome};
use crate::int;
use crate::options::ReaderOptions;

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Report {
    /// True if no finding is an error.
    pub passed: bool,
    /// The findings.
    pub findings: Vec<Finding>,
    /// Number of findings, kept or not.
    pub counts: FindingCounts,
    /// How the stream ended.
    pub outcome: Outcome,
    /// Number of events that were read.
    pub event_count: i64,
}

/// Checks a whole stream against every rule. The profile is `open-responses` unless the options name one. A check reports
/// all findings, so the option `strict` is an error.
#[uniffi::export(default(options = None))]
pub fn check(stream: Vec<u8>, options: Option<ReaderOptions>) -> Result<Report, DeltafoldError> {
    let mut options = options.unwrap_or_default();
    options.profile.get_or_insert_with(|| "open-responses".to_owned());
    options.layers.get_or_insert_with(|| ["framing", "schema", "stream"].map(str::to_owned).into());
    if options.strict {
        return Err(
            Error::new(Code::BadArgument, 0, "expected no option `strict`: a check reports all findings").into()
        );
    }
    let mut core = deltafold::Reader::with_options(options.read()?);
    core.feed(&stream)?;
    while core.poll_event()?.is_some() {}
    let outcome = Outcome::of(&core.finish()?);
    let counts = FindingCounts::of(core.all_findings());
    Ok(Report {
        passed: counts.errors == 0,
        findings: core.findings().iter().map(Finding::of).collect(),
        counts,
        outcome,
        event_count: int(core.event_count()),
    })
}

/// Checks JSON text as the named kind of object: `event`, `response`, `item`, `input_item`, `request`, `compact_request`,
/// `compact_response`, `token_count`, `websocket_create`, `websocket_error`, `error`, `request_head` or `response_head`; any other name
/// is that of a schema of the contract, such as `Usage`. Options are JSON text: `edition`, `status`, `schemas`.
#[uniffi::export(default(options = ""))]
pub fn validate_named(what: &str, json: &str, options: &str) -> Result<Vec<Finding>, DeltafoldError> {
    Ok(deltafold::__bindings::validate_named(what, json, options)?.iter().map(Finding::of).collect())
}

/// Checks one event, as JSON text.
#[uniffi::export(default(edition = None))]
pub fn validate_event(event: &str, edition: Option<String>) -> Result<Vec<Finding>, DeltafoldError> {
    validate_named("event", event, &of(edition))
}

/// Checks one output item, as JSON text.
#[uniffi::export(default(edition = None))]
pub fn validate_item(item: &str, edition: Option<String>) -> Result<Vec<Finding>, DeltafoldError> {
    validate_named("item", item, &of(edition))
}

/// Checks the body of a request, as JSON text.
#[uniffi::export(default(edition = None))]
pub fn validate_request(request: &str, edition: Option<String>) -> Result<Vec<Finding>, DeltafoldError> {
    validate_named("request", request, &of(edition))
}

/// Checks a response object, as JSON text.
#[uniffi::export(default(edition = None))]
pub fn validate_response(response: &str, edition: Option<String>) -> Result<Vec<Finding>, DeltafoldError> {
    validate_named("response", response, &of(edition))
}

fn of(edition: Option<String>) -> String {
    let mut options = Object::new();
    options.push("edition", edition);
    Value::Object(options).to_string()
}
