#!/usr/bin/env bash
# Counts the instructions of the C program and of the Rust reader on one shape, one chunk per event:  bash benches/c/compare.sh [SHAPE]
#
# Both must read the same. Needs valgrind; builds both in release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
shape=${1:-W1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cargo build --release --locked -q -p deltafold-benches --bin deltafold-count
rust=${CARGO_TARGET_DIR:-target}/release/deltafold-count
bash bindings/c/install.sh "$folder/prefix"
gcc -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Werror -O2 -g -I"$folder/prefix/include" benches/c/read.c \
    -L"$folder/prefix/lib" -ldeltafold -Wl,-rpath,"$folder/prefix/lib" -o "$folder/read"
"$rust" "$shape" >"$folder/stream.sse"

# Prints what the command read, and keeps its instructions: count FUNCTION COMMAND…
count() {
    local function=$1
    shift
    valgrind --tool=callgrind --callgrind-out-file="$folder/callgrind.out" --collect-atstart=no --toggle-collect="$function" "$@" 2>"$folder/said"
    instructions=$(sed -n 's/^.*Collected : //p' "$folder/said")
}
count 'deltafold_count::counted' "$rust" "$shape" event reader >"$folder/rust.txt"
of_rust=$instructions
count counted "$folder/read" "$folder/stream.sse" 1 >"$folder/c.txt"
of_c=$instructions
cat "$folder/c.txt"
diff "$folder/rust.txt" "$folder/c.txt"
echo "Rust $of_rust, C $of_c instructions: $(awk "BEGIN { printf \"%.2f\", $of_c / $of_rust }")"
