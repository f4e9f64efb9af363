# what: published clients of other people read what the reference server writes and what `deltafold serve` replays, and fold recordings as we do
# needs: cargo python3 node npm
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

run cargo build --locked -q -p deltafold-server -p deltafold-cli
servers=()
stop() { [ ${#servers[@]} -eq 0 ] || kill "${servers[@]}" 2>/dev/null || true; }
trap stop EXIT

# Starts a server (a name, then the command) on a free port of loopback and sets URL to where it listens.
start() {
    local name=$1 log=$DELTAFOLD_CACHE/server-$1.log tries=0
    shift
    # The log of an earlier run names a port where nobody listens any more.
    : >"$log"
    "$CARGO_TARGET_DIR/debug/$1" "${@:2}" >"$log" 2>&1 &
    servers+=($!)
    until URL=$(sed -n 's/^listening on //p' "$log") && [ -n "$URL" ]; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || die "the server does not start: $(cat "$log")"
        sleep 0.1
    done
    echo "$name at $URL"
}
start open_responses deltafold-server --port 0 --dialect open_responses; export DELTAFOLD_SERVER=$URL
start openai deltafold-server --port 0 --dialect openai; export DELTAFOLD_SERVER_OPENAI=$URL
start replay deltafold serve --split random examples/streams/tour.sse examples/streams/items/message.sse
export DELTAFOLD_REPLAY=$URL

use_venv clients tests/clients/python/requirements.txt
run "$VENV/bin/python" tests/clients/python/test_openai.py
run "$VENV/bin/python" tests/clients/python/test_serve.py

node_dir=$DELTAFOLD_CACHE/clients/node
mkdir -p "$node_dir"
cp tests/clients/node/*.json tests/clients/node/*.mjs tests/clients/differences.json "$node_dir/"
use_npm "$node_dir"
(cd "$node_dir" && run node --test)

# What others make of the same streams; known differences are in tests/clients/differences.json.
if [ -n "${DELTAFOLD_SHARED-}" ]; then
    compared=$DELTAFOLD_CACHE/clients/compared
    rm -rf "$compared"
    run "$VENV/bin/python" tests/clients/python/differential.py "$CARGO_TARGET_DIR/debug/deltafold" "$compared"
    run node "$node_dir/differential.mjs" tests/vectors/sse/sse-cases.json "$compared"
else
    note "DELTAFOLD_SHARED is not set: no recording is folded by other people's accumulators, and eventsource-parser is not compared"
fi
