"""Captures at scale: a column of captured bodies in, a column of results out. Needs the extra `deltafold[arrow]`.

>>> from deltafold import batch
>>> body = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\\n\\ndata: [DONE]\\n\\n'
>>> rows = batch.fold([body, None], columns=["outcome", "dialect", "output_text"])
>>> rows.to_pylist()
[{'outcome': 'completed', 'dialect': 'chat-completions', 'output_text': 'Hi'}, None]

A column is any object with `__arrow_c_stream__` or `__arrow_c_array__` (a Series of Polars or pandas, an array of pyarrow or arro3, a
relation of DuckDB or a data frame of DataFusion with one column), or a list of `bytes`, `str` and `None`. A result has the same
protocol, so that these libraries take it without a copy. The rows are spread over the cores, without the interpreter's lock. A body
that is damaged or exceeds a limit has an outcome and findings; it never raises.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Callable, Literal

from ._native import Misuse, __version__

try:
    import deltafold_arrow as _arrow
    from deltafold_arrow import Column
except ImportError as _error:  # pragma: no cover - the tests install the extra
    raise ImportError(
        f"deltafold.batch needs the package deltafold-arrow: pip install 'deltafold[arrow]=={__version__}'"
    ) from _error
if _arrow.__version__ != __version__:  # pragma: no cover - both packages are built together
    raise ImportError(f"deltafold {__version__} needs deltafold-arrow {__version__}, found {_arrow.__version__}")

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["FOLD_COLUMNS", "Batch", "Column", "FoldColumn", "Progress", "check", "convert", "events", "fold"]

FoldColumn = Literal[
    "outcome", "dialect", "response_id", "model", "created_at", "status", "output_text", "reasoning_text", "refusal", "tool_calls",
    "usage", "error", "events", "bytes", "findings", "response",
]  # fmt: skip
"""The name of a column of `fold`."""

Progress = Callable[[int, int], object]
"""Called with the numbers of rows and bytes that are done."""

FOLD_COLUMNS: tuple[FoldColumn, ...] = tuple(_arrow.FOLD_COLUMNS)  # type: ignore[arg-type]
"""The names of all columns of `fold`, in the order of the result."""


class Batch:
    """One operation with its options, to run over several columns. It can be pickled and shared by threads.

    >>> batch = Batch.fold(columns=["model"], dialect="anthropic")
    >>> len(batch.run([]))
    0

    The functions of this module are short forms of `Batch.NAME(options).run(column)`.
    """

    __slots__ = ("_call", "_native")

    def __init__(self, operation: str, /, **call: Any) -> None:
        """Use `Batch.fold`, `Batch.events`, `Batch.check` or `Batch.convert`."""
        self._call = (operation, call)
        self._native = _arrow.Batch(operation, **call)

    @classmethod
    def fold(
        cls,
        *,
        columns: Iterable[FoldColumn] | None = None,
        dialect: str | None = None,
        threads: int | None = None,
        source: Mapping[str, Any] | None = None,
        **reader: Any,
    ) -> Batch:
        """Folds each body into a row with these columns; all but `response` if none are named. Only these are computed.

        `dialect` is that of all bodies; None detects the dialect of each. `threads` is the number of threads, by default one per core.
        `source` has options of the adapter that reads other dialects. `reader` are keywords of `Reader`: `profile`, `layers`,
        `limits`, `strict`, `edition`, `schemas`, `images`, `quote`, `ignore_terminal_snapshot`, `derive_item_ids`.
        """
        names = None if columns is None else _names(columns)
        return cls("fold", columns=names, **_shared(dialect, threads, source, reader))

    @classmethod
    def events(
        cls, *, dialect: str | None = None, threads: int | None = None, source: Mapping[str, Any] | None = None, **reader: Any
    ) -> Batch:
        """Lists the events of each body, for an explode or unnest. The events of other dialects are converted."""
        return cls("events", **_shared(dialect, threads, source, reader))

    @classmethod
    def check(
        cls, *, dialect: str | None = None, threads: int | None = None, source: Mapping[str, Any] | None = None, **reader: Any
    ) -> Batch:
        """Checks each body: outcome, dialect, the numbers of errors, warnings and notes, and the findings.

        All layers are checked with the profile "open-responses", unless `layers` and `profile` say otherwise.
        """
        return cls("check", **_shared(dialect, threads, source, reader))

    @classmethod
    def convert(
        cls,
        to: str,
        *,
        dialect: str | None = None,
        threads: int | None = None,
        limits: Mapping[str, int] | None = None,
        **options: Any,
    ) -> Batch:
        """Converts each body to the dialect `to`: the new body, the dialect it had, the number of values that were lost, findings, and
        the error that ended the conversion. `options` are those of `Converter` except `framing`.
        """
        reader = {} if limits is None else {"limits": limits}
        return cls("convert", to=to, **_shared(dialect, threads, options, reader))

    def run(self, column: Any, *, dialect: Any = None, progress: Progress | None = None) -> Column:
        """Runs over a column. `dialect` is a column with the dialect of each body, where null and "auto" stand for the dialect of the
        batch. `progress` is called with the numbers of rows and bytes that are done, about twenty times per second and at the end.

        A column that is a stream is read chunk by chunk; no more than one chunk is in memory.
        """
        return self._native.run(column, dialect, progress)

    def empty(self) -> Column:
        """A column without rows, which has the type of the results."""
        return self._native.empty()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, self._call

    def __eq__(self, other: object) -> bool:
        return self._call == other._call if isinstance(other, Batch) else NotImplemented

    def __hash__(self) -> int:
        return hash(repr(self._call))

    def __repr__(self) -> str:
        operation, call = self._call
        given = ", ".join(f"{name}={value!r}" for name, value in call.items() if value not in (None, ""))
        return f"Batch.{operation}({given})"


def fold(
    column: Any,
    *,
    columns: Iterable[FoldColumn] | None = None,
    dialect: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
    source: Mapping[str, Any] | None = None,
    **reader: Any,
) -> Column:
    """Folds each body of a column into a row: outcome, model, texts, tool calls, usage, findings; see `Batch.fold`.

    `dialect` is a name, or a column with the name for each body; None detects the dialect of each.
    """
    name, dialects = _dialect(dialect)
    batch = Batch.fold(columns=columns, dialect=name, threads=threads, source=source, **reader)
    return batch.run(column, dialect=dialects, progress=progress)


def events(
    column: Any,
    *,
    dialect: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
    source: Mapping[str, Any] | None = None,
    **reader: Any,
) -> Column:
    """Lists the events of each body of a column; see `Batch.events`. `dialect` as in `fold`."""
    name, dialects = _dialect(dialect)
    return Batch.events(dialect=name, threads=threads, source=source, **reader).run(column, dialect=dialects, progress=progress)


def check(
    column: Any,
    *,
    dialect: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
    source: Mapping[str, Any] | None = None,
    **reader: Any,
) -> Column:
    """Checks each body of a column; see `Batch.check`. `dialect` as in `fold`."""
    name, dialects = _dialect(dialect)
    return Batch.check(dialect=name, threads=threads, source=source, **reader).run(column, dialect=dialects, progress=progress)


def convert(
    column: Any,
    to: str,
    *,
    dialect: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
    limits: Mapping[str, int] | None = None,
    **options: Any,
) -> Column:
    """Converts each body of a column to another dialect; see `Batch.convert`. `dialect` as in `fold`."""
    name, dialects = _dialect(dialect)
    batch = Batch.convert(to, dialect=name, threads=threads, limits=limits, **options)
    return batch.run(column, dialect=dialects, progress=progress)


def _dialect(dialect: Any) -> tuple[str | None, Any]:
    """The dialect as a name for all rows, or as a column."""
    return (dialect, None) if dialect is None or isinstance(dialect, str) else (None, dialect)


def _restore(operation: str, call: dict[str, Any]) -> Batch:
    return Batch(operation, **call)


def _names(names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        raise TypeError(f"expected the names of columns as a list, found the text {names!r}")
    return list(names)


def _shared(
    dialect: str | None, threads: int | None, source: Mapping[str, Any] | None, reader: dict[str, Any]
) -> dict[str, Any]:
    return {"dialect": dialect, "threads": threads, "source": _json(source or {}), "reader": _json(reader)}


def _json(options: Mapping[str, Any]) -> str:
    """Options as JSON text; empty if there are none."""
    given = {name: value for name, value in options.items() if value is not None}
    if not given:
        return ""
    try:
        return json.dumps(given, default=list)
    except (TypeError, ValueError) as error:
        raise Misuse(f"the options have no JSON form: {error}") from None
