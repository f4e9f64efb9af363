//! `deltafold stats`: outcomes, models, tokens, tool calls and findings of many captures.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, StringArray, StructArray};
use clap::ValueEnum;
use deltafold::json::{Object, Value};
use deltafold_arrow::FoldColumn;

use crate::args::{positive, ColorArg};
use crate::captures::{self, CaptureArgs, Rows, Summary};
use crate::color::{Color, CODE, DIM, PLAIN, TITLE};
use crate::input::Stdin;
use crate::output::{print_error, Output};
use crate::progress::size;
use crate::styled_line::{column_width, pad, StyledLine};
use crate::{print, Failure, Io};

/// Columns that are counted.
const COLUMNS: [FoldColumn; 7] = [
    FoldColumn::Outcome,
    FoldColumn::Dialect,
    FoldColumn::Model,
    FoldColumn::ToolCalls,
    FoldColumn::Usage,
    FoldColumn::Events,
    FoldColumn::Findings,
];

/// The counts of `usage`.
const TOKENS: [&str; 6] =
    ["input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens", "total_tokens"];

/// Columns of a bar.
const BAR: usize = 24;

/// Count outcomes, models, tokens, tool calls and findings
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Reads the same inputs as `table` and prints totals. A bar shows the share of the largest row of its section.",
    after_help = "\
Exit codes:
  0  every capture was counted, whatever its outcome
  1  reading failed, or a line of a log has no body
  2  the arguments are invalid or a folder cannot be read

Examples:
  deltafold stats examples/streams
  deltafold stats --format json examples/streams/dialects"
)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    captures: CaptureArgs,
    /// A table with bars (text), or one JSON object with all rows (json)
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print the N largest rows of each section of the table
    #[arg(long, value_name = "N", default_value = "10", value_parser = positive)]
    top: usize,
    #[command(flatten)]
    color: ColorArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

#[derive(Default)]
struct Stats {
    without_body: u64,
    events: u64,
    outcomes: BTreeMap<String, u64>,
    dialects: BTreeMap<String, u64>,
    models: BTreeMap<String, Model>,
    tokens: [Tokens; TOKENS.len()],
    tool_calls: BTreeMap<String, u64>,
    findings: BTreeMap<String, Rule>,
}

#[derive(Default)]
struct Model {
    captures: u64,
    input: i128,
    output: i128,
}

/// A count of tokens over the captures that report it.
#[derive(Default)]
struct Tokens {
    captures: u64,
    sum: i128,
    largest: i64,
}

#[derive(Default)]
struct Rule {
    findings: u64,
    captures: u64,
    severity: String,
}

pub(crate) fn run(args: &StatsArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    let color = Color::from_args(args.color, io);
    let stdin = Stdin::new(&mut io.input);
    let mut stats = Stats::default();
    let errors = (&mut *io.errors as &mut (dyn std::io::Write + Send), io.errors_is_terminal);
    let summary = captures::fold(&args.captures, &COLUMNS, &stdin, errors, |rows| {
        stats.add(&rows);
        Ok(())
    })?;
    match args.format {
        Format::Json => print(io, &(stats.json(&summary).to_string() + "\n"))?,
        Format::Text => {
            let mut output = Output::new(&mut io.output, io.output_is_terminal);
            stats.lines(&summary, args.top).iter().try_for_each(|line| output.styled(line, color))?;
            output.flush()?;
        }
    }
    summary.problems.iter().for_each(|problem| print_error(io, problem));
    Ok(u8::from(!summary.problems.is_empty()))
}

impl Stats {
    fn add(&mut self, rows: &Rows) {
        let column = |column: FoldColumn| -> &ArrayRef {
            let found = rows.folded.column_by_name(column.name());
            // `COLUMNS` has every column that is read here.
            found.unwrap_or(rows.folded.column(0))
        };
        let text = |of: FoldColumn| column(of).as_string::<i32>();
        let (outcomes, dialects, models) =
            (text(FoldColumn::Outcome), text(FoldColumn::Dialect), text(FoldColumn::Model));
        let events = column(FoldColumn::Events).as_primitive::<Int64Type>();
        let usage = column(FoldColumn::Usage).as_struct();
        let calls = column(FoldColumn::ToolCalls).as_list::<i32>();
        let findings = column(FoldColumn::Findings).as_list::<i32>();
        for row in 0..rows.folded.len() {
            if rows.folded.is_null(row) {
                self.without_body += 1;
                continue;
            }
            self.events += events.value(row).unsigned_abs();
            *self.outcomes.entry(outcomes.value(row).to_owned()).or_default() += 1;
            if dialects.is_valid(row) {
                *self.dialects.entry(dialects.value(row).to_owned()).or_default() += 1;
            }
            let model = if models.is_valid(row) { models.value(row) } else { "" };
            let model = self.models.entry(model.to_owned()).or_default();
            model.captures += 1;
            for (at, (name, tokens)) in TOKENS.iter().zip(&mut self.tokens).enumerate() {
                let Some(count) = field_count(usage, name, row) else { continue };
                tokens.captures += 1;
                tokens.sum += i128::from(count);
                tokens.largest = tokens.largest.max(count);
                match at {
                    0 => model.input += i128::from(count),
                    3 => model.output += i128::from(count),
                    _ => {}
                }
            }
            let row_calls = calls.value(row);
            for at in 0..row_calls.len() {
                let call = row_calls.as_struct();
                // A built-in tool has a type and no name.
                let name = field_text(call, "name", at).or_else(|| field_text(call, "type", at));
                *self.tool_calls.entry(name.unwrap_or_default().to_owned()).or_default() += 1;
            }
            self.add_findings(findings.value(row).as_struct());
        }
    }

    fn add_findings(&mut self, findings: &StructArray) {
        let mut seen: Vec<&str> = Vec::new();
        for at in 0..findings.len() {
            let Some(name) = field_text(findings, "rule", at) else { continue };
            let rule = self.findings.entry(name.to_owned()).or_default();
            rule.findings += 1;
            if !seen.contains(&name) {
                seen.push(name);
                rule.captures += 1;
            }
            if rule.severity.is_empty() {
                field_text(findings, "severity", at).unwrap_or_default().clone_into(&mut rule.severity);
            }
        }
    }

    fn json(&self, summary: &Summary) -> Value {
        let counts = |counts: &BTreeMap<String, u64>| {
            object(
                largest(counts, |count| *count).into_iter().map(|(name, count)| (name.to_owned(), Value::from(*count))),
            )
        };
        let models = largest(&self.models, |model| model.captures).into_iter().map(|(name, model)| {
            let counts = [
                ("captures", Value::from(model.captures)),
                ("input_tokens", number(model.input)),
                ("output_tokens", number(model.output)),
            ];
            (name.to_owned(), object(counts.map(|(name, value)| (name.to_owned(), value))))
        });
        let tokens = TOKENS.iter().zip(&self.tokens).map(|(name, tokens)| {
            let counts = [
                ("captures", Value::from(tokens.captures)),
                ("sum", number(tokens.sum)),
                ("largest", Value::from(tokens.largest)),
            ];
            ((*name).to_owned(), object(counts.map(|(name, value)| (name.to_owned(), value))))
        });
        let findings = largest(&self.findings, |rule| rule.findings).into_iter().map(|(name, rule)| {
            let counts = [
                ("severity", Value::from(rule.severity.as_str())),
                ("findings", Value::from(rule.findings)),
                ("captures", Value::from(rule.captures)),
            ];
            (name.to_owned(), object(counts.map(|(name, value)| (name.to_owned(), value))))
        });
        object(
            [
                ("captures", Value::from(summary.captures)),
                ("without_body", Value::from(self.without_body)),
                ("bytes", Value::from(summary.bytes)),
                ("events", Value::from(self.events)),
                ("outcomes", counts(&self.outcomes)),
                ("dialects", counts(&self.dialects)),
                ("models", object(models)),
                ("tokens", object(tokens)),
                ("tool_calls", counts(&self.tool_calls)),
                ("findings", object(findings)),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        )
    }

    fn lines(&self, summary: &Summary, top: usize) -> Vec<StyledLine> {
        let mut lines = vec![StyledLine::new(
            PLAIN,
            format!("{} captures, {}, {} events", summary.captures, size(summary.bytes), self.events),
        )];
        let count = |count: &u64| (*count, String::new());
        section(&mut lines, "outcomes", top, largest(&self.outcomes, |count| *count), count);
        section(&mut lines, "dialects", top, largest(&self.dialects, |count| *count), count);
        section(&mut lines, "models", top, largest(&self.models, |model| model.captures), |model| {
            (model.captures, format!("{} in, {} out", model.input, model.output))
        });
        let tokens = TOKENS.iter().zip(&self.tokens).filter(|(_, tokens)| tokens.captures > 0);
        let tokens: Vec<_> = tokens.map(|(name, tokens)| (name.trim_end_matches("_tokens"), tokens)).collect();
        section(&mut lines, "tokens", TOKENS.len(), tokens, |tokens| {
            let mean = tokens.sum / i128::from(tokens.captures.max(1));
            (u64::try_from(tokens.sum).unwrap_or(0), format!("mean {mean}, largest {}", tokens.largest))
        });
        section(&mut lines, "tool calls", top, largest(&self.tool_calls, |count| *count), count);
        section(&mut lines, "findings", top, largest(&self.findings, |rule| rule.findings), |rule| {
            let captures = if rule.captures == 1 { "capture" } else { "captures" };
            (rule.findings, format!("{} in {} {captures}", rule.severity, rule.captures))
        });
        if self.without_body > 0 {
            lines.push(StyledLine::default());
            lines.push(StyledLine::new(PLAIN, format!("{} entries have no body", self.without_body)));
        }
        lines
    }
}

/// Appends a title and a line with a bar for each of the first rows.
fn section<T>(
    lines: &mut Vec<StyledLine>,
    title: &str,
    top: usize,
    rows: Vec<(&str, &T)>,
    describe: impl Fn(&T) -> (u64, String),
) {
    if rows.is_empty() {
        return;
    }
    lines.push(StyledLine::default());
    lines.push(StyledLine::new(TITLE, title));
    let hidden = rows.len().saturating_sub(top);
    let shown: Vec<_> = rows
        .into_iter()
        .take(top)
        .map(|(name, row)| (if name.is_empty() { "(none)" } else { name }, describe(row)))
        .collect();
    let width = column_width(shown.iter().map(|(name, _)| *name));
    let digits = shown.iter().map(|(_, (count, _))| count.to_string().len()).max().unwrap_or(0);
    let most = shown.iter().map(|(_, (count, _))| *count).max().unwrap_or(0);
    for (name, (count, text)) in shown {
        let line = StyledLine::new(PLAIN, format!("{}  {count:>digits$}  ", pad(name, width))).indented(2);
        lines.push(line.with(CODE, pad(&bar(count, most), BAR)).with(DIM, format!("  {text}")));
    }
    if hidden > 0 {
        lines.push(StyledLine::new(DIM, format!("{hidden} more: --top {}", hidden + top)).indented(2));
    }
}

/// A bar in eighths of a column; a count above zero has at least one.
fn bar(count: u64, most: u64) -> String {
    const PARTS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let eighths = u128::from(count) * (BAR as u128 * 8) / u128::from(most.max(1));
    let eighths = usize::try_from(eighths).unwrap_or(BAR * 8).max(usize::from(count > 0));
    let mut text = "█".repeat(eighths / 8);
    text.extend(PARTS.get(eighths % 8).filter(|part| **part != ' '));
    text
}

/// Rows by falling count, then by name.
fn largest<T>(rows: &BTreeMap<String, T>, count: impl Fn(&T) -> u64) -> Vec<(&str, &T)> {
    let mut rows: Vec<_> = rows.iter().map(|(name, row)| (name.as_str(), row)).collect();
    rows.sort_by_key(|(_, row)| std::cmp::Reverse(count(row)));
    rows
}

fn field_text<'a>(rows: &'a StructArray, name: &str, row: usize) -> Option<&'a str> {
    let column: &StringArray = rows.column_by_name(name)?.as_string();
    column.is_valid(row).then(|| column.value(row))
}

fn field_count(rows: &StructArray, name: &str, row: usize) -> Option<i64> {
    let column = rows.column_by_name(name)?.as_primitive::<Int64Type>();
    (rows.is_valid(row) && column.is_valid(row)).then(|| column.value(row))
}

fn object(members: impl IntoIterator<Item = (String, Value)>) -> Value {
    let mut object = Object::new();
    members.into_iter().for_each(|(name, value)| object.push(name, value));
    Value::Object(object)
}

/// A sum; one above the largest number becomes that.
fn number(sum: i128) -> Value {
    Value::from(i64::try_from(sum).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::{bar, BAR};

    #[test]
    fn a_bar_shows_the_share_of_the_largest_count() {
        assert_eq!(bar(10, 10), "█".repeat(BAR));
        assert_eq!(bar(5, 10), "█".repeat(BAR / 2));
        assert_eq!(bar(1, 1_000_000), "▏");
        assert_eq!(bar(0, 10), "");
        assert_eq!(bar(0, 0), "");
        assert_eq!(bar(u64::MAX, u64::MAX), "█".repeat(BAR));
    }
}
