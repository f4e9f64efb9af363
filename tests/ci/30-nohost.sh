# what: the core builds without std and for wasm, and its wasm module has no imports
# needs: cargo cc wasm32
# after: tools
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target nohost

run cargo build --locked -p deltafold --no-default-features --target wasm32-unknown-unknown

# An rlib has no import section, so a module around the core is linked; link-dead-code keeps functions that are not called.
RUSTFLAGS="-C link-dead-code=yes" run cargo build --locked -p deltafold-nohost --target wasm32-unknown-unknown
imports=$(tool imports "$CARGO_TARGET_DIR/wasm32-unknown-unknown/debug/deltafold_nohost.wasm")
[ -z "$imports" ] || die "the core's wasm imports from its host: $imports"
