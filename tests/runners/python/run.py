"""The Python runner; the protocol is in tests/runners/README.md."""

import json
import sys

import deltafold


def show(value):
    print(json.dumps(value))


decoder = None
for line in sys.stdin:
    word, _, rest = line.rstrip("\n").partition(" ")
    if word == "sse":
        decoder = deltafold.SseDecoder()
    elif word == "feed":
        if decoder is not None:
            try:
                for frame in decoder.feed(bytes.fromhex(rest)):
                    show({name: getattr(frame, name) for name in ("event", "data", "id", "retry", "offset")})
            except deltafold.DeltafoldError as error:
                show({"error": error.code, "offset": error.offset})
                decoder = None
    elif word == "end":
        decoder = None
        show({"end": True})
        sys.stdout.flush()
    else:
        sys.exit(2)
