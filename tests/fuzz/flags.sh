# The compiler options of libFuzzer, as plain options that every toolchain has. Sourced by the step and by long.sh.
# shellcheck shell=bash

# Counters at every edge, and compared values, which guide the fuzzer.
fuzz_flags="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
-Cllvm-args=-sanitizer-coverage-trace-compares"
fuzz_targets="feed splits roundtrip partial_json validate writer adapters save_restore request c_abi"

# Builds libFuzzer with the targets; sets FUZZ_BIN to the folder of the program.
build_fuzz() {
    local host
    host=$(rustc -vV | sed -n 's/^host: //p')
    FUZZ_BIN=$CARGO_TARGET_DIR/$host/release
    # A target by name keeps these flags from build scripts.
    # shellcheck disable=SC2086
    RUSTFLAGS=$(echo $fuzz_flags) cargo build --release --locked --target "$host" --manifest-path "$ROOT/tests/fuzz/Cargo.toml" --bin fuzz
}

# Creates, packs or runs the corpus with the built program: corpus COMMAND [ARGUMENT…]; no argument may contain a space.
corpus() { DELTAFOLD_CORPUS="$*" "$FUZZ_BIN/fuzz"; }
