#!/usr/bin/env bash
# Changes the core in small ways and sees whether a test notices; needs cargo-mutants (cargo install --locked cargo-mutants).
#
#   bash tests/mutants.sh              every mutant of sse, json, event, accumulate and validate: about a day on two cores
#   bash tests/mutants.sh sse 0/6      the first sixth of the mutants of one layer
#
# Works in a clone of the last commit, so the checkout is not touched. Each layer is judged by the tests that are about it,
# in the order of what they cost. Results are in $DELTAFOLD_CACHE/mutants/LAYER; what survives there is a
# test that is missing, or a change that makes no difference.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cache=${DELTAFOLD_CACHE:-$root/.cache}/mutants
mkdir -p "$cache"

# The suites that judge a layer.
suites() {
    case $1 in
        sse) echo sse_conformance sse_limits sse_any_cut ;;
        json) echo partial_json events ;;
        event) echo events accumulate ;;
        accumulate) echo accumulate events ;;
        validate) echo validate schema_vectors ;;
        *) echo "no layer is named $1" >&2; return 1 ;;
    esac
}

layer() {
    local name=$1 shard=${2:-0/1} tree=$cache/tree arguments=()
    # Given to the build as well as to the run, or every suite would be linked for every mutant.
    for suite in $(suites "$name"); do arguments+=(--cargo-arg "--test=$suite"); done
    if [ ! -d "$tree/.git" ]; then git clone -q "$root" "$tree"; fi
    git -C "$tree" fetch -q origin
    git -C "$tree" reset -q --hard "$(git -C "$root" rev-parse HEAD)"
    # A mutant that hangs is caught, too: the suites take seconds.
    (cd "$tree" && CARGO_TARGET_DIR=$cache/target CARGO_INCREMENTAL=1 cargo mutants --in-place --baseline skip --timeout 240 \
        --shard "$shard" --package deltafold --file "core/src/$name/**" --test-package deltafold-tests \
        --output "$cache/$name" --no-shuffle --colors never "${arguments[@]}")
}

if [ $# -gt 0 ]; then
    layer "$@"
else
    status=0
    for name in sse json event accumulate validate; do layer "$name" || status=1; done
    exit $status
fi
