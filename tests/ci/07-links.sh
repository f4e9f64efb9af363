# what: every link, path, document and rule that a file of the repository names exists
# needs: python3 python3-venv git pip:checks
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

use_venv checks
run "$VENV/bin/python" tests/ci/links_test.py
run "$VENV/bin/python" tests/ci/links.py
