# what: the contract tables match the output of the generator
# needs: cargo cc
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

run cargo run --locked --quiet -p deltafold-contract -- --check
