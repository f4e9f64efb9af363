# what: `setup` can install every program that a step calls, and every step lists its needs
# needs: python3 python3-venv git pip:checks
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

use_venv checks
run "$VENV/bin/python" tests/ci/programs_test.py
run "$VENV/bin/python" tests/ci/programs.py
