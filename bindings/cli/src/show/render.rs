//! What is known of a response as lines for people.

use deltafold::json::{Object, Value};
use deltafold::{Item, Outcome, Part, Reader, Response};

use crate::term::{Line, Style};

/// How far the body of an item is indented.
const INDENT: usize = 4;
/// Members of an item that its title has, or that say nothing to people.
const NOT_SHOWN: &[&str] = &["type", "id", "status", "name", "call_id", "role", "object", "created_by"];
/// How much of a member's value is shown.
const SHORT: usize = 200;

/// The first line: which response, by which model.
pub(super) fn heading(response: &Response<'_>) -> Line {
    let word = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
    Line::new(Style::Title, format!("response {}", word(response.id(), "without id")))
        .and(Style::Dim, format!(" · {}", word(response.model(), "unknown model")))
}

/// An item: its title and its body. With `tail`, only about so many last characters of each text.
pub(super) fn item(at: usize, item: &Item<'_>, tail: Option<usize>) -> Vec<Line> {
    let mut title = Line::new(Style::Dim, format!("[{at}] ")).and(Style::Title, item.kind());
    if !item.name().is_empty() {
        title = title.and(Style::Code, format!(" {}", item.name()));
    }
    let status = match item.status() {
        "" if item.is_done() => "",
        "" => "growing",
        status => status,
    };
    if !status.is_empty() {
        title = title.and(Style::Dim, " · ").and(status_style(status), status);
    }
    let mut lines = vec![title];
    let before = lines.len();
    for part in item.summary() {
        text(part.text(), "· ", Style::Dim, tail, &mut lines);
    }
    let reasoning = item.kind() == "reasoning";
    for part in item.parts() {
        let style = if reasoning { Style::Dim } else { Style::Plain };
        let (lead, style) = if part.kind() == "refusal" { ("refusal: ", Style::Bad) } else { ("", style) };
        text(part.text(), lead, style, tail, &mut lines);
        lines.extend(part_members(&part));
    }
    text(item.arguments(), "", Style::Code, tail, &mut lines);
    lines.extend(members(item));
    if lines.len() == before && !item.is_done() {
        lines.push(Line::new(Style::Dim, "…").indented(INDENT));
    }
    lines
}

/// The last lines: usage, how it ended, what was found.
pub(super) fn footer(reader: &Reader, outcome: Option<&Outcome>, extra: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(usage) = reader.usage() {
        let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
        let number = |pointer: &str| count(pointer).map_or_else(|| "?".to_owned(), |count| count.to_string());
        let beside = |pointer: &str, word: &str| match count(pointer) {
            None | Some(0) => String::new(),
            Some(count) => format!(" ({count} {word})"),
        };
        let text = format!(
            "usage: {} in{}, {} out{}, {} in all",
            number("/input_tokens"),
            beside("/input_tokens_details/cached_tokens", "cached"),
            number("/output_tokens"),
            beside("/output_tokens_details/reasoning_tokens", "reasoning"),
            number("/total_tokens")
        );
        lines.push(Line::new(Style::Plain, text));
    }
    let (word, why) = match outcome {
        None => ("still open", String::new()),
        Some(Outcome::Incomplete { reason }) if !reason.is_empty() => ("incomplete", format!(" ({reason})")),
        Some(Outcome::Failed { error }) => {
            let code = [&error.code, &error.kind].into_iter().find(|word| !word.is_empty()).cloned();
            ("failed", format!(" ({}: {})", code.unwrap_or_else(|| "error".into()), error.message))
        }
        Some(Outcome::Truncated { last_sequence_number: Some(number) }) => {
            ("truncated", format!(" (no terminal event; resume after number {number})"))
        }
        Some(outcome) => (outcome.name(), String::new()),
    };
    let events = reader.event_count();
    let plural = if events == 1 { "" } else { "s" };
    lines.push(
        Line::new(Style::Plain, "outcome: ")
            .and(status_style(word), word)
            .and(Style::Plain, why)
            .and(Style::Dim, format!(" · {events} event{plural}{extra}")),
    );
    let findings = reader.all_findings();
    if findings.total() > 0 {
        lines.push(Line::new(Style::Plain, format!("findings: {}", findings.total())));
        for finding in reader.findings() {
            let style = match finding.severity {
                deltafold::Severity::Error => Style::Bad,
                deltafold::Severity::Warning => Style::Busy,
                deltafold::Severity::Note => Style::Dim,
            };
            lines.push(
                Line::new(style, finding.severity.name())
                    .and(
                        Style::Plain,
                        format!(" {} at byte {}: {}", finding.rule.id(), finding.place.offset, finding.message),
                    )
                    .indented(2),
            );
        }
        let more = findings.total() - reader.findings().len() as u64;
        if more > 0 {
            lines.push(Line::new(Style::Dim, format!("… and {more} more")).indented(2));
        }
    }
    lines
}

pub(super) fn status_style(status: &str) -> Style {
    match status {
        "completed" => Style::Good,
        "failed" | "truncated" => Style::Bad,
        "in_progress" | "growing" | "incomplete" | "cancelled" | "still open" => Style::Busy,
        _ => Style::Plain,
    }
}

/// Text in lines of its own. The lead stands before the first.
fn text(text: &str, lead: &str, style: Style, tail: Option<usize>, lines: &mut Vec<Line>) {
    if text.is_empty() {
        return;
    }
    let shown = tail.map_or(text, |count| last(text, count));
    let cut = if shown.len() < text.len() { "…" } else { "" };
    for (at, line) in shown.lines().enumerate() {
        let cut = if at == 0 { cut } else { "" };
        lines.push(Line::new(style, format!("{lead}{cut}{line}")).indented(INDENT));
    }
}

/// About the last `count` bytes, at a border of characters.
fn last(text: &str, count: usize) -> &str {
    let mut from = text.len().saturating_sub(count);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).unwrap_or(text)
}

/// Citations and other annotations.
fn part_members(part: &Part<'_>) -> Vec<Line> {
    let annotations = part.get("annotations").and_then(Value::as_array).unwrap_or_default();
    annotations
        .iter()
        .map(|annotation| {
            let title = annotation.str_at("title").or(annotation.str_at("filename")).unwrap_or("");
            let link = annotation.str_at("url").or(annotation.str_at("file_id")).unwrap_or("");
            Line::new(Style::Code, format!("↳ {title} {link}").trim_end().to_owned()).indented(INDENT)
        })
        .collect()
}

/// What else the item has: a hosted tool's query and results, an extension's members.
fn members(item: &Item<'_>) -> Vec<Line> {
    let Value::Object(whole) = item.to_value() else { return Vec::new() };
    let shown = ["summary", "content", "arguments", "input", "code"];
    let skip = |key: &str| NOT_SHOWN.contains(&key) || shown.contains(&key);
    whole
        .iter()
        .filter(|(key, value)| !skip(key) && !is_nothing(value))
        .map(|(key, value)| Line::new(Style::Dim, format!("{key}: ")).and(Style::Plain, short(value)).indented(INDENT))
        .collect()
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => Object::is_empty(object),
        _ => false,
    }
}

/// A value in one line, cut where it is long: an image or a signature tells nothing to people.
fn short(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.replace('\n', "⏎"),
        other => other.to_string(),
    };
    match text.char_indices().nth(SHORT) {
        None => text,
        Some((at, _)) => format!("{}… ({} bytes)", text.get(..at).unwrap_or_default(), text.len()),
    }
}
