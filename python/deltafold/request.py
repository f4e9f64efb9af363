"""Requests: the next request of a conversation, the calls of a response that may be run, and advice after errors.

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
from typing import TYPE_CHECKING, Any

from ._native import _request

if TYPE_CHECKING:
    from .options import CustomPolicy

__all__ = ["ToolLoop", "advice", "create_message", "enforce", "history"]


def history(
    request: Mapping[str, Any], steps: Iterable[Mapping[str, Any]], *, policy: str | CustomPolicy = "stateless"
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Returns the next request, and a finding for each part of a response that the request omits.

    A step is `{"response": …}` or `{"item": …}`, in the order of the conversation. A policy is the name of a built-in policy,
    or a dict.
    """
    result = _request("history", {"policy": policy, "request": dict(request), "steps": [dict(step) for step in steps]})
    return result["request"], result["findings"]


def enforce(request: Mapping[str, Any], response: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns every call of a response with `allowed`; for a call that must not be run also the `reason`, and the `answer` item that
    tells the model.
    """
    calls: list[dict[str, Any]] = _request("enforce", {"request": dict(request), "response": dict(response)})["calls"]
    return calls


def advice(
    error: Mapping[str, Any], *, status: int | None = None, headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Returns an error of any form in uniform form, with `action` (retry, reconnect, resend_context, shorten, give_up), `after`
    and `why`.
    """
    return _request("advice", {"error": dict(error), "status": status, "headers": dict(headers or {})})


def create_message(request: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Returns the `response.create` message for a WebSocket, and the fields of the request that it omits."""
    result = _request("create_message", {"request": dict(request)})
    return result["message"], result["left_out"]


class ToolLoop:
    """The state of a conversation with tools. It sends nothing and runs no tool.

    Send `request` and pass the response to `apply`; run the `pending` calls and pass each result to `result`, in any order;
    repeat while `state` is "ready". The loop itself answers calls that the request does not allow (`rejected`).
    """

    __slots__ = ("_state", "_inputs")

    def __init__(
        self,
        request: Mapping[str, Any],
        *,
        policy: str | CustomPolicy = "stateless",
        max_turns: int | None = None,
        max_calls: int | None = None,
    ) -> None:
        # The state of a loop is a function of its inputs, so only the inputs are stored.
        self._inputs: dict[str, Any] = {"request": dict(request), "policy": policy, "steps": []}
        for name, limit in (("max_turns", max_turns), ("max_calls", max_calls)):
            if limit is not None:
                self._inputs[name] = limit
        self._state: dict[str, Any] = _request("tool_loop", self._inputs)

    def apply(self, response: Mapping[str, Any]) -> str:
        """Adds the response to `request` and returns the state. Raises Misuse while calls are pending, or after the end."""
        return self._step({"response": dict(response)})

    def result(self, call_id: str, result: Any, /) -> str:
        """Adds the result of a pending call and returns the state.

        A result is a text, or a dict with `text`, `json`, `parts`, `error`, or `approve` (and `reason`). Raises Misuse if the call
        is not pending.
        """
        return self._step({"result": [call_id, result]})

    def stop(self) -> str:
        """Stops the loop in any state and returns the state, "stopped". No call is pending then, and no request follows."""
        return self._step({"stop": True})

    @property
    def state(self) -> str:
        """ "ready", "waiting", "finished" or "stopped"."""
        return str(self._state["state"])

    @property
    def reason(self) -> str | None:
        """Why the loop stopped: "turns", "calls", "incomplete", "failed", "caller"; None if it did not."""
        reason: str | None = self._state["reason"]
        return reason

    @property
    def turns(self) -> int:
        """Number of responses with calls."""
        turns: int = self._state["turns"]
        return turns

    @property
    def request(self) -> dict[str, Any]:
        """The next request to send, when the state is "ready"."""
        request: dict[str, Any] = self._state["request"]
        return request

    @property
    def pending(self) -> list[dict[str, Any]]:
        """The calls without a result: `call_id`, `name`, `type` and the whole `item`."""
        pending: list[dict[str, Any]] = self._state["pending"]
        return pending

    @property
    def rejected(self) -> list[dict[str, Any]]:
        """The calls of the last response that must not be run, each with its `reason`."""
        rejected: list[dict[str, Any]] = self._state["rejected"]
        return rejected

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The findings about data that the requests omit."""
        findings: list[dict[str, Any]] = self._state["findings"]
        return findings

    def _step(self, step: dict[str, Any]) -> str:
        inputs = {**self._inputs, "steps": [*self._inputs["steps"], step]}
        # A step that raises changes nothing.
        self._state = _request("tool_loop", inputs)
        self._inputs = inputs
        return self.state
