"""Sources of bytes: HTTP responses of any library, files, iterables. This module imports no HTTP library.

A source is recognized by its methods, not by its class:

| source | how its bytes are read |
| --- | --- |
| `bytes`, `bytearray`, `memoryview` | as one chunk |
| httpx `Response` | `iter_bytes()`, `aiter_bytes()` |
| openai `Stream`, `AsyncStream` and streaming responses | as the httpx response inside |
| requests `Response` | as the urllib3 response inside |
| aiohttp `ClientResponse` | `content.iter_any()` |
| urllib3 `HTTPResponse` | `stream()` if it is chunked, otherwise `read1()`, which does not wait for more data |
| files, `http.client` responses | `read1(n)` or `read(n)` |
| a path (`str`, `os.PathLike`) | as a file |
| anything else | by iteration, synchronous or asynchronous |
"""

from __future__ import annotations

import http
import logging
import os
from typing import TYPE_CHECKING, Any

from ._native import Failure, Finding, Misuse, Reader, Response
from ._outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Iterator

    from typing_extensions import Unpack

    from ._outcome import OutcomeName
    from .names import ReaderOptions
    from .types import StreamEvent

logger = logging.getLogger("deltafold")

# The size of one read from a file.
_READ_BYTES = 65536


def chunks(source: Any) -> Iterator[Any]:
    """Returns the chunks of a synchronous source."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return iter((source,))
    if isinstance(source, (str, os.PathLike)):
        return _path_chunks(source)
    source = _http_response(source)
    if _has_method(source, "iter_bytes"):
        if _is_async_httpx(source):
            raise TypeError("expected a synchronous source, found an asynchronous one: use aevents")
        return iter(source.iter_bytes())
    if _has_method(source, "iter_content"):
        # Without a size, requests waits for the end of a body that is not chunked; the urllib3 response inside does not.
        raw = getattr(source, "raw", None)
        return _urllib3_chunks(raw) if _has_method(raw, "read1") else iter(source.iter_content(None))
    if _has_method(source, "read_chunked"):
        return _urllib3_chunks(source)
    if _has_method(source, "read1"):
        return _file_chunks(source.read1)
    if hasattr(source, "__aiter__") or _is_aiohttp(source):
        raise TypeError("expected a synchronous source, found an asynchronous one: use aevents")
    if _has_method(source, "read"):
        return _file_chunks(source.read)
    return iter(source)


def achunks(source: Any) -> AsyncIterator[Any]:
    """Returns the chunks of an asynchronous source. Accepts synchronous sources, too."""
    source = _http_response(source)
    if _has_method(source, "aiter_bytes") and (_is_async_httpx(source) or not _has_method(source, "iter_bytes")):
        return _aiter(source.aiter_bytes())
    if _has_method(source, "iter_any"):
        return _aiter(source.iter_any())
    if hasattr(source, "__aiter__"):
        return _aiter(source)
    if _is_aiohttp(source):
        return _aiter(source.content.iter_any())
    return _async_chunks(chunks(source))


def _has_method(source: Any, name: str) -> bool:
    return callable(getattr(source, name, None))


def _http_response(source: Any) -> Any:
    """Returns the httpx response inside of a stream or response of the openai package, or the source itself."""
    for name in ("http_response", "response"):
        inner = getattr(source, name, None)
        if _has_method(inner, "aiter_bytes"):
            return inner
    return source


def _is_async_httpx(source: Any) -> bool:
    # httpx has one response class for both ways; the byte stream inside differs.
    return hasattr(getattr(source, "stream", None), "__aiter__") and not hasattr(source.stream, "__iter__")


def _is_aiohttp(source: Any) -> bool:
    # The attribute `content` of other libraries reads the whole body.
    if _has_method(source, "iter_bytes") or _has_method(source, "iter_content"):
        return False
    return _has_method(getattr(source, "content", None), "iter_any")


def _aiter(source: Any) -> AsyncIterator[Any]:
    # The built-in `aiter` came with Python 3.10.
    iterator: AsyncIterator[Any] = source.__aiter__()
    return iterator


def _urllib3_chunks(source: Any) -> Iterator[Any]:
    if getattr(source, "chunked", False) or not _has_method(source, "read1"):
        return iter(source.stream(_READ_BYTES, decode_content=True))
    return _file_chunks(lambda size: source.read1(size, decode_content=True))


def _path_chunks(path: Any) -> Iterator[bytes]:
    with open(path, "rb") as file:
        yield from _file_chunks(file.read)


def _file_chunks(read: Any) -> Iterator[Any]:
    while True:
        chunk = read(_READ_BYTES)
        if not chunk:
            return
        yield chunk


async def _async_chunks(source: Iterator[Any]) -> AsyncIterator[Any]:
    for chunk in source:
        yield chunk


class _EventStream:
    """The common part of `EventStream` and `AsyncEventStream`: the reader and its state."""

    __slots__ = ("_content_type", "_outcome", "_source", "_status", "reader")

    def __init__(self, source: Any, reader: Reader | None, options: ReaderOptions) -> None:
        if reader is not None and options:
            raise Misuse("expected either a reader or options of a new reader, found both")
        self.reader: Reader = Reader(**options) if reader is None else reader
        self._source = source
        self._status: int | None = None
        self._content_type = ""
        self._outcome: Outcome | None = None
        response = _http_response(source)
        headers = getattr(response, "headers", None)
        if headers is not None and hasattr(headers, "items"):
            status = getattr(response, "status_code", getattr(response, "status", None))
            self._status = status if isinstance(status, int) else None
            self._content_type = str(headers.get("content-type", "") or "").partition(";")[0]
            self.reader.note_headers(headers, self._status)
        logger.debug("reading a stream from %s (HTTP status %s)", type(source).__name__, self._status)

    @property
    def response(self) -> Response:
        """The response so far, as a live view."""
        return self.reader.response

    @property
    def findings(self) -> list[Finding]:
        """The findings so far."""
        return self.reader.findings

    @property
    def outcome(self) -> Outcome | None:
        """How the stream ended; None before its end.

        An HTTP response with an error status, or with a body without events, counts as "failed"; `outcome.error` then has the
        status and a message.
        """
        return self._outcome or self.reader.outcome

    @property
    def activity(self) -> int:
        """A counter that grows with any input from the stream."""
        return self.reader.activity

    def raise_for_outcome(
        self, *, allow: Collection[OutcomeName] = (), include_message: bool = False
    ) -> Outcome:
        """Raises OutcomeError unless the stream completed or its outcome is in `allow`; otherwise returns the outcome.

        Call it after the loop over the events; raises Misuse before the end of the stream. `include_message` adds the
        provider's message to the exception text; such a message may quote the request.
        """
        outcome = self.outcome
        if outcome is None:
            raise Misuse("the stream has not ended: read all events or call close() first")
        return outcome.raise_for_outcome(allow=allow, include_message=include_message)

    def _end(self) -> Outcome:
        """Ends the reader and determines the outcome of the stream."""
        if self._outcome is not None:
            return self._outcome
        self._outcome = outcome = self._outcome_of_answer(self.reader.close())
        level = logging.DEBUG if outcome == "completed" else logging.WARNING
        error = "" if outcome.error is None else f" {outcome.error!r}"
        counts = (self.reader.event_count, self.reader.finding_count)
        logger.log(level, "the stream ended as %s%s after %d events with %d findings", outcome.name, error, *counts)
        if logger.isEnabledFor(logging.DEBUG):
            for finding in self.reader.findings:
                logger.debug("%s", finding)
        return outcome

    def _outcome_of_answer(self, outcome: Outcome) -> Outcome:
        status, error = self._status, outcome.error
        if status is None or outcome == "completed":
            return outcome
        # The core does not know the body's length and type, which say more than the status.
        of_status = error is not None and error.type == "http_error"
        if error is not None and not of_status:
            return Outcome("failed", error=Failure(error.type, error.code, error.message, error.param, status))
        if not of_status and (outcome != "truncated" or (status < 400 and self.reader.event_count > 0)):
            return outcome
        phrase = http.HTTPStatus(status).phrase if status in set(http.HTTPStatus) else "unknown status"
        size = self.reader.offset
        body = f"{size} bytes of {self._content_type or 'an unknown content type'} without events" if size else "an empty body"
        kind, code = ("http_error", f"http_{status}") if of_status else ("", "")
        return Outcome("failed", error=Failure(kind, code, f"HTTP status {status} ({phrase}) with {body}", status=status))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.reader!r}>"


class EventStream(_EventStream):
    """The events of a source, in order; `events` creates it."""

    __slots__ = ("_events",)

    def __init__(self, source: Any, reader: Reader | None, options: ReaderOptions) -> None:
        super().__init__(source, reader, options)
        self._events = self._read(chunks(source))

    def _read(self, parts: Iterator[Any]) -> Iterator[StreamEvent]:
        feed = self.reader.feed
        for chunk in parts:
            yield from feed(chunk)
        yield from self.reader.end()
        self._end()

    def __iter__(self) -> Iterator[StreamEvent]:
        return self._events

    def __next__(self) -> StreamEvent:
        return next(self._events)

    def close(self) -> Outcome:
        """Ends reading, also before the end of the source, closes the source, and returns how the stream ended."""
        _close(self._events)
        _close(self._source)
        return self._end()

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncEventStream(_EventStream):
    """The events of an asynchronous source, in order; `aevents` creates it."""

    __slots__ = ("_events",)

    def __init__(self, source: Any, reader: Reader | None, options: ReaderOptions) -> None:
        super().__init__(source, reader, options)
        self._events = self._read(achunks(source))

    async def _read(self, parts: AsyncIterator[Any]) -> AsyncIterator[StreamEvent]:
        feed = self.reader.feed
        async for chunk in parts:
            for event in feed(chunk):
                yield event
        for event in self.reader.end():
            yield event
        self._end()

    def __aiter__(self) -> AsyncIterator[StreamEvent]:
        return self._events

    async def __anext__(self) -> StreamEvent:
        return await self._events.__anext__()

    async def aclose(self) -> Outcome:
        """Ends reading, also before the end of the source, closes the source, and returns how the stream ended."""
        for part in (self._events, self._source):
            close = getattr(part, "aclose", None) or getattr(part, "close", None)
            if _has_method(part, "iter_bytes") and not _is_async_httpx(part):
                # A synchronous httpx response has both methods, and `aclose` refuses to close it.
                close = getattr(part, "close", None)
            if close is not None:
                closing = close()
                if hasattr(closing, "__await__"):
                    await closing
        return self._end()

    async def __aenter__(self) -> AsyncEventStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _close(part: Any) -> None:
    close = getattr(part, "close", None)
    if close is not None:
        close()


def events(source: Any, *, reader: Reader | None = None, **options: Unpack[ReaderOptions]) -> EventStream:
    """Returns the events of a source: an HTTP response of httpx, requests, urllib3 or openai, a file, a path, bytes, or any
    iterable of bytes.

    The stream has `response`, `findings`, `outcome` and `reader` at any time. `options` are those of `Reader`. Exceptions of
    the source (a timeout, a broken connection) reach the caller; the events that were read stay readable. HTTP errors and
    failed responses do not raise: check `outcome`, or call `raise_for_outcome()` after the loop.
    """
    return EventStream(source, reader, options)


def aevents(source: Any, *, reader: Reader | None = None, **options: Unpack[ReaderOptions]) -> AsyncEventStream:
    """Returns the events of an asynchronous source for `async for`: an HTTP response of httpx, aiohttp or openai, an ASGI
    body, or any iterable of bytes, asynchronous or not. See `events`.
    """
    return AsyncEventStream(source, reader, options)
