#!/usr/bin/env bash
# Puts a Swift toolchain into a folder: Debian sid with its package swiftlang. Needs root and debootstrap; takes some minutes once.
#
#   bash bindings/uniffi/swift/toolchain.sh FOLDER
set -euo pipefail

[ $# -eq 1 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
[ ! -e "$1/usr/libexec/swift" ] || exit 0
command -v debootstrap >/dev/null || { echo "error: no debootstrap: apt-get install debootstrap" >&2; exit 1; }
# Uses the Debian mirror of this machine.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1 || true)
debootstrap --variant=minbase --include=swiftlang,g++,libc6-dev sid "$1" ${mirror:+"$mirror"}
