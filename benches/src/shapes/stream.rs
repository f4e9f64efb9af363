//! A stream while it is being generated: events in, bytes and the expected result out.

use std::fmt::Write;

use serde_json::{json, Map, Value};

use super::{Folded, Random, Shape};

/// The order of the fields at the top of each payload, as seen on real servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// `type`, `sequence_number`, then ids, indexes and text.
    Classic,
    /// `type`, then alphabetical.
    Alphabetical,
    /// Alphabetical with `type` last, and a space after commas and colons.
    TypeLast,
}

/// How text that is not ASCII is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writing {
    /// Unescaped.
    Utf8,
    /// As `\uXXXX`, with surrogate pairs beyond the basic plane.
    Ascii,
}

pub(super) struct Stream {
    pub(super) random: Random,
    order: Order,
    bytes: Vec<u8>,
    sequence: u64,
    folded: Folded,
}

impl Stream {
    pub(super) fn new(seed: u64, order: Order) -> Self {
        Self { random: Random::new(seed), order, bytes: Vec::new(), sequence: 0, folded: Folded::default() }
    }

    pub(super) fn emit(&mut self, kind: &str, fields: Value) {
        self.emit_as(kind, fields, Writing::Utf8);
    }

    /// Writes one event; `fields` are those beside `type` and `sequence_number`.
    pub(super) fn emit_as(&mut self, kind: &str, fields: Value, writing: Writing) {
        let number = self.sequence;
        self.sequence += 1;
        let payload = self.payload(kind, number, fields, writing);
        self.frame(kind, &payload);
    }

    /// Writes the payload as a frame with one data line.
    pub(super) fn frame(&mut self, kind: &str, payload: &str) {
        self.bytes.extend_from_slice(format!("event: {kind}\ndata: {payload}\n\n").as_bytes());
    }

    /// Writes the payload as a frame with a data line per line.
    pub(super) fn frame_of_lines(&mut self, kind: &str, payload: &str) {
        self.bytes.extend_from_slice(format!("event: {kind}\n").as_bytes());
        for line in payload.lines() {
            self.bytes.extend_from_slice(format!("data: {line}\n").as_bytes());
        }
        self.bytes.push(b'\n');
    }

    /// Makes the text of a payload and counts its content.
    pub(super) fn payload(&mut self, kind: &str, number: u64, fields: Value, writing: Writing) -> String {
        let Value::Object(fields) = fields else { panic!("the fields of an event are an object") };
        self.folded.event();
        if let Some(delta) = fields.get("delta").and_then(Value::as_str) {
            let index = |key: &str| fields.get(key).and_then(Value::as_u64).unwrap_or(0);
            self.folded.delta(index("output_index"), index("content_index") + index("summary_index"), delta);
        }
        let mut all = Map::new();
        if self.order != Order::TypeLast {
            all.insert("type".into(), kind.into());
        }
        if self.order == Order::Classic {
            all.insert("sequence_number".into(), number.into());
            all.extend(fields);
        } else {
            let mut sorted: Vec<_> = fields.into_iter().chain([("sequence_number".into(), number.into())]).collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            all.extend(sorted);
        }
        if self.order == Order::TypeLast {
            all.insert("type".into(), kind.into());
        }
        let mut out = String::new();
        write_json(&Value::Object(all), self.order == Order::TypeLast, writing, &mut out);
        if kind == "response.completed" {
            self.folded.completed(&out);
        }
        out
    }

    /// Writes the two opening events; returns the response's id.
    pub(super) fn open(&mut self, about: &Value) -> String {
        let id = self.random.id("resp");
        for kind in ["response.created", "response.in_progress"] {
            self.emit(kind, json!({ "response": response(&id, "in_progress", json!([]), Value::Null, about) }));
        }
        id
    }

    /// Writes the closing event.
    pub(super) fn complete(&mut self, id: &str, output: Vec<Value>, tokens: usize, about: &Value, writing: Writing) {
        let usage = json!({
            "input_tokens": 812, "input_tokens_details": { "cached_tokens": 640 },
            "output_tokens": tokens, "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 812 + tokens,
        });
        let response = response(id, "completed", Value::Array(output), usage, about);
        self.emit_as("response.completed", json!({ "response": response }), writing);
    }

    /// Writes a whole message item made of these deltas; each comes with its log probabilities. Returns the item.
    pub(super) fn message(&mut self, output_index: usize, deltas: &[(String, Vec<Value>, Writing)]) -> Value {
        let id = self.random.id("msg");
        let item = |status: &str, content: Value| json!({ "id": id, "type": "message", "status": status, "content": content, "role": "assistant" });
        let part = |text: &str, logprobs: &[Value]| json!({ "type": "output_text", "annotations": [], "logprobs": logprobs, "text": text });
        self.emit(
            "response.output_item.added",
            json!({ "output_index": output_index, "item": item("in_progress", json!([])) }),
        );
        self.emit(
            "response.content_part.added",
            json!({ "item_id": id, "output_index": output_index, "content_index": 0, "part": part("", &[]) }),
        );
        for (delta, logprobs, writing) in deltas {
            let padding = self.padding(delta);
            self.emit_as(
                "response.output_text.delta",
                json!({ "item_id": id, "output_index": output_index, "content_index": 0, "delta": delta, "logprobs": logprobs, "obfuscation": padding }),
                *writing,
            );
        }
        let text: String = deltas.iter().map(|(delta, ..)| delta.as_str()).collect();
        let logprobs: Vec<Value> = deltas.iter().flat_map(|(_, logprobs, _)| logprobs.clone()).collect();
        self.emit(
            "response.output_text.done",
            json!({ "item_id": id, "output_index": output_index, "content_index": 0, "text": text, "logprobs": logprobs }),
        );
        self.emit(
            "response.content_part.done",
            json!({ "item_id": id, "output_index": output_index, "content_index": 0, "part": part(&text, &logprobs) }),
        );
        let done = item("completed", json!([part(&text, &logprobs)]));
        self.emit("response.output_item.done", json!({ "output_index": output_index, "item": done }));
        done
    }

    /// The padding that hides the length of a delta from an observer of the connection.
    pub(super) fn padding(&mut self, delta: &str) -> String {
        self.random.alnum(16 - delta.chars().count() % 16)
    }

    pub(super) fn into_shape(self, name: &'static str) -> Shape {
        Shape { name, stream: self.bytes, expected: self.folded.result() }
    }
}

/// A response object with all the fields that servers send; `about` may set `tools`, `reasoning` and `top_logprobs`.
fn response(id: &str, status: &str, output: Value, usage: Value, about: &Value) -> Value {
    let given = |key: &str, other: Value| about.get(key).cloned().unwrap_or(other);
    let done = status == "completed";
    json!({
        "id": id, "object": "response", "created_at": 1_764_000_000, "status": status, "background": false,
        "billing": { "payer": "developer" }, "completed_at": if done { json!(1_764_000_030) } else { Value::Null },
        "error": null, "frequency_penalty": 0.0, "incomplete_details": null,
        "instructions": "Answer in plain words. Say where a figure comes from, and say so when you do not know.",
        "max_output_tokens": null, "max_tool_calls": null, "model": "gpt-5.1-2025-11-13", "output": output,
        "parallel_tool_calls": true, "presence_penalty": 0.0, "previous_response_id": null, "prompt_cache_key": null,
        "prompt_cache_retention": null, "reasoning": given("reasoning", json!({ "effort": "none", "summary": null })),
        "safety_identifier": null, "service_tier": if done { "default" } else { "auto" }, "store": true,
        "temperature": 1.0, "text": { "format": { "type": "text" }, "verbosity": "medium" }, "tool_choice": "auto",
        "tools": given("tools", json!([])), "top_logprobs": given("top_logprobs", json!(0)), "top_p": 1.0,
        "truncation": "disabled", "usage": usage, "user": null, "metadata": {},
    })
}

fn write_json(value: &Value, spaced: bool, writing: Writing, out: &mut String) {
    let (comma, colon) = if spaced { (", ", ": ") } else { (",", ":") };
    match value {
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { comma } else { "" });
                write_json(item, spaced, writing, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (key, item)) in members.iter().enumerate() {
                out.push_str(if at > 0 { comma } else { "" });
                write_text(key, writing, out);
                out.push_str(colon);
                write_json(item, spaced, writing, out);
            }
            out.push('}');
        }
        Value::String(text) => write_text(text, writing, out),
        other => out.push_str(&other.to_string()),
    }
}

fn write_text(text: &str, writing: Writing, out: &mut String) {
    let literal = Value::from(text).to_string();
    if writing == Writing::Utf8 || literal.is_ascii() {
        out.push_str(&literal);
        return;
    }
    for char in literal.chars() {
        if char.is_ascii() {
            out.push(char);
        } else {
            for unit in char.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
}
