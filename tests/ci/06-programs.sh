# what: `setup` can install every program that a step calls, every step lists its needs, and nothing runs if something is missing
# needs: python3 python3-venv git cargo cc rustup pip:checks
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

run python3 tests/ci/setup_test.py
use_venv checks
run "$VENV/bin/python" tests/ci/programs_test.py
run "$VENV/bin/python" tests/ci/programs.py
