//! Findings for people.

use deltafold::Finding;

use super::Report;
use crate::output::Output;
use crate::paint::{printable, Paint};
use crate::Failure;

/// Writes every finding, a line for each file, and a summary.
pub(super) fn write(reports: &[Report], paint: Paint, output: &mut Output<'_>) -> Result<(), Failure> {
    for report in reports {
        if !report.findings.is_empty() {
            output.line(&paint.bold(&report.file))?;
        }
        for finding in &report.findings {
            output.line(&line(finding, paint))?;
        }
        let kept = report.findings.len() as u64;
        let all: u64 = report.counts.iter().sum();
        if all > kept {
            output.line(&format!("  … and {} more", all - kept))?;
        }
        output.line(&foot(report, paint))?;
    }
    if reports.len() > 1 {
        output.text(&table(reports, paint))?;
        let mut counts = [0; 3];
        for report in reports {
            counts.iter_mut().zip(report.counts).for_each(|(sum, count)| *sum += count);
        }
        output.line(&format!("{} files: {}", reports.len(), summary(counts, paint)))?;
    }
    Ok(())
}

/// One row per file.
fn table(reports: &[Report], paint: Paint) -> String {
    let wide = reports.iter().map(|report| report.file.chars().count()).max().unwrap_or(4).clamp(4, 60);
    let head = format!(
        "{:<wide$}  {:<10} {:>8} {:>7} {:>9} {:>6}",
        "file", "outcome", "events", "errors", "warnings", "notes"
    );
    let mut text = format!("\n{}\n", paint.bold(&head));
    for report in reports {
        let [notes, warnings, errors] = report.counts;
        let row = format!(
            "{:<wide$}  {:<10} {:>8} {errors:>7} {warnings:>9} {notes:>6}",
            printable(&report.file),
            report.outcome.unwrap_or("-"),
            report.events
        );
        text.push_str(&if errors > 0 { paint.red(&row) } else { row });
        text.push('\n');
    }
    text
}

fn line(finding: &Finding, paint: Paint) -> String {
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

fn foot(report: &Report, paint: Paint) -> String {
    let mut text = format!("{}: ", report.file);
    if let Some(outcome) = report.outcome {
        text.push_str(&format!("{outcome}, {}, ", plural(report.events, "event")));
    }
    text.push_str(&summary(report.counts, paint));
    if let Some(dialect) = report.from {
        text.push_str(&format!(" (converted from {dialect})"));
    }
    if let Some(profile) = &report.chosen {
        text.push_str(&format!(" (profile {profile})"));
    }
    text
}

fn summary([notes, warnings, errors]: [u64; 3], paint: Paint) -> String {
    let text = format!("{}, {}, {}", plural(errors, "error"), plural(warnings, "warning"), plural(notes, "note"));
    match errors {
        0 => paint.green(&text),
        _ => paint.red(&text),
    }
}

fn plural(count: u64, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
