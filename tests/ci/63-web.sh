# what: the examples of web servers stream, end with failures and stop the model: Hono and Express, with the packed package
# needs: node npm npm:web
# after: npm
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

use_npm web
ln -sfn "$DELTAFOLD_CACHE/npm/project/node_modules/deltafold" examples/web/node_modules/deltafold
(cd examples/web && run node --test test/*.test.mjs)
