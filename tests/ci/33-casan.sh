# what: the C tests and the C runner with the library itself under AddressSanitizer
# needs: cargo gcc g++
# after: tools
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

if ! have_nightly; then
    note "$NIGHTLY with rust-src cannot be had: the library was not run under AddressSanitizer (its callers are, in the step c)"
    exit 0
fi
made=$DELTAFOLD_CACHE/c-asan
rm -rf "$made"
mkdir -p "$made"
target=$(rustc "+$NIGHTLY" -vV | sed -n 's/^host: //p')

# The standard library is built with it too; the runtime of the sanitizer comes with gcc, which links.
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
# Here the library itself is caught in the act, not only its caller afterwards.
run gcc -std=c11 $flags bindings/c/tests/feature/wrong.c "$library" $system -o "$made/wrong"
for case in feed free text handle twice; do
    if "$made/wrong" $case >"$made/wrong.txt" 2>&1; then die "wrong $case came back"; fi
    grep 'ERROR: AddressSanitizer' "$made/wrong.txt" || die "wrong $case ended without a report: $(cat "$made/wrong.txt")"
done

# Each eighth vector; all of them: DELTAFOLD_EVERY=1 bash tests/run casan
run gcc -std=gnu11 $flags tests/runners/c/run.c "$library" $system -o "$made/runner"
use_target native
run cargo build --locked -q -p deltafold-tests --bin bindings
run "$CARGO_TARGET_DIR/debug/bindings" --every "${DELTAFOLD_EVERY:-8}" "c='$made/runner'"
