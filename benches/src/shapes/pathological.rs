//! Shapes that make a reader slow if any part of it takes more than linear time.

use serde_json::{json, Value};

use super::stream::{Order, Stream, Writing};
use super::Shape;

/// One delta of `bytes` bytes of text. Fed in small chunks, it finds readers that search a line again from its start.
pub fn huge_line(seed: u64, bytes: usize) -> Shape {
    let mut stream = Stream::new(seed, Order::Classic);
    let text = stream.random.base64(bytes);
    one_delta(&mut stream, &text);
    stream.into_shape("huge-line")
}

/// One delta whose payload is spread over at least `lines` data lines, each a valid break between JSON tokens.
pub fn data_lines(seed: u64, lines: usize) -> Shape {
    let mut stream = Stream::new(seed, Order::Classic);
    let kind = "response.output_text.delta";
    let numbers: Vec<usize> = (0..lines).map(|_| stream.random.below(256)).collect();
    let fields =
        json!({ "item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": "whole", "logprobs": numbers });
    let payload = stream.payload(kind, 0, fields, Writing::Utf8);
    // A comma in this payload is never inside a string.
    stream.frame_of_lines(kind, &payload.replace(',', ",\n"));
    stream.into_shape("data-lines")
}

/// `events` extension events whose value is nested a hundred levels deep, objects and arrays in turn.
pub fn deep(seed: u64, events: usize) -> Shape {
    let mut stream = Stream::new(seed, Order::Classic);
    for _ in 0..events {
        let mut value = json!(stream.random.below(1000));
        for level in 0..98 {
            value = if level % 2 == 0 { json!([value, level]) } else { json!({ "in": value, "level": level }) };
        }
        stream.emit("acme:tree", json!({ "tree": value }));
    }
    one_delta(&mut stream, "after");
    stream.into_shape("deep")
}

/// `items` messages of one delta each, all of them in the completed response.
pub fn many_items(seed: u64, items: usize) -> Shape {
    let mut stream = Stream::new(seed, Order::Classic);
    let about = json!({});
    let response = stream.open(&about);
    let mut output = Vec::new();
    for at in 0..items {
        let id = stream.random.id("msg");
        let text = stream.random.token();
        let item = |status: &str, content: Value| json!({ "id": id, "type": "message", "status": status, "content": content, "role": "assistant" });
        stream
            .emit("response.output_item.added", json!({ "output_index": at, "item": item("in_progress", json!([])) }));
        stream.emit(
            "response.output_text.delta",
            json!({ "item_id": id, "output_index": at, "content_index": 0, "delta": text, "logprobs": [] }),
        );
        let part = json!({ "type": "output_text", "annotations": [], "logprobs": [], "text": text });
        let done = item("completed", json!([part]));
        stream.emit("response.output_item.done", json!({ "output_index": at, "item": done }));
        output.push(done);
    }
    stream.complete(&response, output, items, &about, Writing::Utf8);
    stream.into_shape("many-items")
}

/// `deltas` text deltas for an item that was never added, all with the same sequence number.
pub fn many_findings(seed: u64, deltas: usize) -> Shape {
    let mut stream = Stream::new(seed, Order::Classic);
    let kind = "response.output_text.delta";
    for _ in 0..deltas {
        let fields =
            json!({ "item_id": "msg_0", "output_index": 0, "content_index": 0, "delta": stream.random.token() });
        let payload = stream.payload(kind, 7, fields, Writing::Utf8);
        stream.frame(kind, &payload);
    }
    stream.into_shape("many-findings")
}

fn one_delta(stream: &mut Stream, text: &str) {
    let about = json!({});
    let response = stream.open(&about);
    let item = stream.message(0, &[(text.to_string(), Vec::new(), Writing::Utf8)]);
    stream.complete(&response, vec![item], 1, &about, Writing::Utf8);
}
