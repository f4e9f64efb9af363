#!/usr/bin/env bash
# Changes the core in small ways and sees whether a test notices; needs cargo-mutants (cargo install --locked cargo-mutants).
#
#   bash tests/mutants.sh                 every mutant of sse, json, event, accumulate and validate
#   bash tests/mutants.sh sse             those of one layer
#   bash tests/mutants.sh file=json/scan  those of the files with this in their path
#   bash tests/mutants.sh sse 0/6         each sixth of them, from the first
#   bash tests/mutants.sh again           those that survived, once more: after a test was added
#   bash tests/mutants.sh sse 2           with no more than two seconds of tests for each
#   bash tests/mutants.sh suite=views,tour  with the tests within the core and these suites: the others are not built
#   bash tests/mutants.sh only=blocks     with the tests that have this in their name
#   bash tests/mutants.sh report          what is known so far
#
# The words can be combined. `again` with fewer tests than before never takes back what is known: the report counts the best answer.
#
# cargo-mutants names the mutants. Building each would take a day, so tests/mutants puts all of them into one copy of the core, each
# behind a switch (DELTAFOLD_MUTANT), and the tests are built once. A mutant is asked about with the tests that reach it, one by one,
# until one fails or runs out of time. Works in a clone of the last commit, so the checkout is not touched. A run that is ended goes
# on where it was; with another core it starts anew.
#
# The report lists what survived without a reason in tests/mutants/survivors.json, and the command fails if there is anything.
set -euo pipefail

# A function, so that the whole file is read before anything is done: a run takes long, and the file may change meanwhile.
main() {
    root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
    out=${DELTAFOLD_CACHE:-$root/.cache}/mutants
    tree=$out/tree
    tool=$out/tool/release/mutants
    mkdir -p "$out"

    CARGO_TARGET_DIR=$out/tool cargo build --quiet --locked --release --manifest-path "$root/tests/mutants/Cargo.toml"
    report() { "$tool" report "$out" "$root/tests/mutants/survivors.json"; }
    if [ "${1-}" = report ]; then report; exit; fi

    # What is asked must be fast, and what would be an overflow in a debug build must be one here.
    export CARGO_TARGET_DIR=$out/target CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=0 RUSTFLAGS="--cap-lints allow"
    layers=(sse json event accumulate validate)

    [ -d "$tree/.git" ] || git clone -q "$root" "$tree"
    git -C "$tree" fetch -q origin
    commit=$(git -C "$root" rev-parse HEAD)
    git -C "$tree" cat-file -e "$commit" || { echo "commit first" >&2; exit 1; }
    core=$(git -C "$root" rev-parse "HEAD:core/src")
    # The core of the tree stays rewritten, so that it is only built again when it has changed.
    if [ "$(cat "$out/core" 2>/dev/null)" != "$core" ]; then
        rm -f "$out/core" "$out/results.jsonl" "$out/mutants.json"
        git -C "$tree" reset -q --hard "$commit"
        git -C "$tree" clean -qfd core
        files=()
        for layer in "${layers[@]}"; do files+=(--file "core/src/$layer/**"); done
        (cd "$tree" && cargo mutants --list --json --package deltafold "${files[@]}") >"$out/list.json"
        "$tool" build "$out/list.json" "$tree" "$out"
        echo "$core" >"$out/core"
    else
        git -C "$tree" checkout -q "$commit" -- tests Cargo.toml Cargo.lock
    fi
    # What a test reaches is measured anew when its program is, and when the vectors that it reads have changed.
    vectors=$(git -C "$root" rev-parse "HEAD:tests/vectors")
    if [ "$(cat "$out/vectors" 2>/dev/null)" != "$vectors" ]; then
        rm -f "$out/tests.json"
        echo "$vectors" >"$out/vectors"
    fi
    "$tool" run "$tree" "$out" "$@"
    report
}

main "$@"
