"""The bodies of the tests: recordings of every dialect, example streams, and bodies that are damaged or malicious."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

# The step `engines` copies the tests out of the repository.
ROOT = Path(os.environ.get("DELTAFOLD_ROOT") or Path(__file__).resolve().parents[2])

HELLO = (
    b'data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","created_at":1767225600,'
    b'"status":"in_progress","model":"m-1","output":[]}}\n\n'
    b'data: {"type":"response.output_text.delta","sequence_number":1,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hello"}\n\n'
)
CHAT = (
    b'data: {"id":"chatcmpl-1","model":"m-2","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)

HOSTILE = [
    b"",
    b"\n\n\n",
    b"\0" * 12,
    b"\xff\xfe\xfd",
    b"data: \xff\xff\n\n",
    b"data: {\n\n",
    b"data: []\n\ndata: null\n\ndata: 3\n\n",
    b"data: [DONE]\n\n",
    b'data: {"type":"response.completed"}\n\n',
    b'data: {"type":"response.completed","response":{"usage":{"input_tokens":-5,"output_tokens":"x"},"output":7}}\n\n',
    b'data: {"type":"response.failed","response":{"id":7,"model":[],"created_at":1e300,"error":{"code":null}}}\n\n',
    b'data: {"type":"error","code":"server_error","message":"overloaded","sequence_number":0}\n\n',
    b'data: {"type":"response.output_text.delta","output_index":18446744073709551615,"delta":"x"}\n\n',
    b'data: {"type":"response.output_item.added","output_index":0,"item":{"type":"_call","arguments":{}}}\n\n',
    b'data: {"type":"message_start"',
    b'data: {"type":"message_start","message":null}\n\n',
    b'data: {"type":"message_start","message":{}}\n\ndata: {"type":"content_block_delta","index":9,"delta":'
    b'{"type":"text_delta","text":"\\ud800"}}\n\n',
    b'data: {"choices":[{"delta":{"tool_calls":[{"index":-1}]}}]}\n\n',
    b'data: {"candidates":[{"content":{"parts":[{"functionCall":{}}]}}]}\n\n',
    b'{"error":{"message":"no","type":"invalid_request_error","code":null}}',
    b"<!doctype html><title>502</title>",
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
    b"data: " + b"[" * 100_000 + b"\n\n",
    HELLO[:-20],
]


def examples() -> list[bytes]:
    """The example streams of the repository, in all dialects."""
    files = sorted(path for path in (ROOT / "examples/streams").rglob("*") if path.suffix in {".sse", ".jsonl", ".json"})
    return [path.read_bytes() for path in files]


def recordings(folders: tuple[str, ...] = ("responses", "responses-json", "chat-completions", "anthropic", "gemini")) -> list[bytes]:
    """The recordings in the folder that DELTAFOLD_SHARED names; without it none, with a warning."""
    shared = os.environ.get("DELTAFOLD_SHARED")
    if not shared:
        warnings.warn("DELTAFOLD_SHARED is not set: the recordings are left out", stacklevel=2)
        return []
    found = [path.read_bytes() for folder in folders for path in sorted((Path(shared) / "corpus" / folder).rglob("*")) if path.is_file()]
    assert found, f"no recordings in {shared}"
    return found


def all_bodies() -> list[bytes | None]:
    """Every body, with nulls between them."""
    return [*recordings(), None, *examples(), *HOSTILE, None, HELLO, CHAT]


def texts(bodies: list[bytes | None]) -> list[str | None]:
    """The bodies as text; those that are not UTF-8 are left out."""
    found: list[str | None] = []
    for body in bodies:
        try:
            found.append(None if body is None else body.decode())
        except UnicodeDecodeError:
            pass
    return found
