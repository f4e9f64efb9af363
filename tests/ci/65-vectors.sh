# what: every binding gives the same results as the core for every vector, whole and split
# needs: cargo cc gcc node python3 valgrind
# after: c python npm
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"
use_target native

prefix=$DELTAFOLD_CACHE/c/prefix
runner=$DELTAFOLD_CACHE/c/runner
run gcc -std=gnu11 -Wall -Wextra -Wpedantic -Werror -g -fsanitize=address,undefined -fno-sanitize-recover=all -I"$prefix/include" \
    tests/runners/c/run.c "$prefix/lib/libdeltafold.a" -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc -o "$runner"

build_programs runner comparer
run "$CARGO_TARGET_DIR/debug/comparer" \
    "rust='$CARGO_TARGET_DIR/debug/runner'" \
    "c='$runner'" \
    "python='$DELTAFOLD_CACHE/venv/python/bin/python' '$ROOT/tests/runners/python/run.py'" \
    "npm=env -C '$DELTAFOLD_CACHE/npm/project' node '$ROOT/tests/runners/npm/run.mjs'"

# The published wheel, which is optimized, with every fourth vector.
run "$CARGO_TARGET_DIR/debug/comparer" --every 4 \
    "python=env 'PYTHONPATH=$DELTAFOLD_CACHE/python/unpacked' python3 '$ROOT/tests/runners/python/run.py'"

# The C runner under valgrind, which is slow, with every sixteenth vector. All vectors take minutes:
#   DELTAFOLD_EVERY=1 bash tests/run vectors
plain=$DELTAFOLD_CACHE/c/runner-plain
run gcc -std=gnu11 -Wall -Wextra -Wpedantic -Werror -g -I"$prefix/include" tests/runners/c/run.c -L"$prefix/lib" -ldeltafold \
    -Wl,-rpath,"$prefix/lib" -o "$plain"
RUST_BACKTRACE=0 run "$CARGO_TARGET_DIR/debug/comparer" --every "${DELTAFOLD_EVERY:-16}" \
    "c=valgrind -q --leak-check=full --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=99 '$plain'"
