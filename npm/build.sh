#!/usr/bin/env bash
# Builds the package into npm/dist:  bash npm/build.sh
#
# wasm from bindings/wasm, glue from the pinned generator in tests/tools, then wasm-opt, esbuild and tsc from
# package-lock.json. npm/gen holds what is between; neither folder is committed. Two modules: core only reads, full has
# validation, writing and conversion as well. Each is built twice, small for pages and fast for servers, around the same glue.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
export ROOT DELTAFOLD_CACHE=${DELTAFOLD_CACHE:-$ROOT/.cache}
cd "$ROOT"
. tests/ci/lib.sh
use_target wasm
# Every engine of the last four years has it, and the searches for line ends and quotes want it.
export RUSTFLAGS="-C target-feature=+simd128"

need_rust_target wasm32-unknown-unknown
use_npm npm
rm -rf npm/gen npm/dist
mkdir -p npm/gen/fast
# The first passes untangle what the compiler leaves; after them the usual ones find more to merge.
# Nothing is at the lowest addresses, where the far end of the stack is; that lets constants go into the instructions.
ROUND=(--dae2 -Oz --flatten --rereloop --local-cse -Oz --merge-similar-functions)
# Which alignment an access has is a hint that engines do not take; without it the accesses are more alike, and compress better.
SMALL=(--low-memory-unused "${ROUND[@]}" "${ROUND[@]}" -Oz --dealign)
FAST=(--low-memory-unused -O3)
module() {
    local name=$1 profile=$2 folder=npm/gen/$3
    shift 3
    run cargo build --locked -p deltafold-wasm --target wasm32-unknown-unknown --profile "$profile" "$@"
    tool bindgen "$CARGO_TARGET_DIR/wasm32-unknown-unknown/$profile/deltafold_wasm.wasm" "$folder" "$name"
    # Before wasm-opt packs the data, which leaves out what is blank.
    run node npm/panics.mjs "$folder/${name}_bg.wasm"
    local passes=("${SMALL[@]}")
    [ "$profile" = release-wasm ] || passes=("${FAST[@]}")
    run npm/node_modules/.bin/wasm-opt "${passes[@]}" "$folder/${name}_bg.wasm" -o "$folder/$name.wasm"
}
for name in core full; do
    features=()
    [ "$name" = core ] || features=(--features "$name")
    module "$name" release-wasm . "${features[@]}"
    module "$name" release-wasm-fast fast --features fast "${features[@]}"
    cmp "npm/gen/$name.js" "npm/gen/fast/$name.js" || die "the fast $name.wasm needs a glue of its own, and the entries have one"
done
cd npm
run node build.mjs
run node inspector/build.mjs
run npx --no-install tsc --project tsconfig.json
run node types.mjs
# npm packs no links, and nothing from outside of the folder.
cp ../LICENSE-MIT ../LICENSE-APACHE .
