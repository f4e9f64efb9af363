//! Findings as human-readable text.

use anstyle::Style;
use deltafold::Finding;

use super::broken_clients;
use super::report::Report;
use crate::color::{severity_style, Color, BAD, DIM, GOOD, PLAIN, TITLE};
use crate::output::Output;
use crate::styled_line::{column_width, pad, StyledLine};
use crate::Failure;

/// Writes every finding, a line for each file, and for several files a table.
pub(super) fn write(reports: &[Report], color: Color, output: &mut Output<'_>) -> Result<(), Failure> {
    for report in reports {
        if !report.findings.is_empty() {
            output.styled(&StyledLine::new(TITLE, &report.file), color)?;
        }
        for finding in &report.findings {
            output.styled(&finding_line(finding), color)?;
        }
        let kept = report.findings.len() as u64;
        let all: u64 = report.counts.iter().sum();
        if all > kept {
            output.line(&format!("  … and {} more", all - kept))?;
        }
        output.styled(&file_line(report), color)?;
    }
    if reports.len() > 1 {
        for line in table(reports) {
            output.styled(&line, color)?;
        }
        let mut counts = [0; 3];
        for report in reports {
            counts.iter_mut().zip(report.counts).for_each(|(sum, count)| *sum += count);
        }
        let (style, text) = summary(counts);
        output.styled(&StyledLine::new(PLAIN, format!("{} files: ", reports.len())).with(style, text), color)?;
    }
    Ok(())
}

/// One row per file.
fn table(reports: &[Report]) -> Vec<StyledLine> {
    let width = column_width(reports.iter().map(|report| report.file.as_str()));
    let head = format!(
        "{}  {:<10} {:>8} {:>7} {:>9} {:>6}",
        pad("file", width),
        "outcome",
        "events",
        "errors",
        "warnings",
        "notes"
    );
    let mut lines = vec![StyledLine::default(), StyledLine::new(TITLE, head)];
    for report in reports {
        let [notes, warnings, errors] = report.counts;
        let row = format!(
            "{}  {:<10} {:>8} {errors:>7} {warnings:>9} {notes:>6}",
            pad(&report.file, width),
            report.outcome.unwrap_or("-"),
            report.events
        );
        lines.push(StyledLine::new(if errors > 0 { BAD } else { PLAIN }, row));
    }
    lines
}

fn finding_line(finding: &Finding) -> StyledLine {
    let mut location = String::new();
    if let Some(index) = finding.location.event_index {
        location.push_str(&format!(" event {index}"));
    }
    if let Some(number) = finding.location.sequence_number {
        location.push_str(&format!(" (number {number})"));
    }
    location.push_str(&format!(" byte {}", finding.location.offset));
    if !finding.path.is_empty() {
        location.push_str(&format!(" {}", finding.path));
    }
    let line = StyledLine::new(severity_style(finding.severity), finding.severity.name())
        .indented(2)
        .with(PLAIN, " ")
        .with(TITLE, finding.rule.id())
        .with(PLAIN, format!("{location}: {}", finding.message))
        .with(DIM, broken_clients(finding));
    match finding.repair {
        Some(repair) => line.with(DIM, format!(" [{}]", repair.name())),
        None => line,
    }
}

fn file_line(report: &Report) -> StyledLine {
    let mut start = format!("{}: ", report.file);
    if let Some(outcome) = report.outcome {
        start.push_str(&format!("{outcome}, {}, ", plural(report.events, "event")));
    }
    let mut end = String::new();
    if let Some(dialect) = report.from {
        end.push_str(&format!(" (converted from {dialect})"));
    }
    if let Some(profile) = &report.selected_profile {
        end.push_str(&format!(" (profile {profile})"));
    }
    let (style, text) = summary(report.counts);
    StyledLine::new(PLAIN, start).with(style, text).with(PLAIN, end)
}

fn summary([notes, warnings, errors]: [u64; 3]) -> (Style, String) {
    let text = format!("{}, {}, {}", plural(errors, "error"), plural(warnings, "warning"), plural(notes, "note"));
    (if errors > 0 { BAD } else { GOOD }, text)
}

fn plural(count: u64, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
