//! [`DialectInput`]: feeds bytes of any dialect to a [`Reader`].
//!
//! Every command that reads events feeds its bytes through here, so that `--from` and `--messages` mean the same everywhere.
//! The dialect is detected from the first message; until then at most [`DETECTION_LIMIT`] bytes are buffered.

use deltafold::adapter::{detect, AdapterCode, AdapterFinding, Converter, Dialect};
use deltafold::validate::Rule;
use deltafold::{Error, Finding, Reader};

use crate::args::{SourceArgs, SourceDialect};
use crate::convert;
use crate::Failure;

/// Number of bytes after which detection gives up and a stream is read as Open Responses.
const DETECTION_LIMIT: usize = 256 << 10;

/// The format of an input, as `--from` and `--messages` state it.
#[derive(Clone, Copy)]
pub(crate) struct SourceFormat {
    /// `None`: detect the dialect.
    from: Option<Dialect>,
    /// Each line is a JSON message.
    messages: bool,
}

impl SourceFormat {
    pub(crate) const AUTO: Self = Self { from: None, messages: false };

    pub(crate) fn from_args(args: SourceArgs) -> Result<Self, Failure> {
        let from = match args.from {
            SourceDialect::Named(dialect) => Some(dialect),
            SourceDialect::Auto if args.messages => Some(Dialect::OpenResponses),
            SourceDialect::Auto => None,
        };
        if args.messages && from != Some(Dialect::OpenResponses) {
            return Err(Failure::Usage("--messages requires Open Responses; remove --messages or --from".into()));
        }
        Ok(Self { from, messages: args.messages })
    }
}

/// Detects the dialect of an input, converts it if needed, and feeds a reader.
pub(crate) struct DialectInput {
    /// Bytes that wait until the dialect is known, or until a line is complete.
    buffer: Vec<u8>,
    /// How many of the buffered bytes were searched for the dialect.
    searched: usize,
    decoder: Decoder,
}

enum Decoder {
    /// The dialect is not known yet.
    Undetected,
    OpenResponses,
    /// One JSON message per line.
    Messages,
    Converted(Box<Converter>),
}

impl DialectInput {
    pub(crate) fn new(format: SourceFormat) -> Result<Self, Error> {
        let decoder = match format.from {
            Some(_) => decoder(format)?,
            None => Decoder::Undetected,
        };
        Ok(Self { buffer: Vec::new(), searched: 0, decoder })
    }

    /// Feeds bytes, split anywhere. Poll the reader afterwards, even after an error.
    pub(crate) fn push(&mut self, chunk: &[u8], reader: &mut Reader) -> Result<(), Error> {
        match &mut self.decoder {
            Decoder::OpenResponses => reader.feed(chunk),
            Decoder::Messages => feed_lines(reader, &mut self.buffer, chunk),
            Decoder::Converted(converter) => {
                // The events that were written before an error are valid.
                let result = converter.feed(chunk);
                reader.feed(&converter.take())?;
                result
            }
            Decoder::Undetected => {
                self.buffer.extend_from_slice(chunk);
                // Searching again only after the buffer has doubled keeps the time linear.
                if self.buffer.len() < 4096 || self.buffer.len() >= self.searched * 2 {
                    self.searched = self.buffer.len();
                    if let Some(found) = detect_stream(&self.buffer) {
                        return self.start(found, reader);
                    }
                }
                if self.buffer.len() > DETECTION_LIMIT {
                    return self.start(FRAMED, reader);
                }
                Ok(())
            }
        }
    }

    /// Ends the input. Poll the reader afterwards, even after an error.
    pub(crate) fn end(&mut self, reader: &mut Reader) -> Result<(), Error> {
        if matches!(self.decoder, Decoder::Undetected) {
            let whole = [self.buffer.as_slice(), b"\n\n"].concat();
            self.start(detect_stream(&whole).unwrap_or(FRAMED), reader)?;
        }
        let result = match &mut self.decoder {
            Decoder::Messages if !self.buffer.is_empty() => feed_lines(reader, &mut self.buffer, b"\n"),
            Decoder::Converted(converter) => {
                let result = converter.finish();
                reader.feed(&converter.take())?;
                result
            }
            _ => Ok(()),
        };
        reader.end();
        result
    }

    /// The dialect that is converted; `None` for Open Responses, and while the dialect is not known.
    pub(crate) fn converted_from(&self) -> Option<Dialect> {
        match &self.decoder {
            Decoder::Converted(converter) => converter.source(),
            _ => None,
        }
    }

    /// The message about data that was not read: a reader holds one response, so only the first turn of a thread log and the first response of
    /// a stream are read.
    pub(crate) fn unread(&self, reader: &Reader) -> Option<&'static str> {
        let Decoder::Converted(converter) = &self.decoder else {
            // The accumulator names the event that it did not apply.
            let is_response =
                |finding: &Finding| finding.rule == Rule::Life07 && finding.message.ends_with("found response.created");
            return reader
                .findings()
                .iter()
                .any(is_response)
                .then_some("only the first response was read; the stream has another one after its end");
        };
        let is_turn = |finding: &AdapterFinding| {
            finding.code == AdapterCode::EventAfterTerminal && finding.detail == "another turn"
        };
        converter.findings().any(is_turn).then_some(
            "only the first turn was read; `deltafold convert --to open-responses` writes a stream for each turn",
        )
    }

    fn start(&mut self, found: SourceFormat, reader: &mut Reader) -> Result<(), Error> {
        self.decoder = decoder(found)?;
        let buffered = std::mem::take(&mut self.buffer);
        self.push(&buffered, reader)
    }
}

/// Feeds a whole capture to a reader and drops its events.
pub(crate) fn read_capture(bytes: &[u8], format: SourceFormat, reader: &mut Reader) -> Result<(), Error> {
    let mut source = DialectInput::new(format)?;
    for chunk in bytes.chunks(64 << 10) {
        source.push(chunk, reader)?;
        drain(reader)?;
    }
    source.end(reader)?;
    drain(reader)
}

/// Polls every event that is ready and drops it.
pub(crate) fn drain(reader: &mut Reader) -> Result<(), Error> {
    while reader.poll_event()?.is_some() {}
    Ok(())
}

fn decoder(format: SourceFormat) -> Result<Decoder, Error> {
    let from = match format.from {
        _ if format.messages => return Ok(Decoder::Messages),
        None | Some(Dialect::OpenResponses) => return Ok(Decoder::OpenResponses),
        Some(from) => from,
    };
    // This reader knows the names and locations of the specification; the defaults are for older clients.
    let names = [("reasoning_events", "open_responses"), ("extension_events", "events"), ("turns", "first")];
    let names = names.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
    let options = convert::converter_options(convert::with_id(names, from))?;
    Ok(Decoder::Converted(Box::new(Converter::with_options(Some(from), Dialect::OpenResponses, options)?)))
}

/// Open Responses as SSE.
const FRAMED: SourceFormat = SourceFormat { from: Some(Dialect::OpenResponses), messages: false };

/// Detects the dialect of a stream, and whether it is Open Responses as one JSON message per line. An error body resembles a Chat
/// Completions or Gemini body but is no stream; the reader reports it as such.
fn detect_stream(start: &[u8]) -> Option<SourceFormat> {
    let is_json = start.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    Some(match detect(start)? {
        Dialect::ChatCompletions | Dialect::Gemini if is_json => FRAMED,
        Dialect::OpenResponses => SourceFormat { messages: is_json, ..FRAMED },
        dialect => SourceFormat { from: Some(dialect), messages: false },
    })
}

/// Feeds every complete line; keeps the incomplete one in the buffer.
fn feed_lines(reader: &mut Reader, buffer: &mut Vec<u8>, chunk: &[u8]) -> Result<(), Error> {
    for line in chunk.split_inclusive(|byte| *byte == b'\n') {
        buffer.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            continue;
        }
        let text = String::from_utf8_lossy(buffer);
        if !text.trim().is_empty() {
            reader.feed_json(text.trim())?;
        }
        buffer.clear();
    }
    Ok(())
}
