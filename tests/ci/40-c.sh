# what: C and C++: the header is current and compiles as C99 to C++20, Python can use it through ctypes, and the tests run without reports
# needs: cargo cc gcc g++ clang clang++ valgrind nm readelf python3
# after: tools
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

made=$DELTAFOLD_CACHE/c
prefix=$made/prefix
rm -rf "$made"
mkdir -p "$made"

tool header bindings/c "$made/deltafold.h"
run diff -u include/deltafold.h "$made/deltafold.h" ||
    die "regenerate it: cargo run --manifest-path tests/tools/Cargo.toml -- header bindings/c include/deltafold.h"

run bash bindings/c/install.sh "$prefix" --profile dev

warn="-Wall -Wextra -Wpedantic -Werror"
system=$(sed -n 's/^Libs.private: //p' "$prefix/lib/pkgconfig/deltafold.pc")
for standard in c99 c11 c17 c++11 c++17 c++20; do
    case $standard in
        c++*) compilers="g++ clang++" language=c++ ;;
        *) compilers="gcc clang" language=c ;;
    esac
    for compiler in $compilers; do
        run $compiler -std=$standard $warn -fsyntax-only -x $language include/deltafold.h
        case $standard in c++17 | c++20)
            run $compiler -std=$standard $warn -fsyntax-only -x c++ include/deltafold.hpp
            run $compiler -std=$standard $warn -fno-exceptions -fsyntax-only -x c++ include/deltafold.hpp ;;
        esac
    done
done

# Builds a test against the static library and runs it: build COMPILER STANDARD SOURCE [OPTION…]
build() {
    local compiler=$1 standard=$2 source=$3 language=c program
    shift 3
    case $standard in c++*) language=c++ ;; esac
    program=$made/$(basename "${source%.*}")-${standard}-$compiler
    run "$compiler" -std="$standard" $warn -g "$@" -I"$prefix/include" -x $language "$source" -x none "$prefix/lib/libdeltafold.a" $system \
        -o "$program"
    run "$program"
}
# With backtraces, a caught panic leaves a symbol cache that valgrind reports as a leak.
export RUST_BACKTRACE=0
for source in bindings/c/tests/*.c; do
    build clang c99 "$source"
    build g++ c++11 "$source"
    build clang++ c++20 "$source"
    build gcc c11 "$source" -fsanitize=address,undefined -fno-sanitize-recover=all
done
for source in bindings/c/tests/*.cpp; do
    build clang++ c++17 "$source"
    build g++ c++20 "$source"
    build g++ c++17 "$source" -fsanitize=address,undefined -fno-sanitize-recover=all
done
for source in bindings/c/tests/*.c bindings/c/tests/*.cpp; do
    case $source in *.c) compiler="gcc -std=c11" ;; *) compiler="g++ -std=c++17" ;; esac
    name=$(basename "$source")
    run $compiler $warn -g -I"$prefix/include" "$source" -L"$prefix/lib" -ldeltafold -Wl,-rpath,"$prefix/lib" -o "$made/$name.shared"
    run valgrind -q --leak-check=full --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=99 "$made/$name.shared"
done

# A panic inside every function; the feature __panics lets a test trigger one.
run bash bindings/c/install.sh "$made/panics" --profile dev --features __panics
run gcc -std=c11 $warn -g -fsanitize=address,undefined -fno-sanitize-recover=all -I"$made/panics/include" bindings/c/tests/feature/panics.c \
    "$made/panics/lib/libdeltafold.a" $system -o "$made/panics/run"
run "$made/panics/run" 2>"$made/panics/errors" || die "a forced panic was not caught: $(tail -n 5 "$made/panics/errors")"

# AddressSanitizer reports calls that break the contract of the header.
run gcc -std=c11 $warn -g -fsanitize=address -I"$prefix/include" bindings/c/tests/feature/wrong.c "$prefix/lib/libdeltafold.a" $system -o "$made/wrong"
for case in feed free text handle twice; do
    if "$made/wrong" $case >"$made/wrong.txt" 2>&1; then die "wrong $case returned without a report"; fi
    grep 'ERROR: AddressSanitizer' "$made/wrong.txt" || die "wrong $case ended without a report: $(cat "$made/wrong.txt")"
done

# Three copies of the library in one process.
cp "$prefix/lib/libdeltafold.so" "$made/other.so"
run gcc -std=gnu11 $warn -g -I"$prefix/include" bindings/c/tests/feature/versions.c "$prefix/lib/libdeltafold.a" $system -ldl -o "$made/versions"
run "$made/versions" "$prefix/lib/libdeltafold.so" "$made/other.so"

symbols=$(nm -D --defined-only "$prefix/lib/libdeltafold.so" | awk '{ print $3 }')
echo "$symbols"
foreign=$(echo "$symbols" | grep -v '^dfold_' || true)
[ -z "$foreign" ] || die "the library exports symbols other than dfold_*: $foreign"
for name in $(grep -o '\bdfold_[a-z_]*(' include/deltafold.h | tr -d '(' | sort -u); do
    grep -qx "$name" <<<"$symbols" || die "the header declares $name, which the library does not export"
done
readelf -d "$prefix/lib/libdeltafold.so" | grep -q 'SONAME.*\[libdeltafold\.so\.0\]' || die "the library has no SONAME"

run python3 bindings/c/tests/consumer.py "$prefix" examples/streams/tour.sse
