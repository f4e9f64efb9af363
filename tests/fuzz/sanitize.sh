#!/usr/bin/env bash
# The long forms of the checks that need a nightly compiler. Each takes minutes.
#
#   bash tests/fuzz/sanitize.sh miri       unit tests of the core, the quick tests on three machines, the C functions in 40 orders
#   bash tests/fuzz/sanitize.sh address    the core's tests and the C functions with AddressSanitizer
#   bash tests/fuzz/sanitize.sh fuzz [SECONDS [TARGET…]]   fuzz targets with AddressSanitizer, each for SECONDS (default 60, all targets)
#   bash tests/fuzz/sanitize.sh thread     readers in locks and moved between threads with ThreadSanitizer, the standard library included
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
export ROOT DELTAFOLD_CACHE=${DELTAFOLD_CACHE:-$ROOT/.cache}
cd "$ROOT"
# shellcheck source=tests/ci/lib.sh
. tests/ci/lib.sh
nightly_is_complete || die "$NIGHTLY with miri and rust-src is missing: bash tests/run --setup-only"
host=$(rustc -vV | sed -n 's/^host: //p')

case ${1-} in
    miri)
        use_target miri
        # All tests except those that walk every schema of the contract, which are tables of numbers, and those that read thousands of payloads or
        # hundreds of kilobytes; some do fewer rounds here (`cfg!(miri)`).
        run cargo "+$NIGHTLY" miri test --locked -p deltafold --lib -- \
            --skip contract::schema --skip all_levels_read --skip every_changed_byte --skip steps_are_bounded
        run cargo "+$NIGHTLY" miri test --locked -p deltafold --test quick --test threads
        for target in s390x-unknown-linux-gnu i686-unknown-linux-gnu; do
            run cargo "+$NIGHTLY" miri test --locked -p deltafold --target $target --test quick
        done
        # Isolation hides the environment, so the needed variables are named.
        DELTAFOLD_SEEDS=10 MIRIFLAGS=-Zmiri-env-forward=DELTAFOLD_SEEDS run \
            cargo "+$NIGHTLY" miri test --locked -p deltafold-c --test sequences -- every_function_takes any_order
        ;;
    address)
        use_target asan
        export RUSTFLAGS=-Zsanitizer=address
        run cargo "+$NIGHTLY" test --locked --target "$host" -p deltafold --lib --tests
        run cargo "+$NIGHTLY" test --locked --target "$host" -p deltafold-c --test sequences
        ;;
    fuzz)
        seconds=${2:-60}
        . tests/fuzz/flags.sh
        shift $(($# < 2 ? $# : 2))
        targets=${*:-$fuzz_targets}
        use_target fuzz-asan
        fuzz_flags="$fuzz_flags -Zsanitizer=address"
        RUSTUP_TOOLCHAIN=$NIGHTLY build_fuzz
        work=$DELTAFOLD_CACHE/fuzz
        mkdir -p "$work/corpus" "$work/crashes"
        corpus unpack "$work/corpus"
        for target in $targets; do
            # No leak check at the end: libFuzzer's own allocations are not leaks.
            ASAN_OPTIONS=detect_leaks=0 DELTAFOLD_FUZZ=$target run "$FUZZ_BIN/fuzz" -max_total_time="$seconds" -max_len=256 -timeout=60 \
                -rss_limit_mb=4096 -dict=tests/fuzz/wire.dict -print_final_stats=1 -artifact_prefix="$work/crashes/asan-$target-" "$work/corpus/$target"
        done
        ;;
    thread)
        use_target tsan
        # Locks of an uninstrumented standard library would be reported as races.
        export RUSTFLAGS=-Zsanitizer=thread
        run cargo "+$NIGHTLY" test --locked -Zbuild-std --target "$host" -p deltafold --test threads
        ;;
    *) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 2 ;;
esac
