#!/usr/bin/env bash
# Runs the invariants over hundreds of thousands of random cases: mutated recordings, near-identical blocks, writer sessions and
# conversions. Prints a line for each kind, and the first failing seed of each place that panics.
#
#   bash tests/invariants.sh                        500,000, 200,000, 200,000 and 400,000 cases; hours on two cores
#   bash tests/invariants.sh KIND COUNT [FIRST]     this many cases of recordings, blocks, sessions or conversions, starting at a seed
#
# Set DELTAFOLD_SHARED to mutate the recordings as well as the vectors. Environment: DELTAFOLD_JOBS, the number of threads (default 2).
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
export ROOT DELTAFOLD_CACHE=${DELTAFOLD_CACHE:-$ROOT/.cache}
# shellcheck source=tests/ci/lib.sh
. "$ROOT/tests/ci/lib.sh"
use_target invariants

# As fast as a user's build, but assertions and overflow checks end a case.
export CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
cd "$ROOT"
cargo build --release --locked -q -p deltafold-tests --no-default-features --bin invariants
exec "$CARGO_TARGET_DIR/release/invariants" "$@"
