//! The writer's streams, event by event, and the intents that it refuses.

use deltafold::json::{Object, Value};
use deltafold::write::{
    ApiError, ErrorType, Heartbeat, ItemHandle, ItemStatus, PartKind, ReasoningNames, ToolState, Usage, Writer,
    WriterOptions,
};
use deltafold::{Class, Code, Edition, Outcome, Reader};

fn writer() -> Writer {
    Writer::new(WriterOptions::new("resp_a1", "m-1", 100))
}

fn split() -> Writer {
    Writer::new(WriterOptions::new("resp_a1", "m-1", 100).edition(Edition::Split))
}

fn object(json: &str) -> Object {
    match Value::parse(json, 64).unwrap() {
        Value::Object(object) => object,
        _ => panic!("not an object"),
    }
}

/// Every event as `type` without the leading `response.`.
fn kinds(writer: &mut Writer) -> Vec<String> {
    let mut kinds = Vec::new();
    while let Some(event) = writer.poll_event() {
        let event = Value::parse(event, 64).unwrap();
        assert_eq!(event.get("sequence_number").and_then(Value::as_u64), Some(kinds.len() as u64));
        kinds.push(event.str_at("type").unwrap().trim_start_matches("response.").to_string());
    }
    kinds
}

/// Reads the stream back: no finding, and the reader's response is the writer's.
fn read_back(mut writer: Writer) -> Outcome {
    let bytes = writer.take();
    let mut reader = Reader::new();
    reader.feed(&bytes).unwrap();
    reader.end();
    while reader.poll_event().unwrap().is_some() {}
    let outcome = reader.finish().unwrap();
    let found: Vec<String> = reader.findings().iter().map(|finding| format!("{finding:?}")).collect();
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!(reader.response().to_value(), writer.response());
    outcome
}

#[test]
fn a_message_opens_and_closes_its_part_and_itself() {
    let mut writer = writer();
    let message = writer.message().unwrap();
    writer.text(message, "a").unwrap();
    writer.text(message, "").unwrap();
    writer.text(message, "b").unwrap();
    writer.complete(None).unwrap();
    assert_eq!(
        kinds(&mut writer.clone()),
        [
            "created",
            "in_progress",
            "output_item.added",
            "content_part.added",
            "output_text.delta",
            "output_text.delta",
            "output_text.done",
            "content_part.done",
            "output_item.done",
            "completed"
        ]
    );
    assert_eq!(read_back(writer), Outcome::Completed);
}

#[test]
fn another_kind_of_content_closes_the_open_part() {
    let mut writer = writer();
    let message = writer.message().unwrap();
    writer.text(message, "a").unwrap();
    writer.refusal(message, "no").unwrap();
    writer.part(message, PartKind::Refusal).unwrap();
    writer.close(message).unwrap();
    writer.complete(None).unwrap();
    let response = writer.response();
    let types: Vec<_> = response.pointer("/output/0/content").unwrap().as_array().unwrap().iter().collect();
    assert_eq!(
        types.iter().map(|part| part.str_at("type").unwrap()).collect::<Vec<_>>(),
        ["output_text", "refusal", "refusal"]
    );
    read_back(writer);
}

#[test]
fn a_call_without_arguments_gets_an_empty_object() {
    let mut writer = writer();
    let call = writer.function_call("", "now").unwrap();
    writer.close(call).unwrap();
    writer.complete(None).unwrap();
    let response = writer.response();
    assert_eq!(response.pointer("/output/0/arguments").unwrap().as_str(), Some("{}"));
    assert_eq!(response.pointer("/output/0/call_id").unwrap().as_str(), Some("call_a1_0"));
    assert_eq!(response.pointer("/output/0/id").unwrap().as_str(), Some("fc_a1_0"));
    read_back(writer);
}

#[test]
fn a_failed_response_has_open_items_with_their_content_so_far() {
    let mut writer = writer();
    let message = writer.message().unwrap();
    writer.set(message, "acme:late", true).unwrap();
    writer.text(message, "par").unwrap();
    writer.usage(Usage::new(5, 1)).unwrap();
    writer.fail(&ApiError::new(ErrorType::TooManyRequests, "429", "slow down")).unwrap();
    assert!(!kinds(&mut writer.clone()).contains(&"output_item.done".to_string()));
    let response = writer.response();
    assert_eq!(response.pointer("/output/0/status").unwrap().as_str(), Some("in_progress"));
    assert_eq!(response.pointer("/output/0/content/0/text").unwrap().as_str(), Some("par"));
    assert!(response.pointer("/output/0/acme:late").is_none());
    assert_eq!(response.pointer("/usage/total_tokens").unwrap().as_u64(), Some(6));
    assert!(matches!(read_back(writer), Outcome::Failed { .. }));
}

#[test]
fn a_truncation_closes_everything_and_only_complete_calls_are_completed() {
    let mut writer = writer();
    let whole = writer.function_call("c1", "save").unwrap();
    writer.arguments(whole, "{\"a\":1}").unwrap();
    let cut = writer.function_call("c2", "save").unwrap();
    writer.arguments(cut, "{\"a\":[2,").unwrap();
    writer.incomplete("max_output_tokens", None).unwrap();
    let response = writer.response();
    assert_eq!(response.pointer("/output/0/status").unwrap().as_str(), Some("completed"));
    assert_eq!(response.pointer("/output/1/status").unwrap().as_str(), Some("incomplete"));
    assert_eq!(read_back(writer), Outcome::Incomplete { reason: "max_output_tokens".into() });
}

#[test]
fn cancelling_is_written_as_cancelled() {
    let mut writer = writer();
    let message = writer.message().unwrap();
    writer.text(message, "half").unwrap();
    writer.cancel().unwrap();
    assert_eq!(read_back(writer), Outcome::Cancelled);
}

#[test]
fn refused_intents_change_nothing() {
    let mut writer = writer();
    let message = writer.message().unwrap();
    writer.text(message, "a").unwrap();
    writer.close(message).unwrap();
    let before = (writer.clone().take(), writer.response_json());
    let refusals = [
        writer.text(message, "b"),
        writer.close(message),
        writer.text(ItemHandle::at(7), "b"),
        writer.start(),
        writer.queue(),
        writer.incomplete("", None),
        writer.complete(Some(Usage { cached_tokens: 2, ..Usage::new(1, 1) })),
        writer.extension_event("acme", &Object::new()),
        writer.extension_event("acme:x", &object(r#"{"error":1}"#)),
        writer.set_field("status", "completed"),
        writer.set_field("tools", 3),
        writer.open("web_search_call", Object::new()).map(drop),
        writer.open("message", object(r#"{"id":"msg_a1_0"}"#)).map(drop),
        writer.open("message", object(r#"{"role":"nobody"}"#)).map(drop),
        writer
            .item(&object(r#"{"type":"message","content":[{"type":"output_text","text":"x","annotations":[{}]}]}"#))
            .map(drop),
    ];
    for refusal in refusals {
        assert_eq!(refusal.unwrap_err().class(), Class::Misuse);
    }
    assert_eq!((writer.clone().take(), writer.response_json()), before);
    writer.complete(None).unwrap();
    assert_eq!(writer.complete(None).unwrap_err().code(), Code::BadIntent);
    assert_eq!(writer.heartbeat().unwrap_err().code(), Code::BadIntent);
    read_back(writer);
}

#[test]
fn nothing_follows_an_item_that_ended_incomplete() {
    let mut writer = writer();
    let message = writer.message().unwrap();
    writer.close_as(message, ItemStatus::Incomplete).unwrap();
    assert!(writer.message().is_err());
    assert!(writer.complete(None).is_err());
    writer.incomplete("max_output_tokens", None).unwrap();
    read_back(writer);
}

#[test]
fn annotations_and_log_probabilities_arrive_in_the_finished_part() {
    let mut writer = writer();
    let message = writer.message().unwrap();
    let logprob = r#"{"token":"Hi","logprob":-0.10,"bytes":[72,105],"top_logprobs":[]}"#;
    writer.logprobs(message, Value::parse(&format!("[{logprob}]"), 9).unwrap()).unwrap();
    writer.text(message, "Hi").unwrap();
    let citation = r#"{"type":"url_citation","url":"https://example.org","title":"","start_index":0,"end_index":2}"#;
    writer.annotation(message, Value::parse(citation, 9).unwrap()).unwrap();
    assert!(writer.annotation(message, Value::parse(&citation.replace(":2}", ":3}"), 9).unwrap()).is_err());
    assert!(writer.logprobs(message, Value::parse("[{}]", 9).unwrap()).is_err());
    writer.set_on_part(message, "acme:citations", Value::Array(Vec::new())).unwrap();
    writer.complete(None).unwrap();
    let part = writer.response().pointer("/output/0/content/0").unwrap().to_string();
    assert_eq!(
        part,
        format!(
            r#"{{"type":"output_text","text":"Hi","annotations":[{citation}],"logprobs":[{logprob}],"acme:citations":[]}}"#
        )
    );
    read_back(writer);
}

#[test]
fn reasoning_has_content_only_when_there_is_some() {
    let mut writer = writer();
    let reasoning = writer.reasoning().unwrap();
    writer.reasoning_summary(reasoning, "short").unwrap();
    writer.encrypted_content(reasoning, "opaque").unwrap();
    writer.close(reasoning).unwrap();
    let raw = writer.reasoning().unwrap();
    writer.reasoning_text(raw, "long").unwrap();
    writer.complete(None).unwrap();
    let response = writer.response();
    assert!(response.pointer("/output/0/content").is_none());
    assert_eq!(response.pointer("/output/0/encrypted_content").unwrap().as_str(), Some("opaque"));
    assert!(kinds(&mut writer.clone()).contains(&"reasoning.delta".to_string()));
    read_back(writer);
}

#[test]
fn openai_names_differ_for_raw_reasoning_only() {
    let mut writer = Writer::new(WriterOptions::new("resp_1", "m", 0).reasoning_names(ReasoningNames::OpenAi));
    let raw = writer.reasoning().unwrap();
    writer.reasoning_text(raw, "long").unwrap();
    writer.complete(None).unwrap();
    let kinds = kinds(&mut writer.clone());
    assert!(kinds.contains(&"reasoning_text.delta".to_string()) && kinds.contains(&"reasoning_text.done".to_string()));
}

#[test]
fn hosted_tools_report_their_steps_in_order() {
    let mut writer = split();
    let search = writer.open("web_search_call", Object::new()).unwrap();
    writer.progress(search, ToolState::Searching).unwrap();
    assert!(writer.progress(search, ToolState::Searching).is_err());
    assert!(writer.progress(search, ToolState::Interpreting).is_err());
    writer.set(search, "action", object(r#"{"type":"search","query":"x"}"#)).unwrap();
    let code = writer.open("code_interpreter_call", object(r#"{"container_id":"c"}"#)).unwrap();
    writer.code(code, "1+1").unwrap();
    writer.progress(code, ToolState::Interpreting).unwrap();
    assert!(writer.code(code, "late").is_err());
    writer.close(search).unwrap();
    let shell = writer.open("shell_call", Object::new()).unwrap();
    writer.command_text(shell, "ls").unwrap();
    writer.command(shell).unwrap();
    writer.command_text(shell, "pwd").unwrap();
    let patch = writer.open("apply_patch_call", object(r#"{"operation":{"type":"update_file","path":"a"}}"#)).unwrap();
    writer.diff(patch, "@@").unwrap();
    writer.complete(None).unwrap();
    assert_eq!(
        kinds(&mut writer.clone())[2..],
        [
            "output_item.added",
            "web_search_call.in_progress",
            "web_search_call.searching",
            "output_item.added",
            "code_interpreter_call.in_progress",
            "code_interpreter_call_code.delta",
            "code_interpreter_call_code.done",
            "code_interpreter_call.interpreting",
            "web_search_call.completed",
            "output_item.done",
            "output_item.added",
            "shell_call_command.added",
            "shell_call_command.delta",
            "shell_call_command.done",
            "shell_call_command.added",
            "shell_call_command.delta",
            "output_item.added",
            "apply_patch_call_operation_diff.delta",
            "code_interpreter_call.completed",
            "output_item.done",
            "shell_call_command.done",
            "output_item.done",
            "apply_patch_call_operation_diff.done",
            "output_item.done",
            "completed"
        ]
    );
    read_back(writer);
}

#[test]
fn a_queued_response_waits_and_then_starts() {
    let mut writer = writer();
    writer.queue().unwrap();
    writer.start().unwrap();
    writer.complete(None).unwrap();
    assert_eq!(kinds(&mut writer.clone()), ["created", "queued", "in_progress", "completed"]);
    read_back(writer);
}

#[test]
fn a_heartbeat_is_a_comment_an_event_or_nothing() {
    for (heartbeat, expected) in [(Heartbeat::Comment, ": keep-alive\n\n"), (Heartbeat::Off, "")] {
        let mut writer = Writer::new(WriterOptions::new("resp_1", "m", 0).heartbeat(heartbeat));
        writer.start().unwrap();
        let _ = writer.take();
        writer.heartbeat().unwrap();
        assert_eq!(String::from_utf8(writer.take()).unwrap(), expected);
    }
    let options = WriterOptions::new("resp_1", "m", 0).heartbeat(Heartbeat::Keepalive);
    let mut writer = Writer::new(options);
    writer.start().unwrap();
    writer.heartbeat().unwrap();
    assert_eq!(kinds(&mut writer), ["created", "in_progress", "keepalive"]);
}
