# what: the readers take no more instructions than the committed baseline, and 5 %
# needs: cargo valgrind python3
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

run bash benches/gate
