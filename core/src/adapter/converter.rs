//! [`Converter`]: any dialect that is read into any that is written.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use memchr::memrchr2;

use super::{
    detect, inbound, outbound, AdapterFinding, ConverterOptions, Dialect, ExtensionEvents, Frames, Framing, Inbound,
    InboundOptions, OptionReader, Outbound, Turns,
};
use crate::contract::Edition;
use crate::error::{Code, Error};
use crate::event::{Event, Origin, Parser};
use crate::json::{Object, Value};
use crate::limits::Limits;
use crate::sse::{FrameDecoder, Signal};

/// Turns one dialect's stream into another's, with Open Responses between them.
///
/// *Inputs*: [`feed`](Self::feed), [`finish`](Self::finish), [`cancel`](Self::cancel). *Outputs*:
/// [`write_into`](Self::write_into) or [`take`](Self::take) after each input. *Getters*: [`findings`](Self::findings),
/// [`source`](Self::source).
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
/// assert_eq!(reader.finish()?.name(), "completed");
/// assert_eq!(reader.response().output_text(), "Hello");
/// assert_eq!(converter.findings().count(), 0, "nothing was lost");
/// # }
/// # Ok::<(), deltafold::Error>(())
/// ```
pub struct Converter {
    from: Option<Dialect>,
    to: Dialect,
    options: ConverterOptions,
    /// Bytes that wait until the dialect is known.
    undetected: Vec<u8>,
    source: Option<Box<dyn Inbound>>,
    target: TargetSide,
    redecoder: Redecoder,
    finished: bool,
    fatal: Option<Error>,
}

enum TargetSide {
    /// Open Responses: the payloads as they are.
    OpenResponses(Frames),
    /// Open Responses: the events, for a function of the caller.
    Callback(Box<dyn FnMut(&Event<'_>) + Send>),
    Foreign(Box<dyn Outbound>),
}

/// Open Responses bytes → events, without judging or folding them.
struct Redecoder {
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
        Self::with_options(from, to, ConverterOptions::from_value(options)?)
    }

    /// As [`new`](Self::new), with typed options.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_options(from: Option<Dialect>, to: Dialect, options: ConverterOptions) -> Result<Self, Error> {
        let ConverterOptions { framing, limits, .. } = options;
        let target = match to {
            Dialect::OpenResponses => TargetSide::OpenResponses(Frames::new(framing)),
            foreign => TargetSide::Foreign(outbound(foreign, &options)?),
        };
        let mut converter = Self {
            from: None,
            to,
            options,
            undetected: Vec::new(),
            source: None,
            target,
            redecoder: Redecoder {
                bytes: Vec::new(),
                decoder: FrameDecoder::new(&limits),
                parser: Parser::new(limits.depth),
                events: 0,
            },
            finished: false,
            fatal: None,
        };
        if let Some(from) = from {
            converter.set_source(from)?;
        }
        Ok(converter)
    }

    /// Makes a converter that hands each Open Responses event to a function, in order, instead of writing bytes.
    ///
    /// ```
    /// # #[cfg(feature = "adapter-ollama")] {
    /// use std::sync::mpsc;
    /// use deltafold::adapter::{Converter, ConverterOptions, Dialect, InboundOptions};
    /// let options = ConverterOptions::default().source(InboundOptions::default().response_id("r"));
    /// let (sender, receiver) = mpsc::channel();
    /// let mut converter = Converter::with_callback(Some(Dialect::Ollama), options, move |event| {
    ///     sender.send(event.to_owned()).expect("the receiver is there");
    /// })?;
    /// converter.feed(b"{\"model\":\"m\",\"message\":{\"content\":\"Hi\"},\"done\":true,\"done_reason\":\"stop\"}\n")?;
    /// converter.finish()?;
    /// drop(converter);
    /// assert_eq!(receiver.iter().last().unwrap().wire_type(), "response.completed");
    /// # }
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_callback(
        from: Option<Dialect>,
        options: ConverterOptions,
        on_event: impl FnMut(&Event<'_>) + Send + 'static,
    ) -> Result<Self, Error> {
        let mut converter = Self::with_options(None, Dialect::OpenResponses, options)?;
        converter.target = TargetSide::Callback(Box::new(on_event));
        if let Some(from) = from {
            converter.set_source(from)?;
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
    /// assert_eq!(converter.source(), Some(Dialect::Anthropic));
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
        let options = ConverterOptions::from_value(options)?.framing(framing).limits(limits);
        Self::with_options(from, Dialect::from_name(to)?, options)
    }

    /// Takes bytes of the source, cut anywhere.
    ///
    /// # Errors
    ///
    /// A limit was passed, or the input was finished. The same error comes again.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Error> {
        self.check()?;
        let result = self.feed_inner(chunk);
        self.remember_error(result)
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
        self.remember_error(result)
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
                self.remember_error(result)?;
            }
        }
        if let Some(source) = &mut self.source {
            let result = source.cancel();
            self.remember_error(result)?;
        } else if let TargetSide::Foreign(target) = &mut self.target {
            let result = target.cancel();
            self.finished = true;
            return self.remember_error(result);
        }
        self.finish()
    }

    /// Appends the target's bytes that are ready and forgets them.
    pub fn write_into(&mut self, out: &mut Vec<u8>) {
        match &mut self.target {
            TargetSide::OpenResponses(frames) => frames.write_into(out),
            TargetSide::Callback(_) => {}
            TargetSide::Foreign(target) => target.write_into(out),
        }
    }

    /// Takes the target's bytes that are ready.
    pub fn take(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_into(&mut out);
        out
    }

    /// The dialect that is read, once it is known.
    pub fn source(&self) -> Option<Dialect> {
        self.from
    }

    /// The dialect that is written.
    pub fn target(&self) -> Dialect {
        self.to
    }

    /// How the target's messages are laid out.
    pub fn framing(&self) -> Framing {
        self.options.framing
    }

    /// What both halves lost, repaired or assumed: first the reading one's, then the writing one's.
    pub fn findings(&self) -> impl Iterator<Item = &AdapterFinding> {
        let read = self.source.as_deref().map(|source| source.findings().as_slice());
        let written = match &self.target {
            TargetSide::OpenResponses(_) | TargetSide::Callback(_) => None,
            TargetSide::Foreign(target) => Some(target.findings().as_slice()),
        };
        read.into_iter().chain(written).flatten()
    }

    /// How many losses both halves had, also those beyond the limit of findings.
    pub fn lost(&self) -> u64 {
        let read = self.source.as_deref().map_or(0, |source| source.findings().lost());
        read + match &self.target {
            TargetSide::OpenResponses(_) | TargetSide::Callback(_) => 0,
            TargetSide::Foreign(target) => target.findings().lost(),
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
        match &self.fatal {
            Some(stop) => Err(stop.clone()),
            None if self.finished => Err(Error::new(Code::AfterFinish, 0, "")),
            None => Ok(()),
        }
    }

    fn remember_error(&mut self, result: Result<(), Error>) -> Result<(), Error> {
        if let Err(error) = &result {
            self.fatal = Some(error.clone());
        }
        result
    }

    fn set_source(&mut self, from: Dialect) -> Result<(), Error> {
        if from != Dialect::OpenResponses {
            self.source = Some(inbound(from, self.source_options(), self.options.limits)?);
            // The source has held to the limits; what we wrote of it is longer and a little deeper.
            let own = Limits { line_bytes: usize::MAX, frame_bytes: usize::MAX, ..self.options.limits };
            self.redecoder.decoder = FrameDecoder::new(&own);
            self.redecoder.parser = Parser::new(self.options.limits.depth.saturating_add(ADDED_DEPTH));
        }
        self.from = Some(from);
        Ok(())
    }

    /// The options of the adapter that reads. An adapter that writes reads events only, not the last snapshot.
    fn source_options(&self) -> InboundOptions {
        let mut options = self.options.source.clone();
        if self.to != Dialect::OpenResponses {
            options.extension_events = ExtensionEvents::Events;
            // The full surface has an item for every kind of call.
            options.edition = Edition::Split;
            // A target writes one response, from its events.
            options.turns = Turns::First;
            options.emit_events = true;
        }
        options
    }

    fn feed_inner(&mut self, chunk: &[u8]) -> Result<(), Error> {
        if self.from.is_some() {
            return self.convert(chunk);
        }
        if self.undetected.len().saturating_add(chunk.len()) > self.options.limits.buffered_bytes {
            let detail = alloc::format!("limit {}", self.options.limits.buffered_bytes);
            return Err(Error::new(Code::BufferLimit, 0, detail));
        }
        // Looking again at each line end, and only at a doubled length behind the first kilobyte, keeps this linear.
        let before = self.undetected.len();
        self.undetected.extend_from_slice(chunk);
        let worth = before < 1024 || self.undetected.len().ilog2() > before.ilog2();
        match worth.then(|| detect(self.whole_lines())).flatten() {
            Some(from) => self.replay(from),
            None => Ok(()),
        }
    }

    /// What is judged of the bytes that wait: whole lines, so that no cut of a line makes it look like another one. A binary
    /// stream has no lines and is known by its first byte.
    fn whole_lines(&self) -> &[u8] {
        match self.undetected.first() {
            Some(0) => &self.undetected,
            _ => self
                .undetected
                .get(..memrchr2(b'\n', b'\r', &self.undetected).map_or(0, |at| at + 1))
                .unwrap_or_default(),
        }
    }

    /// Looks once more when no more bytes come: what ends here may lack the line end that detection waits for.
    fn detect_at_end(&mut self) -> Option<Dialect> {
        self.undetected.extend_from_slice(b"\n\n");
        let found = detect(&self.undetected);
        self.undetected.truncate(self.undetected.len() - 2);
        found
    }

    fn replay(&mut self, from: Dialect) -> Result<(), Error> {
        self.set_source(from)?;
        let start = core::mem::take(&mut self.undetected);
        self.convert(&start)
    }

    fn finish_inner(&mut self) -> Result<(), Error> {
        if self.from == Some(Dialect::ThreadEvents) && !self.options.source.enabled {
            return Ok(());
        }
        if self.from.is_none() {
            let from = self.detect_at_end();
            let from = from.ok_or_else(|| Error::new(Code::UnknownName, 0, "the dialect was not recognised"))?;
            self.replay(from)?;
        }
        if let Some(source) = &mut self.source {
            source.finish()?;
            source.write_into(&mut self.redecoder.bytes);
        }
        self.drain()?;
        let Self { redecoder, target, .. } = self;
        if let Some(tail) = redecoder.decoder.finish() {
            let name = tail.frame.features.event().then_some(tail.frame.event);
            let origin = Origin { frame_name: name, offset: tail.frame.data_offset, index: redecoder.events };
            if tail.frame.data == "[DONE]" {
                target.done();
            } else {
                let event = redecoder.parser.parse(tail.frame.data, origin);
                if event.fault().is_none() {
                    target.apply(&event)?;
                }
            }
        }
        target.finish()
    }

    /// Takes bytes of a source whose dialect is known.
    fn convert(&mut self, chunk: &[u8]) -> Result<(), Error> {
        match &mut self.source {
            Some(source) => {
                let result = source.feed(chunk);
                // What was written before a limit was passed is good.
                source.write_into(&mut self.redecoder.bytes);
                self.drain().and(result)
            }
            None => {
                self.redecoder.bytes.extend_from_slice(chunk);
                self.drain()
            }
        }
    }

    fn drain(&mut self) -> Result<(), Error> {
        let Self { redecoder: Redecoder { bytes, decoder, parser, events }, target, .. } = self;
        let mut at = 0;
        while let Some(signal) = decoder.next(bytes, &mut at)? {
            let Signal::Frame(frame) = signal else { continue };
            if frame.data == "[DONE]" {
                target.done();
                continue;
            }
            let name = frame.features.event().then_some(frame.event);
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
const ADDED_DEPTH: usize = 16;

impl TargetSide {
    fn apply(&mut self, event: &Event<'_>) -> Result<(), Error> {
        match self {
            Self::OpenResponses(frames) => {
                frames.message(Some(event.wire_type()).filter(|name| !name.is_empty()), event.raw());
                Ok(())
            }
            Self::Callback(on_event) => {
                on_event(event);
                Ok(())
            }
            Self::Foreign(target) => target.apply(event),
        }
    }

    /// The sentinel: a foreign target has its own, at its own time.
    fn done(&mut self) {
        if let Self::OpenResponses(frames) = self {
            frames.done();
        }
    }

    fn finish(&mut self) -> Result<(), Error> {
        match self {
            Self::OpenResponses(_) | Self::Callback(_) => Ok(()),
            Self::Foreign(target) => target.finish(),
        }
    }
}

impl fmt::Debug for Converter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Converter").field("from", &self.from).field("to", &self.to).finish_non_exhaustive()
    }
}
