#!/usr/bin/env bash
# Builds the package into npm/dist:  bash npm/build.sh
#
# wasm from bindings/wasm, glue from the pinned generator in tests/tools, then wasm-opt, esbuild and tsc from
# package-lock.json. npm/gen holds what is between; neither folder is committed.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
export ROOT DELTAFOLD_CACHE=${DELTAFOLD_CACHE:-$ROOT/.cache}
cd "$ROOT"
. tests/ci/lib.sh
use_target wasm

need_rust_target wasm32-unknown-unknown
use_npm npm
run cargo build --locked -p deltafold-wasm --target wasm32-unknown-unknown --profile release-wasm
rm -rf npm/gen npm/dist
tool bindgen "$CARGO_TARGET_DIR/wasm32-unknown-unknown/release-wasm/deltafold_wasm.wasm" npm/gen core
cd npm
run npx --no-install wasm-opt -O3 gen/core_bg.wasm -o gen/core.wasm
run node build.mjs
run npx --no-install tsc --project tsconfig.json
rm -r dist/entry
# CommonJS has declarations of its own, or its users would be told that they import an ES module.
for file in dist/*.d.ts; do sed 's/\(from "\.[^"]*\)\.js"/\1.cjs"/' "$file" >"${file%.ts}.cts"; done
# npm packs no links, and nothing from outside of the folder.
cp ../LICENSE-MIT ../LICENSE-APACHE .
