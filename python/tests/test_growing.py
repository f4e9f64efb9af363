"""Growing JSON: values of several calls share what is finished, and a value that is kept does not change."""

import copy
import json
import random
from typing import Any

import deltafold
from streams import frame

TEXTS = [
    '{"place":"Port-Brun","days":[1,2,{"from":"a\\u00e9b","to":null}],"n":12.5e3,"x":{},"y":[],"z":[[[]],"\U0001f6b2 z"],"last":true}',
    '["a",["b",["c","dddddddddddddddd"],"e"],{"f":{"g":"h"}},"i"]',
    '{"a":1,"b":[1],"a":["again",{"a":1,"a":"twice"}]}',
    '"a text alone with \\n and \\ud83d\\ude00"',
    "123.25",
    " [ ] ",
    "{}",
]


def added(name: str = "f") -> bytes:
    item = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": name, "arguments": "", "status": "in_progress"}
    return frame({"type": "response.output_item.added", "sequence_number": 0, "output_index": 0, "item": item})


def delta(number: int, text: str) -> bytes:
    place = {"item_id": "fc_1", "output_index": 0}
    return frame({"type": "response.function_call_arguments.delta", "sequence_number": number, **place, "delta": text})


def cut(text: str, choose: random.Random) -> "list[str]":
    pieces = []
    while text:
        size = choose.randint(1, 6)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def test_every_prefix_has_the_value_of_a_new_parser() -> None:
    """Looked at after each piece, after some, with and without keeping the earlier values."""
    choose = random.Random(31)
    for _ in range(60):
        for text in TEXTS:
            options: "dict[str, Any]" = choose.choice([{}, {"numbers": "include", "literals": "include"}, {"strings": "mark", "numbers": "mark"}, {"strings": "omit"}])
            reader, partial = deltafold.Reader(), deltafold.PartialJson(**options)
            reader.feed(added())
            keep, often = choose.random() < 0.5, choose.random()
            kept: "list[tuple[Any, Any]]" = []
            so_far = ""
            for number, piece in enumerate(cut(text, choose), 1):
                so_far += piece
                reader.feed(delta(number, piece))
                partial.push(piece)
                if choose.random() > often:
                    continue
                for value, expected in (
                    (reader.response.items[0].partial_arguments(), deltafold.partial_json(so_far)),
                    (partial.value, deltafold.partial_json(so_far, **options)),
                ):
                    assert value == expected and json.dumps(value) == json.dumps(expected), so_far
                    if keep:
                        kept.append((value, copy.deepcopy(value)))
            for value, as_it_was in kept:
                assert value == as_it_was, "a value that was kept has changed"


def test_finished_values_are_shared_and_open_ones_are_not() -> None:
    partial = deltafold.PartialJson()
    partial.push('{"done":{"a":[1,2]},"open":["x","y')
    one = partial.value
    partial.push('z","w')
    two = partial.value
    assert one == {"done": {"a": [1, 2]}, "open": ["x", "y"]} and two == {"done": {"a": [1, 2]}, "open": ["x", "yz", "w"]}
    assert two["done"] is one["done"] and two["open"] is not one["open"] and two["open"][0] is one["open"][0]
    assert partial.value is two, "nothing is new"


def test_a_number_that_gets_a_fraction_is_a_float() -> None:
    """`1` and `1.0` are equal, but not the same value."""
    partial = deltafold.PartialJson(numbers="include")
    partial.push("[1")
    assert isinstance(partial.value[0], int)
    partial.push(".0,")
    assert isinstance(partial.value[0], float)


def test_nested_views_are_the_same_value() -> None:
    reader = deltafold.Reader()
    reader.feed(added() + delta(1, '{"a":[{"b":1}'))
    first = reader.response.items[0].partial_arguments()
    assert reader.response.items[0].partial_arguments() is first
    reader.feed(delta(2, ',2]'))
    assert reader.response.items[0].partial_arguments()["a"][0] is first["a"][0]


def test_a_replaced_text_is_converted_anew() -> None:
    reader = deltafold.Reader()
    reader.feed(added() + delta(1, '{"a":"x'))
    assert reader.response.items[0].partial_arguments() == {"a": "x"}
    done = {"type": "response.function_call_arguments.done", "sequence_number": 2, "item_id": "fc_1", "output_index": 0}
    reader.feed(frame({**done, "name": "f", "arguments": '{"b":[1,2,3],"c":"longer than before"}'}))
    assert reader.response.items[0].partial_arguments() == {"b": [1, 2, 3], "c": "longer than before"}
    reader.reset()
    reader.feed(added() + delta(1, "[7"))
    reader.feed(delta(2, ",8"))
    assert reader.response.items[0].partial_arguments() == [7]


def test_a_changed_value_does_no_harm() -> None:
    partial = deltafold.PartialJson()
    partial.push('{"a":[[1],[2')
    value: Any = partial.value
    value["a"].clear()
    partial.push(",3],[4")
    assert isinstance(partial.value, dict)
    value = partial.value
    value.clear()
    partial.push("]")
    partial.reset()
    partial.push("[1,")
    value = partial.value
    assert value == [1]


def test_structured_output_of_many_parts() -> None:
    """More growing texts than a reader keeps."""
    reader = deltafold.Reader()
    for at in range(100):
        reader.feed(frame({"type": "response.output_text.delta", "output_index": at, "content_index": 0, "delta": f'{{"n":[{at}'}))
    for _ in range(2):
        for at, item in enumerate(reader.response.items):
            assert item.parts[0].partial_json() == {"n": []}
    for at in range(100):
        reader.feed(frame({"type": "response.output_text.delta", "output_index": at, "content_index": 0, "delta": "]}"}))
    assert [item.parts[0].partial_json() for item in reader.response.items] == [{"n": [at]} for at in range(100)]
