"""Spark with two executor processes: 20,000 bodies equal the rows of a single process, also if an executor is killed."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, Iterator

import cluster
import deltafold.spark
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bodies import CHAT, HELLO
from deltafold import batch

ROWS = 20_000


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    started = cluster.start()
    yield started
    cluster.stop(started)


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[bytes | None]]:
    file = tmp_path_factory.mktemp("captures") / "captures.parquet"
    return file, cluster.write_captures(file, ROWS, largest=6_000)


def assert_rows_equal(written: Path, name: str, expected: batch.Column) -> None:
    """Compares the files that the executors wrote, sorted by id, with the rows of this process."""
    table = pq.read_table(written).sort_by("id")
    assert table["id"].to_pylist() == list(range(ROWS))
    same = pa.array(expected)
    # Parquet names the elements of lists differently.
    found = table[name].combine_chunks().cast(same.type)
    if not found.equals(same):
        for at, (one, other) in enumerate(zip(found, same)):
            assert one.as_py() == other.as_py(), at
        raise AssertionError("the arrays differ, and their rows do not")


def test_folded_and_checked_rows_equal_those_of_one_process(session: Any, captures: Any, tmp_path: Path) -> None:
    file, bodies = captures
    frame = session.read.parquet(str(file))
    assert frame.rdd.getNumPartitions() >= 4 and len(cluster.executors(session)) == 2
    folded = deltafold.spark.fold(frame, "body", keep=["id", "body"])
    both = deltafold.spark.check(folded, "body")
    assert both.columns == ["id", "fold", "check"]
    both.write.parquet(str(tmp_path / "both"))
    assert_rows_equal(tmp_path / "both", "fold", batch.fold(bodies))
    assert_rows_equal(tmp_path / "both", "check", batch.check(bodies))


def test_a_job_survives_the_loss_of_an_executor(session: Any, captures: Any, tmp_path: Path) -> None:
    file, bodies = captures
    before = cluster.executors(session)
    assert len(before) == 2
    killed: list[int] = []
    killer = threading.Thread(target=lambda: killed.append(cluster.kill_one_executor(session, after_tasks=2)))
    killer.start()
    frame = session.read.parquet(str(file)).repartitionByRange(60, "id")
    deltafold.spark.fold(frame, "body", columns=batch.FOLD_COLUMNS).write.parquet(str(tmp_path / "folded"))
    killer.join()
    assert killed[0] in before, "the job ended before an executor could be killed"
    assert killed[0] not in cluster.executors(session)
    assert_rows_equal(tmp_path / "folded", "fold", batch.fold(bodies, columns=batch.FOLD_COLUMNS))


def test_events_convert_and_the_dialect(session: Any) -> None:
    frame = session.createDataFrame(
        [(1, bytearray(CHAT), "mistral"), (2, bytearray(CHAT), None), (3, bytearray(HELLO), None), (4, None, None)],
        "`the id` int, `the.body` binary, dialect string",
    )
    folded = deltafold.spark.fold(frame, "the.body", into="row", columns=["dialect"], dialect_column="dialect")
    assert folded.columns == ["the id", "dialect", "row"]
    rows = [row["row"] and row["row"]["dialect"] for row in folded.orderBy("the id").collect()]
    assert rows == ["mistral", "chat-completions", "open-responses", None]
    events = deltafold.spark.events(frame, "the.body", keep=["the id"]).orderBy("the id").collect()
    assert [row["events"] and len(row["events"]) for row in events] == [len(row or []) or None for row in batch.events([CHAT, CHAT, HELLO, None])]
    converted = deltafold.spark.convert(frame, "the.body", "anthropic", keep=[], dialect="chat-completions").collect()
    expected = batch.convert([CHAT, CHAT, HELLO, None], "anthropic", dialect="chat-completions").to_pylist()
    assert [row["converted"] and bytes(row["converted"]["body"]) for row in converted] == [row and row["body"] for row in expected]
    text = session.createDataFrame([(CHAT.decode(),)], "body string")
    assert deltafold.spark.fold(text, "body", columns=["output_text"]).collect()[0]["fold"]["output_text"] == "Hi"
    with pytest.raises(ValueError, match="into"):
        deltafold.spark.fold(frame, "the.body", into="dialect")
    with pytest.raises(Exception, match="found Int32"):
        deltafold.spark.fold(frame, "the id").collect()
