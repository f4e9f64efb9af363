# what: Miri finds nothing undefined and no race in the core and behind the C functions; big-endian and 32-bit read the same
# needs: cargo rustc
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

# The short form of `bash tests/fuzz/sanitize.sh miri`.
if ! have_nightly; then
    note "MIRI WAS NOT RUN: the toolchain $NIGHTLY cannot be had (rustup toolchain install $NIGHTLY --profile minimal -c miri -c rust-src)"
    exit 0
fi
use_target miri
# Isolation stays on: no clock, no files, no environment of this machine.
unset RUSTFLAGS MIRIFLAGS
miri() { run cargo "+$NIGHTLY" miri test --locked "$@"; }

# Every function with NULL and in random orders, each view read to its end.
miri -p deltafold-c --test sequences -- every_function_takes any_order
miri -p deltafold --test threads
# All unsafe code of the core, with vectors and, on the other machine, without.
miri -p deltafold --lib -- json::wide
miri -p deltafold --target s390x-unknown-linux-gnu --lib -- json::wide
# One pass through every layer; whole streams as a big-endian machine, limits and indices as a 32-bit one.
miri -p deltafold --target s390x-unknown-linux-gnu --test quick -- a_stream_is_read a_save_of
miri -p deltafold --target i686-unknown-linux-gnu --test quick -- limits_and_indices a_save_of
