# Functions and settings that all steps share. tests/run and every step source this file; it needs ROOT and DELTAFOLD_CACHE.
# shellcheck shell=bash

: "${ROOT:?run steps through tests/run}" "${DELTAFOLD_CACHE:?run steps through tests/run}"

export CARGO_TERM_COLOR=never CARGO_NET_RETRY=5 NO_COLOR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
# Python's bytecode is outside of the checkout, and is made for the modules that a step imports instead of for all of a package.
export PYTHONPYCACHEPREFIX=$DELTAFOLD_CACHE/bytecode PIP_NO_COMPILE=1
unset PYTHONDONTWRITEBYTECODE
export npm_config_fund=false npm_config_audit=false npm_config_update_notifier=false
# A first run compiles every crate once. Without the data for incremental builds, that takes a quarter less processor time and less disk.
export CARGO_INCREMENTAL=${CARGO_INCREMENTAL:-0}
# Only `setup` installs toolchains; a command that needs a missing one must fail.
export RUSTUP_AUTO_INSTALL=0

# The compiler for Miri and the sanitizers, which exist only in nightly toolchains. Pinned, so that a new lint or a bug in a nightly does not break the steps.
NIGHTLY=nightly-2026-05-20
# The oldest supported compiler, which the root Cargo.toml names.
OLDEST_RUST=$(sed -n 's/^rust-version = "\(.*\)"$/\1.0/p' "$ROOT/Cargo.toml")

# --- steps ---

# Prints the names of all steps, in the order of their files.
all_steps() { local file; for file in "$ROOT"/tests/ci/[0-9][0-9]-*.sh; do file=${file##*/[0-9][0-9]-}; echo "${file%.sh}"; done; }

# Prints the file of a step; fails if no step has this name.
step_file() { local file; for file in "$ROOT"/tests/ci/[0-9][0-9]-"$1".sh; do [ -f "$file" ] && echo "$file" && return; done; return 1; }

# Prints one member of a step's header: step_head STEP what|needs|after
step_head() { sed -n "/^#/!q; s/^# $2: *//p" "$(step_file "$1")"; }

# Selects the target folder. One folder per set of compiler flags, so that a switch of flags never rebuilds the others.
use_target() { export CARGO_TARGET_DIR=$DELTAFOLD_CACHE/target/$1; }

# Ends the step with an error message.
die() { echo "error: $*" >&2; exit 1; }

# Prints a note that tests/run repeats below the step's line, such as a check that this machine cannot run.
note() { echo "NOTE: $*"; }

# Prints the command into the log, then runs it.
run() { echo "+ $*"; "$@"; }

# Builds programs of the workspace: build_programs NAME… A name is that of a bin, or `example:` and that of an example.
#
# Selects the whole workspace and an example, as the tests do: Cargo then enables the same features of all crates, and compiles none again.
build_programs() {
    local name options=(--example read)
    for name in "$@"; do
        case $name in example:*) options+=(--example "${name#*:}") ;; *) options+=(--bin "$name") ;; esac
    done
    run cargo build --locked -q --workspace "${options[@]}"
}

# Runs the generators of tests/tools (C header, wasm glue, list of wasm imports), which their own lock file pins.
tool() {
    RUSTFLAGS="" CARGO_TARGET_DIR=$DELTAFOLD_CACHE/target/tools \
        cargo run --quiet --locked --manifest-path "$ROOT/tests/tools/Cargo.toml" -- "$@"
}

# --- what a step needs: the table tests/ci/programs.txt ---

declare -A source_of=() from_of=() check_of=()
read_table() {
    local names name source from check
    while IFS='|' read -r names source from check; do
        case $names in '#'* | '') continue ;; esac
        read -r source <<<"$source"
        read -r from <<<"$from"
        read -r check <<<"$check"
        for name in $names; do
            source_of[$name]=$source from_of[$name]=$from check_of[$name]=$check
        done
    done <"$ROOT/tests/ci/programs.txt"
}
read_table

# True if a name of the table is installed.
is_installed() {
    case ${source_of[$1]} in
        pip) [ "$(cat "$(venv_folder "$1")/stamp" 2>/dev/null)" = "$(venv_stamp "$1")" ] ;;
        npm) [ "$(cat "$ROOT/${from_of[$1]}/node_modules/.stamp" 2>/dev/null)" = "$(npm_stamp "$1")" ] ;;
        *) eval "${check_of[$1]:-command -v $1}" >/dev/null 2>&1 ;;
    esac
}

rust_target() { [ -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" ]; }

nightly_is_complete() {
    local sysroot
    sysroot=$(rustc "+$NIGHTLY" --print sysroot) && [ -x "$sysroot/bin/cargo-miri" ] && [ -d "$sysroot/lib/rustlib/src/rust/library" ]
}

# Prints everything that determines the content of a virtual environment or a node_modules folder.
venv_folder() { echo "$DELTAFOLD_CACHE/venv/${1#pip:}"; }
venv_stamp() { cat "$ROOT/${from_of[$1]}"; python3 --version 2>/dev/null; venv_folder "$1"; }
npm_stamp() {
    local folder=$ROOT/${from_of[$1]}
    if [ -f "$folder/package-lock.json" ]; then cat "$folder/package-lock.json"; else cat "$folder/package.json"; fi
    node --version 2>/dev/null
}

# Installs a pip or npm entry of the table. Called by `setup`, and by use_venv and use_npm where a script runs without tests/run.
install_packages() {
    local name=$1 folder from=${from_of[$1]}
    [ -z "${DELTAFOLD_NO_INSTALL-}" ] || die "not installed: $name ($from); allow it: bash tests/run --setup-only"
    case ${source_of[$name]} in
        pip)
            folder=$(venv_folder "$name")
            rm -rf "$folder"
            run python3 -m venv "$folder"
            run "$folder/bin/pip" install --quiet --requirement "$ROOT/$from" || die "pip cannot get the packages of $from"
            venv_stamp "$name" >"$folder/stamp"
            ;;
        npm)
            folder=$ROOT/$from
            if [ -f "$folder/package-lock.json" ]; then
                (cd "$folder" && run npm ci) || die "npm cannot get the packages of $from/package-lock.json"
            else
                rm -rf "$folder/node_modules"
                (cd "$folder" && run npm install --no-package-lock) || die "npm cannot get the packages of $from/package.json"
            fi
            npm_stamp "$name" >"$folder/node_modules/.stamp"
            ;;
        *) die "$name is neither a pip nor an npm entry of tests/ci/programs.txt" ;;
    esac
}

# Sets VENV to the virtual environment of the entry pip:NAME; creates it if needed.
use_venv() {
    is_installed "pip:$1" || install_packages "pip:$1"
    VENV=$(venv_folder "pip:$1")
    export VENV
}

# Installs the packages of the entry npm:NAME in the node_modules of its folder if needed.
use_npm() { is_installed "npm:$1" || install_packages "npm:$1"; }
