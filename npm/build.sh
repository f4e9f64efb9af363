#!/usr/bin/env bash
# Builds the package into npm/dist:  bash npm/build.sh
#
# wasm from bindings/wasm, glue from the pinned generator in tests/tools, then wasm-opt, esbuild and tsc from
# package-lock.json. npm/gen holds what is between; neither folder is committed. Two modules: core only reads, full has
# validation, writing and conversion as well.
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
module() {
    local name=$1
    shift
    run cargo build --locked -p deltafold-wasm --target wasm32-unknown-unknown --profile release-wasm "$@"
    tool bindgen "$CARGO_TARGET_DIR/wasm32-unknown-unknown/release-wasm/deltafold_wasm.wasm" npm/gen "$name"
    # The first passes untangle what the compiler leaves; after them the usual ones find more to merge.
    (cd npm && run npx --no-install wasm-opt -Oz --flatten --rereloop --local-cse -Oz --merge-similar-functions -Oz "gen/${name}_bg.wasm" -o "gen/$name.wasm")
}
module core
module full --features full
cd npm
run node build.mjs
run node inspector/build.mjs
run npx --no-install tsc --project tsconfig.json
run node types.mjs
# npm packs no links, and nothing from outside of the folder.
cp ../LICENSE-MIT ../LICENSE-APACHE .
