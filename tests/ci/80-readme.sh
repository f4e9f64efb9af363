# what: every code block of the documentation runs and prints the documented output
# needs: cargo cc python3 node gcc
# after: c python npm
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native
build_programs deltafold
export PATH=$CARGO_TARGET_DIR/debug:$PATH

run python3 tests/ci/readme.py "$DELTAFOLD_CACHE/venv/python/bin/python" "$DELTAFOLD_CACHE/npm/project" "$DELTAFOLD_CACHE/c/prefix" \
    README.md docs/README.md docs/guide.md docs/cli.md docs/cookbook.md docs/faq.md docs/rules.md docs/coverage.md docs/options.md docs/dialects.md bindings/c/README.md python/README.md npm/README.md bindings/uniffi/README.md bindings/uniffi/kotlin/README.md bindings/uniffi/ruby/README.md bindings/uniffi/swift/README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md examples/streams/README.md tests/runners/README.md tests/clients/README.md examples/server/README.md examples/web/README.md
