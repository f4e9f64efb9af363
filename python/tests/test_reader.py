"""The reader as a Python object: pulling events, the live response, outcomes, errors, saving, memory."""

import copy
import gc
import json
import pickle
import sys
import threading
import weakref
from random import Random
from typing import Callable

import pytest

import deltafold
from streams import call, frame, stream

STREAM = stream()


def test_events_findings_and_response_do_not_depend_on_the_split() -> None:
    def read(step: int) -> object:
        reader = deltafold.Reader(layers="all")
        events = [e for at in range(0, len(STREAM), step) for e in reader.feed(STREAM[at : at + step])]
        events.extend(reader.end())
        return events, [e.offset for e in events], reader.close(), reader.findings, reader.response.to_dict()

    whole = read(len(STREAM))
    for step in (1, 2, 7, 100, 1000):
        assert read(step) == whole


def test_the_response_is_live_after_each_event() -> None:
    for chunk in (1, 50, len(STREAM)):
        reader, seen = deltafold.Reader(), []
        response = reader.response
        for at in range(0, len(STREAM), chunk):
            for event in reader.feed(STREAM[at : at + chunk]):
                seen.append((event.type, response.output_text, len(response.items)))
        assert [text for kind, text, _ in seen if kind == "response.output_text.delta"] == ["Hel", "Hello"]
        assert seen[0] == ("response.created", "", 0) and seen[2][2] == 1


def test_the_response_reads_like_a_mapping_and_like_an_object() -> None:
    reader = deltafold.Reader()
    assert reader.response.id == "" and not reader.response.to_dict() and reader.response and len(reader.response) == 0
    reader.feed(STREAM)
    response = reader.response
    whole = response.to_dict()
    assert json.loads(response.to_json()) == whole == dict(response) == response.model_dump()
    assert response.id == response["id"] == response.get("id") == "resp_1" and response.object == "response"
    assert (response.status, response.model, response.output_text) == ("completed", "m-1", "Hello")
    assert response.usage == reader.usage == {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
    assert response.error is None and response.incomplete_details is None
    assert response.output == response["output"] == whole["output"] and list(response) == list(whole)
    assert "id" in response and "nonsense" not in response and 1 not in response
    with pytest.raises(AttributeError, match='the response has no field "nonsense"'):
        response.nonsense
    with pytest.raises(KeyError, match="nonsense"):
        response["nonsense"]
    assert repr(response) == '<Response completed, 1 items>'


def test_items_and_parts_are_live_views() -> None:
    reader = deltafold.Reader()
    reader.feed(STREAM)
    (item,) = reader.response.items
    assert (item.type, item.id, item.status, item.is_done, item.text) == ("message", "msg_1", "completed", True, "Hello")
    assert item.role == item["role"] == item.get("role") == "assistant" and "role" in item and "nonsense" not in item
    assert dict(item) == item.to_dict() == json.loads(item.to_json()) == reader.response.output[0] and len(item) == 5
    (part,) = item.parts
    assert (part.type, part.text, part["annotations"], part.get("nonsense", 1)) == ("output_text", "Hello", [], 1)
    assert item.summary_parts == [] and item.partial_images == []
    for view in (item, part):
        with pytest.raises(AttributeError):
            view.nonsense  # type: ignore[union-attr]
        with pytest.raises(KeyError):
            view["nonsense"]
    reader.reset()
    with pytest.raises(IndexError, match="no longer has this item"):
        item.type


def test_arguments_are_readable_while_they_grow() -> None:
    reader = deltafold.Reader()
    seen = []
    for event in reader.feed(call(('{"ci', 'ty":"Par', 'is","days":1', "4}"))):
        (item,) = reader.response.items
        seen.append((item.arguments, item.partial_arguments()))
    assert seen[0] == ("", None) and seen[2] == ('{"city":"Par', {"city": "Par"})
    assert seen[3][1] == {"city": "Paris"} and seen[4][1] == {"city": "Paris", "days": 14}
    found = reader.response.item_at_index(0)
    assert found is not None and found.id == "fc_1" and reader.response.item_at_index(9) is None


def test_structured_output_is_readable_while_it_grows() -> None:
    reader = deltafold.Reader()
    reader.feed(stream(('{"a":[1,', '2')).split(b"event: response.output_text.done")[0])
    assert reader.response.items[0].parts[0].partial_json() == {"a": [1]}


def test_events_are_applied_without_a_loop() -> None:
    reader = deltafold.Reader()
    for at in range(0, len(STREAM), 10):
        reader.feed(STREAM[at : at + 10])
    assert reader.response.output_text == "Hello" and reader.outcome == "completed" and reader.event_count == 10
    reader.reset()
    for _ in reader.feed(STREAM):
        break
    assert reader.event_count == 10


def test_a_stored_iterator_loses_no_event() -> None:
    reader = deltafold.Reader()
    first = reader.feed(STREAM[:1000])
    second = reader.feed(STREAM[1000:])
    events = [*first, *second]
    assert len(events) == 10 and reader.response.output_text == "Hello"


def test_large_chunks_are_read_event_by_event_too() -> None:
    data = stream(tuple("x" * 40 for _ in range(500)))
    assert len(data) > 100_000
    reader, lengths = deltafold.Reader(), []
    for event in reader.feed(data):
        if event.type == "response.output_text.delta":
            lengths.append(len(reader.response.output_text))
    assert lengths == [40 * n for n in range(1, 501)]


def test_the_end_of_input_may_complete_a_last_event() -> None:
    reader = deltafold.Reader()
    assert list(reader.feed(STREAM.split(b"\n\n")[0])) == []
    assert [event.type for event in reader.end()] == ["response.created"]
    outcome = reader.close()
    assert outcome == "truncated" and outcome.last_sequence_number == 0 and reader.close() == outcome
    with pytest.raises(deltafold.Misuse) as caught:
        reader.feed(b"x")
    assert caught.value.code == "misuse.after_finish"


def test_json_messages_need_no_frames() -> None:
    reader = deltafold.Reader()
    for block in STREAM.split(b"\n\n")[:-2]:
        payload = block.split(b"data: ")[1]
        for message in (payload, payload.decode(), json.loads(payload)):
            reader.feed_json(message)
            break
    assert reader.response.output_text == "Hello" and reader.close() == "completed"
    assert [e.type for e in deltafold.Reader().feed_json({"type": "ping"})] == ["ping"]


def test_outcomes_have_a_reason() -> None:
    def outcome(payload: "dict[str, object]") -> deltafold.Outcome:
        reader = deltafold.Reader()
        reader.feed(frame({"sequence_number": 0, **payload}))
        return reader.close()

    incomplete = outcome({"type": "response.incomplete", "response": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}})
    assert incomplete == "incomplete" and incomplete.reason == "max_output_tokens" and str(incomplete) == "incomplete"
    failed = outcome({"type": "error", "error": {"type": "server_error", "code": "x", "message": "m", "param": None}})
    assert failed.error == deltafold.Failure("server_error", "x", "m") and "server_error" in repr(failed)
    assert failed == pickle.loads(pickle.dumps(failed)) == copy.deepcopy(failed) and hash(failed) == hash("failed")
    assert failed != incomplete and failed != 7


def test_findings_are_values() -> None:
    reader = deltafold.Reader(layers=["stream"], profile="open-responses")
    reader.feed(b'data: {"type":"response.output_text.delta","delta":"x"}\n\n')
    reader.close()
    assert reader.findings and reader.finding_count == len(reader.findings)
    for finding in reader.findings:
        assert finding == pickle.loads(pickle.dumps(finding)) == copy.copy(finding)
        assert hash(finding) == hash(deltafold.Finding(**finding.to_dict()))
        assert str(finding).startswith(f"{finding.severity} {finding.rule} at byte {finding.offset}")
        assert finding.message in repr(finding)


def test_a_strict_reader_raises_where_the_rule_is_broken_and_then_always() -> None:
    reader = deltafold.Reader(strict=True, layers=["stream"], profile="open-responses")
    events = reader.feed(STREAM + frame({"type": "response.created", "sequence_number": 3, "response": {}}))
    seen = []
    with pytest.raises(deltafold.StrictViolation) as caught:
        for event in events:
            seen.append(event)
    assert len(seen) == 10 and reader.response.output_text == "Hello"
    assert caught.value.code == "strict.violation" and isinstance(caught.value, deltafold.DeltafoldError)
    for again in (lambda: reader.feed(b""), reader.close, lambda: next(events)):
        with pytest.raises(deltafold.StrictViolation):
            again()


def test_a_limit_raises_after_the_events_before_it() -> None:
    reader = deltafold.Reader(limits={"frame_bytes": 3000})
    events = reader.feed(STREAM + b"data: " + b"x" * 9000 + b"\n\n")
    with pytest.raises(deltafold.LimitExceeded, match="larger than the limit") as caught:
        for _ in events:
            pass
    assert caught.value.code == "limit.frame" and reader.response.output_text == "Hello"
    with pytest.raises(deltafold.LimitExceeded):
        reader.close()
    reader.reset()
    assert len(list(reader.feed(STREAM))) == 10


@pytest.mark.parametrize(
    "options",
    [
        {"limits": {"nonsense": 1}},
        {"limits": {"depth": 10_000}},
        {"limits": {"overflow": "x"}},
        {"layers": ["nonsense"]},
        {"edition": "nonsense"},
        {"profile": "nonsense"},
        {"images": "nonsense"},
    ],
)
def test_unknown_options_are_misuse(options: "dict[str, object]") -> None:
    with pytest.raises(deltafold.Misuse):
        deltafold.Reader(**options)  # type: ignore[arg-type]


def test_a_restored_reader_continues_after_the_last_event() -> None:
    half = len(STREAM) // 2
    reader = deltafold.Reader()
    before = list(reader.feed(STREAM[:half]))
    saved = reader.save()
    again = deltafold.Reader.restore(saved, quote=False)
    after = list(again.feed(STREAM))
    assert [e.sequence_number for e in before + after] == list(range(10))
    assert again.response.output_text == "Hello" and again.close() == "completed"
    with pytest.raises(deltafold.DeltafoldError) as caught:
        deltafold.Reader.restore(saved[:-3])
    assert caught.value.code == "save.damaged"


def test_any_input_changes_the_activity() -> None:
    reader, last = deltafold.Reader(), 0
    for chunk in (b": idle\n\n", b"\n", b"data", b": {}\n\n", b"event: ping\ndata: {}\n\n"):
        reader.feed(chunk)
        assert reader.activity > last
        last = reader.activity


def test_transport_data_is_kept() -> None:
    reader = deltafold.Reader()
    for headers in ({"x-ratelimit-remaining-requests": "9"}, [(b"Retry-After", b"2")]):
        reader.note_headers(headers, 200)
    assert reader.rate_limits["headers"]["x-ratelimit-remaining-requests"] == "9"
    assert reader.rate_limits["retry_after_seconds"] == 2.0
    reader.feed(b"id: 7\nretry: 250\ndata: [DONE]\n\n")
    assert (reader.last_event_id, reader.retry, reader.saw_done) == ("7", 250, True) and reader.offset > 20
    reader.note_request({"model": "m", "input": "x"})
    with pytest.raises(deltafold.DeltafoldError):
        reader.note_request("{")


@pytest.mark.parametrize(("wrong", "word"), [("data: 1\n\n", "str"), (7, "int"), (None, "NoneType")])
def test_input_other_than_bytes_is_a_type_error(wrong: object, word: str) -> None:
    with pytest.raises(TypeError, match=f"expected bytes, found {word}"):
        deltafold.Reader().feed(wrong)


def test_readers_and_views_are_not_pickled_or_copied() -> None:
    reader = deltafold.Reader()
    iterator = reader.feed(call(("{}",)))
    views = [reader, reader.response, iterator]
    list(iterator)
    views += [reader.response.items[0]]
    for view in views:
        for refuse in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be pickled or copied"):
                refuse(view)


def test_a_reader_is_a_context() -> None:
    with deltafold.Reader() as reader:
        reader.feed(STREAM)
    assert reader.outcome == "completed" and "completed, 10 events, 0 findings" in repr(reader)
    with pytest.raises(ZeroDivisionError):
        with deltafold.Reader(limits={"frame_bytes": 1}) as reader:
            reader.feed(b"data: 123\n\n")
            raise ZeroDivisionError


def test_a_reader_is_freed() -> None:
    reader = deltafold.Reader()
    events, response = list(reader.feed(STREAM)), reader.response
    gone = weakref.ref(reader)
    del reader, response
    gc.collect()
    assert gone() is None and events[0].type == "response.created"


def test_eight_threads_on_one_reader_lose_no_event() -> None:
    reader = deltafold.Reader()
    seen: "list[deltafold.Event]" = []
    small, large = frame({"type": "acme:small"}), frame({"type": "acme:large", "x": "x" * 9000})

    def work() -> None:
        for _ in range(200):
            seen.extend(reader.feed(small))
            seen.extend(reader.feed(large))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == reader.event_count == 3200


def test_one_reader_per_thread_is_independent() -> None:
    data = stream(tuple("word " for _ in range(300)))
    texts = []

    def work() -> None:
        reader = deltafold.Reader()
        for at in range(0, len(data), 5000):
            for _ in reader.feed(data[at : at + 5000]):
                pass
        texts.append(reader.response.output_text)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == ["word " * 300] * 8


def test_a_finaliser_may_read_the_reader_that_is_in_use() -> None:
    """A collection may start whenever objects are created; its finalisers must find the reader's lock free."""
    reader = deltafold.Reader()
    reader.feed(STREAM)
    seen = []

    class Asks:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            seen.append(reader.response.output_text)

    old = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(50):
            Asks()
            reader.response.to_dict(), reader.usage, reader.rate_limits, reader.response.output, reader.findings
    finally:
        gc.set_threshold(*old)
    assert len(seen) > 10 and set(seen) == {"Hello"}


def test_the_interpreter_is_released_while_large_input_is_read() -> None:
    """A thread that waits for the interpreter gets it while one large event is read, and while many unread events are
    applied; not while small ones are read one by one.
    """
    small, large = (frame({"type": "acme:x", "x": "x" * size}) for size in (10, 1_000_000))
    many = frame({"type": "acme:x", "x": "x" * 100}) * 7000

    def released(data: bytes, work: "Callable[[list[deltafold.Events]], object]") -> bool:
        # A busy machine may not wake the other thread in time, so there are many attempts; without a release all of them fail.
        fed = [deltafold.Reader().feed(data) for _ in range(60)]
        held, seen = threading.Lock(), []
        held.acquire()

        def wait() -> None:
            held.acquire()
            seen.append(True)

        thread = threading.Thread(target=wait)
        thread.start()
        interval = sys.getswitchinterval()
        # Longer than any test: the other thread runs only if the interpreter is released.
        sys.setswitchinterval(1000)
        try:
            held.release()
            while fed and not seen:
                work(fed)
            return bool(seen)
        finally:
            sys.setswitchinterval(interval)
            thread.join()

    assert released(large, lambda fed: next(fed.pop()))
    assert released(many, lambda fed: fed.pop() and None)
    assert not released(small, lambda fed: list(fed.pop()))


def test_the_response_follows_the_loop_and_not_the_chunk() -> None:
    reader = deltafold.Reader()
    events = reader.feed(STREAM)
    assert reader.event_count == 0 and reader.outcome is None and reader.last_sequence_number is None
    for count, event in enumerate(events, 1):
        assert reader.event_count == count and reader.last_sequence_number == event.sequence_number
        again = deltafold.Reader.restore(reader.save())
        assert again.last_sequence_number == event.sequence_number
        assert again.response.output_text == reader.response.output_text
        assert (reader.outcome is not None) == (event.type == "response.completed")
    assert count == 10


def test_no_bytes_from_a_server_raise() -> None:
    """Random changes, splits, repetitions and mixes of bytes: every result is readable, and nothing raises."""
    random = Random(7)
    source = STREAM + call(('{"a":', '"\\ud83d', "1}")) + frame({"type": "acme:x", "items": [1, {"keys": None}]})
    for _ in range(150):
        data = bytearray(source)
        for _ in range(random.randrange(1, 30)):
            at = random.randrange(len(data))
            piece = bytes(random.choice(b'{}[]":,\\\n\r0e-\x00\xff\xc3td') for _ in range(random.randrange(4)))
            data[at : at + random.randrange(4)] = piece
        reader, at = deltafold.Reader(layers="all"), 0
        while at < len(data):
            step = random.choice((1, 7, 100, 5000))
            for event in reader.feed(bytes(data[at : at + step])):
                repr(event), event.to_dict(), dir(event), hash(event), event.frame_name, event.kind
                for name in event:
                    assert event.get(name) == event[name]
                assert pickle.loads(pickle.dumps(event)) == event
            at += step
        response = reader.response
        for item in response.items:
            item.partial_arguments(), item.to_dict(), [part.partial_json() for part in item.parts], repr(item)
        response.to_dict(), response.to_json(), response.output_text, reader.save(), [str(one) for one in reader.findings]
        assert reader.close().name in ("completed", "incomplete", "failed", "cancelled", "truncated")
