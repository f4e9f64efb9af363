# what: C and C++: the header is current, compiles as C99 to C++20, links both ways, and runs clean under valgrind
# needs: cargo gcc g++ clang clang++ valgrind nm readelf
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
    die "redo it: cargo run --manifest-path tests/tools/Cargo.toml -- header bindings/c include/deltafold.h"

run bash bindings/c/install.sh "$prefix" --profile dev

warn="-Wall -Wextra -Wpedantic -Werror"
system="-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc"
for standard in c99 c11 c17 c++11 c++17 c++20; do
    case $standard in
        c++*) compilers="g++ clang++" language=c++ ;;
        *) compilers="gcc clang" language=c ;;
    esac
    for compiler in $compilers; do
        run $compiler -std=$standard $warn -fsyntax-only -x $language include/deltafold.h
        for source in bindings/c/tests/*.c; do
            name=$(basename "$source" .c)-$standard-$compiler
            run $compiler -std=$standard $warn -g -I"$prefix/include" -x $language "$source" -x none \
                "$prefix/lib/libdeltafold.a" $system -o "$made/$name"
            run "$made/$name"
        done
    done
done

# A caught panic would make the symboliser keep a cache that valgrind takes for a leak.
export RUST_BACKTRACE=0
for source in bindings/c/tests/*.c; do
    name=$(basename "$source" .c)
    run gcc -std=c11 $warn -g -I"$prefix/include" "$source" -L"$prefix/lib" -ldeltafold -Wl,-rpath,"$prefix/lib" -o "$made/$name"
    run valgrind -q --leak-check=full --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=99 "$made/$name"
    run gcc -std=c11 $warn -g -fsanitize=address,undefined -fno-sanitize-recover=all -I"$prefix/include" "$source" \
        "$prefix/lib/libdeltafold.a" $system -o "$made/$name-asan"
    run "$made/$name-asan"
done

symbols=$(nm -D --defined-only "$prefix/lib/libdeltafold.so" | awk '{ print $3 }')
echo "$symbols"
foreign=$(echo "$symbols" | grep -v '^dfold_' || true)
[ -z "$foreign" ] || die "the library exports more than dfold_*: $foreign"
for name in $(grep -o '\bdfold_[a-z_]*(' include/deltafold.h | tr -d '(' | sort -u); do
    echo "$symbols" | grep -qx "$name" || die "the header declares $name, which the library lacks"
done
readelf -d "$prefix/lib/libdeltafold.so" | grep -q 'SONAME.*\[libdeltafold\.so\.0\]' || die "the library has no SONAME"
