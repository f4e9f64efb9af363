//! Color on terminals.

use anstyle::{AnsiColor, Style};
use deltafold::Severity;

use crate::args::{ColorArg, When};
use crate::Io;

pub(crate) const PLAIN: Style = Style::new();
pub(crate) const TITLE: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const PENDING: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const CODE: Style = AnsiColor::Cyan.on_default();
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();

/// Applies styles to text if color is enabled.
#[derive(Clone, Copy)]
pub(crate) struct Color {
    enabled: bool,
}

impl Color {
    #[cfg(test)]
    pub(crate) const ALWAYS: Self = Self { enabled: true };
    pub(crate) const NEVER: Self = Self { enabled: false };

    pub(crate) fn from_args(args: ColorArg, io: &Io<'_>) -> Self {
        let enabled = match args.color {
            When::Always => true,
            When::Never => false,
            When::Auto => io.output_is_terminal && !io.no_color && !io.plain_terminal,
        };
        Self { enabled }
    }

    /// Returns the text with escape sequences that start and end the style.
    pub(crate) fn apply(self, style: Style, text: &str) -> String {
        if self.enabled && !text.is_empty() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}

pub(crate) fn severity_style(severity: Severity) -> Style {
    match severity {
        Severity::Error => BAD,
        Severity::Warning => PENDING,
        Severity::Note => CODE,
    }
}
