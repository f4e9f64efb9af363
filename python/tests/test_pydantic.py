"""Models of events, items and responses, and structured output that is validated while it arrives."""

from __future__ import annotations

import datetime
import glob
import json
import os
import random
import sys
from typing import Any, Dict, List, Literal, Optional, Union

import pytest

import deltafold
from streams import stream

pydantic = pytest.importorskip("pydantic")

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator  # noqa: E402
from typing_extensions import Annotated, TypedDict  # noqa: E402

from deltafold import models as wire, pydantic as models  # noqa: E402

EVENTS = list(deltafold.Reader().feed(stream()))


def valid() -> deltafold.Reader:
    writer = deltafold.Writer("resp_1", "m-1", 5)
    writer.message()
    writer.text("Hi")
    writer.function_call(call_id="call_1", name="look")
    writer.arguments('{"at":1}')
    writer.open("acme:note", body={"n": 1})
    writer.complete({"input_tokens": 1, "output_tokens": 1})
    reader = deltafold.Reader()
    reader.feed(writer.take())
    return reader


def test_every_kind_of_event_with_a_schema_has_a_model_of_its_name() -> None:
    from deltafold import types

    for kind, model in wire.EVENTS.items():
        cls = getattr(types, model.__name__)
        assert type(deltafold.Event.parse({"type": kind})) is cls, kind
    assert len(wire.EVENTS) > 70 and len(wire.ITEMS) > 20


def test_an_event_becomes_its_model_and_keeps_every_member() -> None:
    event = next(event for event in EVENTS if event.type == "response.output_text.delta")
    for given in (event, event.to_dict(), event.raw):
        model = models.event_model(given)
        assert isinstance(model, wire.OutputTextDeltaEvent) and (model.delta, model.output_index) == ("Hel", 0)
        assert model.model_dump(by_alias=True, exclude_unset=True) == event.to_dict()
    other = models.event_model({"type": "acme:trace", "sequence_number": 1, "span": {"a": [1]}})
    assert isinstance(other, models.OtherEvent) and other.type == "acme:trace" and other.model_extra == {"sequence_number": 1, "span": {"a": [1]}}
    with pytest.raises(ValidationError, match="delta"):
        models.event_model({"type": "response.output_text.delta", "sequence_number": 1})


def test_items_and_responses_become_models() -> None:
    reader = valid()
    message, call, note = [models.item_model(item) for item in reader.response.items]
    assert isinstance(message, wire.Message) and isinstance(message.content[0], wire.OutputTextContent) and message.content[0].text == "Hi"
    assert isinstance(call, wire.FunctionCall) and (call.name, call.arguments, call.async_) == ("look", '{"at":1}', None)
    assert isinstance(note, models.OtherItem) and note.type == "acme:note"
    response = models.response_model(reader.response)
    assert [type(item).__name__ for item in response.output] == ["Message", "FunctionCall", "dict"]
    assert response.usage is not None and response.usage.total_tokens == 2
    assert response.model_dump(by_alias=True, exclude_unset=True) == reader.response.to_dict() == models.response_model(reader.response.to_dict()).model_dump(by_alias=True, exclude_unset=True)
    with pytest.raises(ValidationError):
        models.response_model(deltafold.Reader().response)


@pytest.mark.skipif("DELTAFOLD_SHARED" not in os.environ, reason="DELTAFOLD_SHARED is not set")
def test_events_of_recordings_become_models_without_loss() -> None:
    good = missing = 0
    for file in sorted(glob.glob(os.path.join(os.environ["DELTAFOLD_SHARED"], "corpus", "responses", "*.sse"))):
        for event in deltafold.events(file):
            try:
                model = models.event_model(event)
            except ValidationError as error:
                # Servers omit fields that the contract requires; nothing else is wrong with any recording.
                assert "missing" in {one["type"] for one in error.errors()}, file
                missing += 1
                continue
            assert model.model_dump(by_alias=True, exclude_unset=True) == event.to_dict(), file
            good += 1
    assert good > 20 * missing > 0


class Stop(BaseModel):
    name: Annotated[str, Field(min_length=3)]
    km: int = Field(alias="kilometre", ge=0)
    day: Optional[datetime.date] = None


class Walk(BaseModel):
    by: Literal["foot"]
    hours: float


class Ride(BaseModel):
    by: Literal["train", "bus"]
    line: str


class Tag(TypedDict):
    key: str
    value: int


class Trip(BaseModel):
    """Plans a trip."""

    title: str = "untitled"
    stops: List[Stop]
    legs: List[Union[Walk, Ride]] = []
    notes: Dict[str, List[int]] = {}
    tags: List[Tag] = []
    best: Optional[Stop] = None
    free: Any = None

    @model_validator(mode="after")
    def has_stops(self) -> Trip:
        if not self.stops:
            raise ValueError("a trip has stops")
        return self


TRIP = {
    "title": "Along \u00e9 \U0001f600 / ~1",
    "stops": [{"name": "Lock 7", "kilometre": 12, "day": "2026-04-25"}, {"name": "Port-Brun", "kilometre": 38}],
    "legs": [{"by": "foot", "hours": 2.5}, {"line": "7", "by": "train"}, {"by": "bus", "line": "x"}],
    "notes": {"a/b": [1, 2], "~": []},
    "tags": [{"key": "k", "value": 1}],
    "best": {"kilometre": 38, "name": "Port-Brun"},
    "free": [{"any": ["thing", {}]}, None, True],
}


def pieces(text: str, choose: random.Random) -> List[str]:
    cuts = sorted(choose.sample(range(1, len(text)), choose.randint(1, 40)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)])]


def plain(value: BaseModel) -> Any:
    return value.model_dump(by_alias=True, exclude_unset=True, mode="json", warnings=False)


def test_every_prefix_gives_the_value_so_far() -> None:
    for ascii_only in (True, False):
        text = json.dumps(TRIP, ensure_ascii=ascii_only)
        trip = models.Growing(Trip)
        for at, letter in enumerate(text, 1):
            value = trip.push(letter)
            expected = deltafold.partial_json(text[:at])
            assert value is not None and type(value) is Trip and plain(value) == expected, text[:at]
        assert trip.is_complete and trip.finish() == Trip.model_validate(TRIP) == trip.value


def test_any_pieces_give_the_same_value() -> None:
    choose, text = random.Random(31), json.dumps(TRIP)
    for _ in range(50):
        trip = models.Growing(Trip)
        for piece in pieces(text, choose):
            trip.push(piece)
        assert trip.finish() == Trip.model_validate(TRIP)


def test_complete_parts_are_valid_and_open_parts_have_what_is_there() -> None:
    trip = models.Growing(Trip)
    assert trip.push("") is None and trip.value is None
    value = trip.push('{"stops":[{"name":"Lock 7","kilometre":12,"day":"2026-04-25"},{"name":"P')
    assert value is not None and value.title == "untitled"
    lock, port = value.stops
    assert lock == Stop(name="Lock 7", kilometre=12, day=datetime.date(2026, 4, 25)) and isinstance(lock.day, datetime.date)
    # Shorter than a complete name may be, and without the member that is required.
    found: "tuple[object, ...]" = (port.name, port.km, port.day)
    assert found == ("P", None, None)
    value = trip.push('ort-Brun","kilometre":38}],"legs":[{"by":"train","line":"7')
    assert value is not None and isinstance(value.legs[0], Ride) and value.legs[0].line == "7" and value.stops[0] == lock


@pytest.mark.parametrize(
    ("text", "location"),
    [
        ('{"stops":[{"name":"Lock 7","kilometre":-1,', ("stops", 0, "kilometre")),
        ('{"stops":[{"name":"ab"', ("stops", 0, "name")),
        ('{"stops":[{"name":"Lock 7"}', ("stops", 0, "kilometre")),
        ('{"notes":{"a":[1,"x"', ("notes", "a", 1)),
        ('{"best":{"name":"Lock 7","kilometre":1,"day":"tomorrow"', ("best", "day")),
        ('{"stops":[],"title":"x"}', ()),
    ],
)
def test_a_wrong_part_raises_as_soon_as_it_is_complete(text: str, location: Any) -> None:
    trip = models.Growing(Trip)
    for letter in text[:-1]:
        trip.push(letter)
    with pytest.raises(ValidationError) as raised:
        trip.push(text[-1])
    assert raised.value.errors()[0]["loc"] == location


def test_other_types_can_grow_and_the_end_is_checked() -> None:
    numbers = models.Growing(List[int])
    assert numbers.push("[1,2") == [1] and numbers.push("2,") == [1, 22] and numbers.push("3]") == [1, 22, 3] == numbers.finish()
    text = models.Growing(str)
    assert text.push('"ab') == "ab" and text.push('c"') == "abc"
    with pytest.raises(deltafold.DeltafoldError):
        models.Growing(Trip).finish()
    with pytest.raises(deltafold.DeltafoldError):
        models.Growing(Trip).push("no json")
    mapping = models.Growing(Dict[str, Stop])
    value = mapping.push('{"a":{"name":"Lock 7","kilometre":1},"b":{"name":"Lo')
    assert value is not None and value["a"].km == 1 and value["b"].name == "Lo"


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    word: str

    @field_validator("word")
    @classmethod
    def is_known(cls, word: str) -> str:
        if word != "known":
            raise ValueError("unknown word")
        return word


def test_validators_of_a_model_run_when_it_is_complete() -> None:
    strict = models.Growing(Strict)
    value = strict.push('{"word":"other"')
    assert value is not None and value.word == "other"
    with pytest.raises(ValidationError, match="unknown word"):
        strict.push("}")


def test_a_part_is_validated_a_fixed_number_of_times() -> None:
    seen: List[str] = []

    class Word(BaseModel):
        text: str

        @field_validator("text")
        @classmethod
        def note(cls, text: str) -> str:
            seen.append(text)
            return text

    words = models.Growing(List[Word])
    for letter in json.dumps([{"text": f"word {number}"} for number in range(50)]):
        words.push(letter)
    # As a part of its model, and of the list.
    assert seen.count("word 7") == 2 and len(words.finish()) == 50


def test_a_model_is_the_tool_of_a_request() -> None:
    tool = models.function_tool(Trip, name="plan", strict=True)
    assert (tool["name"], tool["description"], tool["type"], tool["strict"]) == ("plan", "Plans a trip.", "function", True)
    assert tool["parameters"]["required"] == ["stops"] and "description" not in tool["parameters"]
    assert deltafold.validate_request({"model": "m", "input": "x", "tools": [tool]}) == []
    pytest.importorskip("jsonschema")
    from deltafold.request import check_arguments

    assert check_arguments(tool, json.dumps(TRIP)) == []
    assert check_arguments(tool, {"stops": [{"name": "ab", "kilometre": 1}]}) == ["/stops/0/name: expected `minLength` 3"]


def test_the_package_does_not_import_pydantic_by_itself() -> None:
    import subprocess

    code = "import sys, deltafold, deltafold.request, deltafold.types; print({'pydantic', 'openai', 'jsonschema'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "set()\n", done.stderr
