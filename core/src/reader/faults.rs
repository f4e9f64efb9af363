//! The findings of the reader itself: unreadable payloads, streams of another kind, repetitions after a reconnect.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::REPEAT_DROPPED;
use crate::contract::Kind;
use crate::error::{Code, Error};
use crate::event::{identify_bytes, identify_event, Event, Fault};
use crate::finding::{Findings, Location, Repair, Severity};
use crate::outcome::{Failure, Outcome};
use crate::sse::Frame;
use crate::validate::{Rule, Validator};

/// Reports the faults of a frame's bytes.
#[cold]
pub(super) fn of_frame(frame: &Frame<'_>, event: &Event<'_>, findings: &mut Findings) {
    if let Some(offset) = frame.invalid_utf8 {
        let location = Location { offset, ..event.location() };
        findings.report(Rule::Read01, location, Some(Repair::ReplacedBytes), || {
            (String::new(), "expected UTF-8, found bytes that are not; they became U+FFFD".to_string())
        });
    }
    if frame.dropped {
        findings.soften_repairs();
        findings.report(Rule::Read02, event.location(), Some(Repair::DroppedPayload), || {
            (String::new(), "expected a payload within the limit, found a larger one; it was dropped".to_string())
        });
    }
}

/// Reports why an event could not be read as expected. `framed`: it is from a frame, not a message of a WebSocket.
#[cold]
pub(super) fn of_event(event: &Event<'_>, framed: bool, findings: &mut Findings) {
    let location = event.location();
    let no_object = match framed {
        true if Validator::is_sentinel(event.raw()) => Rule::Sse03,
        true => Rule::Sse01,
        false => Rule::Ws05,
    };
    if event.fault().is_some() {
        findings.soften_repairs();
    }
    match event.fault() {
        Some(Fault::NotJson(error)) => {
            let location =
                Location { offset: location.offset + exact(event, error.position(), framed) as u64, ..location };
            findings.report(no_object, location, None, || {
                (String::new(), format!("expected a JSON object, found {error}"))
            });
        }
        Some(Fault::NotObject) => findings.report(no_object, location, None, || {
            (String::new(), "expected a JSON object, found another JSON value".to_string())
        }),
        Some(Fault::TooDeep) => findings.report(Rule::Read03, location, None, || {
            (String::new(), "expected nesting within the depth limit, found deeper; the event is kept raw".to_string())
        }),
        None => {}
    }
    for field in event.repeated_fields() {
        findings.report(Rule::Read06, location, None, || {
            (format!("/{field}"), format!("expected `{field}` once, found it again; the last one counts"))
        });
    }
    // A bad sequence number is SEQ-01, which the validator reports.
    for field in event.bad_fields().filter(|field| *field != "sequence_number") {
        findings.report(Rule::Read07, location, None, || {
            (format!("/{field}"), format!("expected a usable `{field}`, found another type or range"))
        });
    }
}

/// The distance of a position from the start of its payload in the stream. After replaced bytes or joined lines it is
/// unknown, and 0 is returned.
fn exact(event: &Event<'_>, at: usize, framed: bool) -> usize {
    let before = event.raw().get(..at).unwrap_or_default();
    if before.chars().any(|char| char == char::REPLACEMENT_CHARACTER) || (framed && before.contains('\n')) {
        0
    } else {
        at
    }
}

/// Returns `true` if the first event of a stream continues a response that began before it.
#[cold]
pub(super) fn continues_earlier_response(event: &Event<'_>) -> bool {
    let kind = event.kind();
    let aside = kind.is_transport() || !kind.is_known() || matches!(kind, Kind::Created | Kind::Error);
    !aside && event.sequence_number().is_some_and(|number| number > 0)
}

/// The error that ends a strict reader.
#[cold]
pub(super) fn strict(location: Location, findings: &Findings) -> Error {
    let worst = findings.as_slice().iter().rev().find(|finding| finding.severity == Severity::Error);
    let detail = worst.map_or_else(String::new, |finding| format!("{}: {}", finding.rule.id(), finding.message));
    Error::new(Code::Strict, location.offset, detail).with_sequence_number(location.sequence_number)
}

/// After a reconnect: returns `true` if the event was read before. The first new event ends the check.
#[cold]
pub(super) fn resume(event: &Event<'_>, resumed_after: &mut Option<u64>, findings: &mut Findings) -> bool {
    let (Some(last), Some(number)) = (*resumed_after, event.sequence_number()) else { return false };
    if number <= last {
        findings.report(Rule::Read08, event.location(), REPEAT_DROPPED, || {
            (String::new(), format!("expected a number above {last}, found {number} again; the event was dropped"))
        });
        return true;
    }
    *resumed_after = None;
    if number > last + 1 {
        findings.soften_repairs();
        findings.report(Rule::Read09, event.location(), None, || {
            (String::new(), format!("expected {} after the reconnect, found {number}", last + 1))
        });
    }
    false
}

/// Detects streams of another kind, so that one finding can name it.
#[derive(Clone, Debug, Default)]
pub(super) struct ForeignDetector {
    /// The first bytes, kept while they may be a body that is not an event stream.
    body: Vec<u8>,
    /// The first bytes cannot be such a body.
    cleared: bool,
    named: bool,
    /// The HTTP status of the response; 0 if unknown.
    status: u16,
}

/// Error bodies are small; a larger one is identified but not parsed.
const MAX_ERROR_BODY: usize = 64 << 10;

impl ForeignDetector {
    /// True once the format of the stream was named, which happens once.
    pub(super) fn is_named(&self) -> bool {
        self.named
    }

    /// Takes up a stream whose format was named before.
    pub(super) fn set_named(&mut self) {
        self.named = true;
    }

    #[inline]
    pub(super) fn keep_start(&mut self, chunk: &[u8]) {
        if self.cleared || self.body.len() >= MAX_ERROR_BODY {
            return;
        }
        // There may be any number of blank lines, and they do not belong to a body.
        let chunk = if self.body.is_empty() { chunk.trim_ascii_start() } else { chunk };
        let Some(first) = self.body.first().or(chunk.first()) else { return };
        if !matches!(first, b'<' | b'{' | b'[' | 0x1F | 0x28 | 0x81 | 0x82) {
            self.cleared = true;
            return;
        }
        let room = MAX_ERROR_BODY - self.body.len();
        self.body.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }

    /// Identifies the format of an event of unknown kind, and reports it once.
    #[cold]
    pub(super) fn observe(&mut self, event: &Event<'_>, findings: &mut Findings) {
        if self.named || event.kind() != Kind::Unknown {
            return;
        }
        if let Some(name) = identify_event(event) {
            self.named = true;
            findings.report(Rule::Read04, event.location(), None, || {
                (String::new(), format!("expected a Responses stream, found {name}"))
            });
        }
    }

    /// At the end of input without any event: reports the format of the input, and returns a JSON error body as the outcome.
    pub(super) fn outcome_without_events(
        &mut self,
        events: u64,
        recognized: bool,
        location: Location,
        findings: &mut Findings,
    ) -> Option<Outcome> {
        if events > 0 || recognized || self.named {
            return None;
        }
        let name = identify_bytes(&self.body)?;
        self.named = true;
        let location = Location { offset: 0, ..location };
        findings.report(Rule::Read04, location, None, || {
            (String::new(), format!("expected an event stream, found {name}"))
        });
        Failure::from_error_body(core::str::from_utf8(&self.body).ok()?).map(|error| Outcome::Failed { error })
    }

    /// Stores the HTTP status of the response.
    pub(super) fn note_status(&mut self, status: u16) {
        self.status = status;
    }

    /// The outcome of a response that has no events and an HTTP status of an error.
    pub(super) fn outcome_of_status(&self, events: u64) -> Option<Outcome> {
        let status = Some(self.status).filter(|status| *status >= 400 && events == 0)?;
        let error = Failure {
            kind: "http_error".to_string(),
            code: format!("http_{status}"),
            message: "the server answered with an HTTP status of an error, and without events".to_string(),
            param: None,
        };
        Some(Outcome::Failed { error })
    }
}
