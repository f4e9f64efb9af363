# what: every binding gives the core's answer to every vector, whole and cut
# needs: cargo gcc node valgrind
# after: c python npm
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

prefix=$DELTAFOLD_CACHE/c/prefix
runner=$DELTAFOLD_CACHE/c/runner
run gcc -std=gnu11 -Wall -Wextra -Wpedantic -Werror -g -fsanitize=address,undefined -fno-sanitize-recover=all -I"$prefix/include" \
    tests/runners/c/run.c "$prefix/lib/libdeltafold.a" -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc -o "$runner"

run cargo build --locked -q -p deltafold-tests --bin runner --bin bindings
run "$CARGO_TARGET_DIR/debug/bindings" \
    "rust='$CARGO_TARGET_DIR/debug/runner'" \
    "c='$runner'" \
    "python='$DELTAFOLD_CACHE/venv/python/bin/python' '$ROOT/tests/runners/python/run.py'" \
    "npm=env -C '$DELTAFOLD_CACHE/npm/project' node '$ROOT/tests/runners/npm/run.mjs'"

# The wheel as it is published, built for size; each fourth vector.
run "$CARGO_TARGET_DIR/debug/bindings" --every 4 \
    "python=env 'PYTHONPATH=$DELTAFOLD_CACHE/python/unpacked' python3 '$ROOT/tests/runners/python/run.py'"

# The C runner once more under valgrind, which is slow: each sixteenth vector. All of them take minutes:
#   DELTAFOLD_EVERY=1 bash tests/run vectors
plain=$DELTAFOLD_CACHE/c/runner-plain
run gcc -std=gnu11 -Wall -Wextra -Wpedantic -Werror -g -I"$prefix/include" tests/runners/c/run.c -L"$prefix/lib" -ldeltafold \
    -Wl,-rpath,"$prefix/lib" -o "$plain"
RUST_BACKTRACE=0 run "$CARGO_TARGET_DIR/debug/bindings" --every "${DELTAFOLD_EVERY:-16}" \
    "c=valgrind -q --leak-check=full --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=99 '$plain'"
