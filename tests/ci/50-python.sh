# what: Python: the wheel (on every Python of the machine, with the real libraries), the source archive and the checkout install in new environments, pass the tests and the type checks, and keep their size limit
# needs: cargo cc python3 python3-venv valgrind pip:python
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target python

made=$DELTAFOLD_CACHE/python
rm -rf "$made"
mkdir -p "$made"

# One environment builds the package; the tests use it as users get it, installed from a file.
use_venv python
maturin=$VENV/bin/maturin
python=$VENV/bin/python
(cd python && run "$maturin" build --locked --profile dev --strip false --out "$made/dist")
run "$python" -m pip install --quiet --force-reinstall --no-deps "$made"/dist/*.whl
cp -r python/tests python/README.md "$made/"
# The reference server, for a tool loop over real connections, and the command line with `serve`, for the pages.
(use_target native && build_programs deltafold-server deltafold)
export PATH=$DELTAFOLD_CACHE/target/native/debug:$PATH DELTAFOLD_ROOT=$ROOT
export DELTAFOLD_SERVER_PROGRAM=$DELTAFOLD_CACHE/target/native/debug/deltafold-server DELTAFOLD_TOOL_LOOP=$ROOT/examples/server/tool-loop.json
cd "$made/tests"
run "$python" -m pytest -q .
# The step `engines` checks the modules that need the extra `arrow`.
run "$python" -m mypy.stubtest deltafold --allowlist typing/stubtest-allow.txt --allowlist typing/stubtest-without-arrow.txt \
    --mypy-config-file typing/without-arrow.ini
run "$python" -m mypy --strict ./*.py
(cd typing && run "$python" check.py)
run "$python" "$ROOT/tests/ci/python_pages.py" "$python" README.md python/README.md docs/guide.md docs/cookbook.md
PATH=$VENV/bin:$PATH run "$python" -m pyright --verifytypes deltafold --ignoreexternal

# Tests that need no other package run in new environments: with the source archive, which must contain the crates outside of the Python
# folder, with the checkout, and with the published wheel.
alone=(test_package.py test_event.py test_reader.py test_sources.py test_check.py test_writer.py)
fresh() {
    local python=$1 source=$2
    rm -rf "$made/fresh"
    run "$python" -m venv "$made/fresh"
    MATURIN_PEP517_ARGS="--profile dev" run "$made/fresh/bin/pip" install --quiet "$source" "pytest>=8.4,<10"
    run "$made/fresh/bin/python" -m pytest -q "${alone[@]}"
}
(cd "$ROOT/python" && run "$maturin" sdist --out "$made/sdist")
for source in "$made"/sdist/*.tar.gz "$ROOT/python"; do
    fresh python3 "$source"
done

run env MATURIN="$maturin" bash "$ROOT/python/build.sh" "$made/release"
wheel=$(echo "$made"/release/*.whl)
# The step `vectors` tests this wheel as well: it is optimized, the one above is not.
run python3 -m zipfile -e "$wheel" "$made/unpacked"
fresh python3 "$wheel"
# The speed of the wheel itself: a build with other options would pass every other test.
run "$made/fresh/bin/python" "$ROOT/benches/python/gate.py" "$ROOT"/examples/streams/tour.sse

# All tests, with the libraries, run with the published wheel on every Python of this machine. The environments with the libraries are kept.
grep -v '^\(maturin\|mypy\|pyright\|types-\)' "$ROOT/tests/ci/python-requirements.txt" >"$made/libraries.txt"
for version in 3.9 3.10 3.11 3.12 3.13 3.14; do
    python=
    for candidate in "$(command -v "python$version" || true)" "$HOME/.pyenv/versions/$version".*/bin/python; do
        if [ -x "$candidate" ] && "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then python=$candidate; fi
    done
    if [ -z "$python" ]; then
        note "Python $version is not installed: the wheel was not tested with it"
        continue
    fi
    folder=$DELTAFOLD_CACHE/venv/python-$version
    if [ "$(cat "$folder/stamp" 2>/dev/null)" != "$(cat "$made/libraries.txt" && "$python" --version)" ]; then
        rm -rf "$folder"
        run "$python" -m venv "$folder"
        run "$folder/bin/pip" install --quiet --requirement "$made/libraries.txt"
        { cat "$made/libraries.txt" && "$python" --version; } >"$folder/stamp"
    fi
    run "$folder/bin/pip" install --quiet --force-reinstall --no-deps "$wheel"
    run "$folder/bin/python" -m pytest -q .
done

ceiling=2000000
size=$(stat -c %s "$wheel")
echo "the wheel has $size bytes, ceiling $ceiling"
[ "$size" -le "$ceiling" ] || die "the wheel has $size bytes, more than $ceiling"
run python3 "$ROOT/tests/tools/wheel.py" "$wheel" "$ROOT" "$HOME"
