# what: published clients of other people read what the reference server writes
# needs: cargo python3 node npm
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

run cargo build --locked -q -p deltafold-server
servers=()
stop() { [ ${#servers[@]} -eq 0 ] || kill "${servers[@]}" 2>/dev/null || true; }
trap stop EXIT

# Starts a server on a free port of loopback and sets URL to where it listens.
start() {
    local log=$DELTAFOLD_CACHE/server-$1.log tries=0
    "$CARGO_TARGET_DIR/debug/deltafold-server" --port 0 --dialect "$1" >"$log" 2>&1 &
    servers+=($!)
    until URL=$(sed -n 's/^listening on //p' "$log") && [ -n "$URL" ]; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || die "the server does not start: $(cat "$log")"
        sleep 0.1
    done
    echo "$1 at $URL"
}
start open_responses; export DELTAFOLD_SERVER=$URL
start openai; export DELTAFOLD_SERVER_OPENAI=$URL

use_venv clients tests/clients/python/requirements.txt
run "$VENV/bin/python" tests/clients/python/test_openai.py

node_dir=$DELTAFOLD_CACHE/clients/node
mkdir -p "$node_dir"
cp tests/clients/node/*.json tests/clients/node/*.mjs "$node_dir/"
use_npm "$node_dir"
(cd "$node_dir" && run node --test)
