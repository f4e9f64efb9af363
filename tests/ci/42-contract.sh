# what: the contract tables match the output of the generator
# needs: cargo cc
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

build_programs deltafold-contract
run "$CARGO_TARGET_DIR/debug/deltafold-contract" --check
