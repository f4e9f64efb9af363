//! [`Reader`]: bytes to events to the response.
//!
//! - *Takes*: chunks of an event stream, split anywhere, or JSON messages.
//! - *Gives*: events, findings, the response so far, the outcome.
//! - *Promises*: the result does not depend on the split; invalid data is a finding; only a limit, misuse or strict mode ends reading.
//! - *Costs*: linear in the bytes; a delta allocates nothing after warm-up, and a new reader allocates nothing for its tables.
//!
//! Every stage can be used alone; the reader composes them and adds the checks that need the whole stream: input that is not a
//! Responses stream, repetitions after a reconnect, and the end of reading in strict mode.

mod builder;
mod debug;
mod faults;
mod input;
mod save;
#[cfg(feature = "validate")]
#[path = "with_validator.rs"]
mod validation;
#[cfg(not(feature = "validate"))]
#[path = "without_validator.rs"]
mod validation;

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

pub use builder::{ReaderBuilder, ReaderOptions};
use faults::ForeignDetector;
use validation::ReaderValidator;

use crate::accumulate::{header_texts, Accumulator, RateLimits, Response};
use crate::error::{Code, Error};
use crate::event::{BlockMatch, Event, Origin, Parser};
use crate::finding::{Finding, Findings, Location, Repair, Severity};
use crate::json::{JsonErrorKind, Tape};
use crate::outcome::Outcome;
use crate::sse::{Frame, FrameDecoder, FrameOutcome, Signal};
use crate::validate::Rule;

/// The stages that every event passes, from each input. The event borrows the rest of the reader.
struct Stages<'r> {
    findings: &'r mut Findings,
    foreign: &'r mut ForeignDetector,
    validator: &'r mut Option<ReaderValidator>,
    accumulator: &'r mut Accumulator,
    strict: bool,
    first: bool,
}

/// The stages of a reader, after the event's number is recorded. A macro, because the event borrows other fields.
macro_rules! stages {
    ($reader:ident, $event:ident) => {{
        if let Some(number) = $event.sequence_number() {
            $reader.last_sequence_number = Some(number);
        }
        Stages {
            findings: &mut $reader.findings,
            foreign: &mut $reader.foreign,
            validator: &mut $reader.validator,
            accumulator: &mut $reader.accumulator,
            strict: $reader.options.strict,
            first: $reader.events == 1,
        }
    }};
}

impl Stages<'_> {
    /// Takes an event. `frame`: the frame it came in, unless it is a message; `dropped`: its payload was dropped.
    #[inline(never)]
    fn take(self, event: &Event<'_>, frame: Option<&Frame<'_>>, dropped: bool) -> Result<(), Error> {
        let Self { findings, foreign, validator, accumulator, strict, first } = self;
        let mut unchecked = validator.as_mut();
        if unchecked.as_mut().is_some_and(|validator| validator.accept_continuation(event)) {
            unchecked = None;
        }
        if let (Some(validator), Some(frame)) = (&mut unchecked, frame) {
            validator.check_frame(frame, event.location(), findings);
        }
        if event.has_field_faults() && !dropped {
            faults::of_event(event, frame.is_some(), findings);
        }
        if first && faults::continues_earlier_response(event) {
            findings.soften_repairs();
        }
        if !event.kind().is_known() {
            foreign.observe(event, findings);
        }
        // A type that the caller added is known and changes nothing; the accumulator would report it as unknown.
        let is_added =
            !event.kind().is_known() && unchecked.as_ref().is_some_and(|validator| validator.is_added(event));
        if let Some(validator) = unchecked {
            validator.check(event, findings);
        }
        match if is_added { Ok(()) } else { accumulator.apply(event, findings) } {
            // The count includes the findings of the event's frame.
            Ok(()) if strict && findings.count(Severity::Error) > 0 => Err(faults::strict(event.location(), findings)),
            result => result,
        }
    }
}

/// Reads a stream: takes bytes, split anywhere; returns events, findings and the response.
///
/// *Inputs*: [`feed`](Self::feed) for bytes of an event stream, [`feed_json`](Self::feed_json) for messages that are already JSON
/// (WebSocket, logs), [`end`](Self::end) at the end of input, [`note_headers`](Self::note_headers).
/// *Outputs*: [`poll_event`](Self::poll_event) until it returns `None`, after each input; [`finish`](Self::finish) at the end.
/// *Getters*: [`response`](Self::response), [`findings`](Self::findings), [`activity`](Self::activity), …
///
/// By default, invalid data from a server is not an error: it becomes a finding, and reading continues. Only a limit of
/// [`Limits`](crate::Limits), misuse, or strict mode ends reading; then every call returns the same error until
/// [`reset`](Self::reset). Time is linear in the number of bytes for any split.
///
/// ```
/// use deltafold::{Kind, Outcome, Reader};
///
/// let mut reader = Reader::new();
/// let mut text = String::new();
/// for chunk in [
///     "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.del",
///     "ta\",\"sequence_number\":0,\"output_index\":0,\"content_index\":0,\"delta\":\"Hi\"}\n\n",
/// ] {
///     reader.feed(chunk.as_bytes())?;
///     while let Some(event) = reader.poll_event()? {
///         if event.kind() == Kind::OutputTextDelta {
///             text.push_str(event.delta());
///         }
///     }
/// }
/// assert_eq!(text, "Hi");
/// assert_eq!(reader.response().output_text(), "Hi");
/// assert_eq!(reader.finish()?, Outcome::Truncated { last_sequence_number: Some(0) });
/// # Ok::<(), deltafold::Error>(())
/// ```
pub struct Reader {
    options: ReaderOptions,
    pending: Vec<u8>,
    at: usize,
    /// The end of the pending bytes that may be read: whole blocks, if the last one continues in the next chunk.
    ready: usize,
    decoder: FrameDecoder,
    /// Pending messages without SSE, and the one that the last event borrows from.
    messages: VecDeque<String>,
    /// The size of the pending messages.
    waiting_bytes: usize,
    message: String,
    message_offset: u64,
    parser: Parser,
    accumulator: Accumulator,
    validator: Option<ReaderValidator>,
    findings: Findings,
    foreign: ForeignDetector,
    events: u64,
    activity: u64,
    last_sequence_number: Option<u64>,
    /// After `restore` or `reconnect`: events with numbers up to this one were read before.
    resumed_after: Option<u64>,
    done_sentinel: bool,
    input: InputPhase,
    /// `finish` was called: the response is closed.
    finished: bool,
    fatal: Option<Error>,
    /// True if a block begins at the reading position and no state needs attention: the fast path of `poll_event` checks
    /// only this field. Code that changes any of these conditions must set it to `false`.
    at_block_boundary: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputPhase {
    Open,
    /// Ended; the unterminated last block has not been read.
    Ended,
    /// Ended, and nothing is left.
    Drained,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

impl Reader {
    /// Makes a tolerant reader with default options.
    pub fn new() -> Self {
        Self::with_options(ReaderOptions::default())
    }

    /// Makes a builder.
    ///
    /// ```
    /// let reader = deltafold::Reader::builder().strict().build();
    /// ```
    pub fn builder() -> ReaderBuilder {
        ReaderBuilder::default()
    }

    /// Makes a reader with these options.
    pub fn with_options(options: ReaderOptions) -> Self {
        let limits = options.limits;
        let validator = validation::of(&options);
        Self {
            pending: Vec::new(),
            at: 0,
            ready: 0,
            decoder: FrameDecoder::new(&limits),
            messages: VecDeque::new(),
            waiting_bytes: 0,
            message: String::new(),
            message_offset: 0,
            parser: Parser::with_tiers(limits.depth, options.parser_tiers).with_outlines(validator.is_none()),
            accumulator: Accumulator::new(options.accumulate, limits),
            validator,
            findings: Findings::new(limits.findings, options.profile.severity_map()),
            foreign: ForeignDetector::default(),
            events: 0,
            activity: 0,
            last_sequence_number: None,
            resumed_after: None,
            done_sentinel: false,
            input: InputPhase::Open,
            finished: false,
            fatal: None,
            at_block_boundary: false,
            options,
        }
    }

    /// Reads the next event. `None`: more input is needed.
    ///
    /// # Errors
    ///
    /// A limit was exceeded, or the reader is strict and the stream broke a rule. Every later call returns the same error until `reset`.
    // Inlined, for the most frequent check: whether any bytes are left.
    #[inline]
    pub fn poll_event(&mut self) -> Result<Option<Event<'_>>, Error> {
        if self.at_block_boundary && self.input == InputPhase::Open && self.at >= self.ready {
            return Ok(None);
        }
        self.poll_next()
    }

    /// Reads the next block by its template, if there is one; otherwise line by line.
    #[inline(never)]
    fn poll_next(&mut self) -> Result<Option<Event<'_>>, Error> {
        if !self.at_block_boundary {
            return self.poll_any();
        }
        let found = self.pending.get(self.at..self.ready).and_then(|ready| self.parser.match_block(ready));
        let Some(BlockMatch { start, end, continues_previous }) = found else { return self.poll_frame() };
        if end > self.decoder.safe_bytes() {
            return self.poll_frame();
        }
        let (offset, block) = (self.decoder.offset(), self.at);
        let origin = Origin { frame_name: None, offset: offset + start as u64, index: self.events };
        self.at = block + end + BLANK_LINE;
        self.decoder.skip_block(end + BLANK_LINE);
        self.events += 1;
        self.activity += 1;
        let payload = self.pending.get(block + start..block + end).unwrap_or_default();
        self.parser.accept_match();
        let event = self.parser.matched_event(payload, origin, continues_previous);
        // Most events extend a text and need no validator.
        if self.validator.is_none() && self.accumulator.append_delta(&event) {
            if let Some(number) = event.sequence_number() {
                self.last_sequence_number = Some(number);
            }
            return Ok(Some(event));
        }
        // Made a second time, so that the first one, which no call takes, stays in registers. A copy of an event waits until all of it has
        // been written to memory.
        let event = self.parser.matched_event(payload, origin, continues_previous);
        // Only the presence of the payload is used, which is known.
        let frame = self.decoder.simple_frame(event.frame_name(), "{}", offset, event.offset());
        if let Err(error) = stages!(self, event).take(&event, Some(&frame), false) {
            self.fatal = Some(error.clone());
            self.at_block_boundary = false;
            return Err(error);
        }
        Ok(Some(self.parser.matched_event(payload, origin, continues_previous)))
    }

    /// Reads when the position may be inside a block.
    #[inline(never)]
    fn poll_any(&mut self) -> Result<Option<Event<'_>>, Error> {
        if let Some(fatal) = &self.fatal {
            return Err(fatal.clone());
        }
        if !self.messages.is_empty() {
            return self.poll_message();
        }
        if self.at >= self.ready && self.input == InputPhase::Open {
            return Ok(None);
        }
        if self.resumed_after.is_some() || !self.decoder.between_blocks() {
            return self.poll_frame();
        }
        self.at_block_boundary = true;
        self.poll_next()
    }

    /// Reads the next frame line by line.
    #[inline(never)]
    fn poll_frame(&mut self) -> Result<Option<Event<'_>>, Error> {
        self.at_block_boundary = false;
        self.decoder.expect_payload_bytes(self.accumulator.held_bytes());
        loop {
            let ready = self.pending.get(..self.ready).unwrap_or_default();
            let found = match self.decoder.advance(ready, &mut self.at) {
                Ok(Some(found)) => found,
                Ok(None) if self.input == InputPhase::Ended => return self.poll_unfinished_block(),
                Ok(None) => return Ok(None),
                // The decoder was finished: polling again after the end is not misuse.
                Err(_) if self.input == InputPhase::Drained => return Ok(None),
                Err(error) => return Err(self.fail(error)),
            };
            if found == FrameOutcome::Frame && !self.is_dropped(found) {
                break;
            }
            self.count_blank(found);
            if self.options.strict && self.findings.count(Severity::Error) > 0 {
                let location = Location { offset: self.decoder.offset(), ..Location::default() };
                let error = faults::strict(location, &self.findings);
                return Err(self.fail(error));
            }
        }
        let frame = self.decoder.frame(&self.pending);
        let name = frame.features.event().then_some(frame.event);
        let origin = Origin { frame_name: name, offset: frame.data_offset, index: self.events };
        self.events += 1;
        self.activity += 1;
        self.parser.read_payload(frame.data, name, input::block_head(&frame));
        let event = self.parser.event(frame.data, origin);
        if frame.invalid_utf8.is_some() || frame.dropped {
            faults::of_frame(&frame, &event, &mut self.findings);
        }
        if let Err(error) = stages!(self, event).take(&event, Some(&frame), frame.dropped) {
            self.fatal = Some(error.clone());
            return Err(error);
        }
        // Made a second time, as in `poll_next`.
        Ok(Some(self.parser.event(frame.data, origin)))
    }

    /// Ends the input, applies every event that was not polled, and returns how the stream ended.
    ///
    /// Events that were fed and not polled are applied to the response, checked and counted, but not shown; to see them, call
    /// [`end`](Self::end) and poll before this. A last block without the blank line after it is read if its payload is complete
    /// JSON (with the finding SSE-10), and discarded otherwise. Frees the memory of the chunks. May be called again with the same result.
    ///
    /// # Errors
    ///
    /// The error that ended reading: a limit was exceeded, or the reader is strict and the stream broke a rule, at the latest at its
    /// end. [`outcome`](Self::outcome) and [`response`](Self::response) have the state before the error.
    // Inlined, so that a program has one copy of `poll_event`: its own.
    #[inline]
    pub fn finish(&mut self) -> Result<Outcome, Error> {
        self.end();
        // An error is kept in `fatal`, which is returned below.
        while let Ok(Some(_)) = self.poll_event() {}
        self.finish_stages()
    }

    fn finish_stages(&mut self) -> Result<Outcome, Error> {
        self.finished = true;
        // Programs keep a finished reader for its response. The chunk that was read last can be larger.
        self.pending = Vec::new();
        (self.at, self.ready) = (0, 0);
        // The position where reading stopped. The decoder may be further, which would depend on the split.
        let offset = self.fatal.as_ref().map_or(self.decoder.offset(), Error::offset);
        let location = Location { event_index: None, sequence_number: None, offset };
        if self.accumulator.outcome().is_none() {
            if let Some(outcome) = self.foreign.outcome_without_events(
                self.events,
                self.decoder.is_event_stream(),
                location,
                &mut self.findings,
            ) {
                self.accumulator.outcome = Some(outcome);
            } else if self.accumulator.error.is_none() {
                self.accumulator.outcome = self.foreign.outcome_of_status(self.events);
            }
        }
        // Taken, so that a second call reports nothing twice. After a limit the rest of the stream is unknown.
        if let Some(mut validator) = self.validator.take().filter(|_| self.fatal.is_none()) {
            validator.finish(location.offset, &mut self.findings);
        }
        let outcome = self.accumulator.finish(location, self.last_sequence_number, &mut self.findings);
        if self.options.strict && self.fatal.is_none() && self.findings.count(Severity::Error) > 0 {
            self.fatal = Some(faults::strict(location, &self.findings));
        }
        self.fatal.clone().map_or(Ok(outcome), Err)
    }

    /// Continues the stream over a new connection, after the old one broke.
    ///
    /// Bytes that were not polled are discarded, with the incomplete block at their end. Feed the bytes of the new connection next. The
    /// server may replay the stream from any event up to the one after [`last_sequence_number`](Self::last_sequence_number):
    /// events with a number up to that are dropped (finding READ-08), a gap after it is the finding READ-09. Events without
    /// numbers cannot be distinguished from new ones. Response, findings, last event id and reconnection time are kept; offsets count the bytes
    /// of the new connection.
    ///
    /// ```
    /// # let event = |number: u32, delta: &str| format!(
    /// #     "data: {{\"type\":\"response.output_text.delta\",\"sequence_number\":{number},\"output_index\":0,\"delta\":\"{delta}\"}}\n\n"
    /// # );
    /// let mut reader = deltafold::Reader::new();
    /// reader.feed((event(0, "Hel") + "data: {\"ty").as_bytes())?;
    /// while reader.poll_event()?.is_some() {}
    /// // The connection broke. The server is asked for the rest, and sends the whole stream again.
    /// reader.reconnect()?;
    /// reader.feed((event(0, "Hel") + &event(1, "lo")).as_bytes())?;
    /// while reader.poll_event()?.is_some() {}
    /// assert_eq!(reader.response().output_text(), "Hello");
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Code::AfterFinish`] after [`finish`](Self::finish), which closes the response, or the error that ended reading.
    pub fn reconnect(&mut self) -> Result<(), Error> {
        if let Some(fatal) = &self.fatal {
            return Err(fatal.clone());
        }
        if self.finished {
            return Err(Error::new(Code::AfterFinish, self.decoder.offset(), ""));
        }
        self.pending.clear();
        (self.at, self.ready) = (0, 0);
        self.messages.clear();
        self.waiting_bytes = 0;
        self.message_offset = 0;
        self.decoder = self.decoder.for_new_connection();
        self.at_block_boundary = false;
        self.input = InputPhase::Open;
        self.resumed_after = self.last_sequence_number;
        if self.events == 0 {
            self.foreign = ForeignDetector::default();
        }
        Ok(())
    }

    /// Resets the reader to the start of a stream; options stay.
    pub fn reset(&mut self) {
        *self = Self::with_options(self.options.clone());
    }

    /// Takes the request that the stream answers, as JSON text: the validator then checks the rules that compare both.
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`] or [`Code::TooDeep`].
    pub fn note_request(&mut self, request: &str) -> Result<(), Error> {
        let mut tape = Tape::default();
        tape.parse(request, self.options.limits.depth).map_err(|error| {
            let deep = error.kind() == JsonErrorKind::Depth;
            Error::new(if deep { Code::TooDeep } else { Code::NotJson }, error.position() as u64, format!("{error}"))
        })?;
        if let Some(validator) = &mut self.validator {
            validator.note_request(tape.root(request));
        }
        Ok(())
    }

    /// Takes the HTTP status and headers of the response: the validator then checks the rules about them. Rate
    /// limits are kept as by [`note_headers`](Self::note_headers). A response without events whose status is 400 or more has failed.
    pub fn note_head<N: AsRef<str>, V: AsRef<[u8]>>(&mut self, status: u16, headers: impl IntoIterator<Item = (N, V)>) {
        let headers: Vec<(N, V)> = headers.into_iter().collect();
        let headers = header_texts(&headers);
        if let Some(validator) = &mut self.validator {
            let pairs = headers.iter().map(|(name, value)| (*name, &**value));
            validator.note_headers(status, pairs, &mut self.findings);
        }
        self.accumulator.note_header_texts(&headers);
        self.foreign.note_status(status);
    }

    /// Takes HTTP response headers. Those about rate limits are kept.
    pub fn note_headers<N: AsRef<str>, V: AsRef<[u8]>>(&mut self, headers: impl IntoIterator<Item = (N, V)>) {
        self.accumulator.note_headers(headers);
    }

    /// The response so far, as a view that reads only what is accessed.
    pub fn response(&self) -> Response<'_> {
        self.accumulator.response()
    }

    /// The stored findings, up to the number in [`Limits::findings`](crate::Limits::findings).
    pub fn findings(&self) -> &[Finding] {
        self.findings.as_slice()
    }

    /// All findings with their counts.
    pub fn all_findings(&self) -> &Findings {
        &self.findings
    }

    /// The outcome, once a terminal event or `finish` has determined it.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.accumulator.outcome()
    }

    /// Token counts, once a terminal event has them.
    pub fn usage(&self) -> Option<crate::write::Usage> {
        self.response().usage()
    }

    /// The newest sequence number: the stream can be resumed after it.
    pub fn last_sequence_number(&self) -> Option<u64> {
        self.last_sequence_number
    }

    /// The number of events so far.
    pub fn event_count(&self) -> u64 {
        self.events
    }

    /// A counter that grows with every byte, message, comment, blank frame and event, so that a caller can detect a stalled
    /// stream. It is the same for every split.
    pub fn activity(&self) -> u64 {
        self.activity
    }

    /// Returns `true` if `[DONE]` was read.
    pub fn saw_done(&self) -> bool {
        self.done_sentinel
    }

    /// The last event id of the SSE layer.
    pub fn last_event_id(&self) -> &str {
        self.decoder.last_event_id()
    }

    /// The reconnection time that the stream requested, in milliseconds.
    pub fn retry(&self) -> Option<u64> {
        self.decoder.retry()
    }

    /// Rate limits from headers and events.
    pub fn rate_limits(&self) -> &RateLimits {
        self.accumulator.rate_limits()
    }

    /// The size of the response in memory, as [`Limits::response_bytes`](crate::Limits::response_bytes) counts it.
    pub fn held_bytes(&self) -> usize {
        self.accumulator.held_bytes()
    }

    /// The same number, computed from scratch. For tests: it costs as much as reading everything.
    #[doc(hidden)]
    pub(crate) fn recount_bytes(&self) -> usize {
        self.accumulator.recount_bytes()
    }

    /// Bytes read since the start.
    pub fn offset(&self) -> u64 {
        self.decoder.offset()
    }

    fn fail(&mut self, error: Error) -> Error {
        self.at_block_boundary = false;
        self.fatal = Some(error.clone());
        error
    }

    /// Returns `true` if a frame is not an event for the caller: the sentinel, or a repetition after a reconnect.
    #[inline]
    fn is_dropped(&mut self, found: FrameOutcome) -> bool {
        let payload = self.decoder.payload(found, &self.pending);
        if payload.len() == 6 && payload == b"[DONE]" {
            self.take_sentinel(found);
            return true;
        }
        self.resumed_after.is_some() && self.repeats(found)
    }

    #[cold]
    fn repeats(&mut self, found: FrameOutcome) -> bool {
        let Signal::Frame(frame) = self.decoder.resolve(found, &self.pending) else { return false };
        let origin = Origin { frame_name: None, offset: frame.data_offset, index: self.events };
        let event = self.parser.parse(frame.data, origin);
        let repeats = faults::resume(&event, &mut self.resumed_after, &mut self.findings);
        self.parser.forget_last();
        repeats
    }

    #[cold]
    fn take_sentinel(&mut self, found: FrameOutcome) {
        self.done_sentinel = true;
        let Some(validator) = &mut self.validator else { return };
        if let Signal::Frame(frame) = self.decoder.resolve(found, &self.pending) {
            let location = Location { offset: frame.data_offset, ..Location::default() };
            validator.check_frame(&frame, location, &mut self.findings);
            validator.check_done(frame.data, location, &mut self.findings);
        }
    }

    #[cold]
    fn count_blank(&mut self, found: FrameOutcome) {
        self.activity += 1;
        let (Some(validator), FrameOutcome::Blank) = (&mut self.validator, found) else { return };
        if let Signal::Blank(blank) = self.decoder.resolve(found, &self.pending) {
            validator.check_blank(&blank, &mut self.findings);
        }
    }

    #[cold]
    fn poll_message(&mut self) -> Result<Option<Event<'_>>, Error> {
        loop {
            let Some(message) = self.messages.pop_front() else { return Ok(None) };
            self.waiting_bytes = self.waiting_bytes.saturating_sub(input::message_bytes(&message));
            self.message = message;
            let offset = self.message_offset;
            self.message_offset += self.message.len() as u64;
            if self.message.trim() == "[DONE]" {
                self.done_sentinel = true;
                continue;
            }
            let origin = Origin { frame_name: None, offset, index: self.events };
            if self.resumed_after.is_some() {
                let event = self.parser.parse(&self.message, origin);
                let repeats = faults::resume(&event, &mut self.resumed_after, &mut self.findings);
                self.parser.forget_last();
                if repeats {
                    continue;
                }
            }
            break;
        }
        let offset = self.message_offset - self.message.len() as u64;
        let origin = Origin { frame_name: None, offset, index: self.events };
        self.events += 1;
        self.activity += 1;
        let event = self.parser.parse(&self.message, origin);
        if let Err(error) = stages!(self, event).take(&event, None, false) {
            self.fatal = Some(error.clone());
            return Err(error);
        }
        Ok(Some(event))
    }

    /// The block that the end of input interrupted: the standard discards it; it is read here if it is complete JSON (SSE-10).
    #[cold]
    fn poll_unfinished_block(&mut self) -> Result<Option<Event<'_>>, Error> {
        self.input = InputPhase::Drained;
        let Some(tail) = self.decoder.finish() else { return Ok(None) };
        let frame = tail.frame;
        let name = frame.features.event().then_some(frame.event);
        let origin = Origin { frame_name: name, offset: frame.data_offset, index: self.events };
        let sentinel = frame.data == "[DONE]";
        let event = self.parser.parse(frame.data, origin);
        let whole = event.fault().is_none() || sentinel;
        let location = Location { event_index: Some(self.events), sequence_number: None, offset: frame.offset };
        self.findings.report(Rule::Sse10, location, None, || {
            let what = if whole { "it is complete and was read" } else { "it is incomplete and was discarded" };
            (String::new(), format!("expected a blank line after the last block, found the end of input; {what}"))
        });
        self.done_sentinel |= sentinel;
        if let Some(validator) = self.validator.as_mut().filter(|_| sentinel) {
            validator.check_frame(&frame, event.location(), &mut self.findings);
            validator.check_done(frame.data, event.location(), &mut self.findings);
        }
        if !whole || sentinel || faults::resume(&event, &mut self.resumed_after, &mut self.findings) {
            return Ok(None);
        }
        self.events += 1;
        self.activity += 1;
        if let Err(error) = stages!(self, event).take(&event, Some(&frame), frame.dropped) {
            self.fatal = Some(error.clone());
            return Err(error);
        }
        Ok(Some(event))
    }
}

/// The number of bytes of the line end that closes the data line, and of the blank line after it.
const BLANK_LINE: usize = 2;

/// The repair that is recorded for a repeated event.
const REPEAT_DROPPED: Option<Repair> = Some(Repair::DroppedRepeat);
