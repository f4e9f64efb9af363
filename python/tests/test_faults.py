"""Faults around a reader: buffers that change, signals, exceptions, generators that end early, a million readers.

`DELTAFOLD_LONG=1` takes the long forms: 10,000 rounds, 1,000,000 readers.
"""

import gc
import os
import signal
import subprocess
import sys
import threading
from typing import Any, Iterator

import pytest

import deltafold
from streams import frame, stream

LONG = os.environ.get("DELTAFOLD_LONG") == "1"
ROUNDS = 10_000 if LONG else 300
READERS = 1_000_000 if LONG else 4_000
STREAM = stream()
WORDS = stream(tuple("word " for _ in range(40)))


def test_a_buffer_may_change_in_another_thread_while_it_is_fed() -> None:
    """The reader sees one state or another of the buffer and continues; the other thread may be refused, never this one."""
    data, stop = bytearray(WORDS), threading.Event()

    def change() -> None:
        while not stop.is_set():
            try:
                data[:7] = b"XXXXXXX"
                data.extend(b"y" * 5000)
                del data[100:9000]
                data[:] = WORDS
            except BufferError:
                pass

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(ROUNDS):
            reader = deltafold.Reader()
            for given in (data, memoryview(bytes(data))[::2]):
                for event in reader.feed(given):
                    event.to_dict()
            reader.close()
    finally:
        stop.set()
        thread.join()


def test_a_buffer_may_change_in_a_finaliser_while_it_is_fed() -> None:
    data = bytearray(WORDS)
    ran = []

    class Changes:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            ran.append(True)
            try:
                data.extend(b"y" * 100)
                del data[:200]
            except BufferError:
                pass

    old = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(ROUNDS):
            Changes()
            data[:] = WORDS
            reader = deltafold.Reader()
            list(reader.feed(data))
            reader.close()
    finally:
        gc.set_threshold(*old)
    assert ran


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that sends a signal")
def test_a_signal_ends_a_loop_without_losing_an_event() -> None:
    class Alarm(Exception):
        pass

    def ring(*_: Any) -> None:
        raise Alarm

    old = signal.signal(signal.SIGALRM, ring)
    try:
        for at in range(1, 40, 5):
            reader, seen = deltafold.Reader(), []
            events = reader.feed(WORDS)
            with pytest.raises(Alarm):
                for event in events:
                    seen.append(event.index)
                    if len(seen) == at:
                        signal.raise_signal(signal.SIGALRM)
            assert reader.event_count == at
            seen.extend(event.index for event in events)
            assert seen == list(range(reader.event_count)) and reader.close() == "completed"
        # A long loop can also be interrupted from outside.
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Alarm):
            while True:
                for event in deltafold.Reader().feed(WORDS):
                    event.type
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_a_reader_stays_usable_after_an_exception_in_a_loop() -> None:
    for _ in range(ROUNDS):
        reader = deltafold.Reader()
        with pytest.raises(ZeroDivisionError):
            for event in reader.feed(STREAM):
                raise ZeroDivisionError
        gc.collect(0)
        assert reader.close() == "completed" and reader.response.output_text == "Hello"


def test_a_generator_that_ends_early_closes_its_source_and_keeps_what_was_read() -> None:
    ended = []

    def source() -> "Iterator[bytes]":
        try:
            for at in range(0, len(WORDS), 500):
                yield WORDS[at : at + 500]
        except GeneratorExit:
            ended.append(True)
            raise

    def texts(events: Any) -> "Iterator[str]":
        for event in events:
            if event.type == "response.output_text.delta":
                yield event.delta

    for count in (1, 3, 7):
        events = deltafold.events(source())
        found = texts(events)
        assert [next(found) for _ in range(count)] == ["word "] * count
        assert events.response.output_text == "word " * count
        found.close()  # type: ignore[attr-defined]
        assert events.close() == "truncated" and events.response.output_text.startswith("word " * count)
    assert ended == [True] * 3


def test_many_threads_feed_and_read_one_reader() -> None:
    """Some threads feed small and large chunks, some read; nothing deadlocks, and no event is lost."""
    reader, rounds = deltafold.Reader(), ROUNDS // 3
    small, large = frame({"type": "acme:small"}), frame({"type": "acme:large", "x": "x" * 9000})
    counts = [0] * 4

    def feeds(at: int) -> None:
        for number in range(rounds):
            counts[at] += len(list(reader.feed(large if number % 2 else small)))

    def asks() -> None:
        while any(thread.is_alive() for thread in feeders):
            reader.response.to_dict(), reader.findings, repr(reader), reader.save()

    feeders = [threading.Thread(target=feeds, args=(at,)) for at in range(4)]
    others = [threading.Thread(target=asks) for _ in range(4)]
    for thread in feeders + others:
        thread.start()
    for thread in feeders + others:
        thread.join(timeout=600)
        assert not thread.is_alive()
    assert sum(counts) == reader.event_count == 4 * rounds


def test_memory_stays_constant_while_readers_are_created_and_freed() -> None:
    """In a separate process, so that nothing else changes its memory."""
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("needs /proc to see the process's memory")
    code = """
import gc, sys, deltafold, test_memory
def work(count):
    for number in range(count):
        reader = deltafold.Reader()
        kept = [reader, reader.response, *reader.feed(test_memory.SMALL[:600])]
        kept.append(kept)
        # The number of cycles that wait for the collector depends on Python.
        if number % 200 == 0: gc.collect()
work(int(sys.argv[1]) // 10)
gc.collect()
held = test_memory.resident()
work(int(sys.argv[1]))
gc.collect()
print(test_memory.resident() - held)
"""
    folder = os.path.dirname(os.path.abspath(__file__))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, *sys.path])}
    done = subprocess.run([sys.executable, "-c", code, str(READERS)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 5 << 20, done.stdout
