"""The recipes of docs/batch.md for Daft, DataFusion and Ray Data give the rows of `deltafold.batch`."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from bodies import CHAT, HELLO, HOSTILE, examples
from deltafold import batch

BODIES = [*examples(), None, *HOSTILE, HELLO, CHAT]
TABLE = pa.table({"id": range(len(BODIES)), "body": pa.array(BODIES, pa.binary())})
FOLD = batch.Batch.fold(columns=["outcome", "model", "tool_calls"], threads=1)
EXPECTED = FOLD.run(BODIES).to_pylist()


def test_daft() -> None:
    import daft

    @daft.func.batch(return_dtype=daft.DataType.from_arrow_type(pa.array(FOLD.empty()).type))
    def fold_bodies(bodies: daft.Series) -> Any:
        return daft.Series.from_arrow(pa.array(FOLD.run(bodies.to_arrow())))

    frame = daft.from_arrow(TABLE)
    rows = frame.with_column("fold", fold_bodies(daft.col("body"))).sort("id").to_pydict()["fold"]
    assert rows == EXPECTED
    assert batch.fold(frame.select("body"), columns=["outcome"]).to_pylist() == [row and {"outcome": row["outcome"]} for row in EXPECTED]


def test_datafusion() -> None:
    import datafusion

    fold_bodies = datafusion.udf(lambda bodies: pa.array(FOLD.run(bodies)), [pa.binary()], pa.array(FOLD.empty()).type, "immutable")
    frame = datafusion.SessionContext().from_arrow(TABLE)
    rows = frame.select(datafusion.col("id"), fold_bodies(datafusion.col("body")).alias("fold")).sort("id").to_pydict()["fold"]
    assert rows == EXPECTED
    assert len(batch.fold(frame.select("body"))) == len(BODIES)


def test_ray_data() -> None:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
    try:
        dataset = ray.data.from_arrow(TABLE).repartition(3)
        folded = dataset.map_batches(
            lambda table: table.append_column("fold", pa.array(FOLD.run(table["body"]))), batch_format="pyarrow"
        )
        rows = sorted(folded.take_all(), key=lambda row: row["id"])
    finally:
        ray.shutdown()
    assert [row["fold"] for row in rows] == EXPECTED
