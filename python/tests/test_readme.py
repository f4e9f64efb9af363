"""Runs the quick starts of README.md unchanged: the server is started, and the clients read from it."""

import pathlib
import re
import socket
import subprocess
import sys
import threading
import time
from typing import Any, Iterator, List

import pytest
import uvicorn

PAGE = pathlib.Path(__file__).parent.parent / "README.md"
BLOCKS: "List[str]" = re.findall(r"^<!-- check: not run, tests/test_readme.py .*? -->\n```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
(SERVER,) = [block for block in BLOCKS if "FastAPI()" in block]
CLIENTS = [block for block in BLOCKS if block is not SERVER]


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    names: "dict[str, Any]" = {"__name__": "server"}
    exec(compile(SERVER, "README.md", "exec"), names)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    running = uvicorn.Server(uvicorn.Config(names["app"], log_level="warning"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    running.should_exit = True
    thread.join()


def test_there_is_a_client_for_each_library() -> None:
    assert [re.findall(r"^import (httpx|aiohttp|openai)$", block, re.M) for block in CLIENTS] == [["httpx"], ["aiohttp"], ["openai"], ["openai"]]


@pytest.mark.parametrize("block", CLIENTS, ids=["httpx", "aiohttp", "openai", "openai patched"])
def test_a_client_prints_the_output_on_the_page(block: str, base_url: str) -> None:
    said = "".join(line[2:] + "\n" for line in re.findall(r"(?:^# .*\n)+\Z", block, re.M)[0].splitlines())
    done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, env={"BASE_URL": base_url, "PYTHONPATH": ":".join(sys.path)})
    assert done.returncode == 0, done.stderr
    assert done.stdout == said
