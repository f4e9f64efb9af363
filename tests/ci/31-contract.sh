# what: the contract tables are what the fact files generate
# needs: cargo
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

run cargo run --locked --quiet -p deltafold-contract -- --check
