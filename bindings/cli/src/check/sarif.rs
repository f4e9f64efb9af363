//! Findings as SARIF 2.1.0, which code hosts display.

use std::collections::BTreeSet;

use deltafold::json::{Object, Value};
use deltafold::validate::Rule;
use deltafold::Finding;

use super::report::Report;
use crate::output::Output;
use crate::Failure;

/// Writes one log with one run.
pub(super) fn write(reports: &[Report], output: &mut Output<'_>) -> Result<(), Failure> {
    let used: BTreeSet<Rule> =
        reports.iter().flat_map(|report| report.findings.iter().map(|finding| finding.rule)).collect();
    let used: Vec<Rule> = used.into_iter().collect();
    let driver = object([
        ("name", "deltafold".into()),
        ("version", env!("CARGO_PKG_VERSION").into()),
        ("informationUri", env!("CARGO_PKG_REPOSITORY").into()),
        ("rules", used.iter().map(|rule| describe(*rule)).collect::<Vec<Value>>().into()),
    ]);
    let results: Vec<Value> = reports
        .iter()
        .flat_map(|report| report.findings.iter().map(|finding| result(finding, &report.file, &used)))
        .collect();
    let run = object([("tool", object([("driver", driver)])), ("results", results.into())]);
    let log = object([
        ("$schema", "https://json.schemastore.org/sarif-2.1.0.json".into()),
        ("version", "2.1.0".into()),
        ("runs", vec![run].into()),
    ]);
    output.line(&log.to_pretty())
}

fn describe(rule: Rule) -> Value {
    let words = rule.explain();
    object([
        ("id", rule.id().into()),
        ("shortDescription", object([("text", words.statement.into())])),
        ("fullDescription", object([("text", words.reason.into())])),
        ("defaultConfiguration", object([("level", rule.severity().name().into())])),
    ])
}

fn result(finding: &Finding, file: &str, used: &[Rule]) -> Value {
    let region = object([("byteOffset", finding.location.offset.into()), ("byteLength", 0_u64.into())]);
    let physical = object([("artifactLocation", object([("uri", uri(file).into())])), ("region", region)]);
    let mut location = vec![("physicalLocation", physical)];
    if !finding.path.is_empty() {
        let logical = object([("fullyQualifiedName", finding.path.as_str().into())]);
        location.push(("logicalLocations", vec![logical].into()));
    }
    let properties = object([
        ("layer", finding.layer.name().into()),
        ("event_index", finding.location.event_index.into()),
        ("sequence_number", finding.location.sequence_number.into()),
        ("clients", super::json::clients(finding).into()),
    ]);
    let index = used.iter().position(|rule| *rule == finding.rule).unwrap_or_default();
    object([
        ("ruleId", finding.rule.id().into()),
        ("ruleIndex", index.into()),
        ("level", finding.severity.name().into()),
        ("message", object([("text", finding.message.as_str().into())])),
        ("locations", vec![object(location)].into()),
        ("properties", properties),
    ])
}

/// A file name as a relative URI reference, percent-encoded.
fn uri(file: &str) -> String {
    let mut out = String::new();
    for byte in file.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
        match plain {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn object<'k>(members: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    let mut object = Object::new();
    members.into_iter().for_each(|(key, value)| object.push(key, value));
    object.into()
}
