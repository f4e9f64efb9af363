"""Polars: the namespace in eager, lazy and streaming queries gives the rows of `deltafold.batch`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import deltafold.polars
import polars as pl
import pytest
from bodies import CHAT, HELLO, all_bodies, texts
from deltafold import batch

BODIES = all_bodies()
FRAME = pl.DataFrame({"id": range(len(BODIES)), "body": pl.Series(BODIES, dtype=pl.Binary)})
BODY: Any = pl.col("body")


def test_eager_lazy_and_streaming_queries_give_the_rows_of_the_batch(tmp_path: Path) -> None:
    expected = batch.fold(BODIES).to_pylist()
    assert FRAME.select(BODY.deltafold.fold())["body"].to_list() == expected
    assert FRAME.lazy().select(BODY.deltafold.fold()).collect()["body"].to_list() == expected
    FRAME.write_parquet(tmp_path / "bodies.parquet", row_group_size=20)
    scanned = pl.scan_parquet(tmp_path / "bodies.parquet").select("id", fold=BODY.deltafold.fold())
    assert scanned.collect(engine="streaming").sort("id")["fold"].to_list() == expected
    values = texts(BODIES)
    as_text = pl.DataFrame({"body": pl.Series(values, dtype=pl.String)}).select(BODY.deltafold.fold())["body"].to_list()
    assert as_text == batch.fold(values).to_pylist()


def test_the_type_of_a_lazy_query_is_known_before_it_runs() -> None:
    query = FRAME.lazy().select(BODY.deltafold.fold(columns=["model", "usage"]), events=BODY.deltafold.events())
    assert query.collect_schema() == query.collect().schema
    usage = FRAME.lazy().select(BODY.deltafold.fold(columns=["usage"]).struct.field("usage").struct.field("total_tokens").sum()).collect()
    assert usage.item() == sum(row["usage"]["total_tokens"] or 0 for row in batch.fold(BODIES).to_pylist() if row and row["usage"])


def test_events_check_convert_and_the_functions() -> None:
    for name in ("events", "check"):
        expected = getattr(batch, name)(BODIES).to_pylist()
        assert FRAME.select(getattr(BODY.deltafold, name)())["body"].to_list() == expected
        assert FRAME.select(getattr(deltafold.polars, name)("body"))["body"].to_list() == expected
        assert getattr(FRAME["body"].deltafold, name)().to_list() == expected  # type: ignore[attr-defined]
    expected = batch.convert(BODIES, "anthropic").to_pylist()
    assert FRAME.select(BODY.deltafold.convert("anthropic"))["body"].to_list() == expected
    assert FRAME["body"].deltafold.convert("anthropic").to_list() == expected  # type: ignore[attr-defined]
    assert FRAME.select(deltafold.polars.convert("body", "anthropic"))["body"].to_list() == expected
    exploded = FRAME.select("id", BODY.deltafold.events()).explode("body").unnest("body")
    assert exploded["delta"].drop_nulls().len() > 0


def test_the_dialect_is_a_name_or_another_column() -> None:
    frame = pl.DataFrame({"body": [CHAT, CHAT, HELLO], "dialect": ["mistral", None, None]})
    for query in (frame.lazy(), frame.lazy().filter(pl.col("body").is_not_null())):
        rows = query.select(BODY.deltafold.fold(dialect=pl.col("dialect"), columns=["dialect"])).collect()
        assert rows["body"].to_list() == [{"dialect": name} for name in ("mistral", "chat-completions", "open-responses")]
    rows = frame.select(BODY.deltafold.fold(dialect="mistral", columns=["dialect"]))
    assert rows["body"].to_list() == [{"dialect": "mistral"}] * 3
    series = frame["body"].deltafold.fold(dialect=frame["dialect"], columns=["dialect"])  # type: ignore[attr-defined]
    assert series.to_list()[0] == {"dialect": "mistral"} and series.name == "body"


def test_a_column_of_another_type_is_an_error_of_the_query() -> None:
    with pytest.raises((TypeError, pl.exceptions.PolarsError), match="found Int64"):
        FRAME.select(pl.col("id").deltafold.fold())  # type: ignore[attr-defined]
    assert FRAME.clear().select(BODY.deltafold.fold()).height == 0
