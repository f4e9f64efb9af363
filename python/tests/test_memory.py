"""Memory stays constant: a million mixed feeds, events that outlive their reader, cycles, and many objects of every kind."""

import gc
import os
import resource
import subprocess
import sys
import tracemalloc
from typing import Callable

import pytest

import deltafold
from streams import call, frame, stream

SMALL = stream()
MIXED = [
    SMALL[:7],
    SMALL[7:],
    b": idle\n\n",
    b"data: not json\n\n",
    b"\xff\xfe data\n\n",
    frame({"type": "acme:trace", "deep": {"a": [1, {"b": None}]}}),
    call(('{"a":', "1}")),
    b"",
    stream(tuple("word " for _ in range(30))),
    b"event: response.output_text.delta\r\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"\\ud83d\"}\r\n\r\n",
]


# Split so that a round of ten feeds has few events: one complete, one over two chunks, comments, faults, nothing.
TINY = [
    SMALL[:100],
    SMALL[100:220],
    b": idle\n\n",
    b"data: not json\n\n",
    b"\xff\xfe\n\n",
    b"data: {\"type\":\"response.output_text.delta\",\"delta\":\"\\ud83d\"}\r\n\r\n",
    b"",
    b"data: {\"type\":\"acme:t\",",
    b"\"a\":[1,{\"b\":null}]}\n\n",
    b"\n",
]


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def grown(work: Callable[[], object], rounds: int) -> "tuple[int, int]":
    """Returns the bytes that Python's allocator and the process use more after many rounds than after a few."""
    for _ in range(max(10, rounds // 10)):
        work()
    gc.collect()
    tracemalloc.start()
    traced, held = tracemalloc.get_traced_memory()[0], resident()
    for _ in range(rounds):
        work()
    gc.collect()
    more = tracemalloc.get_traced_memory()[0] - traced, resident() - held
    tracemalloc.stop()
    return more


def mixed() -> None:
    reader = deltafold.Reader()
    for chunk in MIXED:
        for event in reader.feed(chunk):
            event.get("delta")
    reader.close()


def kept() -> None:
    events = [event for chunk in MIXED for event in deltafold.Reader().feed(chunk)]
    assert events[-1].raw


def cycle() -> None:
    reader = deltafold.Reader()
    holder = {"reader": reader, "events": list(reader.feed(SMALL)), "response": reader.response}
    holder["self"] = holder


def others() -> None:
    writer = deltafold.Writer("resp_1", "m")
    writer.message()
    writer.text("x" * 100)
    writer.complete()
    data = writer.take()
    deltafold.check(data, profile="openai")
    deltafold.convert(data, "chat-completions")
    deltafold.partial_json('{"a":[1,')
    for wrong in (lambda: writer.text("x"), lambda: deltafold.Reader(edition="nonsense")):  # type: ignore[arg-type]
        with pytest.raises(deltafold.Misuse):
            wrong()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc to see the process's memory")
@pytest.mark.parametrize(("work", "rounds"), [(mixed, 60), (kept, 60), (cycle, 60), (others, 30)])
def test_memory_stays_constant(work: "Callable[[], object]", rounds: int) -> None:
    traced, held = grown(work, rounds)
    assert traced < 100_000 and held < 5 << 20, (traced, held)


def test_no_reference_leaks() -> None:
    name, chunk = "response.output_text.delta", bytes(bytearray(SMALL))
    event = [event for event in deltafold.Reader().feed(SMALL) if event.type == name][0]
    before = sys.getrefcount(None), sys.getrefcount(event.type), sys.getrefcount(chunk), sys.getrefcount(deltafold.Event)
    for _ in range(200):
        reader = deltafold.Reader()
        for one in reader.feed(chunk):
            one.type, one.get("delta"), one.get("nothing"), one.to_dict(), repr(one)
            with pytest.raises(AttributeError):
                getattr(one, "nothing")
        reader.response.to_dict()
    del reader, one
    after = sys.getrefcount(None), sys.getrefcount(event.type), sys.getrefcount(chunk), sys.getrefcount(deltafold.Event)
    # Newer versions do not count immortal objects; a leak would be in the thousands.
    assert all(abs(one - two) < 100 for one, two in zip(before, after)), (before, after)


def test_memory_stays_constant_over_a_million_mixed_feeds() -> None:
    """In a separate process, so that nothing else changes its memory."""
    code = """
import sys
sys.path.insert(0, sys.argv[1])
import gc, tracemalloc, deltafold, test_memory
reader, feeds, chunks = deltafold.Reader(), 0, test_memory.TINY
def work(until):
    global feeds
    while feeds < until:
        for chunk in chunks:
            for event in reader.feed(chunk):
                event.type
        feeds += len(chunks)
        if feeds % 1000 == 0: reader.reset()
work(20_000)
gc.collect()
held = test_memory.resident()
work(980_000)
tracemalloc.start()
work(981_000)
traced = tracemalloc.get_traced_memory()[0]
work(1_000_000)
gc.collect()
more = tracemalloc.get_traced_memory()[0] - traced
tracemalloc.stop()
print(feeds, more, test_memory.resident() - held)
"""
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("needs /proc to see the process's memory")
    folder = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    feeds, traced, held = map(int, done.stdout.split())
    assert feeds >= 1_000_000 and traced < 100_000 and held < 5 << 20, (feeds, traced, held)


@pytest.mark.skipif(sys.version_info < (3, 13), reason="a way to make subinterpreters from Python came with 3.13")
def test_a_subinterpreter_works_or_raises() -> None:
    code = """
import _interpreters
interpreter = _interpreters.create()
failure = _interpreters.exec(interpreter, "import deltafold; deltafold.Reader()")
print("works" if failure is None else failure.formatted)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "works" or "subinterpreter" in done.stdout, done.stdout


def test_a_child_process_continues_reading_after_a_fork() -> None:
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")
    code = """
import os, deltafold, test_memory
reader = deltafold.Reader()
reader.feed(test_memory.SMALL[:1500])
child = os.fork()
reader.feed(test_memory.SMALL[1500:])
good = reader.response.output_text == "Hello" and reader.close() == "completed"
if child == 0: os._exit(0 if good else 1)
assert good and os.waitpid(child, 0)[1] == 0
"""
    folder = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join([folder, *sys.path])})
    assert done.returncode == 0, done.stderr
