"""Outcomes and errors: the result of a failed, empty or truncated stream, and how a program detects it."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import pickle
from typing import Any, AsyncIterator

import pytest

import deltafold
from streams import frame, stream

STREAM = stream()
FAILED = frame({"type": "error", "error": {"type": "server_error", "code": "overloaded", "message": "K4N4RY"}})
JSON_ERROR = b'{"error":{"message":"K4N4RY","type":"invalid_request_error","code":"invalid_api_key"}}'


class Answer:
    """An HTTP response as in httpx, requests and aiohttp: a status, headers and bytes."""

    def __init__(self, status: int, body: bytes, content_type: str = "text/event-stream") -> None:
        self.status_code = status
        self.headers = {"content-type": content_type}
        self._body = body

    def iter_bytes(self) -> Any:
        return iter([self._body] if self._body else [])

    async def aiter_bytes(self) -> AsyncIterator[bytes]:
        if self._body:
            yield self._body


class AsyncAnswer(Answer):
    iter_bytes = None  # type: ignore[assignment]


ANSWERS = [
    (401, JSON_ERROR, "application/json", "invalid_api_key"),
    (429, b'{"error":{"message":"slow","type":"rate_limit_error"}}', "application/json", ""),
    (502, b"<html>Bad Gateway</html>", "text/html", "http_502"),
    (503, b"", "text/plain", "http_503"),
    (200, b"", "text/event-stream", ""),
    (200, b"<html>log in</html>", "text/html", ""),
    (500, FAILED, "text/event-stream", "overloaded"),
]


def outcome_of(status: int, body: bytes, content_type: str, asynchronous: bool) -> deltafold.Outcome:
    async def read() -> deltafold.Outcome:
        events = deltafold.aevents(AsyncAnswer(status, body, content_type))
        async for _ in events:
            pass
        with pytest.raises(deltafold.OutcomeError):
            events.raise_for_outcome()
        assert events.outcome is not None
        return events.outcome

    if asynchronous:
        return asyncio.run(read())
    events = deltafold.events(Answer(status, body, content_type))
    for _ in events:
        pass
    with pytest.raises(deltafold.OutcomeError):
        events.raise_for_outcome()
    assert events.outcome is not None and events.outcome == events.close()
    return events.outcome


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize(("status", "body", "content_type", "code"), ANSWERS)
def test_an_http_error_or_an_answer_without_events_has_failed(status: int, body: bytes, content_type: str, code: str, asynchronous: bool) -> None:
    outcome = outcome_of(status, body, content_type, asynchronous)
    assert outcome == "failed" and outcome.error is not None
    assert (outcome.error.status, outcome.error.code) == (status, code)
    assert outcome.error.message


def test_the_message_names_the_status_and_the_content_without_events() -> None:
    error = outcome_of(502, b"<html>Bad Gateway</html>", "text/html", False).error
    assert error is not None and error.message == "HTTP status 502 (Bad Gateway) with 24 bytes of text/html without events"
    error = outcome_of(200, b"", "text/event-stream", False).error
    assert error is not None and error.message == "HTTP status 200 (OK) with an empty body"
    error = outcome_of(599, b"", "", False).error
    assert error is not None and "599 (unknown status)" in error.message


def test_a_stream_that_breaks_off_after_events_is_truncated_for_every_source() -> None:
    for source in (STREAM[:1500], Answer(200, STREAM[:1500])):
        events = deltafold.events(source)
        list(events)
        assert events.outcome == "truncated"
        with pytest.raises(deltafold.OutcomeError, match=r"ended as truncated \(resume after sequence number \d+\)"):
            events.raise_for_outcome()
        assert events.raise_for_outcome(allow=["truncated"]) == "truncated"


def test_bytes_without_events_and_without_a_status_are_truncated() -> None:
    events = deltafold.events(b"")
    assert list(events) == [] and events.outcome == "truncated"


def test_a_completed_stream_raises_nothing() -> None:
    events = deltafold.events(Answer(200, STREAM))
    list(events)
    assert events.raise_for_outcome() == "completed"


def test_raise_for_outcome_before_the_end_is_misuse() -> None:
    events = deltafold.events(STREAM)
    with pytest.raises(deltafold.Misuse, match="has not ended"):
        events.raise_for_outcome()


def test_the_exception_has_the_outcome_and_the_message_of_the_provider_only_on_request() -> None:
    events = deltafold.events(Answer(401, JSON_ERROR, "application/json"))
    list(events)
    with pytest.raises(deltafold.OutcomeError) as raised:
        events.raise_for_outcome()
    error = raised.value
    assert str(error) == "the stream ended as failed (HTTP status 401, invalid_request_error, invalid_api_key)"
    assert isinstance(error, deltafold.DeltafoldError) and (error.code, error.offset) == ("outcome.failed", 0)
    assert error.outcome.error is not None and error.outcome.error.message == "K4N4RY"
    with pytest.raises(deltafold.OutcomeError, match="invalid_api_key.: K4N4RY"):
        events.raise_for_outcome(include_message=True)
    twin = pickle.loads(pickle.dumps(error))
    assert str(twin) == str(error) and twin.outcome == error.outcome and twin.code == error.code


def test_an_outcome_is_a_string_with_details() -> None:
    incomplete = deltafold.Outcome("incomplete", "max_output_tokens")
    assert incomplete == "incomplete" and incomplete != "completed" and hash(incomplete) == hash("incomplete")
    assert json.dumps({"outcome": incomplete}) == '{"outcome": "incomplete"}'
    assert f"[{incomplete:>12}]" == "[  incomplete]" and f"{incomplete!s}" == "incomplete" and type(str(incomplete)) is str
    assert repr(incomplete) == "<Outcome incomplete reason='max_output_tokens'>"
    assert incomplete == deltafold.Outcome("incomplete", "max_output_tokens") != deltafold.Outcome("incomplete", "other")
    assert {incomplete: 1}["incomplete"] == 1  # type: ignore[index]
    for value in (incomplete, deltafold.Outcome("failed", error=deltafold.Failure("a", "b", "c", "d", 500))):
        for twin in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert twin == value and twin.to_dict() == value.to_dict() and type(twin) is deltafold.Outcome


def test_format_specifiers_work_on_findings_and_reports() -> None:
    report = deltafold.check(STREAM[:1500])
    finding = report.findings[0]
    assert f"{finding:>500}".endswith(str(finding)) and len(f"{finding:>500}") == 500
    assert f"{report:.5}" == str(report)[:5] and f"{report}" == str(report)


def test_responses_items_and_reports_are_compared_by_value() -> None:
    one, two = deltafold.Reader(), deltafold.Reader()
    for reader in (one, two):
        reader.feed(STREAM)
    assert one.response == one.response == two.response == two.response.to_dict()
    assert one.response.items == two.response.items == one.response.items[0:1] and one.response.items[0] == two.response["output"][0]
    two.reset()
    two.feed(STREAM[:1500])
    assert one.response != two.response and one.response != "x" and one.response.items[0] != 7
    assert deltafold.check(STREAM) == deltafold.check(STREAM) != deltafold.check(STREAM[:1500])
    for value in (one.response, one.response.items[0], deltafold.check(STREAM)):
        with pytest.raises(TypeError, match="unhashable"):
            hash(value)


def test_notebooks_show_tables_without_payload_text() -> None:
    reader = deltafold.Reader()
    reader.feed(STREAM)
    html = reader.response._repr_html_()
    assert "<td>message</td>" in html and "Hello" not in html
    report = deltafold.check(stream(("K4N4RY<b>", "x"))[:1500])
    html = report._repr_html_()
    assert html.count("<tr>") == len(report.findings) + 1 and "K4N4RY" not in html and "<b>" not in html


def test_the_end_of_a_stream_is_logged_without_payload_text(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "deltafold"):
        list(deltafold.events(STREAM))
        list(deltafold.events(Answer(401, JSON_ERROR, "application/json")))
    levels = [(record.name, record.levelname) for record in caplog.records if "ended" in record.message]
    assert levels == [("deltafold", "DEBUG"), ("deltafold", "WARNING")]
    assert "ended as failed <Failure" in caplog.text and "K4N4RY" not in caplog.text and "Hello" not in caplog.text


def test_to_openai_returns_a_valid_object_or_raises_without_a_response() -> None:
    pytest.importorskip("openai")
    failed = frame({"type": "response.failed", "response": {"id": "resp_1", "status": "failed", "error": {"code": "server_error", "message": "m"}}})
    for data, status in ((STREAM, "completed"), (STREAM[:1500], "failed"), (failed, "failed")):
        events = deltafold.events(data)
        list(events)
        answer = events.response.to_openai()
        assert answer.status == status and isinstance(answer.output_text, str) and json.loads(answer.to_json())["tools"] == []
    for data in (b"", FAILED, JSON_ERROR):
        events = deltafold.events(data)
        list(events)
        with pytest.raises(deltafold.Misuse, match="has sent no response"):
            events.response.to_openai()
