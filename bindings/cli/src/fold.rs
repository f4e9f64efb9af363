//! `deltafold fold`: a stream → its response.

use std::ffi::OsStr;

use deltafold::json::{write_string, Value};
use deltafold::{Outcome, Reader};

use crate::args::Args;
use crate::input::{Input, Stdin};
use crate::intake::{Asked, Intake};
use crate::many;
use crate::output::{complain, Output};
use crate::paint::printable;
use crate::progress::Progress;
use crate::table::{Command, Files, Opt, Words, FROM, JOBS, MESSAGES, PROGRESS, SPLIT};
use crate::{Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "fold",
    summary: "print the response that a stream adds up to",
    usage: &["[FILE…|-] [options]"],
    about: "Prints the response as one line of JSON. For several files each line is {\"file\", \"outcome\", \"response\"}, and a \
            table on stderr sums them up. Memory is what the response takes, not what the stream has.",
    options: &[
        FROM,
        Opt::with(
            "--format",
            "F",
            Words::List(&["json", "pretty", "text"]),
            "json (default), pretty (indented JSON) or text (the output text alone)",
        ),
        Opt::flag("--pretty", "the same as --format pretty"),
        Opt::flag("--without-terminal", "rebuild from the events alone, not from the terminal snapshot"),
        MESSAGES,
        SPLIT,
        JOBS,
        PROGRESS,
    ],
    files: Files::Any,
    exits: &[
        ("0", "completed"),
        ("1", "reading failed or a limit was passed"),
        ("2", "the call was wrong or a file cannot be opened"),
        ("3", "incomplete or cancelled"),
        ("4", "failed"),
        ("5", "truncated: no terminal event; of several files the highest code counts"),
    ],
    examples: &[
        "deltafold fold --pretty examples/streams/tour.sse",
        "deltafold fold --format text examples/streams/dialects/anthropic.sse",
    ],
    run,
};

/// One file, folded.
struct Folded {
    text: String,
    outcome: Outcome,
    events: u64,
    items: usize,
    findings: u64,
    /// Why there is nothing to show.
    empty: Option<String>,
}

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let format = if args.has("--pretty") { "pretty" } else { args.choice("--format", &["json", "pretty", "text"])? };
    let asked = Asked::from_args(args)?;
    let split = args.number("--split")?;
    let files = args.files();
    let jobs = many::jobs(args)?;
    let stdin = Stdin::new(&mut io.input);
    let mut output = Output::new(&mut io.output);
    let (mut rows, mut code, mut messages) = (Vec::new(), 0, Vec::new());
    {
        let progress = Progress::new(args, files.len(), &mut io.errors, io.errors_is_terminal)?;
        let work = |file: &OsStr| {
            let folded = fold(file, args, asked, split, format, &stdin, &progress);
            progress.file(&crate::input::shown(file));
            folded
        };
        many::each(&files, jobs, work, |file, result| {
            let name = crate::input::shown(file);
            progress.clear();
            let folded = match result {
                Ok(folded) => folded,
                Err(failure) => {
                    code = code.max(failure.code());
                    messages.extend(failure.message().map(str::to_owned));
                    rows.push((name, None));
                    return Ok(());
                }
            };
            code = code.max(exit_code(&folded.outcome));
            if files.len() > 1 && format != "text" {
                output.line(&labelled(&name, &folded))?;
            } else {
                output.text(&folded.text)?;
            }
            output.flush()?;
            messages.extend(folded.empty.as_ref().map(|why| format!("{name}: {why}")));
            rows.push((name, Some(Folded { text: String::new(), ..folded })));
            Ok(())
        })?;
        progress.clear();
    }
    drop(output);
    messages.iter().for_each(|message| complain(io, message));
    if files.len() > 1 {
        // Nothing depends on it: if nobody can read it, the results are still there.
        let _ = io.errors.write_all(table(&rows).as_bytes());
    }
    Ok(code)
}

fn fold(
    file: &OsStr,
    args: &Args,
    asked: Asked,
    split: Option<usize>,
    format: &str,
    stdin: &Stdin<'_>,
    progress: &Progress<'_>,
) -> Result<Folded, Failure> {
    let mut input = Input::open(file, split, stdin)?;
    progress.size(input.size());
    let mut intake = Intake::new(asked)?;
    let builder = Reader::builder();
    let mut reader = if args.has("--without-terminal") { builder.without_terminal() } else { builder }.build();
    let name = input.name().to_owned();
    let failure = |error: deltafold::Error| Failure::Work(format!("{name}: {error}"));
    while let Some(chunk) = input.chunk()? {
        progress.bytes(chunk.len());
        intake.push(chunk, &mut reader).map_err(failure)?;
        while reader.poll_event().map_err(failure)?.is_some() {}
    }
    intake.end(&mut reader).map_err(failure)?;
    let outcome = reader.finish();
    let response = reader.response();
    let mut text = match format {
        "pretty" => response.to_value().to_pretty(),
        "text" => response.output_text().into_owned(),
        _ => response.to_json(),
    };
    text.push('\n');
    let first =
        || reader.findings().first().map_or("no event was found", |finding| finding.message.as_str()).to_owned();
    Ok(Folded {
        text,
        outcome,
        events: reader.event_count(),
        items: response.len(),
        findings: reader.all_findings().total(),
        empty: (response.is_empty() && response.id().is_empty()).then(first),
    })
}

fn labelled(name: &str, folded: &Folded) -> String {
    let mut line = String::from("{\"file\":");
    write_string(name, &mut line);
    line.push_str(",\"outcome\":");
    Value::from(folded.outcome.name()).write_into(&mut line);
    line.push_str(",\"response\":");
    // The newlines of a pretty text stand between its tokens; here one line is one file.
    let depth = deltafold::Limits::default().depth;
    match Value::parse(folded.text.trim_end(), depth) {
        Ok(value) if folded.text.trim_end().contains('\n') => value.write_into(&mut line),
        _ => line.push_str(folded.text.trim_end()),
    }
    line.push('}');
    line
}

/// The exit code for an outcome.
pub(crate) fn exit_code(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Completed => 0,
        Outcome::Incomplete { .. } | Outcome::Cancelled => 3,
        Outcome::Failed { .. } => 4,
        _ => 5,
    }
}

fn table(rows: &[(String, Option<Folded>)]) -> String {
    let wide = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(4).clamp(4, 60);
    let mut text = format!("{:<wide$}  {:<10} {:>8} {:>6} {:>9}\n", "file", "outcome", "events", "items", "findings");
    for (name, folded) in rows {
        let name = printable(name);
        text.push_str(&match folded {
            None => format!("{name:<wide$}  not read\n"),
            Some(Folded { outcome, events, items, findings, .. }) => {
                format!("{name:<wide$}  {:<10} {events:>8} {items:>6} {findings:>9}\n", outcome.name())
            }
        });
    }
    text
}
