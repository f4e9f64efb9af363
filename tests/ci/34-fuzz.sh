# what: every fuzz target builds, passes its committed inputs, and finds nothing new in a few seconds
# needs: cargo cc rustc c++
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
. "$ROOT/tests/fuzz/flags.sh"

# The short form of tests/fuzz/long.sh.
use_target fuzz
run build_fuzz

work=$DELTAFOLD_CACHE/fuzz/short
rm -rf "$work"
corpus unpack "$work"
for target in $fuzz_targets; do
    # All committed inputs run first, without a time limit. The seed is fixed, so a failure can be repeated.
    DELTAFOLD_FUZZ=$target run "$FUZZ_BIN/fuzz" -seed=1 -runs=30000 -max_total_time=12 -max_len=512 -timeout=20 -rss_limit_mb=2048 \
        -dict=tests/fuzz/wire.dict -print_final_stats=1 -artifact_prefix="$work-$target-" "$work/$target"
done
