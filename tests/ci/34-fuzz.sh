# what: every fuzz target builds, holds on its committed inputs, and finds nothing new in a few seconds
# needs: cargo rustc
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
. "$ROOT/tests/fuzz/flags.sh"

# The short form of tests/fuzz/long.sh.
use_target fuzz
if ! command -v c++ >/dev/null || ! run build_fuzz; then
    note "libFuzzer cannot be built here (it takes a C++ compiler): the committed inputs are only replayed, nothing is fuzzed"
    use_target fuzz-replay
    RUSTFLAGS="" run cargo run --release --locked --no-default-features --bin corpus --manifest-path tests/fuzz/Cargo.toml -- replay
    exit 0
fi

work=$DELTAFOLD_CACHE/fuzz/short
rm -rf "$work"
corpus unpack "$work"
for target in $fuzz_targets; do
    # All committed inputs are run first, whatever time they take. The same seed each time: what fails here fails again.
    DELTAFOLD_FUZZ=$target run "$FUZZ_BIN/fuzz" -seed=1 -runs=30000 -max_total_time=12 -max_len=512 -timeout=20 -rss_limit_mb=2048 \
        -dict=tests/fuzz/wire.dict -print_final_stats=1 -artifact_prefix="$work-$target-" "$work/$target"
done
