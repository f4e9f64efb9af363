//! [`RecordWriter`]: prints JSON objects as lines, as one array, or as short text; for `events` and `frames`.

use clap::ValueEnum;
use deltafold::json::write_string;

use crate::color::{Color, PLAIN};
use crate::output::Output;
use crate::styled_line::StyledLine;
use crate::Failure;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Jsonl,
    Json,
    Text,
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct RecordArgs {
    /// One JSON object per line (jsonl), one JSON array (json), or short lines (text)
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Jsonl)]
    format: Format,
}

/// Prints one record after another.
pub(crate) struct RecordWriter<'a> {
    output: Output<'a>,
    format: Format,
    with_file: bool,
    count: u64,
}

impl<'a> RecordWriter<'a> {
    /// With `with_file`, each record begins with the name of its file.
    pub(crate) fn new(args: RecordArgs, with_file: bool, output: Output<'a>) -> Self {
        Self { output, format: args.format, with_file, count: 0 }
    }

    /// True if records are printed with [`RecordWriter::text`], otherwise with [`RecordWriter::json`].
    pub(crate) fn is_text(&self) -> bool {
        self.format == Format::Text
    }

    /// Prints a JSON object, which must have a member.
    pub(crate) fn json(&mut self, file: &str, object: &str) -> Result<(), Failure> {
        let separator = match (self.format, self.count) {
            (Format::Json, 0) => "[\n",
            (Format::Json, _) => ",\n",
            _ => "",
        };
        self.count += 1;
        self.output.text(separator)?;
        if self.with_file {
            let mut start = String::from("{\"file\":");
            write_string(file, &mut start);
            self.output.text(&start)?;
            self.output.text(",")?;
            self.output.text(object.get(1..).unwrap_or_default())?;
        } else {
            self.output.text(object)?;
        }
        self.output.text(if self.format == Format::Json { "" } else { "\n" })
    }

    /// Prints a line of text.
    pub(crate) fn text(&mut self, file: &str, line: &str) -> Result<(), Failure> {
        let line = if self.with_file { format!("{file}: {line}") } else { line.to_owned() };
        self.output.styled(&StyledLine::new(PLAIN, line), Color::NEVER)
    }

    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.output.flush()
    }

    /// Closes the array.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        match (self.format, self.count) {
            (Format::Json, 0) => self.output.line("[]")?,
            (Format::Json, _) => self.output.line("\n]")?,
            _ => {}
        }
        self.output.flush()
    }
}
