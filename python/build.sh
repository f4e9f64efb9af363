#!/usr/bin/env bash
# Builds the wheel as it is published into a folder:  bash python/build.sh OUT
#
# The same as `maturin build --profile release-python`, a tenth smaller: where the linker can, functions that look alike stand side by
# side, which is where deflate finds them, and the archive is packed again by zopfli.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
export ROOT DELTAFOLD_CACHE=${DELTAFOLD_CACHE:-$ROOT/.cache}
mkdir -p "${1:?a folder for the wheel}"
out=$(cd "$1" && pwd -P)
cd "$ROOT"
. tests/ci/lib.sh
[ -n "${CARGO_TARGET_DIR-}" ] || use_target python
use_venv wheel python/build-requirements.txt

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
link=()
for flag in --bp-compression-sort=both --icf=all; do
    if echo 'fn main() {}' | rustc - -C link-arg=-Wl,"$flag" -o "$made/try" 2>/dev/null; then
        link+=(-C "link-arg=-Wl,$flag")
    else
        note "the linker has no $flag: the wheel is larger"
    fi
done
(cd python && run "$VENV/bin/maturin" build --locked --profile release-python --out "$made" ${link[@]+-- "${link[@]}"})
for wheel in "$made"/*.whl; do
    run "$VENV/bin/python" python/repack.py "$wheel" "$out/$(basename "$wheel")"
done
