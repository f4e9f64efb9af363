//! Every vector as scripts of the runner protocol.

use serde_json::{json, Value};

use super::session::hex;
use crate::streams::{feed, object, stream_edition, Feed};
use crate::write::intents;
use crate::{naughty_strings, requests, vector_folder, vectors, Split, Vector};

/// A vector, and the scripts that test a runner with it.
pub struct Case {
    /// The vector.
    pub vector: Vector,
    /// The object that it needs.
    pub word: &'static str,
    /// Omits scripts with many lines.
    pub light: bool,
    make: fn(&Vector) -> Vec<InputCase>,
}

/// A name, and lines up to and including `end`.
pub(super) type InputCase = (String, String);

impl Case {
    /// The scripts, created on demand, because together they are large.
    pub(super) fn ways(&self) -> Vec<InputCase> {
        let mut ways = (self.make)(&self.vector);
        ways.retain(|(_, script)| !self.light || script.lines().count() <= MAX_LIGHT_LINES);
        ways
    }
}

/// Returns every vector about a stream or an object. `schema/` has none: it is about the contract's tables.
pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |folder: &str, word: &'static str, make: fn(&Vector) -> Vec<InputCase>, fits: fn(&Vector) -> bool| {
        let found = vectors(folder).into_iter().filter(fits).map(|vector| Case { vector, word, light: false, make });
        let before = all.len();
        all.extend(found);
        assert!(all.len() > before, "no case in {folder}");
    };
    add("sse", "sse", sse, |vector| ["input", "input_b64", "bytes_b64"].iter().any(|key| !vector.get(key).is_null()));
    add("event", "reader", event, |_| true);
    add("accumulate", "reader", accumulate, |_| true);
    add("validate", "reader", validate, |vector| !is_alone(vector));
    add("validate", "validate", validate_alone, is_alone);
    add("partial-json", "partial", partial, |_| true);
    add("write", "writer", write, |_| true);
    add("strings", "reader", string_read, |_| true);
    add("strings", "writer", string_written, |_| true);
    add("history", "ask", history, |_| true);
    add("errors", "ask", errors, |_| true);
    add("tools/enforce.json", "ask", enforced, |_| true);
    add("tools/loop.json", "loop", looped, |_| true);
    add("request", "validate", request, |_| true);
    add("request", "ask", message, |_| true);
    for folder in [
        "adapter/examples/inbound.json",
        "adapter/examples/outbound.json",
        "adapter/inbound",
        "adapter/outbound",
        "adapter/passed",
    ] {
        add(folder, "convert", convert, |_| true);
    }
    for vector in naughty_strings() {
        all.push(Case { vector: vector.clone(), word: "reader", light: false, make: string_read });
        all.push(Case { vector, word: "writer", light: false, make: string_written });
    }
    all
}

/// Returns `true` if a vector of the validator is about one object or head, not about a stream.
fn is_alone(vector: &Vector) -> bool {
    ["object", "request_headers", "response_headers", "stream_headers"].iter().any(|key| !vector.get(key).is_null())
}

/// Scripts with more lines than this are omitted from a light case; a whole stream takes one line.
const MAX_LIGHT_LINES: usize = 200;

/// Streams with more bytes than this are split more coarsely.
const LONG_BYTES: usize = 1_500;

/// A seed of chunks of up to 511 bytes; chunks of seed 1 have none or one.
const COARSE_SEED: u64 = 17;

/// Fewer splits than in the core's own tests: a binding adds no state that depends on the split, it only passes chunks on.
fn splits(length: usize) -> [Split; 3] {
    // Each chunk is one line, so long streams are fed in small pieces instead of bytes.
    let fine = if length <= LONG_BYTES { Split::Bytes } else { Split::Every(1 + length / 500) };
    [Split::Whole, fine, random(length, 1)]
}

/// Returns random splits from this seed; coarse ones for a long stream.
fn random(length: usize, seed: u64) -> Split {
    Split::Random(if length <= LONG_BYTES { seed } else { COARSE_SEED })
}

/// Returns the lines of one script.
#[derive(Default)]
struct Script(String);

impl Script {
    fn new(word: &str, options: &Value) -> Self {
        let mut script = Self::default();
        // Absent options are not sent, not even as null.
        let mut given = options.as_object().cloned().unwrap_or_default();
        given.retain(|_, value| !value.is_null());
        script.line(word, if given.is_empty() { String::new() } else { Value::Object(given).to_string() });
        script
    }

    /// A command with bytes; without bytes there is no command.
    fn line(&mut self, word: &str, bytes: impl AsRef<[u8]>) {
        self.0 += word;
        if !bytes.as_ref().is_empty() {
            self.0.push(' ');
            self.0 += &hex(bytes.as_ref());
        }
        self.0.push('\n');
    }

    fn feed(mut self, bytes: &[u8], split: Split) -> Self {
        for chunk in split.chunks(bytes) {
            self.line("feed", chunk);
        }
        self
    }

    fn end(mut self) -> String {
        self.line("end", "");
        self.0
    }
}

/// The same stream, whole and split.
fn cut(bytes: &[u8], start: impl Fn() -> Script, last: &str) -> Vec<InputCase> {
    let way = |split: Split| {
        let mut script = start().feed(bytes, split);
        if !last.is_empty() {
            script.line(last, "");
        }
        (format!("{split:?}"), script.end())
    };
    splits(bytes.len()).map(way).into()
}

fn sse(vector: &Vector) -> Vec<InputCase> {
    let start = || Script::new("sse", &vector.get("options")["limits"]);
    let bytes = vector.input();
    let more = [Split::BytesAndEmpty, Split::Every(3), Split::Random(2)];
    let more = more.iter().filter(|_| bytes.len() <= LONG_BYTES);
    let more = more.map(|split| (format!("{split:?}"), start().feed(&bytes, *split).end()));
    cut(&bytes, start, "").into_iter().chain(more).collect()
}

fn messages(script: Script, messages: &[String]) -> String {
    let mut script = script;
    messages.iter().for_each(|message| script.line("feed_json", message));
    script.end()
}

fn event(vector: &Vector) -> Vec<InputCase> {
    let payload = vector.get("payload").to_string();
    let stream = format!("event: {}\ndata: {payload}\n\n", vector.get("kind").as_str().unwrap_or_default());
    let options = json!({ "layers": "all", "profile": "any" });
    let mut ways = cut(stream.as_bytes(), || Script::new("reader", &options), "");
    ways.push(("as a message".into(), messages(Script::new("reader", &json!({})), &[payload])));
    ways
}

fn accumulate(vector: &Vector) -> Vec<InputCase> {
    let list = vector.get("events").as_array().or(vector.get("raw_events").as_array());
    let payloads: Vec<String> = list
        .into_iter()
        .flatten()
        .map(|event| event.as_str().map_or_else(|| event.to_string(), str::to_owned))
        .collect();
    let stream: String = payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect();
    let start = || Script::new("reader", vector.get("options"));
    let mut ways = cut(stream.as_bytes(), start, "");
    ways.push(("as messages".into(), messages(start(), &payloads)));
    let mut resumed = start();
    for (at, payload) in payloads.iter().enumerate() {
        if at == payloads.len() / 2 {
            resumed.line("resume", "");
        }
        resumed.line("feed_json", payload);
    }
    ways.push(("saved halfway".into(), resumed.end()));
    // The first connection breaks in the middle of a block; the second repeats the stream.
    let mut reconnected = start().feed(&stream.as_bytes()[..stream.len() / 2], Split::Whole);
    reconnected.line("reconnect", "");
    ways.push(("reconnected halfway".into(), reconnected.feed(stream.as_bytes(), Split::Whole).end()));
    ways
}

fn validate(vector: &Vector) -> Vec<InputCase> {
    let stream = feed(vector).unwrap_or_else(|| panic!("{vector}: no stream"));
    let of_stream = || vector.get("stream").as_str().and_then(stream_edition);
    let edition = vector.get("edition").as_str().map(str::to_owned).or_else(of_stream);
    let mut limits = vector.get("limits").clone();
    if let Some(limits) = limits.as_object_mut().filter(|limits| limits.contains_key("drop")) {
        limits.shift_remove("drop");
        limits.insert("overflow".into(), json!("drop"));
    }
    let profile = vector.get("profile").as_str().unwrap_or("open-responses");
    let options = json!({
        "layers": "all", "profile": profile, "edition": edition, "limits": limits,
        "starting_after": vector.get("starting_after"), "schemas": vector.get("schemas"),
    });
    let with = |options: &Value| {
        let mut script = Script::new("reader", options);
        if vector.get("request").is_object() {
            script.line("request", vector.get("request").to_string());
        }
        script
    };
    match stream {
        Feed::Bytes(bytes) => {
            let mut strict = options.clone();
            strict["strict"] = json!(true);
            let mut ways = cut(&bytes, || with(&options), "");
            ways.push(("strict".into(), with(&strict).feed(&bytes, random(bytes.len(), 2)).end()));
            ways
        }
        Feed::Messages(list) => vec![("as messages".into(), messages(with(&options), &list))],
        Feed::Resumed(before, after) => {
            let mut script = with(&options).feed(&before, Split::Whole);
            script.line("resume", "");
            vec![("resumed".into(), script.feed(&after, random(after.len(), 1)).end())]
        }
    }
}

fn validate_alone(vector: &Vector) -> Vec<InputCase> {
    let heads = [("request_headers", false), ("response_headers", false), ("stream_headers", true)];
    let head = heads.into_iter().find(|(key, _)| !vector.get(key).is_null());
    let (what, json, options) = match head {
        Some(("request_headers", _)) => {
            ("request_head", json!({ "headers": vector.get("request_headers") }), Value::Null)
        }
        Some((key, streamed)) => {
            let mut head = json!({ "headers": vector.get(key), "streamed": streamed });
            if !vector.get("status").is_null() {
                head["status"] = vector.get("status").clone();
            }
            ("response_head", head, Value::Null)
        }
        None => {
            let what = match vector.get("object").as_str() {
                Some("whole_response") => "response",
                other => other.unwrap_or_default(),
            };
            let mut options = json!({ "edition": vector.get("edition"), "status": vector.get("status") });
            options["schemas"] = vector.get("schemas").clone();
            (what, object(vector), options)
        }
    };
    let mut script = Script::new(&format!("validate {what}"), &options);
    script.line("feed", json.to_string());
    vec![("alone".into(), script.end())]
}

fn partial(vector: &Vector) -> Vec<InputCase> {
    let pieces: Vec<&str> =
        vector.get("steps").as_array().into_iter().flatten().filter_map(|step| step["piece"].as_str()).collect();
    let mut options = vector.get("options").as_object().cloned().unwrap_or_default();
    options.insert("record_changes".into(), json!(true));
    let options = Value::Object(options);
    let way = |pieces: &[&str]| {
        let mut script = Script::new("partial", &options);
        pieces.iter().for_each(|piece| script.line("feed", piece));
        script.end()
    };
    let document = pieces.concat();
    // Text is pushed as text, so it is split between characters.
    let chars: Vec<&str> = document.split_inclusive(|_| true).collect();
    vec![
        ("by its steps".into(), way(&pieces)),
        ("by characters".into(), way(if chars.len() <= 2_000 { &chars } else { &pieces })),
    ]
}

/// Options with a time: without one, bindings take that of the clock.
fn with_time(options: &Value, name: &str) -> Value {
    let mut timed = options.as_object().cloned().unwrap_or_default();
    timed.entry(name).or_insert(json!(0));
    Value::Object(timed)
}

fn write(vector: &Vector) -> Vec<InputCase> {
    let mut script = Script::new("writer", &with_time(vector.get("options"), "created_at"));
    for expected in intents(vector) {
        script.line("do", expected.intent.to_string());
    }
    vec![("once".into(), script.end())]
}

fn convert(vector: &Vector) -> Vec<InputCase> {
    let bytes = match (vector.get("input_file").as_str(), vector.get("to").as_str()) {
        (Some(file), _) => {
            let path = vector_folder().join("adapter/examples").join(file);
            std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        }
        // Outbound cases have payloads, inbound ones messages of the source.
        (None, Some(_)) => {
            let payload = |event: &Value| event.as_str().map_or_else(|| event.to_string(), str::to_owned);
            let events = vector.get("events").as_array().into_iter().flatten();
            events.map(|event| format!("data: {}\n\n", payload(event))).collect::<String>().into_bytes()
        }
        (None, None) => vector.input(),
    };
    let name = |key: &str| vector.get(key).as_str().unwrap_or("open-responses");
    let options = with_time(vector.get("options"), "now");
    let options = json!({ "from": name("from"), "to": name("to"), "options": options });
    let cancelled = if vector.get("cancel") == true { "cancel" } else { "" };
    cut(&bytes, || Script::new("convert", &options), cancelled)
}

/// One request, by name.
fn ask(what: &str, json: &Value) -> Vec<InputCase> {
    let mut script = Script::new(&format!("ask {what}"), &Value::Null);
    script.line("feed", json.to_string());
    vec![("once".into(), script.end())]
}

fn history(vector: &Vector) -> Vec<InputCase> {
    let [policy, request, steps] = ["policy", "request", "steps"].map(|key| vector.get(key));
    ask("history", &json!({ "policy": policy, "request": request, "steps": steps }))
}

fn errors(vector: &Vector) -> Vec<InputCase> {
    let mut given = json!({ "error": vector.get("error") });
    for key in ["status", "headers"] {
        if !vector.get(key).is_null() {
            given[key] = vector.get(key).clone();
        }
    }
    ask("advice", &given)
}

fn enforced(vector: &Vector) -> Vec<InputCase> {
    ask("enforce", &json!({ "request": vector.get("request"), "response": vector.get("response") }))
}

fn looped(vector: &Vector) -> Vec<InputCase> {
    let mut script = Script::new("loop", vector.get("options"));
    for step in vector.get("steps").as_array().into_iter().flatten() {
        match (step.get("response"), step["result"].as_array().map(Vec::as_slice)) {
            (Some(response), _) => script.line("response", response.to_string()),
            (None, Some([id, result])) => {
                script.line(&format!("result {}", hex(id.as_str().unwrap_or_default().as_bytes())), result.to_string());
            }
            _ => panic!("{vector}: a step is a response or a result"),
        }
    }
    vec![("step by step".into(), script.end())]
}

/// The valid value and every invalid one, each in a separate request.
fn request(vector: &Vector) -> Vec<InputCase> {
    let edition = vector.get("edition").as_str().unwrap_or("split");
    let mut script = Script::new("validate request", &json!({ "edition": edition }));
    let wrong = requests::wrong(vector).into_iter().map(|(value, _)| value);
    for value in std::iter::once(requests::right(vector).clone()).chain(wrong) {
        script.line("feed", requests::around(vector, &value).0.to_string());
    }
    vec![("right and wrong".into(), script.end())]
}

fn message(vector: &Vector) -> Vec<InputCase> {
    ask("create_message", &json!({ "request": requests::around(vector, requests::right(vector)).0 }))
}

/// The two halves of a text, and the whole text.
fn halves(vector: &Vector) -> (String, String, String) {
    let text = crate::text(vector);
    let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (front, back) = text.split_at(middle);
    (front.to_owned(), back.to_owned(), text.clone())
}

fn string_read(vector: &Vector) -> Vec<InputCase> {
    let (front, back, _) = halves(vector);
    let event = |number: usize, delta: &str| {
        json!({ "type": "response.output_text.delta", "sequence_number": number, "item_id": "m", "output_index": 0,
            "content_index": 0, "delta": delta })
        .to_string()
    };
    let stream = format!("data: {}\n\ndata: {}\n\n", event(0, &front), event(1, &back));
    cut(stream.as_bytes(), || Script::new("reader", &json!({})), "")
}

fn string_written(vector: &Vector) -> Vec<InputCase> {
    let (front, back, whole) = halves(vector);
    let mut script = Script::new("writer", &json!({ "id": "resp_1", "model": whole, "created_at": 1 }));
    for intent in [
        json!({ "do": "message" }),
        json!({ "do": "text", "text": front }),
        json!({ "do": "text", "text": back }),
        json!({ "do": "set", "key": "acme:x", "value": whole }),
        json!({ "do": "complete" }),
    ] {
        script.line("do", intent.to_string());
    }
    vec![("once".into(), script.end())]
}
