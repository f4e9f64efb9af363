"""Checks the types of every Python block of the given pages with `mypy --strict` and pyright.

    python3 tests/ci/python_pages.py PYTHON PAGE…

PYTHON is the interpreter of an environment that has deltafold, the libraries of the blocks, mypy and pyright. tests/ci/readme.py and
python/tests/test_pages.py run the blocks.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(?P<text>.*?)^```$", re.M | re.S)


def main() -> int:
    python, *pages = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        places = {}
        for page in pages:
            text = (ROOT / page).read_text(encoding="utf-8")
            for number, block in enumerate(BLOCK.finditer(text)):
                name = re.sub(r"\W", "_", page.partition(".")[0]) + f"_{number}"
                pathlib.Path(folder, f"{name}.py").write_text(block["text"], encoding="utf-8")
                places[name] = (page, text.count("\n", 0, block.start("text")))
        errors = [*mypy(python, folder), *pyright(python, folder)]
        for checker, name, line, message in errors:
            page, start = places[name]
            print(f"{page}:{start + line}: {checker}: {message}")
        print(f"{len(places)} blocks of {len(pages)} pages, {len(errors)} errors")
        if not places:
            print("error: no blocks")
    return 1 if errors or not places else 0


def mypy(python, folder):
    files = sorted(path.name for path in pathlib.Path(folder).glob("*.py"))
    done = subprocess.run([python, "-m", "mypy", "--strict", "--no-error-summary", *files], cwd=folder, capture_output=True, text=True)
    found = re.findall(r"^(\w+)\.py:(\d+): error: (.*)$", done.stdout, re.M)
    if done.returncode != 0 and not found:
        raise SystemExit(f"mypy failed:\n{done.stdout}{done.stderr}")
    return [("mypy", name, int(line), message) for name, line, message in found]


def pyright(python, folder):
    done = subprocess.run([python, "-m", "pyright", "--outputjson", "--pythonpath", python, "."], cwd=folder, capture_output=True, text=True)
    try:
        found = json.loads(done.stdout)["generalDiagnostics"]
    except ValueError:
        raise SystemExit(f"pyright failed:\n{done.stdout}{done.stderr}") from None
    for one in found:
        if one["severity"] == "error":
            yield "pyright", pathlib.Path(one["file"]).stem, one["range"]["start"]["line"] + 1, one["message"]


if __name__ == "__main__":
    sys.exit(main())
