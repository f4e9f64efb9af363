"""Conversions between dialects: a whole stream at once, or chunk by chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, NamedTuple

from ._native import Converter, DeltafoldError
from ._sources import achunks, chunks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from typing_extensions import Unpack

    from .names import SourceDialect, TargetDialect
    from .options import ConvertOptions


class Conversion(NamedTuple):
    """A converted stream."""

    data: bytes
    """The bytes in the target's framing."""
    report: Dict[str, Any]
    """The report on data that was lost, repaired or assumed: `from`, `to`, `lost` and `findings`."""

    def __repr__(self) -> str:
        report = self.report
        return f"<Conversion {report.get('from')} to {report.get('to')}, {len(self.data)} bytes, {report.get('lost')} lost>"


def convert(source: Any, to: TargetDialect, from_: SourceDialect | None = None, **options: Unpack[ConvertOptions]) -> Conversion:
    """Converts a whole stream to another dialect. Takes the sources of `events`; `from_` is detected if it is not given.

    `options` are the keyword arguments of `deltafold.options.ConvertOptions`: `framing`, `limits`, and those of both adapters.
    """
    converter = Converter(to, from_, **options)
    parts = [converter.feed(chunk) for chunk in chunks(source)]
    parts.append(converter.close())
    return Conversion(b"".join(parts), converter.report())


def end(converter: Converter, failure: Exception | None) -> bytes:
    """The end of a converted stream. A converter that reached a limit has none."""
    try:
        return converter.close()
    except DeltafoldError:
        if failure is None:
            raise
        return converter.take()


class ConvertedStream:
    """The chunks of a stream that is converted as it arrives; `convert_stream` creates it.

    If the source raises, the last chunk ends the stream as a failure, and then the exception is raised.
    """

    __slots__ = ("_chunks", "converter")

    def __init__(self, source: Any, converter: Converter) -> None:
        self.converter: Converter = converter
        self._chunks = self._read(chunks(source))

    def _read(self, parts: Iterator[Any]) -> Iterator[bytes]:
        failure: Exception | None = None
        while failure is None:
            try:
                converted = self.converter.feed(next(parts))
            except StopIteration:
                break
            except Exception as error:
                failure = error
                converted = self.converter.take()
            if converted:
                yield converted
        converted = end(self.converter, failure)
        if converted:
            yield converted
        if failure is not None:
            raise failure

    def __iter__(self) -> Iterator[bytes]:
        return self._chunks

    def __next__(self) -> bytes:
        return next(self._chunks)

    @property
    def report(self) -> dict[str, Any]:
        """The report so far on data that was lost, repaired or assumed."""
        return self.converter.report()


class AsyncConvertedStream:
    """The chunks of an asynchronous stream that is converted as it arrives; `aconvert_stream` creates it.

    If the source raises, the last chunk ends the stream as a failure, and then the exception is raised.
    """

    __slots__ = ("_chunks", "converter")

    def __init__(self, source: Any, converter: Converter) -> None:
        self.converter: Converter = converter
        self._chunks = self._read(achunks(source))

    async def _read(self, parts: AsyncIterator[Any]) -> AsyncIterator[bytes]:
        failure: Exception | None = None
        while failure is None:
            try:
                converted = self.converter.feed(await parts.__anext__())
            except StopAsyncIteration:
                break
            except Exception as error:
                failure = error
                converted = self.converter.take()
            if converted:
                yield converted
        converted = end(self.converter, failure)
        if converted:
            yield converted
        if failure is not None:
            raise failure

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._chunks

    async def __anext__(self) -> bytes:
        return await self._chunks.__anext__()

    @property
    def report(self) -> dict[str, Any]:
        """The report so far on data that was lost, repaired or assumed."""
        return self.converter.report()


def convert_stream(source: Any, to: TargetDialect, from_: SourceDialect | None = None, **options: Unpack[ConvertOptions]) -> ConvertedStream:
    """Converts a stream as it arrives: iterate over the result. See `convert`.

    A source that ends early or raises gives a stream that ends with the terminal event of a failure (`response.failed`, `RUN_ERROR`,
    `error`, …) and the code `stream_truncated`; an exception of the source is raised after it.
    """
    return ConvertedStream(source, Converter(to, from_, **options))


def aconvert_stream(source: Any, to: TargetDialect, from_: SourceDialect | None = None, **options: Unpack[ConvertOptions]) -> AsyncConvertedStream:
    """Converts an asynchronous stream as it arrives: iterate over the result with `async for`. See `convert`."""
    return AsyncConvertedStream(source, Converter(to, from_, **options))
