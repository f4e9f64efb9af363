//! Colours, or none.

use deltafold::Severity;

use crate::args::Args;
use crate::{Failure, Io};

/// Paints text, if colours are wanted.
#[derive(Clone, Copy)]
pub(crate) struct Paint(pub(crate) bool);

impl Paint {
    /// Reads `--color`.
    pub(crate) fn from_args(args: &Args, io: &Io<'_>) -> Result<Self, Failure> {
        Ok(match args.choice("--color", &["auto", "always", "never"])? {
            "always" => Self(true),
            "never" => Self(false),
            _ => Self(!io.no_color && io.output_is_terminal),
        })
    }

    pub(crate) fn severity(self, severity: Severity) -> String {
        let code = match severity {
            Severity::Error => "31;1",
            Severity::Warning => "33",
            Severity::Note => "36",
        };
        self.with(code, severity.name())
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.with("31", text)
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.with("32", text)
    }

    /// Paints with these codes of SGR. Empty text and empty codes stay as they are.
    pub(crate) fn with(self, code: &str, text: &str) -> String {
        if self.0 && !code.is_empty() && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// Control characters of a payload must not reach a terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { '\u{FFFD}' } else { char }).collect()
}
