#!/usr/bin/env bash
# Runs large streams through the command, Python and Node.js, and measures their memory.
#
#   bash tests/large.sh DELTAFOLD PYTHON [PROJECT]
#
# DELTAFOLD is the command, PYTHON an interpreter with the package, PROJECT a folder with the npm package in node_modules:
# the steps `python` and `npm` of tests/run create both. Without PROJECT, Node.js is skipped. MEGABYTES is the size of the streams (default 1000).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command=$(realpath "$1") python=$2 project=${3-}
megabytes=${MEGABYTES:-1000}

# A large response: 28 bytes of text per kilobyte of stream, all of it repeated in the terminal event. Memory
# grows with it, and so does the bound: 24 MB and a tenth of the stream.
python3 bindings/cli/tests/large.py "$command" "$megabytes" $((24 + megabytes / 10))
# A small response in a long stream: a constant bound.
python3 bindings/cli/tests/large.py "$command" "$megabytes" 24 5000
python3 tests/large/run.py "$megabytes" 5000 64 python "$python" tests/large/read.py
if [ -n "$project" ]; then
    python3 tests/large/run.py "$megabytes" 5000 160 node env -C "$project" node "$PWD/tests/large/read.mjs"
fi

# 2 GiB in one file, with no more than 64 MiB of data: NULs, which form one endless line of an unknown field.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf 'data: {"type":"acme:x"}\n\n' >"$folder/large.sse"
truncate -s 2G "$folder/large.sse"
for verb in frames events fold check; do
    status=0
    (ulimit -d 65536 && exec "$command" "$verb" "$folder/large.sse") >"$folder/out" 2>"$folder/errors" || status=$?
    # Truncated, because it has no terminal event; never out of memory, which would be a signal.
    case $verb:$status in
        frames:0 | events:0 | fold:5 | check:1) echo "$verb: 2 GiB in 64 MiB, exit $status" ;;
        *) echo "error: $verb of 2 GiB: exit $status: $(head -c 300 "$folder/errors")"; exit 1 ;;
    esac
done
