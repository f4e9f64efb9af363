# what: format, clippy and documentation with warnings denied
# needs: cargo cc rustfmt cargo-clippy
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
# A separate folder: builds cannot use the output of clippy, and need not wait for its lock.
use_target lint

run cargo fmt --all --check
run cargo clippy --locked --workspace --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" run cargo doc --locked --workspace --no-deps --document-private-items
