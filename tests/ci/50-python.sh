# what: Python: the wheel and the source archive install in fresh environments, pass the tests, and match their types
# needs: cargo python3
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target python

requirements=tests/ci/python-requirements.txt
made=$DELTAFOLD_CACHE/python
rm -rf "$made"
mkdir -p "$made"

# One environment builds; the package is then tested as users get it, installed from a file.
use_venv python "$requirements"
maturin=$VENV/bin/maturin
python=$VENV/bin/python
(cd python && run "$maturin" build --locked --profile dev --strip false --out "$made/dist")
run "$python" -m pip install --quiet --force-reinstall --no-deps "$made"/dist/*.whl
cp -r python/tests "$made/tests"
(cd "$made" && run "$python" -m pytest -q tests)
(cd "$made/tests" && run "$python" -m mypy.stubtest deltafold --allowlist typing/stubtest-allow.txt)
(cd "$made/tests" && run "$python" -m mypy --strict ./*.py)
(cd "$made/tests/typing" && run "$python" check.py)
(cd "$made/tests" && PATH=$VENV/bin:$PATH run "$python" -m pyright --verifytypes deltafold --ignoreexternal)

# The source archive is where crates outside of the Python folder go wrong, so it is built from in an empty environment.
(cd python && run "$maturin" sdist --out "$made/sdist")
run python3 -m venv "$made/fresh"
MATURIN_PEP517_ARGS="--profile dev" run "$made/fresh/bin/pip" install --quiet "$made"/sdist/*.tar.gz
(cd "$made" && run "$made/fresh/bin/python" - <<'PYTHON'
import deltafold
events = deltafold.events(b'data: {"type":"response.output_text.delta","delta":"Hi"}\n\n')
assert [event.delta for event in events] == ["Hi"] and events.response.output_text == "Hi"
PYTHON
)
