"""Feeds `check` and `fold` a large capture, and `table` a large log, by stdin and prints the memory that they used.

    python3 bindings/cli/tests/large.py DELTAFOLD MEGABYTES [LIMIT [PADDING]]

The capture is made on the way, never stored: one response of many messages, six bytes of text to an event, numbered and
whole, closed by its terminal event with everything repeated in it. Exits with 1 if a command fails, needs more than LIMIT
megabytes of memory, or shows no progress; for `table`, if a log of twice the length needs more memory. PADDING is how many bytes of obfuscation each delta carries: the response is so much
smaller than the capture.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time

WORDS = ["ferry ", "canal ", "tides ", "lock, ", "bread ", "wind. "]
DELTAS = 2_000
PADDING = 0


class Stream:
    """Writes events, counts numbers and bytes, and keeps the data that the terminal event must repeat."""

    def __init__(self, out):
        self.out, self.number, self.bytes, self.items = out, 0, 0, []

    def send(self, text):
        self.bytes += len(text)
        self.out.write(text)

    def event(self, kind, **fields):
        payload = json.dumps({"type": kind, "sequence_number": self.number, **fields}, separators=(",", ":"))
        self.number += 1
        self.send(f"event: {kind}\ndata: {payload}\n\n".encode())

    def message(self):
        at, kind = len(self.items), "response.output_text.delta"
        item_id = f"msg_{at}"
        place = {"item_id": item_id, "output_index": at, "content_index": 0}
        item = {"type": "message", "id": item_id, "status": "in_progress", "role": "assistant", "content": []}
        self.event("response.output_item.added", output_index=at, item=item)
        part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        self.event("response.content_part.added", **place, part=part)
        # The bulk: formatted by hand, because a library would be slower than the program that reads it.
        head = f'event: {kind}\ndata: {{"type":"{kind}","sequence_number":'
        padding = f'"obfuscation":"{"k" * PADDING}",' if PADDING else ""
        tail = f',{padding}"item_id":"{item_id}","output_index":{at},"content_index":0,"logprobs":[],"delta":"'
        chunk, text = [], []
        for number in range(self.number, self.number + DELTAS):
            word = WORDS[number % 6]
            text.append(word)
            chunk.append(f'{head}{number}{tail}{word}"}}\n\n')
        self.number += DELTAS
        self.send("".join(chunk).encode())
        text = "".join(text)
        self.event("response.output_text.done", **place, text=text, logprobs=[])
        part = {**part, "text": text}
        self.event("response.content_part.done", **place, part=part)
        item = {**item, "status": "completed", "content": [part]}
        self.event("response.output_item.done", output_index=at, item=item)
        self.items.append(item)


def response(status, items, usage=None):
    with open(os.path.join(os.path.dirname(__file__), "../../../examples/streams/tour.json"), encoding="utf-8") as file:
        whole = json.load(file)
    done = 1776988803 if status == "completed" else None
    return {**whole, "id": "resp_large", "status": status, "completed_at": done, "output": items, "usage": usage}


def feed(out, megabytes, sent):
    try:
        stream = Stream(out)
        stream.event("response.created", response=response("in_progress", []))
        stream.event("response.in_progress", response=response("in_progress", []))
        while stream.bytes < megabytes * 1_000_000:
            stream.message()
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, **details}
        stream.event("response.completed", response=response("completed", stream.items, usage))
        stream.send(b"data: [DONE]\n\n")
        sent.update(events=stream.number, bytes=stream.bytes, text=len(stream.items) * DELTAS * 6)
        out.close()
    except BrokenPipeError:
        sent["broken"] = True


# Linux counts the memory that a process used before it executed another program. Started from here, that is this interpreter with the stream that
# it generates; started by a shell, it is one megabyte. The shell then becomes an interpreter that can query its child's usage.
WATCH = """to=$1; shift; "$@"; code=$?; exec "$0" -I -S -c "
import os, resource
used = resource.getrusage(resource.RUSAGE_CHILDREN)
os.write($to, f'$code {used.ru_maxrss} {used.ru_utime + used.ru_stime}'.encode())" """


class Watched:
    """A process whose peak memory is reported."""

    def __init__(self, command, **pipes):
        self.ear, mouth = os.pipe()
        watch = ["sh", "-c", WATCH, sys.executable, str(mouth), *command]
        self.child = subprocess.Popen(watch, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[mouth], **pipes)
        os.close(mouth)

    def end(self):
        """Waits for its end and returns exit code, peak in megabytes, and seconds of CPU time."""
        self.child.wait()
        code, peak, seconds = os.read(self.ear, 100).split()
        os.close(self.ear)
        return int(code), int(peak) / 1000, float(seconds)


def measure(program, command, megabytes):
    sent, started = {}, time.monotonic()
    # A terminal would get a bar; here progress is printed as lines.
    watched = Watched([program, command, "--progress", "always", "-"], stderr=subprocess.PIPE)
    child = watched.child
    threading.Thread(target=feed, args=(child.stdin, megabytes, sent), daemon=True).start()
    output = []
    reader = threading.Thread(target=lambda: output.append(child.stdout.read()))
    errors = []
    listener = threading.Thread(target=lambda: errors.append(child.stderr.read()))
    reader.start(), listener.start()
    reader.join(), listener.join()
    code, peak, _ = watched.end()
    return code, peak, time.monotonic() - started, sent, output[0], errors[0].decode()


def table(program, megabytes, *output):
    """Makes a table of a log and returns exit code, peak in megabytes, rows that were sent, and the output."""
    watched = Watched([program, "table", "--columns", "outcome,output_text,usage", *output])
    with open(os.path.join(os.path.dirname(__file__), "../../../examples/streams/tour.sse"), encoding="utf-8") as file:
        line = json.dumps({"body": file.read()}).encode() + b"\n"
    rows = megabytes * 1_000_000 // len(line)
    output = []
    reader = threading.Thread(target=lambda: output.append(watched.child.stdout.read()))
    reader.start()
    for _ in range(rows // 100):
        watched.child.stdin.write(line * 100)
    watched.child.stdin.close()
    reader.join()
    code, peak, _ = watched.end()
    return code, peak, rows // 100 * 100, output[0]


def check_table(program, megabytes):
    """The memory of a table is that of its batches: a log of twice the length needs no more."""
    wrong = 0
    # As many as fill every batch that is in memory at once, then twice as many.
    sizes = [max(megabytes, 150), 2 * max(megabytes, 150)]
    with tempfile.TemporaryDirectory() as folder:
        for name, output in [("JSON lines", []), ("Parquet", ["-o", os.path.join(folder, "table.parquet")])]:
            (first, low, _, _), (second, high, rows, printed) = (table(program, size, *output) for size in sizes)
            print(f"table, {name}: {sizes[0]} MB peak {low:.0f} MB, {sizes[1]} MB peak {high:.0f} MB, {rows} rows")
            complete = output or printed.count(b'"outcome":"completed"') == rows
            if first or second or not complete or high > 1.15 * low + 4:
                print(f"wrong: exits {first} and {second}, peaks {low:.0f} and {high:.0f} MB, complete {bool(complete)}")
                wrong = 1
    return wrong


def main():
    global PADDING
    program, megabytes = sys.argv[1], int(sys.argv[2])
    PADDING = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    limit = int(sys.argv[3]) if len(sys.argv) > 3 else None
    wrong = 0
    for command in ["check", "fold"]:
        code, peak, seconds, sent, output, errors = measure(program, command, megabytes)
        events, size, text = sent.get("events"), sent.get("bytes", 0) / 1e6, sent.get("text", 0) / 1e6
        print(f"{command}: {size:.0f} MB, {events} events, {text:.1f} MB of text; peak {peak:.0f} MB, {seconds:.1f} s, exit {code}")
        if command == "check":
            good = b"completed" in output and b" 0 errors, 0 warnings" in output
        else:
            good = len(json.loads(output)["output"]) * DELTAS * 6 == sent.get("text")
        if code != 0 or not good or " read, " not in errors or (limit and peak > limit):
            print(f"wrong: exit {code}, peak {peak:.0f} MB (limit {limit}), stderr {errors[:500]!r}, stdout {output[:500]!r}")
            wrong = 1
    return check_table(program, megabytes) or wrong


if __name__ == "__main__":
    sys.exit(main())
