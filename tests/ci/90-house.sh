# what: no machine paths, registry hosts, unfinished code or stray files; lock files are committed; the bill of materials can be written
# needs: git cargo cc python3
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

bad=0
complain() { echo "error: $*"; bad=1; }

# Fails if a tracked text file contains the pattern. Patterns are split so that this file does not match itself.
absent() {
    local why=$1 pattern=$2
    shift 2
    local hits
    hits=$(git grep -nIE "$pattern" -- . ':!tests/ci/90-house.sh' "$@" || true)
    [ -z "$hits" ] || complain "$why"$'\n'"$hits"
}

absent "a path of one machine" '(^|[^[:alnum:]_./])(/home/|/root/|/work/|/Users/|C:\\Users)'
# Cargo.lock always names the default registry, which is not necessarily the one that is used.
absent "a registry host" '(registry\.npmjs|files\.pythonhosted|pypi\.org/simple|static\.crates\.io|index\.crates\.io|deb\.debian|artifactory)' ':!*Cargo.lock'
absent "unfinished code" '(todo!\(|unimplemented!\(|FIX''ME|XX''X[: ])'
absent "a test that never runs" '#\[ignore'
absent "a merge conflict marker" '^(<<<<<<<|>>>>>>>) '

unsafe=$(git grep -nE '(allow|expect)\(unsafe_code\)' -- core/src ':!core/src/json/simd.rs' || true)
[ -z "$unsafe" ] || complain "unsafe code in the core, outside of json/simd.rs"$'\n'"$unsafe"

expected="
.cargo .ci .gitattributes .github .gitignore CHANGELOG.md CONTRIBUTING.md Cargo.lock Cargo.toml LICENSE-APACHE
LICENSE-MIT README.md SECURITY.md benches bindings core docs examples include npm python rustfmt.toml tests
"
for name in $(git ls-files | cut -d/ -f1 | sort -u); do
    case " $(echo $expected) " in *" $name "*) ;; *) complain "an unexpected entry at the top level: $name" ;; esac
done

# npm/packaging/package.json says why it has none; npm/oldest is a workspace of npm.
locks="$(git ls-files '*Cargo.toml' | xargs grep -lx '\[workspace\]' | sed 's/toml$/lock/')
$(git ls-files '*package.json' | grep -vxE 'npm/(packaging|oldest)/package.json' | xargs grep -l 'ependencies"' | sed 's/\.json$/-lock.json/')"
for lock in $locks; do
    git ls-files --error-unmatch "$lock" >/dev/null 2>&1 || complain "not committed: $lock"
done

# Files that users of every binding need without a build.
for file in LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md; do
    [ -s "$file" ] || complain "missing: $file"
done

big=$(git ls-files -z | xargs -0 du -k | awk '$1 > 1024 { print $2 " (" $1 " KiB)" }')
[ -z "$big" ] || complain "files above 1 MiB: $big"

for package in deltafold deltafold-arrow-python deltafold-cli deltafold-c deltafold-python deltafold-wasm; do
    python3 tests/tools/sbom.py "$package" >/dev/null || complain "no bill of materials of $package"
done

# tests/rust/project/dependencies.rs checks licences, sources and bans by the same file. cargo-deny is run too if it is installed;
# building it would take longer than this whole step.
if cargo deny --version >/dev/null 2>&1; then
    run cargo deny --config .ci/deny.toml check licenses bans sources || complain "a licence, crate or source that is not allowed"
fi

exit $bad
