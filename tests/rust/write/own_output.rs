//! The writer's output passes validation; every value that would not is an error that writes nothing.

use deltafold::json::{Object, Value};
use deltafold::validate::Layers;
use deltafold::write::{ItemHandle, Usage, Writer, WriterOptions};
use deltafold::{Edition, Error, Reader};

fn writer() -> Writer {
    Writer::new(WriterOptions::new("resp_own", "m-1", 7).edition(Edition::Split))
}

fn object(json: &str) -> Object {
    match Value::parse(json, 2_000).unwrap() {
        Value::Object(object) => object,
        other => panic!("{other} is not an object"),
    }
}

fn nested(depth: usize) -> Value {
    Value::parse(&["[".repeat(depth), "]".repeat(depth)].concat(), 2_000).unwrap()
}

/// Applies an intent to a response with an open item; an accepted intent must leave a stream without findings.
fn accepted<T>(
    name: &str,
    open: impl Fn(&mut Writer) -> Result<ItemHandle, Error>,
    intent: impl Fn(&mut Writer, ItemHandle) -> Result<T, Error>,
) -> bool {
    let mut writer = writer();
    let item = open(&mut writer).unwrap();
    let text = |writer: &Writer| (String::from_utf8(writer.clone().take()).unwrap(), writer.response_json());
    let before = text(&writer);
    if intent(&mut writer, item).is_err() {
        assert!(text(&writer) == before, "{name}: an error wrote something");
        return false;
    }
    writer.complete(None).unwrap();
    let bytes = writer.take();
    let mut reader = Reader::builder().edition(Edition::Split).validate(Layers::ALL).build();
    reader.feed(&bytes).unwrap();
    while reader.poll_event().unwrap().is_some() {}
    reader.finish().unwrap();
    let findings: Vec<_> = reader.findings().iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{name}: {findings:#?}");
    true
}

fn message(writer: &mut Writer) -> Result<ItemHandle, Error> {
    let message = writer.message()?;
    writer.text(message, "Hi")?;
    Ok(message)
}

fn call(writer: &mut Writer) -> Result<ItemHandle, Error> {
    writer.function_call("call_1", "f")
}

#[test]
fn routing_fields_of_extension_events_have_the_types_that_readers_expect() {
    for (fields, valid) in [
        (r#"{"output_index":"x"}"#, false),
        (r#"{"output_index":-1}"#, false),
        (r#"{"output_index":1.5}"#, false),
        (r#"{"output_index":1}"#, true),
        (r#"{"content_index":"0"}"#, false),
        (r#"{"summary_index":[]}"#, false),
        (r#"{"annotation_index":true}"#, false),
        (r#"{"command_index":{}}"#, false),
        (r#"{"item_id":7}"#, false),
        (r#"{"item_id":"x"}"#, true),
        (r#"{"item":7,"part":8,"response":9,"delta":10,"text":11}"#, true),
        (r#"{"item":{"id":7},"response":{"id":7}}"#, true),
        (r#"{"arguments":1}"#, true),
        (r#"{"name":3,"call_id":4,"usage":5,"annotation":6}"#, true),
    ] {
        let fields = object(fields);
        let was = accepted(&fields.to_string(), message, |writer, _| writer.extension_event("acme:x", &fields));
        assert_eq!(was, valid, "{fields}");
    }
}

#[test]
fn written_values_obey_the_depth_limit_of_readers() {
    let mut most = [0; 8];
    for depth in 100..140 {
        let deep = || Object::from_iter([("acme:deep".to_string(), nested(depth))]);
        let with = |json: &str| {
            let mut value = object(json);
            value.push("acme:deep", nested(depth));
            value
        };
        let shell = |writer: &mut Writer| writer.shell_call_output("call_1");
        let annotation = r#"{"type":"url_citation","start_index":0,"end_index":1,"url":"u","title":"t"}"#;
        let accepted = [
            accepted(&format!("event {depth}"), message, |writer, _| writer.extension_event("acme:x", &deep())),
            accepted(&format!("field {depth}"), message, |writer, _| writer.set_field("acme:deep", nested(depth))),
            accepted(&format!("set {depth}"), message, |writer, item| writer.set(item, "acme:deep", nested(depth))),
            accepted(&format!("item {depth}"), message, |writer, _| writer.extension_item("acme:item", deep())),
            accepted(&format!("open {depth}"), message, |writer, _| writer.open("message", deep())),
            accepted(&format!("part {depth}"), message, |writer, item| {
                writer.set_on_part(item, "acme:deep", nested(depth))
            }),
            accepted(&format!("outcome {depth}"), shell, |writer, item| {
                writer.shell_outcome(item, with(r#"{"type":"exit","exit_code":0}"#))
            }),
            accepted(&format!("annotation {depth}"), message, |writer, item| writer.annotation(item, with(annotation))),
        ];
        for (most, _) in most.iter_mut().zip(accepted).filter(|(_, accepted)| *accepted) {
            *most = depth;
        }
    }
    // The deepest values that readers accept with their default limit.
    assert_eq!(most, [127, 126, 124, 124, 124, 122, 121, 120]);
}

#[test]
fn a_function_call_has_a_name() {
    assert!(!accepted("open", message, |writer, _| writer.function_call("call_2", "")));
    for json in [
        r#"{"type":"function_call","call_id":"c","name":"","arguments":"{}"}"#,
        r#"{"type":"custom_tool_call","call_id":"c","name":"","input":"x"}"#,
        r#"{"type":"mcp_call","server_label":"","name":"","arguments":"{}"}"#,
        r#"{"type":"message","role":"","content":[]}"#,
        r#"{"type":"function_call_output","call_id":"","output":"x"}"#,
        r#"{"type":"acme:x","id":"","note":1}"#,
        r#"{"type":"acme:x","id":"x","note":1,"note":2,"type":"acme:y"}"#,
    ] {
        accepted(json, message, |writer, _| writer.item(&object(json)));
    }
}

#[test]
fn fields_of_other_item_types_leave_a_valid_item() {
    let keys = ["code", "input", "arguments", "summary", "diff", "action", "text", "delta", "results", "name", "phase"];
    for key in keys {
        for value in
            [Value::from("x"), Value::from(7), Value::Null, Value::Array(Vec::new()), Value::from(Object::new())]
        {
            accepted(key, message, |writer, item| writer.set(item, key, value.clone()));
            accepted(key, call, |writer, item| writer.set(item, key, value.clone()));
            accepted(key, message, |writer, item| writer.set_on_part(item, key, value.clone()));
            accepted(key, message, |writer, _| {
                writer.extension_item("acme:x", Object::from_iter([(key.into(), value.clone())]))
            });
            accepted(key, message, |writer, _| {
                writer.extension_event("acme:x", &Object::from_iter([(key.into(), value.clone())]))
            });
            accepted(key, message, |writer, _| writer.set_field(key, value.clone()));
        }
    }
}

#[test]
fn token_counts_have_a_total() {
    for usage in [Usage::new(u64::MAX, 1), Usage::new(u64::MAX, u64::MAX), Usage::new(1 << 63, 1 << 63)] {
        assert!(!accepted("usage", message, |writer, _| writer.usage(usage)));
    }
    assert!(accepted("usage", message, |writer, _| writer.usage(Usage::new(u64::MAX - 1, 1))));
}

#[test]
fn many_fields_are_set_in_linear_time() {
    // A quadratic step over this many fields takes minutes.
    let count = 40_000;
    let mut writer = writer();
    let item = message(&mut writer).unwrap();
    for at in 0..count {
        let key = format!("acme:{at}");
        writer.set(item, &key, at).unwrap();
        writer.set_on_part(item, &key, at).unwrap();
        writer.set_field(&key, at).unwrap();
    }
    writer.complete(None).unwrap();
    let response = writer.into_response();
    let last = format!("acme:{}", count - 1);
    assert_eq!(response.get(&last).and_then(Value::as_u64), Some(count - 1));
    for pointer in ["/output/0", "/output/0/content/0"] {
        let found = response.pointer(pointer).and_then(|value| value.get(&last)?.as_u64());
        assert_eq!(found, Some(count - 1), "{pointer}");
    }
}

#[test]
fn an_invalid_field_as_the_first_intent_writes_nothing() {
    for (key, value) in
        [("tools", Value::from(3)), ("status", Value::from("completed")), ("temperature", Value::from("x"))]
    {
        let mut writer = writer();
        assert!(writer.set_field(key, value).is_err(), "{key}");
        assert!(!writer.is_started() && writer.take().is_empty() && writer.sequence_number() == 0, "{key}");
        writer.set_field("temperature", 0.5).unwrap();
        assert!(writer.is_started());
    }
}
