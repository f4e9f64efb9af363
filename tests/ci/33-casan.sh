# what: the C tests and the C runner with the library compiled for AddressSanitizer
# needs: cargo cc rustc gcc g++ nightly
# after: tools
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

made=$DELTAFOLD_CACHE/c-asan
rm -rf "$made"
mkdir -p "$made"
target=$(rustc "+$NIGHTLY" -vV | sed -n 's/^host: //p')

# The standard library is instrumented too. gcc links, and provides the runtime of the sanitizer.
use_target asan
run env RUSTFLAGS=-Zsanitizer=address cargo "+$NIGHTLY" build --locked -q -Zbuild-std --target "$target" -p deltafold-c --features __panics
library=$CARGO_TARGET_DIR/$target/debug/libdeltafold_c.a
flags="-Wall -Wextra -Wpedantic -Werror -g -fsanitize=address,undefined -fno-sanitize-recover=all -Iinclude"
system="-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc"
export RUST_BACKTRACE=0

for source in bindings/c/tests/*.c bindings/c/tests/*.cpp bindings/c/tests/feature/panics.c; do
    case $source in *.c) compiler="gcc -std=c11" ;; *) compiler="g++ -std=c++17" ;; esac
    program=$made/$(basename "$source")-run
    run $compiler $flags "$source" "$library" $system -o "$program"
    run "$program" 2>"$program.txt" || die "$source: $(tail -n 40 "$program.txt")"
done
# With an instrumented library, the report names the wrong access itself and not a later access of the caller.
run gcc -std=c11 $flags bindings/c/tests/feature/wrong.c "$library" $system -o "$made/wrong"
for case in feed free text handle twice; do
    if "$made/wrong" $case >"$made/wrong.txt" 2>&1; then die "wrong $case returned without a report"; fi
    grep 'ERROR: AddressSanitizer' "$made/wrong.txt" || die "wrong $case ended without a report: $(cat "$made/wrong.txt")"
done

# Every eighth vector. All vectors: DELTAFOLD_EVERY=1 bash tests/run casan
run gcc -std=gnu11 $flags tests/runners/c/run.c "$library" $system -o "$made/runner"
use_target native
build_programs comparer
run "$CARGO_TARGET_DIR/debug/comparer" --every "${DELTAFOLD_EVERY:-8}" "c='$made/runner'"
