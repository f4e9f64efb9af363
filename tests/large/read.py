"""Reads a stream from standard input with the Python package, and prints the result."""

import json
import sys

import deltafold

reader = deltafold.Reader()
events = 0
while chunk := sys.stdin.buffer.read1(1 << 16):
    for event in reader.feed(chunk):
        events += 1
outcome = reader.close()
print(json.dumps({"events": events, "outcome": str(outcome), "text": len(reader.response.output_text.encode())}))
