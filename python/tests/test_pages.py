"""Runs the Python blocks of the documentation with this interpreter, and compares their output with the page.

`DELTAFOLD_ROOT` is the repository; tests/ci sets it. The quick starts of README.md that need a server are in test_readme.py. Some blocks
run the program `deltafold` with `serve`, which is not part of the wheel; it must be on PATH.
"""

import os
import pathlib
import re
import subprocess
import sys
from typing import List

import pytest

ROOT = os.environ.get("DELTAFOLD_ROOT")
PAGES = ["README.md", "python/README.md", "docs/guide.md", "docs/cookbook.md"]
BLOCK = re.compile(r"^(?:<!-- check: (?P<check>.*?) -->\n)?```python\n(?P<text>.*?)^```$", re.M | re.S)


def blocks() -> "List[object]":
    found: "List[object]" = []
    for page in PAGES if ROOT else []:
        text = pathlib.Path(ROOT or "", page).read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            if block["check"] is None:
                line = text.count("\n", 0, block.start("text"))
                found.append(pytest.param(block["text"], id=f"{page}:{line}"))
    return found


@pytest.mark.skipif(not ROOT, reason="DELTAFOLD_ROOT is not set")
def test_the_pages_have_blocks() -> None:
    assert len(blocks()) > 15


@pytest.mark.parametrize("block", blocks())
def test_a_block_prints_the_output_on_the_page(block: str) -> None:
    if sys.version_info < (3, 10) and re.search(r"^ +match ", block, re.M):
        pytest.skip("match came with Python 3.10")
    if '"serve"' in block:
        helped = subprocess.run(["deltafold", "help", "serve"], capture_output=True)
        assert helped.returncode == 0, "the program deltafold on PATH has no command serve"
    said = "".join(line[2:] + "\n" for line in re.findall(r"(?:^# .*\n)+\Z", block, re.M)[0].splitlines())
    done = subprocess.run([sys.executable, "-c", block], cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert done.stdout == said
