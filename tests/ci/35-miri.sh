# what: Miri finds no undefined behavior and no race in the core and the C functions; big-endian and 32-bit targets read the same
# needs: cargo cc nightly
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

# The short form of `bash tests/fuzz/sanitize.sh miri`.
use_target miri
# Isolation stays on: the tests see no clock, no files and no environment variables of this machine.
unset RUSTFLAGS MIRIFLAGS
miri() { run cargo "+$NIGHTLY" miri test --locked "$@"; }

# Every C function with NULL and in random orders; every returned view is read completely.
miri -p deltafold-c --test sequences -- every_function_takes any_order
miri -p deltafold --test threads
# The C data interface of Arrow: streams, arrays and types, exported and imported.
miri -p deltafold-arrow --features ffi --lib -- ffi
# All unsafe code of the core: with SSE2, with NEON, and on s390x with machine words alone.
miri -p deltafold --lib -- json::simd
miri -p deltafold --target aarch64-unknown-linux-gnu --lib -- json::simd
miri -p deltafold --target s390x-unknown-linux-gnu --lib -- json::simd
# One pass through every layer: complete streams on a big-endian target, limits and indices on a 32-bit target.
miri -p deltafold --target s390x-unknown-linux-gnu --test quick -- a_stream_is_read a_save_of
miri -p deltafold --target i686-unknown-linux-gnu --test quick -- limits_and_indices a_save_of
