"""A conversation with tools against the reference server on loopback: two parallel calls, one forbidden call, one failing call.

`DELTAFOLD_SERVER_PROGRAM` is the program of examples/server, `DELTAFOLD_TOOL_LOOP` its tool-loop.json; tests/ci sets both.
"""

import json
import os
import subprocess
from typing import Any, Callable, Iterator

import pytest

import deltafold
from deltafold.names import PolicyName
from deltafold.request import ToolLoop

httpx = pytest.importorskip("httpx")
requests = pytest.importorskip("requests")

PROGRAM, SCRIPT = os.environ.get("DELTAFOLD_SERVER_PROGRAM"), os.environ.get("DELTAFOLD_TOOL_LOOP")
pytestmark = pytest.mark.skipif(not (PROGRAM and SCRIPT), reason="DELTAFOLD_SERVER_PROGRAM and DELTAFOLD_TOOL_LOOP are not set")

Send = Callable[[str, "dict[str, Any]"], "dict[str, Any]"]


@pytest.fixture(scope="module")
def url() -> "Iterator[str]":
    assert PROGRAM
    with subprocess.Popen([PROGRAM, "--port", "0"], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield next(line.split()[-1] for line in server.stdout if line.startswith("listening on "))
        finally:
            server.kill()


def whole(events: deltafold.EventStream) -> "dict[str, Any]":
    assert [event.sequence_number for event in events] == list(range(events.reader.event_count))
    assert events.outcome == "completed" and not events.findings
    return dict(events.response.to_dict())


def by_httpx(url: str, request: "dict[str, Any]") -> "dict[str, Any]":
    with httpx.stream("POST", url, json={**request, "stream": True}) as answer:
        assert answer.status_code == 200
        return whole(deltafold.events(answer))


def by_requests(url: str, request: "dict[str, Any]") -> "dict[str, Any]":
    with requests.post(url, json={**request, "stream": True}, stream=True) as answer:
        assert answer.status_code == 200
        return whole(deltafold.events(answer))


def as_json(url: str, request: "dict[str, Any]") -> "dict[str, Any]":
    answer = httpx.post(url, json=request)
    assert answer.status_code == 200
    return dict(answer.json())


@pytest.mark.parametrize("policy", ["stateless", "stateful"])
@pytest.mark.parametrize("send", [by_httpx, by_requests, as_json])
def test_a_conversation_with_tools_finishes(url: str, send: Send, policy: PolicyName) -> None:
    assert SCRIPT
    with open(SCRIPT) as file:
        script = json.load(file)
    where = f"{url.rstrip('/')}/responses" if url.rstrip("/").endswith("/v1") else f"{url.rstrip('/')}/v1/responses"
    loop, turns = ToolLoop(script["request"], policy=policy), []
    while loop.state == "ready":
        response = send(where, loop.request)
        loop.apply(response)
        rejected = [[call["name"], call["reason"]] for call in loop.rejected]
        turns.append({"pending": [call["name"] for call in loop.pending], "rejected": rejected})
        # In any order: here the last one first.
        for call in loop.pending[::-1]:
            loop.result(call["call_id"], script["results"][call["name"]])
    assert loop.state == "finished" and loop.reason is None and turns == script["turns"]
    (message,) = [item for item in response["output"] if item["type"] == "message"]
    assert "".join(part["text"] for part in message["content"]) == script["answer"]
    with pytest.raises(deltafold.Misuse):
        loop.apply(response)
