# what: no link, path, document or rule that a file of the repository names is missing
# needs: python3 python3-venv git pip:checks
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

use_venv checks
run "$VENV/bin/python" tests/ci/links_test.py
run "$VENV/bin/python" tests/ci/links.py
