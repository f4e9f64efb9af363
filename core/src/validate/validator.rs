//! [`Validator`]: checks one event at a time and reports findings.
//!
//! The validator never changes an event. After a broken rule it continues from the state that the event leads to; repairs are
//! the accumulator's task. A delta that continues the previous one costs a few comparisons and the digest of its text, and
//! allocates nothing. [`Limits::items`](crate::Limits), [`Limits::parts`](crate::Limits) and
//! [`Limits::response_bytes`](crate::Limits) bound the memory; items and parts beyond these limits are not checked.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};

use super::channel::{Channel, EventRole};
use super::object;
use super::options::{Layers, ValidateOptions};
use super::parts::last_delta_text;
use super::records::{ByIndex, ItemRecord, Name};
use super::response_members::ResponseMembers;
use super::rule::Rule;
use super::schema::EventSchema;
use super::state;
use super::tool_calls::Expectations;
use crate::contract::{is_valid_extension_type, Edition, Kind};
use crate::event::{Event, Fault};
use crate::finding::{Findings, Layer, Location};
use crate::json::ValueRef;

/// Checks the events of one stream, in order.
///
/// - Inputs: [`note_request`](Self::note_request) and [`note_headers`](Self::note_headers) before the first event, if they are
///   known; then [`check_frame`](Self::check_frame) and [`check`](Self::check) for each frame, or `check` alone for a message
///   without SSE framing; [`check_blank`](Self::check_blank), [`check_done`](Self::check_done) and
///   [`check_tail`](Self::check_tail) where they occur; [`finish`](Self::finish) at the end.
/// - Output: the [`Findings`] passed to each call.
///
/// ```
/// use deltafold::{event::{Origin, Parser}, validate::{Rule, ValidateOptions, Validator}, Findings, SeverityMap};
/// let mut parser = Parser::new(128);
/// let mut validator = Validator::new(ValidateOptions::default());
/// let mut findings = Findings::new(100, SeverityMap::by_level());
/// let payload = r#"{"type":"response.output_text.delta","sequence_number":0,"output_index":0,"content_index":0,"delta":"Hi"}"#;
/// validator.check(&parser.parse(payload, Origin::default()), &mut findings);
/// assert!(findings.as_slice().iter().any(|finding| finding.rule == Rule::Item03));
/// ```
#[derive(Clone, Debug)]
pub struct Validator {
    pub(super) options: ValidateOptions,
    schema: EventSchema,
    /// True if the next event comes from an SSE frame.
    pub(super) framed: bool,
    /// True if the next event's payload exceeded a limit and was dropped.
    pub(super) dropped: bool,
    /// True once a frame was received: the input is an event stream.
    pub(super) sse: bool,
    /// True once `[DONE]` was received.
    pub(super) sentinel_seen: bool,
    /// True once an event was received, valid or not.
    pub(super) event_seen: bool,
    /// Framing habits that were reported; each is reported once per stream.
    pub(super) habits: u8,
    /// For each kind, whether its name was checked or reported.
    names: [u8; KINDS],
    last_number: Option<u64>,
    pub(super) response: state::ResponseState,
    response_id: Name,
    /// True if the stream started in the middle: earlier items and parts are unknown.
    pub(super) joined: bool,
    /// Number of events that could not be read; their content is unknown.
    pub(super) unread: u64,
    /// Number of events without a readable sequence number since the last number.
    unnumbered: u64,
    /// True once an event concerned the response.
    pub(super) response_seen: bool,
    /// Location of the `error` event.
    pub(super) error: Option<Location>,
    pub(super) items: ByIndex<ItemRecord>,
    /// Position of each item by the hash of its id.
    pub(super) ids: BTreeMap<u64, usize>,
    pub(super) next_index: u64,
    /// Output index of the first item that ended incomplete.
    pub(super) incomplete_at: Option<u64>,
    /// Target of the last delta.
    pub(super) last_delta: LastDelta,
    /// True if the last event was a delta without findings; see [`accept_continuation`](Self::accept_continuation). Every change of
    /// the state that the next delta depends on must clear it.
    pub(super) last_delta_is_valid: bool,
    /// True if events may be accepted because they repeat a checked one. Off in the test that compares both paths.
    pub(super) shortcuts: bool,
    pub(super) expectations: Expectations,
    /// The bytes of the records, as [`Limits::response_bytes`](crate::Limits::response_bytes) counts them.
    pub(super) record_bytes: usize,
}

/// Target of the last delta, so that the next delta finds it without a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastDelta {
    pub(super) live: bool,
    pub(super) kind: Kind,
    pub(super) channel: Channel,
    pub(super) output_index: u64,
    pub(super) element: u64,
    pub(super) item: usize,
    pub(super) row: usize,
}

impl LastDelta {
    /// The last event was not a delta, or its target is unknown.
    pub(super) const NONE: Self = Self {
        live: false,
        kind: Kind::Unknown,
        channel: Channel::Summary,
        output_index: 0,
        element: 0,
        item: 0,
        row: 0,
    };

    /// Returns `true` if an event continues the text of this delta.
    #[inline]
    fn fits(&self, event: &Event<'_>, kind: Kind) -> bool {
        self.live
            && self.kind == kind
            && event.output_index() == Some(self.output_index)
            && self.channel.element(event).unwrap_or(u64::MAX) == self.element
    }
}

/// Size of the array with one entry for each kind; there are fewer kinds.
const KINDS: usize = 128;
/// States of a kind's name: not checked, checked, reported.
const UNSEEN: u8 = 0;
const SEEN: u8 = 1;
const REPORTED: u8 = 2;

impl Validator {
    /// Creates a validator at the start of a stream.
    pub fn new(options: ValidateOptions) -> Self {
        let joined = options.starting_after.is_some();
        Self {
            schema: EventSchema::new(options.edition, options.layers.contains(Layers::STREAM)),
            framed: false,
            dropped: false,
            sse: false,
            sentinel_seen: false,
            event_seen: false,
            habits: 0,
            names: [UNSEEN; KINDS],
            last_number: None,
            response: state::ResponseState::default(),
            response_id: Name::default(),
            joined,
            unread: 0,
            unnumbered: 0,
            response_seen: false,
            error: None,
            items: ByIndex::default(),
            ids: BTreeMap::new(),
            next_index: 0,
            incomplete_at: None,
            last_delta: LastDelta::NONE,
            last_delta_is_valid: false,
            shortcuts: true,
            expectations: Expectations::default(),
            record_bytes: 0,
            options,
        }
    }

    /// Checks the next event.
    #[inline]
    pub fn check(&mut self, event: &Event<'_>, findings: &mut Findings) {
        let framed = core::mem::take(&mut self.framed);
        self.event_seen = true;
        self.last_delta_is_valid = false;
        let layers = self.options.layers;
        if event.fault().is_some() {
            return self.check_fault(event, framed, findings);
        }
        let mut well = self.shortcuts && framed && !self.sentinel_seen;
        if framed && layers.contains(Layers::FRAMING) && event.frame_name() != Some(event.wire_type()) {
            self.report_frame_name(event, findings);
            well = false;
        }
        let response = if event.kind().is_response_state() { event.response().map(ResponseMembers::of) } else { None };
        if layers.contains(Layers::STREAM) {
            well &= self.check_stream(event, response.as_ref(), framed, findings);
        }
        if layers.contains(Layers::SCHEMA) && !self.schema.repeats_valid_event(event) {
            return self.check_schema(event, response.as_ref(), framed, findings);
        }
        self.last_delta_is_valid = well && self.last_delta.live && self.options.starting_after.is_none();
    }

    /// Accepts a delta that has the shape of the last one, if the last one broke no rule. Returns `false` if the event must be checked in
    /// full.
    ///
    /// The block template guarantees that the event differs from the last one only in sequence number, delta and padding, so the sequence
    /// number is the only remaining check. Compared with the full check by the tests of `reader/with_validator.rs`.
    // Only the reader calls it.
    #[cfg_attr(not(feature = "validate"), allow(dead_code))]
    pub(crate) fn accept_continuation(&mut self, event: &Event<'_>) -> bool {
        let number = event.sequence_number();
        let is_next = number.is_some() && number == self.last_number.and_then(|last| last.checked_add(1));
        if !is_next || !event.continues_previous() || !self.last_delta_is_valid || !event.fields().is_plain_text() {
            return false;
        }
        self.last_number = number;
        if let Some(text) = last_delta_text(&mut self.items, &self.last_delta) {
            text.push(event.delta_bytes(), event.delta_surrogates());
        }
        true
    }

    /// Returns `true` if there is no room for the record of another item. Items without a record are not checked.
    pub(super) fn is_full(&self) -> bool {
        self.items.len() >= self.options.limits.items || self.record_bytes >= self.options.limits.response_bytes
    }

    /// The most parts that an item may get: none once the records have reached their limit.
    pub(super) fn part_limit(&self) -> usize {
        if self.record_bytes >= self.options.limits.response_bytes {
            0
        } else {
            self.options.limits.parts
        }
    }

    /// Declares that the stream continues an earlier one after this sequence number: earlier items and parts are unknown here.
    pub fn join(&mut self, starting_after: Option<u64>) {
        self.joined = true;
        self.last_delta_is_valid = false;
        self.options.starting_after = starting_after;
    }

    /// Checks every event in full.
    #[cfg(all(test, feature = "validate"))]
    pub(crate) fn disable_shortcuts(&mut self) {
        self.shortcuts = false;
        self.schema.disable_shortcuts();
    }

    /// Resets to the start of a stream; keeps the options.
    pub fn reset(&mut self) {
        *self = Self::new(core::mem::take(&mut self.options));
    }

    /// The options.
    pub fn options(&self) -> &ValidateOptions {
        &self.options
    }

    /// Returns `true` if the event is a delta that continues the last one, and its item id is right.
    #[inline]
    fn check_stream(
        &mut self,
        event: &Event<'_>,
        response: Option<&ResponseMembers<'_>>,
        framed: bool,
        findings: &mut Findings,
    ) -> bool {
        let kind = event.kind();
        if !event.has_same_shape() || self.names.get(kind as usize).is_none_or(|name| *name == UNSEEN) {
            self.check_name(event, findings);
        }
        if self.last_delta.fits(event, kind) || self.switch_to_open_text(event, kind) {
            return self.next_delta(event, findings);
        }
        self.check_step(event, response, framed, findings);
        false
    }

    fn check_step(
        &mut self,
        event: &Event<'_>,
        response: Option<&ResponseMembers<'_>>,
        framed: bool,
        findings: &mut Findings,
    ) {
        let step = EventRole::of(event.kind());
        if self.expectations.no_padding && event.kind().is_delta() {
            self.check_padding(event, findings);
        }
        self.last_delta = LastDelta::NONE;
        let kind = event.kind();
        let queued = response.is_some_and(|response| response.has_status("queued"));
        let transition = step.response_transition(kind, queued);
        let later = self.unread == 0 && event.sequence_number().is_some_and(|number| number > 0);
        if !self.joined
            && !self.response_seen
            && self.last_number.is_none()
            && later
            && self.response.starts_mid_stream(transition)
        {
            self.joined = true;
            findings.report(Rule::Read10, event.location(), None, || {
                (String::new(), format!("expected `response.created` as the first event, found `{kind}`"))
            });
        }
        if self.joined && !self.response_seen {
            self.response.assume_started();
        }
        if !framed && kind == Kind::Created {
            self.start_turn(event, response, findings);
        }
        self.check_number(event, framed, findings);
        // On a WebSocket, turns follow each other; between two turns every event except output is allowed.
        let over = self.response.is_ended();
        let between = !framed && over && matches!(step, EventRole::Unrelated | EventRole::Error);
        if !between {
            if let Some(rule) = self.response.apply(transition) {
                findings.report(rule, event.location(), None, || (String::new(), response_message(rule, kind)));
                // After the end there is no state to compare with.
                if over {
                    return;
                }
            }
        }
        self.response_seen |= !matches!(step, EventRole::Unrelated | EventRole::Error);
        match step {
            EventRole::Response => self.check_response(event, response, framed, findings),
            EventRole::ItemAdded => self.item_added(event, findings),
            EventRole::ItemDone => self.item_done(event, findings),
            EventRole::PartAdded(channel) => self.part_added(event, channel, findings),
            EventRole::PartDone(channel) => self.part_done(event, channel, findings),
            EventRole::Delta(channel) => self.delta(event, channel, findings),
            EventRole::TextDone(channel) => self.text_done(event, channel, findings),
            EventRole::Annotation => self.annotation(event, findings),
            EventRole::Progress(class) => self.item_progress(event, class, findings),
            EventRole::Error => self.check_error(event, framed, findings),
            EventRole::Unrelated => {}
        }
    }

    /// `response.created` on a WebSocket: a new turn with its own items and numbers.
    fn start_turn(&mut self, event: &Event<'_>, response: Option<&ResponseMembers<'_>>, findings: &mut Findings) {
        let id = response.and_then(|response| response.id?.as_str());
        let same = id.as_ref().is_some_and(|id| self.response_id.is(id));
        if self.response.is_in_flight() && !same {
            findings.report(Rule::Ws06, event.location(), None, || {
                (String::new(), "expected the terminal event of the response in progress, found a new response".into())
            });
        }
        if self.response.is_ended() || (self.response.is_in_flight() && !same) {
            let options = core::mem::take(&mut self.options);
            let (expectations, names) = (core::mem::take(&mut self.expectations), self.names);
            *self = Self { expectations, names, ..Self::new(options) };
        }
    }

    #[inline]
    pub(super) fn check_number(&mut self, event: &Event<'_>, framed: bool, findings: &mut Findings) {
        if let (Some(number), Some(last)) = (event.sequence_number(), self.last_number) {
            if number == last + 1 && self.options.starting_after.is_none() {
                self.last_number = Some(number);
                self.unnumbered = 0;
                return;
            }
        }
        self.check_unusual_number(event, framed, findings);
    }

    fn check_unusual_number(&mut self, event: &Event<'_>, framed: bool, findings: &mut Findings) {
        let location = event.location();
        let path = || String::from("/sequence_number");
        let extension = event.kind() == Kind::Extension;
        let Some(number) = event.sequence_number() else {
            let envelope = event.kind() == Kind::Error && !framed;
            let rule = if extension { Rule::Ext05 } else { Rule::Seq01 };
            self.unnumbered += 1;
            if !envelope {
                findings.report(rule, location, None, || (path(), "expected a whole number, found none".into()));
            }
            return;
        };
        if let Some(after) = self.options.starting_after.filter(|after| number <= *after) {
            findings.report(Rule::Seq07, location, None, || {
                (path(), format!("expected a number above {after}, found {number}"))
            });
        }
        match self.last_number {
            Some(last) if number <= last => {
                let rule = if extension { Rule::Seq04 } else { Rule::Seq02 };
                findings.report(rule, location, None, || {
                    (path(), format!("expected a number above {last}, found {number}"))
                });
            }
            // Each event whose number could not be read may have used one.
            Some(last) if number > last + 1 + self.unnumbered => {
                findings
                    .report(Rule::Seq03, location, None, || (path(), format!("expected {}, found {number}", last + 1)));
            }
            _ => {}
        }
        self.last_number = Some(number);
        self.unnumbered = 0;
    }

    /// Returns `true` for an event of a type that the caller added to the edition.
    pub(crate) fn is_added(&self, event: &Event<'_>) -> bool {
        event.kind() == Kind::Unknown && self.options.schemas.of_event(event.wire_type()).is_some()
    }

    /// Checks an event's name: it must be in the specification or have the form of an extension name.
    fn check_name(&mut self, event: &Event<'_>, findings: &mut Findings) {
        let kind = event.kind();
        let known = self.names.get(kind as usize).copied().unwrap_or(UNSEEN);
        self.set_name(kind, known.max(SEEN));
        if kind == Kind::Extension {
            if event.root().is_some_and(|root| root.get("error").is_some()) {
                findings.report(Rule::Ext12, event.location(), None, || {
                    (
                        "/error".into(),
                        "expected no `error` field in an extension event: clients treat it as a failure".into(),
                    )
                });
            }
            // Reading keeps the data of any `a:b`; the form of a name is a rule for servers, the same as for the writer.
            if !is_valid_extension_type(event.wire_type()) {
                let name = self.quote(event.wire_type());
                findings.report(Rule::Ext02, event.location(), None, || {
                    (
                        "/type".into(),
                        format!("expected an event name of the specification or `slug:name`, found {name}"),
                    )
                });
            }
            return;
        }
        if self.is_added(event) {
            return;
        }
        let listed = kind.editions();
        let open = Edition::ALL.iter().any(|edition| *edition != Edition::OpenAi && listed.contains(*edition));
        let ours = self.options.edition == Edition::OpenAi && listed.contains(Edition::OpenAi);
        if (open || ours) && event.wire_type() == kind.name() {
            return;
        }
        // Every unknown event may have a new name. A known but wrong name is reported once per stream.
        if kind != Kind::Unknown && known == REPORTED {
            return;
        }
        self.set_name(kind, REPORTED);
        let name = self.quote(event.wire_type());
        let (rule, message) = match kind {
            Kind::ReasoningTextDelta | Kind::ReasoningTextDone => (
                Rule::Rsn04,
                "expected `response.reasoning.*`, found OpenAI's event name for raw reasoning".to_string(),
            ),
            Kind::Unknown if event.wire_type().is_empty() => {
                (Rule::Schema01, "expected a `type`, found none".to_string())
            }
            _ => (Rule::Ext02, format!("expected an event name of the specification or `slug:name`, found {name}")),
        };
        findings.report(rule, event.location(), None, || ("/type".into(), message));
    }

    fn set_name(&mut self, kind: Kind, known: u8) {
        if let Some(name) = self.names.get_mut(kind as usize) {
            *name = known;
        }
    }

    fn check_response(
        &mut self,
        event: &Event<'_>,
        response: Option<&ResponseMembers<'_>>,
        framed: bool,
        findings: &mut Findings,
    ) {
        let Some(response) = response else { return };
        let kind = event.kind();
        if let Some(id) = response.id.and_then(|id| id.as_str()) {
            if self.response_id.is_empty() {
                self.response_id = Name::of(&id);
            } else if !self.response_id.is(&id) {
                let rule = if framed { Rule::Life08 } else { Rule::Ws06 };
                findings.report(rule, event.location(), None, || {
                    ("/response/id".into(), "expected the id of the first snapshot, found another id".into())
                });
            }
        }
        let wanted: &[&str] = match kind {
            Kind::Created => &["in_progress", "queued"],
            Kind::Queued => &["queued"],
            Kind::InProgress => &["in_progress"],
            Kind::Completed => &["completed"],
            Kind::Incomplete => &["incomplete"],
            _ => &["failed"],
        };
        if let Some(status) = response.status.and_then(|status| status.as_str()) {
            if !wanted.contains(&&*status) {
                let found = self.quote(&status);
                findings.report(Rule::Life05, event.location(), None, || {
                    ("/response/status".into(), format!("expected {}, found {found}", wanted.join(" or ")))
                });
            }
        }
        self.expectations.note_response(response);
        self.check_echo(event, response, findings);
        if kind.is_terminal() {
            self.check_terminal(event, response, findings);
        }
    }

    /// Returns `true` for the message of a failed turn on a WebSocket, which has its own schema.
    #[inline]
    fn is_envelope(&self, event: &Event<'_>, framed: bool) -> bool {
        !framed && event.kind() == Kind::Error && event.sequence_number().is_none()
    }

    fn check_schema(
        &mut self,
        event: &Event<'_>,
        response: Option<&ResponseMembers<'_>>,
        framed: bool,
        findings: &mut Findings,
    ) {
        if self.is_envelope(event, framed) {
            return;
        }
        self.schema.check(event, &self.options.schemas, findings);
        if !event.kind().is_delta() {
            self.check_objects(event, response, findings);
        }
    }

    fn check_objects(&self, event: &Event<'_>, response: Option<&ResponseMembers<'_>>, findings: &mut Findings) {
        // These events hold no nested object; asking for the root would parse the whole payload.
        if matches!(EventRole::of(event.kind()), EventRole::TextDone(_)) {
            return;
        }
        let Some(root) = event.root() else { return };
        let stream_rules = self.options.layers.contains(Layers::STREAM);
        object::event(root, event.kind(), response, &mut |rule, path, message| {
            if rule.layer() == Layer::Stream && !stream_rules {
                return;
            }
            findings.report(rule, event.location(), None, || (path, message));
        });
    }

    fn check_error(&mut self, event: &Event<'_>, framed: bool, findings: &mut Findings) {
        // An `error` message without a sequence number ends a failed WebSocket turn; no event has to follow.
        if self.is_envelope(event, framed) {
            return self.check_envelope(event, findings);
        }
        self.error = Some(event.location());
    }

    /// Reports a payload that is not a JSON object; no other check applies to it.
    #[cold]
    fn check_fault(&mut self, event: &Event<'_>, framed: bool, findings: &mut Findings) {
        let layers = self.options.layers;
        self.unread += 1;
        self.unnumbered += 1;
        self.last_delta = LastDelta::NONE;
        let message = match event.fault() {
            Some(Fault::NotJson(error)) => format!("expected a JSON object, found {error}"),
            Some(Fault::NotObject) => "expected a JSON object, found another value".into(),
            // Beyond the depth limit the JSON is not parsed; the reader reported the depth.
            Some(Fault::TooDeep) | None => return,
        };
        // The reader dropped the payload because of a limit; that is not an error of the server.
        if event.raw().is_empty() && self.dropped {
            return;
        }
        if !framed {
            findings.report(Rule::Ws05, event.location(), None, || (String::new(), message));
        } else if layers.contains(Layers::FRAMING) {
            let nearly = is_nearly_sentinel(event.raw());
            self.sentinel_seen |= nearly;
            let rule = if nearly { Rule::Sse03 } else { Rule::Sse01 };
            findings.report(rule, event.location(), None, || (String::new(), message));
        }
    }

    #[cold]
    fn report_frame_name(&self, event: &Event<'_>, findings: &mut Findings) {
        let message = match event.frame_name() {
            None => "expected an `event` line, found none".to_string(),
            Some(name) => format!("expected the payload's `type` on the `event` line, found {}", self.quote(name)),
        };
        findings.report(Rule::Sse04, event.location(), None, || (String::new(), message));
    }

    /// Quotes the start of a payload text for a message, or returns a placeholder if quoting is off.
    pub(super) fn quote(&self, text: &str) -> String {
        quote(text, self.options.quote)
    }
}

/// Quotes the start of a payload text for a message, or returns a placeholder if quoting is off.
pub(super) fn quote(text: &str, allowed: bool) -> String {
    if !allowed {
        return "another value".into();
    }
    let short: String = text.chars().take(60).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("`{short}{more}`")
}

/// Returns `true` if a payload resembles the sentinel `[DONE]`.
pub(super) fn is_nearly_sentinel(raw: &str) -> bool {
    let inner = raw.trim().trim_matches('"');
    inner.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("[DONE]"))
}

/// Returns `true` if an object has this status.
pub(super) fn status_is(object: ValueRef<'_>, status: &str) -> bool {
    object.get("status").is_some_and(|view| view.is_str(status))
}

fn response_message(rule: Rule, kind: Kind) -> String {
    match rule {
        Rule::Life02 if kind == Kind::Created => "expected `response.created` once, found a second one".into(),
        Rule::Life02 => format!("expected `response.created` first, found `{kind}`"),
        Rule::Life03 => format!("expected an event for the change of status before `{kind}`, found none"),
        Rule::Life06 => format!("expected one terminal event, found another one: `{kind}`"),
        _ => format!("expected no event after the terminal event, found `{kind}`"),
    }
}
