# what: the oldest supported compiler is stated once and builds the core, the C library and the command line
# needs: cargo rustup
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target msrv

msrv=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
[ -n "$msrv" ] || die "the root Cargo.toml states no rust-version"
stray=$(git ls-files '*Cargo.toml' | xargs grep -n '^rust-version = ' | grep -v '^Cargo.toml:' || true)
[ -z "$stray" ] || die "rust-version is stated again: $stray"

if ! cargo "+$msrv.0" --version >/dev/null 2>&1; then
    run rustup toolchain install "$msrv.0" --profile minimal || true
fi
if cargo "+$msrv.0" --version; then
    packages=$(git ls-files 'core/Cargo.toml' 'bindings/c/Cargo.toml' 'bindings/cli/Cargo.toml' | xargs sed -n 's/^name = "\(deltafold[a-z-]*\)"$/-p \1/p' | sort -u)
    # shellcheck disable=SC2086
    run cargo "+$msrv.0" check --locked $packages
else
    # clippy's incompatible_msrv, part of the lint step, still refuses library calls that are newer than rust-version.
    note "Rust $msrv.0 cannot be had here, so the oldest supported compiler was not run"
fi
