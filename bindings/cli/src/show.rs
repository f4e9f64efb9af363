//! `deltafold show`: a stream as a person wants to read it.

use deltafold::{Item, Reader, Response};

use crate::args::Args;
use crate::input::{Input, Stdin};
use crate::intake::{Asked, Intake};
use crate::output::Output;
use crate::table::{Command, Files, FROM, MESSAGES, PLAIN_EXITS};
use crate::{Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "show",
    summary: "print a stream as a readable transcript",
    usage: &["[FILE|-] [options]"],
    about:
        "Prints each output item with its text, reasoning, tool arguments and status, then usage, outcome and findings.",
    options: &[FROM, MESSAGES],
    files: Files::One,
    exits: PLAIN_EXITS,
    examples: &["deltafold show examples/streams/tour.sse"],
    run,
};

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let stdin = Stdin::new(&mut io.input);
    let mut input = Input::open(args.file(), None, &stdin)?;
    let mut intake = Intake::new(Asked::from_args(args)?)?;
    let mut reader = Reader::new();
    let name = input.name().to_owned();
    let failure = |error: deltafold::Error| Failure::Work(format!("{name}: {error}"));
    while let Some(chunk) = input.chunk()? {
        intake.push(chunk, &mut reader).map_err(failure)?;
        while reader.poll_event().map_err(failure)?.is_some() {}
    }
    intake.end(&mut reader).map_err(failure)?;
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
