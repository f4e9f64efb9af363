# what: npm: the package builds within its size, passes its tests and type tests, and works as a packed tarball (two Node.js, Deno, Bun, workerd, Next with both bundlers, esbuild, Vite, types, the oldest and the newest peers)
# needs: cargo cc node npm npx wasm32 npm:package npm:packaging
# after: tools
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

use_npm packaging
use_npm package
(cd npm && run npm run build)

# The module imports only from its own glue; an `env` import would be a call of the core to its host.
for module in dist/core dist/full; do
    imports=$(tool imports "npm/$module.wasm")
    ! echo "$imports" | grep '^env\.' || die "$module.wasm imports from a host environment"
done

# Limits in bytes after gzip. npm/README.md has the table.
size() { gzip -9 -c "npm/dist/$1" | wc -c; }
while read -r file ceiling; do
    echo "$file $(size "$file") bytes gzip, ceiling $ceiling"
    [ "$(size "$file")" -le "$ceiling" ] || die "$file is above $ceiling bytes gzip"
done <<'END'
core.wasm 120000
index.js 140000
slim.js 12000
full.wasm 557000
full.js 600000
END
! LC_ALL=C grep -lP '[^\x00-\x7F]' npm/dist/*.js npm/dist/*.cjs || die "the JavaScript is not ASCII"

(cd npm && run node sizes.mjs)
(cd npm && run npm test)
(use_target native && build_programs deltafold-server)
export DELTAFOLD_SERVER_PROGRAM=$DELTAFOLD_CACHE/target/native/debug/deltafold-server
(cd npm && run node --test test/server/*.test.mjs)
# With the newest versions of the peers; packaging/oldest.mjs has the oldest ones.
for config in tsconfig tsconfig.react; do (cd npm && run npx --no-install tsc --project "test/types/$config.json"); done
(cd npm && run npx --no-install publint . && run npx --no-install attw --pack . --profile node16 --exclude-entrypoints ./core.wasm ./full.wasm)
(cd npm && run node packaging/run.mjs "$DELTAFOLD_CACHE/npm")
