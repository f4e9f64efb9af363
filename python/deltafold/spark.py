"""Spark: captured bodies of a data frame, on every executor. Needs the extra `deltafold[arrow]` on the driver and on the executors.

Each function adds a column of structs (`events`: of lists) to a data frame, through `DataFrame.mapInArrow`:

    folded = deltafold.spark.fold(captures, "body", columns=["outcome", "model", "usage"])
    folded.groupBy("fold.model").sum("fold.usage.total_tokens")

A task of Spark has one core, so a batch uses one thread unless `threads` says otherwise. Spark passes up to
`spark.sql.execution.arrow.maxRecordsPerBatch` rows at a time (10,000 by default); lower it where bodies are large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .batch import Batch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType

    from .batch import FoldColumn

__all__ = ["check", "convert", "events", "fold"]


def fold(
    frame: DataFrame,
    body: str,
    *,
    into: str = "fold",
    keep: Sequence[str] | None = None,
    dialect: str | None = None,
    dialect_column: str | None = None,
    columns: Iterable[FoldColumn] | None = None,
    threads: int | None = 1,
    **options: Any,
) -> DataFrame:
    """Folds each body into a struct in the column `into`.

    `keep` are the columns of the frame that stay; by default all but the bodies, which are large. `dialect` is the name of a dialect,
    `dialect_column` the column that has the name for each body. `columns` and `options` are those of `deltafold.batch.fold`.
    """
    batch = Batch.fold(columns=columns, dialect=dialect, threads=threads, **options)
    return _add(frame, batch, body, into, keep, dialect_column)


def events(
    frame: DataFrame,
    body: str,
    *,
    into: str = "events",
    keep: Sequence[str] | None = None,
    dialect: str | None = None,
    dialect_column: str | None = None,
    threads: int | None = 1,
    **options: Any,
) -> DataFrame:
    """Lists the events of each body in the column `into`. The arguments are those of `fold`."""
    batch = Batch.events(dialect=dialect, threads=threads, **options)
    return _add(frame, batch, body, into, keep, dialect_column)


def check(
    frame: DataFrame,
    body: str,
    *,
    into: str = "check",
    keep: Sequence[str] | None = None,
    dialect: str | None = None,
    dialect_column: str | None = None,
    threads: int | None = 1,
    **options: Any,
) -> DataFrame:
    """Checks each body; the result is in the column `into`. The arguments are those of `fold`."""
    batch = Batch.check(dialect=dialect, threads=threads, **options)
    return _add(frame, batch, body, into, keep, dialect_column)


def convert(
    frame: DataFrame,
    body: str,
    to: str,
    *,
    into: str = "converted",
    keep: Sequence[str] | None = None,
    dialect: str | None = None,
    dialect_column: str | None = None,
    threads: int | None = 1,
    **options: Any,
) -> DataFrame:
    """Converts each body to the dialect `to`; the result is in the column `into`. The other arguments are those of `fold`, `options` those
    of `deltafold.batch.convert`.
    """
    batch = Batch.convert(to, dialect=dialect, threads=threads, **options)
    return _add(frame, batch, body, into, keep, dialect_column)


def _add(
    frame: DataFrame, batch: Batch, body: str, into: str, keep: Sequence[str] | None, dialect_column: str | None
) -> DataFrame:
    from pyspark.sql import functions
    from pyspark.sql.types import StructField, StructType

    kept = [name for name in frame.columns if name != body] if keep is None else list(keep)
    if into in kept:
        raise ValueError(f"the frame has a column {into!r} already: name another one with `into`")
    # Spark sends no column to Python that is not selected here. `mapInArrow` cannot pass a column whose name has a dot, so they get others.
    needed = list(dict.fromkeys([*kept, body] + ([dialect_column] if dialect_column else [])))
    selected = frame.select(*(functions.col(_quoted(name)).alias(f"c{at}") for at, name in enumerate(needed)))
    fields = [StructField(name, field.dataType, field.nullable) for name, field in zip(needed, selected.schema.fields)]
    schema = StructType([*fields[: len(kept)], StructField(into, _spark_type(batch.empty()._type))])
    dialect_at = needed.index(dialect_column) if dialect_column else None
    return selected.mapInArrow(_runner(batch, needed.index(body), dialect_at, [*kept, into]), schema)


def _runner(
    batch: Batch, body_at: int, dialect_at: int | None, names: list[str]
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The function over record batches that runs in the workers of the executors. The columns that stay are the first ones."""

    def run(rows: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for chunk in rows:
            dialects = None if dialect_at is None else chunk.column(dialect_at)
            result = pyarrow.array(batch.run(chunk.column(body_at), dialect=dialects))
            kept = [chunk.column(at) for at in range(len(names) - 1)]
            yield pyarrow.RecordBatch.from_arrays([*kept, result], names=names)

    return run


def _quoted(name: str) -> str:
    """A name for `select`, which would split it at a dot."""
    return "`" + name.replace("`", "``") + "`"


def _spark_type(type: Any) -> DataType:
    from pyspark.sql import types

    if type == "string":
        return types.StringType()
    if type == "binary":
        return types.BinaryType()
    if type == "int64":
        return types.LongType()
    kind, inner = type
    if kind == "list":
        return types.ArrayType(_spark_type(inner))
    return types.StructType([types.StructField(name, _spark_type(field)) for name, field in inner])
