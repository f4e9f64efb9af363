"""Requests: the Python interface. The rules are tested in the core."""

from __future__ import annotations

from typing import Any

import pytest

import deltafold
from deltafold.request import (
    ToolLoop,
    advice,
    api_error,
    check_arguments,
    create_message,
    enforce,
    history,
    invalid_request,
    model_error,
    not_found,
    server_error,
    too_many_requests,
    tool_results,
)

REQUEST: dict[str, Any] = {
    "model": "m-1",
    "input": "Hi",
    "tools": [{"type": "function", "name": "look"}, {"type": "function", "name": "delete"}],
    "tool_choice": {"type": "allowed_tools", "tools": [{"type": "function", "name": "look"}]},
}


def call(call_id: str, name: str = "look") -> dict[str, Any]:
    fields = {"id": f"fc_{call_id}", "call_id": call_id, "name": name, "arguments": "{}", "status": "completed"}
    return {"type": "function_call", **fields}


def response(*output: dict[str, Any]) -> dict[str, Any]:
    return {"object": "response", "id": "resp_1", "status": "completed", "output": list(output)}


def test_responses_become_the_next_request() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]}
    step = {"response": response(reasoning, call("c1"))}
    request, findings = history(REQUEST, [step, {"item": {"type": "message", "role": "user", "content": "Go on"}}])
    assert [item["type"] for item in request["input"]] == ["message", "reasoning", "function_call", "message"]
    assert request["store"] is False
    assert [(finding["code"], finding["path"]) for finding in findings] == [("field_dropped", "/output/0/content")]
    request, findings = history(REQUEST, [step], policy="stateful")
    assert (request["previous_response_id"], request["input"], findings) == ("resp_1", [], [])
    assert "previous_response_id" not in REQUEST


def test_every_call_is_allowed_or_rejected() -> None:
    calls = enforce(REQUEST, response(call("c1"), call("c2", "delete"), call("c3", "drop")))
    assert [(found["call_id"], found["reason"]) for found in calls] == [
        ("c1", None),
        ("c2", "not_allowed"),
        ("c3", "not_allowed"),
    ]


def test_a_loop_takes_results_in_any_order_and_sends_them_in_the_order_of_the_calls() -> None:
    tools = ToolLoop(REQUEST, max_turns=3)
    assert tools.state == "ready"
    assert tools.apply(response(call("c1"), call("c2", "delete"), call("c3"))) == "waiting"
    assert [found["call_id"] for found in tools.pending] == ["c1", "c3"]
    assert [found["reason"] for found in tools.rejected] == ["not_allowed"]
    assert tools.result("c3", {"error": "no network"}) == "waiting"
    assert tools.result("c1", {"json": {"n": 1}}) == "ready"
    outputs = {item["call_id"]: item["output"] for item in tools.request["input"] if item["type"] == "function_call_output"}
    assert list(outputs) == ["c1", "c2", "c3"]
    assert (outputs["c1"], outputs["c3"]) == ('{"n":1}', '{"error":"no network"}')
    assert deltafold.validate("request", tools.request) == []
    assert tools.apply(response()) == "finished"
    assert (tools.reason, tools.findings) == (None, [])


def test_a_step_that_is_refused_raises_and_changes_nothing() -> None:
    tools = ToolLoop(REQUEST)
    with pytest.raises(deltafold.Misuse):
        tools.result("c1", "too early")
    assert tools.apply(response(call("c1"))) == "waiting"
    before = (tools.state, tools.request, tools.pending)
    with pytest.raises(deltafold.Misuse) as caught:
        tools.result("c9", "nobody asked")
    assert caught.value.code == "misuse.intent"
    assert (tools.state, tools.request, tools.pending) == before
    with pytest.raises(deltafold.Misuse):
        ToolLoop(REQUEST, policy="nobody")  # type: ignore[arg-type]


WEATHER: dict[str, Any] = {
    "type": "function",
    "name": "weather",
    "parameters": {
        "type": "object",
        "properties": {"city": {"$ref": "#/$defs/city"}, "days": {"type": "integer", "maximum": 10}, "unit": {"enum": ["C", "F"]}},
        "required": ["city"],
        "additionalProperties": False,
        "$defs": {"city": {"type": "string", "minLength": 2}},
    },
}


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        ('{"city":"Paris","days":3}', []),
        ({"city": "Paris", "unit": "C"}, []),
        ("{}", ['the arguments: expected the member "city"']),
        ('{"city":"K4N4RY","days":11}', ["/days: expected `maximum` 10"]),
        ('{"city":"K","unit":"K4N4RY"}', ["/city: expected `minLength` 2", '/unit: expected `enum` ["C", "F"]']),
        ('{"city":"Paris","K4N4RY":1}', ["the arguments: expected only the members of the schema"]),
        ('{"city":', ["expected JSON, found text that does not parse"]),
        ("[1]", ["expected an object, found another value"]),
    ],
)
def test_arguments_are_checked_by_the_schema_of_their_tool(arguments: Any, messages: list[str]) -> None:
    pytest.importorskip("jsonschema")
    assert check_arguments(WEATHER, arguments) == messages
    assert check_arguments({"type": "function", "name": "x"}, {"any": 1}) == []


def test_a_loop_answers_calls_with_arguments_that_the_schema_refuses() -> None:
    pytest.importorskip("jsonschema")
    tools = ToolLoop({"model": "m", "input": "Hi", "tools": [WEATHER]}, check_arguments=True)
    wrong = {**call("c1", "weather"), "arguments": '{"city":"Paris","days":99}'}
    right = {**call("c2", "weather"), "arguments": '{"city":"Paris"}'}
    assert tools.apply(response(wrong, right)) == "waiting"
    assert [found["call_id"] for found in tools.pending] == ["c2"]
    assert [(found["call_id"], found["reason"], found["detail"]) for found in tools.rejected] == [
        ("c1", "bad_arguments", "/days: expected `maximum` 10")
    ]
    assert tools.result("c2", "sunny") == "ready"
    outputs = [item["output"] for item in tools.request["input"] if item["type"] == "function_call_output"]
    assert "/days: expected `maximum` 10" in outputs[0] and outputs[1] == "sunny"
    # Only wrong calls: the model hears of them at once.
    assert tools.apply(response(wrong)) == "ready" and tools.pending == []
    assert ToolLoop({"model": "m", "tools": [WEATHER]}).apply(response(wrong)) == "waiting"


def test_a_loop_stops_by_its_limits() -> None:
    tools = ToolLoop(REQUEST, max_calls=1)
    assert tools.apply(response(call("c1"), call("c2"))) == "stopped"
    assert tools.reason == "calls"


def test_a_caller_can_stop_a_loop_in_any_state() -> None:
    for steps in ([], [response(call("c1"))], [response()]):
        tools = ToolLoop(REQUEST)
        for step in steps:
            tools.apply(step)
        assert tools.stop() == "stopped" == tools.state
        assert (tools.reason, tools.pending) == ("caller", [])
        with pytest.raises(deltafold.Misuse):
            tools.result("c1", "too late")
        with pytest.raises(deltafold.Misuse):
            tools.apply(response())
        assert tools.stop() == "stopped"


def test_advice_is_given_for_an_error() -> None:
    body = {"error": {"type": "too_many_requests", "code": None, "message": "Slow down.", "param": None}}
    found = advice(body, status=429, headers={"Retry-After": "2"})
    assert (found["action"], found["after"], found["message"]) == ("retry", 2, "Slow down.")
    envelope = {"type": "error", "status": 400, "error": {"code": "previous_response_not_found", "message": "gone"}}
    assert advice(envelope)["action"] == "resend_context"


def test_a_websocket_message_has_no_forbidden_field() -> None:
    message, left_out = create_message({"model": "m-1", "stream": True, "input": "Hi"})
    assert message == {"type": "response.create", "model": "m-1", "input": "Hi"}
    assert left_out == ["stream"]
    assert deltafold.validate("websocket_create", message) == []


def test_results_become_input_items_without_a_loop() -> None:
    items = tool_results(response(call("c1"), call("c2")), {"c1": "4", "c2": {"error": "no network"}})
    assert [(item["type"], item["call_id"], item["output"]) for item in items] == [
        ("function_call_output", "c1", "4"),
        ("function_call_output", "c2", '{"error":"no network"}'),
    ]


def test_an_error_for_a_client_has_a_status_a_body_and_a_message_for_a_socket() -> None:
    makers = (server_error, invalid_request, not_found, model_error, too_many_requests)
    made = [make("m", code="c") for make in makers]
    assert [(error["status"], error["body"]["error"]["type"]) for error in made] == [
        (500, "server_error"),
        (400, "invalid_request"),
        (404, "not_found"),
        (500, "model_error"),
        (429, "too_many_requests"),
    ]
    for error in made:
        assert deltafold.validate("error", error["body"]) == []
        assert error["message"] == {"type": "error", "status": error["status"], "error": error["body"]["error"]}
    with pytest.raises(deltafold.Misuse):
        api_error("teapot", "m")  # type: ignore[arg-type]


def test_a_loop_of_many_turns_keeps_only_its_own_state() -> None:
    tools = ToolLoop(REQUEST, max_turns=300, max_calls=300)
    for turn in range(300):
        tools.apply(response(call(f"c{turn}")))
        assert tools.result(f"c{turn}", "x") == "ready"
    assert (tools.turns, len(tools.request["input"])) == (300, 601)
    assert tools.request is tools.request


def test_types_of_extensions_and_statuses_of_items() -> None:
    assert [deltafold.is_valid_extension_type(name) for name in ("acme:note", "note", "acme:a note")] == [True, False, False]
    statuses = ("searching", "completed", "failed", "done")
    assert [deltafold.is_terminal_status(status) for status in statuses] == [False, True, True, False]
    assert [deltafold.is_success_status(status) for status in statuses] == [False, True, False, False]
