# what: npm: the package builds within its size, passes its tests and type tests, and works from a packed tarball (Node.js, Deno, Bun, workerd, Vite, types)
# needs: cargo node npm npx
# after: tools
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 20 ] || die "Node.js $major is too old: $(how_to_get node)"
run bash npm/build.sh

# The glue imports only from itself; an `env` import would mean that the core asks its host for something.
for module in dist/core dist/full gen/fast/core gen/fast/full; do
    imports=$(tool imports "npm/$module.wasm")
    ! echo "$imports" | grep '^env\.' || die "$module.wasm imports from a host environment"
done

# Ceilings in bytes after gzip: what a page pays for reading and for everything, then what a
# server loads. npm/README.md has the table.
size() { gzip -9 -c "npm/dist/$1" | wc -c; }
while read -r file ceiling; do
    echo "$file $(size "$file") bytes gzip, ceiling $ceiling"
    [ "$(size "$file")" -le "$ceiling" ] || die "$file is above $ceiling bytes gzip"
done <<'END'
core.wasm 90000
index.js 125000
slim.js 12000
full.wasm 450000
index.node.js 168000
full.node.js 700000
END
! LC_ALL=C grep -lP '[^\x00-\x7F]' npm/dist/*.js npm/dist/*.cjs || die "the JavaScript is not plain ASCII"

(cd npm && run node sizes.mjs)
(cd npm && run npm test)
(use_target native && run cargo build --locked -q -p deltafold-server)
export DELTAFOLD_SERVER_PROGRAM=$DELTAFOLD_CACHE/target/native/debug/deltafold-server
(cd npm && run node --test test/server/*.test.mjs)
(cd npm && run npx --no-install tsc --project test/types/tsconfig.json)
(cd npm && run npx --no-install publint . && run npx --no-install attw --pack . --profile node16 --exclude-entrypoints ./core.wasm ./full.wasm)
(cd npm && run node packaging/run.mjs "$DELTAFOLD_CACHE/npm")
