# what: all Rust tests, documentation examples, and the core with each set of features
# needs: cargo cc git zsh fish groff
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

if cargo nextest --version >/dev/null 2>&1; then
    run cargo nextest run --locked --workspace --no-fail-fast --status-level fail
else
    # Not --all-targets, which also builds test programs of the extension modules: those cannot be linked.
    run cargo test --locked --workspace --no-fail-fast --tests
fi
run cargo test --locked --workspace --doc

# A workspace build merges features, so the core is also built alone with each set.
run cargo test --locked -p deltafold --no-default-features --lib
run cargo check --locked -p deltafold
for dialect in ag-ui anthropic bedrock blocks chat-completions cohere gemini mistral ollama thread-events ui-message-stream; do
    run cargo check --locked -p deltafold --no-default-features --features adapter-$dialect
done
for library in serde serde_json simd-json; do
    run cargo check --locked -p deltafold --no-default-features --features $library
done
