#!/usr/bin/env bash
# Compiles and runs the Swift package: its tests, then the quick start, against the library of this checkout. Not part of
# tests/run, because Debian stable has no Swift toolchain; README.md has the last result.
#
#   bash bindings/uniffi/swift/test.sh FOLDER [PROFILE]
#
# FOLDER receives the toolchain (toolchain.sh, once) and the build products. Needs root, for chroot and for /proc inside it.
# PROFILE is that of the library, release or dev; it and the generated code come from build.sh beside this folder.
set -euo pipefail

[ $# -ge 1 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd -P)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../../.." && pwd -P)
sid=$out/sid

bash "$here/toolchain.sh" "$sid"
bash "$here/../build.sh" "$out/made" "${2:-release}"

work=$sid/srv/deltafold
rm -rf "$work"
mkdir -p "$work/examples/streams"
cp "$out"/made/generated/swift/* "$out"/made/lib/* "$here"/Sources/Deltafold/*.swift "$here"/Tests/Tests.swift "$here"/examples/QuickStart.swift "$work/"
cp "$root/examples/streams/tour.sse" "$work/examples/streams/"

[ -e "$sid/proc/self" ] || { mount --bind /proc "$sid/proc"; trap 'umount "$sid/proc"' EXIT; }
chroot "$sid" /bin/bash -euo pipefail -c '
    cd /srv/deltafold
    swiftc=$(command -v swiftc || find /usr/libexec/swift -name swiftc -path "*/bin/*" | head -n 1)
    LD_LIBRARY_PATH=$(dirname "$(find / -xdev -name libswiftCore.so -path "*linux*" | head -n 1)"):/srv/deltafold
    export LD_LIBRARY_PATH
    "$swiftc" --version
    options=(-swift-version 6 -Xcc -fmodule-map-file=/srv/deltafold/DeltafoldFFI.modulemap -I /srv/deltafold -L /srv/deltafold -ldeltafold_uniffi)
    "$swiftc" "${options[@]}" -parse-as-library -emit-library -emit-module -module-name Deltafold \
        Deltafold.swift Events.swift Streams.swift -o libDeltafold.so
    for program in Tests QuickStart; do
        "$swiftc" "${options[@]}" -parse-as-library -lDeltafold "$program.swift" -o "$program.out"
    done
    ./Tests.out
    diff <(sed -n "s,^// ,,p" <(tac QuickStart.swift | sed "/^\/\/ /!q" | tac)) <(./QuickStart.out)
    echo "the quick start prints its documented output"
'
