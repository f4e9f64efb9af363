//! [`CaptureReader`]: reads one captured body of any dialect, as `deltafold fold` reads a file.

use deltafold::adapter::{
    detect, inbound, AdapterFinding, Dialect, ExtensionEvents, InboundOptions, ReasoningEvents, Turns,
};
use deltafold::{Error, Event, Limits, Outcome, Reader, ReaderOptions};

/// Number of bytes after which detection gives up and a body is read as Open Responses.
const DETECTION_LIMIT: usize = 256 << 10;

/// Bytes that are fed at a time: few enough to stay in the CPU cache while they are read.
const CHUNK: usize = 128 << 10;

/// The response id that adapters get for a stream without one; the column `response_id` is then null.
const NO_ID: &str = "resp_unknown";
/// The model name that adapters write if the stream has none; the column `model` is then null.
const NO_MODEL: &str = "unknown";

/// Reads bodies one after another with one set of options.
pub(crate) struct CaptureReader {
    reader: Reader,
    is_used: bool,
    limits: Limits,
    source: InboundOptions,
    /// The caller has not named an id, or a model, for streams without one.
    invents_id: bool,
    invents_model: bool,
    /// The body in Open Responses, if it was in another dialect.
    converted: Vec<u8>,
}

/// What was read of one body. The response and the findings are in [`CaptureReader::reader`].
pub(crate) struct Capture {
    /// The dialect of the body.
    pub(crate) dialect: Dialect,
    /// How the stream ended; `truncated` if reading ended early.
    pub(crate) outcome: Outcome,
    /// Why reading ended early.
    pub(crate) error: Option<Error>,
    /// What the conversion from another dialect lost, repaired or assumed.
    pub(crate) adapter_findings: Vec<AdapterFinding>,
}

impl CaptureReader {
    pub(crate) fn new(options: &ReaderOptions, source: &InboundOptions) -> Self {
        // The names and places of the specification, as on the command line; the defaults are for older clients.
        let mut source = source
            .clone()
            .reasoning_events(ReasoningEvents::OpenResponses)
            .extension_events(ExtensionEvents::Events)
            .turns(Turns::First);
        let (invents_id, invents_model) = (source.response_id.is_none(), source.model.is_none());
        source.response_id.get_or_insert_with(|| NO_ID.to_owned());
        Self {
            reader: Reader::with_options(options.clone()),
            is_used: false,
            limits: options.limits,
            source,
            invents_id,
            invents_model,
            converted: Vec::new(),
        }
    }

    /// The reader of the last body.
    pub(crate) fn reader(&self) -> &Reader {
        &self.reader
    }

    /// The response id that a body of this dialect has on the wire.
    pub(crate) fn response_id(&self, dialect: Dialect) -> Option<&str> {
        let is_invented = |id: &str| self.invents_id && dialect != Dialect::OpenResponses && id == NO_ID;
        self.reader.response().id().filter(|id| !is_invented(id))
    }

    /// The model that a body of this dialect names.
    pub(crate) fn model(&self, dialect: Dialect) -> Option<&str> {
        let is_invented = |model: &str| self.invents_model && dialect != Dialect::OpenResponses && model == NO_MODEL;
        self.reader.response().model().filter(|model| !is_invented(model))
    }

    /// Reads a body. If no dialect is given, it is detected from the first message. `each` is called with every event.
    pub(crate) fn read(&mut self, body: &[u8], dialect: Option<Dialect>, each: &mut impl FnMut(&Event<'_>)) -> Capture {
        if std::mem::replace(&mut self.is_used, true) {
            self.reader.reset();
        }
        let dialect = dialect.unwrap_or_else(|| detect_body(body));
        let mut adapter_findings = Vec::new();
        let fed = if dialect == Dialect::OpenResponses && is_messages(body) {
            feed_messages(&mut self.reader, body, each)
        } else if dialect == Dialect::OpenResponses {
            feed(&mut self.reader, body, self.limits.buffered_bytes, each)
        } else {
            self.converted.clear();
            let converted =
                convert(dialect, body, &self.source, self.limits, &mut self.converted, &mut adapter_findings);
            // Events before an error are valid. What was written of them may be longer than the limit of the source.
            let fed = feed(&mut self.reader, &self.converted, self.limits.buffered_bytes, each);
            fed.and(converted)
        };
        // Most rows have a similar size; the memory of one very large row must not be kept.
        self.converted.shrink_to(16 << 20);
        self.reader.end();
        let polled = poll(&mut self.reader, each);
        let finished = self.reader.finish();
        let outcome = finished.as_ref().ok().or(self.reader.outcome()).cloned();
        Capture {
            dialect,
            outcome: outcome.unwrap_or(Outcome::Truncated { last_sequence_number: self.reader.last_sequence_number() }),
            error: fed.and(polled).and(finished.map(|_| ())).err(),
            adapter_findings,
        }
    }
}

/// Feeds bytes of Open Responses and polls every event.
fn feed(reader: &mut Reader, bytes: &[u8], limit: usize, each: &mut impl FnMut(&Event<'_>)) -> Result<(), Error> {
    for chunk in bytes.chunks(CHUNK.min(limit.max(1))) {
        reader.feed(chunk)?;
        poll(reader, each)?;
    }
    Ok(())
}

/// Feeds a transcript of a WebSocket or a log: a line is one JSON message.
fn feed_messages(reader: &mut Reader, body: &[u8], each: &mut impl FnMut(&Event<'_>)) -> Result<(), Error> {
    for line in body.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()) {
        reader.feed_json(&String::from_utf8_lossy(line))?;
        poll(reader, each)?;
    }
    Ok(())
}

fn poll(reader: &mut Reader, each: &mut impl FnMut(&Event<'_>)) -> Result<(), Error> {
    while let Some(event) = reader.poll_event()? {
        each(&event);
    }
    Ok(())
}

/// Appends a body of another dialect as Open Responses, including output that was written before an error.
fn convert(
    dialect: Dialect,
    body: &[u8],
    options: &InboundOptions,
    limits: Limits,
    converted: &mut Vec<u8>,
    findings: &mut Vec<AdapterFinding>,
) -> Result<(), Error> {
    let mut source = inbound(dialect, options.clone(), limits)?;
    let result = source.feed(body).and_then(|()| source.finish());
    source.write_into(converted);
    findings.extend_from_slice(source.findings().as_slice());
    result
}

/// Detects the dialect of a body; Open Responses if none is recognized. An error body resembles a Chat Completions or Gemini
/// body but is no stream; the reader reports it as such.
pub(crate) fn detect_body(body: &[u8]) -> Dialect {
    if starts_as_open_responses(body) {
        return Dialect::OpenResponses;
    }
    let is_json = body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    match detect_start(body) {
        None => Dialect::OpenResponses,
        Some(Dialect::ChatCompletions | Dialect::Gemini) if is_json => Dialect::OpenResponses,
        Some(dialect) => dialect,
    }
}

/// Returns `true` for Open Responses as one JSON message per line. An SSE stream does not begin with a brace, and an error body is
/// no event.
fn is_messages(body: &[u8]) -> bool {
    body.trim_ascii_start().first() == Some(&b'{') && detect_start(body) == Some(Dialect::OpenResponses)
}

/// The dialect that is recognized at the start of a body.
fn detect_start(body: &[u8]) -> Option<Dialect> {
    let start = body.get(..DETECTION_LIMIT).unwrap_or(body);
    // The last block of a short body may lack the blank line that ends it.
    detect(start).or_else(|| if start.len() < body.len() { None } else { detect(&[start, b"\n\n"].concat()) })
}

/// Recognizes the start of most Responses streams, whose first event can be tens of kilobytes of JSON: `detect` finds the same.
fn starts_as_open_responses(body: &[u8]) -> bool {
    let data = match body.strip_prefix(b"event: response.") {
        Some(rest) => match rest.iter().position(|byte| *byte == b'\n') {
            Some(end) => &rest[end + 1..],
            None => return false,
        },
        None => body,
    };
    data.starts_with(b"data: {\"type\":\"response.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortcut_finds_the_dialect_that_detection_finds() {
        for body in [
            "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{}}\n\n",
            "data: {\"type\":\"response.created\",\"response\":{}}\n\n",
        ] {
            assert!(starts_as_open_responses(body.as_bytes()));
            assert_eq!(detect(body.as_bytes()), Some(Dialect::OpenResponses));
        }
        for body in
            ["", "event: response.created", "data: {\"type\":\"message_start\"}\n\n", "event: ping\ndata: {}\n\n"]
        {
            assert!(!starts_as_open_responses(body.as_bytes()), "{body}");
        }
    }

    #[test]
    fn a_body_without_its_last_line_end_and_an_error_body_are_recognized() {
        for (body, dialect) in [
            ("data: {\"type\":\"message_start\",\"message\":{}}", Dialect::Anthropic),
            ("{\"model\":\"m\",\"message\":{\"content\":\"Hi\"},\"done\":true}", Dialect::Ollama),
            ("{\"error\":{\"message\":\"no\",\"type\":\"invalid_request_error\"}}", Dialect::OpenResponses),
            ("[{\"candidates\":[]}]", Dialect::Gemini),
            ("", Dialect::OpenResponses),
            ("<html>", Dialect::OpenResponses),
        ] {
            assert_eq!(detect_body(body.as_bytes()), dialect, "{body}");
        }
    }
}
