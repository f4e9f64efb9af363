"""Times the Python package beside others on real recordings:  python recordings.py FOLDER [--rounds 7] [--chunks event,16k] [--check]

FOLDER has recorded Responses streams as `.sse` files. Each round goes through all files with each contender in turn, every file with a
new reader, so that caches are as cold as in a service. The result of each contender is checked on every file before anything is timed.
The measure is CPU time; a table shows the ratio of the totals and of the median file: the other's time over ours.

A file is left out if the contenders that only split bytes cannot read it (other line ends, comments, frames of several lines). The
contenders of the openai package read fewer files than that, because the package raises on some streams: their rows compare those alone.
"""

from __future__ import annotations

import argparse
import gc
import json
import pathlib
import statistics
import sys
import time
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Tuple

import contenders
import httpx
import httpx_sse
import msgspec
import orjson
from run import cut

import deltafold

Work = Callable[[List[bytes]], Any]


def joined(result: contenders.Result) -> "Tuple[int, Dict[contenders.Place, str]]":
    count, parts = result
    return count, {place: "".join(texts) for place, texts in parts.items() if any(texts)}


def whole_events(chunks: List[bytes]) -> "List[Any]":
    """Every field of every event: to_dict()."""
    reader = deltafold.Reader()
    return [event.to_dict() for chunk in chunks for event in reader.feed(chunk)]


def folded(chunks: List[bytes]) -> Any:
    """The response alone, without event objects: its text and its items are read at the end."""
    reader = deltafold.Reader()
    for chunk in chunks:
        reader.feed(chunk)
    return reader.event_count, reader.response.output_text, [item.arguments for item in reader.response.items if item.type == "function_call"]


def orjson_events(chunks: List[bytes]) -> "List[Any]":
    return list(map(orjson.loads, contenders.payloads(chunks)))


def msgspec_events(chunks: List[bytes]) -> "List[Any]":
    return list(map(msgspec.json.Decoder().decode, contenders.payloads(chunks)))


def httpx_sse_events(chunks: List[bytes]) -> "List[Any]":
    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=iter(chunks))
    return [json.loads(frame.data) for frame in httpx_sse.EventSource(response).iter_sse() if frame.data != "[DONE]"]


def orjson_folded(chunks: List[bytes]) -> Any:
    """What a user of orjson writes to get text and arguments: joins deltas, and reads nothing else."""
    count = 0
    texts: Dict[Tuple[int, int], List[str]] = {}
    calls: Dict[int, List[str]] = {}
    for event in map(orjson.loads, contenders.payloads(chunks)):
        count += 1
        kind = event["type"]
        if kind == "response.output_text.delta":
            texts.setdefault((event["output_index"], event["content_index"]), []).append(event["delta"])
        elif kind == "response.function_call_arguments.delta":
            calls.setdefault(event["output_index"], []).append(event["delta"])
        elif kind == "response.output_item.added" and event["item"]["type"] == "function_call":
            calls.setdefault(event["output_index"], [])
    return count, "".join("".join(texts[at]) for at in sorted(texts)), ["".join(calls[at]) for at in sorted(calls)]


class Table(NamedTuple):
    title: str
    ours: str
    work: Dict[str, Work]
    same: Callable[[Any], Any]


def types(events: Iterable[Any]) -> "List[Any]":
    return [event["type"] for event in events]


TABLES = [
    Table(
        "delta fields",
        "deltafold",
        {
            "deltafold": contenders.ours,
            "split + orjson": contenders.split_orjson,
            "split + msgspec, typed": contenders.split_msgspec,
            "httpx-sse + json": contenders.httpx_sse_json,
        },
        joined,
    ),
    Table(
        "all fields of all events",
        "deltafold",
        {"deltafold": whole_events, "split + orjson": orjson_events, "split + msgspec": msgspec_events, "httpx-sse + json": httpx_sse_events},
        lambda events: events,
    ),
    Table("response only", "deltafold", {"deltafold": folded, "split + orjson": orjson_folded}, lambda result: result),
    Table(
        "delta fields, beside openai",
        "deltafold",
        {
            "deltafold": contenders.ours,
            "openai `responses.stream`": contenders.openai_stream,
            "openai `responses.stream`, patched": contenders.patched_stream,
            "openai `responses.create`": contenders.openai_create,
            "openai `responses.create`, patched": contenders.patched_create,
        },
        joined,
    ),
]


def chosen(file: pathlib.Path) -> "bytes | None":
    """The bytes of a recording that a simple split can read."""
    data = file.read_bytes()
    try:
        for frame in data.decode().removesuffix("\n\n").split("\n\n"):
            lines = [line for line in frame.split("\n") if not line.startswith("event: ")]
            if len(lines) != 1 or not lines[0].startswith("data: "):
                return None
            if lines[0] != "data: [DONE]" and not isinstance(json.loads(lines[0][6:]).get("type"), str):
                return None
    except ValueError:
        return None
    return data if data.endswith(b"\n\n") else None


def agree(table: Table, chunks: List[bytes]) -> bool:
    """Whether all contenders of a table read these chunks and have the same result."""
    results = []
    for name, work in table.work.items():
        try:
            results.append(table.same(work(chunks)))
        except Exception:
            return False
    return all(result == results[0] for result in results)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--chunks", default="event,16k")
    parser.add_argument("--tables", default=",".join(str(number) for number in range(len(TABLES))))
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    files = sorted(asked.folder.glob("*.sse"))
    recordings = {file.name: data for file in files if (data := chosen(file)) is not None}
    for table in (TABLES[int(number)] for number in asked.tables.split(",")):
        for how in asked.chunks.split(","):
            chunks = {name: cut(data, how) for name, data in recordings.items()}
            chunks = {name: each for name, each in chunks.items() if agree(table, each)}
            size = sum(len(recordings[name]) for name in chunks)
            print(f"\n{table.title}, chunks {how} ({len(chunks)} of {len(files)} recordings, {size} bytes, {asked.rounds} rounds)\n", flush=True)
            assert len(chunks) * 2 > len(files), "most recordings are left out"
            if asked.check:
                continue
            times: Dict[str, Dict[str, List[float]]] = {name: {file: [] for file in chunks} for name in table.work}
            for _ in range(asked.rounds):
                for name, work in table.work.items():
                    gc.collect()
                    for file, each in chunks.items():
                        start = time.process_time()
                        work(each)
                        times[name][file].append(time.process_time() - start)
            median = {name: {file: statistics.median(of) for file, of in files_.items()} for name, files_ in times.items()}
            ours = median[table.ours]
            print("| other | total | median file | files that it reads faster |\n| --- | --- | --- | --- |")
            for name, other in median.items():
                ratios = [other[file] / ours[file] for file in ours]
                faster = sum(ratio < 1 for ratio in ratios) / len(ratios)
                total = sum(other.values()) / sum(ours.values())
                if name != table.ours:
                    print(f"| {name} | {total:.2f} | {statistics.median(ratios):.2f} | {faster:.0%} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
