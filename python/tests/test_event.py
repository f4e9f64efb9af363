"""An event as a Python object: fields as attributes and items, values that compare, hash, copy and pickle."""

import collections.abc
import copy
import decimal
import json
import math
import pathlib
import pickle
import runpy
import sys
from typing import Any

import pytest

import deltafold
from deltafold import types
from deltafold._native import _event_classes
from streams import frame, stream


def read(data: bytes) -> "list[Any]":
    return list(deltafold.Reader().feed(data))


DELTA = next(event for event in read(stream()) if event.type == "response.output_text.delta")


def test_every_wire_field_is_an_attribute_and_an_item() -> None:
    for event in read(stream()):
        payload = json.loads(event.raw)
        assert event.to_dict() == event.model_dump() == dict(event.items()) == payload
        assert list(event) == list(event.keys()) == list(payload) and len(event) == len(payload)
        assert list(event.values()) == list(payload.values())
        for name, value in payload.items():
            assert getattr(event, name) == event[name] == event.get(name) == value
            assert name in event and name in dir(event)


def test_unlisted_fields_are_readable() -> None:
    (event,) = read(frame({"type": "acme:trace", "span": {"id": 7}, "class": None}))
    assert event.span == {"id": 7} and event["class"] is None and event.is_extension and event.kind == "extension"


def test_a_missing_field_is_an_attribute_error_or_a_key_error() -> None:
    for name in ("text", "summary_index", "nonsense"):
        with pytest.raises(AttributeError, match=f'event "response.output_text.delta" has no field "{name}"'):
            getattr(DELTA, name)
        with pytest.raises(KeyError, match=name):
            DELTA[name]
        assert DELTA.get(name) is None and DELTA.get(name, 7) == 7
        assert name not in DELTA and not hasattr(DELTA, name) and name not in dir(DELTA)
    with pytest.raises(KeyError):
        DELTA[0]
    assert 0 not in DELTA


def test_a_missing_sequence_number_is_none() -> None:
    event = deltafold.Event.parse({"type": "response.output_text.delta"})
    assert event.sequence_number is None and "sequence_number" not in event and event.get("sequence_number", 7) == 7
    assert DELTA.sequence_number == 4


def test_a_value_of_the_wrong_type_is_returned_unchanged() -> None:
    (event,) = read(frame({"type": "response.output_text.delta", "sequence_number": "x", "output_index": -1, "delta": {"a": 1}}))
    found: "tuple[object, ...]" = (event.sequence_number, event.output_index, event.delta)
    assert found == ("x", -1, {"a": 1})


def test_a_text_delta_creates_one_string() -> None:
    assert DELTA.delta == "Hel" and DELTA.delta is DELTA.delta


def test_type_strings_and_item_ids_are_shared() -> None:
    one, two = [event for event in read(stream()) if event.type == "response.output_text.delta"]
    assert one.type is two.type is sys.intern("response.output_text.delta") is one.kind
    assert one.item_id is two.item_id


def test_an_event_is_small_and_has_no_dict() -> None:
    assert sys.getsizeof(DELTA) <= 128 + len(DELTA.raw)
    assert not hasattr(DELTA, "__dict__")
    with pytest.raises(AttributeError):
        DELTA.delta = "x"


@pytest.mark.parametrize("text", ["a\"b", "\u00e9\u4e2d", "\U0001f600", "\x00", "", "\u2028"])
def test_text_is_exact(text: str) -> None:
    for escaped in (True, False):
        payload = json.dumps({"type": "response.output_text.delta", "delta": text}, ensure_ascii=escaped)
        (event,) = read(f"data: {payload}\n\n".encode())
        assert event.delta == event["delta"] == text and event.raw == payload


def test_a_lone_surrogate_is_a_replacement_character() -> None:
    (event,) = read(b'data: {"type":"response.output_text.delta","delta":"\\ud83d"}\n\n')
    assert event.delta == event["delta"] == "\ufffd" and "\\ud83d" in event.raw


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1), ("-7", -7), ("1.0", 1.0), ("-0.0", -0.0), ("1e400", float("inf")), ("18446744073709551616", 2**64), ("9" * 400, int("9" * 400))],
)
def test_numbers_are_converted_as_in_the_json_module(text: str, value: object) -> None:
    (event,) = read(b'data: {"type":"acme:n","n":%b}\n\n' % text.encode())
    assert event.n == value and type(event.n) is type(value)


def test_minus_zero_keeps_its_sign() -> None:
    (event,) = read(b'data: {"type":"acme:n","sequence_number":-0}\n\n')
    for value in (event.sequence_number, event["sequence_number"], event.to_dict()["sequence_number"]):
        assert value == 0 and math.copysign(1, value) == -1 and type(value) is float


def test_a_number_that_python_refuses_keeps_every_digit() -> None:
    (event,) = read(b'data: {"type":"acme:n","n":%b}\n\n' % (b"7" * 5000))
    assert str(event.n) == "7" * 5000 or event.n == decimal.Decimal("7" * 5000)


def test_a_payload_that_is_not_an_object_is_an_event_with_its_text() -> None:
    for payload in ("not json", "[1]", '"x"', "{", ""):
        events = read(f"event: x\ndata: {payload}\n\n".encode())
        for event in events:
            assert event.raw == payload and event.type == "" and event.to_dict() == {} and event.frame_name == "x"
            assert list(event) == [] and "type" not in event and not hasattr(event, "delta")


def test_the_last_of_repeated_keys_is_used() -> None:
    (event,) = read(b'data: {"type":"response.output_text.delta","delta":"a","delta":"b"}\n\n')
    assert event.delta == event["delta"] == "b" and event.to_dict()["delta"] == "b" and len(event) == 2


def test_payloads_are_parsed_down_to_the_depth_limit() -> None:
    def nested(depth: int) -> bytes:
        return b'data: {"type":"acme:d","d":' + b"[" * depth + b"]" * depth + b"}\n\n"

    assert read(nested(127))[0].to_dict()["d"]
    (deep,) = read(nested(5000))
    assert deep.to_dict() == {} and len(deep.raw) > 10_000
    (allowed,) = deltafold.Reader(limits={"depth": 400}).feed(nested(300))
    assert allowed["d"]


def test_events_are_values() -> None:
    again = next(event for event in read(stream()) if event.type == DELTA.type)
    assert again == DELTA and hash(again) == hash(DELTA) and again != "x" and {again, DELTA} == {DELTA}
    assert deltafold.Event.parse(DELTA.raw) != DELTA, "it has no frame name"
    assert deltafold.Event.parse(DELTA.to_dict())["delta"] == "Hel"


def test_events_are_copied_and_pickled() -> None:
    for event in read(stream()):
        assert copy.copy(event) is event and copy.deepcopy(event) is event
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            twin = pickle.loads(pickle.dumps(event, protocol))
            assert twin == event and (twin.index, twin.offset, twin.frame_name) == (event.index, event.offset, event.frame_name)


def test_repr_shows_routing_fields_and_no_payload() -> None:
    assert repr(DELTA).startswith("<OutputTextDeltaEvent sequence_number=4 output_index=0 content_index=0, ")
    assert "Hel" not in repr(DELTA)
    assert repr(deltafold.Event.parse('{"type":"acme:trace"}')).startswith('<ExtensionEvent "acme:trace", ')


KINDS = {kind: cls for kind, cls in _event_classes.items() if kind not in ("extension", "unknown")}


def test_every_kind_has_its_own_class_in_the_types_module() -> None:
    assert len(KINDS) > 60 and len(set(KINDS.values())) == len(KINDS)
    for kind, cls in KINDS.items():
        event = deltafold.Event.parse({"type": kind})
        assert type(event) is cls is getattr(types, cls.__name__), kind
        assert cls.__module__ == "deltafold.types" and cls.__mro__[1] is deltafold.Event and cls.__doc__ == f"`{kind}`"
        assert isinstance(event, deltafold.Event) and isinstance(event, collections.abc.Mapping)
        assert [other for other in KINDS.values() if isinstance(event, other)] == [cls], kind
    in_types = {name for name in types.__all__ if isinstance(getattr(types, name), type) and issubclass(getattr(types, name), deltafold.Event)}
    assert in_types == {cls.__name__ for cls in _event_classes.values()} | {"StreamEvent"}


def test_an_alias_has_the_class_of_its_kind() -> None:
    event = deltafold.Event.parse({"type": "response.rate_limits.updated"})
    assert type(event) is types.CodexRateLimitsEvent and event.kind == "codex.rate_limits"


def test_events_of_other_types_are_extension_or_unknown_events() -> None:
    for payload, cls in (
        ('{"type":"acme:trace"}', types.ExtensionEvent),
        ('{"type":"response.of.tomorrow"}', types.UnknownEvent),
        ('{"delta":"x"}', types.UnknownEvent),
        ("not json", types.UnknownEvent),
    ):
        event: deltafold.Event = deltafold.Event.parse(payload)
        assert type(event) is cls, payload


def test_events_keep_their_class_when_read_copied_and_pickled() -> None:
    for event in read(stream()):
        assert type(event) is _event_classes[event.kind]
        assert type(copy.deepcopy(event)) is type(pickle.loads(pickle.dumps(event))) is type(event)


def test_event_classes_cannot_be_instantiated() -> None:
    for cls in (deltafold.Event, types.CreatedEvent, types.UnknownEvent):
        with pytest.raises(TypeError):
            cls()


def test_an_event_is_a_mapping() -> None:
    assert {**DELTA} == DELTA.to_dict()
    assert isinstance(DELTA, collections.abc.Mapping)


@pytest.mark.skipif(sys.version_info < (3, 10), reason="match came with Python 3.10")
def test_an_event_can_be_matched_by_class_and_by_key() -> None:
    code = """
match event:
    case Event("response.output_text.delta", delta=text): by_class = text
match event:
    case {"type": "response.output_text.delta", "delta": text}: by_key = text
match event:
    case types.CreatedEvent(): by_kind = None
    case types.UnknownEvent() | types.ExtensionEvent(): by_kind = None
    case types.OutputTextDeltaEvent(delta=text): by_kind = text
"""
    names: "dict[str, Any]" = {"event": DELTA, "Event": deltafold.Event, "types": types}
    exec(code, names)
    assert names["by_class"] == names["by_key"] == names["by_kind"] == "Hel"


@pytest.mark.skipif(sys.version_info < (3, 10), reason="match came with Python 3.10")
def test_the_match_statement_that_type_checkers_accept_works_at_run_time() -> None:
    names = runpy.run_path(str(pathlib.Path(__file__).parent / "typing" / "good_match.py"))
    texts = [names["text_of"](event) for event in read(stream()) if event.type.startswith("response.output_text")]
    assert texts == ["Hel", "lo", "Hello"]
    assert names["text_of"](deltafold.Event.parse('{"type":"x"}')) == "unknown"


def test_events_outlive_their_reader() -> None:
    kept = read(stream())
    assert [event.delta for event in kept if event.type == "response.output_text.delta"] == ["Hel", "lo"]


def test_fields_never_come_from_another_event() -> None:
    """Events that resemble their predecessor share fields with it; also after events that were read without objects."""

    def delta(number: int, at: int, part: int, text: str, kind: str = "output_text") -> bytes:
        place = {"item_id": f"msg_{at}", "output_index": at, "content_index": part}
        return frame({"type": f"response.{kind}.delta", "sequence_number": number, **place, "delta": text})

    places = [(0, 0)] * 6 + [(1, 0)] * 4 + [(1, 1)] * 4 + [(0, 0), (2, 40), (0, 0), (2, 40)] * 3 + [(40, 0)] * 5
    texts = ("a", "b c", "", "\n", "\u00e9", '"', "word ")
    frames = [delta(number, at, part, texts[number % len(texts)]) for number, (at, part) in enumerate(places)]
    frames += [delta(900 + number, 0, 0, "x", kind) for number, kind in enumerate(("refusal", "refusal", "output_text", "output_text"))]
    reader = deltafold.Reader()
    for step in range(1, 7):
        seen = 0
        # In every second round, one chunk of three is applied without creating events.
        for start in range(0, len(frames), step):
            events = reader.feed(b"".join(frames[start : start + step]))
            for event in events:
                seen += 1
                for name, value in event.to_dict().items():
                    assert getattr(event, name) == value == event[name], (step, start, name)
                assert event.frame_name == event.type == event.to_dict()["type"]
                if step % 2 and start % 3 == 0:
                    break
            del events
        assert seen == len(frames) or step % 2
        reader.reset()
