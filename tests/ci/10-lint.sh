# what: format, clippy and documentation with warnings denied
# needs: cargo rustfmt cargo-clippy
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
# A folder of its own: what clippy leaves is of no use to the builds, which need not wait for it.
use_target lint

run cargo fmt --all --check
run cargo clippy --locked --workspace --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" run cargo doc --locked --workspace --no-deps --document-private-items
