# what: `check` and `fold` read a large capture from stdin in little memory, and show progress
# needs: cargo python3
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

# The short form of `large.py DELTAFOLD 1000`, whose figures are in docs/cli.md. 100 MB take 14 and 27 MB.
run cargo build --locked -q --release -p deltafold-cli
run python3 bindings/cli/tests/large.py "$CARGO_TARGET_DIR/release/deltafold" 100 48
