//! Valid streams, and edits that add one fault each.
//!
//! A validation vector would be unreadable if it contained its whole stream. It names one of the
//! streams in `vectors/validate/base/streams.json` and lists the differences: `edit` changes events, `sse` changes bytes.

use std::sync::OnceLock;

use serde_json::{json, Value};

use crate::{vector_folder, Vector};

/// The input of a validation vector: bytes of an event stream, or messages without SSE.
#[derive(Clone, Debug)]
pub enum Feed {
    /// Bytes of an event stream.
    Bytes(Vec<u8>),
    /// One JSON message each.
    Messages(Vec<String>),
    /// Bytes before and after a reconnect.
    Resumed(Vec<u8>, Vec<u8>),
}

/// Returns the names of the valid streams.
pub fn stream_names() -> Vec<String> {
    let base = base();
    base["streams"].as_object().expect("streams by name").keys().cloned().collect()
}

/// Returns the edition in which a stream is valid; the newest one if it names none.
pub fn stream_edition(name: &str) -> Option<String> {
    base()["streams"][name]["edition"].as_str().map(str::to_owned)
}

/// Returns the input of a vector; `None` if it has neither a stream nor an input of its own.
///
/// # Panics
///
/// If the vector is invalid.
pub fn feed(vector: &Vector) -> Option<Feed> {
    let (stream, input, events) = (vector.get("stream"), vector.get("input"), vector.get("events"));
    if !input.is_null() || !vector.get("input_b64").is_null() {
        return Some(Feed::Bytes(vector.input()));
    }
    if let Some(messages) = vector.get("raw_messages").as_array() {
        return Some(Feed::Messages(messages.iter().map(|text| text.as_str().expect("a text").to_owned()).collect()));
    }
    let events = match (stream.as_str(), events.as_array()) {
        (Some(name), _) => edited(base_events(name), vector.get("edit"), vector),
        (None, Some(events)) => edited(events.clone(), &Value::Null, vector),
        _ => return None,
    };
    if vector.get("messages") == true {
        return Some(Feed::Messages(events.iter().map(Value::to_string).collect()));
    }
    if let [Some(after), Some(from)] = ["after", "from"].map(|key| vector.get("reconnect")[key].as_u64()) {
        let bytes = |events: &[Value]| events.iter().map(frame).collect::<String>();
        let second = bytes(&events[from as usize..]) + "data: [DONE]\n\n";
        return Some(Feed::Resumed(bytes(&events[..after as usize]).into_bytes(), second.into_bytes()));
    }
    let mut text: String = events.iter().map(frame).collect();
    text.push_str("data: [DONE]\n\n");
    for change in vector.get("sse").as_array().into_iter().flatten() {
        let [from, to] = [&change[0], &change[1]].map(|text| text.as_str().expect("a pair of texts"));
        assert!(text.contains(from), "{vector}: {from:?} is not in the stream");
        text = text.replacen(from, to, 1);
    }
    Some(Feed::Bytes(text.into_bytes()))
}

/// Returns the object of a vector: its own, or the base object of that name with edits.
///
/// # Panics
///
/// If the vector is invalid.
pub fn object(vector: &Vector) -> Value {
    let mut value = match vector.get("value") {
        Value::Null => base()[vector.get("object").as_str().expect("the name of an object")].clone(),
        own => own.clone(),
    };
    assert!(!value.is_null(), "{vector}: no base object of this name");
    for edit in vector.get("edit").as_array().into_iter().flatten() {
        set_all(&mut value, edit, vector);
        unset_all(&mut value, edit, vector);
    }
    value
}

fn base() -> &'static Value {
    static BASE: OnceLock<Value> = OnceLock::new();
    BASE.get_or_init(|| {
        let path = vector_folder().join("validate/base/streams.json");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    })
}

/// Returns the events of a stream: snapshots are completed, `"$items"` is the list of finished items.
fn base_events(name: &str) -> Vec<Value> {
    let base = base();
    let stream = &base["streams"][name];
    let mut events = stream["events"].as_array().unwrap_or_else(|| panic!("no stream {name}")).clone();
    let done: Vec<Value> = events
        .iter()
        .filter(|event| event["type"] == "response.output_item.done")
        .map(|event| event["item"].clone())
        .collect();
    for event in &mut events {
        let Some(Value::Object(given)) = event.get_mut("response").map(Value::take) else { continue };
        let mut whole = base["response"].as_object().expect("a whole response").clone();
        for changes in [stream["response"].as_object().cloned().unwrap_or_default(), given] {
            whole.extend(changes);
        }
        if whole["output"] == "$items" {
            whole["output"] = Value::Array(done.clone());
        }
        event["response"] = Value::Object(whole);
    }
    events
}

/// Returns the bytes of a base stream without edits.
pub fn valid_stream(name: &str) -> Vec<u8> {
    let mut text = String::new();
    for (index, mut event) in base_events(name).into_iter().enumerate() {
        event.as_object_mut().expect("an event is an object").entry("sequence_number").or_insert(json!(index));
        text.push_str(&frame(&event));
    }
    text.push_str("data: [DONE]\n\n");
    text.into_bytes()
}

fn edited(mut events: Vec<Value>, edits: &Value, vector: &Vector) -> Vec<Value> {
    let edits: Vec<&Value> = edits.as_array().into_iter().flatten().collect();
    for edit in &edits {
        let at = edit["at"].as_u64().map(|at| at as usize);
        if let Some(event) = edit.get("insert") {
            events.insert(at.expect("a place"), event.clone());
        } else if edit["remove"] == true {
            events.remove(at.expect("a place"));
        } else if let Some(to) = edit["move_to"].as_u64() {
            let event = events.remove(at.expect("a place"));
            events.insert(to as usize, event);
        } else if edit["truncate"] == true {
            events.truncate(at.expect("a place"));
        } else {
            for (index, event) in events.iter_mut().enumerate() {
                if at.is_none_or(|at| at == index) {
                    set_all(event, edit, vector);
                }
            }
        }
    }
    for (index, event) in events.iter_mut().enumerate() {
        let event = event.as_object_mut().expect("an event is an object");
        event.entry("sequence_number").or_insert(json!(index));
    }
    // Last, so that a number can be removed.
    for edit in &edits {
        let at = edit["at"].as_u64().map(|at| at as usize);
        for (index, event) in events.iter_mut().enumerate() {
            if at.is_none_or(|at| at == index) {
                unset_all(event, edit, vector);
            }
        }
    }
    events
}

fn set_all(value: &mut Value, edit: &Value, vector: &Vector) {
    for (pointer, new) in edit["set"].as_object().into_iter().flatten() {
        let (parent, key) = pointer.rsplit_once('/').unwrap_or_else(|| panic!("{vector}: {pointer} is no pointer"));
        match value.pointer_mut(parent) {
            Some(Value::Object(object)) => {
                object.insert(key.to_owned(), long(new));
            }
            Some(Value::Array(list)) if key == "-" => list.push(long(new)),
            Some(Value::Array(list)) => list[key.parse::<usize>().expect("an index")] = long(new),
            _ => panic!("{vector}: nothing at {parent}"),
        }
    }
}

/// `{"$repeat": [text, count]}` is replaced by a long text, anywhere.
fn long(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(long).collect(),
        Value::Object(object) => match object.get("$repeat").and_then(Value::as_array).map(Vec::as_slice) {
            Some([Value::String(text), count]) => json!(text.repeat(count.as_u64().expect("a count") as usize)),
            _ => object.iter().map(|(key, value)| (key.clone(), long(value))).collect(),
        },
        other => other.clone(),
    }
}

fn unset_all(value: &mut Value, edit: &Value, vector: &Vector) {
    for pointer in edit["unset"].as_array().into_iter().flatten() {
        let pointer = pointer.as_str().expect("a pointer");
        let (parent, key) = pointer.rsplit_once('/').unwrap_or_else(|| panic!("{vector}: {pointer} is no pointer"));
        let gone = value.pointer_mut(parent).and_then(Value::as_object_mut).and_then(|object| object.shift_remove(key));
        assert!(gone.is_some() || edit["at"].is_null(), "{vector}: nothing at {pointer}");
    }
}

fn frame(event: &Value) -> String {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
}
