//! [`Lines`]: one JSON object after another, as lines, as one array, or as short text; `events` and `frames` print so.

use deltafold::json::write_string;

use crate::args::Args;
use crate::output::Output;
use crate::paint::printable;
use crate::table::{Opt, Words};
use crate::Failure;

pub(crate) const FORMAT: Opt = Opt::with(
    "--format",
    "F",
    Words::List(&["jsonl", "json", "text"]),
    "jsonl (default: one object a line), json (one array) or text (short, for people)",
);

/// Prints objects in the format that was asked for.
pub(crate) struct Lines<'a> {
    output: Output<'a>,
    format: &'static str,
    named: bool,
    count: u64,
}

impl<'a> Lines<'a> {
    /// Reads `--format`. With `named`, each object begins with the name of its file.
    pub(crate) fn from_args(args: &Args, named: bool, output: Output<'a>) -> Result<Self, Failure> {
        let format = args.choice("--format", &["jsonl", "json", "text"])?;
        Ok(Self { output, format, named, count: 0 })
    }

    pub(crate) fn are_text(&self) -> bool {
        self.format == "text"
    }

    /// Prints an object, which is not empty.
    pub(crate) fn json(&mut self, file: &str, object: &str) -> Result<(), Failure> {
        let lead = match (self.format, self.count) {
            ("json", 0) => "[\n",
            ("json", _) => ",\n",
            _ => "",
        };
        self.count += 1;
        self.output.text(lead)?;
        if self.named {
            let mut start = String::from("{\"file\":");
            write_string(file, &mut start);
            self.output.text(&start)?;
            self.output.text(",")?;
            self.output.text(object.get(1..).unwrap_or_default())?;
        } else {
            self.output.text(object)?;
        }
        self.output.text(if self.format == "json" { "" } else { "\n" })
    }

    /// Prints a line for people.
    pub(crate) fn text(&mut self, file: &str, line: &str) -> Result<(), Failure> {
        if self.named {
            self.output.text(&format!("{}: ", printable(file)))?;
        }
        self.output.line(&printable(line))
    }

    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.output.flush()
    }

    /// Closes the array.
    pub(crate) fn end(mut self) -> Result<(), Failure> {
        match (self.format, self.count) {
            ("json", 0) => self.output.line("[]")?,
            ("json", _) => self.output.line("\n]")?,
            _ => {}
        }
        self.output.flush()
    }
}
