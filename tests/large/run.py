"""Feeds a program a large stream on its standard input, and fails if it uses too much memory or reads the stream wrongly.

    python3 tests/large/run.py MEGABYTES PADDING LIMIT NAME COMMAND...

The stream is that of bindings/cli/tests/large.py, made on the way. PADDING is how many bytes of obfuscation each delta carries:
with 5000 a stream of a gigabyte holds a response of a megabyte. LIMIT is in megabytes, and counts what the process holds at its
peak, interpreter and all. COMMAND prints {"events", "outcome", "text"}: how many events, how it ended, how many bytes of text.
"""

import importlib.util
import json
import pathlib
import sys
import threading


def main() -> int:
    megabytes, padding, limit, name, *command = sys.argv[1:]
    path = pathlib.Path(__file__).resolve().parents[2] / "bindings/cli/tests/large.py"
    spec = importlib.util.spec_from_file_location("large", path)
    large = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(large)
    large.PADDING = int(padding)
    sent = {}
    watched = large.Watched(command)
    child = watched.child
    threading.Thread(target=large.feed, args=(child.stdin, int(megabytes), sent), daemon=True).start()
    output = child.stdout.read()
    code, peak, seconds = watched.end()
    size, text = sent.get("bytes", 0) / 1e6, sent.get("text", 0)
    print(f"{name}: {size:.0f} MB, {sent.get('events')} events, {text / 1e6:.1f} MB of text; peak {peak:.0f} MB, {seconds:.1f} s of CPU, exit {code}")
    expected = {"events": sent.get("events"), "outcome": "completed", "text": text}
    if code != 0 or json.loads(output) != expected or peak > float(limit):
        print(f"error: {name}: expected {expected} in {limit} MB, found {output[:300]!r}, peak {peak:.0f} MB, exit {code}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
