//! A response as lines of styled text.

use anstyle::Style;
use deltafold::json::{Object, Value};
use deltafold::{Item, ItemKind, Outcome, Part, Reader, Response};

use crate::color::{severity_style, BAD, CODE, DIM, GOOD, PENDING, PLAIN, TITLE};
use crate::styled_line::StyledLine;

/// By how many columns the body of an item is indented.
const INDENT: usize = 4;
/// Members of an item that its title shows, or that are not useful to a human reader.
const HIDDEN_MEMBERS: &[&str] = &["type", "id", "status", "name", "call_id", "role", "object", "created_by"];
/// How many characters of a member's value are shown.
const VALUE_LENGTH: usize = 200;

/// The first line: id and model.
pub(super) fn heading(response: &Response<'_>) -> StyledLine {
    let word = |text: Option<&str>, other: &str| text.filter(|text| !text.is_empty()).unwrap_or(other).to_owned();
    StyledLine::new(TITLE, format!("response {}", word(response.id(), "without id")))
        .with(DIM, format!(" · {}", word(response.model(), "unknown model")))
}

/// An item: its title and its body. With `tail`, only about the last `tail` bytes of each text.
pub(super) fn item(at: usize, item: &Item<'_>, tail: Option<usize>) -> Vec<StyledLine> {
    let mut title = StyledLine::new(DIM, format!("[{at}] ")).with(TITLE, item.wire_type().unwrap_or_default());
    if let Some(name) = item.name().filter(|name| !name.is_empty()) {
        title = title.with(CODE, format!(" {name}"));
    }
    let status = match item.status_name().unwrap_or_default() {
        "" if item.is_done() => "",
        "" => "growing",
        status => status,
    };
    if !status.is_empty() {
        title = title.with(DIM, " · ").with(status_style(status), status);
    }
    let mut lines = vec![title];
    let before = lines.len();
    for part in item.summary() {
        text(part.text().unwrap_or_default(), "· ", DIM, tail, &mut lines);
    }
    let reasoning = item.kind() == ItemKind::Reasoning;
    for part in item.parts() {
        let style = if reasoning { DIM } else { PLAIN };
        let (lead, style) = if part.wire_type() == Some("refusal") { ("refusal: ", BAD) } else { ("", style) };
        text(part.text().unwrap_or_default(), lead, style, tail, &mut lines);
        lines.extend(part_members(&part));
    }
    text(item.arguments().unwrap_or_default(), "", CODE, tail, &mut lines);
    lines.extend(members(item));
    if lines.len() == before && !item.is_done() {
        lines.push(StyledLine::new(DIM, "…").indented(INDENT));
    }
    lines
}

/// The last lines: usage, outcome and findings.
pub(super) fn footer(reader: &Reader, outcome: Option<&Outcome>, extra: &str) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    if let Some(usage) = reader.response().usage_value() {
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
        lines.push(StyledLine::new(PLAIN, text));
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
        StyledLine::new(PLAIN, "outcome: ")
            .with(status_style(word), word)
            .with(PLAIN, why)
            .with(DIM, format!(" · {events} event{plural}{extra}")),
    );
    let findings = reader.all_findings();
    if findings.total() > 0 {
        lines.push(StyledLine::new(PLAIN, format!("findings: {}", findings.total())));
        for finding in reader.findings() {
            let style = severity_style(finding.severity);
            lines.push(
                StyledLine::new(style, finding.severity.name())
                    .with(
                        PLAIN,
                        format!(" {} at byte {}: {}", finding.rule.id(), finding.location.offset, finding.message),
                    )
                    .indented(2),
            );
        }
        let more = findings.total() - reader.findings().len() as u64;
        if more > 0 {
            lines.push(StyledLine::new(DIM, format!("… and {more} more")).indented(2));
        }
    }
    lines
}

pub(super) fn status_style(status: &str) -> Style {
    match status {
        "completed" => GOOD,
        "failed" | "truncated" => BAD,
        "in_progress" | "growing" | "incomplete" | "cancelled" | "still open" => PENDING,
        _ => PLAIN,
    }
}

/// Appends text as lines; `lead` begins the first one.
fn text(text: &str, lead: &str, style: Style, tail: Option<usize>, lines: &mut Vec<StyledLine>) {
    if text.is_empty() {
        return;
    }
    let shown = tail.map_or(text, |count| last(text, count));
    let ellipsis = if shown.len() < text.len() { "…" } else { "" };
    for (at, line) in shown.lines().enumerate() {
        let ellipsis = if at == 0 { ellipsis } else { "" };
        lines.push(StyledLine::new(style, format!("{lead}{ellipsis}{line}")).indented(INDENT));
    }
}

/// About the last `count` bytes, from a character boundary.
fn last(text: &str, count: usize) -> &str {
    let mut from = text.len().saturating_sub(count);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).unwrap_or(text)
}

/// Citations and other annotations.
fn part_members(part: &Part<'_>) -> Vec<StyledLine> {
    let annotations = part.get("annotations").and_then(Value::as_array).unwrap_or_default();
    annotations
        .iter()
        .map(|annotation| {
            let title = annotation.str_at("title").or(annotation.str_at("filename")).unwrap_or("");
            let link = annotation.str_at("url").or(annotation.str_at("file_id")).unwrap_or("");
            StyledLine::new(CODE, format!("↳ {title} {link}").trim_end().to_owned()).indented(INDENT)
        })
        .collect()
}

/// All other members of an item: the query and results of a hosted tool, the members of an extension.
fn members(item: &Item<'_>) -> Vec<StyledLine> {
    let Value::Object(whole) = item.to_value() else { return Vec::new() };
    let shown = ["summary", "content", "arguments", "input", "code"];
    let skip = |key: &str| HIDDEN_MEMBERS.contains(&key) || shown.contains(&key);
    whole
        .iter()
        .filter(|(key, value)| !skip(key) && !is_empty_value(value))
        .map(|(key, value)| StyledLine::new(DIM, format!("{key}: ")).with(PLAIN, short(value)).indented(INDENT))
        .collect()
}

fn is_empty_value(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => Object::is_empty(object),
        _ => false,
    }
}

/// A value in one line, truncated: an image or a signature is not useful to a human reader.
fn short(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.replace('\n', "⏎"),
        other => other.to_string(),
    };
    match text.char_indices().nth(VALUE_LENGTH) {
        None => text,
        Some((at, _)) => format!("{}… ({} bytes)", text.get(..at).unwrap_or_default(), text.len()),
    }
}
