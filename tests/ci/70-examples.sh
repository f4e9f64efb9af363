# what: the example streams match the output of their generators, and the examples print their documented output
# needs: python3 cargo cc
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

made=$DELTAFOLD_CACHE/tour.sse
python3 examples/streams/tour.py >"$made"
run cmp "$made" examples/streams/tour.sse || die "regenerate it: python3 examples/streams/tour.py > examples/streams/tour.sse"

use_target native
examples=$(grep -l '^// prints:' core/examples/*.rs)
# shellcheck disable=SC2046
build_programs deltafold $(basename -a -s .rs $examples | sed 's/^/example:/')
folder=$DELTAFOLD_CACHE/streams
rm -rf "$folder"
run python3 examples/streams/make.py "$folder" "$CARGO_TARGET_DIR/debug/deltafold"
cp examples/streams/README.md examples/streams/make.py examples/streams/tour.py examples/streams/tour.sse "$folder"
run diff -r "$folder" examples/streams || die "regenerate it: python3 examples/streams/make.py examples/streams DELTAFOLD"

# An example of the core prints what its last comment lists.
for example in $examples; do
    expected=$(sed '1,/^\/\/ prints:/d; s/^\/\/ \{0,1\}//' "$example")
    "$CARGO_TARGET_DIR/debug/examples/$(basename "$example" .rs)" >"$DELTAFOLD_CACHE/example.txt"
    diff <(echo "$expected") "$DELTAFOLD_CACHE/example.txt" || die "$example does not print its documented output"
done
