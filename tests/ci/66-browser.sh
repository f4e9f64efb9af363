# what: npm in headless Chromium: pages, a worker, a live fetch, the inspector, and every vector
# needs: cargo cc node chromium
# after: npm
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

export PROJECT=$DELTAFOLD_CACHE/npm/project SCREENSHOTS=$DELTAFOLD_CACHE/screenshots
mkdir -p "$SCREENSHOTS"
(cd npm && run node --test --test-concurrency=1 test/browser/*.test.mjs)
echo "screenshots of the inspector: $SCREENSHOTS"

build_programs comparer
run "$CARGO_TARGET_DIR/debug/comparer" "chromium=env -C '$PROJECT' node '$ROOT/tests/runners/npm/browser.mjs' '$ROOT'"
