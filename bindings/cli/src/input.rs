//! Input: a file or stdin, read in chunks, never as a whole.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::Failure;

/// How much is read at once.
const CHUNK: usize = 64 << 10;

/// An open input.
pub(crate) struct Input {
    source: Box<dyn Read>,
    name: String,
    buffer: Vec<u8>,
    /// Hand out at most so many bytes at a time.
    split: usize,
    start: usize,
    end: usize,
}

impl Input {
    /// Opens a file; `-` is stdin.
    pub(crate) fn open(file: &OsStr, split: Option<usize>) -> Result<Self, Failure> {
        let name = if file == "-" { "stdin".to_owned() } else { file.to_string_lossy().into_owned() };
        let source: Box<dyn Read> = if file == "-" {
            Box::new(io::stdin().lock())
        } else {
            let path = Path::new(file);
            if path.is_dir() {
                return Err(Failure::Usage(format!("{name} is a folder; name a file in it")));
            }
            Box::new(File::open(path).map_err(|error| Failure::Usage(format!("cannot open {name}: {error}")))?)
        };
        Ok(Self { source, name, buffer: vec![0; CHUNK], split: split.unwrap_or(CHUNK), start: 0, end: 0 })
    }

    /// The next chunk; `None` at the end.
    pub(crate) fn chunk(&mut self) -> Result<Option<&[u8]>, Failure> {
        while self.start == self.end {
            self.start = 0;
            self.end = match self.source.read(&mut self.buffer) {
                Ok(0) => return Ok(None),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
                Err(error) => return Err(Failure::Work(format!("cannot read {}: {error}", self.name))),
            };
        }
        let from = self.start;
        self.start = self.end.min(from + self.split);
        Ok(Some(&self.buffer[from..self.start]))
    }

    /// The name to show people.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}
