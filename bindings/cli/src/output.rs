//! Output: stdout, buffered, quiet when the reader of it goes away.

use std::io::{self, StdoutLock, Write};

use crate::Failure;

/// A buffered stdout.
pub(crate) struct Output {
    inner: io::BufWriter<StdoutLock<'static>>,
}

impl Output {
    /// Opens stdout.
    pub(crate) fn open() -> Self {
        Self { inner: io::BufWriter::new(io::stdout().lock()) }
    }

    /// Writes text.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.bytes(text.as_bytes())
    }

    /// Writes bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.inner.write_all(bytes).map_err(failure)
    }

    /// Writes text and a line end.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        self.text(text)?;
        self.text("\n")
    }

    /// Sends what is buffered.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.inner.flush().map_err(failure)
    }
}

/// Writes one text and sends it.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let mut output = Output::open();
    output.text(text)?;
    output.flush()
}

/// Writes a message to stderr. If that is gone too, there is nobody left to tell.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "deltafold: {message}");
}

fn failure(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::Work(format!("cannot write to stdout: {error}")),
    }
}
