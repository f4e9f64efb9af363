#!/usr/bin/env bash
# Builds the native library and the generated code of every language. Both are not committed.
#
#   bash bindings/uniffi/build.sh FOLDER [PROFILE]     PROFILE is release (default) or dev
#
# Afterwards FOLDER has lib/ (the library for this machine), generated/{kotlin,ruby,swift} and gem/, the folder of a gem,
# ready for `gem build` or the load path. kotlin/build.sh and swift/test.sh use these folders.
#
# Environment: CARGO_TARGET_DIR for the library; DELTAFOLD_BINDGEN_TARGET for the generator, which is built once.
set -euo pipefail

[ $# -ge 1 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd -P)
profile=${2:-release}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
target=${CARGO_TARGET_DIR:-$root/target}
built=$target/$([ "$profile" = dev ] && echo debug || echo "$profile")

cargo build --quiet --locked --manifest-path "$root/Cargo.toml" --target-dir "$target" --profile "$profile" -p deltafold-uniffi
library=$built/libdeltafold_uniffi.so
[ -f "$library" ] || library=$built/libdeltafold_uniffi.dylib

# Skip the generation if library and generator are unchanged.
stamp=$(sha256sum "$library" "$here/uniffi.toml" "$here/bindgen/Cargo.lock" "$here/bindgen/src/main.rs" | cut -c1-64 | tr -d '\n')
if [ "$(cat "$out/stamp" 2>/dev/null)" != "$stamp" ]; then
    rm -rf "$out/generated" "$out/lib" "$out/stamp"
    mkdir -p "$out/lib"
    RUSTFLAGS="" cargo run --quiet --locked --manifest-path "$here/bindgen/Cargo.toml" \
        --target-dir "${DELTAFOLD_BINDGEN_TARGET:-$target/bindgen}" -- "$library" "$out/generated" "$here"
    cp "$library" "$out/lib/"
    # Only the generator needs the metadata and debug information.
    [ "${library##*.}" != so ] || strip --strip-debug "$out/lib/${library##*/}"
    echo "$stamp" >"$out/stamp"
fi

rm -rf "$out/gem"
mkdir -p "$out/gem/lib/deltafold"
cp "$here/ruby/deltafold.gemspec" "$here/ruby/README.md" "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$out/gem/"
cp "$here/ruby/lib/deltafold.rb" "$out/gem/lib/"
cp "$here"/ruby/lib/deltafold/*.rb "$out/gem/lib/deltafold/"
cp "$out/generated/ruby/deltafold.rb" "$out/gem/lib/deltafold/native.rb"
cp "$out/lib/${library##*/}" "$out/gem/lib/deltafold/"
