#!/usr/bin/env bash
# Runs cargo-mutants: changes the core in small ways, one at a time, and reports the changes that no test notices.
#
#   bash tests/mutants.sh core/src/sse/line.rs            one file, with all tests of the core and of tests/rust
#   bash tests/mutants.sh 'core/src/sse/*.rs' -- --test sse    a layer, with the tests of that layer only: much faster
#   bash tests/mutants.sh core/src/sse/line.rs --list     prints the mutants and runs nothing
#
# Arguments after the file go to cargo-mutants. The tests run in a clone of the last commit, so uncommitted changes do not count. Each
# mutant is built and tested alone, which takes about a minute; --shard 0/8 divides the work, --iterate repeats only those that survived.
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
CARGO_TARGET_DIR=$out/target exec cargo mutants --in-place --output "$out" --file "$file" "$@"
