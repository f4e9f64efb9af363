"""Checks, conversions, incomplete JSON and the command line."""

import asyncio
import copy
import json
import pathlib
import pickle
import subprocess
import sys
import time
from typing import Any, AsyncIterator, Callable, Iterator

import pytest

import deltafold
from streams import stream

STREAM = stream()


def test_a_report_is_true_without_errors_and_prints_all_findings() -> None:
    good = deltafold.check(STREAM, profile="openai", layers=["stream"])
    assert good.ok and bool(good) and good.outcome == "completed" and good.response["id"] == "resp_1" and good.errors == []
    bad = deltafold.check(STREAM[300:])
    assert not bad.ok and not bad and bad.errors and bad.rules and "SSE" in "".join(bad.rules) + "SSE"
    assert str(bad).splitlines()[0].startswith("completed, ") and str(bad.findings[0]) in str(bad) and "not ok" in repr(bad)
    assert bad.to_dict()["findings"] == [finding.to_dict() for finding in bad.findings] and not bad.to_dict()["ok"]
    assert all(finding.severity == "warning" for finding in bad.warnings)
    with pytest.raises(AssertionError, match="errors"):
        assert bad.ok, bad


def test_a_check_uses_request_status_and_headers() -> None:
    rules = deltafold.check(STREAM, headers={"content-type": "text/html"}, status=200, request={"model": "other", "input": "x"}).rules
    assert any(rule.startswith("HTTP") for rule in rules)
    with pytest.raises(deltafold.Misuse, match="reports all findings"):
        deltafold.check(STREAM, strict=True)  # type: ignore[call-arg]

    async def later() -> AsyncIterator[bytes]:
        yield STREAM

    assert asyncio.run(deltafold.acheck(later())).to_dict() == deltafold.check(STREAM).to_dict()


SHORT = {"model": "m", "input": [{"role": "user", "content": "hi"}]}


def test_the_short_form_of_a_message_is_explained_and_openai_accepts_it() -> None:
    (finding,) = deltafold.validate_request(SHORT)
    assert (finding.rule, finding.path, finding.severity) == ("ITEM-20", "/input/0/type", "error")
    assert '"type":"message"' in finding.message and "OpenAI accepts" in finding.message
    assert deltafold.validate_request(SHORT, profile="openai") == deltafold.validate_request(SHORT, edition="openai") == []
    (finding,) = deltafold.validate_request(SHORT, profile={"exemptions": [{"rule": "ITEM-20", "severity": "note"}]})
    assert finding.severity == "note"
    with pytest.raises(deltafold.Misuse, match="known profiles"):
        deltafold.validate_request(SHORT, profile="nonsense")  # type: ignore[arg-type]


def without_done(stream: bytes) -> bytes:
    """A stream as OpenAI sends it, which ends without `[DONE]`."""
    return stream.replace(b"data: [DONE]\n\n", b"")


def valid() -> bytes:
    writer = deltafold.Writer("resp_1", "m-1", 5)
    writer.message()
    writer.text("Hi")
    writer.complete({"input_tokens": 1, "output_tokens": 1})
    return writer.take()


def test_a_check_suggests_a_profile_where_one_leaves_fewer_errors() -> None:
    report = deltafold.check(without_done(valid()))
    assert not report.ok and report.rules == ["SSE-02"] and report.profile == "open-responses"
    assert report.suggested_profile is not None and "profile=\"auto\"" in str(report)
    assert deltafold.check(without_done(valid()), profile="any").suggested_profile is None
    report = deltafold.check(valid())
    assert report.ok and report.suggested_profile is None and "hint" not in str(report)


def test_a_check_with_the_profile_auto_selects_one() -> None:
    report = deltafold.check([without_done(valid())[:900], without_done(valid())[900:]], profile="auto")
    assert report.ok and report.profile not in (None, "open-responses") and report.suggested_profile is None
    assert report.profile == deltafold.suggest_profile(without_done(valid()))
    assert report.to_dict() == deltafold.check(without_done(valid()), profile=report.profile).to_dict()
    report = deltafold.check(valid(), profile="auto")
    assert report.ok and report.profile == "open-responses" == deltafold.suggest_profile(valid())


def test_a_suggestion_uses_the_request_and_the_head() -> None:
    data = without_done(valid())
    assert deltafold.suggest_profile(data, request={"model": "m-1", "input": "x"}, headers={"content-type": "text/event-stream"}, status=200)
    with pytest.raises(TypeError, match="expected bytes, found str"):
        deltafold.suggest_profile("data: {}")


def test_single_objects_are_checked() -> None:
    assert deltafold.validate_request({"model": "m", "input": "x"}) == []
    (finding,) = deltafold.validate_request('{"model":7,"input":"x"}', edition="split")
    assert (finding.rule, finding.path, finding.severity) == ("SCHEMA-02", "/model", "error")
    reader = deltafold.Reader()
    events = list(reader.feed(STREAM))
    assert deltafold.validate_event(events[4]) == deltafold.validate_event(events[4].raw) == []
    assert deltafold.validate_item(reader.response.items[0]) == []
    assert deltafold.validate_response(reader.response), "the stream leaves fields out"
    assert deltafold.validate("response_head", {"status": 200, "headers": {}})
    assert deltafold.validate("error", {"error": {}}, status=500)
    wrongs: "list[Callable[[], object]]" = [
        lambda: deltafold.validate("nonsense", {}),
        lambda: deltafold.validate_item("{"),
        lambda: deltafold.validate_item({}, edition="nonsense"),  # type: ignore[arg-type]
    ]
    for wrong in wrongs:
        with pytest.raises(deltafold.DeltafoldError):
            wrong()


def test_profiles_and_dialects_are_listed() -> None:
    assert "open-responses" in deltafold.profiles() and "openai" in deltafold.profiles()
    read, written = deltafold.dialects()
    assert "gemini" in read and "gemini" not in written and "ag-ui" in written
    assert deltafold.detect(STREAM) == "open-responses" and deltafold.detect(b"x") is None


CHAT = b"".join(
    b"data: " + json.dumps({"id": "c", "object": "chat.completion.chunk", "created": 5, "model": "m", "choices": [choice]}).encode() + b"\n\n"
    for choice in (
        {"index": 0, "delta": {"role": "assistant", "content": "Hel"}, "finish_reason": None},
        {"index": 0, "delta": {"content": "lo"}, "finish_reason": "stop"},
    )
)


def test_a_stream_is_converted_as_a_whole_and_chunk_by_chunk() -> None:
    whole, report = deltafold.convert(CHAT, "open-responses", now=7)
    assert report["from"] == "chat-completions" and report["lost"] == 0
    reader = deltafold.Reader()
    reader.feed(whole)
    assert reader.response.output_text == "Hello" and reader.close() == "completed"
    cut = [CHAT[at : at + 9] for at in range(0, len(CHAT), 9)]
    pieces = deltafold.convert_stream(cut, "open-responses", "chat-completions", now=7)
    assert next(pieces) + b"".join(pieces) == whole and pieces.report == report

    async def later() -> AsyncIterator[bytes]:
        for chunk in cut:
            yield chunk

    async def read() -> bytes:
        pieces = deltafold.aconvert_stream(later(), "open-responses", now=7)
        first = await pieces.__anext__()
        rest = [piece async for piece in pieces]
        assert pieces.report == report
        return first + b"".join(rest)

    assert asyncio.run(read()) == whole
    back = deltafold.convert(whole, "chat-completions", framing="jsonl")
    assert "".join(json.loads(line)["choices"][0]["delta"].get("content") or "" for line in back.data.splitlines()) == "Hello"


def test_times_are_those_of_the_clock_unless_they_are_given() -> None:
    before = int(time.time())
    writer = deltafold.Writer("resp_1")
    writer.complete()
    response = writer.response
    assert before <= response["created_at"] <= response["completed_at"] <= time.time()
    given = deltafold.Writer("resp_1", created_at=0)
    given.complete()
    assert (given.response["created_at"], given.response["completed_at"]) == (0, 0)

    def times(**options: Any) -> Any:
        ollama = b'{"model":"m","message":{"content":"Hi"},"done":true,"done_reason":"stop"}\n'
        data, _ = deltafold.convert(ollama, "open-responses", "ollama", response_id="r", **options)
        events = deltafold.events(data)
        list(events)
        return events.response["created_at"], events.response["completed_at"]

    created, completed = times()
    assert before <= created <= completed <= time.time()
    assert times(now=5) == (5, 5) and times(now=0) == (0, 0)


HALF = CHAT[: CHAT.index(b"\n\n") + 2]


@pytest.mark.parametrize("to", deltafold.dialects()[1])
def test_a_source_that_breaks_off_ends_with_a_terminal_event_and_raises_again(to: Any) -> None:
    def broken() -> Iterator[bytes]:
        yield HALF
        raise ConnectionError("reset by peer")

    async def abroken() -> AsyncIterator[bytes]:
        yield HALF
        raise ConnectionError("reset by peer")

    whole = deltafold.convert(HALF, to, thread_id="t", now=5).data
    assert b"before the message was finished" in whole
    # Passed on: the stream of the first conversion, without its end.
    if to == "open-responses":
        half = whole[: whole.index(b"event: error")]
        assert deltafold.convert(half, to).data.startswith(half) and b"response.failed" in deltafold.convert(half, to).data
    pieces = []
    with pytest.raises(ConnectionError):
        for piece in deltafold.convert_stream(broken(), to, thread_id="t", now=5):
            pieces.append(piece)
    assert b"".join(pieces) == whole

    async def read() -> bytes:
        pieces = []
        with pytest.raises(ConnectionError):
            async for piece in deltafold.aconvert_stream(abroken(), to, thread_id="t", now=5):
                pieces.append(piece)
        return b"".join(pieces)

    assert asyncio.run(read()) == whole


def test_a_limit_or_a_wrong_chunk_raises_after_the_bytes_that_were_ready() -> None:
    stream = deltafold.convert_stream([CHAT, b"data: " + b"x" * 600], "open-responses", "chat-completions", limits={"line_bytes": 400}, now=5)
    pieces = []
    with pytest.raises(deltafold.LimitExceeded):
        for piece in stream:
            pieces.append(piece)
    assert b"Hello" in b"".join(pieces)
    with pytest.raises(TypeError):
        list(deltafold.convert_stream(["text"], "open-responses", "chat-completions"))


def test_a_conversion_can_be_cancelled_and_refuses_unknown_names() -> None:
    converter = deltafold.Converter("open-responses", "chat-completions")
    converter.feed(CHAT[:200])
    assert converter.source == "chat-completions" and converter.target == "open-responses" and "chat-completions" in repr(converter)
    assert b"response.incomplete" in converter.cancel() and converter.lost == 0
    with pytest.raises(deltafold.Misuse):
        converter.feed(b"x")
    large = deltafold.Converter("open-responses", "chat-completions", limits={"line_bytes": 10_000})
    with pytest.raises(deltafold.LimitExceeded):
        large.feed(b"data: " + b"x" * 20_000)
    assert large.take() == b""
    options: "list[dict[str, Any]]" = [{"to": "nonsense"}, {"to": "gemini"}, {"to": "ag-ui", "nonsense": 1}, {"to": "ag-ui", "framing": "x"}]
    for wrong in options:
        with pytest.raises(deltafold.Misuse):
            deltafold.Converter(**wrong)
    for refuse in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError, match="cannot be pickled or copied"):
            refuse(converter)


def test_incomplete_json_gives_the_value_so_far() -> None:
    assert deltafold.partial_json('{"city":"Par') == {"city": "Par"} and deltafold.partial_json("") is None
    assert deltafold.partial_json("[12", numbers="include") == [12] and deltafold.partial_json("[12") == []
    growing = deltafold.PartialJson(record_changes=True)
    growing.push('{"a":[1,')
    growing.push('"x')
    assert growing.value == {"a": [1, "x"]} and growing.unfinished == ("/a/1", "string") and not growing.is_complete
    assert growing.to_json() == '{"a":[1,"x"]}' and ["/a/1", "appended", "x"] in growing.changes
    growing.clear_changes()
    growing.push('"]}')
    growing.finish()
    assert growing.is_complete and growing.unfinished is None and repr(growing) == "<PartialJson complete, 13 bytes>"
    growing.reset()
    with pytest.raises(deltafold.DeltafoldError) as caught:
        growing.push("[1 2]")
    assert caught.value.code == "json.syntax" and growing.value == [1]
    options: "list[dict[str, Any]]" = [{"numbers": "nonsense"}, {"depth": 100_000}]
    for wrong in options:
        with pytest.raises(deltafold.Misuse):
            deltafold.PartialJson(**wrong)
    with pytest.raises(TypeError, match="cannot be pickled or copied"):
        pickle.dumps(growing)


def run(*arguments: str, data: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([sys.executable, "-m", "deltafold", *arguments], input=data, capture_output=True)


def test_the_command_line_runs(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "capture.sse"
    path.write_bytes(STREAM)
    folded = run("fold", str(path))
    assert folded.returncode == 0 and json.loads(folded.stdout)["id"] == "resp_1"
    assert run("fold", "-", data=STREAM).stdout == folded.stdout
    assert run("check", str(path)).returncode == 1 and run("check", "--profile", "nonsense", str(path)).returncode == 2
    assert b"Hello" in run("show", str(path)).stdout
    assert b"chat.completion.chunk" in run("convert", "--to", "chat-completions", str(path)).stdout
    assert run("--version").stdout == f"deltafold {deltafold.__version__}\n".encode()
    for name in (b"show", b"check", b"fold", b"convert"):
        assert name in run("--help").stdout
