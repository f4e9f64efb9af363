"""A Spark cluster on this machine: a master, two workers and two executors, each a process of its own."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
from bodies import HOSTILE, examples, recordings
from pyspark.sql import SparkSession


def start(cores: int = 1) -> SparkSession:
    """Starts two executors with 2 GiB each."""
    os.environ.update(
        SPARK_LOCAL_IP="127.0.0.1",
        SPARK_LOCAL_HOSTNAME="localhost",
        SPARK_HOME=str(Path(pyspark.__file__).parent),
        PYSPARK_PYTHON=sys.executable,
        PYSPARK_DRIVER_PYTHON=sys.executable,
    )
    return (
        SparkSession.builder.master(f"local-cluster[2,{cores},2048]")
        .appName("deltafold")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "1g")
        .config("spark.ui.enabled", "false")
        .config("spark.executor.memory", "1g")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "500")
        .config("spark.sql.files.maxPartitionBytes", str(4 << 20))
        .config("spark.sql.files.openCostInBytes", "0")
        .config("spark.task.maxFailures", "8")
        .config("spark.local.dir", tempfile.gettempdir())
        .getOrCreate()
    )


def stop(session: SparkSession) -> None:
    """Ends the cluster and removes the logs that its workers write into the package."""
    session.stop()
    shutil.rmtree(Path(pyspark.__file__).parent / "work", ignore_errors=True)


def executors(session: SparkSession) -> list[int]:
    """The process ids of the executors of a session."""
    application = session.sparkContext.applicationId
    assert application
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        # The command of a worker names the class too; an executor also has an id and a state of its own.
        if words[0].endswith(b"java") and b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words and application.encode() in words:
            found.append(int(folder.name))
    return sorted(found)


def kill_one_executor(session: SparkSession, after_tasks: int, seconds: float = 60) -> int:
    """Waits until a running job has finished some tasks, then kills one executor. Returns its process id; 0 if the job ended first."""
    tracker = session.sparkContext.statusTracker()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for stage in tracker.getActiveStageIds():
            info: Any = tracker.getStageInfo(stage)
            if info and after_tasks <= info.numCompletedTasks < info.numTasks - 2:
                victim = executors(session)[0]
                os.kill(victim, signal.SIGKILL)
                return victim
        time.sleep(0.02)
    return 0


def write_captures(file: Path, rows: int, largest: int) -> list[bytes | None]:
    """Writes a table of captures of up to `largest` bytes, in many row groups, and returns the bodies. Each is different."""
    pool = [body for body in [*recordings(), *examples(), *HOSTILE] if len(body) <= largest]
    bodies = [None if at % 997 == 0 else pool[at % len(pool)] + b": capture %d\n" % at for at in range(rows)]
    table = pa.table({"id": pa.array(range(rows), pa.int64()), "body": pa.array(bodies, pa.binary())})
    pq.write_table(table, file, row_group_size=max(rows // 40, 1), compression="none")
    return bodies
