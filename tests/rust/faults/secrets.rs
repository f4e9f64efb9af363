//! Payloads can contain secrets: findings, errors and debug texts never quote them.

use deltafold::adapter::Converter;
use deltafold::event::{Origin, Parser};
use deltafold::json::{PartialJson, PartialOptions};
use deltafold::sse::FrameDecoder;
use deltafold::validate::Layers;
use deltafold::{Limits, Profile, Reader, ReaderOptions, Writer, WriterOptions};
use deltafold_tests::streams::{feed, Feed};
use deltafold_tests::vectors;
use deltafold_tests::write::intents;
use serde_json::Value;

const CANARY: &str = "K4N4RY";

/// Appends the canary to every text, except for names of types, which are not payload.
fn mark(value: &mut Value, key: &str) {
    match value {
        Value::String(text) if !matches!(key, "type" | "object") => text.push_str(CANARY),
        Value::Array(list) => list.iter_mut().for_each(|value| mark(value, key)),
        Value::Object(object) => object.iter_mut().for_each(|(key, value)| mark(value, key)),
        _ => {}
    }
}

fn marked(bytes: &[u8]) -> String {
    let mut out = String::new();
    for line in String::from_utf8_lossy(bytes).split_inclusive('\n') {
        let parsed = line.strip_prefix("data: ").and_then(|data| serde_json::from_str::<Value>(data).ok());
        match parsed {
            Some(mut value) => {
                mark(&mut value, "");
                out += &format!("data: {value}\n");
            }
            None => out += line,
        }
    }
    out
}

#[test]
fn no_finding_error_or_debug_text_quotes_a_payload() {
    let (mut findings, mut errors) = (0, 0);
    for vector in vectors("validate") {
        let Some(Feed::Bytes(bytes)) = feed(&vector) else { continue };
        let stream = marked(&bytes);
        for strict in [false, true] {
            let profile = Profile::builtin("open-responses").unwrap();
            let options = ReaderOptions::default().layers(Layers::ALL).strict(strict).profile(profile);
            let mut reader = Reader::with_options(options);
            reader.feed(stream.as_bytes()).unwrap();
            loop {
                match reader.poll_event() {
                    Ok(Some(event)) => {
                        let text = format!("{event:?}");
                        assert!(!text.contains(CANARY), "{vector}: {text}");
                    }
                    Ok(None) => break,
                    Err(error) => {
                        errors += 1;
                        let text = format!("{error} {error:?}");
                        assert!(!text.contains(CANARY), "{vector}: {text}");
                        break;
                    }
                }
            }
            if let Err(error) = reader.finish() {
                let text = format!("{error} {error:?}");
                assert!(!text.contains(CANARY), "{vector}: {text}");
            }
            for finding in reader.findings() {
                findings += 1;
                let text = format!("{finding} {finding:?} {}", finding.to_value());
                assert!(!text.contains(CANARY), "{vector}: {text}");
            }
            let mut text = format!("{reader:?} {:?}", reader.response());
            for item in reader.response().items() {
                text += &format!("{item:?} {:?}", item.parts().collect::<Vec<_>>());
            }
            assert!(!text.contains(CANARY), "{vector}: {text}");
        }
    }
    assert!(findings > 1_000 && errors > 100, "{findings} findings, {errors} errors");
}

#[test]
fn a_refusal_of_the_writer_quotes_no_intent() {
    let mut refused = 0;
    for vector in vectors("write") {
        let mut writer = Writer::new(WriterOptions::from_json(&vector.get("options").to_string()).unwrap());
        for case in intents(&vector) {
            let mut intent = case.intent.clone();
            for (key, value) in intent.as_object_mut().into_iter().flatten() {
                // The names of the intent itself may appear.
                if !matches!(key.as_str(), "do" | "status" | "state" | "reason") {
                    mark(value, key);
                }
            }
            let done = writer.apply_json(&intent.to_string());
            let text = format!("{writer:?} {:?}", done.as_ref().err().map(|error| format!("{error} {error:?}")));
            refused += usize::from(done.is_err());
            assert!(!text.contains(CANARY), "{vector}: {text}");
        }
    }
    assert!(refused > 100, "only {refused} refusals");
}

#[test]
fn a_conversion_reports_names_and_no_texts() {
    let mut reported = 0;
    for vector in ["anthropic", "chat_completions", "gemini", "blocks", "cohere", "ollama", "thread_events"]
        .iter()
        .flat_map(|name| vectors(&format!("adapter/inbound/{name}.json")))
        .filter(|vector| vector.get("messages").is_array())
    {
        let mut value = vector.value.clone();
        for message in value["messages"].as_array_mut().into_iter().flatten().filter(|message| message.is_object()) {
            mark_texts(message);
        }
        let bytes = deltafold_tests::Vector { value, ..vector.clone() }.input();
        let options =
            serde_json::json!({ "from": vector.get("from"), "to": "open-responses", "options": vector.get("options") });
        let mut converter = Converter::from_json(&options.to_string()).unwrap();
        let fed = converter.feed(&bytes).and_then(|()| converter.finish());
        let report = converter.report();
        reported += report.get("findings").and_then(|list| list.as_array()).map_or(0, <[_]>::len);
        let text = format!("{report} {converter:?} {:?}", fed.err());
        assert!(!text.contains(CANARY), "{vector}: {text}");
    }
    assert!(reported > 100, "only {reported} findings");
}

/// Appends the canary to the output of a model or a tool: texts with a space or under the names of text fields.
fn mark_texts(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(mark_texts),
        Value::Object(object) => {
            for (key, value) in object {
                let carries = matches!(
                    key.as_str(),
                    "text"
                        | "content"
                        | "thinking"
                        | "partial_json"
                        | "arguments"
                        | "refusal"
                        | "reasoning"
                        | "signature"
                        | "data"
                        | "message"
                        | "cited_text"
                        | "title"
                        | "url"
                        | "input"
                        | "args"
                        | "output"
                );
                match value {
                    Value::String(text) if carries => text.push_str(CANARY),
                    other => mark_texts(other),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn a_layer_used_alone_shows_no_payload() {
    let payload = |text: &str| {
        format!(r#"{{"type":"response.output_text.delta","item_id":"{CANARY}","delta":"{text}{CANARY}"}}"#)
    };
    let stream = format!(
        ": {CANARY}\n\nid: {CANARY}\nevent: {CANARY}\n\nevent: {CANARY}\ndata: {}\n\ndata: {CANARY}",
        payload("")
    );
    let mut shown = String::new();
    let mut show = |text: String| shown += &text;
    let mut decoder = FrameDecoder::new(&Limits::default());
    let (mut at, mut signals) = (0, 0);
    while let Some(signal) = decoder.next(stream.as_bytes(), &mut at).unwrap() {
        show(format!("{signal:?}"));
        signals += 1;
    }
    assert_eq!(signals, 4);
    let tail = stream.rfind("data").unwrap();
    show(format!(
        "{decoder:?} {:?} {:?}",
        decoder.clone().finish(),
        FrameDecoder::new(&Limits::default()).next_raw(stream.as_bytes(), &mut tail.clone())
    ));
    let mut parser = Parser::new(8);
    for text in ["", "\\n", "a", "\\n"] {
        show(format!("{:?}", parser.parse(&payload(text), Origin::default())));
        show(format!("{parser:?}"));
    }
    let mut partial = PartialJson::new(PartialOptions::default().record_changes(true));
    partial.push(&format!(r#"{{"{CANARY}":"{CANARY}","#)).unwrap();
    show(format!("{partial:?}"));
    assert!(!shown.contains(CANARY), "{shown}");
    for word in [
        "Frame {",
        "Comment {",
        "Blank {",
        "UnfinishedBlock {",
        "FrameDecoder {",
        "Parser {",
        "PartialJson {",
        "Event {",
    ] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
}
