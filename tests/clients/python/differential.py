"""Compares the results of `deltafold` with those of a reference decoder and of the accumulator of `openai`.

    python differential.py DELTAFOLD FOLDER

DELTAFOLD is the command; FOLDER receives the random streams and the results of DELTAFOLD, for the other clients to compare
with. DELTAFOLD_SHARED names the folder with the recordings and the reference decoder. Known differences are in
tests/clients/differences.json, each with its reason; new differences and entries that no longer differ fail.
"""

import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys
import warnings

import httpx2
import openai

SHARED = pathlib.Path(os.environ["DELTAFOLD_SHARED"]).resolve()
LIST = pathlib.Path(__file__).resolve().parent.parent / "differences.json"
TOKENS = [
    b"data", b"data:", b"data: ", b"data:  ", b"event: ", b"event:", b"id: ", b"id:", b"id", b"retry: ", b":", b": note", b"unknown: x",
    b"Data: ", b"data :", b"a", b"b c", b"12", b"0", b" ", b"\0", b"\xc3\xa9", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98\x80", b"\xff",
    b"\xe2\x80\xa8", b'{"a":1}', b"[DONE]",
]
ENDS = [b"\n", b"\n", b"\n\n", b"\n\n", b"\r\n", b"\r\n\r\n", b"\r", b"\r\r", b"\n\r"]


def main():
    command, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    # The package's types lack some tools; their warnings are not compared.
    warnings.simplefilter("ignore")
    return frames(command, folder) | responses(command, folder)


def frames(command, folder):
    """Random streams, read by the command and by the reference decoder."""
    soup = random.Random(14)
    paths = [folder / f"{at:03}.sse" for at in range(400)]
    for path in paths:
        stream = [b"\xef\xbb\xbf"] if soup.random() < 0.2 else []
        for _ in range(soup.randrange(24)):
            if soup.random() < 0.5:
                stream.append(soup.choice([b"data: ", b"data: ", b"data:", b"event: ", b"id: ", b"retry: "]))
            stream += [soup.choice(TOKENS) for _ in range(soup.randrange(4))] + [soup.choice(ENDS)]
        path.write_bytes(b"".join(stream))
    printed = subprocess.run([command, "frames", "--comments", *paths], capture_output=True, check=True).stdout
    (folder / "frames.jsonl").write_bytes(printed)
    found = {str(path): {"events": [], "comments": []} for path in paths}
    for line in map(json.loads, printed.splitlines()):
        file = found[line.pop("file")]
        if "comment" in line:
            file["comments"].append(line["comment"])
        else:
            file["events"].append({key: line[key] for key in ("event", "data", "id", "retry")})
    reference = load(SHARED / "conformance" / "reference.py")
    wrong = [path for path in paths if reference.decode_whole(path.read_bytes()) | found[str(path)] != reference.decode_whole(path.read_bytes())]
    events = sum(len(file["events"]) for file in found.values())
    print(f"reference decoder: {len(paths)} random streams, {events} frames, {len(wrong)} differ")
    if wrong or events < 500:
        print("error: differs from the reference decoder:", *wrong[:5])
    return int(bool(wrong) or events < 500)


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def responses(command, folder):
    """Reads every complete recording with the command and with the package's own accumulator."""
    manifest = json.loads((SHARED / "corpus" / "manifest.json").read_text(encoding="utf-8"))
    files = [one["file"] for one in manifest["files"] if one["file"].startswith("responses/") and well_formed(one)]
    ours = {}
    for name, flags in (("whole", []), ("events", ["--ignore-terminal-snapshot"])):
        call = [command, "fold", "--from", "open-responses", "--progress", "never", *flags, *files]
        done = subprocess.run(call, cwd=SHARED / "corpus", capture_output=True, check=False)
        (folder / f"{name}.jsonl").write_bytes(done.stdout)
        ours[name] = {line["file"]: line["response"] for line in map(json.loads, done.stdout.splitlines())}
    differ = {}
    for file in files:
        try:
            theirs, snapshots = fold(SHARED / "corpus" / file)
        except Exception as error:  # whatever the package does with a stream that we can read is a difference
            differ[file] = f"raises {type(error).__name__}: {str(error)[:100]}"
            continue
        what = compare(view(ours["whole"][file]), view(theirs)) + compare_growing(ours["events"][file], snapshots)
        if what:
            differ[file] = "; ".join(what)
    return report("openai-python", len(files), differ)


def well_formed(facts):
    """True for complete recordings with a terminal event."""
    return facts["terminal_event"] is not None and "abridged" not in facts["authenticity"]


def fold(path):
    """The final response of the package, and the last snapshot of each text and each call."""
    body = path.read_bytes()
    head = {"content-type": "text/event-stream"}
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, headers=head, content=body))
    client = openai.OpenAI(base_url="http://localhost/v1", api_key="none", max_retries=0, http_client=httpx2.Client(transport=transport))
    snapshots, final = {}, None
    with client.responses.stream(model="m", input="i") as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                snapshots["text", event.output_index, event.content_index] = event.snapshot
            elif event.type == "response.function_call_arguments.delta":
                snapshots["arguments", event.output_index, 0] = event.snapshot
            elif event.type in ("response.completed", "response.incomplete", "response.failed"):
                final = event.response
    return json.loads(final.to_json()), snapshots


def view(response):
    """The parts that must agree: texts, calls, usage."""
    texts = [part["text"] for item in response["output"] if item["type"] == "message" for part in item.get("content") or []
             if part["type"] == "output_text"]
    calls = [(item.get("name"), item.get("call_id"), item.get("arguments")) for item in response["output"] if item["type"] == "function_call"]
    usage = response.get("usage") or {}
    return {"text": "".join(texts), "calls": calls, "usage": [usage.get(key) for key in ("input_tokens", "output_tokens", "total_tokens")]}


def compare(mine, theirs):
    return [f"another {key}" for key in mine if mine[key] != theirs[key]]


def compare_growing(response, snapshots):
    wrong = []
    for (kind, at, part), text in snapshots.items():
        item = response["output"][at] if at < len(response["output"]) else {}
        mine = item.get("arguments") if kind == "arguments" else (item.get("content") or [{}] * (part + 1))[part].get("text")
        if mine != text:
            wrong.append(f"another snapshot of {kind} {at}/{part}")
    return wrong


def report(client, count, differ):
    known = json.loads(LIST.read_text(encoding="utf-8"))[client]
    new = sorted(set(differ) - set(known))
    stale = sorted(set(known) - set(differ))
    print(f"{client}: {count} recordings, {len(differ)} differ, {len(known)} are known")
    for file in new:
        print(f"error: {client}: {file}: {differ[file]}")
    for file in stale:
        print(f"error: {client}: no longer differs, or is not read: {file}")
    return int(bool(new or stale) or count < 100)


if __name__ == "__main__":
    sys.exit(main())
