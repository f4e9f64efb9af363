//! The conversation of `tool-loop.json`: parallel calls, a forbidden call, a failing tool, and the
//! answer after all of them.

use deltafold::json::Value;
use deltafold::request::{CreateResponse, LoopState, Policy, Rejection, ToolLoop, ToolResult};
use deltafold::validate::{validate_response, Layers};
use deltafold::{Edition, Finding, Reader};

use crate::client::{start, Client, Socket};
use crate::options;

const SCENARIO: &str = include_str!("../../tool-loop.json");

/// The transport of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transport {
    Json,
    Stream,
    WebSocket,
}

#[test]
fn the_conversation_with_tools_ends_with_the_answer() {
    let scenario = Value::parse(SCENARIO, 64).unwrap();
    let names = |list: Option<&Value>| list.unwrap().as_array().unwrap().to_vec();
    for policy in ["stateless", "stateful"] {
        for transport in [Transport::Json, Transport::Stream, Transport::WebSocket] {
            let request = CreateResponse::from_value(scenario.get("request").unwrap().clone()).unwrap();
            let mut tools = ToolLoop::new(request, Policy::builtin(policy).unwrap());
            let server = start(options());
            let mut socket = (transport == Transport::WebSocket).then(|| Socket::connect(server));
            let mut last = Value::Null;
            for turn in scenario.get("turns").unwrap().as_array().unwrap() {
                assert_eq!(tools.state(), LoopState::Ready, "{policy} {transport:?}");
                let request = tools.request();
                assert!(request.check(Edition::default()).unwrap().is_empty(), "{request}");
                last = match (&mut socket, transport) {
                    (Some(socket), _) => over_socket(socket, &request),
                    (None, transport) => over_http(&mut Client::new(server), request, transport),
                };
                tools.apply(&last).unwrap();

                let pending: Vec<(String, String)> =
                    tools.pending().map(|call| (call.id().to_owned(), call.name().to_owned())).collect();
                let called: Vec<Value> = pending.iter().map(|(_, name)| Value::from(name.as_str())).collect();
                assert_eq!(called, names(turn.get("pending")), "{policy} {transport:?}");
                let rejected = tools.rejected().map(|call| {
                    let reason = call.rejection.map(Rejection::name).unwrap_or_default();
                    Value::Array(vec![call.name().into(), reason.into()])
                });
                assert_eq!(rejected.collect::<Vec<_>>(), names(turn.get("rejected")), "{policy} {transport:?}");
                // The slowest tool first: results may come in any order.
                for (call_id, name) in pending.iter().rev() {
                    assert_eq!(tools.state(), LoopState::Waiting);
                    let result = scenario.get("results").unwrap().get(name).unwrap();
                    tools.result(call_id, &ToolResult::from_value(result).unwrap()).unwrap();
                }
            }
            assert_eq!(tools.state(), LoopState::Finished, "{policy} {transport:?}");
            let text = last.pointer("/output/0/content/0/text").and_then(|text| text.as_str());
            assert_eq!(text, scenario.str_at("answer"), "{policy} {transport:?}");
            assert!(tools.findings().is_empty(), "{:?}", tools.findings());
        }
    }
}

fn over_http(client: &mut Client, request: CreateResponse, transport: Transport) -> Value {
    let request = request.with_stream(transport == Transport::Stream).to_json();
    let (head, body) = client.post("/v1/responses", &request);
    assert_eq!(head.status, 200, "{}", String::from_utf8_lossy(&body));
    if transport == Transport::Json {
        let body = String::from_utf8(body).unwrap();
        let response = Value::parse(&body, 128).unwrap();
        judge(&validate_response(&body, Edition::default()).unwrap(), &response);
        return response;
    }
    let mut reader = Reader::builder().validate(Layers::ALL).build();
    reader.note_request(&request).unwrap();
    for chunk in body.chunks(7) {
        reader.feed(chunk).unwrap();
        while reader.poll_event().unwrap().is_some() {}
    }
    reader.finish().unwrap();
    judge(reader.findings(), &reader.response().to_value());
    reader.response().to_value()
}

fn over_socket(socket: &mut Socket, request: &CreateResponse) -> Value {
    let events = socket.messages(&request.to_json());
    let last = Value::parse(events.last().unwrap(), 128).unwrap();
    let response = last.get("response").unwrap();
    judge(&validate_response(&response.to_string(), Edition::default()).unwrap(), response);
    response.clone()
}

/// The responses are valid except for the forbidden call, which is found.
fn judge(findings: &[Finding], response: &Value) {
    let output = response.get("output").unwrap().as_array().unwrap();
    let wrong = output.iter().any(|item| item.str_at("name") == Some("delete_notes"));
    assert_eq!(findings.is_empty(), !wrong, "{findings:#?}");
    assert!(findings.iter().all(|finding| finding.rule.id() == "TOOL-05"), "{findings:#?}");
}

#[test]
fn a_careful_model_obeys_the_fields_that_the_careless_one_ignores() {
    let scenario = Value::parse(SCENARIO, 64).unwrap();
    let careless = CreateResponse::from_value(scenario.get("request").unwrap().clone()).unwrap();
    let careful = careless.clone().with_model("scripted");
    let mut client = Client::new(start(options()));
    let mut called = |request: &CreateResponse| {
        let (_, body) = client.post("/v1/responses", &request.to_json());
        let response = Value::parse(&String::from_utf8(body).unwrap(), 128).unwrap();
        let items = response.get("output").unwrap().as_array().unwrap().to_vec();
        items.iter().filter_map(|item| item.str_at("name").map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(called(&careful), ["get_weather", "local_time"]);
    assert_eq!(called(&careful.clone().with_parallel_tool_calls(false)), ["get_weather"]);
    assert_eq!(called(&careful.with_max_tool_calls(1)), ["get_weather"]);
    let limited = careless.with_parallel_tool_calls(false).with_max_tool_calls(1);
    assert_eq!(called(&limited), ["get_weather", "local_time", "delete_notes"]);
}
