"""Counts the instructions of the readers and compares them with benches/baseline.txt.

    python3 benches/gate.py PROGRAM            PROGRAM is a release build of deltafold-count
    python3 benches/gate.py PROGRAM --update   writes the section of this machine's tools anew

A count depends on the code, the compiler and the C library (its memory functions and its allocator are counted, too), and
on nothing else: it repeats to within a few hundred. So the baseline has a section for each pair of compiler and library, and
within a section more than 5 % above the baseline fails. Tools without a section are compared with the first section and
fail above 30 %: that finds a fast path that is no longer used, and says loudly that a small loss would not be seen.
"""

import pathlib
import platform
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

BASELINE = pathlib.Path(__file__).with_name("baseline.txt")
CASES = [(shape, cut, reader) for shape, cut in [("examples", "16k"), ("examples", "event"), ("W1", "event"), ("W1", "16k"), ("W1", "7b"), ("W2", "event"), ("W3", "event")]
         for reader in ("reader", "reader-checking")]
HEAD = """\
# Instructions by callgrind for deltafold-count, in sections by compiler and C library; see gate.py.
# After an intended change: bash benches/gate --update, and state in the commit what the instructions are for.
"""


def main() -> int:
    program, *flags = sys.argv[1:]
    tools = f"{rustc()}, {' '.join(platform.libc_ver())}, {platform.machine()}"
    sections = read(BASELINE.read_text(encoding="utf-8") if BASELINE.exists() else "")
    with ThreadPoolExecutor(2) as pool:
        counts = dict(zip(CASES, pool.map(lambda case: count(program, case), CASES)))
    if flags == ["--update"]:
        sections[tools] = counts
        BASELINE.write_text(written(sections), encoding="utf-8")
        print(f"wrote the section of {tools}")
        return 0
    if not sections:
        print(f"error: {BASELINE.name} has no section; make one: bash benches/gate --update")
        return 1
    name, allowed = (tools, 5) if tools in sections else (next(iter(sections)), 30)
    if name != tools:
        print(f"NOTE: no instruction baseline for {tools}: compared with {name}, only above +{allowed} % fails; "
              "to check at ±5 %, add a section: bash benches/gate --update")
    return judge(sections[name], counts, allowed)


def judge(baseline, counts, allowed) -> int:
    wrong, lower = [], []
    for case, now in counts.items():
        label, before = " ".join(case), baseline.get(case)
        if before is None:
            wrong.append(f"{label}: not in the baseline")
            continue
        change = 100 * (now / before - 1)
        print(f"{label:<28} {now:>12,} {change:+7.2f} %")
        if change > allowed:
            wrong.append(f"{label}: {now:,} instructions, {change:+.1f} % over {before:,}, allowed is +{allowed} %")
        elif change < -5:
            lower.append(label)
    if lower:
        print(f"NOTE: more than 5 % below the baseline; update it (bash benches/gate --update): {', '.join(lower)}")
    for line in wrong:
        print(f"error: {line}")
    if wrong:
        print("error: if the cost is intended, update the baseline: bash benches/gate --update")
    return 1 if wrong else 0


def count(program, case) -> int:
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
               "--toggle-collect=deltafold_count::counted", program, *case]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found or int(found[1]) == 0:
        sys.exit(f"error: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return int(found[1])


def rustc() -> str:
    return " ".join(subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[:2])


def read(text):
    sections, section = {}, None
    for line in text.splitlines():
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            *case, instructions = line.split()
            section[tuple(case)] = int(instructions)
    return sections


def written(sections) -> str:
    blocks = []
    for tools, counts in sections.items():
        rows = [f"{' '.join(case):<28} {instructions}" for case, instructions in counts.items()]
        blocks.append("\n".join([f"[{tools}]", *rows]))
    return HEAD + "\n" + "\n\n".join(blocks) + "\n"


if __name__ == "__main__":
    sys.exit(main())
