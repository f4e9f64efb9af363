//! Input: a file or stdin, read in chunks, never as a whole.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::Failure;

/// How much is read at once.
const CHUNK: usize = 64 << 10;

/// Standard input, for the one file that is called `-`.
pub(crate) struct Stdin<'a>(Mutex<Option<&'a mut (dyn Read + Send)>>);

impl<'a> Stdin<'a> {
    /// Hands out `stdin` once.
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
    /// With `split` every chunk but the last has so many bytes. Without it a chunk is what one read gives, so that a live
    /// stream is not held back.
    pub(crate) fn open(file: &OsStr, split: Option<usize>, stdin: &Stdin<'a>) -> Result<Self, Failure> {
        let name = shown(file);
        let mut size = None;
        let source: Box<dyn Read + Send + 'a> = if file == "-" {
            Box::new(stdin.take()?)
        } else {
            let opened = open(file)?;
            size = opened.metadata().ok().filter(|found| found.is_file()).map(|found| found.len());
            Box::new(opened)
        };
        let file = file.to_owned();
        Ok(Self { source: BufReader::with_capacity(CHUNK, source), file, name, size, chunk: Vec::new(), split })
    }

    /// The next chunk; `None` at the end. A file that grows may have more later.
    pub(crate) fn chunk(&mut self) -> Result<Option<&[u8]>, Failure> {
        let read = match self.split {
            Some(length) => {
                self.chunk.clear();
                self.source.by_ref().take(length as u64).read_to_end(&mut self.chunk)
            }
            None => loop {
                // Filled with zeros once; later reads go over what the one before has left.
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

    /// Begins again. Only a file that has a size can.
    pub(crate) fn rewind(&mut self) -> Result<(), Failure> {
        if self.size.is_some() {
            self.source = BufReader::with_capacity(CHUNK, Box::new(open(&self.file)?));
            return Ok(());
        }
        Err(Failure::Work(format!("{} cannot be read again", self.name)))
    }

    /// The name to show people.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// How many bytes there are, where that is known.
    pub(crate) fn size(&self) -> Option<u64> {
        self.size
    }
}

/// The name of a file as people see it.
pub(crate) fn shown(file: &OsStr) -> String {
    if file == "-" {
        "stdin".to_owned()
    } else {
        file.to_string_lossy().into_owned()
    }
}

/// Opens a file for reading; the error says what to do.
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
