#!/usr/bin/env bash
# Counts the instructions of the C program and of the Rust reader on one shape, one chunk per event:  bash benches/c/compare.sh [SHAPE]
#
# Both must read the same. The Rust reader is counted twice: for a program that reads every member that the C struct has,
# which the C functions are compared with, and for one that reads only the kind. Needs valgrind; builds both
# as users get the C library.
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

# Prints the result of the command, and stores its instruction count: count FUNCTION COMMAND…
count() {
    local function=$1
    shift
    valgrind --tool=callgrind --callgrind-out-file="$folder/callgrind.out" --collect-atstart=no --toggle-collect="$function" "$@" 2>"$folder/said"
    instructions=$(sed -n 's/^.*Collected : //p' "$folder/said")
}
count 'deltafold_count::counted' "$rust" "$shape" event reader-members >"$folder/rust.txt"
of_members=$instructions
count 'deltafold_count::counted' "$rust" "$shape" event reader >"$folder/rust.txt"
of_kind=$instructions
count counted "$folder/read" "$folder/stream.sse" 1 >"$folder/c.txt"
of_c=$instructions
cat "$folder/c.txt"
diff "$folder/rust.txt" "$folder/c.txt"
over() { awk "BEGIN { printf \"%.2f\", $of_c / $1 }"; }
echo "C $of_c instructions; Rust $of_members with every member read: $(over "$of_members"); $of_kind with only the kind read: $(over "$of_kind")"
