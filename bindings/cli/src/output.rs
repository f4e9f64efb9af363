//! Output: stdout, buffered, quiet when the reader of it goes away.

use std::io::{self, Write};

use crate::{Failure, Io};

/// A buffered stdout.
pub(crate) struct Output<'a> {
    inner: io::BufWriter<&'a mut (dyn Write + Send)>,
}

impl<'a> Output<'a> {
    /// Puts a buffer before a stream.
    pub(crate) fn new(inner: &'a mut (dyn Write + Send)) -> Self {
        Self { inner: io::BufWriter::new(inner) }
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

/// Writes a message to stderr. If that is gone too, there is nobody left to tell.
pub(crate) fn complain(io: &mut Io<'_>, message: &str) {
    let _ = io.errors.write_all(format!("deltafold: {message}\n").as_bytes());
}

fn failure(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::Work(format!("cannot write to stdout: {error}")),
    }
}
