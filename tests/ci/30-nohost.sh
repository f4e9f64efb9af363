# what: the core builds without std and for wasm, and its wasm asks nothing of a host
# needs: cargo rustc
# after: tools
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target nohost

need_rust_target wasm32-unknown-unknown
run cargo build --locked -p deltafold --no-default-features --target wasm32-unknown-unknown

# An rlib has no import section, so a module around the core is linked, with all code kept, called or not.
RUSTFLAGS="-C link-dead-code=yes" run cargo build --locked -p deltafold-nohost --target wasm32-unknown-unknown
imports=$(tool imports "$CARGO_TARGET_DIR/wasm32-unknown-unknown/debug/deltafold_nohost.wasm")
[ -z "$imports" ] || die "the core's wasm imports from its host: $imports"
