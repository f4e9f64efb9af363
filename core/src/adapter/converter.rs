//! [`Converter`]: converts any readable dialect to any writable one.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use memchr::memrchr2;

use super::passed_stream::PassedStream;
use super::{
    detect, inbound, outbound, AdapterFinding, ConverterOptions, Dialect, ExtensionEvents, Frames, Framing, Inbound,
    InboundOptions, OptionReader, Outbound, Turns,
};
use crate::clock::Clock;
use crate::contract::Edition;
use crate::error::{Code, Error};
use crate::event::{Event, Origin, Parser};
use crate::json::{Object, Value, MAX_DEPTH};
use crate::limits::Limits;
use crate::outcome::Failure;
use crate::sse::{Frame, FrameDecoder, Signal};

/// Converts a stream of one dialect to another, with Open Responses between them.
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
    source: SourceSide,
    target: TargetSide,
    parser: Parser,
    finished: bool,
    fatal: Option<Error>,
}

enum SourceSide {
    /// The dialect is not yet detected: the bytes so far.
    Undetected(Vec<u8>),
    OpenResponses(Box<OpenResponsesSource>),
    Foreign(Box<dyn Inbound>),
}

/// A source of Open Responses events.
struct OpenResponsesSource {
    decoder: FrameDecoder,
    events: u64,
    /// The response so far, if the target is Open Responses too. Foreign targets follow the events themselves.
    passed: Option<PassedStream>,
}

enum TargetSide {
    /// Open Responses: the payloads unchanged.
    OpenResponses(Frames),
    /// Open Responses: the events, passed to a function of the caller.
    Callback(Box<dyn FnMut(&Event<'_>) + Send>),
    Foreign(Box<dyn Outbound>),
}

impl Converter {
    /// Makes a converter. `from` is `None` to detect the dialect. The options are one JSON object with the names of both sides.
    ///
    /// # Errors
    ///
    /// [`Code::UnknownName`] for an option that no adapter has, or a dialect that this build cannot read or write;
    /// [`Code::BadArgument`] for an option of the wrong type, or a required option that is missing.
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
            source: SourceSide::Undetected(Vec::new()),
            target,
            parser: Parser::new(limits.depth),
            finished: false,
            fatal: None,
        };
        if let Some(from) = from {
            converter.set_source(from)?;
        }
        Ok(converter)
    }

    /// Makes a converter that passes each Open Responses event to a function, in order, instead of writing bytes.
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
    /// assert_eq!(receiver.iter().last().unwrap().as_event().wire_type(), "response.completed");
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

    /// Makes a converter from JSON text: `from` (detected if it is absent), `to`, `options` (as for
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
        Self::from_json_with(json, None)
    }

    /// As [`from_json`](Self::from_json), for callers with a clock: it gives the times, unless the options have `now`.
    ///
    /// # Errors
    ///
    /// As for [`from_json`](Self::from_json).
    pub fn from_json_with_clock(json: &str, clock: Clock) -> Result<Self, Error> {
        Self::from_json_with(json, Some(clock))
    }

    fn from_json_with(json: &str, clock: Option<Clock>) -> Result<Self, Error> {
        let value = crate::options::parse(json)?;
        let reader = OptionReader::new(&value)?;
        reader.check_names(&["from", "to", "options", "framing", "limits"])?;
        let from = reader.text("from")?.map(str::parse).transpose()?;
        let to = reader.text("to")?.ok_or_else(|| Error::new(Code::BadArgument, 0, "expected a dialect in to"))?;
        let framing = Framing::ALL[reader.choice("framing", Framing::NAMES)?];
        let limits = Limits::from_value(reader.value("limits").unwrap_or(&Value::Null))?;
        let options = reader.value("options").unwrap_or(&Value::Null);
        let is_fixed = options.get("now").is_some_and(|now| !now.is_null());
        let mut options = ConverterOptions::from_value(options)?.framing(framing).limits(limits);
        options.clock = clock.filter(|_| !is_fixed);
        Self::with_options(from, to.parse()?, options)
    }

    /// Takes bytes of the source, split anywhere.
    ///
    /// # Errors
    ///
    /// A limit was exceeded, or the input was ended. Every later call returns the same error.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Error> {
        self.check()?;
        let result = self.feed_inner(chunk);
        self.remember_error(result)
    }

    /// Ends the input. Call it also when the source broke off: a stream without an end gets the terminal event of a failure with the
    /// code `stream_truncated`, or the error that the source reported before, in every dialect: `response.failed`, `RUN_ERROR`, `error`.
    ///
    /// ```
    /// # #[cfg(feature = "adapter-ag-ui")] {
    /// use deltafold::{adapter::{Converter, Dialect}, json::Value};
    /// let cut = b"data: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"resp_1\",\"output\":[]}}\n\n";
    /// for (to, end) in [(Dialect::OpenResponses, "response.failed"), (Dialect::AgUi, "RUN_ERROR")] {
    ///     let options = Value::parse(r#"{"thread_id":"t"}"#, 8).unwrap();
    ///     let mut converter = Converter::new(Some(Dialect::OpenResponses), to, &options)?;
    ///     converter.feed(cut)?;
    ///     converter.finish()?;
    ///     assert!(String::from_utf8(converter.take()).unwrap().contains(end));
    /// }
    /// # }
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`feed`](Self::feed); [`Code::UnknownName`] if the dialect could not be detected.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.check()?;
        self.finished = true;
        let result = self.finish_inner();
        self.remember_error(result)
    }

    /// Cancels the response: the target's stream ends like that of a response with the reason `cancelled`. A stream of Open Responses
    /// events that is passed on ends with `response.failed` and the code `cancelled`, because only its server can close its items.
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
        match (&mut self.source, &mut self.target) {
            (SourceSide::Foreign(source), _) => {
                let result = source.cancel();
                self.remember_error(result)?;
            }
            (_, TargetSide::Foreign(target)) => {
                let result = target.cancel();
                self.finished = true;
                return self.remember_error(result);
            }
            (SourceSide::OpenResponses(source), target) => {
                let result = source.end_passed(&failure("cancelled", "The response was cancelled."), target);
                self.finished = true;
                return self.remember_error(result);
            }
            _ => {}
        }
        self.finish()
    }

    /// Appends the pending bytes of the target, and removes them.
    pub fn write_into(&mut self, out: &mut Vec<u8>) {
        match &mut self.target {
            TargetSide::OpenResponses(frames) => frames.write_into(out),
            TargetSide::Callback(_) => {}
            TargetSide::Foreign(target) => target.write_into(out),
        }
    }

    /// Takes the pending bytes of the target.
    pub fn take(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_into(&mut out);
        out
    }

    /// The dialect of the source, once it is known.
    pub fn source(&self) -> Option<Dialect> {
        self.from
    }

    /// The dialect of the target.
    pub fn target(&self) -> Dialect {
        self.to
    }

    /// The layout of the target's messages.
    pub fn framing(&self) -> Framing {
        self.options.framing
    }

    /// Losses, repairs and assumptions of both halves: first those of the reading one.
    pub fn findings(&self) -> impl Iterator<Item = &AdapterFinding> {
        let read = match &self.source {
            SourceSide::Foreign(source) => Some(source.findings().as_slice()),
            _ => None,
        };
        let written = match &self.target {
            TargetSide::OpenResponses(_) | TargetSide::Callback(_) => None,
            TargetSide::Foreign(target) => Some(target.findings().as_slice()),
        };
        read.into_iter().chain(written).flatten()
    }

    /// The number of losses of both halves, including those beyond the limit of findings.
    pub fn lost(&self) -> u64 {
        let read = match &self.source {
            SourceSide::Foreign(source) => source.findings().lost(),
            _ => 0,
        };
        read + match &self.target {
            TargetSide::OpenResponses(_) | TargetSide::Callback(_) => 0,
            TargetSide::Foreign(target) => target.findings().lost(),
        }
    }

    /// The report: `{"from", "to", "lost", "findings"}`; `from` is null while it is unknown.
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
        let limits = self.options.limits;
        self.source = match from {
            Dialect::OpenResponses => SourceSide::OpenResponses(Box::new(OpenResponsesSource {
                decoder: FrameDecoder::new(&limits),
                events: 0,
                passed: match self.target {
                    TargetSide::Foreign(_) => None,
                    _ => Some(PassedStream::new(&self.options)),
                },
            })),
            foreign => {
                // The source is within the limits; its events are nested a little deeper.
                self.parser = Parser::new(limits.depth.saturating_add(ADDED_DEPTH));
                let mut source = inbound(foreign, self.source_options(), limits)?;
                if let Some(clock) = self.options.clock {
                    source.set_clock(clock);
                }
                SourceSide::Foreign(source)
            }
        };
        self.from = Some(from);
        Ok(())
    }

    /// The options of the reading adapter. A writing adapter reads events only, not the last snapshot.
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
        let SourceSide::Undetected(bytes) = &mut self.source else { return self.convert(chunk) };
        if bytes.len().saturating_add(chunk.len()) > self.options.limits.buffered_bytes {
            let detail = alloc::format!("limit {}", self.options.limits.buffered_bytes);
            return Err(Error::new(Code::BufferLimit, 0, detail));
        }
        // Detection runs for each chunk of the first kilobyte, then each time the length has doubled, which keeps it linear.
        let before = bytes.len();
        bytes.extend_from_slice(chunk);
        let is_worth_it = before < 1024 || bytes.len().ilog2() > before.ilog2();
        match is_worth_it.then(|| detect(whole_lines(bytes))).flatten() {
            Some(from) => self.replay(from),
            None => Ok(()),
        }
    }

    /// Detects the dialect at the end of input: the last line may lack the line end.
    fn detect_at_end(&mut self) -> Option<Dialect> {
        let SourceSide::Undetected(bytes) = &mut self.source else { return None };
        bytes.extend_from_slice(b"\n\n");
        let found = detect(bytes);
        bytes.truncate(bytes.len() - 2);
        found
    }

    /// Converts the bytes that arrived before the dialect was known.
    fn replay(&mut self, from: Dialect) -> Result<(), Error> {
        let start = match &mut self.source {
            SourceSide::Undetected(bytes) => core::mem::take(bytes),
            _ => Vec::new(),
        };
        self.set_source(from)?;
        self.convert(&start)
    }

    fn finish_inner(&mut self) -> Result<(), Error> {
        if self.from == Some(Dialect::ThreadEvents) && !self.options.source.enabled {
            return Ok(());
        }
        if self.from.is_none() {
            let from = self.detect_at_end();
            let from = from.ok_or_else(|| Error::new(Code::UnknownName, 0, "the dialect was not recognized"))?;
            self.replay(from)?;
        }
        let Self { source, target, parser, .. } = self;
        match source {
            SourceSide::Foreign(source) => {
                source.finish()?;
                pass_events(&mut **source, target, parser)?;
            }
            SourceSide::OpenResponses(source) => {
                let OpenResponsesSource { decoder, events, passed } = &mut **source;
                if let Some(block) = decoder.finish() {
                    convert_frame(&block.frame, true, events, passed, target, parser)?;
                }
                source.end_passed(&truncated(), target)?;
            }
            SourceSide::Undetected(_) => {}
        }
        target.finish()
    }

    /// Takes bytes of a source whose dialect is known.
    fn convert(&mut self, chunk: &[u8]) -> Result<(), Error> {
        let Self { source, target, parser, .. } = self;
        match source {
            SourceSide::Foreign(source) => {
                let result = source.feed(chunk);
                // Events from before a limit was exceeded are valid.
                pass_events(&mut **source, target, parser).and(result)
            }
            SourceSide::OpenResponses(source) => {
                let OpenResponsesSource { decoder, events, passed } = &mut **source;
                let mut at = 0;
                while let Some(signal) = decoder.next(chunk, &mut at)? {
                    if let Signal::Frame(frame) = signal {
                        convert_frame(&frame, false, events, passed, target, parser)?;
                    }
                }
                Ok(())
            }
            SourceSide::Undetected(_) => Ok(()),
        }
    }
}

/// The bytes that detection uses: whole lines, so that the split of a line into chunks cannot change the result. A binary stream
/// has no lines and is recognized by its first byte.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    match bytes.first() {
        Some(0) => bytes,
        _ => bytes.get(..memrchr2(b'\n', b'\r', bytes).map_or(0, |at| at + 1)).unwrap_or_default(),
    }
}

/// Hands the events of a foreign source to the target.
fn pass_events(source: &mut dyn Inbound, target: &mut TargetSide, parser: &mut Parser) -> Result<(), Error> {
    match target {
        TargetSide::OpenResponses(frames) => frames.events_of(source),
        target => {
            while let Some(event) = source.poll_event() {
                let origin = Origin { frame_name: None, offset: event.source_offset, index: event.source_index };
                target.apply(&parser.parse(event.json, origin))?;
            }
        }
    }
    Ok(())
}

/// Converts a frame of an Open Responses stream. An unfinished frame at the end of input counts only if its payload is complete.
fn convert_frame(
    frame: &Frame<'_>,
    is_unfinished: bool,
    events: &mut u64,
    passed: &mut Option<PassedStream>,
    target: &mut TargetSide,
    parser: &mut Parser,
) -> Result<(), Error> {
    if frame.data == "[DONE]" {
        write_end(passed, &truncated(), target)?;
        target.done();
        return Ok(());
    }
    let name = frame.features.event().then_some(frame.event);
    let event = parser.parse(frame.data, Origin { frame_name: name, offset: frame.data_offset, index: *events });
    *events += 1;
    if is_unfinished && event.fault().is_some() {
        return Ok(());
    }
    if let Some(passed) = passed {
        passed.observe(&event)?;
    }
    target.apply(&event)
}

impl OpenResponsesSource {
    /// Ends a stream that is passed on, if it has no terminal event.
    fn end_passed(&mut self, failure: &Failure, target: &mut TargetSide) -> Result<(), Error> {
        if write_end(&mut self.passed, failure, target)? {
            target.done();
        }
        Ok(())
    }
}

/// Writes the events that end a stream that is passed on and has no terminal event. Returns `true` if there were any.
fn write_end(passed: &mut Option<PassedStream>, failure: &Failure, target: &mut TargetSide) -> Result<bool, Error> {
    let Some(passed) = passed else { return Ok(false) };
    let events = passed.end(failure)?;
    for event in &events {
        target.apply(&Parser::new(MAX_DEPTH).parse(event, Origin::default()))?;
    }
    Ok(!events.is_empty())
}

/// The failure of a source that broke off.
fn truncated() -> Failure {
    failure("stream_truncated", "The response stream ended before a terminal event.")
}

fn failure(code: &str, message: &str) -> Failure {
    Failure { kind: "server_error".to_owned(), code: code.to_owned(), message: message.to_owned(), param: None }
}

/// The additional nesting of a value in an event compared with its source: response, output, item, content, part, annotation.
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
