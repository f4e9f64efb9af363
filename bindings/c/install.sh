#!/usr/bin/env bash
# Installs the C library:  bash bindings/c/install.sh PREFIX [CARGO_OPTION…]
#
# PREFIX gets the headers, lib/libdeltafold.a, lib/libdeltafold.so.<version> with its links, lib/pkgconfig/deltafold.pc and the
# CMake package lib/cmake/deltafold. The prefix may be moved afterwards. Without options it builds what users get
# (--profile release-c); the tests pass --profile dev.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
prefix=${1:?usage: bash bindings/c/install.sh PREFIX [CARGO_OPTION…]}
shift
[ $# -gt 0 ] || set -- --profile release-c
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd -P)

cd "$root"
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
# Cargo says where it put the files, which depends on profile, target and environment; rustc says what a static library needs.
cargo rustc --locked -p deltafold-c --lib --message-format=json-render-diagnostics "$@" -- --print native-static-libs \
    >"$log/made" 2>"$log/said" || { cat "$log/said" >&2; exit 1; }
files=$(grep '"name":"deltafold_c"' "$log/made" | grep -o '"[^"]*libdeltafold_c\.[a-z]*"' | tr -d '"' | sort -u)
native=$(sed -n 's/^note: native-static-libs: //p' "$log/said" | tail -n 1)
[ -n "$native" ] || { echo "rustc did not say what a static library needs" >&2; exit 1; }
number() { sed -n "s/^#define DFOLD_$1 //p" include/deltafold.h; }
abi=$(number ABI_VERSION)
version=$(number VERSION_MAJOR).$(number VERSION_MINOR).$(number VERSION_PATCH)

mkdir -p "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/lib/cmake/deltafold"
install -m 644 include/deltafold.h include/deltafold.hpp "$prefix/include/"
shared=
for file in $files; do
    case $file in
        *.a) install -m 644 "$file" "$prefix/lib/libdeltafold.a" ;;
        *.so)
            shared=libdeltafold.so.$version
            install -m 755 "$file" "$prefix/lib/$shared"
            ln -sf "$shared" "$prefix/lib/libdeltafold.so.$abi"
            ln -sf "libdeltafold.so.$abi" "$prefix/lib/libdeltafold.so"
            ;;
        *.dylib)
            shared=libdeltafold.dylib
            install -m 755 "$file" "$prefix/lib/$shared"
            install_name_tool -id @rpath/libdeltafold.dylib "$prefix/lib/$shared"
            ;;
    esac
done
[ -f "$prefix/lib/libdeltafold.a" ] || { echo "cargo built no static library" >&2; exit 1; }
for file in pkgconfig/deltafold.pc cmake/deltafold/deltafoldConfig.cmake cmake/deltafold/deltafoldConfigVersion.cmake; do
    sed -e "s/@version@/$version/; s/@abi@/$abi/; s|@native@|$native|; s/@shared@/$shared/" \
        "bindings/c/package/$(basename "$file").in" >"$prefix/lib/$file"
done
