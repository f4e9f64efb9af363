//! The framing layer: checks lines and frames, before the payload is parsed.

use alloc::format;
use alloc::string::String;

use super::options::Layers;
use super::rule::Rule;
use super::validator::{is_nearly_sentinel, LastDelta, Validator};
use crate::finding::{Findings, Location};
use crate::sse::{Blank, Frame, UnfinishedBlock};

/// The sentinel that ends an event stream.
pub(crate) const SENTINEL: &str = "[DONE]";

/// Framing habits that are reported once per stream, one bit each.
const CARRIAGE_RETURN: u8 = 1;
const MANY_DATA_LINES: u8 = 2;
const EVENT_AFTER_DATA: u8 = 4;

impl Validator {
    /// Checks a frame. Pass its event to [`check`](Self::check) afterwards, or a sentinel to [`check_done`](Self::check_done).
    #[inline]
    pub fn check_frame(&mut self, frame: &Frame<'_>, location: Location, findings: &mut Findings) {
        self.framed = true;
        self.sse = true;
        self.dropped = frame.dropped;
        let features = frame.features;
        let unusual = features.id() | features.carriage_return() | features.event_after_data() | frame.data.is_empty();
        if unusual || frame.data_lines > 1 || self.sentinel_seen {
            self.check_unusual_frame(frame, location, findings);
        }
    }

    #[cold]
    fn check_unusual_frame(&mut self, frame: &Frame<'_>, location: Location, findings: &mut Findings) {
        let features = frame.features;
        if !self.options.layers.contains(Layers::FRAMING) {
            return;
        }
        if self.sentinel_seen {
            findings.report(Rule::Sse03, location, None, || {
                (String::new(), "expected no frame after `[DONE]`, found one".into())
            });
        }
        if features.id() {
            report_id(location, findings);
        }
        if frame.data.is_empty() && !frame.dropped {
            findings.report(Rule::Sse09, location, None, || {
                (String::new(), "expected a payload, found an empty one".into())
            });
        }
        let habits = [
            (features.carriage_return(), CARRIAGE_RETURN, "expected lines that end with LF, found CR or CRLF"),
            (frame.data_lines > 1, MANY_DATA_LINES, "expected one data line per payload, found several"),
            (
                features.event_after_data(),
                EVENT_AFTER_DATA,
                "expected the event line before the data line, found it after",
            ),
        ];
        for (found, habit, words) in habits {
            if found && self.habits & habit == 0 {
                self.habits |= habit;
                findings.report(Rule::Sse11, location, None, || (String::new(), words.into()));
            }
        }
    }

    /// Checks a block without data. Blank lines and comments are allowed.
    pub fn check_blank(&mut self, blank: &Blank<'_>, findings: &mut Findings) {
        let features = blank.features;
        if !self.options.layers.contains(Layers::FRAMING) || !(features.event() | features.id() | features.retry()) {
            return;
        }
        let location = Location { offset: blank.offset, ..Location::default() };
        if features.id() {
            report_id(location, findings);
        }
        if features.event() || features.retry() {
            findings.report(Rule::Sse09, location, None, || {
                (String::new(), "expected a block with data or a comment, found one without data".into())
            });
        }
    }

    /// Checks the sentinel or a payload that resembles it; `data` is the frame's payload. Without SSE framing it has no effect.
    pub fn check_done(&mut self, data: &str, location: Location, findings: &mut Findings) {
        let framed = core::mem::take(&mut self.framed);
        self.last_delta = LastDelta::NONE;
        self.last_delta_is_valid = false;
        // `check_frame` has already reported a second sentinel as a frame after the first one.
        if core::mem::replace(&mut self.sentinel_seen, true)
            || !framed
            || !self.options.layers.contains(Layers::FRAMING)
        {
            return;
        }
        if data != SENTINEL {
            findings.report(Rule::Sse03, location, None, || {
                (String::new(), format!("expected exactly `[DONE]`, found a payload of length {}", data.len()))
            });
        } else if self.response_seen && !self.response.is_ended() && self.error.is_none() {
            findings.report(Rule::Sse03, location, None, || {
                (String::new(), "expected `[DONE]` after the terminal event, found it before".into())
            });
        }
    }

    /// Checks the block that the end of input cut off. If the reader uses its event, pass that to [`check`](Self::check) too.
    pub fn check_tail(&mut self, tail: &UnfinishedBlock<'_>, location: Location, findings: &mut Findings) {
        self.check_frame(&tail.frame, location, findings);
        if self.options.layers.contains(Layers::FRAMING) {
            findings.report(Rule::Sse10, location, None, || {
                (String::new(), "expected a blank line after the last block, found the end of input".into())
            });
        }
    }

    /// Returns `true` for the sentinel and for payloads that resemble it.
    pub fn is_sentinel(data: &str) -> bool {
        data == SENTINEL || is_nearly_sentinel(data)
    }
}

fn report_id(location: Location, findings: &mut Findings) {
    findings.report(Rule::Sse05, location, None, || (String::new(), "expected no `id` line, found one".into()));
}
