//! The framing layer: what a validator has to say of lines and frames, before anybody looks at the payload.

use alloc::format;
use alloc::string::String;

use super::options::Layers;
use super::rule::Rule;
use super::validator::{is_nearly_sentinel, Hot, Validator};
use crate::finding::{Findings, Place};
use crate::sse::{Blank, Frame, Tail};

/// The sentinel that ends a stream.
pub(crate) const SENTINEL: &str = "[DONE]";

/// Habits of framing that are worth one note a stream, a bit each.
const CARRIAGE_RETURN: u8 = 1;
const MANY_DATA_LINES: u8 = 2;
const EVENT_AFTER_DATA: u8 = 4;

impl Validator {
    /// Checks a frame. The event that comes from it is then given to [`check`](Self::check), the sentinel to
    /// [`check_done`](Self::check_done).
    #[inline]
    pub fn check_frame(&mut self, frame: &Frame<'_>, place: Place, findings: &mut Findings) {
        self.framed = true;
        self.sse = true;
        self.dropped = frame.dropped;
        let marks = frame.marks;
        let odd = marks.id() | marks.carriage_return() | marks.event_after_data() | frame.data.is_empty();
        if odd || frame.data_lines > 1 || self.sentinel {
            self.check_odd_frame(frame, place, findings);
        }
    }

    #[cold]
    fn check_odd_frame(&mut self, frame: &Frame<'_>, place: Place, findings: &mut Findings) {
        let marks = frame.marks;
        if !self.options.layers.contains(Layers::FRAMING) {
            return;
        }
        if self.sentinel {
            findings.report(Rule::Sse03, place, None, || {
                (String::new(), "expected nothing behind the sentinel, found a frame".into())
            });
        }
        if marks.id() {
            report_id(place, findings);
        }
        if frame.data.is_empty() && !frame.dropped {
            findings
                .report(Rule::Sse09, place, None, || (String::new(), "expected a payload, found empty data".into()));
        }
        let habits = [
            (marks.carriage_return(), CARRIAGE_RETURN, "lines end with CR or CRLF, not LF"),
            (frame.data_lines > 1, MANY_DATA_LINES, "one payload is cut into several data lines"),
            (marks.event_after_data(), EVENT_AFTER_DATA, "the event line stands behind the data line"),
        ];
        for (found, habit, words) in habits {
            if found && self.habits & habit == 0 {
                self.habits |= habit;
                findings.report(Rule::Sse11, place, None, || (String::new(), words.into()));
            }
        }
    }

    /// Checks a block without data. A blank line or a comment alone is fine.
    pub fn check_blank(&mut self, blank: &Blank<'_>, findings: &mut Findings) {
        let marks = blank.marks;
        if !self.options.layers.contains(Layers::FRAMING) || !(marks.event() | marks.id() | marks.retry()) {
            return;
        }
        let place = Place { offset: blank.offset, ..Place::default() };
        if marks.id() {
            report_id(place, findings);
        }
        if marks.event() || marks.retry() {
            findings.report(Rule::Sse09, place, None, || {
                (String::new(), "expected a block with data or a comment, found one without data".into())
            });
        }
    }

    /// Checks the sentinel, or what was meant to be it; `data` is the frame's payload. On a socket it means nothing.
    pub fn check_done(&mut self, data: &str, place: Place, findings: &mut Findings) {
        let framed = core::mem::take(&mut self.framed);
        self.settle();
        self.hot = Hot::NONE;
        self.steady = false;
        // `check_frame` has reported a second one as a frame behind the first.
        if core::mem::replace(&mut self.sentinel, true) || !framed || !self.options.layers.contains(Layers::FRAMING) {
            return;
        }
        if data != SENTINEL {
            findings.report(Rule::Sse03, place, None, || {
                (String::new(), format!("expected exactly `[DONE]`, found {} bytes", data.len()))
            });
        } else if self.spoken && !self.response.is_over() && self.error.is_none() {
            findings.report(Rule::Sse03, place, None, || {
                (String::new(), "expected the sentinel behind the terminal event, found it before".into())
            });
        }
    }

    /// Checks the block that the end of input cut off. If the reader takes its event after all, that is given to
    /// [`check`](Self::check) as well.
    pub fn check_tail(&mut self, tail: &Tail<'_>, place: Place, findings: &mut Findings) {
        self.check_frame(&tail.frame, place, findings);
        if self.options.layers.contains(Layers::FRAMING) {
            findings.report(Rule::Sse10, place, None, || {
                (String::new(), "expected a blank line behind the last block, found the end of input".into())
            });
        }
    }

    /// Says whether a payload is the sentinel, or close enough to be taken for it.
    pub fn is_sentinel(data: &str) -> bool {
        data == SENTINEL || is_nearly_sentinel(data)
    }
}

fn report_id(place: Place, findings: &mut Findings) {
    findings.report(Rule::Sse05, place, None, || (String::new(), "expected no `id` line, found one".into()));
}
