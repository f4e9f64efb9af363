"""Times the Python package beside its peers: every result is checked before it is timed; all contenders of a row run in turn.

    cargo run --release -p deltafold-benches --bin deltafold-shapes -- SHAPES W1 W2 W3 W5 W6
    python run.py SHAPES [--rounds 7] [--shapes W1,W2,W3,W5] [--cuts event,16k,7b] [--only NAME,…] [--check]

What counts is time on the processor; a table shows medians in µs per event, and the other's time over ours. `--check` proves the
results once and times nothing.
"""

import argparse
import gc
import json
import pathlib
import statistics
import sys
import time
from typing import Dict, List

from contenders import CONTENDERS, Result


def cut(data: bytes, how: str) -> List[bytes]:
    if how == "event":
        return [frame + b"\n\n" for frame in data.split(b"\n\n")[:-1]]
    size = {"whole": len(data), "16k": 16384, "7b": 7}[how]
    return [data[at : at + size] for at in range(0, len(data), size)]


def fnv(texts: List[str]) -> str:
    value = 0xCBF29CE484222325
    for text in texts:
        for byte in text.encode():
            value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def prove(name: str, result: Result, expected: Dict[str, object]) -> None:
    count, parts = result
    texts = ["".join(parts[place]) for place in sorted(parts)]
    assert count == expected["events"], f"{name}: {count} events, expected {expected['events']}"
    assert sum(len(text.encode()) for text in texts) == expected["text_bytes"], f"{name}: wrong length of text"
    assert fnv(texts) == expected["text_hash"], f"{name}: wrong text"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--shapes", default="W1,W2,W3,W5")
    parser.add_argument("--cuts", default="event,16k,7b")
    parser.add_argument("--only", default=",".join(CONTENDERS))
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    expected = json.loads((asked.folder / "expected.json").read_text())
    contenders = {name: CONTENDERS[name] for name in asked.only.split(",")} if asked.only else CONTENDERS
    print("| shape | cut | " + " | ".join(contenders) + " |")
    print("| --- | --- |" + " --- |" * len(contenders))
    for shape in asked.shapes.split(","):
        data = (asked.folder / f"{shape}.sse").read_bytes()
        for how in asked.cuts.split(","):
            chunks = cut(data, how)
            times: Dict[str, List[float]] = {name: [] for name in contenders}
            for name, contender in contenders.items():
                prove(f"{shape} {how} {name}", contender(chunks), expected[shape])
            for _ in range(0 if asked.check else asked.rounds):
                for name, contender in contenders.items():
                    # The slow ones are measured well enough by fewer rounds.
                    if len(times[name]) >= 2 and times[name][0] > 0.5:
                        continue
                    gc.collect()
                    start = time.process_time()
                    contender(chunks)
                    times[name].append(time.process_time() - start)
            if not asked.check:
                median = {name: statistics.median(of) for name, of in times.items()}
                first = next(iter(median.values()))
                cells = [f"{of / expected[shape]['events'] * 1e6:.2f} ({of / first:.1f}x)" for of in median.values()]
                print(f"| {shape} | {how} | " + " | ".join(cells) + " |", flush=True)
    if asked.check:
        print("every contender gives the expected result")
    return 0


if __name__ == "__main__":
    sys.exit(main())
