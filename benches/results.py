"""Turns the logs of benches/run into RESULTS.md (on standard output) and a plot:  python3 results.py LOGS PLOT

Ratios alone are printed: they carry over to other machines, times do not.
"""

import datetime
import os
import pathlib
import platform
import re
import subprocess
import sys

from plot import plot

# Recordings: the contender, the least ratio of totals, the least ratio of the median file, the largest share of files that it reads faster.
RECORDINGS = [
    ("split+simd-json-tape", 2.0, 1.1, 25),
    ("split+sonic-rs-typed", 1.5, None, None),
    ("eventsource-stream+async-openai", 6.0, None, None),
]
# Validation over plain reading, on recordings.
CHECKING = 1.6
# Payload classes: our parser, the ones to beat, and the least GB/s on images.
TAPE, OTHERS, IMAGES = "deltafold tape, UTF-8 checked", ("simd-json tape, with its copy", "sonic-rs lazy", "serde_json skip"), 12
COLUMNS = ["W1 event", "W1 16k", "W2 event", "W3 event", "W1 7b"]
# What must be reached: what, against what, how, the tables, the contender whose time is divided by the next one's, a bound per column.
LEAST, MOST = "≥", "≤"
GOALS = [
    ("Rust `Reader`", "eventsource-stream + async-openai", LEAST, "clients", "eventsource-stream+async-openai", "reader", [None] * 5),
    ("Rust `Reader`", "split + simd-json tape, not accumulating", LEAST, "clients", "split+simd-json-tape", "reader", [4, 4, 2.2, 1.5, 1.2]),
    ("Rust `Reader`", "split only, the limit", MOST, "clients", "reader", "split", [None] * 5),
    ("Rust, all layers of validation", "Rust `Reader`", MOST, "clients", "reader-checking", "reader", [2, 2, 2, 2.5, None]),
    ("Rust, all layers of validation", "serde_json + jsonschema, the union", LEAST, "validate", "split + serde_json + jsonschema, the union", "deltafold, all layers", [None] * 5),
    ("Rust, all layers of validation", "serde_json + jsonschema, picked by hand", LEAST, "validate", "split + serde_json + jsonschema, picked by hand", "deltafold, all layers", [None] * 5),
    ("Python, all fields read", "openai `responses.stream`", LEAST, "python", "openai", "deltafold", [150, 200, 100, 100, 40]),
    ("Python, all fields read", "bytes split + orjson", LEAST, "python", "split + orjson", "deltafold", [2.5, 3, 2, 3, 3]),
    ("Node", "openai `responses.stream`", LEAST, "js", "openai", "deltafold", [20, 40, 15, 8, 20]),
    ("Node", "eventsource-parser + JSON.parse", LEAST, "js", "eventsource-parser + JSON.parse", "deltafold", [2.5, 4, 2.5, 2.5, 2]),
    ("C", "Rust `Reader`", MOST, "C", "C functions", "Rust reader", [1.1, None, None, None, None]),
]
HEAD = """\
# Results

Made by `results.py` from the logs of `bash benches/run`; [README.md](README.md) says how figures are obtained, [NOTES.md](NOTES.md) what bounds them.
Everything is a ratio of times on the processor, medians of contenders that ran in turn in one process.
"""


def main() -> None:
    logs, svg = map(pathlib.Path, sys.argv[1:])
    tables = {}
    for file in sorted(logs.glob("*.log")):
        tables.update(read(file))
    print(HEAD)
    print(f"{datetime.date.today()}, {machine()}.\n")
    left_out = [part for part in ("clients", "rust", "memory", "python", "js", "c") if not (logs / f"{part}.log").exists()]
    if left_out:
        print(f"**Not measured in this run: {', '.join(left_out)}.** Their rows say so.\n")
    states = {}
    for file in sorted(logs.glob("*.log")):
        state = file.with_suffix(".state")
        states.setdefault(state.read_text(encoding="utf-8").strip() if state.exists() else "an unknown state", []).append(file.stem)
    if len(states) > 1:
        parts = "; ".join(f"{', '.join(parts)} of {state}" for state, parts in states.items())
        print(f"**These figures are not from one run.** Parts were measured of different states of the source: {parts}.\n")
    elif states:
        print(f"Measured of {next(iter(states))}.\n")
    recordings(logs)
    payloads(logs)
    python_recordings(logs)
    goals(tables)
    growth(tables)
    memory(logs, tables)
    asynchronous(logs)
    beside(tables)
    plot(svg, panels(tables))


def read(file):
    """Tables of a log as {title: {contender: time of all}}; both forms, the one of the Rust harness and rows of Markdown."""
    tables, now, names = {}, None, []
    for line in file.read_text(encoding="utf-8").splitlines():
        if found := re.match(r"(\S.*) \((\d+) units, \d+ rounds\)$", line):
            now = tables.setdefault(found[1], {})
        elif found := re.match(r"  (\S.*?) +([\d.]+) ns/unit +([\d.]+)x", line):
            each, times = float(found[2]), float(found[3])
            # One decimal is not enough for a fraction of a nanosecond; the ratio to the first row is finer then.
            now[found[1]] = each if each >= 10 or not now else times * next(iter(now.values()))
        elif line.startswith("| shape | cut | "):
            names = line.strip("| ").split(" | ")[2:]
        elif line.startswith("| W"):
            shape, cut, *cells = line.strip("| ").split(" | ")
            times = [float(re.match(r"[\d.]+", cell)[0]) if re.match(r"[\d.]+", cell) else None for cell in cells]
            tables[f"{file.stem} {shape} {cut}"] = {name: time for name, time in zip(names, times) if time}
    return tables


def ratio(table, over, under):
    return table[over] / table[under] if table and over in table and under in table else None


def recordings(logs) -> None:
    """Real recordings first: totals, the median file, and the share of files that a contender reads faster."""
    file = logs / "clients.log"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    print("## Real recordings\n")
    found = list(re.finditer(r"^recordings (\S+) \((\d+) of (\d+) recordings, (\d+) bytes, (\d+) rounds\)\n.*\n((?:  .*\n)+)", text, re.M))
    if not found:
        print("Not measured: `DELTAFOLD_SHARED` names no folder with recordings.\n")
        return
    print("Every round goes through all files, each with a new reader, so caches and predictors are as cold as in a service. The ratios are the\n"
          "other's time over ours (higher is better); the last column is the share of files that the other reads faster than we do. Goals are\n"
          "in brackets, **bold** where they are missed. The reader frames by all rules, keeps findings and accumulates; the others join deltas.\n")
    for table in found:
        cut, chosen, every, size = table[1], int(table[2]), int(table[3]), int(table[4])
        print(f"{chosen} of {every} recordings, {size / 1e6:.1f} MB, chunks: {cut}.\n\n| other | total | median file | files that it reads faster |\n| --- | --- | --- | --- |")
        for row in re.finditer(r"^  (\S+) +[\d.]+ ms +([\d.]+)x +([\d.]+)x +(\d+) %$", table[6], re.M):
            name, total, middle, faster = row[1], float(row[2]), float(row[3]), int(row[4])
            goal = next((goal[1:] for goal in RECORDINGS if goal[0] == name), (None, None, None))
            if name == "reader-checking":
                print(f"| our own reader with all layers of validation, its time over the reader's | {bounded(total, MOST, CHECKING)} | {middle:.2f} | |")
            elif name == "reader-unread":
                print(f"| our own reader if the program reads the deltas and not the response, its time over the reader's | {total:.2f} | {middle:.2f} | |")
            elif name != "reader":
                print(f"| {name} | {bounded(total, LEAST, goal[0])} | {bounded(middle, LEAST, goal[1])} | {bounded(faster, MOST, goal[2], '{:.0f} %')} |")
        print()


def payloads(logs) -> None:
    """Parsing alone, by the size of the payload."""
    file = logs / "clients.log"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    tables = re.findall(r"^payloads (.+) \(\d+ payloads, \d+ bytes, \d+ rounds\)\n((?:  .*GB/s\n)+)", text, re.M)
    if not tables:
        return
    names = [TAPE, *OTHERS, "newline search + UTF-8"]
    print("## Parsing payloads, GB/s\n\nThe last column is the limit: finding the end of the line and checking UTF-8.\n")
    print("| payloads of | " + " | ".join(names) + " |\n| --- |" + " --- |" * len(names))
    for title, rows in tables:
        speed = {row[1]: float(row[2]) for row in re.finditer(r"^  (.+?) +([\d.]+) GB/s$", rows, re.M)}
        goal = IMAGES if title.startswith("images") else max(speed[name] for name in OTHERS)
        cells = [bounded(speed[TAPE], LEAST, goal), *(f"{speed[name]:.1f}" for name in names[1:])]
        print(f"| {title} | " + " | ".join(cells) + " |")
    print()


# Python on recordings: the title of a table, the contender, the least ratio of totals.
PYTHON = [
    ("delta fields", "split + orjson", 2.0),
    ("all fields of all events", "split + orjson", 1.0),
    ("response only", "split + orjson", 3.0),
    ("delta fields, beside openai", "openai `responses.stream`", 150.0),
]


def python_recordings(logs) -> None:
    """Real recordings in Python, as benches/python/recordings.py prints them."""
    file = logs / "python.log"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    tables = re.findall(r"^(.+), chunks (\w+) \((\d+ of \d+ recordings), .*\)\n\n.*\n.*\n((?:\|.*\n)+)", text, re.M)
    if not tables:
        return
    print("## Real recordings in Python\n\nThe published wheel: the other's time over ours, all files together, and the median file. Goals are in brackets, **bold** where they\n"
          "are missed. `split` splits bytes at blank lines, by no other rule; `patched` is a client of openai after `deltafold.openai.patch`.\n")
    print("| what is read | chunks | other | total | median file | files that it reads faster |\n| --- | --- | --- | --- | --- | --- |")
    for title, cut, _, rows in tables:
        for row in rows.splitlines():
            name, total, middle, faster = row.strip("| ").split(" | ")
            goal = next((goal for where, other, goal in PYTHON if (where, other) == (title, name)), None)
            print(f"| {title} | {cut} | {name} | {bounded(float(total), LEAST, goal)} | {middle} | {faster} |")
    print()


def bounded(value, kind, bound, form="{:.2f}") -> str:
    """A figure with its goal in brackets, bold where the goal is missed."""
    text = form.format(value)
    if bound is None:
        return text
    good = value >= bound if kind == LEAST else value <= bound
    return f"{text if good else f'**{text}**'} ({kind} {form.format(bound)})"


def goals(tables) -> None:
    print("## Synthetic streams: what must be reached\n\n**bold**: not reached. The bound is in brackets.\n")
    print("| where | against | " + " | ".join(COLUMNS) + " |\n| --- | --- |" + " --- |" * len(COLUMNS))
    reached = missed = unknown = 0
    for ours, other, kind, part, over, under, bounds in GOALS:
        cells = []
        for column, bound in zip(COLUMNS, bounds):
            value = ratio(tables.get(f"{part} {column}"), over, under)
            if bound is None:
                cells.append("" if value is None else f"{short(value)}")
            elif value is None:
                unknown += 1
                cells.append(f"not measured ({kind} {bound})")
            else:
                good = value >= bound if kind == LEAST else value <= bound
                reached, missed = reached + good, missed + (not good)
                cells.append(f"{short(value)} ({kind} {bound})" if good else f"**{short(value)}** ({kind} {bound})")
        how = "its time over ours" if kind == LEAST else "our time over its"
        print(f"| {ours} | {other}; {how} | " + " | ".join(cells) + " |")
    print(f"\n{reached} reached, {missed} not reached, {unknown} not measured.\n")


def growth(tables) -> None:
    print("## Growth\n\n| what | t(2n) / t(n) | bound | |\n| --- | --- | --- | --- |")
    for title, rows in tables.items():
        if not title.startswith(("growth ", "accumulate, ")):
            continue
        sizes = [(float(re.search(r"(\d+) (?:bytes|events|deltas)$", name)[1]), each) for name, each in rows.items()]
        for (n, each), (twice, each_twice) in zip(sizes, sizes[1:]):
            value = 2 * each_twice / each
            print(f"| {title}: {int(n):,} → {int(twice):,} | {value:.2f} | ≤ 2.2 | {verdict(value <= 2.2)} |")
    longer = ratio({**prefixed(tables, "read W6 event"), **prefixed(tables, "read W1 event")}, "read W6 event reader", "read W1 event reader")
    looking = ratio(tables.get("read W1 event"), "reader-looking", "reader")
    for what, value, bound in [("an event of W6 over one of W1", longer, 1.3), ("a look after every event over none, W1", looking, 2)]:
        print(f"| {what} | {'not measured' if value is None else f'{value:.2f}'} | ≤ {bound} | {'' if value is None else verdict(value <= bound)} |")
    print()


def prefixed(tables, title):
    return {f"{title} {name}": each for name, each in tables.get(title, {}).items()}


def memory(logs, tables) -> None:
    file = logs / "memory.log"
    print("## Memory and size\n")
    if file.exists():
        print("Peak over the start, by a counting allocator; the bound is twice the response as JSON and 1 MiB. Allocations are those of "
              "chunks that complete deltas alone, behind the first tenth; strings that double are among them.\n")
        print("| shape, cut | response | peak | bound | | allocations |\n| --- | --- | --- | --- | --- | --- |")
        for found in re.finditer(r"memory (.+): response (\d+) bytes, peak (\d+) bytes, (\d+) allocations in (\d+) deltas", file.read_text()):
            response, peak, calls, deltas = map(int, found.groups()[1:])
            bound = 2 * response + (1 << 20)
            print(f"| {found[1]} | {kib(response)} | {kib(peak)} | {kib(bound)} | {verdict(peak <= bound)} | {calls} in {deltas:,} deltas |")
        print()
        waiting = re.findall(r"^waiting (.+): (\d+) readers, (\d+) bytes each$", file.read_text(), re.M)
        if waiting:
            print("| open readers | bytes each | bound | |\n| --- | --- | --- | --- |")
            for state, count, each in waiting:
                bound, reached = ("≤ 4,096", verdict(int(each) <= 4096)) if state == "new" else ("", "")
                print(f"| {int(count):,}, {state} | {int(each):,} | {bound} | {reached} |")
            print()
    rows = []
    for part, what, bound in [("python", "wheel", 2_000_000), ("python", "import", 30), ("js", "wasm", 120_000), ("js", "import", 10)]:
        file = logs / f"{part}.log"
        found = re.search(rf"^{what} ([\d.]+) (.*)$", file.read_text(encoding="utf-8"), re.M) if file.exists() else None
        if found:
            rows.append(f"| {part}: {what} | {float(found[1]):,.0f} {found[2]} | ≤ {bound:,} | {verdict(float(found[1]) <= bound)} |")
    if rows:
        print("| size and start | measured | bound | |\n| --- | --- | --- | --- |\n" + "\n".join(rows) + "\n")


def asynchronous(logs) -> None:
    """The table of benches/js/async.mjs, as it was printed."""
    log = logs / "async.log"
    if log.exists():
        print("## Asynchronous reading in Node.js\n")
        print("What programs use, on the body of a response: time on the processor in µs per event, and the time of the peer over it.\n")
        print(log.read_text(encoding="utf-8"))


def beside(tables) -> None:
    print("## All contenders\n\nThe other's time over ours; above 1 ours is faster.\n")
    for part in ("clients", "short", "python", "js", "event"):
        mine = {title: rows for title, rows in tables.items() if title.startswith(part + " ")}
        names = list(dict.fromkeys(name for rows in mine.values() for name in list(rows)[1:]))
        if not mine:
            continue
        first = next(iter(next(iter(mine.values()))))
        print(f"| over {first} | " + " | ".join(names) + " |\n| --- |" + " --- |" * len(names))
        for title, rows in mine.items():
            print(f"| {title} | " + " | ".join(short(rows[name] / rows[first]) if name in rows else "" for name in names) + " |")
        print()


def panels(tables):
    """What the plot shows: W1, one chunk per event, in each language."""
    wanted = [("Rust", "clients"), ("Python", "python"), ("Node", "js")]
    found = []
    for language, part in wanted:
        rows = tables.get(f"{part} W1 event")
        if rows:
            first = next(iter(rows.values()))
            bars = [(name, each / first) for name, each in rows.items() if name not in ("split", "reader-checking") and not name.startswith(("deltafold,", "deltafold ("))]
            found.append((language, sorted(bars, key=lambda bar: bar[1])))
    return found


def verdict(good: bool) -> str:
    return "reached" if good else "**not reached**"


def short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def kib(size: int) -> str:
    return f"{size / 1024:,.0f} KiB"


def machine() -> str:
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines() if os.path.exists("/proc/cpuinfo") else []
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())
    def version(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        except OSError:
            return ""
    tools = [version("rustc", "--version").split(" (")[0], f"Python {platform.python_version()}", f"Node {version('node', '--version')}"]
    root = pathlib.Path(__file__).resolve().parent
    lock = (root / "clients/Cargo.lock").read_text(encoding="utf-8")
    locked = dict(re.findall(r'name = "(.+)"\nversion = "(.+)"', lock))
    peers = [f"{name} {locked[name]}" for name in ("async-openai", "eventsource-stream", "simd-json", "serde_json", "sonic-rs")]
    pins = (root / "python/requirements.txt").read_text(encoding="utf-8")
    peers += [f"{name} {value} (Python)" for name, value in re.findall(r"^(openai|httpx-sse|orjson|msgspec)==(\S+)", pins, re.M)]
    return f"{model}, {os.cpu_count()} cores, {platform.system()}; {', '.join(tools)}; {', '.join(peers)}"


if __name__ == "__main__":
    main()
