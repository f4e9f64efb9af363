#!/usr/bin/env bash
# Times deltafold.batch beside loops in Python, and in Spark:  bash benches/captures.sh [speed] [memory] [spark]
#
# Needs DELTAFOLD_SHARED, the folder with recordings. BENCH_MB sets the size of the bodies (default 100), BENCH_ROUNDS the rounds (5),
# BENCH_ROWS the rows of the Spark table (20000). Uses the wheels as they are published.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
export ROOT DELTAFOLD_CACHE=${DELTAFOLD_CACHE:-$ROOT/.cache}
cd "$ROOT"
. tests/ci/lib.sh
[ -n "${DELTAFOLD_SHARED-}" ] || die "DELTAFOLD_SHARED is not set: there are no recordings to measure"
use_target python
use_venv engines
made=$DELTAFOLD_CACHE/bench/captures
rm -rf "$made"
for wheel in "" --arrow; do
    MATURIN=$VENV/bin/maturin bash python/build.sh $wheel "$made"
done
"$VENV/bin/pip" install --quiet --force-reinstall --no-deps "$made"/*.whl
"$VENV/bin/pip" install --quiet orjson==3.13.0
PYSPARK_PYTHON=$VENV/bin/python SPARK_LOCAL_IP=127.0.0.1 "$VENV/bin/python" benches/python/captures.py "$@"
