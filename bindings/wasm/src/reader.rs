//! The reader: takes bytes, returns batches of events, and everything else as JSON text.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use deltafold::__bindings::{read_arguments_marked, read_json_marked};
use deltafold::json::{Object, Value};
use deltafold::{Error, Finding, Item, Kind, ReaderOptions};
use wasm_bindgen::prelude::*;

use crate::batch::Batch;
use crate::error::{row, rows};
use crate::growing::GrowingTexts;
use crate::snapshot::SnapshotState;

/// Reads a stream.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Reader {
    core: deltafold::Reader,
    /// The buffer into which JavaScript copies a chunk before it calls `feed`.
    input: Vec<u8>,
    batch: Batch,
    snapshot: SnapshotState,
    growing: GrowingTexts,
    /// Why the last call was refused, or why reading ended.
    error: Option<Error>,
}

/// The queries of [`Reader::query`].
#[wasm_bindgen]
#[derive(Clone, Copy, Debug)]
pub enum ReaderQuery {
    /// Ends the input, releases the buffers, and returns the outcome; empty if an error ended reading, which `error` returns then.
    Finish,
    /// The changes of the response since the last query; see `snapshot.rs`.
    Changes,
    /// The whole response.
    Response,
    /// The texts of all messages, joined; not JSON.
    OutputText,
    /// What is new in the arguments of the call at an output position, parsed as incomplete JSON.
    Arguments,
    /// What is new in the text of a part, parsed as incomplete JSON.
    Text,
    /// The preview images of the item at an output position: a list of number and base64 data.
    Images,
    /// The findings from a position on.
    Findings,
    /// The numbers of notes, warnings, errors and stored findings.
    Counts,
    /// The outcome; empty before the end.
    Outcome,
    /// The other getters of the core.
    State,
}

/// Returned by `feed` when the call was refused.
const REFUSED: u32 = u32::MAX;

/// Returned by `feed` when reading has ended with no events before the end.
const ENDED: u32 = u32::MAX - 1;

#[wasm_bindgen]
impl Reader {
    /// Creates a reader from options as JSON text.
    ///
    /// # Errors
    /// An invalid option.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Result<Self, JsValue> {
        rows(options_of(options)).map(|options| Self::around(deltafold::Reader::with_options(options)))
    }

    /// Restores a saved state.
    ///
    /// # Errors
    /// A damaged state, or an invalid option.
    pub fn restore(saved: &[u8], options: &str) -> Result<Self, JsValue> {
        let core = options_of(options).and_then(|options| deltafold::Reader::restore(saved, options));
        rows(core).map(Self::around)
    }

    /// The address of the batch header, constant for the life of the reader.
    pub fn head(&self) -> *const u32 {
        self.batch.head()
    }

    /// Reserves an input buffer of `length` bytes and returns its address, which is valid until the next call of `room`.
    pub fn room(&mut self, length: usize) -> *mut u8 {
        self.input.clear();
        self.input.resize(length, 0);
        self.input.as_mut_ptr()
    }

    /// Takes the first `length` bytes of the input buffer, reads at most `most` events, and returns the number of events in the batch.
    /// Call `more` for the other events before the next `feed`.
    pub fn feed(&mut self, length: usize, most: u32) -> u32 {
        let fed = self.core.feed(self.input.get(..length).unwrap_or_default());
        self.read(fed, most)
    }

    /// Reads more events of the last chunk. The response is always that after the last event of a batch, so an iterator needs small batches.
    pub fn more(&mut self, most: u32) -> u32 {
        self.read(Ok(()), most)
    }

    /// Takes one JSON message without SSE framing.
    pub fn feed_json(&mut self, message: &str) -> u32 {
        let fed = self.core.feed_json(message);
        self.read(fed, u32::MAX)
    }

    /// Ends the input.
    pub fn end(&mut self) -> u32 {
        self.core.end();
        self.read(Ok(()), u32::MAX)
    }

    /// Continues over a new connection.
    ///
    /// # Errors
    /// `finish` was called, or an error ended reading.
    pub fn reconnect(&mut self) -> Result<(), JsValue> {
        rows(self.core.reconnect())
    }

    /// Why the last call was refused or reading ended, as a row; undefined if neither.
    pub fn error(&self) -> JsValue {
        self.error.as_ref().map_or(JsValue::UNDEFINED, row)
    }

    /// Returns the result of a query as text, usually JSON; see [`ReaderQuery`]. `at` and `part` are positions, if the query has any.
    ///
    /// One function for all queries, because each exported method takes half a kilobyte.
    pub fn query(&mut self, what: ReaderQuery, at: usize, part: usize) -> String {
        match what {
            ReaderQuery::Finish => {
                self.snapshot.changed();
                let outcome = self.core.finish();
                // A finished reader keeps the response, and not the buffers of reading.
                self.input = Vec::new();
                self.batch.release(self.core.held_bytes());
                match outcome {
                    Ok(outcome) => outcome.to_value().to_string(),
                    Err(error) => {
                        self.error = Some(error);
                        String::new()
                    }
                }
            }
            ReaderQuery::Changes => self.snapshot.changes(self.core.response()),
            ReaderQuery::Response => self.core.response().to_json(),
            ReaderQuery::OutputText => self.core.response().output_text().into_owned(),
            ReaderQuery::Arguments => {
                let Some(item) = self.core.response().item(at) else { return String::new() };
                read_arguments_marked(&item, |read, mark| self.growing.update(read.value(), mark))
            }
            ReaderQuery::Text => {
                let Some(part) = self.core.response().item(at).and_then(|item| item.parts().nth(part)) else {
                    return String::new();
                };
                read_json_marked(&part, |read, mark| self.growing.update(read.value(), mark))
            }
            ReaderQuery::Images => self.item(at, |item| {
                let images = item.partial_images();
                let rows = images.map(|(number, base64)| Value::Array(vec![Value::from(number), Value::from(base64)]));
                Value::Array(rows.collect()).to_string()
            }),
            ReaderQuery::Findings => array(self.core.findings().get(at..).unwrap_or_default()),
            ReaderQuery::Counts => {
                use deltafold::Severity::{Error, Note, Warning};
                let all = self.core.all_findings();
                let counts = [Note, Warning, Error].map(|severity| all.count(severity));
                let counts = counts.into_iter().chain([self.core.findings().len() as u64]);
                Value::Array(counts.map(Value::from).collect()).to_string()
            }
            ReaderQuery::Outcome => {
                self.core.outcome().map_or_else(String::new, |outcome| outcome.to_value().to_string())
            }
            ReaderQuery::State => self.state(),
        }
    }

    /// Takes the HTTP status (0 for none) and the headers: one line per name and per value, alternating.
    pub fn note_head(&mut self, status: u16, headers: &str) {
        let mut lines = headers.lines();
        let pairs = core::iter::from_fn(move || Some((lines.next()?, lines.next()?)));
        match status {
            0 => self.core.note_headers(pairs),
            _ => self.core.note_head(status, pairs),
        }
    }

    /// Takes the request of the stream, as JSON text.
    ///
    /// # Errors
    /// Text that is not JSON.
    pub fn note_request(&mut self, request: &str) -> Result<(), JsValue> {
        rows(self.core.note_request(request))
    }

    /// Returns the state as bytes.
    pub fn save(&self) -> Vec<u8> {
        self.core.save()
    }

    fn item(&self, at: usize, read: impl FnOnce(Item<'_>) -> String) -> String {
        self.core.response().item(at).map_or_else(String::new, read)
    }

    /// The other getters of the core, as one JSON object.
    fn state(&self) -> String {
        let mut state = Object::new();
        state.push("last_sequence_number", self.core.last_sequence_number());
        state.push("event_count", self.core.event_count());
        state.push("activity", self.core.activity());
        state.push("saw_done", self.core.saw_done());
        state.push("last_event_id", self.core.last_event_id());
        state.push("retry", self.core.retry());
        state.push("offset", self.core.offset());
        let rates = self.core.rate_limits();
        let mut limits = Object::new();
        limits.push("headers", rates.headers.clone());
        limits.push("event", rates.event.clone());
        // Parsing a float needs code that the small module does not have otherwise.
        #[cfg(feature = "full")]
        limits.push("retry_after_seconds", rates.retry_after_seconds());
        state.push("rate_limits", limits);
        state.to_string()
    }

    fn around(core: deltafold::Reader) -> Self {
        Self {
            core,
            input: Vec::new(),
            batch: Batch::new(),
            snapshot: SnapshotState::default(),
            growing: GrowingTexts::default(),
            error: None,
        }
    }

    fn read(&mut self, fed: Result<(), Error>, mut most: u32) -> u32 {
        if let Err(error) = fed {
            self.error = Some(error);
            return REFUSED;
        }
        self.batch.clear();
        let mut stopped = false;
        while most > 0 {
            most -= 1;
            // By reference, because a move would copy the event.
            match &self.core.poll_event() {
                Ok(Some(event)) => {
                    let grown = self.batch.push(event);
                    self.snapshot.note(grown);
                }
                Ok(None) => break,
                Err(error) => {
                    self.error = Some(error.clone());
                    self.snapshot.changed();
                    stopped = true;
                    break;
                }
            }
        }
        match self.batch.seal(stopped) {
            0 if stopped => ENDED,
            count => count,
        }
    }
}

/// The wire names of all kinds, one per line, in the order of their numbers in a batch.
#[wasm_bindgen]
pub fn kind_names() -> String {
    let mut names = String::new();
    for kind in Kind::ALL {
        names.push_str(kind.name());
        names.push('\n');
    }
    names
}

/// Options from JSON text. The fast path for no options saves the time of a dozen events.
fn options_of(options: &str) -> Result<ReaderOptions, Error> {
    match options {
        "{}" => Ok(ReaderOptions::default()),
        _ => ReaderOptions::from_json(options),
    }
}

/// Findings as JSON text.
pub(crate) fn array(findings: &[Finding]) -> String {
    Value::Array(findings.iter().map(Finding::to_value).collect()).to_string()
}
