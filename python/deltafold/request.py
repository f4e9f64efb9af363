"""Requests: what goes back to a server next turn, which calls may be run, and what to do about an error.

>>> from deltafold.request import ToolLoop
>>> tools = ToolLoop({"model": "m-1", "input": "2 + 2?", "tools": [{"type": "function", "name": "add"}]})
>>> call = {"type": "function_call", "call_id": "c1", "name": "add", "arguments": "{}", "status": "completed"}
>>> tools.apply({"id": "resp_1", "status": "completed", "output": [call]})
'waiting'
>>> [call["name"] for call in tools.pending]
['add']
>>> tools.result("c1", "4")
'ready'
>>> [item["type"] for item in tools.request["input"]]
['message', 'function_call', 'function_call_output']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ._native import _request

__all__ = ["ToolLoop", "advice", "create_message", "enforce", "history"]


def history(
    request: Mapping[str, Any], steps: Iterable[Mapping[str, Any]], *, policy: str | Mapping[str, Any] = "stateless"
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The next request, and a finding for each thing that it does not have although an answer had it.

    A step is `{"response": …}` or `{"item": …}`, in the order in which they come. A policy is the name of a built-in one, or a
    dict of its own.
    """
    answer = _request("history", {"policy": policy, "request": dict(request), "steps": [dict(step) for step in steps]})
    return answer["request"], answer["findings"]


def enforce(request: Mapping[str, Any], response: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every call of a response with `allowed` and, if it must not be run, the `reason` and the `answer`, an item that says so."""
    calls: list[dict[str, Any]] = _request("enforce", {"request": dict(request), "response": dict(response)})["calls"]
    return calls


def advice(
    error: Mapping[str, Any], *, status: int | None = None, headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """An error in any form, read, with `action` (retry, reconnect, resend_context, shorten, give_up), `after` and `why`."""
    return _request("advice", {"error": dict(error), "status": status, "headers": dict(headers or {})})


def create_message(request: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The `response.create` message of a WebSocket, and the fields of the request that it must not have."""
    answer = _request("create_message", {"request": dict(request)})
    return answer["message"], answer["left_out"]


class ToolLoop:
    """Keeps a conversation with tools going. It runs nothing and sends nothing.

    Send `request` and hand the response to `apply`; run what is `pending` and give each `result`, in any order; go on while
    `state` is "ready". Calls that the request does not allow are answered by the loop (`rejected`).
    """

    __slots__ = ("_shown", "_told")

    def __init__(
        self,
        request: Mapping[str, Any],
        *,
        policy: str | Mapping[str, Any] = "stateless",
        max_turns: int | None = None,
        max_calls: int | None = None,
    ) -> None:
        # A loop is a function of what it was told, so what it was told is all that is kept.
        self._told: dict[str, Any] = {"request": dict(request), "policy": policy, "steps": []}
        for name, limit in (("max_turns", max_turns), ("max_calls", max_calls)):
            if limit is not None:
                self._told[name] = limit
        self._shown: dict[str, Any] = _request("tool_loop", self._told)

    def apply(self, response: Mapping[str, Any]) -> str:
        """Takes the response to `request`; the state. Raises Misuse while results are awaited, or after the end."""
        return self._step({"response": dict(response)})

    def result(self, call_id: str, result: Any, /) -> str:
        """Takes the result of a pending call; the state.

        A result is a text, or a dict with `text`, `json`, `parts`, `error`, or `approve` (and `reason`). Raises Misuse if no such
        call is pending.
        """
        return self._step({"result": [call_id, result]})

    def stop(self) -> str:
        """Ends the loop, in any state; the state, "stopped". No further request is made, and nothing is pending."""
        return self._step({"stop": True})

    @property
    def state(self) -> str:
        """ "ready", "waiting", "finished" or "stopped"."""
        return str(self._shown["state"])

    @property
    def reason(self) -> str | None:
        """Why it stopped: "turns", "calls", "incomplete", "failed", "caller"; None if it did not."""
        reason: str | None = self._shown["reason"]
        return reason

    @property
    def turns(self) -> int:
        """How many responses with calls there were."""
        turns: int = self._shown["turns"]
        return turns

    @property
    def request(self) -> dict[str, Any]:
        """The request to send when the state is "ready"."""
        request: dict[str, Any] = self._shown["request"]
        return request

    @property
    def pending(self) -> list[dict[str, Any]]:
        """Calls that wait for a result: `call_id`, `name`, `type` and the whole `item`."""
        pending: list[dict[str, Any]] = self._shown["pending"]
        return pending

    @property
    def rejected(self) -> list[dict[str, Any]]:
        """Calls of the last response that must not be run, each with its `reason`."""
        rejected: list[dict[str, Any]] = self._shown["rejected"]
        return rejected

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What was left out of the requests."""
        findings: list[dict[str, Any]] = self._shown["findings"]
        return findings

    def _step(self, step: dict[str, Any]) -> str:
        told = {**self._told, "steps": [*self._told["steps"], step]}
        # A step that is refused changes nothing.
        self._shown = _request("tool_loop", told)
        self._told = told
        return self.state
