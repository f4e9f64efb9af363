"""The default output of `deltafold convert --to open-responses` passes `deltafold check` and is read by `openai`.

    python test_convert.py DELTAFOLD FOLDER

DELTAFOLD is the command; FOLDER gets the converted streams, which node/converted.mjs reads too. The inputs are the streams of
examples/streams/dialects and, with DELTAFOLD_SHARED, every recording of a dialect.
"""

import json
import os
import pathlib
import subprocess
import sys
import warnings

import httpx2
import openai

EXAMPLES = pathlib.Path("examples/streams/dialects")


def main():
    command, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    # Types of extension items are unknown to the package.
    warnings.simplefilter("ignore")
    converted = [convert(command, path, folder) for path in inputs()]
    failed = False
    for at in range(0, len(converted), 100):
        checked = subprocess.run([command, "check", *converted[at : at + 100]], capture_output=True)
        if checked.returncode != 0:
            failed = True
            print(f"error: check: {checked.stdout.decode()}")
    for path in converted:
        mine = json.loads(subprocess.run([command, "fold", path], capture_output=True).stdout)
        try:
            theirs = fold(path)
            if theirs is not None and text(theirs) != text(mine):
                failed = True
                print(f"error: {path.name}: the text differs")
        except openai.APIError as error:
            # A failed response: the package raises the error of the stream.
            if mine["status"] != "failed":
                failed = True
                print(f"error: {path.name}: {error}")
        except Exception as error:
            failed = True
            print(f"error: {path.name}: {type(error).__name__}: {error}")
    print(f"openai-python: {len(converted)} converted streams")
    return int(failed or len(converted) < 9)


def inputs():
    paths = sorted(EXAMPLES.iterdir())
    if shared := os.environ.get("DELTAFOLD_SHARED"):
        for dialect in ("anthropic", "chat-completions", "gemini"):
            paths += sorted((pathlib.Path(shared) / "corpus" / dialect).iterdir())
    return paths


def convert(command, path, folder):
    made = subprocess.run([command, "convert", "--to", "open-responses", path], capture_output=True)
    assert made.returncode == 0, f"{path}: {made.stderr.decode()}"
    converted = folder / f"{path.parent.name}-{path.name}.sse"
    converted.write_bytes(made.stdout)
    return converted


def fold(path):
    """The last snapshot of the package; None if the stream ends with an error."""
    body = path.read_bytes()
    head = {"content-type": "text/event-stream"}
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, headers=head, content=body))
    client = openai.OpenAI(base_url="http://localhost/v1", api_key="none", max_retries=0, http_client=httpx2.Client(transport=transport))
    final = None
    with client.responses.stream(model="m", input="i") as stream:
        for event in stream:
            if event.type in ("response.completed", "response.incomplete", "response.failed"):
                final = event.response
    return json.loads(final.to_json()) if final is not None else None


def text(response):
    parts = [part for item in response["output"] if item["type"] == "message" for part in item.get("content") or []]
    return "".join(part["text"] for part in parts if part["type"] == "output_text")


if __name__ == "__main__":
    sys.exit(main())
