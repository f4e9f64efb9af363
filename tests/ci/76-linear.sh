# what: twice the input uses at most 2.2 times the instructions, for every hostile shape, on a stack of 64 KiB
# needs: cargo cc valgrind python3
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

run cargo build --locked -q --release -p deltafold-benches --bin deltafold-hostile
run python3 benches/linear.py "$CARGO_TARGET_DIR/release/deltafold-hostile"
run "$CARGO_TARGET_DIR/release/deltafold-hostile" again 1000000
