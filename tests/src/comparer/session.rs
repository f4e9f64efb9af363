//! The runner protocol over the core: the results that every binding is compared with.

use deltafold::__bindings::{request_named, validate_named};
use deltafold::adapter::Converter;
use deltafold::event::summary;
use deltafold::json::{Object as Report, PartialJson, PartialOptions, Value as Json};
use deltafold::request::ToolLoop;
use deltafold::sse::{FrameDecoder, Signal};
use deltafold::{Error, Finding, Limits, Reader, ReaderOptions, Writer, WriterOptions};
use serde_json::json;

/// The commands that create an object.
pub const WORDS: [&str; 8] = ["sse", "reader", "partial", "writer", "convert", "validate", "ask", "loop"];

/// The commands that use an object.
const VERBS: [&str; 9] = ["feed", "feed_json", "request", "reconnect", "resume", "do", "cancel", "response", "result"];

/// The state of a runner: the object of the last command, and whether its input has ended.
#[derive(Default)]
pub struct Session {
    object: Option<Object>,
    /// An error was reported, or the input was cancelled: further input is ignored.
    over: bool,
}

enum Object {
    Sse(FrameDecoder),
    Reader(Box<Reader>, ReaderOptions),
    Partial(PartialJson),
    Writer(Box<Writer>),
    Convert(Box<Converter>),
    Validate { what: String, options: String },
    Ask { what: String },
    Loop(Box<ToolLoop>),
}

impl Session {
    /// Runs a line and appends the lines of the answer. Returns `false` if the command is unknown.
    pub fn take(&mut self, line: &str, out: &mut Vec<String>) -> bool {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let done = match word {
            "end" => {
                let done = self.finish(out);
                out.extend(done.err().map(|error| error_line(&error)));
                out.push(json!({ "end": true }).to_string());
                *self = Self::default();
                Ok(())
            }
            _ if WORDS.contains(&word) => {
                *self = Self::default();
                make(word, rest).map(|object| self.object = Some(object))
            }
            _ if VERBS.contains(&word) && (self.over || self.object.is_none()) => Ok(()),
            _ => match self.object.as_mut().map(|object| object.take(word, rest, out)) {
                Some(Some(done)) => {
                    self.over = word == "cancel";
                    done
                }
                _ => return false,
            },
        };
        if let Err(error) = done {
            out.push(error_line(&error));
            // A refused intent or step changes nothing, so a writer and a loop continue.
            self.over = !matches!(self.object, Some(Object::Writer(_) | Object::Loop(_)));
        }
        true
    }

    fn finish(&mut self, out: &mut Vec<String>) -> Result<(), Error> {
        let over = self.over;
        match self.object.as_mut() {
            None | Some(Object::Sse(_) | Object::Validate { .. } | Object::Ask { .. } | Object::Loop(_)) => {}
            Some(Object::Reader(reader, _)) => {
                reader.end();
                let ended = if over { Ok(()) } else { poll(reader, out).and_then(|()| reader.finish().map(drop)) };
                out.extend(ended.err().map(|error| error_line(&error)));
                // The error was reported; the data that was read stays readable.
                let _ = reader.finish();
                let mut report = Report::default();
                report.push("outcome", reader.outcome().map(|outcome| outcome.to_value()));
                report.push("output_text", &*reader.response().output_text());
                report.push("findings", findings(reader.findings()));
                report.push("last_sequence_number", reader.last_sequence_number());
                report.push("activity", reader.activity());
                out.push(with_response(&report, &reader.response().to_json()));
            }
            Some(Object::Partial(partial)) => {
                let finished = if over { Ok(()) } else { partial.finish() };
                out.extend(finished.err().map(|error| error_line(&error.into())));
                let mut report = Report::default();
                report.push("value", partial.value().map(Json::to_string));
                report.push("complete", partial.is_complete());
                report.push("changes", partial.changes().map(|change| change.to_value()).collect::<Vec<_>>());
                out.push(report.to_string());
            }
            Some(Object::Writer(writer)) => {
                out.push(with_response(&Report::default(), &writer.response_json()));
            }
            Some(Object::Convert(converter)) => {
                let finished = if over { Ok(()) } else { converter.finish() };
                out.push(json!({ "bytes": hex(&converter.take()) }).to_string());
                out.push(converter.report().to_string());
                finished?;
            }
        }
        Ok(())
    }
}

fn make(word: &str, rest: &str) -> Result<Object, Error> {
    if word == "validate" {
        let (what, options) = rest.split_once(' ').unwrap_or((rest, ""));
        return Ok(Object::Validate { what: what.to_owned(), options: text(options) });
    }
    if word == "ask" {
        return Ok(Object::Ask { what: rest.to_owned() });
    }
    let options = &text(rest);
    Ok(match word {
        "sse" => Object::Sse(FrameDecoder::new(&Limits::from_json(options)?)),
        "reader" => {
            let options = ReaderOptions::from_json(options)?;
            Object::Reader(Box::new(Reader::with_options(options.clone())), options)
        }
        "partial" => Object::Partial(PartialJson::new(PartialOptions::from_json(options)?)),
        "writer" => Object::Writer(Box::new(Writer::new(WriterOptions::from_json(options)?))),
        "loop" => Object::Loop(Box::new(ToolLoop::from_json(options)?)),
        _ => Object::Convert(Box::new(Converter::from_json(options)?)),
    })
}

impl Object {
    /// Returns `None` if the object does not know the command.
    fn take(&mut self, word: &str, rest: &str, out: &mut Vec<String>) -> Option<Result<(), Error>> {
        Some(match (self, word) {
            (Self::Sse(decoder), "feed") => frames(decoder, &unhex(rest), out),
            (Self::Reader(reader, _), "feed") => reader.feed(&unhex(rest)).and_then(|()| poll(reader, out)),
            (Self::Reader(reader, _), "feed_json") => reader.feed_json(&text(rest)).and_then(|()| poll(reader, out)),
            (Self::Reader(reader, _), "request") => reader.note_request(&text(rest)),
            (Self::Reader(reader, _), "reconnect") => reader.reconnect(),
            (Self::Reader(reader, options), "resume") => {
                Reader::restore(&reader.save(), options.clone()).map(|resumed| **reader = resumed)
            }
            (Self::Partial(partial), "feed") => {
                let pushed = partial.push(&text(rest));
                let unfinished = partial.unfinished().map(|(pointer, tag)| json!([pointer, tag.exact_name()]));
                let shown = partial.value().map(Json::to_string);
                out.push(json!({ "value": shown, "unfinished": unfinished }).to_string());
                pushed.map_err(Error::from)
            }
            (Self::Writer(writer), "do") => writer.apply_json(&text(rest)).map(|item| {
                let item = item.map(|item| item.output_index());
                out.push(json!({ "item": item, "bytes": hex(&writer.take()) }).to_string());
            }),
            (Self::Convert(converter), "feed" | "cancel") => {
                let done = if word == "feed" { converter.feed(&unhex(rest)) } else { converter.cancel() };
                out.push(json!({ "bytes": hex(&converter.take()) }).to_string());
                done
            }
            (Self::Validate { what, options }, "feed") => validate_named(what, &text(rest), options)
                .map(|found| out.push(Json::from(findings(&found)).to_string())),
            (Self::Ask { what }, "feed") => request_named(what, &text(rest)).map(|answer| out.push(answer)),
            (Self::Loop(tools), "response") => tools.apply_json(&text(rest)).map(|_| out.push(json_of_loop(tools))),
            (Self::Loop(tools), "result") => {
                let (call_id, result) = rest.split_once(' ').unwrap_or((rest, ""));
                tools.result_json(&text(call_id), &text(result)).map(|_| out.push(json_of_loop(tools)))
            }
            _ => return None,
        })
    }
}

fn json_of_loop(tools: &ToolLoop) -> String {
    format!("{{\"loop\":{},\"request\":{}}}", tools.to_json(), tools.request().to_json())
}

fn frames(decoder: &mut FrameDecoder, chunk: &[u8], out: &mut Vec<String>) -> Result<(), Error> {
    let mut at = 0;
    while let Some(signal) = decoder.next(chunk, &mut at)? {
        if let Signal::Frame(frame) = signal {
            out.push(
                json!({
                    "event": frame.event, "data": frame.data, "id": frame.id, "retry": frame.retry,
                    "offset": frame.offset,
                })
                .to_string(),
            );
        }
    }
    Ok(())
}

fn poll(reader: &mut Reader, out: &mut Vec<String>) -> Result<(), Error> {
    while let Some(event) = reader.poll_event()? {
        out.push(summary(&event).to_string());
    }
    Ok(())
}

fn error_line(error: &Error) -> String {
    json!({ "error": error.code().name(), "offset": error.offset() }).to_string()
}

fn findings(findings: &[Finding]) -> Vec<Json> {
    findings.iter().map(Finding::to_value).collect()
}

/// The response is passed as text, because it may contain values that another JSON library refuses, such as a lone surrogate.
fn with_response(report: &Report, response: &str) -> String {
    let report = report.to_string();
    let comma = if report == "{}" { "" } else { "," };
    format!("{}{comma}\"response\":{response}}}", &report[..report.len() - 1])
}

pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = Vec::with_capacity(bytes.len() * 2);
    // A simple loop over a table: the comparer encodes many bytes and runs without optimisation.
    for byte in bytes {
        text.extend_from_slice(&[
            b"0123456789abcdef"[usize::from(byte >> 4)],
            b"0123456789abcdef"[usize::from(byte & 15)],
        ]);
    }
    String::from_utf8(text).expect("digits are ASCII")
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |digit: u8| if digit <= b'9' { digit - b'0' } else { digit - b'a' + 10 };
    text.as_bytes().chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// The comparer sends text as UTF-8.
fn text(rest: &str) -> String {
    String::from_utf8_lossy(&unhex(rest)).into_owned()
}
