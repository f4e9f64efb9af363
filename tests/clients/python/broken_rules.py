"""Records which streams of broken rules `openai` cannot read.

    python broken_rules.py FOLDER

FOLDER is written by `rule-streams`; the result goes to FOLDER/openai-python.json: the error of each stream, or null.
"""

import json
import pathlib
import sys
import warnings

import httpx2
import openai


def main():
    folder = pathlib.Path(sys.argv[1])
    # Types of extension items are unknown to the package.
    warnings.simplefilter("ignore")
    index = json.loads((folder / "index.json").read_text())
    errors = {entry["file"]: error_of((folder / entry["file"]).read_bytes()) for entry in index}
    (folder / "openai-python.json").write_text(json.dumps(errors, indent=1))


def error_of(body):
    head = {"content-type": "text/event-stream"}
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, headers=head, content=body))
    client = openai.OpenAI(base_url="http://localhost/v1", api_key="none", max_retries=0, http_client=httpx2.Client(transport=transport))
    try:
        with client.responses.stream(model="m", input="i") as stream:
            last = ""
            for event in stream:
                last = event.type
            # The package returns no final response for other outcomes.
            if last not in ("response.incomplete", "response.failed"):
                stream.get_final_response()
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]
    return None


main()
