//! Changes of streams: bytes, frames, and members of the payloads.

use serde_json::{json, Value};

use crate::properties::PIECES;
use crate::Random;

/// Changes a stream in a few places: bytes, pieces of text, and whole frames. `others` are streams that parts are taken from.
pub fn shaken(others: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = others[random.below(others.len())].clone();
    for _ in 0..=random.below(6) {
        shake(&mut bytes, others, random);
    }
    bytes
}

/// Makes one change of bytes.
pub fn shake(bytes: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    if bytes.is_empty() {
        bytes.push(b'\n');
    }
    let at = random.below(bytes.len());
    let length = random.below(40).min(bytes.len() - at);
    match random.below(9) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 | 2 => drop(bytes.splice(at..at, random.pick(PIECES).bytes())),
        3 => drop(bytes.splice(at..at + length, random.pick(PIECES).bytes())),
        4 => drop(bytes.drain(at..at + length)),
        5 => {
            let again = bytes[at..at + length].to_vec();
            drop(bytes.splice(at..at, again));
        }
        6 => bytes.insert(at, random.below(256) as u8),
        7 => {
            let other = &others[random.below(others.len())];
            let from = random.below(other.len());
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
        _ => {
            // A whole frame is moved.
            let text = String::from_utf8_lossy(bytes).into_owned();
            let mut frames: Vec<&str> = text.split_inclusive("\n\n").collect();
            let frame = frames.remove(random.below(frames.len()));
            frames.insert(random.below(frames.len() + 1), frame);
            *bytes = frames.concat().into_bytes();
        }
    }
    if bytes.is_empty() {
        bytes.push(b'\n');
    }
}

/// Takes a part of a long stream: often its first frames, always some that follow each other. At most about `most` bytes.
pub fn excerpt(bytes: &[u8], most: usize, random: &mut Random) -> Vec<u8> {
    if bytes.len() <= most {
        return bytes.to_vec();
    }
    let frames: Vec<&[u8]> = split_frames(bytes);
    let mut taken = Vec::new();
    let mut take = |frames: &[&[u8]], most: usize| {
        for frame in frames {
            if taken.len() + frame.len() > most {
                break;
            }
            taken.extend_from_slice(frame);
        }
    };
    if !random.one_in(4) {
        take(&frames, most / 2);
    }
    take(&frames[random.below(frames.len())..], most);
    if random.one_in(2) {
        // The end: a terminal event is often as long as all the others.
        let last = frames.iter().rev().take(3).rev().copied().collect::<Vec<_>>().concat();
        if last.len() < 4 * most {
            taken.extend_from_slice(&last);
        }
    }
    taken
}

/// Splits bytes after each blank line of LF, or after each line if there is none.
pub fn split_frames(bytes: &[u8]) -> Vec<&[u8]> {
    let lines = !bytes.windows(2).any(|two| two == b"\n\n");
    let (mut frames, mut from) = (Vec::new(), 0);
    for at in 0..bytes.len() {
        let ends = bytes[at] == b'\n' && (lines || (at > from && bytes[at - 1] == b'\n'));
        if ends {
            frames.push(&bytes[from..=at]);
            from = at + 1;
        }
    }
    if from < bytes.len() {
        frames.push(&bytes[from..]);
    }
    frames
}

/// Changes members of the payloads of a stream, and how frames are written.
pub fn edited(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut frames: Vec<Vec<u8>> = split_frames(bytes).into_iter().map(<[u8]>::to_vec).collect();
    for _ in 0..=random.below(5) {
        if frames.is_empty() {
            break;
        }
        let (at, other) = (random.below(frames.len()), random.below(frames.len()));
        match random.below(9) {
            0 => drop(frames.remove(at)),
            1 => frames.insert(at, frames[other].clone()),
            2 => frames.swap(at, other),
            3 => frames[at] = rewritten(&frames[at], random),
            _ => {
                if let Some(frame) = with_edited_payload(&frames[at], random) {
                    frames[at] = frame;
                }
            }
        }
    }
    frames.concat()
}

/// The frame with another spelling of its lines.
fn rewritten(frame: &[u8], random: &mut Random) -> Vec<u8> {
    let text = String::from_utf8_lossy(frame).into_owned();
    let text = match random.below(7) {
        0 => text.replace('\n', "\r\n"),
        1 => text.replace('\n', "\r"),
        2 => text.replace("data: ", "data:"),
        3 => text.replace("data: ", "data:  "),
        4 => text.replacen(",\"", ",\ndata: \"", 1 + random.below(3)),
        5 => format!("id: {}\nretry: {}\n{text}", random.below(99), random.below(9999)),
        _ => text.lines().filter(|line| !line.starts_with("event:")).map(|line| format!("{line}\n")).collect(),
    };
    text.into_bytes()
}

/// The frame with a change in its JSON; `None` if it has none.
fn with_edited_payload(frame: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(frame).ok()?;
    let start = text.find('{')?;
    let end = text.rfind('}')? + 1;
    let mut value: Value = serde_json::from_str(text.get(start..end)?).ok()?;
    edit(&mut value, random);
    let payload = match random.below(8) {
        // Spaces and escapes that change nothing.
        0 => value.to_string().replace("\":", "\" : "),
        1 => value.to_string().replace('a', "\\u0061").replacen("\"d\\u0061t\\u0061", "\"data", 1),
        _ => value.to_string(),
    };
    Some([&text[..start], &payload, &text[end..]].concat().into_bytes())
}

/// Member names that mean something to an event, with values that fit and values that do not.
fn member(random: &mut Random) -> (&'static str, Value) {
    let key = random.pick(&[
        "output_index",
        "content_index",
        "summary_index",
        "command_index",
        "annotation_index",
        "partial_image_index",
        "sequence_number",
        "item_id",
        "id",
        "call_id",
        "type",
        "status",
        "delta",
        "text",
        "code",
        "arguments",
        "refusal",
        "input",
        "diff",
        "command",
        "name",
        "logprobs",
        "part",
        "item",
        "response",
        "output",
        "content",
        "summary",
        "annotation",
        "annotations",
        "usage",
        "error",
        "__proto__",
        "",
    ]);
    (key, stranger(random))
}

/// A value of any type.
pub fn stranger(random: &mut Random) -> Value {
    match random.below(24) {
        0 => json!(null),
        1 => json!(true),
        2 => json!(-1),
        3 => json!(u64::MAX),
        4 => json!(1.5),
        5 => json!(""),
        6 => json!("\u{0}\r\n\"\\: {} \u{2028}😀"),
        7 => json!([]),
        8 => json!({}),
        9 => json!([{ "type": "output_text", "text": "x", "annotations": [] }]),
        10 => json!({ "type": "message", "id": "msg_1", "status": "in_progress", "role": "assistant", "content": [] }),
        11 => (0..115 + random.below(12)).fold(json!("deep"), |inner, _| json!([inner])),
        12 => json!("response.completed"),
        13 => json!("in_progress"),
        14 => json!("completed"),
        15 => json!([1, null, "x", [], {}]),
        16 => json!("{\"a\":[1"),
        17 => json!({ "type": "output_text", "text": "part" }),
        18..=21 => json!(random.below(4)),
        22 => json!("msg_1"),
        _ => json!(["text", "item", "é"][random.below(3)]),
    }
}

/// Changes a value somewhere inside: sets, removes, renames or replaces a member, or changes a list.
fn edit(value: &mut Value, random: &mut Random) {
    match value {
        Value::Object(members) if !members.is_empty() && !random.one_in(8) => {
            let at = random.below(members.len());
            let key = members.keys().nth(at).expect("the position is in range").clone();
            match random.below(8) {
                0 => drop(members.shift_remove(&key)),
                1 => {
                    let (key, value) = member(random);
                    members.insert(key.to_owned(), value);
                }
                2 => {
                    if let Some(value) = members.shift_remove(&key) {
                        members.insert(member(random).0.to_owned(), value);
                    }
                }
                3 if members.contains_key("type") => {
                    let kinds = deltafold::Kind::ALL;
                    let kind = kinds[random.below(kinds.len())].name();
                    members.insert("type".to_owned(), json!(kind));
                }
                _ => edit(&mut members[&key], random),
            }
        }
        Value::Array(elements) if !elements.is_empty() && !random.one_in(6) => {
            let at = random.below(elements.len());
            match random.below(5) {
                0 => elements.push(elements[at].clone()),
                1 => drop(elements.remove(at)),
                _ => edit(&mut elements[at], random),
            }
        }
        Value::Number(number) if random.one_in(2) => {
            let number = number.as_u64().unwrap_or(0);
            *value = json!(
                [number.saturating_add(1), number.saturating_sub(1), number.saturating_mul(1_000)][random.below(3)]
            );
        }
        other => *other = stranger(random),
    }
}
