# what: the contract tables match what the generator makes from the fact files
# needs: cargo cc
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

run cargo run --locked --quiet -p deltafold-contract -- --check
