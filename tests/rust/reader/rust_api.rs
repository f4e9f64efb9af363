//! The expectations of Rust programs: thread safety, async use.

use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;

use deltafold::accumulate::{Accumulator, Item, Part, RateLimits, Response};
use deltafold::adapter::{Converter, Framing};
use deltafold::json::{Object, PartialJson, Unfinished, Value, ValueRef};
use deltafold::request::{Chain, ErrorReport, Inclusion, ReasoningPolicy, Rejection, RetryAction};
use deltafold::validate::Rule;
use deltafold::write::{ErrorType, Heartbeat, ReasoningNames, ToolState};
use deltafold::{
    Class, Code, Error, Event, Failure, Finding, Findings, ItemKind, ItemStatus, Outcome, Overflow, OwnedEvent,
    PreviewImages, Profile, Reader, ReaderOptions, ResponseStatus, Severity, Writer, WriterOptions,
};
use tokio::sync::{broadcast, mpsc};

fn is_owned_value<T: Send + Sync + Clone + Debug + PartialEq + 'static>() {}
fn is_thread_safe<T: Send + Sync>() {}
fn is_send<T: Send>() {}
fn is_error<T: std::error::Error + Send + Sync + 'static>() {}

/// Compiling this function is the test.
#[allow(dead_code)]
fn values_may_move_to_any_thread() {
    is_owned_value::<OwnedEvent>();
    is_owned_value::<Value>();
    is_owned_value::<Object>();
    is_owned_value::<Finding>();
    is_owned_value::<Outcome>();
    is_owned_value::<Failure>();
    is_owned_value::<RateLimits>();
    is_owned_value::<Profile>();
    is_owned_value::<Error>();
    is_thread_safe::<Event<'_>>();
    is_thread_safe::<Response<'_>>();
    is_thread_safe::<Item<'_>>();
    is_thread_safe::<Part<'_>>();
    is_thread_safe::<ValueRef<'_>>();
    is_thread_safe::<Accumulator>();
    is_thread_safe::<Findings>();
    is_thread_safe::<PartialJson>();
    is_thread_safe::<Reader>();
    is_thread_safe::<ReaderOptions>();
    is_thread_safe::<Writer>();
    is_send::<Converter>();
    is_error::<Error>();
}

/// A stream of a message with these deltas.
fn stream(deltas: usize) -> Vec<u8> {
    let mut out = String::new();
    let mut frame = |json: String| out.push_str(&format!("data: {json}\n\n"));
    frame(
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m","content":[]}}"#
            .into(),
    );
    for number in 0..deltas {
        frame(format!(
            r#"{{"type":"response.output_text.delta","output_index":0,"item_id":"m","content_index":0,"delta":"{number} "}}"#
        ));
    }
    out.into_bytes()
}

fn spawn_and_wait<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async { tokio::spawn(task).await.unwrap() })
}

#[test]
fn a_spawned_task_sends_owned_events_over_a_channel() {
    let text = spawn_and_wait(async {
        let (tx, mut rx) = mpsc::channel::<OwnedEvent>(4);
        let reading = tokio::spawn(async move {
            let mut reader = Reader::new();
            reader.feed(&stream(100))?;
            while let Some(event) = reader.poll_event()? {
                tx.send(event.to_owned()).await?;
            }
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(reader.response().output_text().into_owned())
        });
        let mut text = String::new();
        while let Some(event) = rx.recv().await {
            text.push_str(event.as_event().delta());
        }
        assert_eq!(reading.await.unwrap().unwrap(), text);
        text
    });
    assert!(text.starts_with("0 1 2 ") && text.ends_with(" 98 99 "), "{text}");
}

#[test]
fn a_borrowed_event_and_a_response_are_held_across_an_await() {
    let seen = spawn_and_wait(async {
        let mut reader = Reader::new();
        reader.feed(&stream(3)).unwrap();
        let mut seen = Vec::new();
        while let Some(event) = reader.poll_event().unwrap() {
            tokio::task::yield_now().await;
            seen.push(event.delta().to_owned());
        }
        let response = reader.response();
        tokio::task::yield_now().await;
        seen.push(response.output_text().into_owned());
        seen
    });
    assert_eq!(seen, ["", "0 ", "1 ", "2 ", "0 1 2 "]);
}

#[test]
fn one_owned_event_is_broadcast_to_many_tasks() {
    let lengths = spawn_and_wait(async {
        let (tx, _) = broadcast::channel::<Arc<OwnedEvent>>(8);
        let receivers: Vec<_> = (0..4)
            .map(|_| {
                let mut rx = tx.subscribe();
                // The first access to the payload may happen on any thread.
                tokio::spawn(async move { rx.recv().await.unwrap().as_event().to_value().to_string().len() })
            })
            .collect();
        let event = r#"{"type":"response.output_text.delta","delta":"x","logprobs":[{"token":"x","bytes":[120]}]}"#;
        tx.send(Arc::new(OwnedEvent::parse(event))).unwrap();
        let mut lengths = Vec::new();
        for receiver in receivers {
            lengths.push(receiver.await.unwrap());
        }
        lengths.iter().for_each(|length| assert_eq!(*length, event.len()));
        lengths.len()
    });
    assert_eq!(lengths, 4);
}

#[test]
fn a_callback_may_read_the_same_incomplete_json_again() {
    let mut reader = Reader::new();
    for event in [
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"f","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"f","delta":"{\"a\":[1"}"#,
    ] {
        reader.feed_json(event).unwrap();
        reader.poll_event().unwrap();
    }
    let response = reader.response();
    let item = response.item(0).unwrap();
    let inner = item.read_arguments(|_| item.partial_arguments().unwrap().to_string());
    assert_eq!(inner, r#"{"a":[]}"#);
    assert_eq!(item.partial_arguments().unwrap().to_string(), inner);
}

/// A reader after these events.
fn reader_of(events: &[&str]) -> Reader {
    let mut reader = Reader::new();
    for event in events {
        reader.feed_json(event).unwrap();
        while reader.poll_event().unwrap().is_some() {}
    }
    reader
}

#[test]
fn an_item_has_the_typed_view_of_its_kind_and_no_other() {
    let reader = reader_of(&[
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"f","call_id":"c","name":"look","arguments":"","status":"in_progress"}}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"f","delta":"{\"a\":\"1"}"#,
        r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"web_search_call","id":"w","status":"searching","action":{"type":"search"}}}"#,
        r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"acme:note","id":"n"}}"#,
        r#"{"type":"response.output_item.done","output_index":3,"item":{"type":"note","status":"odd"}}"#,
    ]);
    let response = reader.response();
    let [call, search, extension, unknown] = [0, 1, 2, 3].map(|at| response.item(at).unwrap());

    let view = call.as_function_call().unwrap();
    assert_eq!((view.call_id(), view.name(), view.arguments()), (Some("c"), Some("look"), Some("{\"a\":\"1")));
    assert_eq!(
        (view.status(), view.partial_arguments().unwrap().to_string()),
        (Some(ItemStatus::InProgress), r#"{"a":"1"}"#.into())
    );
    assert!(call.as_message().is_none() && call.as_custom_tool_call().is_none());

    assert_eq!(search.as_web_search_call().unwrap().action().and_then(|action| action.str_at("type")), Some("search"));
    assert_eq!((search.status(), search.status_name()), (Some(ItemStatus::InProgress), Some("searching")));
    assert!(search.call_id().is_none() && search.arguments().is_none() && search.name().is_none());

    assert_eq!((extension.kind(), extension.wire_type()), (ItemKind::Extension, Some("acme:note")));
    assert_eq!((unknown.kind(), unknown.id()), (ItemKind::Unknown, None));
    assert_eq!((unknown.status(), unknown.status_name()), (None, Some("odd")));
    for kind in ItemKind::ALL {
        assert_eq!(ItemKind::from_wire(kind.name()), *kind);
    }
}

#[test]
fn usage_is_a_struct_and_the_original_object() {
    let sent = r#"{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":14,"cost":0.10}"#;
    let event = format!(
        r#"{{"type":"response.completed","response":{{"id":"r","status":"completed","output":[],"usage":{sent}}}}}"#
    );
    let reader = reader_of(&[&event]);
    let usage = reader.usage().unwrap();
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens, usage.reasoning_tokens), (9, 4, 5, 2));
    assert_eq!(usage.total_tokens(), 14);
    assert_eq!(reader.response().usage_value().unwrap().to_string(), sent);
    assert_eq!(reader.response().status(), Some(ResponseStatus::Completed));
}

#[test]
fn statuses_are_terminal_or_not_and_successful_or_not() {
    let items = ItemStatus::ALL.map(|status| (status.is_terminal(), status.is_success()));
    assert_eq!(items, [(false, false), (true, true), (true, false), (true, false)]);
    let responses = ResponseStatus::ALL.map(|status| (status.is_terminal(), status.is_success()));
    assert_eq!(responses, [(false, false), (false, false), (true, true), (true, false), (true, false), (true, false)]);
    for status in ItemStatus::ALL {
        assert_eq!(status.to_string().parse::<ItemStatus>().unwrap(), status);
    }
    for status in ResponseStatus::ALL {
        assert_eq!(status.to_string().parse::<ResponseStatus>().unwrap(), status);
    }
    assert!("done".parse::<ItemStatus>().is_err() && "done".parse::<ResponseStatus>().is_err());
}

#[test]
fn a_writer_refuses_to_close_an_item_as_in_progress_and_writes_nothing() {
    let mut writer = Writer::new(WriterOptions::new("resp_1", "m-1", 0));
    let call = writer.function_call("c", "look").unwrap();
    let before = writer.item_json(call);
    assert_eq!(writer.close_as(call, ItemStatus::InProgress).unwrap_err().code(), Code::BadIntent);
    assert_eq!((writer.is_open(call), writer.item_json(call)), (true, before));
}

#[test]
fn headers_may_be_an_http_header_map_or_any_pairs() {
    let mut map = http::HeaderMap::new();
    map.insert("x-ratelimit-remaining-requests", "9".parse().unwrap());
    map.insert("Retry-After", http::HeaderValue::from_bytes(b"7").unwrap());
    map.insert("x-ratelimit-note", http::HeaderValue::from_bytes(b"\xff").unwrap());
    let mut reader = Reader::new();
    reader.note_head(429, map.iter());
    let limits = reader.rate_limits();
    assert_eq!((limits.remaining("requests"), limits.retry_after_seconds()), (Some(9), Some(7.0)));
    assert_eq!(limits.header("x-ratelimit-note"), Some("\u{FFFD}"));

    let mut reader = Reader::new();
    reader.note_headers(vec![(String::from("Retry-After-Ms"), Vec::from(*b"20"))]);
    assert_eq!(reader.rate_limits().retry_after_seconds(), Some(0.02));
    let pairs = std::collections::BTreeMap::from([("retry-after", "1")]);
    reader.note_headers(&pairs);
    assert_eq!(reader.rate_limits().retry_after_seconds(), Some(1.0), "the newer response replaces the older one");

    let report = ErrorReport::from_response(429, b"").with_headers(map.iter());
    assert_eq!((report.advice().action, report.advice().after), (RetryAction::Retry, Some(7.0)));
}

#[test]
fn rate_limits_of_anthropic_have_the_same_names() {
    let mut reader = Reader::new();
    reader.note_headers([
        ("anthropic-ratelimit-requests-limit", "50"),
        ("anthropic-ratelimit-requests-remaining", "49"),
        ("anthropic-ratelimit-requests-reset", "2026-01-01T00:00:00Z"),
        ("anthropic-ratelimit-input-tokens-remaining", "40000"),
        ("x-ratelimit-reset-tokens", "6m0s"),
    ]);
    let limits = reader.rate_limits();
    assert_eq!((limits.limit("requests"), limits.remaining("requests")), (Some(50), Some(49)));
    assert_eq!(
        (limits.reset("requests"), limits.remaining("input-tokens")),
        (Some("2026-01-01T00:00:00Z"), Some(40_000))
    );
    assert_eq!((limits.reset("tokens"), limits.remaining("tokens")), (Some("6m0s"), None));
}

#[test]
fn advice_to_wait_ends_with_a_later_response_and_with_success() {
    let until = "Wed, 21 Oct 2026 07:28:00 GMT";
    let mut reader = Reader::new();
    reader.note_head(429, [("retry-after", until), ("x-ratelimit-remaining-tokens", "0")]);
    let limits = reader.rate_limits();
    assert_eq!((limits.retry_after_seconds(), limits.retry_after_at(1_792_567_650)), (None, Some(30.0)));
    reader.note_head(200, [("content-type", "text/event-stream")]);
    assert_eq!(reader.rate_limits().retry_after_at(1_792_567_650), None);
    assert_eq!(reader.rate_limits().remaining("tokens"), Some(0), "the count of the window stays");

    let error =
        r#"{"type":"error","error":{"code":"rate_limit_exceeded","message":"m","headers":{"retry-after":"7"}}}"#;
    let done = r#"{"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}"#;
    assert_eq!(reader_of(&[error]).rate_limits().retry_after_seconds(), Some(7.0));
    assert_eq!(reader_of(&[error, done]).rate_limits().retry_after_seconds(), None);
}

#[test]
fn a_stream_with_always_new_rate_limit_headers_keeps_a_bounded_number() {
    let mut reader = Reader::new();
    for number in 0..5_000 {
        let event =
            format!(r#"{{"type":"error","error":{{"code":"c","headers":{{"x-ratelimit-{number}":"{number}"}}}}}}"#);
        reader.feed_json(&event).unwrap();
        reader.poll_event().unwrap();
    }
    let long = format!(r#"{{"type":"error","error":{{"headers":{{"retry-after-long":"{}"}}}}}}"#, "x".repeat(10_000));
    reader.feed_json(&long).unwrap();
    reader.poll_event().unwrap();
    assert_eq!(reader.rate_limits().headers.len(), 64);
    assert_eq!(reader.rate_limits().header("x-ratelimit-63"), Some("63"));
}

#[test]
fn names_are_displayed_and_parsed_back() {
    for severity in [Severity::Note, Severity::Warning, Severity::Error] {
        assert_eq!(severity.to_string().parse::<Severity>().unwrap(), severity);
    }
    for rule in Rule::ALL {
        assert_eq!(rule.to_string().parse::<Rule>().unwrap(), *rule);
    }
    fn parse_back<T>(all: &[T])
    where
        T: Copy + PartialEq + Debug + std::fmt::Display + std::str::FromStr<Err = Error> + std::hash::Hash,
    {
        for value in all {
            assert_eq!(value.to_string().parse::<T>().unwrap(), *value);
        }
        assert_eq!("no such name".parse::<T>().unwrap_err().code(), Code::UnknownName);
    }
    parse_back(Class::ALL);
    parse_back(Code::ALL);
    parse_back(Overflow::ALL);
    parse_back(PreviewImages::ALL);
    parse_back(Framing::ALL);
    parse_back(Unfinished::ALL);
    parse_back(Chain::ALL);
    parse_back(Inclusion::ALL);
    parse_back(ReasoningPolicy::ALL);
    parse_back(Rejection::ALL);
    parse_back(&ErrorType::ALL);
    parse_back(ToolState::ALL);
    parse_back(&ReasoningNames::ALL);
    parse_back(&Heartbeat::ALL);
    assert_eq!("fatal".parse::<Severity>().unwrap_err().code(), Code::UnknownName);
    assert_eq!("SSE-99".parse::<Rule>().unwrap_err().code(), Code::UnknownName);
}

#[test]
fn an_outcome_is_displayed_with_its_reason_or_error() {
    let failure = |code: &str, message: &str| {
        let mut failure = Failure::default();
        (failure.code, failure.message) = (code.into(), message.into());
        Outcome::Failed { error: failure }
    };
    for (outcome, text) in [
        (Outcome::Completed, "completed"),
        (Outcome::Incomplete { reason: "max_output_tokens".into() }, "incomplete: max_output_tokens"),
        (Outcome::Incomplete { reason: String::new() }, "incomplete"),
        (failure("c", "It broke."), "failed: It broke."),
        (failure("c", ""), "failed: c"),
        (failure("", ""), "failed"),
        (Outcome::Truncated { last_sequence_number: None }, "truncated"),
    ] {
        assert_eq!(outcome.to_string(), text);
        assert_eq!(outcome.is_success(), outcome == Outcome::Completed);
    }
    is_error::<Failure>();
}

#[test]
fn a_value_is_indexed_by_key_and_position_and_parsed_from_text() {
    let value: Value = r#"{"a":[{"b":1.50}],"n":null}"#.parse().unwrap();
    assert_eq!(value["a"][0]["b"].to_string(), "1.50");
    assert!(value["a"][1]["b"].is_null() && value["x"].is_null() && value[0].is_null() && value["n"]["m"].is_null());
    assert!("{".parse::<Value>().is_err());
}
