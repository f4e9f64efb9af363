"""Sources of bytes that need no package and no network. The libraries have their own test."""

import asyncio
import io
import pathlib
from typing import Any, AsyncIterator, Iterator

import pytest

import deltafold
from streams import stream

STREAM = stream()
CUT = [STREAM[at : at + 100] for at in range(0, len(STREAM), 100)]


def generator() -> Iterator[bytes]:
    yield from CUT


async def later() -> AsyncIterator[bytes]:
    for chunk in CUT:
        await asyncio.sleep(0)
        yield chunk


class Http:
    """An object with the shape of an HTTP response: one method that returns chunks, and headers."""

    headers = {"x-ratelimit-remaining-tokens": "5"}
    status_code = 200

    def __init__(self, name: str, chunks: Any) -> None:
        setattr(self, name, lambda *_: chunks)


@pytest.mark.parametrize(
    "source",
    [
        STREAM,
        bytearray(STREAM),
        memoryview(STREAM),
        CUT,
        generator(),
        io.BytesIO(STREAM),
        io.BufferedReader(io.BytesIO(STREAM)),
        Http("iter_bytes", CUT),
        Http("iter_content", CUT),
    ],
    ids=lambda source: type(source).__name__,
)
def test_events_takes(source: Any) -> None:
    events = deltafold.events(source)
    assert [e.delta for e in events if e.type == "response.output_text.delta"] == ["Hel", "lo"]
    assert events.outcome == "completed" and events.response.output_text == "Hello" and events.findings == []
    if isinstance(source, Http):
        assert events.reader.rate_limits["headers"] == Http.headers


def test_events_takes_a_path(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "capture.sse"
    path.write_bytes(STREAM)
    for source in (path, str(path)):
        assert len(list(deltafold.events(source))) == 10
    with pytest.raises(FileNotFoundError):
        list(deltafold.events(tmp_path / "nothing"))


@pytest.mark.parametrize("source", [later, lambda: CUT, generator, lambda: STREAM, lambda: io.BytesIO(STREAM)])
def test_aevents_takes(source: Any) -> None:
    async def read() -> None:
        events = deltafold.aevents(source())
        assert [e.delta async for e in events if e.type == "response.output_text.delta"] == ["Hel", "lo"]
        assert events.outcome == "completed" and events.response.output_text == "Hello" and events.activity > 10

    asyncio.run(read())


def test_events_refuses_an_asynchronous_source() -> None:
    with pytest.raises(TypeError, match="use aevents"):
        deltafold.events(later())


def test_a_source_of_text_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="expected bytes, found str"):
        list(deltafold.events(["data: x\n\n"]))


def test_an_error_of_the_source_is_raised_and_the_response_so_far_stays() -> None:
    def broken() -> Iterator[bytes]:
        yield STREAM[:1500]
        raise ConnectionError("reset")

    events = deltafold.events(broken())
    with pytest.raises(ConnectionError, match="reset"):
        list(events)
    assert events.outcome is None and events.response.output_text == "Hello" and events.close() == "truncated"


def test_reading_can_stop_early_and_closes_the_source() -> None:
    closed = []

    def endless() -> Iterator[bytes]:
        try:
            while True:
                yield STREAM[:1500]
        finally:
            closed.append(True)

    with deltafold.events(endless()) as events:
        for event in events:
            if event.type == "response.output_text.delta":
                break
    assert closed == [True] and events.outcome == "truncated" and "truncated" in repr(events)
    assert next(deltafold.events(STREAM)).type == "response.created"


def test_async_reading_can_stop_early_and_closes_the_source() -> None:
    closed = []

    async def endless() -> AsyncIterator[bytes]:
        try:
            while True:
                yield STREAM[:1500]
        finally:
            closed.append(True)

    async def read() -> None:
        async with deltafold.aevents(endless()) as events:
            assert (await events.__anext__()).type == "response.created"
        assert events.outcome == "truncated"

    asyncio.run(read())
    assert closed == [True]


def test_a_given_reader_continues_where_it_stopped() -> None:
    reader = deltafold.Reader()
    reader.feed(STREAM[:800])
    reader = deltafold.Reader.restore(reader.save())
    list(deltafold.events([STREAM], reader=reader))
    assert reader.response.output_text == "Hello"
    with pytest.raises(deltafold.Misuse, match="either a reader or options"):
        deltafold.events(STREAM, reader=reader, strict=True)
    assert list(deltafold.events(STREAM, layers="all", profile="open-responses")) and reader.outcome == "completed"


def test_a_last_frame_without_its_blank_line_is_read() -> None:
    cut = STREAM.split(b"data: [DONE]")[0].rstrip()
    assert [e.type for e in deltafold.events(cut)][-1] == "response.completed"
