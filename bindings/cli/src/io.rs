//! [`Io`]: the streams of a call, provided by its caller.

use std::io::{self, IsTerminal, Read, Write};

/// The streams that a call reads and writes, and which of them are terminals.
///
/// The call opens the files that its arguments name. Everything else is provided here, so that a test or a program that embeds
/// the commands controls it. The progress bar is an exception: if `errors_is_terminal` is true, it is drawn on stderr of the
/// process.
pub struct Io<'a> {
    /// The input that `-` names.
    pub input: Box<dyn Read + Send + 'a>,
    /// Receives results.
    pub output: Box<dyn Write + Send + 'a>,
    /// Receives messages and progress.
    pub errors: Box<dyn Write + Send + 'a>,
    /// True if `output` is a terminal: results are escaped, and may be colored.
    pub output_is_terminal: bool,
    /// True if `errors` is a terminal.
    pub errors_is_terminal: bool,
    /// True if color is disabled (`NO_COLOR`).
    pub no_color: bool,
    /// True if the terminals know no escape sequences (`TERM=dumb`): no color, no live view, no progress bar.
    pub plain_terminal: bool,
    /// Returns the columns and rows of the terminal at `output`; called for each frame, because the window may change.
    pub size: fn() -> Option<(u16, u16)>,
}

impl Io<'static> {
    /// The streams of this process, and `NO_COLOR` and `TERM` of its environment.
    pub fn std() -> Self {
        Self {
            input: Box::new(io::stdin()),
            output: Box::new(io::stdout()),
            errors: Box::new(io::stderr()),
            output_is_terminal: io::stdout().is_terminal(),
            errors_is_terminal: io::stderr().is_terminal(),
            no_color: anstyle_query::no_color(),
            plain_terminal: plain_terminal(),
            size: window,
        }
    }
}

/// True for `TERM=dumb`, for no `TERM` outside of Windows, and for a console of Windows that cannot be switched to escape sequences.
fn plain_terminal() -> bool {
    !anstyle_query::term_supports_color() || anstyle_query::windows::enable_ansi_colors() == Some(false)
}

/// The size of the terminal; if it reports none, `COLUMNS` and `LINES`.
fn window() -> Option<(u16, u16)> {
    let reported = terminal_size::terminal_size().map(|(width, height)| (width.0, height.0));
    let variable =
        |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok()).filter(|value| *value > 0);
    reported
        .filter(|(columns, rows)| *columns > 0 && *rows > 0)
        .or_else(|| Some((variable("COLUMNS")?, variable("LINES").unwrap_or(24))))
}

impl std::fmt::Debug for Io<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Io")
            .field("output_is_terminal", &self.output_is_terminal)
            .field("errors_is_terminal", &self.errors_is_terminal)
            .field("no_color", &self.no_color)
            .field("plain_terminal", &self.plain_terminal)
            .finish_non_exhaustive()
    }
}
