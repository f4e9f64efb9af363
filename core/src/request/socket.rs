//! WebSocket messages: the message that starts a turn, and lanes.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::body::CreateResponse;
use crate::error::{Code, Error};
use crate::json::{Object, Value};
use crate::limits::Limits;
use crate::reader::{Reader, ReaderOptions};

/// Fields that the message must not have, not even as null (WS-03): a WebSocket always streams.
const NOT_SENT: &[&str] = &["stream", "stream_options", "background"];

/// The message that starts a turn: `response.create` with the fields of the request, and the fields that were left out
/// because they have no meaning on a WebSocket.
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

/// Several responses on one WebSocket, distinguished by `stream_id`.
///
/// Open Responses has one response at a time on a connection (WS-06); all of its events are in the lane with the empty name.
/// OpenAI multiplexes (WS-18): each event then names its lane. Every lane has its own [`Reader`], with its own sequence numbers and
/// response; a new response in a lane starts a new reader.
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
    /// True after the terminal event: the next event belongs to another response.
    over: bool,
}

impl MultiplexedReader {
    /// Makes a reader with these options for each lane; at most `limit` lanes are open at once.
    pub fn new(options: ReaderOptions, limit: usize) -> Self {
        Self { options, limit, lanes: BTreeMap::new() }
    }

    /// Takes a message; returns the name of its lane, empty if it has none, and the lane's reader.
    ///
    /// # Errors
    ///
    /// [`Code::ItemLimit`] if the message would open too many lanes, and the errors of [`Reader::feed_json`]. A message that
    /// is not JSON goes to the lane with the empty name, where it becomes a finding.
    pub fn feed(&mut self, message: &str) -> Result<(String, &mut Reader), Error> {
        let value = Value::parse(message, Limits::default().depth).unwrap_or_default();
        let name = value.str_at("stream_id").unwrap_or_default().to_string();
        let kind = value.str_at("type").unwrap_or_default();
        if !self.lanes.contains_key(&name) && self.lanes.len() >= self.limit {
            return Err(Error::new(
                Code::ItemLimit,
                0,
                format!("expected at most {} lanes, found another one", self.limit),
            ));
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

    /// Closes a lane and returns its reader, so that the caller can finish it.
    pub fn close(&mut self, name: &str) -> Option<Reader> {
        self.lanes.remove(name).map(|lane| lane.reader)
    }
}

impl Lane {
    fn new(options: &ReaderOptions) -> Self {
        Self { reader: Reader::with_options(options.clone()), over: false }
    }
}
