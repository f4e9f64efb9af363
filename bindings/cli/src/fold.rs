//! `deltafold fold`: prints the accumulated response of a stream.

use std::ffi::{OsStr, OsString};

use clap::{ValueEnum, ValueHint};
use deltafold::json::{write_string, Value};
use deltafold::{Outcome, Reader};

use crate::args::{BatchArgs, SourceArgs, SplitArg};
use crate::dialect_input::{drain, DialectInput, SourceFormat};
use crate::input::{shown, Input, Stdin};
use crate::output::{print_error, Output};
use crate::parallel;
use crate::progress::Progress;
use crate::styled_line::{column_width, pad};
use crate::{Failure, Io};

/// Print the accumulated response of a stream
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Prints the response as one line of JSON. For several files each line is {\"file\", \"outcome\", \"response\"}, and \
                   stderr has a summary table. Memory use follows the size of the response, not the length of the stream.",
    after_help = "\
Exit codes:
  0  completed
  1  reading failed or a limit was exceeded
  2  the arguments are invalid or a file cannot be opened
  3  incomplete or cancelled
  4  failed
  5  truncated: no terminal event; the highest code of several files counts

Examples:
  deltafold fold --pretty examples/streams/tour.sse
  deltafold fold --format text examples/streams/dialects/anthropic.sse"
)]
pub(crate) struct FoldArgs {
    /// Files to read; `-` is stdin
    #[arg(value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    files: Vec<OsString>,
    #[command(flatten)]
    source: SourceArgs,
    /// JSON on one line (json), indented JSON (pretty), or only the output text (text)
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Json)]
    format: Format,
    /// The same as --format pretty
    #[arg(long)]
    pretty: bool,
    /// Rebuild the response from the events alone, ignoring the terminal snapshot
    #[arg(long)]
    ignore_terminal_snapshot: bool,
    #[command(flatten)]
    split: SplitArg,
    #[command(flatten)]
    batch: BatchArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Json,
    Pretty,
    Text,
}

/// One folded file.
struct Folded {
    text: String,
    outcome: Outcome,
    events: u64,
    items: usize,
    findings: u64,
    /// The reason why the response is empty, or the data that was not read.
    message: Option<String>,
}

pub(crate) fn run(args: &FoldArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    let format = if args.pretty { Format::Pretty } else { args.format };
    let source_format = SourceFormat::from_args(args.source)?;
    let files: Vec<&OsStr> = args.files.iter().map(OsString::as_os_str).collect();
    let stdin = Stdin::new(&mut io.input);
    let mut output = Output::new(&mut io.output, io.output_is_terminal);
    let (mut rows, mut code, mut messages) = (Vec::new(), 0, Vec::new());
    {
        let is_terminal = io.errors_is_terminal && !io.plain_terminal;
        let progress = Progress::new(args.batch.progress, files.len(), &mut io.errors, is_terminal);
        let work = |file: &OsStr| {
            let folded = fold(file, args, source_format, format, &stdin, &progress);
            progress.file(&shown(file));
            folded
        };
        parallel::for_each(&files, args.batch.jobs, work, |file, result| {
            let name = shown(file);
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
            progress.suspend(|| {
                if files.len() > 1 && format != Format::Text {
                    output.line(&with_file(&name, &folded))?;
                } else {
                    output.text(&folded.text)?;
                }
                output.flush()
            })?;
            messages.extend(folded.message.as_ref().map(|reason| format!("{name}: {reason}")));
            rows.push((name, Some(Folded { text: String::new(), ..folded })));
            Ok(())
        })?;
        progress.finish();
    }
    drop(output);
    messages.iter().for_each(|message| print_error(io, message));
    if files.len() > 1 {
        // Without stderr the table cannot be printed, but the results are complete.
        let _ = io.errors.write_all(table(&rows).as_bytes());
    }
    Ok(code)
}

fn fold(
    file: &OsStr,
    args: &FoldArgs,
    source_format: SourceFormat,
    format: Format,
    stdin: &Stdin<'_>,
    progress: &Progress<'_>,
) -> Result<Folded, Failure> {
    let mut input = Input::open(file, args.split.split, stdin)?;
    progress.size(input.size());
    let name = input.name().to_owned();
    let failure = |error: deltafold::Error| Failure::Work(format!("{name}: {error}"));
    let mut source = DialectInput::new(source_format).map_err(failure)?;
    let builder = Reader::builder();
    let mut reader = if args.ignore_terminal_snapshot { builder.ignore_terminal_snapshot() } else { builder }.build();
    while let Some(chunk) = input.chunk()? {
        progress.bytes(chunk.len());
        source.push(chunk, &mut reader).map_err(failure)?;
        drain(&mut reader).map_err(failure)?;
    }
    source.end(&mut reader).map_err(failure)?;
    let outcome = reader.finish().map_err(failure)?;
    let response = reader.response();
    let mut text = match format {
        Format::Pretty => response.to_value().to_pretty(),
        Format::Text => response.output_text().into_owned(),
        Format::Json => response.to_json(),
    };
    text.push('\n');
    let first_finding = || reader.findings().first().map_or("no event was found", |finding| finding.message.as_str());
    let is_empty = response.is_empty() && response.id().is_none_or(str::is_empty);
    let message = is_empty.then(|| first_finding().to_owned()).or_else(|| source.unread(&reader).map(str::to_owned));
    Ok(Folded {
        text,
        outcome,
        events: reader.event_count(),
        items: response.len(),
        findings: reader.all_findings().total(),
        message,
    })
}

/// The line of a file, if there are several.
fn with_file(name: &str, folded: &Folded) -> String {
    let mut line = String::from("{\"file\":");
    write_string(name, &mut line);
    line.push_str(",\"outcome\":");
    Value::from(folded.outcome.name()).write_into(&mut line);
    line.push_str(",\"response\":");
    // Indented JSON has line feeds only between tokens; with several files it is one line per file.
    let response = folded.text.trim_end();
    match Value::parse(response, deltafold::Limits::default().depth) {
        Ok(value) if response.contains('\n') => value.write_into(&mut line),
        _ => line.push_str(response),
    }
    line.push('}');
    line
}

/// The exit code for an outcome.
fn exit_code(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Completed => 0,
        Outcome::Incomplete { .. } | Outcome::Cancelled => 3,
        Outcome::Failed { .. } => 4,
        _ => 5,
    }
}

fn table(rows: &[(String, Option<Folded>)]) -> String {
    let width = column_width(rows.iter().map(|(name, _)| name.as_str()));
    let mut text =
        format!("{}  {:<10} {:>8} {:>6} {:>9}\n", pad("file", width), "outcome", "events", "items", "findings");
    for (name, folded) in rows {
        let name = pad(name, width);
        text.push_str(&match folded {
            None => format!("{name}  not read\n"),
            Some(Folded { outcome, events, items, findings, .. }) => {
                format!("{name}  {:<10} {events:>8} {items:>6} {findings:>9}\n", outcome.name())
            }
        });
    }
    text
}
