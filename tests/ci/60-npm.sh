# what: npm: the package builds within its size, passes its tests, and works from a packed tarball (ESM, CJS, types)
# needs: cargo node npm npx
# after: tools
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 20 ] || die "Node.js $major is too old: $(how_to_get node)"
run bash npm/build.sh

# The glue imports only from itself; an `env` import would mean that the core asks its host for something.
imports=$(tool imports npm/gen/core.wasm)
echo "$imports"
! echo "$imports" | grep '^env\.' || die "the wasm imports from a host environment"

# Budgets in bytes after gzip; they are ceilings, not goals.
size() { gzip -9 -c "$1" | wc -c; }
echo "core.wasm $(size npm/gen/core.wasm) bytes gzip, default entry $(size npm/dist/index.js) bytes gzip"
[ "$(size npm/gen/core.wasm)" -le 92160 ] || die "core.wasm is above 90 KB gzip"
[ "$(size npm/dist/index.js)" -le 128000 ] || die "the default entry is above 125 KB gzip"
! LC_ALL=C grep -qP '[^\x00-\x7F]' npm/dist/index.js npm/dist/index.cjs || die "the JavaScript is not plain ASCII"

(cd npm && run npm test)
(cd npm && run node packaging/run.mjs "$DELTAFOLD_CACHE/npm")
