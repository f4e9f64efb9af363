# what: installs the programs, toolchains and packages that the selected steps need
#
# Debian packages as root or by `sudo -n`; rustup targets, components and toolchains; Python and npm packages in the project's own folders.
# Where it may not install, it prints one command that does, and fails. tests/run sets STEPS: the steps whose needs are installed.
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

# Prints the needs of the steps that this machine lacks, in the order of the table, where packages come after the programs that install them.
find_missing() {
    local step name needed=" "
    for step in $STEPS; do
        for name in $(step_head "$step" needs); do
            [ -n "${source_of[$name]-}" ] || die "step '$step' needs '$name', which tests/ci/programs.txt does not list"
            needed+="$name "
        done
    done
    for name in $(sed -n '/^#/d; s/ |.*//p' "$ROOT/tests/ci/programs.txt"); do
        case $needed in *" $name "*) is_installed "$name" || echo "$name" ;; esac
    done
}

# Prints what one source must install for the missing names, without repetition.
wanted_from() {
    local name
    for name in $missing; do
        if [ "${source_of[$name]}" = "$1" ]; then echo "${from_of[$name]}"; fi
    done | awk '!seen[$0]++'
}

# Debian's node may be too old and must never replace an existing one, so node and npm are not Debian entries.
as_root=()
may_use_apt() {
    command -v apt-get >/dev/null || return
    [ "$(id -u)" -eq 0 ] && return
    as_root=(sudo -n)
    sudo -n true 2>/dev/null
}

# Ends the step with the one command that installs what is missing.
fail_with_command() {
    local command="" line sudo="sudo "
    [ "$(id -u)" -ne 0 ] || sudo=
    echo "missing:" $missing
    {
        wanted_from manual
        [ -z "$rustup" ] || command -v rustup >/dev/null || echo "${from_of[rustup]}"
    } | awk '!seen[$0]++ { print "first " $0 }'
    [ -z "$packages" ] || command="${sudo}apt-get install --no-install-recommends -y $packages"
    while IFS= read -r line; do
        [ -z "$line" ] || command+="${command:+ && }rustup $line"
    done <<<"$rustup"
    # Packages of Python and npm need no permission: a run without --no-install gets them itself.
    if [ -n "${DELTAFOLD_NO_INSTALL-}" ] && [ -n "$(wanted_from pip)$(wanted_from npm)" ]; then
        # shellcheck disable=SC2086
        line=$(printf '%s\n' $STEPS | grep -vx setup | xargs)
        [ "$(all_steps | grep -vx setup | xargs)" != "$line" ] || line=
        command+="${command:+ && }bash tests/run --setup-only${line:+ $line}"
    fi
    [ -z "$command" ] || echo "run this, then repeat: $command"
    die "$1"
}

# Installs the missing packages of Python and npm, each set in a process of its own: most of the time they wait for a registry.
install_all_packages() {
    local name logs=$DELTAFOLD_CACHE/setup failed="" processes=()
    rm -rf "$logs"
    mkdir -p "$logs"
    for name in $missing; do
        case ${source_of[$name]} in pip | npm) ;; *) continue ;; esac
        # A process that ends early must not stop the others, whose folders would be incomplete.
        (install_packages "$name") >"$logs/$name" 2>&1 &
        processes+=("$name=$!")
    done
    for name in ${processes[@]+"${processes[@]}"}; do
        wait "${name#*=}" || failed+=" ${name%=*}"
        cat "$logs/${name%=*}"
    done
    [ -z "$failed" ] || die "not installed:$failed"
}

missing=$(find_missing)
[ -n "$missing" ] || { echo "nothing is missing"; exit 0; }
packages=$(wanted_from debian | xargs)
rustup=$(wanted_from rustup | while IFS= read -r line; do eval "echo \"$line\""; done)

[ -z "${DELTAFOLD_NO_INSTALL-}" ] || fail_with_command "--no-install is set"
if [ -n "$(wanted_from manual)" ] || { [ -n "$rustup" ] && ! command -v rustup >/dev/null; }; then
    fail_with_command "some programs must be installed by the user"
fi
if [ -n "$packages" ]; then
    may_use_apt || fail_with_command "no permission to install Debian packages (neither root nor sudo without a password)"
    apt=(${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600)
    run "${apt[@]}" update
    # shellcheck disable=SC2086
    run "${apt[@]}" install --no-install-recommends -y $packages
fi
while IFS= read -r line; do
    # shellcheck disable=SC2086
    [ -z "$line" ] || run rustup $line
done <<<"$rustup"
install_all_packages

installed=$missing
missing=$(find_missing)
[ -z "$missing" ] || die "still missing after the installation:" $missing
note "installed:" $installed
