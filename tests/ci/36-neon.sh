# what: NEON code and the scanners that use it pass their tests as machine code of aarch64, under an emulator
# needs: aarch64 cargo cc qemu-aarch64
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

# The target with musl brings all that its linker needs, so that no cross compiler is installed.
use_target neon
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER=qemu-aarch64
# Without inlining, the emulator takes ten times as long.
export CARGO_PROFILE_TEST_OPT_LEVEL=1
run cargo test --locked --target aarch64-unknown-linux-musl -p deltafold --lib -- json:: event:: reader:: --skip reader::validation
