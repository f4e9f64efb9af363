#!/usr/bin/env bash
# Builds the published wheel into a folder:  bash python/build.sh OUT [MATURIN_OPTION…]
#
# This is `maturin build` (stable Rust, the profile `release`) with two additions: paths of this machine are removed from panic
# messages, and the wheel contains a bill of materials of its crates. MATURIN sets the program (default: maturin).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
mkdir -p "${1:?usage: bash python/build.sh OUT [MATURIN_OPTION…]}"
out=$(cd "$1" && pwd -P)
shift
cd "$root"
cargo fetch --locked
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
python3 tests/tools/sbom.py deltafold-python >"$made/deltafold-python.cdx.json"

flags=("--remap-path-prefix=$root=deltafold")
for folder in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do flags+=("--remap-path-prefix=$folder=crates"); done
export CARGO_ENCODED_RUSTFLAGS
CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; echo "${flags[*]}")
cd python
"${MATURIN:-maturin}" build --locked --sbom-include "$made/deltafold-python.cdx.json" --out "$out" "$@"
