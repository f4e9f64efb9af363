//! Random texts as events, requests, responses and options. Any verdict is accepted; a panic is not.

use deltafold::__bindings::{request_named, REQUEST_OPERATIONS};
use deltafold::adapter::Converter;
use deltafold::event::{Origin, Parser};
use deltafold::json::Value;
use deltafold::request::{CreateResponse, ErrorReport, History, Policy, ToolLoop, ToolResult};
use deltafold::sse::{encode, FrameDecoder, Signal};
use deltafold::validate::{validate_event, validate_request, validate_response};
use deltafold::{Edition, Limits, Profile, ReaderOptions, WriterOptions};

use super::reading::is_json;

/// Parses a payload and writes it: the text is unchanged. If it is JSON, its value parses to the same event.
///
/// # Panics
///
/// If the text or the event differs.
pub fn events_are_written_as_read(payload: &str, what: &str) {
    let (mut first, mut second) = (Parser::new(64), Parser::new(64));
    let event = first.parse(payload, Origin::default());
    let mut written = String::new();
    deltafold::event::write(&event, &mut written);
    assert_eq!(written, payload, "{what}");
    if event.fault().is_none() {
        let again = event.to_value().to_string();
        let read = second.parse(&again, Origin::default());
        assert_eq!(
            (read.kind(), read.sequence_number(), read.delta()),
            (event.kind(), event.sequence_number(), event.delta()),
            "{what}"
        );
        assert_eq!(read.to_value(), event.to_value(), "{what}: {payload}");
        let owned = event.to_owned();
        assert_eq!((owned.as_event().raw(), owned.as_event().to_value()), (event.raw(), event.to_value()), "{what}");
    }
}

/// Encodes a frame and decodes it: the same name and data, with every kind of line break as LF.
///
/// # Panics
///
/// If the frame differs.
pub fn frames_come_back(name: &str, data: &str) {
    let mut bytes = Vec::new();
    if encode(name, data, &mut bytes).is_err() {
        assert!(bytes.is_empty(), "a refused frame leaves nothing");
        assert!(name.contains(['\r', '\n']), "{name:?} is refused");
        return;
    }
    let (mut decoder, mut at, mut frames) = (FrameDecoder::new(&Limits::default()), 0, 0);
    while let Some(signal) = decoder.next(&bytes, &mut at).expect("no limit is passed") {
        let Signal::Frame(frame) = signal else { panic!("{signal:?} in {bytes:?}") };
        assert_eq!(frame.event, name);
        assert_eq!(frame.data, data.replace("\r\n", "\n").replace('\r', "\n"));
        frames += 1;
    }
    assert_eq!((frames, at), (1, bytes.len()));
}

/// Checks a text as an event, a response and a request of an edition; a second check finds the same.
///
/// # Panics
///
/// If the second check differs.
pub fn any_text_is_judged(text: &str, edition: Edition) {
    let whole = Value::parse(text, 128);
    let judged = |judge: fn(&str, Edition) -> Result<Vec<deltafold::Finding>, deltafold::Error>| {
        let shown =
            judge(text, edition).map(|found| found.iter().map(|it| it.to_value().to_string()).collect::<Vec<_>>());
        let again = judge(text, edition).map(|found| found.len());
        assert_eq!(shown.as_ref().map(Vec::len).ok(), again.ok(), "{text}");
        // Text that is not JSON gives an error or a finding, never nothing.
        assert!(whole.is_ok() || shown.is_err() || shown.is_ok_and(|found| !found.is_empty()), "{text}");
    };
    judged(validate_event);
    judged(validate_response);
    judged(validate_request);
}

/// Passes a text to every function that takes a request, a response, an error or options as JSON. Every result is JSON.
///
/// # Panics
///
/// If a result is not JSON.
pub fn any_request(text: &str) {
    for name in REQUEST_OPERATIONS {
        if let Ok(answer) = request_named(name, text) {
            is_some_json(&answer);
        }
    }
    let value = Value::parse(text, 128);
    if let Ok(request) = CreateResponse::from_json(text) {
        is_json(&request.to_json(), value.as_ref().expect("a request is JSON"));
        let _ = (request.input_items(), request.tools(), request.tool_choice(), request.unknown().count());
        for edition in Edition::ALL {
            let _ = request.check(edition);
        }
        for name in Policy::names() {
            let policy = Policy::builtin(name).expect("a policy");
            let mut history = History::new(policy.clone(), &request);
            history.add_item(value.clone().expect("a request is JSON"));
            let _ = history.add_response(value.as_ref().expect("a request is JSON"));
            is_some_json(&history.request().to_json());
            let mut turns = ToolLoop::new(request.clone(), policy);
            let _ = turns.apply_json(text);
            let pending: Vec<String> = turns.pending().map(|verdict| verdict.id().to_owned()).collect();
            for id in pending {
                let _ = turns.result(&id, &ToolResult::Text(text.into()));
            }
            let _ = turns.apply_json(text);
            is_some_json(&turns.to_json());
        }
    }
    if let Ok(value) = &value {
        if let Ok(report) = ErrorReport::from_value(value, Some(429)) {
            is_some_json(&report.to_value().to_string());
            let _ = report.advice();
        }
        if let Ok(result) = ToolResult::from_value(value) {
            let _ = result.answer(value);
        }
    }
    let _ =
        (Policy::from_json(text), Profile::from_json(text), Limits::from_json(text), ReaderOptions::from_json(text));
    let _ = (WriterOptions::from_json(text).is_ok(), Converter::from_json(text).is_ok());
}

fn is_some_json(text: &str) {
    if let Err(error) = Value::parse(text, 1_000) {
        panic!("{error}: {text}");
    }
}
