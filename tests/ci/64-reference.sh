# what: the API reference of the npm package is generated from its declarations, and every exported symbol has a comment
# needs: node npm npm:reference
# after: npm
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

use_npm reference
made=$DELTAFOLD_CACHE/reference
rm -rf "$made"
run node npm/reference/generate.mjs "$made"
run diff -r "$made" docs/javascript || die "regenerate it, after the step npm: node npm/reference/generate.mjs"
