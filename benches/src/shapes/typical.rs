//! The shapes of everyday streams: chat, tools, reasoning, an image, text that is not ASCII, and a very long chat.

use serde_json::{json, Map, Value};

use super::stream::{Order, Stream, Writing};
use super::{Random, Shape};

/// A chat of this many text deltas.
pub fn chat(seed: u64, deltas: usize, order: Order) -> Shape {
    let mut stream = Stream::new(seed, order);
    let about = json!({});
    let id = stream.open(&about);
    let deltas: Vec<_> = (0..deltas).map(|_| (stream.random.token(), Vec::new(), Writing::Utf8)).collect();
    let item = stream.message(0, &deltas);
    stream.complete(&id, vec![item], deltas.len(), &about, Writing::Utf8);
    stream.into_shape("chat")
}

/// Parallel function calls, about `events` events in all; their deltas come in runs of up to twelve.
pub fn tools(seed: u64, calls: usize, events: usize) -> Shape {
    let mut stream = Stream::new(seed, Order::Classic);
    let tools: Vec<Value> = (0..calls).map(|at| tool(&mut stream.random, at)).collect();
    let about = json!({ "tools": tools });
    let id = stream.open(&about);
    let each = (events - 3 - 3 * calls) / calls;
    let mut items = Vec::new();
    let mut waiting = Vec::new();
    for (at, tool) in tools.iter().enumerate() {
        let sizes: Vec<usize> = (0..each).map(|_| stream.random.between(3, 8)).collect();
        let text = arguments(&mut stream.random, sizes.iter().sum());
        let mut rest = text.as_str();
        let mut deltas = Vec::new();
        for size in sizes {
            let (delta, after) = rest.split_at(size);
            deltas.push(delta.to_string());
            rest = after;
        }
        let item = json!({
            "id": stream.random.id("fc"), "type": "function_call", "status": "in_progress", "arguments": "",
            "call_id": format!("call_{}", stream.random.alnum(24)), "name": tool["name"],
        });
        stream.emit("response.output_item.added", json!({ "output_index": at, "item": item }));
        items.push((item, text));
        waiting.push((at, deltas.into_iter()));
    }
    while !waiting.is_empty() {
        let turn = stream.random.below(waiting.len());
        let run = stream.random.between(1, 12);
        let (at, deltas) = &mut waiting[turn];
        for delta in deltas.take(run) {
            let padding = stream.padding(&delta);
            stream.emit(
                "response.function_call_arguments.delta",
                json!({ "item_id": items[*at].0["id"], "output_index": *at, "delta": delta, "obfuscation": padding }),
            );
        }
        if waiting[turn].1.len() == 0 {
            waiting.swap_remove(turn);
        }
    }
    let mut output = Vec::new();
    for (at, (mut item, text)) in items.into_iter().enumerate() {
        stream.emit(
            "response.function_call_arguments.done",
            json!({ "item_id": item["id"], "output_index": at, "name": item["name"], "arguments": text }),
        );
        item["status"] = "completed".into();
        item["arguments"] = text.into();
        stream.emit("response.output_item.done", json!({ "output_index": at, "item": item }));
        output.push(item);
    }
    stream.complete(&id, output, each * calls, &about, Writing::Utf8);
    stream.into_shape("tools")
}

/// A JSON object of exactly this many ASCII characters: strings, numbers, lists, escapes, and a last member as padding.
pub fn arguments(random: &mut Random, length: usize) -> String {
    let mut members = Map::new();
    let mut written = 2;
    while written + 150 < length {
        let key = format!("{}_{}", random.word(), members.len());
        let value = match random.below(6) {
            0 => random.sentence(6).into(),
            1 => (random.below(1_000_000) as u64).into(),
            2 => json!(random.below(10_000) as f64 / 10_000.0),
            3 => true.into(),
            4 => json!(["x", "y", random.word()]),
            _ => "first \"quoted\" line\nand a second one".into(),
        };
        // Quotes, colon and comma take four characters.
        written += key.len() + value.to_string().len() + 4;
        members.insert(key, value);
    }
    let frame =
        Value::Object(members.clone()).to_string().len() + r#","pad":"""#.len() - usize::from(members.is_empty());
    members.insert("pad".into(), "z".repeat(length.saturating_sub(frame)).into());
    Value::Object(members).to_string()
}

/// Three reasoning summaries, then a message whose deltas carry log probabilities of five alternatives each.
pub fn reasoning(seed: u64, summary_deltas: usize, text_deltas: usize) -> Shape {
    let mut stream = Stream::new(seed, Order::Classic);
    let about = json!({ "reasoning": { "effort": "high", "summary": "detailed" }, "top_logprobs": 5 });
    let response = stream.open(&about);
    let id = stream.random.id("rs");
    let sealed = stream.random.base64(4_000);
    stream.emit(
        "response.output_item.added",
        json!({ "output_index": 0, "item": { "id": id, "type": "reasoning", "encrypted_content": &sealed[..800], "summary": [] } }),
    );
    let mut summary = Vec::new();
    for at in 0..3 {
        stream.emit(
            "response.reasoning_summary_part.added",
            json!({ "item_id": id, "output_index": 0, "summary_index": at, "part": { "type": "summary_text", "text": "" } }),
        );
        let mut text = String::new();
        for _ in 0..summary_deltas / 3 {
            let delta = stream.random.token();
            let padding = stream.padding(&delta);
            stream.emit(
                "response.reasoning_summary_text.delta",
                json!({ "item_id": id, "output_index": 0, "summary_index": at, "delta": delta, "obfuscation": padding }),
            );
            text += &delta;
        }
        let part = json!({ "type": "summary_text", "text": text });
        stream.emit(
            "response.reasoning_summary_text.done",
            json!({ "item_id": id, "output_index": 0, "summary_index": at, "text": text }),
        );
        stream.emit(
            "response.reasoning_summary_part.done",
            json!({ "item_id": id, "output_index": 0, "summary_index": at, "part": part }),
        );
        summary.push(part);
    }
    let thought = json!({ "id": id, "type": "reasoning", "encrypted_content": sealed, "summary": summary });
    stream.emit("response.output_item.done", json!({ "output_index": 0, "item": thought }));
    let deltas: Vec<_> = (0..text_deltas)
        .map(|_| {
            let delta = stream.random.token();
            let logprobs = vec![logprob(&mut stream.random, &delta)];
            (delta, logprobs, Writing::Utf8)
        })
        .collect();
    let item = stream.message(1, &deltas);
    stream.complete(&response, vec![thought, item], text_deltas, &about, Writing::Utf8);
    stream.into_shape("reasoning")
}

/// One partial image of `image` bytes of base64; the completed response repeats the first `last` bytes.
pub fn image(seed: u64, image: usize, last: usize) -> Shape {
    let mut stream = Stream::new(seed, Order::Classic);
    let about = json!({ "tools": [{
        "type": "image_generation", "background": "auto", "moderation": "auto", "n": 1, "output_compression": 100,
        "output_format": "png", "partial_images": 1, "quality": "auto", "size": "auto",
    }] });
    let response = stream.open(&about);
    let id = stream.random.id("ig");
    let item = |status: &str, result: Value| json!({ "id": id, "type": "image_generation_call", "status": status, "result": result });
    stream.emit("response.output_item.added", json!({ "output_index": 0, "item": item("in_progress", Value::Null) }));
    let step = json!({ "item_id": id, "output_index": 0 });
    stream.emit("response.image_generation_call.in_progress", step.clone());
    stream.emit("response.image_generation_call.generating", step.clone());
    let pixels = stream.random.base64(image);
    stream.emit(
        "response.image_generation_call.partial_image",
        json!({
            "item_id": id, "output_index": 0, "partial_image_index": 0, "partial_image_b64": pixels,
            "background": "opaque", "output_format": "png", "quality": "high", "size": "1024x1024",
        }),
    );
    stream.emit("response.image_generation_call.completed", step);
    let done = item("completed", pixels[..last.min(pixels.len())].into());
    stream.emit("response.output_item.done", json!({ "output_index": 0, "item": done }));
    stream.complete(&response, vec![done], 10, &about, Writing::Utf8);
    stream.into_shape("image")
}

/// A chat whose deltas are, in turn, CJK text, emoji or CJK as `\uXXXX`, and text that JSON must escape.
pub fn unicode(seed: u64, deltas: usize) -> Shape {
    const EMOJI: [&str; 8] = ["😄", "🛰️", "🧑‍🔬", "🎈", "💚", "🇫🇷", "🦊", "🧭"];
    const MARKS: [&str; 14] = [
        "\n",
        "\r\n",
        "\t",
        "\"",
        "\\",
        "{\"",
        "\":",
        "\\n",
        "```\n",
        "<i>",
        "</i>",
        " \"q\"",
        "\u{2029}",
        "\u{1b}[1m",
    ];
    let mut stream = Stream::new(seed, Order::Classic);
    let about = json!({});
    let id = stream.open(&about);
    let cjk = |random: &mut Random, count: usize| -> String {
        // 4E00 to 9F00 holds only assigned characters.
        (0..count).filter_map(|_| char::from_u32(0x4E00 + random.below(0x5100) as u32)).collect()
    };
    let deltas: Vec<_> = (0..deltas)
        .map(|at| {
            let random = &mut stream.random;
            let (text, writing) = match at % 3 {
                0 => {
                    let count = random.between(1, 3);
                    (cjk(random, count), Writing::Utf8)
                }
                1 if random.below(2) == 0 => (random.pick(&EMOJI).to_string(), Writing::Ascii),
                1 => (cjk(random, 2), Writing::Ascii),
                _ => {
                    let word = random.word();
                    (format!("{}{}", random.pick(&MARKS), random.pick(&["", "x", " y", "\"", word])), Writing::Utf8)
                }
            };
            (text, Vec::new(), writing)
        })
        .collect();
    let item = stream.message(0, &deltas);
    stream.complete(&id, vec![item], deltas.len(), &about, Writing::Ascii);
    stream.into_shape("unicode")
}

fn tool(random: &mut Random, at: usize) -> Value {
    let properties: Map<String, Value> = (0..5)
        .map(|at| {
            let kind = random.pick(&["string", "integer", "number", "boolean"]);
            (format!("{}_{at}", random.word()), json!({ "type": kind, "description": random.sentence(9) }))
        })
        .collect();
    let required: Vec<&String> = properties.keys().collect();
    json!({
        "type": "function", "description": random.sentence(18), "name": format!("tool_{}_{at}", random.word()),
        "parameters": { "type": "object", "properties": properties, "required": required, "additionalProperties": false },
        "strict": true,
    })
}

fn logprob(random: &mut Random, token: &str) -> Value {
    let others: Vec<Value> = (0..5)
        .map(|_| {
            let other = format!(" {}", random.word());
            one_logprob(random, &other)
        })
        .collect();
    let mut logprob = one_logprob(random, token);
    logprob["top_logprobs"] = others.into();
    logprob
}

fn one_logprob(random: &mut Random, token: &str) -> Value {
    let value = -(random.below(9_000_000) as f64) / 1e6;
    json!({ "token": token, "bytes": token.as_bytes(), "logprob": value })
}
