#!/usr/bin/env bash
# Builds the wheel as it is published into a folder:  bash python/build.sh OUT
#
# The same as `maturin build`, a fifth smaller:
#   - The pinned nightly builds the standard library anew, for size and without what prints backtraces; those of a wheel, which has no
#     symbols, would tell nothing. The core is built for size as well, but for its hot functions (`optimize(speed)`).
#   - Where the linker can, functions that look alike stand side by side, which is where deflate finds them.
#   - The archive is packed again by zopfli, with a bill of materials of what is in it.
# Without the nightly all of it but the first is done. No path of the machine is in it.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
export ROOT DELTAFOLD_CACHE=${DELTAFOLD_CACHE:-$ROOT/.cache}
mkdir -p "${1:?a folder for the wheel}"
out=$(cd "$1" && pwd -P)
cd "$ROOT"
. tests/ci/lib.sh
[ -n "${CARGO_TARGET_DIR-}" ] || use_target python
use_venv wheel python/build-requirements.txt

profile=(--profile release-python)
run cargo fetch --locked
flags=("--remap-path-prefix=$ROOT=deltafold")
for folder in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do flags+=("--remap-path-prefix=$folder=crates"); done
if have_nightly; then
    export RUSTUP_TOOLCHAIN=$NIGHTLY
    profile=(--profile release-wheel -Zbuild-std=std,panic_unwind -Zbuild-std-features=optimize_for_size
        --target "$(rustc -vV | sed -n 's/^host: //p')")
    flags+=("--remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=rust" --cfg deltafold_hot)
else
    note "there is no $NIGHTLY: the wheel is a fifth larger"
fi

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
(
    cd python
    export CARGO_ENCODED_RUSTFLAGS
    CARGO_ENCODED_RUSTFLAGS=$(printf '%s\x1f' "${flags[@]}")
    CARGO_ENCODED_RUSTFLAGS=${CARGO_ENCODED_RUSTFLAGS%$'\x1f'}
    run "$VENV/bin/maturin" build --locked "${profile[@]}" --out "$made" ${link[@]+-- "${link[@]}"}
)
python3 tests/tools/sbom.py deltafold-python >"$made/bill.json"
for wheel in "$made"/*.whl; do
    run "$VENV/bin/python" python/repack.py "$wheel" "$made/bill.json" "$out/$(basename "$wheel")"
done
