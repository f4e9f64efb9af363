# what: the oldest supported compiler is named once and builds the core, the C library and the command line
# needs: cargo cc git oldest-rust
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target msrv

[ -n "$OLDEST_RUST" ] || die "the root Cargo.toml has no rust-version"
stray=$(git ls-files '*Cargo.toml' | xargs grep -n '^rust-version = ' | grep -v '^Cargo.toml:' || true)
[ -z "$stray" ] || die "rust-version is set in another place too: $stray"

packages=$(git ls-files 'core/Cargo.toml' 'bindings/c/Cargo.toml' 'bindings/cli/Cargo.toml' | xargs sed -n 's/^name = "\(deltafold[a-z-]*\)"$/-p \1/p' | sort -u)
# shellcheck disable=SC2086
run cargo "+$OLDEST_RUST" check --locked $packages
