#!/usr/bin/env bash
# Installs the C library:  bash bindings/c/install.sh PREFIX [CARGO_OPTION…]
#
# PREFIX receives the headers, lib/libdeltafold.a, lib/libdeltafold.so.<version> with its links, lib/pkgconfig/deltafold.pc and
# the CMake package lib/cmake/deltafold. The prefix may be moved afterwards. Without options it builds the release library
# (--release); the tests pass --profile dev.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
prefix=${1:?usage: bash bindings/c/install.sh PREFIX [CARGO_OPTION…]}
shift
[ $# -gt 0 ] || set -- --release
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd -P)

cd "$root"
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
# Cargo reports the paths of the files, which depend on profile, target and environment; rustc reports the libraries that a
# static library needs.
cargo rustc --locked -p deltafold-c --lib --message-format=json-render-diagnostics "$@" -- --print native-static-libs \
    >"$temporary/cargo.json" 2>"$temporary/cargo.log" || { cat "$temporary/cargo.log" >&2; exit 1; }
files=$(grep '"name":"deltafold_c"' "$temporary/cargo.json" | grep -o '"[^"]*libdeltafold_c\.[a-z]*"' | tr -d '"' | sort -u)
native=$(sed -n 's/^note: native-static-libs: //p' "$temporary/cargo.log" | tail -n 1)
[ -n "$native" ] || { echo "rustc did not report the libraries that a static library needs" >&2; exit 1; }
version_number() { sed -n "s/^#define DFOLD_$1 //p" include/deltafold.h; }
abi=$(version_number ABI_VERSION)
version=$(version_number VERSION_MAJOR).$(version_number VERSION_MINOR).$(version_number VERSION_PATCH)

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

# The loader caches the libraries of the system folders; in other folders a program needs a run path.
case $prefix in
    /usr | /usr/local)
        if [ "$(uname -s)" = Linux ] && ! ldconfig; then
            echo "run ldconfig as root, so that programs find libdeltafold.so.$abi" >&2
        fi
        ;;
    *)
        echo "installed; build programs with PKG_CONFIG_PATH=$prefix/lib/pkgconfig and -Wl,-rpath,$prefix/lib" >&2
        ;;
esac
