//! [`Writer`]: intents → events → bytes. The life of the response is here; items and parts are in the files beside it.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::api_error::ApiError;
use super::emit::{Emitter, Mark};
use super::options::{Dialect, Heartbeat, WriterOptions};
use super::shape::{is_extension, ItemStatus};
use super::slot::{write_members, Open, Slot};
use super::snapshot::{self, State, OWN};
use super::tools::end_output;
use super::usage::Usage;
use crate::contract::{Edition, Group, Kind};
use crate::error::{Code, Error};
use crate::finding::{Finding, Severity};
use crate::json::{Object, Value};
use crate::limits::Limits;
use crate::validate::{validate_event, validate_response};

/// Writes one response as a stream that cannot be wrong.
///
/// **Intents** say what happens ([`message`](Self::message), [`text`](Self::text), [`complete`](Self::complete), …). Each
/// either writes every event that it takes or is refused with a [`Class::Misuse`](crate::Class::Misuse) error and writes
/// nothing; either way the stream so far is valid and can go on. Numbers, indexes, parts, done events and the closing of
/// whatever is open are the writer's own business. An intent before [`start`](Self::start) starts the response.
///
/// **Outputs** share one queue: [`take`](Self::take) and [`write_into`](Self::write_into) give SSE bytes,
/// [`poll_event`](Self::poll_event) gives the JSON text of one event at a time, as a WebSocket wants it.
///
/// **Getters**: [`response`](Self::response) and its kin read the response so far.
///
/// A delta costs O(its length) and no allocation once the buffers have grown; an item is held until the terminal event,
/// which carries it. There is no clock and no randomness in here.
///
/// ```
/// use deltafold::write::{Usage, Writer, WriterOptions};
///
/// let mut writer = Writer::new(WriterOptions::new("resp_1", "m-1", 1_767_225_600));
/// let message = writer.message()?;
/// writer.text(message, "Hel")?;
/// writer.text(message, "lo")?;
/// writer.complete(Some(Usage::new(3, 2)))?;
///
/// let bytes = writer.take();
/// assert!(bytes.ends_with(b"data: [DONE]\n\n"));
/// assert!(writer.text(message, "late").is_err());
///
/// let mut reader = deltafold::Reader::new();
/// reader.feed(&bytes)?;
/// while reader.poll_event()?.is_some() {}
/// assert_eq!(reader.response().output_text(), "Hello");
/// # Ok::<(), deltafold::Error>(())
/// ```
#[derive(Clone)]
pub struct Writer {
    pub(crate) options: WriterOptions,
    pub(crate) phase: Phase,
    pub(crate) emit: Emitter,
    /// The response's fields in order; made when it starts.
    pub(crate) fields: Object,
    pub(crate) state: State,
    pub(crate) items: Vec<Slot>,
    pub(crate) ids: BTreeSet<String>,
    /// Whether an item was cut: none may follow, the last one can only be cut too, and the response cannot complete.
    pub(crate) cut: bool,
    /// Counts for the terminal event; no snapshot before it has any.
    usage: Option<Usage>,
    now: u64,
}

/// Where the response stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    New,
    Queued,
    Running,
    /// An `error` event was written: only `response.failed` may follow.
    Erred,
    Ended,
}

/// See [`Writer::checkpoint`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checkpoint {
    mark: Mark,
    phase: Phase,
    status: &'static str,
    items: usize,
}

impl Writer {
    /// Makes a writer. Nothing is written before the first intent.
    pub fn new(options: WriterOptions) -> Self {
        Self {
            now: options.created_at,
            options,
            phase: Phase::New,
            emit: Emitter::default(),
            fields: Object::new(),
            state: State { status: "in_progress", ..State::default() },
            items: Vec::new(),
            ids: BTreeSet::new(),
            cut: false,
            usage: None,
        }
    }

    /// The options, to change while nothing has been written.
    pub fn options_mut(&mut self) -> Result<&mut WriterOptions, Error> {
        match self.phase {
            Phase::New => Ok(&mut self.options),
            _ => Err(refused("the response has started, its options are fixed")),
        }
    }

    /// Tells the time in whole seconds; `completed_at` is the last time told, or `created_at` if none was.
    pub fn set_now(&mut self, seconds: u64) {
        self.now = seconds;
    }

    /// Writes `response.created` and `response.queued`: the response waits. [`start`](Self::start) ends the wait.
    pub fn queue(&mut self) -> Result<(), Error> {
        if self.phase != Phase::New {
            return Err(refused("the response has started, it cannot wait any more"));
        }
        self.create("queued")?;
        self.snapshot_event(Kind::Queued);
        self.phase = Phase::Queued;
        Ok(())
    }

    /// Writes `response.created` and `response.in_progress`. Fails if the options cannot make a valid response.
    pub fn start(&mut self) -> Result<(), Error> {
        match self.phase {
            Phase::New => self.create("in_progress")?,
            Phase::Queued => self.state.status = "in_progress",
            Phase::Ended => return Err(ended()),
            _ => return Err(refused("the response has already started")),
        }
        self.snapshot_event(Kind::InProgress);
        self.phase = Phase::Running;
        Ok(())
    }

    /// Sets a response field for the snapshots to come: an echo that is known late, or a property of one's own.
    pub fn set_field(&mut self, key: &str, value: impl Into<Value>) -> Result<(), Error> {
        self.check_running()?;
        if OWN.contains(&key) || key == "model" {
            return Err(bad("the field is the writer's own"));
        }
        self.ensure_started()?;
        let mut fields = self.fields.clone();
        fields.insert(key, value);
        self.check_fields(&fields)?;
        self.fields = fields;
        Ok(())
    }

    /// Sets the token counts that the terminal event will carry; the last ones win.
    pub fn usage(&mut self, usage: Usage) -> Result<(), Error> {
        self.check_unended()?;
        check_usage(Some(usage))?;
        self.usage = Some(usage);
        Ok(())
    }

    /// Ends the response well: closes what is open as completed, then `response.completed` and `[DONE]`.
    ///
    /// Refused if an item has ended incomplete, and if an open call has arguments that are not JSON: such a call was cut,
    /// or the model wrote nonsense, which is a `model_error` to [`fail`](Self::fail) with. Without `usage` the counts given
    /// before stand.
    pub fn complete(&mut self, usage: Option<Usage>) -> Result<(), Error> {
        self.check_running()?;
        if self.cut {
            return Err(refused("an item ended incomplete, so the response cannot complete"));
        }
        if self.items.iter().any(Slot::has_broken_input) {
            return Err(refused("the arguments of an open call are not JSON, so it cannot complete"));
        }
        check_usage(usage)?;
        self.ensure_started()?;
        for at in 0..self.items.len() {
            self.close_slot(at, ItemStatus::Completed);
        }
        self.state.completed_at = Some(self.now);
        self.end(Kind::Completed, "completed", usage);
        Ok(())
    }

    /// Ends the response early: closes what is open, then `response.incomplete` with this reason and `[DONE]`.
    ///
    /// The last item, if open, ends incomplete. Of several open items the earlier ones end completed, except calls whose
    /// input is cut: they must not be run. Refused if such a call stands before a last item that has ended otherwise, since
    /// an incomplete item is the last one, and with the reason `max_output_tokens` if the last item has completed, since
    /// the tokens ran out in it: leave it open. [`cancel`](Self::cancel) and [`fail`](Self::fail) are always possible.
    pub fn incomplete(&mut self, reason: &str, usage: Option<Usage>) -> Result<(), Error> {
        self.check_running()?;
        if reason.is_empty() {
            return Err(bad("expected a reason, found an empty text"));
        }
        if self.items.last().is_some_and(Slot::has_ended_whole) {
            if reason == "max_output_tokens" && self.items.last().is_some_and(|last| last.status == "completed") {
                return Err(refused("the item that ran out of tokens was closed as completed; leave it open"));
            }
            if self.items.iter().any(|slot| !slot.done && slot.is_cut()) {
                return Err(refused("a call that is cut cannot stand before a whole item; cancel or fail"));
            }
        }
        check_usage(usage)?;
        self.ensure_started()?;
        self.end_incomplete(reason, usage);
        Ok(())
    }

    /// Closes what is open, and ends the response early.
    pub(crate) fn end_incomplete(&mut self, reason: &str, usage: Option<Usage>) {
        let last = self.items.len().saturating_sub(1);
        for at in 0..self.items.len() {
            let cut = at == last || self.items[at].is_cut();
            self.close_slot(at, if cut { ItemStatus::Incomplete } else { ItemStatus::Completed });
        }
        self.state.reason = Some(reason.to_string());
        self.end(Kind::Incomplete, "incomplete", usage);
    }

    /// Ends the response because its caller wants no more: everything open ends incomplete, the reason is `cancelled`.
    ///
    /// This is the only end where an incomplete item need not be the last: all of them were cut at once, from outside.
    pub fn cancel(&mut self) -> Result<(), Error> {
        self.check_running()?;
        self.ensure_started()?;
        for at in 0..self.items.len() {
            self.close_slot(at, ItemStatus::Incomplete);
        }
        self.state.reason = Some("cancelled".to_string());
        self.end(Kind::Incomplete, "incomplete", None);
        Ok(())
    }

    /// Ends the response because something broke: an `error` event if none was written, `response.failed`, `[DONE]`.
    ///
    /// Nothing is closed: open items stay `in_progress` in the response, exactly as far as the stream has told them.
    pub fn fail(&mut self, error: &ApiError) -> Result<(), Error> {
        self.check_unended()?;
        if self.phase != Phase::Erred {
            self.error(error)?;
        }
        self.state.error = Some((error.code_or_type().to_string(), error.message.clone()));
        self.end(Kind::Failed, "failed", None);
        Ok(())
    }

    /// Writes an `error` event. Only [`fail`](Self::fail) may follow.
    pub fn error(&mut self, error: &ApiError) -> Result<(), Error> {
        self.check_running()?;
        self.ensure_started()?;
        // Unlike a part, what a command printed has no valid form without its outcome, and the response must show it.
        for (at, slot) in self.items.iter_mut().enumerate() {
            if slot.open == Some(Open::Output) && slot.outputs_shown {
                end_output(&mut self.emit, slot, at, true);
            }
        }
        self.emit.open(Kind::Error.as_str());
        error.write(self.emit.raw("error"));
        self.emit.close();
        self.phase = Phase::Erred;
        Ok(())
    }

    /// Writes a sign of life, as the options say.
    pub fn heartbeat(&mut self) -> Result<(), Error> {
        self.check_unended()?;
        match self.options.heartbeat {
            Heartbeat::Off => {}
            // The first event must be `response.created`, so before it only a comment will do.
            Heartbeat::Keepalive if self.phase != Phase::New => {
                self.emit.open(Kind::Keepalive.as_str());
                self.emit.close();
            }
            _ => self.emit.frame(": keep-alive\n\n"),
        }
        Ok(())
    }

    /// Writes an event that its sender defines: `slug:name` with any fields but `type`, `sequence_number` and `error`.
    ///
    /// It must not change the meaning of the events around it. A field named `error` is refused because the official SDKs
    /// take any event with one for a failure.
    pub fn extension_event(&mut self, event_type: &str, fields: &Object) -> Result<(), Error> {
        self.check_running()?;
        if !is_extension(event_type) {
            return Err(bad("expected an event type of the form slug:name"));
        }
        if ["type", "sequence_number", "error"].iter().any(|key| fields.contains_key(key)) {
            return Err(bad("an extension event has no fields type, sequence_number or error of its own"));
        }
        self.ensure_started()?;
        self.emit.open(event_type);
        write_members(fields, self.emit.raw_members());
        self.emit.close();
        Ok(())
    }

    /// Writes an event of the contract that says nothing of the response: audio, the images API, answers to a client's
    /// messages on a WebSocket. Refused if the edition does not have it, or if another intent writes events of this kind.
    pub fn event(&mut self, kind: Kind, fields: &Object) -> Result<(), Error> {
        self.check_running()?;
        let aside = matches!(kind.group(), Group::ImagesApi | Group::WebsocketControl)
            || matches!(
                kind,
                Kind::AudioDelta | Kind::AudioDone | Kind::AudioTranscriptDelta | Kind::AudioTranscriptDone
            );
        if !aside || !kind.editions().contains(self.options.edition) {
            return Err(refused("only events that say nothing of the response, and that the edition has"));
        }
        if fields.contains_key("type") || fields.contains_key("sequence_number") {
            return Err(bad("type and sequence_number of an event are the writer's own"));
        }
        let mut json = format!("{{\"type\":\"{kind}\",\"sequence_number\":0");
        write_members(fields, &mut json);
        json.push('}');
        accept(self.options.edition, |edition| validate_event(&json, edition))?;
        self.ensure_started()?;
        self.emit.open(kind.as_str());
        write_members(fields, self.emit.raw_members());
        self.emit.close();
        Ok(())
    }

    /// Takes all bytes written since the last take: whole SSE frames.
    #[must_use]
    pub fn take(&mut self) -> Vec<u8> {
        self.emit.take()
    }

    /// Appends all bytes written since the last take to a buffer, and keeps the writer's own buffer for reuse.
    pub fn write_into(&mut self, out: &mut Vec<u8>) {
        self.emit.write_into(out);
    }

    /// Takes the JSON text of the next event, without its frame. Comments and `[DONE]`, which belong to SSE, are dropped.
    #[must_use]
    pub fn poll_event(&mut self) -> Option<&str> {
        self.emit.poll()
    }

    /// Says whether everything written has been taken.
    pub fn is_drained(&self) -> bool {
        self.emit.is_empty()
    }

    /// Says whether a terminal event was written.
    pub fn is_ended(&self) -> bool {
        self.phase == Phase::Ended
    }

    /// Says whether anything was written: `response.created` comes first.
    pub fn is_started(&self) -> bool {
        self.phase != Phase::New
    }

    /// The number that the next event gets.
    pub fn sequence_number(&self) -> u64 {
        self.emit.sequence_number()
    }

    /// The options.
    pub fn options(&self) -> &WriterOptions {
        &self.options
    }

    /// The response so far as JSON text: what a snapshot would carry now. After the end it is the response.
    pub fn response_json(&self) -> String {
        let mut out = String::new();
        if self.phase == Phase::New {
            snapshot::write(&self.options, &snapshot::fields(&self.options), &self.state, &self.items, &mut out);
        } else {
            snapshot::write(&self.options, &self.fields, &self.state, &self.items, &mut out);
        }
        out
    }

    /// The response so far as a value.
    pub fn response(&self) -> Value {
        // Our own text parses; its depth is that of values which were checked when they came in.
        Value::parse(&self.response_json(), usize::MAX).unwrap_or_default()
    }

    /// Gives the response object for an answer that is not streamed; the events written are dropped.
    ///
    /// ```
    /// use deltafold::write::{Writer, WriterOptions};
    /// let mut writer = Writer::new(WriterOptions::new("resp_1", "m-1", 0));
    /// let message = writer.message()?;
    /// writer.text(message, "Hello")?;
    /// writer.complete(None)?;
    /// let response = writer.into_response();
    /// assert_eq!(response.pointer("/output/0/content/0/text").unwrap().as_str(), Some("Hello"));
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    #[must_use]
    pub fn into_response(self) -> Value {
        self.response()
    }

    pub(crate) fn openai(&self) -> bool {
        self.options.dialect == Dialect::OpenAi
    }

    /// Refuses an intent once the response has ended or erred.
    pub(crate) fn check_running(&self) -> Result<(), Error> {
        match self.phase {
            Phase::Ended => Err(ended()),
            Phase::Erred => Err(refused("an error was written, only fail may follow")),
            _ => Ok(()),
        }
    }

    /// Starts the response if it has not started. The last step before an intent writes: it is the only one that fails.
    pub(crate) fn ensure_started(&mut self) -> Result<(), Error> {
        match self.phase {
            Phase::New | Phase::Queued => self.start(),
            _ => Ok(()),
        }
    }

    /// Where everything stands, to come back to if an intent of several steps is refused halfway.
    pub(crate) fn checkpoint(&mut self) -> Checkpoint {
        let (phase, status, items) = (self.phase, self.state.status, self.items.len());
        Checkpoint { mark: self.emit.mark(), phase, status, items }
    }

    /// Takes back what was written since the checkpoint: new items, and the start if it came later.
    pub(crate) fn back_to(&mut self, checkpoint: Checkpoint) {
        self.emit.back_to(checkpoint.mark);
        self.phase = checkpoint.phase;
        self.state.status = checkpoint.status;
        for slot in self.items.drain(checkpoint.items..) {
            self.ids.remove(&slot.id);
        }
    }

    fn check_unended(&self) -> Result<(), Error> {
        match self.phase {
            Phase::Ended => Err(ended()),
            _ => Ok(()),
        }
    }

    fn create(&mut self, status: &'static str) -> Result<(), Error> {
        if self.options.id.is_empty() {
            return Err(bad("the options have no response id"));
        }
        let fields = snapshot::fields(&self.options);
        self.check_fields(&fields)?;
        self.fields = fields;
        self.state.status = status;
        self.snapshot_event(Kind::Created);
        Ok(())
    }

    /// Checks fields from the caller against the contract, as part of a response without items.
    fn check_fields(&self, fields: &Object) -> Result<(), Error> {
        let mut json = String::new();
        snapshot::write(&self.options, fields, &State { status: "in_progress", ..State::default() }, &[], &mut json);
        accept(self.options.edition, |edition| validate_response(&json, edition))
    }

    pub(crate) fn end(&mut self, kind: Kind, status: &'static str, usage: Option<Usage>) {
        self.state.status = status;
        self.state.usage = usage.or(self.usage);
        self.snapshot_event(kind);
        self.emit.frame("data: [DONE]\n\n");
        self.phase = Phase::Ended;
    }

    fn snapshot_event(&mut self, kind: Kind) {
        self.emit.open(kind.as_str());
        snapshot::write(&self.options, &self.fields, &self.state, &self.items, self.emit.raw("response"));
        self.emit.close();
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is written can hold secrets: only how far it has come is shown.
        f.debug_struct("Writer")
            .field("phase", &self.phase)
            .field("items", &self.items.len())
            .field("sequence_number", &self.sequence_number())
            .finish_non_exhaustive()
    }
}

/// An intent that the state does not allow.
pub(crate) fn refused(detail: impl Into<Cow<'static, str>>) -> Error {
    Error::new(Code::BadIntent, 0, detail)
}

/// An argument that cannot be used in any state.
pub(crate) fn bad(detail: impl Into<Cow<'static, str>>) -> Error {
    Error::new(Code::BadArgument, 0, detail)
}

/// Checks a value from the caller against the contract, and turns what is wrong with it into a refusal.
///
/// OpenAI's service is described by the types of its SDKs only, which demand fields that the service itself leaves out.
/// So in that edition a value will do that fits either those types or the full surface of Open Responses.
pub(crate) fn accept(edition: Edition, check: impl Fn(Edition) -> Result<Vec<Finding>, Error>) -> Result<(), Error> {
    if edition == Edition::OpenAi && judge(check(Edition::OpenAi)).is_ok() {
        return Ok(());
    }
    judge(check(if edition == Edition::OpenAi { Edition::Split } else { edition }))
}

fn judge(checked: Result<Vec<Finding>, Error>) -> Result<(), Error> {
    match checked {
        Ok(findings) => match findings.iter().find(|finding| finding.severity == Severity::Error) {
            Some(finding) => Err(bad(format!("{}: {}", finding.path, finding.message))),
            None => Ok(()),
        },
        // An edition without the schema has nothing to say about the value.
        Err(error) if error.code() == Code::UnknownName => Ok(()),
        Err(error) => Err(bad(error.detail().to_string())),
    }
}

pub(crate) fn depth() -> usize {
    Limits::default().depth
}

fn ended() -> Error {
    refused("the response has ended")
}

fn check_usage(usage: Option<Usage>) -> Result<(), Error> {
    match usage {
        Some(usage) if !usage.fits() => Err(bad("cached or reasoning tokens exceed their total")),
        _ => Ok(()),
    }
}
