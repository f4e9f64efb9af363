"""Where bytes come from: HTTP responses of any library, files, iterables. No such library is imported here.

A source is known by what it can do, not by its class:

| source | how its bytes are had |
| --- | --- |
| `bytes`, `bytearray`, `memoryview` | as one chunk |
| httpx `Response` | `iter_bytes()`, `aiter_bytes()` |
| requests `Response` | as urllib3, which is below it |
| aiohttp `ClientResponse` | `content.iter_any()` |
| urllib3 `HTTPResponse` | `stream()` if it is chunked, else `read1()`: what has arrived |
| files, sockets' files, `http.client` responses | `read1(n)` or `read(n)` |
| a path (`str`, `os.PathLike`) | as a file |
| anything else | by iterating over it, (a)synchronously |
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ._native import Finding, Misuse, Outcome, Reader, Response

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from .types import StreamEvent

# How much is asked of a file at once.
_READ = 65536


def chunks(source: Any) -> Iterator[Any]:
    """Gives the bytes of a synchronous source in chunks."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return iter((source,))
    if isinstance(source, (str, os.PathLike)):
        return _of_path(source)
    if _has(source, "iter_bytes"):
        return iter(source.iter_bytes())
    if _has(source, "iter_content"):
        # Without a size requests would wait for the end of a body that is not chunked; what it reads from does not.
        raw = getattr(source, "raw", None)
        return _of_urllib3(raw) if _has(raw, "read1") else iter(source.iter_content(None))
    if _has(source, "read_chunked"):
        return _of_urllib3(source)
    if _has(source, "read1"):
        return _of_file(source.read1)
    if hasattr(source, "__aiter__") or _is_aiohttp(source):
        raise TypeError("expected a synchronous source, found an asynchronous one: use aevents")
    if _has(source, "read"):
        return _of_file(source.read)
    return iter(source)


def achunks(source: Any) -> AsyncIterator[Any]:
    """Gives the bytes of an asynchronous source in chunks. A synchronous one is taken too."""
    # One class of httpx serves both ways; which stream it has tells.
    if _has(source, "aiter_bytes") and hasattr(getattr(source, "stream", source), "__aiter__"):
        return _aiter(source.aiter_bytes())
    if _has(source, "iter_any"):
        return _aiter(source.iter_any())
    if hasattr(source, "__aiter__"):
        return _aiter(source)
    if _is_aiohttp(source):
        return _aiter(source.content.iter_any())
    return _later(chunks(source))


def _has(source: Any, name: str) -> bool:
    return callable(getattr(source, name, None))


def _is_aiohttp(source: Any) -> bool:
    # Other libraries have a `content` that reads the whole body when it is looked at.
    if _has(source, "iter_bytes") or _has(source, "iter_content"):
        return False
    return _has(getattr(source, "content", None), "iter_any")


def _aiter(source: Any) -> AsyncIterator[Any]:
    # The built-in `aiter` came with Python 3.10.
    iterator: AsyncIterator[Any] = source.__aiter__()
    return iterator


def _of_urllib3(source: Any) -> Iterator[Any]:
    if getattr(source, "chunked", False) or not _has(source, "read1"):
        return iter(source.stream(_READ, decode_content=True))
    return _of_file(lambda size: source.read1(size, decode_content=True))


def _of_path(path: Any) -> Iterator[bytes]:
    with open(path, "rb") as file:
        yield from _of_file(file.read)


def _of_file(read: Any) -> Iterator[Any]:
    while True:
        chunk = read(_READ)
        if not chunk:
            return
        yield chunk


async def _later(source: Iterator[Any]) -> AsyncIterator[Any]:
    for chunk in source:
        yield chunk


class _Reading:
    """What `events` and `aevents` share: the reader, and what it knows."""

    __slots__ = ("_source", "reader")

    def __init__(self, source: Any, reader: Reader | None, options: dict[str, Any]) -> None:
        if reader is not None and options:
            raise Misuse("a reader that is given has its options already")
        self.reader: Reader = Reader(**options) if reader is None else reader
        self._source = source
        headers = getattr(source, "headers", None)
        if headers is not None and hasattr(headers, "items"):
            status = getattr(source, "status_code", getattr(source, "status", None))
            self.reader.note_headers(headers, status if isinstance(status, int) else None)

    @property
    def response(self) -> Response:
        """The response so far, as a live view."""
        return self.reader.response

    @property
    def findings(self) -> list[Finding]:
        """What was wrong with the stream so far."""
        return self.reader.findings

    @property
    def outcome(self) -> Outcome | None:
        """How the stream ended; None while it goes on."""
        return self.reader.outcome

    @property
    def activity(self) -> int:
        """A number that moves with any sign of life of the stream."""
        return self.reader.activity

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.reader!r}>"


class EventStream(_Reading):
    """The events of a source, one after the other; made by `events`."""

    __slots__ = ("_events",)

    def __init__(self, source: Any, reader: Reader | None, options: dict[str, Any]) -> None:
        super().__init__(source, reader, options)
        self._events = self._read(chunks(source))

    def _read(self, parts: Iterator[Any]) -> Iterator[StreamEvent]:
        feed = self.reader.feed
        for chunk in parts:
            yield from feed(chunk)
        yield from self.reader.end()
        self.reader.close()

    def __iter__(self) -> Iterator[StreamEvent]:
        return self._events

    def __next__(self) -> StreamEvent:
        return next(self._events)

    def close(self) -> Outcome:
        """Ends reading, also before the source has ended, closes the source, and says how the stream ended."""
        _close(self._events)
        _close(self._source)
        return self.reader.close()

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncEventStream(_Reading):
    """The events of an asynchronous source, one after the other; made by `aevents`."""

    __slots__ = ("_events",)

    def __init__(self, source: Any, reader: Reader | None, options: dict[str, Any]) -> None:
        super().__init__(source, reader, options)
        self._events = self._read(achunks(source))

    async def _read(self, parts: AsyncIterator[Any]) -> AsyncIterator[StreamEvent]:
        feed = self.reader.feed
        async for chunk in parts:
            for event in feed(chunk):
                yield event
        for event in self.reader.end():
            yield event
        self.reader.close()

    def __aiter__(self) -> AsyncIterator[StreamEvent]:
        return self._events

    async def __anext__(self) -> StreamEvent:
        return await self._events.__anext__()

    async def aclose(self) -> Outcome:
        """Ends reading, also before the source has ended, closes the source, and says how the stream ended."""
        for part in (self._events, self._source):
            close = getattr(part, "aclose", None)
            if close is not None:
                await close()
            else:
                _close(part)
        return self.reader.close()

    async def __aenter__(self) -> AsyncEventStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _close(part: Any) -> None:
    close = getattr(part, "close", None)
    if close is not None:
        close()


def events(source: Any, *, reader: Reader | None = None, **options: Any) -> EventStream:
    """Reads the events of a source: an HTTP response of httpx, requests or urllib3, a file, a path, bytes, or any iterable
    of bytes.

    The stream has `response`, `findings`, `outcome` and `reader`, which can be asked at any time. `options` are those of
    `Reader`. An error of the source (a timeout, a broken connection) goes through to the caller; what was read stays
    readable.
    """
    return EventStream(source, reader, options)


def aevents(source: Any, *, reader: Reader | None = None, **options: Any) -> AsyncEventStream:
    """Reads the events of an asynchronous source: an HTTP response of httpx or aiohttp, an ASGI body, or any (asynchronous)
    iterable of bytes. As `events`, for `async for`.
    """
    return AsyncEventStream(source, reader, options)
