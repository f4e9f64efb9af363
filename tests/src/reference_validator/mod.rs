//! A second validator for written streams: the rules about structure, checked in the simplest way.
//!
//! Written from the rules alone, without the code of the core's validator, accumulator or writer, so that an error which those
//! share is found here. It holds every event in memory, folds the items as JSON values and compares whole values. It
//! is stricter than a reader: it requires what our own writer guarantees (numbers from 0, `logprobs` always present), and does not
//! accept deviations of other servers.

mod item;
mod table;

use deltafold::Edition;
use serde_json::Value;

use item::Item;
pub use table::Table;

/// Checks the events of one response, and returns the violations, each with its rule. `ended`: the stream is over, so it must
/// have ended properly.
pub fn check(events: &[Value], edition: Edition, ended: bool) -> Vec<String> {
    let mut stream = Stream { table: Table::of(edition), events, at: 0, items: Vec::new(), broken: Vec::new() };
    for (at, event) in events.iter().enumerate() {
        stream.at = at;
        stream.take(event);
    }
    if ended && !events.last().is_some_and(is_terminal) {
        stream.report("LIFE-06", "no terminal event at the end");
    }
    stream.broken
}

/// Checks the bytes around the events: one frame each, named by its type, and the sentinel once, at the end.
pub fn check_bytes(bytes: &[u8], events: &[Value], ended: bool) -> Vec<String> {
    let mut broken = Vec::new();
    let text = String::from_utf8_lossy(bytes);
    let mut frames: Vec<&str> = text.split("\n\n").collect();
    if frames.pop() != Some("") {
        broken.push("SSE-10: the last frame is not closed".to_owned());
    }
    frames.retain(|frame| !frame.starts_with(": "));
    if ended && frames.pop() != Some("data: [DONE]") {
        broken.push("SSE-02: the last frame is not the sentinel".to_owned());
    }
    for (at, frame) in frames.iter().enumerate() {
        let kind = events.get(at).and_then(|event| event["type"].as_str()).unwrap_or("nothing more");
        let data = frame.strip_prefix(&format!("event: {kind}\ndata: "));
        let same = data.and_then(|data| serde_json::from_str::<Value>(data).ok()).as_ref() == events.get(at);
        if data.is_none_or(|data| data.contains('\n')) || !same {
            broken.push(format!("SSE-04: frame {at} is not {kind} in one data line"));
        }
    }
    if frames.len() != events.len() {
        broken.push(format!("SSE-03: {} frames for {} events", frames.len(), events.len()));
    }
    broken
}

struct Stream<'e> {
    table: Table,
    events: &'e [Value],
    at: usize,
    items: Vec<Item>,
    broken: Vec<String>,
}

const STATES: [(&str, &str); 6] = [
    ("response.created", ""),
    ("response.queued", "queued"),
    ("response.in_progress", "in_progress"),
    ("response.completed", "completed"),
    ("response.failed", "failed"),
    ("response.incomplete", "incomplete"),
];

fn is_terminal(event: &Value) -> bool {
    ["response.completed", "response.failed", "response.incomplete"].iter().any(|kind| event["type"] == **kind)
}

impl Stream<'_> {
    fn report(&mut self, rule: &str, what: &str) {
        self.broken.push(format!("{rule}: event {}: {what}", self.at));
    }

    fn expect(&mut self, holds: bool, rule: &str, what: &str) {
        if !holds {
            self.report(rule, what);
        }
    }

    fn kind_at(&self, at: usize) -> &str {
        self.events.get(at).and_then(|event| event["type"].as_str()).unwrap_or_default()
    }

    fn take(&mut self, event: &Value) {
        let kind = event["type"].as_str().unwrap_or_default().to_owned();
        self.expect(!kind.is_empty(), "SCHEMA", "no type");
        self.expect(event["sequence_number"].as_u64() == Some(self.at as u64), "SEQ-02", "not the next number");
        self.expect(
            self.at == 0 || !is_terminal(&self.events[self.at - 1]),
            "LIFE-07",
            "an event after the terminal one",
        );
        self.expect((self.at == 0) == (kind == "response.created"), "LIFE-02", "`created` is first, and only there");
        self.order(&kind);
        if let Some((_, status)) = STATES.iter().find(|(name, _)| *name == kind) {
            self.snapshot(event, &kind, status);
        } else if kind == "error" {
            self.error(event);
        } else if kind == "response.output_item.added" {
            self.added(event);
        } else if let Some(index) = event.get("output_index") {
            self.about_item(event, &kind, index.as_u64());
        } else if kind.contains(':') {
            self.expect(event.get("error").is_none(), "EXT-12", "an extension event with `error`");
        } else {
            // Events that do not affect the response: keep-alives, audio, the images API, answers on a WebSocket.
            let aside = [
                "keepalive",
                "image_generation.",
                "image_edit.",
                "response.audio.",
                "response.steer.",
                "response.inject.",
            ];
            self.expect(aside.iter().any(|name| kind.starts_with(name)), "EXT-02", &format!("what is {kind}?"));
        }
    }

    /// `created`, `queued` if it is queued, `in_progress`, then everything else (I2).
    fn order(&mut self, kind: &str) {
        let second = self.kind_at(1).to_owned();
        let wanted = match self.at {
            1 if second == "response.queued" => "response.queued",
            1 => "response.in_progress",
            2 if second == "response.queued" => "response.in_progress",
            _ => {
                let early = self.at > 0 && ["response.queued", "response.in_progress"].contains(&kind);
                return self.expect(!early, "LIFE-03", "a state that is over");
            }
        };
        // A queued stream may send keep-alives.
        self.expect(kind == wanted || kind == "keepalive", "LIFE-03", &format!("expected {wanted}, found {kind}"));
    }

    fn snapshot(&mut self, event: &Value, kind: &str, status: &str) {
        let response = &event["response"];
        let waits = self.kind_at(1) == "response.queued";
        let expected = if !status.is_empty() {
            status
        } else if waits {
            "queued"
        } else {
            "in_progress"
        };
        self.expect(response["status"] == *expected, "LIFE-05", "the status does not match the event");
        for field in self.table.missing_response_fields(response) {
            self.report("LIFE-04", &format!("no usable `{field}`"));
        }
        let first = &self.events[0]["response"];
        for key in ["id", "object", "created_at", "model"] {
            self.expect(
                response[key] == first[key] && !response[key].is_null(),
                "LIFE-08",
                &format!("`{key}` changes"),
            );
        }
        self.ends(response, kind);
        let output: Vec<Value> = self.items.iter().map(Item::folded).collect();
        self.expect(response["output"] == Value::Array(output), "LIFE-09", "the output differs from the folded events");
        if is_terminal(event) {
            self.terminal(response, kind);
        }
    }

    /// Checks which of the fields about the end are set (LIFE-10, ERR-07, INC-02, OBJ-06, OBJ-07).
    fn ends(&mut self, response: &Value, kind: &str) {
        for (key, state) in [
            ("completed_at", "response.completed"),
            ("error", "response.failed"),
            ("incomplete_details", "response.incomplete"),
        ] {
            self.expect(response[key].is_null() == (kind != state), "LIFE-10", &format!("`{key}` in the wrong state"));
        }
        let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
        if kind == "response.failed" {
            let error = &response["error"];
            self.expect(text(&error["code"]) && error["message"].is_string(), "ERR-07", "no code and message");
            self.expect(
                self.kind_at(self.at.wrapping_sub(1)) == "error",
                "ERR-06",
                "a failure without its error event",
            );
        }
        if kind == "response.incomplete" {
            self.expect(text(&response["incomplete_details"]["reason"]), "INC-02", "no reason");
        }
        let usage = &response["usage"];
        if usage.is_null() {
            return;
        }
        self.expect(is_terminal(&self.events[self.at]), "LIFE-10", "`usage` before the end");
        let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
        let (input, output, total) = (count("/input_tokens"), count("/output_tokens"), count("/total_tokens"));
        let sum = input.zip(output).map(|(input, output)| input + output);
        self.expect(sum.is_some() && sum == total, "OBJ-07", "the total is not the sum");
        let (cached, reasoned) =
            (count("/input_tokens_details/cached_tokens"), count("/output_tokens_details/reasoning_tokens"));
        self.expect(cached.is_some() && cached <= input, "OBJ-06", "cached tokens missing or too many");
        self.expect(reasoned.is_some() && reasoned <= output, "OBJ-06", "reasoning tokens missing or too many");
    }

    /// Checks the items at the end (ITEM-06, ITEM-08, ITEM-09, INC-01).
    fn terminal(&mut self, response: &Value, kind: &str) {
        if kind == "response.failed" {
            return;
        }
        let reason = response["incomplete_details"]["reason"].as_str().unwrap_or_default().to_owned();
        let last = self.items.len().wrapping_sub(1);
        let last_cut = self.items.last().is_some_and(Item::is_cut);
        for at in 0..self.items.len() {
            let (done, cut, call) = (self.items[at].is_done(), self.items[at].is_cut(), self.items[at].is_call());
            self.expect(done, "ITEM-06", &format!("item {at} is not done"));
            self.expect(!cut || kind == "response.incomplete", "ITEM-09", &format!("item {at} was truncated"));
            // Two exceptions: calls truncated together with the last item (I9), and items that were open at a cancellation (1.8).
            let excused = reason == "cancelled" || (call && last_cut);
            self.expect(
                !cut || at == last || excused,
                "ITEM-08",
                &format!("item {at} was truncated, and is not the last"),
            );
        }
        if reason == "max_output_tokens" && !self.items.is_empty() {
            self.expect(last_cut, "INC-01", "the item that ran out of tokens is complete");
        }
    }

    fn error(&mut self, event: &Value) {
        let error = &event["error"];
        for (key, nullable) in [("type", false), ("code", true), ("message", false), ("param", true)] {
            let value = error.get(key);
            let fits = value.is_some_and(|value| value.is_string() || (nullable && value.is_null()));
            self.expect(fits, "ERR-04", &format!("no usable `{key}`"));
        }
        let next = self.at + 1;
        let fails = next == self.events.len() || self.kind_at(next) == "response.failed";
        self.expect(fails, "ERR-06", "an event between an error and the failure");
    }

    fn added(&mut self, event: &Value) {
        let item = Item::new(event["item"].clone());
        self.expect(event["output_index"].as_u64() == Some(self.items.len() as u64), "ITEM-10", "not the next index");
        let taken = self.items.iter().any(|other| other.id() == item.id());
        self.expect(!taken && !item.id().is_empty(), "ITEM-02", "an id that is empty or taken");
        for (rule, what) in item.at_start(&self.table) {
            self.report(rule, &what);
        }
        self.items.push(item);
    }

    fn about_item(&mut self, event: &Value, kind: &str, index: Option<u64>) {
        let found = index.and_then(|index| self.items.get_mut(index as usize));
        let Some(item) = found else { return self.report("ITEM-03", "an event of an item that was not added") };
        for (rule, what) in item.take(event, kind, &self.table) {
            self.report(rule, &what);
        }
    }
}
