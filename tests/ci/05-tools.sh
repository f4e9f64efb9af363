# what: the pinned generators build (C header, wasm glue)
# needs: cargo cc rustfmt
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target tools

run cargo fmt --manifest-path tests/tools/Cargo.toml --check
run cargo test --locked --manifest-path tests/tools/Cargo.toml
run cargo build --locked --manifest-path tests/tools/Cargo.toml
