"""DuckDB: the SQL functions give the rows of `deltafold.batch`."""

from __future__ import annotations

from typing import Any

import deltafold.duckdb
import duckdb
import pyarrow as pa
import pytest
from bodies import CHAT, HELLO, all_bodies, texts
from deltafold import batch

BODIES = all_bodies()


@pytest.fixture
def connection() -> Any:
    connection = duckdb.connect()
    deltafold.duckdb.register(connection)
    bodies = pa.table({"id": range(len(BODIES)), "body": pa.array(BODIES, pa.binary())})
    connection.register("captures", bodies)
    yield connection
    connection.close()


def column(connection: Any, query: str) -> list[Any]:
    return [row[0] for row in connection.execute(query).fetchall()]


def test_the_functions_give_the_rows_of_the_batch(connection: Any) -> None:
    assert column(connection, "SELECT deltafold_fold(body) FROM captures ORDER BY id") == batch.fold(BODIES).to_pylist()
    assert column(connection, "SELECT deltafold_events(body) FROM captures ORDER BY id") == batch.events(BODIES).to_pylist()
    assert column(connection, "SELECT deltafold_check(body) FROM captures ORDER BY id") == batch.check(BODIES).to_pylist()
    for target in ("anthropic", "chat-completions"):
        converted = column(connection, f"SELECT deltafold_convert(body, '{target}') FROM captures ORDER BY id")
        assert converted == batch.convert(BODIES, target).to_pylist()
    values = texts(BODIES)
    connection.register("as_text", pa.table({"id": range(len(values)), "body": pa.array(values, pa.string())}))
    assert column(connection, "SELECT deltafold_fold(body) FROM as_text ORDER BY id") == batch.fold(values).to_pylist()


def test_relations_and_results_are_columns(connection: Any) -> None:
    relation = connection.sql("SELECT body FROM captures ORDER BY id")
    assert batch.fold(relation).to_pylist() == batch.fold(BODIES).to_pylist()
    folded = batch.fold(BODIES).table()
    count = connection.execute("SELECT count(*), count(outcome) FROM folded").fetchall()
    assert count == [(len(BODIES), len(BODIES) - BODIES.count(None))]
    assert folded.names[0] == "outcome"


def test_the_dialect_is_an_argument(connection: Any) -> None:
    connection.execute("CREATE TABLE named(body BLOB, dialect VARCHAR)")
    connection.executemany("INSERT INTO named VALUES (?, ?)", [(CHAT, "mistral"), (CHAT, None), (HELLO, None)])
    query = "SELECT deltafold_fold(body, dialect := dialect).dialect FROM named"
    assert column(connection, query) == ["mistral", "chat-completions", "open-responses"]
    assert column(connection, "SELECT deltafold_fold(body, dialect := 'mistral').dialect FROM named") == ["mistral"] * 3


def test_queries_over_fields_and_events(connection: Any) -> None:
    tokens = connection.execute("SELECT sum(deltafold_fold(body).usage.total_tokens) FROM captures").fetchone()[0]
    assert tokens == sum(row["usage"]["total_tokens"] or 0 for row in batch.fold(BODIES).to_pylist() if row and row["usage"])
    events = connection.execute("SELECT count(*) FROM (SELECT unnest(deltafold_events(body)) FROM captures)").fetchone()[0]
    assert events == sum(len(row) for row in batch.events(BODIES).to_pylist() if row is not None)
    many = connection.execute("SELECT count(*) FILTER (deltafold_fold(encode('')).outcome = 'truncated') FROM range(5000)").fetchone()[0]
    assert many == 5000


def test_functions_are_replaced_and_have_prefixes(connection: Any) -> None:
    deltafold.duckdb.register(connection, columns=["outcome"])
    assert column(connection, "SELECT deltafold_fold(body) FROM captures WHERE body IS NOT NULL LIMIT 1")[0].keys() == {"outcome"}
    deltafold.duckdb.register(connection, prefix="strict", columns=["findings"], strict=True, layers="all")
    strict = column(connection, "SELECT strict_fold('data: {]\n\n')")[0]
    assert strict["findings"][-1]["rule"] == "strict.violation"
    assert column(connection, "SELECT deltafold_fold(NULL)") == [None]
    with pytest.raises(duckdb.Error, match="morse"):
        connection.execute("SELECT deltafold_convert(body, 'morse') FROM captures").fetchall()
    with pytest.raises(ValueError, match="prefix"):
        deltafold.duckdb.register(connection, prefix="a; DROP TABLE captures")
