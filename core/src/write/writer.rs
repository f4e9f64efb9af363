//! [`Writer`]: the life cycle of the response. Items, parts and hosted tools are in the other files of this module.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::api_error::ApiError;
use super::emitter::{Emitter, OutputPosition};
use super::field_map::FieldMap;
use super::hosted_progress::end_output;
use super::item_definitions::ItemStatus;
use super::open_item::{write_members, OpenChild, OpenItem};
use super::options::{Heartbeat, ReasoningNames, WriterOptions};
use super::snapshot::{self, ResponseProgress, WRITER_FIELDS};
use super::usage::Usage;
use crate::clock::Clock;
use crate::contract::{is_valid_extension_type, schema, Edition, Group, Kind};
use crate::error::{Code, Error};
use crate::event::{Origin, Parser};
use crate::finding::{Finding, Severity};
use crate::json::{is_document, Object, Value};
use crate::limits::Limits;
use crate::validate::{validate_event, validate_response};

/// Writes one response as a valid stream.
///
/// **Intents** state what happens ([`message`](Self::message), [`text`](Self::text), [`complete`](Self::complete), …). Each intent
/// writes all of its events, or returns a [`Class::Misuse`](crate::Class::Misuse) error and writes nothing; the stream can
/// continue in both cases. The writer adds numbers, indexes, parts and done events, and closes open parts and items. An intent
/// before [`start`](Self::start) starts the response.
///
/// **Outputs** share one queue: [`take`](Self::take) and [`write_into`](Self::write_into) return SSE bytes,
/// [`poll_event`](Self::poll_event) returns the JSON text of one event at a time, for a WebSocket.
///
/// **Getters**, such as [`response`](Self::response), read the response so far.
///
/// A delta costs O(its length), without allocation once the buffers have grown. Items are stored until the terminal event, which
/// contains them. The writer uses no clock and no randomness.
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
    /// The response's fields in order; created when the response starts.
    pub(crate) fields: FieldMap,
    pub(crate) state: ResponseProgress,
    pub(crate) items: Vec<OpenItem>,
    pub(crate) ids: BTreeSet<String>,
    /// True once an item ended incomplete: no item may follow, an open last item can only end incomplete too, and the response
    /// cannot complete.
    pub(crate) incomplete: bool,
    /// Token counts for the terminal event; other snapshots have none.
    usage: Option<Usage>,
    /// The latest time that the caller set.
    now: Option<u64>,
}

/// State of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    New,
    Queued,
    Running,
    /// An `error` event was written; only `response.failed` may follow.
    Errored,
    Ended,
}

/// See [`Writer::checkpoint`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checkpoint {
    position: OutputPosition,
    phase: Phase,
    status: &'static str,
    items: usize,
}

impl Writer {
    /// Creates a writer. The first intent writes the first event.
    pub fn new(options: WriterOptions) -> Self {
        Self {
            options,
            phase: Phase::New,
            emit: Emitter::default(),
            fields: FieldMap::default(),
            state: ResponseProgress { status: "in_progress", ..ResponseProgress::default() },
            items: Vec::new(),
            ids: BTreeSet::new(),
            incomplete: false,
            usage: None,
            now: None,
        }
    }

    /// The options, which can be changed before the first intent.
    pub fn options_mut(&mut self) -> Result<&mut WriterOptions, Error> {
        match self.phase {
            Phase::New => Ok(&mut self.options),
            _ => Err(invalid_intent("expected a change of options before the first intent, found a started response")),
        }
    }

    /// Sets the current time in whole seconds. `completed_at` is the latest time set; without one the time of the option `clock`, or
    /// `created_at`.
    pub fn set_now(&mut self, seconds: u64) {
        self.now = Some(seconds);
    }

    /// Writes `response.created` and `response.queued`. [`start`](Self::start) continues.
    pub fn queue(&mut self) -> Result<(), Error> {
        if self.phase != Phase::New {
            return Err(invalid_intent("expected `queue` as the first intent, found a started response"));
        }
        self.create("queued")?;
        self.snapshot_event(Kind::Queued);
        self.phase = Phase::Queued;
        Ok(())
    }

    /// Writes `response.created` and `response.in_progress`. Fails if the options do not make a valid response.
    pub fn start(&mut self) -> Result<(), Error> {
        match self.phase {
            Phase::New => self.create("in_progress")?,
            Phase::Queued => self.state.status = "in_progress",
            Phase::Ended => return Err(already_ended()),
            _ => return Err(invalid_intent("expected `start` once, found a started response")),
        }
        self.snapshot_event(Kind::InProgress);
        self.phase = Phase::Running;
        Ok(())
    }

    /// Sets a response field for the following snapshots: a repeated request field that is known late, or an extension field.
    pub fn set_field(&mut self, key: &str, value: impl Into<Value>) -> Result<(), Error> {
        self.check_running()?;
        if WRITER_FIELDS.contains(&key) || key == "model" {
            return Err(invalid_argument(format!("the writer itself sets `{key}`; expected another field")));
        }
        let value = value.into();
        if is_contract_name(key) {
            // The contract constrains each field separately, so the defaults stand in for all others.
            let mut fields = snapshot::default_fields(&self.options);
            fields.insert(key.to_string(), value.clone());
            self.check_fields(&fields)?;
        } else {
            check_depth(&value, RESPONSE_LEVELS)?;
        }
        self.ensure_started()?;
        self.fields.insert(key.to_string(), value);
        Ok(())
    }

    /// Sets the token counts of the terminal event; later counts replace earlier ones.
    pub fn usage(&mut self, usage: Usage) -> Result<(), Error> {
        self.check_unended()?;
        check_usage(Some(usage))?;
        self.usage = Some(usage);
        Ok(())
    }

    /// Completes the response: closes open items as completed, then writes `response.completed` and `[DONE]`.
    ///
    /// Fails if an item ended incomplete, or if the arguments of an open call are not JSON: the call was cut off, or the model wrote
    /// invalid JSON, which is a `model_error` for [`fail`](Self::fail). Without `usage`, the counts set before are used.
    pub fn complete(&mut self, usage: Option<Usage>) -> Result<(), Error> {
        self.check_running()?;
        if self.incomplete {
            return Err(invalid_intent("expected only complete items, found an incomplete one; use `incomplete`"));
        }
        if self.items.iter().any(OpenItem::has_invalid_arguments) {
            return Err(invalid_intent("expected JSON arguments in every open call, found other text; use `fail`"));
        }
        check_usage(usage)?;
        self.ensure_started()?;
        for at in 0..self.items.len() {
            self.close_item(at, ItemStatus::Completed);
        }
        let clock = || self.options.clock.map_or(self.options.created_at, Clock::now);
        self.state.completed_at = Some(self.now.unwrap_or_else(clock));
        self.end(Kind::Completed, "completed", usage);
        Ok(())
    }

    /// Ends the response as incomplete: closes open items, then writes `response.incomplete` with this reason and `[DONE]`.
    ///
    /// If the last item is open, it ends incomplete. Other open items end completed, except calls with partial input, which must not
    /// be run and end incomplete. Fails if such a call precedes a last item that is already closed as complete, because an incomplete
    /// item must be the last one; and for the reason `max_output_tokens` if the last item is completed, because it was the item that
    /// ran out of tokens. [`cancel`](Self::cancel) and [`fail`](Self::fail) are always possible.
    pub fn incomplete(&mut self, reason: &str, usage: Option<Usage>) -> Result<(), Error> {
        self.check_running()?;
        if reason.is_empty() {
            return Err(invalid_argument("expected a reason, found an empty text"));
        }
        if self.items.last().is_some_and(OpenItem::ended_without_cutoff) {
            if reason == "max_output_tokens" && self.items.last().is_some_and(|last| last.status == "completed") {
                return Err(invalid_intent("expected the item that ran out of tokens to be open, found it completed"));
            }
            if self.items.iter().any(|entry| !entry.done && entry.has_partial_input()) {
                return Err(invalid_intent("an incomplete tool call must be the last item; use `cancel` or `fail`"));
            }
        }
        check_usage(usage)?;
        self.ensure_started()?;
        self.end_incomplete(reason, usage);
        Ok(())
    }

    /// Closes open items and ends the response as incomplete.
    pub(crate) fn end_incomplete(&mut self, reason: &str, usage: Option<Usage>) {
        let last = self.items.len().saturating_sub(1);
        for at in 0..self.items.len() {
            let cut = at == last || self.items[at].has_partial_input();
            self.close_item(at, if cut { ItemStatus::Incomplete } else { ItemStatus::Completed });
        }
        self.state.reason = Some(reason.to_string());
        self.end(Kind::Incomplete, "incomplete", usage);
    }

    /// Ends the response because the caller cancelled it: all open items end incomplete, and the reason is `cancelled`.
    ///
    /// Only here may an incomplete item precede others, because all open items are cut off at the same time.
    pub fn cancel(&mut self) -> Result<(), Error> {
        self.check_running()?;
        self.ensure_started()?;
        for at in 0..self.items.len() {
            self.close_item(at, ItemStatus::Incomplete);
        }
        self.state.reason = Some("cancelled".to_string());
        self.end(Kind::Incomplete, "incomplete", None);
        Ok(())
    }

    /// Ends the response after a failure: an `error` event unless one was written, `response.failed`, `[DONE]`.
    ///
    /// Open items are not closed: they stay `in_progress` in the response, with the contents streamed so far.
    pub fn fail(&mut self, error: &ApiError) -> Result<(), Error> {
        self.check_unended()?;
        if self.phase != Phase::Errored {
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
        // Shell output is invalid without its outcome, so an entry without one is closed here.
        for (at, entry) in self.items.iter_mut().enumerate() {
            if entry.open == Some(OpenChild::ShellOutput) && entry.outputs_shown {
                end_output(&mut self.emit, entry, at, true);
            }
        }
        self.emit.open(Kind::Error.name());
        error.write(self.emit.raw("error"));
        self.emit.close();
        self.phase = Phase::Errored;
        Ok(())
    }

    /// Writes a keep-alive, as the options define.
    pub fn heartbeat(&mut self) -> Result<(), Error> {
        self.check_unended()?;
        match self.options.heartbeat {
            Heartbeat::Off => {}
            // The first event must be `response.created`; before it, only a comment is possible.
            Heartbeat::Keepalive if self.phase != Phase::New => {
                self.emit.open(Kind::Keepalive.name());
                self.emit.close();
            }
            _ => self.emit.frame(": keep-alive\n\n"),
        }
        Ok(())
    }

    /// Writes an extension event: `slug:name` with any fields except `type`, `sequence_number` and `error`.
    ///
    /// It must not change the meaning of other events. A field `error` is rejected because the official SDKs treat every event that
    /// has one as a failure. The routing fields (`item_id`, `output_index` and the other indexes) must have the types that readers
    /// expect.
    pub fn extension_event(&mut self, event_type: &str, fields: &Object) -> Result<(), Error> {
        self.check_running()?;
        if !is_valid_extension_type(event_type) {
            return Err(invalid_argument("expected an event type of the form `slug:name`"));
        }
        if ["type", "sequence_number", "error"].iter().any(|key| fields.contains_key(key)) {
            return Err(invalid_argument(
                "expected no field `type`, `sequence_number` or `error` in an extension event",
            ));
        }
        check_routing(&event_json(event_type, fields))?;
        self.ensure_started()?;
        self.emit.open(event_type);
        write_members(fields.iter(), self.emit.raw_members());
        self.emit.close();
        Ok(())
    }

    /// Writes an event of the contract that does not concern the response: audio, the images API, answers to WebSocket messages.
    /// Fails if the edition does not have the event or another intent writes it.
    pub fn event(&mut self, kind: Kind, fields: &Object) -> Result<(), Error> {
        self.check_running()?;
        let aside = matches!(kind.group(), Group::ImagesApi | Group::WebsocketControl)
            || matches!(
                kind,
                Kind::AudioDelta | Kind::AudioDone | Kind::AudioTranscriptDelta | Kind::AudioTranscriptDone
            );
        if !aside || !kind.editions().contains(self.options.edition) {
            return Err(invalid_intent(format!(
                "`{kind}` is not an independent event of edition {}",
                self.options.edition
            )));
        }
        if fields.contains_key("type") || fields.contains_key("sequence_number") {
            return Err(invalid_argument("the writer itself sets `type` and `sequence_number`; expected other fields"));
        }
        let json = event_json(kind.name(), fields);
        check_routing(&json)?;
        check_for_edition(self.options.edition, |edition| validate_event(&json, edition))?;
        self.ensure_started()?;
        self.emit.open(kind.name());
        write_members(fields.iter(), self.emit.raw_members());
        self.emit.close();
        Ok(())
    }

    /// Takes all bytes written since the last call: complete SSE frames.
    #[must_use]
    pub fn take(&mut self) -> Vec<u8> {
        self.emit.take()
    }

    /// Appends all bytes written since the last call to a buffer, and keeps the writer's own buffer for reuse.
    pub fn write_into(&mut self, out: &mut Vec<u8>) {
        self.emit.write_into(out);
    }

    /// Takes the JSON text of the next event, without its frame. Comments and `[DONE]` are skipped, because they are SSE only.
    #[must_use]
    pub fn poll_event(&mut self) -> Option<&str> {
        self.emit.poll()
    }

    /// Returns `true` if all output was taken.
    pub fn is_drained(&self) -> bool {
        self.emit.is_empty()
    }

    /// Returns `true` after the terminal event.
    pub fn is_ended(&self) -> bool {
        self.phase == Phase::Ended
    }

    /// Returns `true` once an event was written; the first one is `response.created`.
    pub fn is_started(&self) -> bool {
        self.phase != Phase::New
    }

    /// The sequence number of the next event.
    pub fn sequence_number(&self) -> u64 {
        self.emit.sequence_number()
    }

    /// The options.
    pub fn options(&self) -> &WriterOptions {
        &self.options
    }

    /// The response so far as JSON text, as a snapshot would contain it. After the end this is the final response.
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
        // The text is the writer's own, and the depth of all values was checked when they were passed in.
        Value::parse(&self.response_json(), usize::MAX).unwrap_or_default()
    }

    /// Returns the response object for a response that is not streamed; the written events are dropped.
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
        self.options.reasoning_names == ReasoningNames::OpenAi
    }

    /// Returns an error if the response has ended or failed.
    pub(crate) fn check_running(&self) -> Result<(), Error> {
        match self.phase {
            Phase::Ended => Err(already_ended()),
            Phase::Errored => Err(invalid_intent("expected only `fail` after an `error` event")),
            _ => Ok(()),
        }
    }

    /// Starts the response if necessary. Must be the last step that can fail before an intent writes.
    pub(crate) fn ensure_started(&mut self) -> Result<(), Error> {
        match self.phase {
            Phase::New | Phase::Queued => self.start(),
            _ => Ok(()),
        }
    }

    /// Stores the state, so that an intent of several steps can be undone.
    pub(crate) fn checkpoint(&mut self) -> Checkpoint {
        let (phase, status, items) = (self.phase, self.state.status, self.items.len());
        Checkpoint { position: self.emit.position(), phase, status, items }
    }

    /// Restores the state of a checkpoint: removes later items and a later start.
    pub(crate) fn roll_back(&mut self, checkpoint: Checkpoint) {
        self.emit.roll_back(checkpoint.position);
        self.phase = checkpoint.phase;
        self.state.status = checkpoint.status;
        for entry in self.items.drain(checkpoint.items..) {
            self.ids.remove(&entry.id);
        }
    }

    fn check_unended(&self) -> Result<(), Error> {
        match self.phase {
            Phase::Ended => Err(already_ended()),
            _ => Ok(()),
        }
    }

    fn create(&mut self, status: &'static str) -> Result<(), Error> {
        if self.options.id.is_empty() {
            return Err(invalid_argument("expected a response id in the options, found none"));
        }
        let fields = snapshot::fields(&self.options);
        // Only a template has values of the caller that the contract constrains.
        if !self.options.template.is_empty() {
            self.check_fields(&fields)?;
        }
        self.fields = fields;
        self.state.status = status;
        self.snapshot_event(Kind::Created);
        Ok(())
    }

    /// Checks response fields from the caller against the contract.
    fn check_fields(&self, fields: &FieldMap) -> Result<(), Error> {
        let mut json = String::new();
        snapshot::write(
            &self.options,
            fields,
            &ResponseProgress { status: "in_progress", ..ResponseProgress::default() },
            &[],
            &mut json,
        );
        check_json_depth(&json, RESPONSE_LEVELS - 1)?;
        check_for_edition(self.options.edition, |edition| validate_response(&json, edition))
    }

    pub(crate) fn end(&mut self, kind: Kind, status: &'static str, usage: Option<Usage>) {
        self.state.status = status;
        self.state.usage = usage.or(self.usage);
        self.snapshot_event(kind);
        self.emit.frame("data: [DONE]\n\n");
        self.phase = Phase::Ended;
    }

    fn snapshot_event(&mut self, kind: Kind) {
        self.emit.open(kind.name());
        if self.emit.is_dropped() {
            return self.emit.close();
        }
        snapshot::write(&self.options, &self.fields, &self.state, &self.items, self.emit.raw("response"));
        self.emit.close();
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The contents can be secret, so only the progress is shown.
        f.debug_struct("Writer")
            .field("phase", &self.phase)
            .field("items", &self.items.len())
            .field("sequence_number", &self.sequence_number())
            .finish_non_exhaustive()
    }
}

/// An error for an intent that is invalid in the current state.
pub(crate) fn invalid_intent(detail: impl Into<Cow<'static, str>>) -> Error {
    Error::new(Code::BadIntent, 0, detail)
}

/// An error for an argument that is invalid in every state.
pub(crate) fn invalid_argument(detail: impl Into<Cow<'static, str>>) -> Error {
    Error::new(Code::BadArgument, 0, detail)
}

/// Checks a value from the caller against the contract.
///
/// OpenAI's service is described only by the types of its SDKs, which require fields that the service itself omits. In that
/// edition a value may match either these types or the full contract of Open Responses.
pub(crate) fn check_for_edition(
    edition: Edition,
    check: impl Fn(Edition) -> Result<Vec<Finding>, Error>,
) -> Result<(), Error> {
    if edition == Edition::OpenAi && first_error(check(Edition::OpenAi)).is_ok() {
        return Ok(());
    }
    first_error(check(if edition == Edition::OpenAi { Edition::Split } else { edition }))
}

fn first_error(checked: Result<Vec<Finding>, Error>) -> Result<(), Error> {
    match checked {
        Ok(findings) => match findings.iter().find(|finding| finding.severity == Severity::Error) {
            Some(finding) => Err(invalid_argument(format!("{}: {}", finding.path, finding.message))),
            None => Ok(()),
        },
        // An edition without the schema does not constrain the value.
        Err(error) if error.code() == Code::UnknownName => Ok(()),
        Err(error) => Err(invalid_argument(error.detail().to_string())),
    }
}

pub(crate) fn depth() -> usize {
    Limits::default().depth
}

/// Number of objects and arrays around a field of the response: the event and the response.
pub(crate) const RESPONSE_LEVELS: usize = 2;
/// Number of objects and arrays around a field of an item in the terminal event: event, response, `output`, item.
pub(crate) const ITEM_LEVELS: usize = 4;
/// Number of objects and arrays around a field of a part in the terminal event.
pub(crate) const PART_LEVELS: usize = 6;

/// Returns `true` for a name of the contract. Values of other fields are not constrained.
pub(crate) fn is_contract_name(key: &str) -> bool {
    schema::string_id(key).is_some()
}

/// Checks that readers accept the nesting of a value inside `levels` objects and arrays.
pub(crate) fn check_depth(value: &Value, levels: usize) -> Result<(), Error> {
    if value.nests_within(depth() - levels) {
        return Ok(());
    }
    Err(too_deep(levels))
}

/// Checks that readers accept the nesting of a JSON text inside `levels` objects and arrays.
pub(crate) fn check_json_depth(json: &str, levels: usize) -> Result<(), Error> {
    if is_document(json.as_bytes(), depth() - levels) {
        return Ok(());
    }
    Err(too_deep(levels))
}

fn too_deep(levels: usize) -> Error {
    invalid_argument(format!("expected nesting of at most {} levels, found more", depth() - levels))
}

/// The text of an event with these fields, to check it.
fn event_json(event_type: &str, fields: &Object) -> String {
    let mut json = format!("{{\"type\":\"{event_type}\",\"sequence_number\":0");
    write_members(fields.iter(), &mut json);
    json.push('}');
    json
}

/// Checks that readers can use the routing fields of an event and accept its nesting.
fn check_routing(json: &str) -> Result<(), Error> {
    let mut parser = Parser::new(depth());
    let event = parser.parse(json, Origin::default());
    if event.fault().is_some() {
        return Err(invalid_argument(format!("expected nesting of at most {} levels, found more", depth() - 1)));
    }
    match event.bad_fields().chain(event.repeated_fields()).next() {
        Some(field) => {
            Err(invalid_argument(format!("expected one valid value of `{field}`, found an invalid or repeated one")))
        }
        None => Ok(()),
    }
}

fn already_ended() -> Error {
    invalid_intent("expected an open response, found an ended one")
}

fn check_usage(usage: Option<Usage>) -> Result<(), Error> {
    match usage {
        Some(usage) if !usage.fits() => Err(invalid_argument(
            "expected details within their totals and a total of at most 64 bits, found larger counts",
        )),
        _ => Ok(()),
    }
}
