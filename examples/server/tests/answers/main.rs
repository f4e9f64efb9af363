//! Every response of the server is valid and the same over each transport.

mod client;
mod tool_loop;

use client::{start, Client};
use deltafold::json::Value;
use deltafold::validate::{
    validate_compact_response, validate_error, validate_response, validate_websocket_error, Layers,
};
use deltafold::write::ReasoningNames;
use deltafold::{Edition, Outcome, Reader};
use deltafold_server::Options;

const WEATHER: &str = r#"{"type":"function","name":"get_weather","description":"d","strict":true,
    "parameters":{"type":"object","properties":{"location":{"type":"string"}},"required":["location"],
    "additionalProperties":false}}"#;

/// Requests that are answered with a response, without `stream`, and a text that the response must contain.
fn requests() -> Vec<(&'static str, String, &'static str)> {
    let weather = |rest: &str| {
        format!(r#"{{"model":"scripted","input":"What is the weather in Paris?","tools":[{WEATHER}]{rest}}}"#)
    };
    let user = |text: &str| format!(r#"{{"type":"message","role":"user","content":"{text}"}}"#);
    let image = r#"{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}"#;
    vec![
        ("text", r#"{"model":"scripted","input":"Hello"}"#.into(), "You said: Hello"),
        ("items", format!(r#"{{"input":[{}]}}"#, user("Hi")), "You said: Hi"),
        ("no input", r#"{"model":"scripted"}"#.into(), "You said: "),
        (
            "prompts",
            format!(
                r#"{{"instructions":"Be a pirate.","input":[{{"type":"message","role":"system","content":"Sea."}},
                {{"type":"message","role":"developer","content":"Ship."}},{}]}}"#,
                user("Hi")
            ),
            "As told (Be a pirate.): You said: Hi",
        ),
        (
            "history",
            format!(
                r#"{{"input":[{},{{"type":"message","role":"assistant","content":"Hello!"}},{}]}}"#,
                user("My name is Ada."),
                user("What is my name?")
            ),
            "Your name is Ada.",
        ),
        (
            "image",
            format!(
                r#"{{"input":[{{"type":"message","role":"user","content":[{{"type":"input_text","text":"Look"}},{image}]}}]}}"#
            ),
            "I see 1 image(s). You said: Look",
        ),
        ("call", weather(""), r#"{\"location\":\"Paris\"}"#),
        ("call required", weather(r#","tool_choice":"required""#), "get_weather"),
        ("call forced", weather(r#","tool_choice":{"type":"function","name":"get_weather"}"#), "get_weather"),
        ("call forbidden", weather(r#","tool_choice":"none""#), "You said: What is the weather"),
        (
            "call allowed",
            weather(r#","tool_choice":{"type":"allowed_tools","tools":[{"type":"function","name":"get_weather"}]}"#),
            "get_weather",
        ),
        (
            "call answered",
            format!(
                r#"{{"tools":[{WEATHER}],"input":[{},
                {{"type":"function_call","call_id":"c1","name":"get_weather","arguments":"{{}}"}},
                {{"type":"function_call_output","call_id":"c1","output":"sunny"}}]}}"#,
                user("The weather?")
            ),
            "The tool says: sunny",
        ),
        (
            "two calls",
            format!(
                r#"{{"input":"weather and time in Rome","tools":[{WEATHER},{{"type":"function","name":"local_time"}}]}}"#
            ),
            "local_time",
        ),
        (
            "one call at a time",
            format!(
                r#"{{"input":"weather and time","parallel_tool_calls":false,
                "tools":[{WEATHER},{{"type":"function","name":"local_time"}}]}}"#
            ),
            "get_weather",
        ),
        (
            "structured",
            r#"{"input":"A city in France","text":{"format":{"type":"json_schema","name":"city","strict":true,
            "schema":{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"integer"}}}}}}"#
                .into(),
            r#"{\"name\":\"France\",\"size\":1}"#,
        ),
        ("refusal", r#"{"input":"please refuse"}"#.into(), "I am not able to help with that."),
        ("citation", r#"{"input":"cite something"}"#.into(), "url_citation"),
        (
            "reasoning",
            r#"{"input":"think","reasoning":{"effort":"low","summary":"auto"},"include":["reasoning.encrypted_content"]}"#
                .into(),
            "The user wrote 1 words.",
        ),
        (
            "log probabilities",
            r#"{"input":"Hi","include":["message.output_text.logprobs"],"top_logprobs":2}"#.into(),
            "top_logprobs",
        ),
        ("cut", r#"{"input":"count to 40","max_output_tokens":16}"#.into(), "max_output_tokens"),
        (
            "truncated in reasoning and call",
            format!(
                r#"{{"input":"the weather for {}","max_output_tokens":16,"tools":[{WEATHER}],
                "reasoning":{{"effort":"high"}}}}"#,
                "x".repeat(300)
            ),
            "max_output_tokens",
        ),
        (
            "echo",
            r#"{"input":"Hi","temperature":0.5,"top_p":0.9,"metadata":{"a":"b"},"store":false,"truncation":"auto",
            "max_output_tokens":64,"service_tier":"flex","safety_identifier":"u","prompt_cache_key":"k",
            "presence_penalty":0.1,"frequency_penalty":0.2,"parallel_tool_calls":false,"text":{"verbosity":"low"}}"#
                .into(),
            r#""temperature":0.5"#,
        ),
    ]
}

fn options() -> Options {
    Options { clock: Some(1_767_225_600), ..Options::default() }
}

/// Reads a stream, which must be valid for its request, and returns the response.
fn read(request: &str, head: &client::Head, body: &[u8], edition: Edition) -> (Value, Outcome) {
    let mut reader = Reader::builder().validate(Layers::ALL).edition(edition).build();
    reader.note_request(request).unwrap();
    reader.note_head(head.status, head.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    reader.feed(body).unwrap();
    reader.end();
    while reader.poll_event().unwrap().is_some() {}
    let outcome = reader.finish().unwrap();
    assert!(reader.findings().is_empty(), "{request}\n{:#?}", reader.findings());
    (reader.response().to_value(), outcome)
}

#[test]
fn every_answer_is_valid_and_the_same_over_every_transport() {
    for edition in [Edition::V2026_04_24, Edition::V2026_01_15, Edition::Split] {
        for (name, request, expected) in requests() {
            // A separate server for each, so that ids are the same too.
            let [plain, streamed, socket] = [(); 3].map(|()| start(Options { edition, ..options() }));
            let (head, body) = Client::new(plain).post("/v1/responses", &request);
            let body = String::from_utf8(body).unwrap();
            assert_eq!(head.status, 200, "{name}: {body}");
            assert_eq!(head.get("content-type"), Some("application/json"));
            let found = validate_response(&body, edition).unwrap();
            assert!(found.is_empty(), "{name}: {found:#?}");
            assert!(body.contains(expected), "{name}: {body}");
            let response = Value::parse(&body, 128).unwrap();

            let streaming = streaming(&request);
            let (head, body) = Client::new(streamed).post("/v1/responses", &streaming);
            let (read, _) = read(&streaming, &head, &body, edition);
            assert_eq!(read, response, "{name}");

            if edition != Edition::V2026_01_15 {
                let mut socket = client::Socket::connect(socket);
                let events = socket.turn(&request, edition);
                let last = Value::parse(events.last().unwrap(), 128).unwrap();
                assert_eq!(last.get("response"), Some(&response), "{name}");
            }
        }
    }
}

/// The same request, streamed.
fn streaming(request: &str) -> String {
    let mut request = Value::parse(request, 128).unwrap();
    request.as_object_mut().unwrap().insert("stream", true);
    request.to_string()
}

#[test]
fn a_conversation_continues_from_an_earlier_response() {
    let server = start(options());
    let mut client = Client::new(server);
    let first = client.json("/v1/responses", r#"{"input":"My name is Grace."}"#);
    let id = first.str_at("id").unwrap().to_owned();
    let second = client.json("/v1/responses", &format!(r#"{{"input":"Nice.","previous_response_id":"{id}"}}"#));
    let id = second.str_at("id").unwrap();
    let third =
        client.json("/v1/responses", &format!(r#"{{"input":"What is my name?","previous_response_id":"{id}"}}"#));
    assert_eq!(third.pointer("/output/0/content/0/text").unwrap().as_str(), Some("Your name is Grace."));
    assert_eq!(third.str_at("previous_response_id"), Some(id));
}

#[test]
fn refused_requests_have_a_status_and_a_body_that_agree() {
    let mut client = Client::new(start(options()));
    let cases = [
        ("{", 400, "invalid_request", None),
        (r#"{"input":7}"#, 400, "invalid_request", Some("input")),
        (r#"{"input":[{"role":"user","content":"no type"}]}"#, 400, "invalid_request", Some("input[0]")),
        (r#"{"input":"a","max_output_tokens":1}"#, 400, "invalid_request", Some("max_output_tokens")),
        (r#"{"input":"a","tool_choice":"required"}"#, 400, "invalid_request", Some("tool_choice")),
        (r#"{"input":"a","background":true}"#, 400, "invalid_request", Some("background")),
        (r#"{"model":"gpt-9","input":"a"}"#, 404, "not_found", Some("model")),
        (r#"{"input":"a","previous_response_id":"resp_x"}"#, 404, "not_found", Some("previous_response_id")),
        (
            r#"{"input":[{"type":"function_call_output","call_id":"call_x","output":"4"}]}"#,
            400,
            "invalid_request",
            Some("input"),
        ),
        (r#"{"input":"fail with too_many_requests"}"#, 429, "too_many_requests", None),
        (r#"{"input":"fail with model_error"}"#, 500, "model_error", None),
    ];
    for (request, status, kind, param) in cases {
        let (head, body) = client.post("/v1/responses", request);
        let body = String::from_utf8(body).unwrap();
        assert_eq!(head.status, status, "{request}: {body}");
        let found = validate_error(&body, Some(status)).unwrap();
        assert!(found.is_empty(), "{body}: {found:#?}");
        let error = Value::parse(&body, 64).unwrap();
        assert_eq!(error.pointer("/error/type").unwrap().as_str(), Some(kind), "{body}");
        let named = error.pointer("/error/param").unwrap().as_str();
        assert!(param.is_none_or(|param| named.is_some_and(|named| named.starts_with(param))), "{body}");
    }
    let (head, _) = client.post("/v1/nothing", "{}");
    assert_eq!(head.status, 404);
}

#[test]
fn a_failure_in_the_middle_of_a_stream_is_reported_in_the_stream() {
    let mut client = Client::new(start(options()));
    let request = r#"{"input":"fail with server_error","stream":true}"#;
    let (head, body) = client.post("/v1/responses", request);
    let (response, outcome) = read(request, &head, &body, Edition::default());
    assert!(matches!(outcome, Outcome::Failed { .. }));
    assert_eq!(response.pointer("/error/code").unwrap().as_str(), Some("scripted_failure"));
    assert_eq!(response.pointer("/output/0/status").unwrap().as_str(), Some("in_progress"));
}

#[test]
fn a_running_response_can_be_cancelled() {
    let server = start(options());
    let request = r#"{"input":"wait until cancelled","stream":true}"#;
    let mut streaming = Client::new(server).open("/v1/responses", request);
    let begun = streaming.until("waiting.");
    let id = begun.split("\"id\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();

    let answer = Client::new(server).json(&format!("/v1/responses/{id}/cancel"), "{}");
    assert_eq!(answer.pointer("/incomplete_details/reason").unwrap().as_str(), Some("cancelled"));
    let (head, rest) = streaming.finish();
    let (response, outcome) = read(request, &head, &rest, Edition::default());
    assert_eq!(outcome, Outcome::Cancelled);
    assert_eq!(response, answer);
    let (head, _) = Client::new(server).post(&format!("/v1/responses/{id}/cancel"), "{}");
    assert_eq!(head.status, 400);
}

#[test]
fn a_compacted_conversation_continues() {
    let mut client = Client::new(start(options()));
    let first = client.json("/v1/responses", r#"{"input":"My name is Alan."}"#);
    let id = first.str_at("id").unwrap();
    let (head, body) =
        client.post("/v1/responses/compact", &format!(r#"{{"model":"scripted","previous_response_id":"{id}"}}"#));
    let body = String::from_utf8(body).unwrap();
    assert_eq!(head.status, 200, "{body}");
    let found = validate_compact_response(&body, Edition::default()).unwrap();
    assert!(found.is_empty(), "{found:#?}");
    let window = Value::parse(&body, 64).unwrap().get("output").unwrap().to_string();
    let user = r#"{"type":"message","role":"user","content":"What is my name?"}"#;
    let request = format!(r#"{{"input":[{},{user}]}}"#, window.trim_matches(['[', ']']));
    let answer = client.json("/v1/responses", &request);
    assert_eq!(answer.pointer("/output/0/content/0/text").unwrap().as_str(), Some("Your name is Alan."));
}

#[test]
fn a_socket_takes_one_turn_after_the_other_and_remembers_the_newest() {
    let server = start(options());
    let mut socket = client::Socket::connect(server);
    let events = socket.turn(r#"{"input":"My name is Mary.","store":false}"#, Edition::default());
    let last = Value::parse(events.last().unwrap(), 128).unwrap();
    assert_eq!(last.pointer("/response/status").unwrap().as_str(), Some("completed"));
    let id = last.pointer("/response/id").unwrap().as_str().unwrap().to_owned();

    let next = format!(r#"{{"input":"What is my name?","previous_response_id":"{id}","store":false}}"#);
    assert!(socket.turn(&next, Edition::default()).last().unwrap().contains("Your name is Mary."));
    // Neither stored nor the newest response.
    let refused = socket.turn(&next, Edition::default());
    assert_eq!(refused.len(), 1);
    let found = validate_websocket_error(&refused[0], Edition::default()).unwrap();
    assert!(found.is_empty() && refused[0].contains("previous_response_not_found"), "{refused:?} {found:#?}");
}

#[test]
fn a_continuation_that_fails_ends_its_chain_on_the_socket() {
    let mut socket = client::Socket::connect(start(options()));
    let first = socket.turn(r#"{"input":"Hello"}"#, Edition::default());
    let first = Value::parse(first.last().unwrap(), 128).unwrap();
    let id = first.pointer("/response/id").unwrap().as_str().unwrap();
    let failing = format!(r#"{{"input":"fail with server_error","previous_response_id":"{id}"}}"#);
    assert!(socket.turn(&failing, Edition::default()).last().unwrap().contains("response.failed"));
    let again = format!(r#"{{"input":"Hello","previous_response_id":"{id}"}}"#);
    assert!(socket.turn(&again, Edition::default())[0].contains("previous_response_not_found"));
}

#[test]
fn an_output_without_its_call_fails_and_ends_the_chain() {
    let server = start(options());
    let mut socket = client::Socket::connect(server);
    for store in [false, true] {
        let first = socket.turn(&format!(r#"{{"input":"Hello","store":{store}}}"#), Edition::default());
        let first = Value::parse(first.last().unwrap(), 128).unwrap();
        let id = first.pointer("/response/id").unwrap().as_str().unwrap();
        let output = r#"[{"type":"function_call_output","call_id":"call_x","output":"4"}]"#;
        let failing = format!(r#"{{"input":{output},"previous_response_id":"{id}","store":{store}}}"#);
        let refused = socket.turn(&failing, Edition::default());
        let found = validate_websocket_error(&refused[0], Edition::default()).unwrap();
        assert!(found.is_empty() && refused[0].contains("tool_call_not_found"), "{refused:?} {found:#?}");
        assert!(refused.len() == 1 && refused[0].contains("\"status\":400"), "{refused:?}");
        // The response is no longer in the memory of the connection, whether it was stored or not.
        let again = format!(r#"{{"input":"Hello","previous_response_id":"{id}","store":{store}}}"#);
        assert!(socket.turn(&again, Edition::default())[0].contains("previous_response_not_found"));
    }
}

#[test]
fn a_socket_refuses_messages_that_are_no_turn_and_stays_open() {
    let mut socket = client::Socket::connect(start(options()));
    for message in ["{", r#"{"type":"response.cancel"}"#, r#"{"type":"response.create","input":"a","stream":true}"#] {
        socket.send(message);
        let answer = socket.receive();
        let found = validate_websocket_error(&answer, Edition::default()).unwrap();
        assert!(found.is_empty() && answer.contains("\"status\":400"), "{answer} {found:#?}");
    }
    assert!(socket.turn(r#"{"input":"Hello"}"#, Edition::default()).last().unwrap().contains("response.completed"));
}

#[test]
fn the_openai_dialect_accepts_short_messages_and_uses_its_own_reasoning_names() {
    let mut client = Client::new(start(Options { reasoning_names: ReasoningNames::OpenAi, ..options() }));
    let request = r#"{"input":[{"role":"user","content":"Hi"}],"reasoning":{"effort":"low"},"stream":true}"#;
    let (head, body) = client.post("/v1/responses", request);
    assert_eq!(head.status, 200);
    let body = String::from_utf8(body).unwrap();
    assert!(body.contains("event: response.reasoning_text.delta") && body.contains("You said: "), "{body}");
}
