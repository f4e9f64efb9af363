//! The whole road: bytes in, events out as one list for each chunk, the response readable after it.

use std::collections::HashMap;
use std::sync::Arc;

use deltafold::Error;

use crate::error::DeltafoldError;
use crate::event::Event;
use crate::finding::{json, Finding, FindingCounts, Outcome};
use crate::int;
use crate::lock::Lock;
use crate::options::ReaderOptions;
use crate::response::Response;

/// Rate limits, as headers and events have told them.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct RateLimits {
    /// The headers about rate limits, as a JSON object; null without any.
    pub headers: Option<String>,
    /// The last `rate_limits` event, as JSON text; null without one.
    pub event: Option<String>,
    /// When to try again.
    pub retry_after_seconds: Option<f64>,
}

/// Reads a stream: bytes in, cut anywhere; events, findings and the response out.
///
/// Nothing that a server sends is an error: it is a finding, and reading goes on. Only a limit, a call that may not be made
/// now or, if `strict`, a broken rule ends it; then every call fails with the same error until `reset`. One reader reads one
/// stream. Threads may share it, one call at a time; a reader for each is faster.
#[derive(Debug, uniffi::Object)]
pub struct Reader(Arc<Lock<Held>>);

#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) core: deltafold::Reader,
    /// What ended reading, as long as no call has said so: the events before it come first.
    error: Option<Error>,
}

impl Held {
    /// Reads what was fed. An error waits for the next call if events came before it.
    fn read(&mut self, fed: Result<(), Error>) -> Result<Vec<Event>, Error> {
        fed?;
        let mut events = Vec::new();
        loop {
            match self.core.poll_event() {
                Ok(Some(event)) => events.push(Event::of(&event)),
                Ok(None) => return Ok(events),
                Err(error) => {
                    self.error = Some(error.clone());
                    return if events.is_empty() { Err(error) } else { Ok(events) };
                }
            }
        }
    }

    fn ended(&self) -> Result<(), Error> {
        self.error.clone().map_or(Ok(()), Err)
    }
}

impl Reader {
    fn around(core: deltafold::Reader) -> Self {
        Self(Arc::new(Lock::new(Held { core, error: None })))
    }

    fn ask<R>(&self, ask: impl FnOnce(&deltafold::Reader) -> R) -> Result<R, DeltafoldError> {
        self.0.with(|held| ask(&held.core))
    }
}

#[uniffi::export]
impl Reader {
    /// Makes a reader.
    #[uniffi::constructor(default(options = None))]
    pub fn new(options: Option<ReaderOptions>) -> Result<Self, DeltafoldError> {
        let options = options.unwrap_or_default().read()?;
        Ok(Self::around(deltafold::Reader::with_options(options)))
    }

    /// Makes a reader from options as JSON text, the form that every language takes; an empty text is none.
    #[uniffi::constructor]
    pub fn from_json(options: &str) -> Result<Self, DeltafoldError> {
        let options = deltafold::ReaderOptions::from_json(options)?;
        Ok(Self::around(deltafold::Reader::with_options(options)))
    }

    /// Takes a saved state up again, with options as JSON text. Feed it the bytes of the new connection: events that were
    /// read before are dropped with a finding.
    #[uniffi::constructor(default(options = ""))]
    pub fn restore(saved: Vec<u8>, options: &str) -> Result<Self, DeltafoldError> {
        let options = deltafold::ReaderOptions::from_json(options)?;
        Ok(Self::around(deltafold::Reader::restore(&saved, options)?))
    }

    /// Takes a chunk, cut anywhere, and returns the events that it completes.
    ///
    /// If reading ends in the middle of the chunk, the events before that are returned; the next call fails, and so does
    /// `ensure_reading`.
    pub fn feed(&self, chunk: Vec<u8>) -> Result<Vec<Event>, DeltafoldError> {
        self.0.attempt(|held| {
            held.ended()?;
            let fed = held.core.feed(&chunk);
            held.read(fed)
        })
    }

    /// Takes one message that is JSON already: a WebSocket message, a line of a log.
    pub fn feed_json(&self, message: &str) -> Result<Vec<Event>, DeltafoldError> {
        self.0.attempt(|held| {
            held.ended()?;
            let fed = held.core.feed_json(message);
            held.read(fed)
        })
    }

    /// Says that no more will come, and returns what a missing blank line held back.
    pub fn end(&self) -> Result<Vec<Event>, DeltafoldError> {
        self.0.attempt(|held| {
            held.ended()?;
            held.core.end();
            held.read(Ok(()))
        })
    }

    /// Ends the input and says how the stream ended. May be called again: the answer stays. What ended reading, if anything
    /// did, is thrown; `outcome` has the answer all the same.
    pub fn finish(&self) -> Result<Outcome, DeltafoldError> {
        self.0.attempt(|held| {
            let outcome = Outcome::of(&held.core.finish());
            held.ended().map(|()| outcome)
        })
    }

    /// Throws what ended reading, if anything did.
    pub fn ensure_reading(&self) -> Result<(), DeltafoldError> {
        self.0.attempt(|held| held.ended())
    }

    /// Makes the reader new; options stay.
    pub fn reset(&self) -> Result<(), DeltafoldError> {
        self.0.with(|held| {
            held.core.reset();
            held.error = None;
        })
    }

    /// Lets go of everything; every later call is refused. Views of the response end with it.
    pub fn release(&self) {
        self.0.release();
    }

    /// The state as bytes to store; `restore` takes it up.
    pub fn save(&self) -> Result<Vec<u8>, DeltafoldError> {
        self.ask(deltafold::Reader::save)
    }

    /// Takes the request that the stream answers, as JSON text, for the rules about both.
    pub fn note_request(&self, request: &str) -> Result<(), DeltafoldError> {
        self.0.attempt(|held| held.core.note_request(request))
    }

    /// Takes HTTP headers; with a status the validator checks the rules about both. Rate limits are kept.
    #[uniffi::method(default(status = None))]
    pub fn note_headers(&self, headers: HashMap<String, String>, status: Option<i32>) -> Result<(), DeltafoldError> {
        let pairs = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        self.0.with(|held| match status.map(u16::try_from) {
            Some(Ok(status)) => held.core.note_head(status, pairs),
            _ => held.core.note_headers(pairs),
        })
    }

    /// The response so far: a live view, which shows what has been read when it is asked.
    pub fn response(&self) -> Response {
        Response::new(Arc::clone(&self.0))
    }

    /// What was wrong with the stream so far, the first so many (limit `findings`).
    pub fn findings(&self) -> Result<Vec<Finding>, DeltafoldError> {
        self.ask(|core| core.findings().iter().map(Finding::of).collect())
    }

    /// The findings as JSON text.
    pub fn findings_json(&self) -> Result<String, DeltafoldError> {
        self.ask(|core| json(core.findings()))
    }

    /// How many findings there were, kept or not.
    pub fn finding_counts(&self) -> Result<FindingCounts, DeltafoldError> {
        self.ask(|core| FindingCounts::of(core.all_findings()))
    }

    /// How the stream ended, once a terminal event or `finish` has said so.
    pub fn outcome(&self) -> Result<Option<Outcome>, DeltafoldError> {
        self.ask(|core| core.outcome().map(Outcome::of))
    }

    /// The outcome as JSON text.
    pub fn outcome_json(&self) -> Result<Option<String>, DeltafoldError> {
        self.ask(|core| core.outcome().map(|outcome| outcome.to_value().to_string()))
    }

    /// Token counts as JSON text, once a terminal event has them.
    pub fn usage(&self) -> Result<Option<String>, DeltafoldError> {
        self.ask(|core| core.usage().map(ToString::to_string))
    }

    /// The newest sequence number: where to resume after.
    pub fn last_sequence_number(&self) -> Result<Option<i64>, DeltafoldError> {
        self.ask(|core| core.last_sequence_number().map(int))
    }

    /// How many events were read.
    pub fn event_count(&self) -> Result<i64, DeltafoldError> {
        self.ask(|core| int(core.event_count()))
    }

    /// A counter that any byte moves, also a comment or a keepalive: while it moves, the connection is alive.
    pub fn activity(&self) -> Result<i64, DeltafoldError> {
        self.ask(|core| int(core.activity()))
    }

    /// Whether `[DONE]` arrived.
    pub fn saw_done(&self) -> Result<bool, DeltafoldError> {
        self.ask(deltafold::Reader::saw_done)
    }

    /// The last SSE id, for the header `Last-Event-ID`.
    pub fn last_event_id(&self) -> Result<String, DeltafoldError> {
        self.ask(|core| core.last_event_id().to_owned())
    }

    /// Bytes that were read.
    pub fn offset(&self) -> Result<i64, DeltafoldError> {
        self.ask(|core| int(core.offset()))
    }

    /// Rate limits, as headers and events have told them.
    pub fn rate_limits(&self) -> Result<RateLimits, DeltafoldError> {
        self.ask(|core| {
            let rates = core.rate_limits();
            let text = |value: String| (value != "null" && value != "{}").then_some(value);
            RateLimits {
                headers: text(deltafold::json::Value::from(rates.headers.clone()).to_string()),
                event: text(rates.event.to_string()),
                retry_after_seconds: rates.retry_after_seconds(),
            }
        })
    }
}
