"""The openai package, with streams read by deltafold: the same typed events in less time.

>>> import openai, deltafold.openai
>>> client = deltafold.openai.patch(openai.OpenAI(api_key="none"))

Every stream of this client is then read by a `deltafold.Reader`: `client.responses.create(stream=True)`, `client.responses.stream()`,
and the streams of other endpoints. The events are the package's own objects, and its errors, retries and helpers work as before.
`reader_of(stream)` has the findings and the response so far.

The package tries every class of its union of events on every event; `patch` selects the class by the type of the event, and validates
the payload with that class. An event that does not validate is left to the package. openai has no public interface for this, so `patch`
replaces two private methods of the one client, and refuses a version of the package without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, get_args

from ._native import Event, Reader

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    import openai

    Client = TypeVar("Client", openai.OpenAI, openai.AsyncOpenAI)
else:
    Client = TypeVar("Client")

__all__ = ["patch", "reader_of"]


def patch(client: Client) -> Client:
    """Makes a client read its streams with deltafold, and returns it. Other clients, also copies of this one, stay as they are.

    Raises RuntimeError if the installed version of openai cannot be patched.
    """
    from openai import __version__
    from openai.types.responses import ResponseStreamEvent

    original: Any = getattr(client, "_process_response_data", None)
    if original is None or not hasattr(client, "_make_sse_decoder"):
        raise RuntimeError(f"deltafold cannot patch version {__version__} of openai")
    if getattr(original, "_is_deltafold", False):
        return client
    classes = _classes(ResponseStreamEvent)

    def process(*, data: Any, cast_to: Any, response: Any) -> Any:
        if isinstance(data, Event):
            cls = classes.get(data.type) if cast_to is ResponseStreamEvent else None
            if cls is not None:
                try:
                    return cls.__pydantic_validator__.validate_json(data.raw)
                except ValueError:
                    pass
            data = data.to_dict()
        elif isinstance(data, dict) and isinstance(data.get("data"), Event):
            data = {**data, "data": data["data"].to_dict()}
        return original(data=data, cast_to=cast_to, response=response)

    process._is_deltafold = True  # type: ignore[attr-defined]
    patched: Any = client
    patched._process_response_data = process
    patched._make_sse_decoder = _Decoder
    return client


def reader_of(stream: Any) -> Reader:
    """Returns the reader of a stream of a patched client: a `Stream`, an `AsyncStream`, or what `responses.stream()` gives."""
    decoder = getattr(getattr(stream, "_raw_stream", stream), "_decoder", None)
    if not isinstance(decoder, _Decoder):
        raise TypeError("expected a stream of a client that deltafold.openai.patch has changed")
    return decoder.reader


def _classes(union: Any) -> dict[str, Any]:
    """The class of each event type in the package's union of events."""
    classes = {}
    for cls in get_args(get_args(union)[0]):
        for name in get_args(cls.model_fields["type"].annotation):
            classes[name] = cls
    return classes


class _Frame:
    """One event in the form in which openai's streams take it."""

    __slots__ = ("_event",)

    def __init__(self, event: Event) -> None:
        self._event = event

    @property
    def event(self) -> str | None:
        return self._event.frame_name

    @property
    def data(self) -> str:
        return self._event.raw

    def json(self) -> Any:
        # A payload that is not an object has no members, and the package must see what it is.
        event = self._event
        if event.type or event.kind != "unknown" or len(event):
            return event
        import json

        return json.loads(event.raw)


class _Decoder:
    """A decoder of bytes, as openai's streams use one each."""

    __slots__ = ("reader",)

    def __init__(self) -> None:
        self.reader = Reader()

    def iter_bytes(self, chunks: Iterator[bytes]) -> Iterator[_Frame]:
        reader = self.reader
        for chunk in chunks:
            for event in reader.feed(chunk):
                yield _Frame(event)
            if reader.saw_done:
                break
        for event in reader.end():
            yield _Frame(event)

    async def aiter_bytes(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[_Frame]:
        reader = self.reader
        async for chunk in chunks:
            for event in reader.feed(chunk):
                yield _Frame(event)
            if reader.saw_done:
                break
        for event in reader.end():
            yield _Frame(event)
