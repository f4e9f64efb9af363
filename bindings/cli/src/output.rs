//! Output: buffered stdout that ends the command quietly when its reader closes the pipe.

use std::io::{self, Write};

use crate::color::Color;
use crate::escape::{escape, escape_line};
use crate::styled_line::StyledLine;
use crate::{Failure, Io};

/// A buffered stdout. In a pipe or file, data is written unchanged; on a terminal it is escaped.
pub(crate) struct Output<'a> {
    inner: io::BufWriter<&'a mut (dyn Write + Send)>,
    is_terminal: bool,
    /// On a terminal: the start of a UTF-8 sequence whose other bytes are not written yet.
    incomplete: Vec<u8>,
}

impl<'a> Output<'a> {
    pub(crate) fn new(inner: &'a mut (dyn Write + Send), is_terminal: bool) -> Self {
        Self { inner: io::BufWriter::new(inner), is_terminal, incomplete: Vec::new() }
    }

    /// Writes text.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        if self.is_terminal {
            self.write(escape(text).as_bytes())
        } else {
            self.write(text.as_bytes())
        }
    }

    /// Writes bytes that need not be text.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if !self.is_terminal {
            return self.write(bytes);
        }
        self.incomplete.extend_from_slice(bytes);
        let complete = complete_length(&self.incomplete);
        let rest = self.incomplete.split_off(complete);
        let text = std::mem::replace(&mut self.incomplete, rest);
        self.text(&String::from_utf8_lossy(&text))
    }

    /// Writes text and a line feed.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        self.text(text)?;
        self.write(b"\n")
    }

    /// Writes a line of human-readable text.
    pub(crate) fn styled(&mut self, line: &StyledLine, color: Color) -> Result<(), Failure> {
        self.write(line.render(color).as_bytes())?;
        self.write(b"\n")
    }

    /// Sends everything that is buffered.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.inner.flush().map_err(|error| failure(&error))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.inner.write_all(bytes).map_err(|error| failure(&error))
    }
}

/// The length of `bytes` without an incomplete UTF-8 sequence at the end.
fn complete_length(bytes: &[u8]) -> usize {
    // A sequence has at most four bytes, so an incomplete one at most three.
    let tail = bytes.len().saturating_sub(3);
    let starts = (tail..bytes.len()).rev().find(|at| bytes.get(*at).is_some_and(|byte| byte & 0xC0 != 0x80));
    let is_incomplete = |at: &usize| {
        std::str::from_utf8(bytes.get(*at..).unwrap_or_default()).is_err_and(|error| error.error_len().is_none())
    };
    starts.filter(is_incomplete).unwrap_or(bytes.len())
}

/// Writes a message to stderr. Without stderr a failure cannot be reported.
pub(crate) fn print_error(io: &mut Io<'_>, message: &str) {
    let _ = io.errors.write_all(format!("deltafold: {}\n", escape_line(message)).as_bytes());
}

/// The failure of a write to stdout.
pub(crate) fn failure(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::Work(format!("cannot write to stdout: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::Output;

    #[test]
    fn characters_that_are_split_between_writes_stay_whole_on_a_terminal() {
        let text = "a\u{9b}é日🚲\u{202e}z";
        for length in 1..5 {
            let mut written = Vec::new();
            let mut output = Output::new(&mut written, true);
            for chunk in text.as_bytes().chunks(length) {
                assert!(output.bytes(chunk).is_ok());
            }
            assert!(output.flush().is_ok());
            drop(output);
            assert_eq!(String::from_utf8(written).unwrap(), "a\\u009bé日🚲\\u202ez", "{length}");
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_replaced_on_a_terminal_and_exact_elsewhere() {
        for (is_terminal, expected) in [(true, "\u{fffd}a\\u0000".as_bytes()), (false, b"\xffa\0")] {
            let mut written = Vec::new();
            let mut output = Output::new(&mut written, is_terminal);
            assert!(output.bytes(b"\xffa\0").is_ok() && output.flush().is_ok());
            drop(output);
            assert_eq!(written, expected);
        }
    }
}
