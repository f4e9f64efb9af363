//! [`PassedStream`]: an Open Responses stream that is passed on to an Open Responses target.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::ConverterOptions;
use crate::accumulate::{AccumulateOptions, Accumulator};
use crate::clock::Clock;
use crate::contract::{Group, Kind};
use crate::error::Error;
use crate::event::Event;
use crate::finding::{Findings, SeverityMap};
use crate::json::{Object, Value};
use crate::outcome::Failure;
use crate::write::{response_id, ApiError, ErrorType, Writer, WriterOptions};

/// Follows the events of a stream that is passed on unchanged, to write the terminal event if the stream breaks off without one.
pub(super) struct PassedStream {
    response: Accumulator,
    /// The accumulator's findings, which a conversion does not report.
    findings: Findings,
    /// The response of a stream that broke off before its first event.
    options: WriterOptions,
    events: u64,
    last_sequence_number: Option<u64>,
    /// An event of the images API was read: its streams have no response.
    is_foreign: bool,
}

impl PassedStream {
    pub(super) fn new(options: &ConverterOptions) -> Self {
        let source = &options.source;
        let id = response_id(source.response_id.as_deref().unwrap_or("unknown"));
        let model = source.model.as_deref().or_else(|| source.template.get("model")?.as_str());
        let mut response = WriterOptions::new(id, model.unwrap_or("unknown"), 0);
        response.template = source.template.clone();
        response.edition = source.edition;
        response.clock = Some(options.time());
        Self {
            response: Accumulator::new(AccumulateOptions::default(), options.limits),
            findings: Findings::new(0, SeverityMap::by_level()),
            options: response,
            events: 0,
            last_sequence_number: None,
            is_foreign: false,
        }
    }

    /// Takes an event that is passed on. A new response may follow one that has ended.
    #[inline(never)]
    pub(super) fn observe(&mut self, event: &Event<'_>) -> Result<(), Error> {
        if event.kind() == Kind::Created && self.response.outcome().is_some() {
            self.response.reset();
        }
        self.events += 1;
        self.is_foreign |= event.kind().group() == Group::ImagesApi;
        self.last_sequence_number = event.sequence_number().or(self.last_sequence_number);
        self.response.apply(event, &mut self.findings)
    }

    /// Returns the events that end a stream without a terminal event, as JSON text; none for a stream that has one.
    ///
    /// The last one is `response.failed`. It has the response as it was when the stream broke off, and the error of the server's `error`
    /// event, if there was one.
    pub(super) fn end(&mut self, cut: &Failure) -> Result<Vec<String>, Error> {
        if self.response.outcome().is_some() || self.is_foreign {
            return Ok(Vec::new());
        }
        let mut failure = self.response.error().cloned().unwrap_or_else(|| cut.clone());
        if failure.code.is_empty() {
            failure.code = if failure.kind.is_empty() { "server_error".to_string() } else { failure.kind.clone() };
        }
        let mut options = self.options.clone();
        options.created_at = options.clock.map_or(0, Clock::now);
        let mut writer = Writer::new(options);
        let mut events = Vec::new();
        if self.events == 0 {
            writer.fail(&ApiError::new(ErrorType::ServerError, &*failure.code, &*failure.message))?;
            while let Some(event) = writer.poll_event() {
                events.push(event.to_string());
            }
        }
        let defaults = || match writer.response() {
            Value::Object(response) => response,
            _ => Object::new(),
        };
        self.response.fail(&failure, defaults);
        if events.is_empty() {
            let number = self.last_sequence_number.map_or(self.events, |last| last.saturating_add(1));
            let mut event = format!("{{\"type\":\"response.failed\",\"sequence_number\":{number},\"response\":");
            self.response.response().write_json(&mut event);
            event.push('}');
            events.push(event);
        }
        Ok(events)
    }
}
