"""Runs mypy and pyright over the files beside it: they accept good.py and good_match.py, and reject each marked line of bad.py."""

import json
import pathlib
import re
import subprocess
import sys
from typing import Set

FOLDER = pathlib.Path(__file__).parent
BAD = FOLDER / "bad.py"
GOOD = [FOLDER / "good.py", *([FOLDER / "good_match.py"] if sys.version_info >= (3, 10) else [])]
MARKED = {number for number, line in enumerate(BAD.read_text().splitlines(), 1) if line.endswith("# wrong")}


def mypy(file: pathlib.Path) -> "Set[int]":
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(file)], capture_output=True, text=True)
    print(done.stdout if file != BAD else "", end="")
    return {int(line) for line in re.findall(r"^[^\n]*?\.py:(\d+): error", done.stdout, re.M)}


def pyright(file: pathlib.Path) -> "Set[int]":
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    found = [one for one in json.loads(done.stdout)["generalDiagnostics"] if one["severity"] == "error"]
    for one in found if file != BAD else []:
        print(one["range"]["start"]["line"] + 1, one["message"])
    return {one["range"]["start"]["line"] + 1 for one in found}


def main() -> int:
    wrong = 0
    for checker in (mypy, pyright):
        bad = checker(BAD)
        for file in GOOD:
            errors = checker(file)
            if errors:
                wrong += 1
                print(f"{checker.__name__}: errors in {file.name}, lines {sorted(errors)}")
        if bad != MARKED:
            wrong += 1
            print(f"{checker.__name__}: bad.py: not refused {sorted(MARKED - bad)}, refused by mistake {sorted(bad - MARKED)}")
        else:
            print(f"{checker.__name__}: refuses the {len(bad)} marked lines of bad.py")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
