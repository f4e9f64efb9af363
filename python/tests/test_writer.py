"""The writer as a Python object: intents by keyword, bytes that our own reader and validator accept, refusals."""

import copy
import json
import pickle
from typing import Callable

import pytest

import deltafold


def writer(**options: object) -> deltafold.Writer:
    return deltafold.Writer("resp_1", "m-1", 1_767_225_600, **options)  # type: ignore[arg-type]


def test_a_message_is_written_from_intents() -> None:
    out = writer()
    assert not out.is_started and repr(out) == '<Writer not started, 0 items, 0 events>'
    message = out.message()
    out.text("Hel")
    out.text("lo", item=message)
    out.complete({"input_tokens": 3, "output_tokens": 2})
    data = out.take()
    assert data.endswith(b"data: [DONE]\n\n") and out.take() == b"" and out.is_ended and out.is_drained
    report = deltafold.check(data)
    assert report.ok, report
    events = deltafold.events(data)
    assert [e.delta for e in events if e.type == "response.output_text.delta"] == ["Hel", "lo"]
    assert events.response.to_dict() == out.response == json.loads(out.response_json())
    assert events.response.usage == {**(events.response.usage or {}), "total_tokens": 5}


def test_items_of_many_kinds_pass_the_check() -> None:
    out = writer(edition="split", request={"model": "m-1", "input": "x", "tools": []})
    out.queue()
    out.start()
    thought = out.reasoning()
    out.reasoning_text("Hm.")
    out.reasoning_summary("Thinks.", item=thought)
    out.encrypted_content("opaque", item=thought)
    out.close(item=thought)
    one = out.function_call(call_id="c1", name="f")
    two = out.function_call(call_id="c2", name="g")
    out.arguments('{"a":', item=one)
    out.arguments("{}", item=two)
    out.arguments("1}", item=one)
    out.message()
    out.text("See ")
    out.annotation({"type": "url_citation", "url": "http://a.example", "title": "A", "start_index": 0, "end_index": 3})
    out.close_part()
    out.refusal("No.")
    search = out.open("web_search_call", action={"type": "search", "query": "x"})
    out.progress("searching", item=search)
    out.close("completed", item=search)
    out.open("acme:note", text="x")
    out.set("more", [1, None, 2.5])
    out.extension_event("acme:trace", span=7)
    out.heartbeat()
    assert out.is_open() and not out.is_open(thought) and out.item_count == 6
    out.usage({"input_tokens": 1, "output_tokens": 1})
    out.now(1_767_225_601)
    out.complete()
    data = out.take()
    events = [e for e in deltafold.events(data)]
    assert [e.sequence_number for e in events] == list(range(out.sequence_number))
    report = deltafold.check(data, edition="split")
    assert report.ok, report
    assert [item["type"] for item in out.response["output"]][:3] == ["reasoning", "function_call", "function_call"]
    assert out.response["output"][1]["arguments"] == '{"a":1}'


def test_every_intent_has_a_method() -> None:
    for word in deltafold.Writer.intents():
        assert callable(getattr(deltafold.Writer, word)), word


def test_an_intent_that_the_state_forbids_is_misuse_and_changes_nothing() -> None:
    out = writer()
    with pytest.raises(deltafold.Misuse, match="expected an open item") as caught:
        out.text("x")
    assert caught.value.code == "misuse.intent" and out.take() == b""
    out.message()
    out.text("Hi")
    before = out.response
    wrongs: "list[Callable[[], object]]" = [
        lambda: out.arguments("{}"),
        lambda: out.set("type", "x"),
        lambda: out.annotation({"type": "nonsense", "x": float("nan")}),
        lambda: out.annotation({"x": object()}),
        lambda: out.apply({"do": "teleport"}),
        lambda: out.apply("{"),
        lambda: out.text("x", item=9),
        lambda: out.incomplete(""),
        lambda: out.extension_event("nonsense"),
    ]
    for wrong in wrongs:
        with pytest.raises(deltafold.Misuse):
            wrong()
    assert out.response == before
    out.complete()
    with pytest.raises(deltafold.Misuse, match="expected an open response"):
        out.text("late")
    assert deltafold.check(out.take()).ok


@pytest.mark.parametrize("options", [{"reasoning_names": "nonsense"}, {"edition": "nonsense"}, {"heartbeat": "nonsense"}, {"template": 7}])
def test_unknown_options_are_misuse(options: "dict[str, object]") -> None:
    with pytest.raises(deltafold.Misuse):
        writer(**options)


def test_events_are_returned_as_json_for_a_websocket() -> None:
    out = writer()
    out.apply('{"do": "message"}')
    assert out.apply({"do": "text", "text": "\U0001f600 \u2028"}) is None
    out.cancel()
    reader = deltafold.Reader()
    while (event := out.poll_event()) is not None:
        reader.feed_json(event)
    assert reader.response.output_text == "\U0001f600 \u2028" and reader.close() == "cancelled"


def test_a_failure_has_its_message() -> None:
    out = writer()
    out.message()
    out.fail({"type": "server_error", "code": "overloaded", "message": "too much"})
    reader = deltafold.Reader()
    reader.feed(out.take())
    outcome = reader.close()
    assert outcome == "failed" and outcome.error is not None and outcome.error.message == "too much"
    with pytest.raises(deltafold.Misuse):
        writer().error({"text": "no message"})


def test_a_lone_surrogate_is_written_as_a_replacement() -> None:
    out = writer()
    out.message()
    out.text("a\ud83db")
    out.complete()
    reader = deltafold.Reader()
    reader.feed(out.take())
    assert reader.response.output_text.startswith("a") and reader.close() == "completed"


def test_writers_are_not_pickled_or_copied() -> None:
    for refuse in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError, match="cannot be pickled or copied"):
            refuse(writer())
