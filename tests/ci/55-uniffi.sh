# what: Kotlin and Ruby: both give the same results as the core for every vector, and the packages and their quick starts work
# needs: cargo cc rustfmt ruby gem ruby-ffi ruby-minitest java javac jna npm node npm:kotlin python3 strip
# after: tools
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

made=$DELTAFOLD_CACHE/uniffi
binding=$ROOT/bindings/uniffi
tools=$ROOT/tests/runners/kotlin
export DELTAFOLD_BINDGEN_TARGET=$DELTAFOLD_CACHE/target/bindgen
jna=${DELTAFOLD_JNA:-/usr/share/java/jna.jar}
use_npm kotlin
compiler=$tools/node_modules/kotlin-compiler

run cargo fmt --manifest-path "$binding/bindgen/Cargo.toml" --check
run bash "$binding/build.sh" "$made" dev
run bash "$binding/kotlin/build.sh" "$made" "$compiler" "$jna"
jar=$(find "$made/maven" -name 'deltafold-*.jar' ! -name '*-sources.jar')
run python3 "$binding/kotlin/layout.py" "$made/maven"

# Compiles runner, tests and examples together, and only when one of them or the package has changed.
path=$jar:$jna:$compiler/lib/kotlin-stdlib.jar:$compiler/lib/kotlinx-coroutines-core-jvm.jar
classes=$made/tests
sources=("$tools/Run.kt" "$binding"/kotlin/src/test/kotlin/*.kt "$binding"/kotlin/examples/*.kt)
stamp=$(cat "${sources[@]}" "$binding"/kotlin/examples/*.java "$made/kotlin/stamp" | sha256sum)
if [ "$(cat "$classes/stamp" 2>/dev/null)" != "$stamp" ]; then
    rm -rf "$classes"
    run bash "$compiler/bin/kotlinc" -Werror -cp "$path" "${sources[@]}" -d "$classes"
    run javac -Xlint:all,-processing,-classfile -Werror -cp "$path" -d "$classes" "$binding"/kotlin/examples/*.java
    echo "$stamp" >"$classes/stamp"
fi
# One garbage collector thread: other steps use the cores.
kotlin="java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmn128m -cp '$classes:$path'"

build_programs comparer
run "$CARGO_TARGET_DIR/debug/comparer" --light \
    "ruby=ruby -I '$made/gem/lib' '$ROOT/tests/runners/ruby/run.rb'" \
    "kotlin=$kotlin RunKt"

for test in "$binding"/ruby/test/*_test.rb; do run ruby -I "$made/gem/lib" "$test"; done
run sh -c "exec $kotlin TestsKt"

# The output of a quick start must equal its last comment.
prints() {
    local file=$1
    shift
    echo "+ $*"
    diff -u <(python3 -c 'import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
print(re.sub("(?m)^(#|//) ", "", re.search(r"(?:^(?:#|//) .*\n)+\Z", text, re.M)[0]), end="")' "$file") <("$@") ||
        die "$file does not print its documented output"
}
prints "$binding/ruby/examples/quick_start.rb" ruby -I "$made/gem/lib" "$binding/ruby/examples/quick_start.rb"
prints "$binding/kotlin/examples/QuickStart.kt" sh -c "exec $kotlin QuickStartKt"
prints "$binding/kotlin/examples/Flows.kt" sh -c "exec $kotlin FlowsKt"
prints "$binding/kotlin/examples/QuickStartJava.java" sh -c "exec $kotlin QuickStartJava"

# The gem, packed, and installed in an empty folder.
rm -rf "$made/home"
(cd "$made/gem" && run gem build --quiet deltafold.gemspec --output "$made/deltafold.gem")
run gem install --quiet --local --ignore-dependencies --no-document --install-dir "$made/home" "$made/deltafold.gem"
GEM_PATH=$made/home:$(gem env gempath) run ruby -e 'require "deltafold"; puts Deltafold.version'
