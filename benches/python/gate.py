"""Compares the speed of an installed wheel with the json module, in instructions:  python gate.py STREAM… [--update]

    python gate.py STREAM… --count MODE PASSES     reads the streams so often; what callgrind counts

The wheel is the published one, and the interpreter is the one that runs this file. For each mode, the instructions of a plain loop with the
json module are divided by those of the wheel, both without the start of the interpreter. `wheel-baseline.json` has the ratios; one that is
more than 10 % below fails. For a Python without an entry, the newest entry counts, and 30 % below fails.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

BASELINE = pathlib.Path(__file__).with_name("wheel-baseline.json")
MODES = ["delta fields", "all fields of all events", "response only"]


def payloads(data):
    for frame in data.split(b"\n\n")[:-1]:
        payload = frame[frame.index(b"data: ") + 6 :]
        if payload != b"[DONE]":
            yield payload


def by_json(data, mode):
    texts = []
    for event in map(json.loads, payloads(data)):
        if mode != "all fields of all events" and event["type"] == "response.output_text.delta":
            texts.append(event["delta"])
    return "".join(texts)


def by_wheel(data, mode):
    import deltafold

    reader, texts = deltafold.Reader(), []
    if mode == "response only":
        reader.feed(data)
        return reader.response.output_text
    for event in reader.feed(data):
        if mode == "all fields of all events":
            event.to_dict()
        elif event.type == "response.output_text.delta":
            texts.append(event.delta)
    return "".join(texts)


def count(streams, mode, passes):
    """What callgrind counts."""
    library, _, mode = mode.partition(":")
    work = by_wheel if library == "wheel" else by_json
    data = [pathlib.Path(stream).read_bytes() for stream in streams]
    for _ in range(passes):
        for each in data:
            work(each, mode)


def instructions(streams, mode):
    """The instructions of two passes: those of three without those of one."""

    def run(passes):
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, __file__, *streams, "--count", mode, str(passes)]
        environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONMALLOC": "malloc"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not found:
            sys.exit(f"error: {' '.join(command)}\n{done.stdout}{done.stderr}")
        return int(found[1])

    return run(3) - run(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("streams", nargs="+")
    parser.add_argument("--count", nargs=2)
    parser.add_argument("--update", action="store_true")
    asked = parser.parse_args()
    if asked.count:
        return count(asked.streams, asked.count[0], int(asked.count[1]))
    for stream in asked.streams:
        data = pathlib.Path(stream).read_bytes()
        assert by_json(data, MODES[0]) == by_wheel(data, MODES[0]) == by_wheel(data, MODES[2]), stream
    baseline = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    ratios = {mode: round(instructions(asked.streams, f"json:{mode}") / instructions(asked.streams, f"wheel:{mode}"), 2) for mode in MODES}
    if asked.update:
        baseline[version] = ratios
        BASELINE.write_text(json.dumps(baseline, indent=2) + "\n")
        return print(f"wrote {version}: {ratios}")
    known, allowed = (baseline[version], 10) if version in baseline else (baseline[max(baseline)], 30)
    wrong = 0
    for mode, ratio in ratios.items():
        print(f"{mode}: {ratio} times less than the json module, baseline {known[mode]}")
        if ratio < known[mode] * (1 - allowed / 100):
            print(f"error: {mode}: the wheel is more than {allowed} % slower than its baseline")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
