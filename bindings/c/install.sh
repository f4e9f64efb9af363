#!/usr/bin/env bash
# Installs the C library and its header:  bash bindings/c/install.sh PREFIX [CARGO_OPTION…]
#
# PREFIX gets include/deltafold.h, lib/libdeltafold.a and lib/libdeltafold.so.<abi> with its development link. Without
# options it builds what users get (--release); the tests pass --profile dev.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
prefix=${1:?usage: bash bindings/c/install.sh PREFIX [CARGO_OPTION…]}
shift
[ $# -gt 0 ] || set -- --release

cd "$root"
# Cargo says where it put the files, which depends on profile, target and environment.
files=$(cargo build --locked -p deltafold-c --message-format=json-render-diagnostics "$@" | grep '"name":"deltafold_c"' | grep -o '"[^"]*libdeltafold_c\.[a-z]*"' | tr -d '"' | sort -u)
abi=$(sed -n 's/^#define DFOLD_ABI_VERSION //p' include/deltafold.h)

mkdir -p "$prefix/include" "$prefix/lib"
install -m 644 include/deltafold.h "$prefix/include/"
for file in $files; do
    case $file in
        *.a) install -m 644 "$file" "$prefix/lib/libdeltafold.a" ;;
        *.so)
            install -m 755 "$file" "$prefix/lib/libdeltafold.so.$abi"
            ln -sf "libdeltafold.so.$abi" "$prefix/lib/libdeltafold.so"
            ;;
        *.dylib) install -m 755 "$file" "$prefix/lib/libdeltafold.dylib" ;;
    esac
done
[ -f "$prefix/lib/libdeltafold.a" ] || { echo "cargo built no static library" >&2; exit 1; }
