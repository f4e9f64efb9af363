//! [`Converter`]: any dialect that is read into any that is written.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use memchr::memrchr2;

use super::options::NAMES;
use super::{
    detect, inbound, outbound, AdapterFinding, Dialect, Frames, Framing, Inbound, InboundOptions, OptionReader,
    Outbound,
};
use crate::error::{Code, Error};
use crate::event::{Event, Origin, Parser};
use crate::json::{Object, Value};
use crate::limits::Limits;
use crate::sse::{FrameDecoder, Signal};

/// Turns one dialect's stream into another's, with Open Responses between them.
///
/// *Inputs*: [`feed`](Self::feed), [`finish`](Self::finish), [`cancel`](Self::cancel). *Outputs*:
/// [`write_into`](Self::write_into) or [`take`](Self::take) after each input. *Getters*: [`findings`](Self::findings),
/// [`from`](Self::from).
///
/// ```
/// # #[cfg(feature = "adapter-ollama")] {
/// use deltafold::{adapter::{Converter, Dialect}, json::Value, Reader};
///
/// let options = Value::parse(r#"{"response_id":"resp_1","now":1767225600}"#, 8).unwrap();
/// let mut converter = Converter::new(Some(Dialect::Ollama), Dialect::OpenResponses, &options)?;
/// let mut reader = Reader::new();
/// for chunk in [
///     r#"{"model":"m","message":{"content":"Hel"},"done":fal"#,
///     "se}\n",
///     r#"{"model":"m","message":{"content":"lo"},"done":true,"done_reason":"bored"}"#,
/// ] {
///     converter.feed(chunk.as_bytes())?;
///     reader.feed(&converter.take())?;
/// }
/// converter.finish()?;
/// reader.feed(&converter.take())?;
///
/// assert_eq!(reader.finish().name(), "completed");
/// assert_eq!(reader.response().output_text(), "Hello");
/// assert_eq!(converter.findings().count(), 0, "nothing was lost");
/// # }
/// # Ok::<(), deltafold::Error>(())
/// ```
pub struct Converter {
    from: Option<Dialect>,
    to: Dialect,
    options: Value,
    framing: Framing,
    limits: Limits,
    /// Bytes that wait until the dialect is known.
    undecided: Vec<u8>,
    source: Option<Box<dyn Inbound>>,
    target: Target,
    hub: Hub,
    finished: bool,
    stop: Option<Error>,
}

enum Target {
    /// Open Responses: the payloads as they are.
    Same(Frames),
    Foreign(Box<dyn Outbound>),
}

/// Open Responses bytes → events, without judging or folding them.
struct Hub {
    bytes: Vec<u8>,
    decoder: FrameDecoder,
    parser: Parser,
    events: u64,
}

impl Converter {
    /// Makes a converter. `from` is `None` to detect it. The options are one JSON object with the names of both sides.
    ///
    /// # Errors
    ///
    /// [`Code::UnknownName`] for an option that no adapter has, or a dialect that this build cannot read or write;
    /// [`Code::BadArgument`] for an option of the wrong type, or one that is needed and missing.
    pub fn new(from: Option<Dialect>, to: Dialect, options: &Value) -> Result<Self, Error> {
        Self::with(from, to, options, Framing::Native, Limits::default())
    }

    /// As [`new`](Self::new), with the framing of the target and the limits of both sides.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with(
        from: Option<Dialect>,
        to: Dialect,
        options: &Value,
        framing: Framing,
        limits: Limits,
    ) -> Result<Self, Error> {
        OptionReader::new(options)?.check_names(NAMES)?;
        let target = match to {
            Dialect::OpenResponses => Target::Same(Frames::new(framing)),
            foreign => Target::Foreign(outbound(foreign, options, framing, limits)?),
        };
        let mut converter = Self {
            from: None,
            to,
            options: options.clone(),
            framing,
            limits,
            undecided: Vec::new(),
            source: None,
            target,
            hub: Hub {
                bytes: Vec::new(),
                decoder: FrameDecoder::new(&limits),
                parser: Parser::new(limits.depth),
                events: 0,
            },
            finished: false,
            stop: None,
        };
        if let Some(from) = from {
            converter.decide(from)?;
        }
        Ok(converter)
    }

    /// Makes a converter from JSON text: `from` (to be detected if it is absent), `to`, `options` (as for
    /// [`new`](Self::new)), `framing` (`sse`, the default, or `jsonl`) and `limits`.
    ///
    /// ```
    /// # #[cfg(feature = "adapter-anthropic")] {
    /// use deltafold::adapter::{Converter, Dialect};
    /// let converter = Converter::from_json(r#"{"from":"anthropic","to":"open-responses","options":{"now":5}}"#)?;
    /// assert_eq!(converter.from(), Some(Dialect::Anthropic));
    /// assert!(Converter::from_json(r#"{"to":"open-responses","form":"anthropic"}"#).is_err());
    /// # }
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new); [`Code::NotJson`] for text that is not JSON.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let value = crate::options::parse(json)?;
        let reader = OptionReader::new(&value)?;
        reader.check_names(&["from", "to", "options", "framing", "limits"])?;
        let from = reader.text("from")?.map(Dialect::from_name).transpose()?;
        let to = reader.text("to")?.ok_or_else(|| Error::new(Code::BadArgument, 0, "expected a dialect in to"))?;
        let framing = match reader.choice("framing", &["sse", "jsonl"])? {
            0 => Framing::Native,
            _ => Framing::JsonLines,
        };
        let limits = Limits::from_value(reader.value("limits").unwrap_or(&Value::Null))?;
        let options = reader.value("options").unwrap_or(&Value::Null);
        Self::with(from, Dialect::from_name(to)?, options, framing, limits)
    }

    /// Takes bytes of the source, cut anywhere.
    ///
    /// # Errors
    ///
    /// A limit was passed, or the input was finished. The same error comes again.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Error> {
        self.check()?;
        let result = self.feed_inner(chunk);
        self.keep(result)
    }

    /// Says that the input has ended.
    ///
    /// # Errors
    ///
    /// As for [`feed`](Self::feed); [`Code::UnknownName`] if the dialect was to be detected and was not.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.check()?;
        self.finished = true;
        let result = self.finish_inner();
        self.keep(result)
    }

    /// Ends the response from outside. The target's stream ends as that of a response with the reason `cancelled`; a stream
    /// of Open Responses events that is passed on as it is just stops.
    ///
    /// # Errors
    ///
    /// As for [`finish`](Self::finish).
    pub fn cancel(&mut self) -> Result<(), Error> {
        self.check()?;
        if self.from.is_none() {
            if let Some(from) = self.detect_at_end() {
                let result = self.replay(from);
                self.keep(result)?;
            }
        }
        if let Some(source) = &mut self.source {
            let result = source.cancel();
            self.keep(result)?;
        } else if let Target::Foreign(target) = &mut self.target {
            let result = target.cancel();
            self.finished = true;
            return self.keep(result);
        }
        self.finish()
    }

    /// Appends the target's bytes that are ready and forgets them.
    pub fn write_into(&mut self, out: &mut Vec<u8>) {
        match &mut self.target {
            Target::Same(frames) => frames.write_into(out),
            Target::Foreign(target) => target.write_into(out),
        }
    }

    /// Takes the target's bytes that are ready.
    pub fn take(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_into(&mut out);
        out
    }

    /// The dialect that is read, once it is known.
    pub fn from(&self) -> Option<Dialect> {
        self.from
    }

    /// The dialect that is written.
    pub fn to(&self) -> Dialect {
        self.to
    }

    /// How the target's messages are laid out.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// What both halves lost, repaired or assumed: first the reading one's, then the writing one's.
    pub fn findings(&self) -> impl Iterator<Item = &AdapterFinding> {
        let read = self.source.as_deref().map(|source| source.findings().as_slice());
        let written = match &self.target {
            Target::Same(_) => None,
            Target::Foreign(target) => Some(target.findings().as_slice()),
        };
        read.into_iter().chain(written).flatten()
    }

    /// How many losses both halves had, also those beyond the limit of findings.
    pub fn lost(&self) -> u64 {
        let read = self.source.as_deref().map_or(0, |source| source.findings().lost());
        read + match &self.target {
            Target::Same(_) => 0,
            Target::Foreign(target) => target.findings().lost(),
        }
    }

    /// Everything a report says: `{"from", "to", "lost", "findings"}`, `from` null while it is not known.
    pub fn report(&self) -> Value {
        let mut report = Object::with_capacity(4);
        report.push("from", self.from.map(Dialect::name));
        report.push("to", self.to.name());
        report.push("lost", self.lost());
        report.push("findings", self.findings().map(AdapterFinding::to_value).collect::<Vec<_>>());
        report.into()
    }

    fn check(&self) -> Result<(), Error> {
        match &self.stop {
            Some(stop) => Err(stop.clone()),
            None if self.finished => Err(Error::new(Code::AfterFinish, 0, "")),
            None => Ok(()),
        }
    }

    fn keep(&mut self, result: Result<(), Error>) -> Result<(), Error> {
        if let Err(error) = &result {
            self.stop = Some(error.clone());
        }
        result
    }

    fn decide(&mut self, from: Dialect) -> Result<(), Error> {
        if from != Dialect::OpenResponses {
            self.source = Some(inbound(from, InboundOptions::from_value(&self.options)?, self.limits)?);
            // The source has held to the limits; what we wrote of it is longer and a little deeper.
            let own = Limits { line_bytes: usize::MAX, frame_bytes: usize::MAX, ..self.limits };
            self.hub.decoder = FrameDecoder::new(&own);
            self.hub.parser = Parser::new(self.limits.depth.saturating_add(OWN_DEPTH));
        }
        self.from = Some(from);
        Ok(())
    }

    fn feed_inner(&mut self, chunk: &[u8]) -> Result<(), Error> {
        if self.from.is_some() {
            return self.pass(chunk);
        }
        if self.undecided.len().saturating_add(chunk.len()) > self.limits.buffered_bytes {
            let detail = alloc::format!("limit {}", self.limits.buffered_bytes);
            return Err(Error::new(Code::BufferLimit, 0, detail));
        }
        // Looking again at each line end, and only at a doubled length behind the first kilobyte, keeps this linear.
        let before = self.undecided.len();
        self.undecided.extend_from_slice(chunk);
        let worth = before < 1024 || self.undecided.len().ilog2() > before.ilog2();
        match worth.then(|| detect(self.whole_lines())).flatten() {
            Some(from) => self.replay(from),
            None => Ok(()),
        }
    }

    /// What is judged of the bytes that wait: whole lines, so that no cut of a line makes it look like another one. A binary
    /// stream has no lines and is known by its first byte.
    fn whole_lines(&self) -> &[u8] {
        match self.undecided.first() {
            Some(0) => &self.undecided,
            _ => {
                self.undecided.get(..memrchr2(b'\n', b'\r', &self.undecided).map_or(0, |at| at + 1)).unwrap_or_default()
            }
        }
    }

    /// Looks once more when no more bytes come: what ends here may lack the line end that detection waits for.
    fn detect_at_end(&mut self) -> Option<Dialect> {
        self.undecided.extend_from_slice(b"\n\n");
        let found = detect(&self.undecided);
        self.undecided.truncate(self.undecided.len() - 2);
        found
    }

    fn replay(&mut self, from: Dialect) -> Result<(), Error> {
        self.decide(from)?;
        let start = core::mem::take(&mut self.undecided);
        self.pass(&start)
    }

    fn finish_inner(&mut self) -> Result<(), Error> {
        if self.from.is_none() {
            let from = self.detect_at_end();
            let from = from.ok_or_else(|| Error::new(Code::UnknownName, 0, "the dialect was not recognised"))?;
            self.replay(from)?;
        }
        if let Some(source) = &mut self.source {
            source.finish()?;
            source.write_into(&mut self.hub.bytes);
        }
        self.drain()?;
        let Self { hub, target, .. } = self;
        if let Some(tail) = hub.decoder.finish() {
            let name = tail.frame.marks.event().then_some(tail.frame.event);
            let origin = Origin { frame_name: name, offset: tail.frame.data_offset, index: hub.events };
            if tail.frame.data == "[DONE]" {
                target.done();
            } else {
                let event = hub.parser.parse(tail.frame.data, origin);
                if event.fault().is_none() {
                    target.apply(&event)?;
                }
            }
        }
        target.finish()
    }

    /// Takes bytes of a source whose dialect is known.
    fn pass(&mut self, chunk: &[u8]) -> Result<(), Error> {
        match &mut self.source {
            Some(source) => {
                let result = source.feed(chunk);
                // What was written before a limit was passed is good.
                source.write_into(&mut self.hub.bytes);
                self.drain().and(result)
            }
            None => {
                self.hub.bytes.extend_from_slice(chunk);
                self.drain()
            }
        }
    }

    fn drain(&mut self) -> Result<(), Error> {
        let Self { hub: Hub { bytes, decoder, parser, events }, target, .. } = self;
        let mut at = 0;
        while let Some(signal) = decoder.next(bytes, &mut at)? {
            let Signal::Frame(frame) = signal else { continue };
            if frame.data == "[DONE]" {
                target.done();
                continue;
            }
            let name = frame.marks.event().then_some(frame.event);
            let event =
                parser.parse(frame.data, Origin { frame_name: name, offset: frame.data_offset, index: *events });
            *events += 1;
            target.apply(&event)?;
        }
        bytes.clear();
        Ok(())
    }
}

/// How much deeper than in its source a value may stand in our events: response, output, item, content, part, annotation.
const OWN_DEPTH: usize = 16;

impl Target {
    fn apply(&mut self, event: &Event<'_>) -> Result<(), Error> {
        match self {
            Self::Same(frames) => {
                frames.message(Some(event.wire_type()).filter(|name| !name.is_empty()), event.raw());
                Ok(())
            }
            Self::Foreign(target) => target.apply(event),
        }
    }

    /// The sentinel: a foreign target has its own, at its own time.
    fn done(&mut self) {
        if let Self::Same(frames) = self {
            frames.done();
        }
    }

    fn finish(&mut self) -> Result<(), Error> {
        match self {
            Self::Same(_) => Ok(()),
            Self::Foreign(target) => target.finish(),
        }
    }
}

impl fmt::Debug for Converter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Converter").field("from", &self.from).field("to", &self.to).finish_non_exhaustive()
    }
}
