//! Findings for people.

use deltafold::{Finding, Severity};

use super::Report;
use crate::output::Output;
use crate::Failure;

/// Writes every finding, a line for each file, and a summary.
pub(super) fn write(reports: &[Report], colour: bool, output: &mut Output<'_>) -> Result<(), Failure> {
    let paint = Paint(colour);
    for report in reports {
        if !report.findings.is_empty() {
            output.line(&paint.bold(&report.file))?;
        }
        for finding in &report.findings {
            output.line(&line(finding, &paint))?;
        }
        let kept = report.findings.len() as u64;
        let all: u64 = report.counts.iter().sum();
        if all > kept {
            output.line(&format!("  … and {} more", all - kept))?;
        }
        output.line(&foot(report, &paint))?;
    }
    if reports.len() > 1 {
        let mut counts = [0; 3];
        for report in reports {
            counts.iter_mut().zip(report.counts).for_each(|(sum, count)| *sum += count);
        }
        output.line(&format!("{} files: {}", reports.len(), summary(counts, &paint)))?;
    }
    Ok(())
}

fn line(finding: &Finding, paint: &Paint) -> String {
    let mut text = format!("  {} {}", paint.severity(finding.severity), paint.bold(finding.rule.id()));
    if let Some(index) = finding.place.event_index {
        text.push_str(&format!(" event {index}"));
    }
    if let Some(number) = finding.place.sequence_number {
        text.push_str(&format!(" (number {number})"));
    }
    text.push_str(&format!(" byte {}", finding.place.offset));
    if !finding.path.is_empty() {
        text.push_str(&format!(" {}", printable(&finding.path)));
    }
    text.push_str(&format!(": {}", printable(&finding.message)));
    if let Some(repair) = finding.repair {
        text.push_str(&paint.dim(&format!(" [{}]", repair.name())));
    }
    text
}

fn foot(report: &Report, paint: &Paint) -> String {
    let mut text = format!("{}: ", report.file);
    if let Some(outcome) = report.outcome {
        text.push_str(&format!("{outcome}, {}, ", plural(report.events, "event")));
    }
    text.push_str(&summary(report.counts, paint));
    if let Some(profile) = &report.chosen {
        text.push_str(&format!(" (profile {profile})"));
    }
    text
}

fn summary([notes, warnings, errors]: [u64; 3], paint: &Paint) -> String {
    let text = format!("{}, {}, {}", plural(errors, "error"), plural(warnings, "warning"), plural(notes, "note"));
    match errors {
        0 => paint.green(&text),
        _ => paint.red(&text),
    }
}

fn plural(count: u64, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// Control characters of a payload's keys must not reach a terminal.
fn printable(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { '\u{FFFD}' } else { char }).collect()
}

struct Paint(bool);

impl Paint {
    fn severity(&self, severity: Severity) -> String {
        let code = match severity {
            Severity::Error => "31;1",
            Severity::Warning => "33",
            Severity::Note => "36",
        };
        self.with(code, severity.name())
    }

    fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }

    fn dim(&self, text: &str) -> String {
        self.with("2", text)
    }

    fn red(&self, text: &str) -> String {
        self.with("31", text)
    }

    fn green(&self, text: &str) -> String {
        self.with("32", text)
    }

    fn with(&self, code: &str, text: &str) -> String {
        if self.0 {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}
