"""What is compared: each contender takes chunks and gives the number of events and the texts that grew, by place.

All take the same list of chunks, and all loops do the same with an event: look at its type, find its place by two indexes, read its
sequence number and item id, and append its delta to the texts of that place. What stands before the loop is what a careful user
of each would write: built-in iterators (`map`, `chain`) where there is one call per chunk or payload, a generator where bytes have
to be split. Of the others, orjson and json convert every field of every event, msgspec those of one struct, openai all of them
into models; `deltafold` converts what the loop reads, and is the only one beside openai that also accumulates the response.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import Any, Callable, Dict, Iterable, Iterator, List, Tuple

import httpx
import httpx2
import httpx_sse
import msgspec
import openai
import orjson

import deltafold
import deltafold.openai

Place = Tuple[int, int]
Result = Tuple[int, Dict[Place, List[str]]]
Contender = Callable[[List[bytes]], Result]


def objects(events: Iterable[Any]) -> Result:
    """Reads events that have attributes."""
    parts: Dict[Place, List[str]] = {}
    count = 0
    for event in events:
        count += 1
        kind = event.type
        if kind == "response.output_text.delta":
            place = (event.output_index, event.content_index)
        elif kind == "response.function_call_arguments.delta":
            place = (event.output_index, 0)
        elif kind == "response.reasoning_summary_text.delta":
            place = (event.output_index, event.summary_index)
        else:
            continue
        event.sequence_number
        event.item_id
        part = parts.get(place)
        if part is None:
            part = parts[place] = []
        part.append(event.delta)
    return count, parts


def dicts(events: Iterable[Dict[str, Any]]) -> Result:
    """Reads events that are dicts."""
    parts: Dict[Place, List[str]] = {}
    count = 0
    for event in events:
        count += 1
        kind = event["type"]
        if kind == "response.output_text.delta":
            place = (event["output_index"], event["content_index"])
        elif kind == "response.function_call_arguments.delta":
            place = (event["output_index"], 0)
        elif kind == "response.reasoning_summary_text.delta":
            place = (event["output_index"], event["summary_index"])
        else:
            continue
        event["sequence_number"]
        event["item_id"]
        part = parts.get(place)
        if part is None:
            part = parts[place] = []
        part.append(event["delta"])
    return count, parts


def ours(chunks: List[bytes]) -> Result:
    """Reader: framing by all rules, findings, the response accumulated; every scalar field of a delta read."""
    feed = deltafold.Reader().feed
    return objects(chain.from_iterable(map(feed, chunks)))


def ours_delta_only(chunks: List[bytes]) -> Result:
    """The same, reading only type and delta; the position comes from the response."""
    reader = deltafold.Reader()
    texts: List[str] = []
    count = 0
    for chunk in chunks:
        for event in reader.feed(chunk):
            count += 1
            if event.type == "response.output_text.delta":
                texts.append(event.delta)
    return count, parts_of(reader)


def ours_folded(chunks: List[bytes]) -> Result:
    """Accumulating only: no event is created, the text is read at the end."""
    reader = deltafold.Reader()
    for chunk in chunks:
        reader.feed(chunk)
    return reader.event_count, parts_of(reader)


def parts_of(reader: deltafold.Reader) -> Dict[Place, List[str]]:
    parts: Dict[Place, List[str]] = {}
    for at, item in enumerate(reader.response.items):
        kind = item.type
        if kind == "function_call":
            parts[at, 0] = [item.arguments]
        views = item.summary_parts if kind == "reasoning" else item.parts
        for index, part in enumerate(views):
            parts[at, index] = [part.text]
    return parts


class Answers:
    """A client of openai that answers with given chunks. A program has one client, so it is created once, outside of what is timed."""

    def __init__(self, patched: bool) -> None:
        self.chunks: List[bytes] = []
        transport = httpx2.Client(transport=httpx2.MockTransport(self.answer))
        client = openai.OpenAI(api_key="none", base_url="http://127.0.0.1/v1", max_retries=0, http_client=transport)
        self.client = deltafold.openai.patch(client) if patched else client

    def answer(self, _: Any) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=iter(self.chunks))


PLAIN, PATCHED = Answers(False), Answers(True)


def openai_stream(chunks: List[bytes], answers: Answers = PLAIN) -> Result:
    """responses.stream() of the openai package: typed events, the response accumulated."""
    answers.chunks = chunks
    with answers.client.responses.stream(model="m", input="x") as stream:
        return objects(stream)


def openai_create(chunks: List[bytes], answers: Answers = PLAIN) -> Result:
    """responses.create(stream=True): typed events alone."""
    answers.chunks = chunks
    return objects(answers.client.responses.create(model="m", input="x", stream=True))


def patched_stream(chunks: List[bytes]) -> Result:
    """responses.stream() of a client that deltafold.openai.patch has changed."""
    return openai_stream(chunks, PATCHED)


def patched_create(chunks: List[bytes]) -> Result:
    """responses.create(stream=True) of such a client."""
    return openai_create(chunks, PATCHED)


def httpx_sse_json(chunks: List[bytes]) -> Result:
    """httpx-sse and the json module, no accumulation."""
    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=iter(chunks))
    return dicts(json.loads(frame.data) for frame in httpx_sse.EventSource(response).iter_sse() if frame.data != "[DONE]")


def payloads(chunks: List[bytes]) -> Iterator[bytes]:
    """Payloads by splitting at blank lines, without the other framing rules."""
    waiting: List[bytes] = []
    for chunk in chunks:
        waiting.append(chunk)
        if b"\n" not in chunk:
            continue
        *frames, rest = b"".join(waiting).split(b"\n\n")
        waiting = [rest]
        for frame in frames:
            payload = frame[frame.index(b"data: ") + 6 :]
            if payload != b"[DONE]":
                yield payload


def split_orjson(chunks: List[bytes]) -> Result:
    """Splitting bytes and orjson: no framing rules, no accumulation."""
    return dicts(map(orjson.loads, payloads(chunks)))


class Delta(msgspec.Struct, gc=False):
    type: str
    sequence_number: int
    output_index: int = 0
    item_id: str = ""
    content_index: int = 0
    summary_index: int = 0
    delta: str = ""
    logprobs: List[Any] = []


def split_msgspec(chunks: List[bytes]) -> Result:
    """Splitting bytes and msgspec with one typed struct that skips what it does not know: no framing rules, no accumulation."""
    return objects(map(msgspec.json.Decoder(Delta).decode, payloads(chunks)))


CONTENDERS: Dict[str, Contender] = {
    "deltafold": ours,
    "deltafold (delta only)": ours_delta_only,
    "deltafold (folded)": ours_folded,
    "split + orjson": split_orjson,
    "split + msgspec": split_msgspec,
    "httpx-sse + json": httpx_sse_json,
    "openai": openai_stream,
}
