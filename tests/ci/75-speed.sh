# what: the readers use at most 5 % more instructions than the committed baseline
# needs: cargo cc valgrind python3 rustc
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

run bash benches/gate
