# what: the published clients read converted streams: AG-UI, the AI SDK, and OpenAI and Anthropic in two languages
# needs: cargo cc node npm python3 python3-venv npm:frontends pip:frontends
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

streams=$DELTAFOLD_CACHE/frontends
rm -rf "$streams"
mkdir -p "$streams"
[ -n "${DELTAFOLD_SHARED-}" ] || note "DELTAFOLD_SHARED is not set: the clients read our own streams only, no recordings"
build_programs convert-all
run "$CARGO_TARGET_DIR/debug/convert-all" "$streams"

use_npm frontends
for client in ag-ui ui-message-stream chat-completions anthropic; do
    run node "tests/frontends/node/$client.mjs" "$streams"
done

use_venv frontends
for client in chat_completions anthropic_messages; do
    run "$VENV/bin/python" -W error::UserWarning "tests/frontends/python/$client.py" "$streams"
done
