//! Findings as JUnit XML, which CI servers count.
//!
//! A file is a test suite. A rule with findings as severe as `--fail-on` is a failed case; other findings are in `system-out`. A
//! file without failures has one case that passed.

use std::collections::BTreeMap;

use deltafold::{Finding, Severity};

use super::report::Report;
use crate::output::Output;
use crate::Failure;

/// Writes one document.
pub(super) fn write(reports: &[Report], fail_on: Severity, output: &mut Output<'_>) -> Result<(), Failure> {
    let suites: Vec<(&Report, BTreeMap<&str, Vec<&Finding>>)> =
        reports.iter().map(|report| (report, broken(report, fail_on))).collect();
    let cases: usize = suites.iter().map(|(_, broken)| broken.len().max(1)).sum();
    let failures: usize = suites.iter().map(|(_, broken)| broken.len()).sum();
    output.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    output.line(&format!("<testsuites name=\"deltafold check\" tests=\"{cases}\" failures=\"{failures}\">"))?;
    for (report, broken) in &suites {
        let name = escape(&report.file);
        let (tests, failures) = (broken.len().max(1), broken.len());
        output.line(&format!("  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\">"))?;
        if broken.is_empty() {
            output.line(&format!("    <testcase classname=\"{name}\" name=\"no errors\"/>"))?;
        }
        for (rule, findings) in broken {
            output.line(&format!("    <testcase classname=\"{name}\" name=\"{rule}\">"))?;
            let first = findings.first().map_or("", |finding| finding.message.as_str());
            output.line(&format!("      <failure type=\"{rule}\" message=\"{}\">", escape(first)))?;
            for finding in findings {
                output.line(&escape(&describe(finding)))?;
            }
            output.line("      </failure>")?;
            output.line("    </testcase>")?;
        }
        let others: Vec<&Finding> = report.findings.iter().filter(|finding| finding.severity < fail_on).collect();
        if !others.is_empty() {
            output.line("    <system-out>")?;
            for finding in others {
                output.line(&escape(&format!("{} {}", finding.severity.name(), describe(finding))))?;
            }
            output.line("    </system-out>")?;
        }
        output.line("  </testsuite>")?;
    }
    output.line("</testsuites>")
}

/// The findings that fail the check of a file, by rule.
fn broken(report: &Report, fail_on: Severity) -> BTreeMap<&str, Vec<&Finding>> {
    let mut rules: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in report.findings.iter().filter(|finding| finding.severity >= fail_on) {
        rules.entry(finding.rule.id()).or_default().push(finding);
    }
    rules
}

fn describe(finding: &Finding) -> String {
    let event = finding.location.event_index.map_or_else(String::new, |index| format!(" event {index}"));
    let path = if finding.path.is_empty() { String::new() } else { format!(" {}", finding.path) };
    let clients = super::broken_clients(finding);
    format!("{}{event} byte {}{path}: {}{clients}", finding.rule.id(), finding.location.offset, finding.message)
}

/// Escapes markup, and replaces characters that XML does not allow.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'.. => out.push(char),
            _ => out.push('\u{FFFD}'),
        }
    }
    out
}
