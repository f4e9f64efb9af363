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

import importlib
import json
from typing import TYPE_CHECKING, Any, Literal

from ._native import _request, _ToolLoop

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ._native import Response
    from .names import PolicyName
    from .options import CustomPolicy

__all__ = [
    "ToolLoop",
    "advice",
    "api_error",
    "check_arguments",
    "create_message",
    "enforce",
    "history",
    "invalid_request",
    "model_error",
    "not_found",
    "server_error",
    "tool_results",
    "too_many_requests",
]

LoopState = Literal["ready", "waiting", "finished", "stopped"]


def history(
    request: Mapping[str, Any], steps: Iterable[Mapping[str, Any]], *, policy: PolicyName | CustomPolicy = "stateless"
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
    error: Mapping[str, Any] | str | None, *, status: int | None = None, headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Returns an error of any form in uniform form, with `action` (retry, reconnect, resend_context, shorten, give_up), `after`
    and `why`. `error` is the object, the text of a body that is no JSON, or None.
    """
    error = error if error is None or isinstance(error, str) else dict(error)
    return _request("advice", {"error": error, "status": status, "headers": dict(headers or {})})


def check_arguments(tool: Mapping[str, Any], arguments: str | Mapping[str, Any]) -> list[str]:
    """Checks the arguments of a call against the JSON schema of its tool; returns one message for each error.

    `tool` is the tool of the request, with `parameters`; a tool without them takes any object. `arguments` is the text of the call,
    or the parsed object. The messages name the place and what the schema expects there, and quote no argument, so they can be sent
    to the model. Needs the package jsonschema (`pip install deltafold[schema]`).
    """
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return ["expected JSON, found text that does not parse"]
    if not isinstance(arguments, dict):
        return ["expected an object, found another value"]
    schema = tool.get("parameters")
    if schema is None:
        return []
    try:
        jsonschema: Any = importlib.import_module("jsonschema")
    except ImportError:
        raise ImportError("checking arguments needs the package jsonschema: pip install deltafold[schema]") from None
    validator = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)(schema)
    errors = sorted(validator.iter_errors(arguments), key=lambda error: [str(step) for step in error.absolute_path])
    return [_schema_message(error) for error in errors]


def _schema_message(error: Any) -> str:
    place = "".join(f"/{step}" for step in error.absolute_path) or "the arguments"
    keyword, value = error.validator, error.validator_value
    if keyword == "required":
        value = next((name for name in value if name not in error.instance and repr(name) in error.message), value)
        return f"{place}: expected the member {json.dumps(value)}"
    if keyword == "additionalProperties":
        return f"{place}: expected only the members of the schema"
    if keyword is None or isinstance(value, dict) or keyword in ("anyOf", "oneOf", "allOf"):
        return f"{place}: expected a value that the schema allows (`{keyword}`)"
    return f"{place}: expected `{keyword}` {json.dumps(value)}"


def create_message(request: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Returns the `response.create` message for a WebSocket, and the fields of the request that it omits."""
    result = _request("create_message", {"request": dict(request)})
    return result["message"], result["left_out"]


def tool_results(response: Mapping[str, Any], results: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """Returns the input items of the next request: the outputs that the response has itself, and an output for each result, by
    `call_id`. A result is a text, or a dict as for `ToolLoop.result`.
    """
    items: list[dict[str, Any]] = _request("tool_results", {"response": dict(response), "results": dict(results or {})})["items"]
    return items


def api_error(
    type: Literal["server_error", "invalid_request", "not_found", "model_error", "too_many_requests"],
    message: str,
    *,
    code: str | None = None,
    param: str | None = None,
) -> dict[str, Any]:
    """Returns an error for a client: the HTTP `status` and the JSON `body`, and the `message` for a WebSocket.

    >>> from deltafold.request import not_found
    >>> error = not_found("There is no response resp_0.", code="previous_response_not_found")
    >>> error["status"], error["body"]["error"]["type"]
    (404, 'not_found')
    """
    return _request("api_error", {"type": type, "message": message, "code": code, "param": param})


def server_error(message: str, *, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    """Returns the error of a server that failed; see `api_error`."""
    return api_error("server_error", message, code=code, param=param)


def invalid_request(message: str, *, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    """Returns the error of an invalid request; see `api_error`."""
    return api_error("invalid_request", message, code=code, param=param)


def not_found(message: str, *, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    """Returns the error of a request that refers to an object that does not exist; see `api_error`."""
    return api_error("not_found", message, code=code, param=param)


def model_error(message: str, *, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    """Returns the error of a model that produced unusable output; see `api_error`."""
    return api_error("model_error", message, code=code, param=param)


def too_many_requests(message: str, *, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    """Returns the error of a caller that sends too many requests; see `api_error`."""
    return api_error("too_many_requests", message, code=code, param=param)


class ToolLoop:
    """The state of a conversation with tools. It sends nothing and runs no tool.

    Send `request` and pass the response to `apply`; run the `pending` calls and pass each result to `result`, in any order;
    repeat while `state` is "ready". The loop itself answers calls that the request does not allow (`rejected`).

    With `check_arguments`, it also answers calls whose arguments the schema of their tool refuses, with a message for the model that
    names the error; see the function of the same name.
    """

    __slots__ = ("_bad_calls", "_core", "_request", "_state", "_tools")

    def __init__(
        self,
        request: Mapping[str, Any],
        *,
        policy: PolicyName | CustomPolicy = "stateless",
        max_turns: int | None = None,
        max_calls: int | None = None,
        check_arguments: bool = False,
    ) -> None:
        self._tools: list[Mapping[str, Any]] = list(request.get("tools") or []) if check_arguments else []
        self._bad_calls: list[dict[str, Any]] = []
        options: dict[str, Any] = {"request": dict(request), "policy": policy}
        for name, limit in (("max_turns", max_turns), ("max_calls", max_calls)):
            if limit is not None:
                options[name] = limit
        self._core = _ToolLoop(options)
        self._state: dict[str, Any] = self._core.state()
        self._request: dict[str, Any] | None = None

    def apply(self, response: Mapping[str, Any] | Response) -> LoopState:
        """Adds the response to `request` and returns the state. Raises Misuse while calls are pending, or after the end."""
        self._took(self._core.apply(dict(response)))
        self._bad_calls = []
        for call in self.pending if self._tools else []:
            tool = self._tool(call)
            errors = check_arguments(tool, call["item"].get("arguments") or "{}") if tool is not None else []
            if errors:
                detail = "; ".join(errors)
                self.result(call["call_id"], {"error": f"The arguments do not match the tool's parameters. {detail}"})
                self._bad_calls.append({**call, "reason": "bad_arguments", "detail": detail})
        return self.state

    def _tool(self, call: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The function tool of the request that a call names."""
        if call["type"] != "function_call":
            return None
        named = (tool for tool in self._tools if tool.get("type") == "function" and tool.get("name") == call["name"])
        return next(named, None)

    def result(self, call_id: str, result: Any, /) -> LoopState:
        """Adds the result of a pending call and returns the state.

        A result is a text, or a dict with `text`, `json`, `parts`, `error`, or `approve` (and `reason`). Raises Misuse if the call
        is not pending.
        """
        # A text is not JSON text.
        return self._took(self._core.result(call_id, {"text": result} if isinstance(result, str) else result))

    def stop(self) -> LoopState:
        """Stops the loop in any state and returns the state, "stopped". No call is pending then, and no request follows."""
        return self._took(self._core.stop())

    @property
    def state(self) -> LoopState:
        """ "ready", "waiting", "finished" or "stopped"."""
        state: LoopState = self._state["state"]
        return state

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
        if self._request is None:
            self._request = self._core.request()
        return self._request

    @property
    def pending(self) -> list[dict[str, Any]]:
        """The calls without a result: `call_id`, `name`, `type` and the whole `item`."""
        pending: list[dict[str, Any]] = self._state["pending"]
        return pending

    @property
    def rejected(self) -> list[dict[str, Any]]:
        """The calls of the last response that must not be run, each with its `reason`."""
        return [*self._state["rejected"], *self._bad_calls]

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The findings about data that the requests omit."""
        findings: list[dict[str, Any]] = self._state["findings"]
        return findings

    def _took(self, state: dict[str, Any]) -> LoopState:
        self._state, self._request = state, None
        return self.state
