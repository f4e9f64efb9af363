//! A slow and simple decoder: it splits the whole input into lines, groups them into blocks, and
//! parses each block on its own. It shares no code with the real one.

use deltafold::{Limits, Overflow};
use serde_json::{json, Value};

/// Returns the signals that the real decoder must return for these bytes, for any split.
pub fn decode_simply(bytes: &[u8], limits: &Limits) -> Vec<Value> {
    let mut decoder = SimpleDecoder {
        id: String::new(),
        next_id: String::new(),
        retry: None,
        is_event_stream: false,
        signals: Vec::new(),
    };
    let mut block = Vec::new();
    for line in lines_of(bytes) {
        if !line.bytes.is_empty() || line.end.is_none() {
            block.push(line);
            continue;
        }
        if decoder.block(&block, Some(&line), limits).is_err() {
            return decoder.signals;
        }
        block.clear();
    }
    if !block.is_empty() && decoder.block(&block, None, limits).is_err() {
        return decoder.signals;
    }
    // The LF of a CRLF counts as consumed like any other byte.
    decoder.signals.push(json!({
        "signal": "end", "id": decoder.id, "retry": decoder.retry, "offset": bytes.len(), "is_event_stream": decoder.is_event_stream,
    }));
    decoder.signals
}

struct Line {
    offset: usize,
    bytes: Vec<u8>,
    end: Option<u8>,
}

fn lines_of(bytes: &[u8]) -> Vec<Line> {
    let start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut lines = Vec::new();
    let mut line = Line { offset: start, bytes: Vec::new(), end: None };
    for at in start..bytes.len() {
        let byte = bytes[at];
        if byte == b'\n' && at > start && bytes[at - 1] == b'\r' {
            line.offset = at + 1;
        } else if byte == b'\n' || byte == b'\r' {
            line.end = Some(byte);
            lines.push(line);
            line = Line { offset: at + 1, bytes: Vec::new(), end: None };
        } else {
            line.bytes.push(byte);
        }
    }
    if !line.bytes.is_empty() {
        lines.push(line);
    }
    lines
}

struct SimpleDecoder {
    id: String,
    next_id: String,
    retry: Option<u64>,
    is_event_stream: bool,
    signals: Vec<Value>,
}

struct Stopped;

impl SimpleDecoder {
    /// Reads the lines of one block; `blank` is the line that ends it, absent if the input ended first.
    fn block(&mut self, lines: &[Line], blank: Option<&Line>, limits: &Limits) -> Result<(), Stopped> {
        let Some(first) = lines.first().or(blank) else { return Ok(()) };
        let (mut event, mut values, mut id_changed) = (None::<String>, Vec::<Vec<u8>>::new(), false);
        let (mut data_offset, mut dropped, mut bad) = (0, false, Vec::<usize>::new());
        let mut features = Vec::new();
        for line in lines {
            let ended = line.end.is_some();
            let colon = line.bytes.iter().position(|&byte| byte == b':');
            let name = &line.bytes[..colon.unwrap_or(line.bytes.len())];
            let after = colon.map_or(line.bytes.len(), |colon| colon + 1);
            let comment = colon == Some(0);
            let spaces = usize::from(!comment && line.bytes.get(after) == Some(&b' '));
            let value = &line.bytes[after + spaces..];
            let value_offset = line.offset + after + spaces;
            // The field name is known once there is a colon or the line has ended.
            let known = ended || colon.is_some();
            let field = if known && !comment { name } else { b"" };
            let begun = ended || line.bytes.len() > after;

            let kept = [&b"data"[..], b"event", b"id"].contains(&field);
            let too_long = kept && line.bytes.len() > limits.line_bytes;
            let mut excess = too_long.then_some((line.offset + limits.line_bytes, "limit.line"));
            if field == b"data" && begun {
                let already: usize = values.iter().map(|value| value.len() + 1).sum();
                if already + value.len() > limits.frame_bytes {
                    let place = value_offset + limits.frame_bytes.saturating_sub(already);
                    if excess.is_none_or(|(line, _)| place < line) {
                        excess = Some((place, "limit.frame"));
                    }
                }
            }
            if field == b"data" && dropped {
                excess = None;
            }
            if let (Some((offset, code)), Overflow::Error) = (excess, limits.overflow) {
                self.signals.push(json!({ "signal": "error", "code": code, "offset": offset }));
                return Err(Stopped);
            }

            dropped |= field == b"data" && excess.is_some();
            if field == b"data" && begun {
                if values.is_empty() {
                    data_offset = value_offset;
                }
                bad.extend(first_bad(value, value_offset).filter(|_| !dropped));
                values.push(value.to_vec());
            }
            self.is_event_stream |= comment || [&b"data"[..], b"event", b"id", b"retry"].contains(&field);
            if !ended {
                continue;
            }
            if line.end == Some(b'\r') {
                features.push("carriage_return");
            }
            match field {
                _ if comment => {
                    features.push("comment");
                    self.signals.push(comment_json(value, line.offset, limits));
                }
                b"data" => {}
                b"event" => {
                    features.push("event");
                    if excess.is_some() {
                        features.push("line_skipped");
                        continue;
                    }
                    if event.is_some() {
                        features.push("event_twice");
                    }
                    if !values.is_empty() {
                        features.push("event_after_data");
                    }
                    event = Some(String::from_utf8_lossy(value).into_owned());
                    bad.extend(first_bad(value, value_offset));
                }
                b"id" => {
                    features.push("id");
                    if excess.is_some() {
                        features.push("line_skipped");
                    } else if value.contains(&0) {
                        features.push("id_refused");
                    } else {
                        self.next_id = String::from_utf8_lossy(value).into_owned();
                        id_changed = true;
                        bad.extend(first_bad(value, value_offset));
                    }
                }
                b"retry" => {
                    features.push("retry");
                    match std::str::from_utf8(value).ok().filter(|text| !text.is_empty()) {
                        Some(text) if text.chars().all(|char| char.is_ascii_digit()) => {
                            self.retry = Some(text.parse().unwrap_or(u64::MAX));
                        }
                        _ => features.push("retry_refused"),
                    }
                }
                _ => features.push("unknown"),
            }
        }
        if blank.is_some() {
            if id_changed {
                self.id = self.next_id.clone();
            }
            if blank.and_then(|line| line.end) == Some(b'\r') {
                features.push("carriage_return");
            }
        } else if values.is_empty() {
            return Ok(());
        }
        let mut object = json!({
            "signal": if blank.is_none() { "tail" } else if values.is_empty() { "blank" } else { "frame" },
            "event": event.unwrap_or_default(), "id": self.id, "retry": self.retry, "offset": first.offset,
            "features": in_order(&features),
        });
        if !values.is_empty() {
            let joined = if dropped { Vec::new() } else { values.join(&b'\n') };
            object["data"] = String::from_utf8_lossy(&joined).into();
            object["data_offset"] = data_offset.into();
            object["data_lines"] = values.len().into();
        }
        if dropped {
            object["dropped"] = true.into();
        }
        if let Some(&offset) = bad.iter().min() {
            object["invalid_utf8"] = offset.into();
        }
        if blank.is_none() {
            object["line_ended"] = lines.last().is_some_and(|line| line.end.is_some()).into();
        }
        self.signals.push(object);
        Ok(())
    }
}

fn first_bad(value: &[u8], offset: usize) -> Option<usize> {
    std::str::from_utf8(value).err().map(|error| offset + error.valid_up_to())
}

fn comment_json(value: &[u8], offset: usize, limits: &Limits) -> Value {
    let room = limits.line_bytes.min(1 << 20);
    if value.len() <= room {
        return json!({ "signal": "comment", "text": String::from_utf8_lossy(value), "offset": offset });
    }
    let mut kept = value[..room].to_vec();
    // A character that is truncated at the end must not count as invalid: drop bytes that more input could have completed.
    let last = kept.utf8_chunks().last().map_or(0, |run| run.invalid().len());
    let tail = &kept[kept.len() - last..];
    if std::str::from_utf8(tail).is_err_and(|error| error.error_len().is_none()) {
        kept.truncate(kept.len() - last);
    }
    json!({ "signal": "comment", "text": String::from_utf8_lossy(&kept), "offset": offset, "cut": true })
}

fn in_order(features: &[&'static str]) -> Vec<&'static str> {
    const ORDER: [&str; 11] = [
        "event",
        "id",
        "retry",
        "comment",
        "unknown",
        "carriage_return",
        "event_after_data",
        "event_twice",
        "id_refused",
        "retry_refused",
        "line_skipped",
    ];
    ORDER.into_iter().filter(|mark| features.contains(mark)).collect()
}
