#!/usr/bin/env bash
# Builds the Kotlin package from the output of bindings/uniffi/build.sh, as a Maven repository.
#
#   bash bindings/uniffi/kotlin/build.sh FOLDER COMPILER JNA
#
# FOLDER is the folder of bindings/uniffi/build.sh, COMPILER the folder of a Kotlin compiler, JNA the jar of JNA; README.md describes where
# to get both. Afterwards FOLDER/maven has io/github/deltafold/deltafold/VERSION with the jar (it contains the native library of this
# machine, where JNA looks for it), the sources jar and the POM, each with its checksum. Gradle users can use build.gradle.kts.
set -euo pipefail

[ $# -eq 3 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
out=$(cd "$1" && pwd -P) compiler=$2 jna=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../../.." && pwd -P)
version=$(sed -n 's|^  <version>\(.*\)</version>$|\1|p' "$here/pom.xml")
place=$out/maven/io/github/deltafold/deltafold/$version
name=deltafold-$version

classes=$out/kotlin/classes
mkdir -p "$out/kotlin"

# JNA looks for the library in the jar under the name of the platform.
case $(uname -s)-$(uname -m) in
    Linux-x86_64) platform=linux-x86-64 ;;
    Linux-aarch64) platform=linux-aarch64 ;;
    Darwin-arm64) platform=darwin-aarch64 ;;
    Darwin-x86_64) platform=darwin-x86-64 ;;
    *) echo "error: no name in JNA for this platform: $(uname -sm)" >&2; exit 1 ;;
esac

# The compiler is the slowest part; skip it if the sources are unchanged.
sources=("$out/generated/kotlin/deltafold/deltafold.kt" "$here"/src/main/kotlin/deltafold/*.kt)
stamp=$(cat "${sources[@]}" "$compiler/build.txt" | sha256sum)
if [ "$(cat "$out/kotlin/stamp" 2>/dev/null)" != "$stamp" ]; then
    rm -rf "$classes"
    # -nowarn is for the generated file.
    bash "$compiler/bin/kotlinc" -nowarn -jvm-target 1.8 -cp "$jna:$compiler/lib/kotlinx-coroutines-core-jvm.jar" \
        "${sources[@]}" -d "$classes"
    echo "$stamp" >"$out/kotlin/stamp"
fi

rm -rf "$out/maven" "$out/kotlin/sources"
mkdir -p "$place" "$classes/$platform" "$classes/META-INF" "$out/kotlin/sources/deltafold"
cp "$out"/lib/libdeltafold_uniffi.* "$classes/$platform/"
cp "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$classes/META-INF/"
cp "${sources[@]}" "$out/kotlin/sources/deltafold/"

pack() { python3 -c 'import sys, zipfile, pathlib
out, folder = sys.argv[1], pathlib.Path(sys.argv[2])
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as jar:
    jar.writestr(zipfile.ZipInfo("META-INF/MANIFEST.MF"), "Manifest-Version: 1.0\r\nAutomatic-Module-Name: deltafold\r\n\r\n")
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            info = zipfile.ZipInfo(str(file.relative_to(folder)))
            jar.writestr(info, file.read_bytes(), zipfile.ZIP_DEFLATED)' "$1" "$2"; }
pack "$place/$name.jar" "$classes"
pack "$place/$name-sources.jar" "$out/kotlin/sources"
cp "$here/pom.xml" "$place/$name.pom"
for file in "$place"/*; do sha256sum "$file" | cut -c1-64 >"$file.sha256"; done
