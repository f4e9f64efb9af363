#!/usr/bin/env bash
# Creates the committed corpus: seeds from the vectors and inputs that fuzzing has found, the smallest set that reaches the same code.
#
#   bash tests/fuzz/corpus.sh [FOLDER]      FOLDER: found inputs, a folder for each target (default .cache/fuzz/corpus)
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
export ROOT DELTAFOLD_CACHE=${DELTAFOLD_CACHE:-$ROOT/.cache}
# shellcheck source=tests/ci/lib.sh
. "$ROOT/tests/ci/lib.sh"
# shellcheck source=tests/fuzz/flags.sh
. "$ROOT/tests/fuzz/flags.sh"
use_target fuzz
build_fuzz

found=${1:-$DELTAFOLD_CACHE/fuzz/corpus}
made=$DELTAFOLD_CACHE/fuzz/merge
rm -rf "$made"
mkdir -p "$made"
corpus seeds "$made/seeds"
mkdir -p "$ROOT/tests/fuzz/corpus"
for target in $fuzz_targets; do
    mkdir -p "$made/small/$target" "$found/$target"
    # Longer inputs are left out: every build runs all inputs, and short ones reach nearly all code.
    DELTAFOLD_FUZZ=$target "$FUZZ_BIN/fuzz" -merge=1 -max_len="${DELTAFOLD_FUZZ_LENGTH:-2048}" "$made/small/$target" "$made/seeds/$target" \
        "$found/$target" 2>"$made/$target.log"
done
corpus pack "$made/small"
