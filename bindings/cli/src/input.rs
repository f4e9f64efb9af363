//! Input: a file or stdin, read in chunks.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::Failure;

/// How many bytes are read at once.
const CHUNK: usize = 64 << 10;

/// Standard input, for the file named `-`.
pub(crate) struct Stdin<'a>(Mutex<Option<&'a mut (dyn Read + Send)>>);

impl<'a> Stdin<'a> {
    /// Wraps `stdin`, which can be taken once.
    pub(crate) fn new(stdin: &'a mut (dyn Read + Send)) -> Self {
        Self(Mutex::new(Some(stdin)))
    }

    fn take(&self) -> Result<&'a mut (dyn Read + Send), Failure> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.ok_or_else(|| Failure::Usage("stdin can be read only once; name - only once".into()))
    }
}

/// An open input.
pub(crate) struct Input<'a> {
    source: BufReader<Box<dyn Read + Send + 'a>>,
    file: OsString,
    name: String,
    size: Option<u64>,
    chunk: Vec<u8>,
    split: Option<usize>,
}

impl<'a> Input<'a> {
    /// Opens a file; `-` is stdin.
    ///
    /// With `split`, every chunk except the last has this many bytes. Without it a chunk is the result of one read, so that a live
    /// stream is not delayed.
    pub(crate) fn open(file: &OsStr, split: Option<usize>, stdin: &Stdin<'a>) -> Result<Self, Failure> {
        let input = if file == "-" { Self::new(file, Box::new(stdin.take()?), None) } else { Self::open_file(file)? };
        Ok(Self { split, ..input })
    }

    /// Opens a file, even if its name is `-`.
    pub(crate) fn open_file(file: &OsStr) -> Result<Self, Failure> {
        let opened = open(file)?;
        let size = opened.metadata().ok().filter(|found| found.is_file()).map(|found| found.len());
        Ok(Self::new(file, Box::new(opened), size))
    }

    fn new(file: &OsStr, source: Box<dyn Read + Send + 'a>, size: Option<u64>) -> Self {
        let source = BufReader::with_capacity(CHUNK, source);
        Self { source, file: file.to_owned(), name: shown(file), size, chunk: Vec::new(), split: None }
    }

    /// Reads the next chunk; `None` at the end. A file that grows may have more later.
    pub(crate) fn chunk(&mut self) -> Result<Option<&[u8]>, Failure> {
        let read = match self.split {
            Some(length) => {
                self.chunk.clear();
                self.source.by_ref().take(length as u64).read_to_end(&mut self.chunk)
            }
            None => loop {
                // Only the first call fills the buffer with zeros.
                self.chunk.resize(CHUNK, 0);
                match self.source.read(&mut self.chunk) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    result => break result,
                }
            },
        };
        match read {
            Ok(0) => Ok(None),
            Ok(length) => Ok(self.chunk.get(..length)),
            Err(error) => Err(Failure::Work(format!("cannot read {}: {error}", self.name))),
        }
    }

    /// Starts again at the first byte; only a regular file can.
    pub(crate) fn rewind(&mut self) -> Result<(), Failure> {
        if self.size.is_some() {
            self.source = BufReader::with_capacity(CHUNK, Box::new(open(&self.file)?));
            return Ok(());
        }
        Err(Failure::Work(format!("{} cannot be read again", self.name)))
    }

    /// The name of the input in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The number of bytes, for a regular file.
    pub(crate) fn size(&self) -> Option<u64> {
        self.size
    }
}

/// The name of a file in messages and reports.
pub(crate) fn shown(file: &OsStr) -> String {
    if file == "-" {
        "stdin".to_owned()
    } else {
        file.to_string_lossy().into_owned()
    }
}

/// Opens a file for reading.
pub(crate) fn open(file: &OsStr) -> Result<File, Failure> {
    let path = Path::new(file);
    if path.is_dir() {
        return Err(Failure::Usage(format!("{} is a folder; name a file in it", shown(file))));
    }
    File::open(path).map_err(|error| Failure::Usage(format!("cannot open {}: {error}", shown(file))))
}

/// Reads a small file as a whole; `-` is stdin.
pub(crate) fn read_bytes(file: &OsStr, stdin: &Stdin<'_>) -> Result<Vec<u8>, Failure> {
    let mut input = Input::open(file, None, stdin)?;
    let mut bytes = Vec::new();
    while let Some(chunk) = input.chunk()? {
        bytes.extend_from_slice(chunk);
    }
    Ok(bytes)
}

/// Reads a small file as text; `-` is stdin.
pub(crate) fn read_text(file: &OsStr, stdin: &Stdin<'_>) -> Result<String, Failure> {
    String::from_utf8(read_bytes(file, stdin)?).map_err(|_| Failure::Usage(format!("{} is not UTF-8", shown(file))))
}
