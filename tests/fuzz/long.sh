#!/usr/bin/env bash
# Fuzzes every target in turn, for hours. Prints a line for each round of a target; stops at the first crash.
#
#   bash tests/fuzz/long.sh [HOURS] [TARGET…]      one hour and every target if not given
#
# The corpus grows in .cache/fuzz/corpus (or below DELTAFOLD_CACHE) from run to run. `bash tests/fuzz/corpus.sh` creates the
# committed one from it. Environment:
#   DELTAFOLD_FUZZ_ROUND        seconds that a target has in each round (default 120)
#   DELTAFOLD_FUZZ_LENGTH       the maximum length of an input in bytes (default 512); shorter inputs run faster
#   DELTAFOLD_FUZZ_RUNS         stops after this many executions of all targets together (default: no limit)
#
# Ten million executions of the targets that read whole streams, in about an hour on one core:
#   DELTAFOLD_FUZZ_RUNS=10000000 DELTAFOLD_FUZZ_LENGTH=64 bash tests/fuzz/long.sh 24 feed splits validate save_restore adapters
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
export ROOT DELTAFOLD_CACHE=${DELTAFOLD_CACHE:-$ROOT/.cache}
# shellcheck source=tests/ci/lib.sh
. "$ROOT/tests/ci/lib.sh"
# shellcheck source=tests/fuzz/flags.sh
. "$ROOT/tests/fuzz/flags.sh"

hours=${1:-1}
shift || true
targets=${*:-$fuzz_targets}
use_target fuzz
build_fuzz

work=$DELTAFOLD_CACHE/fuzz
mkdir -p "$work/corpus" "$work/crashes"
corpus unpack "$work/corpus"
until=$(awk -v now="$(date +%s)" -v hours="$hours" 'BEGIN { print int(now + hours * 3600) }')
total=0 round=0
most=${DELTAFOLD_FUZZ_RUNS:-}
while [ "$(date +%s)" -lt "$until" ] && { [ -z "$most" ] || [ "$total" -lt "$most" ]; }; do
    round=$((round + 1))
    for target in $targets; do
        left=$((until - $(date +%s)))
        [ "$left" -gt 0 ] || break
        seconds=${DELTAFOLD_FUZZ_ROUND:-120}
        [ "$seconds" -lt "$left" ] || seconds=$left
        log=$work/$target.log
        if ! DELTAFOLD_FUZZ=$target "$FUZZ_BIN/fuzz" -max_total_time="$seconds" -max_len="${DELTAFOLD_FUZZ_LENGTH:-512}" -timeout=20 \
            -rss_limit_mb=2048 -dict="$ROOT/tests/fuzz/wire.dict" -print_final_stats=1 -artifact_prefix="$work/crashes/$target-" \
            "$work/corpus/$target" >"$log" 2>&1; then
            grep -aE "panicked|ERROR|Test unit written" -A2 "$log" | head -20
            echo "$target failed; repeat it: DELTAFOLD_CORPUS='replay $target FILE' $FUZZ_BIN/fuzz"
            exit 1
        fi
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        total=$((total + ${runs:-0}))
        echo "$(date +%H:%M:%S) round $round $target: ${runs:-0} runs in $seconds s, $total in all"
    done
done
