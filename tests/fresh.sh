#!/usr/bin/env bash
# Runs bash tests/run on a fresh machine: a minimal Debian 12 without compilers, Ruby or a browser, in a folder.
#
#   bash tests/fresh.sh FOLDER [STEP…]          makes the machine, then runs these steps there (all, if none is given)
#   bash tests/fresh.sh --again FOLDER [STEP…]  runs them again in an existing machine, with everything that is installed there
#
# The machine has what the README requires: the last commit of this checkout, the stable Rust toolchain of this machine without further
# targets, and its Node.js. Everything else must be installed by the step `setup`. Processes share the network of this machine; the file
# system, mounts and process ids are their own. Needs root, debootstrap, git, and about 15 GB for all steps.
#
# Mirrors, certificates and settings of package managers are those of this machine; none of them is part of the repository.
# DELTAFOLD_SHARED, DELTAFOLD_JOBS, DELTAFOLD_EVERY and DELTAFOLD_STEP_LIMIT are passed on.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; }
again=
[ "${1-}" != --again ] || { again=1; shift; }
case ${1-} in '' | -*) usage >&2; exit 2 ;; esac
machine=$1
shift
[ "$(id -u)" -eq 0 ] || { echo "error: needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "error: no debootstrap: apt-get install debootstrap" >&2; exit 1; }

# Makes the machine without any of the programs that `setup` installs.
make_machine() {
    local repositories mirror node npm toolchain file
    [ ! -e "$machine" ] || { echo "error: $machine exists; remove it, or use --again" >&2; exit 1; }
    mkdir -p "$machine"
    machine=$(cd "$machine" && pwd -P)
    # The repositories from which this machine installs the packages of Debian, and no others that it may have.
    repositories=$(apt-get indextargets --format '$(ORIGIN) deb $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' | sed -n 's/^Debian //p' | sort -u)
    mirror=$(echo "$repositories" | awk '$3 == "bookworm" { print $2; exit }')
    [ -n "$mirror" ] || { echo "error: apt knows no mirror of Debian 12: apt-get update" >&2; exit 1; }
    # What Node.js is linked with, and certificates for the package registries.
    debootstrap --variant=minbase --include=ca-certificates,libstdc++6,libatomic1 bookworm "$machine" "$mirror" >"$machine.log"
    echo "$repositories" >"$machine/etc/apt/sources.list"
    for file in apt.conf.d auth.conf.d preferences.d; do
        [ ! -d "/etc/apt/$file" ] || cp -R "/etc/apt/$file" "$machine/etc/apt/"
    done
    cp -RL /usr/local/share/ca-certificates "$machine/usr/local/share/" 2>/dev/null || true
    chroot "$machine" update-ca-certificates >>"$machine.log" 2>&1
    for file in /etc/resolv.conf /etc/hosts /etc/pip.conf "$HOME/.npmrc" "${CARGO_HOME:-$HOME/.cargo}/config.toml"; do
        [ ! -f "$file" ] || install -D -m 600 "$file" "$machine/root/${file##*/}"
    done
    for file in resolv.conf hosts pip.conf; do
        [ ! -f "$machine/root/$file" ] || install -m 644 "$machine/root/$file" "$machine/etc/$file"
    done

    # Rust: the stable toolchain with the components of rustup's default profile, and nothing that `setup` adds.
    toolchain=$(rustc +stable --print sysroot)
    mkdir -p "$machine/root/.rustup/toolchains" "$machine/root/.cargo/bin"
    cp -R "$toolchain" "$machine/root/.rustup/toolchains/"
    cp -R "${CARGO_HOME:-$HOME/.cargo}/bin/." "$machine/root/.cargo/bin/"
    [ ! -f "$machine/root/config.toml" ] || mv "$machine/root/config.toml" "$machine/root/.cargo/"
    inside rustup default "${toolchain##*/}"
    inside rustup target list --installed | grep -v "$(rustc -vV | sed -n 's/^host: //p')" | while IFS= read -r file; do
        inside rustup target remove "$file" </dev/null
    done

    node=$(node -p process.execPath) npm=$(realpath "$(command -v npm)")
    install -D "$node" "$machine/usr/local/bin/node"
    mkdir -p "$machine/usr/local/lib/node_modules"
    cp -R "${npm%/bin/*}" "$machine/usr/local/lib/node_modules/npm"
    ln -s ../lib/node_modules/npm/bin/npm-cli.js "$machine/usr/local/bin/npm"
    ln -s ../lib/node_modules/npm/bin/npx-cli.js "$machine/usr/local/bin/npx"

    git clone -q --no-hardlinks "$root" "$machine/srv/deltafold"
    local program
    for program in gcc cc g++ clang ruby chromium python3 git java cmake valgrind; do
        if inside command -v "$program" >/dev/null; then echo "error: a fresh machine has no $program" >&2; exit 1; fi
    done
}

# Runs a command in the machine, in the checkout, with no settings of this shell but those of package managers.
inside() {
    local settings=() name
    for name in $(compgen -e | grep -iE '^(pip_|npm_config_|cargo_(http|net|registr)|rustup_(dist|update)|https?_proxy$|no_proxy$|ssl_cert|node_extra_ca|requests_ca|deltafold_(jobs|every|step_limit)$)'); do
        settings+=("$name=${!name}")
    done
    [ -z "${DELTAFOLD_SHARED-}" ] || settings+=(DELTAFOLD_SHARED=/srv/shared)
    # The home folder of root inside the machine.
    local home=/root
    MACHINE=$machine SHARED=${DELTAFOLD_SHARED-} unshare --mount --pid --fork --kill-child bash -c '
        set -e
        mount --make-rprivate /
        mkdir -p "$MACHINE/srv/deltafold"
        mount -t proc proc "$MACHINE/proc"
        mount --rbind /dev "$MACHINE/dev"
        mount -t tmpfs tmpfs "$MACHINE/dev/shm"
        mount -t tmpfs tmpfs "$MACHINE/run"
        if [ -n "$SHARED" ]; then
            mkdir -p "$MACHINE/srv/shared"
            mount --bind -o ro "$SHARED" "$MACHINE/srv/shared"
        fi
        exec chroot "$MACHINE" "$@"
    ' bash /usr/bin/env -i HOME=$home PATH=$home/.cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        ${settings[@]+"${settings[@]}"} bash -c 'cd /srv/deltafold && "$@"' bash "$@"
}

if [ -z "$again" ]; then
    make_machine
    echo "made $machine in $SECONDS s"
else
    machine=$(cd "$machine" && pwd -P)
    git -C "$machine/srv/deltafold" fetch -q "$root" HEAD
    git -C "$machine/srv/deltafold" reset -q --hard FETCH_HEAD
fi
inside bash tests/run "$@"
