//! Input: a file or stdin, read in chunks, never as a whole.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use crate::Failure;

/// How much is read at once.
const CHUNK: usize = 64 << 10;

/// An open input.
pub(crate) struct Input<'a> {
    source: BufReader<Box<dyn Read + Send + 'a>>,
    name: String,
    chunk: Vec<u8>,
    split: Option<usize>,
}

impl<'a> Input<'a> {
    /// Opens a file; `-` is stdin.
    ///
    /// With `split` every chunk but the last has so many bytes. Without it a chunk is what one read gives, so that a live
    /// stream is not held back.
    pub(crate) fn open(file: &OsStr, split: Option<usize>, stdin: &'a mut (dyn Read + Send)) -> Result<Self, Failure> {
        let name = if file == "-" { "stdin".to_owned() } else { file.to_string_lossy().into_owned() };
        let source: Box<dyn Read + Send + 'a> = if file == "-" {
            Box::new(stdin)
        } else {
            let path = Path::new(file);
            if path.is_dir() {
                return Err(Failure::Usage(format!("{name} is a folder; name a file in it")));
            }
            Box::new(File::open(path).map_err(|error| Failure::Usage(format!("cannot open {name}: {error}")))?)
        };
        Ok(Self { source: BufReader::with_capacity(CHUNK, source), name, chunk: Vec::new(), split })
    }

    /// The next chunk; `None` at the end.
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

    /// The name to show people.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}
