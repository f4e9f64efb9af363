//! [`Io`]: everything that a call reads from and writes to, handed in by whoever makes the call.

use std::io::{self, IsTerminal, Read, Write};

/// Where a call reads and writes, and what is known about the other end.
///
/// Files that the arguments name are opened by the call itself. Everything else comes from here, so that a program that
/// embeds the commands, or a test, decides what they see.
pub struct Io<'a> {
    /// What `-` reads.
    pub input: Box<dyn Read + Send + 'a>,
    /// Where results go.
    pub output: Box<dyn Write + Send + 'a>,
    /// Where messages and progress go.
    pub errors: Box<dyn Write + Send + 'a>,
    /// Whether a person watches the results.
    pub output_is_terminal: bool,
    /// Whether a person watches the messages.
    pub errors_is_terminal: bool,
    /// Whether colours were refused (`NO_COLOR`).
    pub no_color: bool,
    /// Columns and rows of the terminal that the results go to; asked again for each drawing, since windows change.
    pub size: fn() -> Option<(u16, u16)>,
}

impl Io<'static> {
    /// The streams of this process, and `NO_COLOR` of its environment.
    pub fn std() -> Self {
        Self {
            input: Box::new(io::stdin()),
            output: Box::new(io::stdout()),
            errors: Box::new(io::stderr()),
            output_is_terminal: io::stdout().is_terminal(),
            errors_is_terminal: io::stderr().is_terminal(),
            // An empty value counts as unset, as https://no-color.org has it.
            no_color: std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()),
            size: window,
        }
    }
}

/// The size of the terminal at stdout; where it tells none, `COLUMNS` and `LINES`.
fn window() -> Option<(u16, u16)> {
    let told = terminal_size::terminal_size_of(io::stdout()).map(|(width, height)| (width.0, height.0));
    let variable =
        |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok()).filter(|value| *value > 0);
    told.filter(|(columns, rows)| *columns > 0 && *rows > 0)
        .or_else(|| Some((variable("COLUMNS")?, variable("LINES").unwrap_or(24))))
}

impl std::fmt::Debug for Io<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Io")
            .field("output_is_terminal", &self.output_is_terminal)
            .field("errors_is_terminal", &self.errors_is_terminal)
            .field("no_color", &self.no_color)
            .finish_non_exhaustive()
    }
}
