//! `deltafold show`: a stream as a person wants to read it.

use deltafold::{Item, Reader, Response};

use crate::args::{Args, Spec};
use crate::input::Input;
use crate::output::Output;
use crate::{Command, Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "show",
    summary: "print a stream as a readable transcript",
    help: "Usage: deltafold show [FILE|-]

Prints each output item with its text, reasoning, tool arguments and status, then usage, outcome and findings.

Example: deltafold show examples/streams/tour.sse
",
    spec: Spec { flags: &[], options: &[], files: 1 },
    run,
};

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let mut input = Input::open(args.file(), None, &mut io.input)?;
    let mut reader = Reader::new();
    while let Some(chunk) = input.chunk()? {
        reader.feed(chunk).map_err(|error| Failure::Work(error.to_string()))?;
        while reader.poll_event().map_err(|error| Failure::Work(error.to_string()))?.is_some() {}
    }
    let outcome = reader.finish();
    let response = reader.response();
    let mut output = Output::new(&mut io.output);
    output.line(&heading(&response, reader.event_count()))?;
    for (at, item) in response.items().enumerate() {
        output.line("")?;
        output.line(&format!("[{at}] {}{}", item.kind(), detail(&item)))?;
        for line in body(&item) {
            output.line(&format!("    {line}"))?;
        }
    }
    output.line("")?;
    if let Some(usage) = response.usage() {
        let count = |key: &str| usage.get(key).map_or_else(|| "?".to_owned(), |value| value.to_string());
        let (input, out) = (count("input_tokens"), count("output_tokens"));
        output.line(&format!("usage: {input} in, {out} out, {} in all", count("total_tokens")))?;
    }
    output.line(&format!("outcome: {}", outcome.name()))?;
    if !reader.findings().is_empty() {
        output.line(&format!("findings: {}", reader.all_findings().total()))?;
        for finding in reader.findings() {
            output.line(&format!("  {finding}"))?;
        }
    }
    output.flush()?;
    Ok(0)
}

fn heading(response: &Response<'_>, events: u64) -> String {
    let word = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
    format!(
        "response {} · {} · {} · {events} events",
        word(response.id(), "without id"),
        word(response.model(), "unknown model"),
        word(response.status(), "no status"),
    )
}

fn detail(item: &Item<'_>) -> String {
    let mut text = String::new();
    if !item.name().is_empty() {
        text.push_str(&format!(" {}", item.name()));
    }
    if !item.status().is_empty() {
        text.push_str(&format!(" · {}", item.status()));
    }
    text
}

/// The lines of an item: summaries, parts with their citations, arguments.
fn body(item: &Item<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for part in item.summary() {
        lines.extend(part.text().lines().map(|line| format!("· {line}")));
    }
    for part in item.parts() {
        lines.extend(part.text().lines().map(str::to_owned));
        for annotation in part.get("annotations").and_then(|list| list.as_array()).unwrap_or_default() {
            let title = annotation.str_at("title").or(annotation.str_at("filename")).unwrap_or("");
            lines.push(format!("↳ {title} {}", annotation.str_at("url").unwrap_or("")).trim_end().to_owned());
        }
    }
    lines.extend(item.arguments().lines().map(str::to_owned));
    lines
}
