"""The SSE decoder as a Python object: accepted input, results and exceptions."""

import array
import threading

import pytest

import deltafold

STREAM = "event: greeting\ndata: hel\ndata: lo\nid: 7\r\n\r\n: idle\ndata: É\nretry: 250\n\n".encode()


def read(stream: bytes, step: int) -> "list[deltafold.Frame]":
    decoder = deltafold.SseDecoder()
    return [frame for start in range(0, len(stream), step) for frame in decoder.feed(stream[start : start + step])]


def test_frames_do_not_depend_on_the_split() -> None:
    whole = read(STREAM, len(STREAM))
    assert [(f.event, f.data, f.id, f.retry, f.offset) for f in whole] == [
        ("greeting", "hel\nlo", "7", None, 0),
        ("", "É", "7", 250, 44),
    ]
    for step in range(1, len(STREAM)):
        assert read(STREAM, step) == whole


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda b: array.array("B", b), lambda b: memoryview(b"%b" % b)[::1]])
def test_any_buffer_is_accepted(kind: object) -> None:
    assert [f.data for f in deltafold.SseDecoder().feed(kind(b"data: 1\n\n"))] == ["1"]  # type: ignore[operator]


def test_a_buffer_with_gaps_is_accepted() -> None:
    spread = bytes(byte for pair in zip(b"data: 1\n\n", b"-" * 9) for byte in pair)
    assert [f.data for f in deltafold.SseDecoder().feed(memoryview(spread)[::2])] == ["1"]


@pytest.mark.parametrize(("wrong", "word"), [("data: 1\n\n", "str"), (7, "int"), (None, "NoneType")])
def test_input_other_than_bytes_is_a_type_error(wrong: object, word: str) -> None:
    with pytest.raises(TypeError, match=f"expected bytes, found {word}"):
        deltafold.SseDecoder().feed(wrong)


def test_frames_are_values() -> None:
    (one,) = deltafold.SseDecoder().feed(b"data: x\n\n")
    (two,) = deltafold.SseDecoder().feed(b"data: x\n\n")
    assert one == two and hash(one) == hash(two) and one != "x"
    assert repr(one) == 'Frame(event="", 1 bytes of data, offset=0)'
    with pytest.raises(AttributeError):
        one.data = "y"  # type: ignore[misc]


def test_frames_before_a_limit_are_returned_and_then_every_call_raises() -> None:
    decoder = deltafold.SseDecoder()
    assert [f.data for f in decoder.feed(b"data: 1\n\ndata: " + b"x" * (64 << 20) + b"x")] == ["1"]
    for _ in range(2):
        with pytest.raises(deltafold.LimitExceeded, match="a line is longer than the limit") as caught:
            decoder.feed(b"")
        assert caught.value.code == "limit.line"
        assert isinstance(caught.value, deltafold.DeltafoldError)
    decoder.reset()
    assert [f.data for f in decoder.feed(b"data: 2\n\n")] == ["2"]


def test_threads_can_share_a_decoder() -> None:
    decoder = deltafold.SseDecoder()
    seen: "list[deltafold.Frame]" = []
    block = b"data: %b\n\n" % (b"x" * 5000)

    def work() -> None:
        for _ in range(50):
            seen.extend(decoder.feed(block))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 400
