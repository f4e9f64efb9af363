# what: the example streams are what their generators write
# needs: python3
set -euo pipefail
. "$ROOT/tests/ci/lib.sh"

made=$DELTAFOLD_CACHE/tour.sse
python3 examples/streams/tour.py >"$made"
run cmp "$made" examples/streams/tour.sse || die "redo it: python3 examples/streams/tour.py > examples/streams/tour.sse"
