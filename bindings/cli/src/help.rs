//! Help pages and usage errors: the text that clap makes, sent to the streams of the call.

use std::borrow::Cow;

use crate::escape::escape;
use crate::output::failure;
use crate::Io;

/// The maximum width of a help page.
pub(crate) const WIDTH: usize = 100;

/// The layout of a command's page; `before-help` holds the description, `after-help` exit codes and examples.
pub(crate) const TEMPLATE: &str =
    "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

/// The end of the first page.
pub(crate) const MAIN: &str = "\
Without FILE, or with -, input is stdin. `deltafold COMMAND --help` describes a command.

Examples:
  deltafold show examples/streams/tour.sse
  deltafold replay --rate 50 examples/streams/tour.sse | deltafold show
  deltafold check examples/streams/*.sse";

/// Prints what clap returns instead of arguments: a help page, the version or a usage error. Returns the exit code.
pub(crate) fn print(error: &clap::Error, io: &mut Io<'_>) -> u8 {
    let rendered = error.render();
    let plain = rendered.to_string();
    let terminal = if error.use_stderr() { io.errors_is_terminal } else { io.output_is_terminal };
    let text = match escape(&plain) {
        Cow::Borrowed(_) if terminal && !io.no_color && !io.plain_terminal => rendered.ansi().to_string(),
        // An error that quotes an argument with control characters is escaped, and so has no color.
        escaped => escaped.into_owned(),
    };
    if error.use_stderr() {
        // Without stderr a failure cannot be reported.
        let _ = io.errors.write_all(text.as_bytes());
        return u8::try_from(error.exit_code()).unwrap_or(2);
    }
    // Written as it is: the escape sequences of the text are those of its own colors.
    let written = io.output.write_all(text.as_bytes()).and_then(|()| io.output.flush());
    written.map_or_else(|error| failure(&error).code(), |()| 0)
}
