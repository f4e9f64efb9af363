"""Payloads can contain secrets: printed values and exceptions show kinds, codes, numbers and lengths, and no text.

Every text of a stream, ids included, ends with a marked word, which must not appear anywhere unless `quote` is set.
"""

from __future__ import annotations

import copy
import json
import traceback
from typing import Any, Callable, Iterator

import pytest

import deltafold
from deltafold.request import ToolLoop, enforce, history
from streams import call, frame, stream

CANARY = "K4N4RY"
# Names of types, and codes by which programs distinguish cases.
WORDS = {"type", "object", "status", "code", "reason"}


def mark(value: Any, key: str = "") -> Any:
    """The same value, with the canary after every text."""
    if isinstance(value, dict):
        return {name: mark(member, name) for name, member in value.items()}
    if isinstance(value, list):
        return [mark(member, key) for member in value]
    return value + CANARY if isinstance(value, str) and key not in WORDS else value


def payloads(data: bytes) -> list[dict[str, Any]]:
    lines = (line[6:] for line in data.decode().splitlines() if line.startswith("data: {"))
    return [mark(json.loads(line)) for line in lines]


ERROR = {"type": "server_error", "code": "rate_limit_exceeded", "message": f"key {CANARY}", "param": f"input.{CANARY}"}
WHOLE = payloads(stream(("My key is ", "sk-123")))
STREAMS = [
    WHOLE,
    payloads(call(('{"password":"', 'abc"}'))),
    [*WHOLE[:4], {"type": "error", "sequence_number": 4, "error": ERROR}],
    [*WHOLE[:-1], mark({"type": "response.failed", "response": {"id": "r", "status": "failed", "error": ERROR}})],
    [{"type": "acme:note", "secret": CANARY, "deep": {CANARY: [CANARY]}}],
]


def broken() -> Iterator[list[dict[str, Any]]]:
    """Each stream unchanged, and with each field of each event removed, of another type, or with another text."""
    for events in STREAMS:
        yield events
        for at, payload in enumerate(events):
            for field in payload:
                yield [*events[:at], {name: value for name, value in payload.items() if name != field}, *events[at + 1 :]]
                for other in (None, 7, CANARY, [CANARY], {"text": CANARY, CANARY: 1}):
                    # A type is a name and may be shown.
                    if field != "type":
                        yield [*events[:at], {**payload, field: other}, *events[at + 1 :]]


def data(events: list[dict[str, Any]]) -> bytes:
    return b"".join(frame({"type": "", **event}) for event in events)


def raised(error: BaseException) -> str:
    """Everything that a program may print of an exception: its text, its causes, and its attributes."""
    printed = "".join(traceback.format_exception_only(type(error), error))
    return f"{error!s} {error!r} {vars(error)} {printed} {error.__cause__!r} {error.__context__!r}"


def silent(*shown: object) -> None:
    for one in shown:
        for text in (repr(one), str(one), f"{one}"):
            assert CANARY not in text, text


def test_no_object_of_a_reader_prints_a_payload() -> None:
    findings = errors = 0
    for events in broken():
        for strict in (False, True):
            reader = deltafold.Reader(strict=strict, layers="all", profile="open-responses")
            kept = []
            try:
                for event in reader.feed(data(events)):
                    kept.append(event)
                    silent(event)
                reader.close()
            except deltafold.DeltafoldError as error:
                errors += 1
                assert CANARY not in raised(error)
            items = list(reader.response.items)
            parts = [part for item in items for part in (*item.parts, *item.summary_parts)]
            silent(kept, reader, reader.response, items, parts, reader.outcome, reader.findings)
            findings += reader.finding_count
            for finding in reader.findings:
                assert CANARY not in str(finding.to_dict())
    assert findings > 500 and errors > 100, (findings, errors)


def test_a_quote_is_shown_only_with_the_option() -> None:
    wrong = [{**WHOLE[0], "response": {**WHOLE[0]["response"], "status": CANARY}}, *WHOLE[1:]]
    texts = [str(deltafold.check(data(wrong), quote=quote)) for quote in (False, True)]
    assert [CANARY in text for text in texts] == [False, True]


def test_an_error_keeps_its_message_and_does_not_print_it() -> None:
    reader = deltafold.Reader()
    list(reader.feed(data(STREAMS[2])))
    outcome = reader.close()
    assert outcome.error and outcome.error.message == f"key {CANARY}"
    assert repr(outcome.error) == '<Failure type="server_error" code="rate_limit_exceeded", 10 bytes of message>'
    assert repr(outcome) == f"<Outcome failed error={outcome.error!r}>"


def test_sources_reports_and_conversions_print_no_payload() -> None:
    for events in STREAMS:
        given = deltafold.events([data(events)])
        silent(given, list(given), given, deltafold.check(data(events)))
    silent(next(iter(deltafold.SseDecoder().feed(data(WHOLE)))), deltafold.PartialJson())
    for to in ("chat-completions", "anthropic", "ui-message-stream"):
        made = deltafold.convert([data(WHOLE)], to)
        assert CANARY.encode() in made.data
        silent(made, made.report, deltafold.convert_stream([data(WHOLE)], to))


def test_a_failed_lookup_names_the_requested_key_and_no_payload() -> None:
    reader = deltafold.Reader()
    event: Any
    (event,) = reader.feed(data([{"type": "acme:note", "secret": CANARY, CANARY: 1}]))
    response: Any = reader.response
    looks: list[Callable[[], object]] = [
        lambda: event.nothing,
        lambda: event["nothing"],
        lambda: event[1],
        lambda: response.nothing,
        lambda: response["nothing"],
    ]
    for look in looks:
        with pytest.raises((AttributeError, KeyError)) as caught:
            look()
        assert CANARY not in raised(caught.value)


def test_refused_arguments_are_not_quoted() -> None:
    out = deltafold.Writer(id=CANARY, model=CANARY)
    bad: list[Callable[[], object]] = [
        lambda: out.text(CANARY),
        lambda: out.apply({"do": "text", "delta": CANARY}),
        lambda: out.apply({"do": "start", CANARY: CANARY}),
        lambda: deltafold.Reader.restore(CANARY.encode()),
        lambda: deltafold.Reader(limits={"depth": CANARY}),  # type: ignore[arg-type]
        lambda: deltafold.validate("event", CANARY),
        lambda: deltafold.validate("event", {"type": {CANARY}}),
        lambda: ToolLoop({"model": "m"}).result(CANARY, CANARY),
        lambda: ToolLoop({"model": "m"}).apply({"output": CANARY}),
        lambda: enforce({"tools": CANARY}, {"output": CANARY}),
        lambda: history({"input": [CANARY]}, [{"item": {"secret": CANARY}}, {CANARY: 1}]),
    ]
    refused = 0
    for work in bad:
        try:
            silent(work())
        except (deltafold.DeltafoldError, TypeError, ValueError) as error:
            refused += 1
            assert CANARY not in raised(error), raised(error)
    silent(out, ToolLoop({"model": CANARY, "input": CANARY}))
    assert refused >= 8, refused


def test_only_copies_and_pickles_contain_the_payload() -> None:
    import pickle

    reader = deltafold.Reader()
    events = list(reader.feed(data(STREAMS[2])))
    for value in (events[-1], reader.close(), copy.copy(events[0])):
        # Stored values are complete; printed ones are not.
        again = pickle.loads(pickle.dumps(value))
        assert again == value
        silent(again)
