#!/usr/bin/env bash
# Runs cargo-mutants: changes the core in small ways, one at a time, and reports the changes that no test notices.
#
#   bash tests/mutants.sh core/src/sse/line.rs            one file, with all tests of the core and of tests/rust
#   bash tests/mutants.sh 'core/src/sse/*.rs' -- --test sse    a layer, with the tests of that layer only: much faster
#   bash tests/mutants.sh core/src/sse/line.rs --list     prints the mutants and runs nothing
#
# Arguments after the file go to cargo-mutants. The tests run in a clone of the last commit, so uncommitted changes do not count. First they
# must pass without a change. Each mutant is built and tested alone, which takes about a minute; --shard 0/8 divides the work, --iterate
# repeats only those that survived.
# Results: .cache/mutants/mutants.out. Accepted survivors are in .cargo/mutants.toml. Needs cargo-mutants:
# cargo install --locked cargo-mutants
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
file=${1:?usage: bash tests/mutants.sh FILE [OPTION…] [-- CARGO_TEST_ARGUMENT…]}
shift
out=${DELTAFOLD_CACHE:-$PWD/.cache}/mutants
mkdir -p "$out"
commit=$(git rev-parse HEAD)
[ -d "$out/tree" ] || git clone -q "$PWD" "$out/tree"
git -C "$out/tree" fetch -q origin "$commit"
git -C "$out/tree" checkout -q --force --detach "$commit"
cd "$out/tree"
export CARGO_TARGET_DIR=$out/target
baseline=()
case " $* " in
    *" --list"*) ;;
    *)
        # cargo-mutants would run its own baseline in the package of the file alone, which does not have the test programs of the layers.
        tests=("$@")
        while [ ${#tests[@]} -gt 0 ] && [ "${tests[0]}" != -- ]; do tests=("${tests[@]:1}"); done
        unchanged=(cargo test --locked -p deltafold -p deltafold-tests)
        "${unchanged[@]}" --no-run "${tests[@]:1}"
        started=$SECONDS
        "${unchanged[@]}" "${tests[@]:1}"
        # A mutant whose tests take several times as long as the unchanged ones does not end.
        baseline=(--baseline=skip --timeout $((60 + 5 * (SECONDS - started))))
        ;;
esac
exec cargo mutants --in-place --output "$out" --file "$file" ${baseline[@]+"${baseline[@]}"} "$@"
