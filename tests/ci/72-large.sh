# what: large streams are read in bounded memory: by the command line (from stdin and from a file of 2 GiB), by Python and by Node.js
# needs: cargo cc python3 node
# after: python npm
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

# The short form of `bash tests/large.sh`, whose figures are in docs/robustness.md.
run cargo build --locked -q --release -p deltafold-cli
MEGABYTES=50 run bash tests/large.sh "$CARGO_TARGET_DIR/release/deltafold" "$DELTAFOLD_CACHE/venv/python/bin/python" \
    "$DELTAFOLD_CACHE/npm/project"
