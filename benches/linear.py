"""Counts the instructions of every hostile shape at n, 2n and 4n, and fails where twice the input costs more than 2.2 times as much.

    python3 benches/linear.py PROGRAM    PROGRAM is a release build of deltafold-hostile

One process under callgrind runs all shapes on a stack of 64 KiB; each call of `counted` ends with a dump of its own.
Counts depend on the code alone, so the machine may be busy.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

LIMIT = 2.2


def main() -> int:
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--collect-atstart=no",
                   "--toggle-collect=deltafold_hostile::counted", "--dump-after=deltafold_hostile::counted", program]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"error: {' '.join(command)}\n{done.stdout}{done.stderr}")
        parts = sorted(pathlib.Path(folder).glob("out.*"), key=lambda path: int(path.suffix[1:]))
        counts = [int(re.search(r"^totals: (\d+)", part.read_text(), re.M)[1]) for part in parts]
    runs = [line.split() for line in done.stdout.splitlines()]
    if len(runs) < 90 or len(runs) % 3 or len(counts) < len(runs):
        sys.exit(f"error: {len(runs)} runs and {len(counts)} counts")
    wrong = 0
    for at in range(0, len(runs), 3):
        name, size = runs[at][:2]
        once, twice, four = counts[at:at + 3]
        ratios = twice / once, four / twice
        bad = max(ratios) > LIMIT
        wrong += bad
        print(f"{'error: ' if bad else ''}{name:<26} {size:>8} {once:>12,} {ratios[0]:6.3f} {ratios[1]:6.3f}")
    if wrong:
        print(f"error: {wrong} shapes cost more than {LIMIT} times as much at twice the size")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
