#!/usr/bin/env bash
# Builds a published wheel into a folder:  bash python/build.sh [--arrow] OUT [MATURIN_OPTION…]
#
# With --arrow that of deltafold-arrow, otherwise that of deltafold.
#
# This is `maturin build` (stable Rust, the profile `release`), packed tighter, with two additions: paths of this machine are removed from panic
# messages, and the wheel contains a bill of materials of its crates. MATURIN sets the program (default: maturin).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
project=python crate=deltafold-python
if [ "${1-}" = --arrow ]; then
    project=bindings/arrow/python crate=deltafold-arrow-python
    shift
fi
mkdir -p "${1:?usage: bash python/build.sh [--arrow] OUT [MATURIN_OPTION…]}"
out=$(cd "$1" && pwd -P)
shift
cd "$root"
cargo fetch --locked
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
python3 tests/tools/sbom.py "$crate" >"$made/$crate.cdx.json"

flags=("--remap-path-prefix=$root=deltafold")
for folder in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do flags+=("--remap-path-prefix=$folder=crates"); done
export CARGO_ENCODED_RUSTFLAGS
CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; echo "${flags[*]}")
cd "$project"
"${MATURIN:-maturin}" build --locked --compression-level 9 --sbom-include "$made/$crate.cdx.json" --out "$out" "$@"
