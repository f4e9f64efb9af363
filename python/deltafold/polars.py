"""Polars: `pl.col("body").deltafold.fold()`, in eager and lazy frames. Needs the extra `deltafold[arrow]`.

Importing this module adds the namespace `deltafold` to expressions and Series. `fold`, `events`, `check` and `convert` do the same
as functions, which type checkers know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from .batch import Batch

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DeltafoldExpr", "DeltafoldSeries", "check", "convert", "events", "fold"]


def fold(body: str | pl.Expr, *, dialect: str | pl.Expr | None = None, **options: Any) -> pl.Expr:
    """Folds each body into a struct; `options` are those of `deltafold.batch.fold`.

    `body` is an expression or the name of a column. `dialect` is the name of a dialect, or an expression with a name for each body.
    """
    return _expression(Batch.fold(dialect=_name(dialect), **options), body, dialect)


def events(body: str | pl.Expr, *, dialect: str | pl.Expr | None = None, **options: Any) -> pl.Expr:
    """Lists the events of each body; `options` are those of `deltafold.batch.events`."""
    return _expression(Batch.events(dialect=_name(dialect), **options), body, dialect)


def check(body: str | pl.Expr, *, dialect: str | pl.Expr | None = None, **options: Any) -> pl.Expr:
    """Checks each body; `options` are those of `deltafold.batch.check`."""
    return _expression(Batch.check(dialect=_name(dialect), **options), body, dialect)


def convert(body: str | pl.Expr, to: str, *, dialect: str | pl.Expr | None = None, **options: Any) -> pl.Expr:
    """Converts each body to the dialect `to`; `options` are those of `deltafold.batch.convert`."""
    return _expression(Batch.convert(to, dialect=_name(dialect), **options), body, dialect)


@pl.api.register_expr_namespace("deltafold")
class DeltafoldExpr:
    """The namespace `deltafold` of expressions."""

    def __init__(self, body: pl.Expr) -> None:
        self._body = body

    def fold(self, *, dialect: str | pl.Expr | None = None, **options: Any) -> pl.Expr:
        """Folds each body into a struct; `options` are those of `deltafold.batch.fold`."""
        return fold(self._body, dialect=dialect, **options)

    def events(self, *, dialect: str | pl.Expr | None = None, **options: Any) -> pl.Expr:
        """Lists the events of each body; `options` are those of `deltafold.batch.events`."""
        return events(self._body, dialect=dialect, **options)

    def check(self, *, dialect: str | pl.Expr | None = None, **options: Any) -> pl.Expr:
        """Checks each body; `options` are those of `deltafold.batch.check`."""
        return check(self._body, dialect=dialect, **options)

    def convert(self, to: str, *, dialect: str | pl.Expr | None = None, **options: Any) -> pl.Expr:
        """Converts each body to the dialect `to`; `options` are those of `deltafold.batch.convert`."""
        return convert(self._body, to, dialect=dialect, **options)


@pl.api.register_series_namespace("deltafold")
class DeltafoldSeries:
    """The namespace `deltafold` of Series."""

    def __init__(self, bodies: pl.Series) -> None:
        self._bodies = bodies

    def fold(self, *, dialect: str | pl.Series | None = None, **options: Any) -> pl.Series:
        """Folds each body into a struct; `options` are those of `deltafold.batch.fold`."""
        return self._run(Batch.fold(dialect=_name(dialect), **options), dialect)

    def events(self, *, dialect: str | pl.Series | None = None, **options: Any) -> pl.Series:
        """Lists the events of each body; `options` are those of `deltafold.batch.events`."""
        return self._run(Batch.events(dialect=_name(dialect), **options), dialect)

    def check(self, *, dialect: str | pl.Series | None = None, **options: Any) -> pl.Series:
        """Checks each body; `options` are those of `deltafold.batch.check`."""
        return self._run(Batch.check(dialect=_name(dialect), **options), dialect)

    def convert(self, to: str, *, dialect: str | pl.Series | None = None, **options: Any) -> pl.Series:
        """Converts each body to the dialect `to`; `options` are those of `deltafold.batch.convert`."""
        return self._run(Batch.convert(to, dialect=_name(dialect), **options), dialect)

    def _run(self, batch: Batch, dialect: str | pl.Series | None) -> pl.Series:
        dialects = dialect if isinstance(dialect, pl.Series) else None
        return pl.Series(batch.run(self._bodies, dialect=dialects)).alias(self._bodies.name)


def _name(dialect: Any) -> str | None:
    return dialect if isinstance(dialect, str) else None


def _expression(batch: Batch, body: str | pl.Expr, dialect: str | pl.Expr | None) -> pl.Expr:
    def run(columns: Sequence[pl.Series]) -> pl.Series:
        result = batch.run(columns[0], dialect=columns[1] if len(columns) > 1 else None)
        return pl.Series(result).alias(columns[0].name)

    columns = [pl.col(body) if isinstance(body, str) else body]
    if isinstance(dialect, pl.Expr):
        columns.append(dialect)
    # Without the type of the result, Polars would run the batch to plan a lazy query.
    result = pl.Series(batch.empty()).dtype
    return pl.map_batches(columns, run, return_dtype=result, is_elementwise=True)
