# What the steps share. Sourced by tests/run and by every step; needs ROOT and DELTAFOLD_CACHE.
# shellcheck shell=bash

: "${ROOT:?run steps through tests/run}" "${DELTAFOLD_CACHE:?run steps through tests/run}"

export CARGO_TERM_COLOR=never CARGO_NET_RETRY=5 NO_COLOR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
export npm_config_fund=false npm_config_audit=false npm_config_update_notifier=false

# One target folder per set of compiler flags, so that switching flags never rebuilds the others.
use_target() { export CARGO_TARGET_DIR=$DELTAFOLD_CACHE/target/$1; }

# Ends the step with a reason.
die() { echo "error: $*" >&2; exit 1; }

# Something worth a line under the step even though it passed, such as a check that this machine cannot do.
note() { echo "NOTE: $*"; }

# Prints a headline in the log, then runs the command.
run() { echo "+ $*"; "$@"; }

# Says how to get a program that is missing.
how_to_get() {
    case $1 in
        cargo | rustc | rustup) echo "the Rust toolchain, by rustup" ;;
        rustfmt | cargo-fmt) echo "rustup component add rustfmt" ;;
        cargo-clippy) echo "rustup component add clippy" ;;
        python3) echo "apt-get install python3 python3-venv (3.10 or newer)" ;;
        node | npm | npx) echo "Node.js 20 or newer with npm 10 or newer" ;;
        gcc | g++ | clang | cmake | make | valgrind | git | chromium) echo "apt-get install $1" ;;
        ruby) echo "apt-get install ruby ruby-ffi" ;;
        java | javac) echo "apt-get install default-jdk-headless (17 or newer) libjna-java" ;;
        clang++) echo "apt-get install clang" ;;
        nm | readelf | ar | strip) echo "apt-get install binutils" ;;
        pkg-config) echo "apt-get install pkg-config" ;;
        *) echo "not known" ;;
    esac
}

# Makes sure that the compiler has a target; rustup does not install one by itself where RUSTUP_AUTO_INSTALL is 0.
need_rust_target() {
    [ -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" ] && return
    run rustup target add "$1" || die "the Rust target $1 cannot be had; get it with: rustup target add $1"
}

# Runs the generators of tests/tools (header, wasm glue, wasm import list), which are pinned by their own lock file.
tool() {
    RUSTFLAGS="" CARGO_TARGET_DIR=$DELTAFOLD_CACHE/target/tools \
        cargo run --quiet --locked --manifest-path "$ROOT/tests/tools/Cargo.toml" -- "$@"
}

# Makes or reuses a virtual environment with the packages of a requirements file, and sets VENV to it.
use_venv() {
    local name=$1 requirements=$2 python=${3:-python3} stamp
    VENV=$DELTAFOLD_CACHE/venv/$name
    stamp=$(cat "$requirements"; "$python" --version; echo "$VENV")
    if [ "$(cat "$VENV/stamp" 2>/dev/null)" != "$stamp" ]; then
        rm -rf "$VENV"
        run "$python" -m venv "$VENV" || die "no virtual environment: apt-get install python3-venv"
        run "$VENV/bin/pip" install --quiet --requirement "$requirements" || die "pip cannot get the packages of $requirements"
        echo "$stamp" >"$VENV/stamp"
    fi
    export VENV
}

# Installs the locked packages of a folder with a package-lock.json, once per state of that file.
use_npm() {
    local folder=$1 stamp
    stamp=$(cat "$folder/package-lock.json"; node --version)
    if [ "$(cat "$folder/node_modules/.stamp" 2>/dev/null)" != "$stamp" ]; then
        (cd "$folder" && run npm ci --no-audit --no-fund) || die "npm cannot get the packages of $folder/package-lock.json"
        echo "$stamp" >"$folder/node_modules/.stamp"
    fi
}

# The compiler of Miri and of the sanitizers, which only a nightly has; pinned, so that a new lint or a bug of a day stops nobody.
NIGHTLY=nightly-2026-05-20

# Says whether the nightly is there with these components, after trying to get it.
have_nightly() {
    cargo "+$NIGHTLY" --version >/dev/null 2>&1 && cargo "+$NIGHTLY" miri --version >/dev/null 2>&1 &&
        [ -d "$(rustc "+$NIGHTLY" --print sysroot)/lib/rustlib/src/rust/library" ] && return
    run rustup toolchain install "$NIGHTLY" --profile minimal -c miri -c rust-src
}
