//! [`Intake`]: bytes of any dialect → a [`Reader`].
//!
//! Every command that reads events takes its bytes through here, so that `--from` and `--messages` mean the same
//! everywhere. Which dialect it is shows in the first message; until then bytes wait, at most [`LOOK`] of them.

use deltafold::adapter::{detect, Converter, Dialect, Framing};
use deltafold::json::Value;
use deltafold::{Error, Limits, Reader};

use crate::args::{did_you_mean, Args};
use crate::convert;
use crate::Failure;

/// Bytes after which a stream that still has not shown its dialect is taken for Open Responses.
const LOOK: usize = 256 << 10;

/// How the input is to be read.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    /// `None`: find out.
    pub(crate) from: Option<Dialect>,
    /// Each line is a message.
    pub(crate) messages: bool,
}

impl Asked {
    /// Reads `--from` and `--messages`.
    pub(crate) fn from_args(args: &Args) -> Result<Self, Failure> {
        let messages = args.has("--messages");
        let from = match args.text("--from")? {
            None | Some("auto") if messages => Some(Dialect::OpenResponses),
            None | Some("auto") => None,
            Some(name) => Some(dialect(name)?),
        };
        match from {
            Some(from) if messages && from != Dialect::OpenResponses => {
                Err(Failure::Usage("--messages is for Open Responses; leave it out or --from".into()))
            }
            Some(from) if !from.is_read() => Err(Failure::Usage(format!(
                "{} can be written, not read; see --to of `deltafold convert`",
                from.name()
            ))),
            from => Ok(Self { from, messages }),
        }
    }
}

/// Finds a dialect by its name.
pub(crate) fn dialect(name: &str) -> Result<Dialect, Failure> {
    Dialect::from_name(name).map_err(|_| {
        let hint = did_you_mean(name, Dialect::ALL.iter().map(|dialect| dialect.name()));
        Failure::Usage(format!("no dialect is called {name}{hint}; `deltafold convert --help` lists them"))
    })
}

/// Takes bytes and hands the reader events.
pub(crate) struct Intake {
    asked: Asked,
    /// What waits until the dialect is known, or until a line is whole.
    rest: Vec<u8>,
    looked: usize,
    way: Way,
}

enum Way {
    Undecided,
    Straight,
    Lines,
    Converted(Box<Converter>),
}

impl Intake {
    pub(crate) fn new(asked: Asked) -> Result<Self, Failure> {
        let mut intake = Self { asked, rest: Vec::new(), looked: 0, way: Way::Undecided };
        if let Some(from) = asked.from {
            intake.way = intake.decide(from).map_err(|error| Failure::Usage(error.to_string()))?;
        }
        Ok(intake)
    }

    /// Takes bytes, cut anywhere. Poll the reader afterwards.
    pub(crate) fn push(&mut self, chunk: &[u8], reader: &mut Reader) -> Result<(), Error> {
        match &mut self.way {
            Way::Straight => reader.feed(chunk),
            Way::Lines => feed_lines(reader, &mut self.rest, chunk),
            Way::Converted(converter) => {
                // What was written before an error is good.
                let result = converter.feed(chunk);
                reader.feed(&converter.take())?;
                result
            }
            Way::Undecided => {
                self.rest.extend_from_slice(chunk);
                // Looking at the whole again pays only when there is a good deal more of it.
                if self.rest.len() < 4096 || self.rest.len() >= self.looked * 2 {
                    self.looked = self.rest.len();
                    if let Some(found) = foreign(&self.rest) {
                        return self.settle(found, reader);
                    }
                }
                if self.rest.len() > LOOK {
                    return self.settle(Dialect::OpenResponses, reader);
                }
                Ok(())
            }
        }
    }

    /// Says that no more bytes will come. Poll the reader afterwards.
    pub(crate) fn end(&mut self, reader: &mut Reader) -> Result<(), Error> {
        if matches!(self.way, Way::Undecided) {
            let whole = [self.rest.as_slice(), b"\n\n"].concat();
            self.settle(foreign(&whole).unwrap_or(Dialect::OpenResponses), reader)?;
        }
        let result = match &mut self.way {
            Way::Lines if !self.rest.is_empty() => feed_lines(reader, &mut self.rest, b"\n"),
            Way::Converted(converter) => {
                let result = converter.finish();
                reader.feed(&converter.take())?;
                result
            }
            _ => Ok(()),
        };
        reader.end();
        result
    }

    /// The dialect that is converted; `None` for Open Responses, or while it is not known.
    pub(crate) fn converted(&self) -> Option<Dialect> {
        match &self.way {
            Way::Converted(converter) => converter.from(),
            _ => None,
        }
    }

    fn settle(&mut self, from: Dialect, reader: &mut Reader) -> Result<(), Error> {
        self.way = self.decide(from)?;
        let start = std::mem::take(&mut self.rest);
        self.push(&start, reader)
    }

    fn decide(&self, from: Dialect) -> Result<Way, Error> {
        if self.asked.messages {
            return Ok(Way::Lines);
        }
        if from == Dialect::OpenResponses {
            return Ok(Way::Straight);
        }
        let options = Value::Object(convert::with_id(convert::with_time(Default::default()), from));
        let limits = Limits::default();
        let converter = Converter::with(Some(from), Dialect::OpenResponses, &options, Framing::Native, limits)?;
        Ok(Way::Converted(Box::new(converter)))
    }
}

/// The dialect that the first bytes show. An error body looks like that of Chat Completions or Gemini, but it is no stream
/// of theirs: the reader itself says what it is.
fn foreign(start: &[u8]) -> Option<Dialect> {
    let dialect = detect(start)?;
    let body = start.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    match dialect {
        Dialect::ChatCompletions | Dialect::Gemini if body => Some(Dialect::OpenResponses),
        _ => Some(dialect),
    }
}

/// Feeds every line that is whole, and keeps the rest.
fn feed_lines(reader: &mut Reader, rest: &mut Vec<u8>, chunk: &[u8]) -> Result<(), Error> {
    for line in chunk.split_inclusive(|byte| *byte == b'\n') {
        rest.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            continue;
        }
        let text = String::from_utf8_lossy(rest);
        if !text.trim().is_empty() {
            reader.feed_json(text.trim())?;
        }
        rest.clear();
    }
    Ok(())
}
