//! Findings as JSON, for programs. Later versions may add members, but never rename or remove one.

use deltafold::json::{Object, Value};
use deltafold::{Finding, Severity};

use super::report::Report;
use crate::output::Output;
use crate::Failure;

/// Writes `{"files": […], "summary": {…}}` as one line.
pub(super) fn write(reports: &[Report], output: &mut Output<'_>) -> Result<(), Failure> {
    let mut whole = Object::new();
    whole.push("files", reports.iter().map(file).collect::<Vec<Value>>());
    let count = |severity| reports.iter().map(|report| report.count(severity)).sum::<u64>();
    let mut summary = Object::new();
    summary.push("errors", count(Severity::Error));
    summary.push("warnings", count(Severity::Warning));
    summary.push("notes", count(Severity::Note));
    whole.push("summary", summary);
    output.line(&whole.to_string())
}

fn file(report: &Report) -> Value {
    let mut object = Object::new();
    object.push("file", report.file.as_str());
    object.push("outcome", report.outcome);
    object.push("events", report.events);
    if let Some(from) = report.from {
        object.push("from", from);
    }
    object.push("findings", report.findings.iter().map(finding).collect::<Vec<Value>>());
    object.into()
}

/// One finding as an object.
pub(crate) fn finding(finding: &Finding) -> Value {
    let mut object = Object::new();
    object.push("rule", finding.rule.id());
    object.push("severity", finding.severity.name());
    object.push("layer", finding.layer.name());
    object.push("event_index", finding.location.event_index);
    object.push("sequence_number", finding.location.sequence_number);
    object.push("offset", finding.location.offset);
    object.push("path", finding.path.as_str());
    object.push("message", finding.message.as_str());
    object.push("clients", clients(finding));
    object.into()
}

/// The names of the clients that fail on streams like the one of a finding.
pub(super) fn clients(finding: &Finding) -> Vec<Value> {
    finding.broken_clients().iter().map(|client| client.name().into()).collect()
}
