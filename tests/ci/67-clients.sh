# what: published clients of other projects read the output of the reference server and of `deltafold serve`, and fold recordings to the same result
# needs: cargo cc python3 python3-venv node npm npm:clients pip:clients
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

build_programs deltafold-server deltafold rule-streams
servers=()
stop() { [ ${#servers[@]} -eq 0 ] || kill "${servers[@]}" 2>/dev/null || true; }
trap stop EXIT

# Starts a server on a free port of loopback and sets URL to its address: start NAME COMMAND…
start() {
    local name=$1 log=$DELTAFOLD_CACHE/server-$1.log tries=0
    shift
    # The log of an earlier run contains an old address.
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

use_venv clients
run "$VENV/bin/python" tests/clients/python/test_openai.py
run "$VENV/bin/python" tests/clients/python/test_serve.py

use_npm clients
(cd tests/clients/node && run node --test)

# The default output of a conversion to Open Responses is valid and is read by the same clients.
converted=$DELTAFOLD_CACHE/clients/converted
rm -rf "$converted"
run "$VENV/bin/python" tests/clients/python/test_convert.py "$CARGO_TARGET_DIR/debug/deltafold" "$converted"
run node tests/clients/node/converted.mjs "$converted"

# Which broken rules make which client fail: the table in core/src/validate/clients.rs.
broken=$DELTAFOLD_CACHE/clients/broken-rules
rm -rf "$broken"
run "$CARGO_TARGET_DIR/debug/rule-streams" "$broken"
run "$VENV/bin/python" tests/clients/python/broken_rules.py "$broken"
run node tests/clients/node/broken-rules.mjs "$broken"
run "$VENV/bin/python" tests/clients/python/compare_rules.py "$broken"

# Compares with other implementations on the same streams; tests/clients/differences.json lists the accepted differences.
if [ -n "${DELTAFOLD_SHARED-}" ]; then
    compared=$DELTAFOLD_CACHE/clients/compared
    rm -rf "$compared"
    run "$VENV/bin/python" tests/clients/python/differential.py "$CARGO_TARGET_DIR/debug/deltafold" "$compared"
    run node tests/clients/node/differential.mjs tests/vectors/sse/sse-cases.json "$compared"
else
    note "DELTAFOLD_SHARED is not set: recordings are not compared with other accumulators, and eventsource-parser is not compared"
fi
