# what: the batch functions in Python: equal rows on pyarrow, Polars, DuckDB and a Spark cluster of two executors of which one is killed; types, pages, size
# needs: cargo cc gcc java node python3 python3-venv pip:engines
# after: python
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
# The folder of the step `python`, whose optimized build of the core serves both wheels.
use_target python

made=$DELTAFOLD_CACHE/engines
rm -rf "$made"
mkdir -p "$made"
use_venv engines
python=$VENV/bin/python
run java -version
# The workers of Spark use this Python too, and nothing leaves this machine.
export PYSPARK_PYTHON=$python SPARK_LOCAL_IP=127.0.0.1
run env MATURIN="$VENV/bin/maturin" bash "$ROOT/python/build.sh" --arrow "$made/dist"
# The wheels as they are published.
run "$python" -m pip install --quiet --force-reinstall --no-deps "$DELTAFOLD_CACHE"/python/release/*.whl "$made"/dist/*.whl

cp -r tests/engines "$made/tests"
cd "$made/tests"
# The tests find the example streams through the folder of the repository.
export DELTAFOLD_ROOT=$ROOT
run "$python" -m pytest -q -p no:cacheprovider --durations=10 .
run "$python" -m mypy --config-file mypy.ini ./*.py
run "$python" -m mypy.stubtest deltafold_arrow
run "$python" -m mypy.stubtest deltafold --allowlist "$ROOT/python/tests/typing/stubtest-allow.txt" --allowlist stubtest-allow.txt --mypy-config-file mypy.ini
for package in deltafold deltafold_arrow; do
    PATH=$VENV/bin:$PATH run "$python" -m pyright --verifytypes "$package" --ignoreexternal
done

# The pages use no program and no other language.
cd "$ROOT"
run python3 tests/ci/readme.py "$python" "$made" "$made" docs/batch.md docs/polars.md docs/duckdb.md docs/spark.md

wheel=$(echo "$made"/dist/*.whl)
ceiling=2000000
size=$(stat -c %s "$wheel")
echo "the wheel of deltafold-arrow has $size bytes, ceiling $ceiling"
[ "$size" -le "$ceiling" ] || die "the wheel of deltafold-arrow has $size bytes, more than $ceiling"
run python3 "$ROOT/tests/tools/wheel.py" "$wheel" "$ROOT" "$HOME"
