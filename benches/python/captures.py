"""Times `deltafold.batch` beside loops in Python, on recordings:  bash benches/captures.sh [speed|memory|spark]…

Every contender makes the same rows from the same bodies: outcome, id, model, texts, tool calls, usage. A run checks that the rows agree, then
times all contenders in turn, round by round, in one process. What counts is processor time, except for the two rows about threads, which
need the time on the clock of a machine that does nothing else.
"""

from __future__ import annotations

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, Optional

import orjson
import pyarrow as pa
from deltafold import batch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests/engines"))
from bodies import recordings  # noqa: E402
from reader_loop import fold as reader_fold  # noqa: E402

DIALECTS = {"Responses": "open-responses", "Chat Completions": "chat-completions", "Anthropic": "anthropic", "Gemini": "gemini"}
FOLDERS = {"open-responses": "responses", "chat-completions": "chat-completions", "anthropic": "anthropic", "gemini": "gemini"}
Row = Dict[str, Any]


def payloads(body: bytes) -> Iterator[Any]:
    """A loop without an SSE library: lines, their data, JSON. One value at a time, so that few objects are alive."""
    loads = orjson.loads
    for line in body.split(b"\n"):
        if line.startswith(b"data:") and not line.startswith(b"data: [DONE]"):
            yield loads(line[5:])


def row(dialect: str, body: bytes, **fields: Any) -> Row:
    made: Row = {
        "outcome": "truncated", "dialect": dialect, "response_id": None, "model": None, "created_at": None, "output_text": None,
        "reasoning_text": None, "refusal": None, "tool_calls": [], "usage": None, "events": 0, "bytes": len(body),
    }  # fmt: skip
    made.update(fields)
    return made


def call(index: int, call_id: Any, name: Any, arguments: str, status: str = "completed") -> Row:
    return {"index": index, "type": "function_call", "call_id": call_id, "name": name, "arguments": arguments, "status": status}


def usage(input: Any, cached: Any, output: Any, reasoning: Any, total: Any) -> Row:
    return {
        "input_tokens": input, "cached_tokens": cached, "cache_write_tokens": None, "output_tokens": output, "reasoning_tokens": reasoning,
        "total_tokens": total,
    }  # fmt: skip


def orjson_responses(body: bytes) -> Row:
    count, response = 0, {}
    for event in payloads(body):
        count += 1
        if event["type"] in ("response.completed", "response.incomplete", "response.failed"):
            response = event["response"]
    texts: Dict[str, List[str]] = {"output_text": [], "refusal": []}
    reasoning: List[str] = []
    calls = []
    for index, item in enumerate(response.get("output") or []):
        if item["type"] == "message":
            for part in item["content"]:
                if part["type"] in texts:
                    texts[part["type"]].append(part.get("text") or part.get("refusal") or "")
        elif item["type"] == "reasoning":
            reasoning += [part["text"] for part in item.get("content") or item.get("summary") or []]
        elif item["type"].endswith("_call"):
            calls.append({**call(index, item.get("call_id"), item.get("name"), item.get("arguments", ""), item.get("status")), "type": item["type"]})
    counts = response.get("usage") or {}
    return row(
        "open-responses",
        body,
        outcome=response.get("status", "truncated"),
        response_id=response.get("id"),
        model=response.get("model"),
        created_at=response.get("created_at"),
        output_text="".join(texts["output_text"]) if texts["output_text"] else None,
        reasoning_text="\n\n".join(reasoning) if reasoning else None,
        refusal="".join(texts["refusal"]) if texts["refusal"] else None,
        tool_calls=calls,
        usage=usage(
            counts.get("input_tokens"), (counts.get("input_tokens_details") or {}).get("cached_tokens"), counts.get("output_tokens"),
            (counts.get("output_tokens_details") or {}).get("reasoning_tokens"), counts.get("total_tokens"),
        ) if counts else None,
        events=count,
    )  # fmt: skip


def orjson_chat(body: bytes) -> Row:
    text, reasoning, refusal = [], [], []
    calls: Dict[int, Row] = {}
    made, finish, counts = row("chat-completions", body), None, None
    for chunk in payloads(body):
        made["events"] += 1
        made["response_id"] = chunk.get("id") or made["response_id"]
        made["model"] = chunk.get("model") or made["model"]
        made["created_at"] = chunk.get("created") or made["created_at"]
        counts = chunk.get("usage") or counts
        for choice in chunk.get("choices") or []:
            delta = choice.get("delta") or {}
            if delta.get("content"):
                text.append(delta["content"])
            if delta.get("reasoning_content"):
                reasoning.append(delta["reasoning_content"])
            if delta.get("refusal"):
                refusal.append(delta["refusal"])
            for piece in delta.get("tool_calls") or []:
                found = calls.setdefault(piece.get("index", 0), call(len(calls), None, None, ""))
                function = piece.get("function") or {}
                found["call_id"] = piece.get("id") or found["call_id"]
                found["name"] = function.get("name") or found["name"]
                found["arguments"] += function.get("arguments") or ""
            finish = choice.get("finish_reason") or finish
    made["outcome"] = {None: "truncated", "length": "incomplete", "content_filter": "incomplete"}.get(finish, "completed")
    made["output_text"] = "".join(text) if text else None
    made["reasoning_text"] = "".join(reasoning) if reasoning else None
    made["refusal"] = "".join(refusal) if refusal else None
    made["tool_calls"] = list(calls.values())
    if counts:
        made["usage"] = usage(
            counts.get("prompt_tokens"), (counts.get("prompt_tokens_details") or {}).get("cached_tokens"), counts.get("completion_tokens"),
            (counts.get("completion_tokens_details") or {}).get("reasoning_tokens"), counts.get("total_tokens"),
        )  # fmt: skip
    return made


def orjson_anthropic(body: bytes) -> Row:
    blocks: Dict[int, Row] = {}
    pieces: Dict[int, List[str]] = {}
    made, stop, counts = row("anthropic", body), None, {}
    for event in payloads(body):
        made["events"] += 1
        kind = event.get("type")
        if kind == "message_start":
            message = event["message"]
            made["response_id"], made["model"] = message.get("id"), message.get("model")
            counts.update(message.get("usage") or {})
        elif kind == "content_block_start":
            blocks[event["index"]] = event["content_block"]
            pieces[event["index"]] = [event["content_block"].get("text") or ""]
        elif kind == "content_block_delta":
            delta = event["delta"]
            found = delta.get("text") or delta.get("partial_json") or delta.get("thinking")
            if found:
                pieces[event["index"]].append(found)
        elif kind == "message_delta":
            stop = event["delta"].get("stop_reason") or stop
            counts.update(event.get("usage") or {})
    text = ["".join(pieces[index]) for index, block in blocks.items() if block["type"] == "text"]
    thinking = ["".join(pieces[index]) for index, block in blocks.items() if block["type"] == "thinking"]
    made["outcome"] = {None: "truncated", "max_tokens": "incomplete"}.get(stop, "completed")
    made["output_text"] = "".join(text) if text else None
    made["reasoning_text"] = "\n\n".join(thinking) if thinking else None
    made["tool_calls"] = [
        call(index, block.get("id"), block.get("name"), "".join(pieces[index])) for index, block in blocks.items() if block["type"] == "tool_use"
    ]
    if counts:
        read, written = counts.get("cache_read_input_tokens"), counts.get("output_tokens")
        made["usage"] = usage(counts.get("input_tokens"), read, written, None, (counts.get("input_tokens") or 0) + (written or 0))
    return made


def orjson_gemini(body: bytes) -> Row:
    text, thoughts, calls = [], [], []
    made, finish, counts = row("gemini", body), None, None
    for chunk in payloads(body):
        made["events"] += 1
        made["response_id"] = chunk.get("responseId") or made["response_id"]
        made["model"] = chunk.get("modelVersion") or made["model"]
        counts = chunk.get("usageMetadata") or counts
        for candidate in chunk.get("candidates") or []:
            for part in (candidate.get("content") or {}).get("parts") or []:
                if "functionCall" in part:
                    function = part["functionCall"]
                    calls.append(call(len(calls), function.get("id"), function.get("name"), orjson.dumps(function.get("args") or {}).decode()))
                elif part.get("text"):
                    (thoughts if part.get("thought") else text).append(part["text"])
            finish = candidate.get("finishReason") or finish
    made["outcome"] = {None: "truncated", "MAX_TOKENS": "incomplete", "SAFETY": "incomplete"}.get(finish, "completed")
    made["output_text"] = "".join(text) if text else None
    made["reasoning_text"] = "".join(thoughts) if thoughts else None
    made["tool_calls"] = calls
    if counts:
        made["usage"] = usage(
            counts.get("promptTokenCount"), counts.get("cachedContentTokenCount"), counts.get("candidatesTokenCount"),
            counts.get("thoughtsTokenCount"), counts.get("totalTokenCount"),
        )  # fmt: skip
    return made


ORJSON: Dict[str, Callable[[bytes], Row]] = {
    "open-responses": orjson_responses,
    "chat-completions": orjson_chat,
    "anthropic": orjson_anthropic,
    "gemini": orjson_gemini,
}


def bodies_of(dialect: str) -> List[bytes]:
    """The recordings that every contender reads with the same result: complete streams."""
    found = []
    for body in recordings((FOLDERS[dialect],)):
        rows = batch.fold([body], columns=["outcome", "dialect", "output_text", "tool_calls"])[0]
        if rows["outcome"] not in ("completed", "incomplete") or rows["dialect"] != dialect:
            continue
        try:
            plain = ORJSON[dialect](body)
        except (KeyError, TypeError, ValueError):
            continue
        if plain["output_text"] == rows["output_text"] and len(plain["tool_calls"]) == len(rows["tool_calls"]):
            found.append(body)
    return found


def repeat(bodies: List[bytes], size: int) -> List[bytes]:
    total = sum(map(len, bodies))
    return bodies * max(1, size // total)


def cpu(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def speed(rounds: int, size: int) -> None:
    print("| bodies | batch | loop over Reader | loop with orjson | to Reader | to orjson |")
    print("| --- | --- | --- | --- | --- | --- |")
    mixed: List[bytes] = []
    names: List[str] = []
    for title, dialect in [*DIALECTS.items(), ("all four", "")]:
        if dialect:
            own = bodies_of(dialect)
            mixed += own
            names += [dialect] * len(own)
            loops = [dialect] * len(own)
        else:
            own, loops = mixed, names
        times = max(1, size // sum(map(len, own)))
        many, dialects = own * times, loops * times
        column, names_column = pa.array(many, pa.large_binary()), pa.array(dialects)
        total = sum(map(len, many))
        contenders: Dict[str, Callable[[], Any]] = {
            "batch": lambda column=column, dialects=names_column: batch.fold(column, dialect=dialects, threads=1),
            "reader": lambda many=many, dialects=dialects: [reader_fold(body, dialect) for body, dialect in zip(many, dialects)],
            "orjson": lambda many=many, dialects=dialects: [ORJSON[dialect](body) for body, dialect in zip(many, dialects)],
        }
        measured: Dict[str, List[float]] = {name: [] for name in contenders}
        for _ in range(rounds):
            for name, work in contenders.items():
                measured[name].append(cpu(work))
        median = {name: statistics.median(found) for name, found in measured.items()}
        rate = {name: f"{total / found / 1e6:.0f} MB/s" for name, found in median.items()}
        print(
            f"| {title}, {len(own)} recordings, {total / 1e6:.0f} MB | {rate['batch']} | {rate['reader']} | {rate['orjson']} "
            f"| {median['reader'] / median['batch']:.1f} | {median['orjson'] / median['batch']:.1f} |",
            flush=True,
        )
    threads(rounds, size)


def threads(rounds: int, size: int) -> None:
    """One and two threads over Responses, on the clock and on the processor."""
    own = repeat(bodies_of("open-responses"), size)
    column, total = pa.array(own, pa.large_binary()), sum(map(len, own))
    clock: Dict[int, List[float]] = {1: [], 2: []}
    used: Dict[int, List[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for count in (1, 2):
            start = time.perf_counter()
            used[count].append(cpu(lambda count=count: batch.fold(column, threads=count)))
            clock[count].append(time.perf_counter() - start)
    busy = os.getloadavg()[0]
    print(f"\nResponses, {total / 1e6:.0f} MB, shortest of {rounds} rounds; load of the machine {busy:.1f}\n")
    for count in (1, 2):
        print(f"- {count} thread(s): {total / min(clock[count]) / 1e9:.2f} GB/s on the clock, {total / min(used[count]) / 1e9:.2f} GB per processor second")
    print(f"- 1 to 2 threads: {min(clock[1]) / min(clock[2]):.2f} on the clock; the second thread costs {min(used[2]) / min(used[1]) - 1:+.1%} processor time")


def memory(size: int) -> None:
    """The peak of a process that folds a stream of batches, above the peak before, beside the sizes of the output and of a batch."""
    own = bodies_of("open-responses")
    rows = [own[at % len(own)] for at in range(64)]
    one = pa.record_batch({"body": pa.array(rows, pa.large_binary())})
    batches = max(1, size // one.nbytes)

    def stream() -> Any:
        for _ in range(batches):
            yield pa.record_batch({"body": pa.array(rows, pa.large_binary())})

    batch.fold(one)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    result = batch.fold(pa.RecordBatchReader.from_batches(one.schema, stream()))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    bound = 2 * result.nbytes + one.nbytes
    print(
        f"{batches * one.nbytes / 1e6:.0f} MB of bodies in {batches} batches of {one.nbytes / 1e6:.1f} MB: output {result.nbytes / 1e6:.1f} MB, "
        f"peak {peak / 1e6:.1f} MB above the start, {peak / bound:.2f} of twice the output and a batch"
    )


class Timed:
    """A batch that adds the processor time of its calls to an accumulator of Spark."""

    def __init__(self, batch: batch.Batch, seconds: Any) -> None:
        self._batch, self._seconds = batch, seconds

    def run(self, column: Any, dialect: Any = None) -> Any:
        start = time.process_time()
        result = self._batch.run(column, dialect=dialect)
        self._seconds.add(time.process_time() - start)
        return result


def spark(rows: int) -> None:
    """20,000 recordings on two executors: the share of the fold in the processor time of the executors and their Python workers."""
    import tempfile

    import cluster
    import deltafold.spark
    import pyarrow.parquet as pq

    own = bodies_of("open-responses")
    folder = pathlib.Path(tempfile.mkdtemp())
    file = folder / "captures.parquet"
    schema = pa.schema([("id", pa.int64()), ("body", pa.large_binary())])
    total = 0
    with pq.ParquetWriter(file, schema, compression="none") as writer:
        for start in range(0, rows, 500):
            bodies = [own[at % len(own)] for at in range(start, min(start + 500, rows))]
            total += sum(map(len, bodies))
            writer.write_table(pa.table({"id": range(start, start + len(bodies)), "body": bodies}, schema=schema))
    session = cluster.start()
    session.sparkContext.setLogLevel("ERROR")
    seconds = session.sparkContext.accumulator(0.0)
    frame = session.read.parquet(str(file))
    cluster.executors(session)
    deltafold.spark.fold(frame.limit(10), "body").count()  # starts the workers
    before = executor_seconds(cluster.executors(session))
    plain, add = deltafold.spark._runner, seconds

    def timed(work: Any, *rest: Any) -> Any:
        return plain(Timed(work, add), *rest)

    deltafold.spark._runner = timed
    start = time.perf_counter()
    deltafold.spark.fold(frame, "body").write.parquet(str(folder / "folded"))
    elapsed = time.perf_counter() - start
    used = executor_seconds(cluster.executors(session)) - before
    cluster.stop(session)
    print(
        f"{rows} bodies, {total / 1e6:.0f} MB, in {elapsed:.1f} s: the executors used {used:.1f} s of processor time, "
        f"{seconds.value:.1f} s of it ({seconds.value / used:.0%}) in deltafold; {total / seconds.value / 1e6:.0f} MB/s per core in deltafold"
    )


def executor_seconds(executors: List[int]) -> float:
    """Processor time of these processes and of all that descend from them."""
    parents: Dict[int, int] = {}
    ticks: Dict[int, int] = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
        # With its children that have ended.
        ticks[int(folder.name)] = sum(map(int, fields[11:15]))
    total = 0
    for process in ticks:
        at: Optional[int] = process
        while at and at not in executors:
            at = parents.get(at)
        if at:
            total += ticks[process]
    return total / os.sysconf("SC_CLK_TCK")


def main() -> int:
    if len(sys.argv) > 2 and sys.argv[1] == "memory-process":
        memory(int(sys.argv[2]))
        return 0
    asked = sys.argv[1:] or ["speed", "memory", "spark"]
    size = int(os.environ.get("BENCH_MB", "100")) * 1_000_000
    if "speed" in asked:
        speed(int(os.environ.get("BENCH_ROUNDS", "5")), size)
    if "memory" in asked:
        # A process of its own, because a peak never falls.
        subprocess.run([sys.executable, __file__, "memory-process", str(size)], check=True)
    if "spark" in asked:
        spark(int(os.environ.get("BENCH_ROWS", "20000")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
