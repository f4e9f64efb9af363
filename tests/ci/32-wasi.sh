# what: the command line compiles for WASI, without its progress bar and HTTP server
# needs: cargo cc wasip1
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target nohost

run cargo check --locked -p deltafold-cli --target wasm32-wasip1
