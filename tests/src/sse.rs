//! Signals in a form that can be stored, compared and written down, from the decoder and from a decoder reference.

use deltafold::sse::{Blank, Comment, Frame, FrameDecoder, Signal};
use deltafold::{Error, Limits, Overflow};
use serde_json::{json, Map, Value};

mod reference;

pub use reference::decode_simply;

/// Decodes the chunks, one after another, and returns all results: signals, then the tail or the error, then
/// the state at the end. Each is one JSON object, as in `tests/vectors/sse`.
pub fn decode<'c>(chunks: impl IntoIterator<Item = &'c [u8]>, limits: &Limits) -> Vec<Value> {
    let mut decoder = FrameDecoder::new(limits);
    let mut signals = decode_with(&mut decoder, chunks);
    signals.extend(finish(&mut decoder));
    signals
}

/// Returns the signals of the chunks, and the error if one ended them.
pub fn decode_with<'c>(decoder: &mut FrameDecoder, chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<Value> {
    let mut signals = Vec::new();
    for chunk in chunks {
        let mut at = 0;
        loop {
            match decoder.next(chunk, &mut at) {
                Ok(Some(Signal::Frame(frame))) => signals.push(frame_json("frame", &frame)),
                Ok(Some(Signal::Comment(comment))) => signals.push(comment_json(&comment)),
                Ok(Some(Signal::Blank(blank))) => signals.push(blank_json(&blank)),
                Ok(Some(other)) => panic!("an unknown kind of signal: {other:?}"),
                Ok(None) => break,
                Err(error) => {
                    signals.push(error_json(&error));
                    return signals;
                }
            }
        }
        assert_eq!(at, chunk.len(), "a chunk that gives no more signals is used up");
    }
    signals
}

/// Returns the tail, if there is one, and the state at the end. After an error there is neither.
pub fn finish(decoder: &mut FrameDecoder) -> Vec<Value> {
    let mut signals = Vec::new();
    let mut at = 0;
    if decoder.next(b"", &mut at).is_err() {
        assert!(decoder.finish().is_none(), "no tail after an error");
        return signals;
    }
    if let Some(tail) = decoder.finish() {
        let mut object = frame_json("tail", &tail.frame);
        object["line_ended"] = tail.line_ended.into();
        signals.push(object);
    }
    signals.push(json!({
        "signal": "end", "id": decoder.last_event_id(), "retry": decoder.retry(), "offset": decoder.offset(),
        "is_event_stream": decoder.is_event_stream(),
    }));
    signals
}

/// Reads `options.limits` of a vector: members named as the fields of [`Limits`], `overflow` as `error` or `drop`.
///
/// # Panics
///
/// If a member is unknown.
pub fn limits_of(options: &Value) -> Limits {
    let mut limits = Limits::default();
    let none = Map::new();
    for (name, value) in options["limits"].as_object().unwrap_or(&none) {
        let number = value.as_u64().unwrap_or_default() as usize;
        match name.as_str() {
            "line_bytes" => limits.line_bytes = number,
            "frame_bytes" => limits.frame_bytes = number,
            "overflow" if value == "drop" => limits.overflow = Overflow::Drop,
            "overflow" if value == "error" => limits.overflow = Overflow::Error,
            _ => panic!("an unknown limit: {name}"),
        }
    }
    limits
}

fn frame_json(signal: &str, frame: &Frame<'_>) -> Value {
    let mut object = json!({
        "signal": signal, "event": frame.event, "data": frame.data, "id": frame.id, "retry": frame.retry,
        "offset": frame.offset, "data_offset": frame.data_offset, "data_lines": frame.data_lines,
        "features": frame.features.names().collect::<Vec<_>>(),
    });
    if frame.dropped {
        object["dropped"] = true.into();
    }
    if let Some(offset) = frame.invalid_utf8 {
        object["invalid_utf8"] = offset.into();
    }
    object
}

fn blank_json(blank: &Blank<'_>) -> Value {
    let mut object = json!({
        "signal": "blank", "event": blank.event, "id": blank.id, "retry": blank.retry, "offset": blank.offset,
        "features": blank.features.names().collect::<Vec<_>>(),
    });
    if let Some(offset) = blank.invalid_utf8 {
        object["invalid_utf8"] = offset.into();
    }
    object
}

fn comment_json(comment: &Comment<'_>) -> Value {
    let mut object = json!({ "signal": "comment", "text": comment.text, "offset": comment.offset });
    if comment.is_truncated {
        object["cut"] = true.into();
    }
    object
}

fn error_json(error: &Error) -> Value {
    json!({ "signal": "error", "code": error.code().name(), "offset": error.offset() })
}
