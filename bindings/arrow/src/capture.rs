//! [`CaptureReader`]: reads one captured body of any dialect, as `deltafold fold` reads a file.

use deltafold::adapter::{
    detect, inbound, AdapterFinding, Dialect, ExtensionEvents, InboundOptions, ReasoningEvents, Turns,
};
use deltafold::validate::Layers;
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
    /// Nobody reads the events of a body, only its response.
    response_only: bool,
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
    /// The number of events; of another dialect, those of the converted stream.
    pub(crate) events: u64,
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
            response_only: false,
            converted: Vec::new(),
        }
    }

    /// For a caller that reads the response alone: bodies of other dialects are converted to snapshots where those have everything.
    /// Validation, and a response that is built from the events alone, need all events.
    pub(crate) fn response_only(mut self, options: &ReaderOptions) -> Self {
        let needs_events = options.layers != Layers::NONE || options.accumulate.ignore_terminal_snapshot;
        self.response_only = !needs_events;
        self
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
        let dialect = dialect.unwrap_or_else(|| detect_body(body));
        // Threads of events rewrite text that was already streamed, which a snapshot does not show.
        if self.response_only && !matches!(dialect, Dialect::OpenResponses | Dialect::ThreadEvents) {
            let capture = self.read_as(body, dialect, true, each);
            if capture.error.is_none() && self.reader.all_findings().total() == 0 {
                return capture;
            }
            // The events tell where and why.
        }
        self.read_as(body, dialect, false, each)
    }

    fn read_as(
        &mut self,
        body: &[u8],
        dialect: Dialect,
        snapshots_only: bool,
        each: &mut impl FnMut(&Event<'_>),
    ) -> Capture {
        if std::mem::replace(&mut self.is_used, true) {
            self.reader.reset();
        }
        let mut adapter_findings = Vec::new();
        let fed = if dialect == Dialect::OpenResponses && is_messages(body) {
            feed_messages(&mut self.reader, body, each)
        } else if dialect == Dialect::OpenResponses {
            feed(&mut self.reader, body, CHUNK, self.limits.buffered_bytes, each)
        } else {
            let converted = self.convert(dialect, body, snapshots_only, &mut adapter_findings);
            // A few events of which one has nearly all bytes are fed at once.
            let chunk = if snapshots_only { usize::MAX } else { CHUNK };
            // Events before an error are valid. What was written of them may be longer than the limit of the source.
            let fed = feed(&mut self.reader, &self.converted, chunk, self.limits.buffered_bytes, each);
            fed.and(converted)
        };
        // Most rows have a similar size; the memory of one very large row must not be kept.
        self.converted.shrink_to(16 << 20);
        self.reader.end();
        let polled = poll(&mut self.reader, each);
        let finished = self.reader.finish();
        let outcome = finished.as_ref().ok().or(self.reader.outcome()).cloned();
        let last_sequence_number = self.reader.last_sequence_number();
        Capture {
            dialect,
            outcome: outcome.unwrap_or(Outcome::Truncated { last_sequence_number }),
            error: fed.and(polled).and(finished.map(|_| ())).err(),
            // Events between the snapshots have numbers, too.
            events: match last_sequence_number.filter(|_| snapshots_only) {
                Some(last) => last + 1,
                None => self.reader.event_count(),
            },
            adapter_findings,
        }
    }

    /// Converts a body of another dialect to Open Responses, also what was written before an error.
    fn convert(
        &mut self,
        dialect: Dialect,
        body: &[u8],
        snapshots_only: bool,
        findings: &mut Vec<AdapterFinding>,
    ) -> Result<(), Error> {
        self.converted.clear();
        let mut source = inbound(dialect, self.source.clone(), self.limits)?;
        if snapshots_only {
            source.keep_snapshots_only();
        }
        // Lends the buffer of the last body; it comes back with the events.
        source.write_into(&mut self.converted);
        let result = source.feed(body).and_then(|()| source.finish());
        source.write_into(&mut self.converted);
        findings.extend_from_slice(source.findings().as_slice());
        result
    }
}

/// Feeds bytes of Open Responses and polls every event.
fn feed(
    reader: &mut Reader,
    bytes: &[u8],
    chunk: usize,
    limit: usize,
    each: &mut impl FnMut(&Event<'_>),
) -> Result<(), Error> {
    for chunk in bytes.chunks(chunk.min(limit.max(1))) {
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

    /// What two readers must agree on: everything except the events.
    fn summary(reader: &mut CaptureReader, body: &[u8], dialect: Option<Dialect>) -> String {
        let capture = reader.read(body, dialect, &mut |_| ());
        let Capture { dialect, outcome, error, events, adapter_findings } = capture;
        let read = reader.reader();
        let (response, findings) = (read.response().to_json(), read.findings());
        format!("{dialect} {outcome:?} {error:?} {events} events\n{response}\n{adapter_findings:?}\n{findings:?}")
    }

    #[test]
    fn a_response_read_by_its_snapshots_is_that_of_its_events() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut folders = vec![root.join("examples/streams/dialects"), root.join("tests/vectors/adapter/examples")];
        match std::env::var_os("DELTAFOLD_SHARED") {
            Some(shared) => {
                let corpus = std::path::Path::new(&shared).join("corpus");
                folders.extend(["anthropic", "chat-completions", "gemini"].map(|folder| corpus.join(folder)));
            }
            None => println!("skipped: recordings; DELTAFOLD_SHARED is not set"),
        }
        let (mut count, mut ends) = (0, std::collections::BTreeSet::new());
        let small = Limits::default().depth(5);
        for limits in [Limits::default(), small] {
            let options = ReaderOptions::default().limits(limits);
            let mut by_events = CaptureReader::new(&options, &InboundOptions::default());
            let mut by_snapshots = CaptureReader::new(&options, &InboundOptions::default()).response_only(&options);
            for file in folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()) {
                let path = file.unwrap().path();
                let body = std::fs::read(&path).unwrap();
                let whole = body.len();
                // Bodies that are cut anywhere, and one without a piece of its middle.
                let damaged = [&body[..whole / 3], &body[whole / 2..]].concat();
                let cuts = [whole, whole * 9 / 10, whole / 2, whole / 5].map(|end| &body[..end]);
                for body in cuts.into_iter().chain([damaged.as_slice()]) {
                    let expected = summary(&mut by_events, body, None);
                    assert_eq!(summary(&mut by_snapshots, body, None), expected, "{}", path.display());
                    ends.extend(
                        expected.split(' ').nth(1).map(|word| word.replace(|char: char| !char.is_alphabetic(), "")),
                    );
                    count += 1;
                }
            }
        }
        assert!(count > 100 && ends.len() > 2, "{count} bodies, {ends:?}");
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
