//! What a WebSocket adds to requests and events: the message that starts a turn, and lanes.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::body::CreateResponse;
use crate::error::{Code, Error};
use crate::json::{Object, Value};
use crate::limits::Limits;
use crate::reader::{Reader, ReaderOptions};

/// Fields that a message must not have, not even as null (WS-03): a socket always streams.
const NOT_SENT: &[&str] = &["stream", "stream_options", "background"];

/// The message that starts a turn: `response.create` with the fields of the request, and the fields that were left out
/// because a socket has no use for them.
///
/// ```
/// use deltafold::request::{create_message, CreateResponse};
/// let request = CreateResponse::new().with_model("m-1").with_input("Hi").with_stream(true);
/// let (message, left_out) = create_message(&request);
/// assert_eq!(message, r#"{"type":"response.create","model":"m-1","input":"Hi"}"#);
/// assert_eq!(left_out, ["stream"]);
/// ```
pub fn create_message(request: &CreateResponse) -> (String, Vec<String>) {
    let mut message = Object::with_capacity(request.as_object().len() + 1);
    message.push("type", "response.create");
    let mut left_out = Vec::new();
    for (name, value) in request.as_object().iter() {
        if NOT_SENT.contains(&name) {
            left_out.push(name.to_string());
        } else if name != "type" {
            message.push(name, value.clone());
        }
    }
    (Value::Object(message).to_string(), left_out)
}

/// Several responses on one socket, told apart by `stream_id`.
///
/// Open Responses has one response at a time on a connection (WS-06), and all of its events are in the lane without a name.
/// OpenAI multiplexes (WS-18): each event then names its lane. Every lane has a [`Reader`] of its own, which numbers and
/// folds by itself; a new response in a lane starts a new reader.
///
/// ```
/// use deltafold::request::MultiplexedReader;
/// use deltafold::ReaderOptions;
/// let mut lanes = MultiplexedReader::new(ReaderOptions::default(), 8);
/// for message in [
///     r#"{"type":"response.output_text.delta","stream_id":"a","sequence_number":0,"output_index":0,"item_id":"m","content_index":0,"delta":"x"}"#,
///     r#"{"type":"response.output_text.delta","stream_id":"b","sequence_number":0,"output_index":0,"item_id":"m","content_index":0,"delta":"y"}"#,
/// ] {
///     let (_, reader) = lanes.feed(message)?;
///     while reader.poll_event()?.is_some() {}
/// }
/// assert_eq!(lanes.get("b").unwrap().response().output_text(), "y");
/// # Ok::<(), deltafold::Error>(())
/// ```
#[derive(Debug)]
pub struct MultiplexedReader {
    options: ReaderOptions,
    limit: usize,
    lanes: BTreeMap<String, Lane>,
}

#[derive(Debug)]
struct Lane {
    reader: Reader,
    /// The terminal event has been seen: what comes next is another response.
    over: bool,
}

impl MultiplexedReader {
    /// Makes lanes whose readers have these options; at most so many are open at once.
    pub fn new(options: ReaderOptions, limit: usize) -> Self {
        Self { options, limit, lanes: BTreeMap::new() }
    }

    /// Takes a message; gives the name of its lane, empty if it has none, and the reader that has the message now.
    ///
    /// # Errors
    ///
    /// [`Code::ItemLimit`] if the message would open a lane too many, and what [`Reader::feed_json`] says. A message that
    /// is no JSON goes to the lane without a name, where it becomes a finding.
    pub fn feed(&mut self, message: &str) -> Result<(String, &mut Reader), Error> {
        let value = Value::parse(message, Limits::default().depth).unwrap_or_default();
        let name = value.str_at("stream_id").unwrap_or_default().to_string();
        let kind = value.str_at("type").unwrap_or_default();
        if !self.lanes.contains_key(&name) && self.lanes.len() >= self.limit {
            return Err(Error::new(Code::ItemLimit, 0, "expected fewer lanes on one socket"));
        }
        let options = &self.options;
        let lane = self.lanes.entry(name.clone()).or_insert_with(|| Lane::new(options));
        if lane.over && kind == "response.created" {
            *lane = Lane::new(options);
        }
        lane.over |= matches!(kind, "response.completed" | "response.failed" | "response.incomplete");
        lane.reader.feed_json(message)?;
        Ok((name, &mut lane.reader))
    }

    /// The reader of a lane.
    pub fn get(&self, name: &str) -> Option<&Reader> {
        self.lanes.get(name).map(|lane| &lane.reader)
    }

    /// The names of all lanes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.lanes.keys().map(String::as_str)
    }

    /// Closes a lane and gives its reader, to finish it.
    pub fn close(&mut self, name: &str) -> Option<Reader> {
        self.lanes.remove(name).map(|lane| lane.reader)
    }
}

impl Lane {
    fn new(options: &ReaderOptions) -> Self {
        Self { reader: Reader::with_options(options.clone()), over: false }
    }
}
