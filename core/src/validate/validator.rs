//! [`Validator`]: an event in, findings out.
//!
//! It judges and changes nothing: whatever the stream does, the next event is judged from where this one led, and what a
//! reader makes of a broken stream is the accumulator's business. A delta that goes on where the last one stopped costs a
//! few comparisons and the digest of its text; nothing is allocated for it. Memory is bounded by
//! [`Limits::items`](crate::Limits) and [`Limits::parts`](crate::Limits): behind them, items and parts are not followed.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};

use super::channel::{Channel, Step};
use super::late::Late;
use super::object;
use super::options::{Layers, ValidateOptions};
use super::parts::hot_text;
use super::rule::Rule;
use super::schema::EventSchema;
use super::slots::{ByIndex, Item, Name};
use super::state;
use super::tools::Expected;
use crate::contract::{Edition, Kind};
use crate::event::{Event, Fault, Fields, Source};
use crate::finding::{Findings, Place};
use crate::json::View;
use crate::SPEED;

/// Checks the events of one stream, in order.
///
/// - Inputs: [`note_request`](Self::note_request) and [`note_headers`](Self::note_headers) before the first event, if they
///   are known; then for each frame [`check_frame`](Self::check_frame) and [`check`](Self::check), for a message without SSE
///   `check` alone; [`check_blank`](Self::check_blank), [`check_done`](Self::check_done) and
///   [`check_tail`](Self::check_tail) where they occur; at the end [`finish`](Self::finish).
/// - Output: the [`Findings`] that each call is given.
///
/// ```
/// use deltafold::{event::{Origin, Parser}, validate::{Rule, ValidateOptions, Validator}, Findings, Weights};
/// let mut parser = Parser::new(128);
/// let mut validator = Validator::new(ValidateOptions::default());
/// let mut findings = Findings::new(100, Weights::by_level());
/// let payload = r#"{"type":"response.output_text.delta","sequence_number":0,"output_index":0,"content_index":0,"delta":"Hi"}"#;
/// validator.check(&parser.parse(payload, Origin::default()), &mut findings);
/// assert!(findings.as_slice().iter().any(|finding| finding.rule == Rule::Item03));
/// ```
#[derive(Clone, Debug)]
pub struct Validator {
    pub(super) options: ValidateOptions,
    schema: EventSchema,
    /// Whether the next event comes from a frame.
    pub(super) framed: bool,
    /// Whether the next event's payload passed a limit and was dropped.
    pub(super) dropped: bool,
    /// Whether any frame came: the stream is an event stream.
    pub(super) sse: bool,
    /// Whether `[DONE]` came.
    pub(super) sentinel: bool,
    /// Which habits of framing were noted; each is worth one note a stream.
    pub(super) habits: u8,
    /// What is known of each kind's name.
    names: [u8; KINDS],
    last_number: Option<u64>,
    pub(super) response: state::Response,
    response_id: Name,
    /// Whether the stream was joined in the middle: what came before is not known.
    pub(super) joined: bool,
    /// How many events could not be read: what they said is not known.
    pub(super) unread: u64,
    /// How many events without a number that could be read came since the last number.
    unnumbered: u64,
    /// Whether anything was said of a response.
    pub(super) spoken: bool,
    /// Where an error event stood.
    pub(super) error: Option<Place>,
    pub(super) items: ByIndex<Item>,
    /// Position of each item by the hash of its id.
    pub(super) ids: BTreeMap<u64, usize>,
    pub(super) next_index: u64,
    /// Index of the item that ended incomplete.
    pub(super) cut_at: Option<u64>,
    /// Where the last delta went.
    pub(super) hot: Hot,
    /// Whether the last event was such a delta and all is well with it: see [`foresees`](Self::foresees). Whoever changes what it
    /// rests on clears it.
    pub(super) steady: bool,
    /// What is still to be added to the text that the last delta went to.
    pub(super) late: Late,
    /// Whether what is like what came before may be judged by it. Off in the test that proves that this changes nothing.
    pub(super) shortcuts: bool,
    pub(super) expected: Expected,
}

/// Where the last delta went, so that the next one need not search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hot {
    pub(super) live: bool,
    pub(super) kind: Kind,
    pub(super) channel: Channel,
    pub(super) output_index: u64,
    pub(super) element: u64,
    pub(super) item: usize,
    pub(super) row: usize,
}

impl Hot {
    /// The last event was no delta, or nothing of it is known.
    pub(super) const NONE: Self = Self {
        live: false,
        kind: Kind::Unknown,
        channel: Channel::Summary,
        output_index: 0,
        element: 0,
        item: 0,
        row: 0,
    };

    /// Says whether an event goes on where this delta stopped.
    #[inline]
    fn fits(&self, event: &Event<'_>, kind: Kind) -> bool {
        self.live
            && self.kind == kind
            && event.output_index() == Some(self.output_index)
            && self.channel.element(event).unwrap_or(u64::MAX) == self.element
    }
}

/// Room for one entry for each kind; there are fewer.
const KINDS: usize = 128;
/// A kind's name was not looked at, was looked at, or was reported.
const UNSEEN: u8 = 0;
const SEEN: u8 = 1;
const REPORTED: u8 = 2;

impl Validator {
    /// Makes a validator at the start of a stream.
    pub fn new(options: ValidateOptions) -> Self {
        let joined = options.starting_after.is_some();
        Self {
            schema: EventSchema::new(options.edition),
            framed: false,
            dropped: false,
            sse: false,
            sentinel: false,
            habits: 0,
            names: [UNSEEN; KINDS],
            last_number: None,
            response: state::Response::default(),
            response_id: Name::default(),
            joined,
            unread: 0,
            unnumbered: 0,
            spoken: false,
            error: None,
            items: ByIndex::default(),
            ids: BTreeMap::new(),
            next_index: 0,
            cut_at: None,
            hot: Hot::NONE,
            steady: false,
            late: Late::default(),
            shortcuts: SPEED,
            expected: Expected::default(),
            options,
        }
    }

    /// Checks the next event.
    #[inline]
    pub fn check(&mut self, event: &Event<'_>, findings: &mut Findings) {
        let framed = core::mem::take(&mut self.framed);
        self.settle();
        self.steady = false;
        let layers = self.options.layers;
        if event.fault().is_some() {
            return self.check_fault(event, framed, findings);
        }
        let mut well = self.shortcuts && framed && !self.sentinel;
        if framed && layers.contains(Layers::FRAMING) && event.frame_name() != Some(event.wire_type()) {
            self.report_frame_name(event, findings);
            well = false;
        }
        if layers.contains(Layers::STREAM) {
            well &= self.check_stream(event, framed, findings);
        }
        if layers.contains(Layers::SCHEMA) && !self.schema.is_right_again(event) {
            return self.check_schema(event, framed, findings);
        }
        self.steady = well && self.hot.live && self.options.starting_after.is_none();
    }

    /// Says whether nothing is to be reported of an event whose fields these are. It was foretold by the last event, in a frame
    /// like that one's: all but number, delta and padding is the same, and no rule asks more of them than this.
    // Only a reader asks.
    #[cfg_attr(not(feature = "validate"), allow(dead_code))]
    #[inline]
    #[cfg_attr(deltafold_hot, optimize(speed))]
    pub(crate) fn foresees(&self, fields: &Fields) -> bool {
        self.steady && self.last_number.is_some_and(|last| fields.sequence_number() == Some(last + 1))
    }

    /// Takes such an event.
    #[cfg_attr(not(feature = "validate"), allow(dead_code))]
    #[inline]
    #[cfg_attr(deltafold_hot, optimize(speed))]
    pub(crate) fn take_foreseen(&mut self, fields: &Fields, source: Source<'_>) {
        self.last_number = fields.sequence_number();
        if !self.late.push(fields.delta.wide(source), fields.delta.len()) {
            self.settle();
            if let Some(text) = hot_text(&mut self.items, &self.hot) {
                text.push(fields.delta.bytes(source), fields.halves);
            }
        }
    }

    /// Adds the deltas that wait to the text that they belong to. Whoever looks at a text, or turns to another one, asks for this.
    #[inline]
    pub(super) fn settle(&mut self) {
        if !self.late.is_empty() {
            self.add_late();
        }
    }

    #[inline(never)]
    fn add_late(&mut self) {
        let deltas = self.late.take();
        if let Some(text) = hot_text(&mut self.items, &self.hot) {
            text.push_many(deltas);
        }
    }

    /// Says that the stream goes on from an earlier one, behind this number: what was open there is not known here.
    pub fn join(&mut self, starting_after: Option<u64>) {
        self.joined = true;
        self.steady = false;
        self.options.starting_after = starting_after;
    }

    /// Looks at every event as if it were the first of its sort.
    #[cfg(all(test, feature = "speed", feature = "validate"))]
    pub(crate) fn go_the_long_way(&mut self) {
        self.shortcuts = false;
        self.schema.go_the_long_way();
    }

    /// Forgets the stream and keeps the options.
    pub fn reset(&mut self) {
        *self = Self::new(core::mem::take(&mut self.options));
    }

    /// What is checked.
    pub fn options(&self) -> &ValidateOptions {
        &self.options
    }

    /// Says whether the event is a delta that goes on where the last one stopped, in an item that has its id.
    #[inline]
    fn check_stream(&mut self, event: &Event<'_>, framed: bool, findings: &mut Findings) -> bool {
        let kind = event.kind();
        if !event.repeats() || self.names.get(kind as usize).is_none_or(|name| *name == UNSEEN) {
            self.check_name(event, findings);
        }
        if self.hot.fits(event, kind) || self.turns(event, kind) {
            return self.next_delta(event, findings);
        }
        self.check_step(event, framed, findings);
        false
    }

    #[cfg_attr(deltafold_hot, optimize(speed))]
    fn check_step(&mut self, event: &Event<'_>, framed: bool, findings: &mut Findings) {
        let step = Step::of(event.kind());
        if self.expected.no_padding && event.kind().is_delta() {
            self.check_padding(event, findings);
        }
        self.hot = Hot::NONE;
        let kind = event.kind();
        let response = if step == Step::Response { event.response() } else { None };
        let queued = response.is_some_and(|response| status_is(response, "queued"));
        let step_move = step.response_move(kind, queued);
        let later = self.unread == 0 && event.sequence_number().is_some_and(|number| number > 0);
        if !self.joined && !self.spoken && self.last_number.is_none() && later && self.response.joins(step_move) {
            self.joined = true;
            findings.report(Rule::Read10, event.place(), None, || {
                (String::new(), format!("expected a stream from its beginning, found `{kind}` as the first event"))
            });
        }
        if self.joined && !self.spoken {
            self.response.join();
        }
        if !framed && kind == Kind::Created {
            self.start_turn(event, response, findings);
        }
        self.check_number(event, framed, findings);
        // On a socket turns follow each other, and between them anything but output may come.
        let over = self.response.is_over();
        let between = !framed && over && matches!(step, Step::Aside | Step::Error);
        if !between {
            if let Some(rule) = self.response.go(step_move) {
                findings.report(rule, event.place(), None, || (String::new(), response_message(rule, kind)));
                // Behind the end there is nothing left to compare with.
                if over {
                    return;
                }
            }
        }
        self.spoken |= !matches!(step, Step::Aside | Step::Error);
        match step {
            Step::Response => self.check_response(event, response, framed, findings),
            Step::ItemAdded => self.item_added(event, findings),
            Step::ItemDone => self.item_done(event, findings),
            Step::PartAdded(channel) => self.part_added(event, channel, findings),
            Step::PartDone(channel) => self.part_done(event, channel, findings),
            Step::Delta(channel) => self.delta(event, channel, findings),
            Step::Said(channel) => self.said(event, channel, findings),
            Step::Annotation => self.annotation(event, findings),
            Step::Touch(class) => self.touch(event, class, findings),
            Step::Error => self.check_error(event, framed, findings),
            Step::Aside => {}
        }
    }

    /// `response.created` on a socket: a new turn, with items and numbers of its own.
    fn start_turn(&mut self, event: &Event<'_>, response: Option<View<'_>>, findings: &mut Findings) {
        let id = response.and_then(|response| response.get("id")?.as_str());
        let same = id.as_ref().is_some_and(|id| self.response_id.is(id));
        if self.response.is_in_flight() && !same {
            findings.report(Rule::Ws06, event.place(), None, || {
                (String::new(), "a response was created while another one is in flight".into())
            });
        }
        if self.response.is_over() || (self.response.is_in_flight() && !same) {
            let options = core::mem::take(&mut self.options);
            let (expected, names) = (core::mem::take(&mut self.expected), self.names);
            *self = Self { expected, names, ..Self::new(options) };
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
        self.check_odd_number(event, framed, findings);
    }

    fn check_odd_number(&mut self, event: &Event<'_>, framed: bool, findings: &mut Findings) {
        let place = event.place();
        let path = || String::from("/sequence_number");
        let extension = event.kind() == Kind::Extension;
        let Some(number) = event.sequence_number() else {
            let envelope = event.kind() == Kind::Error && !framed;
            let rule = if extension { Rule::Ext05 } else { Rule::Seq01 };
            self.unnumbered += 1;
            if !envelope {
                findings.report(rule, place, None, || (path(), "expected a whole number, found none".into()));
            }
            return;
        };
        if let Some(after) = self.options.starting_after.filter(|after| number <= *after) {
            findings.report(Rule::Seq07, place, None, || {
                (path(), format!("expected a number above {after}, found {number}"))
            });
        }
        match self.last_number {
            Some(last) if number <= last => {
                let rule = if extension { Rule::Seq04 } else { Rule::Seq02 };
                findings
                    .report(rule, place, None, || (path(), format!("expected a number above {last}, found {number}")));
            }
            // Each event without a number that could be read may have had one.
            Some(last) if number > last + 1 + self.unnumbered => {
                findings
                    .report(Rule::Seq03, place, None, || (path(), format!("expected {}, found {number}", last + 1)));
            }
            _ => {}
        }
        self.last_number = Some(number);
        self.unnumbered = 0;
    }

    /// Looks at an event's name: whether it is the specification's, an extension's or nobody's.
    fn check_name(&mut self, event: &Event<'_>, findings: &mut Findings) {
        let kind = event.kind();
        let known = self.names.get(kind as usize).copied().unwrap_or(UNSEEN);
        self.set_name(kind, known.max(SEEN));
        if kind == Kind::Extension {
            if event.root().is_some_and(|root| root.get("error").is_some()) {
                findings.report(Rule::Ext12, event.place(), None, || {
                    ("/error".into(), "an extension event has a field that clients take for a failure".into())
                });
            }
            return;
        }
        let listed = kind.editions();
        let open = Edition::ALL.iter().any(|edition| *edition != Edition::OpenAi && listed.contains(*edition));
        let ours = self.options.edition == Edition::OpenAi && listed.contains(Edition::OpenAi);
        if (open || ours) && event.wire_type() == kind.as_str() {
            return;
        }
        // A name that nobody lists may be another one each time; one that we know is worth one finding a stream.
        if kind != Kind::Unknown && known == REPORTED {
            return;
        }
        self.set_name(kind, REPORTED);
        let name = self.quote(event.wire_type());
        let (rule, message) = match kind {
            Kind::ReasoningTextDelta | Kind::ReasoningTextDone => {
                (Rule::Rsn04, "expected `response.reasoning.*`, found OpenAI's name for raw reasoning".to_string())
            }
            Kind::Unknown if event.wire_type().is_empty() => {
                (Rule::Schema01, "expected a `type`, found none".to_string())
            }
            _ => (Rule::Ext02, format!("expected a name of the specification or `slug:name`, found {name}")),
        };
        findings.report(rule, event.place(), None, || ("/type".into(), message));
    }

    fn set_name(&mut self, kind: Kind, known: u8) {
        if let Some(name) = self.names.get_mut(kind as usize) {
            *name = known;
        }
    }

    fn check_response(&mut self, event: &Event<'_>, response: Option<View<'_>>, framed: bool, findings: &mut Findings) {
        let Some(response) = response else { return };
        let kind = event.kind();
        if let Some(id) = response.get("id").and_then(|id| id.as_str()) {
            if self.response_id.is_empty() {
                self.response_id = Name::of(&id);
            } else if !self.response_id.is(&id) {
                let rule = if framed { Rule::Life08 } else { Rule::Ws06 };
                findings.report(rule, event.place(), None, || {
                    ("/response/id".into(), "expected the id of the first snapshot, found another one".into())
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
        if let Some(status) = response.get("status").and_then(|status| status.as_str()) {
            if !wanted.contains(&&*status) {
                let found = self.quote(&status);
                findings.report(Rule::Life05, event.place(), None, || {
                    ("/response/status".into(), format!("expected {}, found {found}", wanted.join(" or ")))
                });
            }
        }
        self.expected.note_response(response);
        self.check_echo(event, response, findings);
        if kind.is_terminal() {
            self.check_terminal(event, response, findings);
        }
    }

    /// A failed turn on a socket: it has a shape of its own.
    #[inline]
    fn is_envelope(&self, event: &Event<'_>, framed: bool) -> bool {
        !framed && event.kind() == Kind::Error && event.sequence_number().is_none()
    }

    fn check_schema(&mut self, event: &Event<'_>, framed: bool, findings: &mut Findings) {
        if self.is_envelope(event, framed) {
            return;
        }
        self.schema.check(event, &self.options.schemas, findings);
        if !event.kind().is_delta() {
            self.check_objects(event, findings);
        }
    }

    fn check_objects(&self, event: &Event<'_>, findings: &mut Findings) {
        // To look for what cannot be there would mean to make a tape.
        if matches!(Step::of(event.kind()), Step::Said(_)) {
            return;
        }
        let Some(root) = event.root() else { return };
        object::event(root, event.kind(), &mut |rule, path, message| {
            findings.report(rule, event.place(), None, || (path, message));
        });
    }

    fn check_error(&mut self, event: &Event<'_>, framed: bool, findings: &mut Findings) {
        // A message without a number is the envelope of a failed turn: nothing has to follow it.
        if self.is_envelope(event, framed) {
            return self.check_envelope(event, findings);
        }
        self.error = Some(event.place());
    }

    /// A payload that is no JSON object: nothing more can be said of it.
    #[cold]
    fn check_fault(&mut self, event: &Event<'_>, framed: bool, findings: &mut Findings) {
        let layers = self.options.layers;
        self.unread += 1;
        self.unnumbered += 1;
        self.hot = Hot::NONE;
        let message = match event.fault() {
            Some(Fault::NotJson(error)) => format!("expected a JSON object, found {error}"),
            Some(Fault::NotObject) => "expected a JSON object, found another value".into(),
            // Whether it is JSON is not known; the reader has reported the depth.
            Some(Fault::TooDeep) | None => return,
        };
        // What the reader dropped is not the server's fault.
        if event.raw().is_empty() && self.dropped {
            return;
        }
        if !framed {
            findings.report(Rule::Ws05, event.place(), None, || (String::new(), message));
        } else if layers.contains(Layers::FRAMING) {
            let nearly = is_nearly_sentinel(event.raw());
            self.sentinel |= nearly;
            let rule = if nearly { Rule::Sse03 } else { Rule::Sse01 };
            findings.report(rule, event.place(), None, || (String::new(), message));
        }
    }

    #[cold]
    fn report_frame_name(&self, event: &Event<'_>, findings: &mut Findings) {
        let message = match event.frame_name() {
            None => "expected an `event` line, found none".to_string(),
            Some(name) => format!("expected the payload's type on the `event` line, found {}", self.quote(name)),
        };
        findings.report(Rule::Sse04, event.place(), None, || (String::new(), message));
    }

    /// A piece of payload for a message, or words in its place if payloads are not to be quoted.
    pub(super) fn quote(&self, text: &str) -> String {
        quote(text, self.options.quote)
    }
}

/// A piece of payload for a message, or words in its place if payloads are not to be quoted.
pub(super) fn quote(text: &str, allowed: bool) -> String {
    if !allowed {
        return "another value".into();
    }
    let short: String = text.chars().take(60).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("`{short}{more}`")
}

/// Says whether a payload was meant to be the sentinel.
pub(super) fn is_nearly_sentinel(raw: &str) -> bool {
    let inner = raw.trim().trim_matches('"');
    inner.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("[DONE]"))
}

/// Says whether an object has this status.
pub(super) fn status_is(object: View<'_>, status: &str) -> bool {
    object.get("status").is_some_and(|view| view.is_str(status))
}

fn response_message(rule: Rule, kind: Kind) -> String {
    match rule {
        Rule::Life02 if kind == Kind::Created => "expected `response.created` once, found it again".into(),
        Rule::Life02 => format!("expected `response.created` first, found `{kind}`"),
        Rule::Life03 => format!("expected an event for the change of status before `{kind}`"),
        Rule::Life06 => format!("expected one terminal event, found `{kind}` as well"),
        _ => format!("expected nothing behind the terminal event, found `{kind}`"),
    }
}
