# what: Python: the wheel, the source archive and the checkout install in fresh environments, pass the tests, and match their types
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
cp -r python/tests python/README.md "$made/"
cd "$made/tests"
run "$python" -m pytest -q .
run "$python" -m mypy.stubtest deltafold --allowlist typing/stubtest-allow.txt
run "$python" -m mypy --strict ./*.py
(cd typing && run "$python" check.py)
PATH=$VENV/bin:$PATH run "$python" -m pyright --verifytypes deltafold --ignoreexternal

# What needs no other package is tested in an environment that has none: with the source archive, where crates outside of the
# Python folder go wrong, and with the checkout.
(cd "$ROOT/python" && run "$maturin" sdist --out "$made/sdist")
for source in "$made"/dist/*.whl "$made"/sdist/*.tar.gz "$ROOT/python"; do
    rm -rf "$made/fresh"
    run python3 -m venv "$made/fresh"
    MATURIN_PEP517_ARGS="--profile dev" run "$made/fresh/bin/pip" install --quiet "$source" "pytest==9.*"
    run "$made/fresh/bin/python" -m pytest -q test_package.py test_event.py test_reader.py test_sources.py test_check.py test_writer.py
done
